//! Match fields and priorities of entries (§9.1.1).

use jettison_p4_exec::table::Entry;
use jettison_p4_front::ir::{KeyMatch, MatchKind};
use num_bigint::BigUint;
use num_traits::Zero;

use crate::catalogue::{FieldSpec, ValueSpec};
use crate::fault::{Fault, invalid};
use crate::proto::runtime::{Exact, FieldMatch, FieldMatchKind, Lpm, Range, Ternary};

/// Match criteria in the order of the table's keys. A field that is left out matches any value.
pub(super) fn read(fields: &[FieldSpec], given: &[FieldMatch]) -> Result<Vec<KeyMatch>, Fault> {
    let mut matches: Vec<Option<KeyMatch>> = vec![None; fields.len()];
    for field in given {
        let at = fields.iter().position(|spec| spec.value.id == field.field_id);
        let at = at.ok_or_else(|| invalid(format!("unknown match field id {}", field.field_id)))?;
        if matches[at].is_some() {
            return Err(invalid(format!("the match field `{}` is given twice", fields[at].value.name)));
        }
        matches[at] = Some(criterion(&fields[at], field)?);
    }
    let complete = fields.iter().zip(matches).map(|(spec, given)| match (spec.kind, given) {
        (_, Some(given)) => Ok(given),
        (MatchKind::Exact, None) => {
            Err(invalid(format!("missing match field `{}`, which is exact", spec.value.name)))
        }
        (MatchKind::Lpm, None) => Ok(KeyMatch::Lpm(BigUint::zero(), 0)),
        (_, None) => Ok(KeyMatch::Any),
    });
    complete.collect()
}

fn criterion(spec: &FieldSpec, field: &FieldMatch) -> Result<KeyMatch, Fault> {
    let value = &spec.value;
    let bad = |why: &str| Err(invalid(format!("the match field `{}` {why}", value.name)));
    match (spec.kind, &field.kind) {
        (MatchKind::Exact, Some(FieldMatchKind::Exact(given)))
        | (MatchKind::Optional, Some(FieldMatchKind::Optional(given))) => {
            Ok(KeyMatch::Exact(value.read(&given.value)?))
        }
        (MatchKind::Lpm, Some(FieldMatchKind::Lpm(given))) => {
            let length =
                u32::try_from(given.prefix_len).ok().filter(|length| (1..=value.bits).contains(length));
            let Some(length) = length else {
                return bad(&format!(
                    "must have a prefix length from 1 to {}, got {}; leave it out to match any value",
                    value.bits, given.prefix_len
                ));
            };
            let prefix = value.read(&given.value)?;
            if !(&prefix & (value.full() >> length)).is_zero() {
                return bad("must be zero in the bits after the prefix");
            }
            Ok(KeyMatch::Lpm(prefix, length))
        }
        (MatchKind::Ternary, Some(FieldMatchKind::Ternary(given))) => {
            let (wanted, mask) = (value.read(&given.value)?, value.read(&given.mask)?);
            if mask.is_zero() {
                return bad("has a mask of zero: leave it out to match any value");
            }
            if &wanted & &mask != wanted {
                return bad("must be zero where its mask is zero");
            }
            Ok(KeyMatch::Ternary(wanted, mask))
        }
        (MatchKind::Range, Some(FieldMatchKind::Range(given))) => {
            let (low, high) = (value.read(&given.low)?, value.read(&given.high)?);
            if biased(value, &low).is_zero() && biased(value, &high) == value.full() {
                return bad("is the whole range: leave it out to match any value");
            }
            if biased(value, &low) > biased(value, &high) {
                return bad("must have a low bound <= its high bound");
            }
            Ok(KeyMatch::Range(low, high))
        }
        (_, None) => bad("has no value"),
        _ => bad("is of another match kind in the P4Info"),
    }
}

/// The value as an unsigned number of the same order.
fn biased(spec: &ValueSpec, value: &BigUint) -> BigUint {
    match spec.signed && spec.bits > 0 {
        true => value ^ (BigUint::from(1u8) << (spec.bits - 1)),
        false => value.clone(),
    }
}

/// The canonical match fields of an entry.
pub(super) fn write(fields: &[FieldSpec], entry: &Entry) -> Vec<FieldMatch> {
    let written = fields.iter().zip(&entry.keys).filter_map(|(spec, given)| {
        let value = &spec.value;
        let (kind, exact) = (spec.kind, |wanted: &BigUint| Exact { value: value.write(wanted) });
        let kind = match (kind, given) {
            (MatchKind::Exact, KeyMatch::Exact(wanted)) => FieldMatchKind::Exact(exact(wanted)),
            (MatchKind::Optional, KeyMatch::Exact(wanted)) => FieldMatchKind::Optional(exact(wanted)),
            (MatchKind::Lpm, KeyMatch::Lpm(_, 0)) => return None,
            (MatchKind::Lpm, KeyMatch::Lpm(prefix, length)) => {
                let kept = value.full() ^ (value.full() >> *length);
                FieldMatchKind::Lpm(Lpm {
                    value: value.write(&(prefix & kept)),
                    prefix_len: i32::try_from(*length).unwrap_or(i32::MAX),
                })
            }
            (MatchKind::Lpm, KeyMatch::Exact(wanted)) => FieldMatchKind::Lpm(Lpm {
                value: value.write(wanted),
                prefix_len: i32::try_from(value.bits).unwrap_or(i32::MAX),
            }),
            (MatchKind::Ternary, KeyMatch::Ternary(_, mask)) if mask.is_zero() => return None,
            (MatchKind::Ternary, KeyMatch::Ternary(wanted, mask)) => FieldMatchKind::Ternary(Ternary {
                value: value.write(&(wanted & mask)),
                mask: value.write(mask),
            }),
            (MatchKind::Ternary, KeyMatch::Exact(wanted)) => FieldMatchKind::Ternary(Ternary {
                value: value.write(wanted),
                mask: value.write(&value.full()),
            }),
            (MatchKind::Range, KeyMatch::Range(low, high)) => {
                if biased(value, low).is_zero() && biased(value, high) == value.full() {
                    return None;
                }
                FieldMatchKind::Range(Range { low: value.write(low), high: value.write(high) })
            }
            _ => return None,
        };
        Some(FieldMatch { field_id: value.id, kind: Some(kind) })
    });
    written.collect()
}
