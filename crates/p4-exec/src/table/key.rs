//! Keys of tables and value sets: their shapes, and what an entry wants of them in words.

use std::sync::Arc;

use num_bigint::BigUint;
use num_traits::Zero;

use super::TableError;
use jettison_p4_front::ir::{KeyMatch, MatchKind, Type, TypeId, Types};

/// Words that a scalar of so many bits takes.
#[inline]
pub(crate) fn words_for(width: u32) -> usize {
    (width as usize).div_ceil(64).max(1)
}

/// Writes a number to words, lowest first; what they don't hold is cut.
pub(super) fn write_words(value: &BigUint, words: &mut [u64]) {
    words.fill(0);
    for (word, digit) in words.iter_mut().zip(value.iter_u64_digits()) {
        *word = digit;
    }
}

/// The keys of a table that entries match.
#[derive(Debug, Clone)]
pub(super) struct KeyShapes {
    pub(super) keys: Vec<KeyShape>,
    /// Words of all of them.
    pub(super) words: usize,
    /// Whether an entry's priority decides; else the length of its prefix does, if there is an `lpm` key.
    pub(super) prioritized: bool,
}

/// A key that entries match.
#[derive(Debug, Clone)]
pub(super) struct KeyShape {
    name: Arc<str>,
    pub(super) kind: MatchKind,
    pub(super) width: u32,
    signed: bool,
    /// Its first word in the whole key.
    pub(super) offset: usize,
}

/// What an entry wants: `key & mask == value` word by word, and its ranges.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    pub(super) value: Box<[u64]>,
    pub(super) mask: Box<[u64]>,
    pub(super) ranges: Vec<Range>,
    /// Length of the longest-prefix key's prefix, 0 where priority decides.
    pub(super) prefix: u32,
}

/// A key between two numbers.
#[derive(Debug, Clone)]
pub(super) struct Range {
    offset: usize,
    /// The sign bit of a signed key in its highest word. With it flipped, two's complement compares as unsigned.
    sign: u64,
    low: Box<[u64]>,
    high: Box<[u64]>,
}

impl KeyShapes {
    pub(super) fn new(types: &Types, keys: impl Iterator<Item = (Arc<str>, TypeId, MatchKind)>) -> KeyShapes {
        let mut words = 0;
        let keys = keys.filter(|(_, _, kind)| *kind != MatchKind::Selector).map(|(name, ty, kind)| {
            let width = types.bits(ty);
            let signed = matches!(types.get(ty), Type::Bits { signed: true, .. });
            let offset = words;
            words += words_for(width);
            KeyShape { name, kind, width, signed, offset }
        });
        let keys: Vec<KeyShape> = keys.collect();
        let prioritized = keys.iter().any(|key| !matches!(key.kind, MatchKind::Exact | MatchKind::Lpm));
        KeyShapes { keys, words, prioritized }
    }

    /// Checks what an entry wants, and puts it in words.
    pub(super) fn pattern(&self, matches: &[KeyMatch]) -> Result<Pattern, TableError> {
        if matches.len() != self.keys.len() {
            let (wanted, given) = (self.keys.len(), matches.len());
            return Err(TableError::Unfit(format!(
                "{wanted} key{} wanted, {given} given",
                if wanted == 1 { "" } else { "s" }
            )));
        }
        let mut pattern = Pattern {
            value: vec![0; self.words].into(),
            mask: vec![0; self.words].into(),
            ranges: Vec::new(),
            prefix: 0,
        };
        for (key, wanted) in self.keys.iter().zip(matches) {
            key.add_to(&mut pattern, wanted)?;
        }
        for (value, mask) in pattern.value.iter_mut().zip(&pattern.mask) {
            *value &= mask;
        }
        if self.prioritized {
            pattern.prefix = 0;
        }
        Ok(pattern)
    }

    /// Whether an entry matches, from its numbers rather than its words: the yardstick of the indexes.
    pub(super) fn matches(&self, matches: &[KeyMatch], words: &[u64]) -> bool {
        self.keys.iter().zip(matches).all(|(key, wanted)| {
            let words = &words[key.offset..key.offset + words_for(key.width)];
            let value =
                words.iter().rev().fold(BigUint::zero(), |value, word| (value << 64) | BigUint::from(*word));
            let biased = |value: &BigUint| {
                if key.signed && key.width > 0 {
                    value ^ (BigUint::from(1u8) << (key.width - 1))
                } else {
                    value.clone()
                }
            };
            match wanted {
                KeyMatch::Exact(wanted) => value == *wanted,
                KeyMatch::Lpm(wanted, length) => {
                    let rest = key.width - length;
                    value >> rest == wanted >> rest
                }
                KeyMatch::Ternary(wanted, mask) => value & mask == wanted & mask,
                KeyMatch::Range(low, high) => (biased(low)..=biased(high)).contains(&biased(&value)),
                KeyMatch::Any => true,
            }
        })
    }
}

