//! The simulator's runs of a case.

use std::sync::atomic::AtomicBool;

use jettison_core::{Duration, Time};
use jettison_measure::{Metric, RunRecord, metrics};
use jettison_scenario::build::{BuildFailure, BuildOptions, Builder};
use jettison_scenario::{Changes, CheckError, NoFiles, Scenario};
use thiserror::Error;

use crate::case::Case;
use crate::scenario;

/// The bottleneck's port.
const PORT: &str = "bottleneck.forward";

/// What one simulated run gave, in the units of [`crate::job::Measured`].
#[derive(Debug, Clone)]
pub struct Simulated {
    /// New bytes that arrived.
    pub goodput_mbps: f64,
    /// Packets dropped.
    pub drops: f64,
    /// Packets marked.
    pub marks: f64,
    /// Packets sent again.
    pub retransmits: f64,
    /// Mean sojourn time.
    pub sojourn_mean_ms: f64,
    /// Its median and 99th percentile.
    pub sojourn_p50_ms: f64,
    /// Its 99th percentile.
    pub sojourn_p99_ms: f64,
    /// Mean completion time of each flow's transfers, of those flows that completed one: until the last byte has arrived.
    pub completion_ms: Vec<f64>,
}

/// A case that the simulator cannot run.
#[derive(Debug, Error)]
pub enum SimulateError {
    /// The scenario is wrong.
    #[error("{case}: {source}")]
    Scenario {
        /// The case.
        case: String,
        /// The reason.
        source: Box<CheckError>,
    },
    /// The world cannot be built.
    #[error("{case}: {source}")]
    Build {
        /// The case.
        case: String,
        /// The reason.
        source: BuildFailure,
    },
}

/// Runs a case with a start offset and a seed.
pub fn simulate(
    builder: &Builder,
    case: &Case,
    offset: Duration,
    seed: u64,
) -> Result<Simulated, SimulateError> {
    let text = scenario::text(case, offset);
    let changes = Changes { set: Vec::new(), quick: false };
    let scenario = Scenario::parse(&text, &case.name, &NoFiles, &changes, &builder.registries())
        .map_err(|source| SimulateError::Scenario { case: case.name.clone(), source: Box::new(source) })?;
    let settings = &scenario.variants[0].settings;
    let mut world = builder
        .build(settings, &scenario.contents, seed, &BuildOptions::default())
        .map_err(|source| SimulateError::Build { case: case.name.clone(), source })?;
    world.run(Time::ZERO + settings.duration, &AtomicBool::new(false));
    Ok(read(&world.finish(), case))
}

fn read(record: &RunRecord, case: &Case) -> Simulated {
    let mean =
        |object: &str, metric: Metric| record.summary_value(object, metric).map_or(0.0, |value| value.mean);
    let sojourn = record.summary_value(PORT, metrics::SOJOURN);
    let percentile = |i: usize| sojourn.and_then(|value| value.percentiles).map_or(0.0, |all| all[i]);
    let flows = (1..=case.flows).map(|i| format!("flow{i}"));
    let total = |metric: Metric| flows.clone().map(|flow| mean(&flow, metric)).sum();
    let completions = flows.clone().filter_map(|flow| record.summary_value(&flow, metrics::COMPLETION));
    Simulated {
        goodput_mbps: total(metrics::GOODPUT),
        drops: mean(PORT, metrics::DROPS),
        marks: mean(PORT, metrics::MARKS),
        retransmits: total(metrics::RETRANSMITS),
        sojourn_mean_ms: sojourn.map_or(0.0, |value| value.mean),
        sojourn_p50_ms: percentile(0),
        sojourn_p99_ms: percentile(2),
        // The applications count until the last byte is acknowledged. All of the base RTT is on the way back.
        completion_ms: completions.map(|value| value.mean - case.rtt.as_secs_f64() * 1e3).collect(),
    }
}
