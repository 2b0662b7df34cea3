//! Search for the executable of a command.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::command::Program;
use super::environment::USUAL_PATH;
use crate::LiveError;

/// Searches like execvp(3), but in the program's future `PATH` and before the fork.
pub(super) fn program(program: &Program, word: &str) -> Result<PathBuf, LiveError> {
    let flow = program.name.clone();
    if word.contains('/') {
        let file = program.directory.as_deref().unwrap_or(Path::new("")).join(word);
        return match std::fs::metadata(&file) {
            Ok(metadata) if is_executable(&metadata) => {
                std::path::absolute(&file).map_err(LiveError::path(&flow, &file))
            }
            Ok(_) => Err(LiveError::NotExecutable {
                flow,
                program: file,
                why: "not an executable file".to_owned(),
            }),
            Err(error) => {
                Err(LiveError::NotExecutable { flow, program: file, why: describe_io_error(&error) })
            }
        };
    }
    let given =
        program.environment.iter().rev().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
    let path = given.or_else(|| std::env::var("PATH").ok()).unwrap_or_else(|| USUAL_PATH.to_owned());
    let mut unusable = None;
    for folder in path.split(':').filter(|folder| !folder.is_empty()) {
        let file = Path::new(folder).join(word);
        match std::fs::metadata(&file) {
            Ok(metadata) if is_executable(&metadata) => return Ok(file),
            Ok(_) => unusable = unusable.or(Some(file)),
            Err(_) => {}
        }
    }
    Err(match unusable {
        Some(program) => LiveError::NotExecutable { flow, program, why: "not an executable file".to_owned() },
        None => LiveError::NoSuchProgram { flow, program: word.to_owned(), path },
    })
}

/// Describes an error of execve(2).
pub(super) fn describe_io_error(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::ENOENT) => "the file, or the interpreter in its first line, does not exist".to_owned(),
        Some(libc::ENOEXEC) => {
            "neither a binary nor a script with an interpreter in its first line".to_owned()
        }
        _ => error.to_string(),
    }
}

fn is_executable(metadata: &std::fs::Metadata) -> bool {
    metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
}
