//! What the command line says of a program.

use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the preprocessor is told beside the program.
#[derive(Debug, Clone)]
pub struct Options {
    /// Folders in which includes are looked for (`-I`), in order.
    pub include_dirs: Vec<PathBuf>,
    /// Macros and what they stand for (`-D NAME=VALUE`; `-D NAME` is `1`). `NAME` may have parameters: `F(x)`.
    pub defines: Vec<(String, String)>,
    /// Reads included files.
    pub loader: Arc<dyn Loader>,
}

impl Default for Options {
    fn default() -> Options {
        Options { include_dirs: Vec::new(), defines: Vec::new(), loader: Arc::new(Files) }
    }
}

/// Where included files come from.
pub trait Loader: Debug + Send + Sync {
    /// The text of a file. [`io::ErrorKind::NotFound`] makes the search go on in the next folder.
    fn load(&self, path: &Path) -> io::Result<String>;
}

/// The file system, and what Jettison's own programs include. Bytes that are not UTF-8 (in comments of old programs) become U+FFFD.
#[derive(Debug, Clone, Copy, Default)]
pub struct Files;

/// The largest file that is read.
const LARGEST: u64 = 16 << 20;

impl Loader for Files {
    fn load(&self, path: &Path) -> io::Result<String> {
        if let Some(text) = path.to_str().and_then(crate::library::included) {
            return Ok(text.to_owned());
        }
        let about = std::fs::metadata(path)?;
        if !about.is_file() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "not a file"));
        }
        if about.len() > LARGEST {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "larger than 16 MiB"));
        }
        Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
    }
}

/// No files: only what is built in can be included.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, _: &Path) -> io::Result<String> {
        Err(io::ErrorKind::NotFound.into())
    }
}
