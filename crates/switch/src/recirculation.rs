//! The recirculation port: the path from egress back to ingress.
//!
//! Packets are serialised at the port's rate in FIFO order and reach ingress after a delay. A packet that finds `limit`
//! packets waiting for serialisation is not accepted.
//!
//! Units: rate in bit/s, delay as a time, limit in packets, overhead in bytes per packet.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use jettison_core::{Bytes, Duration, Rate, Time};
use jettison_registry::ParameterError;
use jettison_wire::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Packets;

/// Parameters of a switch's recirculation port.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RecirculationSettings {
    /// Rate of the recirculation port. The iRED paper reports its recirculated traffic as a share of a port of 400 Gbit/s.
    pub rate: Rate,
    /// Delay from the recirculation port to ingress. The papers do not give it; the default is of the order of one pass
    /// through a switching ASIC's pipeline.
    pub delay: Duration,
    /// Limit of packets waiting for serialisation; excess packets are dropped as `recirculation-full`.
    pub limit: Packets,
    /// Bytes per packet in addition to its IP length: an Ethernet header.
    pub overhead: Bytes,
}

impl Default for RecirculationSettings {
    fn default() -> RecirculationSettings {
        RecirculationSettings {
            rate: Rate::from_mbit(400_000),
            delay: Duration::from_micros(1),
            limit: Packets(1_000),
            overhead: Bytes::new(14),
        }
    }
}

impl RecirculationSettings {
    /// Checks the ranges.
    ///
    /// # Errors
    /// If the rate or the limit is zero.
    pub fn check(&self) -> Result<(), ParameterError> {
        ParameterError::require(!self.rate.is_zero(), "rate", "be > 0", self.rate)?;
        ParameterError::require(self.limit.0 > 0, "limit", "be >= 1 packet", self.limit)
    }
}

/// State of the recirculation port.
#[derive(Clone)]
pub struct Recirculation {
    settings: RecirculationSettings,
    /// End of serialisation of the last accepted packet in whole nanoseconds, plus `remainder` / rate nanoseconds. The
    /// remainder carries over within a busy period, so the rate is exact.
    serialised: Time,
    remainder: u128,
    /// End of serialisation of each waiting packet, oldest first.
    waiting: VecDeque<Time>,
    /// Accepted packets, by time of return to ingress. A heap, because delays can differ between packets.
    under_way: BinaryHeap<UnderWay>,
    /// Number of packets accepted so far.
    accepted: u64,
}

#[derive(Clone)]
struct UnderWay {
    due: Time,
    sequence: u64,
    packet: Packet,
}

impl Recirculation {
    /// Creates an idle port.
    pub fn new(settings: RecirculationSettings) -> Recirculation {
        Recirculation {
            settings,
            serialised: Time::ZERO,
            remainder: 0,
            waiting: VecDeque::new(),
            under_way: BinaryHeap::new(),
            accepted: 0,
        }
    }

    /// Accepts a packet, or returns it if the port is full. `delay` overrides the port's own delay.
    #[allow(clippy::result_large_err)] // a packet is moved by value everywhere
    pub fn push(&mut self, packet: Packet, delay: Option<Duration>, now: Time) -> Result<(), Packet> {
        while self.waiting.front().is_some_and(|end| *end <= now) {
            self.waiting.pop_front();
        }
        if self.settings.rate.is_zero() || self.waiting.len() as u64 >= self.settings.limit.0 {
            return Err(packet);
        }
        // Start of a busy period.
        if self.waiting.is_empty() {
            (self.serialised, self.remainder) = (now, 0);
        }
        let rate = u128::from(self.settings.rate.as_bits());
        let bits = (u128::from(packet.meta.length) + u128::from(self.settings.overhead.get())) * 8;
        let work = bits * 1_000_000_000 + self.remainder;
        let whole = Duration::from_nanos(u64::try_from(work / rate).unwrap_or(u64::MAX));
        self.serialised = self.serialised.saturating_add(whole);
        self.remainder = work % rate;
        // Rounded up: a packet is serialised when its last bit is.
        let end = self.serialised.saturating_add(Duration::from_nanos(u64::from(self.remainder > 0)));
        self.waiting.push_back(end);
        let due = end.saturating_add(delay.unwrap_or(self.settings.delay));
        self.under_way.push(UnderWay { due, sequence: self.accepted, packet });
        self.accepted += 1;
        Ok(())
    }

    /// Removes and returns the next packet that reaches ingress by `now`.
    pub fn pop_due(&mut self, now: Time) -> Option<Packet> {
        if self.under_way.peek()?.due > now {
            return None;
        }
        self.under_way.pop().map(|entry| entry.packet)
    }

    /// Time at which the next packet reaches ingress.
    #[inline]
    pub fn next_due(&self) -> Option<Time> {
        self.under_way.peek().map(|entry| entry.due)
    }

