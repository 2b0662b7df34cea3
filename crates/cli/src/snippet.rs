//! A scenario's errors with the lines of the file that they are about.

use std::fmt;

use jettison_input::file;
use jettison_scenario::{CheckError, Place};

/// Characters shown of a line; of a longer one, those around the place.
const WIDTH: usize = 90;

/// A scenario's errors, each followed by its line of the file, as far as the file can be read.
pub struct WithLines<'a>(pub &'a CheckError);

impl fmt::Display for WithLines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut last: Option<(&str, String)> = None;
        for (number, error) in self.0.errors.iter().enumerate() {
            write!(f, "{}{error}", if number > 0 { "\n" } else { "" })?;
            let Place::Line { file, line, column } = &error.place else { continue };
            if last.as_ref().is_none_or(|(name, _)| name != file) {
                let text = file::read_text(file.as_ref(), file::TEXT).unwrap_or_default();
                last = Some((file, text));
            }
            let source = last.as_ref().and_then(|(_, text)| text.lines().nth(line - 1));
            // The start of the file stands for the whole of it.
            if let Some(source) = source.filter(|_| (*line, *column) != (1, 1)) {
                write!(f, "\n{}", snippet(source, *line, *column))?;
            }
        }
        Ok(())
    }
}

/// A line with its number, and a marker below the word at `column` (from 1).
fn snippet(source: &str, line: usize, column: usize) -> String {
    let characters: Vec<char> = source.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let at = (column - 1).min(characters.len());
    let first = at.saturating_sub(WIDTH / 3).min(characters.len().saturating_sub(WIDTH));
    let first = if characters.len() <= WIDTH { 0 } else { first };
    let shown: String = characters[first..].iter().take(WIDTH).collect();
    let marker = "^".repeat(word(&characters[at..]).min(WIDTH - (at - first)).max(1));
    let gutter = line.to_string();
    let (blank, indent) = (" ".repeat(gutter.len()), " ".repeat(at - first));
    format!("  {gutter} | {}\n  {blank} | {indent}{marker}", shown.trim_end())
}

/// Length of the value or key at the start: a quoted string with its quotes, or else up to a blank or a sign of TOML.
fn word(characters: &[char]) -> usize {
    match characters.first() {
        Some(quote @ ('"' | '\'')) => {
            let close = characters[1..].iter().position(|c| c == quote);
            close.map_or(characters.len(), |close| close + 2)
        }
        _ => characters.iter().take_while(|c| !c.is_whitespace() && !"=,]}".contains(**c)).count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_is_marked() {
        assert_eq!(snippet("rat = \"1 Gbit/s\"", 23, 1), "  23 | rat = \"1 Gbit/s\"\n     | ^^^");
        assert_eq!(snippet("rate = \"1 Gbit\"", 7, 8), "  7 | rate = \"1 Gbit\"\n    |        ^^^^^^^^");
        assert_eq!(snippet("", 7, 3), "  7 | \n    | ^");
    }

    #[test]
    fn of_a_long_line_the_place_is_shown() {
        let source = format!("a = [{}\"wrong\", 3]", "1, ".repeat(100));
        let shown = snippet(&source, 1, 306);
        let lines: Vec<&str> = shown.lines().collect();
        let from = lines[1].find('^').expect("it is marked");
        assert_eq!(&lines[0][from..from + 7], "\"wrong\"");
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH + 8), "{shown}");
    }
}
