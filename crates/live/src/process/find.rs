//! Which file a command's first word means.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::command::Program;
use crate::LiveError;

/// As execvp(3) looks, but in the `PATH` that the program will have, and before anything is forked.
pub(super) fn program(program: &Program, word: &str) -> Result<PathBuf, LiveError> {
    let flow = program.name.clone();
    if word.contains('/') {
        let file = program.directory.as_deref().unwrap_or(Path::new("")).join(word);
        return match std::fs::metadata(&file) {
            Ok(metadata) if is_program(&metadata) => {
                std::path::absolute(&file).map_err(LiveError::path(&flow, &file))
            }
            Ok(_) => {
                Err(LiveError::NotExecutable { flow, program: file, why: "is not executable".to_owned() })
            }
            Err(error) => Err(LiveError::NotExecutable { flow, program: file, why: why_not(&error) }),
        };
    }
    let given =
        program.environment.iter().rev().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
    let path = given.or_else(|| std::env::var("PATH").ok()).unwrap_or_else(|| "/usr/bin:/bin".to_owned());
    let mut unusable = None;
    for folder in path.split(':').filter(|folder| !folder.is_empty()) {
        let file = Path::new(folder).join(word);
        match std::fs::metadata(&file) {
            Ok(metadata) if is_program(&metadata) => return Ok(file),
            Ok(_) => unusable = unusable.or(Some(file)),
            Err(_) => {}
        }
    }
    Err(match unusable {
        Some(program) => LiveError::NotExecutable { flow, program, why: "is not executable".to_owned() },
        None => LiveError::NoSuchProgram { flow, program: word.to_owned(), path },
    })
}

/// What execve(2) means with its errors.
pub(super) fn why_not(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::ENOENT) => {
            "does not exist, or the interpreter that its first line names does not".to_owned()
        }
        Some(libc::ENOEXEC) => {
            "is neither a program nor a script with a first line that names its interpreter".to_owned()
        }
        _ => format!("could not be started: {error}"),
    }
}

fn is_program(metadata: &std::fs::Metadata) -> bool {
    metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
}
