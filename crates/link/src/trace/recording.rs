//! Recorded capacities in any supported file format.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::drive_test::{Column, DriveTest, DriveTestError};
use super::grants::Grants;
use super::grants_file::{GrantsFileError, lead_in};
use super::restarts::Restarts;
use super::{ConvertError, OPPORTUNITY_BYTES, Trace, TraceError, is_number, value};

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(title = "trace format")]
pub enum Format {
    /// One line per opportunity: its time in milliseconds.
    Mahimahi,
    /// A base station's grants: milliseconds of a batch, number of batches, bytes of each batch.
    Srsran,
    /// A drive test: rows with a time and a rate in kbit/s.
    Csv,
}

/// The contents of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recording {
    /// Opportunities.
    Mahimahi(Trace),
    /// A base station's grants.
    Srsran(Grants),
    /// The rates of a drive test, as grants.
    Csv(DriveTest),
}

/// A file that cannot be used. The message says what is required; the caller adds file and line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RecordingError {
    /// Invalid trace of opportunities.
    #[error(transparent)]
    Mahimahi(#[from] TraceError),
    /// Invalid grants.
    #[error(transparent)]
    Srsran(#[from] GrantsFileError),
    /// Invalid drive test.
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
    /// Id in files and options.
    pub fn id(self) -> &'static str {
        match self {
            Format::Mahimahi => "mahimahi",
            Format::Srsran => "srsran",
            Format::Csv => "csv",
        }
    }

    /// Description for people.
    pub fn description(self) -> &'static str {
        match self {
            Format::Mahimahi => "Mahimahi's opportunities",
            Format::Srsran => "a base station's grants (srsRAN)",
            Format::Csv => "a drive test's rates (CSV)",
        }
    }
}

impl Recording {
    /// Reads a file of the given format, or detects the format.
    ///
    /// Text with a comma in its first line is a drive test. Numbers that never decrease are opportunities; numbers of
    /// which the second counts those after it are grants. If both apply, the format with the higher rate wins: a list
    /// of times read as grants, or of grants as times, has next to no capacity. Restarts of a drive test's downloads are
    /// interpolated.
    ///
    /// # Errors
    /// With the line at fault.
    pub fn read(text: &[u8], format: Option<Format>) -> Result<Recording, RecordingError> {
        Recording::read_with(text, format, Restarts::default())
    }

    /// Reads a file as [`read`](Recording::read) does, with a choice for restarts of a drive test's downloads.
    ///
    /// # Errors
    /// With the line at fault.
    pub fn read_with(
        text: &[u8],
        format: Option<Format>,
        restarts: Restarts,
    ) -> Result<Recording, RecordingError> {
        let opportunities = || Trace::parse(text).map(Recording::Mahimahi).map_err(RecordingError::from);
        let grants = || Grants::parse(text).map(Recording::Srsran).map_err(RecordingError::from);
        match format {
            Some(Format::Mahimahi) => return opportunities(),
            Some(Format::Srsran) => return grants(),
            Some(Format::Csv) => return Recording::drive_test(text, Column::Downlink, restarts),
            None => {}
        }
        let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        if first.contains(&b',') {
            return Recording::drive_test(text, Column::Downlink, restarts);
        }
        match opportunities() {
            // Skip the attempt to read grants if the second line does not count the rest.
            Ok(trace) if !announced(text).is_some_and(Announced::holds) => Ok(trace),
            Ok(trace) => match grants() {
                Ok(grants) if grants.bytes_a_second() > trace.bytes_a_second() => Ok(grants),
                _ => Ok(trace),
            },
            Err(error) if looks_like_grants(text, &error) => grants(),
            Err(error) => Err(error),
        }
    }

    /// Reads a drive test's rates in one direction.
    ///
    /// # Errors
    /// With the line at fault.
    pub fn drive_test(text: &[u8], column: Column, restarts: Restarts) -> Result<Recording, RecordingError> {
        Ok(Recording::Csv(DriveTest::parse(text, column, restarts)?))
    }

    /// The format of the file.
    pub fn format(&self) -> Format {
        match self {
            Recording::Mahimahi(_) => Format::Mahimahi,
            Recording::Srsran(_) => Format::Srsran,
            Recording::Csv(_) => Format::Csv,
        }
    }

    /// Duration of a round in milliseconds.
    pub fn period_millis(&self) -> u64 {
        match self {
            Recording::Mahimahi(trace) => trace.period_millis(),
            Recording::Srsran(grants) | Recording::Csv(DriveTest { grants, .. }) => grants.period(),
        }
    }

    /// Converts to grants, with `opportunity` bytes per opportunity.
    pub fn into_grants(self, opportunity: u32) -> Grants {
        match self {
            Recording::Mahimahi(trace) => Grants::of_opportunities(&trace, opportunity),
            Recording::Srsran(grants) | Recording::Csv(DriveTest { grants, .. }) => grants,
        }
    }

