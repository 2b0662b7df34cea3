//! The order for the virtual machine, and its answer. The guest's program includes this file, so that both sides have one format.

use serde::{Deserialize, Serialize};

/// A case, measured once per start offset.
#[derive(Debug, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Flow {
    /// Time of the SYN.
    pub start_us: u64,
    /// Writes; none means data without end.
    pub writes: Vec<Write>,
}

/// Data that the sender's application has at an instant.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Write {
    /// Instant, from the start of the run.
    pub at_us: u64,
    /// Length in bytes.
    pub bytes: u64,
}

/// What one run gave; all counts are those of the measured window.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Measured {
    /// Start offset.
    pub offset_us: u64,
    /// Bytes that the receivers' applications read.
    pub goodput_mbps: f64,
    /// Packets that left the discipline.
    pub packets: u64,
    /// Packets that left without a known arrival.
    pub unmatched: u64,
    /// Packets that the discipline dropped.
    pub drops: u64,
    /// Packets that left with CE.
    pub marks: u64,
    /// Segments that the senders sent again.
    pub retransmits: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Sojourn time.
    pub sojourn_mean_ms: f64,
    /// Its median.
    pub sojourn_p50_ms: f64,
    /// Its 99th percentile.
    pub sojourn_p99_ms: f64,
    /// Its maximum.
    pub sojourn_max_ms: f64,
    /// Completion time of each transfer or burst.
    pub completion_ms: Vec<f64>,
    /// Share of the window in which the guest's CPU was idle.
    pub idle: f64,
}
