//! The receiving half of packets: arrivals and their ACKs.

use std::collections::VecDeque;

use jettison_core::Time;
use jettison_wire::{Ecn, InlineBytes};

use super::ack::{Ack, Blocks};
use super::in_flight::SPAN;
use super::parameters::Settings;
use super::serial::unwrap_32;
use jettison_tcp::ranges::RangeSet;

/// Received packets.
#[derive(Debug)]
pub(super) struct Receiver {
    settings: Settings,
    /// All packets below have arrived, or are so old that their sender has settled them.
    floor: u64,
    /// One past the newest packet.
    newest: u64,
    /// Packets received beyond the floor.
    beyond: RangeSet,
    ce_count: u16,
    /// Packets with a due ACK.
    due: VecDeque<Arrival>,
    /// The last packet without an ACK, the number of such packets, and the time at which an ACK is due anyway.
    waiting: Option<Arrival>,
    unacknowledged: u32,
    ack_at: Time,
}

#[derive(Debug, Clone, Copy)]
struct Arrival {
    sequence: u64,
    at: Time,
    ecn: Ecn,
}

impl Receiver {
    pub fn new(settings: &Settings) -> Receiver {
        let first = u64::from(settings.first_sequence);
        Receiver {
            settings: *settings,
            floor: first,
            newest: first,
            beyond: RangeSet::default(),
            ce_count: 0,
            due: VecDeque::new(),
            waiting: None,
            unacknowledged: 0,
            ack_at: Time::MAX,
        }
    }

    /// Records a data packet; returns whether it is new.
    pub fn take(&mut self, wire: u32, ecn: Ecn, now: Time) -> bool {
        // A number below zero would precede the first packet.
        let Some(sequence) = unwrap_32(self.newest, wire) else { return false };
        let is_new = sequence >= self.floor && self.beyond.containing(sequence).is_none();
        let is_next = is_new && sequence == self.newest && self.beyond.is_empty();
        if is_new {
            self.record(sequence);
        }
        if ecn == Ecn::Ce {
            self.ce_count = (self.ce_count + 1) % Ack::CE_MODULUS;
        }
        self.schedule_ack(Arrival { sequence, at: now, ecn }, is_next, now);
        is_new
    }

    fn record(&mut self, sequence: u64) {
        if sequence == self.floor && self.beyond.is_empty() {
            self.floor += 1;
            self.newest = self.newest.max(self.floor);
            return;
        }
        self.newest = self.newest.max(sequence + 1);
        self.beyond.insert(sequence, sequence + 1);
        // The sender has at most this many unsettled packets: it has settled all older ones as arrived or lost.
        self.floor = self.floor.max(self.newest.saturating_sub(SPAN));
        self.beyond.remove_below(self.floor);
        if let Some((_, end)) = self.beyond.first().filter(|(start, _)| *start == self.floor) {
            self.floor = end;
            self.beyond.remove_below(end);
        }
    }

    fn schedule_ack(&mut self, arrival: Arrival, is_next: bool, now: Time) {
        self.unacknowledged += 1;
        // RFC 9000 §13.2.1: immediate ACK if out of order or marked.
        let at_once = !is_next || arrival.ecn == Ecn::Ce;
        if at_once || self.unacknowledged >= self.settings.ack_every {
            self.due.push_back(arrival);
            self.waiting = None;
            self.unacknowledged = 0;
            self.ack_at = Time::MAX;
            return;
        }
        self.waiting = Some(arrival);
        if self.ack_at == Time::MAX {
            self.ack_at = now.saturating_add(self.settings.max_ack_delay);
        }
    }

    /// The next ACK to send.
    pub fn poll_ack(&mut self) -> Option<InlineBytes> {
        let made_by = self.due.pop_front()?;
        let mut blocks = Blocks::default();
        // RFC 2018 §4: first the block with the triggering packet, then the newest others.
        let first = self.beyond.containing(made_by.sequence);
        for (start, end) in
            first.into_iter().chain(self.beyond.iter_down().filter(|range| Some(*range) != first))
        {
            if !blocks.push(start as u32, end as u32) {
                break;
            }
        }
        let ack = Ack {
            sequence: made_by.sequence as u32,
            ecn: made_by.ecn,
            ce_count: self.ce_count,
            arrived_at: made_by.at.as_micros() as u32,
            cumulative: self.floor as u32,
            blocks,
        };
        Some(ack.emit())
    }

    /// Deadline of a delayed ACK.
    pub fn next_wakeup(&self) -> Option<Time> {
        (self.ack_at != Time::MAX).then_some(self.ack_at)
    }

