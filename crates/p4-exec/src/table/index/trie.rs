//! Longest-prefix match by a trie with eight bits per step.
//!
//! A prefix is stored in the node where it ends, in every slot that it covers and that no longer prefix of the node
//! covers. A search descends and remembers the last entry on its path. A prefix that is alone below a slot needs no
//! nodes: the slot refers to it, and a search compares it. Thus 1,000 routes need few nodes, and a search few cache
//! misses.

use rustc_hash::FxHashMap;

const FANOUT: usize = 256;

/// Flag in [`Slot::below`]: the other bits are the number of a lone prefix, not of a node.
const LONE: u32 = 1 << 31;

/// Trie of entries by prefixes of a key.
#[derive(Debug, Clone)]
pub(in crate::table) struct Trie {
    width: u32,
    /// Number of words of a key.
    words: usize,
    /// Entry of the empty prefix, plus one; 0 if there is none.
    whole: u32,
    /// Slots of all nodes, [`FANOUT`] per node; node 0 is the root.
    slots: Vec<Slot>,
    /// Use count of each node: its prefixes and occupied slots.
    uses: Vec<u32>,
    free_nodes: Vec<u32>,
    /// Lone prefixes: value, mask, and the entry plus one.
    lone: Vec<u64>,
    lone_entries: Vec<u32>,
    free_lone: Vec<u32>,
    /// Entries by prefix and length.
    prefixes: FxHashMap<(Box<[u64]>, u32), u32>,
    lengths: FxHashMap<u32, u32>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// A node or a lone prefix; 0 for neither.
    below: u32,
    /// An entry plus one; 0 for no entry.
    entry: u32,
}

impl Trie {
    pub(super) fn new(width: u32) -> Trie {
        Trie {
            width,
            words: super::super::key::words_for(width),
            whole: 0,
            slots: vec![Slot::default(); FANOUT],
            uses: vec![0],
            free_nodes: Vec::new(),
            lone: Vec::new(),
            lone_entries: Vec::new(),
            free_lone: Vec::new(),
            prefixes: FxHashMap::default(),
            lengths: FxHashMap::default(),
        }
    }

    #[inline]
    pub(super) fn lookup(&self, key: &[u64]) -> Option<u32> {
        let mut best = self.whole;
        let mut node = 0;
        let mut step = 0;
        // Left-aligned; a key of width 0 has nothing to look up.
        let narrow = self.width <= 64;
        let mut rest = if narrow { key[0].checked_shl(64 - self.width).unwrap_or(0) } else { 0 };
        loop {
            let index = if narrow { (rest >> 56) as usize } else { byte(key, self.width, step) };
            let slot = self.slots[node * FANOUT + index];
            best = if slot.entry == 0 { best } else { slot.entry };
            if slot.below & LONE != 0 {
                best = self.lone_entry(slot.below, key).unwrap_or(best);
                break;
            }
            if slot.below == 0 {
                break;
            }
            node = slot.below as usize;
            step += 1;
            rest <<= 8;
        }
        best.checked_sub(1)
    }

    /// Entry (plus one) of a lone prefix, if it matches the key.
    #[inline]
    fn lone_entry(&self, below: u32, key: &[u64]) -> Option<u32> {
        let number = (below & !LONE) as usize;
        let (value, mask) = self.lone[2 * number * self.words..][..2 * self.words].split_at(self.words);
        let fits = key.iter().zip(value).zip(mask).all(|((key, value), mask)| key & mask == *value);
        fits.then(|| self.lone_entries[number])
    }

    /// Inserts a prefix that is not present.
    pub(super) fn insert(&mut self, value: &[u64], length: u32, entry: u32) {
        self.prefixes.insert((value.into(), length), entry);
        self.lengths.insert(entry, length);
        if length == 0 {
            self.whole = entry + 1;
            return;
        }
        self.insert_below(0, 0, value, length, entry);
    }

    fn insert_below(&mut self, mut node: usize, mut step: u32, value: &[u64], length: u32, entry: u32) {
        while length > 8 * (step + 1) {
            let at = node * FANOUT + byte(value, self.width, step);
            let below = self.slots[at].below;
            if below == 0 {
                self.uses[node] += 1;
                self.slots[at].below = self.make_lone(value, length, entry);
                return;
            }
            step += 1;
            node = if below & LONE == 0 {
                below as usize
            } else {
                // The prefix is no longer alone, so it moves into a node.
                let made = self.make_node();
                self.slots[at].below = made as u32;
                let (other, other_length, other_entry) = self.take_lone(below);
                self.insert_below(made, step, &other, other_length, other_entry);
                made
            };
        }
        self.uses[node] += 1;
        for slot in covered(value, self.width, length) {
            let there = self.slots[node * FANOUT + slot].entry;
            if there == 0 || self.lengths[&(there - 1)] < length {
                self.slots[node * FANOUT + slot].entry = entry + 1;
            }
        }
    }

