//! From source text to a syntax tree.
//!
//! [`parse`] preprocesses a program (`#include`, `#define`, `#if`, …), with `core.p4` and `v1model.p4` built in, and
//! reads it as the grammar of the P4_16 specification says. Whatever the text, the answer is a tree or diagnostics:
//! depth, expansion and the number of errors are bounded.

pub mod ast;
mod lexer;
mod literal;
mod options;
mod parser;
mod preprocess;
mod token;

pub use options::{Files, Loader, NoFiles, Options};

use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Sources};

/// The most errors that are told of one program.
const MOST_ERRORS: usize = 20;

/// Reads a program. The files that it includes are added to `sources`.
pub fn parse(
    sources: &mut Sources,
    main: FileId,
    options: &Options,
) -> Result<ast::Program, Vec<Diagnostic>> {
    parse_with_warnings(sources, main, options, &mut Vec::new())
}

/// Reads a program, and gives its `#warning`s too.
pub fn parse_with_warnings(
    sources: &mut Sources,
    main: FileId,
    options: &Options,
    warnings: &mut Vec<Diagnostic>,
) -> Result<ast::Program, Vec<Diagnostic>> {
    let text = preprocess::preprocess(sources, main, options);
    warnings.extend(text.warnings);
    let mut errors = text.errors;
    // What an error in a directive leaves is often not worth reading: a missing include hides every declaration.
    if errors.is_empty() {
        match parser::program(&text.tokens, &text.interner) {
            Ok(program) => return Ok(program),
            Err(found) => errors = found,
        }
    }
    errors.truncate(MOST_ERRORS);
    Err(errors)
}
