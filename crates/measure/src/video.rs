//! Metrics of real-time video: age of information, decoded frames, latency and quality.

use jettison_core::{DropReason, Duration, Time};

use crate::SummaryValue;
use crate::distribution::IntervalMean;
use crate::freezes::Freezes;
use crate::playout::AtDeadlines;
use crate::recorder::{of_distribution, part_of, plain};
use crate::{Counts, Distribution, Metric, metrics, statistics};

/// Counters and distributions of a flow's video.
#[derive(Debug, Clone, Default)]
pub struct VideoMeter {
    age: Distribution,
    interval_age: IntervalMean,
    latency: Distribution,
    /// The newest delivered frame, with its time of capture.
    newest: Option<(u32, Time)>,
    /// The last frame sent, with its time of capture.
    last_sent: Option<(u32, Time)>,
    frames_sent: u64,
    messages: u64,
    refused: u64,
    late: u64,
    dropped: Counts<u64, { DropReason::ALL.len() }>,
    /// Scores of all frames, in their order.
    scores: Vec<FrameScore>,
    at_deadlines: AtDeadlines,
    /// First measured frame.
    first: u32,
}

/// Outcome of a frame at the viewer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameScore {
    /// Number within the flow, from 0.
    pub frame: u32,
    /// Time of capture.
    pub captured_at: Time,
    /// Number of layers decoded; 0 if it could not be shown.
    pub layers: u8,
    /// Time from capture to the arrival of the last decoded layer; `None` if it could not be shown.
    pub latency: Option<Duration>,
    /// SSIM, in dB, of the picture on the screen at its time; not a number if the flow has no model of pictures.
    pub ssim_db: f64,
    /// SSIM from 0 to 1; not a number if the flow has no model of pictures.
    pub ssim: f64,
}

impl FrameScore {
    /// Whether the frame was shown.
    pub fn is_shown(&self) -> bool {
        self.layers > 0
    }
}

/// Part names of the share of frames by highest decoded layer.
const LAYERS: [&str; 9] = ["none", "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7"];

impl VideoMeter {
    /// Records that all messages of a frame were passed to the transport. Call in ascending order of frames.
    pub fn frame_sent(&mut self, frame: u32, captured_at: Time) {
        self.frames_sent += 1;
        self.last_sent = Some((frame, captured_at));
    }

    /// The last frame sent, with its time of capture.
    pub fn last_sent(&self) -> Option<(u32, Time)> {
        self.last_sent
    }

    /// Records a message accepted by the transport.
    pub fn message_sent(&mut self) {
        self.messages += 1;
    }

    /// Records a message refused because the transport's buffer was full.
    pub fn message_refused(&mut self) {
        self.refused += 1;
    }

    /// Records a message dropped by the sender after it was accepted.
    pub fn message_dropped(&mut self, reason: DropReason) {
        self.dropped[reason.index()] += 1;
    }

    /// Records a message that arrived after its frame had been scored.
    pub fn message_late(&mut self) {
        self.late += 1;
    }

    /// Records the complete arrival of a message of a frame. If the frame is the newest so far, records the age of
    /// information just before: the time since the capture of the previous newest frame.
    #[inline]
    pub fn delivered(&mut self, frame: u32, captured_at: Time, now: Time) {
        match self.newest {
            Some((newest, _)) if newest >= frame => return,
            Some((_, since)) => self.age.record(now.since(since)),
            None => {}
        }
        self.newest = Some((frame, captured_at));
    }

    /// Records the outcome of a frame. Call in ascending order of frames.
    pub fn scored(&mut self, score: FrameScore) {
        if score.frame >= self.first
            && let Some(latency) = score.latency
        {
            self.latency.record(latency);
        }
        self.scores.push(score);
    }

    /// Records the outcome of a frame for a viewer who shows what is decoded within `deadline` of its capture. Call in
    /// ascending order of frames for each deadline.
    pub fn scored_at(&mut self, deadline: Duration, score: &FrameScore) {
        if score.frame >= self.first {
            self.at_deadlines.scored(deadline, score);
        }
    }

    /// Share of the measured frames that were shown by one of the deadlines.
    pub fn share_in_time(&self, deadline: Duration) -> Option<f64> {
        self.at_deadlines.share_in_time(deadline)
    }

    /// Scores of the frames captured since the end of the warm-up, in their order.
    pub fn scores(&self) -> &[FrameScore] {
        let from = self.scores.partition_point(|score| score.frame < self.first);
        &self.scores[from..]
    }

    /// Takes the scores of all frames, including the warm-up.
    pub(crate) fn take_scores(&mut self) -> Vec<FrameScore> {
        std::mem::take(&mut self.scores)
    }

    /// The age of information just before each delivery.
    pub fn age(&self) -> &Distribution {
        &self.age
    }

    /// Time from the capture of frames to the arrival of their highest decoded layer.
    pub fn latency(&self) -> &Distribution {
        &self.latency
    }

    /// Ends a sampling interval; returns the mean age of information before its deliveries, if any.
    pub(crate) fn take_interval_age(&mut self) -> Option<Duration> {
        self.interval_age.take(&self.age)
    }

    /// Resets all counts. Frames captured before are not measured, even if they arrive later.
    pub(crate) fn start_measuring(&mut self) {
        let seen = self.last_sent.max(self.newest);
        self.first = seen.map_or(self.first, |(frame, _)| frame.saturating_add(1));
        self.interval_age.before_clear(&self.age);
        self.age.clear();
        self.latency.clear();
        self.at_deadlines.clear();
        self.frames_sent = 0;
        self.messages = 0;
        self.refused = 0;
        self.late = 0;
        self.dropped = Counts::default();
    }

