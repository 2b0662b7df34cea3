//! What the viewer of a real-time video saw: how old the newest frame was, which frames could be shown, and how well.

use jettison_core::{DropReason, Duration, Time};

use crate::distribution::IntervalMean;
use crate::recorder::{SummaryValue, of_distribution, part_of, plain};
use crate::{Distribution, Metric, metrics, statistics};

/// Counters and distributions of one flow's video.
#[derive(Debug, Clone, Default)]
pub struct VideoMeter {
    age: Distribution,
    interval_age: IntervalMean,
    latency: Distribution,
    /// The newest frame that was delivered, and when it was captured.
    newest: Option<(u32, Time)>,
    /// The last frame that was sent, and when it was captured.
    last_sent: Option<(u32, Time)>,
    frames_sent: u64,
    messages: u64,
    refused: u64,
    late: u64,
    dropped: [u64; DropReason::ALL.len()],
    /// All frames that were scored, in their order.
    scores: Vec<FrameScore>,
    /// Frames before this one are not measured.
    first: u32,
}

/// What became of one frame at the viewer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameScore {
    /// Its number within its flow, from 0.
    pub frame: u32,
    /// When it was captured.
    pub captured_at: Time,
    /// How many layers of it were decoded; 0 if it could not be shown.
    pub layers: u8,
    /// From its capture to the arrival of what was decoded last; `None` if it could not be shown.
    pub latency: Option<Duration>,
    /// What was on the screen in its place: SSIM in dB.
    pub ssim_db: f64,
    /// The same as a number, from 0 to 1.
    pub ssim: f64,
}

/// Names of the layers, of which a frame's highest is counted.
const LAYERS: [&str; 9] = ["none", "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7"];

impl VideoMeter {
    /// A frame was handed to the transport, all its messages together. Frames are told in ascending order.
    pub fn frame_sent(&mut self, frame: u32, captured_at: Time) {
        self.frames_sent += 1;
        self.last_sent = Some((frame, captured_at));
    }

    /// The last frame that was sent, and when it was captured.
    pub fn last_sent(&self) -> Option<(u32, Time)> {
        self.last_sent
    }

    /// The transport took a message.
    pub fn message_sent(&mut self) {
        self.messages += 1;
    }

    /// The transport's buffer was full, and it did not take a message.
    pub fn message_refused(&mut self) {
        self.refused += 1;
    }

    /// The sender dropped a message that it had taken.
    pub fn message_dropped(&mut self, reason: DropReason) {
        self.dropped[reason.index()] += 1;
    }

    /// A message arrived so late that its frame had been scored.
    pub fn message_late(&mut self) {
        self.late += 1;
    }

    /// A message of a frame arrived whole. If the frame is newer than all that arrived before, the age of information just
    /// before is recorded: the time since the newest of those was captured.
    #[inline]
    pub fn delivered(&mut self, frame: u32, captured_at: Time, now: Time) {
        match self.newest {
            Some((newest, _)) if newest >= frame => return,
            Some((_, since)) => self.age.record(now.since(since)),
            None => {}
        }
        self.newest = Some((frame, captured_at));
    }

    /// What became of a frame is known. Frames are told in ascending order.
    pub fn scored(&mut self, score: FrameScore) {
        if score.frame >= self.first
            && let Some(latency) = score.latency
        {
            self.latency.record(latency);
        }
        self.scores.push(score);
    }

    /// What became of the frames that were captured since the warm-up ended, in their order.
    pub fn scores(&self) -> &[FrameScore] {
        let from = self.scores.partition_point(|score| score.frame < self.first);
        &self.scores[from..]
    }

    /// What became of all frames, those captured before the warm-up ended too. None are left.
    pub(crate) fn take_scores(&mut self) -> Vec<FrameScore> {
        std::mem::take(&mut self.scores)
    }

    /// The age of information just before each delivery.
    pub fn age(&self) -> &Distribution {
        &self.age
    }

    /// From the capture of frames to the arrival of their highest decoded layer.
    pub fn latency(&self) -> &Distribution {
        &self.latency
    }

    /// Ends an interval: the mean age of information before its deliveries, if there were any.
    pub(crate) fn take_interval_age(&mut self) -> Option<Duration> {
        self.interval_age.take(&self.age)
    }

    /// Counts start anew. A frame that was captured before is not measured, whenever it arrives.
    pub(crate) fn start_measuring(&mut self) {
        let seen = self.last_sent.max(self.newest);
        self.first = seen.map_or(self.first, |(frame, _)| frame.saturating_add(1));
        self.interval_age.before_clear(&self.age);
        self.age.clear();
        self.latency.clear();
        self.frames_sent = 0;
        self.messages = 0;
        self.refused = 0;
        self.late = 0;
        self.dropped = [0; DropReason::ALL.len()];
    }

