//! Network devices of the hosts: how the kernel hands packets over, and takes them.
//!
//! [`Tun`] is the device. What goes with each packet is a [`VnetHeader`]: whether its checksum is still to be summed, and
//! whether it stands for several. [`split`] and [`merge`] make several of one and one of several.

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

/// What the kernel may leave to the router, and takes from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Offload {
    /// Nothing: every packet is whole, as on a wire.
    None,
    /// Transport checksums: they are neither summed nor verified between two hosts on one machine. What passes a P4 program
    /// that changes it, or is captured, is completed there ([`jettison_wire::PartialChecksum`]).
    #[default]
    Checksum,
    /// Checksums and segmentation: hosts hand over super-packets of up to 64 KiB, which the router splits into packets of the
    /// MTU before any queue sees them, and merges again before it hands them back.
    Segmentation,
}

/// What packets are read from and written to: a [`Tun`], or a script in tests.
pub trait Device {
    /// What this device leaves to the router.
    fn offload(&self) -> Offload;

    /// Reads one packet: what goes with it, and its bytes, which stay until the next call. `None` if there is none.
    ///
    /// # Errors
    /// If the device is gone or broken.
    fn read(&mut self) -> io::Result<Option<(VnetHeader, &[u8])>>;

    /// Writes one packet, given in parts.
    ///
    /// # Errors
    /// Whatever the kernel says; the packet is then lost.
    fn write(&mut self, header: VnetHeader, parts: &[IoSlice<'_>]) -> io::Result<()>;
}
