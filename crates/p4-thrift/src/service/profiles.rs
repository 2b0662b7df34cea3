//! Methods of action profiles: members, and groups of members.

use jettison_p4_exec::table::{EntryAction, ProfileState};
use jettison_p4_front::ir::{ActionProfileId, ActionValue, TableId};
use jettison_p4_v1model::control::Command;

use super::context::{Context, done, same};
use super::tables::fault;
use super::{Returned, actions};
use crate::arguments::Arguments;
use crate::codec::{Fields, Kind, Value};
use crate::fault::{Fault, TableError};

pub(super) fn call(context: &mut Context<'_>, method: &str) -> Option<Returned> {
    Some(match method {
        "bm_mt_act_prof_add_member" => add_member(context),
        "bm_mt_act_prof_modify_member" => modify_member(context),
        "bm_mt_act_prof_delete_member" => delete_member(context),
        "bm_mt_act_prof_create_group" => create_group(context),
        "bm_mt_act_prof_delete_group" => delete_group(context),
        "bm_mt_act_prof_add_member_to_group" => join(context),
        "bm_mt_act_prof_remove_member_from_group" => leave(context),
        "bm_mt_act_prof_get_members" => members(context),
        "bm_mt_act_prof_get_member" => member(context),
        "bm_mt_act_prof_get_groups" => groups(context),
        "bm_mt_act_prof_get_group" => group(context),
        _ => return None,
    })
}

/// The profile of a call, and a table that uses it.
fn profile_of(context: &Context<'_>) -> Result<(ActionProfileId, TableId), Fault> {
    let name = context.arguments.text(2)?;
    let program = context.program();
    let profile = program.profiles.iter().position(|profile| same(&profile.name, name));
    let profile = ActionProfileId(profile.ok_or(TableError::InvalidProfileName)? as u32);
    let table = program.tables.iter().position(|table| table.profile == Some(profile));
    // A profile that no table uses has no actions.
    Ok((profile, TableId(table.ok_or(TableError::InvalidProfileName)? as u32)))
}

/// The profile of a call, which must have groups.
fn selector_of(context: &Context<'_>) -> Result<ActionProfileId, Fault> {
    let (profile, _) = profile_of(context)?;
    match context.program().profiles[profile.index()].selector {
        Some(_) => Ok(profile),
        None => Err(TableError::NoSelection.into()),
    }
}

fn state<'a>(context: &'a Context<'_>, profile: ActionProfileId) -> &'a ProfileState {
    context.switch.plane().tables.profile(profile)
}

fn member_of(context: &Context<'_>, profile: ActionProfileId) -> Result<u32, Fault> {
    let given = context.arguments.index(3)?;
    let known = given.filter(|member| state(context, profile).member(*member).is_some());
    Ok(known.ok_or(TableError::InvalidMember)?)
}

/// The group of a call, whose field has this number, and its members.
fn group_of<'a>(
    context: &'a Context<'_>,
    profile: ActionProfileId,
    number: i16,
) -> Result<(u32, &'a [u32]), Fault> {
    let given = context.arguments.index(number)?;
    let found = given.and_then(|given| state(context, profile).groups().find(|(group, _)| *group == given));
    Ok(found.ok_or(TableError::InvalidGroup)?)
}

fn action_of(context: &Context<'_>, table: TableId, number: i16) -> Result<ActionValue, Fault> {
    let (name, data) = (context.arguments.text(number)?, context.arguments.list(number + 1)?);
    actions::read(context.program(), table, name, data)
}

/// Whether an entry or a default action refers to a member or group of a profile.
fn is_used(context: &Context<'_>, profile: ActionProfileId, what: &EntryAction) -> bool {
    let tables = (0u32..).zip(&context.program().tables).filter(|(_, table)| table.profile == Some(profile));
    let mut states = tables.map(|(id, _)| context.switch.plane().tables.table(TableId(id)));
    states.any(|state| state.default() == what || state.entries().any(|(_, entry)| entry.action == *what))
}

