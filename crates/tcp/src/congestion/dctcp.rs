//! DCTCP (RFC 8257).
//!
//! Principle: if a queue marks above a low threshold, the share of marked bytes, alpha, measures congestion; the window
//! is reduced by half of that share, not by half. All else is NewReno: growth (§3.4), the response to loss (§3.5), and
//! connections without ECN. Units: bytes.

use jettison_core::{Gauge, Gauges, Time};
use jettison_registry::style::{INDIGO, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::{Controller, ControllerContext, InKernel};
use super::marks::{MarkAverage, Rounding};
use super::{
    AckSample, ApplicationLimited, CongestionController, CongestionEvent, CongestionKind, EcnFeedback,
    EcnUse, Ect, HyStart, IdleRestart, NewReno, NewRenoParameters, RecoveryEnd, RtoEvent, SlowStart,
};

/// What it reports of its state.
const GAUGES: &[Gauge] = &[ALPHA];

const ALPHA: Gauge = Gauge::new("dctcp_alpha", "1", "Moving average of the share of marked bytes.");

/// Its entry in the list of congestion controllers.
pub(super) fn entry() -> Entry<Controller> {
    Entry::<Controller>::new("dctcp", "DCTCP", build)
        .style(INDIGO, Solid)
        .summary("NewReno that reduces by the share of marked bytes")
        .source("RFC 8257")
        .page("tcp.md")
        .gauges(GAUGES)
        .facts(InKernel::named("dctcp"))
}

fn build(
    parameters: DctcpParameters,
    context: &ControllerContext,
) -> Result<Box<dyn CongestionController>, ParameterError> {
    parameters.validate()?;
    Ok(Box::new(Dctcp::new(parameters, SlowStart::new(context, HyStart::Off), context)))
}

/// Parameters of `dctcp`.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields, default, rename_all = "snake_case")]
pub struct DctcpParameters {
    /// Weight of the newest window in the average share of marked bytes (RFC 8257 §4.2: 1/16).
    pub g: f64,
    /// Initial value of the average share of marked bytes (RFC 8257 §3.3: 1).
    pub initial_alpha: f64,
    /// ECN codepoint of data: `"ect1"`, which DualPI2 treats as scalable, or `"ect0"`, as in data centres.
    pub codepoint: Ect,
    /// Precision of alpha and of the reductions by it: `"none"` is floating point, `"linux"` the kernel's integers.
    pub rounding: Rounding,
}

impl Default for DctcpParameters {
    fn default() -> DctcpParameters {
        DctcpParameters { g: 1.0 / 16.0, initial_alpha: 1.0, codepoint: Ect::Ect1, rounding: Rounding::None }
    }
}

impl DctcpParameters {
    /// Checks the ranges.
    ///
    /// # Errors
    /// With the key that is out of range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        MarkAverage::validate(self.g, self.initial_alpha)
    }
}

/// The controller.
#[derive(Debug, Clone)]
pub struct Dctcp {
    codepoint: Ect,
    mss: u64,
    reno: NewReno,
    marks: MarkAverage,
    /// DCTCP.WindowEnd: the observation window ends when more than this is acknowledged.
    window_end: u64,
}

impl Dctcp {
    /// A controller with its initial window.
    pub fn new(parameters: DctcpParameters, slow_start: SlowStart, context: &ControllerContext) -> Dctcp {
        Dctcp {
            codepoint: parameters.codepoint,
            mss: context.mss,
            reno: NewReno::new(NewRenoParameters::default(), slow_start, context),
            marks: MarkAverage::new(parameters.g, parameters.initial_alpha)
                .with_rounding(parameters.rounding),
            window_end: 0,
        }
    }
}

impl CongestionController for Dctcp {
    fn on_established(&mut self, mss: u64, initial_window: u64) {
        self.mss = mss;
        self.reno.on_established(mss, initial_window);
    }

    #[inline]
    fn on_ack(&mut self, ack: &AckSample) {
        // RFC 8257 §3.3 steps 1 to 8; SACK does not count. Its own echo is of all that the ACK covers, AccECN of a part.
        let is_part = ack.ce_bytes < ack.delivered;
        let marked = if is_part { ack.ce_bytes.min(ack.acked) } else { ack.acked };
        self.marks.count(ack.acked, if ack.ecn_echo { marked } else { 0 });
        if ack.acknowledged > self.window_end {
            self.marks.end_window();
            self.window_end = ack.next_offset;
        }
        self.reno.on_ack(ack);
    }

    fn on_congestion(&mut self, event: &CongestionEvent) {
        match event.kind {
            // RFC 8257 §3.5: as conventional TCP.
            CongestionKind::Loss => self.reno.on_congestion(event),
            // RFC 8257 §3.3: cwnd = cwnd * (1 - alpha / 2), once per window of data.
            CongestionKind::Ecn => {
                self.reno.reduce_to(self.marks.reduced(self.reno.window(), self.mss));
            }
        }
    }

    fn on_recovery_end(&mut self, end: &RecoveryEnd) {
        // The reduction for marks has already been applied. Keep the bytes acknowledged towards the next segment,
        // which frequent small reductions would otherwise discard each time.
        if end.kind == CongestionKind::Loss {
            self.reno.on_recovery_end(end);
        }
    }

    fn on_rto(&mut self, event: &RtoEvent) {
        self.reno.on_rto(event);
    }

    fn on_spurious_recovery(&mut self) {
        self.reno.on_spurious_recovery();
    }

