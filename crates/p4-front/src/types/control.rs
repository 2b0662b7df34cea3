//! Controls.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Checker;
use crate::syntax::ast::{
    ControlDeclaration, Declaration, DeclarationKind, Expr, ExprKind, ParserDeclaration, Stmt, StmtKind,
};

impl<'a> Checker<'a> {
    /// Elaborates the locals and the `apply` block.
    pub(super) fn control_body(&mut self, control: &'a ControlDeclaration) {
        let mut count = Count::default();
        control.locals.iter().for_each(|local| count.declaration(local));
        control.body.statements.iter().for_each(|statement| count.statement(statement));
        self.applications = count.applications;
        for local in &control.locals {
            self.local(local);
        }
        self.block(&control.body);
    }

    /// Counts the applications of each instance in a parser.
    pub(super) fn count_parser(&mut self, parser: &'a ParserDeclaration) {
        let mut count = Count::default();
        parser.locals.iter().for_each(|local| count.declaration(local));
        for state in &parser.states {
            state.body.iter().for_each(|statement| count.statement(statement));
        }
        self.applications = count.applications;
    }
}

/// Number of occurrences of `name.apply` in the text, by name.
#[derive(Default)]
struct Count {
    applications: FxHashMap<Arc<str>, u32>,
}

impl Count {
    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Call(Expr { kind: ExprKind::Call { callee, .. }, .. }) => {
                if let ExprKind::Member { of, .. } = &callee.kind
                    && let ExprKind::Name { name, .. } = &of.kind
                {
                    *self.applications.entry(name.text.clone()).or_default() += 1;
                }
            }
            StmtKind::If { then, otherwise, .. } => {
                self.statement(then);
                if let Some(otherwise) = otherwise {
                    self.statement(otherwise);
                }
            }
            StmtKind::Block(block) => block.statements.iter().for_each(|inner| self.statement(inner)),
            StmtKind::Switch { cases, .. } => {
                let bodies = cases.iter().filter_map(|case| case.body.as_ref());
                bodies.flat_map(|body| &body.statements).for_each(|inner| self.statement(inner));
            }
            StmtKind::For { init, update, body, .. } => {
                init.iter().chain(update).for_each(|inner| self.statement(inner));
                self.statement(body);
            }
            StmtKind::ForIn { body, .. } => self.statement(body),
            StmtKind::Declaration(declaration) => self.declaration(declaration),
            _ => {}
        }
    }

    fn declaration(&mut self, declaration: &Declaration) {
        match &declaration.kind {
            DeclarationKind::Action { body, .. } => {
                body.statements.iter().for_each(|inner| self.statement(inner));
            }
            // An instance passed to another instance's constructor may be applied there too.
            DeclarationKind::Instance { arguments, .. } => {
                for argument in arguments {
                    if let ExprKind::Name { name, .. } = &argument.value.kind {
                        *self.applications.entry(name.text.clone()).or_default() += 2;
                    }
                }
            }
            _ => {}
        }
    }
}
