//! The output folder: checks before its replacement, and its atomic replacement.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use jettison_input::file;

use crate::error::ReportError;
use crate::model::Manifest;
use crate::store::claim::{Claim, ClaimedFolder};
use serde::Deserialize;

/// Name of the file that identifies our folders.
pub(super) const MANIFEST: &str = "manifest.json";

/// A temporary folder beside its target, removed on drop.
#[derive(Debug)]
pub(super) struct Staging {
    folder: ClaimedFolder,
    target: PathBuf,
    // After `folder`, because fields are dropped in order.
    _parents: Parents,
}

impl Staging {
    /// Checks that `target` may be replaced (or `force` is set) and opens a temporary folder beside it.
    pub(super) fn open(target: &Path, force: bool) -> Result<Staging, ReportError> {
        let target = resolve(target)?;
        if target.is_dir() {
            if holds_working_folder(&target) {
                return Err(ReportError::HoldsWorkingFolder(target));
            }
            let mut entries = fs::read_dir(&target).map_err(ReportError::write(&target))?;
            if entries.next().is_some() && !force && !is_ours(&target) {
                return Err(ReportError::Occupied(target));
            }
        } else if target.exists() {
            return Err(ReportError::NotAFolder(target));
        }
        let parent = target.parent().unwrap_or(Path::new("."));
        let parents = Parents::create(parent)?;
        // Named after the target, so parallel writers of one target are detected.
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let folder = ClaimedFolder::create(parent, &format!(".jettison-{name}-"), ".tmp", Claim::Exclusive)
            .map_err(|error| match error {
            ReportError::InUse(folder) => ReportError::Busy { target: target.clone(), folder },
            ReportError::Write { source, .. } => ReportError::write(&target)(source),
            other => other,
        })?;
        Ok(Staging { folder, target, _parents: parents })
    }

    /// The temporary path.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Whether a store in `folder` would be replaced along with the target.
    pub(super) fn replaces(&self, folder: &Path) -> bool {
        resolve(folder).is_ok_and(|folder| folder.starts_with(&self.target))
    }

    /// The final path.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    /// Moves the folder to its target. The old folder is removed only after the new one is in place.
    pub(super) fn commit(self) -> Result<PathBuf, ReportError> {
        let Staging { folder, target, _parents } = self;
        let failed = || ReportError::write(&target);
        if target.exists() && exchange(folder.path(), &target) {
            // The old folder has the temporary name, and is removed with it.
            return Ok(target);
        }
        if target.exists() {
            let parent = target.parent().unwrap_or(Path::new("."));
            let mut builder = tempfile::Builder::new();
            // A name that the next run takes for a dead process's.
            let prefix = format!(".jettison-{}-", target.file_name().unwrap_or_default().to_string_lossy());
            builder.prefix(&prefix).suffix(".tmp");
            let old = builder.tempdir_in(parent).map_err(failed())?;
            let kept = old.path().join("results");
            fs::rename(&target, &kept).map_err(failed())?;
            if let Err(error) = fs::rename(folder.path(), &target) {
                // Restore the old folder; if that fails, keep it where it is.
                if fs::rename(&kept, &target).is_err() {
                    let _ = old.keep();
                }
                return Err(failed()(error));
            }
        } else {
            fs::rename(folder.path(), &target).map_err(failed())?;
        }
        folder.keep(); // it was moved
        Ok(target)
    }
}

/// Exchanges two folders, so that there is one at the target at every instant. Not all systems can.
#[cfg(target_os = "linux")]
fn exchange(one: &Path, other: &Path) -> bool {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn exchange(_: &Path, _: &Path) -> bool {
    false
}

/// Folders created above the target. On drop, those that are still empty are removed.
#[derive(Debug)]
struct Parents(Vec<PathBuf>);

impl Parents {
    /// Creates `folder` and its missing parents.
    fn create(folder: &Path) -> Result<Parents, ReportError> {
        // In top-down order.
        let missing: Vec<&Path> = folder.ancestors().take_while(|above| !above.is_dir()).collect();
        let mut made = Parents(Vec::new());
        for above in missing.into_iter().rev() {
            match fs::create_dir(above) {
                Ok(()) => made.0.push(above.to_owned()),
                Err(_) if above.is_dir() => {} // created by another process in the meantime
                Err(_) if above.exists() => return Err(ReportError::NotAFolder(above.to_owned())),
                Err(error) => return Err(ReportError::write(above)(error)),
            }
        }
        Ok(made)
    }
}

impl Drop for Parents {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            let _ = fs::remove_dir(folder); // only if it is empty
        }
    }
}

/// Whether `folder` holds our manifest.
pub(super) fn is_ours(folder: &Path) -> bool {
    #[derive(Deserialize)]
    struct Mark {
        program: String,
    }
    file::read(&folder.join(MANIFEST), file::DATA)
        .ok()
        .and_then(|bytes| serde_json::from_slice::<Mark>(&bytes).ok())
        .is_some_and(|mark| mark.program == Manifest::PROGRAM)
}

/// Replaces a file atomically.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), ReportError> {
    let failed = || ReportError::write(path);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".jettison-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(path.parent().unwrap_or(Path::new("."))).map_err(failed())?;
    file.write_all(bytes).map_err(failed())?;
    file.persist(path).map_err(|error| failed()(error.error))?;
    Ok(())
}

/// The default store of the runs for results in `target`, beside it: `out/.x.runs` for `out/x`.
///
/// # Errors
/// If the current directory cannot be found.
pub fn store_beside(target: &Path) -> Result<PathBuf, ReportError> {
    let target = resolve(target)?;
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    Ok(target.with_file_name(format!(".{name}.runs")))
}

/// An absolute path without symbolic links, so that a rename replaces the folder and not a link to it.
fn resolve(target: &Path) -> Result<PathBuf, ReportError> {
    if target.exists() {
        return fs::canonicalize(target).map_err(ReportError::write(target));
    }
    std::path::absolute(target).map_err(ReportError::write(target))
}

fn holds_working_folder(target: &Path) -> bool {
    std::env::current_dir().and_then(fs::canonicalize).is_ok_and(|here| here.starts_with(target))
}
