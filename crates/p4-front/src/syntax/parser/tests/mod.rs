//! Parser tests: accepted syntax, syntax trees and messages.

mod any_text;
mod declarations;
mod expressions;
mod messages;
mod programs;
mod statements;

use crate::diagnostic::Diagnostic;
use crate::source::Sources;
use crate::syntax::ast::{Declaration, DeclarationKind, Expr, Program};
use crate::syntax::{NoFiles, Options, parse};

fn read(text: &str) -> (Sources, Result<Program, Vec<Diagnostic>>) {
    let mut sources = Sources::default();
    let main = sources.add("main.p4", text);
    let options = Options { loader: std::sync::Arc::new(NoFiles), ..Options::default() };
    let program = parse(&mut sources, main, &options);
    (sources, program)
}

/// Declarations of a valid text.
fn declarations(text: &str) -> Vec<Declaration> {
    match read(text) {
        (_, Ok(program)) => program.declarations,
        (sources, Err(errors)) => {
            let lines: Vec<String> = errors.iter().map(|error| error.one_line(&sources)).collect();
            panic!("{text}\n{}", lines.join("\n"))
        }
    }
}

/// Errors of an invalid text, one line each with the hint.
fn errors(text: &str) -> Vec<String> {
    let (sources, program) = read(text);
    let errors = program.expect_err(text);
    assert!(errors.iter().all(|error| !error.render(&sources, false).is_empty()));
    errors
        .iter()
        .map(|error| format!("{} ({})", error.one_line(&sources), error.hint.clone().unwrap_or_default()))
        .collect()
}

/// Parses an expression as the value of `const bit<8> x = …;`, after other declarations.
fn expression(before: &str, text: &str) -> Expr {
    let mut all = declarations(&format!("{before} const bit<8> x = {text};"));
    match all.pop().map(|declaration| declaration.kind) {
        Some(DeclarationKind::Constant { value, .. }) => value,
        other => panic!("no constant but {other:?}"),
    }
}
