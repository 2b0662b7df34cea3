//! Results of flent (`.flent.gz`, `.flent`, `.json.gz`), read for a comparison.
//!
//! The format is that of flent's documentation ("The Data File Format"): a JSON object with `version`, `x_values`,
//! `results`, `metadata` and `raw_values`, usually compressed with gzip. `raw_values` are not needed.

use std::io::Read;
use std::path::Path;

use indexmap::IndexMap;
use jettison_core::{Duration, Time};
use jettison_input::file;
use jettison_measure::{Metric, Recorder, RecorderSettings, metrics};
use jettison_wire::FlowId;
use serde::Deserialize;
use serde::de::IgnoredAny;
use thiserror::Error;

use crate::error::ReportError;
use crate::model::{Experiment, Mode, RunKey, Variant};
use crate::store::{Closing, Results, Writer, WriterOptions};

/// Results of a test of flent.
#[derive(Debug, Clone, PartialEq)]
pub struct FlentResults {
    /// Name of the test, such as `rrul`.
    pub name: String,
    /// Title given by the user; may be empty.
    pub title: String,
    /// Time in which the loads ran, from the start.
    loaded: [f64; 2],
    /// Times of the points in seconds.
    times: Vec<f64>,
    series: Vec<FlentSeries>,
    /// Series that no metric of ours corresponds to.
    pub left_out: Vec<String>,
}

/// A series of flent under the name of a flow of ours.
#[derive(Debug, Clone, PartialEq)]
struct FlentSeries {
    flow: String,
    metric: Metric,
    values: Vec<Option<f64>>,
}

/// Error in a file of flent.
#[derive(Debug, Error)]
#[error("{file}: {message}")]
pub struct FlentError {
    file: String,
    message: String,
}

/// The JSON object.
#[derive(Deserialize)]
struct Document {
    version: Option<u32>,
    x_values: Option<Vec<f64>>,
    results: Option<IndexMap<String, Vec<Option<f64>>>>,
    #[serde(default)]
    metadata: IndexMap<String, serde_json::Value>,
    #[serde(default)]
    #[allow(dead_code)] // large, and not needed
    raw_values: IgnoredAny,
}

/// Maximum size of a file, also decompressed.
const LARGEST: u64 = 256 << 20;
/// Latest time of a point: a week, so that times fit and mistakes show.
const LONGEST: f64 = 7.0 * 86_400.0;
/// First bytes of a gzip file (RFC 1952 §2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// Newest version of the format: flent 2.1.1 refuses later ones.
const NEWEST: u32 = 4;
/// Name of the only variant.
const VARIANT: &str = "flent";

impl FlentResults {
    /// Reads a file.
    ///
    /// # Errors
    /// If the file cannot be read, is too large, or is no result of flent.
    pub fn read(path: &Path) -> Result<FlentResults, FlentError> {
        let error = |message: String| FlentError { file: path.display().to_string(), message };
        let bytes = file::read(path, LARGEST).map_err(|cause| error(format!("cannot be read: {cause}")))?;
        let text = if bytes.starts_with(&GZIP) { decompressed(&bytes).map_err(error)? } else { bytes };
        FlentResults::parse(&text).map_err(error)
    }

    /// Reads the JSON text.
    fn parse(text: &[u8]) -> Result<FlentResults, String> {
        let document: Document = serde_json::from_slice(text).map_err(|cause| {
            format!("must be JSON as flent writes it (`.flent`, `.flent.gz`, `.json.gz`): {cause}")
        })?;
        let missing = |key: &str| format!("must have the key `{key}`, which every result of flent has");
        let version = document.version.ok_or_else(|| missing("version"))?;
        if !(1..=NEWEST).contains(&version) {
            return Err(format!("`version` must be 1 to {NEWEST}, as flent 2.1 writes it, got {version}"));
        }
        let times = document.x_values.ok_or_else(|| missing("x_values"))?;
        let results = document.results.ok_or_else(|| missing("results"))?;
        if times.is_empty() {
            return Err("`x_values` must not be empty: the test has no point".to_owned());
        }
        let start = times[0].min(0.0);
        let times: Vec<f64> = times.into_iter().map(|time| time - start).collect();
        if let Some(at) = times.windows(2).position(|pair| pair[1] <= pair[0]) {
            return Err(format!("`x_values` must increase, got {} after {}", times[at + 1], times[at]));
        }
        if let Some(last) = times.last().filter(|last| **last > LONGEST) {
            return Err(format!("`x_values` must be seconds below a week, got {last}"));
        }
        let (mut series, mut left_out): (Vec<FlentSeries>, _) = (Vec::new(), Vec::new());
        for (name, values) in results {
            if values.len() != times.len() {
                let (points, of) = (values.len(), times.len());
                return Err(format!("series `{name}` must have the {of} points of `x_values`, got {points}"));
            }
            match ours(&name) {
                Some((flow, metric)) if series.iter().all(|known| known.flow != flow) => {
                    series.push(FlentSeries { flow, metric, values });
                }
                _ => left_out.push(name),
            }
        }
        if series.is_empty() {
            return Err(format!(
                "has no series of TCP rates or pings, got {}",
                if left_out.is_empty() { "none".to_owned() } else { left_out.join(", ") }
            ));
        }
        let text =
            |key: &str| document.metadata.get(key).and_then(|value| value.as_str()).unwrap_or_default();
        let number = |key: &str| document.metadata.get(key).and_then(|value| value.as_f64());
        let end = times.last().copied().unwrap_or_default();
        // The pings begin before the loads and end after them, by the same time.
        let loaded = match (number("LENGTH"), number("TOTAL_LENGTH")) {
            (Some(length), Some(total)) if length > 0.0 && total >= length => {
                let delay = (total - length) / 2.0;
                [delay, (delay + length).min(end)]
            }
            _ => [0.0, end],
        };
        let name = if text("NAME").is_empty() { "flent" } else { text("NAME") }.to_owned();
        Ok(FlentResults { name, title: text("TITLE").to_owned(), loaded, times, series, left_out })
    }

