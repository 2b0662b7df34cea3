//! Processing of incoming ACKs by the sending half.

use jettison_core::{Duration, Time};
use jettison_wire::SackBlocks;

use super::acc_ecn::Feedback;
use super::scoreboard::{DeliverySink, Segment};
use super::sender::{Sender, timestamp};
use crate::congestion::{AckSample, CongestionKind, DeliveredSegment, EcnFeedback, Phase, RateSample};

/// The acknowledgement fields of a packet, in stream offsets.
#[derive(Debug, Clone, Copy)]
pub(super) struct IncomingAck<'a> {
    /// Next byte that the peer expects.
    pub number: u64,
    /// The peer's receive window from there, scaled, in bytes.
    pub window: u64,
    /// TSecr, if timestamps are in use.
    pub echo: Option<u32>,
    /// SACK blocks in wire sequence numbers.
    pub blocks: &'a SackBlocks,
    /// Wire sequence number of stream offset 0.
    pub wire_start: u32,
    /// ECE.
    pub ecn_echo: bool,
    /// The counters of accurate ECN, if they are in use and this packet has them.
    pub accurate: Option<Feedback>,
    /// Whether the packet carries data or FIN, so that it is not a duplicate ACK (RFC 5681 §2).
    pub has_data: bool,
}

/// The segments delivered by one ACK.
struct Delivery {
    now: Time,
    echo: Option<u32>,
    min_rtt: Duration,
    /// Highest offset delivered before (RACK.fack).
    highest_before: u64,
    delivered: u64,
    segments: u64,
    newly_sacked: u64,
    /// Departure of the first segment acknowledged cumulatively, if it was sent once.
    first_sent_at: Option<Time>,
    retransmission_acknowledged: bool,
    /// Departure of the retransmission that the timestamp echo identifies.
    echoed_sent_at: Option<Time>,
    newest: Option<DeliveredSegment>,
    newest_order: u64,
    /// The newest unambiguous delivery, for RACK (RFC 8985 §6.2 step 2): its departure and number.
    rack: Option<(Time, u64)>,
    highest: u64,
    reordered: bool,
}

impl Delivery {
    /// Adds a delivered segment. `echo` is the timestamp echo if it applies to this segment: not for a SACKed one,
    /// since a receiver echoes the last segment in order (RFC 7323 §4.3).
    #[inline]
    fn add(&mut self, segment: &Segment, echo: Option<u32>) {
        let end = segment.end();
        self.delivered += u64::from(segment.length);
        self.segments += 1;
        self.highest = self.highest.max(end);
        if self.newest.is_none() || segment.order > self.newest_order {
            self.newest = Some(DeliveredSegment { sent_at: segment.sent_at, snapshot: segment.snapshot });
            self.newest_order = segment.order;
        }
        if segment.is_retransmitted() {
            // RFC 8985 §6.2 step 2: was the retransmission delivered, or the original?
            let left_at = timestamp(segment.sent_at);
            let echoes_earlier = echo.is_some_and(|echo| (echo.wrapping_sub(left_at) as i32) < 0);
            if echoes_earlier || self.now.since(segment.sent_at) < self.min_rtt {
                return;
            }
            if echo == Some(left_at) {
                self.echoed_sent_at = Some(segment.sent_at);
            }
        } else if end < self.highest_before {
            // RFC 8985 §6.2 step 3: delivered late, without a retransmission.
            self.reordered = true;
        }
        if self.rack.is_none_or(|(_, order)| segment.order > order) {
            self.rack = Some((segment.sent_at, segment.order));
        }
    }
}

impl DeliverySink for Delivery {
    #[inline]
    fn on_acknowledged(&mut self, segment: &Segment) {
        if segment.is_retransmitted() {
            self.retransmission_acknowledged = true;
        } else if self.first_sent_at.is_none() {
            self.first_sent_at = Some(segment.sent_at);
        }
        self.add(segment, self.echo);
    }
    fn on_sacked(&mut self, segment: &Segment) {
        self.newly_sacked += u64::from(segment.length);
        self.add(segment, None);
    }
}

