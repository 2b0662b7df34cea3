//! Base station traces in the format of the Octopus authors' srsRAN.
//!
//! Whole numbers, one per line: milliseconds per batch, number of batches, and the bytes granted in each batch. The
//! authors' own files begin with a lead-in that their second line does not count: one second of identical batches,
//! while the base station starts up. The reader skips it.

use std::fmt::Write as _;

use thiserror::Error;

use super::grants::{Grants, GrantsError, Stretch};
use super::{is_number, shown, value};

/// The longest batch in milliseconds.
pub const LONGEST_BATCH: u32 = 60_000;
/// The maximum number of lines written.
const MAX_BATCHES: u64 = 50_000_000;

/// A base station trace that cannot be used. The message says what is required; the caller adds file and line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GrantsFileError {
    /// Fewer lines than a trace requires.
    #[error(
        "a trace of grants must have at least one batch, found none; write one number per line: milliseconds per batch, number of batches, bytes granted in each batch"
    )]
    Empty,
    /// A line that is not a whole number.
    #[error("{quantity} must be a whole number from 0 to {}, got `{text}`", u32::MAX)]
    NotANumber {
        /// The line, from 1.
        line: usize,
        /// The line's text, shortened.
        text: String,
        /// The quantity that the line must contain.
        quantity: &'static str,
    },
    /// A batch length of zero or more than a minute.
    #[error("the batch length in the first line must be 1 to {LONGEST_BATCH} ms, got {millis} ms")]
    Batch {
        /// The batch length found, in milliseconds.
        millis: u32,
    },
    /// The second line does not match the number of lines that follow.
    #[error(
        "the second line must be the number of batches that follow, got {announced}, found {found} lines"
    )]
    Count {
        /// The number in the second line.
        announced: u32,
        /// The number of lines that follow.
        found: usize,
    },
    /// The grants are not usable.
    #[error(transparent)]
    Grants(#[from] GrantsError),
}

impl GrantsFileError {
    /// The line at fault, from 1; `None` for the trace as a whole.
    pub fn line(&self) -> Option<usize> {
        match self {
            GrantsFileError::Empty | GrantsFileError::Grants(_) => None,
            GrantsFileError::NotANumber { line, .. } => Some(*line),
            GrantsFileError::Batch { .. } => Some(1),
            GrantsFileError::Count { .. } => Some(2),
        }
    }
}

impl Grants {
    /// Reads a base station trace. The bytes of a batch are spread evenly over its milliseconds.
    ///
    /// Accepts spaces around a number, carriage returns and empty lines at the end; anything else is an error.
    pub fn parse(text: &[u8]) -> Result<Grants, GrantsFileError> {
        let text = text.trim_ascii_end();
        let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).enumerate();
        let mut next = |quantity: &'static str| lines.next().map(|(at, line)| number(line, at + 1, quantity));
        if text.is_empty() {
            return Err(GrantsFileError::Empty);
        }
        let batch = next("milliseconds per batch").ok_or(GrantsFileError::Empty)??;
        if !(1..=LONGEST_BATCH).contains(&batch) {
            return Err(GrantsFileError::Batch { millis: batch });
        }
        let announced = next("number of batches").ok_or(GrantsFileError::Empty)??;
        let mut stretches = Vec::with_capacity(text.len() / 6);
        while let Some(bytes) = next("bytes granted") {
            stretches.push(Stretch { ttis: batch, bytes: u64::from(bytes?) });
        }
        let lead_in = lead_in(batch, announced, stretches.len())
            .filter(|batches| stretches[..*batches].windows(2).all(|pair| pair[0] == pair[1]));
        let lead_in = lead_in.ok_or(GrantsFileError::Count { announced, found: stretches.len() })?;
        stretches.drain(..lead_in);
        if stretches.is_empty() {
            return Err(GrantsFileError::Empty);
        }
        Ok(Grants::of(stretches)?)
    }

    /// Writes the format that [`parse`](Grants::parse) reads, in batches of `batch` ms (1 to [`LONGEST_BATCH`]);
    /// `None` if it would have more than 50 million. The period is rounded up to a multiple of the batch.
    pub fn to_text(&self, batch: u32) -> Option<String> {
        let batch = u64::from(batch.clamp(1, LONGEST_BATCH));
        let batches = self.period().div_ceil(batch);
        if batches > MAX_BATCHES {
            return None;
        }
        let mut text = format!("{batch}\n{batches}\n");
        let mut before = 0;
        for number in 1..=batches {
            let until = self.granted_before((number * batch).min(self.period()));
            // Writing to a string never fails.
            let _ = writeln!(text, "{}", until - before);
            before = until;
        }
        Some(text)
    }
}

