//! Where instances are allowed: not among statements (the grammar's `statementOrDeclaration`), controls and parsers not
//! at the top level (§11.3.2), controls not in parsers (§13.2) and parsers not in controls (§14).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::walk::statements;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{Declaration, DeclarationKind, Stmt, StmtKind, TypeRef, TypeRefKind};

/// Parsers and controls with a body, by name.
pub(super) struct Blocks {
    kinds: FxHashMap<Arc<str>, &'static str>,
}

impl Blocks {
    pub fn of(program: &crate::syntax::ast::Program) -> Blocks {
        let kinds = program.declarations.iter().filter_map(|declaration| match &declaration.kind {
            DeclarationKind::Parser(parser) => Some((parser.name.text.clone(), "parser")),
            DeclarationKind::Control(control) => Some((control.name.text.clone(), "control")),
            _ => None,
        });
        Blocks { kinds: kinds.collect() }
    }

    fn kind<'t>(&self, ty: &'t TypeRef) -> Option<(&'static str, &'t str)> {
        match &ty.kind {
            TypeRefKind::Named { name, .. } | TypeRefKind::Specialized { name, .. } => {
                self.kinds.get(&name.text).map(|kind| (*kind, &*name.text))
            }
            _ => None,
        }
    }

    /// Checks an instance at the top level.
    pub fn at_top(&self, ty: &TypeRef, span: Span, found: &mut Vec<Diagnostic>) {
        if let Some((kind, name)) = self.kind(ty) {
            let error = Diagnostic::error(
                span,
                format!("the {kind} `{name}` cannot be instantiated at the top level"),
            );
            found.push(error.hint(format!(
                "instantiate it in the {kind} that applies it, or in the arguments of the package"
            )));
        }
    }

    /// Checks the locals of a control.
    pub fn in_control(&self, locals: &[Declaration], found: &mut Vec<Diagnostic>) {
        self.inside(locals, "parser", "control", found);
    }

    /// Checks the locals of a parser.
    pub fn in_parser(&self, locals: &[Declaration], found: &mut Vec<Diagnostic>) {
        self.inside(locals, "control", "parser", found);
    }

    fn inside(&self, locals: &[Declaration], wrong: &str, place: &str, found: &mut Vec<Diagnostic>) {
        for local in locals {
            if let DeclarationKind::Instance { ty, .. } = &local.kind
                && let Some((kind, name)) = self.kind(ty)
                && kind == wrong
            {
                let message = format!("the {kind} `{name}` cannot be instantiated in a {place}");
                found.push(Diagnostic::error(local.span, message));
            }
        }
    }
}

/// Reports instances among statements.
pub(super) fn in_statements(all: &[Stmt], found: &mut Vec<Diagnostic>) {
    statements(all, &mut |statement| {
        if let StmtKind::Declaration(declaration) = &statement.kind
            && let DeclarationKind::Instance { name, .. } = &declaration.kind
        {
            let message = format!("the instance `{}` must not be declared among statements", name.text);
            let error = Diagnostic::error(declaration.span, message);
            found.push(error.hint("declare it in the parser or control, in front of its states or `apply`"));
        }
    });
}
