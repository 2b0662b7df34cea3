//! GCC's two rates: delay-based (draft-ietf-rmcat-gcc-02 §5.5) and loss-based (§6). Rates are in bit/s.

use std::collections::VecDeque;

use jettison_core::{Duration, Time};

use super::super::delay::{nanos, span};
use crate::gcc::overuse::Signal;

/// Growth per second far from convergence.
const GROWTH: f64 = 1.08;
/// Maximum ratio of the estimate to the incoming rate.
const AHEAD: f64 = 1.5;
/// Weight of a new sample in the mean of over-use rates (smoothing factor 0.95).
const SMOOTHING: f64 = 0.05;
/// Bounds of that mean's relative variance, in kbit/s, as in WebRTC: the draft has none, and its first value is 0.
const VARIANCE: (f64, f64) = (0.4, 2.5);
/// Reaction time of the detector, added to the RTT.
const REACTION: Duration = Duration::from_millis(100);
/// Assumed frame rate and packet size of an additive increase (§5.5).
const FRAMES: f64 = 30.0;
const PACKET_BITS: f64 = 1200.0 * 8.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Hold,
    Increase,
    Decrease,
}

/// The incoming rate (R_hat), over a window of the receiver's time.
#[derive(Debug, Clone)]
pub(super) struct Incoming {
    window: i64,
    packets: VecDeque<(i64, u64)>,
    bytes: u64,
    first_at: Option<i64>,
}

impl Incoming {
    pub(super) fn new(window: Duration) -> Incoming {
        Incoming { window: span(window), packets: VecDeque::new(), bytes: 0, first_at: None }
    }

    pub(super) fn arrived(&mut self, at: Time, bytes: u64) {
        let at = nanos(at);
        self.first_at.get_or_insert(at);
        let bytes = bytes.min(1 << 32); // no packet is larger, and sums cannot overflow
        self.packets.push_back((at, bytes));
        self.bytes += bytes;
        while let Some((oldest, bytes)) = self.packets.front().copied()
            && oldest <= at.saturating_sub(self.window)
        {
            self.bytes -= bytes;
            self.packets.pop_front();
        }
    }

    /// R_hat in bit/s; `None` before a full window.
    pub(super) fn rate(&self) -> Option<f64> {
        let newest = self.packets.back()?.0;
        (newest.saturating_sub(self.first_at?) >= self.window)
            .then(|| self.bytes as f64 * 8e9 / self.window.max(1) as f64)
    }
}

/// The delay-based estimate (A_hat).
#[derive(Debug, Clone)]
pub(super) struct DelayRate {
    // Parameters.
    beta: f64,
    /// Growth per second until the first over-use.
    startup: f64,
    bounds: (f64, f64),
    // State.
    rate: f64,
    state: State,
    is_starting: bool,
    updated_at: Option<Time>,
    /// Mean and relative variance of the rates at over-use, in kbit/s.
    convergence: Option<(f64, f64)>,
}

impl DelayRate {
    pub(super) fn new(rate: f64, beta: f64, startup: f64, bounds: (f64, f64)) -> DelayRate {
        DelayRate {
            beta,
            startup,
            bounds,
            rate: rate.clamp(bounds.0, bounds.1),
            state: State::Increase,
            is_starting: true,
            updated_at: None,
            convergence: None,
        }
    }

    pub(super) fn rate(&self) -> f64 {
        self.rate
    }

    /// -1 if the rate decreases, 0 if it is held, 1 if it increases.
    pub(super) fn direction(&self) -> f64 {
        match self.state {
            State::Decrease => -1.0,
            State::Hold => 0.0,
            State::Increase => 1.0,
        }
    }

    /// Ends the quick start, because losses show that the link is full.
    pub(super) fn end_start(&mut self) {
        self.is_starting = false;
    }

    /// Scales the rate after a time without feedback.
    pub(super) fn scale(&mut self, factor: f64) {
        self.is_starting = false;
        self.rate = (self.rate * factor).clamp(self.bounds.0, self.bounds.1);
    }

    /// §5.5, the table of transitions. The response to over-use is immediate.
    pub(super) fn signal(&mut self, signal: Signal, incoming: Option<f64>, now: Time) {
        let before = self.state;
        self.state = match (signal, before) {
            (Signal::Overuse, _) => State::Decrease,
            (Signal::Normal, State::Hold) => State::Increase,
            (Signal::Normal, State::Decrease) => State::Hold,
            (Signal::Normal, State::Increase) => State::Increase,
            (Signal::Underuse, _) => State::Hold,
        };
        if self.state == State::Decrease && before != State::Decrease {
            self.update(incoming, now, Duration::ZERO);
        }
    }

