//! WebRTC's filter in place of the draft's: the slope of the delay over the last groups.
//!
//! WebRTC replaced the Kalman filter in 2017. The accumulated delay variation is smoothed; the slope of a regression
//! line through its last values, over their arrival times, is the gradient in milliseconds per millisecond, whereas
//! the Kalman filter's is in milliseconds per group. Constants are WebRTC's.

use std::collections::VecDeque;

/// Number of groups in the regression.
const GROUPS: usize = 20;
/// Weight of the previous value in the smoothed delay.
const SMOOTHING: f64 = 0.9;
/// Factor on the slope before the comparison with the threshold.
const GAIN: f64 = 4.0;

#[derive(Debug, Clone, Default)]
pub(crate) struct Trendline {
    accumulated: f64,
    smoothed: f64,
    /// Arrival times and smoothed delays, in milliseconds.
    points: VecDeque<(f64, f64)>,
    slope: f64,
}

impl Trendline {
    /// Adds the delay variation of a group; returns the gradient, in the threshold's milliseconds.
    pub(crate) fn filter(&mut self, variation: f64, arrived_at: f64) -> f64 {
        self.accumulated += variation;
        self.smoothed = SMOOTHING * self.smoothed + (1.0 - SMOOTHING) * self.accumulated;
        if self.points.len() == GROUPS {
            self.points.pop_front();
        }
        self.points.push_back((arrived_at, self.smoothed));
        if self.points.len() == GROUPS {
            // Keep the slope if all arrived at one instant.
            self.slope = slope(&self.points).unwrap_or(self.slope);
        }
        GAIN * self.slope
    }
}

/// Slope of the least-squares line.
fn slope(points: &VecDeque<(f64, f64)>) -> Option<f64> {
    let count = points.len() as f64;
    let mean_x = points.iter().map(|point| point.0).sum::<f64>() / count;
    let mean_y = points.iter().map(|point| point.1).sum::<f64>() / count;
    let over: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let under: f64 = points.iter().map(|(x, _)| (x - mean_x) * (x - mean_x)).sum();
    (under > 0.0).then(|| over / under)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_is_the_slope_of_the_delay() {
        let mut line = Trendline::default();
        let early: Vec<f64> = (0..19).map(|n| line.filter(1.0, 10.0 * f64::from(n))).collect();
        assert!(early.iter().all(|gradient| *gradient == 0.0), "there are not enough groups yet");
        let last = (19..200).map(|n| line.filter(1.0, 10.0 * f64::from(n))).fold(0.0, |_, gradient| gradient);
        // One millisecond more every 10 ms.
        assert!((last - 0.4).abs() < 1e-6, "{last}");
    }

    #[test]
    fn fluctuations_are_not_a_trend() {
        let mut line = Trendline::default();
        let swing = |n: u32| if n.is_multiple_of(2) { 5.0 } else { -5.0 };
        let largest =
            (0..200).map(|n| line.filter(swing(n), 10.0 * f64::from(n)).abs()).skip(100).fold(0.0, f64::max);
        assert!(largest < 0.02, "{largest}");
    }

    #[test]
    fn groups_at_one_instant_have_no_slope() {
        let mut line = Trendline::default();
        for _ in 0..50 {
            assert_eq!(line.filter(1.0, 7.0), 0.0);
        }
    }
}
