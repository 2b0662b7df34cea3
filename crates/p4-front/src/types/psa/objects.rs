//! PSA's extern objects: construction and methods (PSA 1.2, "PSA Externs").
//!
//! Registers and counters have v1model's methods, see [`crate::types::objects`].

use std::sync::Arc;

use num_bigint::{BigInt, BigUint, Sign};

use crate::diagnostic::Diagnostic;
use crate::ir::{
    BinaryOp, ChecksumStep, Expr as IrExpr, ExprKind as Ir, Extern, ExternId, ExternKind, HashAlgorithm,
    Place, PsaExtern, StmtKind, UnaryOp,
};
use crate::source::Span;
use crate::syntax::ast::Name;
use crate::types::binding::Bound;
use crate::types::builtins::void_value;
use crate::types::ty::{NamedBody, Ty};
use crate::types::value::{Kind, Object, Value};
use crate::types::{Body, Checker};

/// An object whose methods only PSA has.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::types) enum PsaObject {
    DirectCounter(ExternId),
    Meter(ExternId),
    DirectMeter(ExternId),
    /// Algorithm and type of the result.
    Hash(HashAlgorithm, Ty),
    /// Algorithm, type of the result, and the variable with the data so far.
    Checksum(HashAlgorithm, Ty, Place),
    InternetChecksum(Place),
    /// Bounds and their type.
    Random(BigInt, BigInt, Ty),
    /// Number of the digest, from 1.
    Digest(u32),
}

/// Number of type arguments of an object.
fn type_arguments(name: &str) -> Option<usize> {
    Some(match name {
        "Counter" | "Register" => 2,
        "DirectCounter" | "Meter" | "Hash" | "Checksum" | "Random" | "Digest" => 1,
        "DirectMeter" | "InternetChecksum" | "ActionProfile" | "ActionSelector" => 0,
        "PacketReplicationEngine" | "BufferingQueueingEngine" => 0,
        _ => return None,
    })
}

impl<'a> Checker<'a> {
    /// Elaborates a constructor call of PSA; the outer `None` if the object is not one of PSA.
    pub(in crate::types) fn psa_object(
        &mut self,
        name: &str,
        types: &[Ty],
        values: &[Value],
        path: &Arc<str>,
        span: Span,
    ) -> Option<Option<Object>> {
        let needs = type_arguments(name).filter(|_| self.is_psa())?;
        if types.len() != needs || types.contains(&Ty::Any) {
            let noun = if needs == 1 { "type argument" } else { "type arguments" };
            let found = types.iter().filter(|ty| **ty != Ty::Any).count();
            return Some(self.error(span, format!("`{name}` requires {needs} {noun}, found {found}")));
        }
        Some(self.psa_object_of(name, types, values, path.clone(), span))
    }

    fn psa_object_of(
        &mut self,
        name: &str,
        types: &[Ty],
        values: &[Value],
        path: Arc<str>,
        span: Span,
    ) -> Option<Object> {
        let object = match (name, types, values) {
            ("Register", [ty, _], [size, initial @ ..]) => {
                let id = self.lower_ty(ty, span)?;
                let size = self.size_of(size, span)?;
                let initial = match initial.first() {
                    Some(initial) => Some(self.packed(initial, span)?.0).filter(|value| value.bits() > 0),
                    None => None,
                };
                let register = self.add_extern(path, ExternKind::Register { size, ty: id });
                self.output.externs[register.index()].initial = initial;
                return Some(Object::Register(register, ty.clone()));
            }
            ("Counter", _, [size, unit]) => {
                let size = self.size_of(size, span)?;
                let id = self.add_extern(path, ExternKind::Counter { size });
                self.note_counter(id, unit);
                return Some(Object::Counter(id));
            }
            ("DirectCounter", _, [unit]) => {
                let id = self.add_extern(path, ExternKind::DirectCounter);
                self.note_counter(id, unit);
                PsaObject::DirectCounter(id)
            }
            ("Meter", _, [size, unit]) => {
                let size = self.size_of(size, span)?;
                let unit = self.meter_unit(unit);
                PsaObject::Meter(self.add_extern(path, ExternKind::Meter { size, unit }))
            }
            ("DirectMeter", _, [unit]) => {
                let unit = self.meter_unit(unit);
                PsaObject::DirectMeter(self.add_extern(path, ExternKind::DirectMeter { unit }))
            }
            ("ActionProfile", _, [size]) => return self.profile_of(path, size, None, span),
            ("ActionSelector", _, [algorithm, size, width]) => {
                let algorithm = self.psa_algorithm(algorithm, span)?;
                return self.profile_of(path, size, Some((algorithm, width)), span);
            }
            ("Hash", [ty], [algorithm]) => {
                let algorithm = self.psa_algorithm(algorithm, span)?;
                PsaObject::Hash(algorithm, self.bits_type(name, ty, span)?)
            }
            ("Checksum", [ty], [algorithm]) => {
                let algorithm = self.psa_algorithm(algorithm, span)?;
                if algorithm == HashAlgorithm::Identity {
                    return self.error(span, "`IDENTITY` is not a checksum; use `Hash`");
                }
                let ty = self.bits_type(name, ty, span)?;
                PsaObject::Checksum(algorithm, ty, self.checksum_state(path, algorithm, span)?)
            }
            ("InternetChecksum", _, _) => {
                PsaObject::InternetChecksum(self.checksum_state(path, HashAlgorithm::Csum16, span)?)
            }
            ("Random", [ty], [low, high]) => {
                let ty = self.bits_type(name, ty, span)?;
                let (Kind::Int(low), Kind::Int(high)) = (&low.kind, &high.kind) else {
                    return self.error(span, "the bounds of `Random` must be known at compile time");
                };
                if low > high {
                    return self.error(span, format!("`Random` from {low} to {high}: the minimum is larger"));
                }
                PsaObject::Random(low.clone(), high.clone(), ty)
            }
            ("Digest", _, _) => {
                self.output.digests += 1;
                PsaObject::Digest(self.output.digests)
            }
            _ => return Some(Object::Opaque),
        };
        Some(Object::Psa(object))
    }

