//! How many packets of each flow wait in a queue, in constant memory.

use jettison_wire::Packet;

/// Number of counters.
const COUNTERS: usize = 1024;

/// Packets that wait, by flow. A flow is known by a seeded hash of its five-tuple; flows of one hash share a counter.
#[derive(Debug, Clone)]
pub(crate) struct FlowCounts {
    counts: Box<[u32]>,
    /// Counters above zero.
    flows: u32,
    packets: u64,
    seed: u64,
}

impl FlowCounts {
    /// Counters of an empty queue.
    pub fn new(seed: u64) -> FlowCounts {
        FlowCounts { counts: vec![0; COUNTERS].into_boxed_slice(), flows: 0, packets: 0, seed }
    }

    #[inline]
    fn place(&self, packet: &Packet) -> usize {
        ((u128::from(packet.flow_hash(self.seed)) * COUNTERS as u128) >> 64) as usize
    }

    /// Counts a packet that begins to wait.
    #[inline]
    pub fn add(&mut self, packet: &Packet) {
        let place = self.place(packet);
        self.flows += u32::from(self.counts[place] == 0);
        self.counts[place] += 1;
        self.packets += 1;
    }

    /// Takes out a packet that leaves. Returns its flow's packets over the mean of the flows that waited, both with this packet.
    #[inline]
    pub fn remove(&mut self, packet: &Packet) -> f64 {
        let place = self.place(packet);
        let (own, packets, flows) = (self.counts[place], self.packets, self.flows);
        if own == 0 {
            return 0.0;
        }
        self.counts[place] = own - 1;
        self.flows -= u32::from(own == 1);
        self.packets -= 1;
        f64::from(own) * f64::from(flows) / packets as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::packet_of;

    #[test]
    fn a_flows_share_is_over_the_mean_of_those_that_wait() {
        let mut counts = FlowCounts::new(7);
        for (flow, packets) in [(1, 6), (2, 2), (3, 1)] {
            (0..packets).for_each(|id| counts.add(&packet_of(flow, id, 100)));
        }
        // Nine packets of three flows: a mean of three.
        assert_eq!(counts.remove(&packet_of(1, 0, 100)), 2.0);
        // Eight packets: 2 over 8/3.
        assert_eq!(counts.remove(&packet_of(2, 0, 100)), 0.75);
        assert_eq!(counts.remove(&packet_of(3, 0, 100)), 3.0 / 7.0);
        // Two flows are left, with five packets and one.
        assert_eq!(counts.remove(&packet_of(1, 1, 100)), 5.0 / 3.0);
        assert_eq!(counts.remove(&packet_of(3, 1, 100)), 0.0, "none of it waits");
    }
}
