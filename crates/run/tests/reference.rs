//! The reference scenarios against what an independent simulator finds for them.

use std::sync::atomic::AtomicBool;

use jettison_core::Time;
use jettison_measure::{Metric, RunRecord, metrics};
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, NoFiles, Scenario};

fn run(text: &str) -> RunRecord {
    let builder = Builder::standard();
    let scenario = Scenario::parse(text, "reference", &NoFiles, &Changes::default(), &builder.registries())
        .expect("a reference scenario is right");
    let settings = &scenario.variants[0].settings;
    let mut world =
        builder.build(settings, &scenario.contents, 1, &BuildOptions::default()).expect("and can be built");
    world.run(Time::ZERO + settings.duration, &AtomicBool::new(false));
    world.finish()
}

fn value(record: &RunRecord, object: &str, metric: Metric) -> f64 {
    record.summary_value(object, metric).unwrap_or_else(|| panic!("{object} has no {}", metric.name)).mean
}

#[track_caller]
fn within(what: &str, value: f64, range: std::ops::RangeInclusive<f64>) {
    eprintln!("{what}: {value:.3} (expected {range:?})");
    assert!(range.contains(&value), "{what} is {value:.3}, expected {range:?}");
}

#[test]
fn a_ten_flows_through_codel() {
    let record = run(include_str!("../../../scenarios/reference/tcp-codel-a.toml"));
    within("goodput in Mbit/s", value(&record, "all flows", metrics::GOODPUT), 96.0..=97.0);
    within("mean sojourn in ms", value(&record, "bottleneck.forward", metrics::SOJOURN), 4.0..=6.0);
    within("drops", value(&record, "bottleneck.forward", metrics::DROPS), 150.0..=300.0);
}

#[test]
fn c_one_flow_through_tail_drop() {
    let record = run(include_str!("../../../scenarios/reference/tcp-tail-drop-c.toml"));
    within("goodput in Mbit/s", value(&record, "bulk", metrics::GOODPUT), 9.6..=9.7);
    within("mean sojourn in ms", value(&record, "bottleneck.forward", metrics::SOJOURN), 80.0..=95.0);
    // "About 43": one drop a sawtooth, so a tenth either way.
    within("drops", value(&record, "bottleneck.forward", metrics::DROPS), 39.0..=47.0);
}

#[test]
fn d_35_flows_through_tail_drop() {
    let record = run(include_str!("../../../scenarios/reference/tcp-many-d.toml"));
    within("goodput in Mbit/s", value(&record, "all flows", metrics::GOODPUT), 9.55..=9.65);
    within("mean sojourn in ms", value(&record, "bottleneck.forward", metrics::SOJOURN), 110.0..=118.0);
    within("Jain's index", value(&record, "all flows", metrics::FAIRNESS), 0.95..=1.0);
}
