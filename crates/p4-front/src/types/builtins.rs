//! Methods of headers, stacks, unions, packets, tables and instances.

use num_traits::ToPrimitive;

use super::binding::Bound;
use super::infer::Inference;
use super::ty::Ty;
use super::value::{Kind, Object, Value};
use super::{Body, Checker};
use crate::diagnostic::Diagnostic;
use crate::ir::{
    BinaryOp as Op, Expr as IrExpr, ExprKind as Ir, Extern, Place, Step, StmtKind, TargetModel, Type, UnaryOp,
};
use crate::source::Span;
use crate::syntax::ast::{Argument, DeclarationKind, Expr, Method, Name, TypeRef};

impl<'a> Checker<'a> {
    /// Elaborates `of.name<…>(…)`.
    pub(super) fn method(
        &mut self,
        of: &'a Expr,
        name: &'a Name,
        type_arguments: &'a [TypeRef],
        arguments: &'a [Argument],
        span: Span,
    ) -> Option<Value> {
        match &*name.text {
            "setValid" | "setInvalid" => {
                self.no_arguments(arguments)?;
                return self.set_validity(of, &*name.text == "setValid", span);
            }
            "push_front" | "pop_front" => return self.move_stack(of, name, arguments, span),
            _ => {}
        }
        if let Some(ty) = self.type_of_name(of) {
            let ty = ty?;
            return self.type_method(&ty, name, arguments, span);
        }
        let base = self.expr(of)?;
        if let Kind::Object(object) = &base.kind {
            let object = object.clone();
            return self.object_method(object, &base.ty, name, type_arguments, arguments, span);
        }
        match &*name.text {
            "isValid" => {
                self.no_arguments(arguments)?;
                self.is_valid(base, of.span)
            }
            "minSizeInBits" | "minSizeInBytes" | "maxSizeInBits" | "maxSizeInBytes" => {
                self.no_arguments(arguments)?;
                self.declared_size(&base.ty, name, span)
            }
            "sizeInBits" | "sizeInBytes" => {
                self.no_arguments(arguments)?;
                self.current_size(base, name, span)
            }
            _ => {
                let shown = self.types.show(&base.ty);
                self.error(name.span, format!("`{shown}` has no method `{}`", name.text))
            }
        }
    }

    fn no_arguments(&mut self, arguments: &'a [Argument]) -> Option<()> {
        match arguments.first() {
            None => Some(()),
            Some(argument) => self.error(argument.value.span, "expected no arguments"),
        }
    }

    fn type_method(&mut self, ty: &Ty, name: &Name, arguments: &'a [Argument], span: Span) -> Option<Value> {
        match &*name.text {
            "minSizeInBits" | "minSizeInBytes" | "maxSizeInBits" | "maxSizeInBytes" => {
                self.no_arguments(arguments)?;
                self.declared_size(ty, name, span)
            }
            "apply" => {
                let Ty::Block(id) = ty else {
                    let shown = self.types.show(ty);
                    return self.error(span, format!("the type `{shown}` cannot be applied"));
                };
                let path = self.below(&self.types.named[*id].name.clone());
                let object = self.construct(ty, &[], path, span)?;
                let Object::Block(instance) = object else { return None };
                self.output.instances[instance].applications = 1;
                self.apply_block(instance, arguments, span)
            }
            _ => {
                let shown = self.types.show(ty);
                self.error(name.span, format!("the type `{shown}` has no method `{}`", name.text))
            }
        }
    }

    fn is_valid(&mut self, base: Value, span: Span) -> Option<Value> {
        if !base.ty.is_header() && !base.ty.is_union() {
            let shown = self.types.show(&base.ty);
            let error = Diagnostic::error(span, format!("`{shown}` has no validity"));
            return self.fail(error.hint("only headers and header unions have a validity"));
        }
        match &base.kind {
            Kind::Fields(_) => return Some(Value::bool(true)),
            Kind::Invalid => return Some(Value::bool(false)),
            _ => {}
        }
        let place = self.placed(&base, span)?;
        self.value(Ty::Bool, Ir::IsValid(place), span)
    }

    fn set_validity(&mut self, of: &'a Expr, valid: bool, span: Span) -> Option<Value> {
        let to = self.lvalue(of)?;
        if !to.ty.is_header() {
            let shown = self.types.show(&to.ty);
            return self
                .error(of.span, format!("cannot set the validity of `{shown}`: only headers have one"));
        }
        if valid {
            let siblings = self.siblings(&to.place);
            self.make_valid(to.place, span)?;
            for sibling in siblings {
                self.emit(span, StmtKind::SetInvalid(sibling));
            }
        } else {
            if self.target == TargetModel::Bmv2 {
                let condition = self.validity(&to.place, span)?;
                self.lengthen(condition, &to.place, false, span);
            }
            self.emit(span, StmtKind::SetInvalid(to.place));
        }
        Some(void_value())
    }

