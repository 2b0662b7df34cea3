//! Processing of ACKs and the loss timer by the sending half.

use jettison_core::{Duration, Time};
use jettison_wire::Ecn;

use super::ack::Ack;
use super::in_flight::{LossRule, NO_MESSAGE, SPAN, SentPacket};
use super::in_progress::RepairEntry;
use super::limits::Limits;
use super::message::MessageEvent;
use super::repair::RepairPolicy;
use super::sender::Sender;
use super::serial::unwrap_32;
use crate::path::{ArrivedPacket, LostPacket, PathAck};
use jettison_tcp::congestion::{AckSample, DeliveredSegment, Phase, RateSample};

impl Sender {
    /// Processes an ACK; returns whether it is valid.
    pub fn handle_ack(&mut self, ack: &Ack, now: Time) -> bool {
        let Some(ranges) = self.ranges(ack) else { return false };
        let made_by = ranges.made_by;
        self.counters.acks_received += 1;
        let in_flight_before = self.flight.bytes();
        let settled_before = self.flight.settled_offset();
        let mut settled = std::mem::take(&mut self.scratch.settled);
        settled.clear();
        for (start, end) in ranges.in_order() {
            self.flight.arrive(start..end, &mut settled);
        }
        self.record_arrivals(&settled, made_by, ack, now);
        let newest = settled.last().map(|(_, packet)| *packet);
        for (_, packet) in settled.drain(..) {
            self.packet_arrived(&packet);
        }
        self.scratch.settled = settled;
        self.conclude(in_flight_before, settled_before, newest.as_ref(), now);
        true
    }

    /// Processes the loss timer: packets are lost by time.
    pub fn handle_loss_timer(&mut self, now: Time) {
        let (in_flight, settled) = (self.flight.bytes(), self.flight.settled_offset());
        self.scratch.arrived.clear();
        self.conclude(in_flight, settled, None, now);
    }

    /// The ACK's ranges, unwrapped; `None` if it acknowledges packets that were never sent, or none that the receiver
    /// may still report.
    fn ranges(&self, ack: &Ack) -> Option<Ranges> {
        let next = self.flight.next_sequence();
        // A sender has at most `SPAN` unsettled packets, and a receiver reports at most `SPAN` before its newest.
        let oldest = next.saturating_sub(2 * SPAN);
        // Somebody else may have sent packets with numbers little beyond ours: they are in the ACK, and none of ours.
        let newest = next + Limits::REACH;
        let unwrap = |wire: u32| unwrap_32(next, wire).filter(|number| (oldest..=newest).contains(number));
        let made_by = unwrap(ack.sequence).filter(|number| *number < next)?;
        let mut ranges = [(0, 0); 5];
        ranges[0] = (0, unwrap(ack.cumulative)?.min(next));
        ranges[1] = (made_by, made_by + 1);
        for (place, (start, end)) in ranges[2..].iter_mut().zip(ack.blocks.iter()) {
            let (start, end) = (unwrap_32(next, start)?, unwrap_32(next, end)?);
            if start >= end {
                return None;
            }
            *place = (start.min(next), end.min(next));
        }
        Some(Ranges { made_by, ranges })
    }

    /// Records RTT, arrival times and marks of newly arrived packets.
    fn record_arrivals(&mut self, settled: &[(u64, SentPacket)], made_by: u64, ack: &Ack, now: Time) {
        let arrived_at = self.unwrap_arrival(ack.arrived_at);
        let mut marks = self.newly_marked(ack.ce_count);
        if ack.ecn == Ecn::Ce && settled.iter().any(|(sequence, _)| *sequence == made_by) {
            marks = marks.saturating_sub(1);
        }
        let as_sent = self.controller.ecn();
        let arrived = &mut self.scratch.arrived;
        arrived.clear();
        for (sequence, packet) in settled {
            let is_maker = *sequence == made_by;
            // The ACKs of the others were lost: the count gives the number of marked packets, but not which ones.
            let ecn = match is_maker {
                true => ack.ecn,
                false if marks > 0 && as_sent != Ecn::NotEct => {
                    marks -= 1;
                    Ecn::Ce
                }
                false => as_sent,
            };
            if is_maker {
                let rtt = now.since(packet.sent_at);
                self.rtt.sample(rtt, now);
                self.rtt_sample = Some(rtt);
            }
            arrived.push(ArrivedPacket {
                sequence: *sequence,
                bytes: u64::from(packet.bytes),
                sent_at: packet.sent_at,
                arrived_at: is_maker.then_some(arrived_at),
                ecn,
            });
        }
        self.counters.packets_acknowledged += settled.len() as u64;
    }

