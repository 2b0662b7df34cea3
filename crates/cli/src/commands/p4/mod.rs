//! `jettison p4`.

mod capture;
pub mod check;
pub mod compile;
pub mod run;
#[cfg(feature = "p4runtime")]
pub mod serve;
pub mod test;

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;

use jettison_input::file;
use jettison_input::text::Lines;
use jettison_p4_front::diagnostic::Diagnostic;
use jettison_p4_front::ir::Program;
use jettison_p4_front::library;
use jettison_p4_front::source::{FileId, Sources};
use jettison_p4_front::syntax::Options;
use jettison_p4_v1model::control::{self, Located};

use crate::options::PreprocessorArguments;
use crate::output::{Failure, Styled};

/// Preprocessor options from the command line.
fn options(arguments: &PreprocessorArguments) -> Result<Options, Failure> {
    let mut options = Options {
        include_dirs: arguments.include.clone(),
        target: arguments.target.into(),
        ..Options::default()
    };
    for define in &arguments.define {
        let (name, value) = define.split_once('=').unwrap_or((define, "1"));
        if name.is_empty() {
            return Err(Failure::of(format!(
                "-D {define}: missing macro name; write -D NAME or -D NAME=VALUE"
            )));
        }
        options.defines.push((name.to_owned(), value.to_owned()));
    }
    Ok(options)
}

/// Adds a file to the sources, or a built-in program such as `<ired.p4>`.
fn add(sources: &mut Sources, file: &Path, file_kind: &str) -> Result<FileId, Failure> {
    if let Some((name, text)) = file.to_str().and_then(library::program) {
        return Ok(sources.add(name, text));
    }
    let bytes = read(file, file::TEXT, file_kind)?;
    if bytes.contains(&0) {
        return Err(Failure::of(format!(
            "{}: {file_kind} must be text, but has bytes of zero",
            file.display()
        )));
    }
    // Old programs have comments in other encodings.
    Ok(sources.add(file.display().to_string(), String::from_utf8_lossy(&bytes)))
}

/// Reads a file of limited size.
fn read(path: &Path, limit: u64, file_kind: &str) -> Result<Vec<u8>, Failure> {
    file::read(path, limit)
        .map_err(|error| Failure::of(format!("{}: cannot read {file_kind}: {error}", path.display())))
}

/// Compiles a program; returns it with its warnings, or the errors.
fn compile(
    sources: &mut Sources,
    main: FileId,
    options: &Options,
) -> Result<(Arc<Program>, Vec<Diagnostic>), Vec<Diagnostic>> {
    jettison_p4_front::compile(sources, main, options)
        .map(|(program, warnings)| (Arc::new(program), warnings))
}

/// Parses the commands of a file and resolves their names in a program.
fn commands(sources: &Sources, file: FileId, program: &Program) -> Result<Vec<Located>, Vec<Diagnostic>> {
    control::parse(sources, file, program)
}

/// Renders diagnostics, with colours on a terminal. They quote the program, whose own control characters are escaped.
fn rendered(diagnostics: &[Diagnostic], sources: &Sources) -> Styled {
    let render = |colour| diagnostics.iter().map(|diagnostic| diagnostic.render(sources, colour)).collect();
    let plain: String = render(false);
    let shown = Lines(&plain).to_string();
    match shown == plain && std::io::stderr().is_terminal() {
        true => Styled(render(true)),
        false => Styled(shown),
    }
}

/// Errors as one message.
fn failure(errors: &[Diagnostic], sources: &Sources) -> Failure {
    Failure::Styled(Styled(format!("{}\n", rendered(errors, sources).0.trim_end())))
}

/// A number with its noun: `1 packet`, `2 packets`.
fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}
