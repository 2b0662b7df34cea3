//! A result of any size, for benchmarks of transferring and reading tables.

use std::path::PathBuf;

use jettison_core::{Duration, Time};
use jettison_measure::{AccountLog, DecisionLog, Kind, ObjectId, ObjectRecord, RunRecord, Series, metrics};
use jettison_report::{Closing, Experiment, MemoryWriter, Mode, RunKey, Variant, Writer, WriterOptions};
use pyo3::prelude::*;

use crate::errors::run_error;
use crate::tables::Tables;

/// Number of samples per series.
const SAMPLES: u64 = 10_000;

/// Creates a result with at least this many rows of flow series, in memory or, with `out`, in a folder.
#[pyfunction]
#[pyo3(signature = (rows, out=None))]
pub fn synthetic(py: Python<'_>, rows: u64, out: Option<PathBuf>) -> PyResult<Option<Tables>> {
    let key = RunKey { variant: "default".to_owned(), seed: 1 };
    let made = py.detach(|| {
        let record = record(rows);
        match &out {
            Some(out) => {
                let mut writer = Writer::create(out, experiment(), WriterOptions::default())?;
                writer.add_run(&key, &record)?;
                writer.finish(Closing::default()).map(|_| None)
            }
            None => {
                let mut writer = MemoryWriter::create(experiment(), None);
                writer.add_run(&key, &record)?;
                writer.finish(Closing::default()).map(Some)
            }
        }
    });
    made.map(|results| results.map(Tables::new)).map_err(|error| run_error(py, error))
}

fn experiment() -> Experiment {
    Experiment {
        name: "synthetic".to_owned(),
        description: String::new(),
        mode: Mode::Simulated,
        duration: Duration::from_millis(100 * SAMPLES),
        warm_up: Duration::ZERO,
        variants: vec![Variant { name: "default".to_owned(), labels: Default::default(), baseline: None }],
        seeds: vec![1],
        inputs: Vec::new(),
        bottleneck: None,
        report: Default::default(),
        figures: Vec::new(),
        styles: Default::default(),
        configuration: String::new(),
    }
}

fn record(rows: u64) -> RunRecord {
    let of_flow = [metrics::GOODPUT, metrics::CWND, metrics::SRTT, metrics::OWD, metrics::LOSS];
    let flows = rows.div_ceil(SAMPLES * of_flow.len() as u64) as u32;
    let id = |index| ObjectId { kind: Kind::Flow, index };
    let objects = (0..flows).map(|index| ObjectRecord {
        id: id(index),
        name: format!("flow.{index}"),
        distributions: Vec::new(),
    });
    let series = (0..flows).flat_map(|index| {
        of_flow.iter().zip(1u64..).map(move |(metric, number)| {
            let mut state = u64::from(index) << 8 | number;
            // Numbers without repetition.
            let values = (0..SAMPLES).map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 11) as f64 / 1e9
            });
            let times = (1..=SAMPLES).map(|sample| Time::from_millis(100 * sample));
            Series::new(id(index), *metric, "").with(times.zip(values))
        })
    });
    RunRecord {
        objects: objects.collect(),
        series: series.collect(),
        drops: DecisionLog::default(),
        frames: Vec::new(),
        events: Vec::new(),
        summary: Vec::new(),
        gauges: Vec::new(),
        accounts: AccountLog::default(),
        ends: Vec::new(),
    }
}
