//! `jettison p4`.

mod capture;
pub mod check;
pub mod run;
pub mod test;

use std::io::{IsTerminal, Read};
use std::path::Path;
use std::sync::Arc;

use jettison_p4_front::diagnostic::Diagnostic;
use jettison_p4_front::ir::Program;
use jettison_p4_front::library;
use jettison_p4_front::source::{FileId, Sources};
use jettison_p4_front::syntax::Options;
use jettison_p4_v1model::control::{self, Located};

use crate::options::PreprocessorArguments;
use crate::output::Failure;

/// Preprocessor options from the command line.
fn options(arguments: &PreprocessorArguments) -> Result<Options, Failure> {
    let mut options = Options { include_dirs: arguments.include.clone(), ..Options::default() };
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
    let bytes = read(file, MAX_TEXT_SIZE, file_kind)?;
    // Old programs have comments in other encodings.
    Ok(sources.add(file.display().to_string(), String::from_utf8_lossy(&bytes)))
}

/// Maximum size of a program in bytes.
const MAX_TEXT_SIZE: u64 = 64 << 20;

/// Reads a file of limited size, because a device such as `/dev/zero` has no end.
fn read(file: &Path, at_most: u64, file_kind: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file);
    opened
        .and_then(|opened| opened.take(at_most + 1).read_to_end(&mut bytes))
        .map_err(|error| Failure::of(format!("{}: cannot read {file_kind}: {error}", file.display())))?;
    if bytes.len() as u64 > at_most {
        let mebibytes = at_most >> 20;
        return Err(Failure::of(format!("{}: {file_kind} must be at most {mebibytes} MiB", file.display())));
    }
    Ok(bytes)
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

/// Renders diagnostics, with colours on a terminal.
fn rendered(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let colour = std::io::stderr().is_terminal();
    diagnostics.iter().map(|diagnostic| diagnostic.render(sources, colour)).collect()
}

/// Errors as one message.
fn failure(errors: &[Diagnostic], sources: &Sources) -> Failure {
    Failure::Message(rendered(errors, sources).trim_end().to_owned())
}

/// A number with its noun: `1 packet`, `2 packets`.
fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}
