//! The rate by losses: which bandwidth explains them best (WebRTC's loss-based estimator, version 2).
//!
//! A link loses an inherent share p of bytes at any rate, and above its bandwidth b everything that does not fit. A sender at
//! rate r then sees a loss of
//!
//! ```text
//! q(r; b, p) = p + (1 − p) · max(0, 1 − b / r)
//! ```
//!
//! Observations are bytes sent and lost in windows of at least 250 ms. A few candidates for b around the present estimate are
//! compared by the likelihood of the observations (`likelihood.rs`), each with a p that a step of Newton's method improves, and
//! with a preference for more bandwidth. Small losses at any rate are thus inherent and limit nothing, whereas losses that come with
//! a rate reduce it. The estimate is at least the acknowledged bitrate. After a reduction it is held for 300 ms, twice as long each
//! time, and then grows by at most 30 % per 300 ms, to at most 1.5 times what is acknowledged.
//!
//! Rules and constants are WebRTC's built-in defaults (field trial `WebRTC-Bwe-LossBasedBweV2`). Rates are in bit/s.

use jettison_core::{Duration, Time};

use super::likelihood::{Channel, Observation, Observations};

/// Least duration of an observation, and observations that an estimate needs.
const WINDOW: Duration = Duration::from_millis(250);
const REQUIRED: usize = 3;
/// Factors on the estimate.
const CANDIDATES: [f64; 3] = [1.02, 1.0, 0.95];
/// Multiple of the acknowledged bitrate that an estimate may grow to; the second while that is below the third factor times the
/// rate of the last hold.
const AHEAD: [f64; 2] = [1.5, 1.2];
const NEAR_HOLD: f64 = 1.3;
/// Growth within a span of time.
const GROWTH: f64 = 1.3;
const GROWTH_TIME: Duration = Duration::from_millis(300);
/// First and longest hold, and the factor from one to the next.
const HOLD: (Duration, Duration) = (Duration::from_millis(300), Duration::from_secs(60));
const LONGER_HOLD: f64 = 2.0;
/// The acknowledged bitrate of an application-limited sender is a candidate only for this time after growth.
const PADDED: Duration = Duration::from_secs(2);
/// Least estimate.
const LEAST: f64 = 5_000.0;

/// What limits the estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LossState {
    /// Losses do not.
    #[default]
    Delay,
    /// Losses do, and it does not grow.
    Decreasing,
    /// Losses do, and it grows.
    Increasing,
}

#[derive(Debug, Clone, Copy)]
struct Hold {
    until: Option<Time>,
    next: Duration,
    rate: f64,
}

impl Default for Hold {
    fn default() -> Hold {
        Hold { until: None, next: HOLD.0, rate: f64::INFINITY }
    }
}

/// The loss-based rate.
#[derive(Debug, Clone, Default)]
pub struct LossRate {
    observations: Observations,
    open: Observation,
    /// Departure of the last packet of the last observation, and of the open one.
    last: Option<Time>,
    open_last: Time,
    best: Option<Channel>,
    /// The outcome.
    rate: f64,
    state: LossState,
    hold: Hold,
    /// The largest rate while it grew, and its time.
    grown: Option<(f64, Time)>,
    /// Bound of the growth since a time.
    growth: Option<(f64, Time)>,
}

impl LossRate {
    /// The rate; `None` before there are enough observations.
    pub fn rate(&self) -> Option<f64> {
        (self.observations.count() >= REQUIRED && self.best.is_some()).then_some(self.rate)
    }

    /// What limits it.
    pub fn state(&self) -> LossState {
        self.state
    }

    /// Records what became of a packet.
    pub fn packet(&mut self, sent_at: Time, bytes: u64, is_lost: bool) {
        self.last.get_or_insert(sent_at);
        self.open_last = self.open_last.max(sent_at);
        self.open.size += bytes as f64;
        self.open.lost += if is_lost { bytes as f64 } else { 0.0 };
    }

