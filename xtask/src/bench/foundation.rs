//! Simulator benchmarks: bottleneck packets per CPU second, and memory, on the reference scenarios A and F.

use std::sync::atomic::AtomicBool;

use jettison_core::Time;
use jettison_measure::metrics;
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, NoFiles, Scenario};

use super::stopwatch::CpuStopwatch;
use super::{Benchmark, Better, Reading, child, peak_memory};

const A: &str = include_str!("../../../scenarios/reference/tcp-codel-a.toml");
const F: &str = include_str!("../../../scenarios/reference/udp-f.toml");
/// Number of runs, of which the best counts: other processes may disturb a run.
const REPEATS: usize = 5;

/// Name of the child process's work that measures its own memory.
pub(super) const MEMORY_CHILD: &str = "foundation-memory";

pub(super) fn benchmarks() -> Vec<Benchmark> {
    let group = "foundation";
    vec![
        Benchmark {
            group,
            name: "tcp-codel-A".to_owned(),
            unit: "packets/cpu-s",
            required: Some(1_000_000.0),
            better: Better::Higher,
            measure: Box::new(|| best_rate("reference/tcp-codel-a.toml", A).map(Reading::of)),
        },
        Benchmark {
            group,
            name: "udp-F".to_owned(),
            unit: "packets/cpu-s",
            required: Some(5_000_000.0),
            better: Better::Higher,
            measure: Box::new(|| best_rate("reference/udp-f.toml", F).map(Reading::of)),
        },
        Benchmark {
            group,
            name: "tcp-codel-A-identities".to_owned(),
            unit: "% of the time",
            required: None,
            better: Better::Lower,
            measure: Box::new(|| recording("identities=true").map(Reading::of)),
        },
        Benchmark {
            group,
            name: "tcp-codel-A-accounts".to_owned(),
            unit: "% of the time",
            required: Some(10.0),
            better: Better::Lower,
            measure: Box::new(|| recording("accounts=true").map(Reading::of)),
        },
        Benchmark {
            group,
            name: "tcp-codel-A-memory".to_owned(),
            unit: "MB",
            required: Some(60.0),
            better: Better::Lower,
            measure: Box::new(|| child_memory().map(Reading::of)),
        },
    ]
}

/// What a setting of `[record]` adds to the time of scenario A without identities, in percent: the median over pairs of runs, one
/// right after the other, so that both meet the same machine.
fn recording(setting: &str) -> Result<f64, String> {
    let of = |setting: &str| rate_with("reference/tcp-codel-a.toml", A, &format!("record.{setting}"));
    let mut added = Vec::new();
    for _ in 0..2 * REPEATS + 1 {
        let (without, with) = (of("identities=false")?, of(setting)?);
        added.push(100.0 * (without / with - 1.0));
    }
    added.sort_by(f64::total_cmp);
    Ok(added[REPEATS])
}

/// Packets that leave the bottleneck per second of the event loop's CPU time.
fn rate(name: &str, text: &str) -> Result<f64, String> {
    rate_with(name, text, "record.identities=true")
}

fn rate_with(name: &str, text: &str, set: &str) -> Result<f64, String> {
    let builder = Builder::standard();
    // Without a warm-up, all packets count.
    let changes = Changes { set: vec!["warm_up=0 s".to_owned(), set.to_owned()], quick: false };
    let scenario = Scenario::parse(text, name, &NoFiles, &changes, &builder.registries());
    let scenario = scenario.map_err(|error| error.to_string())?;
    let settings = &scenario.variants[0].settings;
    let mut world = builder
        .build(settings, &scenario.contents, 1, &BuildOptions::default())
        .map_err(|failure| failure.to_string())?;
    let stopwatch = CpuStopwatch::start();
    world.run(Time::ZERO + settings.duration, &AtomicBool::new(false));
    let took = stopwatch.elapsed();
    let record = world.finish();
    let packets = record.summary_value("bottleneck.forward", metrics::PACKETS);
    let packets = packets.ok_or("the bottleneck carried no packet")?.mean;
    Ok(packets / took.as_secs_f64())
}

fn best_rate(name: &str, text: &str) -> Result<f64, String> {
    let mut best = 0.0_f64;
    for _ in 0..REPEATS {
        best = best.max(rate(name, text)?);
    }
    Ok(best)
}

/// Peak resident memory of a process that only runs scenario A.
fn child_memory() -> Result<f64, String> {
    let text = child::run(&[MEMORY_CHILD])?;
    text.trim()
        .parse()
        .map_err(|_| format!("expected a number from the child process, got `{}`", text.trim()))
}

/// Work of the child process: runs scenario A and returns its own peak resident memory in MB.
pub(super) fn memory_child() -> Result<f64, String> {
    rate("reference/tcp-codel-a.toml", A)?;
    peak_memory()
}
