//! The output folder: what may be replaced, and how it is replaced in one step.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::ReportError;
use crate::model::Manifest;
use crate::store::claim::{ClaimedFolder, Mates};
use serde::Deserialize;

/// Name of the file that tells our folders from others.
pub(super) const MANIFEST: &str = "manifest.json";

/// A folder in the making, beside the one it will be. Dropped, it is removed.
#[derive(Debug)]
pub(super) struct Staging {
    folder: ClaimedFolder,
    target: PathBuf,
    // After `folder`, so that it is dropped after it.
    _parents: Parents,
}

impl Staging {
    /// Checks that `target` is ours to replace (or `force` says so) and opens a temporary folder beside it.
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
        // Named after the target, so that two at once do not take each other's results away.
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let folder = ClaimedFolder::create(parent, &format!(".jettison-{name}-"), ".tmp", Mates::MayNot)
            .map_err(|error| match error {
                ReportError::InUse(folder) => ReportError::Busy { target: target.clone(), folder },
                ReportError::Write { source, .. } => ReportError::write(&target)(source),
                other => other,
            })?;
        Ok(Staging { folder, target, _parents: parents })
    }

    /// Where files go for now.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Where they will be.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    /// Puts the folder in its place. What was there is gone only once the new one is there.
    pub(super) fn commit(self) -> Result<PathBuf, ReportError> {
        let Staging { folder, target, _parents } = self;
        let failed = || ReportError::write(&target);
        if target.exists() {
            let parent = target.parent().unwrap_or(Path::new("."));
            let mut builder = tempfile::Builder::new();
            builder.prefix(".jettison-").suffix(".old");
            let old = builder.tempdir_in(parent).map_err(failed())?;
            let kept = old.path().join("results");
            fs::rename(&target, &kept).map_err(failed())?;
            if let Err(error) = fs::rename(folder.path(), &target) {
                // Give back what was there; if even that fails, at least keep it.
                if fs::rename(&kept, &target).is_err() {
                    let _ = old.keep();
                }
                return Err(failed()(error));
            }
        } else {
            fs::rename(folder.path(), &target).map_err(failed())?;
        }
        folder.keep(); // it is not there any more
        Ok(target)
    }
}

/// The folders above the target that were made for it. Dropped, those that are still empty are removed.
#[derive(Debug)]
struct Parents(Vec<PathBuf>);

impl Parents {
    /// Makes `folder` and what is missing above it.
    fn create(folder: &Path) -> Result<Parents, ReportError> {
        // From the top down.
        let missing: Vec<&Path> = folder.ancestors().take_while(|above| !above.is_dir()).collect();
        let mut made = Parents(Vec::new());
        for above in missing.into_iter().rev() {
            match fs::create_dir(above) {
                Ok(()) => made.0.push(above.to_owned()),
                Err(_) if above.is_dir() => {} // another process made it meanwhile
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

/// Whether `folder` holds a manifest of ours.
pub(super) fn is_ours(folder: &Path) -> bool {
    #[derive(Deserialize)]
    struct Mark {
        program: String,
    }
    fs::read(folder.join(MANIFEST))
        .ok()
        .and_then(|bytes| serde_json::from_slice::<Mark>(&bytes).ok())
        .is_some_and(|mark| mark.program == Manifest::PROGRAM)
}

/// Replaces one file in one step.
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

/// An absolute path without links, so that a rename replaces the folder and not a link to it.
fn resolve(target: &Path) -> Result<PathBuf, ReportError> {
    if target.exists() {
        return fs::canonicalize(target).map_err(ReportError::write(target));
    }
    std::path::absolute(target).map_err(ReportError::write(target))
}

fn holds_working_folder(target: &Path) -> bool {
    std::env::current_dir().and_then(fs::canonicalize).is_ok_and(|here| here.starts_with(target))
}
