//! NewReno: additive increase, multiplicative decrease (RFC 5681; recovery as in RFC 6582).
//!
//! Units: bytes. Slow start doubles the window each RTT up to ssthresh; congestion avoidance adds one segment per
//! RTT; a loss halves the bytes in flight.

use jettison_registry::style::{GREY, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::{Controller, ControllerContext, InKernel};
use super::{
    AckSample, ApplicationLimited, CongestionController, CongestionEvent, Growth, HyStart, IdleRestart,
    Phase, RecoveryEnd, ReduceFrom, RtoEvent, SlowStart,
};

/// Its entry in the list of congestion controllers.
pub(super) fn entry() -> Entry<Controller> {
    Entry::<Controller>::new("newreno", "NewReno", build)
        .aliases(&["reno"])
        .style(GREY, Solid)
        .summary("additive increase, multiplicative decrease")
        .source("RFC 5681, RFC 6582")
        .page("tcp.md")
        .facts(InKernel::named("reno"))
}

fn build(
    parameters: NewRenoParameters,
    context: &ControllerContext,
) -> Result<Box<dyn CongestionController>, ParameterError> {
    parameters.validate()?;
    Ok(Box::new(NewReno::new(parameters, SlowStart::new(context, HyStart::Off), context)))
}

/// Parameters of `newreno`.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields, default, rename_all = "snake_case")]
pub struct NewRenoParameters {
    /// Share of the flight that remains after congestion (RFC 5681 eq. 4: one half).
    pub beta: f64,
}

impl Default for NewRenoParameters {
    fn default() -> NewRenoParameters {
        NewRenoParameters { beta: 0.5 }
    }
}

impl NewRenoParameters {
    /// Checks the ranges.
    ///
    /// # Errors
    /// With the key that is out of range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        ParameterError::require(self.beta > 0.0 && self.beta < 1.0, "beta", "be in (0, 1)", self.beta)
    }
}

/// The controller.
#[derive(Debug, Clone)]
pub struct NewReno {
    // Parameters.
    beta: f64,
    growth: Growth,
    reduce_from: ReduceFrom,
    mss: u64,
    // State.
    slow_start: SlowStart,
    window: u64,
    ssthresh: u64,
    /// Bytes acknowledged towards the next segment of window (per-byte growth).
    credit: u64,
    /// Window and ssthresh before the last reduction, while it may prove spurious.
    prior: Option<(u64, u64)>,
}

impl NewReno {
    /// A controller with its initial window.
    pub fn new(parameters: NewRenoParameters, slow_start: SlowStart, context: &ControllerContext) -> NewReno {
        NewReno {
            beta: parameters.beta,
            growth: context.growth,
            reduce_from: context.reduce_from,
            mss: context.mss,
            slow_start,
            window: context.initial_window,
            ssthresh: u64::MAX,
            credit: 0,
            prior: None,
        }
    }

    /// Reduces window and ssthresh to `window`, but not below two segments. Keeps the bytes acknowledged towards the
    /// next segment.
    pub(super) fn reduce_to(&mut self, window: u64) {
        self.prior = Some((self.window, self.ssthresh));
        self.ssthresh = window.max(2 * self.mss);
        self.window = self.ssthresh;
    }

    /// Sets window and ssthresh for a controller with its own rule (RFC 7661).
    pub(super) fn set(&mut self, window: u64, ssthresh: u64) {
        self.window = window;
        self.ssthresh = ssthresh;
        self.credit = 0;
    }

    /// RFC 5681 eq. 4: half, at least two segments.
    fn reduced(&self, flight_size: u64) -> u64 {
        ((self.reduce_from.bytes(self.window, flight_size) as f64 * self.beta) as u64).max(2 * self.mss)
    }
}

impl CongestionController for NewReno {
    fn on_established(&mut self, mss: u64, initial_window: u64) {
        self.mss = mss;
        self.slow_start.set_mss(mss);
        self.window = initial_window;
    }

    #[inline]
    fn on_ack(&mut self, ack: &AckSample) {
        self.slow_start.observe(ack, self.window, &mut self.ssthresh, None);
        let mut newly = ack.acked.min(ack.delivered);
        if newly == 0 || !ack.is_window_limited || matches!(ack.phase, Phase::Recovery | Phase::Cwr) {
            return;
        }
        if self.window < self.ssthresh {
            newly = self.slow_start.on_ack(ack, newly, &mut self.window, &mut self.ssthresh);
            if newly == 0 {
                return;
            }
        }
        match self.growth {
            Growth::PerByte => {
                self.credit += newly;
                if self.credit >= self.window {
                    self.credit -= self.window;
                    self.window += self.mss;
                }
            }
            // RFC 5681 eq. 3.
            Growth::PerAck => self.window += (self.mss * self.mss / self.window).max(1),
        }
    }

