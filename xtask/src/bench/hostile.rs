//! Octopus among ten million hostile datagrams: the honest messages that arrive, and memory and time.
//!
//! The driver is that of the tests (`crates/messages/tests/hostile`), which send a hundred thousand. A child process does the
//! work, so that the memory is its own.

use super::stopwatch::CpuStopwatch;
use super::{Benchmark, Better, Reading, child, peak_memory};
use driver::Attacker;

#[path = "../../../crates/messages/tests/hostile/mod.rs"]
mod driver;

/// Name of the work of the child process, which is followed by the attacker.
pub(super) const HOSTILE_CHILD: &str = "octopus-hostile";

/// Honest messages, and hostile datagrams for each.
const MESSAGES: u32 = 1_000;
const HOSTILE: u32 = 10_000;

pub(super) fn benchmarks() -> Vec<Benchmark> {
    let benchmark = |name: &str, unit, required, better, attacker: &'static str, place: usize| Benchmark {
        group: "octopus",
        name: name.to_owned(),
        unit,
        required: Some(required),
        better,
        measure: Box::new(move || measured(attacker).map(|values| Reading::of(values[place]))),
    };
    let all = f64::from(MESSAGES);
    vec![
        benchmark("octopus-hostile-delivered", "messages", all, Better::Higher, "outsider", 0),
        benchmark("octopus-hostile-memory", "MB", 64.0, Better::Lower, "outsider", 1),
        benchmark("octopus-hostile-time", "cpu-s", 30.0, Better::Lower, "outsider", 2),
        benchmark("octopus-insider-memory", "MB", 64.0, Better::Lower, "insider", 1),
        benchmark("octopus-insider-time", "cpu-s", 60.0, Better::Lower, "insider", 2),
    ]
}

/// Messages delivered, peak memory in MB, and CPU time in seconds.
fn measured(attacker: &str) -> Result<[f64; 3], String> {
    let text = child::run(&[HOSTILE_CHILD, attacker])?;
    let values: Result<Vec<f64>, _> = text.split_whitespace().map(str::parse).collect();
    match values.ok().and_then(|values| values.try_into().ok()) {
        Some(values) => Ok(values),
        None => Err(format!("expected three numbers from the child process, got `{}`", text.trim())),
    }
}

/// Work of the child process.
pub(super) fn hostile_child(attacker: &str) -> Result<String, String> {
    let attacker = match attacker {
        "outsider" => Attacker::Outsider,
        "insider" => Attacker::Insider,
        _ => return Err(format!("the attacker must be outsider or insider, got {attacker}")),
    };
    let stopwatch = CpuStopwatch::start();
    let outcome = driver::run(MESSAGES, HOSTILE, attacker);
    let took = stopwatch.elapsed().as_secs_f64();
    if outcome.hostile < u64::from(MESSAGES) * u64::from(HOSTILE) {
        return Err(format!("too few hostile datagrams: {outcome:?}"));
    }
    if attacker == Attacker::Outsider && outcome.foreign > 0 {
        return Err(format!("{} forged messages were taken for honest ones: {outcome:?}", outcome.foreign));
    }
    if outcome.most_streams > 256 || outcome.most_memory > 16 << 20 {
        return Err(format!("a limit was exceeded: {outcome:?}"));
    }
    Ok(format!("{} {} {took}", outcome.delivered, peak_memory()?))
}
