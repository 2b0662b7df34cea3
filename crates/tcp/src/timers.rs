//! The deadlines of the sending half.

use jettison_core::{Duration, Time};

use super::sender::{Force, Sender};
use crate::congestion::Phase;

impl Sender {
    /// Processes the deadlines that have expired at `now`. A premature call does nothing, so the caller need not track
    /// deadlines that have moved.
    pub fn handle_wakeup(&mut self, now: Time) {
        if self.deadlines.pacing <= now {
            self.deadlines.pacing = Time::MAX;
            self.blocked = false;
        }
        if self.deadlines.reorder <= now {
            self.on_reorder_timer(now);
        }
        if self.deadlines.probe <= now {
            // RFC 8985 §7.2: the probe precedes a timeout due at the same time, and re-arms that.
            self.deadlines.probe = Time::MAX;
            self.force = Force::TailLossProbe;
            self.deadlines.rto = now.saturating_add(self.rtt.rto());
            self.blocked = false;
        }
        if self.deadlines.rto <= now {
            self.deadlines.rto = Time::MAX;
            if !self.board.is_empty() {
                self.on_timeout(now);
            }
            self.blocked = false;
        }
        if self.deadlines.persist <= now {
            self.deadlines.persist = Time::MAX;
            if self.board.is_empty() {
                self.force = Force::WindowProbe;
                self.arm_persist(now);
            }
            self.blocked = false;
        }
    }

    /// Processes the end of a segment's reordering window (RFC 8985 §6.3).
    fn on_reorder_timer(&mut self, now: Time) {
        self.deadlines.reorder = Time::MAX;
        let flight = (self.board.flight_size(), self.board.sacked(), self.flight());
        let lost_before = self.board.lost_total();
        self.detect_by_rack(now);
        let lost = self.board.lost_total().saturating_sub(lost_before);
        if lost > 0 && self.respond_to_loss(flight, lost, now) {
            if self.prr_on {
                // No ACK triggers this entry, so the first retransmission is forced.
                self.force = Force::Retransmission;
            }
            self.refresh_window();
        }
        self.blocked = false;
    }

    /// Restarts the timers after an ACK of new data (RFC 6298 §5.2, §5.3).
    #[inline]
    pub fn restart_timers(&mut self, now: Time) {
        if self.board.is_empty() {
            self.deadlines.rto = Time::MAX;
            self.deadlines.probe = Time::MAX;
            self.deadlines.reorder = Time::MAX;
            return;
        }
        // RFC 6582 §4, the impatient variant: without SACK only the first partial ACK restarts the timer.
        if self.sack || self.phase != Phase::Recovery || self.partial_acks <= 1 {
            self.deadlines.rto = now.saturating_add(self.rtt.rto());
        }
        self.schedule_probe(now);
    }

    /// Arms the tail loss probe if required (RFC 8985 §7.2).
    #[inline]
    pub fn schedule_probe(&mut self, now: Time) {
        if !self.settings.rack_tlp
            || !self.sack
            || !matches!(self.phase, Phase::Open | Phase::Cwr)
            || self.board.sacked() > 0
            || self.probe_end.is_some()
            || self.probe_needs_sample
            || self.board.is_empty()
        {
            self.deadlines.probe = Time::MAX;
            return;
        }
        let mut timeout =
            if self.rtt.has_sample() { self.rtt.smoothed() * 2 } else { Duration::from_secs(1) };
        if self.board.len() == 1 {
            timeout += self.settings.tlp_max_ack_delay;
        }
        self.deadlines.probe = now.saturating_add(timeout).min(self.deadlines.rto);
    }

    /// Arms the window probe (RFC 9293 §3.8.6.1: after an RTO, then at growing intervals).
    pub fn arm_persist(&mut self, now: Time) {
        let interval = self.rtt.rto().saturating_mul(1 << self.persist_back_off.min(20));
        self.persist_back_off += 1;
        self.deadlines.persist = now.saturating_add(interval.min(self.settings.max_rto));
    }
}
