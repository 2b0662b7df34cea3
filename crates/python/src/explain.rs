//! Explanations of viewers' events, as records of JSON.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use jettison_report::explain::{ladder, record};
use jettison_run::explain::{ExplainOptions, explain_stored};
use pyo3::prelude::*;

use crate::errors::run_error;

/// The most expensive events in a folder of results, explained: records of JSON, with pictures.
#[pyfunction]
#[pyo3(signature = (folder, worst, viewer, event, variant, seed))]
pub fn explain(
    py: Python<'_>,
    folder: PathBuf,
    worst: usize,
    viewer: Option<String>,
    event: Option<u64>,
    variant: Option<String>,
    seed: Option<u64>,
) -> PyResult<Vec<String>> {
    let explained = py.detach(|| {
        let options = ExplainOptions {
            variant: variant.as_deref(),
            seed,
            data: None,
            worst,
            viewer: viewer.as_deref(),
            event,
            cancel: &AtomicBool::new(false),
        };
        explain_stored(&folder, &options)
    });
    let explained = explained.map_err(|error| run_error(py, error))?;
    let events = explained.runs.iter().flat_map(|run| run.events.iter().map(move |event| (run, event)));
    let text = |(run, (explanation, check)): (&jettison_run::explain::ExplainedRun, &(_, _))| {
        let drawn = ladder(explanation, &run.evidence, true);
        let record = record((&run.key.variant, run.key.seed), explanation, check, Some(drawn));
        serde_json::to_string(&record).map_err(|error| run_error(py, error))
    };
    events.map(text).collect()
}
