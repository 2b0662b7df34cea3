//! A recorded capacity in whichever form a file has it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::drive_test::{Column, DriveTestError};
use super::grants::Grants;
use super::grants_file::{GrantsFileError, lead_in};
use super::{ConvertError, OPPORTUNITY_BYTES, Trace, TraceError, is_number, value};

/// The form of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(title = "trace format")]
pub enum Format {
    /// A line an opportunity: its millisecond.
    Mahimahi,
    /// A base station's grants: milliseconds of a batch, number of batches, bytes of each batch.
    Srsran,
    /// A drive test: rows with a time and a rate in kbit/s.
    Csv,
}

/// What stands in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recording {
    /// Opportunities.
    Mahimahi(Trace),
    /// A base station's grants.
    Srsran(Grants),
    /// The rates of a drive test, as grants.
    Csv(Grants),
}

/// A file that cannot be used. The message says what would be right; the reader adds file and line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RecordingError {
    /// No trace of opportunities.
    #[error(transparent)]
    Mahimahi(#[from] TraceError),
    /// No grants.
    #[error(transparent)]
    Srsran(#[from] GrantsFileError),
    /// No drive test.
    #[error(transparent)]
    Csv(#[from] DriveTestError),
}

impl RecordingError {
    /// The line at fault, from 1; `None` for the file as a whole.
    pub fn line(&self) -> Option<usize> {
        match self {
            RecordingError::Mahimahi(error) => error.line(),
            RecordingError::Srsran(error) => error.line(),
            RecordingError::Csv(error) => error.line(),
        }
    }
}

impl Format {
    /// Its name in files and options.
    pub fn id(self) -> &'static str {
        match self {
            Format::Mahimahi => "mahimahi",
            Format::Srsran => "srsran",
            Format::Csv => "csv",
        }
    }

    /// What it is, for people.
    pub fn description(self) -> &'static str {
        match self {
            Format::Mahimahi => "Mahimahi's opportunities",
            Format::Srsran => "a base station's grants (srsRAN)",
            Format::Csv => "a drive test's rates (CSV)",
        }
    }
}

impl Recording {
    /// Reads a file of that format, or, without one, of the format that it looks like.
    ///
    /// Whatever has a comma in its first line is a drive test. Numbers that never decrease are opportunities; numbers of
    /// which the second counts those after it are grants. What is both is taken for what offers more bytes a second: a list
    /// of times read as grants, or of grants as times, offers next to nothing.
    pub fn read(text: &[u8], format: Option<Format>) -> Result<Recording, RecordingError> {
        let opportunities = || Trace::parse(text).map(Recording::Mahimahi).map_err(RecordingError::from);
        let grants = || Grants::parse(text).map(Recording::Srsran).map_err(RecordingError::from);
        match format {
            Some(Format::Mahimahi) => return opportunities(),
            Some(Format::Srsran) => return grants(),
            Some(Format::Csv) => return Recording::drive_test(text, Column::Downlink),
            None => {}
        }
        let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        if first.contains(&b',') {
            return Recording::drive_test(text, Column::Downlink);
        }
        match opportunities() {
            // It is not even worth a look where the second line counts nothing.
            Ok(trace) if !announced(text).is_some_and(Announced::holds) => Ok(trace),
            Ok(trace) => match grants() {
                Ok(grants) if grants.bytes_a_second() > trace.bytes_a_second() => Ok(grants),
                _ => Ok(trace),
            },
            Err(error) if looks_like_grants(text, &error) => grants(),
            Err(error) => Err(error),
        }
    }

    /// Reads one of the rates of a drive test.
    pub fn drive_test(text: &[u8], column: Column) -> Result<Recording, RecordingError> {
        Ok(Recording::Csv(Grants::parse_drive_test(text, column)?))
    }

    /// The form that it had.
    pub fn format(&self) -> Format {
        match self {
            Recording::Mahimahi(_) => Format::Mahimahi,
            Recording::Srsran(_) => Format::Srsran,
            Recording::Csv(_) => Format::Csv,
        }
    }

    /// One round in milliseconds, after which it repeats.
    pub fn period_millis(&self) -> u64 {
        match self {
            Recording::Mahimahi(trace) => trace.period_millis(),
            Recording::Srsran(grants) | Recording::Csv(grants) => grants.period(),
        }
    }

    /// As grants, with that many bytes for an opportunity.
    pub fn into_grants(self, opportunity: u32) -> Grants {
        match self {
            Recording::Mahimahi(trace) => Grants::of_opportunities(&trace, opportunity),
            Recording::Srsran(grants) | Recording::Csv(grants) => grants,
        }
    }

    /// As opportunities of that many bytes.
    pub fn into_trace(self, opportunity: u32) -> Result<Trace, ConvertError> {
        match self {
            Recording::Mahimahi(trace) => Ok(trace),
            Recording::Srsran(grants) | Recording::Csv(grants) => grants.to_opportunities(opportunity),
        }
    }

    /// What a link with a trace can run on.
    pub fn into_shared_trace(self) -> Result<Arc<Trace>, ConvertError> {
        self.into_trace(OPPORTUNITY_BYTES).map(Arc::new)
    }