    /// Updates the rate if its period has passed: a fixed one (§5.5), at most the response time.
    pub(super) fn tick(&mut self, incoming: Option<f64>, now: Time, rtt: Duration) {
        let response = rtt.saturating_add(REACTION);
        if self.updated_at.is_none_or(|at| now.since(at) >= REACTION) {
            self.update(incoming, now, response);
        }
    }

    fn update(&mut self, incoming: Option<f64>, now: Time, response: Duration) {
        let elapsed = self.updated_at.map_or(Duration::ZERO, |at| now.since(at)).as_secs_f64();
        self.updated_at = Some(now);
        match self.state {
            State::Hold => {}
            State::Increase => self.increase(incoming, elapsed, response.as_secs_f64()),
            State::Decrease => self.decrease(incoming),
        }
        self.rate = self.rate.clamp(self.bounds.0, self.bounds.1);
    }

    fn increase(&mut self, incoming: Option<f64>, elapsed: f64, response: f64) {
        if let (Some(incoming), Some(_)) = (incoming, self.convergence)
            && self.distance(incoming) > 3.0
        {
            self.convergence = None; // the congestion level has changed
        }
        let is_near = incoming.is_some_and(|incoming| self.distance(incoming).abs() <= 3.0);
        if is_near && self.convergence.is_some() {
            let frame = self.rate / FRAMES;
            let packet = frame / (frame / PACKET_BITS).ceil().max(1.0);
            let alpha = 0.5 * (elapsed / response.max(1e-3)).min(1.0);
            self.rate += (alpha * packet).max(1000.0);
        } else {
            let growth = if self.is_starting { self.startup } else { GROWTH };
            self.rate *= libm::pow(growth, elapsed.min(1.0));
        }
        if let Some(incoming) = incoming {
            self.rate = self.rate.min(AHEAD * incoming);
        }
    }

    fn decrease(&mut self, incoming: Option<f64>) {
        self.is_starting = false;
        let incoming = incoming.unwrap_or(self.rate);
        if self.distance(incoming) < -3.0 {
            self.convergence = None; // the link has changed
        }
        let kbit = incoming / 1000.0;
        self.convergence = Some(match self.convergence {
            None => (kbit, VARIANCE.0),
            Some((mean, variance)) => {
                let mean = mean + SMOOTHING * (kbit - mean);
                let sample = (kbit - mean) * (kbit - mean) / mean.max(1.0);
                (mean, (variance + SMOOTHING * (sample - variance)).clamp(VARIANCE.0, VARIANCE.1))
            }
        });
        self.rate = self.rate.min(self.beta * incoming);
    }

    /// Distance of a rate above the over-use rates, in standard deviations; 0 without any.
    fn distance(&self, rate: f64) -> f64 {
        self.convergence
            .map_or(0.0, |(mean, variance)| (rate / 1000.0 - mean) / (variance * mean).max(1e-9).sqrt())
    }
}

/// The loss-based estimate (As_hat).
#[derive(Debug, Clone)]
pub(super) struct LossRate {
    interval: Duration,
    /// `None` while losses set no limit.
    rate: Option<f64>,
    since: Option<Time>,
    arrived: u64,
    lost: u64,
}

impl LossRate {
    pub(super) fn new(interval: Duration) -> LossRate {
        LossRate { interval, rate: None, since: None, arrived: 0, lost: 0 }
    }

    /// The limit; `None` if losses set none.
    pub(super) fn rate(&self) -> Option<f64> {
        self.rate
    }

    /// Counts packets; returns whether a report was due and showed more than a tenth lost.
    pub(super) fn count(&mut self, now: Time, arrived: u64, lost: u64, delay_rate: f64) -> bool {
        self.arrived += arrived;
        self.lost += lost;
        let since = *self.since.get_or_insert(now);
        if now.since(since) < self.interval || self.arrived + self.lost == 0 {
            return false;
        }
        let share = self.lost as f64 / (self.arrived + self.lost) as f64;
        (self.since, self.arrived, self.lost) = (Some(now), 0, 0);
        // §6.
        if share > 0.1 {
            let rate = self.rate.unwrap_or(delay_rate).min(delay_rate);
            self.rate = Some(rate * (1.0 - 0.5 * share));
        } else if share < 0.02 {
            // Limit its growth while the delay limits the sender; above that it has no effect.
            self.rate = self.rate.map(|rate| 1.05 * rate).filter(|rate| *rate < AHEAD * delay_rate);
        }
        share > 0.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: (f64, f64) = (30e3, 100e6);

    fn rate() -> DelayRate {
        DelayRate::new(1e6, 0.85, 1.08, BOUNDS)
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
            let mut rate = DelayRate { state, ..rate() };
            rate.signal(signal, Some(1e6), Time::ZERO);
            assert_eq!(rate.state, next, "{state:?} {signal:?}");
        }
    }

