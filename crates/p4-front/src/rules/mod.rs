//! Rules of the specification that need only the syntax tree: unique names, the contents of tables, where instances and
//! statements are allowed, and what a parser and a function must reach.
//!
//! Rules that need types are in [`crate::types`]. The book's page "Rules of P4" lists all of them.

mod functions;
mod instances;
mod keys;
mod members;
mod parsers;
mod priorities;
mod tables;
mod walk;

use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{DeclarationKind, Name, Program};

/// Errors and warnings of a program, in the order of its declarations.
pub(crate) fn check(program: &Program) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    members::match_kinds(program, &mut found);
    let blocks = instances::Blocks::of(program);
    for declaration in &program.declarations {
        match &declaration.kind {
            DeclarationKind::Enum { members, .. } => members::enumeration(members, &mut found),
            DeclarationKind::Error { members } => members::errors(members, &mut found),
            DeclarationKind::Instance { ty, .. } => blocks.at_top(ty, declaration.span, &mut found),
            DeclarationKind::Function { signature, body } => {
                functions::check(signature, body, &mut found);
                instances::in_statements(&body.statements, &mut found);
            }
            DeclarationKind::Action { body, .. } => instances::in_statements(&body.statements, &mut found),
            DeclarationKind::Control(control) => {
                blocks.in_control(&control.locals, &mut found);
                instances::in_statements(&control.body.statements, &mut found);
                for local in &control.locals {
                    match &local.kind {
                        DeclarationKind::Action { body, .. } => {
                            instances::in_statements(&body.statements, &mut found);
                        }
                        DeclarationKind::Table { name, properties } => {
                            tables::check(name, properties, &mut found);
                        }
                        _ => {}
                    }
                }
            }
            DeclarationKind::Parser(parser) => {
                blocks.in_parser(&parser.locals, &mut found);
                parsers::check(parser, &mut found);
                for state in &parser.states {
                    instances::in_statements(&state.body, &mut found);
                }
            }
            _ => {}
        }
    }
    found
}

/// Error for a name that is declared again.
fn duplicate(what: &str, name: &Name, first: Span) -> Diagnostic {
    Diagnostic::error(name.span, format!("duplicate {what} `{}`", name.text))
        .label("declared again")
        .related(first, "first declared here")
}
