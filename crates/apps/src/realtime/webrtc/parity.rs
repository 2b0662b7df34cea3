//! Forward error correction by parity: one packet repairs one loss in a run of media packets (RFC 8627's one-dimensional,
//! non-interleaved protection).
//!
//! The sender adds parity in proportion to the losses of late; the receiver rebuilds a packet when all others of a run are there.

use std::collections::BTreeMap;

use super::packet::{Part, is_valid};

/// Parity packets per media packet and per share of packets lost, their bound, and the loss below which there are none: WebRTC
/// takes its overhead from tables by rate and loss; a multiple of the loss is ours.
const PER_LOSS: f64 = 2.0;
const MOST: f64 = 0.5;
const LEAST_LOSS: f64 = 0.005;
/// Longest run; a mask of RFC 8627 may be longer.
const LONGEST: u16 = 32;
/// Media packets and parities that the receiver keeps.
const KEPT: u64 = 256;
const OPEN: usize = 16;

/// The ratio of parity packets to media packets for a share of packets lost.
pub(super) fn overhead(loss: f64) -> f64 {
    if loss < LEAST_LOSS { 0.0 } else { (PER_LOSS * loss).min(MOST) }
}

/// The parity of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    /// The first packet's number, and how many they are.
    pub first: u64,
    pub count: u16,
    pub sum: Part,
    /// Length of the longest packet, which is the parity's.
    pub longest: u16,
}

/// The sender's half.
#[derive(Debug, Clone, Default)]
pub(super) struct ParityMaker {
    owed: f64,
    run: Option<Run>,
}

impl ParityMaker {
    /// Adds a media packet; returns the parity that is due behind it.
    pub(super) fn add(&mut self, number: u64, part: Part, overhead: f64) -> Option<Run> {
        if overhead <= 0.0 {
            *self = ParityMaker::default();
            return None;
        }
        let run = match self.run {
            Some(run) => Run {
                count: run.count + 1,
                sum: run.sum.xor(part),
                longest: run.longest.max(part.length),
                ..run
            },
            None => Run { first: number, count: 1, sum: part, longest: part.length },
        };
        self.owed += overhead;
        if self.owed < 1.0 && run.count < LONGEST {
            self.run = Some(run);
            return None;
        }
        self.owed = (self.owed - 1.0).max(0.0);
        self.run = None;
        Some(run)
    }
}

/// The receiver's half.
#[derive(Debug, Clone, Default)]
pub(super) struct ParityStore {
    parts: BTreeMap<u64, Part>,
    runs: Vec<Run>,
}

impl ParityStore {
    /// Adds a media packet.
    pub(super) fn media(&mut self, number: u64, part: Part) {
        self.parts.insert(number, part);
        let oldest = number.saturating_sub(KEPT);
        if self.parts.first_key_value().is_some_and(|(first, _)| *first < oldest) {
            self.parts = self.parts.split_off(&oldest);
        }
    }

    /// Adds a parity.
    pub(super) fn parity(&mut self, run: Run) {
        if self.runs.len() == OPEN {
            self.runs.remove(0);
        }
        self.runs.push(run);
    }

    /// A packet that can be rebuilt now.
    pub(super) fn rebuilt(&mut self) -> Option<(u64, Part)> {
        while let Some((place, missing)) = self.solvable() {
            let run = self.runs.remove(place);
            let Some(number) = missing else { continue };
            let numbers = run.first..run.first + u64::from(run.count);
            let others = numbers.filter_map(|other| self.parts.get(&other));
            let part = others.fold(run.sum, |sum, other| sum.xor(*other));
            if is_valid(part) {
                self.media(number, part);
                return Some((number, part));
            }
        }
        None
    }

    /// A run with at most one packet missing, and that packet.
    fn solvable(&self) -> Option<(usize, Option<u64>)> {
        self.runs.iter().enumerate().find_map(|(place, run)| {
            let numbers = run.first..run.first + u64::from(run.count);
            let mut missing = numbers.filter(|number| !self.parts.contains_key(number));
            let first = missing.next();
            missing.next().is_none().then_some((place, first))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(n: u64) -> Part {
        let length = 1000 + n as u16;
        Part { frame: n as u32 / 3, back: 0, place: (n % 3) as u16, packets: 3, timestamp: 77, length }
    }

    #[test]
    fn the_overhead_follows_the_losses() {
        assert_eq!((overhead(0.001), overhead(0.05), overhead(0.6)), (0.0, 0.1, 0.5));
    }

    #[test]
    fn rfc8627_one_loss_of_a_run_is_rebuilt() {
        let (mut maker, mut store) = (ParityMaker::default(), ParityStore::default());
        let mut parities = 0;
        for n in 0..10 {
            if n != 7 {
                store.media(n, part(n));
            }
            if let Some(run) = maker.add(n, part(n), 0.2) {
                assert_eq!((run.first, run.count), (5 * parities, 5));
                parities += 1;
                store.parity(run);
            }
        }
        assert_eq!(parities, 2);
        assert_eq!(store.rebuilt(), Some((7, part(7))));
        assert_eq!(store.rebuilt(), None);
    }

    #[test]
    fn two_losses_are_not_until_one_is_repaired_otherwise() {
        let (mut maker, mut store) = (ParityMaker::default(), ParityStore::default());
        let runs: Vec<Run> = (0..4).filter_map(|n| maker.add(n, part(n), 0.25)).collect();
        [0, 3].iter().for_each(|n| store.media(*n, part(*n)));
        store.parity(runs[0]);
        assert_eq!(store.rebuilt(), None);
        store.media(1, part(1));
        assert_eq!(store.rebuilt(), Some((2, part(2))));
    }

    #[test]
    fn nonsense_is_not_rebuilt() {
        let mut store = ParityStore::default();
        let sum = Part { place: 5, packets: 2, ..part(0) };
        store.parity(Run { first: 0, count: 1, sum, longest: 1000 });
        assert_eq!(store.rebuilt(), None);
    }
}
