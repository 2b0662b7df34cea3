//! Values of translated types: what a controller writes and reads for a number of the device (§18.1).
//!
//! A `type` with `@p4runtime_translation(URI, …)` has other values for the controller: numbers of another width, or text. Which
//! value stands for which number is not the program's matter: it is given to the switch by URI ([`Translations::given`]).
//! Without it, numbers stand for themselves, and a text stands for the lowest number from 1 on that has none, from its first use.
//! A number without a text is written in decimal, and that text means it.

use std::collections::BTreeMap;

use jettison_registry::suggestion;
use num_bigint::BigUint;

use crate::bytes;
use crate::catalogue::{Catalogue, HeaderField, ValueSpec};
use crate::fault::{Code, Fault, invalid};
use crate::proto::runtime::{
    Action, Entity, EntityKind, FieldMatch, FieldMatchKind, IdleTimeoutNotification, PacketIn,
    PacketMetadata, PacketOut, TableAction, TableActionKind, TableEntry,
};

/// Translations of a switch, by URI.
#[derive(Debug, Clone, Default)]
pub struct Translations {
    by_uri: BTreeMap<String, Mapping>,
}

/// The values of a URI.
#[derive(Debug, Clone, Default)]
struct Mapping {
    /// Whether they are given: then no others are added.
    is_given: bool,
    /// Numbers of the device by the controller's byte string, canonical for a number.
    numbers: BTreeMap<Vec<u8>, BigUint>,
    /// The reverse.
    values: BTreeMap<BigUint, Vec<u8>>,
}

/// A type that is translated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Translated {
    pub uri: String,
    /// Width of the controller's number; `None` for text.
    pub bits: Option<u32>,
}

impl Translations {
    /// Translations that are given: by URI, the device's number of each value. The value of a type with a numeric translation is
    /// a number, as decimal or hexadecimal text.
    ///
    /// # Errors
    /// If two values stand for one number.
    pub fn given(given: &BTreeMap<String, BTreeMap<String, u64>>) -> Result<Translations, String> {
        let mut by_uri = BTreeMap::new();
        for (uri, values) in given {
            let mut mapping = Mapping { is_given: true, ..Mapping::default() };
            for (value, number) in values {
                if value.is_empty() {
                    return Err(format!("`{uri}`: the value of {number} must not be empty"));
                }
                let number = BigUint::from(*number);
                if let Some(other) = mapping.values.insert(number.clone(), value.clone().into_bytes()) {
                    let other = String::from_utf8_lossy(&other).into_owned();
                    return Err(format!("`{uri}`: both `{other}` and `{value}` are {number}"));
                }
                mapping.numbers.insert(value.clone().into_bytes(), number);
            }
            by_uri.insert(uri.clone(), mapping);
        }
        Ok(Translations { by_uri })
    }

    /// An entity of a controller with the device's numbers.
    ///
    /// # Errors
    /// If a value has no number, or a translated field is not matched exactly.
    pub(crate) fn inward(&mut self, catalogue: &Catalogue, entity: &mut Entity) -> Result<(), Fault> {
        walk_entity(&mut Inward(self), catalogue, entity)
    }

    /// An entity of the device with the controller's values.
    pub(crate) fn outward(&self, catalogue: &Catalogue, entity: &mut Entity) {
        // Only values of a controller can be wrong.
        let _ = walk_entity(&mut Outward(self), catalogue, entity);
    }

    /// Entries that are idle, with the controller's values.
    pub(crate) fn idle(&self, catalogue: &Catalogue, idle: &mut IdleTimeoutNotification) {
        for entry in idle.table_entry.iter_mut().filter(|_| catalogue.translates) {
            let _ = walk_entry(&mut Outward(self), catalogue, entry);
        }
    }

    /// A packet-out with the device's numbers.
    ///
    /// # Errors
    /// If a value has no number.
    pub(crate) fn packet_out(&mut self, catalogue: &Catalogue, packet: &mut PacketOut) -> Result<(), Fault> {
        walk_metadata(&mut Inward(self), &catalogue.packet_out, &mut packet.metadata)
    }

    /// A packet-in with the controller's values.
    pub(crate) fn packet_in(&self, catalogue: &Catalogue, packet: &mut PacketIn) {
        let _ = walk_metadata(&mut Outward(self), &catalogue.packet_in, &mut packet.metadata);
    }

    fn mapping(&self, translated: &Translated) -> Option<&Mapping> {
        self.by_uri.get(&translated.uri)
    }
}

/// A direction of translation.
trait Direction {
    /// Replaces a value.
    fn value(&mut self, spec: &ValueSpec, translated: &Translated, value: &mut Vec<u8>) -> Result<(), Fault>;

    /// Whether numbers of the type stand for themselves.
    fn is_same(&self, translated: &Translated) -> bool;

