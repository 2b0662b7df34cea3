//! Indexes to find the matching entry: hash table, prefix trie, or hash tables by mask.

mod masks;
mod trie;

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::key::{KeyShapes, Pattern};
use jettison_p4_front::ir::MatchKind;
use masks::Masks;
use trie::Trie;

/// Order of matching entries: the greatest wins. Entries are numbered in the order of insertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    prefix: u32,
    priority: i64,
    entry: Reverse<u32>,
}

impl Rank {
    pub(super) fn new(prefix: u32, priority: i64, entry: u32) -> Rank {
        Rank { prefix, priority, entry: Reverse(entry) }
    }

    #[inline]
    fn entry(self) -> u32 {
        self.entry.0
    }
}

/// Index of a table, chosen by the match kinds of its keys.
#[derive(Debug, Clone)]
pub(super) enum Index {
    /// Exact keys of one word.
    Word(FxHashMap<u64, u32>),
    /// Exact keys of any number of words.
    Words(FxHashMap<Box<[u64]>, u32>),
    /// A single `lpm` key.
    Prefix(Trie),
    /// All other keys, including an `lpm` key beside exact ones (with one mask per prefix length).
    Masks(Masks),
}

impl Index {
    pub(super) fn new(keys: &KeyShapes) -> Index {
        let exact = keys.keys.iter().all(|key| key.kind == MatchKind::Exact);
        match &*keys.keys {
            [key] if key.kind == MatchKind::Lpm => Index::Prefix(Trie::new(key.width)),
            _ if exact && keys.words == 1 => Index::Word(FxHashMap::default()),
            _ if exact => Index::Words(FxHashMap::default()),
            _ => Index::Masks(Masks::default()),
        }
    }

    #[inline]
    pub(super) fn lookup(&self, key: &[u64]) -> Option<u32> {
        match self {
            Index::Word(entries) => entries.get(&key[0]).copied(),
            Index::Words(entries) => entries.get(key).copied(),
            Index::Prefix(trie) => trie.lookup(key),
            Index::Masks(masks) => masks.lookup(key),
        }
    }

    pub(super) fn insert(&mut self, pattern: Pattern, rank: Rank) {
        match self {
            Index::Word(entries) => drop(entries.insert(pattern.value[0], rank.entry())),
            Index::Words(entries) => drop(entries.insert(pattern.value, rank.entry())),
            Index::Prefix(trie) => trie.insert(&pattern.value, pattern.prefix, rank.entry()),
            Index::Masks(masks) => masks.insert(pattern, rank),
        }
    }

    pub(super) fn remove(&mut self, pattern: &Pattern, rank: Rank) {
        match self {
            Index::Word(entries) => drop(entries.remove(&pattern.value[0])),
            Index::Words(entries) => drop(entries.remove(&pattern.value)),
            Index::Prefix(trie) => trie.remove(&pattern.value, pattern.prefix),
            Index::Masks(masks) => masks.remove(pattern, rank),
        }
    }
}
