//! Statements.

use super::value::Kind;
use super::{Body, Checker};
use crate::diagnostic::Diagnostic;
use crate::ir::{self, StmtKind as Ir};
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, Block, Expr, ExprKind, Stmt, StmtKind};

impl<'a> Checker<'a> {
    /// Elaborates a block in a new scope.
    pub(super) fn block(&mut self, block: &'a Block) {
        self.scopes.open();
        for statement in &block.statements {
            self.statement(statement);
        }
        self.scopes.close();
    }

    /// Elaborates a statement; errors are reported.
    pub(super) fn statement(&mut self, statement: &'a Stmt) {
        let _ = self.deeper(statement.span, |checker| checker.statement_inner(statement));
    }

    fn statement_inner(&mut self, statement: &'a Stmt) -> Option<()> {
        let span = statement.span;
        match &statement.kind {
            StmtKind::Empty => Some(()),
            StmtKind::Assign { to, value } => self.assignment(to, value, span),
            StmtKind::OperatorAssign { to, operator, value } => {
                self.operator_assignment(to, *operator, value, span)
            }
            StmtKind::Call(call) => self.expr(call).map(|_| ()),
            StmtKind::DirectApply { ty, arguments } => {
                let written = self.ty(ty)?;
                let super::ty::Ty::Block(id) = &written else {
                    let shown = self.types.show(&written);
                    return self.error(ty.span, format!("the type `{shown}` cannot be applied"));
                };
                // The implicit instance is named after its type, and applied only here.
                let path = self.below(&self.types.named[*id].name.clone());
                let object = self.construct(&written, &[], path, span)?;
                let super::value::Object::Block(instance) = object else { return None };
                self.output.instances[instance].applications = 1;
                self.apply_block(instance, arguments, span).map(|_| ())
            }
            StmtKind::Declaration(declaration) => {
                self.local(declaration);
                Some(())
            }
            StmtKind::If { condition, then, otherwise } => {
                // Check the branches even if the condition is invalid, to report their errors too.
                let value = self.condition(condition);
                let (_, then) = self.block_of(|checker| checker.scoped(then));
                let (_, otherwise) = self.block_of(|checker| {
                    if let Some(otherwise) = otherwise {
                        checker.scoped(otherwise);
                    }
                });
                let condition = self.lower(&value?, condition.span)?;
                self.emit(span, Ir::If { condition, then, otherwise });
                Some(())
            }
            StmtKind::Block(block) => {
                self.block(block);
                Some(())
            }
            StmtKind::Switch { on, cases } => self.switch(on, cases, span),
            StmtKind::Return(value) => self.return_statement(value.as_ref(), span),
            StmtKind::Exit => {
                if self.context.body == Body::Parser {
                    return self.error(span, "`exit` is not allowed in a parser");
                }
                self.emit(span, Ir::Exit);
                Some(())
            }
            StmtKind::Break | StmtKind::Continue => {
                if self.context.loops == 0 {
                    return self.error(span, "`break` and `continue` are allowed only in a loop");
                }
                let is_break = matches!(statement.kind, StmtKind::Break);
                self.emit(span, if is_break { Ir::Break } else { Ir::Continue });
                Some(())
            }
            StmtKind::For { init, condition, update, body } => {
                self.for_loop(init, condition, update, body, span)
            }
            StmtKind::ForIn { ty, variable, over, body } => {
                self.for_in(ty.as_ref(), variable, over, body, span)
            }
        }
    }

    /// Elaborates a statement in a new scope.
    pub(super) fn scoped(&mut self, statement: &'a Stmt) {
        self.scopes.open();
        self.statement(statement);
        self.scopes.close();
    }

    /// Elaborates `to = value;`: the destination is evaluated first.
    fn assignment(&mut self, to: &'a Expr, value: &'a Expr, span: Span) -> Option<()> {
        let lvalue = self.lvalue(to);
        let at = self.out.len();
        let value_span = value.span;
        let value = if matches!(value.kind, ExprKind::Invalid | ExprKind::Dots) {
            self.expr(value)
        } else {
            self.operand(value)
        };
        let mut lvalue = lvalue?;
        self.keep_place(at, &mut lvalue, span);
        let converted = self.convert(value?, &lvalue.ty, value_span)?;
        let value = self.lower(&converted, value_span)?;
        self.assign(&lvalue, value, span);
        Some(())
    }

    /// Elaborates `to op= value;`: the destination is evaluated once.
    fn operator_assignment(
        &mut self,
        to: &'a Expr,
        operator: BinaryOp,
        value: &'a Expr,
        span: Span,
    ) -> Option<()> {
        let mut lvalue = self.lvalue(to)?;
        let now = self.read_lvalue(&lvalue, to.span)?;
        let at = self.out.len();
        let given = self.operand(value)?;
        self.keep_place(at, &mut lvalue, span);
        // The left operand is the value before the right side is evaluated.
        let mut left = [now];
        self.keep(at, &mut left, span);
        let [left] = left;
        let result = self.operate(operator, left, given, to.span, value.span, span)?;
        let result = self.convert(result, &lvalue.ty, span)?;
        let result = self.lower(&result, span)?;
        self.assign(&lvalue, result, span);
        Some(())
    }

    fn return_statement(&mut self, value: Option<&'a Expr>, span: Span) -> Option<()> {
        if self.context.body == Body::Parser {
            return self.error(span, "`return` is not allowed in a parser");
        }
        match (value, self.context.result.clone()) {
            (None, None) => {}
            (Some(value), None) => {
                return self.error(value.span, "unexpected return value: there is no result type here");
            }
            (None, Some((ty, _))) => {
                let shown = self.types.show(&ty);
                let error = Diagnostic::error(span, format!("missing return value of type `{shown}`"));
                return self.fail(error);
            }
            (Some(value), Some((ty, root))) => {
                let given = self.expr(value)?;
                if matches!(given.kind, Kind::Object(_) | Kind::Type) {
                    return self.error(value.span, "expected a value, found an object");
                }
                let given = self.convert(given, &ty, value.span)?;
                let id = self.lower_ty(&ty, span)?;
                let given = self.lower(&given, value.span)?;
                self.assign_place(&ir::Place::variable(root, id), given, span);
            }
        }
        self.emit(span, Ir::Return);
        Some(())
    }
}