    pub fn handle_wakeup(&mut self, now: Time) {
        if self.ack_at <= now {
            self.ack_at = Time::MAX;
            self.unacknowledged = 0;
            self.due.extend(self.waiting.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Duration;
    use jettison_wire::SequenceHeader;

    use super::super::parameters::OctopusParameters;
    use super::*;

    fn receiver(parameters: &OctopusParameters) -> Receiver {
        Receiver::new(&Settings::from(parameters))
    }

    fn poll(receiver: &mut Receiver) -> Option<Ack> {
        let bytes = receiver.poll_ack()?;
        let header = SequenceHeader::parse(bytes.as_slice()).expect("an ACK begins with a header");
        Ack::parse(&header, bytes.as_slice())
    }

    fn ranges(ack: &Ack) -> Vec<(u32, u32)> {
        ack.blocks.iter().collect()
    }

    #[test]
    fn each_packet_has_its_ack_with_its_arrival_and_mark() {
        let mut receiver = receiver(&OctopusParameters::default());
        assert!(receiver.take(0, Ecn::Ect0, Time::from_micros(70)));
        assert!(receiver.take(1, Ecn::Ce, Time::from_micros(90)));
        let first = poll(&mut receiver).expect("one a packet");
        assert_eq!((first.sequence, first.arrived_at, first.ecn), (0, 70, Ecn::Ect0));
        let second = poll(&mut receiver).expect("one a packet");
        assert_eq!((second.sequence, second.arrived_at, second.ecn, second.ce_count), (1, 90, Ecn::Ce, 1));
        assert_eq!((second.cumulative, ranges(&second)), (2, vec![]));
        assert_eq!(poll(&mut receiver), None);
    }

    #[test]
    fn rfc2018_4_the_first_block_holds_the_packet_that_triggered_the_ack() {
        let mut receiver = receiver(&OctopusParameters::default());
        for sequence in [0, 2, 4, 6, 8, 1] {
            receiver.take(sequence, Ecn::NotEct, Time::ZERO);
        }
        let acks: Vec<_> = std::iter::from_fn(|| poll(&mut receiver)).collect();
        let last = acks.last().expect("six");
        assert_eq!((last.sequence, last.cumulative), (1, 3));
        assert_eq!(ranges(last), [(8, 9), (6, 7), (4, 5)], "1 is below the cumulative acknowledgement");
        let mut again = Receiver::new(&Settings::from(&OctopusParameters::default()));
        for sequence in [10, 12, 14, 16, 11] {
            again.take(sequence, Ecn::NotEct, Time::ZERO);
        }
        let last = std::iter::from_fn(|| poll(&mut again)).last().expect("five");
        assert_eq!(ranges(&last), [(10, 13), (16, 17), (14, 15)]);
    }

    #[test]
    fn duplicates_are_acknowledged_and_recognised() {
        let mut receiver = receiver(&OctopusParameters::default());
        assert!(receiver.take(0, Ecn::NotEct, Time::ZERO));
        assert!(!receiver.take(0, Ecn::NotEct, Time::ZERO));
        assert!(receiver.take(2, Ecn::NotEct, Time::ZERO));
        assert!(!receiver.take(2, Ecn::NotEct, Time::ZERO));
        assert_eq!(std::iter::from_fn(|| poll(&mut receiver)).count(), 4);
    }

    #[test]
    fn an_ack_of_several_packets_waits_for_them_or_for_its_timeout() {
        let parameters = OctopusParameters { ack_every: 2, ..OctopusParameters::default() };
        let mut receiver = receiver(&parameters);
        receiver.take(0, Ecn::NotEct, Time::ZERO);
        assert_eq!((poll(&mut receiver), receiver.next_wakeup()), (None, Some(Time::from_millis(25))));
        receiver.take(1, Ecn::NotEct, Time::from_millis(1));
        assert_eq!(poll(&mut receiver).map(|ack| ack.sequence), Some(1));
        assert_eq!(receiver.next_wakeup(), None);
        receiver.take(2, Ecn::NotEct, Time::from_millis(2));
        receiver.handle_wakeup(Time::from_millis(27));
        assert_eq!(poll(&mut receiver).map(|ack| (ack.sequence, ack.arrived_at)), Some((2, 2000)));
    }

    #[test]
    fn rfc9000_13_2_1_packets_out_of_order_or_marked_are_acknowledged_immediately() {
        let parameters = OctopusParameters { ack_every: 4, ..OctopusParameters::default() };
        let mut receiver = receiver(&parameters);
        receiver.take(1, Ecn::NotEct, Time::ZERO);
        assert!(poll(&mut receiver).is_some(), "0 is missing");
        receiver.take(0, Ecn::NotEct, Time::ZERO);
        assert!(poll(&mut receiver).is_some(), "it comes late");
        receiver.take(2, Ecn::Ce, Time::ZERO);
        assert!(poll(&mut receiver).is_some(), "it is marked");
        receiver.take(3, Ecn::NotEct, Time::ZERO);
        assert_eq!(poll(&mut receiver), None);
    }

    #[test]
    fn losses_do_not_hold_the_cumulative_acknowledgement_for_ever() {
        let parameters = OctopusParameters { first_sequence: u32::MAX - 10, ..OctopusParameters::default() };
        let mut receiver = receiver(&parameters);
        let mut last = None;
        // The first packet is lost, and every hundredth after it.
        for i in (1..SPAN as u32 + 1000).filter(|i| i % 100 != 0) {
            receiver.take(
                (u32::MAX - 10).wrapping_add(i),
                Ecn::NotEct,
                Time::ZERO + Duration::from_micros(1),
            );
            last = poll(&mut receiver);
        }
        let last = last.expect("one a packet");
        let behind = u64::from(last.sequence.wrapping_sub(last.cumulative));
        assert!((SPAN - 100..SPAN).contains(&behind), "{behind}");
        assert!(receiver.beyond.iter_down().count() <= SPAN as usize / 100 + 1, "its memory is bounded");
    }
}