    /// Widths of the numbers that come and of those that leave.
    fn widths(&self, spec: &ValueSpec, translated: &Translated) -> (u32, u32);
}

/// From the controller to the device.
struct Inward<'a>(&'a mut Translations);

/// From the device to the controller.
struct Outward<'a>(&'a Translations);

impl Direction for Inward<'_> {
    fn value(&mut self, spec: &ValueSpec, translated: &Translated, value: &mut Vec<u8>) -> Result<(), Fault> {
        let Some(bits) = translated.bits else {
            let mapping = self.0.by_uri.entry(translated.uri.clone()).or_default();
            *value = bytes::encode(&mapping.number(value, spec)?, spec.bits, false);
            return Ok(());
        };
        let number = bytes::decode(value, bits, false).ok_or_else(|| spec.out_of_range(value, bits))?;
        let Some(mapping) = self.0.mapping(translated) else { return Ok(()) };
        let found = mapping.numbers.iter().find(|(text, _)| written(text).as_ref() == Some(&number));
        let (_, device) = found.ok_or_else(|| mapping.unknown(&number.to_string(), spec))?;
        *value = bytes::encode(device, spec.bits, false);
        Ok(())
    }

    fn is_same(&self, translated: &Translated) -> bool {
        translated.bits.is_some() && self.0.mapping(translated).is_none()
    }

    fn widths(&self, spec: &ValueSpec, translated: &Translated) -> (u32, u32) {
        (translated.bits.unwrap_or(spec.bits), spec.bits)
    }
}

impl Direction for Outward<'_> {
    fn value(&mut self, _: &ValueSpec, translated: &Translated, value: &mut Vec<u8>) -> Result<(), Fault> {
        let number = BigUint::from_bytes_be(value);
        let known = self.0.mapping(translated).and_then(|mapping| mapping.values.get(&number));
        match (translated.bits, known) {
            (Some(bits), Some(text)) => *value = bytes::encode(&written(text).unwrap_or(number), bits, false),
            (Some(_), None) => {} // a number that stands for itself
            (None, Some(text)) => value.clone_from(text),
            (None, None) => *value = number.to_string().into_bytes(),
        }
        Ok(())
    }

    fn is_same(&self, translated: &Translated) -> bool {
        translated.bits.is_some() && self.0.mapping(translated).is_none()
    }

    fn widths(&self, spec: &ValueSpec, translated: &Translated) -> (u32, u32) {
        (spec.bits, translated.bits.unwrap_or(spec.bits))
    }
}

fn walk_metadata(
    direction: &mut impl Direction,
    fields: &[HeaderField],
    metadata: &mut [PacketMetadata],
) -> Result<(), Fault> {
    for field in fields {
        let (Some(id), Some(translated)) = (field.id, &field.value.translated) else { continue };
        for given in metadata.iter_mut().filter(|given| given.metadata_id == id) {
            direction.value(&field.value, translated, &mut given.value)?;
        }
    }
    Ok(())
}

fn walk_entity(
    direction: &mut impl Direction,
    catalogue: &Catalogue,
    entity: &mut Entity,
) -> Result<(), Fault> {
    if !catalogue.translates {
        return Ok(());
    }
    let entry = match &mut entity.entity {
        Some(EntityKind::TableEntry(entry)) => Some(entry),
        Some(EntityKind::DirectCounterEntry(entry)) => entry.table_entry.as_mut(),
        Some(EntityKind::DirectMeterEntry(entry)) => entry.table_entry.as_mut(),
        Some(EntityKind::ActionProfileMember(member)) => {
            let action = member.action.as_mut();
            return action.map_or(Ok(()), |action| walk_action(direction, catalogue, action));
        }
        _ => None,
    };
    entry.map_or(Ok(()), |entry| walk_entry(direction, catalogue, entry))
}

fn walk_entry(
    direction: &mut impl Direction,
    catalogue: &Catalogue,
    entry: &mut TableEntry,
) -> Result<(), Fault> {
    if let Some(table) = catalogue.tables.get(&entry.table_id) {
        for spec in catalogue.spec(*table).fields.iter().map(|field| &field.value) {
            let Some(translated) = &spec.translated else { continue };
            for field in entry.match_fields.iter_mut().filter(|field| field.field_id == spec.id) {
                walk_field(direction, spec, translated, field)?;
            }
        }
    }
    match entry.action.as_mut().and_then(|TableAction { kind }| kind.as_mut()) {
        Some(TableActionKind::Action(action)) => walk_action(direction, catalogue, action),
        Some(TableActionKind::ActionSet(set)) => {
            let mut actions = set.actions.iter_mut().filter_map(|each| each.action.as_mut());
            actions.try_for_each(|action| walk_action(direction, catalogue, action))
        }
        _ => Ok(()),
    }
}

