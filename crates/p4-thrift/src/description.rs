//! A program's objects in the JSON form of BMv2's configurations: what clients ask the switch for to know tables, actions and the
//! widths of their values. It has no parsers, pipelines of conditions, or primitives.

use std::collections::BTreeMap;

use jettison_p4_front::ir::{
    ActionProfile, ExternKind, HashAlgorithm, MatchKind, MeterUnit, Program, Table, TableId,
};
use serde_json::{Value, json};

use crate::calculations::calculations;

/// The configuration of a program.
pub(crate) fn description(program: &Program) -> String {
    let mut headers = Headers::default();
    let tables: Vec<(String, Value)> =
        (0u32..).zip(&program.tables).map(|(id, _)| table(program, TableId(id), &mut headers)).collect();
    let mut externs: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for key in ["counter_arrays", "meter_arrays", "register_arrays"] {
        externs.insert(key, Vec::new());
    }
    for (at, instance) in program.externs.iter().enumerate() {
        let (key, value) = object(program, at, instance.kind);
        let list = externs.entry(key).or_default();
        let mut named = json!({ "name": plain(&instance.name), "id": list.len() });
        extend(&mut named, value);
        list.push(named);
    }
    let value_sets: Vec<Value> = program
        .value_sets
        .iter()
        .enumerate()
        .map(|(id, set)| {
            let bits: u32 = set.keys.iter().map(|(ty, _)| program.types.bits(*ty)).sum();
            json!({ "name": plain(&set.name), "id": id, "compressed_bitwidth": bits })
        })
        .collect();
    let mut text = json!({
        "header_types": headers.types(),
        "headers": headers.instances(),
        "parse_vsets": value_sets,
        "actions": actions(program),
        "pipelines": pipelines(program, tables),
        "calculations": hashes(program),
        "learn_lists": [],
    });
    extend(&mut text, json!(externs));
    text.to_string()
}

fn extend(object: &mut Value, with: Value) {
    if let (Value::Object(object), Value::Object(with)) = (object, with) {
        object.extend(with);
    }
}

/// A name without the dot before names of the top level.
fn plain(name: &str) -> &str {
    name.trim_start_matches('.')
}

/// Every action of a table once, with its parameters.
fn actions(program: &Program) -> Vec<Value> {
    let mut known: Vec<&str> = Vec::new();
    let mut all = Vec::new();
    for action in program.tables.iter().flat_map(|table| &table.actions) {
        if known.contains(&plain(&action.name)) {
            continue;
        }
        let parameters: Vec<Value> = action
            .data
            .iter()
            .map(|(name, variable)| {
                let bits = program.types.bits(program.variables[variable.index()].ty);
                json!({ "name": &**name, "bitwidth": bits })
            })
            .collect();
        all.push(json!({ "name": plain(&action.name), "id": known.len(), "runtime_data": parameters }));
        known.push(plain(&action.name));
    }
    all
}

/// A table with the name of its control.
fn table(program: &Program, id: TableId, headers: &mut Headers) -> (String, Value) {
    let table = &program.tables[id.index()];
    let keys: Vec<Value> = table
        .keys
        .iter()
        .filter(|key| key.kind != MatchKind::Selector)
        .map(|key| {
            let target = headers.field(&key.name, program.types.bits(key.expr.ty));
            json!({ "match_type": kind_name(key.kind), "name": &*key.name, "target": target, "mask": null })
        })
        .collect();
    let profile = table.profile.map(|profile| &program.profiles[profile.index()]);
    let kind = match profile.map(|profile| profile.selector.is_some()) {
        None => "simple",
        Some(false) => "indirect",
        Some(true) => "indirect_ws",
    };
    let notes = program.control_plane.tables.get(id.index());
    let names: Vec<&str> = table.actions.iter().map(|action| plain(&action.name)).collect();
    let mut value = json!({
        "name": plain(&table.name),
        "id": id.0,
        "key": keys,
        "match_type": table_kind(table),
        "type": kind,
        "max_size": table.size.unwrap_or(1024),
        "with_counters": table.direct_counter.is_some(),
        "direct_meters": table.direct_meter.map(|meter| plain(&program.externs[meter.index()].name)),
        "support_timeout": notes.is_some_and(|notes| notes.supports_timeout),
        "actions": names,
    });
    if let Some(profile) = profile {
        // The second key is that of older configurations, which p4-utils asks for as well.
        let name = plain(&profile.name);
        extend(&mut value, json!({ "action_profile": name, "act_prof_name": name }));
    }
    let name = plain(&table.name);
    (name.split_once('.').map_or("", |(control, _)| control).to_owned(), value)
}

fn kind_name(kind: MatchKind) -> &'static str {
    match kind {
        MatchKind::Exact | MatchKind::Selector => "exact",
        MatchKind::Lpm => "lpm",
        // BMv2 has no optional keys: they have masks of ones or of zeros.
        MatchKind::Ternary | MatchKind::Optional => "ternary",
        MatchKind::Range => "range",
    }
}

/// How entries of the table match: with priorities, by the longest prefix, or exactly.
fn table_kind(table: &Table) -> &'static str {
    let kinds: Vec<&str> = table.keys.iter().map(|key| kind_name(key.kind)).collect();
    ["range", "ternary", "lpm"].into_iter().find(|kind| kinds.contains(kind)).unwrap_or("exact")
}

