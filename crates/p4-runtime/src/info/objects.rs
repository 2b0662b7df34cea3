//! Extern objects, value sets, controller headers and digests in P4Info.

use jettison_p4_front::ir::{CounterUnit, ExternId, ExternKind, MeterUnit, Program};

use super::{ProgramIds, clamp, digest_types, field_ids, preamble, tables, texts, types};
use crate::proto::info::{
    ControllerPacketMetadata, Counter, CounterSpec, Digest, DirectCounter, DirectMeter, MatchField, Metadata,
    Meter, MeterSpec, P4Info, Register, ValueSet,
};

pub(super) fn describe(program: &Program, ids: &ProgramIds, info: &mut P4Info) {
    externs(program, ids, info);
    value_sets(program, ids, info);
    headers(program, ids, info);
    for ((ty, name), id) in digest_types(program).into_iter().zip(&ids.digests) {
        let type_spec = Some(types::data_type(program, ty, &mut info.type_info));
        info.digests.push(Digest { preamble: preamble(*id, &name, &[]), type_spec });
    }
}

fn externs(program: &Program, ids: &ProgramIds, info: &mut P4Info) {
    for (at, object) in program.externs.iter().enumerate() {
        let notes = program.control_plane.externs.get(at).cloned().unwrap_or_default();
        let preamble = preamble(ids.externs[at], &object.name, &notes.annotations);
        let id = ExternId(at as u32);
        let table = program.tables.iter().zip(&ids.tables);
        let table =
            table.clone().find(|(table, _)| [table.direct_counter, table.direct_meter].contains(&Some(id)));
        let direct_table_id = table.map_or(0, |(_, id)| *id);
        let counted = Some(CounterSpec {
            unit: match notes.counts {
                CounterUnit::Bytes => 1,
                CounterUnit::Packets => 2,
                CounterUnit::Both => 3,
            },
        });
        let metered = |unit: MeterUnit| {
            let unit = match unit {
                MeterUnit::Bytes => 1,
                MeterUnit::Packets => 2,
            };
            Some(MeterSpec { unit, kind: 0 })
        };
        match object.kind {
            ExternKind::Register { size, ty } => {
                let type_spec = Some(types::data_type(program, ty, &mut info.type_info));
                info.registers.push(Register { preamble, type_spec, size: clamp(size) });
            }
            ExternKind::Counter { size } => {
                info.counters.push(Counter { preamble, spec: counted, size: i64::from(size) });
            }
            ExternKind::DirectCounter => {
                info.direct_counters.push(DirectCounter { preamble, spec: counted, direct_table_id });
            }
            ExternKind::Meter { size, unit } => {
                info.meters.push(Meter { preamble, spec: metered(unit), size: i64::from(size) });
            }
            ExternKind::DirectMeter { unit } => {
                info.direct_meters.push(DirectMeter { preamble, spec: metered(unit), direct_table_id });
            }
        }
    }
}

fn value_sets(program: &Program, ids: &ProgramIds, info: &mut P4Info) {
    for (at, set) in program.value_sets.iter().enumerate() {
        let annotations = program.control_plane.value_sets.get(at).cloned().unwrap_or_default();
        let field = |(at, (ty, kind)): (usize, &(_, _))| MatchField {
            id: at as u32 + 1,
            bitwidth: clamp(program.types.bits(*ty)),
            match_type: tables::kind_number(*kind),
            ..MatchField::default()
        };
        info.value_sets.push(ValueSet {
            preamble: preamble(ids.value_sets[at], &set.name, &annotations),
            match_fields: set.keys.iter().enumerate().map(field).collect(),
            size: clamp(set.size),
        });
    }
}

/// Fields with `@padding` are on the wire but not in P4Info.
fn headers(program: &Program, ids: &ProgramIds, info: &mut P4Info) {
    for (header, id) in program.control_plane.controller_headers.iter().zip(&ids.headers) {
        let padding = |name: &str| name == "padding";
        let told = header.fields.iter().filter(|field| !field.annotations.iter().any(|a| padding(&a.name)));
        let told: Vec<_> = told.collect();
        let annotations: Vec<_> = told.iter().map(|field| &field.annotations[..]).collect();
        let metadata = told.iter().zip(field_ids(&annotations)).map(|(field, id)| Metadata {
            id,
            name: field.name.to_string(),
            annotations: texts(&field.annotations),
            bitwidth: types::bit_width(program, field),
            type_name: tables::named(field),
        });
        info.controller_packet_metadata.push(ControllerPacketMetadata {
            preamble: preamble(*id, &header.name, &header.annotations),
            metadata: metadata.collect(),
        });
    }
}
