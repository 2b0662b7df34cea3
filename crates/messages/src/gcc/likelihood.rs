//! Observations of losses, and how likely a channel makes them. Constants are WebRTC's built-in defaults of its loss-based
//! estimator, version 2. Rates are in bit/s.

use std::collections::VecDeque;

/// Observations that are kept, and the weight of each as against the next newer one.
const KEPT: usize = 15;
const FADING: f64 = 0.9;
/// Inherent loss: the least; the greatest is a share, and a rate over the bandwidth, so that slow links may lose more.
const LEAST_INHERENT: f64 = 1e-3;
const INHERENT: f64 = 0.05;
const INHERENT_RATE: f64 = 100_000.0;
/// Share of Newton's step that is made.
const STEP: f64 = 0.75;
/// Preference for bandwidth in kbit/s and for its logarithm, per kilobyte: for losses below the third constant, against it for
/// those above; the fourth smooths the change.
const PREFERENCE: [f64; 2] = [0.0002, 0.02];
const TOLERATED: f64 = 0.2;
const SMOOTHING: f64 = 0.002;
/// Losses above this share bound the rate: to the second over what is above it.
const CEILING: f64 = 0.05;
const CEILING_RATE: f64 = 100_000.0;
/// A loss at this multiple of the median rate or more is no spike.
const SPURT: f64 = 2.0;
/// Bounds of probabilities.
const ALMOST: f64 = 1e-6;

/// Bytes sent and lost in a window.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Observation {
    pub size: f64,
    pub lost: f64,
    /// Sending rate.
    pub rate: f64,
}

/// A bandwidth with an inherent loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Channel {
    pub bandwidth: f64,
    pub inherent: f64,
}

impl Channel {
    /// The first guess of the inherent loss.
    pub const FIRST_INHERENT: f64 = 0.01;

    /// q(r; b, p).
    fn loss_at(self, rate: f64) -> f64 {
        let excess = (1.0 - self.bandwidth / rate).max(0.0);
        (self.inherent + (1.0 - self.inherent) * excess).clamp(ALMOST, 1.0 - ALMOST)
    }

    fn feasible(self) -> Channel {
        let most = (INHERENT + INHERENT_RATE / self.bandwidth.max(1.0)).min(1.0);
        Channel { inherent: self.inherent.max(LEAST_INHERENT).min(most), ..self }
    }
}

/// The last observations.
#[derive(Debug, Clone, Default)]
pub(super) struct Observations {
    /// The newest first.
    kept: VecDeque<Observation>,
    count: usize,
    loss: f64,
}

impl Observations {
    pub fn push(&mut self, observation: Observation) {
        self.kept.truncate(KEPT - 1);
        self.kept.push_front(observation);
        self.count += 1;
        self.loss = self.average_loss();
    }

    /// How many there were.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The average share of bytes lost, without the windows of the greatest and the smallest share.
    pub fn loss(&self) -> f64 {
        self.loss
    }

    fn weighted(&self) -> impl Iterator<Item = (f64, &Observation)> {
        let mut weight = 1.0 / FADING;
        self.kept.iter().map(move |seen| {
            weight *= FADING;
            (weight, seen)
        })
    }

    fn average_loss(&self) -> f64 {
        let (mut size, mut lost) = (0.0, 0.0);
        let (mut most, mut least) = ((0.0, Observation::default()), (1.0, Observation::default()));
        for (weight, seen) in self.weighted() {
            let scaled = Observation { size: weight * seen.size, lost: weight * seen.lost, ..*seen };
            (size, lost) = (size + scaled.size, lost + scaled.lost);
            let share = if seen.size > 0.0 { seen.lost / seen.size } else { 0.0 };
            if self.count > 3 && share > most.0 {
                most = (share, scaled);
            }
            if self.count > 3 && share < least.0 {
                least = (share, scaled);
            }
        }
        if size <= 0.0 {
            return 0.0;
        }
        let (most, least) = (most.1, least.1);
        let rest = size - most.size - least.size;
        if SPURT * self.median_rate() <= most.rate || rest <= 0.0 {
            return lost / size;
        }
        (lost - most.lost - least.lost) / rest
    }

    fn median_rate(&self) -> f64 {
        let mut rates: Vec<f64> = self.kept.iter().map(|seen| seen.rate).filter(|rate| *rate > 0.0).collect();
        rates.sort_by(f64::total_cmp);
        match rates.len() {
            0 => 0.0,
            count if count.is_multiple_of(2) => (rates[count / 2 - 1] + rates[count / 2]) / 2.0,
            count => rates[count / 2],
        }
    }

