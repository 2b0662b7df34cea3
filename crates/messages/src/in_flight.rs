//! The sender's record of all unsettled packets, and loss detection (RFC 9002 §6.1).
//!
//! A ring holds the packets by sequence number. Numbers are never reused, so each packet is outstanding, then finally
//! arrived or lost; settled packets at the front leave the ring. The work per ACK is constant, amortised: only the
//! packets between the oldest outstanding one and the newest are examined again, and time or later packets settle
//! these within about a round trip.

use std::collections::VecDeque;
use std::ops::Range;

use jettison_core::{Duration, Time};

use jettison_tcp::congestion::SendSnapshot;

/// Maximum distance in sequence numbers between the oldest unsettled packet and the newest. The receiver relies on it
/// and forgets older packets.
pub(super) const SPAN: u64 = 1 << 16;

/// The slot of an empty probe.
pub(super) const NO_MESSAGE: u32 = u32::MAX;

/// A packet that was sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct SentPacket {
    pub sent_at: Time,
    pub snapshot: SendSnapshot,
    /// Bytes sent before it.
    pub offset: u64,
    /// UDP payload bytes.
    pub bytes: u32,
    /// The message: its slot among the messages in progress ([`NO_MESSAGE`] for none), and the packet's index in it.
    pub slot: u32,
    pub index: u16,
    /// Number of earlier transmissions of this content.
    pub attempts: u32,
    /// A probe carries its content too, so its own loss has no effect.
    pub is_superseded: bool,
    /// Whether it was found to be lost by time, rather than by later packets that arrived.
    pub is_lost_by_time: bool,
    /// Whether it repeats the content of an outstanding packet.
    is_probe: bool,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Outstanding,
    Arrived,
    Lost,
}

impl SentPacket {
    pub fn new(
        sent_at: Time,
        snapshot: SendSnapshot,
        offset: u64,
        bytes: u32,
        content: (u32, u16),
        attempts: u32,
    ) -> SentPacket {
        SentPacket {
            sent_at,
            snapshot,
            offset,
            bytes,
            slot: content.0,
            index: content.1,
            attempts,
            is_superseded: false,
            is_lost_by_time: false,
            is_probe: false,
            state: State::Outstanding,
        }
    }
}

/// Thresholds of loss detection.
#[derive(Debug, Clone, Copy)]
pub(super) struct LossRule {
    /// Number of later packets that arrived.
    pub packets: u64,
    /// Time since its departure.
    pub delay: Duration,
}

/// The unsettled packets.
#[derive(Debug, Clone)]
pub(super) struct InFlight {
    packets: VecDeque<SentPacket>,
    /// The sequence number of the first packet.
    front: u64,
    /// Bytes outstanding.
    bytes: u64,
    /// One past the newest packet that arrived.
    arrived_end: u64,
    /// All bytes sent, and all bytes declared lost.
    sent_total: u64,
    lost_total: u64,
}

impl InFlight {
    pub fn new(first_sequence: u32) -> InFlight {
        let front = u64::from(first_sequence);
        InFlight {
            packets: VecDeque::new(),
            front,
            bytes: 0,
            arrived_end: front,
            sent_total: 0,
            lost_total: 0,
        }
    }

    /// Bytes outstanding.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The sequence number of the next packet.
    #[inline]
    pub fn next_sequence(&self) -> u64 {
        self.front + self.packets.len() as u64
    }

