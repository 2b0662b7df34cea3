//! Text from files, names and programs, made safe to show on a terminal.
//!
//! A terminal obeys control characters (C0, DEL, C1), and bidirectional overrides and invisible characters make a line read
//! differently from what it is. All of these are shown as escapes, `\u{1b}`.

use std::fmt::{self, Display, Write};

/// Whether a character is shown as itself: it has a glyph or is a plain space, and controls nothing.
pub fn is_shown(c: char) -> bool {
    match c {
        ' '..='~' => true,
        '\0'..='\u{9f}' => false,
        // Letters without a glyph (Hangul fillers).
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => false,
        // The standard library knows what is a control, a format, a separator or unassigned. It also escapes a combining mark
        // without a letter before it, therefore the letter.
        _ => {
            let mut text = [b'a'; 5];
            let length = c.encode_utf8(&mut text[1..]).len();
            let text = std::str::from_utf8(&text[..=length]).unwrap_or_default();
            text.escape_debug().nth(1) == Some(c)
        }
    }
}

/// The first character of a text that is not shown as itself.
pub fn first_hidden(text: &str) -> Option<char> {
    text.chars().find(|c| !is_shown(*c))
}

/// A text on one line: what is not shown as itself is escaped.
#[derive(Debug, Clone, Copy)]
pub struct Line<T>(pub T);

/// A text of several lines: line ends and tabs stay, everything else that is not shown as itself is escaped.
#[derive(Debug, Clone, Copy)]
pub struct Lines<T>(pub T);

/// A JSON text: what is not shown as itself is escaped as in a JSON string, so that the value stays the same.
#[derive(Debug, Clone, Copy)]
pub struct Json<T>(pub T);

impl<T: Display> Display for Line<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escaping { out: f, stays: |c| is_shown(c), escape: in_words }, "{}", self.0)
    }
}

impl<T: Display> Display for Lines<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stays = |c| matches!(c, '\n' | '\t') || is_shown(c);
        write!(Escaping { out: f, stays, escape: in_words }, "{}", self.0)
    }
}

impl<T: Display> Display for Json<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Outside of strings JSON has no characters but these.
        let stays = |c| matches!(c, '\n' | '\t' | '\r') || is_shown(c);
        write!(Escaping { out: f, stays, escape: in_json }, "{}", self.0)
    }
}

struct Escaping<'a, 'f> {
    out: &'a mut fmt::Formatter<'f>,
    stays: fn(char) -> bool,
    escape: fn(char, &mut fmt::Formatter<'f>) -> fmt::Result,
}

impl Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut written = 0;
        for (at, c) in text.char_indices().filter(|(_, c)| !(self.stays)(*c)) {
            self.out.write_str(&text[written..at])?;
            (self.escape)(c, self.out)?;
            written = at + c.len_utf8();
        }
        self.out.write_str(&text[written..])
    }
}

fn in_words(c: char, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    match c {
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        c => write!(out, "{}", c.escape_unicode()),
    }
}

fn in_json(c: char, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    c.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(out, "\\u{unit:04x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_all_scripts_are_shown_and_controls_are_not() {
        for c in ['a', 'é', '√', '–', '漢', 'ا', '\u{301}', '×', '─', '😀'] {
            assert!(is_shown(c), "{c}");
        }
        for c in [
            '\0',
            '\n',
            '\t',
            '\r',
            '\u{1b}',
            '\u{7f}',
            '\u{80}',
            '\u{9b}',
            '\u{ad}',
            '\u{200b}',
            '\u{200e}',
            '\u{202e}',
            '\u{2028}',
            '\u{2066}',
            '\u{2069}',
            '\u{3164}',
            '\u{feff}',
            '\u{e0041}',
            '\u{e000}',
        ] {
            assert!(!is_shown(c), "{:x}", u32::from(c));
        }
    }

    #[test]
    fn a_line_stays_one_and_lines_stay_lines() {
        let hostile = "a\u{1b}[31m\u{9b}b\nc\td\u{202e}";
        assert_eq!(Line(hostile).to_string(), "a\\u{1b}[31m\\u{9b}b\\nc\\td\\u{202e}");
        assert_eq!(Lines(hostile).to_string(), "a\\u{1b}[31m\\u{9b}b\nc\td\\u{202e}");
        assert_eq!(Line("\r").to_string(), "\\r");
    }

    #[test]
    fn json_keeps_its_value() {
        let json = "{\"a\": \"\u{9b}\u{202e}\u{7f}\u{e0041} é\"}\n";
        assert_eq!(Json(json).to_string(), "{\"a\": \"\\u009b\\u202e\\u007f\\udb40\\udc41 é\"}\n");
    }
}