    /// Converts to opportunities of `opportunity` bytes.
    pub fn into_trace(self, opportunity: u32) -> Result<Trace, ConvertError> {
        match self {
            Recording::Mahimahi(trace) => Ok(trace),
            Recording::Srsran(grants) | Recording::Csv(DriveTest { grants, .. }) => {
                grants.to_opportunities(opportunity)
            }
        }
    }

    /// Converts to the trace of a [`TraceLink`](crate::TraceLink).
    pub fn into_shared_trace(self) -> Result<Arc<Trace>, ConvertError> {
        self.into_trace(OPPORTUNITY_BYTES).map(Arc::new)
    }

    fn bytes_a_second(&self) -> f64 {
        let bytes = match self {
            Recording::Mahimahi(trace) => trace.opportunities().len() as u64 * u64::from(OPPORTUNITY_BYTES),
            Recording::Srsran(grants) | Recording::Csv(DriveTest { grants, .. }) => grants.total(),
        };
        bytes as f64 * 1_000.0 / self.period_millis() as f64
    }
}

/// The head of a file of grants, and the number of lines after it.
#[derive(Clone, Copy)]
struct Announced {
    batch: u32,
    batches: u32,
    found: usize,
}

impl Announced {
    fn holds(self) -> bool {
        self.found > 0 && lead_in(self.batch, self.batches, self.found).is_some()
    }
}

/// Reads the head of a file that may contain grants.
fn announced(text: &[u8]) -> Option<Announced> {
    let text = text.trim_ascii_end();
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let mut next = || lines.next().filter(|line| is_number(line)).and_then(value);
    let (batch, batches) = (next()?, next()?);
    // Two lines are the head; each further newline ends one batch.
    let found = text.iter().filter(|byte| **byte == b'\n').count() - 1;
    Some(Announced { batch, batches, found })
}

/// Whether text that is not a trace was meant as grants: its second line counts the others, or almost does if the head
/// cannot begin a list of times.
fn looks_like_grants(text: &[u8], error: &RecordingError) -> bool {
    let Some(head) = announced(text) else { return false };
    let (batches, found) = (head.batches as usize, head.found);
    let near = batches > 0 && found > 0 && batches <= 2 * found && found <= 2 * batches;
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
    fn the_format_is_detected_from_the_content() {
        assert_eq!(format("0\n71\n73\n"), Format::Mahimahi);
        assert_eq!(format("10\n3\n14500\n14500\n0\n"), Format::Srsran);
        assert_eq!(format("10\n3\n14500\n14500\n14500\n"), Format::Srsran);
        assert_eq!(format("Timestamp,DL_bitrate\n2019.12.16_13.40.04,72\n"), Format::Csv);
    }

    #[test]
    fn ambiguous_text_has_the_format_with_more_capacity() {
        assert_eq!(format("1\n4\n1500\n1500\n1500\n1500\n"), Format::Srsran);
        assert_eq!(format("1\n2\n3\n4\n"), Format::Mahimahi, "2 grants of 3 and 4 bytes would be little");
        assert_eq!(format("1\n1\n2\n"), Format::Mahimahi);
        assert_eq!(format("0\n2\n4\n6\n"), Format::Mahimahi, "a batch of 0 ms is invalid");
    }

    #[test]
    fn an_explicit_format_is_used() {
        let read = |format| Recording::read(b"1\n2\n3\n4\n", Some(format));
        assert_eq!(read(Format::Srsran).unwrap().into_grants(1_504).total(), 7);
        assert_eq!(read(Format::Mahimahi).unwrap().format(), Format::Mahimahi);
        assert!(read(Format::Csv).unwrap_err().to_string().contains("column `Timestamp` required"));
    }

    #[test]
    fn errors_are_those_of_the_intended_format() {
        assert!(matches!(refusal("1\n5\n3\n"), RecordingError::Mahimahi(TraceError::Decreasing { .. })));
        assert!(matches!(refusal(""), RecordingError::Mahimahi(TraceError::Empty)));
        assert!(matches!(
            refusal("10\n4\n100\n200\n50\n"),
            RecordingError::Srsran(GrantsFileError::Count { announced: 4, found: 3 })
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
        fn a_mahimahi_trace_that_is_not_grants_is_read_as_one(
            mut times in prop::collection::vec(0u32..100_000, 1..50),
        ) {
            times.sort_unstable();
            prop_assume!(times.last() != Some(&0));
            prop_assume!(times.get(1).is_none_or(|batches| lead_in(times[0], *batches, times.len() - 2).is_none()));
            let text: String = times.iter().map(|time| format!("{time}\n")).collect();
            prop_assert_eq!(format(&text), Format::Mahimahi);
        }
    }
}
