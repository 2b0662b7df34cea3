#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]
//!
//! # Structure
//!
//! Source text goes through [`syntax`] (preprocessor, lexer, parser) and [`types`] (type checking and elaboration) to
//! the [`ir`], the elaborated program. `jettison-p4-exec` runs it on packets; `jettison-p4-v1model` makes it a switch
//! that the simulator and the live router drive like any other.

pub mod diagnostic;
pub mod ir;
pub mod library;
mod rules;
pub mod source;
pub mod syntax;
pub mod types;

pub use diagnostic::{Diagnostic, Severity};
pub use source::{FileId, Sources, Span};

/// Parses, checks and elaborates a program. Returns the elaborated program with its warnings.
///
/// # Errors
/// All errors of the program, and the warnings found so far.
pub fn compile(
    sources: &mut Sources,
    main: FileId,
    options: &syntax::Options,
) -> Result<(ir::Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut warnings = Vec::new();
    let program = match syntax::parse_with_warnings(sources, main, options, &mut warnings) {
        Ok(program) => program,
        Err(mut errors) => {
            errors.append(&mut warnings);
            return Err(errors);
        }
    };
    match types::elaborate(&program, options.target) {
        Ok((program, found)) => {
            warnings.extend(found);
            Ok((program, warnings))
        }
        Err(mut errors) => {
            errors.append(&mut warnings);
            Err(errors)
        }
    }
}
