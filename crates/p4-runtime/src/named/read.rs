//! From P4Runtime's messages to names.

use std::collections::BTreeMap;

use super::names::{Kind, alias_of, id_of};
use super::value::to_text;
use super::{Criterion, Datum, Named, NamedAction, NamedEntry, Names, WeightedAction};
use crate::proto::info::{DataType, DataTypeSpec, MatchField};
use crate::proto::runtime::{
    Action, Data, Entity, EntityKind, FieldMatch, FieldMatchKind, MeterConfig, P4Data, PacketIn, Replica,
    ReplicaPort, ReplicationKind, TableAction, TableActionKind, TableEntry,
};

impl Names {
    /// An entity by names; `None` if it is of a kind without names.
    pub fn named(&self, entity: &Entity) -> Option<Named> {
        Some(match entity.entity.as_ref()? {
            EntityKind::TableEntry(entry) => Named::Table(self.named_entry(entry)),
            EntityKind::ActionProfileMember(member) => Named::Member {
                profile: self.name(Kind::Profile, member.action_profile_id),
                member: member.member_id,
                action: member.action.as_ref().map(|action| {
                    let (name, params) = self.named_call(action);
                    NamedAction::Call(name, params)
                }),
            },
            EntityKind::ActionProfileGroup(group) => Named::Group {
                profile: self.name(Kind::Profile, group.action_profile_id),
                group: group.group_id,
                members: group.members.iter().map(|member| (member.member_id, member.weight)).collect(),
                max_size: group.max_size,
            },
            EntityKind::CounterEntry(entry) => {
                let data = entry.data.unwrap_or_default();
                Named::Counter {
                    counter: self.name(Kind::Counter, entry.counter_id),
                    index: entry.index.map(|index| index.index),
                    packets: data.packet_count,
                    bytes: data.byte_count,
                }
            }
            EntityKind::DirectCounterEntry(entry) => {
                let data = entry.data.unwrap_or_default();
                Named::DirectCounter {
                    entry: self.named_entry(entry.table_entry.as_ref()?),
                    packets: data.packet_count,
                    bytes: data.byte_count,
                }
            }
            EntityKind::MeterEntry(entry) => Named::Meter {
                meter: self.name(Kind::Meter, entry.meter_id),
                index: entry.index.map(|index| index.index),
                rates: entry.config.as_ref().map(meter_rates),
            },
            EntityKind::DirectMeterEntry(entry) => Named::DirectMeter {
                entry: self.named_entry(entry.table_entry.as_ref()?),
                rates: entry.config.as_ref().map(meter_rates),
            },
            EntityKind::RegisterEntry(entry) => {
                let registers = &self.info.registers;
                let found = registers.iter().find(|register| id_of(&register.preamble) == entry.register_id);
                let spec = found.and_then(|register| register.type_spec.as_ref());
                Named::Register {
                    register: self.name(Kind::Register, entry.register_id),
                    index: entry.index.map(|index| index.index),
                    value: entry.data.as_ref().map(|data| self.datum(data, spec)),
                }
            }
            EntityKind::PacketReplicationEngineEntry(entry) => match entry.kind.as_ref()? {
                ReplicationKind::MulticastGroup(group) => Named::Multicast {
                    group: group.multicast_group_id,
                    replicas: group.replicas.iter().map(copy).collect(),
                },
                ReplicationKind::CloneSession(session) => Named::Clone {
                    session: session.session_id,
                    replicas: session.replicas.iter().map(copy).collect(),
                    class_of_service: session.class_of_service,
                    max_length: session.packet_length_bytes,
                },
            },
            EntityKind::ValueSetEntry(entry) => {
                let sets = &self.info.value_sets;
                let found = sets.iter().find(|set| id_of(&set.preamble) == entry.value_set_id);
                let fields = found.map(|set| &set.match_fields[..]).unwrap_or_default();
                let members = entry.members.iter().map(|member| criteria(fields, &member.match_fields));
                Named::ValueSet {
                    value_set: self.name(Kind::ValueSet, entry.value_set_id),
                    members: members.collect(),
                }
            }
            EntityKind::DigestEntry(entry) => {
                let config = entry.config.unwrap_or_default();
                Named::Digest {
                    digest: self.name(Kind::Digest, entry.digest_id),
                    max_timeout: config.max_timeout_ns,
                    max_list: config.max_list_size,
                    ack_timeout: config.ack_timeout_ns,
                }
            }
            EntityKind::ExternEntry(_) => return None,
        })
    }

    /// An entry by names.
    pub fn named_entry(&self, entry: &TableEntry) -> NamedEntry {
        let table = self.table_by_id(entry.table_id);
        let fields = table.map(|table| &table.match_fields[..]).unwrap_or_default();
        let cookie = entry.metadata.iter().fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
        NamedEntry {
            table: self.name(Kind::Table, entry.table_id),
            matches: criteria(fields, &entry.match_fields),
            priority: entry.priority,
            action: entry.action.as_ref().and_then(|action| self.named_action(action)),
            default: entry.is_default_action,
            idle_timeout: entry.idle_timeout_ns,
            cookie,
            counter: entry.counter_data.as_ref().map(|data| [data.packet_count, data.byte_count]),
            meter: entry.meter_config.as_ref().map(meter_rates),
            idle: entry.time_since_last_hit.map(|time| time.elapsed_ns),
            is_const: entry.is_const,
        }
    }

