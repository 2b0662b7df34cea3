//! newCWV: congestion window validation for rate-limited senders (RFC 7661).
//!
//! Principle: a window is validated if at least half of it was recently acknowledged in one RTT (pipeACK). Otherwise
//! it is preserved for minutes, neither grown without need nor collapsed by idleness, so that a sender with pauses
//! resumes at full rate; but the response to loss is based on the bytes really in use, and bursts are limited. All
//! else is NewReno. Units: bytes.

mod pipe_ack;
#[cfg(test)]
mod tests;

use jettison_core::{Duration, Gauge, Gauges, Time};
use jettison_registry::style::{Line::Solid, ORANGE};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::pipe_ack::PipeAck;
use super::entry::{Controller, ControllerContext, InKernel};
use super::{
    AckSample, CongestionController, CongestionEvent, HyStart, IdleRestart, NewReno, NewRenoParameters,
    Phase, RecoveryEnd, RtoEvent, SlowStart,
};

/// Its entry in the list of congestion controllers.
pub(super) fn entry() -> Entry<Controller> {
    Entry::<Controller>::new("newcwv", "newCWV", build)
        .style(ORANGE, Solid)
        .summary("NewReno that keeps its window through pauses of the application")
        .source("RFC 7661")
        .page("appendix/newcwv.md")
        .gauges(GAUGES)
        .facts(InKernel { paced: Some("newcwv_paced"), ..InKernel::named("newcwv") })
}

fn build(
    parameters: NewCwvParameters,
    context: &ControllerContext,
) -> Result<Box<dyn CongestionController>, ParameterError> {
    parameters.validate()?;
    Ok(Box::new(NewCwv::new(parameters, SlowStart::new(context, HyStart::Off), context)))
}

/// RFC 7661 §4.4: the non-validated period should not exceed five minutes.
const LONGEST_NON_VALIDATED_PERIOD: Duration = Duration::from_secs(300);

/// What it reports of its state.
const GAUGES: &[Gauge] = &[PIPE_ACK, VALIDATED];

const PIPE_ACK: Gauge = Gauge::new(
    "newcwv_pipe_ack",
    "bytes",
    "pipeACK, the most data that was acknowledged in one RTT lately; none while it is undefined.",
);
const VALIDATED: Gauge =
    Gauge::new("newcwv_validated", "1", "1 in the validated phase, 0 in the non-validated one.");

/// Parameters of `newcwv`.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields, default, rename_all = "snake_case")]
pub struct NewCwvParameters {
    /// Number of bins of the maximum filter over the sampling period, 1 to 64 (RFC 7661 §4.5.1: several, such as five).
    pub bins: u32,
    /// Minimum of the pipeACK sampling period, which is max(3 RTT, this) (RFC 7661 §4.2: 1 s).
    pub sampling_floor: Duration,
    /// Interval after which an unvalidated window is reduced, repeatedly (RFC 7661 §4.4: at most 5 min).
    pub non_validated_period: Duration,
    /// Maximum segments per ACK or write in the non-validated phase without pacing; 0 for no limit but the window. RFC
    /// 7661 §4.4.2 recommends no specific method; ten is an initial window, as in RFC 9002 §7.7 for QUIC.
    pub burst_segments: u32,
}

impl Default for NewCwvParameters {
    fn default() -> NewCwvParameters {
        NewCwvParameters {
            bins: 5,
            sampling_floor: Duration::from_secs(1),
            non_validated_period: LONGEST_NON_VALIDATED_PERIOD,
            burst_segments: 10,
        }
    }
}

impl NewCwvParameters {
    /// Checks the ranges.
    ///
    /// # Errors
    /// With the key that is out of range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let NewCwvParameters { bins, sampling_floor, non_validated_period: period, .. } = *self;
        ParameterError::require((1..=64).contains(&bins), "bins", "be 1 to 64", bins)?;
        ParameterError::require(!sampling_floor.is_zero(), "sampling_floor", "be > 0", sampling_floor)?;
        let requirement = format!("be > 0 and at most {LONGEST_NON_VALIDATED_PERIOD} (RFC 7661 §4.4)");
        let holds = !period.is_zero() && period <= LONGEST_NON_VALIDATED_PERIOD;
        ParameterError::require(holds, "non_validated_period", &requirement, period)
    }
}

