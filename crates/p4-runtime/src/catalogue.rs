//! Objects of a program by the ids of a P4Info.
//!
//! Names decide, not ids: a P4Info that another compiler made for the same program is accepted with its own ids.

use std::collections::BTreeMap;
use std::sync::Arc;

use jettison_p4_front::ir::{
    ActionProfileId, ExternId, ExternKind, MatchKind, Program, TableId, Type, TypeId, ValueSetId,
};
use num_bigint::BigUint;

use crate::bytes;
use crate::fault::{Code, Fault, invalid};
use crate::info::{self, plain};
use crate::proto::info::{
    ControllerPacketMetadata, MatchField, NamedType, P4Info, Preamble, Representation, SdnType,
};
use crate::translation::Translated;

/// Maximum width of a value for the controller.
const MAX_BITS: u32 = 4096;

/// A program with the ids of a P4Info.
#[derive(Debug, Clone)]
pub struct Catalogue {
    /// The program.
    pub program: Arc<Program>,
    pub(crate) tables: BTreeMap<u32, TableId>,
    pub(crate) table_specs: Vec<TableSpec>,
    pub(crate) externs: BTreeMap<u32, ExternId>,
    pub(crate) profiles: BTreeMap<u32, ActionProfileId>,
    pub(crate) value_sets: BTreeMap<u32, (ValueSetId, Vec<FieldSpec>)>,
    pub(crate) digests: BTreeMap<u32, TypeId>,
    pub(crate) packet_in: Vec<HeaderField>,
    pub(crate) packet_out: Vec<HeaderField>,
    /// Whether match fields or parameters have translated types.
    pub(crate) translates: bool,
}

/// A table for the controller.
#[derive(Debug, Clone, Default)]
pub(crate) struct TableSpec {
    pub id: u32,
    pub fields: Vec<FieldSpec>,
    /// In the order of the table's actions.
    pub actions: Vec<ActionSpec>,
    pub supports_timeout: bool,
}

/// An action of a table for the controller.
#[derive(Debug, Clone, Default)]
pub(crate) struct ActionSpec {
    pub id: u32,
    /// In the order of the action data.
    pub params: Vec<ValueSpec>,
}

/// A match field for the controller.
#[derive(Debug, Clone)]
pub(crate) struct FieldSpec {
    pub kind: MatchKind,
    pub value: ValueSpec,
}

/// A value that the controller writes and reads.
#[derive(Debug, Clone, Default)]
pub(crate) struct ValueSpec {
    pub id: u32,
    pub name: String,
    /// Width in the program.
    pub bits: u32,
    /// Width for the controller; another one if the type is translated, 0 for a string.
    pub controller_bits: u32,
    pub signed: bool,
    /// The translation of its type. Values are translated before they are read, and after they are written.
    pub translated: Option<Translated>,
}

/// A field of a controller header; without an id it is padding.
#[derive(Debug, Clone)]
pub(crate) struct HeaderField {
    pub id: Option<u32>,
    pub value: ValueSpec,
}

impl ValueSpec {
    /// Reads the byte string of a number of the device.
    pub fn read(&self, text: &[u8]) -> Result<BigUint, Fault> {
        let width = if self.translated.is_some() { self.bits } else { self.controller_bits };
        let value = bytes::decode(text, width, self.signed).ok_or_else(|| self.out_of_range(text, width))?;
        if !self.signed && value.bits() > u64::from(self.bits) {
            return Err(self.out_of_range(text, self.bits));
        }
        Ok(value)
    }

    pub fn out_of_range(&self, text: &[u8], width: u32) -> Fault {
        let hex: String = text.iter().map(|byte| format!("{byte:02x}")).collect();
        let got = if hex.is_empty() { "an empty byte string".to_owned() } else { format!("0x{hex}") };
        Fault::new(Code::OutOfRange, format!("`{}` must fit in {width} bits, got {got}", self.name))
    }

    /// Writes the canonical byte string.
    pub fn write(&self, value: &BigUint) -> Vec<u8> {
        bytes::encode(value, self.bits, self.signed)
    }

    /// All ones.
    pub fn full(&self) -> BigUint {
        (BigUint::from(1u8) << self.bits) - 1u8
    }
}

