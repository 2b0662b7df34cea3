//! Measurements by the user's programs: lines of JSON in one file per program.

use jettison_core::{Duration, Time};
use jettison_measure::{Kind, Metric, ObjectId, Recorder, metrics};
use jettison_wire::FlowId;
use serde::Deserialize;

/// One line of a program's results.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Line {
    /// A value at a time.
    Point { unix_ms: f64, metric: String, value: f64 },
    /// A value for the whole run.
    Summary { summary: String, value: f64 },
    /// A note for the report.
    Note { note: String },
}

/// Data from a program's results that the recorder does not take.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramNotes {
    /// Notes of the program, and messages about malformed lines.
    pub notes: Vec<String>,
}

/// Adds a program's results to its flow. `origin_unix_ms` is the start of the run. Points before it or after `end`
/// are ignored.
pub fn add(
    text: &str,
    flow: FlowId,
    origin_unix_ms: f64,
    end: Time,
    recorder: &mut Recorder,
    name: &str,
) -> ProgramNotes {
    let mut found = ProgramNotes::default();
    let mut malformed = MalformedLines::default();
    let object = ObjectId { kind: Kind::Flow, index: flow.0 };
    let object_name = recorder.flow_name(flow).to_owned();
    let (mut points, mut summed): (Vec<(Time, Metric, f64)>, Vec<Metric>) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str(line) {
            Ok(Line::Point { unix_ms, metric, value }) => {
                let since = unix_ms - origin_unix_ms;
                let within = (0.0..=end.since(Time::ZERO).as_nanos() as f64 / 1e6).contains(&since);
                let at = Time::ZERO + Duration::from_nanos((since.max(0.0) * 1e6) as u64);
                match known(&metric) {
                    Some(metric) if value.is_finite() && within => points.push((at, metric, value)),
                    Some(_) if value.is_finite() => {}
                    Some(_) => malformed.add(number, format!("the value of `{metric}` must be finite")),
                    None => malformed.add(number, format!("unknown metric `{metric}`")),
                }
            }
            Ok(Line::Summary { summary, value }) => match known(&summary) {
                Some(metric) => {
                    summed.push(metric);
                    recorder.summarise(object_name.as_str(), metric, value, None);
                }
                None => malformed.add(number, format!("unknown metric `{summary}`")),
            },
            Ok(Line::Note { note }) => found.notes.push(format!("{name}: {note}")),
            Err(_) => malformed.add(number, "must be a point, a summary or a note".to_owned()),
        }
    }
    points.sort_by_key(|(at, ..)| *at); // series are in chronological order
    for metric in metrics::ALL {
        let own = points.iter().filter(|(at, other, _)| other == metric && *at >= recorder.warm_up());
        let values: Vec<f64> = own.map(|(.., value)| *value).collect();
        // Metrics without a summary of the program get the mean and percentiles of their points.
        if !values.is_empty() && !summed.contains(metric) {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            recorder.summarise(object_name.as_str(), *metric, mean, percentiles(values));
        }
    }
    for (at, metric, value) in points {
        recorder.point(object, metric, at, value);
    }
    if let Some((line, message)) = malformed.first {
        let more = match malformed.count - 1 {
            0 => String::new(),
            1 => " (and another malformed line)".to_owned(),
            more => format!(" (and {more} other malformed lines)"),
        };
        found.notes.push(format!("{name}: line {line} of its results is ignored: {message}{more}"));
    }
    found
}

/// Median, 95th and 99th percentile by the nearest-rank method.
fn percentiles(mut values: Vec<f64>) -> Option<[f64; 3]> {
    values.sort_by(f64::total_cmp);
    let rank = |share: f64| (share * values.len() as f64).ceil() as usize;
    let value = |share| values.get(rank(share).saturating_sub(1)).copied();
    Some([value(0.5)?, value(0.95)?, value(0.99)?])
}

/// The first malformed line, and the number of malformed lines.
#[derive(Debug, Default)]
struct MalformedLines {
    first: Option<(usize, String)>,
    count: usize,
}

impl MalformedLines {
    fn add(&mut self, number: usize, message: String) {
        self.count += 1;
        self.first.get_or_insert((number + 1, message));
    }
}

fn known(name: &str) -> Option<Metric> {
    metrics::ALL.iter().find(|metric| metric.name == name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jettison_measure::RecorderSettings;

    #[test]
    fn points_in_the_run_summaries_and_notes_are_taken_and_the_rest_is_told() {
        let mut recorder = Recorder::new(RecorderSettings::default());
        recorder.add_flow("player");
        let text = r#"{"unix_ms": 999.0, "metric": "buffer", "value": 9}
{"unix_ms": 3000, "metric": "buffer", "value": 2.5}
{"unix_ms": 2000, "metric": "buffer", "value": 1}

{"summary": "stalls", "value": 2}
{"note": "it stuttered"}
{"unix_ms": 2000, "metric": "bufer", "value": 1}
nonsense
{"unix_ms": 99000, "metric": "buffer", "value": 9}
"#;
        let end = Time::from_secs(10);
        let found = add(text, FlowId(0), 1000.0, end, &mut recorder, "player");
        assert_eq!(found.notes.len(), 2, "{found:?}");
        assert_eq!(found.notes[0], "player: it stuttered");
        assert!(
            found.notes[1].contains("line 7") && found.notes[1].contains("another malformed line"),
            "{found:?}"
        );
        let record = recorder.finish(end);
        let series = record.series.iter().find(|s| s.metric == metrics::BUFFER).expect("a series was made");
        assert_eq!(series.times().unwrap(), [Time::from_secs(1), Time::from_secs(2)]);
        assert_eq!(series.values().unwrap(), [1.0, 2.5]);
        assert_eq!(record.summary_value("player", metrics::STALLS).map(|v| v.mean), Some(2.0));
    }
}
