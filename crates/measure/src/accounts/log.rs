//! Rows of accounts, in memory up to a limit, then in a temporary file without a name.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

use jettison_core::{Duration, Time};
use jettison_wire::FlowId;

use super::{Component, Part, Reason, Spot, Status};
use crate::provenance::{Unit, UnitKind};

/// Rows in memory: a megabyte, which a copy of the world copies.
const ROWS: usize = 1 << 14;
/// Length of a row as bytes.
pub(crate) const ROW: usize = 64;

/// A part of a unit's delay, with the unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountRow {
    /// The unit.
    pub unit: Unit,
    /// When its delay began.
    pub start: Time,
    /// When it ended.
    pub end: Time,
    /// What became of it.
    pub status: Status,
    /// Why it was late or never came.
    pub reason: Reason,
    /// The part.
    pub part: Part,
}

/// Rows of accounts, in the order in which units ended; those of a unit in the order of time.
#[derive(Clone, Default)]
pub struct AccountLog {
    rows: Vec<AccountRow>,
    chunks: Vec<Chunk>,
    file: Option<Arc<Mutex<(File, u64)>>>,
    /// Whether the file could not be written, so that rows stay in memory.
    has_failed: bool,
}

#[derive(Debug, Clone, Copy)]
struct Chunk {
    offset: u64,
    rows: usize,
}

impl AccountLog {
    /// Adds a row.
    pub fn push(&mut self, row: AccountRow) {
        self.rows.push(row);
        if self.rows.len() >= ROWS && !self.has_failed {
            self.has_failed = self.relieve().is_err();
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.rows).sum::<usize>() + self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows, piece by piece.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub fn pieces(&self) -> impl Iterator<Item = io::Result<Vec<AccountRow>>> + '_ {
        let stored = self.chunks.iter().map(|chunk| self.read(*chunk));
        stored.chain([Ok(self.rows.clone())])
    }

    /// All rows.
    ///
    /// # Errors
    /// As of [`AccountLog::pieces`].
    pub fn all(&self) -> io::Result<Vec<AccountRow>> {
        let mut all = Vec::new();
        for piece in self.pieces() {
            all.extend(piece?);
        }
        Ok(all)
    }

    #[cold]
    fn relieve(&mut self) -> io::Result<()> {
        let file = match &self.file {
            Some(file) => Arc::clone(file),
            None => Arc::new(Mutex::new((tempfile::tempfile()?, 0))),
        };
        let bytes: Vec<u8> = self.rows.iter().flat_map(|row| row.to_bytes()).collect();
        {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            let (file, end) = &mut *file;
            file.seek(SeekFrom::Start(*end))?;
            file.write_all(&bytes)?;
            self.chunks.push(Chunk { offset: *end, rows: self.rows.len() });
            *end += bytes.len() as u64;
        }
        self.file = Some(file);
        self.rows.clear();
        Ok(())
    }

    fn read(&self, chunk: Chunk) -> io::Result<Vec<AccountRow>> {
        let Some(file) = &self.file else { return Ok(Vec::new()) };
        let mut bytes = vec![0; chunk.rows * ROW];
        {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            file.0.seek(SeekFrom::Start(chunk.offset))?;
            file.0.read_exact(&mut bytes)?;
        }
        let rows = bytes.as_chunks::<ROW>().0.iter().map(AccountRow::from_bytes);
        rows.collect::<Option<Vec<_>>>().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))
    }
}

impl PartialEq for AccountLog {
    fn eq(&self, other: &AccountLog) -> bool {
        self.len() == other.len() && matches!((self.all(), other.all()), (Ok(one), Ok(two)) if one == two)
    }
}

impl std::fmt::Debug for AccountLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AccountLog").field("rows", &self.len()).finish_non_exhaustive()
    }
}