    /// Writes them as results of ours to a new folder: the series as they are, and of each the mean and the percentiles of
    /// its points while the loads ran.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn write(&self, folder: &Path) -> Result<Results, ReportError> {
        let at = |seconds: f64| Time::from_nanos((seconds * 1e9) as u64);
        let warm_up = at(self.loaded[0]);
        let mut recorder = Recorder::new(RecorderSettings { warm_up, ..RecorderSettings::default() });
        for series in &self.series {
            let object = recorder.add_flow(series.flow.as_str());
            // Its goodput is not counted here but read.
            recorder.carries_no_data(FlowId(object.index));
            let points = self.times.iter().zip(&series.values);
            let points: Vec<(f64, f64)> =
                points.filter_map(|(time, value)| Some((*time, (*value)?))).collect();
            points.iter().for_each(|(time, value)| recorder.point(object, series.metric, at(*time), *value));
            let [from, to] = self.loaded;
            let mut loaded: Vec<f64> = points
                .into_iter()
                .filter(|(time, _)| (from..=to).contains(time))
                .map(|(_, value)| value)
                .collect();
            if loaded.is_empty() {
                continue;
            }
            loaded.sort_by(f64::total_cmp);
            let mean = loaded.iter().sum::<f64>() / loaded.len() as f64;
            let quantile = |share: f64| loaded[(share * (loaded.len() - 1) as f64).round() as usize];
            recorder.summarise(
                series.flow.as_str(),
                series.metric,
                mean,
                Some([0.5, 0.95, 0.99].map(quantile)),
            );
        }
        let end = at(self.times.last().copied().unwrap_or_default());
        let key = RunKey { variant: VARIANT.to_owned(), seed: 0 };
        let variant = Variant { name: VARIANT.to_owned(), labels: IndexMap::new(), baseline: None };
        let experiment = Experiment {
            name: self.name.clone(),
            description: self.title.clone(),
            mode: Mode::Flent,
            duration: end.since(Time::ZERO),
            warm_up: Duration::from_nanos(warm_up.as_nanos()),
            variants: vec![variant],
            seeds: vec![key.seed],
            inputs: Vec::new(),
            bottleneck: None,
            report: Default::default(),
            figures: Vec::new(),
            styles: Default::default(),
            configuration: String::new(),
        };
        let mut writer = Writer::create(folder, experiment, WriterOptions::default())?;
        writer.add_run(&key, &recorder.finish(end))?;
        writer.finish(Closing::default())
    }
}

fn decompressed(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    let limited = flate2::read::MultiGzDecoder::new(bytes).take(LARGEST + 1).read_to_end(&mut text);
    limited.map_err(|cause| format!("cannot be decompressed: {cause}"))?;
    if text.len() as u64 > LARGEST {
        return Err(format!("must be at most {} MiB decompressed", LARGEST >> 20));
    }
    Ok(text)
}

/// The flow and metric of ours that a series corresponds to: `TCP download BE` is the goodput of `down-be`, `TCP upload::2`
/// that of `up.2`, and `Ping (ms) UDP EF` the round-trip time of `ping-udp-ef`. Sums and means over flows, and further
/// quantities of a flow (`::tcp_cwnd`), have none.
fn ours(name: &str) -> Option<(String, Metric)> {
    let (whole, part) = name.split_once("::").map_or((name, None), |(whole, part)| (whole, Some(part)));
    let number = match part {
        Some(part) if part.parse::<u32>().is_err() => return None,
        part => part.map(|part| format!(".{part}")).unwrap_or_default(),
    };
    let kinds = [
        ("TCP download", "down", metrics::GOODPUT),
        ("TCP upload", "up", metrics::GOODPUT),
        ("Ping (ms)", "ping", metrics::RTT),
    ];
    let (rest, flow, metric) = kinds
        .into_iter()
        .find_map(|(begin, flow, metric)| Some((whole.strip_prefix(begin)?, flow, metric)))?;
    let words: Vec<String> = rest.split_whitespace().map(str::to_lowercase).collect();
    if words.iter().any(|word| ["avg", "sum", "totals"].contains(&word.as_str())) {
        return None;
    }
    let words: String = words.iter().map(|word| format!("-{word}")).collect();
    Some((format!("{flow}{words}{number}"), metric))
}

#[cfg(test)]
#[path = "flent_tests.rs"]
mod tests;
