//! The agenda: next event of each component, in a tournament tree over fixed slots.
//!
//! Every slot holds one instant. An inner node of the tree holds the earlier of its two children, the left one on a
//! tie, so the root is the next event in the total order (time, slot). Setting a slot updates one path to the root. There
//! are no stale entries, and setting allocates nothing.

use jettison_core::Time;

/// The next event of each slot, in the total order (time, slot).
#[derive(Debug, Clone)]
pub struct Agenda {
    // Heap order: node 1 is the root, node i has children 2i and 2i + 1, leaves start at `leaves`.
    nodes: Vec<Entry>,
    leaves: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    time: Time,
    slot: u32,
}

impl Agenda {
    /// An agenda of `slots` empty slots.
    pub fn new(slots: usize) -> Agenda {
        let leaves = slots.next_power_of_two().max(2);
        let mut agenda = Agenda { nodes: vec![Entry { time: Time::MAX, slot: 0 }; 2 * leaves], leaves };
        for slot in 0..leaves {
            agenda.nodes[leaves + slot].slot = slot as u32;
        }
        for node in (1..leaves).rev() {
            agenda.nodes[node] = agenda.nodes[2 * node];
        }
        agenda
    }

    /// Grows to at least `slots` slots.
    pub fn grow(&mut self, slots: usize) {
        if slots > self.leaves {
            let mut grown = Agenda::new(slots);
            for slot in 0..self.leaves {
                let time = self.time(slot);
                if time < Time::MAX {
                    grown.set(slot, time);
                }
            }
            *self = grown;
        }
    }

    /// The instant of a slot; [`Time::MAX`] if empty.
    #[inline]
    pub fn time(&self, slot: usize) -> Time {
        self.nodes[self.leaves + slot].time
    }

    /// Sets the instant of a slot; [`Time::MAX`] empties it.
    #[inline]
    pub fn set(&mut self, slot: usize, time: Time) {
        let mut node = self.leaves + slot;
        let mut winner = Entry { time, slot: slot as u32 };
        // On the way up the winner stays in registers; only the sibling of each node is read.
        while self.nodes[node] != winner {
            self.nodes[node] = winner;
            if node == 1 {
                return;
            }
            let other = self.nodes[node ^ 1];
            if (other.time, other.slot) < (winner.time, winner.slot) {
                winner = other;
            }
            node >>= 1;
        }
        // With an unchanged winner, all nodes above are unchanged too.
    }

    /// The earliest instant and its slot, the lowest on a tie; [`Time::MAX`] if all slots are empty.
    #[inline]
    pub fn next(&self) -> (Time, usize) {
        (self.nodes[1].time, self.nodes[1].slot as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_tie_goes_to_the_lower_slot() {
        let mut agenda = Agenda::new(5);
        agenda.set(4, Time::from_nanos(7));
        agenda.set(2, Time::from_nanos(7));
        assert_eq!(agenda.next(), (Time::from_nanos(7), 2));
        agenda.set(2, Time::MAX);
        assert_eq!(agenda.next(), (Time::from_nanos(7), 4));
    }

    proptest! {
        #[test]
        fn next_is_the_minimum_of_all_slots_after_any_updates(
            slots in 1usize..40,
            moves in prop::collection::vec((0usize..40, prop::option::of(0u64..50)), 0..200),
        ) {
            let mut agenda = Agenda::new(1);
            agenda.grow(slots);
            let mut plain = vec![Time::MAX; slots];
            for (slot, time) in moves {
                let (slot, time) = (slot % slots, time.map_or(Time::MAX, Time::from_nanos));
                agenda.set(slot, time);
                plain[slot] = time;
                let least = *plain.iter().min().unwrap();
                prop_assert_eq!(agenda.next().0, least);
                if least < Time::MAX {
                    prop_assert_eq!(agenda.next().1, plain.iter().position(|t| *t == least).unwrap());
                }
            }
        }
    }
}
