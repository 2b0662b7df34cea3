//! The forwarding state of a program for another one, by names (§14, `RECONCILE_AND_COMMIT`).

use std::collections::BTreeMap;

use jettison_core::Time;
use jettison_p4_exec::Machine;
use jettison_p4_exec::table::EntryAction;
use jettison_p4_front::ir::{ExternId, ExternKind, TableId};
use jettison_p4_v1model::P4Switch;

use super::{Change, Control};
use crate::catalogue::{ActionSpec, FieldSpec};
use crate::fault::{Code, Fault, invalid};
use crate::info::plain;
use crate::proto::runtime::{
    Action, ActionProfileGroup, ActionProfileMember, CounterData, EntityKind, MeterConfig, TableAction,
    TableActionKind, TableEntry, ValueSetEntry,
};

impl Control {
    /// Takes over what `old` and its switch `from` hold: entries, default actions, members and groups, value sets, multicast groups,
    /// clone sessions, digests, registers, counters and meters. `self` and `switch` are as new. Idle timeouts begin at `now`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if something cannot be kept: its object does not exist in the new program, or has another form. Counts,
    /// rates of meters and digests of objects that have gone are lost without an error.
    pub(crate) fn carry_over<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        old: &Control,
        from: &P4Switch<M>,
        now: Time,
    ) -> Result<(), Fault> {
        switch.carry_replication(from);
        self.replications = old.replications.clone();
        self.carry_objects(switch, old, from)?;
        self.carry_profiles(switch, old, from)?;
        for at in 0..old.catalogue.program.tables.len() {
            self.carry_table(switch, old, from, TableId(at as u32), now)?;
        }
        self.carry_value_sets(switch, old, from)?;
        self.carry_digests(old);
        Ok(())
    }

    fn carry_objects<M: Machine + Send>(
        &self,
        switch: &mut P4Switch<M>,
        old: &Control,
        from: &P4Switch<M>,
    ) -> Result<(), Fault> {
        let externs = &self.catalogue.program.externs;
        for (at, object) in old.catalogue.program.externs.iter().enumerate() {
            let id = ExternId(at as u32);
            // Direct objects are indexed by entries, and go with them.
            if matches!(object.kind, ExternKind::DirectCounter | ExternKind::DirectMeter { .. }) {
                continue;
            }
            let found = externs.iter().position(|other| plain(&other.name) == plain(&object.name));
            let found = found.map(|at| ExternId(at as u32));
            let objects = &mut switch.plane_mut().objects;
            let is_kept = found.is_some_and(|found| objects.carry(found, &from.plane().objects, id));
            let is_register = matches!(object.kind, ExternKind::Register { .. });
            if !is_kept && is_register && !from.plane().objects.register(id).is_zero() {
                return Err(lost(
                    &format!("the register `{}`", plain(&object.name)),
                    match found {
                        None => "the new program has none of this name",
                        Some(_) => "it has another size or type in the new program",
                    },
                ));
            }
        }
        Ok(())
    }

    fn carry_profiles<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        old: &Control,
        from: &P4Switch<M>,
    ) -> Result<(), Fault> {
        let mut held = Vec::new();
        old.read_members(from, &ActionProfileMember::default(), &mut |entity| held.push(entity))?;
        old.read_groups(&ActionProfileGroup::default(), &mut |entity| held.push(entity))?;
        for entity in held {
            let profile = |id: u32| {
                let name = old.catalogue.profiles.get(&id);
                let name = name.map(|at| plain(&old.catalogue.program.profiles[at.index()].name).to_owned());
                let name = name.unwrap_or_default();
                let what = format!("the action profile `{name}`");
                let profiles = &self.catalogue.program.profiles;
                let mut of_name = self.catalogue.profiles.iter();
                let found = of_name.find(|(_, at)| plain(&profiles[at.index()].name) == name);
                match found {
                    Some((id, _)) => Ok((*id, what)),
                    None => Err(lost(&what, "the new program has none of this name")),
                }
            };
            let done = match entity {
                EntityKind::ActionProfileMember(member) => {
                    let (action_profile_id, what) = profile(member.action_profile_id)?;
                    let table = old.profile_table(member.action_profile_id);
                    let table = table.and_then(|table| Some((table, self.same_table(old, table)?)));
                    let action = match (&member.action, table) {
                        (Some(action), Some((was, is))) => self.renamed(old, was, is, action),
                        _ => None,
                    };
                    let action = action.ok_or_else(|| lost(&what, "an action of it has gone"))?;
                    let member = ActionProfileMember { action_profile_id, action: Some(action), ..member };
                    self.write_member(switch, Change::Insert, &member).map_err(|fault| kept(&what, &fault))
                }
                EntityKind::ActionProfileGroup(group) => {
                    let (action_profile_id, what) = profile(group.action_profile_id)?;
                    let group = ActionProfileGroup { action_profile_id, ..group };
                    self.write_group(switch, Change::Insert, &group).map_err(|fault| kept(&what, &fault))
                }
                _ => Ok(()),
            };
            done?;
        }
        Ok(())
    }

    fn carry_table<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        old: &Control,
        from: &P4Switch<M>,
        was: TableId,
        now: Time,
    ) -> Result<(), Fault> {
        let before = &old.catalogue.program.tables[was.index()];
        let what = format!("the table `{}`", plain(&before.name));
        let state = from.plane().tables.table(was);
        let unchanged = *state.default() == EntryAction::Action(before.default.clone());
        let Some(is) = self.same_table(old, was) else {
            return match state.is_empty() || before.entries_are_const {
                true => Ok(()),
                false => Err(lost(&what, "the new program has none of this name")),
            };
        };
        let is_const = self.catalogue.program.tables[is.index()].entries_are_const;
        let spec_id = self.catalogue.spec(is).id;
        if !unchanged {
            let action = old.default_entry(from, was).action;
            let action = action.and_then(|action| self.renamed_table_action(old, was, is, &action));
            let action = action.ok_or_else(|| lost(&what, "its default action has gone"))?;
            let entry = TableEntry {
                table_id: spec_id,
                is_default_action: true,
                action: Some(action),
                ..TableEntry::default()
            };
            self.write_default(switch, Change::Modify, is, &entry).map_err(|fault| kept(&what, &fault))?;
        }
        if before.entries_are_const || (state.is_empty() && is_const) {
            return Ok(());
        }
        switch.plane_mut().tables.table_mut(is).clear().map_err(|error| kept(&what, &error.into()))?;
        let request = TableEntry {
            table_id: old.catalogue.spec(was).id,
            counter_data: Some(CounterData::default()),
            meter_config: Some(MeterConfig::default()),
            ..TableEntry::default()
        };
        let mut entries = Vec::new();
        old.read_entries(from, &request, now, &mut |entry| entries.push(entry))?;
        let (fields, new_fields) = (&old.catalogue.spec(was).fields, &self.catalogue.spec(is).fields);
        let fields = matching_fields(fields, new_fields);
        if fields.is_none() && !entries.is_empty() {
            return Err(lost(&what, "its keys are others in the new program"));
        }
        let fields = fields.unwrap_or_default();
        for entry in entries {
            let action =
                entry.action.as_ref().and_then(|given| self.renamed_table_action(old, was, is, given));
            let action = action.ok_or_else(|| lost(&what, "an action of its entries has gone"))?;
            let mut match_fields = entry.match_fields.clone();
            for field in &mut match_fields {
                field.field_id = fields.get(&field.field_id).copied().unwrap_or_default();
            }
            let after = &self.catalogue.program.tables[is.index()];
            let entry = TableEntry {
                table_id: spec_id,
                match_fields,
                action: Some(action),
                counter_data: entry.counter_data.filter(|_| after.direct_counter.is_some()),
                meter_config: entry.meter_config.filter(|_| after.direct_meter.is_some()),
                ..entry
            };
            self.write_entry(switch, Change::Insert, &entry, now).map_err(|fault| kept(&what, &fault))?;
        }
        Ok(())
    }

    fn carry_value_sets<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        old: &Control,
        from: &P4Switch<M>,
    ) -> Result<(), Fault> {
        let mut held = Vec::new();
        old.read_value_sets(from, &ValueSetEntry::default(), &mut |entity| held.push(entity))?;
        for entity in held {
            let EntityKind::ValueSetEntry(entry) = entity else { continue };
            let Some((set, _)) = old.catalogue.value_sets.get(&entry.value_set_id) else { continue };
            let name = plain(&old.catalogue.program.value_sets[set.index()].name);
            let what = format!("the value set `{name}`");
            let sets = &self.catalogue.program.value_sets;
            let found =
                self.catalogue.value_sets.iter().find(|(_, (at, _))| plain(&sets[at.index()].name) == name);
            match found {
                Some((id, _)) => {
                    let entry = ValueSetEntry { value_set_id: *id, ..entry };
                    self.write_value_set(switch, Change::Modify, &entry)
                        .map_err(|fault| kept(&what, &fault))?;
                }
                None if entry.members.is_empty() => {}
                None => return Err(lost(&what, "the new program has none of this name")),
            }
        }
        Ok(())
    }

    /// The table of the same name.
    fn same_table(&self, old: &Control, was: TableId) -> Option<TableId> {
        let name = plain(&old.catalogue.program.tables[was.index()].name);
        let found = self.catalogue.program.tables.iter().position(|table| plain(&table.name) == name);
        found.map(|at| TableId(at as u32))
    }

    /// A table that uses a profile.
    fn profile_table(&self, profile: u32) -> Option<TableId> {
        let profile = self.catalogue.profiles.get(&profile)?;
        let found = self.catalogue.program.tables.iter().position(|table| table.profile == Some(*profile));
        found.map(|at| TableId(at as u32))
    }

    fn renamed_table_action(
        &self,
        old: &Control,
        was: TableId,
        is: TableId,
        given: &TableAction,
    ) -> Option<TableAction> {
        let kind = match given.kind.clone()? {
            TableActionKind::Action(action) => TableActionKind::Action(self.renamed(old, was, is, &action)?),
            TableActionKind::ActionSet(mut set) => {
                for each in &mut set.actions {
                    each.action = Some(self.renamed(old, was, is, each.action.as_ref()?)?);
                }
                TableActionKind::ActionSet(set)
            }
            other => other,
        };
        Some(TableAction { kind: Some(kind) })
    }

    /// The action of the same name with the same parameters.
    fn renamed(&self, old: &Control, was: TableId, is: TableId, action: &Action) -> Option<Action> {
        let (before, after) = (old.catalogue.spec(was), self.catalogue.spec(is));
        let at = before.actions.iter().position(|spec| spec.id == action.action_id)?;
        let name = plain(&old.catalogue.program.tables[was.index()].actions[at].name);
        let listed = &self.catalogue.program.tables[is.index()].actions;
        let found = listed.iter().position(|listed| plain(&listed.name) == name)?;
        let (before, after): (&ActionSpec, &ActionSpec) = (&before.actions[at], &after.actions[found]);
        let mut params = action.params.clone();
        for param in &mut params {
            let name = &before.params.iter().find(|spec| spec.id == param.param_id)?.name;
            param.param_id = after.params.iter().find(|spec| spec.name == *name)?.id;
        }
        Some(Action { action_id: after.id, params })
    }
}

/// New ids by old ones, if both tables have fields of the same names and kinds.
fn matching_fields(old: &[FieldSpec], new: &[FieldSpec]) -> Option<BTreeMap<u32, u32>> {
    if old.len() != new.len() {
        return None;
    }
    let pairs = old.iter().map(|field| {
        let same = new.iter().find(|other| other.value.name == field.value.name && other.kind == field.kind);
        same.map(|other| (field.value.id, other.value.id))
    });
    pairs.collect()
}

/// The state of an object that cannot be kept.
fn lost(what: &str, why: &str) -> Fault {
    invalid(format!("the state of {what} cannot be kept: {why}"))
}

fn kept(what: &str, fault: &Fault) -> Fault {
    Fault::new(Code::InvalidArgument, format!("the state of {what} cannot be kept: {fault}"))
}
