//! The rate by losses: which bandwidth explains them best (the idea of WebRTC's loss-based estimator, version 2).
//!
//! A link loses an inherent share p of packets at any rate, and above its bandwidth b everything that does not fit. A sender at
//! rate r then sees a loss of
//!
//! ```text
//! q(r; b, p) = p + (1 − p) · max(0, 1 − b / r)
//! ```
//!
//! Observations are packets sent and lost in windows of at least 250 ms. A few candidates for b around the present estimate are
//! compared by the likelihood of the observations, each with the p that suits it best up to a bound; the likeliest one is the
//! estimate. Small losses at any rate are thus inherent and limit nothing, whereas losses that come with a rate reduce it. The
//! likelihood is binomial; the numerical method is ours. Rates are in bit/s.

use std::collections::VecDeque;

use jettison_core::{Duration, Time};

/// Least duration and packets of an observation, and how many are kept. WebRTC's: 250 ms, 20, 20.
const WINDOW: Duration = Duration::from_millis(250);
const LEAST_PACKETS: u64 = 20;
const KEPT: usize = 20;
/// Weight of an observation as against the next one.
const FADING: f64 = 0.9;
/// Factors on the estimate.
const CANDIDATES: [f64; 3] = [1.02, 1.0, 0.95];
/// Greatest inherent loss: a share, and a rate over the bandwidth (both WebRTC's), so that slow links may lose more.
const INHERENT: f64 = 0.05;
const INHERENT_RATE: f64 = 75_000.0;
/// Preference for bandwidth, per packet and e-fold: about what one loss in 500 tells. Ours; without it candidates that no
/// observation has tested would be equal.
const PREFERENCE: f64 = 0.002;
/// Multiple of the acknowledged bitrate that an estimate may grow to.
const AHEAD: f64 = 1.5;
/// Steps of the search for the inherent loss.
const STEPS: usize = 16;

#[derive(Debug, Clone, Copy, Default)]
struct Observation {
    packets: u64,
    lost: u64,
    bytes: u64,
    /// Sending rate.
    rate: f64,
}

/// The loss-based rate.
#[derive(Debug, Clone, Default)]
pub struct LossRate {
    observations: VecDeque<Observation>,
    open: Observation,
    /// Departures of the first and the last packet of the open window.
    span: Option<(Time, Time)>,
    /// `None` while losses set no limit.
    rate: Option<f64>,
}

impl LossRate {
    /// The limit; `None` if losses set none.
    pub fn rate(&self) -> Option<f64> {
        self.rate
    }

    /// Records what became of a packet; returns whether a window ended with it.
    pub fn packet(&mut self, sent_at: Time, bytes: u64, is_lost: bool) -> bool {
        let (first, last) = self.span.get_or_insert((sent_at, sent_at));
        *last = (*last).max(sent_at);
        let elapsed = last.since(*first);
        self.open.packets += 1;
        self.open.lost += u64::from(is_lost);
        self.open.bytes += bytes;
        if elapsed < WINDOW || self.open.packets < LEAST_PACKETS {
            return false;
        }
        let rate = self.open.bytes as f64 * 8.0 / elapsed.as_secs_f64();
        if self.observations.len() == KEPT {
            self.observations.pop_front();
        }
        self.observations.push_back(Observation { rate, ..self.open });
        (self.open, self.span) = (Observation::default(), None);
        true
    }

    /// Chooses anew, after a window: `by_delay` is the other rate, which is also a candidate.
    pub fn update(&mut self, by_delay: f64, acknowledged: Option<f64>) {
        let now = self.rate.unwrap_or(by_delay);
        let bound = acknowledged.map_or(f64::INFINITY, |rate| (AHEAD * rate).max(now));
        let of_factors = CANDIDATES.iter().map(|factor| factor * now);
        let others = [Some(by_delay), acknowledged];
        let candidates = of_factors.chain(others.into_iter().flatten()).map(|rate| rate.min(bound));
        let mut best: Option<(f64, f64)> = None;
        for candidate in candidates.filter(|rate| *rate > 0.0) {
            let score = self.score(candidate);
            if best.is_none_or(|(before, _)| score > before) {
                best = Some((score, candidate));
            }
        }
        let chosen = best.map_or(now, |(_, candidate)| candidate);
        self.rate = (chosen < by_delay).then_some(chosen);
    }

    /// The logarithm of the likelihood, with the preference.
    fn score(&self, bandwidth: f64) -> f64 {
        let inherent = self.inherent(bandwidth);
        let preference = PREFERENCE * libm::log(bandwidth);
        self.weighted()
            .map(|(weight, seen)| {
                let share = share(seen.rate, bandwidth, inherent).clamp(1e-6, 1.0 - 1e-6);
                let (lost, kept) = (seen.lost as f64, (seen.packets - seen.lost) as f64);
                let likelihood = lost * libm::log(share) + kept * libm::log1p(-share);
                weight * (likelihood + seen.packets as f64 * preference)
            })
            .sum()
    }

