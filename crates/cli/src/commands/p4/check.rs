//! `jettison p4 check`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use jettison_p4_exec::compiled::Compiled;
use jettison_p4_front::diagnostic::Diagnostic;
use jettison_p4_front::ir::{ExternKind, Program};
use jettison_p4_front::source::Sources;
use jettison_p4_v1model::control::{Located, unconfigured_sessions};
use jettison_p4_v1model::stf::Testbed;

use super::{add, commands, compile, count, options, rendered};
use crate::options::PreprocessorArguments;
use crate::output::{Failure, print, print_styled};

/// Maximum number of departures after one packet; commands send none.
const MAX_DEPARTURES: u32 = 1;

/// Checks programs, and commands with each of them; exit status 2 if one is invalid.
pub fn check(
    files: &[PathBuf],
    command_file: Option<&Path>,
    dump: bool,
    preprocessor: &PreprocessorArguments,
) -> Result<ExitCode, Failure> {
    let options = options(preprocessor)?;
    let mut invalid = false;
    for file in files {
        let mut sources = Sources::default();
        let main = add(&mut sources, file, "a program")?;
        let (program, mut warnings) = match compile(&mut sources, main, &options) {
            Ok(compiled) => compiled,
            Err(errors) => {
                invalid = true;
                print_styled(&rendered(&errors, &sources));
                continue;
            }
        };
        let mut configured = Vec::new();
        if let Some(command_file) = command_file {
            let id = add(&mut sources, command_file, "a file of commands")?;
            match commands(&sources, id, &program).and_then(|found| accepted(&program, found)) {
                Ok(found) => configured = found,
                Err(errors) => {
                    invalid = true;
                    print_styled(&rendered(&errors, &sources));
                    continue;
                }
            }
        }
        warnings.extend(unconfigured_sessions(&program, configured.iter().map(|located| &located.command)));
        print_styled(&rendered(&warnings, &sources));
        let warned = match warnings.len() {
            0 => String::new(),
            n => format!("; {}", count(n, "warning")),
        };
        print(format_args!("{}: OK: {}{warned}\n", file.display(), summary(&program)))?;
        if dump {
            print(format_args!("{program}"))?;
        }
    }
    Ok(if invalid { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

/// Executes commands on a switch of its own, and returns them if it accepts all.
fn accepted(program: &Arc<Program>, commands: Vec<Located>) -> Result<Vec<Located>, Vec<Diagnostic>> {
    let mut testbed = match Testbed::new(program, Compiled::new(program.clone()), MAX_DEPARTURES) {
        Ok(testbed) => testbed,
        Err(error) => return Err(vec![Diagnostic::without_span(error.to_string())]),
    };
    let mut errors = Vec::new();
    for located in &commands {
        if let Err(error) = testbed.switch_mut().apply(&located.command) {
            errors.push(Diagnostic::error(located.span, error.to_string()));
        }
    }
    if errors.is_empty() { Ok(commands) } else { Err(errors) }
}

/// Summary of a program's contents.
fn summary(program: &Program) -> String {
    let externs =
        |is: fn(ExternKind) -> bool| program.externs.iter().filter(|object| is(object.kind)).count();
    let states = program.parsers.iter().map(|parser| parser.states.len()).sum();
    let parts = [
        (states, "parser state"),
        (program.tables.len(), "table"),
        (externs(|kind| matches!(kind, ExternKind::Register { .. })), "register"),
        (externs(|kind| matches!(kind, ExternKind::Counter { .. } | ExternKind::DirectCounter)), "counter"),
        (externs(|kind| matches!(kind, ExternKind::Meter { .. } | ExternKind::DirectMeter { .. })), "meter"),
    ];
    let parts: Vec<String> =
        parts.into_iter().filter(|(n, _)| *n > 0).map(|(n, noun)| count(n, noun)).collect();
    if parts.is_empty() { "empty program".to_owned() } else { parts.join(", ") }
}
