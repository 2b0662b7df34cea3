//! The rate by delay (A_hat): increase, hold, decrease (draft-ietf-rmcat-gcc-02 §5.5). Rates are in bit/s.
//!
//! Beside the draft: without an over-use so far, or outside the near-max region, the increase is multiplicative; inside it is
//! additive. The rate may be set by a probe. Where WebRTC's rules differ from the draft's, these hold: a decrease takes 5 kbit/s
//! more, is followed by *hold* at once, and may be repeated when the rate has not changed for a round trip, or when less than half
//! of it came through. Before anything is acknowledged, an over-use halves the rate.

use jettison_core::{Duration, Time};

use super::capacity::LinkCapacity;
use super::overuse::Signal;

/// Growth per second far from convergence (§5.5).
const GROWTH: f64 = 1.08;
/// Maximum ratio of the rate to the acknowledged bitrate (§5.5), and WebRTC's constant beside it, for very low rates.
const AHEAD: f64 = 1.5;
const AHEAD_BITS: f64 = 10_000.0;
/// Assumed frame rate and packet size of an additive increase (§5.5).
const FRAMES: f64 = 30.0;
const PACKET_BITS: f64 = 1200.0 * 8.0;
/// Least additive increase per second (WebRTC's).
const LEAST_INCREASE: f64 = 4_000.0;
/// Reaction time of the detector, added to the RTT (§5.5).
const REACTION: Duration = Duration::from_millis(100);
/// Least multiplicative increase per update (WebRTC's).
const LEAST_STEP: f64 = 1_000.0;
/// Between decreases while over-use lasts: at least this, at most the second, or the RTT (WebRTC's).
const AGAIN: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(200));
/// With less than this share of the rate acknowledged, a decrease does not wait; what it takes beside beta; and the factor of one
/// without an acknowledged bitrate (WebRTC's).
const FAR_BELOW: f64 = 0.5;
const BELOW: f64 = 5_000.0;
const UNACKNOWLEDGED: f64 = 0.5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Hold,
    Increase,
    Decrease,
}

/// The delay-based rate.
#[derive(Debug, Clone)]
pub struct Aimd {
    // Parameters.
    beta: f64,
    bounds: (f64, f64),
    // State.
    rate: f64,
    state: State,
    /// Of the last decrease, set rate, or time of increase.
    changed_at: Option<Time>,
    capacity: LinkCapacity,
}

impl Aimd {
    /// Creates it with a first rate, the factor of decreases, and the bounds of the rate.
    pub fn new(rate: f64, beta: f64, bounds: (f64, f64)) -> Aimd {
        Aimd {
            beta,
            bounds,
            rate: rate.clamp(bounds.0, bounds.1),
            state: State::Hold,
            changed_at: None,
            capacity: LinkCapacity::default(),
        }
    }

    /// The rate.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Takes the result of a probe.
    pub fn set(&mut self, rate: f64, now: Time) {
        self.adjust(rate);
        self.changed_at = Some(now);
    }

    /// Takes what another rule makes of the rate, which delays no decrease.
    pub fn adjust(&mut self, rate: f64) {
        self.rate = rate.clamp(self.bounds.0, self.bounds.1);
    }

    /// Updates the rate by the detector's state. Returns whether it decreased.
    pub fn update(&mut self, signal: Signal, acknowledged: Option<f64>, now: Time, rtt: Duration) -> bool {
        if signal == Signal::Overuse && !self.may_decrease(acknowledged, now, rtt) {
            return false;
        }
        if self.state != State::Increase && signal == Signal::Normal {
            self.changed_at = Some(now); // growth begins now
        }
        self.state = transition(signal);
        match self.state {
            State::Hold => {}
            State::Increase => self.increase(acknowledged, now, rtt),
            State::Decrease => {
                self.decrease(acknowledged);
                self.changed_at = Some(now);
                return true;
            }
        }
        false
    }

    fn may_decrease(&self, acknowledged: Option<f64>, now: Time, rtt: Duration) -> bool {
        self.changed_at.is_none_or(|at| now.since(at) >= rtt.clamp(AGAIN.0, AGAIN.1))
            || acknowledged.is_none_or(|rate| rate < FAR_BELOW * self.rate)
    }

    fn increase(&mut self, acknowledged: Option<f64>, now: Time, rtt: Duration) {
        let elapsed = self.changed_at.replace(now).map_or(1.0, |at| now.since(at).as_secs_f64());
        if acknowledged.is_some_and(|rate| self.capacity.is_below(rate)) {
            self.capacity.reset();
        }
        // The bound limits growth alone: what a probe has found stays.
        let bound = acknowledged.map_or(f64::INFINITY, |rate| AHEAD * rate + AHEAD_BITS);
        if self.rate >= bound {
            return;
        }
        let rate = if self.capacity.mean().is_some() {
            let frame = self.rate / FRAMES;
            let packet = frame / (frame / PACKET_BITS).ceil().max(1.0);
            // Half of a packet per response time.
            let response = rtt.saturating_add(REACTION).as_secs_f64();
            self.rate + (0.5 * packet / response).max(LEAST_INCREASE) * elapsed
        } else {
            (self.rate * libm::pow(GROWTH, elapsed.min(1.0))).max(self.rate + LEAST_STEP)
        };
        self.rate = rate.min(bound).clamp(self.bounds.0, self.bounds.1);
    }

