//! Execution of commands.

use std::sync::Arc;

use jettison_queue::{QueueChange, QueueSetting};
use jettison_switch::Port;
use num_bigint::BigUint;

use super::dump::table_dump;
use super::{Answer, Command, CommandError};
use crate::metadata::class_of;
use crate::{MirrorSession, MirrorTarget, P4Switch};
use jettison_p4_exec::Machine;
use jettison_p4_exec::table::{EntryAction, TableError};
use jettison_p4_front::ir::{ActionProfileId, ExternId, ExternKind, HashAlgorithm, TableId, ValueSetId};

impl<M: Machine + Send> P4Switch<M> {
    /// Executes a command.
    ///
    /// # Errors
    /// If the command does not match the state of the switch, which action is unchanged.
    pub fn apply(&mut self, command: &Command) -> Result<Answer, CommandError> {
        match command {
            Command::TableAdd { table, entry } => {
                self.check_reference(*table, &entry.action)?;
                let handle = self.plane_mut().tables.table_mut(*table).insert(entry.clone());
                return Ok(Answer::Number(handle.map_err(|error| self.of_table(*table, error))?.0));
            }
            Command::TableModify { table, entry, action } => {
                self.check_reference(*table, action)?;
                let done = self.plane_mut().tables.table_mut(*table).modify(*entry, action.clone());
                done.map_err(|error| self.of_table(*table, error))?;
            }
            Command::TableDelete { table, entry } => {
                let done = self.plane_mut().tables.table_mut(*table).remove(*entry);
                done.map_err(|error| self.of_table(*table, error))?;
            }
            Command::TableClear { table } => {
                let done = self.plane_mut().tables.table_mut(*table).clear();
                done.map_err(|error| self.of_table(*table, error))?;
            }
            Command::TableSetDefault { table, action } => {
                self.check_reference(*table, action)?;
                let done = self.plane_mut().tables.table_mut(*table).set_default(action.clone());
                done.map_err(|error| self.of_table(*table, error))?;
            }
            Command::TableResetDefault { table } => {
                self.plane_mut().tables.table_mut(*table).reset_default();
            }
            Command::TableDump { table } => {
                let state = self.plane().tables.table(*table);
                return Ok(Answer::Text(table_dump(self.program(), *table, state)));
            }
            Command::TableCount { table } => {
                return Ok(Answer::Count(self.plane().tables.table(*table).len() as u64));
            }

            Command::MemberCreate { profile, action } => {
                let member = self.plane_mut().tables.profile_mut(*profile).add_member(action.clone());
                return Ok(Answer::Number(member.map_err(|error| self.of_profile(*profile, error))?));
            }
            Command::MemberModify { profile, member, action } => {
                let done =
                    self.plane_mut().tables.profile_mut(*profile).modify_member(*member, action.clone());
                done.map_err(|error| self.of_profile(*profile, error))?;
            }
            Command::MemberDelete { profile, member } => {
                self.check_unused(*profile, &EntryAction::Member(*member))?;
                let done = self.plane_mut().tables.profile_mut(*profile).remove_member(*member);
                done.map_err(|error| self.of_profile(*profile, error))?;
            }
            Command::MemberGroupCreate { profile } => {
                let group = self.plane_mut().tables.profile_mut(*profile).add_group();
                return Ok(Answer::Number(group.map_err(|error| self.of_profile(*profile, error))?));
            }
            Command::MemberGroupDelete { profile, group } => {
                self.check_unused(*profile, &EntryAction::Group(*group))?;
                let done = self.plane_mut().tables.profile_mut(*profile).remove_group(*group);
                done.map_err(|error| self.of_profile(*profile, error))?;
            }
            Command::MemberGroupAdd { profile, group, member } => {
                let done = self.plane_mut().tables.profile_mut(*profile).add_to_group(*group, *member);
                done.map_err(|error| self.of_profile(*profile, error))?;
            }
            Command::MemberGroupRemove { profile, group, member } => {
                let done = self.plane_mut().tables.profile_mut(*profile).remove_from_group(*group, *member);
                done.map_err(|error| self.of_profile(*profile, error))?;
            }

            Command::ValueSetAdd { set, member } => {
                let done = self.plane_mut().tables.value_set_mut(*set).insert(member.clone());
                done.map_err(|error| self.of_value_set(*set, error))?;
            }
            Command::ValueSetRemove { set, member } => {
                let done = self.plane_mut().tables.value_set_mut(*set).remove(member);
                done.map_err(|error| self.of_value_set(*set, error))?;
            }
            Command::ValueSetClear { set } => self.plane_mut().tables.value_set_mut(*set).clear(),

            Command::MirroringAdd { session, config } => {
                let config = &self.real_target(config);
                self.check_mirror(*session, config)?;
                self.pipeline.program_mut().configure_mirror(*session, *config);
            }
            Command::MirroringDelete { session } => {
                if !self.pipeline.program_mut().remove_mirror(*session) {
                    return Err(CommandError::NoSession(*session));
                }
            }

            Command::QueueDepth { packets, port, priority } => {
                self.reconfigure(*port, *priority, QueueSetting::Depth(*packets), "depth")?;
            }
            Command::QueueRate { packets_per_second, port, priority } => {
                self.reconfigure(*port, *priority, QueueSetting::Rate(*packets_per_second), "rate")?;
            }

            Command::GroupCreate { group } => self.replication.create_group(*group)?,
            Command::GroupDestroy { group } => {
                self.replication.destroy_group(*group)?;
                self.publish(*group);
            }
            Command::NodeCreate { rid, ports } => {
                let ports = &self.real_ports(ports);
                self.check_ports(ports)?;
                return Ok(Answer::Number(self.replication.create_node(*rid, ports)));
            }
            // A node's ports are part of its group's members, which the pipeline holds.
            Command::NodeUpdate { node, ports } => {
                let ports = &self.real_ports(ports);
                self.check_ports(ports)?;
                let group = self.replication.update_node(*node, ports)?;
                group.into_iter().for_each(|group| self.publish(group));
            }
            Command::NodeAssociate { group, node } => {
                self.replication.associate(*group, *node)?;
                self.publish(*group);
            }
            Command::NodeDissociate { group, node } => {
                self.replication.dissociate(*group, *node)?;
                self.publish(*group);
            }
            Command::NodeDestroy { node } => {
                let group = self.replication.destroy_node(*node)?;
                group.into_iter().for_each(|group| self.publish(group));
            }

            Command::RegisterRead { register, index } => return self.read_register(*register, *index),
            Command::RegisterWrite { register, index, value } => {
                self.check_index(*register, *index)?;
                let words: Vec<u64> = value.iter_u64_digits().collect();
                self.plane_mut().objects.register_mut(*register).write(*index, &words);
            }
            Command::RegisterReset { register } => self.plane_mut().objects.register_mut(*register).reset(),
            Command::CounterRead { counter, index } => {
                self.check_index(*counter, *index)?;
                let counter = self.plane().objects.counter(*counter);
                return Ok(Answer::Counter {
                    packets: counter.packets(*index),
                    bytes: counter.bytes(*index),
                });
            }
            Command::CounterWrite { counter, index, packets, bytes } => {
                self.check_index(*counter, *index)?;
                self.plane_mut().objects.counter_mut(*counter).set(*index, *packets, *bytes);
            }
            Command::CounterReset { counter } => self.plane_mut().objects.counter_mut(*counter).reset(),
            Command::MeterRates { meter, index, rates } => {
                let indices = match index {
                    Some(index) => {
                        self.check_index(*meter, *index)?;
                        *index..*index + 1
                    }
                    None => 0..self.plane().objects.meter(*meter).len() as u64,
                };
                let meter = self.plane_mut().objects.meter_mut(*meter);
                for index in indices {
                    meter.set_rates(index, *rates);
                }
            }

            Command::CrcParameters { algorithm, parameters } => {
                let hashes = self.plane_mut().objects.hashes_mut();
                match algorithm {
                    // The parser accepts only the two CRC widths.
                    HashAlgorithm::Crc16 | HashAlgorithm::Crc16Custom => hashes.set_crc16(*parameters),
                    _ => hashes.set_crc32(*parameters),
                }
            }
        }
        Ok(Answer::Done)
    }

