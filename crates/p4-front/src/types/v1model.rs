//! Extern functions of v1model.

use num_bigint::BigUint;

use super::binding::Bound;
use super::builtins::void_value;
use super::lvalue::{LValue, Part};
use super::ty::{NamedBody, Ty};
use super::value::{Kind, Value};
use super::{Body, Checker};
use crate::diagnostic::Diagnostic;
use crate::ir::{
    BinaryOp, Expr as IrExpr, ExprKind as Ir, Extern, FieldListChoice, HashAlgorithm, Place, Step, StmtKind,
};
use crate::source::Span;
use crate::syntax::ast::{Argument, Name};

/// Hint for externs of other architectures.
pub(super) const NOT_IMPLEMENTED: &str = "implemented are the externs of core.p4, v1model.p4 and psa.p4; a program may declare others, but not use them";

/// `egress_spec` of a dropped packet.
const DROP_PORT: u32 = 511;

impl<'a> Checker<'a> {
    /// Elaborates a call of an extern function.
    pub(super) fn extern_function(
        &mut self,
        name: &'a Name,
        bound: Vec<Bound>,
        arguments: &'a [Argument],
        span: Span,
    ) -> Option<Value> {
        let done = match (&*name.text, bound.as_slice()) {
            ("verify", [Bound::In(condition), Bound::In(error)]) => self.verify(condition, error, span),
            ("static_assert", [Bound::In(condition), rest @ ..]) => {
                return self.static_assert(condition, rest.first(), span);
            }
            ("mark_to_drop", []) => self.mark_to_drop(None, span),
            ("mark_to_drop", [Bound::Out { to, .. }]) => self.mark_to_drop(Some(to), span),
            ("random", [Bound::Out { to, .. }, Bound::In(low), Bound::In(high)]) => {
                self.random(to, low, high, span)
            }
            ("hash", [Bound::Out { to, .. }, algorithm, base, data, max]) => {
                self.hash(to, [algorithm, base, data, max], span)
            }
            ("digest", [Bound::In(receiver), Bound::In(data)]) => self.digest(receiver, data, span),
            ("verify_checksum" | "verify_checksum_with_payload", _)
            | ("update_checksum" | "update_checksum_with_payload", _) => self.checksum(name, &bound, span),
            ("clone", [kind, Bound::In(session)]) => {
                self.clone_packet(kind, session, FieldListChoice::Nothing, span)
            }
            // The forms before 2020 take the preserved data itself, later ones the number of a field list.
            ("clone3", [kind, Bound::In(session), Bound::In(data)]) => {
                let keep = self.field_list_of(data, span)?;
                self.clone_packet(kind, session, keep, span)
            }
            ("clone_preserving_field_list", [kind, Bound::In(session), Bound::In(list)]) => {
                let keep = FieldListChoice::Numbered(self.lower(list, span)?);
                self.clone_packet(kind, session, keep, span)
            }
            ("resubmit", [Bound::In(data)]) => {
                let keep = self.field_list_of(data, span)?;
                self.emit_extern(span, Extern::Resubmit { keep });
                Some(())
            }
            ("resubmit_preserving_field_list", [Bound::In(list)]) => {
                let keep = FieldListChoice::Numbered(self.lower(list, span)?);
                self.emit_extern(span, Extern::Resubmit { keep });
                Some(())
            }
            ("recirculate", [Bound::In(data)]) => {
                let keep = self.field_list_of(data, span)?;
                self.emit_extern(span, Extern::Recirculate { keep });
                Some(())
            }
            ("recirculate_preserving_field_list", [Bound::In(list)]) => {
                let keep = FieldListChoice::Numbered(self.lower(list, span)?);
                self.emit_extern(span, Extern::Recirculate { keep });
                Some(())
            }
            ("truncate", [Bound::In(length)]) => {
                let length = self.lower(length, span)?;
                self.emit_extern(span, Extern::Truncate { length });
                Some(())
            }
            ("assert" | "assume", [Bound::In(condition)]) => {
                let condition = self.lower(condition, span)?;
                let assume = &*name.text == "assume";
                self.emit_extern(span, Extern::Assert { condition, assume });
                Some(())
            }
            ("log_msg", [format, rest @ ..]) => self.log(format, rest.first(), span),
            _ => {
                let at = arguments.first().map_or(span, |_| name.span);
                let error = Diagnostic::error(
                    at,
                    format!("the extern function `{}` is not implemented here", name.text),
                );
                self.fail(error.label("called with these arguments").hint(NOT_IMPLEMENTED))
            }
        };
        done.map(|()| void_value())
    }

