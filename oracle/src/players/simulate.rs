//! Sessions of the modelled players.

use std::sync::atomic::AtomicBool;

use jettison_core::Time;
use jettison_measure::RunRecord;
use jettison_scenario::build::{BuildFailure, BuildOptions, Builder};
use jettison_scenario::{Changes, CheckError, Scenario};
use thiserror::Error;

use super::session::{Collector, Session};
use super::{FLOW, modelled_scenario};

/// A scenario that cannot be simulated.
#[derive(Debug, Error)]
pub enum ModelError {
    /// It is wrong.
    #[error(transparent)]
    Scenario(Box<CheckError>),
    /// A variant cannot be built.
    #[error("{0}: {1}")]
    Build(String, BuildFailure),
    /// A series cannot be read back.
    #[error("{0}: {1}")]
    Series(String, std::io::Error),
    /// A player showed nothing.
    #[error("{0}, seed {1}: nothing was shown")]
    Nothing(String, u64),
}

/// The sessions of one player on one network, one per seed.
pub struct Modelled {
    /// The network.
    pub network: String,
    /// The player.
    pub player: String,
    /// The sessions.
    pub sessions: Vec<Session>,
}

/// Simulates all variants with `seeds` seeds each, in the order of the scenario.
pub fn simulate(seeds: u64) -> Result<Vec<Modelled>, ModelError> {
    let builder = Builder::standard();
    let changes = Changes { set: Vec::new(), quick: false };
    let scenario = Scenario::load(&modelled_scenario(), &changes, &builder.registries())
        .map_err(|error| ModelError::Scenario(Box::new(error)))?;
    let mut modelled = Vec::new();
    for variant in &scenario.variants {
        let mut sessions = Vec::new();
        for seed in 1..=seeds {
            let mut world = builder
                .build(&variant.settings, &scenario.contents, seed, &BuildOptions::default())
                .map_err(|failure| ModelError::Build(variant.name.clone(), failure))?;
            world.run(Time::ZERO + variant.settings.duration, &AtomicBool::new(false));
            let session =
                read(&world.finish()).map_err(|error| ModelError::Series(variant.name.clone(), error))?;
            sessions.push(session.ok_or_else(|| ModelError::Nothing(variant.name.clone(), seed))?);
        }
        let label = |axis: &str| variant.labels.get(axis).cloned().unwrap_or_default();
        modelled.push(Modelled { network: label("network"), player: label("player"), sessions });
    }
    Ok(modelled)
}

fn read(record: &RunRecord) -> Result<Option<Session>, std::io::Error> {
    let mut collector = Collector::default();
    for series in record.series.iter().filter(|series| record.name(series.object) == FLOW) {
        for piece in series.pieces() {
            for (time, value) in piece?.points() {
                collector.point(series.metric.name, time.as_nanos() as f64 / 1e9, value);
            }
        }
    }
    for value in record.summary.iter().filter(|value| value.object == FLOW && value.part.is_empty()) {
        collector.summary(value.metric.name, value.mean);
    }
    Ok(collector.finish())
}
