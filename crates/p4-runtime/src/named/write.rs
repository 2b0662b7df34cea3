//! From names to P4Runtime's messages.

use std::collections::BTreeMap;

use super::names::{Kind, field, id_of};
use super::value::to_bytes;
use super::{Criterion, Datum, Named, NamedAction, NamedEntry, Names};
use crate::fault::{Fault, invalid};
use crate::info::match_type;
use crate::proto::info::{DataType, DataTypeSpec, MatchField, Table};
use crate::proto::runtime::{
    Action, ActionParam, ActionProfileAction, ActionProfileActionSet, ActionProfileGroup,
    ActionProfileMember, CloneSessionEntry, CounterData, CounterEntry, Data, DigestConfig, DigestEntry,
    DirectCounterEntry, DirectMeterEntry, Entity, EntityKind, Exact, FieldMatch, FieldMatchKind, GroupMember,
    Index, Lpm, MeterConfig, MeterEntry, MulticastGroupEntry, P4Data, PacketMetadata, PacketOut,
    PacketReplicationEngineEntry, Range, RegisterEntry, Replica, ReplicaPort, ReplicationKind, StructLike,
    TableAction, TableActionKind, TableEntry, Ternary, ValueSetEntry, ValueSetMember,
};

impl Names {
    /// The message of an entity; for a read (`reads`), one that also asks for counters, meters and idle times.
    ///
    /// # Errors
    /// If a name is unknown, or a value malformed. Ranges are checked by the switch.
    pub fn entity(&self, named: &Named, reads: bool) -> Result<Entity, Fault> {
        let kind = match named {
            Named::Table(entry) => EntityKind::TableEntry(self.entry(entry, reads)?),
            Named::Member { profile, member, action } => {
                let action_profile_id = self.id(Kind::Profile, profile)?;
                let ids = self.profile_actions(action_profile_id);
                let action = match action {
                    None => None,
                    Some(NamedAction::Call(name, params)) => {
                        Some(self.call(name, params, &ids, &format!("the profile `{profile}`"))?)
                    }
                    Some(_) => return Err(invalid("a member has an action with parameters")),
                };
                EntityKind::ActionProfileMember(ActionProfileMember {
                    action_profile_id,
                    member_id: *member,
                    action,
                })
            }
            Named::Group { profile, group, members, max_size } => {
                let member = |(member, weight): &(u32, i32)| GroupMember {
                    member_id: *member,
                    weight: *weight,
                    watch: None,
                };
                EntityKind::ActionProfileGroup(ActionProfileGroup {
                    action_profile_id: self.id(Kind::Profile, profile)?,
                    group_id: *group,
                    members: members.iter().map(member).collect(),
                    max_size: *max_size,
                })
            }
            Named::Counter { counter, index, packets, bytes } => EntityKind::CounterEntry(CounterEntry {
                counter_id: self.id(Kind::Counter, counter)?,
                index: index.map(|index| Index { index }),
                data: Some(CounterData { byte_count: *bytes, packet_count: *packets }),
            }),
            Named::DirectCounter { entry, packets, bytes } => {
                EntityKind::DirectCounterEntry(DirectCounterEntry {
                    table_entry: Some(self.entry(entry, false)?),
                    data: Some(CounterData { byte_count: *bytes, packet_count: *packets }),
                })
            }
            Named::Meter { meter, index, rates } => EntityKind::MeterEntry(MeterEntry {
                meter_id: self.id(Kind::Meter, meter)?,
                index: index.map(|index| Index { index }),
                config: rates.map(meter_config),
                counter_data: None,
            }),
            Named::DirectMeter { entry, rates } => EntityKind::DirectMeterEntry(DirectMeterEntry {
                table_entry: Some(self.entry(entry, false)?),
                config: rates.map(meter_config),
                counter_data: None,
            }),
            Named::Register { register, index, value } => {
                let id = self.id(Kind::Register, register)?;
                let registers = &self.info.registers;
                let found = registers.iter().find(|register| id_of(&register.preamble) == id);
                let spec = found.and_then(|register| register.type_spec.as_ref());
                let data = value.as_ref().map(|value| self.data(value, spec)).transpose()?;
                let index = index.map(|index| Index { index });
                EntityKind::RegisterEntry(RegisterEntry { register_id: id, index, data })
            }
            Named::Multicast { group, replicas } => {
                replication(ReplicationKind::MulticastGroup(MulticastGroupEntry {
                    multicast_group_id: *group,
                    replicas: copies(replicas),
                    metadata: Vec::new(),
                }))
            }
            Named::Clone { session, replicas, class_of_service, max_length } => {
                replication(ReplicationKind::CloneSession(CloneSessionEntry {
                    session_id: *session,
                    replicas: copies(replicas),
                    class_of_service: *class_of_service,
                    packet_length_bytes: *max_length,
                }))
            }
            Named::ValueSet { value_set, members } => {
                let value_set_id = self.id(Kind::ValueSet, value_set)?;
                let found = self.info.value_sets.iter().find(|set| id_of(&set.preamble) == value_set_id);
                let fields = found.map(|set| &set.match_fields[..]).unwrap_or_default();
                let of = format!("the value set `{value_set}`");
                let members = members
                    .iter()
                    .map(|member| Ok(ValueSetMember { match_fields: matches(fields, member, &of)? }));
                let members = members.collect::<Result<_, Fault>>()?;
                EntityKind::ValueSetEntry(ValueSetEntry { value_set_id, members })
            }
            Named::Digest { digest, max_timeout, max_list, ack_timeout } => {
                EntityKind::DigestEntry(DigestEntry {
                    digest_id: self.id(Kind::Digest, digest)?,
                    config: Some(DigestConfig {
                        max_timeout_ns: *max_timeout,
                        max_list_size: *max_list,
                        ack_timeout_ns: *ack_timeout,
                    }),
                })
            }
        };
        Ok(Entity { entity: Some(kind) })
    }