    /// Unwraps the receiver's clock, which wraps every 71 minutes on the wire.
    fn unwrap_arrival(&mut self, wire: u32) -> Time {
        let micros = match self.arrival {
            None => u64::from(wire),
            Some((last, micros)) => micros.saturating_add_signed(i64::from(wire.wrapping_sub(last) as i32)),
        };
        self.arrival = Some((wire, micros));
        Time::from_micros(micros)
    }

    /// Number of marks that the peer has counted since the last ACK.
    fn newly_marked(&mut self, count: u16) -> u16 {
        let new = count.wrapping_sub(self.ce_count) % Ack::CE_MODULUS;
        // A reordered ACK has no news.
        if new >= Ack::CE_MODULUS / 2 {
            return 0;
        }
        self.ce_count = count;
        new
    }

    /// Detects losses, informs the controller and sets the timers.
    fn conclude(
        &mut self,
        in_flight_before: u64,
        settled_before: u64,
        newest: Option<&SentPacket>,
        now: Time,
    ) {
        let delivered: u64 = self.scratch.arrived.iter().map(|packet| packet.bytes).sum();
        let (rate, is_round_start) = match newest {
            Some(newest) => {
                let segment = DeliveredSegment { sent_at: newest.sent_at, snapshot: newest.snapshot };
                self.sampler.on_delivered(delivered, &segment, self.rtt.minimum(), now)
            }
            None => (RateSample::default(), false),
        };
        if !rate.interval.is_zero() {
            self.last_rate = rate;
        }
        let is_persistent = self.detect_lost(now);
        let lost = self.scratch.lost.iter().map(|packet| packet.bytes).sum();
        // The phase is always open here: the adapter of TCP's controllers keeps its own.
        if delivered > 0 || lost > 0 {
            let sample = AckSample {
                now,
                acked: delivered,
                delivered,
                lost,
                ecn_echo: self.scratch.arrived.iter().any(|packet| packet.ecn == Ecn::Ce),
                ce_bytes: self.scratch.arrived.iter().filter(|p| p.ecn == Ecn::Ce).map(|p| p.bytes).sum(),
                delivered_total: self.sampler.delivered(),
                lost_total: self.flight.lost_total(),
                rate,
                in_flight_before,
                in_flight: self.flight.bytes(),
                acknowledged: self.flight.settled_offset(),
                next_offset: self.flight.sent_total(),
                rtt: newest.map(|newest| now.since(newest.sent_at)),
                min_rtt: self.rtt.minimum(),
                smoothed_rtt: self.rtt.smoothed(),
                is_window_limited: settled_before < self.limited_until,
                phase: Phase::Open,
                is_round_start,
            };
            let (arrived, lost) = (&self.scratch.arrived[..], &self.scratch.lost[..]);
            self.controller.on_ack(&PathAck { sample: &sample, arrived, lost });
        }
        // After `on_ack`, as the trait requires: the collapse overrides the window that it set.
        if is_persistent {
            self.counters.persistent_congestions += 1;
            self.controller.on_persistent_congestion(now, self.flight.bytes());
        }
        // RFC 9002 §6.2.1: an acknowledgement resets the back-off.
        if delivered > 0 {
            self.timeouts = 0;
            self.probes = 0;
        }
        self.arm_probe(now);
    }

    /// Fills the list of lost packets; returns whether they are persistent congestion.
    fn detect_lost(&mut self, now: Time) -> bool {
        let rule = LossRule {
            packets: self.settings.packet_threshold,
            delay: self.rtt.loss_delay(self.settings.time_threshold),
        };
        let mut settled = std::mem::take(&mut self.scratch.settled);
        settled.clear();
        self.loss_at = self.flight.detect_lost(&rule, now, &mut settled).unwrap_or(Time::MAX);
        self.scratch.lost.clear();
        let is_persistent = self.is_persistent(&settled);
        for (sequence, packet) in settled.drain(..) {
            let (bytes, sent_at) = (u64::from(packet.bytes), packet.sent_at);
            self.scratch.lost.push(LostPacket { sequence, bytes, sent_at });
            self.counters.packets_lost += 1;
            self.lost.get_or_insert(sequence);
            self.packet_lost(sequence, &packet, now);
        }
        self.scratch.settled = settled;
        is_persistent
    }

