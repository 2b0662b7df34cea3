//! The reference scenarios, compared with results of an independent simulator.

use crate::support;

use jettison_measure::{Metric, RunRecord, metrics};

use support::{run, run_variant};

fn value(record: &RunRecord, object: &str, metric: Metric) -> f64 {
    record.summary_value(object, metric).unwrap_or_else(|| panic!("{object} has no {}", metric.name)).mean
}

#[track_caller]
fn within(quantity: &str, value: f64, range: std::ops::RangeInclusive<f64>) {
    eprintln!("{quantity}: {value:.3} (expected {range:?})");
    assert!(range.contains(&value), "{quantity} is {value:.3}, expected {range:?}");
}

#[test]
fn a_ten_flows_through_codel() {
    let record = run(include_str!("../../../../scenarios/reference/tcp-codel-a.toml"));
    within("goodput in Mbit/s", value(&record, "all flows", metrics::GOODPUT), 96.0..=97.0);
    within("mean sojourn in ms", value(&record, "bottleneck.forward", metrics::SOJOURN), 4.0..=6.0);
    within("drops", value(&record, "bottleneck.forward", metrics::DROPS), 150.0..=300.0);
}

#[test]
fn c_one_flow_through_tail_drop() {
    let record = run(include_str!("../../../../scenarios/reference/tcp-tail-drop-c.toml"));
    within("goodput in Mbit/s", value(&record, "bulk", metrics::GOODPUT), 9.6..=9.7);
    within("mean sojourn in ms", value(&record, "bottleneck.forward", metrics::SOJOURN), 80.0..=95.0);
    // "About 43": one drop a sawtooth, so a tenth either way.
    within("drops", value(&record, "bottleneck.forward", metrics::DROPS), 39.0..=47.0);
}

#[test]
fn d_35_flows_through_tail_drop() {
    let record = run(include_str!("../../../../scenarios/reference/tcp-many-d.toml"));
    within("goodput in Mbit/s", value(&record, "all flows", metrics::GOODPUT), 9.55..=9.65);
    within("mean sojourn in ms", value(&record, "bottleneck.forward", metrics::SOJOURN), 110.0..=118.0);
    within("Jain's index", value(&record, "all flows", metrics::FAIRNESS), 0.95..=1.0);
}

#[test]
fn e_one_bbr_flow_through_tail_drop() {
    let text = include_str!("../../../../scenarios/reference/tcp-bbr-e.toml");
    // A frame takes 1.2112 ms. Sojourn while paced: the three quanta that BBRInflight has beyond the path. Not paced: the
    // path once more, 20 ms and the frame or two of its shortest RTT, and the same quanta, less three percent of the time
    // for ProbeRTT. A segment either way.
    for (pacing, quantum, sojourn) in
        [(true, 0, 6.0..=8.5), (true, 1, 2.4..=4.8), (false, 0, 26.0..=28.5), (false, 1, 24.8..=27.2)]
    {
        let name = format!("pacing={pacing},send_quantum={quantum}");
        let record = run_variant(text, &name);
        // 9.57 Mbit/s of payload, less the two percent of ProbeRTT and half a percent either way.
        within(&format!("{name}: goodput in Mbit/s"), value(&record, "bulk", metrics::GOODPUT), 9.4..=9.55);
        within(
            &format!("{name}: mean sojourn in ms"),
            value(&record, "bottleneck.forward", metrics::SOJOURN),
            sojourn,
        );
        within(&format!("{name}: drops"), value(&record, "bottleneck.forward", metrics::DROPS), 0.0..=0.0);
    }
}
