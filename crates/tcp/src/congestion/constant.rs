//! `constant`: a window, and if wanted a pacing rate, that nothing changes.
//!
//! It isolates a network from congestion control, and is what a program outside of the simulation steers: [`Steered`] holds the
//! window and the rate, and what was seen since the last look. Without a steersman it responds neither to loss nor to marks, so it
//! must not be used where others share the path.
//!
//! Units: bytes and bit/s. Loss detection and retransmission remain the transport's.

use jettison_core::{Bytes, Duration, Rate};
use jettison_registry::style::{Line::Dotted, OLIVE};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::{Controller, ControllerContext, InKernel};
use super::{
    AckSample, CongestionController, CongestionEvent, IdleRestart, RecoveryControl, RecoveryEnd, RtoEvent,
};

/// Its entry in the list of congestion controllers.
pub(super) fn entry() -> Entry<Controller> {
    Entry::<Controller>::new("constant", "constant window", build)
        .style(OLIVE, Dotted)
        .summary("a constant window and pacing rate; no response to congestion")
        .source("no controller: isolates the network, or is steered from outside")
        .page("tcp.md")
        .facts(InKernel::default())
}

fn build(
    parameters: ConstantParameters,
    context: &ControllerContext,
) -> Result<Box<dyn CongestionController>, ParameterError> {
    parameters.validate()?;
    Ok(Box::new(Constant::new(&parameters, context.initial_window)))
}

/// Parameters of `constant`.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(deny_unknown_fields, default, rename_all = "snake_case")]
pub struct ConstantParameters {
    /// The congestion window; without it, the initial window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<Bytes>,
    /// The pacing rate; without it, the transport's own, if it paces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
}

impl ConstantParameters {
    /// Checks the ranges.
    ///
    /// # Errors
    /// With the key that is out of range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        if let Some(window) = self.window {
            ParameterError::require(window.get() > 0, "window", "be > 0", window)?;
        }
        if let Some(rate) = self.rate {
            ParameterError::require(!rate.is_zero(), "rate", "be > 0", rate)?;
        }
        Ok(())
    }
}

/// What is set from outside, and what was seen since it was taken last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Steered {
    /// The window in bytes.
    pub window: u64,
    /// The pacing rate; `None` for the transport's.
    pub rate: Option<Rate>,
    /// What was seen.
    pub seen: Seen,
}

/// What a sender saw in an interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seen {
    /// Bytes delivered.
    pub delivered: u64,
    /// Bytes marked lost.
    pub lost: u64,
    /// Bytes that were marked, as far as the feedback tells.
    pub marked: u64,
    /// Number of RTT samples.
    pub samples: u64,
    /// Their sum.
    pub rtt_sum: Duration,
    /// The lowest of them; zero without one.
    pub rtt_min: Duration,
    /// Timeouts.
    pub timeouts: u64,
    /// Bytes in flight after the latest ACK.
    pub in_flight: u64,
}

impl Seen {
    /// Adds what another connection saw.
    pub fn add(&mut self, other: &Seen) {
        self.rtt_min = match (self.samples, other.samples) {
            (_, 0) => self.rtt_min,
            (0, _) => other.rtt_min,
            _ => self.rtt_min.min(other.rtt_min),
        };
        self.delivered += other.delivered;
        self.lost += other.lost;
        self.marked += other.marked;
        self.samples += other.samples;
        self.rtt_sum += other.rtt_sum;
        self.timeouts += other.timeouts;
        self.in_flight += other.in_flight;
    }

    /// What was seen so far; the next interval begins.
    pub fn take(&mut self) -> Seen {
        let next = Seen { in_flight: self.in_flight, ..Seen::default() };
        std::mem::replace(self, next)
    }
}

/// The controller.
#[derive(Debug, Clone)]
pub struct Constant {
    steered: Steered,
    /// Whether the window is the initial one, which the handshake may change.
    is_initial: bool,
}

impl Constant {
    /// A controller with its window.
    pub fn new(parameters: &ConstantParameters, initial_window: u64) -> Constant {
        let window = parameters.window.map_or(initial_window, Bytes::get);
        let steered = Steered { window, rate: parameters.rate, seen: Seen::default() };
        Constant { steered, is_initial: parameters.window.is_none() }
    }
}

