//! Slowdown: a random factor of all CPU times.

use jettison_core::{Duration, RandomStream, Time};

use super::SlowdownSettings;

/// A factor drawn anew after each `hold`.
#[derive(Clone)]
pub(super) struct Slowdown {
    quantiles: Vec<[f64; 2]>,
    hold: Duration,
    random: RandomStream,
    /// The factor, and the time until which it holds.
    factor: f64,
    until: Time,
}

impl Slowdown {
    /// Without settings the factor is always 1.
    pub fn new(settings: Option<&SlowdownSettings>, random: RandomStream) -> Slowdown {
        let (quantiles, hold, until) = match settings {
            None => (Vec::new(), Duration::ZERO, Time::MAX),
            Some(settings) => (settings.quantiles.clone(), settings.hold, Time::ZERO),
        };
        Slowdown { quantiles, hold, random, factor: 1.0, until }
    }

    /// A CPU time at `now`. Draws one factor for each `hold` that has passed, so the factor depends on the time alone and not
    /// on the load.
    #[inline]
    pub fn apply(&mut self, cost: Duration, now: Time) -> Duration {
        while now >= self.until {
            let probability = self.random.unit();
            self.factor = interpolate(&self.quantiles, probability);
            self.until += self.hold;
        }
        if self.until == Time::MAX { cost } else { cost.mul_f64(self.factor) }
    }

    /// The factor of the last pass.
    pub fn factor(&self) -> f64 {
        self.factor
    }
}

/// The factor at a probability.
fn interpolate(quantiles: &[[f64; 2]], probability: f64) -> f64 {
    let above = quantiles.partition_point(|[p, _]| *p <= probability);
    match (above.checked_sub(1).and_then(|below| quantiles.get(below)), quantiles.get(above)) {
        (Some([p, low]), Some([q, high])) => low + (high - low) * (probability - p) / (q - p),
        (Some([_, factor]), None) | (None, Some([_, factor])) => *factor,
        (None, None) => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Seed;

    use super::*;

    #[test]
    fn the_factor_is_linear_between_quantiles_and_constant_outside() {
        let quantiles = [[0.25, 1.0], [0.75, 3.0]];
        let factors = [0.0, 0.25, 0.5, 0.75, 1.0].map(|p| interpolate(&quantiles, p));
        assert_eq!(factors, [1.0, 1.0, 2.0, 3.0, 3.0]);
    }

    #[test]
    fn the_factor_depends_on_the_time_and_not_on_the_calls() {
        let settings =
            SlowdownSettings { quantiles: vec![[0.0, 1.0], [1.0, 5.0]], hold: Duration::from_millis(10) };
        let made = || Slowdown::new(Some(&settings), Seed(1).stream(&["nodes", "r", "service"]));
        let (mut busy, mut idle) = (made(), made());
        let second = Duration::from_secs(1);
        let each: Vec<Duration> = (0..100).map(|i| busy.apply(second, Time::from_millis(i))).collect();
        assert_eq!(each[99], idle.apply(second, Time::from_millis(99)));
        // One factor for each 10 ms, between the bounds.
        assert!(each.chunks(10).all(|held| held.iter().all(|cost| *cost == held[0])));
        let different: std::collections::BTreeSet<Duration> = each.iter().copied().collect();
        assert_eq!(different.len(), 10);
        assert!(different.iter().all(|cost| *cost >= second && *cost <= second * 5));
    }
}
