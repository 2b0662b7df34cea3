//! Goodput never exceeds what the path can carry, whatever is lost, and in total is what the application gets.

use std::sync::atomic::AtomicBool;

use jettison_core::Time;
use jettison_measure::{Kind, RunRecord, metrics};
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, NoFiles, Scenario};
use proptest::prelude::*;

fn run(text: &str, seed: u64) -> RunRecord {
    let builder = Builder::standard();
    let scenario = Scenario::parse(text, "test", &NoFiles, &Changes::default(), &builder.registries())
        .unwrap_or_else(|errors| panic!("{errors}"));
    let settings = &scenario.variants[0].settings;
    let mut world = builder
        .build(settings, &scenario.contents, seed, &BuildOptions::default())
        .unwrap_or_else(|error| panic!("{error}"));
    world.run(Time::ZERO + settings.duration, &AtomicBool::new(false));
    world.finish()
}

/// Goodput of all flows in each sampling interval, in Mbit/s.
fn intervals(record: &RunRecord) -> Vec<f64> {
    let mut sums = Vec::new();
    let series = record.series.iter();
    for series in series.filter(|s| s.object.kind == Kind::Flow && s.metric == metrics::GOODPUT) {
        let values = series.values().expect("the series is in memory");
        sums.resize(sums.len().max(values.len()), 0.0);
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    sums
}

fn total(record: &RunRecord) -> f64 {
    record.summary_value("all flows", metrics::GOODPUT).map_or(0.0, |value| value.mean)
}

/// Sampling interval in seconds.
const INTERVAL: f64 = 0.05;
/// A packet in megabits.
const PACKET: f64 = 1500.0 * 8.0 / 1e6;

#[derive(Debug, Clone)]
struct Path {
    mbit: u32,
    delay_ms: u32,
    /// Random loss forward and in reverse, in percent, and the length of scheduled bursts.
    loss: [u32; 2],
    burst: u32,
    queue: &'static str,
    flows: u32,
    sack: bool,
}

fn path() -> impl Strategy<Value = Path> {
    let queues = prop::sample::select(vec![
        "{ kind = \"tail-drop\", limit = \"40 packets\" }",
        "{ kind = \"fq-codel\", limit = \"100 packets\" }",
        "{ kind = \"ired\", buffer = \"32 packets\", n = 4, culprit = true, limit = \"165 packets\" }",
    ]);
    let loss = [0u32..20, 0u32..10];
    (1u32..30, 1u32..60, loss, 1u32..30, queues, 1u32..4, any::<bool>()).prop_map(
        |(mbit, delay_ms, loss, burst, queue, flows, sack)| Path {
            mbit,
            delay_ms,
            loss,
            burst,
            queue,
            flows,
            sack,
        },
    )
}

impl Path {
    fn scenario(&self, app: &str, duration: &str) -> String {
        let Path { mbit, delay_ms, loss: [forward, reverse], burst, queue, flows, sack } = self;
        format!(
            r#"name = "goodput"
duration = "{duration}"
sample_interval = "50 ms"
[nodes]
a = {{ kind = "host" }}
r = {{ kind = "router" }}
b = {{ kind = "host" }}
[links.access]
between = ["a", "r"]
rate = "1 Gbit/s"
[links.bottleneck]
between = ["r", "b"]
rate = "{mbit} Mbit/s"
delay = "{delay_ms} ms"
queue = {queue}
loss = {{ probability = "{forward} %", scheduled = [{{ at = "1 s", count = {burst} }}] }}
reverse = {{ queue = "tail-drop", loss = "{reverse} %" }}
[flows.bulk]
from = "a"
to = "b"
app = {app}
count = {flows}
start_jitter = "100 ms"
transport = {{ kind = "tcp", sack = {sack} }}
"#
        )
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn no_interval_has_more_than_the_path_can_carry(path in path(), seed in 0u64..1000) {
        let record = run(&path.scenario("\"bulk\"", "4 s"), seed);
        let goodput = intervals(&record);
        prop_assert!(goodput.len() >= 79, "{} intervals", goodput.len());
        // One packet may have been sent, for the most part, before the interval.
        let most = f64::from(path.mbit) + PACKET / INTERVAL;
        let highest = goodput.iter().copied().fold(0.0, f64::max);
        prop_assert!(highest <= most, "{highest} of {most} Mbit/s");
        prop_assert!(goodput.iter().all(|value| *value >= 0.0));
        // Only bytes behind a gap that the end of the run left open are in the series and not in the total.
        let sum = goodput.iter().sum::<f64>() / goodput.len() as f64;
        prop_assert!(total(&record) <= sum + 1e-6, "{} of {sum}", total(&record));
    }

    #[test]
    fn a_finished_transfer_counts_every_byte_once(mut path in path(), seed in 0u64..1000) {
        // No timeouts that back off for longer than the run.
        path.loss = path.loss.map(|loss| loss / 4);
        path.burst = path.burst.min(3);
        path.mbit += 4;
        let app = "{ kind = \"bulk\", bytes = \"120 kB\" }";
        let record = run(&path.scenario(app, "60 s"), seed);
        let completed = record.summary.iter().filter(|value| value.metric == metrics::COMPLETION).count();
        prop_assert_eq!(completed, path.flows as usize, "every transfer completes");
        let megabits = total(&record) * 60.0;
        prop_assert!((megabits - f64::from(path.flows) * 0.96).abs() < 1e-6, "{megabits} Mbit");
    }
}

#[test]
fn bytes_behind_a_gap_count_when_they_arrive() {
    let path = Path {
        mbit: 10,
        delay_ms: 25,
        loss: [0, 0],
        burst: 1,
        queue: "{ kind = \"tail-drop\", limit = \"100 packets\" }",
        flows: 1,
        sack: true,
    };
    let record = run(&path.scenario("\"bulk\"", "2 s"), 1);
    let goodput = intervals(&record);
    // The packet lost at 1 s is repaired a round trip later, which takes more than two intervals.
    let after = &goodput[20..24];
    assert!(after.iter().all(|value| (8.0..=10.0).contains(value)), "{after:?}");
}
