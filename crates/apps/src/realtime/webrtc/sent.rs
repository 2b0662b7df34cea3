//! What the sender remembers: packets by transport-wide number, until feedback tells their fate, and media packets, for
//! retransmissions.

use std::collections::VecDeque;

use jettison_core::{Duration, Time};
use jettison_messages::gcc::PacketResult;

use super::packet::Part;

/// Media packets that are kept, and packets without feedback. WebRTC's history of media has 600 packets, or one second.
const MEDIA: usize = 1024;
const WITHOUT_FEEDBACK: usize = 1 << 14;

/// A packet without feedback.
#[derive(Debug, Clone, Copy)]
struct InFlight {
    sent_at: Time,
    bytes: u64,
    cluster: Option<u32>,
    frame: Option<(u32, u8)>,
    is_resolved: bool,
}

/// Packets by their transport-wide numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct InFlightPackets {
    first: u64,
    packets: VecDeque<InFlight>,
    /// The number after the newest with feedback, and bytes of those from there on.
    reported: u64,
    outstanding: u64,
}

impl InFlightPackets {
    /// The next number.
    pub(super) fn next(&self) -> u64 {
        self.first + self.packets.len() as u64
    }

    /// Records a packet with the next number; `frame` is the labelled frame that it is of, and its priority.
    pub(super) fn sent(&mut self, bytes: u64, cluster: Option<u32>, frame: Option<(u32, u8)>, now: Time) {
        if self.packets.len() == WITHOUT_FEEDBACK {
            self.report_up_to(self.first);
            self.packets.pop_front();
            self.first += 1;
        }
        self.outstanding += bytes;
        self.packets.push_back(InFlight { sent_at: now, bytes, cluster, frame, is_resolved: false });
    }

    /// The oldest number that is remembered.
    pub(super) fn oldest(&self) -> u64 {
        self.first
    }

    /// Bytes of the packets that are newer than every one with feedback: data in flight, as WebRTC counts them.
    pub(super) fn outstanding(&self) -> u64 {
        self.outstanding
    }

    fn report_up_to(&mut self, number: u64) {
        while self.reported <= number {
            let place = self.reported.checked_sub(self.first).and_then(|place| usize::try_from(place).ok());
            self.outstanding -=
                place.and_then(|place| self.packets.get(place)).map_or(0, |packet| packet.bytes);
            self.reported += 1;
        }
    }

    /// Resolves a packet, and returns its labelled frame; `None` if it is unknown or was resolved before.
    pub(super) fn resolve(
        &mut self,
        number: u64,
        arrived_at: Option<Time>,
        is_marked: bool,
    ) -> Option<(PacketResult, Option<(u32, u8)>)> {
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.packets.get(place)?;
        self.report_up_to(number);
        let packet = self.packets.get_mut(place)?;
        if std::mem::replace(&mut packet.is_resolved, true) {
            return None;
        }
        let InFlight { sent_at, bytes, cluster, frame, .. } = *packet;
        while self.packets.front().is_some_and(|packet| packet.is_resolved) {
            self.packets.pop_front();
            self.first += 1;
        }
        Some((PacketResult { sent_at, arrived_at, bytes, cluster, is_marked }, frame))
    }
}

/// A media packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MediaPacket {
    pub number: u64,
    pub part: Part,
    /// Place of its first byte in the frame.
    pub offset: u64,
    /// Priority in its label.
    pub priority: u8,
    /// When it was sent last.
    sent_at: Time,
}

/// Media packets that may be asked for again.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    packets: VecDeque<MediaPacket>,
}

impl History {
    /// Records a media packet. Numbers ascend by one.
    pub(super) fn sent(&mut self, number: u64, part: Part, offset: u64, priority: u8, now: Time) {
        if self.packets.len() == MEDIA {
            self.packets.pop_front();
        }
        self.packets.push_back(MediaPacket { number, part, offset, priority, sent_at: now });
    }

    /// The number of the newest one.
    pub(super) fn newest(&self) -> Option<u64> {
        self.packets.back().map(|packet| packet.number)
    }

    /// A packet by its number; `None` if it is not remembered.
    pub(super) fn get(&self, number: u64) -> Option<&MediaPacket> {
        let first = self.packets.front()?.number;
        self.packets.get(usize::try_from(number.checked_sub(first)?).ok()?)
    }

    /// A packet that is asked for again; `None` if it is not remembered, or was sent within a round trip.
    pub(super) fn take_again(&mut self, number: u64, now: Time, rtt: Duration) -> Option<MediaPacket> {
        let first = self.packets.front()?.number;
        let packet = self.packets.get_mut(usize::try_from(number.checked_sub(first)?).ok()?)?;
        if now.since(packet.sent_at) < rtt {
            return None;
        }
        packet.sent_at = now;
        Some(*packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_packet_has_one_fate() {
        let mut packets = InFlightPackets::default();
        (0..3).for_each(|n| packets.sent(100 + n, None, Some((n as u32, 2)), Time::from_millis(n)));
        let at = Some(Time::from_millis(50));
        let (found, frame) = packets.resolve(1, at, false).expect("it is known");
        assert_eq!(frame, Some((1, 2)));
        assert_eq!((found.bytes, found.sent_at, found.arrived_at), (101, Time::from_millis(1), at));
        assert_eq!(packets.resolve(1, None, false), None);
        assert_eq!(packets.resolve(3, None, false), None);
        assert!(packets.resolve(0, None, false).is_some());
        assert_eq!((packets.oldest(), packets.next()), (2, 3));
    }

    #[test]
    fn data_in_flight_are_those_behind_the_newest_report() {
        let mut packets = InFlightPackets::default();
        (0..4).for_each(|n| packets.sent(100 + n, None, None, Time::from_millis(n)));
        assert_eq!(packets.outstanding(), 406);
        packets.resolve(1, Some(Time::from_millis(50)), false);
        assert_eq!(packets.outstanding(), 102 + 103, "the first one was overtaken");
        packets.resolve(0, Some(Time::from_millis(51)), false);
        assert_eq!(packets.outstanding(), 102 + 103);
        packets.resolve(3, None, false);
        assert_eq!(packets.outstanding(), 0);
        packets.sent(7, None, None, Time::from_millis(60));
        assert_eq!(packets.outstanding(), 7);
    }

    #[test]
    fn a_packet_is_sent_again_once_per_round_trip() {
        let mut history = History::default();
        (7..9).for_each(|n| history.sent(n, Part::default(), 0, 0, Time::ZERO));
        let rtt = Duration::from_millis(40);
        let mut again = |number, ms| history.take_again(number, Time::from_millis(ms), rtt).is_some();
        assert!(!again(8, 39) && again(8, 40) && !again(8, 79) && again(8, 80));
        assert!(!again(6, 90) && !again(9, 90));
    }
}
