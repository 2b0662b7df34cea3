//! Multicast groups and clone sessions (§9.5).

use std::collections::BTreeMap;

use jettison_p4_exec::Machine;
use jettison_p4_v1model::control::{Answer, Command};
use jettison_p4_v1model::{MirrorSession, MirrorTarget, P4Switch};
use jettison_switch::Port;
use num_traits::ToPrimitive;

use super::{Change, Control};
use crate::bytes;
use crate::fault::{Code, Fault, invalid, not_found};
use crate::proto::runtime::{
    CloneSessionEntry, EntityKind, MulticastGroupEntry, PacketReplicationEngineEntry, Replica, ReplicaPort,
    ReplicationKind,
};

/// First multicast group that a clone session with several replicas uses: sessions are numbered below it.
const SESSION_GROUPS: u32 = MirrorSession::MAX + 1;

/// Groups and sessions of the controller, with their nodes in the switch.
#[derive(Debug, Clone, Default)]
pub(super) struct Replications {
    groups: BTreeMap<u32, (MulticastGroupEntry, Vec<u32>)>,
    sessions: BTreeMap<u32, (CloneSessionEntry, Vec<u32>)>,
}

/// A replica: instance (`egress_rid`) and port.
type Copy = (u16, Port);

fn replicas(given: &[Replica]) -> Result<Vec<Copy>, Fault> {
    let mut replicas = Vec::with_capacity(given.len());
    for replica in given {
        let instance = u16::try_from(replica.instance)
            .map_err(|_| invalid(format!("the instance must fit in 16 bits, got {}", replica.instance)))?;
        let port = match &replica.port {
            Some(ReplicaPort::Number(port)) => u16::try_from(*port).ok(),
            Some(ReplicaPort::Bytes(port)) => bytes::decode(port, 16, false).and_then(|port| port.to_u16()),
            None => None,
        };
        let port = port.ok_or_else(|| invalid("a replica must have a port that fits in 16 bits"))?;
        if replicas.contains(&(instance, Port(port))) {
            return Err(invalid(format!(
                "the replica of port {port} and instance {instance} is given twice"
            )));
        }
        replicas.push((instance, Port(port)));
    }
    Ok(replicas)
}

/// Creates a group with one node per instance, or removes what was created and fails.
fn create<M: Machine + Send>(
    switch: &mut P4Switch<M>,
    group: u16,
    replicas: &[Copy],
) -> Result<Vec<u32>, Fault> {
    switch.apply(&Command::GroupCreate { group })?;
    let mut nodes = Vec::new();
    let mut instances: Vec<u16> = replicas.iter().map(|(instance, _)| *instance).collect();
    instances.sort_unstable();
    instances.dedup();
    for rid in instances {
        let ports = replicas.iter().filter(|(instance, _)| *instance == rid).map(|(_, port)| *port).collect();
        let made = switch.apply(&Command::NodeCreate { rid, ports }).and_then(|answer| {
            let Answer::Number(node) = answer else { return Ok(()) };
            nodes.push(node);
            switch.apply(&Command::NodeAssociate { group, node }).map(|_| ())
        });
        if let Err(error) = made {
            destroy(switch, group, &nodes)?;
            return Err(error.into());
        }
    }
    Ok(nodes)
}

fn destroy<M: Machine + Send>(switch: &mut P4Switch<M>, group: u16, nodes: &[u32]) -> Result<(), Fault> {
    for node in nodes {
        switch.apply(&Command::NodeDestroy { node: *node })?;
    }
    switch.apply(&Command::GroupDestroy { group })?;
    Ok(())
}