    /// Chooses anew if a window has ended: `by_delay` is the other rate, `is_limited` says that the application limits the sender.
    pub fn update(&mut self, by_delay: f64, acknowledged: Option<f64>, is_limited: bool) {
        let Some(before) = self.last else { return };
        let elapsed = self.open_last.since(before);
        if elapsed < WINDOW {
            return;
        }
        let now = self.open_last;
        let rate = self.open.size * 8.0 / elapsed.as_secs_f64();
        self.observations.push(Observation { rate, ..self.open });
        (self.open, self.last) = (Observation::default(), Some(now));
        let start = *self.best.get_or_insert_with(|| {
            self.rate = by_delay;
            Channel { bandwidth: by_delay, inherent: Channel::FIRST_INHERENT }
        });
        let chosen = self.choose(start, by_delay, acknowledged, is_limited, now);
        let chosen = self.bound_growth(start, chosen, acknowledged, now);
        let least = acknowledged.unwrap_or(0.0).max(LEAST);
        let bounded = chosen.bandwidth.min(self.observations.ceiling()).min(by_delay).max(least);
        self.best = Some(if bounded < chosen.bandwidth {
            Channel { bandwidth: bounded, inherent: 0.0 }
        } else {
            Channel { bandwidth: chosen.bandwidth.max(least), ..chosen }
        });
        let is_held = self.state == LossState::Decreasing && self.hold.until.is_some_and(|until| until > now);
        if is_held && bounded < by_delay {
            self.hold.rate = self.hold.rate.max(least);
            self.rate = self.hold.rate.min(bounded);
            return;
        }
        self.change_state(bounded, by_delay, now);
        self.rate = bounded;
        let is_over = self.growth.is_none_or(|(_, since)| now.since(since) > GROWTH_TIME);
        if self.is_limiting() && is_over {
            let bandwidth = self.best.map_or(bounded, |best| best.bandwidth);
            self.growth = Some(((GROWTH * bandwidth).max(LEAST), now));
        }
    }

    fn is_limiting(&self) -> bool {
        self.state != LossState::Delay
    }

    /// The likeliest candidate.
    fn choose(
        &self,
        start: Channel,
        by_delay: f64,
        acknowledged: Option<f64>,
        is_limited: bool,
        now: Time,
    ) -> Channel {
        let bound = self.growth.filter(|_| self.is_limiting()).map_or(f64::INFINITY, |(bound, _)| bound);
        let bound = bound.max(start.bandwidth);
        let has_grown = self.grown.is_some_and(|(_, at)| now.since(at) <= PADDED);
        let acknowledged = acknowledged.filter(|_| !is_limited || has_grown);
        let others = [acknowledged, Some(by_delay).filter(|rate| *rate > start.bandwidth)];
        let factors = CANDIDATES.iter().map(|factor| factor * start.bandwidth);
        let mut best = (f64::NEG_INFINITY, start);
        for bandwidth in factors.chain(others.into_iter().flatten()) {
            let candidate = Channel { bandwidth: bandwidth.min(bound), ..start };
            let candidate = self.observations.improve(candidate);
            let score = self.observations.score(candidate);
            let is_larger = candidate.bandwidth > best.1.bandwidth;
            if score > best.0 || (score == best.0 && is_larger) {
                best = (score, candidate);
            }
        }
        // Losses above what is inherent are no time to grow.
        let mut best = best.1;
        if self.observations.loss() > best.inherent {
            best.bandwidth = best.bandwidth.min(start.bandwidth);
        }
        best
    }

    fn bound_growth(
        &self,
        start: Channel,
        mut chosen: Channel,
        acknowledged: Option<f64>,
        now: Time,
    ) -> Channel {
        if !self.is_limiting() {
            return chosen;
        }
        if let Some((bound, since)) = self.growth
            && now.since(since) < GROWTH_TIME
        {
            chosen.bandwidth = chosen.bandwidth.min(bound);
        }
        if let Some(through) = acknowledged
            && self.grows(start.bandwidth, chosen.bandwidth)
        {
            let is_near = self.hold.rate.is_finite() && through < NEAR_HOLD * self.hold.rate;
            let ahead = AHEAD[usize::from(is_near)] * through;
            chosen.bandwidth = chosen.bandwidth.min(ahead).max(start.bandwidth);
            if self.state == LossState::Decreasing && chosen.bandwidth == start.bandwidth {
                chosen.bandwidth += 1.0; // so that the state changes
            }
        }
        chosen
    }

