//! The result of a probe: the rates at which a cluster of packets was sent and received.
//!
//! Packet trains as a measure of capacity: Dovrolis et al., INFOCOM 2001. The shares are WebRTC's.

use jettison_core::Time;

/// Share of a cluster's packets and bytes that must have arrived.
const ENOUGH: f64 = 0.8;
/// The receive rate below this share of the send rate is the link's: then a little less than it is the result.
const SATURATED: f64 = 0.9;
const BACK_OFF: f64 = 0.95;
/// A receive rate above so many times the send rate is none of a link.
const ABSURD: f64 = 2.0;

/// A probe that the sender makes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cluster {
    /// Its number, from 0.
    pub id: u32,
    /// Rate at which it is sent, bit/s.
    pub rate: f64,
    /// Least packets and bytes.
    pub packets: u32,
    /// Least bytes.
    pub bytes: u64,
}

/// A packet of a probe that arrived.
#[derive(Debug, Clone, Copy)]
pub struct Probed {
    /// Departure.
    pub sent_at: Time,
    /// Arrival, by the receiver's clock.
    pub arrived_at: Time,
    /// Bytes.
    pub bytes: u64,
}

/// What arrived of a cluster.
#[derive(Debug, Clone)]
pub struct ClusterResult {
    cluster: Cluster,
    packets: u32,
    bytes: u64,
    sent: (Time, Time),
    arrived: (Time, Time),
    /// Bytes of the last packet sent, and of the first one received: they are outside the intervals.
    last_sent: u64,
    first_arrived: u64,
}

impl ClusterResult {
    /// The result with its first packet.
    pub fn new(cluster: Cluster, first: Probed) -> ClusterResult {
        ClusterResult {
            cluster,
            packets: 1,
            bytes: first.bytes,
            sent: (first.sent_at, first.sent_at),
            arrived: (first.arrived_at, first.arrived_at),
            last_sent: first.bytes,
            first_arrived: first.bytes,
        }
    }

    /// The number of the cluster.
    pub fn id(&self) -> u32 {
        self.cluster.id
    }

    /// Adds a packet.
    pub fn add(&mut self, packet: Probed) {
        self.packets += 1;
        self.bytes += packet.bytes;
        self.sent.0 = self.sent.0.min(packet.sent_at);
        if packet.sent_at >= self.sent.1 {
            (self.sent.1, self.last_sent) = (packet.sent_at, packet.bytes);
        }
        self.arrived.1 = self.arrived.1.max(packet.arrived_at);
        if packet.arrived_at < self.arrived.0 {
            (self.arrived.0, self.first_arrived) = (packet.arrived_at, packet.bytes);
        }
    }

    /// The measured rate in bit/s; `None` before enough has arrived, or if it tells nothing.
    pub fn rate(&self) -> Option<f64> {
        let is_enough = f64::from(self.packets) >= ENOUGH * f64::from(self.cluster.packets)
            && self.bytes as f64 >= ENOUGH * self.cluster.bytes as f64;
        let span = |(first, last): (Time, Time)| last.since(first).as_secs_f64();
        let (sending, receiving) = (span(self.sent), span(self.arrived));
        if !is_enough || sending <= 0.0 || receiving <= 0.0 || sending > 1.0 || receiving > 1.0 {
            return None;
        }
        let sent = (self.bytes - self.last_sent) as f64 * 8.0 / sending;
        let received = (self.bytes - self.first_arrived) as f64 * 8.0 / receiving;
        if received > ABSURD * sent {
            return None;
        }
        Some(if received < SATURATED * sent { BACK_OFF * received } else { received.min(sent) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rate of a cluster of five packets of 1,000 bytes, sent `sent` µs and received `received` µs apart.
    fn rate(count: u64, sent: u64, received: u64) -> Option<f64> {
        let cluster = Cluster { id: 0, rate: 1e6, packets: 5, bytes: 5000 };
        let packet = |n: u64| Probed {
            sent_at: Time::from_micros(n * sent),
            arrived_at: Time::from_micros(50_000 + n * received),
            bytes: 1000,
        };
        let mut result = ClusterResult::new(cluster, packet(0));
        (1..count).for_each(|n| result.add(packet(n)));
        result.rate()
    }

    #[test]
    fn a_probe_below_the_capacity_has_the_rate_at_which_it_was_sent() {
        assert_eq!(rate(5, 8000, 8000), Some(1e6));
        assert_eq!(rate(5, 8000, 7000), Some(1e6));
    }

    #[test]
    fn a_saturated_link_gives_a_little_less_than_its_rate() {
        assert_eq!(rate(5, 8000, 16_000), Some(0.95 * 0.5e6));
    }

    #[test]
    fn a_cluster_needs_four_fifths_of_its_packets() {
        assert_eq!(rate(3, 8000, 8000), None);
        assert_eq!(rate(4, 8000, 8000), Some(1e6));
    }

    #[test]
    fn packets_that_arrive_at_one_instant_or_absurdly_fast_tell_nothing() {
        assert_eq!(rate(5, 8000, 0), None);
        assert_eq!(rate(5, 8000, 3000), None);
    }
}
