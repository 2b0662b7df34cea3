//! Errors in content files, with their line.

/// An error in a file. The caller adds the file's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct FileError {
    /// The line at fault, from 1; `None` for the file as a whole.
    pub line: Option<usize>,
    /// What is required and what was found.
    pub message: String,
}

impl FileError {
    /// An error in a line.
    pub fn at(line: impl Into<Option<usize>>, message: impl Into<String>) -> FileError {
        FileError { line: line.into(), message: message.into() }
    }

    /// The message with file name and line first, as compilers print it.
    pub fn in_file(&self, file: &str) -> String {
        match self.line {
            Some(line) => format!("{file}:{line}: {}", self.message),
            None => format!("{file}: {}", self.message),
        }
    }
}

/// Converts ascending byte offsets to line numbers.
#[derive(Debug)]
pub struct Lines<'a> {
    content: &'a [u8],
    counted: usize,
    line: usize,
}

impl<'a> Lines<'a> {
    /// Starts at the first line.
    pub fn new(content: &'a [u8]) -> Lines<'a> {
        Lines { content, counted: 0, line: 1 }
    }

    /// The line, from 1, of the byte at `offset`; at least the line returned before.
    pub fn at(&mut self, offset: usize) -> usize {
        let offset = offset.min(self.content.len());
        if let Some(passed) = self.content.get(self.counted..offset) {
            self.line += passed.iter().filter(|byte| **byte == b'\n').count();
            self.counted = offset;
        }
        self.line
    }
}
