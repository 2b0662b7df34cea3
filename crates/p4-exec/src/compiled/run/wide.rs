//! Operations on values of more than 64 bits, word by word. The result does not share slots with an operand, except for
//! `Insert`.

use num_bigint::BigUint;

use crate::compiled::plan::{Wide, WideKind};
use crate::table::words_for;

pub(super) fn run(store: &mut [u64], wide: &Wide) {
    let (to, a, b) = (wide.to as usize, wide.a as usize, wide.b as usize);
    let (bits, other) = (wide.bits, wide.other);
    let n = words_for(bits);
    match wide.kind {
        WideKind::Add => drop(add(store, wide)),
        WideKind::Subtract => drop(subtract(store, wide)),
        WideKind::AddSaturating => {
            if add(store, wide) {
                store[to..to + n].fill(u64::MAX);
                cut(&mut store[to..to + n], bits);
            }
        }
        WideKind::SubtractSaturating => {
            if subtract(store, wide) {
                store[to..to + n].fill(0);
            }
        }
        WideKind::AddSaturatingSigned => {
            let (left, right) = (sign(&store[a..], bits), sign(&store[b..], bits));
            add(store, wide);
            if left == right && sign(&store[to..], bits) != left {
                bound(&mut store[to..to + n], bits, left);
            }
        }
        WideKind::SubtractSaturatingSigned => {
            let (left, right) = (sign(&store[a..], bits), sign(&store[b..], bits));
            subtract(store, wide);
            if left != right && sign(&store[to..], bits) != left {
                bound(&mut store[to..to + n], bits, left);
            }
        }
        WideKind::Multiply => multiply(store, wide),
        WideKind::Divide | WideKind::Modulo => divide(store, wide),
        WideKind::ShiftLeft => shift_left(store, wide, store[b]),
        WideKind::ShiftRight => shift_right(store, wide, store[b], false),
        WideKind::ShiftRightSigned => {
            let negative = sign(&store[a..], bits);
            shift_right(store, wide, store[b], negative);
        }
        WideKind::And => (0..n).for_each(|i| store[to + i] = store[a + i] & store[b + i]),
        WideKind::Or => (0..n).for_each(|i| store[to + i] = store[a + i] | store[b + i]),
        WideKind::Xor => (0..n).for_each(|i| store[to + i] = store[a + i] ^ store[b + i]),
        WideKind::Equal => store[to] = u64::from(store[a..a + n] == store[b..b + n]),
        WideKind::NotEqual => store[to] = u64::from(store[a..a + n] != store[b..b + n]),
        WideKind::Less => store[to] = u64::from(less(store, a, b, bits, false)),
        WideKind::LessOrEqual => store[to] = u64::from(!less(store, b, a, bits, false)),
        WideKind::LessSigned => store[to] = u64::from(less(store, a, b, bits, true)),
        WideKind::LessOrEqualSigned => store[to] = u64::from(!less(store, b, a, bits, true)),
        WideKind::Slice => {
            let from_words = words_for(wide.b);
            let (word, shift) = ((other / 64) as usize, other % 64);
            for i in 0..n {
                let at = |i: usize| if i < from_words { store[a + i] } else { 0 };
                store[to + i] = join(at(word + i), at(word + i + 1), shift);
            }
            cut(&mut store[to..to + n], bits);
        }
        WideKind::Insert => {
            for i in 0..n {
                let count = (bits - 64 * i as u32).min(64);
                insert(&mut store[..], to, other + 64 * i as u32, count, a + i);
            }
        }
        WideKind::Extend | WideKind::ExtendSigned => {
            let negative = wide.kind == WideKind::ExtendSigned && sign(&store[a..], bits);
            let all = words_for(other);
            for i in 0..all {
                store[to + i] = if i < n { store[a + i] } else { 0 };
            }
            if negative {
                set_from(&mut store[to..to + all], bits);
                cut(&mut store[to..to + all], other);
            }
        }
        WideKind::Clamp => {
            let fits = store[a + 1..a + n].iter().all(|word| *word == 0);
            store[to] = if fits { store[a] } else { u64::MAX };
        }
    }
}