    fn read_register(&self, register: ExternId, index: Option<u64>) -> Result<Answer, CommandError> {
        let state = self.plane().objects.register(register);
        let indices = match index {
            Some(index) => {
                self.check_index(register, index)?;
                index..index + 1
            }
            None => 0..state.len() as u64,
        };
        let value = |index| {
            let words = state.read(index).iter().rev();
            words.fold(BigUint::default(), |value, word| (value << 64) | BigUint::from(*word))
        };
        Ok(Answer::Values(indices.map(value).collect()))
    }

    /// Updates the pipeline's members of a group from the nodes.
    pub(crate) fn publish(&mut self, group: u16) {
        let mut members = self.replication.members(group);
        members.iter_mut().for_each(|member| member.port = self.simple_switch().queue_of(member.port));
        self.pipeline.set_multicast_group(group, members);
    }

    fn reconfigure(
        &mut self,
        port: Option<Port>,
        priority: Option<u8>,
        setting: QueueSetting,
        what: &'static str,
    ) -> Result<(), CommandError> {
        self.check_ports(port.as_slice())?;
        let class = match (port, priority) {
            (Some(port), Some(priority)) => Some(self.class(port, priority)?),
            _ => None,
        };
        let port = port.map(|port| self.simple_switch().queue_of(port));
        if self.pipeline.reconfigure_queues(port, &QueueChange { class, setting }) {
            Ok(())
        } else {
            Err(CommandError::NoQueueSetting(what))
        }
    }

