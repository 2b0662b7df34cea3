//! Temporary folders locked by the processes that use them.
//!
//! The creator of a folder and its forked children hold a lock on it (flock(2)) while they live. An unlocked folder
//! was left by a killed process and is removed by the next process that creates one of this kind.

use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use crate::error::ReportError;

/// Whether folders of a kind may be in use at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// Any number at a time.
    Shared,
    /// At most one at a time.
    Exclusive,
}

/// A temporary folder with a random name, removed on drop.
#[derive(Debug)]
pub struct ClaimedFolder {
    folder: TempDir,
    /// Closed after the folder is removed.
    _lock: Option<File>,
}

impl ClaimedFolder {
    /// Creates a folder in `parent`, named `prefix`, random letters, `suffix`. Removes folders of this kind that dead
    /// processes of this user left behind.
    ///
    /// # Errors
    /// If the folder cannot be created; with [`Claim::Exclusive`] also if a live process uses one.
    pub fn create(
        parent: &Path,
        prefix: &str,
        suffix: &str,
        claim: Claim,
    ) -> Result<ClaimedFolder, ReportError> {
        for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let middle = name.to_str().and_then(|name| name.strip_prefix(prefix)?.strip_suffix(suffix));
            let ours = middle.is_some_and(|middle| middle.chars().all(char::is_alphanumeric));
            if ours && is_own(&entry.path()) {
                match File::open(entry.path()).map(|folder| folder.try_lock()) {
                    // Its creator may be about to lock it.
                    Ok(Ok(())) if is_new(&entry.path()) => {}
                    Ok(Ok(())) => drop(fs::remove_dir_all(entry.path())),
                    Ok(Err(TryLockError::WouldBlock)) if claim == Claim::Exclusive => {
                        return Err(ReportError::InUse(entry.path()));
                    }
                    _ => {}
                }
            }
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(prefix).suffix(suffix);
        if claim == Claim::Exclusive {
            // Results are readable by others as far as the process's umask allows.
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
        }
        let folder = builder.tempdir_in(parent).map_err(ReportError::write(parent))?;
        // On a file system without locks, only the removal of old folders is lost.
        let lock = File::open(folder.path()).ok().filter(|folder| folder.try_lock().is_ok());
        Ok(ClaimedFolder { folder, _lock: lock })
    }

    /// The folder's path.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Keeps the folder, or whatever is at its path now, on drop.
    pub(super) fn keep(self) {
        let _ = self.folder.keep();
    }
}

fn is_new(folder: &Path) -> bool {
    let changed = fs::metadata(folder).and_then(|folder| folder.modified());
    changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|since| since < Duration::from_secs(2)))
}

#[cfg(unix)]
fn is_own(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let own = fs::metadata("/proc/self").map(|own| own.uid());
    fs::symlink_metadata(folder).is_ok_and(|there| there.is_dir() && own.is_ok_and(|own| own == there.uid()))
}

#[cfg(not(unix))]
fn is_own(folder: &Path) -> bool {
    folder.is_dir()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_dead_processes_are_removed_and_others_are_kept() {
        let parent = tempfile::tempdir().expect("a folder can be made");
        let make = |claim| ClaimedFolder::create(parent.path(), ".x-", ".tmp", claim);
        fs::create_dir_all(parent.path().join(".x-dead.tmp/deep")).expect("a folder can be made");
        let dead = File::open(parent.path().join(".x-dead.tmp")).expect("it is there");
        dead.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("it is ours");
        drop(dead);
        for other in [".y-other.tmp", ".x-z-other.tmp", ".x-new.tmp"] {
            fs::create_dir(parent.path().join(other)).expect("a folder can be made");
        }
        let living = make(Claim::Exclusive).expect("there is no other claim");
        assert!(!parent.path().join(".x-dead.tmp").exists());
        for other in [".y-other.tmp", ".x-z-other.tmp", ".x-new.tmp"] {
            assert!(parent.path().join(other).exists(), "{other}");
        }
        assert!(matches!(make(Claim::Exclusive), Err(ReportError::InUse(_))));
        let second = make(Claim::Shared).expect("shared claims coexist");
        assert!(living.path().exists() && second.path().exists());
        drop((living, second));
        assert!(make(Claim::Exclusive).is_ok());
    }
}
