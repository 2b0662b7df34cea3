//! What a fork of a world costs: CPU time and memory, with 50 TCP flows under way.

use std::sync::atomic::AtomicBool;

use jettison_core::Time;
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, NoFiles, Scenario};
use jettison_sim::World;

use super::stopwatch::CpuStopwatch;
use super::{Benchmark, Better, Reading, child, memory_now};

const TEXT: &str = include_str!("../../../scenarios/reference/many-flows-g.toml");
const FLOWS: u64 = 50;
/// Instant of the forks.
const AT: Time = Time::from_secs(8);
/// Number of forks, all of which are kept: none reuses the memory of one before it.
const FORKS: usize = 50;

/// Name of the child process's work that measures its own memory.
pub(super) const MEMORY_CHILD: &str = "forks-memory";

pub(super) fn benchmarks() -> Vec<Benchmark> {
    let benchmark =
        |name: &str, unit: &'static str, required: f64, measure: fn() -> Result<f64, String>| Benchmark {
            group: "forks",
            name: name.to_owned(),
            unit,
            required: Some(required),
            better: Better::Lower,
            measure: Box::new(move || measure().map(Reading::of)),
        };
    vec![
        benchmark("fork-50-flows", "CPU-ms", 2.0, || Ok(1e3 * forks()?.0)),
        benchmark("fork-50-flows/memory", "MB", 10.0, || {
            let text = child::run(&[MEMORY_CHILD])?;
            let wrong = |_| format!("expected a number from the child process, got `{}`", text.trim());
            text.trim().parse().map_err(wrong)
        }),
    ]
}

/// Work of the child process: forks a world, and returns by how much each fork makes it larger, in MB.
pub(super) fn memory_child() -> Result<f64, String> {
    Ok(forks()?.1)
}

/// A world of that many bulk flows at [`AT`].
fn world() -> Result<World, String> {
    let builder = Builder::standard();
    let changes = Changes { set: vec![format!("flows.bulk.count={FLOWS}")], quick: false };
    let scenario =
        Scenario::parse(TEXT, "reference/many-flows-g.toml", &NoFiles, &changes, &builder.registries());
    let scenario = scenario.map_err(|error| error.to_string())?;
    let settings = &scenario.variants[0].settings;
    let world = builder.build(settings, &scenario.contents, 1, &BuildOptions::default());
    let mut world = world.map_err(|failure| failure.to_string())?;
    world.run(AT, &AtomicBool::new(false));
    Ok(world)
}

/// Mean CPU time of a fork in seconds, and resident memory that it adds, in MB.
fn forks() -> Result<(f64, f64), String> {
    let world = world()?;
    let mut forks = Vec::with_capacity(FORKS);
    let before = memory_now()?;
    let stopwatch = CpuStopwatch::start();
    for _ in 0..FORKS {
        forks.push(world.fork().map_err(|error| error.to_string())?);
    }
    let took = stopwatch.elapsed().as_secs_f64();
    let added = memory_now()? - before;
    Ok((took / FORKS as f64, added / FORKS as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forks_of_the_reference_scenario_continue() {
        let world = world().unwrap();
        let mut fork = world.fork().unwrap();
        fork.run(AT + jettison_core::Duration::from_millis(100), &AtomicBool::new(false));
        assert!(fork.events() > world.events() + 1_000);
    }
}