    fn entry(&self, entry: &NamedEntry, reads: bool) -> Result<TableEntry, Fault> {
        let table = self.table(&entry.table)?;
        let of = format!("the table `{}`", entry.table);
        let action = entry.action.as_ref().map(|action| self.table_action(table, action, &of)).transpose()?;
        let counter =
            entry.counter.map(|[packet_count, byte_count]| CounterData { byte_count, packet_count });
        Ok(TableEntry {
            table_id: id_of(&table.preamble),
            match_fields: matches(&table.match_fields, &entry.matches, &of)?,
            action,
            priority: entry.priority,
            controller_metadata: 0,
            meter_config: if reads { Some(MeterConfig::default()) } else { entry.meter.map(meter_config) },
            counter_data: if reads { Some(CounterData::default()) } else { counter },
            is_default_action: entry.default,
            idle_timeout_ns: entry.idle_timeout,
            time_since_last_hit: reads.then(Default::default),
            metadata: if entry.cookie == 0 { Vec::new() } else { entry.cookie.to_be_bytes().to_vec() },
            meter_counter_data: None,
            is_const: false,
        })
    }

    fn table_action(&self, table: &Table, action: &NamedAction, of: &str) -> Result<TableAction, Fault> {
        let ids: Vec<u32> = table.action_refs.iter().map(|action| action.id).collect();
        let kind = match action {
            NamedAction::Call(name, params) => TableActionKind::Action(self.call(name, params, &ids, of)?),
            NamedAction::Member(member) => TableActionKind::Member(*member),
            NamedAction::Group(group) => TableActionKind::Group(*group),
            NamedAction::Set(actions) => {
                let actions = actions.iter().map(|each| {
                    let action = Some(self.call(&each.name, &each.params, &ids, of)?);
                    Ok(ActionProfileAction { action, weight: each.weight, watch: None })
                });
                let actions = actions.collect::<Result<_, Fault>>()?;
                TableActionKind::ActionSet(ActionProfileActionSet { actions })
            }
        };
        Ok(TableAction { kind: Some(kind) })
    }

    fn call(
        &self,
        name: &str,
        params: &BTreeMap<String, String>,
        ids: &[u32],
        of: &str,
    ) -> Result<Action, Fault> {
        let action = self.action(name, ids, of)?;
        let known = || action.params.iter().map(|param| param.name.as_str());
        let mut given = Vec::with_capacity(params.len());
        for (param, value) in params {
            let Some(found) = action.params.iter().find(|known| known.name == *param) else {
                let help = jettison_registry::suggestion(param, known());
                return Err(invalid(format!("the action `{name}` has no parameter `{param}`; {help}")));
            };
            given.push(ActionParam { param_id: found.id, value: to_bytes(value)? });
        }
        if let Some(missing) = known().find(|name| !params.contains_key(*name)) {
            return Err(invalid(format!("the action `{name}` requires the parameter `{missing}`")));
        }
        Ok(Action { action_id: id_of(&action.preamble), params: given })
    }

