//! The log of a run's decisions: of any length, in little memory.

use std::io;
use std::sync::Arc;

use jettison_core::{Gauge, Gauges};
use jettison_wire::FlowId;

use super::encoding::{Bytes, put, put_float, put_head};
use super::{Decision, QueueState};
use crate::provenance::Held;
use crate::series::SpillFile;
use crate::transfer::kept;

/// Bytes of decisions in memory; when there are more, they go to a temporary file.
const MEMORY: usize = 1 << 18;

/// A run's drops and marks, in order. All but the last ones are in a temporary file without a name, as the points of long series.
#[derive(Clone, Default)]
pub struct DecisionLog {
    /// The decisions after those in the file, encoded.
    latest: Vec<u8>,
    file: Option<Arc<SpillFile>>,
    /// Pieces in the file: offset and length.
    pieces: Vec<(u64, usize)>,
    /// Whether the file took no more: from then on all stays in memory.
    is_full: bool,
    keys: Vec<GaugeKey>,
    count: u64,
}

/// Name and part of a gauge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GaugeKey {
    /// Name of the gauge.
    pub name: &'static str,
    /// The part; empty for the component as a whole.
    pub part: &'static str,
}

/// The state of a queue, to be written with one or several decisions.
#[derive(Debug, Clone, Default)]
pub(crate) struct QueueScratch {
    pub packets: u64,
    pub bytes: u64,
    holders: Vec<(FlowId, u32)>,
    others: u64,
    gauges: Vec<(u32, f64)>,
}

impl QueueScratch {
    /// Sets the flows that hold the queue: those with most packets first.
    pub fn set_holders(&mut self, holders: impl Iterator<Item = (FlowId, Held)>) {
        self.holders.clear();
        self.holders.extend(holders.map(|(flow, held)| (flow, held.packets)));
        self.holders.sort_by_key(|(flow, packets)| (std::cmp::Reverse(*packets), flow.0));
        let rest = self.holders.iter().skip(QueueState::MOST_HOLDERS);
        self.others = rest.map(|(_, packets)| u64::from(*packets)).sum();
        self.holders.truncate(QueueState::MOST_HOLDERS);
    }
}

/// Takes the gauges of a queue.
pub(crate) struct GaugeTaker<'a> {
    keys: &'a mut Vec<GaugeKey>,
    gauges: &'a mut Vec<(u32, f64)>,
}

impl Gauges for GaugeTaker<'_> {
    fn set_part(&mut self, gauge: &Gauge, part: &str, value: f64) {
        if !value.is_finite() {
            return;
        }
        let is_same = |key: &GaugeKey| key.name == gauge.name && key.part == part;
        // A queue has the same gauges each time: most often the next one follows the last.
        let next = self.gauges.last().map_or(0, |(last, _)| *last as usize + 1);
        let key = match self.keys.get(next) {
            Some(key) if is_same(key) => next,
            _ => self.keys.iter().position(is_same).unwrap_or_else(|| {
                let part = if part.is_empty() { "" } else { kept(part) };
                self.keys.push(GaugeKey { name: gauge.name, part });
                self.keys.len() - 1
            }),
        };
        self.gauges.push((key as u32, value));
    }
}

impl DecisionLog {
    /// Number of decisions.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// A receiver of a queue's gauges, for [`DecisionLog::push_at`].
    pub(crate) fn take_gauges<'a>(&'a mut self, state: &'a mut QueueScratch) -> GaugeTaker<'a> {
        state.gauges.clear();
        GaugeTaker { keys: &mut self.keys, gauges: &mut state.gauges }
    }

    /// Adds a decision, whose queue has this state.
    pub(crate) fn push_at(&mut self, decision: &Decision, state: Option<&QueueScratch>) {
        let bytes = &mut self.latest;
        put_head(bytes, decision);
        if decision.identity.is_some() {
            bytes.push(u8::from(state.is_some()));
            if let Some(state) = state {
                let QueueScratch { packets, bytes: waiting, holders, others, gauges } = state;
                [*packets, *waiting, *others].into_iter().for_each(|value| put(bytes, value));
                put(bytes, holders.len() as u64);
                for (flow, packets) in holders {
                    put(bytes, u64::from(flow.0));
                    put(bytes, u64::from(*packets));
                }
                put(bytes, gauges.len() as u64);
                for (key, value) in gauges {
                    put(bytes, u64::from(*key));
                    put_float(bytes, *value);
                }
            }
        }
        self.count += 1;
        if self.latest.len() >= MEMORY && !self.is_full {
            self.relieve();
        }
    }

