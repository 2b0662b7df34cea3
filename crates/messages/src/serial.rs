//! Serial numbers that wrap on the wire but not internally.

/// The number near `reference` whose low 32 bits are `wire` (RFC 1982, as in RFC 9000 §A.3); `None` below zero.
#[inline]
pub(super) fn unwrap_32(reference: u64, wire: u32) -> Option<u64> {
    let ahead = i64::from(wire.wrapping_sub(reference as u32) as i32);
    reference.checked_add_signed(ahead)
}

/// The number near `reference` whose low 29 bits are `wire`; `None` below zero.
#[inline]
pub(super) fn unwrap_29(reference: u64, wire: u32) -> Option<u64> {
    let ahead = i64::from((wire.wrapping_sub(reference as u32) << 3) as i32 >> 3);
    reference.checked_add_signed(ahead)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_number_near_the_reference_comes_back(reference in 0u64..1 << 40, ahead in -1_000_000i64..1_000_000) {
            if let Some(number) = reference.checked_add_signed(ahead) {
                prop_assert_eq!(unwrap_32(reference, number as u32), Some(number));
                prop_assert_eq!(unwrap_29(reference, number as u32 & ((1 << 29) - 1)), Some(number));
            }
        }
    }

    #[test]
    fn no_number_precedes_the_first() {
        assert_eq!(unwrap_32(3, u32::MAX), None);
        assert_eq!(unwrap_29(3, (1 << 29) - 1), None);
    }
}