/// The controller.
#[derive(Debug, Clone)]
pub struct NewCwv {
    // Parameters.
    non_validated_period: Duration,
    burst_segments: u64,
    is_paced: bool,
    mss: u64,
    initial_window: u64,
    // State.
    reno: NewReno,
    pipe_ack: PipeAck,
    /// The phase is non-validated from this time on, unless a new sample moves it; [`Time::MAX`] while pipeACK is
    /// undefined.
    non_validated_from: Time,
    /// max(pipeACK, LossFlightSize), during the response to congestion in the non-validated phase.
    utilised: Option<u64>,
}

impl NewCwv {
    /// A controller with its initial window.
    pub fn new(parameters: NewCwvParameters, slow_start: SlowStart, context: &ControllerContext) -> NewCwv {
        NewCwv {
            non_validated_period: parameters.non_validated_period,
            burst_segments: u64::from(parameters.burst_segments),
            is_paced: context.paced,
            mss: context.mss,
            initial_window: context.initial_window,
            reno: NewReno::new(NewRenoParameters::default(), slow_start, context),
            pipe_ack: PipeAck::new(parameters.bins, parameters.sampling_floor),
            // RFC 7661 §4.1: the validated phase, pipeACK undefined.
            non_validated_from: Time::MAX,
            utilised: None,
        }
    }

    /// RFC 7661 §4.3: whether less than half of the window was recently acknowledged in one RTT.
    #[inline]
    fn is_non_validated(&self, now: Time) -> bool {
        now >= self.non_validated_from
    }

    /// RFC 7661 §4.3: determines the phase from a new sample.
    ///
    /// Half of the window is rounded to whole segments, since no more can be in flight: otherwise slow start, which
    /// acknowledges exactly half of the window per RTT, would be unvalidated at odd window sizes.
    fn judge(&mut self, now: Time) {
        let half = self.reno.window() / 2;
        let half = (half - half % self.mss).max(1);
        self.non_validated_from = match self.pipe_ack.lasts_until(half, now) {
            Some(until) => until,
            None => self.non_validated_from.min(now),
        };
    }

    /// RFC 7661 §4.5.3: the window limits the sender if it is full, to within a segment.
    ///
    /// Pacing uses the window too, and keeps the flight below it: then data must have waited for a whole RTT, since a
    /// burst of any size waits for a while. [`AckSample::is_window_limited`] alone cannot distinguish the two.
    #[inline]
    fn is_cwnd_limited(&self, ack: &AckSample) -> bool {
        ack.in_flight_before + self.mss > self.reno.window()
            || (self.is_paced && ack.is_window_limited && !ack.rate.is_app_limited)
    }

    /// RFC 7661 §4.4.3, once per elapsed non-validated period (§4.5.2).
    fn reduce_for_elapsed_periods(&mut self, now: Time) {
        let period = self.non_validated_period;
        if now < self.non_validated_from.saturating_add(period) {
            return;
        }
        let periods = now.since(self.non_validated_from).as_nanos() / period.as_nanos();
        self.non_validated_from += period * periods;
        for _ in 0..periods {
            let window = self.reno.window();
            let ssthresh = self.reno.ssthresh().max(window.saturating_mul(3) / 4);
            // "Not greater than": a window below IW, as after a timeout, is not raised.
            let reduced = (window / 2).max(self.initial_window).min(window);
            self.reno.set(reduced, ssthresh);
            if reduced == window {
                break;
            }
        }
    }

    /// RFC 7661 §4.2, §4.3: pipeACK is undefined and the phase validated, until the next sample.
    fn start_anew(&mut self) {
        self.pipe_ack.reset();
        self.non_validated_from = Time::MAX;
    }
}

