//! The receiving half of packets: arrivals and their ACKs.
//!
//! Datagrams are not authenticated, so a number far from the current ones may be forged. It is refused until a second
//! packet continues it (as RTP's receivers do with a new source, RFC 3550 §A.1). Confirmed numbers are kept *beside* the
//! current ones, of which each remains valid while it is in use: neither forged numbers nor the sender's restart end
//! what works.

use std::collections::VecDeque;

use jettison_core::Time;
use jettison_wire::{Ecn, InlineBytes};

use super::ack::{Ack, Blocks};
use super::limits::Limits;
use super::number_space::NumberSpace;
use super::parameters::Settings;

/// Received packets.
#[derive(Debug, Clone)]
pub(super) struct Receiver {
    settings: Settings,
    /// The current numbers, and those to which the sender may have jumped.
    spaces: [NumberSpace; 2],
    has_jumped: bool,
    /// Of these, the one with the last new packet.
    last: usize,
    /// The last implausible number, which waits for confirmation.
    candidate: Option<u32>,
    restarts: u32,
    ce_count: u16,
    /// Packets with a due ACK.
    due: VecDeque<Arrival>,
    /// The last packet without an ACK, the number of such packets, and the time at which an ACK is due anyway.
    waiting: Option<Arrival>,
    unacknowledged: u32,
    ack_at: Time,
    /// Packets refused for their numbers, and ACKs that found too many waiting.
    pub implausible: u64,
    pub acks_discarded: u64,
}

#[derive(Debug, Clone, Copy)]
struct Arrival {
    space: usize,
    sequence: u64,
    at: Time,
    ecn: Ecn,
}

/// The place of a packet among the numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    space: usize,
    sequence: u64,
    /// Whether it has not arrived before.
    pub is_new: bool,
    /// Number of the sender's restart, from 0.
    pub epoch: u32,
}

#[cfg(test)]
impl Place {
    /// The place of a new packet.
    pub const fn first() -> Place {
        Place { space: 0, sequence: 0, is_new: true, epoch: 0 }
    }
}

impl Receiver {
    pub fn new(settings: &Settings) -> Receiver {
        Receiver {
            settings: *settings,
            spaces: [NumberSpace::new(settings.first_sequence), NumberSpace::default()],
            has_jumped: false,
            last: 0,
            candidate: None,
            restarts: 0,
            ce_count: 0,
            due: VecDeque::new(),
            waiting: None,
            unacknowledged: 0,
            ack_at: Time::MAX,
            implausible: 0,
            acks_discarded: 0,
        }
    }

    /// Finds the place of a packet; `None`, counted, if its number is implausible. Changes nothing else: call
    /// [`Receiver::record`] if the packet is taken.
    #[inline]
    pub fn place(&mut self, wire: u32, now: Time) -> Option<Place> {
        self.place_in(self.last, wire, now).or_else(|| self.place_elsewhere(wire, now))
    }

    #[inline]
    fn place_in(&self, at: usize, wire: u32, now: Time) -> Option<Place> {
        let space = &self.spaces[at];
        let sequence = space.plausible(wire)?;
        let is_new = space.is_new(sequence);
        // Repeated numbers after a silence may be those of a sender that began again.
        let is_known = is_new || !space.is_quiet(self.settings.quiet, now);
        is_known.then_some(Place { space: at, sequence, is_new, epoch: space.epoch })
    }

    #[cold]
    fn place_elsewhere(&mut self, wire: u32, now: Time) -> Option<Place> {
        let other = 1 - self.last;
        if self.has_jumped
            && let Some(place) = self.place_in(other, wire, now)
        {
            return Some(place);
        }
        let before = self.candidate.replace(wire);
        let is_confirmed =
            before.is_some_and(|before| (1..=Limits::STEP).contains(&wire.wrapping_sub(before)));
        let free = if is_confirmed { self.free_space(now) } else { None };
        let Some(at) = free else {
            self.implausible += 1;
            return None;
        };
        // A sender that begins again has lower numbers; one behind an outage has higher ones.
        let mut epoch = self.spaces[self.last].epoch;
        if !self.spaces[self.last].is_ahead(wire) {
            self.restarts = self.restarts.wrapping_add(1);
            epoch = self.restarts;
        }
        self.spaces[at] = NumberSpace::around(wire, self.settings.first_sequence, epoch, now);
        self.has_jumped = true;
        self.candidate = None;
        // No ACK may mix the numbers of two spaces.
        self.due.retain(|arrival| arrival.space != at);
        self.waiting = self.waiting.filter(|arrival| arrival.space != at);
        self.place_in(at, wire, now)
    }

    /// The space for other numbers: the second one, or the one that has been silent for longer, if it is quiet.
    fn free_space(&self, now: Time) -> Option<usize> {
        if !self.has_jumped {
            return Some(1);
        }
        let oldest = usize::from(self.spaces[1].heard() < self.spaces[0].heard());
        self.spaces[oldest].is_quiet(self.settings.quiet, now).then_some(oldest)
    }

    /// Records a packet at its place, and schedules its ACK.
    #[inline]
    pub fn record(&mut self, place: Place, ecn: Ecn, now: Time) {
        let Place { space, sequence, is_new, .. } = place;
        let is_next = is_new && self.spaces[space].is_next(sequence);
        if is_new {
            self.spaces[space].record(sequence, now);
            self.last = space;
        }
        if ecn == Ecn::Ce {
            self.ce_count = (self.ce_count + 1) % Ack::CE_MODULUS;
        }
        self.schedule_ack(Arrival { space, sequence, at: now, ecn }, is_next, now);
    }

    fn schedule_ack(&mut self, arrival: Arrival, is_next: bool, now: Time) {
        self.unacknowledged += 1;
        // RFC 9000 §13.2.1: immediate ACK if out of order or marked.
        let at_once = !is_next || arrival.ecn == Ecn::Ce;
        if at_once || self.unacknowledged >= self.settings.ack_every {
            if self.due.len() >= Limits::DUE_ACKS {
                self.due.pop_front();
                self.acks_discarded += 1;
            }
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
        let NumberSpace { floor, beyond, .. } = &self.spaces[made_by.space];
        let mut blocks = Blocks::default();
        // RFC 2018 §4: first the block with the triggering packet, then the newest others.
        let first = beyond.containing(made_by.sequence);
        for (start, end) in first.into_iter().chain(beyond.iter_down().filter(|range| Some(*range) != first))
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
            cumulative: *floor as u32,
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

    use super::super::in_flight::SPAN;
    use super::super::parameters::OctopusParameters;
    use super::*;

    fn receiver(parameters: &OctopusParameters) -> Receiver {
        Receiver::new(&Settings::from(parameters))
    }

    impl Receiver {
        /// Places and records a packet; returns whether it is new.
        fn take(&mut self, wire: u32, ecn: Ecn, now: Time) -> bool {
            let place = self.place(wire, now);
            place.inspect(|place| self.record(*place, ecn, now)).is_some_and(|place| place.is_new)
        }
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
        assert!(
            receiver.spaces[0].beyond.iter_down().count() <= SPAN as usize / 100 + 1,
            "its memory is bounded"
        );
    }
}
