//! Arithmetic on values of up to 64 bits. `cut` is 64 minus their width.

/// Truncates to the width (mod 2^width).
#[inline(always)]
pub(super) fn cut_to(value: u64, cut: u8) -> u64 {
    value & (u64::MAX >> cut)
}

/// Interprets a value as two's complement.
#[inline(always)]
pub(super) fn signed(value: u64, cut: u8) -> i64 {
    ((value << cut) as i64) >> cut
}

#[inline(always)]
pub(super) fn add_saturating(a: u64, b: u64, cut: u8, is_signed: bool) -> u64 {
    if is_signed {
        saturate(i128::from(signed(a, cut)) + i128::from(signed(b, cut)), cut)
    } else {
        a.saturating_add(b).min(u64::MAX >> cut)
    }
}

#[inline(always)]
pub(super) fn subtract_saturating(a: u64, b: u64, cut: u8, is_signed: bool) -> u64 {
    if is_signed {
        saturate(i128::from(signed(a, cut)) - i128::from(signed(b, cut)), cut)
    } else {
        a.saturating_sub(b)
    }
}

fn saturate(value: i128, cut: u8) -> u64 {
    let most = i128::from(i64::MAX >> cut);
    cut_to(value.clamp(-most - 1, most) as u64, cut)
}

#[inline(always)]
pub(super) fn shift_left(a: u64, by: u64, cut: u8) -> u64 {
    if by > 63 { 0 } else { cut_to(a << by, cut) }
}

#[inline(always)]
pub(super) fn shift_right(a: u64, by: u64) -> u64 {
    if by > 63 { 0 } else { a >> by }
}

#[inline(always)]
pub(super) fn shift_right_signed(a: u64, by: u64, cut: u8) -> u64 {
    cut_to((signed(a, cut) >> by.min(63)) as u64, cut)
}

#[inline(always)]
pub(super) fn sign_extend(a: u64, from_cut: u8, cut: u8) -> u64 {
    cut_to(signed(a, from_cut) as u64, cut)
}

/// Replaces bits from `low` upwards.
#[inline(always)]
pub(super) fn insert(old: u64, value: u64, low: u8, cut: u8) -> u64 {
    let mask = (u64::MAX >> cut) << low;
    (old & !mask) | ((value << low) & mask)
}
