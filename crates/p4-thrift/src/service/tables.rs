//! Methods that change tables.

use jettison_p4_exec::table::{Entry, EntryAction, Handle, TableError as Refused};
use jettison_p4_front::ir::{Table, TableId};
use jettison_p4_v1model::control::{Command, CommandError};

use super::context::{Context, done};
use super::{Returned, actions, keys};
use crate::arguments::{Arguments, structs};
use crate::fault::{Fault, TableError};

pub(super) fn call(context: &mut Context<'_>, method: &str) -> Option<Returned> {
    Some(match method {
        "bm_mt_add_entry" => add(context, Content::Action),
        "bm_mt_indirect_add_entry" => add(context, Content::Member),
        "bm_mt_indirect_ws_add_entry" => add(context, Content::Group),
        "bm_mt_modify_entry" => modify(context, Content::Action),
        "bm_mt_indirect_modify_entry" => modify(context, Content::Member),
        "bm_mt_indirect_ws_modify_entry" => modify(context, Content::Group),
        "bm_mt_delete_entry" => delete(context, false),
        "bm_mt_indirect_delete_entry" => delete(context, true),
        "bm_mt_set_default_action" => set_default(context, Content::Action),
        "bm_mt_indirect_set_default_member" => set_default(context, Content::Member),
        "bm_mt_indirect_ws_set_default_group" => set_default(context, Content::Group),
        "bm_mt_reset_default_entry" => reset_default(context, false),
        "bm_mt_indirect_reset_default_entry" => reset_default(context, true),
        "bm_mt_clear_entries" => clear(context),
        "bm_mt_set_entry_ttl" => set_timeout(context, false),
        "bm_mt_indirect_set_entry_ttl" => set_timeout(context, true),
        _ => return None,
    })
}

/// What a method's entries have.
#[derive(Clone, Copy, PartialEq)]
enum Content {
    Action,
    Member,
    Group,
}

/// The table of a call.
pub(super) fn table_of(context: &Context<'_>) -> Result<TableId, Fault> {
    let name = context.arguments.text(2)?;
    Ok(context.table(name).ok_or(TableError::InvalidTableName)?)
}

/// The table of a call that must have an action profile, or none.
fn of_kind(context: &Context<'_>, is_indirect: bool) -> Result<TableId, Fault> {
    let table = table_of(context)?;
    match of(context, table).profile.is_some() == is_indirect {
        true => Ok(table),
        false => Err(TableError::WrongTableType.into()),
    }
}

/// The table of a call whose entries may have this content.
fn for_content(context: &Context<'_>, content: Content) -> Result<TableId, Fault> {
    let table = of_kind(context, content != Content::Action)?;
    let program = context.program();
    let profile = of(context, table).profile.map(|profile| &program.profiles[profile.index()]);
    match content == Content::Group && profile.is_some_and(|profile| profile.selector.is_none()) {
        true => Err(TableError::WrongTableType.into()),
        false => Ok(table),
    }
}

fn of<'a>(context: &'a Context<'_>, table: TableId) -> &'a Table {
    &context.program().tables[table.index()]
}

/// The entry of a call.
pub(super) fn handle_of(context: &Context<'_>, table: TableId) -> Result<Handle, Fault> {
    let handle = context.arguments.index(3)?.map(Handle);
    let state = context.switch.plane().tables.table(table);
    Ok(handle.filter(|handle| state.entry(*handle).is_some()).ok_or(TableError::InvalidHandle)?)
}

/// The action, member or group of a call, whose field has this number.
fn content_of(
    context: &Context<'_>,
    table: TableId,
    content: Content,
    number: i16,
) -> Result<EntryAction, Fault> {
    if content == Content::Action {
        let (name, data) = (context.arguments.text(number)?, context.arguments.list(number + 1)?);
        return Ok(EntryAction::Action(actions::read(context.program(), table, name, data)?));
    }
    let given = context.arguments.index(number)?;
    let profile = of(context, table).profile.ok_or(TableError::WrongTableType)?;
    let state = context.switch.plane().tables.profile(profile);
    if content == Content::Member {
        let known = given.filter(|member| state.member(*member).is_some());
        return Ok(EntryAction::Member(known.ok_or(TableError::InvalidMember)?));
    }
    let group = given.and_then(|given| state.groups().find(|(group, _)| *group == given));
    match group.ok_or(TableError::InvalidGroup)? {
        (_, []) => Err(TableError::EmptyGroup.into()),
        (group, _) => Ok(EntryAction::Group(group)),
    }
}

