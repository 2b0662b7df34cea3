//! SCReAM's media rate control (RFC 8298 §4.1.3): the target bitrate of encoders.

use jettison_core::{Duration, Rate, Time};

/// Interval between adjustments (RATE_ADJUST_INTERVAL).
pub(super) const INTERVAL: Duration = Duration::from_millis(200);
/// Queueing time at the sender above which the target is reduced, and the factor (RTP_QDELAY_TH,
/// TARGET_RATE_SCALE_RTP_QDELAY).
const QUEUE_DELAY: f64 = 0.02;
const QUEUE_SCALE: f64 = 0.95;
/// Number of adjustments for the median media rate: ten seconds (§4.1.1.2, rate_media_median).
const MEDIAN_OF: usize = 50;

/// Its parameters, in bit/s.
#[derive(Debug, Clone, Copy)]
pub(super) struct MediaParameters {
    pub(super) start: f64,
    pub(super) min: f64,
    pub(super) max: f64,
    /// RAMP_UP_SPEED, in bit/s per second.
    pub(super) ramp_up: f64,
    pub(super) beta_loss: f64,
    pub(super) beta_ecn: f64,
    pub(super) pre_congestion_guard: f64,
    pub(super) queue_factor: f64,
}

/// The media rate control.
#[derive(Debug, Clone)]
pub(super) struct MediaRate {
    parameters: MediaParameters,
    /// target_bitrate and target_bitrate_last_max.
    target: f64,
    last_max: f64,
    /// The current interval: its start, and bytes sent, acknowledged, and waiting at its start.
    since: Option<Time>,
    sent: u64,
    acknowledged: u64,
    waited: u64,
    backlog: u64,
    /// rate_transmit, rate_ack, rate_media in the last intervals, the newest first.
    rate_transmit: f64,
    rate_ack: f64,
    rates_media: [f64; MEDIAN_OF],
    intervals: usize,
}

impl MediaRate {
    pub(super) fn new(parameters: MediaParameters) -> MediaRate {
        MediaRate {
            target: parameters.start.clamp(parameters.min, parameters.max),
            parameters,
            last_max: 1.0,
            since: None,
            sent: 0,
            acknowledged: 0,
            waited: 0,
            backlog: 0,
            rate_transmit: 0.0,
            rate_ack: 0.0,
            rates_media: [0.0; MEDIAN_OF],
            intervals: 0,
        }
    }

    /// The target bitrate.
    pub(super) fn target(&self) -> Rate {
        Rate::from_bits((self.target as u64).max(1))
    }

    /// Time of the next adjustment.
    pub(super) fn due(&self) -> Option<Time> {
        self.since.map(|since| since.saturating_add(INTERVAL))
    }

    /// Records the departure of a packet; `backlog` bytes wait (rtp_queue_size).
    pub(super) fn on_sent(&mut self, now: Time, bytes: u64, backlog: u64) {
        self.since.get_or_insert(now);
        self.sent = self.sent.saturating_add(bytes);
        self.backlog = backlog;
    }

    /// Records acknowledged bytes.
    pub(super) fn on_acknowledged(&mut self, bytes: u64) {
        self.acknowledged = self.acknowledged.saturating_add(bytes);
    }

    /// Processes a loss, or a mark if `is_mark`.
    pub(super) fn on_congestion(&mut self, is_mark: bool) {
        self.last_max = self.target.max(1.0);
        let beta = if is_mark { self.parameters.beta_ecn } else { self.parameters.beta_loss };
        self.target = (beta * self.target).max(self.parameters.min);
    }

    /// Adjusts the target at the end of an interval.
    pub(super) fn adjust(&mut self, now: Time, in_fast_increase: bool, trend: f64, trend_memory: f64) {
        let Some(since) = self.since else { return };
        self.measure(now, now.since(since).as_secs_f64().max(1e-3));
        let current = self.rate_transmit.max(self.rate_ack);
        let queue = self.backlog as f64 * 8.0;
        let ramp_up = self.parameters.ramp_up.min(self.target / 2.0) * INTERVAL.as_secs_f64();
        // Slow growth near the rate of the last congestion, with at least a fifth of the speed.
        let distance = 4.0 * (self.target - self.last_max) / self.last_max;
        let scale = (distance * distance).clamp(0.2, 1.0);
        if in_fast_increase {
            self.target += ramp_up * scale;
        } else {
            let mut change = current * (1.0 - self.parameters.pre_congestion_guard * trend)
                - self.parameters.queue_factor * queue;
            if change > 0.0 {
                change = (change * scale).min(ramp_up);
            }
            self.target += change;
            if current > 0.0 && queue / current > QUEUE_DELAY {
                self.target *= QUEUE_SCALE;
            }
        }
        let limit = current.max(self.rates_media[0]).max(self.median_media()) * (2.0 - trend_memory);
        self.target = self.target.min(limit).clamp(self.parameters.min, self.parameters.max);
    }

