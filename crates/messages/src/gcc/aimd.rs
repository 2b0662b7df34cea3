//! The rate by delay (A_hat): increase, hold, decrease (draft-ietf-rmcat-gcc-02 §5.5). Rates are in bit/s.
//!
//! Beside the draft: without an over-use so far, or outside the near-max region, the increase is multiplicative; inside it is
//! additive. The rate may be set by a probe.

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
/// Between decreases while over-use lasts: at least this, at most the second, or the RTT (WebRTC's).
const AGAIN: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(200));

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
    updated_at: Option<Time>,
    decreased_at: Option<Time>,
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
            updated_at: None,
            decreased_at: None,
            capacity: LinkCapacity::default(),
        }
    }

    /// The rate.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Takes the result of a probe, or of a limit that holds for the whole controller.
    pub fn set(&mut self, rate: f64, now: Time) {
        self.rate = rate.clamp(self.bounds.0, self.bounds.1);
        self.updated_at = Some(now);
    }

    /// Updates the rate by the detector's newest signal; `None` while over-use is only suspected. Returns whether it decreased.
    pub fn update(
        &mut self,
        signal: Option<Signal>,
        acknowledged: Option<f64>,
        now: Time,
        rtt: Duration,
    ) -> bool {
        if let Some(signal) = signal {
            self.state = transition(self.state, signal);
        }
        let elapsed = self.updated_at.map_or(Duration::ZERO, |at| now.since(at)).as_secs_f64();
        self.updated_at = Some(now);
        match self.state {
            State::Hold => {}
            State::Increase => self.increase(acknowledged, elapsed, rtt),
            State::Decrease => {
                let pause = rtt.clamp(AGAIN.0, AGAIN.1);
                if self.decreased_at.is_none_or(|at| now.since(at) >= pause) {
                    self.decrease(acknowledged);
                    self.decreased_at = Some(now);
                    return true;
                }
            }
        }
        false
    }

    fn increase(&mut self, acknowledged: Option<f64>, elapsed: f64, rtt: Duration) {
        if acknowledged.is_some_and(|rate| self.capacity.is_below(rate)) {
            self.capacity.reset();
        }
        let before = self.rate;
        let rate = if self.capacity.mean().is_some() {
            let frame = self.rate / FRAMES;
            let packet = frame / (frame / PACKET_BITS).ceil().max(1.0);
            // alpha = 0.5 · min(elapsed / response, 1), times a packet.
            let response = rtt.saturating_add(REACTION).as_secs_f64();
            self.rate + (0.5 * packet / response).max(LEAST_INCREASE) * elapsed.min(response)
        } else {
            self.rate * libm::pow(GROWTH, elapsed.min(1.0))
        };
        // The bound limits growth alone: what a probe has found stays.
        let bound = acknowledged.map_or(f64::INFINITY, |rate| AHEAD * rate + AHEAD_BITS);
        self.rate = rate.min(bound).max(before).clamp(self.bounds.0, self.bounds.1);
    }

    fn decrease(&mut self, acknowledged: Option<f64>) {
        let through = acknowledged.unwrap_or(self.rate);
        let mut rate = self.beta * through;
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

/// §5.5, the table of transitions.
fn transition(state: State, signal: Signal) -> State {
    match (signal, state) {
        (Signal::Overuse, _) => State::Decrease,
        (Signal::Normal, State::Decrease) => State::Hold,
        (Signal::Normal, State::Hold | State::Increase) => State::Increase,
        (Signal::Underuse, _) => State::Hold,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: (f64, f64) = (30e3, 100e6);
    const RTT: Duration = Duration::from_millis(100);

    fn increasing() -> Aimd {
        let mut aimd = Aimd::new(1e6, 0.85, BOUNDS);
        aimd.update(Some(Signal::Normal), Some(1e6), Time::ZERO, RTT);
        aimd
    }

    #[test]
    fn gcc_5_5_the_table_of_transitions() {
        use Signal::{Normal, Overuse, Underuse};
        use State::{Decrease, Hold, Increase};
        for (state, signal, next) in [
            (Hold, Overuse, Decrease),
            (Hold, Normal, Increase),
            (Hold, Underuse, Hold),
            (Increase, Overuse, Decrease),
            (Increase, Normal, Increase),
            (Increase, Underuse, Hold),
            (Decrease, Overuse, Decrease),
            (Decrease, Normal, Hold),
            (Decrease, Underuse, Hold),
        ] {
            assert_eq!(transition(state, signal), next, "{state:?} {signal:?}");
        }
    }

    #[test]
    fn gcc_5_5_far_from_convergence_it_grows_by_8_percent_per_second() {
        let mut aimd = increasing();
        for n in 1..=10 {
            aimd.update(Some(Signal::Normal), Some(1e6), Time::from_millis(100 * n), RTT);
        }
        assert!((aimd.rate() - 1.08e6).abs() < 1.0, "{}", aimd.rate());
    }

    #[test]
    fn gcc_5_5_it_stays_below_1_5_times_the_acknowledged_bitrate() {
        let mut aimd = increasing();
        aimd.update(Some(Signal::Normal), Some(0.67e6), Time::from_secs(1), RTT);
        assert_eq!(aimd.rate(), 1.5 * 0.67e6 + 10e3);
        // But what a probe found is not taken back.
        aimd.set(3e6, Time::from_secs(1));
        aimd.update(Some(Signal::Normal), Some(0.67e6), Time::from_secs(2), RTT);
        assert_eq!(aimd.rate(), 3e6);
    }

    #[test]
    fn gcc_5_5_an_overuse_sets_it_to_0_85_of_the_acknowledged_bitrate_and_growth_is_then_additive() {
        let mut aimd = increasing();
        assert!(aimd.update(Some(Signal::Overuse), Some(9e5), Time::from_millis(50), RTT));
        assert!((aimd.rate() - 765e3).abs() < 1e-6);
        let normal = |aimd: &mut Aimd, ms, acknowledged| {
            aimd.update(Some(Signal::Normal), Some(acknowledged), Time::from_millis(ms), RTT)
        };
        normal(&mut aimd, 100, 9e5);
        normal(&mut aimd, 200, 9e5);
        let before = aimd.rate();
        // Half of a packet per response time of 200 ms; a frame is 25.5 kbit in three packets.
        normal(&mut aimd, 400, 9e5);
        assert!((aimd.rate() - before - 0.5 * before / 30.0 / 3.0).abs() < 1e-6, "{}", aimd.rate());
        // The acknowledged bitrate is far above that of the over-use: the link has changed.
        let before = aimd.rate();
        normal(&mut aimd, 1400, 2e6);
        assert!((aimd.rate() - 1.08 * before).abs() < 1e-6, "{}", aimd.rate());
    }

    #[test]
    fn an_overuse_that_lasts_decreases_again_after_a_round_trip() {
        let mut aimd = increasing();
        let over = |aimd: &mut Aimd, ms, acknowledged| {
            aimd.update(Some(Signal::Overuse), Some(acknowledged), Time::from_millis(ms), RTT)
        };
        assert!(over(&mut aimd, 50, 9e5));
        assert!(!over(&mut aimd, 100, 5e5));
        assert!(over(&mut aimd, 150, 5e5));
        assert!((aimd.rate() - 425e3).abs() < 1e-6);
    }

    #[test]
    fn an_underuse_holds_it() {
        let mut aimd = increasing();
        aimd.update(Some(Signal::Underuse), Some(1e6), Time::from_secs(1), RTT);
        assert_eq!(aimd.rate(), 1e6);
    }
}
