//! Methods of counters, indirect and direct.

use jettison_p4_front::ir::{ExternId, ExternKind};
use jettison_p4_v1model::control::Command;

use super::context::{Context, done};
use super::tables::{handle_of, table_of};
use super::{Returned, tables};
use crate::arguments::Arguments;
use crate::codec::Fields;
use crate::fault::{CounterError, Fault, TableError};

pub(super) fn call(context: &mut Context<'_>, method: &str) -> Option<Returned> {
    Some(
        match method {
            "bm_counter_read" => element(context).map(|(counter, index)| read(context, counter, index)),
            "bm_counter_write" => element(context).and_then(|(counter, index)| {
                let value = value(context)?;
                Ok(write(context, counter, index, value))
            }),
            "bm_counter_reset_all" => counter_of(context).map(|counter| reset(context, counter)),
            "bm_mt_read_counter" => of_entry(context).map(|(counter, index)| read(context, counter, index)),
            "bm_mt_write_counter" => of_entry(context).and_then(|(counter, index)| {
                let value = value(context)?;
                Ok(write(context, counter, index, value))
            }),
            "bm_mt_reset_counters" => of_table(context).map(|counter| reset(context, counter)),
            _ => return None,
        }
        .and_then(|returned| returned),
    )
}

fn counter_of(context: &Context<'_>) -> Result<ExternId, Fault> {
    let name = context.arguments.text(2)?;
    let counter = context.object(name, |kind| matches!(kind, ExternKind::Counter { .. }));
    Ok(counter.ok_or(CounterError::InvalidName)?)
}

fn element(context: &Context<'_>) -> Result<(ExternId, u64), Fault> {
    let counter = counter_of(context)?;
    let length = context.switch.plane().objects.counter(counter).len() as u64;
    let index = context.arguments.index(3)?.map(u64::from).filter(|index| *index < length);
    Ok((counter, index.ok_or(CounterError::InvalidIndex)?))
}

/// The direct counter of a call's table.
fn of_table(context: &Context<'_>) -> Result<ExternId, Fault> {
    let table = table_of(context)?;
    let counter = context.program().tables[table.index()].direct_counter;
    Ok(counter.ok_or(TableError::CountersDisabled)?)
}

/// The direct counter of a call's entry. Its elements are numbered by entries.
fn of_entry(context: &Context<'_>) -> Result<(ExternId, u64), Fault> {
    let counter = of_table(context)?;
    let entry = handle_of(context, table_of(context)?)?;
    Ok((counter, u64::from(entry.0)))
}

fn read(context: &Context<'_>, counter: ExternId, index: u64) -> Returned {
    let counter = context.switch.plane().objects.counter(counter);
    // The interface has signed numbers.
    let (bytes, packets) = (counter.bytes(index) as i64, counter.packets(index) as i64);
    Ok(Some(Fields::new().with(1, bytes).with(2, packets).into()))
}

/// Bytes and packets of a call's `BmCounterValue`.
fn value(context: &Context<'_>) -> Result<(u64, u64), Fault> {
    let value = context.arguments.fields(4)?;
    Ok((value.i64(1)? as u64, value.i64(2)? as u64))
}

fn write(context: &mut Context<'_>, counter: ExternId, index: u64, (bytes, packets): (u64, u64)) -> Returned {
    context.execute(&Command::CounterWrite { counter, index, packets, bytes }).map_err(tables::fault)?;
    done()
}

fn reset(context: &mut Context<'_>, counter: ExternId) -> Returned {
    context.execute(&Command::CounterReset { counter }).map_err(tables::fault)?;
    done()
}