    fn decrease(&mut self, acknowledged: Option<f64>) {
        let Some(through) = acknowledged else {
            self.rate = (UNACKNOWLEDGED * self.rate).max(self.bounds.0);
            return;
        };
        let mut rate = self.beta * through;
        if rate > BELOW {
            rate -= BELOW;
        }
        if rate > self.rate
            && let Some(mean) = self.capacity.mean()
        {
            // The acknowledged bitrate is that of an earlier, larger rate.
            rate = self.beta * mean;
        }
        if self.capacity.is_above(through) {
            self.capacity.reset();
        }
        self.capacity.overused(through);
        self.rate = self.rate.min(rate).clamp(self.bounds.0, self.bounds.1);
    }

    /// -1 if the rate decreases, 0 if it is held, 1 if it increases.
    pub fn direction(&self) -> f64 {
        match self.state {
            State::Decrease => -1.0,
            State::Hold => 0.0,
            State::Increase => 1.0,
        }
    }
}

/// §5.5, the table of transitions, but for one entry: WebRTC holds the rate from a decrease on, so that it increases with the next
/// normal signal. The draft spends that signal on *hold*.
fn transition(signal: Signal) -> State {
    match signal {
        Signal::Overuse => State::Decrease,
        Signal::Normal => State::Increase,
        Signal::Underuse => State::Hold,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: (f64, f64) = (30e3, 100e6);
    const RTT: Duration = Duration::from_millis(100);

    fn increasing() -> Aimd {
        let mut aimd = Aimd::new(1e6, 0.85, BOUNDS);
        aimd.update(Signal::Normal, Some(1e6), Time::ZERO, RTT);
        aimd
    }

    fn update(aimd: &mut Aimd, signal: Signal, ms: u64, acknowledged: f64) -> bool {
        aimd.update(signal, Some(acknowledged), Time::from_millis(ms), RTT)
    }

    #[test]
    fn gcc_5_5_far_from_convergence_it_grows_by_8_percent_per_second() {
        let mut aimd = increasing();
        let before = aimd.rate();
        (1..=10).for_each(|n| {
            update(&mut aimd, Signal::Normal, 100 * n, 1e6);
        });
        assert!((aimd.rate() - 1.08 * before).abs() < 1.0, "{}", aimd.rate());
    }

    #[test]
    fn gcc_5_5_it_stays_below_1_5_times_the_acknowledged_bitrate() {
        let mut aimd = increasing();
        update(&mut aimd, Signal::Normal, 1000, 0.67e6);
        assert_eq!(aimd.rate(), 1.5 * 0.67e6 + 10e3);
        // But what a probe found is not taken back.
        aimd.set(3e6, Time::from_secs(1));
        update(&mut aimd, Signal::Normal, 2000, 0.67e6);
        assert_eq!(aimd.rate(), 3e6);
    }

    #[test]
    fn gcc_5_5_an_overuse_sets_it_to_0_85_of_the_acknowledged_bitrate_and_growth_is_then_additive() {
        let mut aimd = increasing();
        assert!(update(&mut aimd, Signal::Overuse, 150, 9e5));
        assert!((aimd.rate() - (765e3 - 5e3)).abs() < 1e-6);
        update(&mut aimd, Signal::Normal, 200, 9e5);
        update(&mut aimd, Signal::Normal, 300, 9e5);
        let before = aimd.rate();
        // Half of a packet per response time of 200 ms; a frame is 25.3 kbit in three packets.
        update(&mut aimd, Signal::Normal, 500, 9e5);
        assert!((aimd.rate() - before - 0.5 * before / 30.0 / 3.0).abs() < 1e-6, "{}", aimd.rate());
        // The acknowledged bitrate is far above that of the over-use: the link has changed.
        let before = aimd.rate();
        update(&mut aimd, Signal::Normal, 1500, 2e6);
        assert!((aimd.rate() - 1.08 * before).abs() < 1e-6, "{}", aimd.rate());
    }

    #[test]
    fn growth_begins_when_it_was_held() {
        let mut aimd = increasing();
        update(&mut aimd, Signal::Overuse, 1000, 9e5);
        update(&mut aimd, Signal::Underuse, 1100, 9e5);
        let before = aimd.rate();
        // The first normal signal ends the hold, however long that was.
        update(&mut aimd, Signal::Normal, 9000, 9e5);
        assert_eq!(aimd.rate(), before);
    }

    #[test]
    fn an_overuse_that_lasts_decreases_again_after_a_round_trip() {
        let mut aimd = increasing();
        assert!(update(&mut aimd, Signal::Overuse, 150, 9e5));
        assert!(!update(&mut aimd, Signal::Overuse, 200, 5e5));
        assert!(update(&mut aimd, Signal::Overuse, 250, 5e5));
        assert!((aimd.rate() - 420e3).abs() < 1e-6);
        // At once if less than half came through.
        assert!(update(&mut aimd, Signal::Overuse, 260, 2e5));
        assert!((aimd.rate() - 165e3).abs() < 1e-6);
    }

    #[test]
    fn without_an_acknowledged_bitrate_it_is_halved() {
        let mut aimd = increasing();
        let before = aimd.rate();
        assert!(aimd.update(Signal::Overuse, None, Time::from_millis(200), RTT));
        assert_eq!(aimd.rate(), before / 2.0);
    }

    #[test]
    fn an_underuse_holds_it() {
        let mut aimd = increasing();
        let before = aimd.rate();
        update(&mut aimd, Signal::Underuse, 1000, 1e6);
        assert_eq!(aimd.rate(), before);
        assert_eq!(aimd.direction(), 0.0);
    }
}
