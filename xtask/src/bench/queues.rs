//! Queue disciplines: time and instructions per packet for enqueue plus dequeue, and their growth with the backlog.

use std::cell::LazyCell;
use std::rc::Rc;

use super::instructions::count;
use super::stopwatch::CpuStopwatch;
use super::workload::{Steady, Workload, workloads};
use super::{Benchmark, Better, Reading};

/// Backlogs in packets: small, the one of the time target, and large.
pub(super) const BACKLOGS: [u64; 3] = [100, 1000, 10_000];
/// Disciplines with per-flow state or classes.
const PER_FLOW: [&str; 9] = ["fred", "red-dpm", "sfq", "fq-codel", "cake", "htb", "ets", "drr", "fq"];

/// Packets per measurement, which takes some milliseconds.
const BATCH: u64 = 20_000;
/// Number of measurements, of which the best counts: other processes may disturb one.
const ROUNDS: usize = 60;

pub(super) fn benchmarks() -> Vec<Benchmark> {
    workloads().into_iter().flat_map(of).collect()
}

/// Benchmarks of one workload, which is measured once for all three.
fn of(workload: Workload) -> [Benchmark; 3] {
    let name = workload.name.clone();
    let limit = if PER_FLOW.contains(&workload.discipline) { 250.0 } else { 150.0 };
    // Measured when the first of the three benchmarks runs, and shared with the others.
    let times = Rc::new(LazyCell::new({
        let workload = workload.clone();
        move || times(&workload)
    }));
    let instructions = Rc::new(LazyCell::new(move || count(&workload.name)));
    let benchmark = |suffix: &str, unit, required, measure| Benchmark {
        group: "queues",
        name: format!("{name}{suffix}"),
        unit,
        required: Some(required),
        better: Better::Lower,
        measure,
    };
    let (growth_times, counted) = (times.clone(), instructions.clone());
    [
        benchmark(
            "",
            "ns/packet",
            limit,
            Box::new(move || {
                let [_, time, _] = (**times).clone()?;
                let (instructions, note) = match &**instructions {
                    Ok([_, count, _]) => (Some(*count), None),
                    Err(why) => (None, Some(format!("instructions not counted: {why}"))),
                };
                Ok(Reading { value: Some(time), instructions, note })
            }),
        ),
        benchmark(
            "/time-growth",
            "x",
            1.5,
            Box::new(move || {
                let [few, _, many] = (**growth_times).clone()?;
                Ok(Reading::of(many / few))
            }),
        ),
        benchmark(
            "/instruction-growth",
            "x",
            1.05,
            Box::new(move || {
                Ok(match &**counted {
                    Ok([few, _, many]) => Reading::of(many / few),
                    Err(why) => Reading { value: None, instructions: None, note: Some(why.clone()) },
                })
            }),
        ),
    ]
}

/// Best time per packet at each backlog, in nanoseconds. The backlogs alternate, so that a change of the machine's speed
/// affects all of them.
fn times(workload: &Workload) -> Result<[f64; 3], String> {
    let mut queues = Vec::new();
    for backlog in BACKLOGS {
        queues.push(warm(workload, backlog)?);
    }
    let mut best = [f64::INFINITY; 3];
    for _ in 0..ROUNDS {
        for (queue, best) in queues.iter_mut().zip(&mut best) {
            let stopwatch = CpuStopwatch::start();
            queue.turn_over(BATCH);
            *best = best.min(stopwatch.elapsed().as_nanos() as f64 / BATCH as f64);
        }
    }
    for (queue, backlog) in queues.iter().zip(BACKLOGS) {
        kept(queue, backlog)?;
    }
    Ok(best)
}

/// Creates a queue that is ready to be measured.
pub(super) fn warm(workload: &Workload, backlog: u64) -> Result<Steady, String> {
    let mut queue = workload.at(backlog)?;
    queue.warm_up();
    Ok(queue)
}

/// Checks that the backlog has not shrunk, which would invalidate the measurement.
pub(super) fn kept(queue: &Steady, backlog: u64) -> Result<(), String> {
    let left = queue.backlog();
    if left < backlog * 9 / 10 {
        Err(format!("the backlog must stay at {backlog} packets, got {left}"))
    } else {
        Ok(())
    }
}