    /// The message of a value of a type.
    fn data(&self, value: &Datum, spec: Option<&DataTypeSpec>) -> Result<P4Data, Fault> {
        let kind = spec.and_then(|spec| spec.kind.as_ref());
        let data = match (value, kind) {
            (Datum::Bool(value), _) => Data::Bool(*value),
            (Datum::Number(text), _) => Data::Bitstring(to_bytes(text)?),
            (Datum::List(values), Some(DataType::Tuple(tuple))) => {
                let specs = tuple.members.iter().map(Some).chain(std::iter::repeat(None));
                let members = values.iter().zip(specs).map(|(value, spec)| self.data(value, spec));
                Data::Tuple(StructLike { members: members.collect::<Result<_, _>>()? })
            }
            (Datum::List(values), Some(DataType::Struct(named))) => {
                let fields = self.fields(&named.name);
                let specs = fields.iter().map(|(_, spec)| *spec).chain(std::iter::repeat(None));
                let members = values.iter().zip(specs).map(|(value, spec)| self.data(value, spec));
                Data::Struct(StructLike { members: members.collect::<Result<_, _>>()? })
            }
            (Datum::Fields(values), Some(DataType::Struct(named))) => {
                let fields = self.fields(&named.name);
                let known = || fields.iter().map(|(name, _)| *name);
                if let Some(unknown) = values.keys().find(|name| !known().any(|known| known == *name)) {
                    let help = jettison_registry::suggestion(unknown, known());
                    return Err(invalid(format!("`{}` has no field `{unknown}`; {help}", named.name)));
                }
                let members = fields.iter().map(|(name, spec)| {
                    let value = values.get(*name);
                    let value = value.ok_or_else(|| invalid(format!("missing field `{name}`")))?;
                    self.data(value, *spec)
                });
                Data::Struct(StructLike { members: members.collect::<Result<_, _>>()? })
            }
            (Datum::List(_) | Datum::Fields(_), _) => {
                return Err(invalid("the value must be a number, not a list or a dictionary"));
            }
        };
        Ok(P4Data { data: Some(data) })
    }

    /// Fields of a struct with their types.
    pub(super) fn fields(&self, name: &str) -> Vec<(&str, Option<&DataTypeSpec>)> {
        let structs = self.info.type_info.as_ref().map(|types| &types.structs);
        let found = structs.and_then(|structs| structs.get(name));
        let members = found.map(|found| &found.members[..]).unwrap_or_default();
        members.iter().map(|member| (member.name.as_str(), member.type_spec.as_ref())).collect()
    }

    /// A packet-out: the packet, and the fields of the header `packet_out` by name.
    ///
    /// # Errors
    /// If a field is unknown, missing or malformed.
    pub fn packet_out(
        &self,
        payload: Vec<u8>,
        fields: &BTreeMap<String, String>,
    ) -> Result<PacketOut, Fault> {
        let headers = &self.info.controller_packet_metadata;
        let header = headers
            .iter()
            .find(|header| header.preamble.as_ref().is_some_and(|preamble| preamble.name == "packet_out"));
        let known = header.map(|header| &header.metadata[..]).unwrap_or_default();
        let names = || known.iter().map(|field| field.name.as_str());
        let mut metadata = Vec::with_capacity(fields.len());
        for (name, value) in fields {
            let Some(field) = known.iter().find(|field| field.name == *name) else {
                let help = jettison_registry::suggestion(name, names());
                return Err(invalid(format!("the header `packet_out` has no field `{name}`; {help}")));
            };
            metadata.push(PacketMetadata { metadata_id: field.id, value: to_bytes(value)? });
        }
        if let Some(missing) = names().find(|name| !fields.contains_key(*name)) {
            return Err(invalid(format!("a packet-out requires the field `{missing}`")));
        }
        Ok(PacketOut { payload, metadata })
    }
}

fn replication(kind: ReplicationKind) -> EntityKind {
    EntityKind::PacketReplicationEngineEntry(PacketReplicationEngineEntry { kind: Some(kind) })
}

fn copies(replicas: &[(u32, u32)]) -> Vec<Replica> {
    let copy = |(port, instance): &(u32, u32)| Replica {
        port: Some(ReplicaPort::Number(*port)),
        instance: *instance,
    };
    replicas.iter().map(copy).collect()
}

