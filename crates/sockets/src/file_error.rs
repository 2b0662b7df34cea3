//! What is wrong in a file that the content comes from, and where.

/// A file that cannot be used. Who reads it adds its name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct FileError {
    /// The line at fault, from 1; `None` for the file as a whole.
    pub line: Option<usize>,
    /// What is wrong and, where it is not plain, what would be right.
    pub message: String,
}

impl FileError {
    /// An error in that line.
    pub fn at(line: impl Into<Option<usize>>, message: impl Into<String>) -> FileError {
        FileError { line: line.into(), message: message.into() }
    }

    /// The message with the file's name and line in front, as a compiler writes it.
    pub fn in_file(&self, file: &str) -> String {
        match self.line {
            Some(line) => format!("{file}:{line}: {}", self.message),
            None => format!("{file}: {}", self.message),
        }
    }
}

/// Counts lines towards the end of a text.
#[derive(Debug)]
pub struct Lines<'a> {
    content: &'a [u8],
    counted: usize,
    line: usize,
}

impl<'a> Lines<'a> {
    /// At the first line.
    pub fn new(content: &'a [u8]) -> Lines<'a> {
        Lines { content, counted: 0, line: 1 }
    }

    /// The line, from 1, in which the byte at `offset` stands; or the last line asked for, if that is before it.
    pub fn at(&mut self, offset: usize) -> usize {
        let offset = offset.min(self.content.len());
        if let Some(passed) = self.content.get(self.counted..offset) {
            self.line += passed.iter().filter(|byte| **byte == b'\n').count();
            self.counted = offset;
        }
        self.line
    }
}