    fn grows(&self, before: f64, after: f64) -> bool {
        let is_same = before == after && self.state == LossState::Increasing;
        self.is_limiting() && (before < after || is_same)
    }

    fn change_state(&mut self, rate: f64, by_delay: f64, now: Time) {
        let may_go_on = self.state != LossState::Increasing
            || self.grown.is_none_or(|(most, at)| now.since(at) <= PADDED || most < rate);
        if self.grows(self.rate, rate) && may_go_on && rate < by_delay {
            if self.grown.is_none_or(|(most, _)| rate > most) {
                self.grown = Some((rate, now));
            }
            self.state = LossState::Increasing;
        } else if rate < by_delay {
            if self.state != LossState::Decreasing {
                let Hold { next, .. } = self.hold;
                let longer = Duration::from_secs_f64(LONGER_HOLD * next.as_secs_f64()).min(HOLD.1);
                self.hold = Hold { until: Some(now.saturating_add(next)), next: longer, rate };
            }
            self.grown = None;
            self.state = LossState::Decreasing;
        } else {
            (self.hold, self.grown) = (Hold::default(), None);
            self.state = LossState::Delay;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends 1,250-byte packets at a rate over a link of `bandwidth` that loses one in `inherent` besides, following its own
    /// limit (at most `by_delay`), for so many seconds; returns the mean rate of the last second.
    fn run(losses: &mut LossRate, by_delay: f64, bandwidth: f64, inherent: u64, seconds: f64) -> f64 {
        let begin = losses.open_last.as_nanos() as f64 * 1e-9;
        let (mut now, mut owed, mut count, mut last) = (begin, 0.0, 0, Vec::new());
        while now < begin + seconds {
            let rate = losses.rate().unwrap_or(by_delay).min(by_delay);
            now += 1e4 / rate;
            owed += (1.0 - bandwidth / rate).max(0.0);
            count += 1;
            let is_over = owed >= 1.0;
            if is_over {
                owed -= 1.0;
            }
            let is_lost = is_over || count % inherent == 0;
            losses.packet(Time::from_nanos((now * 1e9) as u64), 1250, is_lost);
            let lost = 1.0 / inherent as f64;
            losses.update(by_delay, Some((1.0 - lost) * rate.min(bandwidth)), false);
            if now > begin + seconds - 1.0 {
                last.push(rate);
            }
        }
        last.iter().sum::<f64>() / last.len() as f64
    }

    #[test]
    fn without_losses_there_is_no_limit() {
        let mut losses = LossRate::default();
        assert_eq!(run(&mut losses, 2e6, 10e6, u64::MAX, 10.0), 2e6);
        assert_eq!(losses.state(), LossState::Delay);
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
        assert!((0.8e6..1.2e6).contains(&rate), "{rate}");
        assert_ne!(losses.state(), LossState::Delay);
    }

    #[test]
    fn the_limit_goes_when_the_losses_do() {
        let mut losses = LossRate::default();
        run(&mut losses, 2e6, 1e6, u64::MAX, 20.0);
        let rate = run(&mut losses, 2e6, 10e6, u64::MAX, 30.0);
        assert!(rate > 1.9e6, "{rate}");
        assert_eq!(losses.state(), LossState::Delay);
    }

    #[test]
    fn losses_of_a_third_are_not_inherent_but_what_comes_through_is_the_least() {
        let mut losses = LossRate::default();
        let rate = run(&mut losses, 2e6, 10e6, 3, 20.0);
        assert!(rate < 1e6, "{rate}");
    }

    #[test]
    fn a_reduction_is_held() {
        let mut losses = LossRate::default();
        run(&mut losses, 2e6, 10e6, u64::MAX, 5.0);
        // A quarter is lost for a second.
        run(&mut losses, 2e6, 10e6, 4, 1.0);
        assert_eq!(losses.state(), LossState::Decreasing);
        let held = losses.rate().expect("there are observations");
        let until = losses.hold.until.expect("it is held").as_nanos() as f64 * 1e-9;
        let now = losses.open_last.as_nanos() as f64 * 1e-9;
        assert!(held < 2e6);
        if until > now {
            run(&mut losses, 2e6, 10e6, u64::MAX, until - now - 1e-3);
            assert!(losses.rate().is_some_and(|rate| rate <= held));
        }
    }
}
