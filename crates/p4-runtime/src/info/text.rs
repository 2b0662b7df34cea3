//! P4Info in protobuf's text format.

use std::fmt::Write;

use crate::proto::info::{
    BitstringKind, BitstringLike, CounterSpec, DataType, DataTypeSpec, Documentation, MatchField, MeterSpec,
    NamedType, P4Info, P4TypeInfo, Preamble, Representation, SdnType,
};

/// P4Info as text.
pub fn to_text(info: &P4Info) -> String {
    let mut w = Writer::default();
    if let Some(package) = &info.pkg_info {
        w.message("pkg_info", |w| {
            w.text("name", &package.name);
            w.text("version", &package.version);
            w.texts("annotations", &package.annotations);
            w.text("arch", &package.arch);
        });
    }
    tables(info, &mut w);
    objects(info, &mut w);
    if let Some(types) = &info.type_info {
        w.message("type_info", |w| type_info(types, w));
    }
    w.out
}

fn tables(info: &P4Info, w: &mut Writer) {
    for table in &info.tables {
        w.message("tables", |w| {
            preamble(&table.preamble, w);
            table.match_fields.iter().for_each(|field| match_field("match_fields", field, w));
            for action in &table.action_refs {
                w.message("action_refs", |w| {
                    w.number("id", action.id);
                    w.texts("annotations", &action.annotations);
                    w.name("scope", action.scope, &["TABLE_AND_DEFAULT", "TABLE_ONLY", "DEFAULT_ONLY"]);
                });
            }
            w.number("const_default_action_id", table.const_default_action_id);
            if let Some(call) = &table.initial_default_action {
                w.message("initial_default_action", |w| {
                    w.number("action_id", call.action_id);
                    for argument in &call.arguments {
                        w.message("arguments", |w| {
                            w.number("param_id", argument.param_id);
                            w.bytes("value", &argument.value);
                        });
                    }
                });
            }
            w.number("implementation_id", table.implementation_id);
            table.direct_resource_ids.iter().for_each(|id| w.number("direct_resource_ids", *id));
            w.number("size", table.size);
            w.name("idle_timeout_behavior", table.idle_timeout_behavior, &["NO_TIMEOUT", "NOTIFY_CONTROL"]);
            w.flag("is_const_table", table.is_const_table);
            w.flag("has_initial_entries", table.has_initial_entries);
        });
    }
    for action in &info.actions {
        w.message("actions", |w| {
            preamble(&action.preamble, w);
            for param in &action.params {
                w.message("params", |w| {
                    w.number("id", param.id);
                    w.text("name", &param.name);
                    w.texts("annotations", &param.annotations);
                    w.number("bitwidth", param.bitwidth);
                    documentation(&param.doc, w);
                    named("type_name", &param.type_name, w);
                });
            }
        });
    }
    for profile in &info.action_profiles {
        w.message("action_profiles", |w| {
            preamble(&profile.preamble, w);
            profile.table_ids.iter().for_each(|id| w.number("table_ids", *id));
            w.flag("with_selector", profile.with_selector);
            w.number("size", profile.size);
            w.number("max_group_size", profile.max_group_size);
        });
    }
}

