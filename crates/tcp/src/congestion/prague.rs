//! Prague (draft-briscoe-iccrg-prague-congestion-control-04), the congestion control of L4S (RFC 9330, RFC 9331).
//!
//! Principle: DCTCP for the Internet. The window is reduced by half of the average share of marked bytes, alpha, once
//! per round trip, and grows on every unmarked byte, in that round trip too; segments are paced. A flow with a short
//! RTT behaves as if its RTT were `rtt_virtual_min`, so that it does not starve flows with longer RTTs. The response
//! to loss is Reno's. Units: bytes; the window has a fractional part.

use jettison_core::{Duration, Gauge, Gauges, Rate, Time};
use jettison_registry::style::{GREEN, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::{Controller, ControllerContext, InKernel};
use super::marks::MarkAverage;
use super::{
    AckSample, ApplicationLimited, CongestionController, CongestionEvent, CongestionKind, EcnFeedback,
    EcnUse, Ect, HyStart, IdleRestart, NewReno, NewRenoParameters, Phase, RecoveryControl, RecoveryEnd,
    RtoEvent, SentSample, SlowStart,
};

/// Its entry in the list of congestion controllers.
pub(super) fn entry() -> Entry<Controller> {
    Entry::<Controller>::new("prague", "Prague", build)
        .style(GREEN, Solid)
        .summary("scalable, paced, with little bias by RTT: L4S's controller")
        .source("draft-briscoe-iccrg-prague-congestion-control-04, RFC 9331")
        .page("tcp.md")
        .gauges(GAUGES)
        .facts(InKernel { always_paces: true, ..InKernel::named("prague") })
}

fn build(
    parameters: PragueParameters,
    context: &ControllerContext,
) -> Result<Box<dyn CongestionController>, ParameterError> {
    parameters.validate()?;
    Ok(Box::new(Prague::new(parameters, SlowStart::new(context, HyStart::Off), context)))
}

/// Ratio of the pacing rate to window/RTT in slow start, so that the window can double (draft §2.5.1); 1 afterwards.
const SLOW_START_GAIN: f64 = 2.0;

/// What it reports of its state.
const GAUGES: &[Gauge] = &[ALPHA, VIRTUAL_RTT];

const ALPHA: Gauge = Gauge::new("prague_alpha", "1", "Moving average of the share of marked bytes.");
const VIRTUAL_RTT: Gauge =
    Gauge::new("prague_virtual_rtt", "ms", "RTT that it behaves by; none before the first sample.");

/// Parameters of `prague`.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields, default, rename_all = "snake_case")]
pub struct PragueParameters {
    /// Weight of the newest round trip in the average share of marked bytes (draft §2.3.2: 1/16).
    pub g: f64,
    /// The average share of marked bytes at the first mark (draft §2.3.2: 1).
    pub initial_alpha: f64,
    /// Minimum RTT for the controller's behaviour on short paths (draft §2.4.4: 25 ms); 0 uses the actual RTT.
    pub rtt_virtual_min: Duration,
    /// Number of initial round trips that use the actual RTT, so that short flows are fast (draft §2.4.4).
    pub rtt_dependent_rounds: u32,
    /// Time for which a burst may occupy the bottleneck; a burst has at least one segment (draft §2.5.2: 250 us).
    pub max_burst: Duration,
    /// Share of the flight that remains after loss (draft §2.4.1: as Reno).
    pub beta: f64,
    /// ECN codepoint of data: `"ect1"` (RFC 9331 §4.1), or `"ect0"` for private networks (draft §2.2).
    pub codepoint: Ect,
}

impl Default for PragueParameters {
    fn default() -> PragueParameters {
        PragueParameters {
            g: 1.0 / 16.0,
            initial_alpha: 1.0,
            rtt_virtual_min: Duration::from_millis(25),
            rtt_dependent_rounds: 500,
            max_burst: Duration::from_micros(250),
            beta: 0.5,
            codepoint: Ect::Ect1,
        }
    }
}

impl PragueParameters {
    /// Checks the ranges.
    ///
    /// # Errors
    /// With the key that is out of range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        MarkAverage::validate(self.g, self.initial_alpha)?;
        NewRenoParameters { beta: self.beta }.validate()
    }
}

/// The controller.
#[derive(Debug, Clone)]
pub struct Prague {
    // Parameters.
    parameters: PragueParameters,
    mss: u64,
    /// The replacement without ECN (draft §2.3.1).
    classic: NewReno,
    // Window.
    slow_start: SlowStart,
    window: u64,
    /// The fractional part of the window, in bytes.
    fraction: f64,
    ssthresh: u64,
    /// Window and ssthresh before the last reduction for loss, while it may prove spurious.
    prior: Option<(u64, u64)>,
    // Marks.
    marks: MarkAverage,
    /// Whether anything was ever marked: alpha begins with the first mark.
    has_mark: bool,
    /// Time and SND.NXT of the last update of alpha.
    observed: Mark,
    /// Time and SND.NXT of the last reduction.
    reduced: Option<Mark>,
    // Path.
    smoothed_rtt: Duration,
    rounds: u32,
    in_flight: u64,
}

