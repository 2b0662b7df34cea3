//! Statements, temporaries, and the order of evaluation.
//!
//! Expressions of the IR are pure. What has side effects becomes statements, and what was evaluated before them but
//! reads what they may change is put into a temporary in front of them (§6.8: strictly from left to right).

use std::sync::Arc;

use super::lvalue::{LValue, Part};
use super::ty::Ty;
use super::value::{Kind, Value};
use super::{Checker, MOST_PIECES};
use crate::ir::{Block, Expr, ExprKind, Place, Step, Stmt, StmtKind, TypeId, VarId, Variable};
use crate::source::Span;

impl Checker<'_> {
    /// Appends a statement.
    pub(super) fn emit(&mut self, span: Span, kind: StmtKind) {
        self.pieces += 1;
        if self.pieces > MOST_PIECES {
            self.overflow(span);
            return;
        }
        self.out.push(Stmt { kind, span });
    }

    /// Counts something that is as large as so many statements; `None` if the program has become too large.
    pub(super) fn heavy(&mut self, pieces: usize, span: Span) -> Option<()> {
        self.pieces += pieces;
        if self.pieces > MOST_PIECES {
            self.overflow(span);
        }
        (!self.full).then_some(())
    }

    fn overflow(&mut self, span: Span) {
        if !self.full {
            self.full = true;
            self.error::<()>(span, "the elaborated program is too large");
        }
    }

    /// Runs `inner` with a block of its own, and gives the block.
    pub(super) fn block_of<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> (T, Block) {
        let out = std::mem::take(&mut self.out);
        let result = inner(self);
        (result, std::mem::replace(&mut self.out, out))
    }

    /// A new variable.
    pub(super) fn variable(&mut self, name: impl Into<Arc<str>>, ty: TypeId) -> Place {
        let id = VarId(u32::try_from(self.made.variables.len()).unwrap_or(u32::MAX));
        self.made.variables.push(Variable { name: name.into(), ty });
        self.made.settled.push(false);
        self.pieces += 1;
        Place::variable(id, ty)
    }

    /// A new temporary: written once before it is read.
    pub(super) fn temporary(&mut self, ty: TypeId) -> Place {
        let place = self.variable("tmp", ty);
        if let Some(settled) = self.made.settled.last_mut() {
            *settled = true;
        }
        place
    }

    /// An expression's value in a temporary.
    pub(super) fn saved(&mut self, span: Span, value: Expr) -> Place {
        let place = self.temporary(value.ty);
        self.emit(span, StmtKind::Assign { to: place.clone(), value });
        place
    }

    /// Evaluates in order: `item` is called for each index, and what it gives is kept from what the later ones do.
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

    /// Two values in order.
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

    /// Keeps values from the statements that were emitted since `at`: those that read what may change are saved there.
    pub(super) fn keep(&mut self, at: usize, values: &mut [Value], span: Span) {
        if self.out.len() <= at {
            return;
        }
        let later = self.out.split_off(at);
        for value in values {
            self.settle(value, span);
        }
        self.out.extend(later);
    }

    /// Saves what a value reads, so that it stays what it is.
    pub(super) fn settle(&mut self, value: &mut Value, span: Span) {
        match &mut value.kind {
            Kind::Expr(expr) => self.settle_expr(expr, span),
            Kind::Fields(items) | Kind::List { items, .. } => {
                items.iter_mut().for_each(|item| self.settle(item, span));
            }
            Kind::Record { fields, .. } => {
                fields.iter_mut().for_each(|(_, item)| self.settle(item, span));
            }
            _ => {}
        }
    }

    pub(super) fn settle_expr(&mut self, expr: &mut Expr, span: Span) {
        if self.may_change(expr) {
            let ty = expr.ty;
            let value = std::mem::replace(expr, Expr { kind: ExprKind::Invalid, ty });
            let place = self.saved(span, value);
            expr.kind = ExprKind::Read(place);
        }
    }

    /// Saves the indices of a place, so that it stays the same place.
    pub(super) fn settle_place(&mut self, place: &mut Place, span: Span) {
        for step in &mut place.steps {
            if let Step::Index(index) = step {
                self.settle_expr(index, span);
            }
        }
    }

    /// Keeps a place from the statements that were emitted since `at`.
    pub(super) fn keep_place(&mut self, at: usize, to: &mut LValue, span: Span) {
        if self.out.len() <= at {
            return;
        }
        let later = self.out.split_off(at);
        self.settle_lvalue(to, span);
        self.out.extend(later);
    }

    pub(super) fn settle_lvalue(&mut self, to: &mut LValue, span: Span) {
        self.settle_place(&mut to.place, span);
        if let Part::Moving { low, .. } = &mut to.part {
            self.settle_expr(low, span);
        }
    }

    /// Whether an expression reads what a statement may change.
    pub(super) fn may_change(&self, expr: &Expr) -> bool {
        any_place(expr, &mut |place| !self.made.settled.get(place.root.index()).copied().unwrap_or(false))
    }

    /// Reads a place as a value of a type.
    pub(super) fn read(&self, place: Place, ty: Ty) -> Value {
        let id = place.ty;
        Value::new(ty, Kind::Expr(Expr { kind: ExprKind::Read(place), ty: id }))
    }
}

/// Whether the condition holds for any place that the expression looks at.
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

/// Whether it holds for any place in the indices of a place.
pub(super) fn any_index(place: &Place, holds: &mut impl FnMut(&Place) -> bool) -> bool {
    place.steps.iter().any(|step| match step {
        Step::Index(index) => any_place(index, holds),
        _ => false,
    })
}

/// Whether evaluating the expression may be a parser error.
pub(super) fn may_fail(expr: &Expr) -> bool {
    any_place(expr, &mut |place| place.steps.iter().any(|step| matches!(step, Step::Next | Step::Last)))
}
