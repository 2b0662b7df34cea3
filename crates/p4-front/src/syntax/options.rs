//! Preprocessor options from the command line.

use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::ir::TargetModel;

/// Options of a compilation: include folders, macros, a file loader, and the target.
#[derive(Debug, Clone)]
pub struct Options {
    /// Folders to search for includes (`-I`), in order.
    pub include_dirs: Vec<PathBuf>,
    /// Macros and their values (`-D NAME=VALUE`; `-D NAME` defines `1`). `NAME` may have parameters: `F(x)`.
    pub defines: Vec<(String, String)>,
    /// Loader of included files.
    pub loader: Arc<dyn Loader>,
    /// Whose behaviour the program gets where `simple_switch` and the specification differ.
    pub target: TargetModel,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            include_dirs: Vec::new(),
            defines: Vec::new(),
            loader: Arc::new(Files),
            target: TargetModel::default(),
        }
    }
}

/// Source of included files.
pub trait Loader: Debug + Send + Sync {
    /// Loads a file. After [`io::ErrorKind::NotFound`] the search continues in the next folder.
    fn load(&self, path: &Path) -> io::Result<String>;
}

/// Loader for the file system and the built-in programs' includes. Invalid UTF-8 (in comments of old programs) becomes
/// U+FFFD.
#[derive(Debug, Clone, Copy, Default)]
pub struct Files;

/// Maximum size of a file, in bytes.
const MAX_FILE_SIZE: u64 = 16 << 20;

impl Loader for Files {
    fn load(&self, path: &Path) -> io::Result<String> {
        if let Some(text) = path.to_str().and_then(crate::library::included) {
            return Ok(text.to_owned());
        }
        let about = std::fs::metadata(path)?;
        if !about.is_file() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "not a regular file"));
        }
        if about.len() > MAX_FILE_SIZE {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "larger than 16 MiB"));
        }
        Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
    }
}

/// Loader without files: only built-in includes are available.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, _: &Path) -> io::Result<String> {
        Err(io::ErrorKind::NotFound.into())
    }
}
