//! Network devices of the hosts: packet exchange with the kernel.
//!
//! [`Tun`] is the device. Each packet has a [`VnetHeader`], which says whether its checksum is complete and whether it is a
//! super-packet. [`split`] turns a super-packet into packets, [`merge`] does the reverse.

pub mod merge;
pub mod split;
mod sum;
#[cfg(test)]
pub(crate) mod testing;
mod tun;
mod vnet;

use std::io::{self, IoSlice};

pub use merge::Merger;
pub use split::{SplitError, SuperPacket};
pub use tun::Tun;
pub use vnet::VnetHeader;

/// Work that the kernel leaves to the router.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Offload {
    /// Nothing: every packet is complete, as on a wire.
    None,
    /// Transport checksums, which are then neither computed nor verified between two hosts on one machine. They are completed
    /// where a packet is captured or changed by a P4 program ([`jettison_wire::PartialChecksum`]).
    #[default]
    Checksum,
    /// Checksums and segmentation: hosts send super-packets of up to 64 KiB. The router splits them into packets of the MTU
    /// before any queue, and merges packets again before delivery.
    Segmentation,
}

/// Source and sink of packets: a [`Tun`], or a script in tests.
pub trait Device {
    /// Offload that this device leaves to the router.
    fn offload(&self) -> Offload;

    /// Whether the device carries whole Ethernet frames in place of IP packets.
    fn carries_frames(&self) -> bool {
        false
    }

    /// Reads one packet: its virtio header and its bytes, valid until the next call. `None` if no packet waits.
    ///
    /// # Errors
    /// If the device is gone or fails.
    fn read(&mut self) -> io::Result<Option<(VnetHeader, &[u8])>>;

    /// Writes one packet, given as a list of parts.
    ///
    /// # Errors
    /// Any error of the kernel; the packet is then lost.
    fn write(&mut self, header: VnetHeader, parts: &[IoSlice<'_>]) -> io::Result<()>;
}