impl Sender {
    /// Processes an acknowledgement; returns whether it made progress.
    pub fn handle_ack(&mut self, ack: &IncomingAck<'_>, now: Time) -> bool {
        let una = self.board.una();
        if ack.number > self.board.next() || ack.number < una {
            return false;
        }
        self.blocked = false;
        let window_changed = self.update_peer_window(ack);
        // Samples and the response to loss refer to the state before this ACK.
        let in_flight_before = self.flight();
        let flight_size_before = self.board.flight_size();
        let sacked_before = self.board.sacked();
        let lost_before = self.board.lost_total();
        let phase_before = self.phase;
        let mut delivery = Delivery {
            now,
            echo: ack.echo,
            min_rtt: self.rtt.minimum(),
            highest_before: self.rack.highest,
            delivered: 0,
            segments: 0,
            newly_sacked: 0,
            first_sent_at: None,
            retransmission_acknowledged: false,
            echoed_sent_at: None,
            newest: None,
            newest_order: 0,
            rack: None,
            highest: 0,
            reordered: false,
        };
        let acked = ack.number - una;
        if acked > 0 {
            self.board.acknowledge(ack.number, &mut delivery);
            self.buffer.release_below(ack.number);
            self.fin_acknowledged |= self.fin_sent && ack.number == self.board.next();
        }
        let dsack =
            if self.sack && !ack.blocks.is_empty() { self.apply_sack(ack, &mut delivery) } else { None };
        self.sample_rtt(acked, &delivery);
        let (rate, is_round_start) = match &delivery.newest {
            Some(newest) => self.sampler.on_delivered(delivery.delivered, newest, self.rtt.minimum(), now),
            None => (RateSample::default(), false),
        };
        if !rate.interval.is_zero() {
            self.last_rate = rate;
        }
        if acked > 0 {
            self.timeouts_in_a_row = 0;
        }

        // Undo first: a spurious recovery must not end with the reduced window of a genuine one.
        if self.phase != Phase::Open {
            self.maybe_undo(acked, &delivery);
            if self.phase != Phase::Open && ack.number >= self.recovery_point {
                self.end_phase(now);
            }
        }
        if self.settings.rack_tlp && self.sack {
            self.probe_acknowledged(ack.number, dsack, acked, flight_size_before, now);
        }
        // Usually nothing is SACKed, lost or retransmitted, and detection has no work.
        let is_dirty = !self.board.is_clean() || dsack.is_some();
        let is_duplicate = acked == 0 && !ack.has_data && !window_changed && !self.board.is_empty();
        if is_dirty || !self.sack {
            self.detect_loss(acked, &delivery, dsack.is_some(), is_duplicate, ack.number, now);
        }
        let lost = self.board.lost_total().saturating_sub(lost_before);
        if lost > 0 {
            self.respond_to_loss((flight_size_before, sacked_before, in_flight_before), lost, now);
        }
        let (ecn_echo, ce_bytes) = self.read_marks(ack, &delivery);
        // RFC 3168 §6.1.2, and as well with RFC 9768: once per window of data. CWR left with the first byte after the recovery point; until that
        // is acknowledged, the echo may be of marks already answered.
        let is_fresh = self.recovery_point == 0 || ack.number > self.recovery_point;
        if ecn_echo && is_fresh && self.phase == Phase::Open && !self.board.is_empty() {
            let flight = (flight_size_before, sacked_before, in_flight_before);
            self.enter_recovery(CongestionKind::Ecn, flight, 0, now);
        }

        // After detection, so that the flight excludes segments just found lost.
        if self.is_steered() {
            let is_safe = acked > 0 && lost == 0;
            self.prr.on_ack(delivery.delivered, self.flight(), is_safe, self.mss);
        }
        if delivery.delivered > 0 || lost > 0 || ecn_echo {
            let in_slow_start = self.window < self.ssthresh;
            // The ACK that ends recovery still belongs to it.
            let phase =
                if matches!(phase_before, Phase::Recovery | Phase::Cwr) { phase_before } else { self.phase };
            self.controller.on_ack(&AckSample {
                now,
                acked,
                delivered: delivery.delivered,
                lost,
                ecn_echo,
                ce_bytes,
                delivered_total: self.sampler.delivered(),
                lost_total: self.board.lost_total(),
                rate,
                in_flight_before,
                in_flight: self.flight(),
                acknowledged: ack.number,
                next_offset: self.board.next(),
                rtt: delivery.rack.map(|(sent_at, _)| now.since(sent_at)),
                min_rtt: self.rtt.minimum(),
                smoothed_rtt: self.rtt.smoothed(),
                // RFC 7661 §4.5.3; in slow start using half a window is enough, since the next round doubles it.
                is_window_limited: una < self.limited_until
                    || (in_slow_start && self.window < 2 * self.flight_peak),
                phase,
                is_round_start,
            });
        }
        self.refresh_window();
        if acked > 0 {
            self.restart_timers(now);
        } else if delivery.newly_sacked > 0 {
            self.schedule_probe(now);
        }
        acked > 0 || delivery.delivered > 0
    }

