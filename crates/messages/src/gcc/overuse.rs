//! GCC's over-use detector with its adaptive threshold (draft-ietf-rmcat-gcc-02 §5.4; Carlucci et al. 2016).

use super::arrival::Gradient;

/// Initial threshold and its bounds, in milliseconds.
const FIRST_THRESHOLD: f64 = 12.5;
const BOUNDS: (f64, f64) = (6.0, 600.0);
/// Maximum distance of a gradient beyond the threshold that still adapts it, in milliseconds.
const TOO_FAR: f64 = 15.0;
/// Maximum time counted per step, in milliseconds: otherwise the threshold could overshoot the gradient.
const LONGEST_STEP: f64 = 100.0;
/// Minimum duration of over-use (overuse_time_th), in milliseconds.
const OVERUSE_TIME: f64 = 10.0;

/// Output of the detector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    Overuse,
    Normal,
    Underuse,
}

/// Adaptation speed of the threshold above and below it, per millisecond (K_u and K_d), and how over-use is timed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Following {
    pub(crate) up: f64,
    pub(crate) down: f64,
    /// Whether its duration is that of the departures, longer than the minimum, and measured anew after each detection, as in
    /// WebRTC; else that of the arrivals, and goes on.
    pub(crate) by_departures: bool,
}

impl Following {
    /// The draft's values.
    pub(crate) const DRAFT: Following = Following { up: 0.01, down: 0.00018, by_departures: false };
    /// WebRTC's values, with its trendline.
    pub(crate) const TRENDLINE: Following = Following { up: 0.0087, down: 0.039, by_departures: false };
    /// The same with WebRTC's timing.
    pub(crate) const WEBRTC: Following = Following { by_departures: true, ..Following::TRENDLINE };
}

/// The detector.
#[derive(Debug, Clone)]
pub(crate) struct OveruseDetector {
    /// Maximum factor on the gradient, which is the number of groups so far.
    gain: f64,
    following: Following,
    /// del_var_th, in milliseconds.
    threshold: f64,
    /// The last gradient, and its time.
    last: Option<(f64, f64)>,
    /// Duration for which the gradient has exceeded the threshold, `None` if it does not; and the number of groups.
    over_for: Option<f64>,
    over_groups: u32,
}

impl OveruseDetector {
    pub(crate) fn new(gain: f64, following: Following) -> OveruseDetector {
        OveruseDetector {
            gain,
            following,
            threshold: FIRST_THRESHOLD,
            last: None,
            over_for: None,
            over_groups: 0,
        }
    }

    /// The last gradient, as often as it counts, in milliseconds.
    pub(crate) fn gradient(&self) -> Option<f64> {
        self.last.map(|(value, _)| value)
    }

    /// The threshold, in milliseconds.
    pub(crate) fn threshold(&self) -> f64 {
        self.threshold
    }

    /// The signal for the gradient of a group; `None` while over-use is only suspected.
    pub(crate) fn detect(&mut self, gradient: Gradient) -> Option<Signal> {
        let now = gradient.arrived_at;
        let value = gradient.millis * (gradient.groups as f64).min(self.gain);
        let (before, since) = self.last.replace((value, now)).unwrap_or((value, now));
        let elapsed = (now - since).max(0.0);
        let signal = if value > self.threshold {
            let by_departures = self.following.by_departures;
            let step = if by_departures { gradient.departed.max(0.0) } else { elapsed };
            // It crossed the threshold at an unknown time since the last group: assume the middle (as WebRTC).
            let over_for = self.over_for.map_or(step / 2.0, |before| before + step);
            self.over_for = Some(over_for);
            self.over_groups = self.over_groups.saturating_add(1);
            // §5.4: long enough, and not decreasing.
            let is_long = if by_departures { over_for > OVERUSE_TIME } else { over_for >= OVERUSE_TIME };
            let is_sure = is_long && self.over_groups > 1 && value >= before;
            if is_sure && by_departures {
                (self.over_for, self.over_groups) = (Some(0.0), 0);
            }
            is_sure.then_some(Signal::Overuse)
        } else {
            (self.over_for, self.over_groups) = (None, 0);
            Some(if value < -self.threshold { Signal::Underuse } else { Signal::Normal })
        };
        self.adapt(value.abs(), elapsed.min(LONGEST_STEP));
        signal
    }

