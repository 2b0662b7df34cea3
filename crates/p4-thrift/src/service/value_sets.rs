//! Methods of value sets. A value is the concatenation of a member's fields, each matched exactly.

use jettison_p4_front::ir::{KeyMatch, MatchKind, ValueSet, ValueSetId};
use jettison_p4_v1model::control::Command;
use num_bigint::BigUint;

use super::Returned;
use super::context::{Context, done, same};
use super::keys::to_bytes;
use crate::arguments::Arguments;
use crate::codec::{Kind, Value};
use crate::fault::{Fault, ValueSetError};

pub(super) fn call(context: &mut Context<'_>, method: &str) -> Option<Returned> {
    Some(match method {
        "bm_parse_vset_add" => change(context, |set, member| Command::ValueSetAdd { set, member }),
        "bm_parse_vset_remove" => change(context, |set, member| Command::ValueSetRemove { set, member }),
        "bm_parse_vset_get" => get(context),
        "bm_parse_vset_clear" => clear(context),
        _ => return None,
    })
}

fn set_of(context: &Context<'_>) -> Result<ValueSetId, Fault> {
    let name = context.arguments.text(2)?;
    let at = context.program().value_sets.iter().position(|set| same(&set.name, name));
    Ok(ValueSetId(at.ok_or(ValueSetError::InvalidName)? as u32))
}

fn widths(context: &Context<'_>, set: &ValueSet) -> Vec<u32> {
    set.keys.iter().map(|(ty, _)| context.program().types.bits(*ty)).collect()
}

/// The member of a call. Fields with another match kind than `exact` have no values in this interface.
fn member_of(context: &Context<'_>, set: ValueSetId) -> Result<Vec<KeyMatch>, Fault> {
    let set = &context.program().value_sets[set.index()];
    let mut value = BigUint::from_bytes_be(context.arguments.binary(3)?);
    let widths = widths(context, set);
    let is_exact = set.keys.iter().all(|(_, kind)| *kind == MatchKind::Exact);
    if !is_exact || value.bits() > widths.iter().map(|bits| u64::from(*bits)).sum() {
        return Err(ValueSetError::Error.into());
    }
    let mut member = Vec::new();
    for bits in widths.iter().rev() {
        let rest = &value >> *bits;
        member.push(KeyMatch::Exact(value - (&rest << *bits)));
        value = rest;
    }
    member.reverse();
    Ok(member)
}

fn change(context: &mut Context<'_>, command: impl Fn(ValueSetId, Vec<KeyMatch>) -> Command) -> Returned {
    let set = set_of(context)?;
    let member = member_of(context, set)?;
    context.execute(&command(set, member)).map_err(|_| ValueSetError::Error)?;
    done()
}

fn get(context: &Context<'_>) -> Returned {
    let id = set_of(context)?;
    let widths = widths(context, &context.program().value_sets[id.index()]);
    let total = widths.iter().sum();
    let mut values = Vec::new();
    for member in context.switch.plane().tables.value_set(id).members() {
        let mut value = BigUint::default();
        for (wanted, bits) in member.iter().zip(&widths) {
            let KeyMatch::Exact(field) = wanted else { return Err(ValueSetError::Error.into()) };
            value = (value << *bits) | field;
        }
        values.push(Value::from(to_bytes(&value, total)));
    }
    Ok(Some(Value::List(Kind::Binary, values)))
}

fn clear(context: &mut Context<'_>) -> Returned {
    let set = set_of(context)?;
    context.execute(&Command::ValueSetClear { set }).map_err(|_| ValueSetError::Error)?;
    done()
}
