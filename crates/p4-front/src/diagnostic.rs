//! Diagnostics: errors and warnings with source positions.

use ariadne::{CharSet, Config, IndexType, Label, Report, ReportKind};

use crate::source::{FileId, Sources, Span};

/// Severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The program is valid but probably not what its author intended.
    Warning,
    /// The program is invalid.
    Error,
}

/// An error or warning: message, position, secondary positions and a hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The problem, in one line without a full stop.
    pub message: String,
    /// The primary position; `None` if no source file is involved (for example, a missing file).
    pub span: Option<Span>,
    /// Text of the label at the primary position; empty to repeat the message.
    pub label: String,
    /// Secondary positions, each with its label.
    pub related: Vec<(Span, String)>,
    /// Suggestion for a correction.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// Creates an error at a position.
    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            span: Some(span),
            label: String::new(),
            related: Vec::new(),
            hint: None,
        }
    }

    /// Creates a warning at a position.
    pub fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message) }
    }

    /// Creates an error without a source position.
    pub fn without_span(message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            span: None,
            label: String::new(),
            related: Vec::new(),
            hint: None,
        }
    }

    /// Sets the label at the primary position.
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    /// Adds a secondary position with its label.
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.related.push((span, text.into()));
        self
    }

    /// Sets the hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = Some(hint.into());
        self
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Renders the diagnostic with the source lines around its positions, with or without colours.
    pub fn render(&self, sources: &Sources, colour: bool) -> String {
        let (kind, word) = match self.severity {
            Severity::Error => (ReportKind::Error, "error"),
            Severity::Warning => (ReportKind::Warning, "warning"),
        };
        let Some(span) = self.span else {
            let hint = self.hint.as_ref().map(|hint| format!("\n  hint: {hint}")).unwrap_or_default();
            return format!("{word}: {}{hint}\n", self.message);
        };
        let range = |span: Span| {
            let text = &sources.file(span.file).text;
            let boundary = |at: u32| text.floor_char_boundary(at as usize);
            let start = boundary(span.start);
            (span.file, start..boundary(span.end).max(start))
        };
        let config = Config::default()
            .with_color(colour)
            .with_index_type(IndexType::Byte)
            .with_char_set(if colour { CharSet::Unicode } else { CharSet::Ascii });
        let text = if self.label.is_empty() { &self.message } else { &self.label };
        let mut report = Report::build(kind, range(span))
            .with_config(config)
            .with_message(&self.message)
            .with_label(Label::new(range(span)).with_message(text));
        for (span, text) in &self.related {
            report = report.with_label(Label::new(range(*span)).with_message(text));
        }
        if let Some(hint) = &self.hint {
            report = report.with_help(hint);
        }
        let mut out = Vec::new();
        let written = report.finish().write(Cache { sources, texts: Vec::new() }, &mut out);
        if written.is_err() {
            let (line, column) = sources.position(span);
            return format!("{word}: {}:{line}:{column}: {}\n", sources.file(span.file).name, self.message);
        }
        String::from_utf8_lossy(&out).into_owned()
    }

    /// Renders the diagnostic in one line: `file:line:column: error: message`.
    pub fn one_line(&self, sources: &Sources) -> String {
        let word = if self.is_error() { "error" } else { "warning" };
        match self.span {
            None => format!("{word}: {}", self.message),
            Some(span) => {
                let (line, column) = sources.position(span);
                format!("{}:{line}:{column}: {word}: {}", sources.file(span.file).name, self.message)
            }
        }
    }
}

/// Adapter from [`Sources`] to ariadne's cache.
struct Cache<'a> {
    sources: &'a Sources,
    texts: Vec<(FileId, ariadne::Source<String>)>,
}

impl ariadne::Cache<FileId> for Cache<'_> {
    type Storage = String;
    fn fetch(&mut self, id: &FileId) -> Result<&ariadne::Source<String>, impl std::fmt::Debug> {
        let at = match self.texts.iter().position(|(file, _)| file == id) {
            Some(at) => at,
            None => {
                let text = self.sources.file(*id).text.to_string();
                self.texts.push((*id, ariadne::Source::from(text)));
                self.texts.len() - 1
            }
        };
        Ok::<_, std::convert::Infallible>(&self.texts[at].1)
    }
    fn display<'a>(&self, id: &'a FileId) -> Option<impl std::fmt::Display + 'a> {
        Some(self.sources.file(*id).name.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renders_message_position_and_hint() {
        let mut sources = Sources::default();
        let file = sources.add("a.p4", "control c() {\n  apply { x = 1; }\n}\n");
        let span = Span { file, start: 24, end: 25 };
        let text = Diagnostic::error(span, "`x` is not declared").hint("declare it").render(&sources, false);
        assert!(text.contains("`x` is not declared") && text.contains("a.p4:2:11"), "{text}");
        assert!(text.contains("declare it"), "{text}");
        assert_eq!(Diagnostic::warning(span, "odd").one_line(&sources), "a.p4:2:11: warning: odd");
    }

    #[test]
    fn a_span_out_of_range_does_not_panic() {
        let mut sources = Sources::default();
        let file = sources.add("a.p4", "é");
        let text = Diagnostic::error(Span { file, start: 1, end: 900 }, "odd").render(&sources, false);
        assert!(text.contains("odd"));
    }
}
