//! Temporary folders that say whether somebody still works in them.
//!
//! A folder's maker, and what it forks, hold a lock on it (flock(2)) for as long as they live. One without a lock was left behind
//! by a process that was killed, and whoever makes the next of its kind removes it.

use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use crate::error::ReportError;

/// Whether several folders of a kind may be in use at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mates {
    /// They may.
    MayWork,
    /// One alone.
    MayNot,
}

/// A temporary folder with a random name. Dropped, it is removed.
#[derive(Debug)]
pub struct ClaimedFolder {
    folder: TempDir,
    /// Closed after the folder is gone.
    _lock: Option<File>,
}

impl ClaimedFolder {
    /// Makes one in `parent`: `prefix`, some letters, `suffix`. Removes those of this name that this user's dead processes have
    /// left.
    ///
    /// # Errors
    /// If it cannot be made; with [`Mates::MayNot`] also if a living process has one.
    pub fn create(
        parent: &Path,
        prefix: &str,
        suffix: &str,
        mates: Mates,
    ) -> Result<ClaimedFolder, ReportError> {
        for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let middle = name.to_str().and_then(|name| name.strip_prefix(prefix)?.strip_suffix(suffix));
            let ours = middle.is_some_and(|middle| middle.chars().all(char::is_alphanumeric));
            if ours && is_own(&entry.path()) {
                match File::open(entry.path()).map(|folder| folder.try_lock()) {
                    // Its maker may be about to lock it.
                    Ok(Ok(())) if is_new(&entry.path()) => {}
                    Ok(Ok(())) => drop(fs::remove_dir_all(entry.path())),
                    Ok(Err(TryLockError::WouldBlock)) if mates == Mates::MayNot => {
                        return Err(ReportError::InUse(entry.path()));
                    }
                    _ => {}
                }
            }
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(prefix).suffix(suffix);
        if mates == Mates::MayNot {
            // Results are for others to read too, as far as the process's mask allows.
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
        }
        let folder = builder.tempdir_in(parent).map_err(ReportError::write(parent))?;
        // A file system without locks takes nothing away but the tidying.
        let lock = File::open(folder.path()).ok().filter(|folder| folder.try_lock().is_ok());
        Ok(ClaimedFolder { folder, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Leaves what is at its path to others.
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
    fn what_the_dead_left_is_removed_and_the_living_keep_theirs() {
        let parent = tempfile::tempdir().expect("a folder can be made");
        let make = |mates| ClaimedFolder::create(parent.path(), ".x-", ".tmp", mates);
        fs::create_dir_all(parent.path().join(".x-dead.tmp/deep")).expect("a folder can be made");
        let dead = File::open(parent.path().join(".x-dead.tmp")).expect("it is there");
        dead.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("it is ours");
        drop(dead);
        for other in [".y-other.tmp", ".x-z-other.tmp", ".x-new.tmp"] {
            fs::create_dir(parent.path().join(other)).expect("a folder can be made");
        }
        let living = make(Mates::MayNot).expect("nobody has one");
        assert!(!parent.path().join(".x-dead.tmp").exists());
        for other in [".y-other.tmp", ".x-z-other.tmp", ".x-new.tmp"] {
            assert!(parent.path().join(other).exists(), "{other}");
        }
        assert!(matches!(make(Mates::MayNot), Err(ReportError::InUse(_))));
        let mate = make(Mates::MayWork).expect("mates may work");
        assert!(living.path().exists() && mate.path().exists());
        drop((living, mate));
        assert!(make(Mates::MayNot).is_ok());
    }
}
