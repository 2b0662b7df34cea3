//! Methods that read tables.

use jettison_p4_exec::table::{Entry, Handle};
use jettison_p4_front::ir::TableId;

use super::context::Context;
use super::tables::{handle_of, priority, table_of};
use super::{Returned, actions, keys};
use crate::arguments::{Arguments, structs};
use crate::codec::{Fields, Value};
use crate::fault::TableError;

/// Handle of the entry that stands for a table's default action.
const NO_HANDLE: i32 = -1;

pub(super) fn call(context: &mut Context<'_>, method: &str) -> Option<Returned> {
    Some(match method {
        "bm_mt_get_num_entries" => count(context),
        "bm_mt_get_entries" => all(context),
        "bm_mt_get_entry" => one(context),
        "bm_mt_get_default_entry" => default(context),
        "bm_mt_get_entry_from_key" => from_key(context),
        _ => return None,
    })
}

fn count(context: &Context<'_>) -> Returned {
    let table = table_of(context)?;
    Ok(Some((context.switch.plane().tables.table(table).len() as i64).into()))
}

fn all(context: &Context<'_>) -> Returned {
    let table = table_of(context)?;
    let entries = context.switch.plane().tables.table(table).entries();
    Ok(Some(Value::structs(entries.map(|(handle, entry)| described(context, table, handle, entry)))))
}

fn one(context: &Context<'_>) -> Returned {
    let table = table_of(context)?;
    let handle = handle_of(context, table)?;
    let entry = context.switch.plane().tables.table(table).entry(handle).ok_or(TableError::InvalidHandle)?;
    Ok(Some(described(context, table, handle, entry).into()))
}

fn default(context: &Context<'_>) -> Returned {
    let table = table_of(context)?;
    let default = context.switch.plane().tables.table(table).default();
    Ok(Some(actions::entry(context.program(), table, default).into()))
}

/// An empty key is that of the default action.
fn from_key(context: &Context<'_>) -> Returned {
    let table = table_of(context)?;
    let given = structs(context.arguments.list(3)?)?;
    let (program, state) = (context.program(), context.switch.plane().tables.table(table));
    if given.is_empty() {
        let fields = Fields::new()
            .with(1, Value::structs([]))
            .with(2, Fields::new().with(1, -1))
            .with(3, NO_HANDLE)
            .with(4, actions::entry(program, table, state.default()));
        return Ok(Some(fields.into()));
    }
    let keys = keys::read(program, &program.tables[table.index()], &given)?;
    let found = state.find(&keys, priority(context, table, 4)?);
    let handle = found.ok().flatten().ok_or(TableError::BadMatchKey)?;
    let entry = state.entry(handle).ok_or(TableError::BadMatchKey)?;
    Ok(Some(described(context, table, handle, entry).into()))
}

/// `BmMtEntry`. Without priorities, the priority is -1.
fn described(context: &Context<'_>, table: TableId, handle: Handle, entry: &Entry) -> Fields {
    let program = context.program();
    let declared = &program.tables[table.index()];
    let priority = match keys::has_priorities(declared) {
        true => i32::try_from(-entry.priority).unwrap_or(i32::MAX),
        false => -1,
    };
    let fields = Fields::new()
        .with(1, keys::write(program, declared, &entry.keys))
        .with(2, Fields::new().with(1, priority))
        .with(3, handle.0 as i32)
        .with(4, actions::entry(program, table, &entry.action));
    match context.timeouts.life(context.switch, table, handle, context.now) {
        Some(life) => fields.with(5, life),
        None => fields,
    }
}
