//! Points that exceed their share of memory, in a temporary file.
//!
//! A run's series share a number of points in memory. When it is exceeded, all points go to the file, those of one series
//! together, and memory is free for new ones. The file has no name, so that nothing remains of it whatever happens.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

use super::times::Run;
use super::{Series, Spilled, Times};

/// Points in memory over all series: 2 MB.
const POINTS: usize = 1 << 18;
/// Further points in memory for each series: with many, the pieces in the file do not become too small to read.
const POINTS_EACH: usize = 128;
/// Bytes written at a time.
const BATCH: usize = 1 << 20;
const RUN_BYTES: usize = 24;
const VALUE_BYTES: usize = 8;

/// The share of memory of a run's series, and the file for the rest.
#[derive(Debug, Clone)]
pub(crate) struct Spill {
    held: usize,
    limit: usize,
    file: Option<Arc<SpillFile>>,
}

impl Default for Spill {
    fn default() -> Spill {
        Spill { held: 0, limit: POINTS, file: None }
    }
}

impl Spill {
    /// Counts a new series with points in memory.
    pub fn add_series(&mut self, series: &Series) {
        self.held += series.values.len();
        self.limit = self.limit.saturating_add(POINTS_EACH);
    }

    /// Counts a point. Returns whether it is time for [`Spill::relieve`].
    #[inline]
    pub fn add_point(&mut self) -> bool {
        self.held += 1;
        self.held > self.limit
    }

    /// Moves all points to the file. Where that fails, as with a full disk, they stay in memory, and so do all later ones.
    #[cold]
    pub fn relieve<'a>(&mut self, all: impl Iterator<Item = &'a mut Series>) {
        if self.try_relieve(all).is_err() {
            self.limit = usize::MAX;
        }
        self.held = 0;
    }

    fn try_relieve<'a>(&mut self, all: impl Iterator<Item = &'a mut Series>) -> io::Result<()> {
        let file = match &self.file {
            Some(file) => Arc::clone(file),
            None => Arc::new(SpillFile::create()?),
        };
        self.file = Some(Arc::clone(&file));
        let mut bytes = Vec::with_capacity(BATCH + BATCH / 4);
        let mut batch = Vec::new();
        for series in all.filter(|series| !series.values.is_empty()) {
            let start = bytes.len() as u64;
            series.encode(&mut bytes);
            batch.push((series, start));
            if bytes.len() >= BATCH {
                file.take(&mut bytes, &mut batch)?;
            }
        }
        file.take(&mut bytes, &mut batch)
    }

    #[cfg(test)]
    pub fn with_limit(limit: usize) -> Spill {
        Spill { limit, ..Spill::default() }
    }
}

/// Successive points of a series in a file.
#[derive(Clone)]
pub(super) struct Chunk {
    file: Arc<SpillFile>,
    offset: u64,
    runs: u32,
    pub points: u32,
}

impl Chunk {
    /// Reads the runs of times, and the values.
    pub fn read(&self) -> io::Result<(Vec<Run>, Vec<f64>)> {
        let (runs, points) = (self.runs as usize, self.points as usize);
        let mut bytes = vec![0; runs * RUN_BYTES + points * VALUE_BYTES];
        self.file.read(self.offset, &mut bytes)?;
        let (of_runs, of_values) = bytes.split_at(runs * RUN_BYTES);
        let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
        let words = of_runs.as_chunks::<8>().0.as_chunks::<3>().0;
        let run = |[first, step, count]: &[[u8; 8]; 3]| Run {
            first: word(first),
            step: word(step),
            count: word(count),
        };
        let values = of_values.as_chunks::<8>().0.iter().map(|bytes| f64::from_bits(word(bytes)));
        Ok((words.iter().map(run).collect(), values.collect()))
    }
}

impl Series {
    fn encode(&self, bytes: &mut Vec<u8>) {
        let (runs, last) = self.times.runs();
        for run in runs.iter().chain([&last]) {
            [run.first, run.step, run.count].iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        }
        self.values.iter().for_each(|value| bytes.extend(value.to_bits().to_le_bytes()));
    }

    /// Replaces the points in memory by the chunk that has them.
    fn moved(&mut self, file: &Arc<SpillFile>, offset: u64) {
        let Some(last) = self.latest() else { return };
        // A chunk has at most as many points as fit into memory for all series.
        let (runs, points) = (self.times.runs().0.len() as u32 + 1, self.values.len() as u32);
        let chunk = Chunk { file: Arc::clone(file), offset, runs, points };
        match &mut self.spilled {
            Some(spilled) => {
                spilled.chunks.push(chunk);
                spilled.last = last;
            }
            None => self.spilled = Some(Box::new(Spilled { chunks: vec![chunk], last })),
        }
        self.times = Times::default();
        // Keeps its capacity: the next points are likely as many.
        self.values.clear();
    }
}

/// A temporary file without a name, in the system's folder for such files.
#[derive(Debug)]
pub(crate) struct SpillFile(Mutex<State>);

#[derive(Debug)]
struct State {
    file: File,
    end: u64,
    /// The first error of reading. Later calls fail likewise, so that none who ignores it gets half a series.
    failed: Option<io::ErrorKind>,
}

impl SpillFile {
    pub(crate) fn create() -> io::Result<SpillFile> {
        let file = tempfile::tempfile()?;
        Ok(SpillFile(Mutex::new(State { file, end: 0, failed: None })))
    }

    /// Writes the encoded points of a batch of series, each given with its place in `bytes`.
    fn take(self: &Arc<Self>, bytes: &mut Vec<u8>, batch: &mut Vec<(&mut Series, u64)>) -> io::Result<()> {
        let offset = self.append(bytes)?;
        batch.drain(..).for_each(|(series, start)| series.moved(self, offset + start));
        bytes.clear();
        Ok(())
    }

    /// Writes bytes at the end; returns where they begin.
    pub(crate) fn append(&self, bytes: &[u8]) -> io::Result<u64> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let offset = state.end;
        state.file.seek(SeekFrom::Start(offset))?;
        state.file.write_all(bytes)?;
        state.end += bytes.len() as u64;
        Ok(offset)
    }

    /// Reads bytes from a place that was written.
    pub(crate) fn read(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kind) = state.failed {
            return Err(kind.into());
        }
        let read = state.file.seek(SeekFrom::Start(offset)).and_then(|_| state.file.read_exact(bytes));
        read.inspect_err(|error| state.failed = Some(error.kind()))
    }
}
