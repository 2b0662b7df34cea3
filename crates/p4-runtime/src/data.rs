//! `P4Data`: values of registers and digests.

use jettison_p4_front::ir::{CompositeKind, Program, Type, TypeId};
use num_bigint::BigUint;
use num_traits::Zero;

use crate::bytes;
use crate::fault::{Code, Fault, invalid};
use crate::proto::runtime::{Data, P4Data, StructLike};

/// Builds a value of a type from its scalars, in order.
pub(crate) fn from_scalars(
    program: &Program,
    ty: TypeId,
    scalars: &mut impl Iterator<Item = BigUint>,
) -> P4Data {
    let data = match program.types.get(ty) {
        Type::Composite(id) => {
            let composite = program.types.composite(id);
            let members = composite.fields.iter().map(|field| from_scalars(program, field.ty, scalars));
            let like = StructLike { members: members.collect() };
            match composite.kind {
                CompositeKind::Struct if composite.name.is_empty() => Data::Tuple(like),
                _ => Data::Struct(like),
            }
        }
        Type::Bool => Data::Bool(scalars.next().is_some_and(|value| !value.is_zero())),
        Type::Bits { width, signed } => {
            Data::Bitstring(bytes::encode(&scalars.next().unwrap_or_default(), width, signed))
        }
        _ => Data::Bitstring(bytes::encode(&scalars.next().unwrap_or_default(), 32, false)),
    };
    P4Data { data: Some(data) }
}

/// Splits the bits of a value, the first field in the upper bits, into its scalars.
pub(crate) fn scalars(program: &Program, ty: TypeId, value: &BigUint) -> Vec<BigUint> {
    match program.types.get(ty) {
        Type::Composite(id) => {
            let mut below = program.types.bits(ty);
            let mut all = Vec::new();
            for field in &program.types.composite(id).fields {
                let bits = program.types.bits(field.ty);
                below -= bits;
                let part = (value >> below) & ((BigUint::from(1u8) << bits) - 1u8);
                all.extend(scalars(program, field.ty, &part));
            }
            all
        }
        _ => vec![value.clone()],
    }
}

/// The bits of a value of a type, the first field in the upper bits.
pub(crate) fn to_bits(program: &Program, ty: TypeId, data: &P4Data) -> Result<BigUint, Fault> {
    match (program.types.get(ty), &data.data) {
        (Type::Composite(id), Some(Data::Struct(given) | Data::Tuple(given))) => {
            let fields = &program.types.composite(id).fields;
            if fields.len() != given.members.len() {
                let (wanted, given) = (fields.len(), given.members.len());
                return Err(invalid(format!("the value must have {wanted} members, got {given}")));
            }
            let mut value = BigUint::default();
            for (field, member) in fields.iter().zip(&given.members) {
                value = (value << program.types.bits(field.ty)) | to_bits(program, field.ty, member)?;
            }
            Ok(value)
        }
        (Type::Bool, Some(Data::Bool(value))) => Ok(BigUint::from(u8::from(*value))),
        (Type::Bits { width, signed }, Some(Data::Bitstring(text))) => {
            let fits = bytes::decode(text, width, signed);
            fits.ok_or_else(|| Fault::new(Code::OutOfRange, format!("the value must fit in {width} bits")))
        }
        _ => Err(invalid("the value is not of the register's type")),
    }
}