    fn class(&self, port: Port, priority: u8) -> Result<u8, CommandError> {
        let class = class_of(u64::from(priority), self.pipeline.classes(self.simple_switch().queue_of(port)));
        class.ok_or(CommandError::NoPriority { port: port.0, priority })
    }

    fn check_mirror(&self, session: u32, config: &MirrorSession) -> Result<(), CommandError> {
        if session > MirrorSession::MAX {
            return Err(CommandError::SessionRange(session));
        }
        // `simple_switch` accepts an unknown port or group here; clones to it are lost.
        match config.to {
            MirrorTarget::Port(port) if self.has_port(port) => self.class(port, config.priority).map(|_| ()),
            MirrorTarget::Port(_) | MirrorTarget::Group(_) => Ok(()),
        }
    }

    /// PSA's ports by name are those that they stand for.
    fn real_ports(&self, ports: &[Port]) -> Vec<Port> {
        ports.iter().map(|port| self.pipeline.program().real_port(*port)).collect()
    }

    fn real_target(&self, session: &MirrorSession) -> MirrorSession {
        match session.to {
            MirrorTarget::Port(port) => {
                MirrorSession { to: MirrorTarget::Port(self.pipeline.program().real_port(port)), ..*session }
            }
            MirrorTarget::Group(_) => *session,
        }
    }

    fn check_ports(&self, ports: &[Port]) -> Result<(), CommandError> {
        let count = self.pipeline.program().port_count();
        let inside = self.pipeline.program().recirculation_port();
        match ports.iter().find(|port| !self.has_port(**port) && Some(**port) != inside) {
            Some(port) => Err(CommandError::NoPort { port: port.0, ports: count }),
            None => Ok(()),
        }
    }

    fn has_port(&self, port: Port) -> bool {
        usize::from(self.simple_switch().queue_of(port).0) < self.simple_switch().port_count()
    }

    /// Checks that an array contains an element. Direct counters and meters grow with their table.
    fn check_index(&self, object: ExternId, index: u64) -> Result<(), CommandError> {
        let instance = &self.program().externs[object.index()];
        let size = match instance.kind {
            ExternKind::Register { size, .. }
            | ExternKind::Counter { size }
            | ExternKind::Meter { size, .. } => size,
            ExternKind::DirectCounter | ExternKind::DirectMeter { .. } => return Ok(()),
        };
        if index < u64::from(size) {
            return Ok(());
        }
        Err(CommandError::NoElement { object: instance.name.clone(), index, length: size as usize })
    }

    pub(super) fn of_table(&self, table: TableId, error: TableError) -> CommandError {
        let table: Arc<str> = self.program().tables[table.index()].name.clone();
        CommandError::Table { table, error }
    }

    pub(super) fn of_profile(&self, profile: ActionProfileId, error: TableError) -> CommandError {
        let profile: Arc<str> = self.program().profiles[profile.index()].name.clone();
        CommandError::Profile { profile, error }
    }

    fn of_value_set(&self, set: ValueSetId, error: TableError) -> CommandError {
        let set: Arc<str> = self.program().value_sets[set.index()].name.clone();
        CommandError::ValueSet { set, error }
    }
}
