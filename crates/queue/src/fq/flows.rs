//! The flows of `fq`: each has its own state, as long as it has a backlog and for a while after.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

use jettison_core::Time;
use jettison_wire::Packet;

use crate::Chain;

/// A flow.
#[derive(Debug, Clone, Default)]
pub(super) struct Flow {
    pub packets: Chain,
    /// Bytes that the flow may still send in its turn.
    pub credit: i64,
    /// Time before which it may not send.
    pub due: Time,
    /// Whether `due` continues a schedule: the flow has waited for it with a backlog.
    pub has_waited: bool,
    pub is_active: bool,
    /// When it was last served to the end.
    pub idle_since: Time,
    hash: u64,
    /// Number of times that it has become idle.
    idled: u32,
}

/// Flows by the hash of their five-tuples. Two flows never share a state, unless all 64 bits of their hashes are the same.
#[derive(Debug, Clone)]
pub(super) struct Flows {
    seed: u64,
    /// Idle flows that are remembered.
    remembered: usize,
    slots: Vec<Flow>,
    free: Vec<u32>,
    by_hash: HashMap<u64, u32, BuildHasherDefault<Hashed>>,
    /// Idle flows, the longest idle first, with the count by which those are recognised that have become active since.
    idle: VecDeque<(u32, u32)>,
}

impl Flows {
    pub fn new(remembered: usize, seed: u64) -> Flows {
        let by_hash = HashMap::with_capacity_and_hasher(remembered, BuildHasherDefault::default());
        let idle = VecDeque::with_capacity(remembered + 1);
        Flows { seed, remembered, slots: Vec::new(), free: Vec::new(), by_hash, idle }
    }

    /// The slot of the packet's flow, and whether the flow is new.
    #[inline]
    pub fn find(&mut self, packet: &Packet) -> (u32, bool) {
        let hash = packet.flow_hash(self.seed);
        match self.by_hash.get(&hash) {
            Some(slot) => (*slot, false),
            None => (self.add(hash), true),
        }
    }

    fn add(&mut self, hash: u64) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Flow::default());
            self.slots.len() as u32 - 1
        });
        let idled = self.slots[slot as usize].idled;
        self.slots[slot as usize] = Flow { hash, idled, ..Flow::default() };
        self.by_hash.insert(hash, slot);
        slot
    }

    #[inline]
    pub fn at(&mut self, slot: u32) -> &mut Flow {
        &mut self.slots[slot as usize]
    }

    /// Notes that a flow has become idle, and forgets those that have been idle longest.
    #[inline]
    pub fn idles(&mut self, slot: u32) {
        let flow = &mut self.slots[slot as usize];
        flow.idled = flow.idled.wrapping_add(1);
        self.idle.push_back((slot, flow.idled));
        if self.idle.len() > self.remembered {
            self.forget();
        }
    }

    fn forget(&mut self) {
        let Some((slot, idled)) = self.idle.pop_front() else { return };
        let flow = &self.slots[slot as usize];
        // Only the newest entry of a flow counts.
        if flow.idled == idled && !flow.is_active {
            self.by_hash.remove(&flow.hash);
            // The count goes on, so that no old entry takes the slot's next flow for its own.
            self.slots[slot as usize].idled = idled.wrapping_add(1);
            self.free.push(slot);
        }
    }
}

/// Takes the key as it is: it is a hash already.
#[derive(Debug, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0 << 8 ^ u64::from(*byte));
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::packet_of;

    #[test]
    fn active_flows_keep_their_slots_and_idle_ones_are_forgotten_in_their_order() {
        let mut flows = Flows::new(2, 7);
        let mut slots = Vec::new();
        for flow in 0..100 {
            let (slot, is_new) = flows.find(&packet_of(flow, 0, 100));
            assert!(is_new && !slots.contains(&slot));
            flows.at(slot).is_active = true;
            slots.push(slot);
        }
        for flow in [3, 5, 3, 8] {
            let slot = slots[flow];
            flows.at(slot).is_active = false;
            flows.idles(slot);
            flows.at(slot).is_active = flow == 5;
        }
        // Two are remembered: 3, which has been idle twice, and 8; 5 is active again.
        for flow in [3, 5, 8, 99] {
            assert_eq!(flows.find(&packet_of(flow, 0, 100)), (slots[usize::from(flow)], false), "{flow}");
        }
        let slot = slots[9];
        flows.at(slot).is_active = false;
        flows.idles(slot);
        assert_eq!(flows.find(&packet_of(200, 0, 100)), (slots[3], true), "3 was idle longest");
        assert!(flows.find(&packet_of(3, 0, 100)).1);
    }
}
