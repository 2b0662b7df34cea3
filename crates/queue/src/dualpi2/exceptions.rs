//! What DualPI2 may do beyond the pseudocode of RFC 9332 appendix A: guests in the L queue, signals at arrivals, and no signals
//! for a backlog of next to nothing.
//!
//! These have a path of their own, so that the pseudocode's costs nothing more for them.

use jettison_core::{DropReason, MarkReason, Time};
use jettison_measure::Outcomes;
use jettison_wire::{Ecn, Packet};

use super::{AqmAt, DualPi2, DualPi2Parameters, Recurrence, Treatment};

/// State of the exceptions.
#[derive(Debug, Clone)]
pub(super) struct Exceptions {
    /// Signals of p' are given at arrivals.
    at_arrival: bool,
    /// Marks by L's ramp, apart from those by p' at arrivals.
    native_marks: Recurrence,
    guest_signals: Recurrence,
}

impl Exceptions {
    /// `None` if the pseudocode is all that the parameters ask for.
    pub(super) fn of(parameters: &DualPi2Parameters) -> Option<Exceptions> {
        let at_arrival = parameters.aqm_at == AqmAt::Enqueue;
        let any = at_arrival || !parameters.l_dscp.is_empty() || parameters.min_backlog.get() > 0;
        any.then(|| Exceptions {
            at_arrival,
            native_marks: Recurrence::default(),
            guest_signals: Recurrence::default(),
        })
    }
}

impl DualPi2 {
    /// Whether signals of p' are given to this packet, at its arrival or its departure.
    fn signals_now(&self, packet: &Packet, at_arrival: bool) -> bool {
        let in_place = self.exceptions.as_ref().is_some_and(|own| own.at_arrival == at_arrival);
        // A departing packet has left its queue already.
        let own = if at_arrival { 0 } else { u64::from(packet.meta.length) };
        let backlog = self.l4s.backlog().bytes + self.classic.backlog().bytes + own;
        in_place && backlog >= self.parameters.min_backlog.get()
    }

    /// Applies p' to an arriving packet, if that is done at arrivals; returns it unless it is dropped.
    pub(super) fn apply_aqm_at_arrival(
        &mut self,
        packet: Packet,
        now: Time,
        out: &mut dyn Outcomes,
    ) -> Option<Packet> {
        if !self.signals_now(&packet, true) {
            return Some(packet);
        }
        match self.treatment[usize::from(packet.meta.traffic_class)] {
            Treatment::Classic => self.apply_classic_aqm(packet, now, out),
            Treatment::Scalable => self.apply_coupled(packet, now, out),
            Treatment::Guest => self.signal_guest(packet, self.p_prime * self.p_prime, now, out),
        }
    }

    /// Applies what is left to do to a packet that leaves C.
    pub(super) fn apply_classic_exceptions(
        &mut self,
        packet: Packet,
        now: Time,
        out: &mut dyn Outcomes,
    ) -> Option<Packet> {
        if self.signals_now(&packet, false) { self.apply_classic_aqm(packet, now, out) } else { Some(packet) }
    }

    /// Applies what is left to do to a packet that leaves L.
    pub(super) fn apply_l4s_exceptions(
        &mut self,
        packet: Packet,
        now: Time,
        out: &mut dyn Outcomes,
    ) -> Option<Packet> {
        let is_guest = self.treatment[usize::from(packet.meta.traffic_class)] == Treatment::Guest;
        let couples = self.signals_now(&packet, false);
        match (is_guest, couples) {
            (false, true) => self.apply_l4s_aqm(packet, now, out),
            (false, false) => Some(self.apply_ramp(packet, now, out)),
            (true, _) => {
                // RFC 9332 §2.5.1.1: the likelihood "appropriate to Classic congestion control", which eq. (1) gives.
                let coupled = if couples { self.parameters.k * self.p_prime } else { 0.0 };
                let p_l = coupled.max(self.ramp(now.since(packet.meta.enqueued_at)));
                let share = p_l / self.parameters.k;
                self.signal_guest(packet, share * share, now, out)
            }
        }
    }

    /// Marks an L packet with k · p', and drops it under overload, without its delay's ramp.
    fn apply_coupled(&mut self, mut packet: Packet, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        let coupled = self.parameters.k * self.p_prime;
        if coupled >= self.p_lmax && self.l4s_drops.recurs(self.p_prime * self.p_prime) {
            out.dropped(packet, DropReason::DualPi2, now);
            return None;
        }
        if self.l4s_marks.recurs(coupled) && packet.mark_ce() {
            out.marked(&packet, MarkReason::DualPi2L4s, now);
        }
        Some(packet)
    }

    /// Marks an L packet by the ramp of its delay alone.
    fn apply_ramp(&mut self, mut packet: Packet, now: Time, out: &mut dyn Outcomes) -> Packet {
        let probability = self.ramp(now.since(packet.meta.enqueued_at));
        let marks = self.exceptions.as_mut().is_some_and(|own| own.native_marks.recurs(probability));
        if marks && packet.ecn() != Ecn::Ce && packet.mark_ce() {
            out.marked(&packet, MarkReason::DualPi2L4s, now);
        }
        packet
    }

    /// Signals a guest of L as a Classic packet: ECT(0) is marked, Not-ECT is dropped; returns it unless it is dropped.
    fn signal_guest(
        &mut self,
        mut packet: Packet,
        probability: f64,
        now: Time,
        out: &mut dyn Outcomes,
    ) -> Option<Packet> {
        let is_capable = packet.is_ecn_capable();
        let may_signal = is_capable || self.parameters.l_dscp_drop;
        let signals =
            may_signal && self.exceptions.as_mut().is_some_and(|own| own.guest_signals.recurs(probability));
        if !signals {
            return Some(packet);
        }
        let is_overloaded = self.p_prime * self.p_prime >= self.p_cmax;
        if is_overloaded || !packet.mark_ce() {
            out.dropped(packet, DropReason::DualPi2, now);
            return None;
        }
        out.marked(&packet, MarkReason::DualPi2Classic, now);
        Some(packet)
    }
}