    #[test]
    fn gcc_5_5_far_from_convergence_it_grows_by_8_percent_per_second() {
        let mut rate = rate();
        for n in 0..=10 {
            rate.tick(Some(1e6), Time::from_millis(200 * n), Duration::from_millis(100));
        }
        assert!((rate.rate() - 1.08 * 1.08 * 1e6).abs() < 1.0, "{}", rate.rate());
    }

    #[test]
    fn gcc_5_5_it_stays_below_1_5_times_the_incoming_rate() {
        let mut rate = rate();
        rate.tick(Some(4e5), Time::ZERO, Duration::ZERO);
        assert_eq!(rate.rate(), 6e5);
    }

    #[test]
    fn gcc_5_5_an_overuse_sets_it_to_0_85_of_the_incoming_rate_and_it_then_grows_slowly() {
        let mut rate = rate();
        rate.signal(Signal::Overuse, Some(9e5), Time::ZERO);
        assert!((rate.rate() - 765e3).abs() < 1e-6);
        rate.signal(Signal::Normal, Some(9e5), Time::ZERO);
        rate.signal(Signal::Normal, Some(9e5), Time::ZERO);
        // A response time of 200 ms at a rate near the over-use rate: half a packet.
        rate.tick(Some(9e5), Time::from_millis(200), Duration::from_millis(100));
        let frame = 765e3 / 30.0;
        assert!((rate.rate() - (765e3 + 0.5 * frame / 3.0)).abs() < 1e-6, "{}", rate.rate());
        // The incoming rate is much higher than at that over-use: the link has changed.
        let before = rate.rate();
        rate.tick(Some(2e6), Time::from_millis(1200), Duration::from_millis(100));
        assert!((rate.rate() - 1.08 * before).abs() < 1e-6, "{}", rate.rate());
        assert_eq!(rate.convergence, None);
    }

    #[test]
    fn hold_keeps_the_rate() {
        let mut rate = rate();
        rate.signal(Signal::Underuse, Some(1e6), Time::ZERO);
        rate.tick(Some(1e6), Time::from_secs(1), Duration::ZERO);
        assert_eq!(rate.rate(), 1e6);
    }

    #[test]
    fn the_quick_start_ends_with_the_first_overuse() {
        let mut rate = DelayRate::new(1e6, 0.85, 2.0, BOUNDS);
        rate.tick(None, Time::ZERO, Duration::ZERO);
        rate.tick(None, Time::from_secs(1), Duration::ZERO);
        assert_eq!(rate.rate(), 2e6);
        rate.signal(Signal::Overuse, None, Time::from_secs(1));
        assert!(!rate.is_starting);
    }

    #[test]
    fn gcc_6_losses_above_a_tenth_reduce_and_below_a_fiftieth_do_not_limit() {
        let mut loss = LossRate::new(Duration::from_secs(1));
        let mut report = |second, arrived, lost| {
            loss.count(Time::from_secs(second), arrived, lost, 1e6);
            loss.rate()
        };
        assert_eq!(report(0, 0, 0), None);
        assert_eq!(report(1, 95, 5), None);
        assert_eq!(report(2, 80, 20), Some(0.9e6));
        assert_eq!(report(3, 95, 5), Some(0.9e6));
        assert_eq!(report(4, 99, 1), Some(1.05 * 0.9e6));
        let later: Vec<Option<f64>> = (5..20).map(|second| report(second, 100, 0)).collect();
        assert_eq!(later.last(), Some(&None));
    }

    #[test]
    fn gcc_6_reports_come_at_an_interval() {
        let mut loss = LossRate::new(Duration::from_secs(1));
        assert!(!loss.count(Time::ZERO, 0, 50, 1e6));
        assert!(!loss.count(Time::from_millis(900), 1, 50, 1e6));
        assert!(loss.count(Time::from_millis(1000), 1, 0, 1e6));
    }

    #[test]
    fn gcc_5_5_the_incoming_rate_is_measured_over_its_window() {
        let mut incoming = Incoming::new(Duration::from_millis(500));
        for n in 0..100 {
            incoming.arrived(Time::from_millis(10 * n), 1250);
        }
        assert_eq!(incoming.rate(), Some(1e6));
        let mut young = Incoming::new(Duration::from_millis(500));
        young.arrived(Time::ZERO, 1250);
        assert_eq!(young.rate(), None);
    }
}