/// Adds; returns whether the sum overflowed.
fn add(store: &mut [u64], wide: &Wide) -> bool {
    let (to, a, b, n) = (wide.to as usize, wide.a as usize, wide.b as usize, words_for(wide.bits));
    let mut carry = false;
    for i in 0..n {
        let (sum, first) = store[a + i].overflowing_add(store[b + i]);
        let (sum, second) = sum.overflowing_add(u64::from(carry));
        store[to + i] = sum;
        carry = first || second;
    }
    cut(&mut store[to..to + n], wide.bits) || carry
}

/// Subtracts; returns whether the difference is negative.
fn subtract(store: &mut [u64], wide: &Wide) -> bool {
    let (to, a, b, n) = (wide.to as usize, wide.a as usize, wide.b as usize, words_for(wide.bits));
    let mut borrow = false;
    for i in 0..n {
        let (rest, first) = store[a + i].overflowing_sub(store[b + i]);
        let (rest, second) = rest.overflowing_sub(u64::from(borrow));
        store[to + i] = rest;
        borrow = first || second;
    }
    cut(&mut store[to..to + n], wide.bits);
    borrow
}

fn multiply(store: &mut [u64], wide: &Wide) {
    let (to, a, b, n) = (wide.to as usize, wide.a as usize, wide.b as usize, words_for(wide.bits));
    store[to..to + n].fill(0);
    for i in 0..n {
        let mut carry: u128 = 0;
        for j in 0..n - i {
            let product = u128::from(store[a + i]) * u128::from(store[b + j]);
            let sum = product + u128::from(store[to + i + j]) + carry;
            store[to + i + j] = sum as u64;
            carry = sum >> 64;
        }
    }
    cut(&mut store[to..to + n], wide.bits);
}

/// Divides; division by 0 gives 0. Rare, because programs usually divide constants.
fn divide(store: &mut [u64], wide: &Wide) {
    let (to, n) = (wide.to as usize, words_for(wide.bits));
    let number = |slot: u32| {
        let words = store[slot as usize..slot as usize + n].iter().rev();
        words.fold(BigUint::ZERO, |number, word| (number << 64) | BigUint::from(*word))
    };
    let (a, b) = (number(wide.a), number(wide.b));
    let result = match wide.kind {
        _ if b == BigUint::ZERO => b,
        WideKind::Divide => a / b,
        _ => a % b,
    };
    store[to..to + n].fill(0);
    for (word, digit) in store[to..to + n].iter_mut().zip(result.iter_u64_digits()) {
        *word = digit;
    }
}

fn shift_left(store: &mut [u64], wide: &Wide, by: u64) {
    let (to, a, n) = (wide.to as usize, wide.a as usize, words_for(wide.bits));
    if by >= u64::from(wide.bits) {
        return store[to..to + n].fill(0);
    }
    let (words, shift) = ((by / 64) as usize, (by % 64) as u32);
    for i in 0..n {
        let at = |back: usize| if i >= back { store[a + i - back] } else { 0 };
        let (high, low) = (at(words), at(words + 1));
        store[to + i] = if shift == 0 { high } else { high << shift | low >> (64 - shift) };
    }
    cut(&mut store[to..to + n], wide.bits);
}

fn shift_right(store: &mut [u64], wide: &Wide, by: u64, negative: bool) {
    let (to, a, n) = (wide.to as usize, wide.a as usize, words_for(wide.bits));
    let by = by.min(u64::from(wide.bits)) as u32;
    let (words, shift) = ((by / 64) as usize, by % 64);
    for i in 0..n {
        let at = |i: usize| if i < n { store[a + i] } else { 0 };
        store[to + i] = join(at(i + words), at(i + words + 1), shift);
    }
    if negative {
        set_from(&mut store[to..to + n], wide.bits - by);
        cut(&mut store[to..to + n], wide.bits);
    }
}

fn less(store: &[u64], a: usize, b: usize, bits: u32, signed: bool) -> bool {
    let n = words_for(bits);
    let (left, right) = (&store[a..a + n], &store[b..b + n]);
    if signed && sign(left, bits) != sign(right, bits) {
        return sign(left, bits);
    }
    left.iter().rev().lt(right.iter().rev())
}

