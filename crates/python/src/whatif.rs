//! Counterfactuals of stored runs.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jettison_build_info::COMMIT;
use jettison_core::{Duration, Time};
use jettison_run::rebuild::{Which, rebuild};
use jettison_run::whatif::{Change, Question, WhatIfError, Window, ask, table, write};
use jettison_scenario::build::Builder;
use pyo3::prelude::*;

use crate::discipline::Control;
use crate::errors::run_error;
use crate::run::supervised;
use crate::sweep::program;

/// A question about a stored run; instants are texts with a unit.
#[derive(FromPyObject)]
pub struct Asked {
    folder: PathBuf,
    image: PathBuf,
    variant: Option<String>,
    seed: Option<u64>,
    data: Option<PathBuf>,
    flip: Option<u64>,
    rule: Option<String>,
    queue_name: Option<String>,
    start: Option<String>,
    end: Option<String>,
    queue: Option<String>,
    at: Option<String>,
    until: Option<String>,
    horizon: Option<String>,
    draws: u64,
    out: Option<PathBuf>,
    force: bool,
}

/// Answers a question: a text for people, and the records of `jettison whatif --json`.
#[pyfunction]
pub fn whatif(py: Python<'_>, asked: Asked) -> PyResult<(String, Vec<String>)> {
    let wrong = |error: String| run_error(py, error);
    let span = |name: &str, text: &Option<String>| -> PyResult<Option<Duration>> {
        let parsed = text.as_deref().map(str::parse::<Duration>).transpose();
        parsed.map_err(|error| wrong(format!("`{name}`: {error}")))
    };
    let instant =
        |name: &str, text: &Option<String>| span(name, text).map(|span| span.map(|span| Time::ZERO + span));
    let change = match (asked.flip, &asked.rule, &asked.queue) {
        (Some(decision), None, None) => Change::Flip { decision },
        (None, Some(rule), None) => Change::Rule {
            rule: rule.clone(),
            queue: asked.queue_name.clone(),
            window: Window {
                from: instant("start", &asked.start)?.unwrap_or(Time::ZERO),
                to: instant("end", &asked.end)?.unwrap_or(Time::MAX),
            },
        },
        (None, None, Some(queue)) => Change::Replace {
            setting: queue.clone(),
            at: instant("at", &asked.at)?
                .ok_or_else(|| wrong("`queue` needs `at`, the instant of the exchange".to_owned()))?,
        },
        _ => return Err(wrong("give one of `flip`, `rule` and `queue`".to_owned())),
    };
    let question = Question {
        change,
        until: instant("until", &asked.until)?,
        horizon: span("horizon", &asked.horizon)?,
        draws: asked.draws,
    };
    let control = Control::default();
    let answered = supervised(py, &control, None, |cancel, _| {
        let builder = Builder::standard();
        let which =
            Which { variant: asked.variant.as_deref(), seed: asked.seed, data: asked.data.as_deref() };
        let program = program(&asked.image);
        let rebuilt = rebuild(&asked.folder, &which, &builder, &BTreeMap::new(), program)?;
        let answer = ask(&rebuilt, &question, &builder, cancel)?;
        if let Some(out) = &asked.out {
            write(&answer, &rebuilt, &builder, out, asked.force, COMMIT)?;
        }
        let records = answer.records(&rebuilt);
        let lines = records.iter().filter_map(|record| serde_json::to_string(record).ok()).collect();
        Ok::<_, WhatIfError>((table(&answer, &rebuilt), lines))
    })?;
    answered.map_err(|error| run_error(py, error))
}