    /// A result type of a hash or random number: `bit<W>`, possibly under another name.
    fn bits_type(&mut self, of: &str, ty: &Ty, span: Span) -> Option<Ty> {
        match self.types.base(ty) {
            Ty::Bit(1..) => Some(ty.clone()),
            _ => {
                let shown = self.types.show(ty);
                self.error(span, format!("the type argument of `{of}` must be `bit<W>`, found `{shown}`"))
            }
        }
    }

    /// A compile-time member of `PSA_HashAlgorithm_t`.
    fn psa_algorithm(&mut self, value: &Value, span: Span) -> Option<HashAlgorithm> {
        Some(match self.enum_member(value).as_deref() {
            Some("IDENTITY") => HashAlgorithm::Identity,
            Some("CRC32" | "TARGET_DEFAULT") => HashAlgorithm::Crc32,
            Some("CRC32_CUSTOM") => HashAlgorithm::Crc32Custom,
            Some("CRC16") => HashAlgorithm::Crc16,
            Some("CRC16_CUSTOM") => HashAlgorithm::Crc16Custom,
            Some("ONES_COMPLEMENT16") => HashAlgorithm::Csum16,
            _ => return self.error(span, "expected a compile-time member of `PSA_HashAlgorithm_t`"),
        })
    }

    /// A variable with the data of a checksum so far; it begins without data whenever its block begins.
    fn checksum_state(&mut self, path: Arc<str>, algorithm: HashAlgorithm, span: Span) -> Option<Place> {
        let id = self.lower_ty(&Ty::Bit(64), span)?;
        let state = self.variable(path, id);
        self.checksum_step(&state, &state, algorithm, ChecksumStep::Clear, span);
        Some(state)
    }

    fn checksum_step(
        &mut self,
        from: &Place,
        to: &Place,
        algorithm: HashAlgorithm,
        step: ChecksumStep,
        span: Span,
    ) {
        let from = IrExpr { kind: Ir::Read(from.clone()), ty: from.ty };
        let call = PsaExtern::Checksum { step, algorithm, from, to: to.clone() };
        self.emit_extern(span, Extern::Psa(call));
    }

    /// A constant as the bits of a register's element, with their number.
    fn packed(&mut self, value: &Value, span: Span) -> Option<(BigUint, u32)> {
        let id = self.lower_ty(&value.ty, span)?;
        let width = self.output.types.bits(id);
        let bits = match &value.kind {
            Kind::Int(number) => {
                let whole = BigInt::from(BigUint::from(1u8) << width);
                let number = if number.sign() == Sign::Minus { number + whole } else { number.clone() };
                number.to_biguint().unwrap_or_default()
            }
            Kind::Bool(value) => BigUint::from(u8::from(*value)),
            Kind::Index(index) => BigUint::from(*index),
            Kind::Invalid => BigUint::ZERO,
            Kind::Fields(fields) => {
                let mut all = BigUint::ZERO;
                for field in fields {
                    let (bits, width) = self.packed(field, span)?;
                    all = (all << width) | bits;
                }
                all
            }
            _ => return self.error(span, "the initial value of a register must be known at compile time"),
        };
        Some((bits, width))
    }

