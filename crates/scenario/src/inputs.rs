//! The files that a scenario names, and their hashes for the manifest.

use std::io;
use std::path::PathBuf;

use indexmap::IndexMap;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// Where the files that a scenario names are read from.
pub trait Files {
    /// The content of the file of that name.
    fn read(&self, name: &str) -> io::Result<Vec<u8>>;
    /// What messages call the file.
    fn display(&self, name: &str) -> String;
}

/// A folder: names are paths from there.
#[derive(Debug, Clone)]
pub struct Folder(pub PathBuf);

/// No files at all, for a text that stands alone.
#[derive(Debug, Clone, Copy)]
pub struct NoFiles;

/// A file that went into a run.
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
        std::fs::read(self.0.join(name))
    }
    fn display(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Files for NoFiles {
    fn read(&self, _: &str) -> io::Result<Vec<u8>> {
        Err(io::Error::new(io::ErrorKind::NotFound, "a scenario that is no file has no folder to read from"))
    }
    fn display(&self, name: &str) -> String {
        name.to_owned()
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

/// Each file is read once, however many variants name it.
pub(crate) struct InputCache<'f> {
    files: &'f dyn Files,
    read: IndexMap<String, Result<Input, String>>,
}

/// A file that could be read.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    pub hash: InputHash,
    /// Its content while it may still be checked as a trace.
    pub content: Vec<u8>,
}

impl<'f> InputCache<'f> {
    pub fn new(files: &'f dyn Files) -> InputCache<'f> {
        InputCache { files, read: IndexMap::new() }
    }

    /// What messages call the file.
    pub fn display(&self, name: &str) -> String {
        self.files.display(name)
    }

    /// The file of that name, or why it cannot be read.
    pub fn input(&mut self, name: &str) -> &Result<Input, String> {
        let files = self.files;
        self.read.entry(name.to_owned()).or_insert_with(|| match files.read(name) {
            Ok(content) => Ok(Input { hash: InputHash::of(name, &content), content }),
            Err(error) => Err(error.to_string()),
        })
    }

    /// The hash of the file of that name, if it was read.
    pub fn hash(&self, name: &str) -> Option<&InputHash> {
        self.read.get(name)?.as_ref().ok().map(|input| &input.hash)
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
