//! Rows of numbers, the common format of video traces, and their errors.

use std::str::{FromStr, Lines};

pub(super) use jettison_sockets::FileError;

/// Lines of a trace that are neither empty nor comments, which begin with `#`.
pub(super) struct Rows<'a> {
    lines: std::iter::Enumerate<Lines<'a>>,
}

/// One line.
pub(super) struct Row<'a> {
    /// Line number, from 1.
    pub(super) line: usize,
    values: Vec<&'a str>,
    columns: &'static [&'static str],
}

impl<'a> Rows<'a> {
    /// Reads the lines of `content`.
    pub(super) fn new(content: &'a [u8]) -> Result<Rows<'a>, FileError> {
        let text = std::str::from_utf8(content).map_err(|error| {
            let before = content.get(..error.valid_up_to()).unwrap_or_default();
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            FileError::at(line, "must be UTF-8 text")
        })?;
        Ok(Rows { lines: text.trim_start_matches('\u{feff}').lines().enumerate() })
    }

    /// Returns the first line, which describes the structure of the file.
    pub(super) fn header(&mut self, columns: &'static [&'static str]) -> Result<Row<'a>, FileError> {
        let missing = || {
            FileError::at(
                None,
                format!("must start with the line `{}`, got an empty file", columns.join(" ")),
            )
        };
        self.row(columns).unwrap_or_else(|| Err(missing()))
    }

    /// Returns the next line, if any, with one value per column of `columns`.
    pub(super) fn row(&mut self, columns: &'static [&'static str]) -> Option<Result<Row<'a>, FileError>> {
        let counts = |text: &str| !text.trim().is_empty() && !text.trim_start().starts_with('#');
        let (place, text) = self.lines.by_ref().find(|(_, text)| counts(text))?;
        let row = Row { line: place + 1, values: text.split_whitespace().collect(), columns };
        let count = row.values.len();
        Some(match count == columns.len() {
            true => Ok(row),
            false => {
                let message =
                    format!("must have {} values (`{}`), got {count}", columns.len(), columns.join(" "));
                Err(row.error(message))
            }
        })
    }
}

impl Row<'_> {
    /// Returns an error at this line.
    pub(super) fn error(&self, message: impl Into<String>) -> FileError {
        FileError::at(self.line, message)
    }

    /// Returns the text in a column.
    pub(super) fn text(&self, column: usize) -> &str {
        self.values.get(column).copied().unwrap_or_default()
    }

    /// Parses the integer in a column.
    pub(super) fn whole(&self, column: usize, least: u64, most: u64) -> Result<u64, FileError> {
        self.value(column, least, most, "an integer")
    }

    /// Parses the number in a column.
    pub(super) fn number(&self, column: usize, least: f64, most: f64) -> Result<f64, FileError> {
        self.value(column, least, most, "a number")
    }

    fn value<T>(&self, column: usize, least: T, most: T, kind: &str) -> Result<T, FileError>
    where
        T: FromStr + PartialOrd + std::fmt::Display,
    {
        let text = self.values.get(column).copied().unwrap_or_default();
        match text.parse::<T>() {
            // NaN is outside every range.
            Ok(value) if value >= least && value <= most => Ok(value),
            _ => {
                let name = self.columns.get(column).copied().unwrap_or_default();
                Err(self.error(format!("{name} must be {kind} in [{least}, {most}], got `{text}`")))
            }
        }
    }
}

/// Maximum length of a group of pictures.
pub(super) const MOST_GOP: u64 = 1_000;
/// Maximum number of layers: the number of thresholds in the Octopus header.
pub(super) const MOST_LAYERS: u64 = 8;
/// Maximum number of frames.
pub(super) const MOST_FRAMES: u64 = 10_000_000;
/// Maximum size of a layer of a frame.
pub(super) const MOST_BYTES: u64 = 1_000_000_000;
/// Maximum bitrate in kbit/s.
pub(super) const MOST_KBIT: u64 = 1_000_000_000;
/// Range of SSIM in dB, from that of an SSIM of −1.
pub(super) const SSIM_DB: (f64, f64) = (-3.02, super::ssim::MOST_DB);

/// Returns the error of a line that is not the next one in order.
pub(super) fn out_of_order(row: &Row<'_>, given: &[u64], expected: &[u64], names: &[&str]) -> FileError {
    let describe = |numbers: &[u64]| {
        let each: Vec<String> =
            names.iter().zip(numbers).map(|(name, number)| format!("{name} {number}")).collect();
        each.join(", ")
    };
    let why = match given.first() < expected.first() {
        true => "frames must be in ascending order from 0",
        false => "a line is missing before it",
    };
    row.error(format!("must be {}, got {}: {why}", describe(expected), describe(given)))
}
