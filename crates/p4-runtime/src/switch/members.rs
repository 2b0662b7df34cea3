//! Action profiles: members, groups and action sets (§9.2).
//!
//! A member of weight n is in its group n times, because a selector of the switch takes each of a group's members with
//! the same probability.

use std::collections::BTreeMap;

use jettison_p4_exec::Machine;
use jettison_p4_exec::table::EntryAction;
use jettison_p4_front::ir::{ActionProfileId, ActionValue, TableId};
use jettison_p4_v1model::P4Switch;

use super::{Change, Control};
use crate::fault::{Code, Fault, invalid, not_found};
use crate::proto::runtime::{
    Action, ActionProfileActionSet, ActionProfileGroup, ActionProfileMember, EntityKind, GroupMember,
};

/// Maximum sum of the weights of a group.
const MAX_WEIGHTS: i64 = 4096;

/// A profile's members and groups by the controller's ids.
#[derive(Debug, Clone, Default)]
pub(super) struct ProfileRecord {
    /// Number in the switch.
    members: BTreeMap<u32, u32>,
    groups: BTreeMap<u32, GroupRecord>,
}

#[derive(Debug, Clone)]
struct GroupRecord {
    /// Number in the switch.
    number: u32,
    written: ActionProfileGroup,
    /// Members of the switch that stand for weights, with the controller's id of the member.
    copies: Vec<(u32, u32)>,
}

/// The members and the group of an entry's own action set.
#[derive(Debug, Clone)]
pub(super) struct OneShot {
    pub group: u32,
    members: Vec<u32>,
    pub set: ActionProfileActionSet,
}

impl Control {
    /// Number in the switch of a member.
    pub(super) fn member(&self, profile: ActionProfileId, id: u32) -> Result<u32, Fault> {
        let found = self.profiles[profile.index()].members.get(&id).copied();
        found.ok_or_else(|| not_found(format!("unknown member {id}")))
    }

    /// Number in the switch of a group.
    pub(super) fn group(&self, profile: ActionProfileId, id: u32) -> Result<u32, Fault> {
        let found = self.profiles[profile.index()].groups.get(&id).map(|group| group.number);
        found.ok_or_else(|| not_found(format!("unknown group {id}")))
    }

    pub(super) fn member_id(&self, profile: ActionProfileId, number: u32) -> Option<u32> {
        let members = &self.profiles[profile.index()].members;
        members.iter().find(|(_, other)| **other == number).map(|(id, _)| *id)
    }

    pub(super) fn group_id(&self, profile: ActionProfileId, number: u32) -> Option<u32> {
        let groups = &self.profiles[profile.index()].groups;
        groups.iter().find(|(_, group)| group.number == number).map(|(id, _)| *id)
    }

    fn profile(&self, id: u32) -> Result<ActionProfileId, Fault> {
        let found = self.catalogue.profiles.get(&id).copied();
        found.ok_or_else(|| invalid(format!("unknown action profile id {id}")))
    }

    /// A table that uses the profile; all of them have the same actions.
    fn table_of(&self, profile: ActionProfileId) -> Result<TableId, Fault> {
        let tables = &self.catalogue.program.tables;
        let at = tables.iter().position(|table| table.profile == Some(profile));
        at.map(|at| TableId(at as u32)).ok_or_else(|| invalid("no table uses the action profile"))
    }

    fn member_action(&self, profile: ActionProfileId, action: Option<&Action>) -> Result<ActionValue, Fault> {
        let action = action.ok_or_else(|| invalid("the member has no action"))?;
        Ok(self.action_value(self.table_of(profile)?, action)?.0)
    }

