//! The belief about the link's rate, and its update by evidence.

use std::sync::Arc;

use super::model::{Model, RATES};

/// A distribution over the rates of a [`Model`].
#[derive(Debug, Clone)]
pub(super) struct Belief {
    model: Arc<Model>,
    chances: [f64; RATES],
}

/// The evidence of one tick.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Evidence {
    /// This number of packets arrived while others waited all the time.
    Exactly(f64),
    /// This number arrived, and more might have arrived if they had been sent.
    AtLeast(u64),
    /// No information.
    Nothing,
}

impl Belief {
    /// A uniform distribution (§3.2).
    pub(super) fn new(model: Arc<Model>) -> Belief {
        Belief { model, chances: [1.0 / RATES as f64; RATES] }
    }

    /// Advances by one tick: the rate wanders (§3.2.1), then the evidence is applied (§3.2.2).
    pub(super) fn tick(&mut self, evidence: Evidence) {
        self.model.evolve(&mut self.chances);
        let likelihood = match evidence {
            Evidence::Exactly(packets) => self.exactly(packets),
            Evidence::AtLeast(packets) if packets > 0 => self.model.at_least(packets).map(f64::from),
            Evidence::AtLeast(_) | Evidence::Nothing => return,
        };
        let mut whole = 0.0;
        for (chance, likelihood) in self.chances.iter_mut().zip(&likelihood) {
            *chance *= likelihood;
            whole += *chance;
        }
        if whole > f64::MIN_POSITIVE {
            self.chances.iter_mut().for_each(|chance| *chance /= whole);
        } else {
            // The evidence rules out all rates that had a chance: start from the likelihood alone.
            let whole: f64 = likelihood.iter().sum();
            self.chances = likelihood.map(|likelihood| likelihood / whole);
        }
    }

    /// Packets a tick, by the mean of the belief.
    pub(super) fn mean(&self) -> f64 {
        self.chances.iter().zip(&self.model.mean).map(|(chance, mean)| chance * mean).sum()
    }

    /// Packets that will be delivered over the next `ticks` with a probability of 1 − `percentile`.
    pub(super) fn forecast(&self, ticks: usize, percentile: f64) -> u64 {
        self.model.forecast(&self.chances, ticks, percentile)
    }

    /// The Poisson likelihood of a count that may be fractional, up to a factor: e^(k·ln μ − μ), normalised to a
    /// maximum of 1.
    fn exactly(&self, packets: f64) -> [f64; RATES] {
        let mut logarithms: [f64; RATES] =
            std::array::from_fn(|x| packets * self.model.ln_mean[x] - self.model.mean[x]);
        if packets > 0.0 {
            logarithms[0] = f64::NEG_INFINITY;
        }
        let largest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        logarithms.map(|logarithm| libm::exp(logarithm - largest))
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::ModelParameters;
    use super::*;

    fn belief() -> Belief {
        Belief::new(Model::of(ModelParameters::PAPER))
    }

    fn mean(belief: &Belief) -> f64 {
        belief.chances.iter().enumerate().map(|(x, p)| p * x as f64 * 1000.0 / 255.0).sum()
    }

    #[test]
    fn sprout_3_2_all_rates_are_equally_likely_at_the_start() {
        let belief = belief();
        assert!(belief.chances.iter().all(|p| (p - 1.0 / 256.0).abs() < 1e-12));
    }

    #[test]
    fn sprout_3_2_2_counts_pull_the_rate_to_where_they_are_likely() {
        let mut belief = belief();
        for _ in 0..50 {
            belief.tick(Evidence::Exactly(8.0));
        }
        // Eight packets in 20 ms: 400 per second.
        assert!((mean(&belief) - 400.0).abs() < 25.0, "{}", mean(&belief));
        for _ in 0..50 {
            belief.tick(Evidence::Exactly(2.0));
        }
        assert!((mean(&belief) - 100.0).abs() < 25.0, "{}", mean(&belief));
    }

    #[test]
    fn sprout_3_2_2_silence_while_packets_wait_becomes_an_outage() {
        let mut belief = belief();
        for _ in 0..50 {
            belief.tick(Evidence::Exactly(5.0));
        }
        assert!(belief.forecast(5, 0.05) > 5);
        for _ in 0..10 {
            belief.tick(Evidence::Exactly(0.0));
        }
        assert!(belief.chances[0] > 0.5, "{}", belief.chances[0]);
        assert_eq!(belief.forecast(5, 0.05), 0);
    }

    #[test]
    fn bytes_count_as_fractions_of_a_packet() {
        let (mut half, mut one) = (belief(), belief());
        for _ in 0..100 {
            half.tick(Evidence::Exactly(2.5));
            one.tick(Evidence::Exactly(3.0));
        }
        assert!(mean(&half) < mean(&one));
        assert!(mean(&half) > 100.0);
    }

    #[test]
    fn a_lower_bound_only_raises_the_rate() {
        let mut belief = belief();
        for _ in 0..50 {
            belief.tick(Evidence::Exactly(4.0));
        }
        let before = mean(&belief);
        let mut low = belief.clone();
        low.tick(Evidence::AtLeast(1));
        belief.tick(Evidence::AtLeast(9));
        assert!(mean(&belief) > before + 20.0);
        assert!((mean(&low) - before).abs() < 5.0);
    }

    #[test]
    fn a_count_that_no_rate_explains_keeps_the_belief_valid() {
        let mut belief = belief();
        for _ in 0..100 {
            belief.tick(Evidence::Exactly(0.0));
        }
        belief.tick(Evidence::Exactly(5_000.0));
        belief.tick(Evidence::AtLeast(u64::MAX));
        let whole: f64 = belief.chances.iter().sum();
        assert!((whole - 1.0).abs() < 1e-9, "{whole}");
    }
}