/// A point in time and in the stream.
#[derive(Debug, Clone, Copy)]
struct Mark {
    at: Time,
    /// SND.NXT at that time: its round trip ends when more is acknowledged.
    next_offset: u64,
}

impl Prague {
    /// A controller with its initial window.
    pub fn new(parameters: PragueParameters, slow_start: SlowStart, context: &ControllerContext) -> Prague {
        let classic = NewRenoParameters { beta: parameters.beta };
        Prague {
            mss: context.mss,
            classic: NewReno::new(classic, slow_start.clone(), context),
            slow_start,
            window: context.initial_window,
            fraction: 0.0,
            ssthresh: u64::MAX,
            prior: None,
            marks: MarkAverage::new(parameters.g, parameters.initial_alpha),
            has_mark: false,
            observed: Mark { at: Time::ZERO, next_offset: 0 },
            reduced: None,
            smoothed_rtt: Duration::ZERO,
            rounds: 0,
            in_flight: 0,
            parameters,
        }
    }

    /// The virtual RTT: duration of windows of observation and of reduction (draft §2.4.4).
    fn virtual_rtt(&self) -> Duration {
        if self.rounds < self.parameters.rtt_dependent_rounds {
            self.smoothed_rtt
        } else {
            self.smoothed_rtt.max(self.parameters.rtt_virtual_min)
        }
    }

    /// The ratio of the virtual RTT to the RTT, at least 1 (draft §2.4.4: M).
    fn stretch(&self) -> f64 {
        if self.smoothed_rtt.is_zero() {
            return 1.0;
        }
        self.virtual_rtt().as_secs_f64() / self.smoothed_rtt.as_secs_f64()
    }

    /// Whether a round trip and a virtual one have passed since `mark`.
    fn has_passed(&self, mark: Mark, ack: &AckSample) -> bool {
        let virtual_rtt = self.virtual_rtt();
        // If the RTT is the virtual one, stream offsets determine its end exactly.
        ack.acknowledged > mark.next_offset
            && (virtual_rtt == self.smoothed_rtt || ack.now >= mark.at.saturating_add(virtual_rtt))
    }

    /// Draft §2.3.2: updates the share of marked bytes, once per virtual RTT, from the first mark on: what came before says
    /// nothing of the congestion that begins.
    fn observe(&mut self, ack: &AckSample) {
        if !self.has_mark {
            if ack.ce_bytes == 0 {
                return;
            }
            self.has_mark = true;
            self.observed = Mark { at: ack.now, next_offset: ack.next_offset };
        }
        self.marks.count(ack.delivered, ack.ce_bytes);
        if self.has_passed(self.observed, ack) {
            self.marks.end_window();
            self.observed = Mark { at: ack.now, next_offset: ack.next_offset };
        }
    }

    /// Draft §2.4.2: `(1 - alpha/2) * cwnd` on a mark, then no other reduction for a virtual RTT. The first mark ends
    /// slow start (§2.4.5).
    fn answer_marks(&mut self, ack: &AckSample) {
        let is_repairing = matches!(ack.phase, Phase::Recovery | Phase::Loss);
        if ack.ce_bytes == 0 || is_repairing || self.reduced.is_some_and(|mark| !self.has_passed(mark, ack)) {
            return;
        }
        let window = (self.window as f64 + self.fraction) * (1.0 - self.marks.alpha() / 2.0);
        self.set_window(window.max((2 * self.mss) as f64));
        self.ssthresh = self.window;
        self.reduced = Some(Mark { at: ack.now, next_offset: ack.next_offset });
    }

    fn grow(&mut self, ack: &AckSample) {
        self.slow_start.observe(ack, self.window, &mut self.ssthresh, None);
        let unmarked = ack.delivered.saturating_sub(ack.ce_bytes);
        // Pacing keeps the flight just below the window, so half of it in use is enough (RFC 7661 §4.3).
        let is_used = ack.is_window_limited || 2 * ack.in_flight_before >= self.window;
        if unmarked == 0 || !is_used || ack.phase == Phase::Recovery {
            return;
        }
        let mut left = unmarked;
        if self.window < self.ssthresh {
            let newly = unmarked.min(ack.acked);
            left = self.slow_start.on_ack(ack, newly, &mut self.window, &mut self.ssthresh);
        }
        // Draft §2.4.3: on unmarked bytes only, also during a reduction. §2.4.4: a segment per virtual RTT for a
        // window that spans a virtual RTT is 1/M² of a segment in this one.
        let window = self.window as f64 + self.fraction;
        let stretch = self.stretch();
        let increase = left as f64 * self.mss as f64 / window / (stretch * stretch);
        self.set_window(window + increase);
    }

