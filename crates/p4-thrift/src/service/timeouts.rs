//! Idle timeouts of entries. The switch remembers hits; BMv2's notices of idle entries go over nanomsg, which is not spoken here.

use std::collections::HashMap;

use jettison_core::Time;
use jettison_p4_exec::compiled::Compiled;
use jettison_p4_exec::table::Handle;
use jettison_p4_front::ir::TableId;
use jettison_p4_v1model::P4Switch;

use crate::codec::Fields;

/// Timeouts in milliseconds, by table and entry, with the time at which they were set.
#[derive(Debug, Default)]
pub(super) struct Timeouts(HashMap<(TableId, Handle), (i32, Time)>);

impl Timeouts {
    pub fn set(&mut self, table: TableId, entry: Handle, timeout_ms: i32, now: Time) {
        self.0.insert((table, entry), (timeout_ms, now));
    }

    pub fn remove(&mut self, table: TableId, entry: Handle) {
        self.0.remove(&(table, entry));
    }

    pub fn remove_table(&mut self, table: TableId) {
        self.0.retain(|(own, _), _| *own != table);
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// `BmMtEntryLife` of an entry of a table with timeouts.
    pub fn life(
        &self,
        switch: &P4Switch<Compiled>,
        table: TableId,
        entry: Handle,
        now: Time,
    ) -> Option<Fields> {
        let notes = switch.program().control_plane.tables.get(table.index())?;
        if !notes.supports_timeout {
            return None;
        }
        let (timeout, set) = self.0.get(&(table, entry)).copied().unwrap_or((0, Time::ZERO));
        let since = now.since(switch.plane().tables.table(table).last_hit(entry).max(set));
        let since = i32::try_from(since.as_nanos() / 1_000_000).unwrap_or(i32::MAX);
        Some(Fields::new().with(1, timeout).with(2, since))
    }
}
