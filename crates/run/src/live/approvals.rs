//! Approvals of commands that this user has given, kept in the user's folder of states.

use std::fs::{self, DirBuilder, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use jettison_live::process;

use super::approval::{Approved, Commands};

/// The approvals of the user that this process runs as: one file of mode 0600 per digest, in
/// `$XDG_STATE_HOME/jettison/approved` or `~/.local/state/jettison/approved`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approvals {
    folder: PathBuf,
}

impl Approvals {
    /// The approvals of the user that this process runs as. Under sudo(8) that is root, with root's own folder, even if `HOME`
    /// is still the caller's: what an account can write must not decide what root runs.
    ///
    /// # Errors
    /// If the user has no folder of its own; the message says why.
    pub fn of_user() -> Result<Approvals, String> {
        let given = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let state = given("XDG_STATE_HOME").or_else(|| Some(given("HOME")?.join(".local/state")));
        let own = process::own_home().map(|home| home.join(".local/state"));
        let folder = state.filter(|state| is_own(state)).or_else(|| own.filter(|own| is_own(own)));
        let folder = folder.ok_or("this user has no folder of its own: set XDG_STATE_HOME or HOME")?;
        Ok(Approvals { folder: folder.join("jettison/approved") })
    }

    /// The approval of these commands, if the user has given it.
    pub fn find(&self, commands: &Commands) -> Option<Approved> {
        let file = self.folder.join(commands.digest());
        let trusted = |path: &Path| fs::symlink_metadata(path).is_ok_and(|about| is_private(&about));
        (trusted(&self.folder) && trusted(&file)).then(|| commands.approve())
    }

    /// Remembers the approval of these commands.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn remember(&self, commands: &Commands, scenario: &str) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        if !is_private(&fs::symlink_metadata(&self.folder)?) {
            let message =
                format!("{}: must belong to the user and be writable by nobody else", self.folder.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
        // Of mode 0600, and complete when it gets its name. Its text is for people.
        let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(&self.folder)?;
        write!(file, "{scenario}\n{commands}")?;
        file.as_file().sync_all()?;
        file.persist(self.folder.join(commands.digest())).map_err(|error| error.error)?;
        Ok(())
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Whether the folder, or the innermost one above it that exists, belongs to the user and is not writable by others.
fn is_own(folder: &Path) -> bool {
    let existing = folder.ancestors().find_map(|above| fs::metadata(above).ok());
    // A group may write to it: many systems give each user a group of its own, and our folder below is checked again.
    existing
        .is_some_and(|about| about.is_dir() && about.uid() == process::own_uid() && about.mode() & 0o002 == 0)
}

fn is_private(about: &Metadata) -> bool {
    about.uid() == process::own_uid() && about.mode() & 0o022 == 0 && !about.file_type().is_symlink()
}
