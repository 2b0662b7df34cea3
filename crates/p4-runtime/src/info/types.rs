//! Types in P4Info: those of registers and digests, and types with a translation.

use jettison_p4_front::ir::{AnnotationValue, CompositeKind, NewType, Program, Type, TypeId, ValueNotes};

use std::sync::Arc;

use num_bigint::BigInt;

use super::clamp;
use crate::bytes;
use crate::proto::info::{
    BitstringKind, BitstringLike, DataType, DataTypeSpec, Empty, EnumMember, HeaderMember, HeaderTypeSpec,
    NamedType, NewTypeSpec, P4Info, P4TypeInfo, Representation, SdnType, SerializableEnumSpec, StructMember,
    StructTypeSpec, Translation, TupleTypeSpec, Width,
};

pub(super) fn describe(program: &Program, info: &mut P4Info) {
    for (name, new) in &program.control_plane.new_types {
        let types = info.type_info.get_or_insert_default();
        let representation = match translation(new) {
            Some(translation) => Representation::TranslatedType(translation),
            None => Representation::OriginalType(bits(new.bits, new.signed)),
        };
        let annotations = super::texts(&new.annotations);
        let annotations = annotations.into_iter().filter(|text| !text.starts_with("@p4runtime_translation"));
        let spec = NewTypeSpec { representation: Some(representation), annotations: annotations.collect() };
        types.new_types.insert(name.to_string(), spec);
    }
    for (name, known) in &program.control_plane.enums {
        let modulus = BigInt::from(1) << known.bits;
        let member = |(name, value): &(Arc<str>, BigInt)| {
            // Two's complement of a negative value.
            let value = ((value % &modulus) + &modulus) % &modulus;
            let value = value.to_biguint().unwrap_or_default();
            EnumMember { name: name.to_string(), value: bytes::encode(&value, known.bits, false) }
        };
        let spec = SerializableEnumSpec {
            underlying_type: Some(Width { bitwidth: clamp(known.bits) }),
            members: known.members.iter().map(member).collect(),
            annotations: super::texts(&known.annotations),
        };
        info.type_info.get_or_insert_default().serializable_enums.insert(name.to_string(), spec);
    }
}

/// `@p4runtime_translation("uri", 32)` or `("uri", "string")`.
fn translation(new: &NewType) -> Option<Translation> {
    let annotation =
        new.annotations.iter().find(|annotation| &*annotation.name == "p4runtime_translation")?;
    let [AnnotationValue::Text(uri), kind] = &annotation.arguments[..] else { return None };
    let sdn_type = match kind {
        AnnotationValue::Number(bits) => SdnType::SdnBitwidth(i32::try_from(bits).ok()?),
        _ => SdnType::SdnString(Empty {}),
    };
    Some(Translation { uri: uri.to_string(), sdn_type: Some(sdn_type) })
}

/// Width of a key or parameter for the controller: that of the translation, or of the type; 0 for a string.
pub(super) fn bit_width(program: &Program, note: &ValueNotes) -> i32 {
    let new = note.type_name.as_ref().and_then(|name| program.control_plane.new_types.get(name));
    match new.and_then(translation).and_then(|translation| translation.sdn_type) {
        Some(SdnType::SdnBitwidth(bits)) => bits,
        Some(SdnType::SdnString(_)) => 0,
        None => clamp(note.bits),
    }
}

/// Specification of a type; structs and headers are added to `types`.
pub(super) fn data_type(program: &Program, ty: TypeId, types: &mut Option<P4TypeInfo>) -> DataTypeSpec {
    let kind = match program.types.get(ty) {
        Type::Bool => DataType::Bool(Empty {}),
        Type::Composite(id) => {
            let composite = program.types.composite(id).clone();
            let mut members = Vec::new();
            for field in &composite.fields {
                members.push((field.name.to_string(), data_type(program, field.ty, types)));
            }
            let name = composite.name.to_string();
            if name.is_empty() {
                let members = members.into_iter().map(|(_, spec)| spec).collect();
                DataType::Tuple(TupleTypeSpec { members })
            } else if composite.kind == CompositeKind::Header {
                let member = |(name, spec): (String, DataTypeSpec)| match spec.kind {
                    Some(DataType::Bitstring(bits)) => HeaderMember { name, type_spec: Some(bits) },
                    _ => HeaderMember { name, type_spec: Some(bit_like(1, false)) },
                };
                let spec = HeaderTypeSpec { members: members.into_iter().map(member).collect() };
                types.get_or_insert_default().headers.insert(name.clone(), spec);
                DataType::Header(NamedType { name })
            } else {
                let member = |(name, spec)| StructMember { name, type_spec: Some(spec) };
                let spec = StructTypeSpec { members: members.into_iter().map(member).collect() };
                types.get_or_insert_default().structs.insert(name.clone(), spec);
                DataType::Struct(NamedType { name })
            }
        }
        Type::Bits { width, signed } => return bits(width, signed),
        Type::Varbit { max_width } => {
            let kind = BitstringKind::Varbit(Width { bitwidth: clamp(max_width) });
            DataType::Bitstring(BitstringLike { kind: Some(kind) })
        }
        Type::Error | Type::Enum(_) | Type::Stack { .. } => return bits(program.types.bits(ty), false),
    };
    DataTypeSpec { kind: Some(kind) }
}

fn bits(width: u32, signed: bool) -> DataTypeSpec {
    DataTypeSpec { kind: Some(DataType::Bitstring(bit_like(width, signed))) }
}

fn bit_like(width: u32, signed: bool) -> BitstringLike {
    let width = Width { bitwidth: clamp(width) };
    BitstringLike { kind: Some(if signed { BitstringKind::Int(width) } else { BitstringKind::Bit(width) }) }
}
