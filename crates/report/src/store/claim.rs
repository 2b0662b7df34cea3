//! Temporary folders locked by the processes that use them.
//!
//! The creator of a folder and its forked children hold a lock on it (flock(2)) while they live. An unlocked folder
//! was left by a killed process and is removed by the next process that creates one of this kind.

use std::fs::{self, File, TryLockError};
use std::path::Path;

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
                let Ok(dead) = File::open(entry.path()) else { continue };
                match dead.try_lock() {
                    // Locked until it is gone: a creator that was about to lock it makes another.
                    Ok(()) => drop(fs::remove_dir_all(entry.path())),
                    Err(TryLockError::WouldBlock) if claim == Claim::Exclusive => {
                        return Err(ReportError::InUse(entry.path()));
                    }
                    Err(_) => {}
                }
            }
        }
        loop {
            if let Some(claimed) = ClaimedFolder::try_create(parent, prefix, suffix, claim)? {
                return Ok(claimed);
            }
        }
    }

    /// Creates a folder; `None` if another process took it for a dead one's before it was locked.
    fn try_create(
        parent: &Path,
        prefix: &str,
        suffix: &str,
        claim: Claim,
    ) -> Result<Option<ClaimedFolder>, ReportError> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(prefix).suffix(suffix);
        if claim == Claim::Exclusive {
            // Results are readable by others as far as the process's umask allows.
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
        }
        let folder = builder.tempdir_in(parent).map_err(ReportError::write(parent))?;
        let lock = File::open(folder.path()).ok();
        let locked = lock.as_ref().map(File::try_lock);
        if matches!(locked, Some(Err(TryLockError::WouldBlock))) || !folder.path().is_dir() {
            return Ok(None);
        }
        // On a file system without locks, only the removal of old folders is lost.
        let lock = lock.filter(|_| matches!(locked, Some(Ok(()))));
        Ok(Some(ClaimedFolder { folder, _lock: lock }))
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
        for other in [".y-other.tmp", ".x-z-other.tmp"] {
            fs::create_dir(parent.path().join(other)).expect("a folder can be made");
        }
        let living = make(Claim::Exclusive).expect("there is no other claim");
        assert!(!parent.path().join(".x-dead.tmp").exists());
        for other in [".y-other.tmp", ".x-z-other.tmp"] {
            assert!(parent.path().join(other).exists(), "{other}");
        }
        assert!(matches!(make(Claim::Exclusive), Err(ReportError::InUse(_))));
        let second = make(Claim::Shared).expect("shared claims coexist");
        assert!(living.path().exists() && second.path().exists());
        drop((living, second));
        assert!(make(Claim::Exclusive).is_ok());
    }

    #[test]
    fn a_folder_is_never_taken_from_a_creator_that_has_not_locked_it_yet() {
        let parent = tempfile::tempdir().expect("a folder can be made");
        let work = || {
            for _ in 0..200 {
                let made = ClaimedFolder::create(parent.path(), ".x-", ".tmp", Claim::Shared)
                    .expect("it can be made");
                assert!(made.path().is_dir());
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    }
}