    /// The inherent loss that is likeliest for a bandwidth: where the likelihood, which is concave in it, has no slope.
    fn inherent(&self, bandwidth: f64) -> f64 {
        let (mut low, mut high) = (0.0, (INHERENT + INHERENT_RATE / bandwidth).min(0.9));
        for _ in 0..STEPS {
            let middle = (low + high) / 2.0;
            let slope: f64 = self
                .weighted()
                .map(|(weight, seen)| {
                    let share = share(seen.rate, bandwidth, middle).clamp(1e-6, 1.0 - 1e-6);
                    let (lost, kept) = (seen.lost as f64, (seen.packets - seen.lost) as f64);
                    // The share grows by (1 − excess) per unit of p.
                    let by = (1.0 - share) / (1.0 - middle);
                    weight * by * (lost / share - kept / (1.0 - share))
                })
                .sum();
            if slope > 0.0 { low = middle } else { high = middle }
        }
        (low + high) / 2.0
    }

    /// Observations with their weights, the newest first.
    fn weighted(&self) -> impl Iterator<Item = (f64, &Observation)> {
        let mut weight = 1.0 / FADING;
        self.observations.iter().rev().map(move |seen| {
            weight *= FADING;
            (weight, seen)
        })
    }
}

/// q(r; b, p).
fn share(rate: f64, bandwidth: f64, inherent: f64) -> f64 {
    inherent + (1.0 - inherent) * (1.0 - bandwidth / rate).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends 1,250-byte packets at a rate over a link of `bandwidth` that loses one in `inherent` besides, following its own
    /// limit (at most `by_delay`), for so many seconds; returns the mean rate of the last second.
    fn run(losses: &mut LossRate, by_delay: f64, bandwidth: f64, inherent: u64, seconds: f64) -> f64 {
        let (mut now, mut owed, mut count, mut last) = (0.0, 0.0, 0, Vec::new());
        while now < seconds {
            let rate = losses.rate().unwrap_or(by_delay).min(by_delay);
            now += 1e4 / rate;
            owed += (1.0 - bandwidth / rate).max(0.0);
            count += 1;
            let is_over = owed >= 1.0;
            if is_over {
                owed -= 1.0;
            }
            let is_lost = is_over || count % inherent == 0;
            if losses.packet(Time::from_nanos((now * 1e9) as u64), 1250, is_lost) {
                losses.update(by_delay, Some(rate.min(bandwidth)));
            }
            if now > seconds - 1.0 {
                last.push(rate);
            }
        }
        last.iter().sum::<f64>() / last.len() as f64
    }

    #[test]
    fn the_share_lost_is_what_exceeds_the_bandwidth() {
        assert_eq!(share(1e6, 2e6, 0.02), 0.02);
        assert_eq!(share(2e6, 1e6, 0.0), 0.5);
        assert_eq!(share(2e6, 1e6, 0.1), 0.55);
    }

    #[test]
    fn without_losses_there_is_no_limit() {
        let mut losses = LossRate::default();
        assert_eq!(run(&mut losses, 2e6, 10e6, u64::MAX, 10.0), 2e6);
        assert_eq!(losses.rate(), None);
    }

    #[test]
    fn inherent_losses_of_two_percent_do_not_limit() {
        let mut losses = LossRate::default();
        let rate = run(&mut losses, 2e6, 10e6, 50, 20.0);
        assert!(rate > 1.9e6, "{rate}");
    }

    #[test]
    fn losses_that_come_with_the_rate_reduce_it_to_the_bandwidth() {
        let mut losses = LossRate::default();
        let rate = run(&mut losses, 2e6, 1e6, u64::MAX, 20.0);
        assert!((0.8e6..1.15e6).contains(&rate), "{rate}");
    }

    #[test]
    fn the_limit_goes_when_the_losses_do() {
        let mut losses = LossRate::default();
        run(&mut losses, 2e6, 1e6, u64::MAX, 20.0);
        assert!(losses.rate().is_some());
        let rate = run(&mut losses, 2e6, 10e6, u64::MAX, 30.0);
        assert!(rate > 1.9e6, "{rate}");
    }

    #[test]
    fn losses_of_a_third_are_not_inherent() {
        let mut losses = LossRate::default();
        let rate = run(&mut losses, 2e6, 10e6, 3, 20.0);
        assert!(rate < 1e6, "{rate}");
    }
}