    fn bytes_a_second(&self) -> f64 {
        let bytes = match self {
            Recording::Mahimahi(trace) => trace.opportunities().len() as u64 * u64::from(OPPORTUNITY_BYTES),
            Recording::Srsran(grants) | Recording::Csv(grants) => grants.total(),
        };
        bytes as f64 * 1_000.0 / self.period_millis() as f64
    }
}

/// What the head of a file of grants says, and how many lines follow it.
#[derive(Clone, Copy)]
struct Announced {
    batch: u32,
    said: u32,
    found: usize,
}

impl Announced {
    fn holds(self) -> bool {
        self.found > 0 && lead_in(self.batch, self.said, self.found).is_some()
    }
}

/// The head of what may be grants.
fn announced(text: &[u8]) -> Option<Announced> {
    let text = text.trim_ascii_end();
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let mut next = || lines.next().filter(|line| is_number(line)).and_then(value);
    let (batch, said) = (next()?, next()?);
    // Two lines are the head; so many more line ends follow it as lines.
    let found = text.iter().filter(|byte| **byte == b'\n').count() - 1;
    Some(Announced { batch, said, found })
}

/// Whether what is no list of times was meant for grants: its second line counts the others, or nearly so where it is the
/// head of the file that no list of times would have.
fn looks_like_grants(text: &[u8], error: &RecordingError) -> bool {
    let Some(head) = announced(text) else { return false };
    let (said, found) = (head.said as usize, head.found);
    let near = said > 0 && found > 0 && said <= 2 * found && found <= 2 * said;
    head.holds() || near && matches!(error.line(), Some(2 | 3))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn format(text: &str) -> Format {
        Recording::read(text.as_bytes(), None).unwrap_or_else(|error| panic!("{text:?}: {error}")).format()
    }

    fn refusal(text: &str) -> RecordingError {
        Recording::read(text.as_bytes(), None).unwrap_err()
    }

    #[test]
    fn the_format_is_told_from_the_content() {
        assert_eq!(format("0\n71\n73\n"), Format::Mahimahi);
        assert_eq!(format("10\n3\n14500\n14500\n0\n"), Format::Srsran);
        assert_eq!(format("10\n3\n14500\n14500\n14500\n"), Format::Srsran);
        assert_eq!(format("Timestamp,DL_bitrate\n2019.12.16_13.40.04,72\n"), Format::Csv);
    }

    #[test]
    fn what_could_be_two_formats_is_the_one_that_offers_more() {
        assert_eq!(format("1\n4\n1500\n1500\n1500\n1500\n"), Format::Srsran);
        assert_eq!(format("1\n2\n3\n4\n"), Format::Mahimahi, "2 grants of 3 and 4 bytes would be little");
        assert_eq!(format("1\n1\n2\n"), Format::Mahimahi);
        assert_eq!(format("0\n2\n4\n6\n"), Format::Mahimahi, "there is no batch of 0 ms");
    }

    #[test]
    fn a_format_that_is_given_is_not_doubted() {
        let read = |format| Recording::read(b"1\n2\n3\n4\n", Some(format));
        assert_eq!(read(Format::Srsran).unwrap().into_grants(1_504).total(), 7);
        assert_eq!(read(Format::Mahimahi).unwrap().format(), Format::Mahimahi);
        assert!(read(Format::Csv).unwrap_err().to_string().contains("no column `Timestamp`"));
    }

    #[test]
    fn what_is_wrong_is_said_of_the_format_that_was_meant() {
        assert!(matches!(refusal("1\n5\n3\n"), RecordingError::Mahimahi(TraceError::Decreasing { .. })));
        assert!(matches!(refusal(""), RecordingError::Mahimahi(TraceError::Empty)));
        assert!(matches!(
            refusal("10\n4\n100\n200\n50\n"),
            RecordingError::Srsran(GrantsFileError::Count { said: 4, found: 3 })
        ));
        assert!(matches!(
            refusal("10\n4\n14500\n-5\n200\n50\n"),
            RecordingError::Srsran(GrantsFileError::NotANumber { line: 4, .. })
        ));
        assert!(matches!(
            refusal("0\n3\n100\n200\n50\n"),
            RecordingError::Srsran(GrantsFileError::Batch { millis: 0 })
        ));
        assert!(matches!(refusal("a,b\n1,2\n"), RecordingError::Csv(DriveTestError::NoColumn { .. })));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_without_panic(text in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Recording::read(&text, None);
        }

        #[test]
        fn whatever_was_a_mahimahi_trace_and_grants_nothing_else_stays_one(
            mut times in prop::collection::vec(0u32..100_000, 1..50),
        ) {
            times.sort_unstable();
            prop_assume!(times.last() != Some(&0));
            prop_assume!(times.get(1).is_none_or(|said| lead_in(times[0], *said, times.len() - 2).is_none()));
            let text: String = times.iter().map(|time| format!("{time}\n")).collect();
            prop_assert_eq!(format(&text), Format::Mahimahi);
        }
    }
}
