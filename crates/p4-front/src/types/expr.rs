//! Expressions.

use std::sync::Arc;

use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;

use super::Checker;
use super::print::count;
use super::scope::Entity;
use super::ty::Ty;
use super::value::{Kind, Object, Value};
use crate::diagnostic::Diagnostic;
use crate::ir::{self, BinaryOp as Op, ExprKind as Ir, Step};
use crate::source::Span;
use crate::syntax::ast::{Expr, ExprKind, Name};

impl<'a> Checker<'a> {
    /// Elaborates an expression; its side effects become statements.
    pub(super) fn expr(&mut self, e: &'a Expr) -> Option<Value> {
        self.deeper(e.span, |checker| checker.expr_inner(e))
    }

    fn expr_inner(&mut self, e: &'a Expr) -> Option<Value> {
        let span = e.span;
        match &e.kind {
            ExprKind::Integer { value, width, signed } => self.literal(value, *width, *signed, span),
            ExprKind::Bool(value) => Some(Value::bool(*value)),
            ExprKind::String(text) => Some(Value::new(Ty::String, Kind::Text(text.clone()))),
            ExprKind::Name { name, global } => self.name(name, *global, span),
            ExprKind::Type(written) => {
                let ty = self.ty(written)?;
                Some(Value::new(ty, Kind::Type))
            }
            ExprKind::Member { of, name } => self.member(of, name, span),
            ExprKind::This => self.error(span, "`this` is allowed only in the abstract methods of an extern"),
            ExprKind::Index { of, index } => self.index(of, index, span),
            ExprKind::Slice { of, high, low } => {
                let value = self.expr(of)?;
                if value.ty == Ty::InfInt && matches!(value.kind, Kind::Int(_)) {
                    // An `int` has as many bits as are selected.
                    let (high, low) = self.slice_bounds(high, low, super::resolve::MAX_WIDTH, span)?;
                    return self.slice(value, high, low, span);
                }
                let (value, ty) = self.sliceable(value, of.span)?;
                let (high, low) = self.slice_bounds(high, low, ty.width()?, span)?;
                self.slice(value, high, low, span)
            }
            ExprKind::PlusSlice { of, low, width } => self.plus_slice(of, low, width, span),
            ExprKind::Unary { operator, of } => self.unary(*operator, of, span),
            ExprKind::Binary { operator, left, right } => self.binary(*operator, left, right, span),
            ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional(condition, then, otherwise, span)
            }
            ExprKind::Cast { to, of } => {
                let to = self.ty(to)?;
                let value = self.expr(of)?;
                self.cast(value, &to, span)
            }
            ExprKind::Call { callee, type_arguments, arguments } => {
                self.call(callee, type_arguments, arguments, span)
            }
            ExprKind::List { items, rest } => {
                let items = self.in_order(items, span, |checker, item| checker.operand(item))?;
                let ty = Ty::Tuple(items.iter().map(|item| item.ty.clone()).collect());
                Some(Value::new(ty, Kind::List { items, rest: rest.is_some() }))
            }
            ExprKind::Struct { fields, rest } => {
                let values = self.in_order(fields, span, |checker, (_, value)| checker.operand(value))?;
                let fields: Vec<(Name, Value)> =
                    fields.iter().map(|(name, _)| name.clone()).zip(values).collect();
                let ty = Ty::Tuple(fields.iter().map(|(_, value)| value.ty.clone()).collect());
                Some(Value::new(ty, Kind::Record { fields, rest: rest.is_some() }))
            }
            ExprKind::Invalid => Some(Value::new(Ty::Any, Kind::Invalid)),
            ExprKind::Dots => Some(Value::new(Ty::Any, Kind::Dots)),
            ExprKind::Mask { .. } | ExprKind::Range { .. } => {
                self.error(span, "masks and ranges are allowed only in keys and `select`")
            }
            ExprKind::DontCare | ExprKind::Default => self.error(span, "expected a value"),
        }
    }

    /// Elaborates an expression that must be a value: not a type, a table or an instance.
    pub(super) fn operand(&mut self, e: &'a Expr) -> Option<Value> {
        let value = self.expr(e)?;
        match &value.kind {
            Kind::Type => self.error(e.span, "expected a value, found a type"),
            Kind::Object(Object::ActionRun(..)) => {
                self.error(e.span, "`action_run` is allowed only in `switch`")
            }
            Kind::Object(Object::Applied(_)) => self.error(
                e.span,
                "expected a value, found the result of `apply`: use its fields `hit`, `miss` or `action_run`",
            ),
            Kind::Object(_) => self.error(e.span, "expected a value, found an object"),
            _ if value.ty == Ty::Void => {
                self.error(e.span, "expected a value, found a call without a result")
            }
            _ => Some(value),
        }
    }

    /// Elaborates a condition.
    pub(super) fn condition(&mut self, e: &'a Expr) -> Option<Value> {
        let value = self.operand(e)?;
        if value.ty != Ty::Bool {
            let shown = self.types.show(&value.ty);
            let error = Diagnostic::error(e.span, format!("expected `bool`, found `{shown}`"));
            return self.fail(error.hint("compare it: `… != 0`"));
        }
        Some(value)
    }

    fn literal(&mut self, value: &BigInt, width: Option<u32>, signed: bool, span: Span) -> Option<Value> {
        let Some(width) = width else { return Some(Value::int(Ty::InfInt, value.clone())) };
        if width > super::resolve::MAX_WIDTH || (signed && width == 0) {
            return self
                .error(span, format!("width must be from 1 to {}, got {width}", super::resolve::MAX_WIDTH));
        }
        let ty = if signed { Ty::Int(width) } else { Ty::Bit(width) };
        let value = self.fit_to_width(value, &ty, span);
        Some(Value::int(ty, value))
    }

    fn name(&mut self, name: &'a Name, global: bool, span: Span) -> Option<Value> {
        match self.lookup(name, global)? {
            Entity::Value(value) => Some(value),
            Entity::Variable(variable) => Some(self.read(variable.place, variable.ty)),
            Entity::Type(ty) => Some(Value::new(ty, Kind::Type)),
            Entity::Declared(number) => {
                let ty = self.declared(number, Vec::new(), span)?;
                Some(Value::new(ty, Kind::Type))
            }
            Entity::Object(object, ty) => Some(Value::new(ty, Kind::Object(object))),
            Entity::Functions(_) => {
                self.error(span, format!("expected a value, found the function `{}`", name.text))
            }
            Entity::Action(_) => {
                self.error(span, format!("expected a value, found the action `{}`", name.text))
            }
            Entity::Broken => None,
        }
    }

    /// Elaborates `of[index]`.
    fn index(&mut self, of: &'a Expr, index: &'a Expr, span: Span) -> Option<Value> {
        let (base, index_value) =
            self.pair(span, |checker| checker.expr(of), |checker| checker.operand(index))?;
        match base.ty.clone() {
            Ty::Stack(element, size) => {
                let step = self.index_step(&index_value, size, index.span)?;
                if let (Kind::Fields(items), Step::Element(at)) = (&base.kind, &step) {
                    return items.get(*at as usize).cloned();
                }
                let place = self.placed(&base, span)?;
                let id = self.lower_ty(&element, span)?;
                Some(self.read(place.step(step, id), (*element).clone()))
            }
            Ty::Tuple(items) => {
                let Kind::Int(at) = &index_value.kind else {
                    return self.error(index.span, "tuple index must be known at compile time");
                };
                match at.to_usize().filter(|at| *at < items.len()) {
                    Some(at) => self.parts(&base, span)?.get(at).cloned(),
                    None => self.error(
                        index.span,
                        format!("tuple index out of range: the tuple has {}", count(items.len(), "element")),
                    ),
                }
            }
            Ty::List(_) => match (&base.kind, &index_value.kind) {
                (Kind::Fields(items), Kind::Int(at)) => match at.to_usize().and_then(|at| items.get(at)) {
                    Some(item) => Some(item.clone()),
                    None => self.error(
                        index.span,
                        format!("list index out of range: the list has {}", count(items.len(), "element")),
                    ),
                },
                _ => self.error(index.span, "list index must be known at compile time"),
            },
            other => {
                let shown = self.types.show(&other);
                self.error(of.span, format!("cannot index into `{shown}`"))
            }
        }
    }

    /// Path step to a stack's element.
    pub(super) fn index_step(&mut self, index: &Value, size: u32, span: Span) -> Option<Step> {
        let base = self.types.base(&index.ty);
        match &index.kind {
            Kind::Int(at) => {
                if let Some(at) = at.to_u32().filter(|at| *at < size) {
                    return Some(Step::Element(at));
                }
                if at.sign() == Sign::Minus {
                    return self.error(span, format!("stack index must be at least 0, got {at}"));
                }
                self.warn(
                    span,
                    format!("stack index out of range: the stack has {}", count(size as usize, "element")),
                );
                let outside = Value::int(Ty::Bit(32), u32::MAX);
                Some(Step::Index(Box::new(self.lower(&outside, span)?)))
            }
            _ if base.width().is_some() => Some(Step::Index(Box::new(self.lower(index, span)?))),
            _ => {
                let shown = self.types.show(&index.ty);
                self.error(
                    span,
                    format!("index must be of type `bit<W>`, `int<W>` or `int`, found `{shown}`"),
                )
            }
        }
    }

    /// A value that can be sliced, and its type; a serializable enum gets its underlying type.
    pub(super) fn sliceable(&mut self, mut value: Value, span: Span) -> Option<(Value, Ty)> {
        if matches!(value.ty, Ty::Serializable(_)) {
            value.ty = self.types.base(&value.ty);
        }
        let ty = value.ty.clone();
        if ty.width().is_some() {
            return Some((value, ty));
        }
        let shown = self.types.show(&ty);
        self.error(span, format!("only `bit<W>` and `int<W>` can be sliced, found `{shown}`"))
    }

    /// Checked bounds of a slice.
    pub(super) fn slice_bounds(
        &mut self,
        high: &'a Expr,
        low: &'a Expr,
        width: u32,
        span: Span,
    ) -> Option<(u32, u32)> {
        let most = width.saturating_sub(1);
        let first = self.number(high, "the upper bound of a slice", 0, most);
        let second = self.number(low, "the lower bound of a slice", 0, most);
        let (high, low) = (first?, second?);
        if high < low || width == 0 {
            return self.error(
                span,
                format!("bounds of a slice must be `[high:low]` with high >= low, got `[{high}:{low}]`"),
            );
        }
        Some((high, low))
    }

    /// Bits of a value.
    pub(super) fn slice(&mut self, value: Value, high: u32, low: u32, span: Span) -> Option<Value> {
        if let Kind::Int(number) = &value.kind {
            return Some(self.fold_slice(number, high, low));
        }
        let of = Box::new(self.lower(&value, span)?);
        self.value(Ty::Bit(high - low + 1), Ir::Slice { of, high, low }, span)
    }

    /// Elaborates `of[low +: width]`; `low` may be computed at run time.
    fn plus_slice(&mut self, of: &'a Expr, low: &'a Expr, width: &'a Expr, span: Span) -> Option<Value> {
        let (value, from) = self.pair(span, |checker| checker.expr(of), |checker| checker.operand(low))?;
        let (value, ty) = self.sliceable(value, of.span)?;
        let whole = ty.width()?;
        let width = self.number(width, "the width of a slice", 1, whole)?;
        match self.slice_start(&from, width, whole, low.span)? {
            Start::Known(low) => self.slice(value, low + width - 1, low, span),
            Start::Computed(low) => {
                let of = self.lower(&value, span)?;
                let unsigned = self.lower_ty(&Ty::Bit(whole), span)?;
                let of = ir::Expr { kind: Ir::Cast(Box::new(of)), ty: unsigned };
                let shifted = Ir::Binary(Op::ShiftRight, Box::new(of), Box::new(low));
                let shifted = Box::new(ir::Expr { kind: shifted, ty: unsigned });
                self.value(Ty::Bit(width), Ir::Slice { of: shifted, high: width - 1, low: 0 }, span)
            }
        }
    }

    /// Start of a slice of a given width.
    pub(super) fn slice_start(&mut self, from: &Value, width: u32, whole: u32, span: Span) -> Option<Start> {
        match &from.kind {
            Kind::Int(low) => match low.to_u32().filter(|low| low.saturating_add(width) <= whole) {
                Some(low) => Some(Start::Known(low)),
                None => self.error(
                    span,
                    format!(
                        "slice out of range: {width} bits from bit {low} exceed the {whole} bits of the value"
                    ),
                ),
            },
            _ if matches!(self.types.base(&from.ty), Ty::Bit(_)) => {
                Some(Start::Computed(self.lower(from, span)?))
            }
            _ => {
                let shown = self.types.show(&from.ty);
                self.error(
                    span,
                    format!("start of a slice must be of type `bit<W>` or `int`, found `{shown}`"),
                )
            }
        }
    }

    /// A compile-time string.
    pub(super) fn text(&mut self, value: &Value, span: Span) -> Option<Arc<str>> {
        match &value.kind {
            Kind::Text(text) => Some(text.clone()),
            _ => self.error(span, "expected a string"),
        }
    }
}

/// Start of a slice.
pub(super) enum Start {
    Known(u32),
    Computed(ir::Expr),
}