    pub(super) fn write_member<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        change: Change,
        member: &ActionProfileMember,
    ) -> Result<(), Fault> {
        let profile = self.profile(member.action_profile_id)?;
        let id = member.member_id;
        let known = self.profiles[profile.index()].members.get(&id).copied();
        match change {
            Change::Insert => {
                if known.is_some() {
                    return Err(Fault::new(Code::AlreadyExists, format!("the member {id} already exists")));
                }
                let value = self.member_action(profile, member.action.as_ref())?;
                let number = switch.plane_mut().tables.profile_mut(profile).add_member(value)?;
                self.profiles[profile.index()].members.insert(id, number);
            }
            Change::Modify => {
                let number = known.ok_or_else(|| not_found(format!("unknown member {id}")))?;
                let value = self.member_action(profile, member.action.as_ref())?;
                let state = switch.plane_mut().tables.profile_mut(profile);
                state.modify_member(number, value.clone())?;
                let groups = self.profiles[profile.index()].groups.values();
                for (_, copy) in groups.flat_map(|group| &group.copies).filter(|(of, _)| *of == id) {
                    state.modify_member(*copy, value.clone())?;
                }
            }
            Change::Delete => {
                let number = known.ok_or_else(|| not_found(format!("unknown member {id}")))?;
                let groups = &self.profiles[profile.index()].groups;
                let in_group =
                    |group: &GroupRecord| group.written.members.iter().any(|of| of.member_id == id);
                let used = self.used(switch, profile, &EntryAction::Member(number));
                if used || groups.values().any(in_group) {
                    let text = format!("the member {id} is used by an entry or a group");
                    return Err(Fault::new(Code::FailedPrecondition, text));
                }
                switch.plane_mut().tables.profile_mut(profile).remove_member(number)?;
                self.profiles[profile.index()].members.remove(&id);
            }
        }
        Ok(())
    }

    /// Whether an entry of a table with the profile has this action.
    fn used<M: Machine + Send>(
        &self,
        switch: &P4Switch<M>,
        profile: ActionProfileId,
        action: &EntryAction,
    ) -> bool {
        let tables = self.catalogue.program.tables.iter().enumerate();
        let mut tables = tables.filter(|(_, table)| table.profile == Some(profile));
        tables.any(|(at, _)| {
            let state = switch.plane().tables.table(TableId(at as u32));
            state.entries().any(|(_, entry)| entry.action == *action)
        })
    }

    pub(super) fn write_group<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        change: Change,
        group: &ActionProfileGroup,
    ) -> Result<(), Fault> {
        let profile = self.profile(group.action_profile_id)?;
        let id = group.group_id;
        let known = self.profiles[profile.index()].groups.get(&id).map(|group| group.number);
        if self.catalogue.program.profiles[profile.index()].selector.is_none() {
            return Err(invalid("the action profile has no selector, so it has no groups"));
        }
        match change {
            Change::Insert => {
                if known.is_some() {
                    return Err(Fault::new(Code::AlreadyExists, format!("the group {id} already exists")));
                }
                self.check_group(profile, group)?;
                let number = switch.plane_mut().tables.profile_mut(profile).add_group()?;
                self.fill(switch, profile, number, group)?;
            }
            Change::Modify => {
                let number = known.ok_or_else(|| not_found(format!("unknown group {id}")))?;
                self.check_group(profile, group)?;
                let max_size = self.profiles[profile.index()].groups[&id].written.max_size;
                if group.max_size != 0 && group.max_size != max_size {
                    return Err(invalid(format!("`max_size` must stay {max_size}, got {}", group.max_size)));
                }
                self.empty(switch, profile, id)?;
                self.fill(switch, profile, number, &ActionProfileGroup { max_size, ..group.clone() })?;
            }
            Change::Delete => {
                let number = known.ok_or_else(|| not_found(format!("unknown group {id}")))?;
                if self.used(switch, profile, &EntryAction::Group(number)) {
                    let text = format!("the group {id} is used by an entry");
                    return Err(Fault::new(Code::FailedPrecondition, text));
                }
                self.empty(switch, profile, id)?;
                switch.plane_mut().tables.profile_mut(profile).remove_group(number)?;
                self.profiles[profile.index()].groups.remove(&id);
            }
        }
        Ok(())
    }

    fn check_group(&self, profile: ActionProfileId, group: &ActionProfileGroup) -> Result<(), Fault> {
        if group.max_size < 0 {
            return Err(invalid(format!("`max_size` must be >= 0, got {}", group.max_size)));
        }
        let mut seen = Vec::new();
        for member in &group.members {
            self.member(profile, member.member_id)?;
            if seen.contains(&member.member_id) {
                return Err(invalid(format!("the member {} is given twice", member.member_id)));
            }
            seen.push(member.member_id);
        }
        check_weights(group.members.iter().map(|member| member.weight), group.max_size)
    }

    /// Adds the members of a group that exists in the switch and has none.
    fn fill<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        profile: ActionProfileId,
        number: u32,
        group: &ActionProfileGroup,
    ) -> Result<(), Fault> {
        let mut copies = Vec::new();
        for GroupMember { member_id, weight, .. } in &group.members {
            let member = self.member(profile, *member_id)?;
            let state = switch.plane_mut().tables.profile_mut(profile);
            state.add_to_group(number, member)?;
            let Some(value) = state.member(member).cloned() else { continue };
            for _ in 1..*weight {
                let copy = state.add_copy(value.clone())?;
                state.add_to_group(number, copy)?;
                copies.push((*member_id, copy));
            }
        }
        let record = GroupRecord { number, written: group.clone(), copies };
        self.profiles[profile.index()].groups.insert(group.group_id, record);
        Ok(())
    }

    /// Removes all members of a group.
    fn empty<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        profile: ActionProfileId,
        id: u32,
    ) -> Result<(), Fault> {
        let Some(record) = self.profiles[profile.index()].groups.get(&id).cloned() else { return Ok(()) };
        for member in &record.written.members {
            let number = self.member(profile, member.member_id)?;
            switch.plane_mut().tables.profile_mut(profile).remove_from_group(record.number, number)?;
        }
        for (_, copy) in record.copies {
            switch.plane_mut().tables.profile_mut(profile).remove_member(copy)?;
        }
        Ok(())
    }

    /// Creates the members and the group of an entry's own action set.
    pub(super) fn action_set<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        table: TableId,
        profile: ActionProfileId,
        set: &ActionProfileActionSet,
    ) -> Result<OneShot, Fault> {
        if self.catalogue.program.profiles[profile.index()].selector.is_none() {
            return Err(invalid("the action profile has no selector, so its tables have no action sets"));
        }
        check_weights(set.actions.iter().map(|action| action.weight), 0)?;
        let mut values = Vec::new();
        for action in &set.actions {
            let given = action
                .action
                .as_ref()
                .ok_or_else(|| invalid("the action set has an entry without an action"))?;
            let (value, _) = self.action_value(table, given)?;
            values.extend((0..action.weight).map(|_| value.clone()));
        }
        let state = switch.plane_mut().tables.profile_mut(profile);
        let group = state.add_group()?;
        let mut members = Vec::with_capacity(values.len());
        for value in values {
            let member = state.add_copy(value)?;
            state.add_to_group(group, member)?;
            members.push(member);
        }
        Ok(OneShot { group, members, set: set.clone() })
    }

    /// Removes the members and the group of an action set.
    pub(super) fn release<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        table: TableId,
        one_shot: Option<OneShot>,
    ) {
        let profile = self.catalogue.program.tables[table.index()].profile;
        let (Some(profile), Some(one_shot)) = (profile, one_shot) else { return };
        let state = switch.plane_mut().tables.profile_mut(profile);
        let removed = one_shot.members.iter().all(|member| state.remove_member(*member).is_ok());
        let removed = state.remove_group(one_shot.group).is_ok() && removed;
        debug_assert!(removed, "an action set's members and group live as long as its entry");
    }

    pub(super) fn read_members<M: Machine + Send>(
        &self,
        switch: &P4Switch<M>,
        request: &ActionProfileMember,
        push: &mut impl FnMut(EntityKind),
    ) -> Result<(), Fault> {
        for (profile_id, profile) in self.selected_profiles(request.action_profile_id)? {
            let table = self.table_of(profile)?;
            for (id, number) in &self.profiles[profile.index()].members {
                if request.member_id != 0 && request.member_id != *id {
                    continue;
                }
                let value = switch.plane().tables.profile(profile).member(*number);
                push(EntityKind::ActionProfileMember(ActionProfileMember {
                    action_profile_id: profile_id,
                    member_id: *id,
                    action: value.map(|value| self.action(table, value)),
                }));
            }
        }
        Ok(())
    }

    pub(super) fn read_groups(
        &self,
        request: &ActionProfileGroup,
        push: &mut impl FnMut(EntityKind),
    ) -> Result<(), Fault> {
        for (_, profile) in self.selected_profiles(request.action_profile_id)? {
            for (id, group) in &self.profiles[profile.index()].groups {
                if request.group_id == 0 || request.group_id == *id {
                    push(EntityKind::ActionProfileGroup(group.written.clone()));
                }
            }
        }
        Ok(())
    }

    fn selected_profiles(&self, id: u32) -> Result<Vec<(u32, ActionProfileId)>, Fault> {
        match id {
            0 => Ok(self.catalogue.profiles.iter().map(|(id, profile)| (*id, *profile)).collect()),
            id => Ok(vec![(id, self.profile(id)?)]),
        }
    }
}

fn check_weights(weights: impl Iterator<Item = i32>, max_size: i32) -> Result<(), Fault> {
    let mut sum = 0i64;
    for weight in weights {
        if weight <= 0 {
            return Err(invalid(format!("a weight must be > 0, got {weight}")));
        }
        sum += i64::from(weight);
    }
    let limit = if max_size > 0 { i64::from(max_size) } else { MAX_WEIGHTS };
    if sum > limit {
        return Err(Fault::new(
            Code::ResourceExhausted,
            format!("the sum of the weights must be <= {limit}, got {sum}"),
        ));
    }
    Ok(())
}
