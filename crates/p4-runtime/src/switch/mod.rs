//! Control of a P4 switch by P4Runtime's entities, without I/O.

mod carry;
mod counters;
mod digests;
mod idle;
mod matches;
mod members;
mod meters;
mod registers;
mod replication;
mod table_read;
mod tables;

use std::collections::BTreeMap;

use jettison_core::Time;
use jettison_p4_exec::Machine;
use jettison_p4_v1model::P4Switch;
use rustc_hash::FxHashMap;

use crate::catalogue::Catalogue;
use crate::fault::{Code, Fault, invalid};
use crate::proto::runtime::{Entity, EntityKind, IdleTimeoutNotification, Update};
use digests::DigestState;
use members::ProfileRecord;
use replication::Replications;
use tables::EntryRecord;

pub use digests::ListReady;

/// Kind of a change: `Update.Type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Adds an entity.
    Insert,
    /// Changes an entity.
    Modify,
    /// Removes an entity.
    Delete,
}

/// What P4Runtime knows of a switch beside the switch's own state.
#[derive(Debug, Clone)]
pub struct Control {
    catalogue: Catalogue,
    /// By table and handle.
    entries: Vec<FxHashMap<u32, EntryRecord>>,
    /// By profile.
    profiles: Vec<ProfileRecord>,
    replications: Replications,
    digests: BTreeMap<u32, DigestState>,
    next_list: u64,
    /// No entry is idle before this instant.
    next_idle: Time,
}

impl Control {
    /// Control of a switch that has just been built, with the entries of its program.
    pub fn new(catalogue: Catalogue) -> Control {
        let program = catalogue.program.clone();
        Control {
            entries: vec![FxHashMap::default(); program.tables.len()],
            profiles: vec![ProfileRecord::default(); program.profiles.len()],
            replications: Replications::default(),
            digests: BTreeMap::new(),
            next_list: 1,
            next_idle: Time::MAX,
            catalogue,
        }
    }

    /// The program's objects.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Begins the timeouts of all entries, because the program begins to run.
    pub fn restart(&mut self, now: Time) {
        self.next_idle = Time::MAX;
        for record in self.entries.iter_mut().flat_map(|records| records.values_mut()) {
            (record.written, record.notified) = (now, None);
            if record.idle_timeout > 0 {
                self.next_idle = self.next_idle.min(now.saturating_add(record.timeout()));
            }
        }
    }

    /// Forgets the entities of a switch that has returned to its program's own entries. Digests stay configured.
    pub fn forget(&mut self) {
        let fresh = Control::new(self.catalogue.clone());
        (self.entries, self.profiles, self.replications) =
            (fresh.entries, fresh.profiles, fresh.replications);
        self.next_idle = Time::MAX;
    }

    /// Executes an update.
    ///
    /// # Errors
    /// If it is refused; the switch is unchanged.
    pub fn write<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        update: &Update,
        now: Time,
    ) -> Result<(), Fault> {
        let change = match update.kind {
            1 => Change::Insert,
            2 => Change::Modify,
            3 => Change::Delete,
            other => {
                return Err(invalid(format!(
                    "the update's type must be INSERT, MODIFY or DELETE, got {other}"
                )));
            }
        };
        let entity = update.entity.as_ref().and_then(|entity| entity.entity.as_ref());
        match entity.ok_or_else(|| invalid("the update has no entity"))? {
            EntityKind::TableEntry(entry) => self.write_entry(switch, change, entry, now),
            EntityKind::ActionProfileMember(member) => self.write_member(switch, change, member),
            EntityKind::ActionProfileGroup(group) => self.write_group(switch, change, group),
            EntityKind::CounterEntry(entry) => self.write_counter(switch, change, entry),
            EntityKind::DirectCounterEntry(entry) => self.write_direct_counter(switch, change, entry),
            EntityKind::MeterEntry(entry) => self.write_meter(switch, change, entry),
            EntityKind::DirectMeterEntry(entry) => self.write_direct_meter(switch, change, entry),
            EntityKind::RegisterEntry(entry) => self.write_register(switch, change, entry),
            EntityKind::PacketReplicationEngineEntry(entry) => self.write_replication(switch, change, entry),
            EntityKind::ValueSetEntry(entry) => self.write_value_set(switch, change, entry),
            EntityKind::DigestEntry(entry) => self.write_digest(change, entry),
            EntityKind::ExternEntry(_) => {
                Err(Fault::new(Code::Unimplemented, "v1model has no other externs with entries"))
            }
        }
    }

    /// Reads the entities that a request selects, and appends them.
    ///
    /// # Errors
    /// If the request is malformed or names an unknown object.
    pub fn read<M: Machine + Send>(
        &self,
        switch: &P4Switch<M>,
        request: &Entity,
        now: Time,
        out: &mut Vec<Entity>,
    ) -> Result<(), Fault> {
        let mut push = |entity| out.push(Entity { entity: Some(entity) });
        match request.entity.as_ref().ok_or_else(|| invalid("the request has an entity without a kind"))? {
            EntityKind::TableEntry(entry) => {
                self.read_entries(switch, entry, now, &mut |entry| push(EntityKind::TableEntry(entry)))
            }
            EntityKind::ActionProfileMember(member) => self.read_members(switch, member, &mut push),
            EntityKind::ActionProfileGroup(group) => self.read_groups(group, &mut push),
            EntityKind::CounterEntry(entry) => self.read_counters(switch, entry, &mut push),
            EntityKind::DirectCounterEntry(entry) => self.read_direct_counters(switch, entry, now, &mut push),
            EntityKind::MeterEntry(entry) => self.read_meters(switch, entry, &mut push),
            EntityKind::DirectMeterEntry(entry) => self.read_direct_meters(switch, entry, now, &mut push),
            EntityKind::RegisterEntry(entry) => self.read_registers(switch, entry, &mut push),
            EntityKind::PacketReplicationEngineEntry(entry) => self.read_replication(entry, &mut push),
            EntityKind::ValueSetEntry(entry) => self.read_value_sets(switch, entry, &mut push),
            EntityKind::DigestEntry(entry) => self.read_digests(entry, &mut push),
            EntityKind::ExternEntry(_) => Ok(()),
        }
    }

    /// The next instant at which [`Control::poll`] may have something without another event of the switch.
    pub fn next_due(&self) -> Option<Time> {
        let due = self.next_digest().unwrap_or(Time::MAX).min(self.next_idle);
        (due < Time::MAX).then_some(due)
    }

    /// Collects what has become due: digest lists, and entries that were not hit for their timeout.
    pub fn poll<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        now: Time,
        lists: &mut Vec<ListReady>,
    ) -> Option<IdleTimeoutNotification> {
        self.collect_digests(switch, now, lists);
        self.idle_entries(switch, now)
    }
}

/// An update of an object that always exists.
fn only_modify(change: Change, what: &str) -> Result<(), Fault> {
    match change {
        Change::Modify => Ok(()),
        _ => Err(invalid(format!("{what} can only be modified"))),
    }
}
