//! Methods of registers. The interface has 64 bits of a value: of a wider element, the lowest are read, and the others written as
//! zero.

use std::ops::Range;

use jettison_p4_front::ir::{ExternId, ExternKind};
use jettison_p4_v1model::control::Command;
use num_bigint::BigUint;

use super::context::{Context, done};
use super::{Returned, tables};
use crate::arguments::Arguments;
use crate::codec::{Kind, Value};
use crate::fault::{Fault, RegisterError};

pub(super) fn call(context: &mut Context<'_>, method: &str) -> Option<Returned> {
    Some(match method {
        "bm_register_read" => read(context),
        "bm_register_read_all" => read_all(context),
        "bm_register_write" => write(context),
        "bm_register_write_range" => write_range(context),
        "bm_register_reset" => reset(context),
        _ => return None,
    })
}

/// The register of a call, and its number of elements.
fn register_of(context: &Context<'_>) -> Result<(ExternId, u64), Fault> {
    let name = context.arguments.text(2)?;
    let register = context.object(name, |kind| matches!(kind, ExternKind::Register { .. }));
    let register = register.ok_or(RegisterError::InvalidName)?;
    Ok((register, context.switch.plane().objects.register(register).len() as u64))
}

fn element(context: &Context<'_>) -> Result<(ExternId, u64), Fault> {
    let (register, length) = register_of(context)?;
    let index = context.arguments.index(3)?.map(u64::from).filter(|index| *index < length);
    Ok((register, index.ok_or(RegisterError::InvalidIndex)?))
}

fn value(context: &Context<'_>, register: ExternId, index: u64) -> i64 {
    let words = context.switch.plane().objects.register(register).read(index);
    words.first().copied().unwrap_or(0) as i64
}

fn read(context: &Context<'_>) -> Returned {
    let (register, index) = element(context)?;
    Ok(Some(value(context, register, index).into()))
}

fn read_all(context: &Context<'_>) -> Returned {
    let (register, length) = register_of(context)?;
    let values = (0..length).map(|index| Value::I64(value(context, register, index))).collect();
    Ok(Some(Value::List(Kind::I64, values)))
}

fn write_elements(
    context: &mut Context<'_>,
    register: ExternId,
    indices: Range<u64>,
    value: i64,
) -> Returned {
    for index in indices {
        let value = BigUint::from(value as u64);
        context.execute(&Command::RegisterWrite { register, index, value }).map_err(tables::fault)?;
    }
    done()
}

fn write(context: &mut Context<'_>) -> Returned {
    let (register, index) = element(context)?;
    let value = context.arguments.i64(4)?;
    write_elements(context, register, index..index + 1, value)
}

/// The end of the range is not part of it.
fn write_range(context: &mut Context<'_>) -> Returned {
    let (register, length) = register_of(context)?;
    let (start, end) = (context.arguments.index(3)?, context.arguments.index(4)?);
    let range = start.zip(end).map(|(start, end)| u64::from(start)..u64::from(end));
    let range = range.filter(|range| range.start <= range.end && range.end <= length);
    let value = context.arguments.i64(5)?;
    write_elements(context, register, range.ok_or(RegisterError::InvalidIndex)?, value)
}

fn reset(context: &mut Context<'_>) -> Returned {
    let (register, _) = register_of(context)?;
    context.execute(&Command::RegisterReset { register }).map_err(tables::fault)?;
    done()
}
