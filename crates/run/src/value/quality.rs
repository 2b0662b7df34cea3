//! What viewers and others got in a continuation, from its record.
//!
//! Both arms of a trial have the same past, so totals since the warm-up serve as well as totals over the horizon: their
//! difference is that of the horizon. A frame that was under way as the decision was taken counts.

use jettison_core::{Duration, Time};
use jettison_dash::qoe::LinearWeights;
use jettison_measure::{FrameScore, Kind, ObjectId, ObjectRecord, RunRecord, metrics};

use super::trial::Values;

/// Frames captured so long before the decision may still be affected by it, and those captured so long before the end of
/// the horizon may be under way.
const UNDER_WAY: Duration = Duration::from_secs(1);

/// What is to be read from the record of a continuation.
#[derive(Debug, Clone)]
pub struct Reading {
    /// Names of the flows with viewers, with their frames' deadlines.
    pub viewers: Vec<(String, Duration)>,
    /// The queue's name.
    pub queue: String,
    /// End of the warm-up.
    pub warm_up: Time,
    /// Instant of the decision.
    pub from: Time,
    /// End of the horizon.
    pub until: Time,
}

/// Sum and number of the sojourn times in the queue so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sojourns {
    nanos: u128,
    count: u64,
}

impl Sojourns {
    /// Those of a queue in a record.
    pub fn of(record: &RunRecord, queue: &str) -> Sojourns {
        let found =
            record.objects.iter().find(|object| object.id.kind == Kind::Queue && object.name == queue);
        let found =
            found.and_then(|object| object.distributions.iter().find(|(m, _)| *m == metrics::SOJOURN));
        found.map_or_else(Sojourns::default, |(_, own)| Sojourns {
            nanos: own.sum_nanos(),
            count: own.count(),
        })
    }

    /// The mean since an earlier count, in milliseconds.
    fn mean_since(self, before: Sojourns) -> f64 {
        let count = self.count.saturating_sub(before.count);
        if count == 0 { 0.0 } else { self.nanos.saturating_sub(before.nanos) as f64 / count as f64 / 1e6 }
    }
}

impl Reading {
    /// The values of a continuation that ended at [`Reading::until`]. `before` are the sojourn times up to the decision.
    pub fn values(&self, record: &RunRecord, before: Sojourns) -> Values {
        let [mut picture, mut quality, mut goodput] = [0.0; 3];
        for object in record.objects.iter().filter(|object| object.id.kind == Kind::Flow) {
            if let Some((_, deadline)) = self.viewers.iter().find(|(name, _)| *name == object.name) {
                let [own_picture, own_quality] = self.viewer(record, object, *deadline);
                picture += own_picture;
                quality += own_quality;
            } else if let Some(own) = record.summary_value(&object.name, metrics::GOODPUT) {
                goodput += own.mean * 1e3 * self.until.since(self.warm_up).as_secs_f64();
            }
        }
        let latency = Sojourns::of(record, &self.queue).mean_since(before);
        Values([picture, quality, goodput, latency])
    }

    /// Picture in time, in milliseconds, and quality of a viewer.
    fn viewer(&self, record: &RunRecord, object: &ObjectRecord, deadline: Duration) -> [f64; 2] {
        let frames = record.frames.iter().find(|frames| frames.flow.0 == object.id.index);
        if let Some(frames) = frames {
            return self.layered(&frames.scores, deadline);
        }
        if let Some((_, delays)) = object.distributions.iter().find(|(m, _)| *m == metrics::FRAME_DELAY) {
            let sent = record.summary_part(&object.name, metrics::FRAMES, "sent").map_or(0.0, |own| own.mean);
            let in_time = delays.at_most(deadline) as f64;
            let period = self.until.since(self.warm_up).as_secs_f64() / sent.max(1.0);
            return [1e3 * in_time * period, in_time];
        }
        self.streamed(record, &object.name, object.id)
    }