    fn on_idle_restart(&mut self, restart: &IdleRestart) {
        self.reno.on_idle_restart(restart);
    }

    fn on_application_limited(&mut self, limited: &ApplicationLimited) {
        self.reno.on_application_limited(limited);
    }

    #[inline]
    fn window(&self) -> u64 {
        self.reno.window()
    }

    #[inline]
    fn ssthresh(&self) -> u64 {
        self.reno.ssthresh()
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        out.set(&ALPHA, self.marks.alpha());
    }

    fn ecn(&self) -> EcnUse {
        EcnUse { codepoint: self.codepoint.into(), feedback: EcnFeedback::PerPacket }
    }
}

#[cfg(test)]
mod tests {
    use jettison_wire::Ecn;

    use super::super::testing::{MSS, ack, context, loss, rto};
    use super::*;

    fn dctcp() -> Dctcp {
        let context = context();
        Dctcp::new(DctcpParameters::default(), SlowStart::new(&context, HyStart::Off), &context)
    }

    fn marks(window: u64) -> CongestionEvent {
        CongestionEvent { kind: CongestionKind::Ecn, ..loss(window) }
    }

    /// Acknowledges a window of ten segments, the first `marked` of them marked.
    fn window(controller: &mut Dctcp, number: u64, marked: u64) {
        for i in 0..10 {
            let acknowledged = (number * 10 + i + 1) * MSS;
            let next_offset = acknowledged + 9 * MSS;
            let ecn_echo = i < marked;
            let ce_bytes = if ecn_echo { MSS } else { 0 };
            let sample = AckSample { acknowledged, next_offset, ecn_echo, ce_bytes, ..ack(MSS) };
            controller.on_ack(&AckSample { is_window_limited: false, ..sample });
        }
    }

    #[test]
    fn rfc8257_3_3_alpha_starts_at_1_and_converges_to_the_share_of_marks() {
        let mut controller = dctcp();
        assert_eq!(controller.marks.alpha(), 1.0);
        for number in 0..200 {
            window(&mut controller, number, 3);
        }
        assert!((controller.marks.alpha() - 0.3).abs() < 1e-3, "{}", controller.marks.alpha());
    }

    #[test]
    fn rfc9768_an_ack_of_which_a_part_was_marked_counts_that_part() {
        let mut controller = dctcp();
        for number in 0..200 {
            let acknowledged = (number + 1) * 10 * MSS;
            let sample = AckSample { acknowledged, next_offset: acknowledged, ..ack(10 * MSS) };
            controller.on_ack(&AckSample { ecn_echo: true, ce_bytes: 3 * MSS, ..sample });
        }
        assert!((controller.marks.alpha() - 0.3).abs() < 1e-3, "{}", controller.marks.alpha());
    }

    #[test]
    fn rfc8257_3_3_alpha_changes_once_per_window_of_data() {
        let mut controller = dctcp();
        window(&mut controller, 0, 0);
        // SND.UNA is initially the end of the first window (WindowEnd), so its first ACK ends it.
        assert_eq!(controller.marks.alpha(), 15.0 / 16.0);
        window(&mut controller, 1, 0);
        assert_eq!(controller.marks.alpha(), 15.0 / 16.0 * 15.0 / 16.0);
    }

    #[test]
    fn rfc8257_3_3_reduces_by_half_of_alpha() {
        let mut controller = dctcp();
        controller.on_congestion(&marks(10 * MSS));
        assert_eq!((controller.window(), controller.ssthresh()), (5 * MSS, 5 * MSS), "alpha is 1");
        let mut controller = dctcp();
        controller.marks = MarkAverage::new(1.0 / 16.0, 0.2);
        controller.on_congestion(&marks(10 * MSS));
        assert_eq!((controller.window(), controller.ssthresh()), (9 * MSS, 9 * MSS));
    }

    #[test]
    fn rfc8257_3_4_grows_as_newreno() {
        let mut controller = dctcp();
        let mut reno = controller.reno.clone();
        for i in 0..100 {
            if i == 20 {
                controller.on_congestion(&marks(10 * MSS));
                reno.reduce_to(controller.ssthresh());
            }
            controller.on_ack(&ack(MSS));
            reno.on_ack(&ack(MSS));
            assert_eq!(controller.window(), reno.window());
        }
    }

    #[test]
    fn rfc8257_3_5_loss_halves_and_a_timeout_leaves_one_segment_whatever_alpha_is() {
        let mut controller = dctcp();
        controller.marks = MarkAverage::new(1.0 / 16.0, 0.01);
        controller.on_congestion(&loss(10 * MSS));
        assert_eq!(controller.ssthresh(), 5 * MSS);
        controller.on_rto(&rto(10 * MSS, false));
        assert_eq!(controller.window(), MSS);
    }

    #[test]
    fn asks_for_ecn_with_the_codepoint_of_its_parameters() {
        let mut controller = dctcp();
        assert!(controller.wants_ecn());
        assert_eq!(controller.ecn().codepoint, Ecn::Ect1);
        controller.codepoint = Ect::Ect0;
        assert_eq!(controller.ecn().codepoint, Ecn::Ect0);
    }

    #[test]
    fn refuses_values_that_are_not_shares() {
        let wrong = DctcpParameters { g: 1.0, ..DctcpParameters::default() };
        assert!(wrong.validate().unwrap_err().message().contains("in (0, 1)"));
        let wrong = DctcpParameters { initial_alpha: -0.1, ..DctcpParameters::default() };
        assert!(wrong.validate().unwrap_err().to_string().contains("initial_alpha"));
    }
}
