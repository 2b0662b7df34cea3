//! CPU time of a simulated WebRTC call of 120 s.

use std::sync::atomic::AtomicBool;

use jettison_core::Time;
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, NoFiles, Scenario};

use super::stopwatch::CpuStopwatch;
use super::{Benchmark, Better, Reading};

/// A call of WebRTC's usual maximum, over a link that is a little faster and loses some packets.
const CALL: &str = r#"
name = "call"
duration = "120 s"
[nodes]
caller = { kind = "host" }
router = { kind = "router" }
callee = { kind = "host" }
[links.access]
between = ["caller", "router"]
rate = "1 Gbit/s"
[links.bottleneck]
between = ["router", "callee"]
rate = "3 Mbit/s"
delay = "20 ms"
loss = "0.5 %"
queue = { kind = "tail-drop", limit = "100 packets" }
reverse = { queue = "tail-drop", loss = "0 %" }
[flows.call]
from = "caller"
to = "callee"
app = "webrtc"
transport = "udp"
"#;
/// Number of runs, of which the best counts.
const REPEATS: usize = 3;

pub(super) fn benchmarks() -> Vec<Benchmark> {
    vec![Benchmark {
        group: "streaming",
        name: "webrtc-call".to_owned(),
        unit: "cpu-s",
        required: Some(0.5),
        better: Better::Lower,
        measure: Box::new(|| best().map(Reading::of)),
    }]
}

fn best() -> Result<f64, String> {
    let mut best = f64::INFINITY;
    for _ in 0..REPEATS {
        best = best.min(run()?);
    }
    Ok(best)
}

/// CPU time of one run in seconds.
fn run() -> Result<f64, String> {
    let builder = Builder::standard();
    let changes = Changes { set: Vec::new(), quick: false };
    let scenario = Scenario::parse(CALL, "call.toml", &NoFiles, &changes, &builder.registries())
        .map_err(|error| error.to_string())?;
    let settings = &scenario.variants.first().ok_or("the scenario must have a variant")?.settings;
    let mut world = builder
        .build(settings, &scenario.contents, 1, &BuildOptions::default())
        .map_err(|failure| failure.to_string())?;
    let stopwatch = CpuStopwatch::start();
    world.run(Time::ZERO + settings.duration, &AtomicBool::new(false));
    let took = stopwatch.elapsed().as_secs_f64();
    let record = world.finish();
    let goodput = record.summary_value("call", jettison_measure::metrics::GOODPUT);
    match goodput.map(|value| value.mean) {
        Some(rate) if rate > 1.5 => Ok(took),
        other => Err(format!("the call must carry more than 1.5 Mbit/s, got {other:?}")),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_call_runs() {
        assert!(super::run().is_ok_and(|seconds| seconds > 0.0));
    }
}
