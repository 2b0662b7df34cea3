//! Files that commands write: complete or not at all, and never over another file unless told to.

use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::output::Failure;

/// Checks early that the output may be written: the work can take long.
pub fn refuse_overwriting(output: &Path, force: bool) -> Result<(), Failure> {
    if output.exists() && !force { Err(occupied(output)) } else { Ok(()) }
}

/// Creates the file under a temporary name beside the output. It vanishes unless it is kept.
pub fn create(output: &Path) -> Result<NamedTempFile, Failure> {
    let parent = output.parent().filter(|parent| !parent.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".jettison-").suffix(".tmp");
    // Permissions as for other files: the process's umask decides.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(parent.unwrap_or(Path::new("."))).map_err(|error| failed(output, &error))
}

/// Gives the file its name: readers find the old file or the complete new one.
pub fn keep(file: NamedTempFile, output: &Path, force: bool) -> Result<(), Failure> {
    let kept = if force { file.persist(output) } else { file.persist_noclobber(output) };
    kept.map(drop).map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => occupied(output),
        _ => failed(output, &error.error),
    })
}

/// Writes a file as a whole.
pub fn write(output: &Path, bytes: &[u8], force: bool) -> Result<(), Failure> {
    let mut file = create(output)?;
    file.write_all(bytes).map_err(|error| failed(output, &error))?;
    keep(file, output, force)
}

fn occupied(output: &Path) -> Failure {
    Failure::of(format!(
        "{} already exists; choose another name, or replace it with --force",
        output.display()
    ))
}

/// The failure to write a file.
pub fn failed(output: &Path, error: &io::Error) -> Failure {
    Failure::of(format!("{}: cannot write: {error}", output.display()))
}
