//! The order for the virtual machine, and its answer. The host's side is `oracle/src/job.rs`.

use serde::{Deserialize, Serialize};

/// A case, measured once per start offset.
#[derive(Debug, Deserialize)]
pub struct Job {
    /// Rate of the bottleneck in bit/s of IP packets.
    pub rate: u64,
    /// Delay of the reverse path: base RTT plus the serialisation of a full packet, which the shaper does not delay.
    pub delay_us: u64,
    /// The discipline, as `tc` reads it.
    pub qdisc: String,
    /// The shaper's burst, as `tc` reads it.
    pub burst: String,
    /// Congestion control of both hosts.
    pub congestion: String,
    /// Settings of both hosts, below `net.`.
    pub sysctls: Vec<(String, String)>,
    /// Length of a run.
    pub duration_us: u64,
    /// Start of the measured window.
    pub warm_up_us: u64,
    /// Start offsets.
    pub offsets_us: Vec<u64>,
    /// Connections.
    pub flows: Vec<Flow>,
}

/// A connection, which its sender opens at `start_us`.
#[derive(Debug, Clone, Deserialize)]
pub struct Flow {
    /// Time of the SYN.
    pub start_us: u64,
    /// Writes; none means data without end.
    pub writes: Vec<Write>,
}

/// Data that the sender's application has at an instant.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Write {
    /// Instant, from the start of the run.
    pub at_us: u64,
    /// Length in bytes.
    pub bytes: u64,
}

/// What one run gave; all counts are those of the window.
#[derive(Debug, Serialize)]
pub struct Measured {
    pub offset_us: u64,
    pub goodput_mbps: f64,
    pub packets: u64,
    pub unmatched: u64,
    pub drops: u64,
    pub marks: u64,
    pub retransmits: u64,
    pub timeouts: u64,
    pub sojourn_mean_ms: f64,
    pub sojourn_p50_ms: f64,
    pub sojourn_p99_ms: f64,
    pub sojourn_max_ms: f64,
    pub completion_ms: Vec<f64>,
    /// Share of the window in which the machine's CPU was idle.
    pub idle: f64,
}
