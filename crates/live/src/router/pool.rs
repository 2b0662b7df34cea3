//! Reuse of packet buffers, which avoids allocations.

use jettison_wire::{Body, Buffer, Packet};

/// Spare buffers. Buffers of dropped packets are freed and later replaced by new ones.
#[derive(Debug, Default)]
#[allow(clippy::vec_box)] // packets hold boxed buffers, so reuse saves the boxes too
pub(super) struct Pool {
    spare: Vec<Box<Buffer>>,
}

/// Maximum number of spare buffers: about a long queue, at 2 KiB each.
const MAX_SPARE: usize = 4096;

impl Pool {
    /// Takes an empty buffer.
    #[inline]
    pub fn take(&mut self) -> Box<Buffer> {
        self.spare.pop().unwrap_or_default()
    }

    /// Returns a buffer.
    #[inline]
    pub fn give(&mut self, mut buffer: Box<Buffer>) {
        if self.spare.len() < MAX_SPARE {
            buffer.bytes.clear();
            (buffer.frame, buffer.partial, buffer.corrupted) = (false, None, false);
            self.spare.push(buffer);
        }
    }

    /// Returns the buffer of a packet that was written.
    #[inline]
    pub fn recycle(&mut self, packet: Packet) {
        if let Body::Buffer(buffer) = packet.body {
            self.give(buffer);
        }
    }
}
