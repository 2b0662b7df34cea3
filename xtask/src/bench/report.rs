//! Benchmarks of results with many flows: writing them, and what `jettison report` does with them.

use jettison_core::{Duration, Time};
use jettison_measure::{
    DecisionLog, Kind, Metric, ObjectId, ObjectRecord, RunRecord, Series, SummaryValue, metrics,
};
use jettison_report::{
    Closing, Experiment, Mode, Results, RunKey, TableOptions, Variant, Writer, WriterOptions,
    comparison_table,
};

use super::stopwatch::CpuStopwatch;
use super::{Benchmark, Better, Reading};

/// Number of flows, and the smaller number that the growth is measured from.
const FLOWS: u32 = 20_000;
const FEW: u32 = 2_500;
/// Samples in each series.
const SAMPLES: u64 = 50;
const REPEATS: usize = 3;

pub(super) fn benchmarks() -> Vec<Benchmark> {
    let benchmark = |name: &str, unit, required, measure: fn() -> Result<f64, String>| Benchmark {
        group: "report",
        name: name.to_owned(),
        unit,
        required: Some(required),
        better: Better::Lower,
        measure: Box::new(move || measure().map(Reading::of)),
    };
    vec![
        benchmark("report-flows", "cpu-s", 3.0, || times(FLOWS).map(|times| times.report)),
        benchmark("report-flows/write", "cpu-s", 6.0, || times(FLOWS).map(|times| times.write)),
        benchmark("report-flows/growth", "x", 1.5, || {
            let (few, many) = (times(FEW)?, times(FLOWS)?);
            Ok(many.report / few.report / (f64::from(FLOWS) / f64::from(FEW)))
        }),
    ]
}

/// CPU seconds.
struct Times {
    /// Adding a run and writing the folder with its page.
    write: f64,
    /// Reading the folder, its table, its records and its page.
    report: f64,
}

/// The best times for results of one queue and this many flows.
fn times(flows: u32) -> Result<Times, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let record = record(flows);
    let mut best = Times { write: f64::INFINITY, report: f64::INFINITY };
    for _ in 0..REPEATS {
        let stopwatch = CpuStopwatch::start();
        let written = write(&folder.path().join("out"), &record).map_err(|error| error.to_string())?;
        best.write = best.write.min(stopwatch.elapsed().as_secs_f64());
        let stopwatch = CpuStopwatch::start();
        let results = Results::load(&written.folder).map_err(|error| error.to_string())?;
        results.rebuild_report().map_err(|error| error.to_string())?;
        let table = comparison_table(&results, &TableOptions { width: 100, lines: None }).text;
        let records = results.records().count() + results.difference_records().count();
        best.report = best.report.min(stopwatch.elapsed().as_secs_f64());
        if !table.contains("ping.") || records < flows as usize {
            return Err(format!("the table or the {records} records lack flows:\n{table}"));
        }
    }
    Ok(best)
}

fn write(folder: &std::path::Path, record: &RunRecord) -> Result<Results, jettison_report::ReportError> {
    let experiment = Experiment {
        name: "many-flows".to_owned(),
        description: String::new(),
        mode: Mode::Simulated,
        duration: Duration::from_millis(100 * SAMPLES),
        warm_up: Duration::ZERO,
        variants: vec![Variant { name: "default".to_owned(), labels: Default::default(), baseline: None }],
        seeds: vec![1],
        inputs: Vec::new(),
        bottleneck: None,
        figures: Vec::new(),
        styles: Default::default(),
        report: Default::default(),
        configuration: String::new(),
    };
    let mut writer = Writer::create(folder, experiment, WriterOptions::default())?;
    writer.add_run(&RunKey { variant: "default".to_owned(), seed: 1 }, record)?;
    writer.finish(Closing::default())
}

/// A run with made-up values: counts that only some flows have, times with percentiles, two series a flow.
fn record(flows: u32) -> RunRecord {
    let flow = |index| ObjectId { kind: Kind::Flow, index };
    let queue = ObjectId { kind: Kind::Queue, index: 0 };
    let object = |id, name| ObjectRecord { id, name, distributions: Vec::new() };
    let name = |index: u32| format!("ping.{index}");
    let value = |object: &str, metric: Metric, mean: f64, percentiles| SummaryValue {
        object: object.to_owned(),
        metric,
        part: "".into(),
        mean,
        percentiles,
    };
    let mut record = RunRecord {
        objects: vec![object(queue, "bottleneck.forward".to_owned())],
        series: Vec::new(),
        drops: DecisionLog::default(),
        frames: Vec::new(),
        summary: vec![
            value("bottleneck.forward", metrics::UTILISATION, 98.0, None),
            value("bottleneck.forward", metrics::SOJOURN, 5.0, Some([4.0, 9.0, 12.0])),
        ],
        gauges: Vec::new(),
        events: Vec::new(),
        accounts: jettison_measure::AccountLog::default(),
        ends: Vec::new(),
    };
    for index in 0..flows {
        let (name, rate) = (name(index), f64::from(1 + index % 97));
        record.objects.push(object(flow(index), name.clone()));
        record.summary.extend([
            value(&name, metrics::GOODPUT, rate, Some([rate, 1.1 * rate, 1.2 * rate])),
            value(&name, metrics::RTT, 20.0 + rate, Some([20.0, 30.0, 40.0])),
            value(&name, metrics::SENT, 100.0, None),
            value(&name, metrics::RECEIVED, 99.0, None),
            value(&name, metrics::LOSS, 1.0, None),
        ]);
        if index % 3 == 0 {
            record.summary.push(value(&name, metrics::RETRANSMITS, rate, None));
        }
        record.series.extend([metrics::GOODPUT, metrics::RTT].map(|metric| {
            let point = |sample: u64| (Time::from_millis(100 * sample), rate + sample as f64);
            Series::new(flow(index), metric, "").with((1..=SAMPLES).map(point))
        }));
    }
    record
}
