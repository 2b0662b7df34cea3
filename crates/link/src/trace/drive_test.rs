//! Drive tests of production networks: CSV files with about one row per second, in the format of the Irish 5G dataset.
//!
//! Raca et al., *Beyond throughput, the next generation: a 5G dataset with channel and context metrics*, MMSys 2020.
//! The reader uses the columns `Timestamp` (`2019.12.16_13.40.04`) and `DL_bitrate` or `UL_bitrate` (kbit/s, 1 kbit =
//! 1,000 bit) and ignores the others.
//!
//! - A rate holds until the next second that has a row; seconds without a row keep the previous rate.
//! - Of several rows in one second the last one holds: the logger repeats the previous rate when only radio
//!   measurements have changed.
//! - The last row holds for one second. Then the recording repeats.
//! - Restarts of the recording's downloads ([`restarts`](super::restarts)) are interpolated unless they are kept.

use jettison_core::Duration;
use thiserror::Error;

use super::grants::{Grants, GrantsError, Stretch};
use super::restarts::{Restarts, Row, interpolate, restarts};
use super::shown;

const TIMESTAMP: &str = "Timestamp";
/// Bytes that 1 kbit/s carries in one second.
const BYTES_OF_KBIT: f64 = 125.0;
/// The largest rate, 1 Tbit/s in kbit/s.
const MAX_KBIT: f64 = 1e9;

/// The direction of a drive test's rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Column {
    /// `DL_bitrate`: towards the phone.
    #[default]
    Downlink,
    /// `UL_bitrate`: from the phone.
    Uplink,
}

/// A drive test that cannot be used. The message says what is required; the caller adds file and line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DriveTestError {
    /// The file has no rows.
    #[error("a drive test must have a header line and at least one row, found no row")]
    Empty,
    /// The header lacks a column.
    #[error("column `{column}` required, found: {found}")]
    NoColumn {
        /// The missing column.
        column: &'static str,
        /// The header, shortened.
        found: String,
    },
    /// The number of fields in a row differs from that of the header.
    #[error("a row must have {required} fields, one per column, got {found}")]
    Fields {
        /// The line, from 1.
        line: usize,
        /// Number of fields in the row.
        found: usize,
        /// Number of fields in the header.
        required: usize,
    },
    /// A field that is not a timestamp.
    #[error("time must have the form 2019.12.16_13.40.04, got `{text}`")]
    Time {
        /// The line, from 1.
        line: usize,
        /// The field, shortened.
        text: String,
    },
    /// A row with an earlier time than the row above.
    #[error("rows must be in order of time: `{text}` precedes the time of the row above")]
    Backwards {
        /// The line, from 1.
        line: usize,
        /// The field.
        text: String,
    },
    /// A field that is not a rate.
    #[error("rate must be 0 to 1000000000 kbit/s, got `{text}`")]
    Rate {
        /// The line, from 1.
        line: usize,
        /// The field, shortened.
        text: String,
    },
    /// The rates are not valid grants.
    #[error(transparent)]
    Grants(#[from] GrantsError),
}

impl DriveTestError {
    /// The line at fault, from 1; `None` for the file as a whole.
    pub fn line(&self) -> Option<usize> {
        match self {
            DriveTestError::Empty | DriveTestError::Grants(_) => None,
            DriveTestError::NoColumn { .. } => Some(1),
            DriveTestError::Fields { line, .. }
            | DriveTestError::Time { line, .. }
            | DriveTestError::Backwards { line, .. }
            | DriveTestError::Rate { line, .. } => Some(*line),
        }
    }
}

impl Column {
    /// Its name in the header.
    pub fn name(self) -> &'static str {
        match self {
            Column::Downlink => "DL_bitrate",
            Column::Uplink => "UL_bitrate",
        }
    }
}

/// The rates of a drive test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriveTest {
    /// The rates as grants per millisecond.
    pub grants: Grants,
    /// Number of recognised restarts of the recording's downloads.
    pub restarts: u64,
    /// Time from their first rows near zero to the next rows.
    pub restarting: Duration,
    /// What became of them.
    pub handling: Restarts,
}