    fn measure(&mut self, now: Time, seconds: f64) {
        self.rate_transmit = self.sent as f64 * 8.0 / seconds;
        self.rate_ack = self.acknowledged as f64 * 8.0 / seconds;
        // The encoder's output: the bytes sent, plus the growth of the backlog.
        let made = (self.sent as f64 + self.backlog as f64 - self.waited as f64).max(0.0);
        self.rates_media.rotate_right(1);
        self.rates_media[0] = made * 8.0 / seconds;
        self.intervals = (self.intervals + 1).min(MEDIAN_OF);
        (self.since, self.sent, self.acknowledged, self.waited) = (Some(now), 0, 0, self.backlog);
    }

    fn median_media(&self) -> f64 {
        let mut rates = self.rates_media;
        let rates = &mut rates[..self.intervals.max(1)];
        let middle = rates.len() / 2;
        *rates.select_nth_unstable_by(middle, f64::total_cmp).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn media() -> MediaRate {
        MediaRate::new(MediaParameters {
            start: 1e6,
            min: 1e5,
            max: 1e7,
            ramp_up: 200_000.0,
            beta_loss: 0.9,
            beta_ecn: 0.95,
            pre_congestion_guard: 0.1,
            queue_factor: 1.0,
        })
    }

    /// Intervals in which the encoder produces the target, all of which arrives, with a given backlog.
    fn run(media: &mut MediaRate, intervals: u64, fast: bool, backlog: u64) {
        let mut now = media.since.unwrap_or(Time::ZERO);
        for _ in 0..intervals {
            let bytes = (media.target / 8.0 * 0.2) as u64;
            media.on_sent(now, bytes, backlog);
            media.on_acknowledged(bytes);
            now += INTERVAL;
            media.adjust(now, fast, 0.0, 0.0);
        }
    }

    #[test]
    fn rfc8298_4_1_3_ramps_up_at_its_speed() {
        let mut media = media();
        run(&mut media, 10, true, 0);
        assert!((media.target - 1.4e6).abs() < 1e3, "{}", media.target);
        let mut normal = self::media();
        run(&mut normal, 10, false, 0);
        assert!((normal.target - 1.4e6).abs() < 1e3, "{}", normal.target);
    }

    #[test]
    fn rfc8298_4_1_3_a_loss_reduces_by_a_tenth_and_growth_is_slow_near_it() {
        let mut media = media();
        media.on_congestion(false);
        assert!((media.target - 0.9e6).abs() < 1.0);
        // A tenth below the last maximum: (4·0.1)² is 0.16, so the minimum of a fifth applies.
        run(&mut media, 1, true, 0);
        assert!((media.target - (0.9e6 + 0.2 * 40_000.0)).abs() < 1e2, "{}", media.target);
        media.on_congestion(true);
        assert!((media.target - 0.95 * 0.908e6).abs() < 1e3, "{}", media.target);
    }

    #[test]
    fn rfc8298_4_1_3_a_queue_at_the_sender_reduces_the_target() {
        let mut media = media();
        // A backlog of 25 kB: 200 ms at 1 Mbit/s.
        run(&mut media, 20, false, 25_000);
        assert!(media.target < 0.9e6, "{}", media.target);
    }

    #[test]
    fn rfc8298_4_1_3_the_target_does_not_run_ahead_of_the_encoder() {
        let mut media = media();
        let mut now = Time::ZERO;
        for _ in 0..100 {
            media.on_sent(now, 5_000, 0); // 200 kbit/s, whatever the target
            media.on_acknowledged(5_000);
            now += INTERVAL;
            media.adjust(now, true, 0.0, 0.0);
        }
        assert!(media.target <= 400_000.0 + 1.0, "{}", media.target);
    }

    #[test]
    fn rfc8298_4_1_3_the_target_stays_within_its_bounds() {
        let mut media = media();
        (0..100).for_each(|_| media.on_congestion(false));
        assert_eq!(media.target(), Rate::from_kbit(100));
        run(&mut media, 2_000, true, 0);
        assert_eq!(media.target(), Rate::from_mbit(10));
    }
}
