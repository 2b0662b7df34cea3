//! `for` loops.

use num_bigint::BigUint;

use super::scope::{Entity, Variable};
use super::ty::Ty;
use super::value::{Kind, Value};
use super::{Body, Checker};
use crate::ir::{self, BinaryOp as Op, Expr as IrExpr, ExprKind as Ir, Place, Step, StmtKind, SwitchCase};
use crate::source::Span;
use crate::syntax::ast::{Expr, ExprKind, Name, Stmt, TypeRef};

impl<'a> Checker<'a> {
    /// Elaborates `for (init; condition; update) body`.
    pub(super) fn for_loop(
        &mut self,
        init: &'a [Stmt],
        condition: &'a Expr,
        update: &'a [Stmt],
        body: &'a Stmt,
        span: Span,
    ) -> Option<()> {
        self.not_in_parsers(span)?;
        self.scopes.open();
        for statement in init {
            self.statement(statement);
        }
        let (value, before) = self.block_of(|checker| {
            let value = checker.condition(condition)?;
            checker.lower(&value, condition.span)
        });
        self.context.loops += 1;
        let (_, body) = self.block_of(|checker| checker.scoped(body));
        self.context.loops -= 1;
        let (_, update) = self.block_of(|checker| {
            for statement in update {
                checker.statement(statement);
            }
        });
        self.scopes.close();
        let condition = value?;
        self.emit(span, StmtKind::Loop { before, condition, body, update });
        Some(())
    }

    fn not_in_parsers(&mut self, span: Span) -> Option<()> {
        if self.context.body == Body::Parser {
            return self.error(span, "loops are not allowed in a parser: use a cycle of states");
        }
        Some(())
    }

    /// Elaborates `for (T x in …) body`.
    pub(super) fn for_in(
        &mut self,
        ty: Option<&'a TypeRef>,
        variable: &'a Name,
        over: &'a Expr,
        body: &'a Stmt,
        span: Span,
    ) -> Option<()> {
        self.not_in_parsers(span)?;
        self.scopes.open();
        let done = self.for_in_scoped(ty, variable, over, body, span);
        self.scopes.close();
        done
    }

    fn for_in_scoped(
        &mut self,
        ty: Option<&'a TypeRef>,
        variable: &'a Name,
        over: &'a Expr,
        body: &'a Stmt,
        span: Span,
    ) -> Option<()> {
        let declared = match ty {
            None => None,
            Some(written) => Some(self.ty(written)?),
        };
        let existing = match &declared {
            Some(_) => None,
            None => match self.lookup(variable, false)? {
                Entity::Variable(Variable { place, ty, read_only: None }) => Some((place, ty)),
                _ => return self.error(variable.span, format!("cannot assign to `{}`", variable.text)),
            },
        };
        let wanted = declared.clone().or_else(|| existing.as_ref().map(|(_, ty)| ty.clone()))?;
        let id = self.lower_ty(&wanted, variable.span)?;
        if let ExprKind::Range { low, high } = &over.kind {
            let (low, high) =
                self.pair(over.span, |checker| checker.operand(low), |checker| checker.operand(high))?;
            let bounds = [self.bound_of(low, &wanted, over.span)?, self.bound_of(high, &wanted, over.span)?];
            let to = self.loop_variable(existing, &wanted, variable, id);
            return self.range_loop(to, bounds, body, span);
        }
        let items = self.loop_items(over, &wanted)?;
        let to = self.loop_variable(existing, &wanted, variable, id);
        self.items_loop(to, items, body, span)
    }

    fn loop_variable(
        &mut self,
        existing: Option<(Place, Ty)>,
        wanted: &Ty,
        variable: &'a Name,
        id: ir::TypeId,
    ) -> Place {
        match existing {
            Some((place, _)) => place,
            None => {
                let place = self.variable(variable.text.clone(), id);
                let entity = Variable { place: place.clone(), ty: wanted.clone(), read_only: None };
                self.declare(variable, Entity::Variable(entity));
                place
            }
        }
    }

    fn bound_of(&mut self, value: Value, ty: &Ty, span: Span) -> Option<IrExpr> {
        if self.types.base(ty).width().is_none() {
            let shown = self.types.show(ty);
            return self.error(
                span,
                format!("range of a loop must be of type `bit<W>` or `int<W>`, found `{shown}`"),
            );
        }
        let value = self.convert(value, ty, span)?;
        self.lower(&value, span)
    }

