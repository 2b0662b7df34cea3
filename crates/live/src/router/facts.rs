//! Facts about a router's run in addition to its measurements.

use jettison_core::Duration;

use crate::scheduling::Scheduling;

/// Reason why a router stopped.
#[derive(Debug)]
pub enum Ended {
    /// The end time was reached.
    Complete,
    /// A stop was requested.
    Stopped,
    /// A device failed.
    Failed {
        /// Name of the device.
        device: String,
        /// The kernel's error.
        error: std::io::Error,
    },
}

/// Packet counts of one port.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PortFacts {
    /// Name of the port.
    pub name: String,
    /// Packets read and passed to the disciplines; a super-packet counts as the packets it was split into.
    pub packets_in: u64,
    /// Number of reads.
    pub reads: u64,
    /// Packets written.
    pub packets_out: u64,
    /// Number of writes; lower than the number of packets if packets were merged.
    pub writes: u64,
    /// Packets that the kernel rejected (EAGAIN, ENOBUFS and similar errors), which are lost.
    pub refused: u64,
    /// The first such error.
    pub refusal: Option<String>,
    /// Packets read that cannot be forwarded: malformed, or to a link-local or multicast address.
    pub not_carried: u64,
}

/// Facts about a run.
#[derive(Debug)]
pub struct RouterFacts {
    /// Reason why it stopped.
    pub ended: Ended,
    /// Scheduling of its thread.
    pub scheduling: Scheduling,
    /// Duration of the run.
    pub elapsed: Duration,
    /// Processor time of its thread, including the kernel's work on its behalf.
    pub cpu: Duration,
    /// Number of sleeps.
    pub sleeps: u64,
    /// Packets to hosts of the world without a device.
    pub undeliverable: u64,
    /// Packet counts of each port.
    pub ports: Vec<PortFacts>,
}

impl RouterFacts {
    /// Processor time in percent of one core.
    pub fn cpu_percent(&self) -> f64 {
        if self.elapsed.is_zero() { 0.0 } else { 100.0 * self.cpu.as_secs_f64() / self.elapsed.as_secs_f64() }
    }

    /// Packets that the kernel rejected.
    pub fn refused(&self) -> u64 {
        self.ports.iter().map(|port| port.refused).sum()
    }
}