impl DriveTest {
    /// Reads the rates of one direction.
    ///
    /// # Errors
    /// With the line at fault.
    pub fn parse(text: &[u8], column: Column, handling: Restarts) -> Result<DriveTest, DriveTestError> {
        let mut rows = rows(text, column)?;
        let found = restarts(&rows);
        if handling == Restarts::Interpolate {
            interpolate(&mut rows, &found);
        }
        let restarting = found.iter().map(|at| rows[at.end].second - rows[at.start].second).sum();
        let next = rows.iter().skip(1).map(|row| Some(row.second)).chain([None]);
        let stretches = rows.iter().zip(next).map(|(row, next)| {
            // The last row holds for a second.
            held_for(row.bytes, next.map_or(1, |next| next - row.second))
        });
        Ok(DriveTest {
            grants: Grants::of(stretches.collect::<Result<Vec<Stretch>, GrantsError>>()?)?,
            restarts: found.len() as u64,
            restarting: Duration::from_secs(restarting),
            handling,
        })
    }
}

/// The rows of one direction, one for each second that has any.
fn rows(text: &[u8], column: Column) -> Result<Vec<Row>, DriveTestError> {
    let text = text.trim_ascii_end();
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).enumerate();
    let (_, heading) = lines.next().filter(|_| !text.is_empty()).ok_or(DriveTestError::Empty)?;
    // Files saved on Windows may begin with a byte order mark.
    let heading = heading.strip_prefix(b"\xef\xbb\xbf").unwrap_or(heading);
    let place = |name: &'static str| {
        let at = fields(heading).position(|field| field == name.as_bytes());
        at.ok_or_else(|| DriveTestError::NoColumn { column: name, found: shown(heading) })
    };
    let (time_at, rate_at) = (place(TIMESTAMP)?, place(column.name())?);
    let required = fields(heading).count();

    let mut rows: Vec<Row> = Vec::with_capacity(text.len() / 120);
    for (index, row) in lines {
        let line = index + 1;
        let found = fields(row).count();
        if found != required {
            return Err(DriveTestError::Fields { line, found, required });
        }
        let field = |at| fields(row).nth(at).unwrap_or_default();
        let (time, rate) = (field(time_at), field(rate_at));
        let second = second(time).ok_or_else(|| DriveTestError::Time { line, text: shown(time) })?;
        let bytes = bytes(rate).ok_or_else(|| DriveTestError::Rate { line, text: shown(rate) })?;
        match rows.last_mut() {
            Some(last) if last.second > second => {
                return Err(DriveTestError::Backwards { line, text: shown(time) });
            }
            Some(last) if last.second == second => last.bytes = bytes,
            _ => rows.push(Row { second, bytes }),
        }
    }
    if rows.is_empty() { Err(DriveTestError::Empty) } else { Ok(rows) }
}

/// A stretch of `bytes` per second for a number of seconds.
fn held_for(bytes: u64, seconds: u64) -> Result<Stretch, GrantsError> {
    let ttis = seconds.checked_mul(1_000).and_then(|millis| u32::try_from(millis).ok());
    let ttis = ttis.ok_or(GrantsError::TooLong)?;
    // At most 1.25e11 bytes per second, for 4.3 million seconds.
    Ok(Stretch { ttis, bytes: bytes * seconds })
}

fn fields(row: &[u8]) -> impl Iterator<Item = &[u8]> {
    row.split(|byte| *byte == b',').map(<[u8]>::trim_ascii)
}

/// Bytes per second of a rate in kbit/s.
fn bytes(text: &[u8]) -> Option<u64> {
    // Excludes other formats that the standard library accepts as numbers ("inf", "1e3").
    let plain = text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    let text = std::str::from_utf8(text).ok().filter(|_| plain)?;
    let kbit: f64 = text.parse().ok()?;
    (0.0..=MAX_KBIT).contains(&kbit).then_some((kbit * BYTES_OF_KBIT).round() as u64)
}

/// Seconds from the year 0 to a timestamp such as `2019.12.16_13.40.04`.
fn second(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    let (date, clock) = text.split_once('_')?;
    let [year, month, day] = three(date)?;
    let [hour, minute, second] = three(clock)?;
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let of_month = match month {
        2 => 28 + u64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    let sound = (1..=9999).contains(&year) && (1..=of_month).contains(&day);
    if !sound || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    // Count years from March, so that the leap day is the last of a year: 30.6 days per month on average, rounded.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

/// Parses three numbers separated by dots.
fn three(text: &str) -> Option<[u64; 3]> {
    let mut parts = text.split('.').map(|part| {
        let plain = !part.is_empty() && part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse().ok().filter(|_| plain)
    });
    let numbers = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(numbers)
}

#[cfg(test)]
#[path = "drive_test_tests.rs"]
mod tests;
