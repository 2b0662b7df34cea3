//! What the controllers of a role may write, read and receive (§5.2, "Role Config").
//!
//! The configuration is a [`P4RoleConfig`]. A role without one, and the default role, has full access to the pipeline: to the
//! objects that another role has exclusively as well, because the specification gives it all of them. An entity without an id of
//! P4Info (multicast groups, clone sessions) is in no configuration, so only roles with full access write it.

use std::collections::BTreeSet;

use prost::Message;

use crate::fault::{Code, Fault, invalid};
use crate::proto::role::{P4RoleConfig, PacketFilter};
use crate::proto::runtime::{Any, EntityKind, IdleTimeoutNotification, PacketIn, StreamResponse};

/// State of a role, which outlives its controllers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Role {
    /// The highest election id so far.
    pub highest: Option<u128>,
    /// The configuration that its primary sent last, and what it allows; `None`: everything.
    pub config: Option<(Any, Access)>,
}

/// What a configuration allows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Access {
    /// Ids of objects that no other configured role may name.
    exclusive: BTreeSet<u32>,
    /// Ids of objects that other roles may name as shared, too.
    shared: BTreeSet<u32>,
    filter: Option<PacketFilter>,
    receives_packet_ins: bool,
    can_push_pipeline: bool,
}

impl Access {
    /// Reads a configuration.
    ///
    /// # Errors
    /// If it is of another scheme, or contradicts itself.
    pub fn read(config: &Any) -> Result<Access, Fault> {
        let known = config.type_url.rsplit('/').next() == Some("stratum.P4RoleConfig");
        if !known {
            return Err(invalid(format!(
                "the configuration of a role must be a stratum.P4RoleConfig, got `{}`",
                config.type_url
            )));
        }
        let read = P4RoleConfig::decode(&*config.value);
        let read = read.map_err(|error| invalid(format!("the role's P4RoleConfig is malformed: {error}")))?;
        let exclusive: BTreeSet<u32> = read.exclusive_p4_ids.into_iter().collect();
        let shared: BTreeSet<u32> = read.shared_p4_ids.into_iter().collect();
        if let Some(both) = exclusive.intersection(&shared).next() {
            return Err(invalid(format!("the role has the id {both} both as exclusive and as shared")));
        }
        if exclusive.contains(&0) || shared.contains(&0) {
            return Err(invalid("ids of P4Info in a role must be > 0"));
        }
        if read.packet_in_filter.as_ref().is_some_and(|filter| filter.metadata_id == 0) {
            return Err(invalid("`metadata_id` of a packet-in filter must be > 0"));
        }
        Ok(Access {
            exclusive,
            shared,
            filter: read.packet_in_filter,
            receives_packet_ins: read.receives_packet_ins,
            can_push_pipeline: read.can_push_pipeline,
        })
    }

    /// An object that one of two roles has exclusively, and the other one has too.
    pub fn conflict(&self, other: &Access) -> Option<u32> {
        let mine = self.exclusive.iter().find(|id| other.has(**id));
        mine.or_else(|| other.exclusive.iter().find(|id| self.has(**id))).copied()
    }

    fn has(&self, id: u32) -> bool {
        self.exclusive.contains(&id) || self.shared.contains(&id)
    }

    /// Whether an entity is in the role.
    pub fn covers(&self, entity: &EntityKind) -> bool {
        object(entity).is_some_and(|id| self.has(id))
    }

    /// Whether the role may set the pipeline.
    pub fn pushes(&self) -> bool {
        self.can_push_pipeline
    }

    /// Whether the role may acknowledge lists of a digest.
    pub fn digests(&self, id: u32) -> bool {
        self.has(id)
    }

    /// The part of a message for the role's primary controller.
    pub fn received(&self, message: &StreamResponse) -> Option<StreamResponse> {
        match message {
            StreamResponse::Packet(packet) if !self.receives(packet) => None,
            StreamResponse::Digest(list) if !self.has(list.digest_id) => None,
            StreamResponse::IdleTimeout(idle) => {
                let entries = idle.table_entry.iter().filter(|entry| self.has(entry.table_id));
                let table_entry: Vec<_> = entries.cloned().collect();
                (!table_entry.is_empty()).then(|| {
                    StreamResponse::IdleTimeout(IdleTimeoutNotification { table_entry, ..idle.clone() })
                })
            }
            other => Some(other.clone()),
        }
    }

    fn receives(&self, packet: &PacketIn) -> bool {
        let passes = |filter: &PacketFilter| {
            let mut metadata = packet.metadata.iter();
            let of_id = metadata.find(|metadata| metadata.metadata_id == filter.metadata_id);
            of_id.is_some_and(|metadata| canonical(&metadata.value) == canonical(&filter.value))
        };
        self.receives_packet_ins && self.filter.as_ref().is_none_or(passes)
    }
}

/// An update that a role does not allow.
pub(crate) fn denied(what: &str) -> Fault {
    Fault::new(Code::PermissionDenied, format!("the role's configuration does not allow {what}"))
}

/// A number without leading zeros.
fn canonical(bytes: &[u8]) -> &[u8] {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    &bytes[zeros..]
}

/// Id of the object in P4Info to which an entity belongs.
fn object(entity: &EntityKind) -> Option<u32> {
    match entity {
        EntityKind::ExternEntry(entry) => Some(entry.extern_id),
        EntityKind::TableEntry(entry) => Some(entry.table_id),
        EntityKind::ActionProfileMember(member) => Some(member.action_profile_id),
        EntityKind::ActionProfileGroup(group) => Some(group.action_profile_id),
        EntityKind::MeterEntry(entry) => Some(entry.meter_id),
        EntityKind::DirectMeterEntry(entry) => entry.table_entry.as_ref().map(|entry| entry.table_id),
        EntityKind::CounterEntry(entry) => Some(entry.counter_id),
        EntityKind::DirectCounterEntry(entry) => entry.table_entry.as_ref().map(|entry| entry.table_id),
        EntityKind::PacketReplicationEngineEntry(_) => None,
        EntityKind::ValueSetEntry(entry) => Some(entry.value_set_id),
        EntityKind::RegisterEntry(entry) => Some(entry.register_id),
        EntityKind::DigestEntry(entry) => Some(entry.digest_id),
    }
}
