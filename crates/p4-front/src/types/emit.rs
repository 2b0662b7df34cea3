//! Emission of statements, temporaries, and evaluation order.
//!
//! Expressions of the IR are pure. Side effects become statements. A value that was evaluated before such a statement
//! and reads what the statement may change is saved in a temporary first (§6.8: evaluation strictly from left to
//! right).

use std::sync::Arc;

use super::lvalue::{LValue, Part};
use super::ty::Ty;
use super::value::{Kind, Value};
use super::{Checker, MAX_PIECES};
use crate::ir::{Block, Expr, ExprKind, Place, Step, Stmt, StmtKind, TypeId, VarId, Variable};
use crate::source::Span;

impl Checker<'_> {
    /// Appends a statement.
    pub(super) fn emit(&mut self, span: Span, kind: StmtKind) {
        self.pieces += 1;
        if self.pieces > MAX_PIECES {
            self.overflow(span);
            return;
        }
        self.out.push(Stmt { kind, span });
    }

    /// Charges for a construct of a given size in statements; `None` if the program has become too large.
    pub(super) fn charge(&mut self, pieces: usize, span: Span) -> Option<()> {
        self.pieces += pieces;
        if self.pieces > MAX_PIECES {
            self.overflow(span);
        }
        (!self.too_large).then_some(())
    }

    fn overflow(&mut self, span: Span) {
        if !self.too_large {
            self.too_large = true;
            self.error::<()>(
                span,
                format!("the elaborated program must have at most {MAX_PIECES} statements and variables"),
            );
        }
    }

    /// Runs `inner` with a new block and returns the block.
    pub(super) fn block_of<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> (T, Block) {
        let out = std::mem::take(&mut self.out);
        let result = inner(self);
        (result, std::mem::replace(&mut self.out, out))
    }

    /// Creates a variable.
    pub(super) fn variable(&mut self, name: impl Into<Arc<str>>, ty: TypeId) -> Place {
        let id = VarId(u32::try_from(self.output.variables.len()).unwrap_or(u32::MAX));
        self.output.variables.push(Variable { name: name.into(), ty });
        self.output.write_once.push(false);
        self.pieces += 1;
        Place::variable(id, ty)
    }

    /// Creates a temporary: written once, before it is read.
    pub(super) fn temporary(&mut self, ty: TypeId) -> Place {
        let place = self.variable("tmp", ty);
        if let Some(write_once) = self.output.write_once.last_mut() {
            *write_once = true;
        }
        place
    }

    /// Saves an expression's value in a temporary.
    pub(super) fn saved(&mut self, span: Span, value: Expr) -> Place {
        let place = self.temporary(value.ty);
        self.emit(span, StmtKind::Assign { to: place.clone(), value });
        place
    }

    /// Evaluates items in order, protecting each value from the side effects of later items.
    pub(super) fn in_order<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        span: Span,
        mut item: impl FnMut(&mut Self, T) -> Option<Value>,
    ) -> Option<Vec<Value>> {
        let mut values: Vec<Value> = Vec::new();
        let mut sound = true;
        for each in items {
            let at = self.out.len();
            match item(self, each) {
                Some(value) => {
                    self.keep(at, &mut values, span);
                    values.push(value);
                }
                None => sound = false,
            }
        }
        sound.then_some(values)
    }

    /// Evaluates two values in order.
    pub(super) fn pair(
        &mut self,
        span: Span,
        left: impl FnOnce(&mut Self) -> Option<Value>,
        right: impl FnOnce(&mut Self) -> Option<Value>,
    ) -> Option<(Value, Value)> {
        let left = left(self);
        let at = self.out.len();
        let right = right(self);
        let mut left = [left?];
        self.keep(at, &mut left, span);
        let [left] = left;
        Some((left, right?))
    }

    /// Protects values from the statements emitted since `at`: a value that reads what they may change is saved.
    pub(super) fn keep(&mut self, at: usize, values: &mut [Value], span: Span) {
        if self.out.len() <= at {
            return;
        }
        let later = self.out.split_off(at);
        for value in values {
            self.spill(value, span);
        }
        self.out.extend(later);
    }

    /// Saves what a value reads in temporaries, so that the value does not change.
    pub(super) fn spill(&mut self, value: &mut Value, span: Span) {
        match &mut value.kind {
            Kind::Expr(expr) => self.spill_expr(expr, span),
            Kind::Fields(items) | Kind::List { items, .. } => {
                items.iter_mut().for_each(|item| self.spill(item, span));
            }
            Kind::Record { fields, .. } => {
                fields.iter_mut().for_each(|(_, item)| self.spill(item, span));
            }
            _ => {}
        }
    }

    pub(super) fn spill_expr(&mut self, expr: &mut Expr, span: Span) {
        if self.may_change(expr) {
            let ty = expr.ty;
            let value = std::mem::replace(expr, Expr { kind: ExprKind::Invalid, ty });
            let place = self.saved(span, value);
            expr.kind = ExprKind::Read(place);
        }
    }

    /// Saves the indices of a place, so that the place does not change.
    pub(super) fn spill_place(&mut self, place: &mut Place, span: Span) {
        for step in &mut place.steps {
            if let Step::Index(index) = step {
                self.spill_expr(index, span);
            }
        }
    }

    /// Protects a place from the statements emitted since `at`.
    pub(super) fn keep_place(&mut self, at: usize, to: &mut LValue, span: Span) {
        if self.out.len() <= at {
            return;
        }
        let later = self.out.split_off(at);
        self.spill_lvalue(to, span);
        self.out.extend(later);
    }

    pub(super) fn spill_lvalue(&mut self, to: &mut LValue, span: Span) {
        self.spill_place(&mut to.place, span);
        if let Part::Moving { low, .. } = &mut to.part {
            self.spill_expr(low, span);
        }
    }

    /// Whether an expression reads what a statement may change.
    pub(super) fn may_change(&self, expr: &Expr) -> bool {
        any_place(expr, &mut |place| {
            !self.output.write_once.get(place.root.index()).copied().unwrap_or(false)
        })
    }

    /// Reads a place as a value of a type.
    pub(super) fn read(&self, place: Place, ty: Ty) -> Value {
        let id = place.ty;
        Value::new(ty, Kind::Expr(Expr { kind: ExprKind::Read(place), ty: id }))
    }
}