/// Number of lead-in batches among `found`, if `announced` batches and a valid lead-in add up to it.
pub(super) fn lead_in(batch: u32, announced: u32, found: usize) -> Option<usize> {
    let uncounted = found.checked_sub(announced as usize)?;
    let is_a_second = uncounted as u64 * u64::from(batch) == 1_000;
    (uncounted == 0 || is_a_second).then_some(uncounted)
}

fn number(text: &[u8], line: usize, quantity: &'static str) -> Result<u32, GrantsFileError> {
    let digits = Some(text).filter(|text| is_number(text));
    digits.and_then(value).ok_or_else(|| GrantsFileError::NotANumber { line, text: shown(text), quantity })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn refusal(text: &str) -> String {
        let error = Grants::parse(text.as_bytes()).unwrap_err();
        match error.line() {
            Some(line) => format!("line {line}: {error}"),
            None => error.to_string(),
        }
    }

    #[test]
    fn reads_the_bytes_of_each_batch() {
        let grants = Grants::parse(b"10\r\n3\n14500\n 0 \n25\n\n").unwrap();
        assert_eq!((grants.period(), grants.total()), (30, 14_525));
        assert_eq!(grants.granted_before(1), 1_450);
        assert_eq!(grants.granted_before(24), 14_500 + 10);
    }

    #[test]
    fn a_lead_in_of_a_second_is_left_out() {
        let grants = Grants::parse(b"500\n2\n7\n7\n100\n200\n").unwrap();
        assert_eq!((grants.period(), grants.total()), (1_000, 300));
        // A lead-in must be constant and last one second.
        assert!(refusal("500\n2\n7\n8\n100\n200\n").starts_with(
            "line 2: the second line must be the number of batches that follow, got 2, found 4"
        ));
        assert!(refusal("500\n2\n7\n100\n200\n").starts_with(
            "line 2: the second line must be the number of batches that follow, got 2, found 3"
        ));
    }

    #[test]
    fn each_error_names_its_line() {
        assert_eq!(
            refusal("10\n3\n100\n-5\n7\n"),
            "line 4: bytes granted must be a whole number from 0 to 4294967295, got `-5`"
        );
        assert!(refusal("10\n3\n100\nmany\n7\n").ends_with("got `many`"));
        assert!(refusal("10\n1\n4294967296\n").ends_with("got `4294967296`"));
        assert!(refusal("ten\n1\n5\n").starts_with("line 1: milliseconds per batch must be a whole number"));
        assert!(
            refusal("10\nsome\n5\n").starts_with("line 2: number of batches must be a whole number"),
            "{}",
            refusal("10\nsome\n5\n")
        );
        assert!(
            refusal("0\n1\n5\n")
                .starts_with("line 1: the batch length in the first line must be 1 to 60000 ms, got 0 ms")
        );
        assert_eq!(
            refusal("10\n4\n100\n200\n50\n"),
            "line 2: the second line must be the number of batches that follow, got 4, found 3 lines"
        );
        assert!(refusal("10\n2\n0\n0\n").contains("must grant at least 1 byte"));
        for text in ["", "\n", "10\n", "10\n0\n"] {
            assert!(refusal(text).contains("found none"), "{text:?}");
        }
    }

    #[test]
    fn is_written_in_batches_of_any_length() {
        let grants = Grants::parse(b"10\n3\n14500\n0\n25\n").unwrap();
        assert_eq!(grants.to_text(10).unwrap(), "10\n3\n14500\n0\n25\n");
        assert_eq!(grants.to_text(20).unwrap(), "20\n2\n14500\n25\n");
        let long = Grants::of([Stretch { ttis: u32::MAX, bytes: 1 }]).unwrap();
        assert_eq!(long.to_text(1), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_without_panic(text in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Grants::parse(&text);
        }

        #[test]
        fn written_traces_are_read_back(
            batch in 1u32..30, grants in prop::collection::vec(0u32..100_000, 1..50),
        ) {
            prop_assume!(grants.iter().any(|bytes| *bytes > 0));
            let lines: String = grants.iter().map(|bytes| format!("{bytes}\n")).collect();
            let text = format!("{batch}\n{}\n{lines}", grants.len());
            prop_assert_eq!(Grants::parse(text.as_bytes()).unwrap().to_text(batch).unwrap(), text);
        }
    }
}
