//! Segment sizes of an MPD, from a CSV file.
//!
//! The first line is `representation,segment,bytes`. One line per segment follows: the representation's id, the
//! segment's position from 1 (independent of its `$Number$` or `$Time$`), and its length. Segment 0 is the optional
//! initialization segment. Lines may be in any order.

use std::collections::BTreeMap;

use csv::{Position, ReaderBuilder, StringRecord, Trim};
use jettison_registry::nearest;

use super::draft::{Draft, DraftSet, MOST_SEGMENTS, Sizes};
use jettison_sockets::{FileError, Lines};

const COLUMNS: [&str; 3] = ["representation", "segment", "bytes"];
/// Maximum segment size: 1 TB.
const MOST_BYTES: u64 = 1_000_000_000_000;

/// Content of the file, by representation.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Sidecar(BTreeMap<String, Rows>);

/// Sizes of one representation, by segment position.
#[derive(Debug, Clone, PartialEq)]
struct Rows {
    /// First line of the representation.
    line: usize,
    segments: BTreeMap<usize, Row>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Row {
    line: usize,
    bytes: u64,
}

impl Sidecar {
    /// Reads a file.
    ///
    /// # Errors
    /// With the line of an invalid or repeated size.
    pub(super) fn read(content: &[u8]) -> Result<Sidecar, FileError> {
        let mut records =
            ReaderBuilder::new().has_headers(false).flexible(true).trim(Trim::All).from_reader(content);
        let mut sidecar = Sidecar::default();
        let mut record = StringRecord::new();
        let mut is_first = true;
        let mut count = Lines::new(content);
        // A record's position is before any empty lines that precede it.
        let mut line_at = |position: Option<&Position>| {
            let start = position.map_or(0, |at| usize::try_from(at.byte()).unwrap_or(usize::MAX));
            let rest = content.get(start..).unwrap_or_default();
            count.at(start + rest.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count())
        };
        loop {
            match records.read_record(&mut record) {
                Ok(false) => break,
                Ok(true) => {}
                Err(error) => return Err(unreadable(&error, line_at(error.position()))),
            }
            let line = line_at(record.position());
            if is_first {
                check_header(&record)?;
                is_first = false;
            } else {
                sidecar.add(&record, line)?;
            }
        }
        match is_first {
            true => Err(FileError::at(
                None,
                format!("must start with the line `{}`, got an empty file", COLUMNS.join(",")),
            )),
            false => Ok(sidecar),
        }
    }

    fn add(&mut self, record: &StringRecord, line: usize) -> Result<(), FileError> {
        let mut fields = record.iter();
        let (Some(id), Some(segment), Some(bytes), None) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            let message = format!("must have 3 values (`{}`), got {}", COLUMNS.join(","), record.len());
            return Err(FileError::at(line, message));
        };
        let segment = number(segment, "segment", 0, MOST_SEGMENTS as u64, line)? as usize;
        let bytes = number(bytes, "bytes", 1, MOST_BYTES, line)?;
        let rows = self.0.entry(id.to_owned()).or_insert(Rows { line, segments: BTreeMap::new() });
        match rows.segments.insert(segment, Row { line, bytes }) {
            Some(before) => {
                let message =
                    format!("segment {segment} of `{id}` already has a size in line {}", before.line);
                Err(FileError::at(line, message))
            }
            None => Ok(()),
        }
    }

    /// Sets the segment sizes of a draft. `others` are representations of the MPD that are not streamed.
    ///
    /// # Errors
    /// With a missing segment, an excess segment or an unknown representation.
    pub(super) fn apply(&self, draft: &mut Draft, others: &[String]) -> Result<(), FileError> {
        self.check_ids(draft, others)?;
        self.apply_to(&mut draft.video)?;
        draft.audio.as_mut().map_or(Ok(()), |audio| self.apply_to(audio))
    }

    fn check_ids(&self, draft: &Draft, others: &[String]) -> Result<(), FileError> {
        let sets = [Some(&draft.video), draft.audio.as_ref()];
        let streamed = sets.into_iter().flatten().flat_map(|set| &set.representations).map(|r| r.id.as_str());
        let known: Vec<&str> = streamed.chain(others.iter().map(String::as_str)).collect();
        let Some((id, rows)) =
            self.0.iter().filter(|(id, _)| !known.contains(&id.as_str())).min_by_key(|(_, rows)| rows.line)
        else {
            return Ok(());
        };
        let hint = nearest(id, known.iter().copied()).map(|near| format!("; did you mean `{near}`?"));
        let list = known.join(", ");
        let message =
            format!("the MPD has no representation `{id}`{} It has: {list}", hint.as_deref().unwrap_or("."));
        Err(FileError::at(rows.line, message))
    }

    fn apply_to(&self, set: &mut DraftSet) -> Result<(), FileError> {
        let segments = set.durations.len();
        for representation in &mut set.representations {
            let id = &representation.id;
            let none = BTreeMap::new();
            let rows = self.0.get(id).map_or(&none, |rows| &rows.segments);
            if let Some((place, row)) = rows.range(segments + 1..).next() {
                let message =
                    format!("segment of `{id}` must be <= {segments} (the MPD's count), got {place}");
                return Err(FileError::at(row.line, message));
            }
            let sizes: Vec<u64> = rows.range(1..).map(|(_, row)| row.bytes).collect();
            if sizes.len() < segments {
                let missing = (1..=segments).find(|place| !rows.contains_key(place)).unwrap_or(segments);
                let message = format!(
                    "has {} of the {segments} segments of `{id}` in the MPD; the first missing segment is {missing}",
                    sizes.len()
                );
                return Err(FileError::at(None, message));
            }
            representation.initialization =
                rows.get(&0).map(|row| row.bytes).or(representation.initialization);
            representation.sizes = Sizes::Known(sizes);
        }
        Ok(())
    }
}

fn check_header(record: &StringRecord) -> Result<(), FileError> {
    let names: Vec<&str> = record.iter().map(|name| name.trim_start_matches('\u{feff}').trim()).collect();
    if names == COLUMNS {
        return Ok(());
    }
    Err(FileError::at(1, format!("first line must be `{}`, got `{}`", COLUMNS.join(","), names.join(","))))
}

fn number(text: &str, column: &str, least: u64, most: u64, line: usize) -> Result<u64, FileError> {
    match text.parse::<u64>() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(FileError::at(
            line,
            format!("{column} must be an integer in [{least}, {most}], got `{text}`"),
        )),
    }
}

fn unreadable(error: &csv::Error, line: usize) -> FileError {
    match error.kind() {
        csv::ErrorKind::Utf8 { .. } => FileError::at(line, "must be UTF-8 text"),
        _ => FileError::at(line, error.to_string()),
    }
}
