//! The path model (draft §4.1): rounds, BtlBw and RTprop, from ACKs.

use jettison_core::{Bytes, Duration, Rate, Time};

use super::BbrParameters;
use super::filter::{MaxFilter, MinFilter};
use super::parameters::{LimitedBy, RateInterval, Round};
use crate::congestion::AckSample;

/// The estimates of the path.
#[derive(Debug, Clone)]
pub(super) struct PathModel {
    bandwidth: MaxFilter,
    pub rtprop: MinFilter,
    /// All bytes delivered so far.
    delivered: u64,
    /// Rounds counted in packets (draft §4.1.1.3).
    round: u64,
    /// Delivered count that ends the current round (`next_round_delivered`).
    round_end: u64,
    is_round_start: bool,
    /// When the current round ends, with rounds of RTprop.
    round_until: Time,
    rule: SampleRule,
    /// Whether the last sample was limited by the application or by ProbeRTT.
    is_sample_limited: bool,
    limited: Limited,
}

/// How ACKs become samples.
#[derive(Debug, Clone, Copy)]
struct SampleRule {
    interval: RateInterval,
    round: Round,
    limited_by: LimitedBy,
    /// Bytes per RTprop that a sample is at least.
    floor: u64,
}

/// Segments that left while ProbeRTT held data back: their samples do not reflect the path, as with C.app_limited.
///
/// A segment is identified by the number of bytes delivered when it left.
#[derive(Debug, Clone, Copy, Default)]
struct Limited {
    from: u64,
    /// Exclusive.
    until: u64,
}

impl PathModel {
    pub fn new(parameters: &BbrParameters, mss: u64) -> PathModel {
        PathModel {
            bandwidth: MaxFilter::new(parameters.bandwidth_window, parameters.bandwidth_window_time),
            rtprop: MinFilter::new(parameters.rtprop_window),
            delivered: 0,
            round: 0,
            round_end: 0,
            is_round_start: false,
            round_until: Time::ZERO,
            rule: SampleRule {
                interval: parameters.rate_interval,
                round: parameters.round,
                limited_by: parameters.limited_by,
                floor: u64::from(parameters.bandwidth_floor) * mss,
            },
            is_sample_limited: false,
            limited: Limited::default(),
        }
    }

    /// Draft §4.1.1.5, BBRUpdateBtlBw.
    pub fn update_bandwidth(&mut self, ack: &AckSample) {
        self.is_round_start = false;
        if ack.delivered == 0 {
            return;
        }
        self.delivered = ack.delivered_total;
        let sent_after = ack.rate.prior_delivered;
        match self.rule.round {
            Round::Delivery => {
                if sent_after >= self.round_end {
                    self.round_end = self.delivered;
                    self.round += 1;
                    self.is_round_start = true;
                }
            }
            Round::Rtprop => self.count_rounds(ack.now),
        }
        let is_app_limited = match self.rule.limited_by {
            LimitedBy::Departure => ack.rate.is_app_limited,
            LimitedBy::Arrival => ack.rate.is_sender_idle,
        };
        self.is_sample_limited =
            is_app_limited || (sent_after >= self.limited.from && sent_after < self.limited.until);
        let rate = match self.rule.interval {
            RateInterval::Longest => ack.rate.rate(),
            RateInterval::Ack => ack.rate.ack_rate(),
        };
        if let Some(rate) = rate
            && (rate >= self.bandwidth() || !self.is_sample_limited)
        {
            self.bandwidth.update(self.round, rate.max(self.floor()), ack.now);
        }
    }

    /// Counts the rounds of RTprop that have ended. ACKs do not come in all of them.
    fn count_rounds(&mut self, now: Time) {
        let rtprop = self.rtprop_or_zero();
        if now <= self.round_until || rtprop.is_zero() {
            return;
        }
        self.round += now.since(self.round_until).as_nanos() / rtprop.as_nanos() + 1;
        self.round_until = now.saturating_add(rtprop);
        self.is_round_start = true;
    }

    /// The least that a sample counts as.
    fn floor(&self) -> Rate {
        match self.rtprop.lowest() {
            Some(rtprop) if self.rule.floor > 0 && !rtprop.is_zero() => {
                Rate::of(Bytes::new(self.rule.floor), rtprop)
            }
            _ => Rate::ZERO,
        }
    }

    /// Starts a round with the data sent from now on.
    pub fn restart_round(&mut self) {
        self.round_end = self.delivered;
    }

    /// Starts ProbeRTT: data sent from now on is limited.
    pub fn begin_limiting(&mut self) {
        self.limited.from = self.delivered;
    }

    /// Keeps data limited until more than the data in flight is delivered (draft §4.3.5, "ignore low rate samples").
    pub fn limit(&mut self, in_flight: u64) {
        self.limited.until = (self.delivered + in_flight).max(1) + 1;
    }

    /// Whether ProbeRTT still limits data.
    pub fn is_limiting(&self) -> bool {
        self.delivered < self.limited.until
    }

    /// BtlBw; zero before the first sample.
    #[inline]
    pub fn bandwidth(&self) -> Rate {
        self.bandwidth.highest()
    }

    /// BtlBw times RTprop; `None` before the first RTT sample.
    #[inline]
    pub fn bdp(&self) -> Option<u64> {
        Some(self.bandwidth().bytes_in(self.rtprop.lowest()?).get())
    }

    /// RTprop, or zero before the first sample.
    #[inline]
    pub fn rtprop_or_zero(&self) -> Duration {
        self.rtprop.lowest().unwrap_or(Duration::ZERO)
    }

    /// Whether the last ACK began a round.
    #[inline]
    pub fn is_round_start(&self) -> bool {
        self.is_round_start
    }

    #[inline]
    pub fn is_sample_limited(&self) -> bool {
        self.is_sample_limited
    }

    #[inline]
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Draft §4.1.2.3, BBRUpdateRTprop.
    pub fn update_rtprop(&mut self, sample: Option<Duration>, now: Time) {
        self.rtprop.update(sample, now);
    }
}

/// The "full pipe" estimator (draft §4.3.2.2): three rounds in which BtlBw grows by less than a quarter.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FullPipe {
    is_filled: bool,
    /// BtlBw when it last grew by a quarter (`full_bw`).
    baseline: Rate,
    rounds: u32,
}

impl FullPipe {
    const GROWTH: f64 = 1.25;
    const ROUNDS: u32 = 3;

    /// Draft §4.3.2.2, BBRCheckFullPipe.
    pub fn check(&mut self, model: &PathModel) {
        if self.is_filled || !model.is_round_start() || model.is_sample_limited() {
            return;
        }
        if model.bandwidth() >= self.baseline.mul_f64(FullPipe::GROWTH) {
            self.baseline = model.bandwidth();
            self.rounds = 0;
            return;
        }
        self.rounds += 1;
        self.is_filled = self.rounds >= FullPipe::ROUNDS;
    }

    /// Whether the pipe has ever been full.
    #[inline]
    pub fn is_filled(&self) -> bool {
        self.is_filled
    }
}
