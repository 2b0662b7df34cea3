//! P4_16: a front end, compiled execution, and the v1model architecture with BMv2 `simple_switch`'s behaviour.
//!
//! Source text goes through [`syntax`] (preprocessor, tokens, tree) and [`types`] (checks and elaboration) to the
//! [`ir`], the elaborated program. [`exec`] runs it on packets; [`v1model`] makes a switch of it that the simulator and
//! the live router drive like any other; [`stf`] tests programs with packets.

pub mod diagnostic;
pub mod exec;
pub mod ir;
pub mod library;
pub mod objects;
pub mod reference;
pub mod source;
pub mod stf;
pub mod syntax;
pub mod table;
pub mod types;
pub mod v1model;

pub use diagnostic::{Diagnostic, Severity};
pub use source::{FileId, Sources, Span};

/// Reads, checks and elaborates a program. Beside it there are warnings.
///
/// # Errors
/// Everything that is wrong with the program, and the warnings found so far.
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
    match types::elaborate(&program) {
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