    /// RFC 9002 §7.6: whether no packet sent during some probe timeouts has arrived.
    fn is_persistent(&self, lost: &[(u64, SentPacket)]) -> bool {
        let Some(first_sample) = self.rtt.first_at() else { return false };
        let span = self.probe_base().saturating_mul(u64::from(self.settings.persistent_congestion));
        let mut run: Option<(u64, Time)> = None;
        for (sequence, packet) in lost.iter().filter(|(_, packet)| packet.sent_at > first_sample) {
            let began = match run {
                // Between consecutive lost numbers, no packet has arrived.
                Some((last, began)) if last + 1 == *sequence => began,
                _ => packet.sent_at,
            };
            if packet.sent_at.since(began) > span {
                return true;
            }
            run = Some((*sequence, began));
        }
        false
    }

    fn packet_arrived(&mut self, packet: &SentPacket) {
        if packet.slot == NO_MESSAGE {
            return;
        }
        let message = self.in_progress.message_mut(packet.slot);
        message.in_flight -= 1;
        message.arrived.insert(u32::from(packet.index));
        if !message.is_settled && message.is_whole() {
            message.is_settled = true;
            let (stream, number) = (message.asked.stream, message.asked.message);
            self.counters.acknowledged.add(message.payload.len());
            self.streams.finish(stream, number);
            self.events.push_back(MessageEvent::Acknowledged { stream, number });
        }
        self.in_progress.release_if_over(packet.slot);
    }

    fn packet_lost(&mut self, sequence: u64, packet: &SentPacket, now: Time) {
        if packet.slot == NO_MESSAGE {
            return;
        }
        let message = self.in_progress.message_mut(packet.slot);
        message.in_flight -= 1;
        let is_needed = !message.is_settled
            && !packet.is_superseded
            && !message.arrived.contains(u32::from(packet.index));
        if is_needed {
            // Losses that parity covers need no retransmission.
            let is_covered = message.given_up < message.layout.parity;
            let policy = RepairPolicy { now, bandwidth: self.known_bandwidth() };
            let attempts = packet.attempts + 1;
            let message = self.in_progress.message(packet.slot);
            if !is_covered && policy.wants(message, attempts, &self.settings, &self.streams) {
                self.in_progress.message_mut(packet.slot).to_repair += 1;
                let found = match packet.is_lost_by_time {
                    true => jettison_tcp::Repair::Rack,
                    false => jettison_tcp::Repair::Fast,
                };
                let entry = RepairEntry { slot: packet.slot, index: packet.index, attempts, sequence, found };
                self.in_progress.repairs.push_back(entry);
            } else {
                self.give_up(packet.slot);
            }
        }
        self.in_progress.release_if_over(packet.slot);
    }

    /// Marks one packet of a message as lost without retransmission.
    pub fn give_up(&mut self, slot: u32) {
        let message = self.in_progress.message_mut(slot);
        message.given_up += 1;
        if !message.is_settled && message.cannot_complete() {
            message.is_settled = true;
            let (stream, number) = (message.asked.stream, message.asked.message);
            self.counters.lost.add(message.payload.len());
            self.events.push_back(MessageEvent::Lost { stream, number });
            // The rest would be sent in vain; behind a router that dropped the head, it would be dropped there.
            self.in_progress.abandon(slot);
        }
    }

    /// The probe timeout, without back-off.
    pub fn probe_base(&self) -> Duration {
        let is_delayed = self.settings.ack_every > 1;
        self.rtt.probe_timeout(if is_delayed { self.settings.max_ack_delay } else { Duration::ZERO })
    }
}

/// The ranges that an ACK acknowledges.
struct Ranges {
    made_by: u64,
    ranges: [(u64, u64); 5],
}

impl Ranges {
    /// Sorts them in ascending order, so that packets are processed in order of their numbers.
    fn in_order(mut self) -> [(u64, u64); 5] {
        self.ranges.sort_unstable();
        self.ranges
    }
}
