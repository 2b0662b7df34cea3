//! Buffers that are used again, so that a packet costs no allocation.

use jettison_wire::{Body, Buffer, Packet};

/// Spare buffers. What a queue drops frees its own, and is made anew here.
#[derive(Debug, Default)]
#[allow(clippy::vec_box)] // a packet holds its buffer boxed: the box is what is spared
pub(super) struct Pool {
    spare: Vec<Box<Buffer>>,
}

/// Spare buffers kept: about as many as wait in a long queue, at 2 KiB each.
const MOST: usize = 4096;

impl Pool {
    /// An empty buffer.
    #[inline]
    pub fn take(&mut self) -> Box<Buffer> {
        self.spare.pop().unwrap_or_default()
    }

    /// A buffer is not needed any more.
    #[inline]
    pub fn give(&mut self, mut buffer: Box<Buffer>) {
        if self.spare.len() < MOST {
            buffer.bytes.clear();
            (buffer.frame, buffer.partial) = (false, None);
            self.spare.push(buffer);
        }
    }

    /// A packet has left.
    #[inline]
    pub fn recycle(&mut self, packet: Packet) {
        if let Body::Buffer(buffer) = packet.body {
            self.give(buffer);
        }
    }
}