    /// The bound that large losses set.
    pub fn ceiling(&self) -> f64 {
        if self.loss > CEILING { CEILING_RATE / (self.loss - CEILING) } else { f64::INFINITY }
    }

    /// Improves the inherent loss by one step of Newton's method towards the likeliest one.
    pub fn improve(&self, channel: Channel) -> Channel {
        let channel = channel.feasible();
        let (mut slope, mut bend) = (0.0, 0.0);
        for (weight, seen) in self.weighted() {
            let loss = channel.loss_at(seen.rate);
            let (lost, kept) = (seen.lost / 1e3, (seen.size - seen.lost) / 1e3);
            slope += weight * (lost / loss - kept / (1.0 - loss));
            bend -= weight * (lost / (loss * loss) + kept / ((1.0 - loss) * (1.0 - loss)));
        }
        if bend >= 0.0 {
            return channel;
        }
        Channel { inherent: channel.inherent - STEP * slope / bend, ..channel }.feasible()
    }

    /// The logarithm of the likelihood per kilobyte, with the preference.
    pub fn score(&self, channel: Channel) -> f64 {
        let above = TOLERATED - self.loss;
        let kbit = channel.bandwidth / 1e3;
        let by_rate = PREFERENCE[0] * kbit + PREFERENCE[1] * libm::log1p(kbit);
        let preference = by_rate * above / (SMOOTHING + above.abs());
        self.weighted()
            .map(|(weight, seen)| {
                let loss = channel.loss_at(seen.rate);
                let (lost, kept) = (seen.lost / 1e3, (seen.size - seen.lost) / 1e3);
                let likelihood = lost * libm::log(loss) + kept * libm::log1p(-loss);
                weight * (likelihood + preference * seen.size / 1e3)
            })
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(shares: &[f64]) -> Observations {
        let mut observations = Observations::default();
        for share in shares {
            observations.push(Observation { size: 1e5, lost: share * 1e5, rate: 1e6 });
        }
        observations
    }

    #[test]
    fn the_share_lost_is_what_exceeds_the_bandwidth() {
        let loss = |rate, inherent| Channel { bandwidth: 1e6, inherent }.loss_at(rate);
        assert_eq!(loss(0.5e6, 0.02), 0.02);
        assert_eq!(loss(2e6, 0.0), 0.5);
        assert_eq!(loss(2e6, 0.1), 0.55);
    }

    #[test]
    fn a_single_spike_does_not_count() {
        let spike = observed(&[0.0, 0.01, 0.3, 0.01, 0.01, 0.0, 0.01]);
        assert!(spike.loss() < 0.011, "{}", spike.loss());
        // With few observations everything does.
        assert!((observed(&[0.3]).loss() - 0.3).abs() < 1e-12);
    }

    #[test]
    fn losses_of_a_spurt_count() {
        let mut observations = observed(&[0.0; 6]);
        observations.push(Observation { size: 1e5, lost: 3e4, rate: 2e6 });
        assert!(observations.loss() > 0.05, "{}", observations.loss());
    }

    #[test]
    fn large_losses_bound_the_rate() {
        assert_eq!(observed(&[0.02; 5]).ceiling(), f64::INFINITY);
        let ceiling = observed(&[0.55; 5]).ceiling();
        assert!((ceiling - 200e3).abs() < 1.0, "{ceiling}");
    }

    #[test]
    fn the_inherent_loss_goes_to_the_likeliest_and_has_bounds() {
        let observations = observed(&[0.03; 10]);
        let mut channel = Channel { bandwidth: 2e6, inherent: 0.01 };
        (0..40).for_each(|_| channel = observations.improve(channel));
        assert!((channel.inherent - 0.03).abs() < 1e-3, "{channel:?}");
        let observations = observed(&[0.5; 10]);
        (0..40).for_each(|_| channel = observations.improve(channel));
        assert!((channel.inherent - 0.1).abs() < 1e-9, "5 % and 100 kbit/s of 2 Mbit/s: {channel:?}");
    }

    #[test]
    fn bandwidth_is_preferred_while_losses_are_tolerable() {
        let prefers = |share: f64| {
            let observations = observed(&[share; 10]);
            let score = |bandwidth| observations.score(Channel { bandwidth, inherent: share });
            score(4e6) > score(3e6)
        };
        assert!(prefers(0.02) && !prefers(0.4));
    }
}
