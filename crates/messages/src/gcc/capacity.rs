//! What the link carried when it was over-used: the near-max region of additive increases.
//!
//! draft-ietf-rmcat-gcc-02 §5.5: an exponential average of the incoming rate during over-use with a smoothing factor of 0.95, and
//! three standard deviations around it. Rates are in bit/s.

/// Weight of a new sample.
const WEIGHT: f64 = 0.05;
/// Bounds of the normalised variance in kbit/s: the draft has none, and its first value would be 0. WebRTC's.
const VARIANCE: (f64, f64) = (0.4, 2.5);
/// Standard deviations of the region.
const DEVIATIONS: f64 = 3.0;

/// The estimate of the link's capacity.
#[derive(Debug, Clone, Default)]
pub struct LinkCapacity {
    /// Mean and variance over mean, in kbit/s.
    seen: Option<(f64, f64)>,
}

impl LinkCapacity {
    /// Adds the acknowledged bitrate during an over-use.
    pub fn overused(&mut self, rate: f64) {
        let kbit = rate / 1000.0;
        self.seen = Some(match self.seen {
            None => (kbit, VARIANCE.0),
            Some((mean, variance)) => {
                let mean = mean + WEIGHT * (kbit - mean);
                let off = kbit - mean;
                let sample = off * off / mean.max(1.0);
                (mean, (variance + WEIGHT * (sample - variance)).clamp(VARIANCE.0, VARIANCE.1))
            }
        });
    }

    /// The mean.
    pub fn mean(&self) -> Option<f64> {
        self.seen.map(|(mean, _)| 1000.0 * mean)
    }

    /// Whether a rate is above the region.
    pub fn is_below(&self, rate: f64) -> bool {
        self.seen.is_some_and(|seen| rate / 1000.0 > seen.0 + spread(seen))
    }

    /// Whether a rate is below the region.
    pub fn is_above(&self, rate: f64) -> bool {
        self.seen.is_some_and(|seen| rate / 1000.0 < seen.0 - spread(seen))
    }

    /// Forgets it: the link has changed.
    pub fn reset(&mut self) {
        self.seen = None;
    }
}

fn spread((mean, variance): (f64, f64)) -> f64 {
    DEVIATIONS * (variance * mean).max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gcc_5_5_the_region_is_three_deviations_around_the_mean() {
        let mut link = LinkCapacity::default();
        assert!(!link.is_above(0.0) && !link.is_below(1e9), "nothing is known");
        link.overused(1e6);
        // 3 · sqrt(0.4 · 1000) = 60 kbit/s.
        assert!(!link.is_below(1.059e6) && link.is_below(1.061e6));
        assert!(!link.is_above(0.941e6) && link.is_above(0.939e6));
    }

    #[test]
    fn gcc_5_5_the_mean_has_a_smoothing_factor_of_0_95() {
        let mut link = LinkCapacity::default();
        link.overused(1e6);
        link.overused(1.2e6);
        assert!((link.mean().expect("it was over-used") - 1.01e6).abs() < 1e-3);
        link.reset();
        assert_eq!(link.mean(), None);
    }
}