impl Catalogue {
    /// Resolves a P4Info's names in a program.
    ///
    /// # Errors
    /// If the P4Info is not one of this program.
    pub fn new(program: &Arc<Program>, info: &P4Info) -> Result<Catalogue, String> {
        let mut catalogue = Catalogue {
            program: program.clone(),
            tables: BTreeMap::new(),
            table_specs: vec![TableSpec::default(); program.tables.len()],
            externs: BTreeMap::new(),
            profiles: BTreeMap::new(),
            value_sets: BTreeMap::new(),
            digests: BTreeMap::new(),
            packet_in: header(info, "packet_in", program),
            packet_out: header(info, "packet_out", program),
            translates: false,
        };
        catalogue.tables(info)?;
        catalogue.externs(info)?;
        for profile in &info.action_profiles {
            let (id, name) = known(&profile.preamble);
            let at = find("action profile", name, program.profiles.iter().map(|profile| &*profile.name))?;
            catalogue.profiles.insert(id, ActionProfileId(at as u32));
        }
        for set in &info.value_sets {
            let (id, name) = known(&set.preamble);
            let at = find("value set", name, program.value_sets.iter().map(|set| &*set.name))?;
            let keys = &program.value_sets[at].keys;
            let keys = keys.iter().map(|(ty, kind)| (*ty, *kind));
            let specs = fields(name, &set.match_fields, keys, program, info)?;
            catalogue.value_sets.insert(id, (ValueSetId(at as u32), specs));
        }
        let digests = info::digest_types(program);
        for digest in &info.digests {
            let (id, name) = known(&digest.preamble);
            let at = find("digest", name, digests.iter().map(|(_, name)| &**name))?;
            catalogue.digests.insert(id, digests[at].0);
        }
        let values = catalogue.table_specs.iter().flat_map(|table| {
            let fields = table.fields.iter().map(|field| &field.value);
            fields.chain(table.actions.iter().flat_map(|action| &action.params))
        });
        catalogue.translates = values.into_iter().any(|value| value.translated.is_some());
        Ok(catalogue)
    }

    fn tables(&mut self, info: &P4Info) -> Result<(), String> {
        let program = self.program.clone();
        let actions: BTreeMap<&str, _> =
            info.actions.iter().map(|action| (plain(known(&action.preamble).1), action)).collect();
        for table in &info.tables {
            let (id, name) = known(&table.preamble);
            let at = find("table", name, program.tables.iter().map(|table| &*table.name))?;
            let ir = &program.tables[at];
            let keys = ir.keys.iter().filter(|key| key.kind != MatchKind::Selector);
            let fields =
                fields(name, &table.match_fields, keys.map(|key| (key.expr.ty, key.kind)), &program, info)?;
            let mut specs = Vec::with_capacity(ir.actions.len());
            for action in &ir.actions {
                let Some(described) = actions.get(plain(&action.name)) else {
                    return Err(format!("the P4Info has no action `{}`", action.name));
                };
                let mut params = Vec::with_capacity(action.data.len());
                for (name, variable) in &action.data {
                    let ty = program.variables[variable.index()].ty;
                    let param = described.params.iter().find(|param| param.name == **name);
                    let param = param.ok_or_else(|| {
                        format!("the action `{}` of the P4Info has no parameter `{name}`", action.name)
                    })?;
                    let translated = translated(info, &param.type_name);
                    params.push(ValueSpec {
                        translated,
                        ..value(param.id, name, param.bitwidth, ty, &program)
                    });
                }
                specs.push(ActionSpec { id: known(&described.preamble).0, params });
            }
            let notes = program.control_plane.tables.get(at);
            let supports_timeout = notes.is_some_and(|notes| notes.supports_timeout);
            self.table_specs[at] = TableSpec { id, fields, actions: specs, supports_timeout };
            self.tables.insert(id, TableId(at as u32));
        }
        Ok(())
    }

    fn externs(&mut self, info: &P4Info) -> Result<(), String> {
        let registers = info.registers.iter().map(|object| (&object.preamble, "register"));
        let counters = info.counters.iter().map(|object| (&object.preamble, "counter"));
        let direct_counters = info.direct_counters.iter().map(|object| (&object.preamble, "direct counter"));
        let meters = info.meters.iter().map(|object| (&object.preamble, "meter"));
        let direct_meters = info.direct_meters.iter().map(|object| (&object.preamble, "direct meter"));
        let all = registers.chain(counters).chain(direct_counters).chain(meters).chain(direct_meters);
        for (preamble, kind) in all {
            let (id, name) = known(preamble);
            let objects = self.program.externs.iter().enumerate();
            let found = objects
                .clone()
                .find(|(_, object)| kind_name(object.kind) == kind && plain(&object.name) == plain(name));
            let (at, _) = found.ok_or_else(|| format!("the program has no {kind} `{name}`"))?;
            self.externs.insert(id, ExternId(at as u32));
        }
        Ok(())
    }

    /// The table with an id.
    pub(crate) fn table(&self, id: u32) -> Result<TableId, Fault> {
        self.tables.get(&id).copied().ok_or_else(|| invalid(format!("unknown table id {id}")))
    }

