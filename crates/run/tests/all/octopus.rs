//! Octopus from end to end: real-time video over cellular links, in the shipped experiments.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use jettison_core::Time;
use jettison_measure::{Metric, RunRecord, metrics};
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, Scenario};

/// Records of all variants of a shipped experiment with seed 1, after these changes.
fn experiment(name: &str, set: &[&str]) -> Vec<(String, RunRecord)> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/octopus"));
    let builder = Builder::standard();
    let changes = Changes { set: set.iter().map(|set| (*set).to_owned()).collect(), quick: false };
    let scenario = Scenario::load(&folder.join(name), &changes, &builder.registries())
        .unwrap_or_else(|error| panic!("{error}"));
    let run = |settings| {
        let mut world = builder
            .build(settings, &scenario.contents, 1, &BuildOptions::default())
            .expect("it has been checked");
        world.run(Time::ZERO + settings.duration, &AtomicBool::new(false));
        world.finish()
    };
    scenario.variants.iter().map(|variant| (variant.name.clone(), run(&variant.settings))).collect()
}

fn mean(record: &RunRecord, metric: Metric) -> f64 {
    record.summary_value("video", metric).unwrap_or_else(|| panic!("a video has {}", metric.name)).mean
}

fn p99(record: &RunRecord, metric: Metric) -> f64 {
    record.summary_value("video", metric).and_then(|value| value.percentiles).map_or(f64::NAN, |p| p[2])
}

/// The variant whose name contains all of these parts.
#[track_caller]
fn of<'a>(records: &'a [(String, RunRecord)], parts: &[&str]) -> &'a RunRecord {
    let found = records.iter().find(|(name, _)| parts.iter().all(|part| name.contains(part)));
    &found.unwrap_or_else(|| panic!("no variant {parts:?}")).1
}

/// Share of frames in time at a deadline.
fn in_time(record: &RunRecord, deadline: &str) -> f64 {
    let mut values = record.summary.iter();
    let found = values.find(|value| value.metric == metrics::FRAMES_IN_TIME && value.part == deadline);
    found.unwrap_or_else(|| panic!("a video has frames in time at {deadline}")).mean
}

#[test]
fn beyond_shows_more_frames_in_time_at_equal_quality() {
    let records = experiment("beyond.toml", &[]);
    let schemes = |scheme: &str| -> Vec<&RunRecord> {
        let is_it = |name: &str| name.starts_with(&format!("scheme={scheme},"));
        records.iter().filter(|(name, _)| is_it(name)).map(|(_, record)| record).collect()
    };
    let (authors, beyond) = (schemes("authors"), schemes("beyond"));
    assert_eq!((authors.len(), beyond.len()), (27, 27));
    let cells = || beyond.iter().zip(&authors);
    for deadline in ["200 ms", "300 ms"] {
        let gains: Vec<f64> =
            cells().map(|(with, without)| in_time(with, deadline) - in_time(without, deadline)).collect();
        let fewer = gains.iter().filter(|gain| **gain < 0.0).count();
        eprintln!(
            "in time at {deadline}: {:+.2}, {fewer} cells with fewer",
            gains.iter().sum::<f64>() / 27.0
        );
        assert!(gains.iter().sum::<f64>() > 0.0 && fewer <= 2, "{deadline}: {gains:?}");
    }
    let sum =
        |records: &[&RunRecord]| records.iter().map(|record| mean(record, metrics::SQI_SSIM)).sum::<f64>();
    let quality = sum(&beyond) / sum(&authors);
    eprintln!("SQI-SSIM: {quality:.4}");
    assert!(quality > 0.985, "{quality}");
}

#[test]
fn no_sender_stays_silent_after_an_outage() {
    // All schemes on all traces of the experiment: a sender that an outage silences delivers almost no frames.
    let records = experiment("spatial.toml", &[]);
    for (name, record) in &records {
        // Without probes, GCC starves on links with outages: docs/src/appendix/path-controllers.md.
        if name.contains("gcc") {
            continue;
        }
        let decoded = mean(record, metrics::FRAMES_DECODED);
        assert!(decoded > 35.0, "{name}: {decoded:.1} % of the frames were shown");
    }
}

#[test]
fn the_router_cuts_the_tail() {
    let records = experiment("temporal.toml", &[]);
    let age = |scheme: &str| p99(of(&records, &[scheme, "60ms"]), metrics::AGE_OF_INFORMATION);
    let (octopus, alone) = (age("scheme=octopus,"), age("scheme=octobbr,"));
    eprintln!("p99 age of information: {octopus:.0} ms with the router, {alone:.0} ms without");
    assert!(octopus < 0.8 * alone, "{octopus} against {alone}");
}

#[test]
fn repeated_runs_are_equal() {
    let first = experiment("beyond.toml", &["duration=20 s"]);
    let again = experiment("beyond.toml", &["duration=20 s"]);
    for ((name, one), (_, two)) in first.iter().zip(&again) {
        assert_eq!(one.summary, two.summary, "{name}");
    }
}
