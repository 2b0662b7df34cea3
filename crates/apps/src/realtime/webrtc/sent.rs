//! What the sender remembers: packets by transport-wide number, until feedback tells their fate, and media packets, for
//! retransmissions.

use std::collections::VecDeque;

use jettison_core::{Duration, Rate, Time};
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

    /// Records a packet with the next number and its date; `frame` is the labelled frame that it is of, and its priority.
    pub(super) fn sent(&mut self, bytes: u64, cluster: Option<u32>, frame: Option<(u32, u8)>, date: Time) {
        if self.packets.len() == WITHOUT_FEEDBACK {
            self.report_up_to(self.first);
            self.packets.pop_front();
            self.first += 1;
        }
        self.outstanding += bytes;
        self.packets.push_back(InFlight { sent_at: date, bytes, cluster, frame, is_resolved: false });
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
    /// Whether it waits to be sent again.
    is_waiting: bool,
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
        self.packets.push_back(MediaPacket {
            number,
            part,
            offset,
            priority,
            sent_at: now,
            is_waiting: false,
        });
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

    /// A packet that is asked for again; `None` if it is not remembered, waits already, was sent within a round trip, or has a
    /// length that is not permitted.
    pub(super) fn take_again(
        &mut self,
        number: u64,
        now: Time,
        rtt: Duration,
        is_permitted: impl FnOnce(u16) -> bool,
    ) -> Option<MediaPacket> {
        let packet = self.get_mut(number)?;
        let is_due = !packet.is_waiting && now.since(packet.sent_at) >= rtt;
        if !is_due || !is_permitted(packet.part.length) {
            return None;
        }
        packet.is_waiting = true;
        Some(*packet)
    }

    /// A packet has left again.
    pub(super) fn sent_again(&mut self, number: u64, now: Time) {
        if let Some(packet) = self.get_mut(number) {
            (packet.sent_at, packet.is_waiting) = (now, false);
        }
    }

    fn get_mut(&mut self, number: u64) -> Option<&mut MediaPacket> {
        let first = self.packets.front()?.number;
        self.packets.get_mut(usize::try_from(number.checked_sub(first)?).ok()?)
    }
}

/// How much may be sent again: within a window no more than the target carries (WebRTC's `rtc_base/rate_limiter.cc`, 500 ms). What
/// is refused is not sent later; the receiver asks again.
#[derive(Debug, Clone)]
pub(super) struct RepairLimit {
    // Parameters.
    window: Duration,
    // State.
    granted: VecDeque<(Time, u64)>,
    bits: u64,
}

impl RepairLimit {
    /// Creates it with its window; zero for no limit.
    pub(super) fn new(window: Duration) -> RepairLimit {
        RepairLimit { window, granted: VecDeque::new(), bits: 0 }
    }

    /// Whether a packet of so many bytes may be sent again, and counts it. The first one of a window always may.
    pub(super) fn permits(&mut self, bytes: u16, target: Rate, now: Time) -> bool {
        if self.window.is_zero() {
            return true;
        }
        while let Some((at, bits)) = self.granted.front().copied()
            && now.since(at) >= self.window
        {
            self.granted.pop_front();
            self.bits -= bits;
        }
        let bits = 8 * u64::from(bytes);
        let most = target.as_bits() as f64 * self.window.as_secs_f64();
        if !self.granted.is_empty() && (self.bits + bits) as f64 > most {
            return false;
        }
        self.granted.push_back((now, bits));
        self.bits += bits;
        true
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
        let at = Time::from_millis;
        let mut again = |number, ms, sent: Option<u64>| {
            let has_any = history.take_again(number, at(ms), rtt, |_| true).is_some();
            sent.into_iter().for_each(|ms| history.sent_again(number, at(ms)));
            has_any
        };
        assert!(!again(8, 39, None) && again(8, 40, None));
        assert!(!again(8, 90, Some(100)), "it waits");
        assert!(!again(8, 139, None) && again(8, 140, None));
        assert!(!again(6, 190, None) && !again(9, 190, None));
        assert!(history.take_again(7, at(190), rtt, |_| false).is_none());
        assert!(history.take_again(7, at(190), rtt, |_| true).is_some(), "a refusal marks nothing");
    }

    #[test]
    fn repairs_within_half_a_second_are_at_most_what_the_target_carries() {
        let mut limit = RepairLimit::new(Duration::from_millis(500));
        let target = Rate::from_kbit(100);
        // 50 kbit: five packets of 1,250 bytes.
        let granted = (0..10).filter(|n| limit.permits(1250, target, Time::from_millis(10 * n))).count();
        assert_eq!(granted, 5);
        assert!(!limit.permits(1250, target, Time::from_millis(499)));
        assert!(limit.permits(1250, target, Time::from_millis(500)));
        // One packet is permitted at any rate.
        assert!(limit.permits(1250, Rate::from_kbit(1), Time::from_secs(5)));
        assert!(!limit.permits(1250, Rate::from_kbit(1), Time::from_secs(5)));
        let mut none = RepairLimit::new(Duration::ZERO);
        assert!((0..100).all(|_| none.permits(1250, Rate::from_kbit(1), Time::ZERO)));
    }
}