    /// Emits `setValid()`. In `simple_switch`, a header that becomes valid has zeros in its fields, and the packet is
    /// longer from then on.
    fn make_valid(&mut self, mut place: Place, span: Span) -> Option<()> {
        if self.target == TargetModel::Bmv2 {
            // The reset may change what the place's indices read.
            self.spill_place(&mut place, span);
            let valid = self.validity(&place, span)?;
            let invalid = IrExpr { ty: valid.ty, kind: Ir::Unary(UnaryOp::Not, Box::new(valid.clone())) };
            self.lengthen(invalid.clone(), &place, true, span);
            let ((), reset) = self.block_of(|checker| checker.emit(span, StmtKind::Reset(place.clone())));
            self.emit(span, StmtKind::If { condition: invalid, then: reset, otherwise: Vec::new() });
        }
        self.emit(span, StmtKind::SetValid(place));
        Some(())
    }

    fn validity(&mut self, place: &Place, span: Span) -> Option<IrExpr> {
        let ty = self.lower_ty(&Ty::Bool, span)?;
        Some(IrExpr { kind: Ir::IsValid(place.clone()), ty })
    }

    /// Emits the change of the packet's length by a header that becomes valid or invalid. `simple_switch` counts only
    /// whole headers; the length of a varbit, which a new header does not have, is not counted here.
    fn lengthen(&mut self, condition: IrExpr, header: &Place, longer: bool, span: Span) {
        let types = &self.output.types;
        let Some(composite) = types.as_composite(header.ty) else { return };
        let fixed =
            composite.fields.iter().filter(|field| !matches!(types.get(field.ty), Type::Varbit { .. }));
        let bits = fixed.fold(0, |sum: u32, field| sum.saturating_add(types.bits(field.ty)));
        let bytes = i32::try_from(bits / 8).unwrap_or(i32::MAX);
        if bytes > 0 {
            let bytes = if longer { bytes } else { -bytes };
            self.emit_extern(span, Extern::Lengthen { condition, bytes });
        }
    }

    fn move_stack(
        &mut self,
        of: &'a Expr,
        name: &'a Name,
        arguments: &'a [Argument],
        span: Span,
    ) -> Option<Value> {
        let to = self.lvalue(of)?;
        let size = match &to.ty {
            Ty::Stack(element, size) if element.is_header() || element.is_union() => Some(*size),
            _ => None,
        };
        let Some(size) = size else {
            let shown = self.types.show(&to.ty);
            return self.error(of.span, format!("`{shown}` has no method `{}`", name.text));
        };
        let by = match arguments {
            [] => 1,
            [argument] => {
                let value = self.integer(&argument.value, "the number of elements")?;
                match value.to_u32() {
                    Some(by) => by.min(size),
                    None if value.sign() == num_bigint::Sign::Minus => {
                        return self.error(
                            argument.value.span,
                            format!("the number of elements must be at least 0, got {value}"),
                        );
                    }
                    None => size,
                }
            }
            [_, second, ..] => return self.error(second.value.span, "expected 1 argument, found more"),
        };
        let kind = match &*name.text {
            "push_front" => StmtKind::PushFront(to.place, by),
            _ => StmtKind::PopFront(to.place, by),
        };
        self.emit(span, kind);
        Some(void_value())
    }

    /// Elaborates `minSizeInBits()` and its variants, which are constants.
    fn declared_size(&mut self, ty: &Ty, name: &Name, span: Span) -> Option<Value> {
        if !matches!(ty, Ty::Composite(..) | Ty::Stack(..) | Ty::Tuple(_) | Ty::Bit(_) | Ty::Int(_)) {
            let shown = self.types.show(ty);
            return self.error(name.span, format!("`{shown}` has no method `{}`", name.text));
        }
        let bits = self.declared_bits(ty, name.text.starts_with("max"), span)?;
        let size = if name.text.ends_with("Bytes") { bits.div_ceil(8) } else { bits };
        Some(Value::int(Ty::InfInt, size))
    }