    fn set_window(&mut self, bytes: f64) {
        self.window = bytes as u64;
        self.fraction = bytes - self.window as f64;
    }
}

impl CongestionController for Prague {
    fn on_established(&mut self, mss: u64, initial_window: u64) {
        self.mss = mss;
        self.slow_start.set_mss(mss);
        self.set_window(initial_window as f64);
    }

    fn on_ack(&mut self, ack: &AckSample) {
        self.smoothed_rtt = ack.smoothed_rtt;
        self.rounds = self.rounds.saturating_add(u32::from(ack.is_round_start));
        self.in_flight = ack.in_flight;
        self.observe(ack);
        self.answer_marks(ack);
        self.grow(ack);
    }

    fn on_sent(&mut self, sent: &SentSample) {
        self.in_flight = sent.in_flight;
    }

    fn on_congestion(&mut self, event: &CongestionEvent) {
        // `on_ack` responds to marks.
        if event.kind == CongestionKind::Ecn {
            return;
        }
        // RFC 9331 §4.3, draft §2.4.1: as Reno, independent of earlier marks.
        self.prior = Some((self.window, self.ssthresh));
        let left = event.flight_size.min(self.window) as f64 * self.parameters.beta;
        self.ssthresh = (left as u64).max(2 * self.mss);
        self.set_window(self.ssthresh as f64);
        self.reduced = Some(Mark { at: event.now, next_offset: event.recovery_point });
    }

    fn on_recovery_end(&mut self, end: &RecoveryEnd) {
        if end.kind == CongestionKind::Loss {
            self.set_window(end.window as f64);
        }
    }

    fn on_rto(&mut self, event: &RtoEvent) {
        if !event.is_repeated {
            self.prior = Some((self.window, self.ssthresh));
            let left = event.flight_size.min(self.window) as f64 * self.parameters.beta;
            self.ssthresh = (left as u64).max(2 * self.mss);
        }
        self.set_window(self.mss as f64);
        self.slow_start.on_rto();
    }

    fn on_spurious_recovery(&mut self) {
        if let Some((window, ssthresh)) = self.prior.take() {
            self.set_window(self.window.max(window) as f64);
            self.ssthresh = self.ssthresh.max(ssthresh);
        }
    }

    fn on_application_limited(&mut self, limited: &ApplicationLimited) {
        self.ssthresh = self.ssthresh.max(limited.least_ssthresh);
        self.set_window(self.window.min(limited.window) as f64);
    }

    fn on_idle_restart(&mut self, restart: &IdleRestart) {
        if let Some(restart_window) = restart.restart_window
            && restart_window < self.window
        {
            self.set_window(restart_window as f64);
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

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        let rtt = if self.smoothed_rtt.is_zero() { f64::NAN } else { self.virtual_rtt().as_millis_f64() };
        out.set(&ALPHA, self.marks.alpha());
        out.set(&VIRTUAL_RTT, rtt);
    }

    /// Draft §2.5.1: the window, or the flight if that is larger, over the RTT; twice that in slow start.
    fn pacing_rate(&self) -> Option<Rate> {
        if self.smoothed_rtt.is_zero() {
            return None;
        }
        let gain = if self.window < self.ssthresh / 2 { SLOW_START_GAIN } else { 1.0 };
        let bits = gain * 8.0 * self.window.max(self.in_flight) as f64 / self.smoothed_rtt.as_secs_f64();
        Some(Rate::from_bits((bits as u64).max(1)))
    }

    /// Draft §2.5.2: whole segments that `max_burst` takes at the pacing rate.
    fn pacing_quantum(&self) -> Option<u64> {
        let rate = self.pacing_rate()?;
        let bytes = rate.as_bits() as f64 / 8.0 * self.parameters.max_burst.as_secs_f64();
        Some((bytes as u64 / self.mss).max(1) * self.mss)
    }

    fn recovery_control(&self) -> RecoveryControl {
        RecoveryControl::TransportOnLoss
    }

    fn ecn(&self) -> EcnUse {
        EcnUse { codepoint: self.parameters.codepoint.into(), feedback: EcnFeedback::Accurate }
    }

    fn without_ecn(&self) -> Option<Box<dyn CongestionController>> {
        Some(Box::new(self.classic.clone()))
    }
}

#[cfg(test)]
mod tests;
