//! Congestion controllers: the trait, its inputs, and the registry.
//!
//! A controller owns the congestion window and the slow-start threshold, in bytes. The transport owns everything that
//! needs a scoreboard: loss detection, bytes in flight, delivery-rate samples, recovery. During recovery the transport
//! regulates sending by proportional rate reduction (RFC 9937) towards [`CongestionController::ssthresh`], unless the
//! controller does this itself ([`RecoveryControl::Controller`]: BBR).

mod entry;
#[cfg(test)]
mod gauge_tests;
mod hystart;
mod hystart_plus_plus;
mod marks;
mod rate_sample;
mod registry;
mod sample;
mod slow_start;

jettison_registry::components! {
    /// All of TCP's congestion controllers. The message transport can use each of them too.
    pub fn controllers() -> Registry<Controller>;
    mod bbr;
    mod constant;
    mod cubic;
    mod dctcp;
    mod highspeed;
    mod newcwv;
    mod newreno;
    mod prague;
}

use std::fmt::Debug;

use dyn_clone::DynClone;
use jettison_core::{Duration, Gauges, Rate, Time};
use jettison_wire::Ecn;

pub use bbr::{Bbr, BbrParameters, BbrState, LimitedBy, RateInterval, Round, WindowQuantum};
pub use constant::{Constant, ConstantParameters, Seen, Steered};
pub use cubic::{Cubic, CubicParameters};
pub use dctcp::{Dctcp, DctcpParameters};
pub use entry::{Controller, ControllerContext, InKernel};
pub use marks::{Ect, Rounding};
pub use newcwv::{NewCwv, NewCwvParameters};
pub use newreno::{NewReno, NewRenoParameters};
pub use prague::{Prague, PragueParameters};
pub use rate_sample::{DeliveredSegment, RateSample, RateSampler, SendSnapshot};
pub use sample::{
    AckSample, ApplicationLimited, CongestionEvent, CongestionKind, IdleRestart, Phase, RecoveryEnd,
    RtoEvent, SentSample,
};
pub use slow_start::{HyStart, SlowStart};

/// A congestion controller: receives all events, and provides a window and optionally a pacing rate.
///
/// The transport reads the outputs after every input and never between, so they may be plain fields; after
/// [`CongestionController::on_sent`] only if [`CongestionController::pacing_rate`] is `Some`.
pub trait CongestionController: DynClone + Send + Debug {
    /// The connection is established with a segment size of `mss` bytes and may start with `initial_window` bytes.
    ///
    /// Called once, before any data; both may be smaller than at construction (the peer's MSS, a lost SYN).
    fn on_established(&mut self, mss: u64, initial_window: u64);

    /// The handshake is complete; `rtt` is its round-trip time, if known.
    ///
    /// Called once, right after [`CongestionController::on_established`].
    fn on_handshake(&mut self, _now: Time, _rtt: Option<Duration>) {}

    /// An ACK delivered data, caused data to be marked lost, or echoed congestion.
    fn on_ack(&mut self, ack: &AckSample);

    /// A data segment left, new or retransmitted.
    fn on_sent(&mut self, _sent: &SentSample) {}

    /// The transport enters recovery (loss), or reduces once per window of data (ECN).
    ///
    /// Sets [`CongestionController::ssthresh`], the target of the transport's reduction.
    fn on_congestion(&mut self, event: &CongestionEvent);

    /// Recovery, or the reduction for ECN, has ended.
    fn on_recovery_end(&mut self, end: &RecoveryEnd);

    /// The retransmission timer expired (RFC 5681 §3.1: the window collapses to the loss window).
    fn on_rto(&mut self, event: &RtoEvent);

    /// The last reduction was a response to a spurious loss (RFC 4015): undo it.
    fn on_spurious_recovery(&mut self);

    /// The first data is about to leave after an idle time of more than one RTO (RFC 5681 §4.1).
    fn on_idle_restart(&mut self, restart: &IdleRestart);

    /// The application did not fill the window for an RTO (RFC 2861 §3.1). Controllers that validate their window by other
    /// means ignore it.
    fn on_application_limited(&mut self, _limited: &ApplicationLimited) {}

    /// The congestion window in bytes; applies unless the transport regulates recovery.
    fn window(&self) -> u64;

    /// The slow-start threshold in bytes; [`u64::MAX`] before the first congestion.
    fn ssthresh(&self) -> u64;

    /// The pacing rate; `None` for the transport's own (a gain times window over RTT).
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    /// Bytes sent back to back when paced; `None` for the transport's own quantum.
    fn pacing_quantum(&self) -> Option<u64> {
        None
    }

    /// The controller's bandwidth estimate (BBR); `None` before the first sample, and for controllers without one.
    fn bandwidth(&self) -> Option<Rate> {
        None
    }

    /// Reports its gauges, the same ones at each call; a value that is not known now is not finite. Asked for when series are
    /// sampled, and only where a scenario asks for gauges. The congestion window is a series of its own.
    fn gauges(&self, _now: Time, _out: &mut dyn Gauges) {}

    /// Whether [`CongestionController::burst_limit`] applies, for the life of the connection.
    fn limits_bursts(&self) -> bool {
        false
    }

    /// Maximum bytes that one ACK or write may release at once without pacing; `None` for no limit but the window.
    ///
    /// The rest leaves with the next ACK, or a later write. Called only if [`CongestionController::limits_bursts`] is
    /// true.
    fn burst_limit(&self, _now: Time) -> Option<u64> {
        None
    }

