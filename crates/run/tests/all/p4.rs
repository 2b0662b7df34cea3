//! The shipped experiments that compare a discipline with its P4 program: in the same scenario with the same seed,
//! results are equal where the arithmetic is equal, and close elsewhere.
//!
//! `crates/p4-v1model/tests/twins` compares drop by drop on a switch alone. Here, real transports and applications
//! react to the switch, so one differing decision would change everything after it.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use jettison_core::{DropReason, Time};
use jettison_measure::{Metric, RunRecord, metrics};
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, Scenario};

/// Records of all variants of a shipped experiment with seed 1, after these changes.
fn experiment(path: &str, set: &[&str]) -> Vec<(String, RunRecord)> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios"));
    let builder = Builder::standard();
    let changes = Changes { set: set.iter().map(|set| (*set).to_owned()).collect(), quick: false };
    let scenario = Scenario::load(&folder.join(path), &changes, &builder.registries())
        .unwrap_or_else(|error| panic!("{error}"));
    let run = |settings| {
        let mut world = builder
            .build(settings, &scenario.contents, 1, &BuildOptions::default())
            .unwrap_or_else(|failure| panic!("{failure}"));
        world.run(Time::ZERO + settings.duration, &AtomicBool::new(false));
        world.finish()
    };
    scenario.variants.iter().map(|variant| (variant.name.clone(), run(&variant.settings))).collect()
}

/// The native and the P4 run of a discipline.
#[track_caller]
fn pair<'a>(records: &'a [(String, RunRecord)], scheme: &str) -> [&'a RunRecord; 2] {
    ["native", "p4"].map(|plane| {
        let name = format!("{scheme},plane={plane}");
        let found = records.iter().find(|(candidate, _)| *candidate == name);
        &found.unwrap_or_else(|| panic!("no variant {name}")).1
    })
}

fn mean(record: &RunRecord, object: &str, metric: Metric) -> f64 {
    let value = record.summary_value(object, metric);
    value.unwrap_or_else(|| panic!("{object} has {}", metric.name)).mean
}

/// Drops of the flows' packets, without clones: time, flow, length.
fn drops(record: &RunRecord) -> Vec<(Time, u32, u16)> {
    let drops = record.drops.iter().map(|drop| drop.expect("the log is readable"));
    let lost = drops.filter(|drop| drop.drop_reason().is_some_and(DropReason::is_loss));
    lost.map(|drop| (drop.time, drop.flow.0, drop.length)).collect()
}

#[test]
fn ired_and_codel_in_p4_drop_what_their_native_twins_drop() {
    let records = experiment("ired/planes.toml", &["duration=20 s"]);
    for scheme in ["queue=ired-64", "queue=ired-256", "queue=codel"] {
        let [native, p4] = pair(&records, scheme);
        assert!(!drops(native).is_empty(), "{scheme}: nothing was dropped, so nothing is compared");
        assert_eq!(drops(native), drops(p4), "{scheme}");
        for (object, metric) in [("bulk", metrics::GOODPUT), ("ping", metrics::RTT)] {
            assert_eq!(mean(native, object, metric), mean(p4, object, metric), "{scheme}: {object}");
        }
    }
}

#[test]
fn pi2_in_p4_keeps_the_delay_of_its_native_twin() {
    let records = experiment("ired/planes.toml", &["duration=30 s"]);
    let [native, p4] = pair(&records, "queue=pi2");
    let rtt = [native, p4].map(|record| mean(record, "ping", metrics::RTT));
    let goodput = [native, p4].map(|record| mean(record, "bulk", metrics::GOODPUT));
    // p' differs by parts per million; after the first differing draw, the runs are two samples of one process.
    assert!((rtt[1] / rtt[0] - 1.0).abs() < 0.1, "{rtt:?}");
    assert!((goodput[1] / goodput[0] - 1.0).abs() < 0.02, "{goodput:?}");
}

#[test]
fn codel_plus_plus_in_p4_drops_what_its_native_twin_drops() {
    let records = experiment("codelpp/planes.toml", &[]);
    for scheme in ["priority", "codel", "codel++", "priority-each", "codel++-each", "codel++-rfc"] {
        let [native, p4] = pair(&records, &format!("scheme={scheme}"));
        // Only strict priority with a rate for the port has room for all packets: with a rate for each queue the FIFO behind
        // the switch overflows.
        assert_eq!(drops(native).is_empty(), scheme == "priority", "{scheme}");
        assert_eq!(drops(native), drops(p4), "{scheme}");
        for flow in ["slice1", "slice2", "slice3"] {
            assert_eq!(mean(native, flow, metrics::OWD), mean(p4, flow, metrics::OWD), "{scheme}: {flow}");
        }
    }
}

#[test]
fn octopus_in_p4_needs_clones_that_overtake() {
    let records = experiment("octopus/planes.toml", &["duration=20 s"]);
    let of = |plane: &str| {
        let name = format!("plane={plane}");
        &records.iter().find(|(candidate, _)| *candidate == name).unwrap_or_else(|| panic!("no {name}")).1
    };
    let marked = |plane: &str| {
        let drops = of(plane).drops.iter().map(|drop| drop.expect("the log is readable"));
        drops.filter(|drop| drop.outcome.reason() == "marked-to-drop").count()
    };
    // BMv2 appends clones at the end of the queue, where they arrive too late to help.
    assert_eq!(marked("p4 bmv2"), 0);
    assert!(marked("p4 hardware") > 100, "{}", marked("p4 hardware"));
    let latency = |plane: &str| mean(of(plane), "video", metrics::FRAME_LATENCY);
    let (working, failing) = (latency("p4 hardware"), latency("p4 bmv2"));
    eprintln!("frame latency: native {}, {working}, {failing} ms", latency("native"));
    assert!(working < failing, "{working} ms with clones that overtake, {failing} ms without");
    // The bandwidth is measured in the data plane as the native discipline measures it.
    assert_eq!(working, latency("native"));
    assert!(marked("p4 hardware") > marked("p4 unlimited") + 100, "{}", marked("p4 unlimited"));
}

#[test]
fn red_in_p4_keeps_the_queue_of_its_native_twin() {
    let records = experiment("dpm/planes.toml", &["duration=60 s"]);
    for scheme in ["queue=red", "queue=red-dpm"] {
        let sojourn = pair(&records, scheme).map(|record| mean(record, "wan.forward", metrics::SOJOURN));
        let lost = pair(&records, scheme).map(|record| drops(record).len() as f64);
        assert!((sojourn[1] / sojourn[0] - 1.0).abs() < 0.1, "{scheme}: {sojourn:?} ms");
        assert!((lost[1] / lost[0] - 1.0).abs() < 0.15, "{scheme}: {lost:?} packets");
    }
}
