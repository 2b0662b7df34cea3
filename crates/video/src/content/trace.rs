//! Lines of numbers, as all video traces have them, and what is wrong in them.

use std::str::{FromStr, Lines};

pub(super) use jettison_sockets::FileError;

/// The lines of a trace that are not empty.
pub(super) struct Rows<'a> {
    lines: std::iter::Enumerate<Lines<'a>>,
}

/// A line of it.
pub(super) struct Row<'a> {
    /// Its number, from 1.
    pub(super) line: usize,
    values: Vec<&'a str>,
    columns: &'static [&'static str],
}

impl<'a> Rows<'a> {
    /// The lines of `content`.
    pub(super) fn new(content: &'a [u8]) -> Result<Rows<'a>, FileError> {
        let text = std::str::from_utf8(content).map_err(|error| {
            let before = content.get(..error.valid_up_to()).unwrap_or_default();
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            FileError::at(line, "is not UTF-8 text")
        })?;
        Ok(Rows { lines: text.trim_start_matches('\u{feff}').lines().enumerate() })
    }

    /// The first line, which says how the rest is made up.
    pub(super) fn header(&mut self, columns: &'static [&'static str]) -> Result<Row<'a>, FileError> {
        let missing =
            || FileError::at(None, format!("is empty; begin with the line `{}`", columns.join(" ")));
        self.row(columns).unwrap_or_else(|| Err(missing()))
    }

    /// The next line, if there is one, with a value for each of `columns`.
    pub(super) fn row(&mut self, columns: &'static [&'static str]) -> Option<Result<Row<'a>, FileError>> {
        let (place, text) = self.lines.by_ref().find(|(_, text)| !text.trim().is_empty())?;
        let row = Row { line: place + 1, values: text.split_whitespace().collect(), columns };
        let count = row.values.len();
        Some(match count == columns.len() {
            true => Ok(row),
            false => {
                let message =
                    format!("has {count} of {} values; write `{}`", columns.len(), columns.join(" "));
                Err(row.error(message))
            }
        })
    }
}

impl Row<'_> {
    /// An error in this line.
    pub(super) fn error(&self, message: impl Into<String>) -> FileError {
        FileError::at(self.line, message)
    }

    /// The whole number in that column.
    pub(super) fn whole(&self, column: usize, least: u64, most: u64) -> Result<u64, FileError> {
        self.value(column, least, most, "a whole number")
    }

    /// The number in that column.
    pub(super) fn number(&self, column: usize, least: f64, most: f64) -> Result<f64, FileError> {
        self.value(column, least, most, "a number")
    }

    fn value<T>(&self, column: usize, least: T, most: T, kind: &str) -> Result<T, FileError>
    where
        T: FromStr + PartialOrd + std::fmt::Display,
    {
        let text = self.values.get(column).copied().unwrap_or_default();
        match text.parse::<T>() {
            // What is not a number is in no range.
            Ok(value) if value >= least && value <= most => Ok(value),
            _ => {
                let name = self.columns.get(column).copied().unwrap_or_default();
                Err(self.error(format!("{name} is `{text}`; write {kind} from {least} to {most}")))
            }
        }
    }
}

/// Longest group of pictures.
pub(super) const MOST_GOP: u64 = 1_000;
/// Most layers: as many as there are thresholds for them in the Octopus header.
pub(super) const MOST_LAYERS: u64 = 8;
/// Most frames.
pub(super) const MOST_FRAMES: u64 = 10_000_000;
/// Largest layer of a frame.
pub(super) const MOST_BYTES: u64 = 1_000_000_000;
/// Highest bitrate in kbit/s.
pub(super) const MOST_KBIT: u64 = 1_000_000_000;
/// SSIM in dB, from that of an SSIM of −1.
pub(super) const SSIM_DB: (f64, f64) = (-3.02, super::ssim::MOST_DB);

/// What a frame that is not the next one says.
pub(super) fn out_of_order(row: &Row<'_>, given: &[u64], expected: &[u64], names: &[&str]) -> FileError {
    let say = |numbers: &[u64]| {
        let each: Vec<String> =
            names.iter().zip(numbers).map(|(name, number)| format!("{name} {number}")).collect();
        each.join(", ")
    };
    let why = match given.first() < expected.first() {
        true => "frames count up from 0",
        false => "something is missing before it",
    };
    row.error(format!("is of {}, but {} was to come: {why}", say(given), say(expected)))
}