    /// Means over the frames captured in each interval that ended by `end`, at its end: of each metric those intervals that have
    /// any.
    pub(crate) fn series(&self, interval: Duration, end: Time) -> [(Metric, Vec<(Time, f64)>); 3] {
        let latency = |score: &FrameScore| score.latency.map(|latency| latency.as_nanos() as f64 / 1e6);
        [
            (metrics::FRAME_LATENCY, self.means(interval, end, latency)),
            (metrics::SQI_SSIM, self.means(interval, end, |score| Some(score.ssim_db))),
            (metrics::SSIM, self.means(interval, end, |score| Some(score.ssim))),
        ]
    }

    fn means(
        &self,
        interval: Duration,
        end: Time,
        value: impl Fn(&FrameScore) -> Option<f64>,
    ) -> Vec<(Time, f64)> {
        let interval = interval.as_nanos().max(1);
        let place = |score: &FrameScore| score.captured_at.as_nanos() / interval;
        let of_chunk = |chunk: &[FrameScore]| {
            let at = Time::from_nanos((place(chunk.first()?) + 1).checked_mul(interval)?);
            let values: Vec<f64> = chunk.iter().filter_map(&value).collect();
            (at <= end).then_some((at, statistics::mean(&values)?))
        };
        self.scores.chunk_by(|one, other| place(one) == place(other)).filter_map(of_chunk).collect()
    }

    /// Values for the summary.
    pub(crate) fn summarise(&self, name: &str, summary: &mut Vec<SummaryValue>) {
        let scores = self.scores();
        summary.extend(of_distribution(name, metrics::AGE_OF_INFORMATION, &self.age));
        summary.extend(of_distribution(name, metrics::FRAME_LATENCY, &self.latency));
        if !scores.is_empty() {
            self.summarise_quality(name, scores, summary);
        }
        summary.push(part_of(plain(name, metrics::FRAMES, self.frames_sent as f64), "sent"));
        let decoded = scores.iter().filter(|score| score.layers > 0).count();
        summary.push(part_of(plain(name, metrics::FRAMES, decoded as f64), "decoded"));
        summary.push(plain(name, metrics::MESSAGES, self.messages as f64));
        let dropped: u64 = self.dropped.iter().sum();
        summary.push(plain(name, metrics::MESSAGE_DROPS, dropped as f64));
        for (reason, count) in DropReason::ALL.iter().zip(self.dropped).filter(|(_, count)| *count > 0) {
            summary.push(part_of(plain(name, metrics::MESSAGE_DROPS, count as f64), reason.name()));
        }
        for (metric, count) in
            [(metrics::REFUSED_MESSAGES, self.refused), (metrics::LATE_MESSAGES, self.late)]
        {
            if count > 0 {
                summary.push(plain(name, metric, count as f64));
            }
        }
    }