fn walk_action(
    direction: &mut impl Direction,
    catalogue: &Catalogue,
    action: &mut Action,
) -> Result<(), Fault> {
    let mut known = catalogue.table_specs.iter().flat_map(|table| &table.actions);
    let Some(known) = known.find(|known| known.id == action.action_id) else { return Ok(()) };
    for spec in &known.params {
        let Some(translated) = &spec.translated else { continue };
        for param in action.params.iter_mut().filter(|param| param.param_id == spec.id) {
            direction.value(spec, translated, &mut param.value)?;
        }
    }
    Ok(())
}

/// A match field: a single value, in the form of the field's kind (§18.1, "Translation of Match Fields").
fn walk_field(
    direction: &mut impl Direction,
    spec: &ValueSpec,
    translated: &Translated,
    field: &mut FieldMatch,
) -> Result<(), Fault> {
    let (from, to) = direction.widths(spec, translated);
    let several = || Err(invalid(format!("`{}` is translated: match one value, or leave it out", spec.name)));
    match &mut field.kind {
        Some(FieldMatchKind::Exact(exact) | FieldMatchKind::Optional(exact)) => {
            direction.value(spec, translated, &mut exact.value)
        }
        // Numbers that stand for themselves have masks and ranges, which are checked as any field's.
        Some(_) if direction.is_same(translated) => Ok(()),
        // A text has none.
        Some(_) if translated.bits.is_none() => several(),
        Some(FieldMatchKind::Ternary(ternary)) if shortest(&ternary.mask) == full(from) => {
            ternary.mask = full(to);
            direction.value(spec, translated, &mut ternary.value)
        }
        Some(FieldMatchKind::Lpm(lpm)) if u32::try_from(lpm.prefix_len) == Ok(from) => {
            lpm.prefix_len = i32::try_from(to).unwrap_or(i32::MAX);
            direction.value(spec, translated, &mut lpm.value)
        }
        Some(FieldMatchKind::Range(range)) if shortest(&range.low) == shortest(&range.high) => {
            direction.value(spec, translated, &mut range.low)?;
            range.high.clone_from(&range.low);
            Ok(())
        }
        Some(_) => several(),
        None => Ok(()),
    }
}

/// All ones.
fn full(bits: u32) -> Vec<u8> {
    bytes::encode(&((BigUint::from(1u8) << bits) - 1u8), bits, false)
}

impl Mapping {
    /// The number of a text.
    fn number(&mut self, text: &[u8], spec: &ValueSpec) -> Result<BigUint, Fault> {
        if let Some(number) = self.numbers.get(text) {
            return Ok(number.clone());
        }
        let Some(shown) = std::str::from_utf8(text).ok().filter(|text| !text.is_empty()) else {
            return Err(invalid(format!(
                "`{}` is translated to text: its value must be UTF-8 and not empty",
                spec.name
            )));
        };
        let fits = |number: &BigUint| number.bits() <= u64::from(spec.bits);
        let decimal = written(text).filter(|number| number.to_string() == shown && fits(number));
        if let Some(number) = decimal.filter(|number| !self.values.contains_key(number)) {
            if !self.is_given {
                self.add(text, &number);
            }
            return Ok(number);
        }
        if self.is_given {
            return Err(self.unknown(shown, spec));
        }
        let mut number = BigUint::from(1u8);
        while self.values.contains_key(&number) {
            number += 1u8;
        }
        if !fits(&number) {
            let why = format!("`{}`: all numbers of {} bits have a text", spec.name, spec.bits);
            return Err(Fault::new(Code::ResourceExhausted, why));
        }
        self.add(text, &number);
        Ok(number)
    }

    fn add(&mut self, text: &[u8], number: &BigUint) {
        self.numbers.insert(text.to_vec(), number.clone());
        self.values.insert(number.clone(), text.to_vec());
    }

    fn unknown(&self, value: &str, spec: &ValueSpec) -> Fault {
        let known = self.numbers.keys().filter_map(|text| std::str::from_utf8(text).ok());
        let help = suggestion(value, known);
        invalid(format!("`{}`: unknown value `{value}`; {help}", spec.name))
    }
}

/// The number of a decimal or hexadecimal text.
fn written(text: &[u8]) -> Option<BigUint> {
    let text = std::str::from_utf8(text).ok()?;
    match text.strip_prefix("0x") {
        Some(digits) => BigUint::parse_bytes(digits.as_bytes(), 16),
        None => BigUint::parse_bytes(text.as_bytes(), 10),
    }
}

/// The canonical byte string of a number.
fn shortest(bytes: &[u8]) -> Vec<u8> {
    BigUint::from_bytes_be(bytes).to_bytes_be()
}
