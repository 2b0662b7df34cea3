//! Metrics of adaptive streaming: buffer, frame rate, representations, stalls.

use jettison_core::Duration;

use crate::SummaryValue;
use crate::recorder::{of_distribution, plain};
use crate::{Distribution, metrics, statistics};

/// Counters of a flow's players. A flow has one player or, as a load generator, many, in sequence and in parallel.
#[derive(Debug, Clone, Default)]
pub struct StreamingMeter {
    /// Playout buffer in seconds, one value per player and second of its life.
    buffer: Vec<f32>,
    /// Frames played in these seconds, where known.
    frames: Vec<f32>,
    /// Media time of the video segments fetched, and the integral of their bitrate over it.
    fetched: f64,
    fetched_bits: f64,
    /// Sum of the throughputs of video segments, and their number.
    segment_rates: f64,
    segments: u64,
    switches: u64,
    abandoned: u64,
    /// Sum of the number of players over all seconds, and the number of seconds.
    players: (f64, u64),
    stalls: u64,
    stalled: Duration,
    played: Duration,
    burst: Distribution,
    sessions: Vec<SessionScore>,
}

/// Quality of experience of a session by quality models.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SessionScore {
    /// Time from the start to the first frame; `None` without a frame.
    pub start_up: Option<Duration>,
    /// Video segments played.
    pub segments: u64,
    /// Mean bitrate of the video representations fetched, in kbit/s.
    pub rate: f64,
    /// Linear QoE of Yin et al. 2015 per segment played; for a session without a frame, the sum itself.
    pub linear: f64,
    /// Score of ITU-T P.1203 mode 0 without its random forest, from 1 to 5, if it could be computed.
    pub p1203: Option<f64>,
}

impl StreamingMeter {
    /// Records a second of a player's life: its buffer now, and the frames played in that second, if known.
    pub fn sampled(&mut self, buffer: Duration, frames: Option<f64>) {
        self.buffer.push(buffer.as_secs_f64() as f32);
        self.frames.extend(frames.map(|frames| frames as f32));
    }

    /// Records a complete video segment of duration `media` at `bitrate` bit/s. Its response took `burst` from first to last
    /// byte; `throughput` is its rate in bit/s since the request.
    pub fn segment(&mut self, bitrate: f64, media: Duration, throughput: f64, burst: Duration) {
        self.fetched += media.as_secs_f64();
        self.fetched_bits += bitrate * media.as_secs_f64();
        self.segment_rates += throughput;
        self.segments += 1;
        self.burst.record(burst);
    }

    /// Records a switch of representation between two video segments.
    pub fn switched(&mut self) {
        self.switches += 1;
    }

    /// Records a request abandoned for one of lower quality.
    pub fn abandoned(&mut self) {
        self.abandoned += 1;
    }

    /// Records a second with that number of players, of a flow with many.
    pub fn players(&mut self, active: usize) {
        self.players.0 += active as f64;
        self.players.1 += 1;
    }

    /// Records the start of a stall: the buffer is empty.
    pub fn stall_began(&mut self) {
        self.stalls += 1;
    }

    /// Adds to the stall time.
    pub fn stalled(&mut self, span: Duration) {
        self.stalled += span;
    }

    /// Adds to the time played.
    pub fn played(&mut self, span: Duration) {
        self.played += span;
    }

    /// Records the end of a session, or of the run during one.
    pub fn session_ended(&mut self, score: SessionScore) {
        self.sessions.push(score);
    }

    /// Scores of the sessions, in the order of their ends.
    pub fn sessions(&self) -> &[SessionScore] {
        &self.sessions
    }

    /// Mean bitrate of the video representations fetched, in kbit/s, weighted by media time; `None` before the first.
    pub fn representation_rate(&self) -> Option<f64> {
        (self.fetched > 0.0).then(|| self.fetched_bits / self.fetched / 1e3)
    }

    /// Linear QoE of all sessions: the sum divided by the number of segments played. A mean over sessions would give a short
    /// session, or one without a frame, the weight of a long one.
    fn linear(&self) -> Option<f64> {
        let played: u64 = self.sessions.iter().map(|session| session.segments).sum();
        let sum: f64 = self.sessions.iter().map(|s| s.linear * s.segments.max(1) as f64).sum();
        (!self.sessions.is_empty()).then(|| sum / played.max(1) as f64)
    }

    /// Times from first to last byte of video segments.
    pub(crate) fn burst(&self) -> &Distribution {
        &self.burst
    }

    /// Resets all counts. Running sessions are scored as a whole at their end.
    pub(crate) fn start_measuring(&mut self) {
        *self = StreamingMeter::default();
    }