    /// Emits a loop over an inclusive range. The upper bound may be the type's maximum, so a flag ends the loop.
    fn range_loop(&mut self, to: Place, bounds: [IrExpr; 2], body: &'a Stmt, span: Span) -> Option<()> {
        let boolean = self.lower_ty(&Ty::Bool, span)?;
        let [low, high] = bounds.map(|bound| {
            let ty = bound.ty;
            (self.copied(span, bound), ty)
        });
        let ((low, ty), (high, _)) = (low, high);
        let read = |place: &Place| Box::new(IrExpr { kind: Ir::Read(place.clone()), ty: place.ty });
        let order = Ir::Binary(Op::LessOrEqual, read(&low), read(&high));
        let going = self.copied(span, IrExpr { kind: order, ty: boolean });
        self.context.loops += 1;
        let (_, body) = self.block_of(|checker| {
            checker.assign_place(&to, *read(&low), span);
            checker.scoped(body);
        });
        self.context.loops -= 1;
        let one = Box::new(IrExpr { kind: Ir::Constant(BigUint::from(1u8)), ty });
        let statement = |kind| ir::Stmt { kind, span };
        let next = IrExpr { kind: Ir::Binary(Op::Add, read(&low), one), ty };
        let at_end = IrExpr { kind: Ir::Binary(Op::Equal, read(&low), read(&high)), ty: boolean };
        let stop = IrExpr { kind: Ir::Constant(BigUint::ZERO), ty: boolean };
        let update = vec![statement(StmtKind::If {
            condition: at_end,
            then: vec![statement(StmtKind::Assign { to: going.clone(), value: stop })],
            otherwise: vec![statement(StmtKind::Assign { to: low.clone(), value: next })],
        })];
        let condition = *read(&going);
        self.emit(span, StmtKind::Loop { before: Vec::new(), condition, body, update });
        Some(())
    }

    /// Copies a value to a mutable variable.
    fn copied(&mut self, span: Span, value: IrExpr) -> Place {
        let place = self.variable("loop", value.ty);
        self.emit(span, StmtKind::Assign { to: place.clone(), value });
        place
    }

    /// Items of a loop, evaluated once.
    fn loop_items(&mut self, over: &'a Expr, wanted: &Ty) -> Option<Vec<IrExpr>> {
        let span = over.span;
        let value = self.operand(over)?;
        let items = match (&value.kind, &value.ty) {
            (Kind::List { items, rest: false }, _) | (Kind::Fields(items), Ty::List(_)) => items.clone(),
            (_, Ty::Stack(element, size)) => {
                let place = self.placed(&value, span)?;
                let read = IrExpr { kind: Ir::Read(place.clone()), ty: place.ty };
                let place = self.saved(span, read);
                let id = self.lower_ty(element, span)?;
                let element = (**element).clone();
                (0..*size).map(|at| self.read(place.step(Step::Element(at), id), element.clone())).collect()
            }
            _ => {
                let shown = self.types.show(&value.ty);
                return self
                    .error(span, format!("expected a range, list or stack to loop over, found `{shown}`"));
            }
        };
        let mut lowered = Vec::with_capacity(items.len());
        for item in items {
            let item = self.convert(item, wanted, span)?;
            let mut item = self.lower(&item, span)?;
            self.spill_expr(&mut item, span);
            lowered.push(item);
        }
        Some(lowered)
    }

    fn items_loop(&mut self, to: Place, items: Vec<IrExpr>, body: &'a Stmt, span: Span) -> Option<()> {
        let count = u32::try_from(items.len()).ok()?;
        let ty = self.lower_ty(&Ty::Bit(32), span)?;
        let boolean = self.lower_ty(&Ty::Bool, span)?;
        let constant = |value: u32| IrExpr { kind: Ir::Constant(BigUint::from(value)), ty };
        let at = self.copied(span, constant(0));
        let read = || IrExpr { kind: Ir::Read(at.clone()), ty };
        let mut cases = Vec::with_capacity(items.len());
        for (index, value) in (0u32..).zip(items) {
            let (_, body) = self.block_of(|checker| checker.assign_place(&to, value, span));
            cases.push(SwitchCase { values: vec![BigUint::from(index)], body });
        }
        self.context.loops += 1;
        let (_, body) = self.block_of(|checker| {
            checker.emit(span, StmtKind::Switch { on: read(), cases, default: Vec::new() });
            checker.scoped(body);
        });
        self.context.loops -= 1;
        let less = Ir::Binary(Op::Less, Box::new(read()), Box::new(constant(count)));
        let condition = IrExpr { kind: less, ty: boolean };
        let next = IrExpr { kind: Ir::Binary(Op::Add, Box::new(read()), Box::new(constant(1))), ty };
        let update = vec![ir::Stmt { kind: StmtKind::Assign { to: at.clone(), value: next }, span }];
        self.emit(span, StmtKind::Loop { before: Vec::new(), condition, body, update });
        Some(())
    }
}