impl KeyShape {
    fn add_to(&self, pattern: &mut Pattern, wanted: &KeyMatch) -> Result<(), TableError> {
        let full = (BigUint::from(1u8) << self.width) - 1u8;
        let (value, mask) = match (self.kind, wanted) {
            (MatchKind::Exact, KeyMatch::Exact(value)) => (value, full),
            (MatchKind::Exact, _) => return Err(self.unfit("is exact: it takes one value")),
            (MatchKind::Selector, _) => return Err(self.unfit("is a selector's: entries don't match it")),
            (_, KeyMatch::Any) => return Ok(()),
            (_, KeyMatch::Exact(value)) => {
                if self.kind == MatchKind::Lpm {
                    pattern.prefix += self.width;
                }
                (value, full)
            }
            (MatchKind::Lpm, KeyMatch::Lpm(value, length)) => {
                let mask = self.prefix_mask(*length)?;
                pattern.prefix += length;
                (value, mask)
            }
            (MatchKind::Lpm, KeyMatch::Ternary(value, mask)) => {
                let length = u32::try_from(mask.count_ones()).unwrap_or(u32::MAX);
                if length > self.width || self.prefix_mask(length)? != *mask {
                    return Err(self.unfit("is lpm: its mask must be a prefix"));
                }
                pattern.prefix += length;
                (value, mask.clone())
            }
            (MatchKind::Lpm, KeyMatch::Range(..)) => {
                return Err(self.unfit("is lpm: it takes a prefix, not a range"));
            }
            (MatchKind::Ternary, KeyMatch::Lpm(value, length)) => (value, self.prefix_mask(*length)?),
            (MatchKind::Ternary, KeyMatch::Ternary(value, mask)) => (value, mask.clone()),
            (MatchKind::Ternary, KeyMatch::Range(..)) => {
                return Err(self.unfit("is ternary: it takes a value and a mask, not a range"));
            }
            (MatchKind::Optional, KeyMatch::Ternary(_, mask)) if mask.is_zero() => return Ok(()),
            (MatchKind::Optional, KeyMatch::Ternary(value, mask)) if *mask == full => (value, full),
            (MatchKind::Optional, _) => return Err(self.unfit("is optional: it takes one value or nothing")),
            (MatchKind::Range, KeyMatch::Range(low, high)) => return self.add_range(pattern, low, high),
            (MatchKind::Range, _) => {
                return Err(self.unfit("is a range: it takes a lowest and a highest value"));
            }
        };
        self.check(value)?;
        self.check(&mask)?;
        let words = self.offset..self.offset + words_for(self.width);
        write_words(value, &mut pattern.value[words.clone()]);
        write_words(&mask, &mut pattern.mask[words]);
        Ok(())
    }

    fn add_range(&self, pattern: &mut Pattern, low: &BigUint, high: &BigUint) -> Result<(), TableError> {
        self.check(low)?;
        self.check(high)?;
        let count = words_for(self.width);
        let sign = if self.signed && self.width > 0 { 1 << ((self.width - 1) % 64) } else { 0 };
        let biased = |value: &BigUint| {
            let mut words = vec![0; count];
            write_words(value, &mut words);
            words[count - 1] ^= sign;
            words.into_boxed_slice()
        };
        let range = Range { offset: self.offset, sign, low: biased(low), high: biased(high) };
        if range.high.iter().rev().lt(range.low.iter().rev()) {
            return Err(
                self.unfit(&format!("is a range: its lowest value {low} lies above its highest {high}"))
            );
        }
        pattern.ranges.push(range);
        Ok(())
    }

    fn prefix_mask(&self, length: u32) -> Result<BigUint, TableError> {
        let Some(rest) = self.width.checked_sub(length) else {
            return Err(self.unfit(&format!("has {} bits: a prefix of {length} is too long", self.width)));
        };
        Ok(((BigUint::from(1u8) << length) - 1u8) << rest)
    }

    fn check(&self, value: &BigUint) -> Result<(), TableError> {
        if value.bits() > u64::from(self.width) {
            return Err(self.unfit(&format!("has {} bits: {value:#x} is too wide", self.width)));
        }
        Ok(())
    }

    fn unfit(&self, why: &str) -> TableError {
        TableError::Unfit(format!("the key `{}` {why}", self.name))
    }
}

impl Pattern {
    #[inline]
    pub(super) fn matches(&self, key: &[u64]) -> bool {
        let fits = |((key, value), mask): ((&u64, &u64), &u64)| key & mask == *value;
        key.iter().zip(&self.value).zip(&self.mask).all(fits)
            && self.ranges.iter().all(|range| range.contains(key))
    }

    /// All of it in words: equal for patterns that match the same.
    pub(super) fn identity(&self, priority: Option<i64>) -> Box<[u64]> {
        let mut words = Vec::with_capacity(2 * self.value.len() + 1);
        words.extend_from_slice(&self.value);
        words.extend_from_slice(&self.mask);
        words.extend(priority.map(|priority| priority as u64));
        for range in &self.ranges {
            words.push(range.offset as u64);
            words.extend_from_slice(&range.low);
            words.extend_from_slice(&range.high);
        }
        words.into()
    }
}

impl Range {
    #[inline]
    pub(super) fn contains(&self, key: &[u64]) -> bool {
        let words = &key[self.offset..self.offset + self.low.len()];
        if let ([word], [low], [high]) = (words, &*self.low, &*self.high) {
            let word = word ^ self.sign;
            return (*low..=*high).contains(&word);
        }
        let last = words.len() - 1;
        let biased = || {
            (0..=last).rev().map(|index| if index == last { words[index] ^ self.sign } else { words[index] })
        };
        biased().ge(self.low.iter().rev().copied()) && biased().le(self.high.iter().rev().copied())
    }
}
