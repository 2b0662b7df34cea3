//! `BmMatchParam`: match criteria of entries as byte strings.

use jettison_p4_front::ir::{Key, KeyMatch, MatchKind, Program, Table};
use num_bigint::BigUint;
use num_traits::Zero;

use crate::arguments::Arguments;
use crate::codec::{Fields, Value};
use crate::fault::{Fault, TableError};

// Values of `BmMatchParamType`.
const EXACT: i32 = 0;
const LPM: i32 = 1;
const TERNARY: i32 = 2;
const VALID: i32 = 3;
const RANGE: i32 = 4;

/// The keys of a table that entries have.
fn matched(table: &Table) -> impl Iterator<Item = &Key> {
    table.keys.iter().filter(|key| key.kind != MatchKind::Selector)
}

/// Whether entries of the table have priorities.
pub(super) fn has_priorities(table: &Table) -> bool {
    let kinds = [MatchKind::Ternary, MatchKind::Range, MatchKind::Optional];
    matched(table).any(|key| kinds.contains(&key.kind))
}

/// The criteria of an entry.
pub(super) fn read(program: &Program, table: &Table, given: &[&Fields]) -> Result<Vec<KeyMatch>, Fault> {
    if matched(table).count() != given.len() {
        return Err(TableError::BadMatchKey.into());
    }
    let pairs = matched(table).zip(given);
    pairs.map(|(key, given)| criterion(given, key.kind, program.types.bits(key.expr.ty))).collect()
}

fn criterion(given: &Fields, kind: MatchKind, bits: u32) -> Result<KeyMatch, Fault> {
    let bad = || Fault::from(TableError::BadMatchKey);
    let number = |fields: &Fields, at| {
        let value = BigUint::from_bytes_be(fields.binary(at)?);
        if value.bits() <= u64::from(bits) { Ok(value) } else { Err(bad()) }
    };
    match (given.i32(1)?, kind) {
        (EXACT, MatchKind::Exact) => Ok(KeyMatch::Exact(number(given.fields(2)?, 1)?)),
        (VALID, MatchKind::Exact) => Ok(KeyMatch::Exact(BigUint::from(u8::from(given.fields(5)?.bool(1)?)))),
        (LPM, MatchKind::Lpm) => {
            let fields = given.fields(3)?;
            let length = u32::try_from(fields.i32(2)?).ok().filter(|length| *length <= bits);
            Ok(KeyMatch::Lpm(number(fields, 1)?, length.ok_or_else(bad)?))
        }
        (TERNARY, MatchKind::Ternary | MatchKind::Optional) => {
            let (value, mask) = (number(given.fields(4)?, 1)?, number(given.fields(4)?, 2)?);
            match kind {
                _ if mask.is_zero() => Ok(KeyMatch::Any),
                MatchKind::Ternary => Ok(KeyMatch::Ternary(value, mask)),
                // Matched exactly, or not at all.
                _ if mask == ones(bits) => Ok(KeyMatch::Exact(value)),
                _ => Err(bad()),
            }
        }
        (RANGE, MatchKind::Range) => {
            let (low, high) = (number(given.fields(6)?, 1)?, number(given.fields(6)?, 2)?);
            if low <= high { Ok(KeyMatch::Range(low, high)) } else { Err(bad()) }
        }
        _ => Err(bad()),
    }
}

/// `BmMatchParams` of an entry.
pub(super) fn write(program: &Program, table: &Table, keys: &[KeyMatch]) -> Value {
    let pairs = matched(table).zip(keys);
    Value::structs(pairs.map(|(key, wanted)| parameter(wanted, key.kind, program.types.bits(key.expr.ty))))
}

fn parameter(wanted: &KeyMatch, kind: MatchKind, bits: u32) -> Fields {
    let bytes = |value: &BigUint| to_bytes(value, bits);
    let of = |kind: i32, at: i16, fields: Fields| Fields::new().with(1, kind).with(at, fields);
    let ternary = |value, mask| of(TERNARY, 4, Fields::new().with(1, bytes(value)).with(2, bytes(mask)));
    let range = |low, high| of(RANGE, 6, Fields::new().with(1, bytes(low)).with(2, bytes(high)));
    let zero = BigUint::zero();
    match (wanted, kind) {
        (KeyMatch::Exact(value), MatchKind::Optional) => ternary(value, &ones(bits)),
        (KeyMatch::Exact(value), _) => of(EXACT, 2, Fields::new().with(1, bytes(value))),
        (KeyMatch::Lpm(value, length), _) => {
            of(LPM, 3, Fields::new().with(1, bytes(value)).with(2, *length as i32))
        }
        (KeyMatch::Ternary(value, mask), _) => ternary(value, mask),
        (KeyMatch::Range(low, high), _) => range(low, high),
        (KeyMatch::Any, MatchKind::Range) => range(&zero, &ones(bits)),
        (KeyMatch::Any, MatchKind::Lpm) => of(LPM, 3, Fields::new().with(1, bytes(&zero)).with(2, 0)),
        (KeyMatch::Any, _) => ternary(&zero, &zero),
    }
}

/// A number of this width as bytes, the highest first.
pub(super) fn to_bytes(value: &BigUint, bits: u32) -> Vec<u8> {
    let length = bits.div_ceil(8).max(1) as usize;
    let digits = value.to_bytes_be();
    let mut bytes = vec![0; length.saturating_sub(digits.len())];
    bytes.extend(digits);
    bytes
}

fn ones(bits: u32) -> BigUint {
    (BigUint::from(1u8) << bits) - 1u8
}