impl CongestionController for NewCwv {
    fn on_established(&mut self, mss: u64, initial_window: u64) {
        self.mss = mss;
        self.initial_window = initial_window;
        self.reno.on_established(mss, initial_window);
    }

    fn on_ack(&mut self, ack: &AckSample) {
        if ack.phase == Phase::Open {
            self.reduce_for_elapsed_periods(ack.now);
            if self.pipe_ack.on_ack(ack) {
                self.judge(ack.now);
            }
        } else {
            // RFC 7661 §4.2: pipeACK is not updated in recovery.
            self.pipe_ack.suspend();
        }
        // RFC 7661 §4.3, §4.4: a validated window grows by RFC 5681, a non-validated one only while it limits the
        // sender.
        let is_window_limited = !self.is_non_validated(ack.now) || self.is_cwnd_limited(ack);
        self.reno.on_ack(&AckSample { is_window_limited, ..*ack });
    }

    fn on_congestion(&mut self, event: &CongestionEvent) {
        self.pipe_ack.suspend();
        if !self.is_non_validated(event.now) {
            // Also the loss of a retransmission in a recovery that began in the non-validated phase.
            return self.reno.on_congestion(event);
        }
        // RFC 7661 §4.4.1: a safe window for recovery. Segments of limited transmit beyond the window do not count
        // (RFC 5681 §3.2 step 2).
        let loss_flight_size = event.flight_size.min(self.reno.window());
        let utilised = loss_flight_size.max(self.pipe_ack.value(event.now).unwrap_or(0));
        self.utilised = Some(utilised);
        self.reno.reduce_to(utilised / 2);
        // RFC 7661 §4.4: congestion ends the non-validated phase.
        self.non_validated_from = Time::MAX;
    }

    fn on_recovery_end(&mut self, end: &RecoveryEnd) {
        self.reno.on_recovery_end(end);
        if let Some(utilised) = self.utilised.take() {
            // RFC 7661 §4.4.1: the retransmitted bytes exceeded the capacity of the path. ssthresh is the window at
            // the end of recovery (RFC 5681 §3.2 step 6).
            // Losses of retransmissions may have reduced ssthresh to less (RFC 5681 §4.3).
            let window =
                (utilised.saturating_sub(end.retransmitted) / 2).min(self.reno.ssthresh()).max(self.mss);
            self.reno.set(window, window);
        }
        self.start_anew();
    }

    fn on_rto(&mut self, event: &RtoEvent) {
        // RFC 7661 §4.4: the non-validated phase ends, and the standard rules apply.
        self.utilised = None;
        self.start_anew();
        self.reno.on_rto(event);
    }

    fn on_spurious_recovery(&mut self) {
        self.utilised = None;
        self.reno.on_spurious_recovery();
    }

    /// RFC 7661 §4.4: the window survives idleness, until a non-validated period is over.
    fn on_idle_restart(&mut self, restart: &IdleRestart) {
        if self.non_validated_from == Time::MAX {
            // Nothing was sent, so nothing will be acknowledged: an idle sampling period is a measurement.
            let silent = restart.idle.saturating_sub(self.pipe_ack.period());
            if silent.is_zero() {
                return;
            }
            self.pipe_ack.define_as_nothing();
            self.non_validated_from = restart.now - silent;
        }
        self.reduce_for_elapsed_periods(restart.now);
    }

    #[inline]
    fn window(&self) -> u64 {
        self.reno.window()
    }

    #[inline]
    fn ssthresh(&self) -> u64 {
        self.reno.ssthresh()
    }

    fn gauges(&self, now: Time, out: &mut dyn Gauges) {
        out.set(&PIPE_ACK, self.pipe_ack.value(now).map_or(f64::NAN, |bytes| bytes as f64));
        out.set(&VALIDATED, f64::from(u8::from(!self.is_non_validated(now))));
    }

    fn limits_bursts(&self) -> bool {
        self.burst_segments > 0
    }

    /// RFC 7661 §4.4.2.
    fn burst_limit(&self, now: Time) -> Option<u64> {
        self.is_non_validated(now).then_some(self.burst_segments * self.mss)
    }
}
