//! Set-associative hashing: maps flows and hosts to slots.

/// Ways per set: a key that collides in a plain hash table has seven alternatives here.
pub const WAYS: usize = 8;

/// Slots in sets of [`WAYS`]. A key keeps its slot until another key takes it while it is idle.
#[derive(Debug, Clone)]
pub struct Associative {
    /// The key that last took each slot, set by set.
    sets: Vec<[u64; WAYS]>,
}

impl Associative {
    /// Creates `slots` free slots; `slots` must be a positive multiple of [`WAYS`].
    pub fn new(slots: usize) -> Associative {
        Associative { sets: vec![[0; WAYS]; slots / WAYS] }
    }

    /// Returns the slot of the key with this hash: its present one, or else an idle one of its set (`in_use` is false). If
    /// the whole set is in use, the key shares a slot.
    #[inline]
    pub fn slot(&mut self, hash: u64, in_use: impl Fn(usize) -> bool) -> usize {
        // The upper bits choose the set, the lower ones the way that a full set shares.
        let set = ((u128::from(hash) * self.sets.len() as u128) >> 64) as usize;
        let first = set * WAYS;
        let keys = &mut self.sets[set];
        if let Some(way) = keys.iter().position(|key| *key == hash) {
            return first + way;
        }
        let shared = hash as usize % WAYS;
        let idle = (shared..shared + WAYS).map(|way| way % WAYS).find(|way| !in_use(first + way));
        if let Some(way) = idle {
            keys[way] = hash;
        }
        first + idle.unwrap_or(shared)
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
