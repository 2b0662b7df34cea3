//! The phases of congestion response: entering, ending and undoing recovery.

use jettison_core::Time;

use super::prr::Prr;
use super::sender::{Force, Sender};
use crate::congestion::{
    CongestionEvent, CongestionKind, EcnFeedback, Phase, RecoveryControl, RecoveryEnd, RtoEvent,
};

impl Sender {
    /// Enters recovery for loss or ECN marks, or starts it anew for the loss of a retransmission. `flight` is FlightSize, SACKed bytes and pipe before the
    /// ACK that showed it; `lost` are the bytes marked lost since.
    pub fn enter_recovery(&mut self, kind: CongestionKind, flight: (u64, u64, u64), lost: u64, now: Time) {
        let (flight_size, sacked, in_flight) = flight;
        let reduced_already = self.marks_cover_loss();
        let is_second = self.phase == Phase::Recovery;
        self.phase = match kind {
            CongestionKind::Loss => {
                self.deadlines.probe = Time::MAX;
                Phase::Recovery
            }
            CongestionKind::Ecn => Phase::Cwr,
        };
        self.recovery_kind = kind;
        self.recovery_point = self.board.next();
        if is_second {
            // The same repair goes on: what it counts since its begin stays.
            self.board.begin_recovery();
        } else {
            self.begin_repair(flight_size, false, now);
        }
        match kind {
            CongestionKind::Loss => self.counters.recoveries += u64::from(!is_second),
            CongestionKind::Ecn => self.counters.ecn_reductions += 1,
        }
        if !reduced_already {
            let recovery_point = self.recovery_point;
            self.controller.on_congestion(&CongestionEvent {
                now,
                kind,
                flight_size,
                in_flight,
                lost,
                recovery_point,
            });
            match kind {
                CongestionKind::Loss => {
                    let offset = self.board.next_lost().map_or(self.board.una(), |(_, lost)| lost.start);
                    self.trace_loss(offset, now);
                }
                CongestionKind::Ecn => self.trace_marks(now),
            }
            // RFC 9937 §6: RecoverFS excludes bytes SACKed before, and includes those that this ACK delivers.
            self.prr = Prr::begin(flight_size.saturating_sub(sacked), self.controller.ssthresh());
        }
        self.cwr_pending = self.reports_reductions();
        let transport_decides = self.controller.recovery_control() != RecoveryControl::Controller;
        if kind == CongestionKind::Loss && !self.prr_on && transport_decides {
            // RFC 6675 §5 step 4.3, RFC 5681 §3.2 step 3: the lost segment is retransmitted immediately.
            self.force = Force::Retransmission;
        }
    }

    /// Reduces the window for `lost` bytes just marked lost. RFC 5681 §4.3: the losses of one window of data are one
    /// indication of congestion, and the loss of a retransmission is another, which Linux ignores in fast recovery. A
    /// retransmission is lost at the earliest a round trip after the last reduction, so there is at most one reduction per
    /// round trip. `flight` is that of
    /// [`Sender::enter_recovery`].
    #[inline]
    pub fn respond_to_loss(&mut self, flight: (u64, u64, u64), lost: u64, now: Time) -> bool {
        let is_new = match self.phase {
            Phase::Open | Phase::Cwr => lost > 0,
            Phase::Recovery if !self.settings.reduce_again => false,
            Phase::Recovery | Phase::Loss => {
                self.board.lost_again() && self.controller.recovery_control() != RecoveryControl::Controller
            }
        };
        if is_new {
            self.enter_recovery(CongestionKind::Loss, flight, lost, now);
        }
        is_new
    }

    /// Whether the response to marks also covers a loss in the same window of data (RFC 3168 §6.1.2). It does not if
    /// marks reduce by less than a loss would (RFC 8257 §3.5, RFC 9331 §4.3), or not at all (BBR).
    fn marks_cover_loss(&self) -> bool {
        self.phase == Phase::Cwr
            && !(self.ecn.is_some() && self.controller.ecn().feedback.counts())
            && self.controller.recovery_control() != RecoveryControl::Controller
    }

    /// Whether CWR tells the peer of reductions: not with accurate ECN (RFC 9768 §3.1.5).
    fn reports_reductions(&self) -> bool {
        self.ecn.is_some_and(|ecn| ecn.feedback != EcnFeedback::Accurate)
    }

    /// Starts a repair. `is_repeated`: the same data timed out before, so the first retransmission is still the
    /// earlier one.
    fn begin_repair(&mut self, flight_size: u64, is_repeated: bool, now: Time) {
        self.loss_flight_size = flight_size;
        self.recovery_began = now;
        self.retransmitted_in_recovery = 0;
        if !is_repeated {
            self.first_retransmission = None;
            self.eifel_decided = false;
        }
        self.rescued = false;
        self.partial_acks = 0;
        self.board.begin_recovery();
    }

