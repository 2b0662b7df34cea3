//! Made-up results for pages in a browser: a queue and two flows, with values that the test knows. Also for the benchmark of the page.

use std::path::Path;

use jettison_core::{Duration, Time};
use jettison_measure::{
    AccountLog, DecisionLog, Kind, Metric, ObjectId, ObjectRecord, RunRecord, Series, SummaryValue, metrics,
};
use jettison_report::{
    Closing, Experiment, Mode, ReportError, Results, RunKey, Variant, Writer, WriterOptions,
};

/// Seconds of a run.
const SECONDS: u64 = 60;
/// Seeds of each variant.
const SEEDS: [u64; 3] = [1, 2, 3];

/// Writes results of these variants. The sojourn time of the variant at place n is 4 to the power of n ms (of six), and the first
/// place of `alike` has the values of the second.
pub(crate) fn results(
    folder: &Path,
    variants: &[&str],
    alike: Option<(usize, usize)>,
) -> Result<Results, ReportError> {
    let variant = |(place, name): (usize, &&str)| Variant {
        name: (*name).to_owned(),
        labels: Default::default(),
        baseline: (place > 0).then(|| variants[0].to_owned()),
    };
    let experiment = Experiment {
        name: "made-up".to_owned(),
        description: "Made-up results.".to_owned(),
        mode: Mode::Simulated,
        duration: Duration::from_secs(SECONDS),
        warm_up: Duration::from_secs(5),
        variants: variants.iter().enumerate().map(variant).collect(),
        seeds: SEEDS.to_vec(),
        inputs: Vec::new(),
        bottleneck: None,
        figures: Vec::new(),
        styles: Default::default(),
        report: Default::default(),
        configuration: String::new(),
    };
    let mut writer = Writer::create(folder, experiment, WriterOptions::default())?;
    for (place, variant) in variants.iter().enumerate() {
        let place = alike.filter(|(one, _)| *one == place).map_or(place, |(_, other)| other);
        for seed in SEEDS {
            writer.add_run(&RunKey { variant: (*variant).to_owned(), seed }, &record(place as u32, seed))?;
        }
    }
    writer.finish(Closing::default())
}

/// A run of the variant at a place.
fn record(place: u32, seed: u64) -> RunRecord {
    let queue = ObjectId { kind: Kind::Queue, index: 0 };
    let (bulk, ping) = (ObjectId { kind: Kind::Flow, index: 0 }, ObjectId { kind: Kind::Flow, index: 1 });
    let object = |id, name: &str| ObjectRecord { id, name: name.to_owned(), distributions: Vec::new() };
    // Powers repeat, so that many variants are not astronomically far apart.
    let sojourn = f64::from(4u32.pow(place % 6));
    let more = seed as f64 / 100.0;
    let value = |object: &str, metric: Metric, mean: f64| SummaryValue {
        object: object.to_owned(),
        metric,
        part: "".into(),
        mean: mean * (1.0 + more),
        percentiles: Some([mean, 1.5 * mean, 2.0 * mean * (1.0 + more)]),
    };
    let count = |part: &'static str, mean: f64| SummaryValue {
        object: "bottleneck.forward".to_owned(),
        metric: metrics::DROPS,
        part: part.into(),
        mean,
        percentiles: None,
    };
    // Ten samples per second; each series waves a little around its value, except the sojourn time.
    let series = |id, metric, value: f64, wave: f64| {
        let points = (1..=10 * SECONDS).map(move |sample| {
            let phase = (sample % 50) as f64 / 50.0;
            (Time::from_millis(100 * sample), value * (1.0 + wave * (phase - 0.5)))
        });
        Series::new(id, metric, "").with(points)
    };
    let backlog = 20.0 * (1.0 + f64::from(place % 4));
    RunRecord {
        objects: vec![object(queue, "bottleneck.forward"), object(bulk, "bulk"), object(ping, "ping")],
        series: vec![
            series(queue, metrics::BACKLOG, backlog, 0.5),
            series(queue, metrics::SOJOURN, sojourn, 0.0),
            series(queue, metrics::THROUGHPUT, 9.0, 0.1),
            series(bulk, metrics::GOODPUT, 8.0 + f64::from(place % 7) / 7.0, 0.1),
            series(bulk, metrics::CWND, 30_000.0 * (1.0 + f64::from(place % 3)), 0.6),
            series(ping, metrics::RTT, 20.0 + sojourn, 0.2),
        ],
        drops: DecisionLog::default(),
        frames: Vec::new(),
        summary: vec![
            value("bottleneck.forward", metrics::UTILISATION, 90.0),
            value("bottleneck.forward", metrics::BACKLOG, backlog),
            value("bottleneck.forward", metrics::SOJOURN, sojourn),
            count("", 100.0 + f64::from(place)),
            count("buffer-full", 60.0),
            count("codel", 40.0 + f64::from(place)),
            value("bulk", metrics::GOODPUT, 8.0 + f64::from(place % 7) / 7.0),
            value("ping", metrics::RTT, 20.0 + sojourn),
        ],
        gauges: Vec::new(),
        events: Vec::new(),
        accounts: AccountLog::default(),
        ends: Vec::new(),
    }
}
