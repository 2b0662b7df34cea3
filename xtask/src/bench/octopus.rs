//! Octopus: simulated seconds a CPU-second of one layered video on a cellular link, statistics on.

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
/// One flow of the authors' choices.
const SET: [&str; 4] = [
    "vary[0].variants=[{ name = \"authors\", set = {} }]",
    "vary[1].values=[{ file = \"traces/lte-12.trace\", label = \"lte-12\" }]",
    "vary[2].variants=[{ name = \"a\", set = {} }]",
    "vary[3].variants=[{ name = \"60ms\", set = {} }]",
];
/// Best of so many runs.
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

/// The one trace that the scenario then names.
struct OneTrace;

impl Files for OneTrace {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        match name.ends_with("lte-12.trace") {
            true => Ok(TRACE.to_vec()),
            false => Err(io::Error::new(io::ErrorKind::NotFound, "the benchmark has one trace only")),
        }
    }
    fn display(&self, name: &str) -> String {
        name.to_owned()
    }
}

fn best_speed() -> Result<f64, String> {
    let builder = Builder::standard();
    let changes = Changes { set: SET.iter().map(|set| (*set).to_owned()).collect(), quick: false };
    let scenario =
        Scenario::parse(SPATIAL, "octopus/beyond.toml", &OneTrace, &changes, &builder.registries());
    let scenario = scenario.map_err(|error| error.to_string())?;
    let [variant] = scenario.variants.as_slice() else {
        return Err(format!("{} variants where one was wanted", scenario.variants.len()));
    };
    let settings = &variant.settings;
    let mut best = 0.0_f64;
    for _ in 0..REPEATS {
        let mut world = builder
            .build(settings, &scenario.contents, 1, &BuildOptions::default())
            .map_err(|failure| failure.to_string())?;
        let stopwatch = CpuStopwatch::start();
        world.run(Time::ZERO + settings.duration, &AtomicBool::new(false));
        let took = stopwatch.elapsed();
        let shown = world.finish().summary_value("video", metrics::FRAMES_DECODED).map_or(0.0, |v| v.mean);
        if shown < 50.0 {
            return Err(format!("only {shown} % of the frames were decoded: that is no run to time"));
        }
        best = best.max(settings.duration.as_secs_f64() / took.as_secs_f64());
    }
    Ok(best)
}