    fn adapt(&mut self, value: f64, elapsed: f64) {
        if value - self.threshold > TOO_FAR {
            return;
        }
        let k = if value < self.threshold { self.following.down } else { self.following.up };
        self.threshold = (self.threshold + elapsed * k * (value - self.threshold)).clamp(BOUNDS.0, BOUNDS.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gradient(millis: f64, arrived_at: f64) -> Gradient {
        Gradient { millis, groups: 100, arrived_at, departed: 0.0 }
    }

    #[test]
    fn gcc_5_4_overuse_must_last() {
        let mut detector = OveruseDetector::new(1.0, Following::DRAFT);
        assert_eq!(detector.detect(gradient(0.0, 0.0)), Some(Signal::Normal));
        assert_eq!(detector.detect(gradient(13.0, 4.0)), None);
        assert_eq!(detector.detect(gradient(13.5, 10.0)), None); // 8 ms
        assert_eq!(detector.detect(gradient(14.0, 12.0)), Some(Signal::Overuse));
        assert_eq!(detector.detect(gradient(-14.5, 17.0)), Some(Signal::Underuse));
        // One group is not enough, however long ago the previous one was.
        assert_eq!(detector.detect(gradient(15.0, 90.0)), None);
    }

    #[test]
    fn gcc_5_4_a_falling_gradient_is_not_overuse() {
        let mut detector = OveruseDetector::new(1.0, Following::DRAFT);
        detector.detect(gradient(35.0, 0.0));
        assert_eq!(detector.detect(gradient(34.0, 50.0)), None);
        assert_eq!(detector.detect(gradient(34.0, 60.0)), Some(Signal::Overuse));
    }

    #[test]
    fn gcc_5_4_the_threshold_follows_quickly_up_and_slowly_down() {
        let mut detector = OveruseDetector::new(1.0, Following::DRAFT);
        detector.detect(gradient(20.0, 0.0));
        detector.detect(gradient(20.0, 10.0));
        assert!((detector.threshold - (12.5 + 10.0 * 0.01 * 7.5)).abs() < 1e-9, "{}", detector.threshold);
        let high = detector.threshold;
        detector.detect(gradient(0.0, 20.0));
        assert!((detector.threshold - high * (1.0 - 10.0 * 0.00018)).abs() < 1e-9, "{}", detector.threshold);
    }

    #[test]
    fn gcc_5_4_the_threshold_has_bounds_and_ignores_outliers() {
        let mut detector = OveruseDetector::new(1.0, Following::DRAFT);
        detector.detect(gradient(0.0, 0.0));
        detector.detect(gradient(100.0, 10.0));
        assert_eq!(detector.threshold, 12.5);
        (0..2_000).for_each(|n| {
            detector.detect(gradient(0.0, 100.0 * f64::from(n)));
        });
        assert_eq!(detector.threshold, 6.0);
    }

    #[test]
    fn the_gradient_is_multiplied_by_the_number_of_groups() {
        let mut detector = OveruseDetector::new(60.0, Following::DRAFT);
        assert_eq!(
            detector.detect(Gradient { millis: 1.0, groups: 10, arrived_at: 0.0, departed: 0.0 }),
            Some(Signal::Normal)
        );
        assert_eq!(
            detector.detect(Gradient { millis: 1.0, groups: 20, arrived_at: 20.0, departed: 0.0 }),
            None
        );
        assert_eq!(
            detector.detect(Gradient { millis: 1.0, groups: 21, arrived_at: 40.0, departed: 0.0 }),
            Some(Signal::Overuse)
        );
    }

    #[test]
    fn timed_by_departures_each_detection_needs_more_than_10_ms_again() {
        let mut detector = OveruseDetector::new(1.0, Following::WEBRTC);
        let mut seen = |millis, arrived_at, departed| {
            detector.detect(Gradient { millis, groups: 100, arrived_at, departed })
        };
        assert_eq!(seen(0.0, 0.0, 5.0), Some(Signal::Normal));
        // 3 ms of departures, whatever the arrivals say; then 9, then 15.
        assert_eq!([seen(13.0, 40.0, 6.0), seen(13.5, 80.0, 6.0)], [None, None]);
        assert_eq!(seen(14.0, 120.0, 6.0), Some(Signal::Overuse));
        assert_eq!(seen(14.5, 160.0, 6.0), None);
        assert_eq!(seen(15.0, 200.0, 8.0), Some(Signal::Overuse));
    }
}
