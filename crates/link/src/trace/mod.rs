//! Recorded capacities: reading, conversion, synthesis and statistics.
//!
//! A [`Trace`] has Mahimahi's format, [`Grants`] that of a base station; a [`Recording`] holds the contents of a file
//! in any supported format. [`Synthesis`] generates a trace from a model.

mod convert;
mod drive_test;
mod grants;
mod grants_file;
mod info;
mod recording;
mod restarts;
mod synthesis;

use std::fmt::Write as _;

use jettison_core::Time;
use thiserror::Error;

pub use convert::ConvertError;
pub use drive_test::{Column, DriveTest, DriveTestError};
pub use grants::{Grants, GrantsError, Stretch};
pub use grants_file::{GrantsFileError, LONGEST_BATCH};
pub use info::TraceInfo;
pub use recording::{Format, Recording, RecordingError};
pub use restarts::Restarts;
pub use synthesis::{Synthesis, SynthesisError};

/// Bytes per opportunity: an IP packet of 1,500 and Mahimahi's 4-byte header.
pub const OPPORTUNITY_BYTES: u32 = 1504;

/// A recorded sequence of delivery opportunities, repeated for ever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// Milliseconds from the start of a round, never decreasing; the last is above zero.
    opportunities: Vec<u32>,
}

/// A trace that cannot be used. The message says what is required; the caller adds file and line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TraceError {
    /// The file has no lines.
    #[error("the trace is empty; write one line per delivery opportunity: its time in milliseconds")]
    Empty,
    /// A line that is not a whole number.
    #[error(
        "`{text}` is not a whole number of milliseconds; write one line per delivery opportunity: its time in milliseconds"
    )]
    NotANumber {
        /// The line, from 1.
        line: usize,
        /// The line's text, shortened.
        text: String,
    },
    /// A timestamp that exceeds 32 bits of milliseconds (49 days).
    #[error("a timestamp must be at most {} ms (49 days), got `{text}`", u32::MAX)]
    TooLate {
        /// The line, from 1.
        line: usize,
        /// The line's text, shortened.
        text: String,
    },
    /// A timestamp smaller than the previous one.
    #[error("timestamps must not decrease: {millis} ms follows {before} ms")]
    Decreasing {
        /// The line, from 1.
        line: usize,
        /// The timestamp there, in milliseconds.
        millis: u32,
        /// The timestamp on the line above, in milliseconds.
        before: u32,
    },
    /// All timestamps are zero: the trace would repeat without progress in time.
    #[error("the last timestamp is the period of the trace and must be > 0 ms, got 0 ms")]
    NoDuration {
        /// The last line, from 1.
        line: usize,
    },
}

impl TraceError {
    /// The line at fault, from 1; `None` for the trace as a whole.
    pub fn line(&self) -> Option<usize> {
        match self {
            TraceError::Empty => None,
            TraceError::NotANumber { line, .. } => Some(*line),
            TraceError::TooLate { line, .. } => Some(*line),
            TraceError::Decreasing { line, .. } => Some(*line),
            TraceError::NoDuration { line, .. } => Some(*line),
        }
    }
}

impl Trace {
    /// Reads a trace: one line per opportunity of up to 1,504 bytes, with its time in milliseconds.
    ///
    /// Accepts spaces around a number, carriage returns and empty lines at the end; anything else is an error.
    pub fn parse(text: &[u8]) -> Result<Trace, TraceError> {
        let text = text.trim_ascii_end();
        if text.is_empty() {
            return Err(TraceError::Empty);
        }
        let mut opportunities = Vec::with_capacity(text.len() / 6);
        let mut before = 0;
        for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
            let millis = timestamp(line.trim_ascii(), index + 1)?;
            if millis < before {
                return Err(TraceError::Decreasing { line: index + 1, millis, before });
            }
            before = millis;
            opportunities.push(millis);
        }
        Trace::from_opportunities(opportunities)
    }

    /// A trace of these timestamps in milliseconds.
    pub fn from_opportunities(opportunities: Vec<u32>) -> Result<Trace, TraceError> {
        if let Some(index) = opportunities.windows(2).position(|pair| pair[1] < pair[0]) {
            let (before, millis) = (opportunities[index], opportunities[index + 1]);
            return Err(TraceError::Decreasing { line: index + 2, millis, before });
        }
        match opportunities.last() {
            None => Err(TraceError::Empty),
            Some(0) => Err(TraceError::NoDuration { line: opportunities.len() }),
            Some(_) => Ok(Trace { opportunities }),
        }
    }

    /// Times of the opportunities in milliseconds from the start of a round, in order.
    pub fn opportunities(&self) -> &[u32] {
        &self.opportunities
    }

    /// Duration of a round in milliseconds: the last timestamp.
    pub fn period_millis(&self) -> u64 {
        self.opportunities.last().map_or(0, |last| u64::from(*last))
    }

    /// Opportunities before `until`, over all rounds from time zero.
    pub fn count_before(&self, until: Time) -> u64 {
        // An opportunity at m ms is before `until` if m is below `until` rounded up.
        let millis = until.as_nanos().div_ceil(1_000_000);
        let Some(last) = millis.checked_sub(1) else {
            return 0;
        };
        let rounds = last / self.period_millis();
        let in_round = millis - rounds * self.period_millis();
        let rest = self.opportunities.partition_point(|at| u64::from(*at) < in_round);
        rounds * self.opportunities.len() as u64 + rest as u64
    }

    /// Writes the format that [`parse`](Trace::parse) reads.
    pub fn to_text(&self) -> String {
        let mut text = String::with_capacity(self.opportunities.len() * 7);
        for millis in &self.opportunities {
            // Writing to a string never fails.
            let _ = writeln!(text, "{millis}");
        }
        text
    }
}

