//! Methods of extern objects. Those that only PSA has are in [`super::psa`].

use super::binding::Bound;
use super::builtins::void_value;
use super::ty::Ty;
use super::value::{Kind, Object, Value};
use super::{Body, Checker};
use crate::ir::{Expr as IrExpr, Extern, HashAlgorithm, Place, StmtKind};
use crate::source::Span;
use crate::syntax::ast::{Argument, Name, TypeRef};

impl<'a> Checker<'a> {
    /// Elaborates a method call on an object.
    pub(super) fn object_method(
        &mut self,
        object: Object,
        ty: &Ty,
        name: &'a Name,
        type_arguments: &'a [TypeRef],
        arguments: &'a [Argument],
        span: Span,
    ) -> Option<Value> {
        match object {
            Object::PacketIn => {
                return self.packet_in_method(ty, name, type_arguments, arguments, span);
            }
            Object::PacketOut => {
                return self.packet_out_method(ty, name, type_arguments, arguments, span);
            }
            Object::Block(instance) if &*name.text == "apply" => {
                return self.apply_block(instance, arguments, span);
            }
            Object::Table(table) if &*name.text == "apply" => {
                self.only_in(&[Body::Control], "applying a table", span)?;
                if let Some(argument) = arguments.first() {
                    return self.error(argument.value.span, "`apply` of a table takes no arguments");
                }
                let table_id = crate::ir::TableId(u32::try_from(table).ok()?);
                self.emit(span, StmtKind::Apply { table: table_id, hit: None, action: None });
                return Some(Value::new(Ty::Applied(table), Kind::Object(Object::Applied(table))));
            }
            Object::Opaque if matches!(ty, Ty::Block(_)) => {
                for argument in arguments {
                    self.expr(&argument.value)?;
                }
                return Some(void_value());
            }
            Object::Opaque => {
                // An argument of an unreached declaration: only the method's arguments are checked.
                self.declared_method(ty, name, type_arguments, arguments, span)?;
                return self.opaque_result(ty, name, span);
            }
            Object::Block(_) | Object::Table(_) => {
                return self.error(name.span, format!("no method `{}` found", name.text));
            }
            Object::Package(_)
            | Object::Applied(_)
            | Object::ActionRun(..)
            | Object::ValueSet(_)
            | Object::Profile(_) => {
                return self.error(name.span, format!("no method `{}` found", name.text));
            }
            _ => {}
        }
        let (bound, _) = self.declared_method(ty, name, type_arguments, arguments, span)?;
        self.extern_method(object, name, &bound, span)
    }

    fn extern_method(&mut self, object: Object, name: &Name, bound: &[Bound], span: Span) -> Option<Value> {
        if let Object::Psa(object) = object {
            return self.psa_method(object, name, bound, span);
        }
        let done = match (object, &*name.text, bound) {
            (Object::Register(register, ty), "read", [Bound::Out { to, .. }, Bound::In(index)]) => {
                let index = self.number_operand(index, span)?;
                self.written_by(to, &ty, span, |to| Extern::RegisterRead { register, to, index })
            }
            (Object::Register(register, ty), "read", [Bound::In(index)]) => {
                let index = self.number_operand(index, span)?;
                let id = self.lower_ty(&ty, span)?;
                let to = self.temporary(id);
                self.emit_extern(span, Extern::RegisterRead { register, to: to.clone(), index });
                return Some(self.read(to, ty));
            }
            (Object::Register(register, ty), "write", [Bound::In(index), Bound::In(value)]) => {
                let value = self.convert(value.clone(), &ty, span)?;
                let index = self.number_operand(index, span)?;
                let value = self.lower(&value, span)?;
                self.emit_extern(span, Extern::RegisterWrite { register, index, value });
                Some(())
            }
            (Object::Counter(counter), "count", [Bound::In(index)]) => {
                let index = self.number_operand(index, span)?;
                self.emit_extern(span, Extern::Count { counter, index });
                Some(())
            }
            // The table with this counter counts.
            (Object::DirectCounter(_), "count", []) => Some(()),
            (Object::Meter(meter), "execute_meter", [Bound::In(index), Bound::Out { to, .. }]) => {
                let index = self.number_operand(index, span)?;
                let ty = self.number_result(to, span)?;
                self.written_by(to, &ty, span, |to| Extern::ExecuteMeter { meter, index, to })
            }
            (Object::DirectMeter(meter), "read", [Bound::Out { to, .. }]) => {
                let ty = self.number_result(to, span)?;
                self.written_by(to, &ty, span, |to| Extern::ReadDirectMeter { meter, to })
            }
            (Object::Checksum16, "get", [Bound::In(data)]) => return self.checksum_of(data, span),
            _ => self.error(name.span, format!("unsupported method `{}`", name.text)),
        };
        done.map(|()| void_value())
    }