    /// Elaborates a method call.
    pub(in crate::types) fn psa_method(
        &mut self,
        object: PsaObject,
        name: &Name,
        bound: &[Bound],
        span: Span,
    ) -> Option<Value> {
        match (object, &*name.text, bound) {
            (PsaObject::DirectCounter(counter), "count", []) => {
                self.in_action(name, "DirectCounter", span)?;
                self.emit_extern(span, Extern::Psa(PsaExtern::CountDirect { counter }));
                Some(void_value())
            }
            (PsaObject::Meter(meter), "execute", [Bound::In(index), colour @ ..]) => {
                let index = self.number_operand(index, span)?;
                self.mark(meter, Some(index), colour, span)
            }
            (PsaObject::DirectMeter(meter), "execute", colour) => {
                self.in_action(name, "DirectMeter", span)?;
                self.mark(meter, None, colour, span)
            }
            (PsaObject::Hash(algorithm, ty), "get_hash", [Bound::In(data)]) => {
                let (base, max) = (Value::int(Ty::Bit(64), 0), self.beyond(algorithm));
                self.hash_value(algorithm, &ty, &base, data, &max, span)
            }
            (
                PsaObject::Hash(algorithm, ty),
                "get_hash",
                [Bound::In(base), Bound::In(data), Bound::In(max)],
            ) => self.hash_value(algorithm, &ty, base, data, max, span),
            (PsaObject::Checksum(algorithm, ty, state), method, bound) => {
                self.checksum_method(algorithm, &ty, &state, method, bound, span)
            }
            (PsaObject::InternetChecksum(state), method, bound) => {
                self.checksum_method(HashAlgorithm::Csum16, &Ty::Bit(16), &state, method, bound, span)
            }
            (PsaObject::Random(low, high, ty), "read", []) => {
                let low = self.lower(&Value::int(ty.clone(), low), span)?;
                let high = self.lower(&Value::int(ty.clone(), high), span)?;
                let id = self.lower_ty(&ty, span)?;
                let to = self.temporary(id);
                self.emit_extern(span, Extern::Random { to: to.clone(), low, high });
                Some(self.read(to, ty))
            }
            (PsaObject::Digest(number), "pack", [Bound::In(data)]) => {
                let receiver = Value::int(Ty::Bit(32), number);
                self.digest(&receiver, data, span)?;
                Some(void_value())
            }
            _ => self.error(name.span, format!("unsupported method `{}`", name.text)),
        }
    }

    fn in_action(&mut self, name: &Name, object: &str, span: Span) -> Option<()> {
        if self.context.body == Body::Action {
            return Some(());
        }
        let error = Diagnostic::error(
            span,
            format!("`{}` of a `{object}` is allowed only in actions of its table", name.text),
        );
        self.fail(error)
    }

    /// The value beyond all hashes of an algorithm: modulo it, a hash stays as it is.
    fn beyond(&self, algorithm: HashAlgorithm) -> Value {
        match algorithm {
            HashAlgorithm::Identity => Value::int(Ty::Bit(65), BigInt::from(1) << 64),
            _ => Value::int(Ty::Bit(64), BigInt::from(1) << 32),
        }
    }

    fn hash_value(
        &mut self,
        algorithm: HashAlgorithm,
        ty: &Ty,
        base: &Value,
        data: &Value,
        max: &Value,
        span: Span,
    ) -> Option<Value> {
        let base = self.number_operand(base, span)?;
        let data = self.scalars(data, span)?;
        let max = self.number_operand(max, span)?;
        let id = self.lower_ty(ty, span)?;
        let to = self.temporary(id);
        self.emit_extern(span, Extern::Hash { to: to.clone(), algorithm, base, data, max });
        Some(self.read(to, ty.clone()))
    }

    fn checksum_method(
        &mut self,
        algorithm: HashAlgorithm,
        ty: &Ty,
        state: &Place,
        method: &str,
        bound: &[Bound],
        span: Span,
    ) -> Option<Value> {
        match (method, bound) {
            ("clear", []) => self.checksum_step(state, state, algorithm, ChecksumStep::Clear, span),
            ("update" | "add" | "subtract", [Bound::In(data)]) => {
                let mut data = self.scalars(data, span)?;
                self.whole_words(&data, algorithm, span)?;
                if method == "subtract" {
                    data = data.into_iter().map(|item| self.complement(item, span)).collect::<Option<_>>()?;
                }
                self.checksum_step(state, state, algorithm, ChecksumStep::Update(data), span);
            }
            ("get", []) => {
                let to = self.temporary(state.ty);
                self.checksum_step(state, &to, algorithm, ChecksumStep::Get, span);
                return self.cast_of(to, ty, span);
            }
            ("get_state", []) => return self.cast_of(state.clone(), &Ty::Bit(16), span),
            ("set_state", [Bound::In(sum)]) => {
                let sum = Box::new(self.lower(sum, span)?);
                let value = IrExpr { kind: Ir::Cast(sum), ty: state.ty };
                self.emit(span, StmtKind::Assign { to: state.clone(), value });
            }
            _ => return self.error(span, format!("unsupported method `{method}`")),
        }
        Some(void_value())
    }