fn add(context: &mut Context<'_>, content: Content) -> Returned {
    let table = for_content(context, content)?;
    let given = structs(context.arguments.list(3)?)?;
    let keys = keys::read(context.program(), of(context, table), &given)?;
    let action = content_of(context, table, content, 4)?;
    let options = if content == Content::Action { 6 } else { 5 };
    let entry = Entry { keys, priority: priority(context, table, options)?, action };
    let handle = context.create(&Command::TableAdd { table, entry }).map_err(fault)?;
    Ok(Some(handle.into()))
}

/// Priority of an entry. In `simple_switch` the smallest wins, in tables the largest, so the sign changes.
pub(super) fn priority(context: &Context<'_>, table: TableId, options: i16) -> Result<i64, Fault> {
    if !keys::has_priorities(of(context, table)) {
        return Ok(0);
    }
    let options = context.arguments.fields(options)?;
    Ok(-i64::from(options.get(1).map_or(Ok(0), |_| options.i32(1))?))
}

fn modify(context: &mut Context<'_>, content: Content) -> Returned {
    let table = for_content(context, content)?;
    let entry = handle_of(context, table)?;
    let action = content_of(context, table, content, 4)?;
    context.execute(&Command::TableModify { table, entry, action }).map_err(fault)?;
    done()
}

fn delete(context: &mut Context<'_>, is_indirect: bool) -> Returned {
    let table = of_kind(context, is_indirect)?;
    let entry = handle_of(context, table)?;
    context.execute(&Command::TableDelete { table, entry }).map_err(fault)?;
    context.timeouts.remove(table, entry);
    done()
}

fn set_default(context: &mut Context<'_>, content: Content) -> Returned {
    let table = for_content(context, content)?;
    let action = content_of(context, table, content, 3)?;
    context.execute(&Command::TableSetDefault { table, action }).map_err(fault)?;
    done()
}

fn reset_default(context: &mut Context<'_>, is_indirect: bool) -> Returned {
    let table = of_kind(context, is_indirect)?;
    context.execute(&Command::TableResetDefault { table }).map_err(fault)?;
    done()
}

fn clear(context: &mut Context<'_>) -> Returned {
    let table = table_of(context)?;
    let resets_default = context.arguments.bool(3)?;
    context.execute(&Command::TableClear { table }).map_err(fault)?;
    context.timeouts.remove_table(table);
    if resets_default {
        context.execute(&Command::TableResetDefault { table }).map_err(fault)?;
    }
    done()
}

fn set_timeout(context: &mut Context<'_>, is_indirect: bool) -> Returned {
    let table = of_kind(context, is_indirect)?;
    if !context.program().control_plane.tables[table.index()].supports_timeout {
        return Err(TableError::AgeingDisabled.into());
    }
    let entry = handle_of(context, table)?;
    let timeout = context.arguments.i32(4)?;
    context.timeouts.set(table, entry, timeout, context.now);
    done()
}

/// The exception of a refused command.
pub(super) fn fault(error: CommandError) -> Fault {
    let (CommandError::Table { error, .. } | CommandError::Profile { error, .. }) = error else {
        return TableError::Error.into();
    };
    match error {
        Refused::Full(_) => TableError::TableFull,
        Refused::Duplicate => TableError::DuplicateEntry,
        Refused::NoEntry(_) => TableError::InvalidHandle,
        Refused::ConstEntries => TableError::ImmutableEntries,
        Refused::ConstDefault => TableError::DefaultActionIsConst,
        // What calls give is checked before; this is an action that is only for entries, or only the default.
        Refused::Mismatch(_) => TableError::Error,
    }
    .into()
}
