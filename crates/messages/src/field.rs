//! Arithmetic in GF(2^16), for the erasure code.
//!
//! Elements are polynomials over GF(2) modulo x^16 + x^12 + x^3 + x + 1, which is primitive (RFC 5510 §8.1): x
//! generates all non-zero elements, so a product is a sum of logarithms to the base x.

use std::sync::LazyLock;

const POLYNOMIAL: u32 = 0x1_100B;
/// Number of non-zero elements.
const ORDER: usize = 65_535;

struct Tables {
    /// x^i, stored twice in a row, so that a sum of two logarithms needs no reduction.
    power: Vec<u16>,
    /// The logarithm of each element; undefined for zero.
    logarithm: Vec<u16>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let (mut power, mut logarithm) = (vec![0; 2 * ORDER], vec![0; ORDER + 1]);
    let mut element: u32 = 1;
    for i in 0..ORDER {
        power[i] = element as u16;
        power[i + ORDER] = element as u16;
        logarithm[element as usize] = i as u16;
        element <<= 1;
        if element > 0xFFFF {
            element ^= POLYNOMIAL;
        }
    }
    Tables { power, logarithm }
});

/// The product.
pub(super) fn multiply(a: u16, b: u16) -> u16 {
    if a == 0 || b == 0 {
        return 0;
    }
    let tables = &*TABLES;
    tables.power
        [usize::from(tables.logarithm[usize::from(a)]) + usize::from(tables.logarithm[usize::from(b)])]
}

/// The multiplicative inverse; `None` for zero.
pub(super) fn inverse(a: u16) -> Option<u16> {
    let tables = &*TABLES;
    (a != 0).then(|| tables.power[ORDER - usize::from(tables.logarithm[usize::from(a)])])
}

/// Adds `factor` times `source` to `target`, both in big-endian words; an odd last byte of `source` is padded with a
/// zero.
///
/// # Panics
/// If `target` has fewer whole words than `source`.
pub(super) fn add_multiple(target: &mut [u8], source: &[u8], factor: u16) {
    if factor == 0 {
        return;
    }
    let tables = &*TABLES;
    let factor = usize::from(tables.logarithm[usize::from(factor)]);
    assert!(target.len() >= source.len().next_multiple_of(2), "the target is at least as long as the source");
    for (target, source) in target.chunks_exact_mut(2).zip(source.chunks(2)) {
        let word = u16::from_be_bytes([source[0], source.get(1).copied().unwrap_or(0)]);
        if word != 0 {
            let product =
                tables.power[factor + usize::from(tables.logarithm[usize::from(word)])].to_be_bytes();
            target[0] ^= product[0];
            target[1] ^= product[1];
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By definition: a polynomial product, reduced.
    fn by_definition(a: u16, b: u16) -> u16 {
        let mut product: u32 = 0;
        for bit in 0..16 {
            if b >> bit & 1 == 1 {
                product ^= u32::from(a) << bit;
            }
        }
        for bit in (16..32).rev() {
            if product >> bit & 1 == 1 {
                product ^= POLYNOMIAL << (bit - 16);
            }
        }
        product as u16
    }

    #[test]
    fn rfc5510_8_1_the_polynomial_is_primitive() {
        let mut seen = vec![false; ORDER + 1];
        for power in &TABLES.power[..ORDER] {
            assert!(
                !std::mem::replace(&mut seen[usize::from(*power)], true),
                "x generates every element once"
            );
        }
        assert!(!seen[0]);
    }

    proptest! {
        #[test]
        fn products_are_those_of_polynomials(a: u16, b: u16) {
            prop_assert_eq!(multiply(a, b), by_definition(a, b));
            if let Some(inverse) = inverse(a) {
                prop_assert_eq!(multiply(a, inverse), 1);
            }
        }

        #[test]
        fn multiples_are_added_word_by_word(words in prop::collection::vec(any::<(u16, u16)>(), 0..20), factor: u16) {
            let mut target: Vec<u8> = words.iter().flat_map(|(word, _)| word.to_be_bytes()).collect();
            let source: Vec<u8> = words.iter().flat_map(|(_, word)| word.to_be_bytes()).collect();
            add_multiple(&mut target, &source, factor);
            let expected: Vec<u8> =
                words.iter().flat_map(|(a, b)| (a ^ multiply(*b, factor)).to_be_bytes()).collect();
            prop_assert_eq!(target, expected);
        }
    }
}