/// Replaces `count` bits (at most 64) from bit `low` of the value at `to`.
fn insert(store: &mut [u64], to: usize, low: u32, count: u32, from: usize) {
    let value = u128::from(store[from]);
    let mask: u128 = if count == 64 { u64::MAX.into() } else { (1 << count) - 1 };
    let (word, shift) = (to + (low / 64) as usize, low % 64);
    let (value, mask) = ((value & mask) << shift, mask << shift);
    store[word] = store[word] & !(mask as u64) | value as u64;
    if mask >> 64 != 0 {
        store[word + 1] = store[word + 1] & !((mask >> 64) as u64) | (value >> 64) as u64;
    }
}

/// Low word of two words shifted right.
fn join(low: u64, high: u64, shift: u32) -> u64 {
    if shift == 0 { low } else { low >> shift | high << (64 - shift) }
}

/// Clears the bits above the width; returns whether any was set.
fn cut(words: &mut [u64], bits: u32) -> bool {
    let Some(top) = words.last_mut() else { return false };
    let mask = if bits.is_multiple_of(64) { u64::MAX } else { (1 << (bits % 64)) - 1 };
    let above = *top & !mask != 0;
    *top &= mask;
    above
}

fn sign(words: &[u64], bits: u32) -> bool {
    bits > 0 && words[((bits - 1) / 64) as usize] >> ((bits - 1) % 64) & 1 == 1
}

/// Sets all bits from `first` upwards.
fn set_from(words: &mut [u64], first: u32) {
    for (i, word) in words.iter_mut().enumerate() {
        let start = 64 * i as u32;
        *word |= match first.saturating_sub(start) {
            shift @ 0..64 => u64::MAX << shift,
            _ => 0,
        };
    }
}

