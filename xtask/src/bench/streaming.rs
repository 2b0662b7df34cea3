//! Streaming: simulated seconds per CPU second of iRED's CDN over links, with statistics, and growth of memory with packets.

use std::sync::atomic::AtomicBool;

use jettison_core::Time;
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, NoFiles, Scenario};

use super::stopwatch::CpuStopwatch;
use super::{Benchmark, Better, Reading, child, peak_memory};

const CDN: &str = include_str!("../../../scenarios/ired/dash-cdn-sensitivity.toml");
/// The variant with the highest load: tail drop keeps the links full.
const VARIANT: &str = "network=base,queue=tail-drop-64";
/// Number of runs, of which the best counts.
const REPEATS: usize = 3;
/// Rates of the links in Mbit/s: those of the scenario, and four times as much.
const RATES: [(&str, u64, u64); 2] = [("plain", 60, 30), ("fourfold", 240, 120)];

/// Name of the child process's work that measures its own memory, followed by the name of the rates.
pub(super) const MEMORY_CHILD: &str = "streaming-memory";

pub(super) fn benchmarks() -> Vec<Benchmark> {
    let group = "streaming";
    vec![
        Benchmark {
            group,
            name: "dash-cdn".to_owned(),
            unit: "simulated s/cpu-s",
            required: Some(50.0),
            better: Better::Higher,
            measure: Box::new(|| best_speed().map(Reading::of)),
        },
        Benchmark {
            group,
            name: "dash-cdn/memory-growth".to_owned(),
            unit: "x",
            required: Some(1.2),
            better: Better::Lower,
            measure: Box::new(|| memory_growth().map(Reading::of)),
        },
    ]
}

/// Runs the scenario with these changes. Returns simulated seconds per CPU second, and the packets of the transit link.
fn run(set: &[String]) -> Result<(f64, f64), String> {
    let builder = Builder::standard();
    let changes = Changes { set: set.to_vec(), quick: false };
    let scenario =
        Scenario::parse(CDN, "ired/dash-cdn-sensitivity.toml", &NoFiles, &changes, &builder.registries());
    let scenario = scenario.map_err(|error| error.to_string())?;
    let variant = scenario.variants.iter().find(|variant| variant.name == VARIANT);
    let settings =
        &variant.ok_or_else(|| format!("the scenario must have the variant `{VARIANT}`"))?.settings;
    let mut world = builder
        .build(settings, &scenario.contents, 1, &BuildOptions::default())
        .map_err(|failure| failure.to_string())?;
    let stopwatch = CpuStopwatch::start();
    world.run(Time::ZERO + settings.duration, &AtomicBool::new(false));
    let took = stopwatch.elapsed();
    let record = world.finish();
    let packets = record.summary_value("transit.forward", jettison_measure::metrics::PACKETS);
    let packets = packets.ok_or("the transit link carried no packet")?.mean;
    Ok((settings.duration.as_secs_f64() / took.as_secs_f64(), packets))
}

/// Simulated seconds per CPU second of a run with one change.
pub(super) fn speed_with(set: &str) -> Result<f64, String> {
    Ok(run(&[set.to_owned()])?.0)
}

fn best_speed() -> Result<f64, String> {
    let mut best = 0.0_f64;
    for _ in 0..REPEATS {
        best = best.max(run(&[])?.0);
    }
    Ok(best)
}

/// Ratio of the peak memory of a run with fast links to that of a run with the scenario's links.
fn memory_growth() -> Result<f64, String> {
    let [(peak, packets), (peak_more, packets_more)] =
        [measured_by_child(RATES[0].0)?, measured_by_child(RATES[1].0)?];
    if packets_more < 1.5 * packets {
        return Err(format!(
            "fast links must carry at least 1.5 times the {packets} packets of plain links, got {packets_more}"
        ));
    }
    Ok(peak_more / peak)
}

/// Peak resident memory of a process that only runs the scenario, in MB, and its simulated packets.
fn measured_by_child(rates: &str) -> Result<(f64, f64), String> {
    let text = child::run(&[MEMORY_CHILD, rates])?;
    let mut numbers = text.split_whitespace().map(str::parse::<f64>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(peak)), Some(Ok(packets))) => Ok((peak, packets)),
        _ => Err(format!("expected two numbers from the child process, got `{}`", text.trim())),
    }
}

/// Work of the child process.
pub(super) fn memory_child(rates: &str) -> Result<String, String> {
    let (_, transit, client) =
        RATES.iter().find(|(name, ..)| *name == rates).ok_or_else(|| format!("unknown rates `{rates}`"))?;
    let set = |link: &str, rate: &u64| format!("links.{link}.rate=\"{rate} Mbit/s\"");
    // The highest representation for all players exceeds the rate of the plain links, so faster links carry more packets.
    let (_, packets) = run(&[set("transit", transit), set("client", client), "duration=300 s".to_owned()])?;
    Ok(format!("{} {packets}", peak_memory()?))
}
