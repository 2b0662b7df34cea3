//! Idle timeouts of entries (§9.1.9).

use jettison_core::Time;
use jettison_p4_exec::Machine;
use jettison_p4_exec::table::Handle;
use jettison_p4_front::ir::TableId;
use jettison_p4_v1model::P4Switch;

use super::Control;
use super::table_read::nanos;
use crate::proto::runtime::{IdleTimeoutNotification, TableEntry};

impl Control {
    /// Entries that were neither hit nor written for their timeout. Each is reported once, until it is hit again.
    ///
    /// A hit only postpones, so the entries are looked at no sooner than the earliest could be idle.
    pub(super) fn idle_entries<M: Machine + Send>(
        &mut self,
        switch: &P4Switch<M>,
        now: Time,
    ) -> Option<IdleTimeoutNotification> {
        if now < self.next_idle {
            return None;
        }
        let mut idle: Vec<(TableId, Handle)> = Vec::new();
        let mut next = Time::MAX;
        for (at, records) in self.entries.iter_mut().enumerate() {
            let table = TableId(at as u32);
            if !self.catalogue.table_specs[at].supports_timeout {
                continue;
            }
            for (number, record) in records.iter_mut().filter(|(_, record)| record.idle_timeout > 0) {
                let handle = Handle(*number);
                let since = switch.plane().tables.table(table).last_hit(handle).max(record.written);
                let timeout = record.timeout();
                if now.since(since) < timeout {
                    next = next.min(since.saturating_add(timeout));
                    continue;
                }
                // A hit after this instant makes it idle again no sooner than then.
                next = next.min(now.saturating_add(timeout));
                if record.notified != Some(since) {
                    record.notified = Some(since);
                    idle.push((table, handle));
                }
            }
        }
        self.next_idle = next;
        if idle.is_empty() {
            return None;
        }
        idle.sort_unstable(); // the order of a hash table must not show
        let request = TableEntry::default();
        let entries = idle.into_iter().filter_map(|(table, handle)| {
            let entry = switch.plane().tables.table(table).entry(handle)?;
            Some(self.entry(switch, table, handle, entry, &request, now))
        });
        Some(IdleTimeoutNotification { table_entry: entries.collect(), timestamp: nanos(now.as_nanos()) })
    }
}