    fn verify(&mut self, condition: &Value, error: &Value, span: Span) -> Option<()> {
        self.only_in(&[Body::Parser], "`verify`", span)?;
        let condition = self.lower(condition, span)?;
        let error = self.lower(error, span)?;
        self.emit(span, StmtKind::Verify { condition, error });
        Some(())
    }

    fn static_assert(&mut self, condition: &Value, message: Option<&Bound>, span: Span) -> Option<Value> {
        match condition.kind {
            Kind::Bool(true) => Some(Value::bool(true)),
            Kind::Bool(false) => {
                let said = match message {
                    Some(Bound::In(Value { kind: Kind::Text(text), .. })) => format!(": {text}"),
                    _ => String::new(),
                };
                self.error(span, format!("static assertion failed{said}"))
            }
            _ => self.error(span, "condition of a static assertion must be known at compile time"),
        }
    }

    /// Place of a field of the standard metadata.
    fn standard_field(&mut self, of: &Place, ty: &Ty, name: &str, span: Span) -> Option<Place> {
        let Ty::Composite(_, id) = ty else { return None };
        let fields = self.types.fields(*id);
        let index = fields.iter().position(|field| &*field.name == name)?;
        let id = self.lower_ty(&fields[index].ty, span)?;
        Some(of.step(Step::Field(u32::try_from(index).ok()?), id))
    }

    fn mark_to_drop(&mut self, to: Option<&LValue>, span: Span) -> Option<()> {
        let (place, ty) = match (to, &self.output.shared) {
            (Some(to), _) => (to.place.clone(), to.ty.clone()),
            (None, Some([_, _, (root, ty)])) => {
                let ty = ty.clone();
                let root = *root;
                let id = self.lower_ty(&ty, span)?;
                (Place::variable(root, id), ty)
            }
            (None, None) => return Some(()),
        };
        self.record_intended_port(&place, &ty, span);
        for (field, value) in [("egress_spec", DROP_PORT), ("mcast_grp", 0)] {
            let Some(to) = self.standard_field(&place, &ty, field, span) else { continue };
            let value = IrExpr { kind: Ir::Constant(BigUint::from(value)), ty: to.ty };
            self.emit(span, StmtKind::Assign { to, value });
        }
        Some(())
    }

    /// Emits a copy of the intended port of a dropped packet, for statistics. Absent if the program's v1model lacks the
    /// field.
    fn record_intended_port(&mut self, place: &Place, ty: &Ty, span: Span) -> Option<()> {
        let to = self.standard_field(place, ty, "jettison_intended_port", span)?;
        let spec = self.standard_field(place, ty, "egress_spec", span)?;
        let bool_ty = self.lower_ty(&Ty::Bool, span)?;
        let of = |kind, ty| Box::new(IrExpr { kind, ty });
        let number = |value: u32, ty| of(Ir::Constant(BigUint::from(value)), ty);
        let read = |place: &Place| of(Ir::Read(place.clone()), place.ty);
        let dropped = Ir::Binary(BinaryOp::Equal, read(&spec), number(DROP_PORT, spec.ty));
        let wide = of(Ir::Cast(read(&spec)), to.ty);
        let next = of(Ir::Binary(BinaryOp::Add, wide, number(1, to.ty)), to.ty);
        let kind = Ir::Conditional(of(dropped, bool_ty), read(&to), next);
        let value = IrExpr { kind, ty: to.ty };
        self.emit(span, StmtKind::Assign { to, value });
        Some(())
    }