fn meter_config([cir, cburst, pir, pburst]: [i64; 4]) -> MeterConfig {
    MeterConfig { cir, cburst, pir, pburst, eburst: 0 }
}

fn matches(
    fields: &[MatchField],
    given: &BTreeMap<String, Criterion>,
    of: &str,
) -> Result<Vec<FieldMatch>, Fault> {
    let mut all = Vec::with_capacity(given.len());
    for (name, criterion) in given {
        let field = field(fields, name, of)?;
        if let Some(kind) = field_match(field, criterion)? {
            all.push(FieldMatch { field_id: field.id, kind: Some(kind) });
        }
    }
    Ok(all)
}

/// A criterion of a field; `None` if it matches any value, which P4Runtime says by leaving it out.
fn field_match(field: &MatchField, criterion: &Criterion) -> Result<Option<FieldMatchKind>, Fault> {
    let wrong = |wanted: &str| {
        let name = &field.name;
        Err(invalid(format!("the match field `{name}` must be {wanted}, got {}", shown(criterion))))
    };
    let width = u32::try_from(field.bitwidth).unwrap_or(0);
    let prefix_mask = |length: i32| {
        let length = u32::try_from(length).unwrap_or(0).min(width);
        let ones = (num_bigint::BigUint::from(1u8) << width) - 1u8;
        let mut mask = (&ones ^ (&ones >> length)).to_bytes_be();
        mask.insert(0, 0);
        mask
    };
    let is_zero = |bytes: &[u8]| bytes.iter().all(|byte| *byte == 0);
    Ok(Some(match (field.match_type, criterion) {
        (match_type::EXACT, Criterion::Value(value)) => {
            FieldMatchKind::Exact(Exact { value: to_bytes(value)? })
        }
        (match_type::OPTIONAL, Criterion::Value(value)) => {
            FieldMatchKind::Optional(Exact { value: to_bytes(value)? })
        }
        (match_type::LPM, Criterion::Value(value)) => {
            FieldMatchKind::Lpm(Lpm { value: to_bytes(value)?, prefix_len: field.bitwidth })
        }
        (match_type::LPM, Criterion::Prefix(value, length)) => {
            return prefix(to_bytes(value)?, *length);
        }
        // Value and length.
        (match_type::LPM, Criterion::Pair(value, length)) => {
            let length =
                to_bytes(length)?.iter().fold(0_i64, |all, byte| (all << 8 | i64::from(*byte)) & 0xffff_ffff);
            return prefix(to_bytes(value)?, i32::try_from(length).unwrap_or(i32::MAX));
        }
        (match_type::TERNARY, Criterion::Value(value)) => {
            FieldMatchKind::Ternary(Ternary { value: to_bytes(value)?, mask: prefix_mask(field.bitwidth) })
        }
        (match_type::TERNARY, Criterion::Prefix(_, 0)) => return Ok(None),
        (match_type::TERNARY, Criterion::Prefix(value, length)) => {
            FieldMatchKind::Ternary(Ternary { value: to_bytes(value)?, mask: prefix_mask(*length) })
        }
        (match_type::TERNARY, Criterion::Pair(value, mask)) => {
            let mask = to_bytes(mask)?;
            if is_zero(&mask) {
                return Ok(None);
            }
            FieldMatchKind::Ternary(Ternary { value: to_bytes(value)?, mask })
        }
        (match_type::RANGE, Criterion::Value(value)) => {
            FieldMatchKind::Range(Range { low: to_bytes(value)?, high: to_bytes(value)? })
        }
        (match_type::RANGE, Criterion::Pair(low, high)) => {
            FieldMatchKind::Range(Range { low: to_bytes(low)?, high: to_bytes(high)? })
        }
        (match_type::EXACT | match_type::OPTIONAL, _) => return wrong("a value"),
        (match_type::RANGE, _) => return wrong("a value, or a pair of least and greatest value"),
        _ => return wrong("of a known kind"),
    }))
}

/// A prefix; of length 0 it matches any value.
fn prefix(value: Vec<u8>, length: i32) -> Result<Option<FieldMatchKind>, Fault> {
    Ok((length != 0).then_some(FieldMatchKind::Lpm(Lpm { value, prefix_len: length })))
}

fn shown(criterion: &Criterion) -> String {
    match criterion {
        Criterion::Value(value) => value.clone(),
        Criterion::Prefix(value, length) => format!("the prefix {value}/{length}"),
        Criterion::Pair(one, other) => format!("the pair ({one}, {other})"),
    }
}
