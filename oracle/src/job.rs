//! The order for the virtual machine, and its answer. The guest's side is `guest/src/job.rs`.

use jettison_core::Duration;
use serde::{Deserialize, Serialize};

use crate::case::{Case, Load};

/// Settings of both hosts, below `net.`. `wmem` and `rmem` are large enough not to limit any case.
const SYSCTLS: [(&str, &str); 3] = [
    ("ipv4.tcp_wmem", "4096 16384 33554432"),
    ("ipv4.tcp_rmem", "4096 131072 33554432"),
    ("ipv4.tcp_no_metrics_save", "1"),
];
/// Time that the shaper may be late without losing rate. A wakeup in the guest takes some microseconds.
const BURST: Duration = Duration::from_micros(200);

/// A case, measured once per start offset.
#[derive(Debug, Serialize)]
pub struct Job {
    rate: u64,
    delay_us: u64,
    qdisc: String,
    burst: String,
    congestion: String,
    sysctls: Vec<(String, String)>,
    duration_us: u64,
    warm_up_us: u64,
    offsets_us: Vec<u64>,
    flows: Vec<Flow>,
}

#[derive(Debug, Serialize)]
struct Flow {
    start_us: u64,
    writes: Vec<Write>,
}

#[derive(Debug, Serialize)]
struct Write {
    at_us: u64,
    bytes: u64,
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

impl Job {
    /// The order for a case.
    pub fn of(case: &Case, offsets: &[Duration]) -> Job {
        let us = |time: Duration| time.as_nanos() / 1_000;
        let burst = (case.rate.as_bits() as f64 * BURST.as_secs_f64() / 8.0).ceil();
        let mut sysctls: Vec<(String, String)> =
            SYSCTLS.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        sysctls.push(("ipv4.tcp_ecn".to_owned(), u8::from(case.ecn).to_string()));
        Job {
            rate: case.rate.as_bits(),
            delay_us: us(case.rtt + case.serialisation()),
            qdisc: case.qdisc.clone(),
            burst: format!("{burst}"),
            congestion: case.congestion.clone(),
            sysctls,
            duration_us: us(case.duration),
            warm_up_us: us(case.warm_up),
            offsets_us: offsets.iter().map(|offset| us(*offset)).collect(),
            flows: (0..case.flows).map(|i| flow(case, us(case.spacing) * u64::from(i))).collect(),
        }
    }
}

fn flow(case: &Case, start_us: u64) -> Flow {
    let writes = match case.load {
        Load::Bulk => Vec::new(),
        Load::Transfers { size } => vec![Write { at_us: start_us, bytes: size.get() }],
        Load::OnOff { size, interval } => {
            let step = interval.as_nanos() / 1_000;
            let end = case.duration.as_nanos() / 1_000;
            let instants = (0..).map(|i| start_us + i * step).take_while(|at| *at < end);
            instants.map(|at_us| Write { at_us, bytes: size.get() }).collect()
        }
    };
    Flow { start_us, writes }
}
