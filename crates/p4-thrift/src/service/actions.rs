//! Actions with their data, as clients give and get them.

use jettison_p4_exec::table::EntryAction;
use jettison_p4_front::ir::{ActionValue, Program, TableId, VarId};
use num_bigint::BigUint;

use super::context::same;
use super::keys::to_bytes;
use crate::arguments::binaries;
use crate::codec::{Fields, Kind, Value};
use crate::fault::{Fault, TableError};

// Values of `BmActionEntryType`.
const ACTION_DATA: i32 = 1;
const MEMBER: i32 = 2;
const GROUP: i32 = 3;

/// The action of this name among those of a table, with its data.
pub(super) fn read(
    program: &Program,
    table: TableId,
    name: &str,
    data: &[Value],
) -> Result<ActionValue, Fault> {
    let actions = &program.tables[table.index()].actions;
    let at = actions.iter().position(|action| same(&action.name, name));
    let at = at.ok_or(TableError::InvalidActionName)?;
    let given = binaries(data)?;
    if given.len() != actions[at].data.len() {
        return Err(TableError::BadActionData.into());
    }
    let pairs = actions[at].data.iter().zip(given);
    let value = |((_, variable), bytes): (&(_, VarId), &[u8])| {
        let value = BigUint::from_bytes_be(bytes);
        let bits = program.types.bits(program.variables[variable.index()].ty);
        if value.bits() <= u64::from(bits) { Ok(value) } else { Err(Fault::from(TableError::BadActionData)) }
    };
    Ok(ActionValue { action: at as u32, data: pairs.map(value).collect::<Result<_, _>>()? })
}

/// Name and data of an action of a table.
pub(super) fn parts(program: &Program, table: TableId, value: &ActionValue) -> (String, Value) {
    let Some(action) = program.tables[table.index()].actions.get(value.action as usize) else {
        return (String::new(), Value::List(Kind::Binary, Vec::new()));
    };
    let data = action.data.iter().zip(&value.data).map(|((_, variable), value)| {
        let bits = program.types.bits(program.variables[variable.index()].ty);
        Value::from(to_bytes(value, bits))
    });
    (action.name.trim_start_matches('.').to_owned(), Value::List(Kind::Binary, data.collect()))
}

/// `BmActionEntry`: what an entry or a table's default does.
pub(super) fn entry(program: &Program, table: TableId, action: &EntryAction) -> Fields {
    match action {
        EntryAction::Action(value) => {
            let (name, data) = parts(program, table, value);
            Fields::new().with(1, ACTION_DATA).with(2, name).with(3, data)
        }
        EntryAction::Member(member) => Fields::new().with(1, MEMBER).with(4, *member as i32),
        EntryAction::Group(group) => Fields::new().with(1, GROUP).with(5, *group as i32),
    }
}
