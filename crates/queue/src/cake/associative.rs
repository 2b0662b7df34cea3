//! Set-associative hashing: which slot a flow or a host has.

/// Ways of a set: where a plain hash table has a collision, such a set has seven more places.
pub const WAYS: usize = 8;

/// Slots in sets of [`WAYS`]. A key keeps its slot until another takes it while it is idle.
#[derive(Debug)]
pub struct Associative {
    tags: Vec<u64>,
}

impl Associative {
    /// `slots` slots, a multiple of [`WAYS`] above zero.
    pub fn new(slots: usize) -> Associative {
        Associative { tags: vec![0; slots] }
    }

    /// The slot of the key with that hash: its own, or one of its set that `in_use` says is idle. If none is, it
    /// shares one.
    #[inline]
    pub fn slot(&mut self, hash: u64, in_use: impl Fn(usize) -> bool) -> usize {
        let sets = (self.tags.len() / WAYS) as u128;
        let set = ((u128::from(hash) * sets) >> 64) as usize * WAYS;
        let own = set + (hash as usize & (WAYS - 1));
        let ways = || (0..WAYS).map(|way| set + (own + way) % WAYS);
        if let Some(slot) = ways().find(|slot| self.tags[*slot] == hash) {
            return slot;
        }
        match ways().find(|slot| !in_use(*slot)) {
            Some(idle) => {
                self.tags[idle] = hash;
                idle
            }
            None => own,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_keys_of_one_set_get_a_slot_each_and_the_ninth_shares() {
        let mut table = Associative::new(16);
        let mut used = [false; 16];
        for key in 0..8u64 {
            let slot = table.slot(key * 3 + 1, |slot| used[slot]);
            assert!(slot < 8 && !used[slot]);
            used[slot] = true;
        }
        let shared = table.slot(1000, |slot| used[slot]);
        assert_eq!(shared, 1000 & 7);
        assert_eq!(table.slot(4, |slot| used[slot]), 4);
        assert!(table.slot(u64::MAX, |slot| used[slot]) >= 8);
    }

    #[test]
    fn an_idle_slot_is_given_to_another_key_but_kept_by_its_own() {
        let mut table = Associative::new(8);
        let first = table.slot(5, |_| false);
        assert_eq!(table.slot(5, |_| false), first);
        assert_eq!(table.slot(13, |_| false), first);
        assert_ne!(table.slot(5, |slot| slot == first), first);
    }
}
