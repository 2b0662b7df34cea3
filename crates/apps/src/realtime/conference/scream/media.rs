//! The rates of encoder and pacer (*Media Rate Control*, *Packet Pacing*).

use jettison_core::{Duration, Rate};

use super::super::ConferenceParameters;

/// PACKET_OVERHEAD, in bytes.
const OVERHEAD: f64 = 20.0;
/// RATE_ADJUST_GAIN and FRAME_SIZE_DEV_ALPHA.
const ADJUST_GAIN: f64 = 1.0 / 16.0;
const SIZE_WEIGHT: f64 = 1.0 / 64.0;
/// RATE_PACE_MIN in bit/s, PACKET_PACING_HEADROOM, MAX_RELAXED_PACING_FACTOR and RELAXED_PACING_LIMIT_LOW.
const LEAST_PACE: f64 = 50_000.0;
const PACE_HEADROOM: f64 = 1.5;
const MOST_RELAXED: f64 = 4.0;
const RELAXED_FROM: f64 = 0.8;

/// target_bitrate.
#[derive(Debug, Clone)]
pub(super) struct MediaRate {
    mss: f64,
    least: f64,
    most: f64,
    /// Seconds.
    frame_period: f64,
    target: f64,
    /// rate_adjust_factor and frame_size_dev.
    adjustment: f64,
    deviation: f64,
}

impl MediaRate {
    pub(super) fn new(parameters: &ConferenceParameters) -> MediaRate {
        let least = parameters.min_rate.as_bits() as f64;
        MediaRate {
            mss: parameters.packet.get() as f64,
            least,
            most: parameters.rate.as_bits() as f64,
            frame_period: 1.0 / parameters.frame_rate,
            target: least,
            adjustment: 0.0,
            deviation: 0.0,
        }
    }

    pub(super) fn target(&self) -> Rate {
        Rate::from_bits(self.target as u64)
    }

    /// Whether the encoder has its highest rate (TARGET_BITRATE_MAX).
    pub(super) fn is_at_most(&self) -> bool {
        self.target >= self.most
    }

    /// The pacer's rate: above the target, and up to four times that near the encoder's highest rate.
    pub(super) fn pacing_rate(&self) -> Rate {
        let share = (self.target / self.most - RELAXED_FROM) / (1.0 - RELAXED_FROM);
        let scale = (1.0 - share.min(1.0)).clamp(1.0 / MOST_RELAXED, 1.0);
        Rate::from_bits((self.target.max(LEAST_PACE) * PACE_HEADROOM / scale) as u64)
    }

    /// A frame was made while the oldest packet had waited in the sender's queue.
    pub(super) fn on_frame(&mut self, waiting: Duration, bytes: u64) {
        let error = (waiting.as_secs_f64() - self.frame_period / 4.0) / self.frame_period;
        self.adjustment = (self.adjustment + error * ADJUST_GAIN).clamp(0.0, 0.5);
        let nominal = self.target * self.frame_period / 8.0;
        let above = ((bytes as f64 - nominal) / nominal).max(0.0);
        self.deviation = ((1.0 - SIZE_WEIGHT) * self.deviation + SIZE_WEIGHT * above).min(0.2);
    }

    /// The reference window has changed.
    pub(super) fn update(&mut self, window: f64, rtt: Duration) {
        let ratio = (self.mss / window).min(1.0);
        let small = 1.0 - (ratio - 0.1).clamp(0.0, 0.2);
        let headers = self.mss / (self.mss + OVERHEAD);
        let slack = 1.2 + self.adjustment + self.deviation;
        let target = small * headers / slack * 8.0 * window / rtt.as_secs_f64();
        self.target = target.clamp(self.least, self.most);
    }
}