    /// Whether the next number would be too far from the oldest unsettled one.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.packets.len() as u64 >= SPAN
    }

    #[inline]
    pub fn sent_total(&self) -> u64 {
        self.sent_total
    }

    #[inline]
    pub fn lost_total(&self) -> u64 {
        self.lost_total
    }

    /// Bytes sent before the oldest outstanding packet; all bytes if none is outstanding.
    #[inline]
    pub fn settled_offset(&self) -> u64 {
        self.packets.front().map_or(self.sent_total, |packet| packet.offset)
    }

    /// Adds a packet at its departure.
    pub fn push(&mut self, packet: SentPacket) -> u64 {
        let sequence = self.next_sequence();
        self.bytes += u64::from(packet.bytes);
        self.sent_total += u64::from(packet.bytes);
        self.packets.push_back(packet);
        sequence
    }

    /// Marks outstanding packets in `range` as arrived and appends them to `out`, in order.
    pub fn arrive(&mut self, range: Range<u64>, out: &mut Vec<(u64, SentPacket)>) {
        for sequence in range.start.max(self.front)..range.end.min(self.next_sequence()) {
            let packet = &mut self.packets[(sequence - self.front) as usize];
            if packet.state == State::Outstanding {
                packet.state = State::Arrived;
                self.bytes -= u64::from(packet.bytes);
                self.arrived_end = self.arrived_end.max(sequence + 1);
                out.push((sequence, *packet));
            }
        }
        self.forget_settled();
    }

    /// RFC 9002 §6.1: declares packets lost if enough later ones arrived, or a later one arrived and they were sent
    /// long enough ago. Appends them to `out`; returns the time at which the next one would be lost.
    pub fn detect_lost(
        &mut self,
        rule: &LossRule,
        now: Time,
        out: &mut Vec<(u64, SentPacket)>,
    ) -> Option<Time> {
        let mut next = None;
        for sequence in self.front..self.arrived_end {
            let packet = &mut self.packets[(sequence - self.front) as usize];
            if packet.state != State::Outstanding {
                continue;
            }
            let due = packet.sent_at.saturating_add(rule.delay);
            // `arrived_end` is one past the largest acknowledged.
            let is_overtaken = sequence + rule.packets < self.arrived_end;
            if is_overtaken || due <= now {
                packet.state = State::Lost;
                packet.is_lost_by_time = !is_overtaken;
                self.bytes -= u64::from(packet.bytes);
                self.lost_total += u64::from(packet.bytes);
                out.push((sequence, *packet));
            } else {
                // Later packets were sent later.
                next = next.or(Some(due));
            }
        }
        self.forget_settled();
        next
    }

    fn forget_settled(&mut self) {
        while self.packets.front().is_some_and(|packet| packet.state != State::Outstanding) {
            self.packets.pop_front();
            self.front += 1;
        }
        self.arrived_end = self.arrived_end.max(self.front);
    }

    /// Selects the content of a probe: the newest outstanding packet that is no probe and whose content no probe
    /// carries, or else the newest probe. The new probe takes over its content. Returns its sequence number, too.
    pub fn supersede_newest(&mut self) -> Option<(u64, SentPacket)> {
        let is_candidate = |packet: &SentPacket| {
            packet.state == State::Outstanding && !packet.is_superseded && packet.slot != NO_MESSAGE
        };
        let place = self.packets.iter().rposition(|packet| is_candidate(packet) && !packet.is_probe);
        let place = place.or_else(|| self.packets.iter().rposition(is_candidate))?;
        self.packets[place].is_superseded = true;
        Some((self.front + place as u64, self.packets[place]))
    }

    /// Marks the last packet as a probe.
    pub fn mark_probe(&mut self) {
        if let Some(packet) = self.packets.back_mut() {
            packet.is_probe = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: fn(u64) -> Time = Time::from_millis;
    const RULE: LossRule = LossRule { packets: 3, delay: Duration::from_millis(90) };

    /// Ten packets of 100 bytes, one per millisecond.
    fn ten() -> InFlight {
        let mut flight = InFlight::new(0);
        for i in 0..10 {
            let packet = SentPacket::new(AT(i), SendSnapshot::default(), i * 100, 100, (0, i as u16), 0);
            assert_eq!(flight.push(packet), i);
        }
        flight
    }

    fn numbers(packets: &mut Vec<(u64, SentPacket)>) -> Vec<u64> {
        packets.drain(..).map(|(sequence, _)| sequence).collect()
    }

    #[test]
    fn each_arrival_is_reported_once() {
        let (mut flight, mut out) = (ten(), Vec::new());
        flight.arrive(0..2, &mut out);
        assert_eq!((numbers(&mut out), flight.bytes(), flight.settled_offset()), (vec![0, 1], 800, 200));
        flight.arrive(0..3, &mut out);
        flight.arrive(9..20, &mut out);
        assert_eq!((numbers(&mut out), flight.next_sequence()), (vec![2, 9], 10));
    }

    #[test]
    fn rfc9002_6_1_1_three_later_packets_show_a_loss() {
        let (mut flight, mut out) = (ten(), Vec::new());
        flight.arrive(2..4, &mut out);
        out.clear();
        assert_eq!(
            flight.detect_lost(&RULE, AT(50), &mut out),
            Some(AT(91)),
            "by time, if no other packet arrives"
        );
        assert_eq!(numbers(&mut out), [0]);
        flight.arrive(4..5, &mut out);
        out.clear();
        assert_eq!(flight.detect_lost(&RULE, AT(51), &mut out), None);
        assert_eq!((numbers(&mut out), flight.lost_total(), flight.bytes()), (vec![1], 200, 500));
    }

    #[test]
    fn rfc9002_6_1_2_time_shows_a_loss_once_a_later_packet_arrived() {
        let (mut flight, mut out) = (ten(), Vec::new());
        flight.detect_lost(&RULE, AT(1000), &mut out);
        assert_eq!(
            numbers(&mut out),
            Vec::<u64>::new(),
            "nothing has arrived: the probe timeout handles that"
        );
        flight.arrive(1..2, &mut out);
        out.clear();
        assert_eq!(flight.detect_lost(&RULE, AT(89), &mut out), Some(AT(90)));
        flight.detect_lost(&RULE, AT(90), &mut out);
        assert_eq!(numbers(&mut out), [0]);
    }

    #[test]
    fn a_packet_that_was_lost_stays_lost() {
        let (mut flight, mut out) = (ten(), Vec::new());
        flight.arrive(5..6, &mut out);
        flight.detect_lost(&RULE, AT(10), &mut out);
        out.clear();
        flight.arrive(0..6, &mut out);
        assert_eq!(numbers(&mut out), [3, 4], "0 to 2 were settled");
        assert_eq!(flight.bytes(), 400);
    }

    #[test]
    fn a_probe_takes_over_the_newest_content() {
        let mut flight = ten();
        assert_eq!(
            flight.supersede_newest().map(|(sequence, packet)| (sequence, packet.index)),
            Some((9, 9))
        );
        assert_eq!(
            flight.supersede_newest().map(|(sequence, packet)| (sequence, packet.index)),
            Some((8, 8))
        );
    }
}
