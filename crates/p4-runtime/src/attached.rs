//! Control of a switch that runs elsewhere, such as in a simulation, by names.

use std::collections::BTreeMap;
use std::sync::Arc;

use jettison_core::Time;
use jettison_p4_exec::compiled::Compiled;
use jettison_p4_front::ir::Program;
use jettison_p4_v1model::P4Switch;
use jettison_switch::{Port, Switch};
use jettison_wire::Packet;

use crate::catalogue::Catalogue;
use crate::device::{Returns, image, no_cpu_port, returned};
use crate::fault::Fault;
use crate::info;
use crate::named::{Datum, Named, NamedEntry, Names};
use crate::proto::runtime::{DigestListAck, Entity, Update};
use crate::switch::{Change, Control};

/// A switch of a run and what its controller knows of it.
#[derive(Debug, Clone)]
pub struct Attached {
    names: Arc<Names>,
    control: Control,
    returns: Returns,
}

/// What a switch has for its controller.
#[derive(Debug, Clone, PartialEq)]
pub enum Notice {
    /// A packet that left at the CPU port.
    PacketIn {
        /// The packet without the header `packet_in`.
        payload: Vec<u8>,
        /// The header's fields.
        fields: BTreeMap<String, String>,
    },
    /// A list of digest messages.
    Digest {
        /// Name of the digest.
        name: String,
        /// Number of the list, for its acknowledgement.
        list: u64,
        /// The messages.
        messages: Vec<Datum>,
    },
    /// Entries that were not hit for their timeout.
    Idle {
        /// The entries.
        entries: Vec<NamedEntry>,
    },
}

impl Attached {
    /// Control of a switch that runs `program`.
    ///
    /// # Errors
    /// If the program has no P4Info.
    pub fn new(program: &Arc<Program>) -> Result<Attached, String> {
        let described = info::describe(program)?;
        let control = Control::new(Catalogue::new(program, &described)?);
        Ok(Attached { names: Arc::new(Names::new(described)), control, returns: Returns::default() })
    }

    /// The program's names.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Translates a change, without executing it.
    ///
    /// # Errors
    /// If a name is unknown, or a value malformed.
    pub fn update(&self, change: Change, named: &Named) -> Result<Update, Fault> {
        let kind = match change {
            Change::Insert => 1,
            Change::Modify => 2,
            Change::Delete => 3,
        };
        Ok(Update { kind, entity: Some(self.names.entity(named, false)?) })
    }

    /// Executes a change.
    ///
    /// # Errors
    /// If it is refused; the switch is unchanged.
    pub fn write(
        &mut self,
        switch: &mut P4Switch<Compiled>,
        update: &Update,
        now: Time,
    ) -> Result<(), Fault> {
        self.control.write(switch, update, now)
    }

    /// Reads what an entity selects.
    ///
    /// # Errors
    /// If a name is unknown, or a value malformed.
    pub fn read(&self, switch: &P4Switch<Compiled>, wanted: &Named, now: Time) -> Result<Vec<Named>, Fault> {
        let mut found: Vec<Entity> = Vec::new();
        self.control.read(switch, &self.names.entity(wanted, true)?, now, &mut found)?;
        Ok(found.iter().filter_map(|entity| self.names.named(entity)).collect())
    }

    /// The packet of a packet-out and the port at which it enters the switch. If it is a packet-in that returns, it keeps its
    /// flow, its number and the time at which it was sent.
    ///
    /// # Errors
    /// If the switch has no CPU port, or the header's fields are not those of `packet_out`.
    pub fn packet_out(
        &mut self,
        switch: &P4Switch<Compiled>,
        payload: Vec<u8>,
        fields: &BTreeMap<String, String>,
    ) -> Result<(Port, Packet), Fault> {
        let port = switch.cpu_entry().ok_or_else(no_cpu_port)?;
        let origin = self.returns.take(&payload);
        let frame = self.control.catalogue().frame(&self.names.packet_out(payload, fields)?)?;
        Ok((port, returned(frame, origin)))
    }

    /// Acknowledges a digest list.
    ///
    /// # Errors
    /// If the digest is unknown.
    pub fn acknowledge(&mut self, digest: &str, list: u64) -> Result<(), Fault> {
        let digest_id = self.names.digest_id(digest)?;
        self.control.acknowledge(&DigestListAck { digest_id, list_id: list })
    }

    /// The next time at which [`Attached::poll`] may have something without another event of the switch.
    pub fn next_due(&self) -> Option<Time> {
        self.control.next_due()
    }

    /// Takes what the switch has for its controller now.
    pub fn poll(&mut self, switch: &mut P4Switch<Compiled>, now: Time) -> Vec<Notice> {
        let mut notices = Vec::new();
        for (_, packet) in switch.take_to_cpu() {
            let told = self.control.catalogue().packet_in(&image(&packet));
            self.returns.remember(&told.payload, packet.meta);
            let fields = self.names.packet_in(&told);
            notices.push(Notice::PacketIn { payload: told.payload, fields });
        }
        let mut lists = Vec::new();
        let idle = self.control.poll(switch, now, &mut lists);
        for list in lists {
            let (name, messages) = self.names.digest(list.digest_id, &list.data);
            notices.push(Notice::Digest { name, list: list.list_id, messages });
        }
        if let Some(idle) = idle {
            let entries = idle.table_entry.iter().map(|entry| self.names.named_entry(entry)).collect();
            notices.push(Notice::Idle { entries });
        }
        notices
    }
}

/// The P4 switch behind a switch of a run.
pub fn p4_switch(switch: &mut dyn Switch) -> Option<&mut P4Switch<Compiled>> {
    switch.as_any_mut()?.downcast_mut()
}