fn objects(info: &P4Info, w: &mut Writer) {
    for counter in &info.counters {
        w.message("counters", |w| {
            preamble(&counter.preamble, w);
            counter_spec(&counter.spec, w);
            w.number("size", counter.size);
        });
    }
    for counter in &info.direct_counters {
        w.message("direct_counters", |w| {
            preamble(&counter.preamble, w);
            counter_spec(&counter.spec, w);
            w.number("direct_table_id", counter.direct_table_id);
        });
    }
    for meter in &info.meters {
        w.message("meters", |w| {
            preamble(&meter.preamble, w);
            meter_spec(&meter.spec, w);
            w.number("size", meter.size);
        });
    }
    for meter in &info.direct_meters {
        w.message("direct_meters", |w| {
            preamble(&meter.preamble, w);
            meter_spec(&meter.spec, w);
            w.number("direct_table_id", meter.direct_table_id);
        });
    }
    for header in &info.controller_packet_metadata {
        w.message("controller_packet_metadata", |w| {
            preamble(&header.preamble, w);
            for field in &header.metadata {
                w.message("metadata", |w| {
                    w.number("id", field.id);
                    w.text("name", &field.name);
                    w.texts("annotations", &field.annotations);
                    w.number("bitwidth", field.bitwidth);
                    named("type_name", &field.type_name, w);
                });
            }
        });
    }
    for set in &info.value_sets {
        w.message("value_sets", |w| {
            preamble(&set.preamble, w);
            set.match_fields.iter().for_each(|field| match_field("match", field, w));
            w.number("size", set.size);
        });
    }
    for register in &info.registers {
        w.message("registers", |w| {
            preamble(&register.preamble, w);
            spec("type_spec", &register.type_spec, w);
            w.number("size", register.size);
        });
    }
    for digest in &info.digests {
        w.message("digests", |w| {
            preamble(&digest.preamble, w);
            spec("type_spec", &digest.type_spec, w);
        });
    }
}

fn preamble(preamble: &Option<Preamble>, w: &mut Writer) {
    if let Some(preamble) = preamble {
        w.message("preamble", |w| {
            w.number("id", preamble.id);
            w.text("name", &preamble.name);
            w.text("alias", &preamble.alias);
            w.texts("annotations", &preamble.annotations);
            documentation(&preamble.doc, w);
        });
    }
}

fn documentation(doc: &Option<Documentation>, w: &mut Writer) {
    if let Some(doc) = doc {
        w.message("doc", |w| {
            w.text("brief", &doc.brief);
            w.text("description", &doc.description);
        });
    }
}

fn match_field(name: &str, field: &MatchField, w: &mut Writer) {
    let kinds = ["UNSPECIFIED", "", "EXACT", "LPM", "TERNARY", "RANGE", "OPTIONAL"];
    w.message(name, |w| {
        w.number("id", field.id);
        w.text("name", &field.name);
        w.texts("annotations", &field.annotations);
        w.number("bitwidth", field.bitwidth);
        w.name("match_type", field.match_type, &kinds);
        documentation(&field.doc, w);
        named("type_name", &field.type_name, w);
    });
}

fn counter_spec(spec: &Option<CounterSpec>, w: &mut Writer) {
    if let Some(spec) = spec {
        w.message("spec", |w| w.name("unit", spec.unit, &["UNSPECIFIED", "BYTES", "PACKETS", "BOTH"]));
    }
}

fn meter_spec(spec: &Option<MeterSpec>, w: &mut Writer) {
    if let Some(spec) = spec {
        w.message("spec", |w| w.name("unit", spec.unit, &["UNSPECIFIED", "BYTES", "PACKETS"]));
    }
}

fn named(name: &str, ty: &Option<NamedType>, w: &mut Writer) {
    if let Some(ty) = ty {
        w.message(name, |w| w.text("name", &ty.name));
    }
}

fn spec(name: &str, spec: &Option<DataTypeSpec>, w: &mut Writer) {
    let Some(kind) = spec.as_ref().and_then(|spec| spec.kind.as_ref()) else { return };
    w.message(name, |w| match kind {
        DataType::Bitstring(bits) => bitstring("bitstring", bits, w),
        DataType::Bool(_) => w.message("bool", |_| {}),
        DataType::Tuple(tuple) => w.message("tuple", |w| {
            tuple.members.iter().for_each(|member| self::spec("members", &Some(member.clone()), w));
        }),
        DataType::Struct(ty) => named("struct", &Some(ty.clone()), w),
        DataType::Header(ty) => named("header", &Some(ty.clone()), w),
    });
}

fn bitstring(name: &str, bits: &BitstringLike, w: &mut Writer) {
    w.message(name, |w| match &bits.kind {
        Some(BitstringKind::Bit(width)) => w.message("bit", |w| w.number("bitwidth", width.bitwidth)),
        Some(BitstringKind::Int(width)) => w.message("int", |w| w.number("bitwidth", width.bitwidth)),
        Some(BitstringKind::Varbit(width)) => {
            w.message("varbit", |w| w.number("max_bitwidth", width.bitwidth));
        }
        None => {}
    });
}