    fn on_congestion(&mut self, event: &CongestionEvent) {
        self.reduce_to(self.reduced(event.flight_size));
        self.credit = 0;
    }

    fn on_recovery_end(&mut self, end: &RecoveryEnd) {
        self.window = end.window;
        self.credit = 0;
    }

    fn on_rto(&mut self, event: &RtoEvent) {
        // RFC 5681 §3.1: ssthresh is kept if the same segment times out again.
        if !event.is_repeated {
            self.prior = Some((self.window, self.ssthresh));
            self.ssthresh = self.reduced(event.flight_size);
        }
        self.window = self.mss;
        self.credit = 0;
        self.slow_start.on_rto();
    }

    fn on_spurious_recovery(&mut self) {
        if let Some((window, ssthresh)) = self.prior.take() {
            self.window = self.window.max(window);
            self.ssthresh = self.ssthresh.max(ssthresh);
        }
    }

    fn on_application_limited(&mut self, limited: &ApplicationLimited) {
        self.ssthresh = self.ssthresh.max(limited.least_ssthresh);
        self.window = self.window.min(limited.window);
    }

    fn on_idle_restart(&mut self, restart: &IdleRestart) {
        if let Some(restart_window) = restart.restart_window {
            self.window = self.window.min(restart_window);
            self.ssthresh = self.ssthresh.max(restart.least_ssthresh);
        }
    }

    #[inline]
    fn window(&self) -> u64 {
        self.window
    }

    #[inline]
    fn ssthresh(&self) -> u64 {
        self.ssthresh
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{MSS, ack, context, loss, rto};
    use super::*;

    fn newreno(growth: Growth) -> NewReno {
        let context = ControllerContext { growth, ..context() };
        NewReno::new(NewRenoParameters::default(), SlowStart::new(&context, HyStart::Off), &context)
    }

    #[test]
    fn rfc5681_3_1_slow_start_grows_by_acknowledged_bytes() {
        let mut by_byte = newreno(Growth::PerByte);
        by_byte.on_ack(&ack(2 * MSS));
        assert_eq!(by_byte.window(), 12 * MSS);
        let mut by_ack = newreno(Growth::PerAck);
        by_ack.on_ack(&ack(2 * MSS));
        assert_eq!(by_ack.window(), 11 * MSS, "at most SMSS per ACK (eq. 2)");
        by_ack.on_ack(&ack(MSS / 2));
        assert_eq!(by_ack.window(), 11 * MSS + MSS / 2, "min(N, SMSS)");
    }

    #[test]
    fn rfc5681_3_1_avoidance_adds_a_segment_per_window_by_bytes_and_half_of_that_by_delayed_acks() {
        for (growth, expected) in [(Growth::PerByte, 11 * MSS), (Growth::PerAck, 10 * MSS + 5 * MSS / 10)] {
            let mut controller = newreno(growth);
            controller.on_congestion(&loss(20 * MSS));
            controller.window = 10 * MSS;
            controller.ssthresh = 10 * MSS;
            for _ in 0..5 {
                controller.on_ack(&ack(2 * MSS));
            }
            assert!(controller.window().abs_diff(expected) <= 20, "{growth:?}: {}", controller.window());
        }
    }

    #[test]
    fn rfc5681_eq_4_halves_the_flight_but_not_below_two_segments() {
        let mut controller = newreno(Growth::PerByte);
        controller.on_congestion(&loss(8 * MSS));
        assert_eq!(controller.ssthresh(), 4 * MSS);
        controller.on_congestion(&loss(3 * MSS));
        assert_eq!(controller.ssthresh(), 2 * MSS);
    }

    #[test]
    fn rfc5681_3_1_a_timeout_leaves_one_segment_and_a_repeated_one_keeps_ssthresh() {
        let mut controller = newreno(Growth::PerByte);
        controller.on_rto(&rto(10 * MSS, false));
        assert_eq!((controller.window(), controller.ssthresh()), (MSS, 5 * MSS));
        controller.on_rto(&rto(MSS, true));
        assert_eq!((controller.window(), controller.ssthresh()), (MSS, 5 * MSS));
    }

    #[test]
    fn rfc7661_does_not_grow_an_unused_window() {
        let mut controller = newreno(Growth::PerByte);
        controller.on_ack(&AckSample { is_window_limited: false, ..ack(MSS) });
        assert_eq!(controller.window(), 10 * MSS);
    }

    #[test]
    fn rfc4015_a_spurious_reduction_is_undone() {
        let mut controller = newreno(Growth::PerByte);
        controller.on_rto(&rto(10 * MSS, false));
        controller.on_spurious_recovery();
        assert_eq!((controller.window(), controller.ssthresh()), (10 * MSS, u64::MAX));
    }
}
