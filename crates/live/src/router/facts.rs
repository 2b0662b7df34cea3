//! What became of a router's run, beside what it measured.

use jettison_core::Duration;

/// How the router's thread was scheduled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scheduling {
    /// SCHED_FIFO with this priority: it runs whenever it has something to do.
    Fifo(u8),
    /// Like any other thread, and why.
    Normal(String),
}

/// Why a router stopped.
#[derive(Debug)]
pub enum Ended {
    /// At its end.
    Complete,
    /// It was told to stop.
    Stopped,
    /// A device broke.
    Failed {
        /// Which.
        device: String,
        /// The kernel's answer.
        error: std::io::Error,
    },
}

/// What became of one port's packets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PortFacts {
    /// The port's name.
    pub name: String,
    /// Packets that a discipline saw: what was read, super-packets as the packets they were split into.
    pub packets_in: u64,
    /// Reads that gave them.
    pub reads: u64,
    /// Packets written.
    pub packets_out: u64,
    /// Writes that took them: fewer, where packets were merged.
    pub writes: u64,
    /// Packets that the kernel did not take (EAGAIN, ENOBUFS and the like): lost.
    pub refused: u64,
    /// The first such answer.
    pub refusal: Option<String>,
    /// What was read and is no IP packet that can be carried: malformed, or to a link-local or multicast address.
    pub not_carried: u64,
}

/// What became of a run.
#[derive(Debug)]
pub struct RouterFacts {
    /// Why it stopped.
    pub ended: Ended,
    /// How its thread was scheduled.
    pub scheduling: Scheduling,
    /// How long it ran.
    pub elapsed: Duration,
    /// Processor time of its thread in that time, the kernel's work for it included.
    pub cpu: Duration,
    /// Times that it slept.
    pub sleeps: u64,
    /// Packets that came to hosts of the world that have no device.
    pub undeliverable: u64,
    /// Each port's.
    pub ports: Vec<PortFacts>,
}

impl RouterFacts {
    /// Processor time in percent of one core.
    pub fn cpu_percent(&self) -> f64 {
        if self.elapsed.is_zero() { 0.0 } else { 100.0 * self.cpu.as_secs_f64() / self.elapsed.as_secs_f64() }
    }

    /// Packets that the kernel did not take from the router.
    pub fn refused(&self) -> u64 {
        self.ports.iter().map(|port| port.refused).sum()
    }
}
