//! State by flow in a table of fixed size.

use jettison_wire::Packet;

/// Flows that share a set: one cache line of tags.
const WAYS: usize = 8;

/// State of type `T` for as many flows as the table has slots: an 8-way set-associative table keyed by a hash of the
/// five-tuple. A flow keeps its slot while it is busy; a new flow takes an idle one of its set. Where all eight are
/// busy, it shares one, as flows that collide in a hashed queue do.
#[derive(Debug)]
pub struct FlowTable<T> {
    seed: u64,
    /// Number of sets less one: a power of two less one.
    mask: u64,
    /// Hash of the flow that a slot was given to last; 0 for none yet.
    tags: Vec<u64>,
    states: Vec<T>,
}

/// Where a flow's state is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// The slot.
    pub slot: u32,
    /// Whether the slot was another flow's until now: its state is to be made anew.
    pub is_new: bool,
}

impl<T: Default + Clone> FlowTable<T> {
    /// A table of `flows` slots, rounded up to a power of two of at least 8, whose hash is seeded with `seed`.
    pub fn new(flows: u32, seed: u64) -> FlowTable<T> {
        let slots = (flows.max(WAYS as u32) as usize).next_power_of_two();
        let mask = (slots / WAYS - 1) as u64;
        FlowTable { seed, mask, tags: vec![0; slots], states: vec![T::default(); slots] }
    }
}

impl<T> FlowTable<T> {
    /// The slot of the packet's flow; `is_idle` says which state may be given to another flow.
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
            None => Found { slot: (first + (hash >> 61) as usize) as u32, is_new: false },
        }
    }

    /// The state in a slot.
    #[inline]
    pub fn state(&self, slot: u32) -> &T {
        &self.states[slot as usize]
    }

    /// The states in all slots.
    pub fn states(&self) -> impl Iterator<Item = &T> {
        self.states.iter()
    }

    /// The state in a slot, for changing.
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
    fn a_new_flow_takes_an_idle_slot_and_shares_one_where_all_are_busy() {
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
