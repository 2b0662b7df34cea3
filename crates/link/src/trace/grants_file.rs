//! A base station's trace as the srsRAN of the Octopus authors reads it.
//!
//! Whole numbers, one a line: the milliseconds of a batch, how many batches there are, and then the bytes granted in each
//! batch. The authors' own files begin with a lead-in that their second line does not count: a second of batches that are
//! all alike, in which the base station starts up. It is left out.

use std::fmt::Write as _;

use thiserror::Error;

use super::grants::{Grants, GrantsError, Stretch};
use super::{is_number, shown, value};

/// The longest batch, in milliseconds.
pub const LONGEST_BATCH: u32 = 60_000;
/// The most lines that are written.
const MOST_BATCHES: u64 = 50_000_000;

/// A base station's trace that cannot be used. The message says what would be right; the reader adds file and line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GrantsFileError {
    /// Too few lines for a trace.
    #[error(
        "the trace of grants has no batch: write the milliseconds of a batch, the number of batches, and then the bytes granted in each, one number a line"
    )]
    Empty,
    /// A line that is not a whole number from 0 on.
    #[error("`{text}` is not a whole number of {what}; write one from 0 to {}", u32::MAX)]
    NotANumber {
        /// The line, from 1.
        line: usize,
        /// What stands there, shortened.
        text: String,
        /// What should.
        what: &'static str,
    },
    /// A batch of no time, or of more than a minute.
    #[error("a batch of {millis} ms; write 1 to {LONGEST_BATCH} ms in the first line")]
    Batch {
        /// The milliseconds written.
        millis: u32,
    },
    /// The second line is not the number of lines that follow.
    #[error("{said} batches are announced, but {found} lines follow; write in the second line how many do")]
    Count {
        /// What the second line says.
        said: u32,
        /// How many there are.
        found: usize,
    },
    /// Its grants make no link.
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
    /// Reads a base station's trace. A batch is spread evenly over its milliseconds.
    ///
    /// Spaces around a number, carriage returns and empty lines at the end are let pass; anything else is an error.
    pub fn parse(text: &[u8]) -> Result<Grants, GrantsFileError> {
        let text = text.trim_ascii_end();
        let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).enumerate();
        let mut next = |what: &'static str| lines.next().map(|(at, line)| number(line, at + 1, what));
        if text.is_empty() {
            return Err(GrantsFileError::Empty);
        }
        let batch = next("milliseconds a batch").ok_or(GrantsFileError::Empty)??;
        if !(1..=LONGEST_BATCH).contains(&batch) {
            return Err(GrantsFileError::Batch { millis: batch });
        }
        let said = next("batches").ok_or(GrantsFileError::Empty)??;
        let mut stretches = Vec::with_capacity(text.len() / 6);
        while let Some(bytes) = next("bytes granted") {
            stretches.push(Stretch { ttis: batch, bytes: u64::from(bytes?) });
        }
        let lead_in = lead_in(batch, said, stretches.len())
            .filter(|batches| stretches[..*batches].windows(2).all(|pair| pair[0] == pair[1]));
        let lead_in = lead_in.ok_or(GrantsFileError::Count { said, found: stretches.len() })?;
        stretches.drain(..lead_in);
        if stretches.is_empty() {
            return Err(GrantsFileError::Empty);
        }
        Ok(Grants::of(stretches)?)
    }

    /// The text that [`parse`](Grants::parse) reads, in batches of `batch` ms (1 to [`LONGEST_BATCH`]); `None` if there
    /// would be more than 50 million. A period that is no multiple of the batch is rounded up to one.
    pub fn to_text(&self, batch: u32) -> Option<String> {
        let batch = u64::from(batch.clamp(1, LONGEST_BATCH));
        let batches = self.period().div_ceil(batch);
        if batches > MOST_BATCHES {
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

/// How many batches of `found` are the lead-in, if the head of the file may stand before so many.
pub(super) fn lead_in(batch: u32, said: u32, found: usize) -> Option<usize> {
    let uncounted = found.checked_sub(said as usize)?;
    let is_a_second = uncounted as u64 * u64::from(batch) == 1_000;
    (uncounted == 0 || is_a_second).then_some(uncounted)
}

fn number(text: &[u8], line: usize, what: &'static str) -> Result<u32, GrantsFileError> {
    let digits = Some(text).filter(|text| is_number(text));
    digits.and_then(value).ok_or_else(|| GrantsFileError::NotANumber { line, text: shown(text), what })
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
        // One that is not constant, or not a second, is no lead-in.
        assert!(refusal("500\n2\n7\n8\n100\n200\n").starts_with("line 2: 2 batches are announced, but 4"));
        assert!(refusal("500\n2\n7\n100\n200\n").starts_with("line 2: 2 batches are announced, but 3"));
    }

    #[test]
    fn each_mistake_is_named_with_its_line() {
        assert_eq!(
            refusal("10\n3\n100\n-5\n7\n"),
            "line 4: `-5` is not a whole number of bytes granted; write one from 0 to 4294967295"
        );
        assert!(refusal("10\n3\n100\nmany\n7\n").starts_with("line 4: `many` is not"));
        assert!(refusal("10\n1\n4294967296\n").starts_with("line 3: `4294967296` is not"));
        assert!(refusal("ten\n1\n5\n").starts_with("line 1: `ten` is not a whole number of milliseconds"));
        assert!(
            refusal("10\nsome\n5\n").starts_with("line 2: `some` is not a whole number of batches"),
            "{}",
            refusal("10\nsome\n5\n")
        );
        assert!(refusal("0\n1\n5\n").starts_with("line 1: a batch of 0 ms; write 1 to 60000 ms"));
        assert_eq!(
            refusal("10\n4\n100\n200\n50\n"),
            "line 2: 4 batches are announced, but 3 lines follow; write in the second line how many do"
        );
        assert!(refusal("10\n2\n0\n0\n").contains("not a single byte is granted"));
        for text in ["", "\n", "10\n", "10\n0\n"] {
            assert!(refusal(text).contains("has no batch"), "{text:?}");
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
        fn what_is_written_is_read_back(
            batch in 1u32..30, grants in prop::collection::vec(0u32..100_000, 1..50),
        ) {
            prop_assume!(grants.iter().any(|bytes| *bytes > 0));
            let lines: String = grants.iter().map(|bytes| format!("{bytes}\n")).collect();
            let text = format!("{batch}\n{}\n{lines}", grants.len());
            prop_assert_eq!(Grants::parse(text.as_bytes()).unwrap().to_text(batch).unwrap(), text);
        }
    }
}
