//! Writes of table entries (§9.1).

use jettison_core::{Duration, Time};
use jettison_p4_exec::Machine;
use jettison_p4_exec::table::{Entry, EntryAction, Handle};
use jettison_p4_front::ir::{ActionValue, TableId};
use jettison_p4_v1model::P4Switch;

use super::members::OneShot;
use super::{Change, Control, matches};
use crate::catalogue::ActionSpec;
use crate::fault::{Code, Fault, invalid, not_found};
use crate::proto::runtime::{Action, TableAction, TableActionKind, TableEntry};

/// What the controller stored with an entry.
#[derive(Debug, Clone, Default)]
pub(super) struct EntryRecord {
    pub metadata: Vec<u8>,
    pub controller_metadata: u64,
    /// In nanoseconds; 0 for none.
    pub idle_timeout: i64,
    /// When the timeout began, if the entry has not been hit since.
    pub written: Time,
    /// Last hit, or write, of which a notification was sent.
    pub notified: Option<Time>,
    pub one_shot: Option<OneShot>,
}

impl EntryRecord {
    /// The idle timeout; zero for none.
    pub fn timeout(&self) -> Duration {
        Duration::from_nanos(u64::try_from(self.idle_timeout).unwrap_or(0))
    }
}

impl Control {
    pub(super) fn write_entry<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        change: Change,
        entry: &TableEntry,
        now: Time,
    ) -> Result<(), Fault> {
        let table = self.catalogue.table(entry.table_id)?;
        if entry.is_default_action {
            return self.write_default(switch, change, table, entry);
        }
        if entry.is_const && change != Change::Delete {
            return Err(invalid("`is_const` must be false"));
        }
        let wanted = self.key(table, entry)?;
        let state = switch.plane().tables.table(table);
        let is_const = self.catalogue.program.tables[table.index()].entries_are_const;
        let found = state.find(&wanted.keys, wanted.priority)?;
        match change {
            Change::Insert if is_const => Err(read_only()),
            Change::Insert if self.catalogue.spec(table).fields.is_empty() => {
                Err(invalid("a table without keys has no entries, only a default action"))
            }
            Change::Insert if found.is_some() => {
                Err(Fault::new(Code::AlreadyExists, "an entry with this key already exists"))
            }
            Change::Insert => {
                self.check_entry(table, entry)?;
                let given = entry.action.as_ref().ok_or_else(|| invalid("the entry has no action"))?;
                let (action, one_shot) = self.entry_action(switch, table, given)?;
                let inserted = switch.plane_mut().tables.table_mut(table).insert(Entry { action, ..wanted });
                let handle = match inserted {
                    Ok(handle) => handle,
                    Err(error) => {
                        self.release(switch, table, one_shot);
                        return Err(error.into());
                    }
                };
                self.write_direct(switch, table, handle, entry, change);
                self.record(table, handle, entry, one_shot, now);
                Ok(())
            }
            Change::Modify => {
                let handle = found.ok_or_else(|| not_found("no entry has this key"))?;
                if is_const && entry.action.is_some() {
                    return Err(read_only());
                }
                self.check_entry(table, entry)?;
                let mut one_shot = None;
                if let Some(given) = &entry.action {
                    let (action, made) = self.entry_action(switch, table, given)?;
                    if let Err(error) = switch.plane_mut().tables.table_mut(table).modify(handle, action) {
                        self.release(switch, table, made);
                        return Err(error.into());
                    }
                    let old =
                        self.entries[table.index()].remove(&handle.0).and_then(|record| record.one_shot);
                    self.release(switch, table, old);
                    one_shot = made;
                } else if let Some(record) = self.entries[table.index()].remove(&handle.0) {
                    one_shot = record.one_shot;
                }
                self.write_direct(switch, table, handle, entry, change);
                self.record(table, handle, entry, one_shot, now);
                Ok(())
            }
            Change::Delete if is_const => Err(read_only()),
            Change::Delete => {
                let handle = found.ok_or_else(|| not_found("no entry has this key"))?;
                switch.plane_mut().tables.table_mut(table).remove(handle)?;
                let old = self.entries[table.index()].remove(&handle.0).and_then(|record| record.one_shot);
                self.release(switch, table, old);
                Ok(())
            }
        }
    }

    /// Key and priority of an entry; its action is a placeholder.
    pub(super) fn key(&self, table: TableId, entry: &TableEntry) -> Result<Entry, Fault> {
        let spec = self.catalogue.spec(table);
        let keys = matches::read(&spec.fields, &entry.match_fields)?;
        let prioritized = self.is_prioritized(table);
        match (prioritized, entry.priority) {
            (true, ..=0) => {
                return Err(invalid(format!(
                    "the priority must be > 0, because the table has ternary, range or optional keys; got {}",
                    entry.priority
                )));
            }
            (false, priority) if priority != 0 => {
                return Err(invalid(format!(
                    "the priority must be 0, because all keys are exact or lpm; got {priority}"
                )));
            }
            _ => {}
        }
        let priority = i64::from(entry.priority) - self.priority_shift(table) * i64::from(prioritized);
        Ok(Entry { keys, priority, action: EntryAction::Member(0) })
    }

    /// Checks what an entry says beside key and action.
    fn check_entry(&self, table: TableId, entry: &TableEntry) -> Result<(), Fault> {
        let spec = self.catalogue.spec(table);
        if entry.idle_timeout_ns < 0 || (entry.idle_timeout_ns > 0 && !spec.supports_timeout) {
            return Err(invalid(format!(
                "the idle timeout must be >= 0, and 0 for a table without `support_timeout`; got {} ns",
                entry.idle_timeout_ns
            )));
        }
        let ir = &self.catalogue.program.tables[table.index()];
        if entry.counter_data.is_some() && ir.direct_counter.is_none() {
            return Err(invalid("the table has no direct counter"));
        }
        if entry.counter_data.as_ref().is_some_and(|data| data.packet_count < 0 || data.byte_count < 0) {
            return Err(invalid("a count must be >= 0"));
        }
        if entry.meter_config.is_some() && ir.direct_meter.is_none() {
            return Err(invalid("the table has no direct meter"));
        }
        entry.meter_config.as_ref().map_or(Ok(()), |config| super::meters::rates(config).map(|_| ()))
    }

    fn record(
        &mut self,
        table: TableId,
        handle: Handle,
        entry: &TableEntry,
        one_shot: Option<OneShot>,
        now: Time,
    ) {
        let plain = entry.metadata.is_empty() && entry.controller_metadata == 0 && entry.idle_timeout_ns == 0;
        if plain && one_shot.is_none() && !self.catalogue.spec(table).supports_timeout {
            return;
        }
        let record = EntryRecord {
            metadata: entry.metadata.clone(),
            controller_metadata: entry.controller_metadata,
            idle_timeout: entry.idle_timeout_ns,
            written: now,
            notified: None,
            one_shot,
        };
        if record.idle_timeout > 0 {
            self.next_idle = self.next_idle.min(now.saturating_add(record.timeout()));
        }
        self.entries[table.index()].insert(handle.0, record);
    }

    /// Default actions are only modified; without an action, the program's own returns.
    pub(super) fn write_default<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        change: Change,
        table: TableId,
        entry: &TableEntry,
    ) -> Result<(), Fault> {
        super::only_modify(change, "a default action")?;
        if !entry.match_fields.is_empty() || entry.priority != 0 {
            return Err(invalid("a default action has neither match fields nor a priority"));
        }
        if entry.idle_timeout_ns != 0 {
            return Err(invalid("a default action has no idle timeout"));
        }
        if self.catalogue.program.tables[table.index()].default_is_const {
            return Err(Fault::new(Code::PermissionDenied, "the default action of this table is `const`"));
        }
        let Some(given) = &entry.action else {
            switch.plane_mut().tables.table_mut(table).reset_default();
            return Ok(());
        };
        let Some(TableActionKind::Action(action)) = &given.kind else {
            return Err(Fault::new(
                Code::Unimplemented,
                "a default action must be an action, not a member or group",
            ));
        };
        let (action, scope) = self.action_value(table, action)?;
        if scope.table_only {
            return Err(invalid("this action is `@tableonly`"));
        }
        switch.plane_mut().tables.table_mut(table).set_default(EntryAction::Action(action))?;
        Ok(())
    }

    /// The action of an entry.
    fn entry_action<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        table: TableId,
        given: &TableAction,
    ) -> Result<(EntryAction, Option<OneShot>), Fault> {
        let profile = self.catalogue.program.tables[table.index()].profile;
        match (profile, given.kind.as_ref().ok_or_else(|| invalid("the entry has no action"))?) {
            (None, TableActionKind::Action(action)) => {
                let (value, scope) = self.action_value(table, action)?;
                if scope.default_only {
                    return Err(Fault::new(Code::PermissionDenied, "this action is `@defaultonly`"));
                }
                Ok((EntryAction::Action(value), None))
            }
            (None, _) => Err(invalid("the table has no action profile: its entries have actions")),
            (Some(_), TableActionKind::Action(_)) => Err(invalid(
                "the table has an action profile: its entries have members, groups or action sets",
            )),
            (Some(profile), TableActionKind::Member(member)) => {
                Ok((EntryAction::Member(self.member(profile, *member)?), None))
            }
            (Some(profile), TableActionKind::Group(group)) => {
                Ok((EntryAction::Group(self.group(profile, *group)?), None))
            }
            (Some(profile), TableActionKind::ActionSet(set)) => {
                let one_shot = self.action_set(switch, table, profile, set)?;
                Ok((EntryAction::Group(one_shot.group), Some(one_shot)))
            }
        }
    }

    /// An action with its data, and where the table allows it.
    pub(super) fn action_value(
        &self,
        table: TableId,
        action: &Action,
    ) -> Result<(ActionValue, Scope), Fault> {
        let spec = self.catalogue.spec(table);
        let at = spec.actions.iter().position(|spec| spec.id == action.action_id);
        let at =
            at.ok_or_else(|| invalid(format!("the table has no action with the id {}", action.action_id)))?;
        let ActionSpec { params, .. } = &spec.actions[at];
        if action.params.len() != params.len() {
            let (wanted, given) = (params.len(), action.params.len());
            return Err(invalid(format!("the action has {wanted} parameters, got {given}")));
        }
        let mut data = Vec::with_capacity(params.len());
        for param in params {
            let given = action.params.iter().find(|given| given.param_id == param.id);
            let given = given.ok_or_else(|| invalid(format!("missing parameter `{}`", param.name)))?;
            data.push(param.read(&given.value)?);
        }
        let listed = &self.catalogue.program.tables[table.index()].actions[at];
        let scope = Scope { table_only: listed.table_only, default_only: listed.default_only };
        Ok((ActionValue { action: at as u32, data }, scope))
    }
}

/// Where a table allows an action.
pub(super) struct Scope {
    pub table_only: bool,
    pub default_only: bool,
}

fn read_only() -> Fault {
    Fault::new(Code::PermissionDenied, "the entries of this table are `const`")
}