fn add_member(context: &mut Context<'_>) -> Returned {
    let (profile, table) = profile_of(context)?;
    let action = action_of(context, table, 3)?;
    let member = context.create(&Command::MemberCreate { profile, action }).map_err(fault)?;
    Ok(Some(member.into()))
}

fn modify_member(context: &mut Context<'_>) -> Returned {
    let (profile, table) = profile_of(context)?;
    let member = member_of(context, profile)?;
    let action = action_of(context, table, 4)?;
    context.execute(&Command::MemberModify { profile, member, action }).map_err(fault)?;
    done()
}

fn delete_member(context: &mut Context<'_>) -> Returned {
    let (profile, _) = profile_of(context)?;
    let member = member_of(context, profile)?;
    let in_group = state(context, profile).groups().any(|(_, members)| members.contains(&member));
    if in_group || is_used(context, profile, &EntryAction::Member(member)) {
        return Err(TableError::MemberStillUsed.into());
    }
    context.execute(&Command::MemberDelete { profile, member }).map_err(fault)?;
    done()
}

fn create_group(context: &mut Context<'_>) -> Returned {
    let profile = selector_of(context)?;
    let group = context.create(&Command::MemberGroupCreate { profile }).map_err(fault)?;
    Ok(Some(group.into()))
}

fn delete_group(context: &mut Context<'_>) -> Returned {
    let profile = selector_of(context)?;
    let (group, _) = group_of(context, profile, 3)?;
    if is_used(context, profile, &EntryAction::Group(group)) {
        return Err(TableError::GroupStillUsed.into());
    }
    context.execute(&Command::MemberGroupDelete { profile, group }).map_err(fault)?;
    done()
}

fn join(context: &mut Context<'_>) -> Returned {
    let profile = selector_of(context)?;
    let member = member_of(context, profile)?;
    let (group, members) = group_of(context, profile, 4)?;
    if members.contains(&member) {
        return Err(TableError::MemberAlreadyInGroup.into());
    }
    context.execute(&Command::MemberGroupAdd { profile, group, member }).map_err(fault)?;
    done()
}

fn leave(context: &mut Context<'_>) -> Returned {
    let profile = selector_of(context)?;
    let member = member_of(context, profile)?;
    let (group, members) = group_of(context, profile, 4)?;
    if !members.contains(&member) {
        return Err(TableError::MemberNotInGroup.into());
    }
    context.execute(&Command::MemberGroupRemove { profile, group, member }).map_err(fault)?;
    done()
}

/// `BmMtActProfMember`.
fn described(context: &Context<'_>, table: TableId, member: u32, value: &ActionValue) -> Fields {
    let (name, data) = actions::parts(context.program(), table, value);
    Fields::new().with(1, member as i32).with(2, name).with(3, data)
}

/// `BmMtActProfGroup`.
fn listed(group: u32, members: &[u32]) -> Fields {
    let members = members.iter().map(|member| Value::I32(*member as i32)).collect();
    Fields::new().with(1, group as i32).with(2, Value::List(Kind::I32, members))
}

fn members(context: &Context<'_>) -> Returned {
    let (profile, table) = profile_of(context)?;
    let all = state(context, profile).members();
    Ok(Some(Value::structs(all.map(|(member, value)| described(context, table, member, value)))))
}

fn member(context: &Context<'_>) -> Returned {
    let (profile, table) = profile_of(context)?;
    let member = member_of(context, profile)?;
    let value = state(context, profile).member(member).ok_or(TableError::InvalidMember)?;
    Ok(Some(described(context, table, member, value).into()))
}

fn groups(context: &Context<'_>) -> Returned {
    let profile = selector_of(context)?;
    let all = state(context, profile).groups();
    Ok(Some(Value::structs(all.map(|(group, members)| listed(group, members)))))
}

fn group(context: &Context<'_>) -> Returned {
    let profile = selector_of(context)?;
    let (group, members) = group_of(context, profile, 3)?;
    Ok(Some(listed(group, members).into()))
}