    /// The extern object with an id.
    pub(crate) fn object(&self, id: u32, kind: &str) -> Result<ExternId, Fault> {
        let found = self.externs.get(&id).copied();
        let fits = |id: &ExternId| kind_name(self.program.externs[id.index()].kind) == kind;
        found.filter(fits).ok_or_else(|| invalid(format!("unknown {kind} id {id}")))
    }

    /// Ids of all extern objects of a kind.
    pub(crate) fn objects(&self, kind: &str) -> impl Iterator<Item = (u32, ExternId)> {
        let fits = move |id: &ExternId| kind_name(self.program.externs[id.index()].kind) == kind;
        self.externs.iter().map(|(number, id)| (*number, *id)).filter(move |(_, id)| fits(id))
    }

    pub(crate) fn spec(&self, table: TableId) -> &TableSpec {
        &self.table_specs[table.index()]
    }
}

fn kind_name(kind: ExternKind) -> &'static str {
    match kind {
        ExternKind::Register { .. } => "register",
        ExternKind::Counter { .. } => "counter",
        ExternKind::DirectCounter => "direct counter",
        ExternKind::Meter { .. } => "meter",
        ExternKind::DirectMeter { .. } => "direct meter",
    }
}

fn known(preamble: &Option<Preamble>) -> (u32, &str) {
    preamble.as_ref().map_or((0, ""), |preamble| (preamble.id, &preamble.name))
}

fn find<'a>(what: &str, name: &str, names: impl Iterator<Item = &'a str>) -> Result<usize, String> {
    let mut names = names.map(plain);
    names.position(|other| other == plain(name)).ok_or_else(|| format!("the program has no {what} `{name}`"))
}

fn value(id: u32, name: &str, controller_bits: i32, ty: TypeId, program: &Program) -> ValueSpec {
    let signed = matches!(program.types.get(ty), Type::Bits { signed: true, .. });
    // A P4Info may claim any width; byte strings of a signed number are expanded to it.
    let controller_bits = u32::try_from(controller_bits).unwrap_or(0).min(MAX_BITS);
    let bits = program.types.bits(ty);
    ValueSpec { id, name: name.to_owned(), bits, controller_bits, signed, translated: None }
}

/// The translation of a type of a P4Info.
fn translated(info: &P4Info, name: &Option<NamedType>) -> Option<Translated> {
    let new = info.type_info.as_ref()?.new_types.get(&name.as_ref()?.name)?;
    let Some(Representation::TranslatedType(translation)) = &new.representation else { return None };
    let bits = match translation.sdn_type {
        Some(SdnType::SdnBitwidth(bits)) => Some(u32::try_from(bits).unwrap_or(0).min(MAX_BITS)),
        _ => None,
    };
    Some(Translated { uri: translation.uri.clone(), bits })
}

/// Fields in the order of the program's keys.
fn fields(
    table: &str,
    described: &[MatchField],
    keys: impl Iterator<Item = (TypeId, MatchKind)>,
    program: &Program,
    info: &P4Info,
) -> Result<Vec<FieldSpec>, String> {
    let keys: Vec<_> = keys.collect();
    if described.len() != keys.len() {
        let (wanted, given) = (keys.len(), described.len());
        return Err(format!("`{table}` must have {wanted} match fields, the P4Info has {given}"));
    }
    let fields = described.iter().zip(keys).map(|(field, (ty, kind))| {
        let value = value(field.id, &field.name, field.bitwidth, ty, program);
        FieldSpec { kind, value: ValueSpec { translated: translated(info, &field.type_name), ..value } }
    });
    Ok(fields.collect())
}

/// Layout of a controller header: the program's fields with the P4Info's ids.
fn header(info: &P4Info, name: &str, program: &Program) -> Vec<HeaderField> {
    let described: Option<&ControllerPacketMetadata> =
        info.controller_packet_metadata.iter().find(|header| known(&header.preamble).1 == name);
    let Some(described) = described else { return Vec::new() };
    let headers = &program.control_plane.controller_headers;
    let Some(header) = headers.iter().find(|header| &*header.name == name) else { return Vec::new() };
    let field = |field: &jettison_p4_front::ir::ValueNotes| {
        let told = described.metadata.iter().find(|told| told.name == *field.name);
        let value = ValueSpec {
            id: told.map_or(0, |told| told.id),
            name: field.name.to_string(),
            bits: field.bits,
            controller_bits: field.bits,
            signed: false,
            translated: told.and_then(|told| translated(info, &told.type_name)),
        };
        HeaderField { id: told.map(|told| told.id), value }
    };
    header.fields.iter().map(field).collect()
}
