//! Tuple space search: one hash table per distinct mask, ordered by their best entries.
//!
//! A search ends when no further table can contain a better entry. Ranges are not hashed: an entry with ranges is
//! stored under the values of its other keys, and its ranges are compared.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::Rank;
use crate::table::key::{Pattern, Range};

/// Maximum number of key words that are masked on the stack.
const MAX_ON_STACK: usize = 16;

/// Entries grouped by mask.
#[derive(Debug, Clone, Default)]
pub(in crate::table) struct Masks {
    /// Groups, ordered by their best entries.
    groups: Vec<Group>,
}

/// Entries with the same mask.
#[derive(Debug, Clone)]
struct Group {
    mask: Box<[u64]>,
    best: Rank,
    /// Ranks of all entries of the group.
    ranks: BTreeSet<Rank>,
    values: Values,
}

/// Entries by their masked values.
#[derive(Debug, Clone)]
enum Values {
    Word(FxHashMap<u64, Vec<Candidate>>),
    Words(FxHashMap<Box<[u64]>, Vec<Candidate>>),
}

/// An entry; entries with equal values form a list, best first.
#[derive(Debug, Clone)]
struct Candidate {
    rank: Rank,
    ranges: Vec<Range>,
}

impl Masks {
    #[inline]
    pub(super) fn lookup(&self, key: &[u64]) -> Option<u32> {
        let mut best: Option<Rank> = None;
        for group in &self.groups {
            if best.is_some_and(|best| best > group.best) {
                break;
            }
            let found =
                group.candidates(key).iter().find(|it| it.ranges.iter().all(|range| range.contains(key)));
            best = best.max(found.map(|it| it.rank));
        }
        best.map(Rank::entry)
    }

    pub(super) fn insert(&mut self, pattern: Pattern, rank: Rank) {
        let at = self.groups.iter().position(|group| group.mask == pattern.mask);
        let at = at.unwrap_or_else(|| {
            let values = match pattern.mask.len() {
                1 => Values::Word(FxHashMap::default()),
                _ => Values::Words(FxHashMap::default()),
            };
            self.groups.push(Group { mask: pattern.mask, best: rank, ranks: BTreeSet::new(), values });
            self.groups.len() - 1
        });
        let group = &mut self.groups[at];
        group.ranks.insert(rank);
        let candidates = match &mut group.values {
            Values::Word(values) => values.entry(pattern.value[0]).or_default(),
            Values::Words(values) => values.entry(pattern.value).or_default(),
        };
        let place = candidates.partition_point(|other| other.rank > rank);
        candidates.insert(place, Candidate { rank, ranges: pattern.ranges });
        self.rearrange(at);
    }

    pub(super) fn remove(&mut self, pattern: &Pattern, rank: Rank) {
        let Some(at) = self.groups.iter().position(|group| group.mask == pattern.mask) else { return };
        let group = &mut self.groups[at];
        group.ranks.remove(&rank);
        match &mut group.values {
            Values::Word(values) => {
                if let Some(candidates) = values.get_mut(&pattern.value[0]) {
                    candidates.retain(|other| other.rank != rank);
                    if candidates.is_empty() {
                        values.remove(&pattern.value[0]);
                    }
                }
            }
            Values::Words(values) => {
                if let Some(candidates) = values.get_mut(&pattern.value) {
                    candidates.retain(|other| other.rank != rank);
                    if candidates.is_empty() {
                        values.remove(&pattern.value);
                    }
                }
            }
        }
        self.rearrange(at);
    }

    /// Moves a changed group to its position in the order.
    fn rearrange(&mut self, at: usize) {
        let mut group = self.groups.remove(at);
        if let Some(best) = group.ranks.last() {
            group.best = *best;
            let place = self.groups.partition_point(|other| other.best > group.best);
            self.groups.insert(place, group);
        }
    }
}

impl Group {
    #[inline]
    fn candidates(&self, key: &[u64]) -> &[Candidate] {
        let found = match &self.values {
            Values::Word(values) => values.get(&(key[0] & self.mask[0])),
            Values::Words(values) if key.len() <= MAX_ON_STACK => {
                let mut masked = [0; MAX_ON_STACK];
                for ((masked, key), mask) in masked.iter_mut().zip(key).zip(&self.mask) {
                    *masked = key & mask;
                }
                values.get(&masked[..key.len()])
            }
            Values::Words(values) => {
                let masked: Box<[u64]> = key.iter().zip(&self.mask).map(|(key, mask)| key & mask).collect();
                values.get(&masked)
            }
        };
        found.map_or(&[], |candidates| candidates)
    }
}