    /// Checks that data end at a boundary of the words that a checksum adds.
    fn whole_words(&mut self, data: &[IrExpr], algorithm: HashAlgorithm, span: Span) -> Option<()> {
        let word = if algorithm == HashAlgorithm::Csum16 { 16 } else { 8 };
        let types = &self.output.types;
        if data.iter().any(|item| matches!(types.get(item.ty), crate::ir::Type::Varbit { .. })) {
            return Some(());
        }
        let bits: u32 = data.iter().map(|item| types.bits(item.ty)).fold(0, u32::saturating_add);
        if bits.is_multiple_of(word) {
            return Some(());
        }
        self.error(span, format!("the data of a checksum must be a multiple of {word} bits, found {bits}"))
    }

    fn complement(&mut self, item: IrExpr, span: Span) -> Option<IrExpr> {
        let ty = item.ty;
        match self.output.types.get(ty) {
            crate::ir::Type::Bits { .. } => {
                Some(IrExpr { kind: Ir::Unary(UnaryOp::Complement, Box::new(item)), ty })
            }
            _ => self.error(span, "only `bit<W>` and `int<W>` can be subtracted from a checksum"),
        }
    }

    /// A place's value, converted to a type.
    fn cast_of(&mut self, from: Place, ty: &Ty, span: Span) -> Option<Value> {
        let id = self.lower_ty(ty, span)?;
        let read = Box::new(IrExpr { kind: Ir::Read(from.clone()), ty: from.ty });
        let value = IrExpr { kind: Ir::Cast(read), ty: id };
        let place = self.saved(span, value);
        Some(self.read(place, ty.clone()))
    }

    /// Elaborates `execute` of a meter.
    fn mark(
        &mut self,
        meter: ExternId,
        index: Option<IrExpr>,
        colour: &[Bound],
        span: Span,
    ) -> Option<Value> {
        let Some(enumeration) = self.colour_type(span) else {
            return self.error(span, "missing enum `PSA_MeterColor_t`");
        };
        let byte = self.lower_ty(&Ty::Bit(8), span)?;
        let ty = self.lower_ty(&enumeration, span)?;
        let given = match colour.first() {
            Some(Bound::In(value)) => {
                let value = self.lower(value, span)?;
                Some(self.translated(value, byte, [(1, 0), (2, 1)], 2, span)?)
            }
            _ => None,
        };
        let to = self.temporary(byte);
        let call = PsaExtern::Mark { meter, index, colour: given, to: to.clone() };
        self.emit_extern(span, Extern::Psa(call));
        let read = IrExpr { kind: Ir::Read(to), ty: byte };
        let value = self.translated(read, ty, [(0, 1), (1, 2)], 0, span)?;
        let place = self.saved(span, value);
        Some(self.read(place, enumeration))
    }

    fn colour_type(&mut self, span: Span) -> Option<Ty> {
        let number = *self.globals.get("PSA_MeterColor_t")?.first()?;
        let ty = self.declared(number, Vec::new(), span)?;
        let Ty::Enum(id) = &ty else { return None };
        matches!(self.types.named[*id].body, NamedBody::Enum(_)).then_some(ty)
    }

    /// A value that depends on two values of another; `otherwise` for the rest. It translates between PSA's colours (red,
    /// green, yellow) and a meter's.
    fn translated(
        &mut self,
        of: IrExpr,
        ty: crate::ir::TypeId,
        pairs: [(u32, u32); 2],
        otherwise: u32,
        span: Span,
    ) -> Option<IrExpr> {
        let bool_ty = self.lower_ty(&Ty::Bool, span)?;
        let number = |value: u32, ty| IrExpr { kind: Ir::Constant(BigUint::from(value)), ty };
        let mut result = number(otherwise, ty);
        for (from, to) in pairs {
            let equal = Ir::Binary(BinaryOp::Equal, Box::new(of.clone()), Box::new(number(from, of.ty)));
            let equal = Box::new(IrExpr { kind: equal, ty: bool_ty });
            let kind = Ir::Conditional(equal, Box::new(number(to, ty)), Box::new(result));
            result = IrExpr { kind, ty };
        }
        Some(result)
    }
}