    /// Whether the ACK reports marks, and of how many of the bytes that it delivers.
    #[inline]
    fn read_marks(&mut self, ack: &IncomingAck<'_>, delivery: &Delivery) -> (bool, u64) {
        match self.ecn.map(|ecn| ecn.feedback) {
            None => (false, 0),
            Some(EcnFeedback::Classic) => (ack.ecn_echo, 0),
            Some(EcnFeedback::PerPacket) => (ack.ecn_echo, if ack.ecn_echo { delivery.delivered } else { 0 }),
            Some(EcnFeedback::Accurate) => {
                let Some(feedback) = &ack.accurate else { return (false, 0) };
                let marks = self.acc_ecn.on_ack(feedback, delivery.segments, delivery.delivered, self.mss);
                self.may_set_ect &= !self.acc_ecn.is_inconsistent;
                (marks.packets > 0 || marks.bytes > 0, marks.bytes)
            }
        }
    }

    #[inline]
    fn update_peer_window(&mut self, ack: &IncomingAck<'_>) -> bool {
        // The window of the handshake was not scaled, so it cannot show a change.
        let changed = self.peer_window != u64::MAX && ack.window != self.peer_window;
        self.peer_window = ack.window;
        self.peer_window_max = self.peer_window_max.max(ack.window);
        let edge = ack.number + ack.window;
        if edge > self.peer_edge {
            self.peer_edge = edge;
            self.deadlines.persist = Time::MAX;
            self.persist_back_off = 0;
        }
        changed
    }

    /// Applies the SACK blocks; returns the end of a duplicate's block (RFC 2883 §4), if any.
    fn apply_sack(&mut self, ack: &IncomingAck<'_>, delivery: &mut Delivery) -> Option<u64> {
        let una = self.board.una();
        let reference = ack.wire_start.wrapping_add(una as u32);
        let offset = |wire: u32| una as i64 + i64::from(wire.wrapping_sub(reference) as i32);
        let mut blocks = ack.blocks.iter().map(|(start, end)| (offset(start), offset(end)));
        let first = blocks.next()?;
        let mut dsack = None;
        let mut second = None;
        for (start, end) in blocks {
            second.get_or_insert((start, end));
            self.apply_block(start, end, delivery);
        }
        let repeats = |(start, end): (i64, i64)| first.0 >= start && first.1 <= end;
        if first.1 <= una as i64 || second.is_some_and(repeats) {
            dsack = u64::try_from(first.1).ok();
        } else {
            self.apply_block(first.0, first.1, delivery);
        }
        dsack
    }

    fn apply_block(&mut self, start: i64, end: i64, delivery: &mut Delivery) {
        if start < end && end > 0 && end as u64 <= self.board.next() {
            self.board.sack(start.max(0) as u64, end as u64, delivery);
        }
    }

    /// Takes one RTT sample per ACK of new data (RFC 7323 §4.1), unless it is ambiguous (Karn, RFC 6298 §3).
    #[inline]
    fn sample_rtt(&mut self, acked: u64, delivery: &Delivery) {
        let now = delivery.now;
        if let Some((sent_at, order)) = delivery.rack {
            let rtt = now.since(sent_at);
            self.rtt.sample_minimum(rtt, now);
            self.rack.on_delivered(sent_at, order, now);
            self.rack.reordering_seen |= delivery.reordered;
        }
        self.rack.highest = self.rack.highest.max(delivery.highest);
        if acked == 0 {
            return;
        }
        let sample = if !delivery.retransmission_acknowledged {
            // Measure from the first segment, which includes the wait for a delayed ACK, as a timestamp would.
            delivery.first_sent_at.map(|sent_at| now.since(sent_at))
        } else if let Some(sent_at) = delivery.echoed_sent_at {
            Some(now.since(sent_at))
        } else {
            let ticks = delivery.echo.map(|echo| timestamp(now).wrapping_sub(echo));
            // A tick is one millisecond; an echo from the future is not a sample.
            ticks.filter(|ticks| *ticks < 1 << 31).map(|ticks| Duration::from_millis(u64::from(ticks.max(1))))
        };
        if let Some(rtt) = sample {
            self.rtt.sample(rtt, now);
            self.rtt_sample = Some(rtt);
            self.probe_needs_sample = false;
        }
    }

