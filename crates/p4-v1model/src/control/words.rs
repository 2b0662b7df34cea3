//! Words of one line of a command file.

use std::ops::RangeInclusive;

use super::Names;
use super::values::{key_match, parse_value};
use jettison_p4_front::diagnostic::Diagnostic;
use jettison_p4_front::ir::{KeyMatch, MatchKind, Program, TableId, TypeId};
use jettison_p4_front::source::{FileId, Span};

/// A word and its position.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'a> {
    pub text: &'a str,
    pub span: Span,
}

/// Reader of the words of a line.
pub(super) struct Words<'a> {
    words: Vec<Word<'a>>,
    at: usize,
    /// Usage of the command.
    pub usage: &'static str,
    pub program: &'a Program,
    pub names: Names<'a>,
}

impl<'a> Words<'a> {
    /// Splits a line, which starts at byte `start` of its file, into words up to a comment.
    pub fn new(line: &'a str, file: FileId, start: usize, program: &'a Program) -> Words<'a> {
        let mut words = Vec::new();
        let mut rest = line;
        loop {
            let trimmed = rest.trim_start();
            if trimmed.is_empty() || trimmed.starts_with('#') || trimmed.starts_with("//") {
                break;
            }
            let end = trimmed.find(char::is_whitespace).unwrap_or(trimmed.len());
            let from = start + (line.len() - trimmed.len());
            let span = Span { file, start: from as u32, end: (from + end) as u32 };
            words.push(Word { text: &trimmed[..end], span });
            rest = &trimmed[end..];
        }
        Words { words, at: 0, usage: "", program, names: Names::new(program) }
    }

    pub fn peek(&self) -> Option<Word<'a>> {
        self.words.get(self.at).copied()
    }

    pub fn take(&mut self) -> Option<Word<'a>> {
        let word = self.peek()?;
        self.at += 1;
        Some(word)
    }

    /// Number of words left.
    pub fn left(&self) -> usize {
        self.words.len() - self.at
    }

    /// Span from the first word to the last.
    pub fn span(&self) -> Option<Span> {
        Some(self.words.first()?.span.to(self.words.last()?.span))
    }

    /// Error at a word, with the usage as a hint.
    pub fn error(&self, word: Word<'_>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(word.span, message).hint(self.usage)
    }

    /// Reads the next word; a missing one is reported as `kind_name`.
    pub fn next(&mut self, item_name: &str) -> Result<Word<'a>, Diagnostic> {
        match self.take() {
            Some(word) => Ok(word),
            None => {
                let last = self.words[self.words.len() - 1];
                let end = Span { start: last.span.end.saturating_sub(1), ..last.span };
                let message = format!("missing {item_name}");
                Err(Diagnostic::error(end, message).label("expected after this").hint(self.usage))
            }
        }
    }

    /// Checks that no words are left.
    pub fn end(&self) -> Result<(), Diagnostic> {
        match self.peek() {
            None => Ok(()),
            Some(word) => Err(self.error(word, format!("unexpected argument `{}`", word.text))),
        }
    }

    /// Reads the next word and converts it.
    pub fn read<T>(
        &mut self,
        item_name: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, Diagnostic> {
        let word = self.next(item_name)?;
        read(word.text).map_err(|message| self.error(word, message))
    }

    /// Reads a number in a range.
    pub fn number(&mut self, item_name: &str, range: RangeInclusive<u64>) -> Result<u64, Diagnostic> {
        self.read(item_name, |text| number(text, item_name, range))
    }

    /// Reads a number of 32 bits: a handle or a session.
    pub fn number32(&mut self, item_name: &str) -> Result<u32, Diagnostic> {
        self.number(item_name, 0..=u64::from(u32::MAX)).map(|number| number as u32)
    }

    /// Reads a number of 16 bits: a port or a multicast group.
    pub fn number16(&mut self, item_name: &str) -> Result<u16, Diagnostic> {
        self.number(item_name, 0..=u64::from(u16::MAX)).map(|number| number as u16)
    }

    /// Reads a value of a type.
    pub fn value(&mut self, item_name: &str, ty: TypeId) -> Result<num_bigint::BigUint, Diagnostic> {
        let types = &self.program.types;
        self.read(item_name, |text| parse_value(text, ty, types))
    }

    /// Reads the keys of an entry, and the arrow after them.
    pub fn keys(&mut self, table: TableId) -> Result<Vec<KeyMatch>, Diagnostic> {
        let program = self.program;
        let table = &program.tables[table.index()];
        let keys = table.keys.iter().filter(|key| key.kind != MatchKind::Selector);
        let mut matches = Vec::new();
        for key in keys.clone() {
            let item_name = format!("key `{}`", key.name);
            match self.peek() {
                Some(word) if word.text == "=>" => {
                    let names: Vec<String> =
                        keys.clone().map(|key| format!("{} ({})", key.name, kind_name(key.kind))).collect();
                    let message = format!(
                        "missing {item_name}: the keys of table `{}` are {}",
                        table.name,
                        names.join(", ")
                    );
                    return Err(self.error(word, message));
                }
                _ => {}
            }
            let (kind, ty) = (key.kind, key.expr.ty);
            let read = |text: &str| {
                key_match(text, kind, ty, &program.types).map_err(|message| format!("{item_name}: {message}"))
            };
            matches.push(self.read(&item_name, read)?);
        }
        let arrow = self.next("`=>` after the keys")?;
        if arrow.text != "=>" {
            let message = match matches.len() {
                0 => format!("expected `=>`: table `{}` has no keys", table.name),
                count => {
                    format!("expected `=>`: table `{}` has {count} key{}", table.name, plural(count))
                }
            };
            return Err(self.error(arrow, message));
        }
        Ok(matches)
    }

    /// Reads the data of a table's action.
    pub fn data(&mut self, table: TableId, action: u32) -> Result<Vec<num_bigint::BigUint>, Diagnostic> {
        let program = self.program;
        let action = &program.tables[table.index()].actions[action as usize];
        let mut data = Vec::with_capacity(action.data.len());
        for (name, variable) in &action.data {
            let item_name = format!("`{name}` of action `{}`", action.name);
            let ty = program.variables[variable.index()].ty;
            let read = |text: &str| {
                parse_value(text, ty, &program.types).map_err(|message| format!("{item_name}: {message}"))
            };
            data.push(self.read(&item_name, read)?);
        }
        Ok(data)
    }

    /// Reads the priority of an entry, if the table has priorities. In `simple_switch` the smallest wins, in tables the
    /// largest, so the sign changes.
    pub fn priority(&mut self, table: TableId) -> Result<i64, Diagnostic> {
        let keys = &self.program.tables[table.index()].keys;
        let wanted = |kind| matches!(kind, MatchKind::Ternary | MatchKind::Range | MatchKind::Optional);
        if !keys.iter().any(|key| wanted(key.kind)) {
            return Ok(0);
        }
        let priority = self.number("priority (the smallest wins)", 0..=u64::from(u32::MAX))?;
        Ok(-(priority as i64))
    }
}

/// Parses a decimal or hexadecimal number in a range.
pub(super) fn number(text: &str, item_name: &str, range: RangeInclusive<u64>) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            u64::from_str_radix(digits, 16).ok()
        }
        None if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok(),
        _ => None,
    };
    parsed.filter(|number| range.contains(number)).ok_or_else(|| {
        format!("the {item_name} must be a number from {} to {}, got `{text}`", range.start(), range.end())
    })
}

fn kind_name(kind: MatchKind) -> &'static str {
    match kind {
        MatchKind::Exact => "exact",
        MatchKind::Lpm => "lpm",
        MatchKind::Ternary => "ternary",
        MatchKind::Range => "range",
        MatchKind::Optional => "optional",
        MatchKind::Selector => "selector",
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