    /// Minimum or maximum size of a type's values in bits.
    fn declared_bits(&mut self, ty: &Ty, most: bool, span: Span) -> Option<u64> {
        self.deeper(span, |checker| {
            Some(match checker.types.base(ty) {
                Ty::Bool => 1,
                Ty::Bit(width) | Ty::Int(width) => u64::from(width),
                Ty::Varbit(width) if most => u64::from(width),
                Ty::Stack(element, size) => {
                    checker.declared_bits(&element, most, span)?.saturating_mul(u64::from(size))
                }
                Ty::Tuple(items) => {
                    let mut sum = 0u64;
                    for item in items.iter() {
                        sum = sum.saturating_add(checker.declared_bits(item, most, span)?);
                    }
                    sum
                }
                Ty::Composite(_, id) => {
                    let is_union = ty.is_union();
                    let fields = checker.types.fields(id);
                    let mut sum = 0u64;
                    for (index, field) in fields.iter().enumerate() {
                        let bits = checker.declared_bits(&field.ty, most, span)?;
                        sum = match is_union {
                            true if index == 0 => bits,
                            true if most => sum.max(bits),
                            true => sum.min(bits),
                            false => sum.saturating_add(bits),
                        };
                    }
                    sum
                }
                _ => 0,
            })
        })
    }

    fn current_size(&mut self, base: Value, name: &Name, span: Span) -> Option<Value> {
        if !base.ty.is_header() {
            let shown = self.types.show(&base.ty);
            return self.error(name.span, format!("`{shown}` has no method `{}`", name.text));
        }
        let place = self.placed(&base, span)?;
        let ty = self.lower_ty(&Ty::Bit(32), span)?;
        let bits = IrExpr { kind: Ir::SizeInBits(place), ty };
        if !name.text.ends_with("Bytes") {
            return Some(Value::new(Ty::Bit(32), Kind::Expr(bits)));
        }
        let constant = |value: u8| Box::new(IrExpr { kind: Ir::Constant(value.into()), ty });
        let up = Box::new(IrExpr { kind: Ir::Binary(Op::Add, Box::new(bits), constant(7)), ty });
        self.value(Ty::Bit(32), Ir::Binary(Op::ShiftRight, up, constant(3)), span)
    }

    /// The declared method of an extern object that matches the arguments, and its bound arguments.
    pub(super) fn declared_method(
        &mut self,
        ty: &Ty,
        name: &'a Name,
        type_arguments: &'a [TypeRef],
        arguments: &'a [Argument],
        span: Span,
    ) -> Option<(Vec<Bound>, Vec<Option<Ty>>)> {
        let Ty::Extern(id) = ty else {
            let shown = self.types.show(ty);
            return self.error(name.span, format!("`{shown}` has no method `{}`", name.text));
        };
        let named = self.types.named[*id].clone();
        let declarations = self.declarations;
        let DeclarationKind::ExternObject { methods, type_parameters, .. } =
            &declarations[named.declaration].kind
        else {
            return None;
        };
        let candidates: Vec<&'a Method> = methods
            .iter()
            .filter(|method| !method.constructor && method.signature.name.text == name.text)
            .collect();
        // Without a match, the first overload gives the error message about the arguments.
        let fitting = candidates
            .iter()
            .find(|method| super::binding::bind(&method.signature.parameters, arguments).is_ok())
            .or(candidates.first());
        let Some(method) = fitting else {
            let known = methods.iter().filter(|method| !method.constructor);
            let near = super::constant::nearest(&name.text, known.map(|method| &*method.signature.name.text));
            let mut error =
                Diagnostic::error(name.span, format!("`{}` has no method `{}`", named.name, name.text));
            if let Some(near) = near {
                error = error.hint(format!("did you mean `{near}`?"));
            }
            return self.fail(error);
        };
        let mut inference = Inference::default();
        let mut names = self.type_names(&method.signature.type_parameters, type_arguments, &mut inference)?;
        for (index, parameter) in type_parameters.iter().enumerate() {
            names.push((parameter, named.arguments.get(index).cloned().unwrap_or(Ty::Any)));
        }
        let tys = self.parameter_types(&method.signature.parameters, &names)?;
        let bound = self.evaluate(&method.signature.parameters, &tys, arguments, &mut inference, span)?;
        Some((bound, inference.found))
    }

