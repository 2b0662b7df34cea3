//! What accounts of delays cost: the share that they add to the time of a run with viewers.

use super::{Benchmark, Better, Reading, octopus, streaming};

/// Pairs of runs, of which the median counts.
const PAIRS: usize = 7;

pub(super) fn benchmarks() -> Vec<Benchmark> {
    let benchmark = |group, name: &str, speed: fn(&str) -> Result<f64, String>| Benchmark {
        group,
        name: name.to_owned(),
        unit: "% of the time",
        required: None,
        better: Better::Lower,
        measure: Box::new(move || added(speed).map(Reading::of)),
    };
    vec![
        benchmark("streaming", "dash-cdn-accounts", streaming::speed_with),
        benchmark("octopus", "octopus-case2-accounts", octopus::speed_with),
    ]
}

/// What accounts add to the time of a run without identities, in percent: over pairs of runs, one right after the other, so that
/// both meet the same machine.
fn added(speed: fn(&str) -> Result<f64, String>) -> Result<f64, String> {
    let mut added = Vec::new();
    for _ in 0..PAIRS {
        let (without, with) = (speed("record.identities=false")?, speed("record.accounts=true")?);
        added.push(100.0 * (without / with - 1.0));
    }
    added.sort_by(f64::total_cmp);
    Ok(added[PAIRS / 2])
}
