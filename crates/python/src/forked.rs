//! Forks of runs with disciplines and controllers in Python, for the tests.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use jettison_core::Time;
use jettison_scenario::build::BuildOptions;
use jettison_scenario::{Changes, NoFiles, Scenario};
use jettison_sim::World;
use pyo3::prelude::*;

use crate::controller::PythonController;
use crate::discipline::{Control, PythonDiscipline, builder};
use crate::errors::run_error;
use crate::switches::PythonSwitchController;

/// The record of a scenario's run, that of a run forked at `at` ns, and that of the fork with the draws `draw`, as bytes.
#[pyfunction]
#[pyo3(signature = (disciplines, controllers, scenario, at, draw, controller=None))]
pub fn forked(
    py: Python<'_>,
    disciplines: Vec<PythonDiscipline>,
    controllers: Vec<PythonController>,
    scenario: &str,
    at: u64,
    draw: u64,
    controller: Option<PythonSwitchController>,
) -> PyResult<[Vec<u8>; 3]> {
    let control = Arc::<Control>::default();
    let mut builder = builder(py, &disciplines, &control).map_err(|error| run_error(py, error))?;
    controllers.iter().for_each(|controller| controller.add_to(py, &mut builder, &control));
    if let Some(controller) = &controller {
        controller.add_to(py, &mut builder, &control);
    }
    let scenario = Scenario::parse(scenario, "forked", &NoFiles, &Changes::default(), &builder.registries())
        .map_err(|error| run_error(py, error))?;
    let variant = scenario.variants.first().ok_or_else(|| run_error(py, "no variant"))?;
    let run = || -> Result<[Vec<u8>; 3], String> {
        let build = || {
            let options = BuildOptions::default();
            builder
                .build(&variant.settings, &scenario.contents, 1, &options)
                .map_err(|error| error.to_string())
        };
        let never = AtomicBool::new(false);
        let finish = |mut world: World| {
            world.run(Time::ZERO + variant.settings.duration, &never);
            world.finish().to_bytes().map_err(|error| error.to_string())
        };
        let (whole, mut parent) = (build()?, build()?);
        parent.run_before(Time::from_nanos(at), &never);
        let fork = parent.fork_with_fresh_draws(draw).map_err(|error| error.to_string())?;
        // The parent is gone before the fork goes on.
        let parent = finish(parent)?;
        Ok([finish(whole)?, parent, finish(fork)?])
    };
    let records = py.detach(run);
    match control.take_error() {
        Some(error) => Err(error),
        None => records.map_err(|error| run_error(py, error)),
    }
}