    fn random(&mut self, to: &LValue, low: &Value, high: &Value, span: Span) -> Option<()> {
        let low = self.number_operand(low, span)?;
        let high = self.number_operand(high, span)?;
        let ty = self.number_result(to, span)?;
        self.written_by(to, &ty, span, |to| Extern::Random { to, low, high })
    }

    fn hash(&mut self, to: &LValue, given: [&Bound; 4], span: Span) -> Option<()> {
        let [Bound::In(algorithm), Bound::In(base), Bound::In(data), Bound::In(max)] = given else {
            return self.error(span, "`hash` requires a result, an algorithm, a base, data and a maximum");
        };
        let algorithm = self.algorithm(algorithm, span)?;
        let base = self.number_operand(base, span)?;
        let data = self.scalars(data, span)?;
        let max = self.number_operand(max, span)?;
        let ty = self.number_result(to, span)?;
        self.written_by(to, &ty, span, |to| Extern::Hash { to, algorithm, base, data, max })
    }

    /// A compile-time member of v1model's `HashAlgorithm`.
    pub(super) fn algorithm(&mut self, value: &Value, span: Span) -> Option<HashAlgorithm> {
        let name = self.enum_member(value);
        Some(match name.as_deref() {
            Some("crc32") => HashAlgorithm::Crc32,
            Some("crc32_custom") => HashAlgorithm::Crc32Custom,
            Some("crc16") => HashAlgorithm::Crc16,
            Some("crc16_custom") => HashAlgorithm::Crc16Custom,
            Some("random") => HashAlgorithm::Random,
            Some("identity") => HashAlgorithm::Identity,
            Some("csum16") => HashAlgorithm::Csum16,
            Some("xor16") => HashAlgorithm::Xor16,
            _ => return self.error(span, "expected a compile-time member of `HashAlgorithm`"),
        })
    }

    /// Name of a compile-time enum member.
    pub(super) fn enum_member(&self, value: &Value) -> Option<std::sync::Arc<str>> {
        let (Kind::Index(index), Ty::Enum(id)) = (&value.kind, &value.ty) else { return None };
        match &self.types.named[*id].body {
            NamedBody::Enum(members) => members.get(*index as usize).cloned(),
            _ => None,
        }
    }

    pub(super) fn digest(&mut self, receiver: &Value, data: &Value, span: Span) -> Option<()> {
        let ty = match &data.kind {
            Kind::List { items, .. } => Ty::Tuple(items.iter().map(|item| item.ty.clone()).collect()),
            _ => data.ty.clone(),
        };
        let ty = self.lower_ty(&ty, span)?;
        let receiver = self.number_operand(receiver, span)?;
        let data = self.scalars(data, span)?;
        self.emit_extern(span, Extern::Digest { receiver, data, ty });
        Some(())
    }

    fn clone_packet(
        &mut self,
        kind: &Bound,
        session: &Value,
        keep: FieldListChoice,
        span: Span,
    ) -> Option<()> {
        let name = match kind {
            Bound::In(value) => self.enum_member(value),
            _ => None,
        };
        let egress = match name.as_deref() {
            Some("I2E") => false,
            Some("E2E") => true,
            _ => return self.error(span, "clone type must be `CloneType.I2E` or `CloneType.E2E`"),
        };
        let session = self.number_operand(session, span)?;
        self.emit_extern(span, Extern::Clone { egress, session, keep });
        Some(())
    }

    fn log(&mut self, format: &Bound, data: Option<&Bound>, span: Span) -> Option<()> {
        let Bound::In(format) = format else { return None };
        let format = self.text(format, span)?;
        let arguments = match data {
            Some(Bound::In(data)) => self.scalars(data, span)?,
            _ => Vec::new(),
        };
        self.emit_extern(span, Extern::LogMessage { format, arguments });
        Some(())
    }

    /// Whether an lvalue is a whole place.
    pub(super) fn is_whole(to: &LValue) -> bool {
        matches!(to.part, Part::Whole)
    }
}