impl CongestionController for Constant {
    fn on_established(&mut self, _mss: u64, initial_window: u64) {
        if self.is_initial {
            self.steered.window = initial_window;
        }
    }

    #[inline]
    fn on_ack(&mut self, ack: &AckSample) {
        let seen = &mut self.steered.seen;
        seen.delivered += ack.delivered;
        seen.lost += ack.lost;
        seen.marked += ack.ce_bytes;
        seen.in_flight = ack.in_flight;
        if let Some(rtt) = ack.rtt {
            seen.rtt_min = if seen.samples == 0 { rtt } else { seen.rtt_min.min(rtt) };
            seen.samples += 1;
            seen.rtt_sum += rtt;
        }
    }

    fn on_congestion(&mut self, _: &CongestionEvent) {}

    fn on_recovery_end(&mut self, _: &RecoveryEnd) {}

    fn on_rto(&mut self, _: &RtoEvent) {
        self.steered.seen.timeouts += 1;
    }

    fn on_spurious_recovery(&mut self) {}

    fn on_idle_restart(&mut self, _: &IdleRestart) {}

    #[inline]
    fn window(&self) -> u64 {
        self.steered.window
    }

    fn ssthresh(&self) -> u64 {
        u64::MAX
    }

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        self.steered.rate
    }

    fn recovery_control(&self) -> RecoveryControl {
        RecoveryControl::Controller
    }

    fn steered(&mut self) -> Option<&mut Steered> {
        self.is_initial = false;
        Some(&mut self.steered)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{MSS, ack, context, loss, rto};
    use super::*;

    fn constant(window: Option<u64>, rate: Option<Rate>) -> Constant {
        let parameters = ConstantParameters { window: window.map(Bytes::new), rate };
        Constant::new(&parameters, context().initial_window)
    }

    #[test]
    fn nothing_that_happens_changes_the_window() {
        let mut controller = constant(Some(7 * MSS), Some(Rate::from_mbit(3)));
        controller.on_established(MSS, 10 * MSS);
        controller.on_ack(&ack(MSS));
        controller.on_congestion(&loss(5 * MSS));
        controller.on_rto(&rto(5 * MSS, false));
        controller.on_spurious_recovery();
        assert_eq!((controller.window(), controller.pacing_rate()), (7 * MSS, Some(Rate::from_mbit(3))));
    }

    #[test]
    fn without_a_window_it_keeps_the_initial_one_that_the_handshake_leaves() {
        let mut controller = constant(None, None);
        assert_eq!(controller.window(), 10 * MSS);
        controller.on_established(500, 2500);
        assert_eq!(controller.window(), 2500);
    }

    #[test]
    fn it_counts_what_it_sees_until_it_is_taken() {
        let mut controller = constant(None, None);
        let millis = Duration::from_millis;
        for rtt in [30, 20, 40] {
            controller.on_ack(&AckSample { rtt: Some(millis(rtt)), lost: 100, ..ack(MSS) });
        }
        controller.on_ack(&AckSample { rtt: None, ..ack(MSS) });
        controller.on_rto(&rto(MSS, false));
        let steered = controller.steered().expect("it is steered");
        let first = steered.seen.take();
        let expected = Seen {
            delivered: 4 * MSS,
            lost: 300,
            marked: 0,
            samples: 3,
            rtt_sum: millis(90),
            rtt_min: millis(20),
            timeouts: 1,
            in_flight: 9 * MSS,
        };
        assert_eq!(first, expected);
        assert_eq!(steered.seen.take(), Seen { in_flight: 9 * MSS, ..Seen::default() });
        let mut sum = Seen { samples: 1, rtt_min: millis(50), rtt_sum: millis(50), ..Seen::default() };
        sum.add(&first);
        assert_eq!((sum.samples, sum.rtt_min, sum.rtt_sum), (4, millis(20), millis(140)));
    }

    #[test]
    fn a_window_or_a_rate_of_zero_is_refused() {
        let refusal = |window, rate| {
            let parameters = ConstantParameters { window, rate };
            parameters.validate().expect_err("it is zero").to_string()
        };
        assert!(refusal(Some(Bytes::new(0)), None).starts_with("window: "));
        assert!(refusal(None, Some(Rate::ZERO)).starts_with("rate: "));
    }
}
