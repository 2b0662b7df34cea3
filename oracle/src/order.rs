//! The order for the virtual machine that a case makes.

use jettison_core::Duration;

use crate::case::{Case, Load};
use crate::job::{Flow, Job, Write};

/// Settings of both hosts, below `net.`. `wmem` and `rmem` are large enough not to limit any case.
const SYSCTLS: [(&str, &str); 3] = [
    ("ipv4.tcp_wmem", "4096 16384 33554432"),
    ("ipv4.tcp_rmem", "4096 131072 33554432"),
    ("ipv4.tcp_no_metrics_save", "1"),
];
/// Time that the shaper may be late without losing rate. A wakeup in the guest takes some microseconds.
const BURST: Duration = Duration::from_micros(200);

/// The order for a case.
pub fn order(case: &Case, offsets: &[Duration]) -> Job {
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