    /// Removes a prefix that is present.
    pub(super) fn remove(&mut self, value: &[u64], length: u32) {
        let Some(entry) = self.prefixes.remove(&(value.into(), length)) else { return };
        self.lengths.remove(&entry);
        if length == 0 {
            self.whole = 0;
            return;
        }
        let depth = (length - 1) / 8;
        let mut path = Vec::with_capacity(depth as usize);
        let mut node = 0;
        for step in 0..depth {
            let at = node * FANOUT + byte(value, self.width, step);
            let below = self.slots[at].below;
            if below & LONE != 0 {
                self.free_lone.push(below & !LONE);
                self.slots[at].below = 0;
                return self.release(node, path);
            }
            path.push((node, at));
            node = below as usize;
        }
        // A shorter prefix of this node covers all or none of the slots that this prefix covers.
        let shorter = (8 * depth + 1..length).rev().find_map(|length| {
            let mut value: Box<[u64]> = value.into();
            keep_prefix(&mut value, self.width, length);
            self.prefixes.get(&(value, length)).map(|entry| entry + 1)
        });
        for slot in covered(value, self.width, length) {
            let slot = &mut self.slots[node * FANOUT + slot];
            if slot.entry == entry + 1 {
                slot.entry = shorter.unwrap_or(0);
            }
        }
        self.release(node, path);
    }

    /// Decreases a node's use count and frees nodes that become empty.
    fn release(&mut self, mut node: usize, mut path: Vec<(usize, usize)>) {
        self.uses[node] -= 1;
        while self.uses[node] == 0
            && let Some((parent, at)) = path.pop()
        {
            self.free_nodes.push(node as u32);
            self.slots[at].below = 0;
            self.uses[parent] -= 1;
            node = parent;
        }
    }

    fn make_node(&mut self) -> usize {
        if let Some(node) = self.free_nodes.pop() {
            return node as usize; // emptied when it was freed
        }
        self.slots.resize(self.slots.len() + FANOUT, Slot::default());
        self.uses.push(0);
        self.uses.len() - 1
    }

    fn make_lone(&mut self, value: &[u64], length: u32, entry: u32) -> u32 {
        let number = self.free_lone.pop().map_or(self.lone_entries.len(), |number| number as usize);
        if number == self.lone_entries.len() {
            self.lone_entries.push(0);
            self.lone.resize(self.lone.len() + 2 * self.words, 0);
        }
        self.lone_entries[number] = entry + 1;
        let (to, mask) = self.lone[2 * number * self.words..][..2 * self.words].split_at_mut(self.words);
        to.copy_from_slice(value);
        mask.fill(u64::MAX);
        keep_prefix(mask, self.width, length);
        LONE | number as u32
    }

    fn take_lone(&mut self, below: u32) -> (Box<[u64]>, u32, u32) {
        let number = below & !LONE;
        self.free_lone.push(number);
        let entry = self.lone_entries[number as usize] - 1;
        let value = self.lone[2 * number as usize * self.words..][..self.words].into();
        (value, self.lengths[&entry], entry)
    }
}

/// Slots of the last node that a prefix covers.
fn covered(value: &[u64], width: u32, length: u32) -> std::ops::Range<usize> {
    let step = (length - 1) / 8;
    let first = byte(value, width, step);
    first..first + (1 << (8 * (step + 1) - length))
}

/// The `step`-th byte of a key from its highest bit, padded with zero bits at the end.
#[inline]
fn byte(words: &[u64], width: u32, step: u32) -> usize {
    let end = 8 * (step + 1);
    if end > width {
        return ((words[0] << (end - width)) & 0xff) as usize;
    }
    let low = width - end;
    let (word, shift) = ((low / 64) as usize, low % 64);
    let mut byte = words[word] >> shift;
    if shift > 56 && word + 1 < words.len() {
        byte |= words[word + 1] << (64 - shift);
    }
    (byte & 0xff) as usize
}

/// Clears all bits except the first `length`.
fn keep_prefix(words: &mut [u64], width: u32, length: u32) {
    let cleared = width - length;
    for (index, word) in words.iter_mut().enumerate() {
        let start = 64 * index as u32;
        *word = match cleared.saturating_sub(start) {
            0 => *word,
            bits @ 1..64 => *word >> bits << bits,
            _ => 0,
        };
    }
}