    /// The owner of the limit on bytes in flight during recovery.
    fn recovery_control(&self) -> RecoveryControl {
        RecoveryControl::Transport
    }

    /// The controller's use of ECN, once it is negotiated.
    fn ecn(&self) -> EcnUse {
        EcnUse { codepoint: Ecn::Ect0, feedback: EcnFeedback::Classic }
    }

    /// Whether `ecn = "auto"` requests ECN: true for controllers that need a count of marks.
    fn wants_ecn(&self) -> bool {
        self.ecn().feedback.counts()
    }

    /// The replacement, before the start, on a connection without ECN, or without the accurate feedback that it needs; `None` to keep this controller.
    fn without_ecn(&self) -> Option<Box<dyn CongestionController>> {
        None
    }

    /// What of it is set from outside; `None` for a controller that steers itself.
    fn steered(&mut self) -> Option<&mut Steered> {
        None
    }
}

dyn_clone::clone_trait_object!(CongestionController);

/// The owner of the limit on bytes in flight during recovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecoveryControl {
    /// The transport, by proportional rate reduction or by the window of the applicable RFC.
    Transport,
    /// The transport during loss repair; the controller's window during responses to marks alone (Prague).
    TransportOnLoss,
    /// The controller: its window always applies.
    Controller,
}

/// Use of ECN by a controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EcnUse {
    /// The codepoint of data segments: ECT(0), or ECT(1) for scalable controllers (RFC 9331).
    pub codepoint: Ecn,
    /// The feedback of marks: what the controller needs, or what the connection has.
    pub feedback: EcnFeedback,
}

/// The way in which a receiver reports marks, from the least to the most that is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EcnFeedback {
    /// ECE from the first mark until CWR (RFC 3168 §6.1.3).
    Classic,
    /// ECE mirrors the mark of each segment, with an immediate ACK if it changes (RFC 8257 §3.2).
    PerPacket,
    /// Counters of marked packets and bytes (RFC 9768).
    Accurate,
}

impl EcnFeedback {
    /// Whether it tells how much was marked, not only that something was.
    pub fn counts(self) -> bool {
        self != EcnFeedback::Classic
    }
}

/// Growth of the window by acknowledged data.
#[derive(
    serde::Serialize, serde::Deserialize, schemars::JsonSchema, Debug, Clone, Copy, PartialEq, Eq, Default,
)]
#[serde(rename_all = "kebab-case")]
pub enum Growth {
    /// By acknowledged bytes, as in Linux (after RFC 3465).
    #[default]
    PerByte,
    /// By ACKs received: at most one segment each in slow start, SMSS²/cwnd afterwards (RFC 5681 eq. 2 and 3).
    PerAck,
}

/// What a loss or a timeout reduces: the window, or what was in flight.
#[derive(
    serde::Serialize, serde::Deserialize, schemars::JsonSchema, Debug, Clone, Copy, PartialEq, Eq, Default,
)]
#[serde(rename_all = "kebab-case")]
pub enum ReduceFrom {
    /// The window, as in Linux, even if the application did not fill it.
    #[default]
    Window,
    /// FlightSize (RFC 5681 eq. 4, RFC 9438 §4.6), at most the window: segments of limited transmit beyond it do not count
    /// (RFC 5681 §3.2 step 2).
    Flight,
}

impl ReduceFrom {
    /// The bytes to reduce.
    pub(super) fn bytes(self, window: u64, flight_size: u64) -> u64 {
        match self {
            ReduceFrom::Window => window,
            ReduceFrom::Flight => flight_size.min(window),
        }
    }
}

#[cfg(test)]
mod testing {
    //! Samples for the controllers' unit tests.
    use super::*;

    pub(crate) const MSS: u64 = 1000;

    pub(crate) fn context() -> ControllerContext {
        ControllerContext {
            mss: MSS,
            initial_window: 10 * MSS,
            growth: Growth::PerByte,
            reduce_from: ReduceFrom::Flight,
            hystart: HyStart::Auto,
            paced: false,
            random: None,
        }
    }

    pub(crate) fn ack(bytes: u64) -> AckSample {
        AckSample {
            now: Time::ZERO,
            acked: bytes,
            delivered: bytes,
            lost: 0,
            ecn_echo: false,
            ce_bytes: 0,
            delivered_total: bytes,
            lost_total: 0,
            rate: RateSample::default(),
            in_flight_before: 10 * MSS,
            in_flight: 10 * MSS - bytes.min(10 * MSS),
            acknowledged: bytes,
            next_offset: 10 * MSS,
            rtt: Some(Duration::from_millis(20)),
            min_rtt: Duration::from_millis(20),
            smoothed_rtt: Duration::from_millis(20),
            is_window_limited: true,
            phase: Phase::Open,
            is_round_start: false,
        }
    }

    pub(crate) fn loss(flight_size: u64) -> CongestionEvent {
        CongestionEvent {
            now: Time::ZERO,
            kind: CongestionKind::Loss,
            flight_size,
            in_flight: flight_size,
            lost: MSS.min(flight_size),
            recovery_point: flight_size,
        }
    }

    pub(crate) fn rto(flight_size: u64, is_repeated: bool) -> RtoEvent {
        RtoEvent { now: Time::ZERO, flight_size, in_flight: flight_size, is_repeated }
    }
}