    /// A video with a score per frame: picture in time, and SSIM in dB times seconds.
    fn layered(&self, scores: &[FrameScore], deadline: Duration) -> [f64; 2] {
        let (Some(first), Some(last)) = (scores.first(), scores.last()) else { return [0.0; 2] };
        let intervals = (last.frame - first.frame).max(1);
        let period = last.captured_at.since(first.captured_at).as_secs_f64() / f64::from(intervals);
        let within = |score: &&FrameScore| {
            score.captured_at + UNDER_WAY > self.from && score.captured_at + UNDER_WAY <= self.until
        };
        let counted = || scores.iter().filter(within);
        let in_time = counted().filter(|score| score.latency.is_some_and(|own| own <= deadline)).count();
        [1e3 * in_time as f64 * period, counted().map(|score| score.ssim_db).sum::<f64>() * period]
    }

    /// Adaptive streaming: less the stall time, and the linear QoE per segment that came within the horizon.
    fn streamed(&self, record: &RunRecord, name: &str, id: ObjectId) -> [f64; 2] {
        let stalled = record.summary_value(name, metrics::STALL_TIME).map_or(0.0, |own| own.mean);
        let series =
            record.series.iter().find(|s| s.object == id && s.metric == metrics::REPRESENTATION_RATE);
        let mut rates: Vec<(Time, f64)> = Vec::new();
        for piece in series.into_iter().flat_map(|series| series.pieces()).map_while(Result::ok) {
            rates.extend(piece.points());
        }
        let first = rates.partition_point(|(at, _)| *at <= self.from);
        let own = &rates[first..];
        let weights = LinearWeights::default();
        if own.is_empty() {
            return [-1e3 * stalled, -weights.rebuffering * stalled];
        }
        let mut sum = 0.0;
        let mut last = rates[..first].last().map_or(own[0].1, |(_, rate)| *rate);
        for (_, rate) in own {
            sum += rate - weights.switching * (rate - last).abs();
            last = *rate;
        }
        let segments = own.len() as f64;
        [-1e3 * stalled, (sum - weights.rebuffering * stalled) / segments]
    }
}

#[cfg(test)]
mod tests {
    use jettison_measure::Series;

    use super::*;

    fn reading() -> Reading {
        Reading {
            viewers: vec![("tv".to_owned(), Duration::MAX)],
            queue: "q".to_owned(),
            warm_up: Time::ZERO,
            from: Time::from_secs(10),
            until: Time::from_secs(14),
        }
    }

    #[test]
    fn frames_count_if_they_could_be_affected_and_are_not_under_way() {
        // One a second; frame 9 was captured at 9 s, a second before the decision.
        let score = |frame: u32, latency: Option<u64>| FrameScore {
            frame,
            captured_at: Time::from_secs(u64::from(frame)),
            layers: 1,
            latency: latency.map(Duration::from_millis),
            ssim_db: 10.0,
            ssim: 0.9,
        };
        let scores: Vec<FrameScore> =
            (8..=14).map(|frame| score(frame, [Some(100), Some(201), None][frame as usize % 3])).collect();
        // Counted are 10 to 13: 12 has 100 ms; 10 and 13 have 201 ms, 11 none.
        assert_eq!(reading().layered(&scores, Duration::from_millis(200)), [1_000.0, 40.0]);
    }

    #[test]
    fn streaming_is_judged_by_what_came_within_the_horizon() {
        let id = ObjectId { kind: Kind::Flow, index: 0 };
        let points = [(9, 500.0), (11, 1_000.0), (13, 800.0)].map(|(at, rate)| (Time::from_secs(at), rate));
        let series = Series::new(id, metrics::REPRESENTATION_RATE, "").with(points);
        let record = RunRecord { series: vec![series], ..empty() };
        // 1000 - 500 and 800 - 200, over two segments.
        assert_eq!(reading().streamed(&record, "tv", id), [0.0, 550.0]);
    }

    #[test]
    fn the_mean_sojourn_time_is_that_since_the_decision() {
        let [before, after] =
            [(4_000_000, 2), (10_000_000, 4)].map(|(nanos, count)| Sojourns { nanos, count });
        assert_eq!(after.mean_since(before), 3.0);
        assert_eq!(before.mean_since(before), 0.0);
    }

    fn empty() -> RunRecord {
        jettison_measure::Recorder::new(jettison_measure::RecorderSettings::default())
            .finish(Time::from_secs(14))
    }
}
