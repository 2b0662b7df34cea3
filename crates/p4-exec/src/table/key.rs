//! Keys of tables and value sets: their shapes, and match criteria as words.

use std::sync::Arc;

use num_bigint::BigUint;
use num_traits::Zero;

use super::TableError;
use jettison_p4_front::ir::{KeyMatch, MatchKind, Type, TypeId, Types};

/// Number of words of a scalar.
#[inline]
pub(crate) fn words_for(width: u32) -> usize {
    (width as usize).div_ceil(64).max(1)
}

/// Writes a number to words, lowest first, truncated to their size.
pub(super) fn write_words(value: &BigUint, words: &mut [u64]) {
    words.fill(0);
    for (word, digit) in words.iter_mut().zip(value.iter_u64_digits()) {
        *word = digit;
    }
}

/// Shapes of the keys that entries match.
#[derive(Debug, Clone)]
pub(super) struct KeyShapes {
    pub(super) keys: Vec<KeyShape>,
    /// Number of words of all keys together.
    pub(super) words: usize,
    /// Whether priorities decide among matching entries; else the prefix length does, if there is an `lpm` key.
    pub(super) prioritized: bool,
}

/// Shape of one key.
#[derive(Debug, Clone)]
pub(super) struct KeyShape {
    name: Arc<str>,
    pub(super) kind: MatchKind,
    pub(super) width: u32,
    signed: bool,
    /// Index of its first word in the whole key.
    pub(super) offset: usize,
}

/// Match criterion of an entry: `key & mask == value` for each word, and ranges.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    pub(super) value: Box<[u64]>,
    pub(super) mask: Box<[u64]>,
    pub(super) ranges: Vec<Range>,
    /// Prefix length of the longest-prefix key, 0 if priorities decide.
    pub(super) prefix: u32,
}

/// An inclusive range of a key.
#[derive(Debug, Clone)]
pub(super) struct Range {
    offset: usize,
    /// Sign bit of a signed key in its highest word. Flipping it makes two's complement compare as unsigned.
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

    /// Checks match criteria and converts them to words.
    pub(super) fn pattern(&self, matches: &[KeyMatch]) -> Result<Pattern, TableError> {
        if matches.len() != self.keys.len() {
            let (wanted, given) = (self.keys.len(), matches.len());
            return Err(TableError::Mismatch(format!(
                "expected {wanted} key{}, got {given}",
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

    /// Whether an entry matches, computed from its numbers; the reference for the indexes.
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
            (MatchKind::Exact, _) => return Err(self.mismatch("is exact: it requires one value")),
            (MatchKind::Selector, _) => {
                return Err(self.mismatch("is a selector key, which is not part of entries"));
            }
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
                    return Err(self.mismatch("is lpm: its mask must be a prefix (ones, then zeros)"));
                }
                pattern.prefix += length;
                (value, mask.clone())
            }
            (MatchKind::Lpm, KeyMatch::Range(..)) => {
                return Err(self.mismatch("is lpm: it requires a prefix, got a range"));
            }
            (MatchKind::Ternary, KeyMatch::Lpm(value, length)) => (value, self.prefix_mask(*length)?),
            (MatchKind::Ternary, KeyMatch::Ternary(value, mask)) => (value, mask.clone()),
            (MatchKind::Ternary, KeyMatch::Range(..)) => {
                return Err(self.mismatch("is ternary: it requires a value and a mask, got a range"));
            }
            (MatchKind::Optional, KeyMatch::Ternary(_, mask)) if mask.is_zero() => return Ok(()),
            (MatchKind::Optional, KeyMatch::Ternary(value, mask)) if *mask == full => (value, full),
            (MatchKind::Optional, _) => {
                return Err(self.mismatch("is optional: it requires one value or none"));
            }
            (MatchKind::Range, KeyMatch::Range(low, high)) => return self.add_range(pattern, low, high),
            (MatchKind::Range, _) => {
                return Err(self.mismatch("is a range: it requires a minimum and a maximum"));
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
            return Err(self
                .mismatch(&format!("is a range: its minimum must be <= its maximum, got {low} and {high}")));
        }
        pattern.ranges.push(range);
        Ok(())
    }

    fn prefix_mask(&self, length: u32) -> Result<BigUint, TableError> {
        let Some(rest) = self.width.checked_sub(length) else {
            return Err(self.mismatch(&format!(
                "has {} bits: the prefix length must not exceed this, got {length}",
                self.width
            )));
        };
        Ok(((BigUint::from(1u8) << length) - 1u8) << rest)
    }

    fn check(&self, value: &BigUint) -> Result<(), TableError> {
        if value.bits() > u64::from(self.width) {
            return Err(
                self.mismatch(&format!("has {} bits: the value must fit, got {value:#x}", self.width))
            );
        }
        Ok(())
    }

    fn mismatch(&self, why: &str) -> TableError {
        TableError::Mismatch(format!("the key `{}` {why}", self.name))
    }
}

impl Pattern {
    #[inline]
    pub(super) fn matches(&self, key: &[u64]) -> bool {
        let fits = |((key, value), mask): ((&u64, &u64), &u64)| key & mask == *value;
        key.iter().zip(&self.value).zip(&self.mask).all(fits)
            && self.ranges.iter().all(|range| range.contains(key))
    }

    /// All words of the pattern: equal for patterns that match the same keys.
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
