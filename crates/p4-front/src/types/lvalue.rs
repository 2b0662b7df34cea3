//! Lvalues and assignment.

use super::Checker;
use super::emit::any_place;
use super::expr::Start;
use super::scope::Entity;
use super::ty::Ty;
use super::value::{Kind, Value};
use crate::diagnostic::Diagnostic;
use crate::ir::{self, BinaryOp as Op, ExprKind as Ir, Place, Step, StmtKind, UnaryOp};
use crate::source::Span;
use crate::syntax::ast::{Expr, ExprKind};

/// A writable place or part of a place. Its indices have been evaluated.
#[derive(Debug, Clone)]
pub(super) struct LValue {
    pub place: Place,
    /// Type of the written value; that of the part, if it is one.
    pub ty: Ty,
    pub part: Part,
}

/// Part of a place.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Whole,
    Bits {
        high: u32,
        low: u32,
    },
    /// `width` bits from a computed bit index.
    Moving {
        low: ir::Expr,
        width: u32,
    },
}

impl<'a> Checker<'a> {
    /// Elaborates an expression as an lvalue.
    pub(super) fn lvalue(&mut self, e: &'a Expr) -> Option<LValue> {
        self.deeper(e.span, |checker| checker.lvalue_inner(e))
    }

    fn lvalue_inner(&mut self, e: &'a Expr) -> Option<LValue> {
        let span = e.span;
        match &e.kind {
            ExprKind::Name { name, global } => match self.lookup(name, *global)? {
                Entity::Variable(variable) => match variable.read_only {
                    None => Some(LValue { place: variable.place, ty: variable.ty, part: Part::Whole }),
                    Some(why) => self.error(span, format!("cannot assign to `{}`: it is {why}", name.text)),
                },
                Entity::Value(_) => {
                    self.error(span, format!("cannot assign to `{}`: it is a constant", name.text))
                }
                _ => self.error(span, format!("cannot assign to `{}`: it is not a variable", name.text)),
            },
            ExprKind::Member { of, name } => {
                let base = self.lvalue(of)?;
                self.whole(&base, of.span)?;
                if let Ty::Stack(_, _) = &base.ty
                    && !matches!(&*name.text, "next" | "last")
                {
                    return self.error(span, format!("cannot assign to `{}` of a stack", name.text));
                }
                let value = self.read(base.place, base.ty);
                let value = self.member_of(value, name, span)?;
                self.as_lvalue(value, span)
            }
            ExprKind::Index { of, index } => {
                let mut base = self.lvalue(of)?;
                self.whole(&base, of.span)?;
                let at = self.out.len();
                let index_value = self.operand(index)?;
                // Evaluation of the index must not change the place before it.
                self.keep_place(at, &mut base, span);
                let Ty::Stack(element, size) = base.ty.clone() else {
                    let shown = self.types.show(&base.ty);
                    return self.error(of.span, format!("cannot index into `{shown}` for assignment"));
                };
                let step = self.index_step(&index_value, size, index.span)?;
                let id = self.lower_ty(&element, span)?;
                let place = base.place.step(step, id);
                Some(LValue { place, ty: (*element).clone(), part: Part::Whole })
            }
            ExprKind::Slice { of, high, low } => {
                let base = self.lvalue(of)?;
                let width = self.sliced_width(&base, of.span)?;
                let (high, low) = self.slice_bounds(high, low, width, span)?;
                self.part(base, low, high - low + 1, span)
            }
            ExprKind::PlusSlice { of, low, width } => {
                let mut base = self.lvalue(of)?;
                let whole = self.sliced_width(&base, of.span)?;
                let at = self.out.len();
                let from = self.operand(low)?;
                self.keep_place(at, &mut base, span);
                let width = self.number(width, "the width of a slice", 1, whole)?;
                match self.slice_start(&from, width, whole, low.span)? {
                    Start::Known(low) => self.part(base, low, width, span),
                    Start::Computed(low) if matches!(base.part, Part::Whole) => {
                        Some(LValue { ty: Ty::Bit(width), part: Part::Moving { low, width }, ..base })
                    }
                    Start::Computed(_) => {
                        self.error(span, "cannot assign to a slice of a slice with a computed start")
                    }
                }
            }
            ExprKind::Call { .. } => self.error(span, "cannot assign to the result of a call"),
            _ => {
                let error = Diagnostic::error(span, "cannot assign to this expression");
                self.fail(
                    error.hint("only a variable, or a field, element or slice of one, can be assigned to"),
                )
            }
        }
    }

    fn as_lvalue(&mut self, value: Value, span: Span) -> Option<LValue> {
        match value.place() {
            Some(place) => Some(LValue { place: place.clone(), ty: value.ty, part: Part::Whole }),
            None => self.error(span, "cannot assign to this expression"),
        }
    }

    fn whole(&mut self, base: &LValue, span: Span) -> Option<()> {
        match base.part {
            Part::Whole => Some(()),
            _ => self.error(span, "slices have no fields or elements"),
        }
    }

