//! Octopus: simulated seconds per CPU second of one layered video on a cellular link, with statistics.

use std::io;
use std::sync::atomic::AtomicBool;

use jettison_core::Time;
use jettison_measure::metrics;
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, Files, Scenario};

use super::stopwatch::CpuStopwatch;
use super::{Benchmark, Better, Reading};

const SPATIAL: &str = include_str!("../../../scenarios/octopus/beyond.toml");
const TRACE: &[u8] = include_bytes!("../../../scenarios/octopus/traces/lte-12.trace");
/// One flow with the authors' parameters.
const SET: [&str; 4] = [
    "vary[0].variants=[{ name = \"authors\", set = {} }]",
    "vary[1].values=[{ file = \"traces/lte-12.trace\", label = \"lte-12\" }]",
    "vary[2].variants=[{ name = \"a\", set = {} }]",
    "vary[3].variants=[{ name = \"60ms\", set = {} }]",
];
/// Number of runs, of which the best counts.
const REPEATS: usize = 5;

pub(super) fn benchmarks() -> Vec<Benchmark> {
    vec![Benchmark {
        group: "octopus",
        name: "octopus-case2".to_owned(),
        unit: "simulated s/cpu-s",
        required: Some(100.0),
        better: Better::Higher,
        measure: Box::new(|| best_speed().map(Reading::of)),
    }]
}

/// File access with the only trace that the reduced scenario reads.
struct OneTrace;

impl Files for OneTrace {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        match name.ends_with("lte-12.trace") {
            true => Ok(TRACE.to_vec()),
            false => Err(io::Error::new(io::ErrorKind::NotFound, "the benchmark has only the trace lte-12")),
        }
    }
    fn display(&self, name: &str) -> String {
        name.to_owned()
    }
}

fn best_speed() -> Result<f64, String> {
    let mut best = 0.0_f64;
    for _ in 0..REPEATS {
        best = best.max(run(&[])?);
    }
    Ok(best)
}

/// Simulated seconds per CPU second of a run with one change.
pub(super) fn speed_with(set: &str) -> Result<f64, String> {
    run(&[set])
}

fn run(more: &[&str]) -> Result<f64, String> {
    let builder = Builder::standard();
    let set = SET.iter().chain(more).map(|set| (*set).to_owned()).collect();
    let changes = Changes { set, quick: false };
    let scenario =
        Scenario::parse(SPATIAL, "octopus/beyond.toml", &OneTrace, &changes, &builder.registries());
    let scenario = scenario.map_err(|error| error.to_string())?;
    let [variant] = scenario.variants.as_slice() else {
        return Err(format!("the scenario must have 1 variant, got {}", scenario.variants.len()));
    };
    let settings = &variant.settings;
    let mut world = builder
        .build(settings, &scenario.contents, 1, &BuildOptions::default())
        .map_err(|failure| failure.to_string())?;
    let stopwatch = CpuStopwatch::start();
    world.run(Time::ZERO + settings.duration, &AtomicBool::new(false));
    let took = stopwatch.elapsed();
    let shown = world.finish().summary_value("video", metrics::FRAMES_DECODED).map_or(0.0, |v| v.mean);
    if shown < 50.0 {
        return Err(format!("at least 50 % of the frames must be decoded, got {shown} %"));
    }
    Ok(settings.duration.as_secs_f64() / took.as_secs_f64())
}
