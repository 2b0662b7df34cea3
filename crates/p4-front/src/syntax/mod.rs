//! Source text to syntax tree.
//!
//! [`parse`] preprocesses a program (`#include`, `#define`, `#if`, …), with `core.p4` and `v1model.p4` built in, and
//! parses it by the grammar of the P4_16 specification. Any text gives a tree or diagnostics: nesting depth, macro
//! expansion and the number of errors are bounded.

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

/// Maximum number of errors reported per program.
const MAX_ERRORS: usize = 20;

/// Parses a program. Included files are added to `sources`.
pub fn parse(
    sources: &mut Sources,
    main: FileId,
    options: &Options,
) -> Result<ast::Program, Vec<Diagnostic>> {
    parse_with_warnings(sources, main, options, &mut Vec::new())
}

/// Parses a program and collects its `#warning`s.
pub fn parse_with_warnings(
    sources: &mut Sources,
    main: FileId,
    options: &Options,
    warnings: &mut Vec<Diagnostic>,
) -> Result<ast::Program, Vec<Diagnostic>> {
    let text = preprocess::preprocess(sources, main, options);
    warnings.extend(text.warnings);
    let mut errors = text.errors;
    // After a preprocessor error, syntax errors are often noise: a missing include hides every declaration in it.
    if errors.is_empty() {
        match parser::program(&text.tokens, &text.interner) {
            Ok(program) => return Ok(program),
            Err(found) => errors = found,
        }
    }
    errors.truncate(MAX_ERRORS);
    Err(errors)
}