    /// Ends the phase: the recovery point is acknowledged.
    pub fn end_phase(&mut self, now: Time) {
        let phase = std::mem::replace(&mut self.phase, Phase::Open);
        self.duplicate_acks = 0;
        self.duplicate_bytes = 0;
        if phase != Phase::Cwr {
            self.rack.on_recovery_end();
        }
        if phase == Phase::Loss {
            return;
        }
        let ssthresh = self.controller.ssthresh();
        let window = if self.sack {
            // RFC 9937 §6, RFC 6675 §5.
            ssthresh
        } else {
            // RFC 6582 §3.2 step 3, option 1: avoid a burst when little is in flight.
            ssthresh.min(self.board.flight_size().max(self.mss) + self.mss)
        };
        self.controller.on_recovery_end(&RecoveryEnd {
            now,
            kind: self.recovery_kind,
            window,
            flight_size: self.board.flight_size(),
            loss_flight_size: self.loss_flight_size,
            retransmitted: self.retransmitted_in_recovery,
        });
    }

    /// Undoes the last reduction as spurious (RFC 4015): restores the window, and unmarks lost segments.
    pub fn undo(&mut self) {
        self.board.unmark_lost();
        if self.phase == Phase::Recovery {
            // The supposed loss was reordering.
            self.rack.reordering_seen = true;
        }
        self.phase = Phase::Open;
        self.force = Force::None;
        self.duplicate_acks = 0;
        self.duplicate_bytes = 0;
        self.cwr_pending = false;
        self.counters.spurious_recoveries += 1;
        self.rack.on_recovery_end();
        self.controller.on_spurious_recovery();
    }

    /// Processes a retransmission timeout (RFC 6298 §5.4 to §5.6).
    pub fn on_timeout(&mut self, now: Time) {
        self.counters.timeouts += 1;
        self.timeouts_in_a_row += 1;
        if self.timeouts_in_a_row > self.settings.max_retransmissions {
            self.is_dead = true;
            return;
        }
        let (flight_size, in_flight) = (self.board.flight_size(), self.flight());
        let is_repeated = self.phase == Phase::Loss && self.timeouts_in_a_row > 1;
        if self.settings.rack_tlp && self.sack && !self.rack.rtt.is_zero() {
            // RFC 8985 §6.3: recently sent segments may still arrive.
            let window = self.rack.reordering_window(self.rtt.minimum(), self.rtt.smoothed(), true, 0);
            let patience = self.rack.rtt + window;
            self.board.mark_lost_on_timeout(|sent_at| sent_at.saturating_add(patience) <= now);
        } else {
            self.board.mark_lost_on_timeout(|_| true);
        }
        self.trace_loss(self.board.una(), now);
        self.phase = Phase::Loss;
        self.recovery_kind = CongestionKind::Loss;
        self.recovery_point = self.board.next();
        self.begin_repair(flight_size, is_repeated, now);
        self.duplicate_acks = 0;
        self.duplicate_bytes = 0;
        self.probe_end = None;
        self.cwr_pending = self.reports_reductions();
        self.controller.on_rto(&RtoEvent { now, flight_size, in_flight, is_repeated });
        self.refresh_window();
        self.rtt.back_off();
        self.force = Force::Retransmission;
        self.deadlines.probe = Time::MAX;
        self.deadlines.reorder = Time::MAX;
        self.deadlines.rto = now.saturating_add(self.rtt.rto());
    }

    /// Whether a tail loss probe repaired a loss (RFC 8985 §7.4.2).
    #[inline]
    pub fn probe_acknowledged(
        &mut self,
        number: u64,
        dsack: Option<u64>,
        acked: u64,
        flight_size: u64,
        now: Time,
    ) {
        let Some(end) = self.probe_end.filter(|end| number >= *end) else {
            return;
        };
        if !self.probe_is_retransmission || dsack == Some(end) {
            // New data was acknowledged, or both the original and the probe arrived.
            self.probe_end = None;
        } else if number > end {
            // The probe repaired the loss of the last segment: respond to that loss.
            self.probe_end = None;
            if matches!(self.phase, Phase::Open | Phase::Cwr) && !self.marks_cover_loss() {
                let in_flight = self.flight();
                self.trace_loss(end.saturating_sub(1), now);
                self.controller.on_congestion(&CongestionEvent {
                    now,
                    kind: CongestionKind::Loss,
                    flight_size,
                    in_flight,
                    lost: 0,
                    recovery_point: number,
                });
                let window = self.controller.ssthresh();
                self.controller.on_recovery_end(&RecoveryEnd {
                    now,
                    kind: CongestionKind::Loss,
                    window,
                    flight_size: self.board.flight_size(),
                    loss_flight_size: flight_size,
                    retransmitted: self.mss.min(flight_size),
                });
            }
        } else if acked == 0 && dsack.is_none() {
            // A duplicate ACK without SACK: the original had arrived.
            self.probe_end = None;
        }
    }
}