/// Whether the predicate holds for any place that the expression reads.
pub(super) fn any_place(expr: &Expr, holds: &mut impl FnMut(&Place) -> bool) -> bool {
    match &expr.kind {
        ExprKind::Constant(_) | ExprKind::Invalid | ExprKind::PacketLength => false,
        ExprKind::Read(place)
        | ExprKind::IsValid(place)
        | ExprKind::LastIndex(place)
        | ExprKind::NextIndex(place)
        | ExprKind::SizeInBits(place) => holds(place) || any_index(place, holds),
        ExprKind::Unary(_, of) | ExprKind::Slice { of, .. } | ExprKind::Cast(of) => any_place(of, holds),
        ExprKind::Binary(_, left, right) => any_place(left, holds) || any_place(right, holds),
        ExprKind::Conditional(condition, then, otherwise) => {
            any_place(condition, holds) || any_place(then, holds) || any_place(otherwise, holds)
        }
        ExprKind::Aggregate(items) => items.iter().any(|item| any_place(item, holds)),
    }
}

/// Whether the predicate holds for any place in the indices of a place.
pub(super) fn any_index(place: &Place, holds: &mut impl FnMut(&Place) -> bool) -> bool {
    place.steps.iter().any(|step| match step {
        Step::Index(index) => any_place(index, holds),
        _ => false,
    })
}

/// Whether evaluation of the expression may raise a parser error.
pub(super) fn may_fail(expr: &Expr) -> bool {
    any_place(expr, &mut |place| place.steps.iter().any(|step| matches!(step, Step::Next | Step::Last)))
}