impl AccountRow {
    /// The row as bytes.
    pub(crate) fn to_bytes(self) -> [u8; ROW] {
        let AccountRow { unit, start, end, status, reason, part } = self;
        let (spot, queue) = match part.spot {
            Spot::None => (0, 0),
            Spot::Queue(queue) => (1, queue),
            Spot::Sender(queue) => (2, queue),
            Spot::Receiver(queue) => (3, queue),
        };
        let kind = UnitKind::ALL.iter().position(|kind| *kind == unit.kind).unwrap_or(0) as u8;
        let mut bytes = [0; ROW];
        let mut at = 0;
        let mut put = |field: &[u8]| {
            bytes[at..at + field.len()].copy_from_slice(field);
            at += field.len();
        };
        put(&unit.number.to_le_bytes());
        put(&start.as_nanos().to_le_bytes());
        put(&end.as_nanos().to_le_bytes());
        put(&part.duration.as_nanos().to_le_bytes());
        put(&part.decision.map_or(u64::MAX, |decision| decision).to_le_bytes());
        put(&unit.flow.0.to_le_bytes());
        put(&unit.part.to_le_bytes());
        put(&queue.to_le_bytes());
        put(&reason.index().to_le_bytes());
        put(&[kind, status as u8, part.component as u8, spot]);
        bytes
    }

    /// The row of those bytes; `None` if they are not of one.
    pub(crate) fn from_bytes(bytes: &[u8; ROW]) -> Option<AccountRow> {
        let word = |at: usize| bytes[at..].first_chunk::<8>().map(|word| u64::from_le_bytes(*word));
        let half = |at: usize| bytes[at..].first_chunk::<4>().map(|half| u32::from_le_bytes(*half));
        let reason = Reason::of_index(u16::from_le_bytes([bytes[52], bytes[53]]))?;
        let [kind, status, component, spot] = *bytes[54..].first_chunk::<4>()?;
        let queue = half(48)?;
        let spot = match spot {
            0 => Spot::None,
            1 => Spot::Queue(queue),
            2 => Spot::Sender(queue),
            3 => Spot::Receiver(queue),
            _ => return None,
        };
        let kind = *UnitKind::ALL.get(usize::from(kind))?;
        let unit = Unit { flow: FlowId(half(40)?), kind, number: word(0)?, part: half(44)? };
        let part = Part {
            component: *Component::ALL.get(usize::from(component))?,
            spot,
            duration: Duration::from_nanos(word(24)?),
            decision: word(32).filter(|decision| *decision != u64::MAX),
        };
        let (start, end) = (Time::from_nanos(word(8)?), Time::from_nanos(word(16)?));
        let status = *Status::ALL.get(usize::from(status))?;
        Some(AccountRow { unit, start, end, status, reason, part })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(number: u64) -> AccountRow {
        let kinds = UnitKind::ALL;
        let spots = [Spot::None, Spot::Queue(7), Spot::Sender(8), Spot::Receiver(u32::MAX - 1)];
        let at = number as usize;
        AccountRow {
            unit: Unit::new(kinds[at % kinds.len()], number, 3).of(FlowId(at as u32 % 5)),
            start: Time::from_nanos(number),
            end: Time::from_nanos(2 * number + 1),
            status: Status::ALL[at % 4],
            reason: Reason::of_index((at % 9) as u16).expect("there are more"),
            part: Part {
                component: Component::ALL[at % Component::ALL.len()],
                spot: spots[at % 4],
                duration: Duration::from_nanos(number + 1),
                decision: at.is_multiple_of(3).then_some(number),
            },
        }
    }

    #[test]
    fn rows_come_back_from_bytes_and_from_the_file() {
        let mut log = AccountLog::default();
        let count = 2 * ROWS as u64 + 100;
        (0..count).for_each(|number| log.push(row(number)));
        assert_eq!((log.len() as u64, log.rows.len()), (count, 100));
        let mut other = log.clone();
        // A copy, as of a world that is forked, goes on by itself.
        other.push(row(7));
        (0..ROWS as u64).for_each(|number| other.push(row(number)));
        log.push(row(8));
        let all = log.all().unwrap();
        assert!(all.iter().take(count as usize).zip(0..).all(|(own, number)| *own == row(number)));
        assert_eq!((all.last().copied(), other.all().unwrap()[count as usize]), (Some(row(8)), row(7)));
        assert_ne!(log, other);
        assert_eq!(AccountRow::from_bytes(&[0xff; ROW]), None);
    }
}