    fn sliced_width(&mut self, base: &LValue, span: Span) -> Option<u32> {
        match self.types.base(&base.ty).width() {
            Some(width) if !matches!(base.ty, Ty::Newtype(_)) => Some(width),
            _ => {
                let shown = self.types.show(&base.ty);
                self.error(span, format!("only `bit<W>` and `int<W>` can be sliced, found `{shown}`"))
            }
        }
    }

    /// The part with `width` bits from `low`.
    fn part(&mut self, base: LValue, low: u32, width: u32, span: Span) -> Option<LValue> {
        let from = match base.part {
            Part::Whole => 0,
            Part::Bits { low, .. } => low,
            Part::Moving { .. } => {
                return self.error(span, "cannot assign to a slice of a slice with a computed start");
            }
        };
        let low = from + low;
        Some(LValue { ty: Ty::Bit(width), part: Part::Bits { high: low + width - 1, low }, ..base })
    }

    /// Reads the value of an lvalue.
    pub(super) fn read_lvalue(&mut self, from: &LValue, span: Span) -> Option<Value> {
        let read = ir::Expr { kind: Ir::Read(from.place.clone()), ty: from.place.ty };
        match &from.part {
            Part::Whole => Some(Value::new(from.ty.clone(), Kind::Expr(read))),
            Part::Bits { high, low } => {
                let kind = Ir::Slice { of: Box::new(read), high: *high, low: *low };
                self.value(from.ty.clone(), kind, span)
            }
            Part::Moving { low, width } => {
                let kind = Ir::Binary(Op::ShiftRight, Box::new(read), Box::new(low.clone()));
                let shifted = Box::new(ir::Expr { kind, ty: from.place.ty });
                self.value(from.ty.clone(), Ir::Slice { of: shifted, high: width - 1, low: 0 }, span)
            }
        }
    }

    /// Emits an assignment of a value of the lvalue's type.
    pub(super) fn assign(&mut self, to: &LValue, value: ir::Expr, span: Span) {
        match &to.part {
            Part::Whole => self.assign_place(&to.place, value, span),
            Part::Bits { high, low } => {
                let to = to.place.clone();
                self.emit(span, StmtKind::AssignSlice { to, high: *high, low: *low, value });
            }
            Part::Moving { low, width } => self.assign_moving(&to.place, low, *width, value, span),
        }
    }

    /// `place = (place & ~(mask << low)) | (value << low)`
    fn assign_moving(&mut self, to: &Place, low: &ir::Expr, width: u32, value: ir::Expr, span: Span) {
        let ty = to.ty;
        let of = |kind| Box::new(ir::Expr { kind, ty });
        let ones = (num_bigint::BigUint::from(1u8) << width) - 1u8;
        let mask = of(Ir::Binary(Op::ShiftLeft, of(Ir::Constant(ones)), Box::new(low.clone())));
        let kept =
            of(Ir::Binary(Op::BitAnd, of(Ir::Read(to.clone())), of(Ir::Unary(UnaryOp::Complement, mask))));
        let wide = of(Ir::Cast(Box::new(value)));
        let moved = of(Ir::Binary(Op::ShiftLeft, wide, Box::new(low.clone())));
        let value = ir::Expr { kind: Ir::Binary(Op::BitOr, kept, moved), ty };
        self.emit(span, StmtKind::Assign { to: to.clone(), value });
    }

    /// Emits an assignment to a whole place. A header assigned to a union's member invalidates the other members
    /// (§8.20).
    pub(super) fn assign_place(&mut self, to: &Place, mut value: ir::Expr, span: Span) {
        let overlaps =
            matches!(value.kind, Ir::Aggregate(_)) && any_place(&value, &mut |place| place.root == to.root);
        if overlaps {
            self.spill_expr(&mut value, span);
            if let Ir::Aggregate(_) = value.kind {
                let ty = value.ty;
                let place = self.saved(span, value);
                value = ir::Expr { kind: Ir::Read(place), ty };
            }
        }
        self.emit(span, StmtKind::Assign { to: to.clone(), value });
        let siblings = self.siblings(to);
        if !siblings.is_empty() {
            let valid = self.output.types.add(ir::Type::Bool);
            let condition = ir::Expr { kind: Ir::IsValid(to.clone()), ty: valid };
            let then = siblings
                .into_iter()
                .map(|sibling| ir::Stmt { kind: StmtKind::SetInvalid(sibling), span })
                .collect();
            self.emit(span, StmtKind::If { condition, then, otherwise: Vec::new() });
        }
    }

    /// The other members of the union that contains a place.
    pub(super) fn siblings(&self, place: &Place) -> Vec<Place> {
        let Some((Step::Field(member), before)) = place.steps.split_last() else { return Vec::new() };
        let types = &self.output.types;
        let mut ty = self.output.variables[place.root.index()].ty;
        for step in before {
            ty = match step {
                Step::Field(field) => types.field(ty, *field),
                _ => types.field(ty, 0),
            };
        }
        let Some(composite) = types.as_composite(ty) else { return Vec::new() };
        if composite.kind != ir::CompositeKind::Union {
            return Vec::new();
        }
        let parent = Place { root: place.root, steps: before.to_vec(), ty };
        (0u32..)
            .zip(&composite.fields)
            .filter(|(index, _)| index != member)
            .map(|(index, field)| parent.step(Step::Field(index), field.ty))
            .collect()
    }
}