/// Writes the minimum or maximum of a signed type.
fn bound(words: &mut [u64], bits: u32, least: bool) {
    words.fill(if least { 0 } else { u64::MAX });
    let top = ((bits - 1) / 64) as usize;
    words[top] ^= 1 << ((bits - 1) % 64);
    cut(words, bits);
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use num_traits::Zero;
    use proptest::prelude::*;

    use super::*;

    /// Two operands of a given width.
    #[derive(Debug)]
    struct Operands {
        a: BigUint,
        b: BigUint,
        bits: u32,
    }

    impl Operands {
        fn number(&self, value: &BigUint) -> BigInt {
            let negative = value.bit(u64::from(self.bits) - 1);
            BigInt::from(value.clone()) - if negative { BigInt::from(1) << self.bits } else { BigInt::zero() }
        }

        /// The result of an operation, `words` long.
        fn run(&self, kind: WideKind, other: u32, words: usize) -> BigUint {
            let n = words_for(self.bits);
            let mut store = vec![u64::MAX; words.max(n) + 2 * n];
            let to = 2 * n;
            store[..to].fill(0);
            for (start, value) in [(0, &self.a), (n, &self.b)] {
                value.iter_u64_digits().enumerate().for_each(|(i, digit)| store[start + i] = digit);
            }
            let wide = Wide { kind, to: to as u32, a: 0, b: n as u32, bits: self.bits, other };
            run(&mut store, &wide);
            let words = store[to..to + words].iter().rev();
            words.fold(BigUint::zero(), |number, word| (number << 64) | BigUint::from(*word))
        }
    }

    fn operands() -> impl Strategy<Value = Operands> {
        let words = prop::collection::vec(prop_oneof![Just(0), Just(u64::MAX), any::<u64>()], 4);
        (words.clone(), words, 65u32..=256).prop_map(|(a, b, bits)| {
            let number = |words: Vec<u64>| {
                let number =
                    words.iter().fold(BigUint::zero(), |number, word| (number << 64) | BigUint::from(*word));
                number >> (256 - bits)
            };
            Operands { a: number(a), b: number(b), bits }
        })
    }

    proptest! {
        #[test]
        fn word_operations_agree_with_big_integers(it in operands(), by in 0u64..300) {
            let n = words_for(it.bits);
            let modulus = BigUint::from(1u8) << it.bits;
            let most = &modulus - 1u8;
            let (x, y) = (it.number(&it.a), it.number(&it.b));
            let pattern = |value: BigInt| {
                let modulus = BigInt::from(modulus.clone());
                (((value % &modulus) + &modulus) % &modulus).to_biguint().expect("it is not negative")
            };
            let half = BigInt::from(1) << (it.bits - 1);
            let bounded = |value: BigInt| pattern(value.clamp(-half.clone(), half.clone() - 1));
            prop_assert_eq!(it.run(WideKind::Add, 0, n), (&it.a + &it.b) % &modulus);
            prop_assert_eq!(it.run(WideKind::Subtract, 0, n), (&modulus + &it.a - &it.b) % &modulus);
            prop_assert_eq!(it.run(WideKind::AddSaturating, 0, n), (&it.a + &it.b).min(most));
            let rest = if it.a > it.b { &it.a - &it.b } else { BigUint::zero() };
            prop_assert_eq!(it.run(WideKind::SubtractSaturating, 0, n), rest);
            prop_assert_eq!(it.run(WideKind::AddSaturatingSigned, 0, n), bounded(&x + &y));
            prop_assert_eq!(it.run(WideKind::SubtractSaturatingSigned, 0, n), bounded(&x - &y));
            prop_assert_eq!(it.run(WideKind::Multiply, 0, n), (&it.a * &it.b) % &modulus);
            prop_assert_eq!(it.run(WideKind::Less, 0, 1), BigUint::from(u8::from(it.a < it.b)));
            prop_assert_eq!(it.run(WideKind::LessOrEqual, 0, 1), BigUint::from(u8::from(it.a <= it.b)));
            prop_assert_eq!(it.run(WideKind::LessSigned, 0, 1), BigUint::from(u8::from(x < y)));
            prop_assert_eq!(it.run(WideKind::LessOrEqualSigned, 0, 1), BigUint::from(u8::from(x <= y)));
            let shifted = Operands { a: it.a.clone(), b: BigUint::from(by), bits: it.bits };
            prop_assert_eq!(shifted.run(WideKind::ShiftLeft, 0, n), (&it.a << by) % &modulus);
            prop_assert_eq!(shifted.run(WideKind::ShiftRight, 0, n), &it.a >> by);
            prop_assert_eq!(shifted.run(WideKind::ShiftRightSigned, 0, n), pattern(&x >> by));
            let wider = it.bits + by as u32;
            let extended = it.run(WideKind::ExtendSigned, wider, words_for(wider));
            let whole = BigInt::from(1) << wider;
            prop_assert_eq!(BigInt::from(extended), if x < BigInt::zero() { &x + &whole } else { x.clone() });
            prop_assert_eq!(it.run(WideKind::Extend, wider, words_for(wider)), it.a.clone());
        }

        #[test]
        fn slices_and_insertions_work_at_any_offset(it in operands(), low in 0u32..200, width in 1u32..200) {
            let low = low % it.bits;
            let width = width.min(it.bits - low);
            let mask = (BigUint::from(1u8) << width) - 1u8;
            let n = words_for(it.bits);
            let mut store = vec![0; 3 * n];
            it.a.iter_u64_digits().enumerate().for_each(|(i, digit)| store[i] = digit);
            let wide = Wide { kind: WideKind::Slice, to: n as u32, a: 0, b: it.bits, bits: width, other: low };
            run(&mut store, &wide);
            let number = |words: &[u64]| {
                words.iter().rev().fold(BigUint::zero(), |number, word| (number << 64) | BigUint::from(*word))
            };
            prop_assert_eq!(number(&store[n..2 * n]), (&it.a >> low) & &mask);

            // Insert into another value.
            store[2 * n..].fill(0);
            it.b.iter_u64_digits().enumerate().for_each(|(i, digit)| store[2 * n + i] = digit);
            let kind = WideKind::Insert;
            run(&mut store, &Wide { kind, to: 2 * n as u32, a: n as u32, b: it.bits, bits: width, other: low });
            let hole = &mask << low;
            let expected = (&it.b - (&it.b & &hole)) | (&it.a & &hole);
            prop_assert_eq!(number(&store[2 * n..]), expected);
        }
    }
}
