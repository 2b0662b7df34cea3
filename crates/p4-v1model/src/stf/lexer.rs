//! Lexer: lines and their words.

use jettison_p4_front::source::{FileId, Span};

/// A line of a test without its comment, and its offset in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    pub text: &'a str,
    pub file: FileId,
    pub start: usize,
}

/// Non-empty lines of a text.
pub(super) fn lines(text: &str, file: FileId) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    text.split_inclusive('\n').filter_map(move |whole| {
        let at = start;
        start += whole.len();
        let ends = [whole.find('#'), whole.find("//")].into_iter().flatten().min().unwrap_or(whole.len());
        let said = &whole[..ends];
        let indented = said.len() - said.trim_start().len();
        let text = said.trim();
        (!text.is_empty()).then_some(Line { text, file, start: at + indented })
    })
}

impl<'a> Line<'a> {
    /// Span of the line's bytes `from..to`.
    pub fn span(&self, from: usize, to: usize) -> Span {
        let place = |at: usize| u32::try_from(self.start + at).unwrap_or(u32::MAX);
        Span { file: self.file, start: place(from), end: place(to) }
    }

    /// Span of the whole line.
    pub fn whole(&self) -> Span {
        self.span(0, self.text.len())
    }

    /// Splits off the first word.
    pub fn split_word(self) -> (&'a str, Line<'a>) {
        let ends = self.text.find(char::is_whitespace).unwrap_or(self.text.len());
        let rest = &self.text[ends..];
        let blanks = rest.len() - rest.trim_start().len();
        let start = self.start + ends + blanks;
        (&self.text[..ends], Line { text: rest.trim_start(), start, ..self })
    }
}

/// A token of a table command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name or number, including brackets with their content.
    Word(&'a str),
    /// One of `( ) , : / = == != < <= > >= &&& -> ..`
    Sign(&'static str),
}

/// Signs; longer ones come before their prefixes.
const SIGNS: [&str; 15] = ["&&&", "->", "..", "==", "!=", "<=", ">=", "<", ">", "=", "(", ")", ",", ":", "/"];

/// Tokens of a line with their positions. An unknown character is a word of its own.
pub(super) fn tokens<'a>(line: &Line<'a>) -> Vec<(Token<'a>, Span)> {
    let text = line.text;
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        if next.is_whitespace() {
            at += next.len_utf8();
            continue;
        }
        let (token, length) = match sign(&text[at..]) {
            Some(sign) => (Token::Sign(sign), sign.len()),
            None => {
                let (word, length) = word(&text[at..]);
                (Token::Word(word), length)
            }
        };
        tokens.push((token, line.span(at, at + length)));
        at += length;
    }
    tokens
}

fn sign(text: &str) -> Option<&'static str> {
    SIGNS.into_iter().find(|sign| text.starts_with(sign))
}

/// Word at the start of a text without quotes, and its length in bytes.
fn word(text: &str) -> (&str, usize) {
    if let Some(quoted) = text.strip_prefix('"')
        && let Some(end) = quoted.find('"')
    {
        return (&quoted[..end], end + 2);
    }
    let mut depth = 0u32;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ if c.is_whitespace() => return (&text[..at], at),
            _ if depth == 0 && at > 0 && sign(&text[at..]).is_some() => return (&text[..at], at),
            _ => {}
        }
    }
    (text, text.len())
}
