use jettison_scenario::{Changes, NoFiles};

use super::*;

const TEXT: &str = r#"name = "estimate"
duration = "10 s"
[nodes]
a = { kind = "host" }
r = { kind = "router" }
b = { kind = "host" }
[links.access]
between = ["a", "r"]
rate = "1 Gbit/s"
[links.bottleneck]
between = ["r", "b"]
rate = "10 Mbit/s"
[flows.f]
from = "a"
to = "b"
app = "bulk"
count = 2
"#;

fn load(set: &[&str]) -> Scenario {
    let changes = Changes { set: set.iter().map(|set| (*set).to_owned()).collect(), quick: false };
    let registries = Builder::standard().registries();
    Scenario::parse(TEXT, "estimate", &NoFiles, &changes, &registries)
        .unwrap_or_else(|errors| panic!("{errors}"))
}

fn of(set: &[&str]) -> Estimate {
    estimate(&load(set), 2, false)
}

/// Whether a quantity is within `share` of what is expected.
fn near(value: u64, expected: f64, share: f64) -> bool {
    (value as f64 / expected - 1.0).abs() < share
}

#[test]
fn a_bulk_transfer_fills_its_bottleneck() {
    // 1,514 bytes on the wire; two links; an ACK for every second segment on both.
    let expected = 10e6 * 10.0 / 8.0 / 1_514.0 * 2.0 * 1.5;
    let estimate = of(&[]);
    assert!(near(estimate.packets, expected, 0.01), "{estimate:?}");
    let limited = of(&["flows.f.app={ kind = \"bulk\", bytes = \"100 kB\" }"]);
    assert!(near(limited.packets, 2.0 * 100e3 / 1_448.0 * 2.0 * 1.5, 0.02), "{limited:?}");
}

#[test]
fn estimates_grow_with_duration_rate_flows_and_runs() {
    let base = of(&[]);
    let longer = of(&["duration=\"100 s\""]);
    let faster = of(&["links.bottleneck.rate=\"100 Mbit/s\""]);
    let more_runs = of(&["seeds=10"]);
    for (what, more) in [("duration", &longer), ("rate", &faster), ("runs", &more_runs)] {
        assert!(near(more.packets, 10.0 * base.packets as f64, 0.01), "{what}: {more:?}");
        assert!(more.cpu_seconds > 2.0 * base.cpu_seconds && more.memory >= base.memory, "{what}: {more:?}");
        assert!(more.disk >= base.disk, "{what}");
    }
    let crowded = of(&["flows.f.count=1000"]);
    assert!(near(crowded.packets, base.packets as f64, 0.01), "the bottleneck is the same");
    assert!(crowded.memory > base.memory + 998 * (cost::FLOW as u64) && crowded.disk > base.disk);
    let captured = estimate(&load(&[]), 2, true);
    assert!(captured.disk > base.disk + base.packets * 100);
}

#[test]
fn memory_is_that_of_the_runs_that_go_on_at_the_same_time() {
    let scenario = load(&["flows.f.count=1000", "seeds=4"]);
    let [one, two, ten] = [1, 2, 10].map(|jobs| estimate(&scenario, jobs, false).memory as f64);
    let run = two - one;
    assert!(run > 999.0 * cost::FLOW, "{one} {two}");
    assert!((ten - one - 3.0 * run).abs() < 10.0, "four runs are all: {one} {two} {ten}");
}

#[test]
fn changes_of_a_rate_count_for_their_time() {
    let slower = of(&["links.bottleneck.changes=[{ at = \"5 s\", rate = \"1 Mbit/s\" }]"]);
    assert!(near(slower.packets, of(&[]).packets as f64 * 0.55, 0.02), "{slower:?}");
}

#[test]
fn what_does_not_fit_is_refused_with_the_figures() {
    let estimate = Estimate {
        packets: 1_234_567,
        cpu_seconds: 0.84,
        memory: 40_000_000,
        disk: 3_000_000,
        variants: Vec::new(),
    };
    assert_eq!(
        estimate.to_string(),
        "about 1.2 million packets, 0.8 s of CPU, 40 MB of memory, 3.0 MB on disk"
    );
    assert_eq!(estimate.exceeds(None, None), None);
    assert_eq!(estimate.exceeds(Some(40_000_000), Some(3_000_000)), None);
    let memory = estimate.exceeds(Some(30_000_000), None).unwrap_or_default();
    assert!(memory.contains("about 40 MB of memory, and 30 MB are available"), "{memory}");
    let disk = estimate.exceeds(None, Some(1_000)).unwrap_or_default();
    assert!(disk.contains("about 3.0 MB, and 1.0 kB are free"), "{disk}");
}