fn type_info(types: &P4TypeInfo, w: &mut Writer) {
    let entry = |w: &mut Writer, field: &str, key: &str, value: &mut dyn FnMut(&mut Writer)| {
        w.message(field, |w| {
            w.text("key", key);
            w.message("value", |w| value(w));
        });
    };
    for (name, ty) in &types.structs {
        entry(w, "structs", name, &mut |w| {
            for member in &ty.members {
                w.message("members", |w| {
                    w.text("name", &member.name);
                    spec("type_spec", &member.type_spec, w);
                });
            }
        });
    }
    for (name, ty) in &types.headers {
        entry(w, "headers", name, &mut |w| {
            for member in &ty.members {
                w.message("members", |w| {
                    w.text("name", &member.name);
                    member.type_spec.iter().for_each(|bits| bitstring("type_spec", bits, w));
                });
            }
        });
    }
    for (name, ty) in &types.serializable_enums {
        entry(w, "serializable_enums", name, &mut |w| {
            if let Some(width) = &ty.underlying_type {
                w.message("underlying_type", |w| w.number("bitwidth", width.bitwidth));
            }
            for member in &ty.members {
                w.message("members", |w| {
                    w.text("name", &member.name);
                    w.bytes("value", &member.value);
                });
            }
            w.texts("annotations", &ty.annotations);
        });
    }
    for (name, ty) in &types.new_types {
        entry(w, "new_types", name, &mut |w| {
            match &ty.representation {
                Some(Representation::OriginalType(original)) => {
                    spec("original_type", &Some(original.clone()), w);
                }
                Some(Representation::TranslatedType(translation)) => {
                    w.message("translated_type", |w| {
                        w.text("uri", &translation.uri);
                        match &translation.sdn_type {
                            Some(SdnType::SdnBitwidth(bits)) => w.number("sdn_bitwidth", *bits),
                            Some(SdnType::SdnString(_)) => w.message("sdn_string", |_| {}),
                            None => {}
                        }
                    });
                }
                None => {}
            }
            w.texts("annotations", &ty.annotations);
        });
    }
}

/// Writer of the text format. Fields with their default value are left out.
#[derive(Default)]
struct Writer {
    out: String,
    depth: usize,
}

impl Writer {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.out, "{:width$}{line}", "", width = 2 * self.depth); // writing to a String cannot fail
    }

    fn message(&mut self, name: &str, fields: impl FnOnce(&mut Writer)) {
        self.line(format_args!("{name} {{"));
        self.depth += 1;
        fields(self);
        self.depth -= 1;
        self.line(format_args!("}}"));
    }

    fn number(&mut self, name: &str, value: impl Into<i64>) {
        let value = value.into();
        if value != 0 {
            self.line(format_args!("{name}: {value}"));
        }
    }

    fn flag(&mut self, name: &str, value: bool) {
        if value {
            self.line(format_args!("{name}: true"));
        }
    }

    /// A member of an enum by its number.
    fn name(&mut self, name: &str, value: i32, names: &[&str]) {
        if value != 0
            && let Some(member) = usize::try_from(value).ok().and_then(|value| names.get(value))
        {
            self.line(format_args!("{name}: {member}"));
        }
    }

    fn text(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.bytes(name, value.as_bytes());
        }
    }

    fn texts(&mut self, name: &str, values: &[String]) {
        values.iter().for_each(|value| self.bytes(name, value.as_bytes()));
    }

    fn bytes(&mut self, name: &str, value: &[u8]) {
        let mut quoted = String::new();
        for byte in value {
            match byte {
                b'"' | b'\\' => quoted.extend(['\\', char::from(*byte)]),
                b' '..=b'~' => quoted.push(char::from(*byte)),
                _ => {
                    let _ = write!(quoted, "\\{byte:03o}"); // writing to a String cannot fail
                }
            }
        }
        self.line(format_args!("{name}: \"{quoted}\""));
    }
}
