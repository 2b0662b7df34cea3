//! Estimates of packets against whole runs of shipped scenarios.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use jettison_core::Time;
use jettison_measure::metrics;
use jettison_run::estimate::estimate;
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, Scenario};

/// Compares the first and the last variant of a shipped scenario with runs of `duration`.
#[track_caller]
fn within_a_factor_of_two(file: &str, duration: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(file);
    let set = vec![format!("duration={duration}"), "warm_up=0 s".to_owned(), "seeds=1".to_owned()];
    let builder = Builder::standard();
    let scenario = Scenario::load(&path, &Changes { set, quick: false }, &builder.registries())
        .unwrap_or_else(|errors| panic!("{errors}"));
    let estimated = estimate(&scenario, 1, false);
    for at in [0, scenario.variants.len() - 1] {
        let settings = &scenario.variants[at].settings;
        let mut world = builder
            .build(settings, &scenario.contents, 1, &BuildOptions::default())
            .unwrap_or_else(|error| panic!("{error}"));
        world.run(Time::ZERO + settings.duration, &AtomicBool::new(false));
        let record = world.finish();
        let sent = record.summary.iter().filter(|value| value.metric == metrics::PACKETS);
        let packets = sent.map(|value| value.mean).sum::<f64>();
        let ratio = estimated.variants[at].packets as f64 / packets;
        let name = &scenario.variants[at].name;
        assert!((0.5..=2.0).contains(&ratio), "{file}, {name}: {ratio:.2} times {packets} packets");
    }
}

#[test]
fn bulk_transfers() {
    within_a_factor_of_two("reference/tcp-codel-a.toml", "5 s");
    within_a_factor_of_two("ired/mixed.toml", "10 s");
}

#[test]
fn datagrams() {
    within_a_factor_of_two("reference/udp-f.toml", "500 ms");
    within_a_factor_of_two("codelpp/slices.toml", "5 s");
    within_a_factor_of_two("codelpp/haptic.toml", "5 s");
}

#[test]
fn streaming_and_video() {
    within_a_factor_of_two("newcwv/sharing.toml", "60 s");
    within_a_factor_of_two("octopus/volumetric.toml", "5 s");
}
