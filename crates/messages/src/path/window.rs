//! TCP's congestion controllers in the message transport (RFC 9002 §7).
//!
//! Principle: a TCP controller is informed of congestion once per round trip, however many packets are lost, and it
//! sets window and slow-start threshold. TCP steers towards that threshold by proportional rate reduction while it
//! repairs; here there is nothing to repair, so the window is the threshold until recovery ends (RFC 9002 §7.3.2). A
//! controller that keeps its own window in recovery (BBR) keeps it here too.

use jettison_core::{Bytes, Duration, Gauges, Rate, Time};
use jettison_registry::Entry;
use jettison_wire::Ecn;

use super::entry::{MessageController, PathContext};
use super::{PathAck, PathController, PathSent};
use jettison_tcp::congestion::{
    AckSample, CongestionController, CongestionEvent, CongestionKind, Controller, ControllerContext,
    EcnFeedback, Growth, HyStart, IdleRestart, Phase, RecoveryControl, RecoveryEnd, ReduceFrom, RtoEvent,
    SentSample,
};

/// Minimum window in packets (RFC 9002 §7.2).
const MIN_PACKETS: u64 = 2;
/// Minimum idle time for an idle restart, equal to TCP's minimum retransmission timeout here.
const MIN_IDLE: Duration = Duration::from_millis(200);

/// The entry of a TCP controller in the list of the message transport's: described and read as there.
pub(super) fn entry(tcp: &Entry<Controller>) -> Entry<MessageController> {
    let own = tcp.clone();
    tcp.derived((), move |parameters, context: &PathContext<'_>| -> Result<Box<dyn PathController>, _> {
        let (packet, initial_window) = (context.packet, context.initial_window);
        let controller = own.build(
            parameters,
            &ControllerContext {
                mss: packet,
                initial_window,
                growth: Growth::PerByte,
                // Video is often limited by its source.
                reduce_from: ReduceFrom::Flight,
                hystart: HyStart::Auto,
                // RFC 9406 §4.3: the transport paces, so growth an ACK needs no limit.
                paced: true,
                random: context.random.clone(),
            },
        )?;
        Ok(Box::new(Window::new(controller, packet, initial_window)))
    })
}

/// A TCP controller as a path controller.
#[derive(Debug, Clone)]
pub struct Window {
    controller: Box<dyn CongestionController>,
    packet: u64,
    phase: Phase,
    /// Times of the last responses to losses and to marks: they cover all packets sent before.
    loss_answered_at: Option<Time>,
    marks_answered_at: Option<Time>,
    loss_flight_size: u64,
    lost_in_recovery: u64,
    /// All bytes sent.
    sent: u64,
    last_sent_at: Option<Time>,
    /// Peak flight of the current round trip, which ends when the bytes sent until its start are settled.
    flight_peak: u64,
    flight_peak_until: u64,
    settled: u64,
    smoothed_rtt: Duration,
}

impl Window {
    /// Adapts a controller at the start of a connection whose full packets have `packet` bytes.
    pub fn new(mut controller: Box<dyn CongestionController>, packet: u64, initial_window: u64) -> Window {
        controller.on_established(packet, initial_window);
        controller.on_handshake(Time::ZERO, None);
        Window {
            controller,
            packet,
            phase: Phase::Open,
            loss_answered_at: None,
            marks_answered_at: None,
            loss_flight_size: 0,
            lost_in_recovery: 0,
            sent: 0,
            last_sent_at: None,
            flight_peak: 0,
            flight_peak_until: 0,
            settled: 0,
            smoothed_rtt: Duration::ZERO,
        }
    }

    /// The phase of congestion response.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    fn feedback(&self) -> EcnFeedback {
        self.controller.ecn().feedback
    }

    /// RFC 9002 §7.3.2: whether a loss requires a response: the packet left after the last response. A response to
    /// marks covers the losses of its round trip if it reduces as much as one to a loss; it does not if it takes only
    /// a share (RFC 8257 §3.5), or nothing (BBR).
    fn is_new_loss(&self, sent_at: Time) -> bool {
        let marks_count =
            !self.feedback().counts() && self.controller.recovery_control() != RecoveryControl::Controller;
        is_after(sent_at, self.loss_answered_at)
            && (!marks_count || is_after(sent_at, self.marks_answered_at))
    }

    fn answer_loss(&mut self, sample: &AckSample) {
        self.phase = Phase::Recovery;
        self.loss_answered_at = Some(sample.now);
        self.lost_in_recovery = 0;
        self.answer(CongestionKind::Loss, sample);
    }

    fn answer_marks(&mut self, sample: &AckSample) {
        if self.phase == Phase::Open {
            self.phase = Phase::Cwr;
        }
        self.marks_answered_at = Some(sample.now);
        self.answer(CongestionKind::Ecn, sample);
    }

    fn answer(&mut self, kind: CongestionKind, sample: &AckSample) {
        self.loss_flight_size = sample.in_flight_before;
        self.controller.on_congestion(&CongestionEvent {
            now: sample.now,
            kind,
            flight_size: sample.in_flight_before,
            in_flight: sample.in_flight_before,
            lost: sample.lost,
            recovery_point: sample.next_offset,
        });
    }

    /// RFC 9002 §7.3.2: recovery ends when a packet sent during it arrives.
    fn end_recovery(&mut self, sample: &AckSample) {
        let phase = std::mem::replace(&mut self.phase, Phase::Open);
        let kind = match phase {
            Phase::Recovery => CongestionKind::Loss,
            Phase::Cwr => CongestionKind::Ecn,
            Phase::Open | Phase::Loss => return,
        };
        self.controller.on_recovery_end(&RecoveryEnd {
            now: sample.now,
            kind,
            window: self.controller.ssthresh(),
            flight_size: sample.in_flight,
            loss_flight_size: self.loss_flight_size,
            retransmitted: self.lost_in_recovery,
        });
    }

    /// Start time of the phase.
    fn phase_began_at(&self) -> Option<Time> {
        if self.phase == Phase::Cwr { self.marks_answered_at } else { self.loss_answered_at }
    }

    fn restart_after_idle(&mut self, now: Time) {
        let Some(last) = self.last_sent_at else { return };
        let (idle, rto) = (now.since(last), (self.smoothed_rtt * 2).max(MIN_IDLE));
        if idle > rto {
            // RFC 9002 has no restart window.
            self.controller.on_idle_restart(&IdleRestart {
                now,
                idle,
                rto,
                restart_window: None,
                least_ssthresh: 0,
            });
        }
    }
}