/// Reads one line.
fn timestamp(line: &[u8], number: usize) -> Result<u32, TraceError> {
    if !is_number(line) {
        return Err(TraceError::NotANumber { line: number, text: shown(line) });
    }
    value(line).ok_or_else(|| TraceError::TooLate { line: number, text: shown(line) })
}

/// Whether the text consists of digits only.
fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// The value of a string of digits; `None` if it exceeds 32 bits.
fn value(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0u32, |value, digit| value.checked_mul(10)?.checked_add(u32::from(digit - b'0')))
}

/// The text, shortened for a message.
fn shown(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    match text.char_indices().nth(40) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn refusal(text: &str) -> String {
        let error = Trace::parse(text.as_bytes()).unwrap_err();
        match error.line() {
            Some(line) => format!("line {line}: {error}"),
            None => error.to_string(),
        }
    }

    #[test]
    fn reads_one_timestamp_per_line() {
        let trace = Trace::parse(b"0\n0\n 3 \r\n12\n\n").unwrap();
        assert_eq!(trace.opportunities(), [0, 0, 3, 12]);
        assert_eq!(trace.period_millis(), 12);
        assert_eq!(Trace::parse(b"5").unwrap().opportunities(), [5]);
    }

    #[test]
    fn each_bad_line_is_named() {
        assert!(refusal("1\n2\n7x\n").starts_with("line 3: `7x` is not a whole number"));
        assert!(refusal("1\n-2\n").starts_with("line 2: `-2` is not"));
        assert!(refusal("1\n2.5\n").starts_with("line 2: `2.5` is not"));
        assert!(refusal("1\n\n2\n").starts_with("line 2: `` is not"));
        assert_eq!(refusal("10\n20\n15\n"), "line 3: timestamps must not decrease: 15 ms follows 20 ms");
        assert!(refusal("1\n4294967296\n").starts_with("line 2: a timestamp must be at most"));
        assert!(refusal("0\n0\n").starts_with("line 2: the last timestamp is the period"));
        assert!(refusal("").contains("is empty"));
        assert!(refusal(" \n\n").contains("is empty"));
        assert_eq!(Trace::parse(b"1\n\xff\xfe\n").unwrap_err().line(), Some(2));
    }

    #[test]
    fn a_long_line_is_shortened_in_its_message() {
        assert!(refusal(&format!("1\n{}\n", "é".repeat(5_000))).len() < 200);
    }

    #[test]
    fn the_largest_timestamp_is_accepted() {
        assert_eq!(Trace::parse(b"4294967295").unwrap().period_millis(), 4_294_967_295);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_without_panic(text in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(trace) = Trace::parse(&text) {
                prop_assert!(trace.period_millis() > 0);
                prop_assert!(trace.opportunities().is_sorted());
                let _ = TraceInfo::of(&Recording::Mahimahi(trace));
            }
        }

        #[test]
        fn text_that_is_nearly_a_trace_is_read_or_refused_without_panic(text in "[0-9 \r\n-]{0,60}") {
            match Trace::parse(text.as_bytes()) {
                Ok(trace) => prop_assert!(trace.opportunities().is_sorted()),
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }

        #[test]
        fn a_written_trace_is_read_back(mut times in prop::collection::vec(0u32..100_000, 1..50)) {
            times.sort_unstable();
            prop_assume!(times.last() != Some(&0));
            let text: String = times.iter().map(|t| format!("{t}\n")).collect();
            let trace = Trace::parse(text.as_bytes()).unwrap();
            prop_assert_eq!(trace.opportunities(), &times[..]);
            prop_assert_eq!(trace.to_text(), text);
        }
    }
}