    /// Adds a decision.
    pub fn push(&mut self, decision: &Decision) {
        let state = decision.identity.as_ref().and_then(|identity| identity.queue.as_ref());
        let scratch = state.map(|state| {
            let gauges = state.gauges.iter().map(|(key, value)| (self.key(*key), *value)).collect();
            let QueueState { packets, bytes, ref holders, others, .. } = *state;
            QueueScratch { packets, bytes, holders: holders.clone(), others, gauges }
        });
        self.push_at(decision, scratch.as_ref());
    }

    fn key(&mut self, key: GaugeKey) -> u32 {
        let found = self.keys.iter().position(|own| *own == key).unwrap_or_else(|| {
            self.keys.push(key);
            self.keys.len() - 1
        });
        found as u32
    }

    /// Moves what is in memory to the file. Where that fails, as with a full disk, it stays in memory, and so does all later.
    #[cold]
    fn relieve(&mut self) {
        let moved = match &self.file {
            Some(file) => Ok(Arc::clone(file)),
            None => SpillFile::create().map(Arc::new),
        }
        .and_then(|file| {
            let offset = file.append(&self.latest)?;
            self.file = Some(file);
            self.pieces.push((offset, self.latest.len()));
            Ok(())
        });
        match moved {
            Ok(()) => self.latest.clear(),
            Err(_) => self.is_full = true,
        }
    }

    /// All decisions, in order.
    ///
    /// # Errors
    /// If decisions cannot be read back from the temporary file.
    pub fn iter(&self) -> impl Iterator<Item = io::Result<Decision>> + '_ {
        let spilled = self.pieces.iter().map(|(offset, length)| {
            let mut bytes = vec![0; *length];
            self.file.as_ref().map_or(Ok(()), |file| file.read(*offset, &mut bytes))?;
            Ok(bytes)
        });
        let latest = (!self.latest.is_empty()).then(|| Ok(self.latest.clone()));
        spilled.chain(latest).flat_map(move |piece: io::Result<Vec<u8>>| {
            let (bytes, error) = match piece {
                Ok(bytes) => (bytes, None),
                Err(error) => (Vec::new(), Some(Err(error))),
            };
            let mut at = 0;
            let decisions = std::iter::from_fn(move || {
                let mut rest = Bytes(bytes.get(at..)?);
                let decision = rest.decision(&self.keys)?;
                at = bytes.len() - rest.0.len();
                Some(Ok(decision))
            });
            error.into_iter().chain(decisions)
        })
    }

    /// All decisions, in memory.
    ///
    /// # Errors
    /// As of [`DecisionLog::iter`].
    pub fn to_vec(&self) -> io::Result<Vec<Decision>> {
        self.iter().collect()
    }

    /// The decisions of two logs in the order of time, those of `self` first at equal times, and numbered anew: `numbers` gets the
    /// old and the new number of each one of `self`, where they differ.
    ///
    /// # Errors
    /// As of [`DecisionLog::iter`].
    pub(crate) fn merged(
        &self,
        other: impl Iterator<Item = io::Result<Decision>>,
        numbers: &mut Vec<(u64, u64)>,
    ) -> io::Result<DecisionLog> {
        let mut log = DecisionLog::default();
        let (mut own, mut other) = (self.iter().peekable(), other.peekable());
        loop {
            let is_own = match (own.peek(), other.peek()) {
                (Some(Ok(own)), Some(Ok(other))) => own.time <= other.time,
                (own, _) => own.is_some(),
            };
            let next = if is_own { own.next() } else { other.next() };
            let Some(next) = next else { return Ok(log) };
            let next = next?;
            if is_own && next.id != log.count {
                numbers.push((next.id, log.count));
            }
            log.push(&Decision { id: log.count, ..next });
        }
    }
}

#[cfg(test)]
impl DecisionLog {
    pub(crate) fn is_partly_in_a_file(&self) -> bool {
        !self.pieces.is_empty()
    }
}

impl FromIterator<Decision> for DecisionLog {
    fn from_iter<I: IntoIterator<Item = Decision>>(decisions: I) -> DecisionLog {
        let mut log = DecisionLog::default();
        decisions.into_iter().for_each(|decision| log.push(&decision));
        log
    }
}

impl PartialEq for DecisionLog {
    fn eq(&self, other: &DecisionLog) -> bool {
        let equal = |(own, other): (io::Result<Decision>, io::Result<Decision>)| matches!((own, other), (Ok(own), Ok(other)) if own == other);
        self.count == other.count && self.iter().zip(other.iter()).all(equal)
    }
}

impl std::fmt::Debug for DecisionLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter().take(100)).finish_non_exhaustive()
    }
}
