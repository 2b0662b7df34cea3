//! Per-flow state in a table of fixed size.

use jettison_wire::Packet;

/// Flows that share a set: one cache line of tags.
const WAYS: usize = 8;

/// Per-flow state of type `T`: an 8-way set-associative table keyed by a hash of the five-tuple. A flow keeps its slot
/// while it is busy. A new flow takes an idle slot of its set; if all eight are busy, it shares one of them.
#[derive(Debug, Clone)]
pub struct FlowTable<T> {
    seed: u64,
    /// Number of sets minus one; the number of sets is a power of two.
    mask: u64,
    /// Hash of the flow that owns each slot; 0 for an unused slot.
    tags: Vec<u64>,
    states: Vec<T>,
}

/// Result of a lookup: the location of a flow's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// The slot.
    pub slot: u32,
    /// Whether the flow has just taken the slot, so that the caller must reset its state.
    pub is_new: bool,
}

impl<T: Default + Clone> FlowTable<T> {
    /// Creates a table of `flows` slots, rounded up to a power of two of at least 8, with a hash seeded by `seed`.
    pub fn new(flows: u32, seed: u64) -> FlowTable<T> {
        let slots = (flows.max(WAYS as u32) as usize).next_power_of_two();
        let mask = (slots / WAYS - 1) as u64;
        FlowTable { seed, mask, tags: vec![0; slots], states: vec![T::default(); slots] }
    }
}

impl<T> FlowTable<T> {
    /// Finds or assigns the slot of the packet's flow. A slot whose state `is_idle` can be reassigned.
    #[inline]
    pub fn find(&mut self, packet: &Packet, is_idle: impl Fn(&T) -> bool) -> Found {
        let hash = packet.flow_hash(self.seed).max(1);
        let first = (hash & self.mask) as usize * WAYS;
        let tags = &mut self.tags[first..first + WAYS];
        if let Some(way) = tags.iter().position(|tag| *tag == hash) {
            return Found { slot: (first + way) as u32, is_new: false };
        }
        let states = &self.states[first..first + WAYS];
        let unused = tags.iter().position(|tag| *tag == 0);
        match unused.or_else(|| states.iter().position(is_idle)) {
            Some(way) => {
                tags[way] = hash;
                Found { slot: (first + way) as u32, is_new: true }
            }
            // All ways are busy: share one, chosen by the top three bits of the hash.
            None => Found { slot: (first + (hash >> 61) as usize) as u32, is_new: false },
        }
    }

    /// The state of a slot.
    #[inline]
    pub fn state(&self, slot: u32) -> &T {
        &self.states[slot as usize]
    }

    /// The states of all slots.
    pub fn states(&self) -> impl Iterator<Item = &T> {
        self.states.iter()
    }

    /// The mutable state of a slot.
    #[inline]
    pub fn state_mut(&mut self, slot: u32) -> &mut T {
        &mut self.states[slot as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::packet_of;

    #[test]
    fn a_flow_keeps_its_slot_and_others_get_theirs() {
        let mut table = FlowTable::<u32>::new(64, 7);
        let slots: Vec<_> = (0..8).map(|flow| table.find(&packet_of(flow, 0, 100), |n| *n == 0)).collect();
        assert!(slots.iter().all(|found| found.is_new));
        for (flow, found) in slots.iter().enumerate() {
            let again = table.find(&packet_of(flow as u16, 1, 100), |n| *n == 0);
            assert_eq!(again, Found { slot: found.slot, is_new: false });
            *table.state_mut(found.slot) = 1;
        }
        let distinct: std::collections::BTreeSet<_> = slots.iter().map(|found| found.slot).collect();
        assert_eq!(distinct.len(), 8);
        assert_eq!((0..64).filter(|slot| *table.state(*slot) == 1).count(), 8);
    }

    #[test]
    fn a_new_flow_takes_an_idle_slot_and_shares_one_if_all_are_busy() {
        let mut table = FlowTable::<u32>::new(8, 7);
        for flow in 0..8 {
            let found = table.find(&packet_of(flow, 0, 100), |n| *n == 0);
            *table.state_mut(found.slot) = 1;
        }
        let shared = table.find(&packet_of(100, 0, 100), |n| *n == 0);
        assert!(!shared.is_new && shared.slot < 8);
        *table.state_mut(3) = 0;
        assert_eq!(table.find(&packet_of(100, 0, 100), |n| *n == 0), Found { slot: 3, is_new: true });
    }
}