impl Control {
    pub(super) fn write_replication<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        change: Change,
        entry: &PacketReplicationEngineEntry,
    ) -> Result<(), Fault> {
        match &entry.kind {
            Some(ReplicationKind::MulticastGroup(group)) => self.multicast_group(switch, change, group),
            Some(ReplicationKind::CloneSession(session)) => self.clone_session(switch, change, session),
            None => {
                Err(invalid("the packet replication entry is neither a multicast group nor a clone session"))
            }
        }
    }

    fn multicast_group<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        change: Change,
        entry: &MulticastGroupEntry,
    ) -> Result<(), Fault> {
        let id = entry.multicast_group_id;
        let Some(group) = u16::try_from(id).ok().filter(|_| (1..SESSION_GROUPS).contains(&id)) else {
            let last = SESSION_GROUPS - 1;
            return Err(invalid(format!("the multicast group must be from 1 to {last}, got {id}")));
        };
        let known = self.replications.groups.get(&id).cloned();
        match (change, &known) {
            (Change::Insert, Some(_)) => {
                let text = format!("the multicast group {id} already exists");
                return Err(Fault::new(Code::AlreadyExists, text));
            }
            (Change::Modify | Change::Delete, None) => {
                return Err(not_found(format!("unknown multicast group {id}")));
            }
            _ => {}
        }
        let wanted = if change == Change::Delete { Vec::new() } else { replicas(&entry.replicas)? };
        if let Some((_, nodes)) = &known {
            destroy(switch, group, nodes)?;
            self.replications.groups.remove(&id);
        }
        if change == Change::Delete {
            return Ok(());
        }
        match create(switch, group, &wanted) {
            Ok(nodes) => drop(self.replications.groups.insert(id, (entry.clone(), nodes))),
            Err(fault) => {
                if let Some((old, _)) = known {
                    let nodes = create(switch, group, &replicas(&old.replicas)?)?;
                    self.replications.groups.insert(id, (old, nodes));
                }
                return Err(fault);
            }
        }
        Ok(())
    }

    fn clone_session<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        change: Change,
        entry: &CloneSessionEntry,
    ) -> Result<(), Fault> {
        let id = entry.session_id;
        if !(1..=MirrorSession::MAX).contains(&id) {
            return Err(invalid(format!(
                "the clone session must be from 1 to {}, got {id}",
                MirrorSession::MAX
            )));
        }
        let known = self.replications.sessions.get(&id).cloned();
        match (change, &known) {
            (Change::Insert, Some(_)) => {
                let text = format!("the clone session {id} already exists");
                return Err(Fault::new(Code::AlreadyExists, text));
            }
            (Change::Modify | Change::Delete, None) => {
                return Err(not_found(format!("unknown clone session {id}")));
            }
            _ => {}
        }
        let truncate = u32::try_from(entry.packet_length_bytes).map_err(|_| {
            invalid(format!("the packet length must be >= 0, got {}", entry.packet_length_bytes))
        })?;
        let priority = u8::try_from(entry.class_of_service).map_err(|_| {
            invalid(format!("the class of service must be <= 255, got {}", entry.class_of_service))
        })?;
        let wanted = if change == Change::Delete { Vec::new() } else { replicas(&entry.replicas)? };
        let group = u16::try_from(SESSION_GROUPS + id).unwrap_or(u16::MAX);
        if let Some((_, nodes)) = known {
            if !nodes.is_empty() {
                destroy(switch, group, &nodes)?;
            }
            switch.apply(&Command::MirroringDelete { session: id })?;
            self.replications.sessions.remove(&id);
        }
        if change == Change::Delete {
            return Ok(());
        }
        // A single replica without an instance needs no group.
        let (to, nodes) = match wanted[..] {
            [(0, port)] => (MirrorTarget::Port(port), Vec::new()),
            _ => (MirrorTarget::Group(group), create(switch, group, &wanted)?),
        };
        let config = MirrorSession { to, truncate: (truncate > 0).then_some(truncate), priority };
        if let Err(error) = switch.apply(&Command::MirroringAdd { session: id, config }) {
            if !nodes.is_empty() {
                destroy(switch, group, &nodes)?;
            }
            return Err(error.into());
        }
        self.replications.sessions.insert(id, (entry.clone(), nodes));
        Ok(())
    }

    pub(super) fn read_replication(
        &self,
        request: &PacketReplicationEngineEntry,
        push: &mut impl FnMut(EntityKind),
    ) -> Result<(), Fault> {
        let mut push = |kind| {
            let entry = PacketReplicationEngineEntry { kind: Some(kind) };
            push(EntityKind::PacketReplicationEngineEntry(entry));
        };
        let (group, session) = match &request.kind {
            Some(ReplicationKind::MulticastGroup(group)) => (Some(group.multicast_group_id), None),
            Some(ReplicationKind::CloneSession(session)) => (None, Some(session.session_id)),
            None => (Some(0), Some(0)),
        };
        for (id, (entry, _)) in &self.replications.groups {
            if group.is_some_and(|wanted| wanted == 0 || wanted == *id) {
                push(ReplicationKind::MulticastGroup(entry.clone()));
            }
        }
        for (id, (entry, _)) in &self.replications.sessions {
            if session.is_some_and(|wanted| wanted == 0 || wanted == *id) {
                push(ReplicationKind::CloneSession(entry.clone()));
            }
        }
        Ok(())
    }
}
