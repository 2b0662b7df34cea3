//! Measurements by the user's programs: lines of JSON in one file per program.

use jettison_core::{Duration, Time};
use jettison_measure::{FrameScore, Kind, Metric, ObjectId, Recorder, metrics};
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
    /// A frame that was shown, by its number within the flow.
    Frame { frame: u32, captured_unix_ms: f64, shown_unix_ms: f64 },
    /// A note for the report.
    Note { note: String },
}

/// A frame that was shown: its number, the time of its capture, and from then until it was shown.
type Shown = (u32, Time, Duration);

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
    let mut shown: Vec<Shown> = Vec::new();
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
            Ok(Line::Frame { frame, captured_unix_ms, shown_unix_ms }) => {
                let (captured, latency) =
                    (captured_unix_ms - origin_unix_ms, shown_unix_ms - captured_unix_ms);
                let warm_up = recorder.warm_up().since(Time::ZERO).as_nanos() as f64 / 1e6;
                let last = end.since(Time::ZERO).as_nanos() as f64 / 1e6;
                if !(captured.is_finite() && latency >= 0.0 && latency.is_finite()) {
                    malformed.add(number, "a frame must be shown after its capture".to_owned());
                } else if captured >= warm_up && captured + latency <= last {
                    let nanos = |ms: f64| Duration::from_nanos((ms * 1e6) as u64);
                    shown.push((frame, Time::ZERO + nanos(captured), nanos(latency)));
                }
            }
            Ok(Line::Note { note }) => found.notes.push(format!("{name}: {note}")),
            Err(_) => malformed.add(number, "must be a point, a summary, a frame or a note".to_owned()),
        }
    }
    if !score(&mut shown, flow, recorder) {
        found
            .notes
            .push(format!("{name}: its frames are ignored: their numbers have gaps of over {MOST_MISSING}"));
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

/// Most frames in succession that may be missing: more are a program's mistake, and would fill the memory.
const MOST_MISSING: u32 = 10_000;

/// Scores the shown frames, and those between them as not shown, captured at equal distances. What was captured after the last
/// one that was shown is unknown. Whether the numbers were plausible.
fn score(shown: &mut Vec<Shown>, flow: FlowId, recorder: &mut Recorder) -> bool {
    shown.sort_unstable_by_key(|(frame, ..)| *frame);
    shown.dedup_by_key(|(frame, ..)| *frame);
    if shown.windows(2).any(|pair| matches!(pair, [(a, ..), (b, ..)] if b - a > MOST_MISSING)) {
        return false;
    }
    let Some(meter) = recorder.flow(flow).filter(|_| !shown.is_empty()) else { return true };
    let video = meter.video();
    let mut add = |frame, captured_at, latency: Option<Duration>| {
        video.frame_sent(frame, captured_at);
        let layers = latency.is_some().into();
        video.scored(FrameScore { frame, captured_at, layers, latency, ssim_db: f64::NAN, ssim: f64::NAN });
    };
    let mut before: Option<(u32, Time)> = None;
    for (frame, captured_at, latency) in shown.drain(..) {
        if let Some((last, at)) = before {
            let step = captured_at.since(at).as_nanos() / u64::from(frame - last);
            for missing in last + 1..frame {
                add(missing, at + Duration::from_nanos(step * u64::from(missing - last)), None);
            }
        }
        add(frame, captured_at, Some(latency));
        before = Some((frame, captured_at));
    }
    true
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

    #[test]
    fn shown_frames_are_scored_and_those_between_were_not_shown() {
        let mut recorder = Recorder::new(RecorderSettings::default());
        recorder.add_flow("call");
        let text = r#"{"frame": 7, "captured_unix_ms": 1300, "shown_unix_ms": 1400}
{"frame": 4, "captured_unix_ms": 1000, "shown_unix_ms": 1050}
{"frame": 8, "captured_unix_ms": 1400, "shown_unix_ms": 1300}
{"frame": 9, "captured_unix_ms": 99000, "shown_unix_ms": 99001}
"#;
        let end = Time::from_secs(10);
        let found = add(text, FlowId(0), 1000.0, end, &mut recorder, "call.to");
        assert_eq!(found.notes.len(), 1, "{found:?}");
        assert!(found.notes[0].contains("line 3"), "{found:?}");
        let scores = recorder.flow(FlowId(0)).unwrap().video().scores().to_vec();
        let told: Vec<_> = scores.iter().map(|s| (s.frame, s.captured_at, s.latency)).collect();
        let (at, ms) = (Time::from_millis, Duration::from_millis);
        assert_eq!(
            told,
            [(4, at(0), Some(ms(50))), (5, at(100), None), (6, at(200), None), (7, at(300), Some(ms(100)))]
        );
        let gap = r#"{"frame": 0, "captured_unix_ms": 1000, "shown_unix_ms": 1050}
{"frame": 4000000000, "captured_unix_ms": 1100, "shown_unix_ms": 1150}"#;
        let found = add(gap, FlowId(0), 1000.0, end, &mut recorder, "call.to");
        assert!(found.notes[0].contains("gaps"), "{found:?}");
    }
}