    /// All packets that have not reached ingress, in no order.
    pub fn packets(&self) -> impl Iterator<Item = &Packet> {
        self.under_way.iter().map(|entry| &entry.packet)
    }

    /// Number of packets waiting for serialisation or in the delay.
    pub fn under_way(&self) -> usize {
        self.under_way.len()
    }
}

/// Reversed order for the max-heap: the packet due first compares greatest; among equals, the one accepted first.
impl Ord for UnderWay {
    fn cmp(&self, other: &UnderWay) -> Ordering {
        (other.due, other.sequence).cmp(&(self.due, self.sequence))
    }
}
impl PartialOrd for UnderWay {
    fn partial_cmp(&self, other: &UnderWay) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for UnderWay {
    fn eq(&self, other: &UnderWay) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for UnderWay {}

#[cfg(test)]
mod tests {
    use jettison_wire::{Address, Headers, Transport, UdpHeader};

    use super::*;

    fn packet(id: u32, length: u16) -> Packet {
        let transport = Transport::Udp(UdpHeader { src_port: 1, dst_port: 2, inline: Default::default() });
        let headers = Headers { src: Address::v4(10, 0, 0, 1), dst: Address::v4(10, 0, 0, 2), transport };
        let mut packet = Packet::model(headers, 0);
        packet.meta.length = length;
        packet.meta.id = id;
        packet
    }

    fn settings(rate: Rate, delay: Duration, limit: u64) -> RecirculationSettings {
        RecirculationSettings { rate, delay, limit: Packets(limit), overhead: Bytes::ZERO }
    }

    #[test]
    fn packets_are_serialised_one_after_another_and_then_delayed() {
        let mut port = Recirculation::new(settings(Rate::from_mbit(8_000), Duration::from_micros(1), 10));
        // 8 Gbit/s: a byte a nanosecond.
        port.push(packet(1, 1000), None, Time::from_nanos(50)).unwrap();
        port.push(packet(2, 500), None, Time::from_nanos(60)).unwrap();
        assert_eq!(port.next_due(), Some(Time::from_nanos(50 + 1000 + 1000)));
        assert!(port.pop_due(Time::from_nanos(2_049)).is_none());
        assert_eq!(port.pop_due(Time::from_nanos(2_050)).unwrap().meta.id, 1);
        assert_eq!(port.next_due(), Some(Time::from_nanos(50 + 1500 + 1000)));
    }

    #[test]
    fn the_remainder_of_a_nanosecond_carries_over_within_a_busy_period() {
        let mut port = Recirculation::new(settings(Rate::from_mbit(400_000), Duration::ZERO, 10_000));
        for id in 0..100 {
            // 1,514 bytes at 400 Gbit/s take 30.28 ns.
            port.push(packet(id, 1514), None, Time::ZERO).unwrap();
        }
        let mut last = Time::ZERO;
        while let Some(due) = port.next_due() {
            last = due;
            port.pop_due(due).unwrap();
        }
        assert_eq!(last, Time::from_nanos(3_028));
    }

    #[test]
    fn a_full_port_gives_the_packet_back_and_has_room_again_later() {
        let mut port = Recirculation::new(settings(Rate::from_mbit(8), Duration::ZERO, 2));
        port.push(packet(1, 100), None, Time::ZERO).unwrap();
        port.push(packet(2, 100), None, Time::ZERO).unwrap();
        assert_eq!(port.push(packet(3, 100), None, Time::ZERO).unwrap_err().meta.id, 3);
        port.push(packet(4, 100), None, Time::from_micros(100)).unwrap();
        assert_eq!(port.under_way(), 3);
    }

    #[test]
    fn a_packet_with_a_shorter_delay_overtakes() {
        let mut port = Recirculation::new(settings(Rate::from_mbit(8_000), Duration::from_micros(5), 10));
        port.push(packet(1, 100), None, Time::ZERO).unwrap();
        port.push(packet(2, 100), Some(Duration::from_micros(1)), Time::ZERO).unwrap();
        assert_eq!(port.pop_due(Time::from_micros(10)).unwrap().meta.id, 2);
        assert_eq!(port.pop_due(Time::from_micros(10)).unwrap().meta.id, 1);
        assert_eq!(port.next_due(), None);
    }

    #[test]
    fn a_rate_or_a_limit_of_zero_is_refused() {
        let zero_rate = RecirculationSettings { rate: Rate::ZERO, ..RecirculationSettings::default() };
        assert_eq!(zero_rate.check().unwrap_err().path, ["rate"]);
        let zero_limit = RecirculationSettings { limit: Packets(0), ..RecirculationSettings::default() };
        assert_eq!(zero_limit.check().unwrap_err().path, ["limit"]);
        assert_eq!(RecirculationSettings::default().check(), Ok(()));
    }
}