    fn summarise_quality(&self, name: &str, scores: &[FrameScore], summary: &mut Vec<SummaryValue>) {
        for (metric, value) in [
            (metrics::SQI_SSIM, (|score| score.ssim_db) as fn(&FrameScore) -> f64),
            (metrics::SSIM, |score| score.ssim),
        ] {
            let mut values: Vec<f64> = scores.iter().map(value).collect();
            let mean = statistics::mean(&values);
            values.sort_by(f64::total_cmp);
            let at = |share| statistics::quantile(&values, share);
            let percentiles = [0.5, 0.95, 0.99].map(at);
            if let (Some(mean), [Some(p50), Some(p95), Some(p99)]) = (mean, percentiles) {
                let percentiles = Some([p50, p95, p99]);
                summary.push(SummaryValue { percentiles, ..plain(name, metric, mean) });
            }
        }
        let mut layers = [0u64; LAYERS.len()];
        for score in scores {
            layers[usize::from(score.layers).min(LAYERS.len() - 1)] += 1;
        }
        let share = |count: u64| 100.0 * count as f64 / scores.len() as f64;
        summary.push(plain(name, metrics::FRAMES_DECODED, share(scores.len() as u64 - layers[0])));
        // Up to the highest one that any frame had, so that a video of one layer has one.
        let highest = layers.iter().rposition(|count| *count > 0).unwrap_or_default();
        for (part, count) in LAYERS.iter().zip(layers).take(highest + 1) {
            summary.push(part_of(plain(name, metrics::LAYER_SHARE, share(count)), *part));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;
    const AT: fn(u64) -> Time = Time::from_millis;

    fn value(summary: &[SummaryValue], metric: Metric, part: &str) -> f64 {
        summary.iter().find(|v| v.metric == metric && v.part == part).map_or(f64::NAN, |v| v.mean)
    }

    /// Frame `frame`, captured 100 ms after the one before, of which so many layers came after `latency` ms.
    fn score(frame: u32, layers: u8, latency: u64, ssim_db: f64) -> FrameScore {
        let latency = (layers > 0).then(|| MS(latency));
        FrameScore {
            frame,
            captured_at: AT(100 * u64::from(frame)),
            layers,
            latency,
            ssim_db,
            ssim: ssim_db / 20.0,
        }
    }

    #[test]
    fn the_age_of_information_is_that_of_the_newest_frame_just_before_a_newer_one_comes() {
        let mut meter = VideoMeter::default();
        meter.delivered(0, AT(0), AT(50)); // nothing was there before
        meter.delivered(0, AT(0), AT(55)); // another layer of it
        meter.delivered(1, AT(33), AT(80)); // 80 ms after the capture of frame 0
        meter.delivered(4, AT(133), AT(200)); // 167 ms after that of frame 1
        meter.delivered(3, AT(100), AT(210)); // overtaken: it tells nothing new
        assert_eq!(meter.age().count(), 2);
        assert_eq!(meter.age().mean(), Duration::from_micros(123_500));
    }

    #[test]
    fn the_summary_has_the_shares_of_layers_the_means_of_quality_and_what_the_sender_dropped() {
        let mut meter = VideoMeter::default();
        for score in
            [score(0, 3, 40, 20.0), score(1, 1, 60, 10.0), score(2, 0, 0, 6.0), score(3, 3, 80, 20.0)]
        {
            meter.frame_sent(score.frame, score.captured_at);
            meter.message_sent();
            meter.scored(score);
        }
        meter.message_dropped(DropReason::StaleMessage);
        meter.message_dropped(DropReason::StaleMessage);
        meter.message_dropped(DropReason::OverBitrate);
        meter.message_refused();
        let mut summary = Vec::new();
        meter.summarise("cam", &mut summary);
        let layers = ["none", "q0", "q1", "q2"].map(|part| value(&summary, metrics::LAYER_SHARE, part));
        assert_eq!(layers, [25.0, 25.0, 0.0, 50.0]);
        assert!(value(&summary, metrics::LAYER_SHARE, "q3").is_nan());
        assert_eq!(value(&summary, metrics::FRAMES_DECODED, ""), 75.0);
        assert_eq!((value(&summary, metrics::SQI_SSIM, ""), value(&summary, metrics::SSIM, "")), (14.0, 0.7));
        assert!((value(&summary, metrics::FRAME_LATENCY, "") - 60.0).abs() < 0.1);
        assert_eq!(value(&summary, metrics::FRAMES, "sent"), 4.0);
        assert_eq!(value(&summary, metrics::FRAMES, "decoded"), 3.0);
        assert_eq!(value(&summary, metrics::MESSAGE_DROPS, ""), 3.0);
        assert_eq!(value(&summary, metrics::MESSAGE_DROPS, "stale-message"), 2.0);
        assert_eq!(value(&summary, metrics::MESSAGE_DROPS, "over-bitrate"), 1.0);
        assert_eq!(value(&summary, metrics::REFUSED_MESSAGES, ""), 1.0);
    }

    #[test]
    fn frames_that_were_captured_before_the_warm_up_ended_are_in_the_series_alone() {
        let mut meter = VideoMeter::default();
        (0..4).for_each(|frame| meter.frame_sent(frame, AT(100 * u64::from(frame))));
        meter.scored(score(0, 3, 40, 20.0));
        meter.delivered(1, AT(100), AT(350));
        meter.start_measuring();
        meter.delivered(4, AT(400), AT(450));
        assert_eq!(meter.age().mean(), MS(350), "the age goes on");
        (1..4).for_each(|frame| meter.scored(score(frame, 0, 0, 5.0)));
        meter.scored(score(4, 2, 50, 12.0));
        assert_eq!(meter.scores(), [score(4, 2, 50, 12.0)]);
        assert_eq!(meter.latency().count(), 1);
        let [(_, latency), (metric, quality), _] = meter.series(MS(200), AT(500));
        assert_eq!(metric, metrics::SQI_SSIM);
        assert_eq!(quality, [(AT(200), 12.5), (AT(400), 5.0)], "the last interval has not ended");
        assert_eq!(latency, [(AT(200), 40.0)]);
    }

    #[test]
    fn the_age_of_an_interval_is_of_its_own_deliveries() {
        let mut meter = VideoMeter::default();
        meter.delivered(0, AT(0), AT(10));
        assert_eq!(meter.take_interval_age(), None);
        meter.delivered(1, AT(30), AT(50));
        assert_eq!(meter.take_interval_age(), Some(MS(50)));
        assert_eq!(meter.take_interval_age(), None);
    }
}