    fn named_action(&self, action: &TableAction) -> Option<NamedAction> {
        Some(match action.kind.as_ref()? {
            TableActionKind::Action(action) => {
                let (name, params) = self.named_call(action);
                NamedAction::Call(name, params)
            }
            TableActionKind::Member(member) => NamedAction::Member(*member),
            TableActionKind::Group(group) => NamedAction::Group(*group),
            TableActionKind::ActionSet(set) => {
                let actions = set.actions.iter().filter_map(|each| {
                    let (name, params) = self.named_call(each.action.as_ref()?);
                    Some(WeightedAction { name, params, weight: each.weight })
                });
                NamedAction::Set(actions.collect())
            }
        })
    }

    fn named_call(&self, call: &Action) -> (String, BTreeMap<String, String>) {
        let Some(action) = self.action_by_id(call.action_id) else {
            return (call.action_id.to_string(), BTreeMap::new());
        };
        let name = |id: u32| {
            let param = action.params.iter().find(|param| param.id == id);
            param.map_or_else(|| id.to_string(), |param| param.name.clone())
        };
        let params = call.params.iter().map(|param| (name(param.param_id), to_text(&param.value)));
        (alias_of(&action.preamble), params.collect())
    }

    fn datum(&self, data: &P4Data, spec: Option<&DataTypeSpec>) -> Datum {
        let kind = spec.and_then(|spec| spec.kind.as_ref());
        match (&data.data, kind) {
            (Some(Data::Bool(value)), _) => Datum::Bool(*value),
            (Some(Data::Bitstring(bytes)), _) => Datum::Number(to_text(bytes)),
            (Some(Data::Struct(like)), Some(DataType::Struct(named))) => {
                let fields = self.fields(&named.name);
                let members = fields.iter().zip(&like.members);
                let named = members.map(|((name, spec), data)| ((*name).to_owned(), self.datum(data, *spec)));
                Datum::Fields(named.collect())
            }
            (Some(Data::Struct(like) | Data::Tuple(like)), kind) => {
                let specs: Vec<Option<&DataTypeSpec>> = match kind {
                    Some(DataType::Tuple(tuple)) => tuple.members.iter().map(Some).collect(),
                    _ => Vec::new(),
                };
                let specs = specs.into_iter().chain(std::iter::repeat(None));
                Datum::List(
                    like.members.iter().zip(specs).map(|(data, spec)| self.datum(data, spec)).collect(),
                )
            }
            (None, _) => Datum::Number("0x0".to_owned()),
        }
    }

    /// Name of a digest, and its messages.
    pub fn digest(&self, id: u32, messages: &[P4Data]) -> (String, Vec<Datum>) {
        let digest = self.info.digests.iter().find(|digest| id_of(&digest.preamble) == id);
        let spec = digest.and_then(|digest| digest.type_spec.as_ref());
        (self.name(Kind::Digest, id), messages.iter().map(|data| self.datum(data, spec)).collect())
    }

    /// Id of a digest.
    ///
    /// # Errors
    /// If there is none with this name.
    pub fn digest_id(&self, name: &str) -> Result<u32, crate::fault::Fault> {
        self.id(Kind::Digest, name)
    }

    /// The fields of the header `packet_in` of a packet.
    pub fn packet_in(&self, packet: &PacketIn) -> BTreeMap<String, String> {
        let headers = &self.info.controller_packet_metadata;
        let header = headers
            .iter()
            .find(|header| header.preamble.as_ref().is_some_and(|preamble| preamble.name == "packet_in"));
        let known = header.map(|header| &header.metadata[..]).unwrap_or_default();
        let named = packet.metadata.iter().filter_map(|field| {
            let known = known.iter().find(|known| known.id == field.metadata_id)?;
            Some((known.name.clone(), to_text(&field.value)))
        });
        named.collect()
    }
}

fn copy(replica: &Replica) -> (u32, u32) {
    let port = match &replica.port {
        Some(ReplicaPort::Number(port)) => *port,
        Some(ReplicaPort::Bytes(bytes)) => bytes.iter().fold(0, |port, byte| (port << 8) | u32::from(*byte)),
        None => 0,
    };
    (port, replica.instance)
}

fn meter_rates(config: &MeterConfig) -> [i64; 4] {
    [config.cir, config.cburst, config.pir, config.pburst]
}

fn criteria(fields: &[MatchField], given: &[FieldMatch]) -> BTreeMap<String, Criterion> {
    let named = given.iter().filter_map(|criterion| {
        let field = fields.iter().find(|field| field.id == criterion.field_id)?;
        let value = match criterion.kind.as_ref()? {
            FieldMatchKind::Exact(exact) | FieldMatchKind::Optional(exact) => {
                Criterion::Value(to_text(&exact.value))
            }
            FieldMatchKind::Lpm(lpm) => Criterion::Prefix(to_text(&lpm.value), lpm.prefix_len),
            FieldMatchKind::Ternary(ternary) => {
                Criterion::Pair(to_text(&ternary.value), to_text(&ternary.mask))
            }
            FieldMatchKind::Range(range) => Criterion::Pair(to_text(&range.low), to_text(&range.high)),
            FieldMatchKind::Other(_) => return None,
        };
        Some((field.name.clone(), value))
    });
    named.collect()
}
