//! Implicit conversions (§8.11.2 of the specification), and conversion of lists and struct expressions to the expected
//! type.

use num_bigint::BigInt;

use super::Checker;
use super::constant::nearest;
use super::print::count;
use super::ty::{FieldTy, Ty};
use super::value::{Kind, Value};
use crate::diagnostic::Diagnostic;
use crate::ir::{ExprKind, StmtKind};
use crate::source::Span;
use crate::syntax::ast::Name;

impl Checker<'_> {
    /// Converts a value to a type implicitly, or reports a mismatch.
    pub(super) fn convert(&mut self, value: Value, to: &Ty, span: Span) -> Option<Value> {
        self.deeper(span, |checker| checker.convert_inner(value, to, span))
    }

    fn convert_inner(&mut self, value: Value, to: &Ty, span: Span) -> Option<Value> {
        match (value.kind, to) {
            (Kind::Dots, _) => self.zero(to, span),
            (Kind::List { items, rest }, _) => self.convert_list(items, rest, to, &value.ty, span),
            (Kind::Record { fields, rest }, _) => self.convert_record(fields, rest, to, span),
            (Kind::Invalid, Ty::Composite(..))
                if value.ty == Ty::Any && (to.is_header() || to.is_union()) =>
            {
                Some(Value::new(to.clone(), Kind::Invalid))
            }
            (kind, Ty::Any) => Some(Value::new(value.ty, kind)),
            (kind, _) if value.ty == *to => Some(Value::new(value.ty, kind)),
            (Kind::Int(number), Ty::Bit(_) | Ty::Int(_)) if value.ty == Ty::InfInt => {
                let number = self.fit_to_width(&number, to, span);
                Some(Value::int(to.clone(), number))
            }
            // Not in the specification, which requires a cast (§8.25), but p4c converts literals, and programs rely on it.
            (Kind::Int(number), Ty::Newtype(_))
                if value.ty == Ty::InfInt && self.types.base(to).width().is_some() =>
            {
                let number = self.fit_to_width(&number, to, span);
                Some(Value::int(to.clone(), number))
            }
            (kind, Ty::Bit(_) | Ty::Int(_)) if matches!(value.ty, Ty::Serializable(_)) => {
                let base = self.types.base(&value.ty);
                if base == *to {
                    return Some(Value::new(base, kind));
                }
                self.mismatch(&value.ty, to, span)
            }
            (Kind::Expr(expr), Ty::Tuple(items)) => match &value.ty {
                Ty::Tuple(own) if own.len() == items.len() => {
                    // A list whose parts were saved to variables: convert part by part.
                    let value = Value::new(value.ty.clone(), Kind::Expr(expr));
                    let parts = self.parts(&value, span)?;
                    self.convert_list(parts, false, to, &value.ty, span)
                }
                _ => self.mismatch(&value.ty, to, span),
            },
            _ => self.mismatch(&value.ty, to, span),
        }
    }

    fn mismatch<T>(&mut self, from: &Ty, to: &Ty, span: Span) -> Option<T> {
        let (shown, wanted) = (self.types.show(from), self.types.show(to));
        let mut error = Diagnostic::error(span, format!("expected `{wanted}`, found `{shown}`"));
        let (from, to) = (self.types.base(from), self.types.base(to));
        let castable = |ty: &Ty| ty.width().is_some() || matches!(ty, Ty::InfInt);
        if castable(&from) && castable(&to) || (from == Ty::Bool && to == Ty::Bit(1)) {
            error = error.hint(format!("cast it: `({wanted})…`"));
        }
        self.fail(error)
    }

    /// Converts `{ a, b, ... }` to a type.
    fn convert_list(
        &mut self,
        items: Vec<Value>,
        rest: bool,
        to: &Ty,
        own: &Ty,
        span: Span,
    ) -> Option<Value> {
        let wanted: Vec<Ty> = match to {
            Ty::Composite(_, id) if !to.is_union() => {
                self.types.fields(*id).iter().map(|field| field.ty.clone()).collect()
            }
            Ty::Tuple(wanted) => wanted.to_vec(),
            Ty::List(item) => vec![(**item).clone(); items.len()],
            Ty::Stack(element, size) => vec![(**element).clone(); *size as usize],
            Ty::Any => return Some(Value::new(own.clone(), Kind::List { items, rest })),
            _ => return self.mismatch(own, to, span),
        };
        let too_few = items.len() < wanted.len() && !rest && !matches!(to, Ty::Stack(..));
        if items.len() > wanted.len() || too_few {
            let shown = self.types.show(to);
            let message =
                format!("expected {} for `{shown}`, found {}", count(wanted.len(), "value"), items.len());
            return self.error(span, message);
        }
        let mut given = items.into_iter();
        let fields = self.in_order(wanted.iter(), span, |checker, ty| match given.next() {
            Some(item) => checker.convert(item, ty, span),
            None => checker.zero(ty, span),
        })?;
        Some(Value::new(to.clone(), Kind::Fields(fields)))
    }

    /// Converts `{ a = 1, ... }` to a type.
    fn convert_record(
        &mut self,
        given: Vec<(Name, Value)>,
        rest: bool,
        to: &Ty,
        span: Span,
    ) -> Option<Value> {
        let fields = match to {
            Ty::Composite(_, id) if !to.is_union() => self.types.fields(*id),
            Ty::Any => {
                return Some(Value::new(Ty::Any, Kind::Record { fields: given, rest }));
            }
            // Inference gave this expression a tuple type: its parts without their names.
            Ty::Tuple(_) => {
                let items: Vec<Value> = given.into_iter().map(|(_, value)| value).collect();
                let own = to.clone();
                return self.convert_list(items, rest, to, &own, span);
            }
            _ => {
                let shown = self.types.show(to);
                return self.error(span, format!("expected `{shown}`, found a struct expression"));
            }
        };
        let mut given: Vec<(Name, Option<Value>)> =
            given.into_iter().map(|(name, value)| (name, Some(value))).collect();
        let mut sound = self.known_fields(&given, &fields, to);
        let mut missing = Vec::new();
        let values = self.in_order(fields.iter(), span, |checker, field| {
            match given.iter_mut().find(|(name, _)| name.text == field.name) {
                Some((name, value)) => {
                    let span = name.span;
                    value.take().and_then(|value| checker.convert(value, &field.ty, span))
                }
                None => {
                    if !rest {
                        missing.push(format!("`{}`", field.name));
                    }
                    checker.zero(&field.ty, span)
                }
            }
        });
        if !missing.is_empty() {
            let message = format!("missing value for {}", missing.join(", "));
            self.report(
                Diagnostic::error(span, message)
                    .hint("end the list with `...` to use default values for the other fields"),
            );
            sound = false;
        }
        sound.then_some(Value::new(to.clone(), Kind::Fields(values?)))
    }

    fn known_fields(&mut self, given: &[(Name, Option<Value>)], fields: &[FieldTy], to: &Ty) -> bool {
        let mut sound = true;
        for (index, (name, _)) in given.iter().enumerate() {
            if given[..index].iter().any(|(other, _)| other.text == name.text) {
                self.error::<()>(name.span, format!("duplicate value for the field `{}`", name.text));
                sound = false;
            }
            if !fields.iter().any(|field| field.name == name.text) {
                self.report_unknown_field(name, fields, to);
                sound = false;
            }
        }
        sound
    }

    /// Reports an unknown field.
    pub(super) fn report_unknown_field(&mut self, name: &Name, fields: &[FieldTy], of: &Ty) {
        let shown = self.types.show(of);
        let mut error = Diagnostic::error(name.span, format!("`{shown}` has no field `{}`", name.text));
        if let Some(near) = nearest(&name.text, fields.iter().map(|field| &*field.name)) {
            error = error.hint(format!("did you mean `{near}`?"));
        }
        self.report(error);
    }

    /// Default value of a type (§7.3 of the specification).
    pub(super) fn zero(&mut self, ty: &Ty, span: Span) -> Option<Value> {
        let kind = match ty {
            Ty::Bit(_) | Ty::Int(_) | Ty::InfInt => Kind::Int(BigInt::ZERO),
            Ty::Bool => Kind::Bool(false),
            Ty::Error | Ty::Enum(_) => Kind::Index(0),
            Ty::Serializable(_) => Kind::Int(BigInt::ZERO),
            Ty::Newtype(_) => {
                let base = self.types.base(ty);
                self.zero(&base, span)?.kind
            }
            Ty::Composite(..) | Ty::Stack(..) | Ty::Tuple(_) => Kind::Invalid,
            Ty::String => Kind::Text("".into()),
            Ty::Varbit(_) => {
                let id = self.lower_ty(ty, span)?;
                let place = self.temporary(id);
                self.emit(span, StmtKind::Reset(place.clone()));
                return Some(self.read(place, ty.clone()));
            }
            _ => {
                let shown = self.types.show(ty);
                return self.error(span, format!("the type `{shown}` has no default value"));
            }
        };
        Some(Value::new(ty.clone(), kind))
    }

    /// The members of a struct, tuple, header or stack as separate values.
    pub(super) fn parts(&mut self, value: &Value, span: Span) -> Option<Vec<Value>> {
        match &value.kind {
            Kind::Fields(items) | Kind::List { items, rest: false } => return Some(items.clone()),
            Kind::Record { fields, rest: false } => {
                return Some(fields.iter().map(|(_, value)| value.clone()).collect());
            }
            _ => {}
        }
        let tys: Vec<Ty> = match &value.ty {
            Ty::Composite(_, id) => self.types.fields(*id).iter().map(|field| field.ty.clone()).collect(),
            Ty::Tuple(items) => items.to_vec(),
            Ty::Stack(element, size) => vec![(**element).clone(); *size as usize],
            _ => return Some(vec![value.clone()]),
        };
        let place = match &value.kind {
            Kind::Expr(_) => self.placed(value, span)?,
            _ => {
                let zeros: Option<Vec<Value>> = tys.iter().map(|ty| self.zero(ty, span)).collect();
                return zeros;
            }
        };
        let is_stack = matches!(value.ty, Ty::Stack(..));
        let mut parts = Vec::with_capacity(tys.len());
        for (index, ty) in (0u32..).zip(tys) {
            let step = if is_stack { crate::ir::Step::Element(index) } else { crate::ir::Step::Field(index) };
            let id = self.lower_ty(&ty, span)?;
            parts.push(self.read(place.step(step, id), ty));
        }
        Some(parts)
    }

    /// Flattens a value to its scalars and varbits, in order; a header becomes its fields.
    pub(super) fn flatten(&mut self, value: &Value, span: Span, flat: &mut Vec<Value>) -> Option<()> {
        match value.ty {
            Ty::Composite(..) | Ty::Tuple(_) | Ty::Stack(..) => self.deeper(span, |checker| {
                for part in checker.parts(value, span)? {
                    checker.flatten(&part, span, flat)?;
                }
                Some(())
            }),
            _ => match &value.kind {
                Kind::List { .. } | Kind::Record { .. } => {
                    for part in self.parts(value, span)? {
                        self.flatten(&part, span, flat)?;
                    }
                    Some(())
                }
                _ => {
                    flat.push(value.clone());
                    Some(())
                }
            },
        }
    }

    /// A place that holds the value: its own, or a temporary.
    pub(super) fn placed(&mut self, value: &Value, span: Span) -> Option<crate::ir::Place> {
        if let Some(place) = value.place() {
            return Some(place.clone());
        }
        let expr = self.lower(value, span)?;
        if let ExprKind::Read(place) = expr.kind {
            return Some(place);
        }
        Some(self.saved(span, expr))
    }
}
