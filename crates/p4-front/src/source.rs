//! Source files and positions in them.

use std::sync::Arc;

/// A file in [`Sources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A range of bytes of one source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset one past the last byte.
    pub end: u32,
}

impl Span {
    /// Extends the span to the end of `last`, if that is later in the same file.
    pub fn to(self, last: Span) -> Span {
        if self.file == last.file && last.end >= self.start { Span { end: last.end, ..self } } else { self }
    }
}

/// A source text: a file, a built-in include, or the macros of the command line.
#[derive(Debug, Clone)]
pub struct Source {
    /// Name in diagnostics: a path, `<v1model.p4>`, or `<command line>`.
    pub name: Arc<str>,
    /// Text.
    pub text: Arc<str>,
}

/// All source texts of one program.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    files: Vec<Source>,
}

impl Sources {
    /// Adds a text.
    pub fn add(&mut self, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).expect("fewer than 2^32 files"));
        self.files.push(Source { name: name.into(), text: text.into() });
        id
    }

    /// The source with an id.
    ///
    /// # Panics
    /// If the id belongs to another `Sources`.
    pub fn file(&self, id: FileId) -> &Source {
        &self.files[id.0 as usize]
    }

    /// All sources, in the order of addition.
    pub fn files(&self) -> impl Iterator<Item = &Source> {
        self.files.iter()
    }

    /// Text of a span; empty if the span is out of range.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Line and column (in characters) of a span's start, both from 1.
    pub fn position(&self, span: Span) -> (usize, usize) {
        let text = &self.file(span.file).text;
        let mut start = (span.start as usize).min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let mut sources = Sources::default();
        let file = sources.add("a.p4", "één\ntwo three\n");
        let at = |start, end| Span { file, start, end };
        assert_eq!(sources.position(at(0, 1)), (1, 1));
        assert_eq!(sources.position(at(5, 6)), (1, 4));
        assert_eq!(sources.position(at(10, 15)), (2, 5));
        assert_eq!(sources.text(at(10, 15)), "three");
        assert_eq!(sources.position(at(999, 1000)), (3, 1));
        assert_eq!(sources.text(at(999, 1000)), "");
    }
}