    /// Adds the summary values.
    pub(crate) fn summarise(&self, name: &str, summary: &mut Vec<SummaryValue>) {
        // Samples are kept, not a histogram: buffers and frame rates have no common scale of durations.
        let samples = |metric, values: &[f32]| {
            let mut sorted: Vec<f64> = values.iter().map(|v| f64::from(*v)).collect();
            sorted.sort_by(f64::total_cmp);
            let at = |share| statistics::quantile(&sorted, share);
            let percentiles = Some([at(0.5)?, at(0.95)?, at(0.99)?]);
            Some(SummaryValue { percentiles, ..plain(name, metric, statistics::mean(&sorted)?) })
        };
        summary.extend(samples(metrics::BUFFER, &self.buffer));
        summary.extend(samples(metrics::FRAMES_PER_SECOND, &self.frames));
        summary.extend(self.representation_rate().map(|r| plain(name, metrics::REPRESENTATION_RATE, r)));
        if self.segments > 0 {
            let rate = self.segment_rates / self.segments as f64 / 1e3;
            summary.push(plain(name, metrics::SEGMENT_RATE, rate));
        }
        summary.extend(of_distribution(name, metrics::BURST_TIME, &self.burst));
        summary.push(plain(name, metrics::SWITCHES, self.switches as f64));
        if self.abandoned > 0 {
            summary.push(plain(name, metrics::ABANDONED, self.abandoned as f64));
        }
        let start_ups: Vec<f64> =
            self.sessions.iter().filter_map(|s| Some(s.start_up?.as_secs_f64())).collect();
        summary.extend(statistics::mean(&start_ups).map(|d| plain(name, metrics::START_UP_DELAY, d)));
        summary.push(plain(name, metrics::STALLS, self.stalls as f64));
        summary.push(plain(name, metrics::STALL_TIME, self.stalled.as_secs_f64()));
        let watched = (self.played + self.stalled).as_secs_f64();
        if watched > 0.0 {
            let share = 100.0 * self.stalled.as_secs_f64() / watched;
            summary.push(plain(name, metrics::STALL_RATIO, share));
        }
        // Quality models score whole sessions, including the warm-up.
        summary.extend(self.linear().map(|linear| plain(name, metrics::LINEAR_QOE, linear)));
        let unseen = self.sessions.iter().filter(|session| session.start_up.is_none()).count();
        if unseen > 0 {
            summary.push(plain(name, metrics::UNSEEN, unseen as f64));
        }
        let p1203: Vec<f64> = self.sessions.iter().filter_map(|s| s.p1203).collect();
        summary.extend(statistics::mean(&p1203).map(|m| plain(name, metrics::P1203_PARAMETRIC, m)));
        let (players, seconds) = self.players;
        if seconds > 0 {
            summary.push(plain(name, metrics::ACTIVE_PLAYERS, players / seconds as f64));
        }
        if self.sessions.len() > 1 {
            summary.push(plain(name, metrics::SESSIONS, self.sessions.len() as f64));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn value(summary: &[SummaryValue], name: &str) -> f64 {
        summary.iter().find(|v| v.metric.name == name).map_or(f64::NAN, |v| v.mean)
    }

    #[test]
    fn the_representation_rate_is_weighted_by_media_time() {
        let mut meter = StreamingMeter::default();
        meter.segment(1e6, MS(4000), 3e6, MS(100));
        meter.segment(4e6, MS(2000), 1e6, MS(300));
        let mut summary = Vec::new();
        meter.summarise("client", &mut summary);
        assert_eq!(value(&summary, "representation_rate"), 2000.0);
        assert_eq!(value(&summary, "segment_rate"), 2000.0);
        assert!((value(&summary, "burst_time") - 200.0).abs() < 1.0);
    }

    #[test]
    fn the_stall_ratio_is_relative_to_the_time_watched() {
        let mut meter = StreamingMeter::default();
        meter.played(MS(9000));
        meter.stall_began();
        meter.stalled(MS(1000));
        let mut summary = Vec::new();
        meter.summarise("client", &mut summary);
        assert_eq!(value(&summary, "stall_ratio"), 10.0);
        assert_eq!((value(&summary, "stalls"), value(&summary, "stall_time")), (1.0, 1.0));
    }

    #[test]
    fn a_session_without_a_frame_has_no_start_up_and_counts_in_the_linear_qoe() {
        let mut meter = StreamingMeter::default();
        let score =
            SessionScore { start_up: Some(MS(2000)), segments: 9, rate: 500.0, linear: 400.0, p1203: None };
        meter.session_ended(score);
        meter.session_ended(SessionScore {
            start_up: None,
            segments: 0,
            rate: 0.0,
            linear: -900.0,
            p1203: None,
        });
        let mut summary = Vec::new();
        meter.summarise("load", &mut summary);
        assert_eq!((value(&summary, "start_up_delay"), value(&summary, "unseen_sessions")), (2.0, 1.0));
        assert_eq!(value(&summary, "linear_qoe"), (9.0 * 400.0 - 900.0) / 9.0);
    }

    #[test]
    fn the_warm_up_does_not_count() {
        let mut meter = StreamingMeter::default();
        meter.sampled(MS(5000), Some(24.0));
        meter.switched();
        meter.start_measuring();
        meter.sampled(MS(7000), Some(30.0));
        let mut summary = Vec::new();
        meter.summarise("client", &mut summary);
        assert_eq!((value(&summary, "buffer"), value(&summary, "switches")), (7.0, 0.0));
        assert_eq!(value(&summary, "frames_per_second"), 30.0);
    }
}
