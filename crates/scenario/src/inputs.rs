//! Input files of a scenario: sources, contents, and hashes for the manifest.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use jettison_input::file;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// Source of the files that a scenario names.
pub trait Files {
    /// Reads a file.
    fn read(&self, name: &str) -> io::Result<Vec<u8>>;
    /// The name of a file in messages.
    fn display(&self, name: &str) -> String;
    /// The remedy for a file that cannot be read.
    fn advice(&self) -> &'static str {
        "write the path relative to the scenario's folder"
    }
}

/// Files of a folder; names are paths relative to it.
#[derive(Debug, Clone)]
pub struct Folder(pub PathBuf);

/// No files, for a text without a folder.
#[derive(Debug, Clone, Copy)]
pub struct NoFiles;

/// A scenario's own files and, as a fallback, a folder of data (`--data`).
pub struct WithData {
    own: Box<dyn Files>,
    data: Option<PathBuf>,
}

/// Contents of the input files, read once during the check; runs read no files.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Contents(BTreeMap<String, Arc<[u8]>>);

/// An input file of a run, with its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InputHash {
    /// The file, as the scenario (or, for the scenario itself, the caller) names it.
    pub file: String,
    /// SHA-256 of its content, in hexadecimal.
    pub sha256: String,
    /// Its length in bytes.
    pub bytes: u64,
}

impl Files for Folder {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        file::read(&self.0.join(name), file::DATA)
    }
    fn display(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Files for NoFiles {
    fn read(&self, _: &str) -> io::Result<Vec<u8>> {
        Err(io::Error::new(io::ErrorKind::NotFound, "a scenario without a file has no folder to read from"))
    }
    fn display(&self, name: &str) -> String {
        name.to_owned()
    }
}

impl WithData {
    /// Files of `own`, or else of the folder `data`.
    pub fn new(own: impl Files + 'static, data: Option<PathBuf>) -> WithData {
        WithData { own: Box::new(own), data }
    }
}

impl Files for WithData {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let is_missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        let own = self.own.read(name);
        let Some(path) = self.data.as_ref().map(|data| data.join(name)) else { return own };
        if !own.as_ref().is_err_and(is_missing) {
            return own;
        }
        file::read(&path, file::DATA).map_err(|error| {
            let path = path.display();
            let message = match is_missing(&error) {
                true => format!("no such file, nor `{path}`"),
                false => format!("no such file, and `{path}` cannot be read: {error}"),
            };
            io::Error::new(error.kind(), message)
        })
    }
    fn display(&self, name: &str) -> String {
        match self.data.as_ref().map(|data| data.join(name)) {
            Some(path) if path.is_file() && self.own.read(name).is_err() => path.display().to_string(),
            _ => self.own.display(name),
        }
    }
    fn advice(&self) -> &'static str {
        match self.data {
            Some(_) => "write the path relative to the scenario's folder or to that of `--data`",
            None => "write the path relative to the scenario's folder, or name another folder with `--data`",
        }
    }
}

impl Contents {
    /// The content of the file of that name.
    pub fn content(&self, name: &str) -> Option<&Arc<[u8]>> {
        self.0.get(name)
    }
}

impl Contents {
    /// All files, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Arc<[u8]>)> {
        self.0.iter().map(|(name, content)| (name.as_str(), content))
    }
}

impl fmt::Debug for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl FromIterator<(String, Arc<[u8]>)> for Contents {
    fn from_iter<I: IntoIterator<Item = (String, Arc<[u8]>)>>(files: I) -> Contents {
        Contents(files.into_iter().collect())
    }
}

impl InputHash {
    /// The hash of a file's content.
    pub fn of(file: &str, content: &[u8]) -> InputHash {
        let digest = Sha256::digest(content);
        let sha256 = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        InputHash { file: file.to_owned(), sha256, bytes: content.len() as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_sha_256_in_hexadecimal() {
        let hash = InputHash::of("empty", b"");
        assert_eq!(hash.sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(hash.bytes, 0);
    }
}
