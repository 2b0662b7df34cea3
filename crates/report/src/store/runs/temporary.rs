//! Temporary files in a store: `.<name>.<host>.<process>.<random>`, so that others can tell whether their creator lives.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, test_kill_process};
use tempfile::{NamedTempFile, TempDir};

use crate::store::seal::sha256;

/// Age after which temporary files of another machine's process count as abandoned.
const ABANDONED: Duration = Duration::from_secs(7 * 86_400);

fn prefix(name: &str) -> String {
    format!(".{name}.{}.{}.", host(), std::process::id())
}

fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// A file beside `path`, to be renamed to it.
pub(super) fn file(path: &Path) -> io::Result<NamedTempFile> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let prefix = prefix(&name);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(path.parent().unwrap_or(Path::new(".")))
}

/// A folder in `parent`.
pub(super) fn folder(parent: &Path, name: &str) -> io::Result<TempDir> {
    let prefix = prefix(name);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    builder.tempdir_in(parent)
}

/// Random digits.
pub(super) fn token() -> String {
    use std::hash::{BuildHasher, RandomState};
    // Keys of the standard library's hash maps come from the system's source of random numbers.
    let random: Vec<u8> = (0..4).flat_map(|n| RandomState::new().hash_one(n).to_le_bytes()).collect();
    sha256(&random)[..32].to_owned()
}

/// Whether a file's name is temporary.
pub(super) fn is_temporary(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with('.')
}

/// Removes temporary files of processes on this machine that have ended, and any that are a week old.
pub(super) fn tidy(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_temporary(&entry.file_name()) && is_abandoned(&entry) {
            let path = entry.path();
            let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        }
    }
}

fn is_abandoned(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    let mut parts = name.rsplitn(3, '.').skip(1);
    let pid = parts.next().and_then(|pid| pid.parse().ok()).and_then(Pid::from_raw);
    match (pid, parts.next()) {
        (Some(pid), Some(owner)) if owner.ends_with(&format!(".{}", host())) => {
            test_kill_process(pid).is_err_and(|error| error == rustix::io::Errno::SRCH)
        }
        _ => {
            let changed = entry.metadata().and_then(|metadata| metadata.modified());
            changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|since| since > ABANDONED))
        }
    }
}