/// The tables of each control, and the action profiles, which are in the first pipeline.
fn pipelines(program: &Program, tables: Vec<(String, Value)>) -> Vec<Value> {
    let mut controls: Vec<(String, Vec<Value>)> = Vec::new();
    for (control, table) in tables {
        match controls.iter_mut().find(|(own, _)| *own == control) {
            Some((_, tables)) => tables.push(table),
            None => controls.push((control, vec![table])),
        }
    }
    let mut profiles: Vec<Value> = program.profiles.iter().enumerate().map(profile).collect();
    let mut all = Vec::new();
    for (id, (control, tables)) in controls.into_iter().enumerate() {
        all.push(json!({
            "name": control,
            "id": id,
            "source_info": { "source_fragment": control },
            "tables": tables,
            "action_profiles": std::mem::take(&mut profiles),
        }));
    }
    all
}

fn profile((id, profile): (usize, &ActionProfile)) -> Value {
    let mut value = json!({ "name": plain(&profile.name), "id": id, "max_size": profile.size });
    if profile.selector.is_some() {
        extend(&mut value, json!({ "selector": {} }));
    }
    value
}

/// The list of an object, and its properties.
fn object(program: &Program, at: usize, kind: ExternKind) -> (&'static str, Value) {
    let bound = |is: &dyn Fn(&Table) -> bool| {
        let table = program.tables.iter().find(|table| is(table));
        table.map(|table| plain(&table.name).to_owned())
    };
    let rates = |unit: MeterUnit| match unit {
        MeterUnit::Packets => json!({ "type": "packets", "rate_count": 2 }),
        MeterUnit::Bytes => json!({ "type": "bytes", "rate_count": 2 }),
    };
    match kind {
        ExternKind::Register { size, ty } => {
            ("register_arrays", json!({ "size": size, "bitwidth": program.types.bits(ty) }))
        }
        ExternKind::Counter { size } => ("counter_arrays", json!({ "is_direct": false, "size": size })),
        ExternKind::DirectCounter => {
            let table = bound(&|table| table.direct_counter.is_some_and(|own| own.index() == at));
            ("counter_arrays", json!({ "is_direct": true, "binding": table }))
        }
        ExternKind::Meter { size, unit } => {
            let mut value = json!({ "is_direct": false, "size": size });
            extend(&mut value, rates(unit));
            ("meter_arrays", value)
        }
        ExternKind::DirectMeter { unit } => {
            let table = bound(&|table| table.direct_meter.is_some_and(|own| own.index() == at));
            let mut value = json!({ "is_direct": true, "binding": table });
            extend(&mut value, rates(unit));
            ("meter_arrays", value)
        }
    }
}

fn hashes(program: &Program) -> Vec<Value> {
    let named = calculations(program).into_iter().enumerate();
    let all = named.map(|(id, (name, algorithm))| {
        let algorithm = match algorithm {
            HashAlgorithm::Crc32 => "crc32",
            HashAlgorithm::Crc32Custom => "crc32_custom",
            HashAlgorithm::Crc16 => "crc16",
            HashAlgorithm::Crc16Custom => "crc16_custom",
            HashAlgorithm::Random => "random",
            HashAlgorithm::Identity => "identity",
            HashAlgorithm::Csum16 => "csum16",
            HashAlgorithm::Xor16 => "xor16",
        };
        json!({ "name": name, "id": id, "algo": algorithm })
    });
    all.collect()
}

/// Headers that have the keys as fields. Clients look a key's width up in them.
#[derive(Default)]
struct Headers(Vec<(String, Vec<(String, u32)>)>);

impl Headers {
    /// Header and field of a key: the parts of its name, without the `hdr` of programs that name their headers so.
    fn field(&mut self, key: &str, bits: u32) -> [String; 2] {
        let name = key.strip_prefix("hdr.").unwrap_or(key);
        let (header, field) = match name.strip_suffix(".isValid()").or(name.strip_suffix(".$valid$")) {
            Some(header) => (header, "$valid$"),
            None => name.rsplit_once('.').unwrap_or(("scalars", name)),
        };
        // Two keys of a name may have widths of their own, as `@name` names them.
        let fits = |own: &(String, u32)| own.0 != field || own.1 == bits;
        let is_free = |header: &str| {
            let known = self.0.iter().find(|(own, _)| own == header);
            known.is_none_or(|(_, fields)| fields.iter().all(fits))
        };
        let names =
            std::iter::once(header.to_owned()).chain((2..).map(|number| format!("{header}_{number}")));
        let header = names.into_iter().find(|header| is_free(header)).unwrap_or_default();
        let at = self.0.iter().position(|(own, _)| *own == header).unwrap_or_else(|| {
            self.0.push((header.clone(), Vec::new()));
            self.0.len() - 1
        });
        let fields = &mut self.0[at].1;
        if !fields.iter().any(|(own, _)| own == field) {
            fields.push((field.to_owned(), bits));
        }
        [header, field.to_owned()]
    }

    fn types(&self) -> Vec<Value> {
        let all = self.0.iter().enumerate().map(|(id, (name, fields))| {
            let fields: Vec<Value> = fields.iter().map(|(name, bits)| json!([name, bits, false])).collect();
            json!({ "name": format!("{name}_t"), "id": id, "fields": fields })
        });
        all.collect()
    }

    fn instances(&self) -> Vec<Value> {
        let all = self.0.iter().enumerate().map(|(id, (name, _))| {
            json!({ "name": name, "id": id, "header_type": format!("{name}_t"), "metadata": false })
        });
        all.collect()
    }
}