    /// Elaborates `packet.extract`, `lookahead`, `advance` and `length`.
    pub(super) fn packet_in_method(
        &mut self,
        ty: &Ty,
        name: &'a Name,
        type_arguments: &'a [TypeRef],
        arguments: &'a [Argument],
        span: Span,
    ) -> Option<Value> {
        if &*name.text != "length" {
            self.only_in(&[Body::Parser], "reading the packet", span)?;
        }
        let (bound, found) = self.declared_method(ty, name, type_arguments, arguments, span)?;
        match (&*name.text, bound.as_slice()) {
            ("extract", [to]) => self.extract(to, None, &found, span)?,
            ("extract", [to, Bound::In(length)]) => {
                let length = self.lower(length, span)?;
                self.extract(to, Some(length), &found, span)?;
            }
            ("lookahead", []) => {
                let Some(Some(ty)) = found.first() else {
                    return self.error(span, "`lookahead` requires a type argument: `lookahead<T>()`");
                };
                let id = self.lower_ty(ty, span)?;
                let place = self.temporary(id);
                self.emit(span, StmtKind::Lookahead(place.clone()));
                return Some(self.read(place, ty.clone()));
            }
            ("advance", [Bound::In(bits)]) => {
                let bits = self.lower(bits, span)?;
                self.emit(span, StmtKind::Advance(bits));
            }
            ("length", []) => return self.value(Ty::Bit(32), Ir::PacketLength, span),
            _ => return self.error(span, format!("unsupported method `{}`", name.text)),
        }
        Some(void_value())
    }

    fn extract(
        &mut self,
        to: &Bound,
        length: Option<IrExpr>,
        found: &[Option<Ty>],
        span: Span,
    ) -> Option<()> {
        let (place, ty) = match to {
            Bound::Out { to, .. } => (to.place.clone(), to.ty.clone()),
            _ => {
                let Some(Some(ty)) = found.first() else {
                    return self.error(span, "cannot infer the type to skip: write `extract<T>(_)`");
                };
                let id = self.lower_ty(ty, span)?;
                (self.variable("skipped", id), ty.clone())
            }
        };
        if !ty.is_header() {
            let shown = self.types.show(&ty);
            return self.error(span, format!("expected a header to extract, found `{shown}`"));
        }
        if let Ty::Composite(_, id) = &ty
            && length.is_some()
        {
            let fields = self.types.fields(*id);
            let shown = self.types.show(&ty);
            match fields.iter().filter(|field| matches!(field.ty, Ty::Varbit(_))).count() {
                1 => {}
                0 => {
                    let message = format!("`{shown}` has no varbit field, so no length can be given");
                    return self.error(span, message);
                }
                varbits => {
                    let message = format!(
                        "a header to extract must have at most one varbit field, but `{shown}` has {varbits}"
                    );
                    let hint = "the length is that of one field: split the header in two";
                    return self.fail(Diagnostic::error(span, message).hint(hint));
                }
            }
        }
        let siblings = self.siblings(&place);
        // After the extraction, `stack.next.member` is a different place.
        let before = place.steps.iter().any(|step| matches!(step, Step::Next));
        if before {
            self.set_invalid(siblings.clone(), span);
        }
        self.emit(span, StmtKind::Extract { to: place, length });
        if !before {
            self.set_invalid(siblings, span);
        }
        Some(())
    }

    fn set_invalid(&mut self, places: Vec<Place>, span: Span) {
        for place in places {
            self.emit(span, StmtKind::SetInvalid(place));
        }
    }

    /// Elaborates `packet.emit(…)`.
    pub(super) fn packet_out_method(
        &mut self,
        ty: &Ty,
        name: &'a Name,
        type_arguments: &'a [TypeRef],
        arguments: &'a [Argument],
        span: Span,
    ) -> Option<Value> {
        let (bound, _) = self.declared_method(ty, name, type_arguments, arguments, span)?;
        match (&*name.text, bound.as_slice()) {
            ("emit", [Bound::In(value)]) => self.emit_value(value, span)?,
            _ => return self.error(span, format!("unsupported method `{}`", name.text)),
        }
        Some(void_value())
    }

    fn emit_value(&mut self, value: &Value, span: Span) -> Option<()> {
        if matches!(value.kind, Kind::List { .. } | Kind::Record { .. }) {
            return self.deeper(span, |checker| {
                for part in checker.parts(value, span)? {
                    checker.emit_value(&part, span)?;
                }
                Some(())
            });
        }
        if !matches!(value.ty, Ty::Composite(..) | Ty::Stack(..) | Ty::Tuple(_)) {
            let shown = self.types.show(&value.ty);
            return self.error(
                span,
                format!("expected a header, union, stack or struct of these to emit, found `{shown}`"),
            );
        }
        let place = self.placed(value, span)?;
        self.emit(span, StmtKind::Emit(place));
        Some(())
    }
}

/// Result of a method without a return value.
pub(super) fn void_value() -> Value {
    Value::new(Ty::Void, Kind::Invalid)
}