    fn detect_loss(
        &mut self,
        acked: u64,
        delivery: &Delivery,
        dsack: bool,
        is_duplicate: bool,
        number: u64,
        now: Time,
    ) {
        if !self.sack {
            return self.detect_without_sack(acked, is_duplicate, number);
        }
        if self.settings.rack_tlp {
            if dsack {
                self.rack.on_dsack(self.board.una(), self.board.next());
            }
            self.detect_by_rack(now);
            return;
        }
        // RFC 6675 §5: a duplicate ACK is one that SACKs new data.
        if acked > 0 {
            self.duplicate_acks = 0;
        } else if delivery.newly_sacked > 0 {
            self.duplicate_acks += 1;
        }
        self.board.detect_by_count(self.mss);
        if self.duplicate_acks >= 3 && self.phase == Phase::Open {
            self.board.mark_head_lost();
        }
    }

    pub(super) fn detect_by_rack(&mut self, now: Time) {
        if self.rack.rtt.is_zero() {
            return;
        }
        let in_recovery = matches!(self.phase, Phase::Recovery | Phase::Loss);
        let window = self.rack.reordering_window(
            self.rtt.minimum(),
            self.rtt.smoothed(),
            in_recovery,
            self.board.sacked_segments(),
        );
        let patience = self.rack.rtt + window;
        let wake = self.board.detect_by_time(self.rack.newest, patience, now);
        self.deadlines.reorder = wake.unwrap_or(Time::MAX);
    }

    /// NewReno's fast retransmit and recovery (RFC 6582). A duplicate ACK says that one segment has left the network;
    /// the RFC inflates the window by it, here the flight shrinks by it, which has the same effect.
    fn detect_without_sack(&mut self, acked: u64, is_duplicate: bool, number: u64) {
        if acked > 0 {
            match self.phase {
                Phase::Recovery => {
                    // Partial ACK: the next hole is lost; deflate by the acknowledged bytes minus one segment.
                    self.duplicate_bytes =
                        self.duplicate_bytes.saturating_sub(acked.saturating_sub(self.mss));
                    self.partial_acks += 1;
                    if self.board.head().is_some_and(|(_, head)| !head.is_retransmitted()) {
                        self.board.mark_head_lost();
                    }
                }
                _ => {
                    self.duplicate_acks = 0;
                    self.duplicate_bytes = 0;
                }
            }
        } else if is_duplicate && self.phase != Phase::Loss {
            self.duplicate_acks += 1;
            self.duplicate_bytes = (self.duplicate_bytes + self.mss).min(self.board.flight_size());
            // RFC 6582 §3.2 step 1: do not enter recovery again for data that the last one covered.
            let covered = self.recovery_point != 0 && number <= self.recovery_point;
            if self.duplicate_acks == 3 && !covered && matches!(self.phase, Phase::Open | Phase::Cwr) {
                self.board.mark_head_lost();
            }
        }
    }

    /// Eifel (RFC 3522): if the ACK of the phase's first retransmission echoes an older timestamp, the original had
    /// arrived. Under lasting loss, retransmissions of the previous phase are still in flight: their ACKs also echo
    /// older timestamps, but do not concern this phase.
    fn maybe_undo(&mut self, acked: u64, delivery: &Delivery) {
        if acked == 0 || !delivery.retransmission_acknowledged || self.eifel_decided {
            return;
        }
        let Some((first, end)) = self.first_retransmission else { return };
        if self.board.una() < end {
            return;
        }
        self.eifel_decided = true;
        if let Some(echo) = delivery.echo
            && self.settings.eifel
            && (echo.wrapping_sub(first) as i32) < 0
        {
            self.undo();
        }
    }
}