    /// Series of means over the frames captured in each complete interval up to `end`, with the time of the interval's end.
    /// Intervals without values are omitted.
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
            let values: Vec<f64> =
                chunk.iter().filter_map(&value).filter(|value| value.is_finite()).collect();
            (at <= end).then_some((at, statistics::mean(&values)?))
        };
        self.scores.chunk_by(|one, other| place(one) == place(other)).filter_map(of_chunk).collect()
    }

    /// Adds the summary values.
    pub(crate) fn summarise(&self, name: &str, summary: &mut Vec<SummaryValue>) {
        let scores = self.scores();
        summary.extend(of_distribution(name, metrics::AGE_OF_INFORMATION, &self.age));
        summary.extend(of_distribution(name, metrics::FRAME_LATENCY, &self.latency));
        if !scores.is_empty() {
            self.summarise_quality(name, scores, summary);
            self.at_deadlines.summarise(name, summary);
            self.summarise_freezes(name, summary);
        }
        summary.push(part_of(plain(name, metrics::FRAMES, self.frames_sent as f64), "sent"));
        let decoded = scores.iter().filter(|score| score.is_shown()).count();
        summary.push(part_of(plain(name, metrics::FRAMES, decoded as f64), "decoded"));
        summary.push(plain(name, metrics::MESSAGES, self.messages as f64));
        let dropped: u64 = self.dropped.iter().sum();
        summary.push(plain(name, metrics::MESSAGE_DROPS, dropped as f64));
        for (reason, count) in DropReason::ALL.iter().zip(*self.dropped).filter(|(_, count)| *count > 0) {
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

    fn summarise_freezes(&self, name: &str, summary: &mut Vec<SummaryValue>) {
        let Some(freezes) = Freezes::of(&self.scores, self.first) else { return };
        let (time, span) = (freezes.time.as_secs_f64(), freezes.span.as_secs_f64());
        if span > 0.0 {
            summary.push(plain(name, metrics::FREEZE_RATE, 60.0 * freezes.count as f64 / span));
            summary.push(plain(name, metrics::FREEZE_RATIO, 100.0 * time / span));
        }
    }

    fn summarise_quality(&self, name: &str, scores: &[FrameScore], summary: &mut Vec<SummaryValue>) {
        for (metric, value) in [
            (metrics::SQI_SSIM, (|score| score.ssim_db) as fn(&FrameScore) -> f64),
            (metrics::SSIM, |score| score.ssim),
        ] {
            let mut values: Vec<f64> = scores.iter().map(value).filter(|value| value.is_finite()).collect();
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
        // Up to the highest layer seen, so a video of one layer has no rows for others.
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
    fn the_age_of_information_is_the_age_of_the_newest_frame_before_a_newer_one_arrives() {
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
    fn the_summary_has_layer_shares_mean_quality_and_drops_by_the_sender() {
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
    fn frames_captured_during_the_warm_up_are_in_the_series_alone() {
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
    fn the_summary_has_what_a_viewer_feels_of_measured_frames() {
        let mut meter = VideoMeter::default();
        // 20 frames of warm-up, none of which comes within 50 ms; then 100 more, each 100 ms after the one before.
        for frame in 0..20 {
            meter.frame_sent(frame, AT(100 * u64::from(frame)));
            meter.scored(score(frame, 1, 80, 10.0));
            meter.scored_at(MS(50), &score(frame, 0, 0, 0.0));
        }
        meter.start_measuring();
        for frame in 20..120 {
            let is_missing = (60..70).contains(&frame);
            meter.scored(score(frame, u8::from(!is_missing), 80, 10.0));
            meter.scored_at(MS(50), &score(frame, 0, 0, 1.0));
            meter.scored_at(
                MS(100),
                &score(frame, u8::from(!is_missing), 80, if is_missing { 5.0 } else { 10.0 }),
            );
        }
        let mut summary = Vec::new();
        meter.summarise("cam", &mut summary);
        let of = |metric, part| value(&summary, metric, part);
        assert_eq!(
            (of(metrics::FRAMES_IN_TIME, "50 ms"), of(metrics::FRAMES_IN_TIME, "100 ms")),
            (0.0, 90.0)
        );
        assert_eq!(
            (of(metrics::SQI_AT_DEADLINE, "50 ms"), of(metrics::SQI_AT_DEADLINE, "100 ms")),
            (1.0, 9.5)
        );
        // One freeze of 1,100 ms, from frame 59 to frame 70, in the 9.98 s from the capture of frame 20 to the arrival of
        // frame 119.
        assert!((of(metrics::FREEZE_RATE, "") - 60.0 / 9.98).abs() < 1e-9);
        assert!((of(metrics::FREEZE_RATIO, "") - 110.0 / 9.98).abs() < 1e-9);
    }

    #[test]
    fn the_age_of_an_interval_is_over_its_own_deliveries() {
        let mut meter = VideoMeter::default();
        meter.delivered(0, AT(0), AT(10));
        assert_eq!(meter.take_interval_age(), None);
        meter.delivered(1, AT(30), AT(50));
        assert_eq!(meter.take_interval_age(), Some(MS(50)));
        assert_eq!(meter.take_interval_age(), None);
    }
}