    /// Elaborates `Checksum16.get`: the checksum of the data.
    fn checksum_of(&mut self, data: &Value, span: Span) -> Option<Value> {
        let data = self.scalars(data, span)?;
        let id = self.lower_ty(&Ty::Bit(16), span)?;
        let to = self.temporary(id);
        let base = self.lower(&Value::int(Ty::Bit(16), 0), span)?;
        let max = self.lower(&Value::int(Ty::Bit(32), 1 << 16), span)?;
        let algorithm = HashAlgorithm::Csum16;
        self.emit_extern(span, Extern::Hash { to: to.clone(), algorithm, base, data, max });
        Some(self.read(to, Ty::Bit(16)))
    }

    /// Lowers an index or another number; a literal becomes `bit<32>`, or wider if necessary.
    pub(super) fn number_operand(&mut self, value: &Value, span: Span) -> Option<IrExpr> {
        if let (Kind::Int(number), Ty::InfInt) = (&value.kind, &value.ty) {
            let width = u32::try_from(number.bits()).unwrap_or(u32::MAX).max(32);
            if width > super::resolve::MAX_WIDTH || number.sign() == num_bigint::Sign::Minus {
                return self.error(span, "number must be from 0 to 2^32 - 1");
            }
            return self.lower(&Value::int(Ty::Bit(width), number.clone()), span);
        }
        let base = self.types.base(&value.ty);
        if base.width().is_none() && base != Ty::Bool {
            let shown = self.types.show(&value.ty);
            return self.error(span, format!("expected a number, found `{shown}`"));
        }
        self.lower(value, span)
    }

    /// Type of the place for a number that an extern writes.
    pub(super) fn number_result(&mut self, to: &super::lvalue::LValue, span: Span) -> Option<Ty> {
        let base = self.types.base(&to.ty);
        if base.width().is_none() && base != Ty::Bool {
            let shown = self.types.show(&to.ty);
            return self.error(span, format!("expected an lvalue of a numeric type, found `{shown}`"));
        }
        Some(to.ty.clone())
    }

    /// Flattens data for an extern to scalars.
    pub(super) fn scalars(&mut self, data: &Value, span: Span) -> Option<Vec<IrExpr>> {
        let mut flat = Vec::new();
        self.flatten(data, span, &mut flat)?;
        flat.iter()
            .map(|value| match value.ty {
                Ty::InfInt => self.number_operand(value, span),
                _ => self.lower(value, span),
            })
            .collect()
    }

    /// Emits an extern that writes to a place, through a temporary if only a part of the place is written.
    pub(super) fn written_by(
        &mut self,
        to: &super::lvalue::LValue,
        ty: &Ty,
        span: Span,
        make: impl FnOnce(Place) -> Extern,
    ) -> Option<()> {
        if matches!(to.part, super::lvalue::Part::Whole) {
            self.emit_extern(span, make(to.place.clone()));
            return Some(());
        }
        let id = self.lower_ty(ty, span)?;
        let place = self.temporary(id);
        self.emit_extern(span, make(place.clone()));
        let value = self.read(place, ty.clone());
        let value = self.lower(&value, span)?;
        self.assign(to, value, span);
        Some(())
    }

    pub(super) fn emit_extern(&mut self, span: Span, call: Extern) {
        self.emit(span, StmtKind::Extern(Box::new(call)));
    }

    /// Result of a method of an absent object: a variable of the result type.
    fn opaque_result(&mut self, ty: &Ty, name: &Name, span: Span) -> Option<Value> {
        let Ty::Extern(id) = ty else { return None };
        let named = self.types.named[*id].clone();
        if &*named.name == "Checksum16" && &*name.text == "get" {
            let id = self.lower_ty(&Ty::Bit(16), span)?;
            let place = self.temporary(id);
            return Some(self.read(place, Ty::Bit(16)));
        }
        Some(void_value())
    }
}