impl PathController for Window {
    fn on_sent(&mut self, sent: &PathSent) {
        if sent.in_flight == sent.bytes {
            self.restart_after_idle(sent.now);
        }
        self.last_sent_at = Some(sent.now);
        self.sent += sent.bytes;
        if sent.in_flight > self.flight_peak || self.settled >= self.flight_peak_until {
            self.flight_peak = sent.in_flight;
            self.flight_peak_until = self.sent;
        }
        self.controller.on_sent(&SentSample {
            now: sent.now,
            bytes: sent.bytes,
            is_retransmission: false,
            in_flight: sent.in_flight,
            next_offset: self.sent,
            is_app_limited: sent.is_app_limited,
        });
    }

    fn on_ack(&mut self, ack: &PathAck<'_>) {
        let sample = ack.sample;
        self.smoothed_rtt = sample.smoothed_rtt;
        self.settled = sample.acknowledged;
        self.lost_in_recovery += sample.lost;
        let phase_before = self.phase;
        if self.phase != Phase::Open
            && ack.arrived.iter().any(|packet| is_after(packet.sent_at, self.phase_began_at()))
        {
            self.end_recovery(sample);
        }
        if ack.lost.iter().any(|packet| self.is_new_loss(packet.sent_at)) {
            self.answer_loss(sample);
        }
        let is_new_mark = |sent_at: Time| {
            is_after(sent_at, self.loss_answered_at) && is_after(sent_at, self.marks_answered_at)
        };
        let has_marks = self.controller.wants_ecn() && sample.ce_bytes > 0;
        // RFC 9002 §7.3.2: marks cause one response per round trip, as losses do.
        if has_marks
            && self.phase == Phase::Open
            && ack.arrived.iter().any(|packet| packet.ecn == Ecn::Ce && is_new_mark(packet.sent_at))
        {
            self.answer_marks(sample);
        }
        // As in TCP: the ACK that ends recovery belongs to it.
        let phase =
            if matches!(phase_before, Phase::Recovery | Phase::Cwr) { phase_before } else { self.phase };
        let counts = has_marks && self.feedback().counts();
        // RFC 9002 §7.8, as in TCP here: in slow start using half a window is enough, since the next round doubles it.
        let in_slow_start = self.controller.window() < self.controller.ssthresh();
        let is_used = in_slow_start && self.controller.window() < self.flight_peak.saturating_mul(2);
        self.controller.on_ack(&AckSample {
            phase,
            is_window_limited: sample.is_window_limited || is_used,
            ecn_echo: has_marks,
            ce_bytes: if counts { sample.ce_bytes } else { 0 },
            ..*sample
        });
    }

    /// RFC 9002 §7.6.2: the window collapses; the threshold is that of the last loss.
    fn on_persistent_congestion(&mut self, now: Time, in_flight: u64) {
        self.phase = Phase::Loss;
        self.loss_answered_at = Some(now);
        self.controller.on_rto(&RtoEvent { now, flight_size: in_flight, in_flight, is_repeated: true });
    }

    #[inline]
    fn window(&self) -> u64 {
        let is_steered = match self.controller.recovery_control() {
            RecoveryControl::Controller => false,
            RecoveryControl::TransportOnLoss => self.phase == Phase::Recovery,
            RecoveryControl::Transport => matches!(self.phase, Phase::Recovery | Phase::Cwr),
        };
        let window = if is_steered { self.controller.ssthresh() } else { self.controller.window() };
        window.max(MIN_PACKETS * self.packet)
    }

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        self.controller.pacing_rate()
    }

    fn paces_by_window(&self) -> bool {
        true
    }

    #[inline]
    fn pacing_quantum(&self) -> Option<u64> {
        self.controller.pacing_quantum()
    }

    /// The controller's own estimate, or the window over the round-trip time.
    fn bandwidth(&self) -> Option<Rate> {
        self.controller.bandwidth().or_else(|| {
            let is_known = !self.smoothed_rtt.is_zero();
            is_known.then(|| Rate::of(Bytes::new(self.window()), self.smoothed_rtt))
        })
    }

    fn gauges(&self, now: Time, out: &mut dyn Gauges) {
        self.controller.gauges(now, out);
    }

    /// ECN for controllers that need a count of marks (DCTCP, Prague).
    fn ecn(&self) -> Ecn {
        if self.controller.wants_ecn() { self.controller.ecn().codepoint } else { Ecn::NotEct }
    }
}

#[inline]
fn is_after(sent_at: Time, answered_at: Option<Time>) -> bool {
    answered_at.is_none_or(|answered_at| sent_at > answered_at)
}

#[cfg(test)]
mod tests;
