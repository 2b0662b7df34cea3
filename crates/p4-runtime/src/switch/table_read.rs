//! Reads of table entries.

use jettison_core::Time;
use jettison_p4_exec::Machine;
use jettison_p4_exec::table::{Entry, EntryAction, Handle};
use jettison_p4_front::ir::{ActionValue, MatchKind, TableId};
use jettison_p4_v1model::P4Switch;

use super::{Control, counters, matches, meters};
use crate::fault::{Fault, invalid};
use crate::proto::runtime::{Action, ActionParam, IdleTimeout, TableAction, TableActionKind, TableEntry};

impl Control {
    /// Entries of one table or of all (id 0); one entry if the request has a key; the default action if it says so.
    pub(super) fn read_entries<M: Machine + Send>(
        &self,
        switch: &P4Switch<M>,
        request: &TableEntry,
        now: Time,
        push: &mut impl FnMut(TableEntry),
    ) -> Result<(), Fault> {
        if request.table_id == 0 && !request.match_fields.is_empty() {
            return Err(invalid("a request with match fields must name a table"));
        }
        for table in self.selected_tables(request.table_id)? {
            if request.is_default_action {
                push(self.default_entry(switch, table));
                continue;
            }
            if !request.match_fields.is_empty() {
                let key = self.key(table, request)?;
                let state = switch.plane().tables.table(table);
                if let Some(handle) = state.find(&key.keys, key.priority)?
                    && let Some(entry) = state.entry(handle)
                {
                    push(self.entry(switch, table, handle, entry, request, now));
                }
                continue;
            }
            for (handle, entry) in switch.plane().tables.table(table).entries() {
                let priority = self.shown_priority(table, entry);
                if request.priority == 0 || request.priority == priority {
                    push(self.entry(switch, table, handle, entry, request, now));
                }
            }
        }
        Ok(())
    }

    pub(super) fn selected_tables(&self, id: u32) -> Result<Vec<TableId>, Fault> {
        match id {
            0 => Ok(self.catalogue.tables.values().copied().collect()),
            id => Ok(vec![self.catalogue.table(id)?]),
        }
    }

    /// An entry with the parts that the request asks for.
    pub(super) fn entry<M: Machine + Send>(
        &self,
        switch: &P4Switch<M>,
        table: TableId,
        handle: Handle,
        entry: &Entry,
        request: &TableEntry,
        now: Time,
    ) -> TableEntry {
        let spec = self.catalogue.spec(table);
        let program = &self.catalogue.program.tables[table.index()];
        let record = self.entries[table.index()].get(&handle.0);
        let one_shot = record.and_then(|record| record.one_shot.as_ref());
        let kind = match one_shot {
            Some(one_shot) => Some(TableActionKind::ActionSet(one_shot.set.clone())),
            None => self.table_action(table, &entry.action),
        };
        let index = u64::from(handle.0);
        let counted = program.direct_counter.filter(|_| request.counter_data.is_some());
        let metered = program.direct_meter.filter(|_| request.meter_config.is_some());
        let hit = || {
            let last = switch.plane().tables.table(table).last_hit(handle);
            let since = record.map_or(last, |record| record.written.max(last));
            IdleTimeout { elapsed_ns: nanos(now.since(since).as_nanos()) }
        };
        let elapsed = request.time_since_last_hit.is_some() && spec.supports_timeout;
        TableEntry {
            table_id: spec.id,
            match_fields: matches::write(&spec.fields, entry),
            action: kind.map(|kind| TableAction { kind: Some(kind) }),
            priority: self.shown_priority(table, entry),
            controller_metadata: record.map_or(0, |record| record.controller_metadata),
            metadata: record.map_or_else(Vec::new, |record| record.metadata.clone()),
            meter_config: metered.and_then(|id| meters::config(switch, id, index)),
            counter_data: counted.map(|id| counters::data(switch, id, index)),
            meter_counter_data: None,
            is_default_action: false,
            idle_timeout_ns: record.map_or(0, |record| record.idle_timeout),
            time_since_last_hit: elapsed.then(hit),
            is_const: program.entries_are_const,
        }
    }

    /// Priority of an entry for the controller.
    fn shown_priority(&self, table: TableId, entry: &Entry) -> i32 {
        match self.is_prioritized(table) {
            true => i32::try_from(entry.priority + self.priority_shift(table)).unwrap_or(i32::MAX),
            false => 0,
        }
    }

    /// What is added to the priorities of a table's `const` entries, so that all are > 0 for the controller.
    pub(super) fn priority_shift(&self, table: TableId) -> i64 {
        let table = &self.catalogue.program.tables[table.index()];
        if !table.entries_are_const {
            return 0;
        }
        1 - table.entries.iter().map(|entry| entry.priority).min().unwrap_or(1).min(1)
    }

    /// Whether priorities decide among matching entries.
    pub(super) fn is_prioritized(&self, table: TableId) -> bool {
        let keys = &self.catalogue.program.tables[table.index()].keys;
        keys.iter().any(|key| matches!(key.kind, MatchKind::Ternary | MatchKind::Range | MatchKind::Optional))
    }

    pub(super) fn default_entry<M: Machine + Send>(
        &self,
        switch: &P4Switch<M>,
        table: TableId,
    ) -> TableEntry {
        let kind = self.table_action(table, switch.plane().tables.table(table).default());
        TableEntry {
            table_id: self.catalogue.spec(table).id,
            action: kind.map(|kind| TableAction { kind: Some(kind) }),
            is_default_action: true,
            ..TableEntry::default()
        }
    }

    fn table_action(&self, table: TableId, action: &EntryAction) -> Option<TableActionKind> {
        let profile = self.catalogue.program.tables[table.index()].profile;
        match action {
            EntryAction::Action(value) => Some(TableActionKind::Action(self.action(table, value))),
            EntryAction::Member(number) => self.member_id(profile?, *number).map(TableActionKind::Member),
            EntryAction::Group(number) => self.group_id(profile?, *number).map(TableActionKind::Group),
        }
    }

    pub(super) fn action(&self, table: TableId, value: &ActionValue) -> Action {
        let spec = &self.catalogue.spec(table).actions[value.action as usize];
        let params = spec.params.iter().zip(&value.data);
        let params = params.map(|(param, data)| ActionParam { param_id: param.id, value: param.write(data) });
        Action { action_id: spec.id, params: params.collect() }
    }
}

/// Nanoseconds of a message.
pub(super) fn nanos(nanos: u64) -> i64 {
    i64::try_from(nanos).unwrap_or(i64::MAX)
}
