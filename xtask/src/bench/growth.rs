//! Growth with the number of flows and with simulated time: memory per idle flow, CPU time per packet among many flows, and
//! what the whole command takes for many flows and for a long run.

use std::cell::OnceCell;
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use jettison_core::Time;
use jettison_measure::metrics;
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, NoFiles, Scenario};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use super::stopwatch::CpuStopwatch;
use super::{Benchmark, Better, Reading, child, peak_memory, shipped_command};

const MANY: Reference =
    Reference { name: "many-flows-g", text: include_str!("../../../scenarios/reference/many-flows-g.toml") };
const LONG: Reference =
    Reference { name: "long-h", text: include_str!("../../../scenarios/reference/long-h.toml") };
const IDLE: Reference =
    Reference { name: "idle-i", text: include_str!("../../../scenarios/reference/idle-i.toml") };

/// Number of runs, of which the best counts.
const REPEATS: usize = 3;
/// Numbers of flows that are compared.
const FLOWS: [u64; 2] = [10, 10_000];
const IDLE_FLOWS: [u64; 2] = [1_000, 20_000];

/// Name of the child process's work that measures its own memory, followed by the number of idle flows.
pub(super) const MEMORY_CHILD: &str = "growth-memory";
/// Name of the child process's work that runs the command, followed by its path and the name of a scenario.
pub(super) const COMMAND_CHILD: &str = "growth-command";

/// A reference scenario.
#[derive(Clone, Copy)]
struct Reference {
    name: &'static str,
    text: &'static str,
}

/// What the command took for a run, its results and its report.
#[derive(Debug, Clone, Copy)]
struct Cost {
    cpu_seconds: f64,
    megabytes: f64,
}

pub(super) fn benchmarks() -> Vec<Benchmark> {
    let many: Rc<OnceCell<Result<Cost, String>>> = Rc::default();
    let of_many = |of: fn(Cost) -> f64| {
        let many = Rc::clone(&many);
        move || many.get_or_init(|| command(MANY)).clone().map(of)
    };
    let idle = || Ok(1e3 * (idle_memory(IDLE_FLOWS[1])? - idle_memory(IDLE_FLOWS[0])?) / added_flows());
    let growth = || Ok(time_per_packet(FLOWS[1])? / time_per_packet(FLOWS[0])?);
    vec![
        benchmark("idle-flow", "kB", 20.0, idle),
        benchmark("many-flows", "x the CPU time a packet", 4.0, growth),
        benchmark("many-flows/command-time", "CPU-s", 5.0, of_many(|cost| cost.cpu_seconds)),
        benchmark("many-flows/command-memory", "MB", 400.0, of_many(|cost| cost.megabytes)),
        benchmark("long-run/command-memory", "MB", 60.0, || Ok(command(LONG)?.megabytes)),
    ]
}

fn benchmark(
    name: &str,
    unit: &'static str,
    required: f64,
    measure: impl Fn() -> Result<f64, String> + 'static,
) -> Benchmark {
    Benchmark {
        group: "growth",
        name: name.to_owned(),
        unit,
        required: Some(required),
        better: Better::Lower,
        measure: Box::new(move || measure().map(Reading::of)),
    }
}

fn added_flows() -> f64 {
    (IDLE_FLOWS[1] - IDLE_FLOWS[0]) as f64
}

/// Runs a scenario with its last group of flows `count` strong. Returns the CPU time of the event loop in seconds, and the
/// packets that the bottleneck sent or dropped.
fn run(reference: Reference, flows: &str, count: u64) -> Result<(f64, f64), String> {
    let builder = Builder::standard();
    let changes = Changes { set: vec![format!("flows.{flows}.count={count}")], quick: false };
    let scenario = Scenario::parse(reference.text, reference.name, &NoFiles, &changes, &builder.registries());
    let scenario = scenario.map_err(|error| error.to_string())?;
    let settings = &scenario.variants[0].settings;
    let mut world = builder
        .build(settings, &scenario.contents, 1, &BuildOptions::default())
        .map_err(|failure| failure.to_string())?;
    let stopwatch = CpuStopwatch::start();
    world.run(Time::ZERO + settings.duration, &AtomicBool::new(false));
    let took = stopwatch.elapsed();
    let record = world.finish();
    let of = |metric| record.summary_value("bottleneck.forward", metric).map_or(0.0, |value| value.mean);
    Ok((took.as_secs_f64(), of(metrics::PACKETS) + of(metrics::DROPS)))
}

/// CPU time of the event loop per packet, the best of several runs.
fn time_per_packet(flows: u64) -> Result<f64, String> {
    let mut best = f64::INFINITY;
    for _ in 0..REPEATS {
        let (seconds, packets) = run(MANY, "bulk", flows)?;
        best = best.min(seconds / packets);
    }
    Ok(best)
}

/// Peak resident memory of a process that only runs idle flows, in MB.
fn idle_memory(flows: u64) -> Result<f64, String> {
    number(&child::run(&[MEMORY_CHILD, &flows.to_string()])?)
}

/// Work of the child process: runs idle flows and returns its own peak resident memory in MB.
pub(super) fn memory_child(flows: &str) -> Result<f64, String> {
    let count = flows.parse().map_err(|_| format!("expected a number of flows, got `{flows}`"))?;
    run(IDLE, "ping", count)?;
    peak_memory()
}

/// What `jettison run` takes for a scenario.
fn command(reference: Reference) -> Result<Cost, String> {
    let command = shipped_command()?;
    let command = command.to_str().ok_or("the path of the command must be UTF-8")?;
    let output = child::run(&[COMMAND_CHILD, command, reference.name])?;
    let (cpu, memory) = output.trim().split_once(' ').ok_or("expected two numbers from the child process")?;
    Ok(Cost { cpu_seconds: number(cpu)?, megabytes: number(memory)? })
}

/// Work of the child process: runs the command, the only child of its own, and returns its CPU time in seconds and its peak
/// resident memory in MB.
pub(super) fn command_child(command: &str, name: &str) -> Result<String, String> {
    let known = [MANY, LONG].into_iter().find(|reference| reference.name == name);
    let reference = known.ok_or_else(|| format!("unknown scenario `{name}`"))?;
    let folder = std::env::temp_dir().join(format!("jettison-bench-{}", std::process::id()));
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let scenario = folder.join("scenario.toml");
    let ran = std::fs::write(&scenario, reference.text).map_err(failed).and_then(|()| {
        let mut run = Command::new(command);
        run.arg("run").arg(&scenario).args(["--jobs", "1", "--out"]).arg(folder.join("out"));
        let status = run.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        match status.map_err(|error| format!("cannot start {command}: {error}"))? {
            status if status.success() => Ok(()),
            status => Err(format!("jettison run failed: {status}")),
        }
    });
    std::fs::remove_dir_all(&folder).map_err(failed)?;
    ran?;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|error| error.to_string())?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(format!("{} {}", micros as f64 / 1e6, usage.max_rss() as f64 * 1024.0 / 1e6))
}

fn number(text: &str) -> Result<f64, String> {
    text.trim()
        .parse()
        .map_err(|_| format!("expected a number from the child process, got `{}`", text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_scenarios_run_with_any_number_of_flows() {
        let (_, packets) = run(MANY, "bulk", 2).unwrap();
        assert!((80_000.0..90_000.0).contains(&packets), "{packets}");
        let (_, packets) = run(IDLE, "ping", 3).unwrap();
        assert_eq!(packets, 3.0);
    }
}
