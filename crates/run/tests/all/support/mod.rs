//! Single runs of a scenario given as text.

// Each test binary uses only some of these.
use std::sync::atomic::AtomicBool;

use jettison_core::Time;
use jettison_measure::RunRecord;
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, NoFiles, Scenario};

/// A scenario without files.
#[track_caller]
pub fn scenario(text: &str) -> Scenario {
    let registries = Builder::standard().registries();
    Scenario::parse(text, "test", &NoFiles, &Changes::default(), &registries).expect("the scenario is right")
}

/// The record of a variant with seed 1, for a scenario without files; without `vary`, the variant is `default`.
#[track_caller]
pub fn run_variant(text: &str, name: &str) -> RunRecord {
    let builder = Builder::standard();
    let scenario = scenario(text);
    let variant = scenario.variants.iter().find(|variant| variant.name == name);
    let settings = &variant.unwrap_or_else(|| panic!("no variant {name}")).settings;
    let mut world =
        builder.build(settings, &scenario.contents, 1, &BuildOptions::default()).expect("and can be built");
    world.run(Time::ZERO + settings.duration, &AtomicBool::new(false));
    world.finish()
}

/// The record of a scenario without `vary`.
#[track_caller]
pub fn run(text: &str) -> RunRecord {
    run_variant(text, "default")
}
