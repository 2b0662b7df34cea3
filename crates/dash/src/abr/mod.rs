//! Who chooses the representation of the next segment.
//!
//! A rule is a file of its own; [`registry::abr_rules`] lists those that a scenario may name. `history` holds what
//! several of them know of the network.

mod abandon;
mod bola;
mod buffer_levels;
mod dynamic;
mod fixed;
mod history;
mod insufficient_buffer;
pub mod registry;
#[cfg(test)]
mod testing;
mod throughput;
mod vlc;

use std::fmt::Debug;

use jettison_core::{Duration, Time};

use super::content::AdaptationSet;

pub use abandon::{AbandonParameters, AbandonRequest};
pub use bola::{Bola, BolaParameters};
pub use buffer_levels::{BolaBuffer, Tuning, Variant};
pub use dynamic::{Dynamic, DynamicParameters};
pub use fixed::{Fixed, FixedParameters};
pub use history::{History, HistoryParameters, Mean};
pub use insufficient_buffer::{InsufficientBuffer, InsufficientBufferParameters};
pub use registry::{AbrEntry, abr_rules, build_rule};
pub use throughput::{ThroughputParameters, ThroughputRule};
pub use vlc::{Measured, VlcRate, VlcRateParameters};

/// An adaptation rule: told of every download, asked before each. A player has one a kind of media.
pub trait AbrRule: Send + Debug {
    /// The representation of the segment that is fetched next.
    fn choose(&mut self, state: &AbrState<'_>) -> Choice;

    /// A segment came whole.
    fn on_segment(&mut self, _download: &Download, _state: &AbrState<'_>) {}

    /// A segment is coming: the representation to fetch in its place, or `None` to let it come.
    fn on_progress(&mut self, _progress: &Progress, _state: &AbrState<'_>) -> Option<usize> {
        None
    }
}

/// A choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// Place of the representation in its adaptation set.
    pub representation: usize,
    /// Ask for it only when the buffer has fallen to this (BOLA pauses when more would be of no use).
    pub wait_below: Option<Duration>,
}

impl Choice {
    /// That representation, at once.
    pub fn now(representation: usize) -> Choice {
        Choice { representation, wait_below: None }
    }
}

/// What a rule may know.
#[derive(Debug, Clone, Copy)]
pub struct AbrState<'a> {
    /// Now.
    pub now: Time,
    /// What there is to choose from.
    pub set: &'a AdaptationSet,
    /// Place of the segment that is fetched next (or comes now).
    pub segment: usize,
    /// Media time of this kind in the buffer.
    pub buffer: Duration,
    /// At this the player stops fetching.
    pub max_buffer: Duration,
    /// What the segment before was.
    pub last: Option<usize>,
    /// Whether pictures are shown.
    pub playback: Playback,
}

impl AbrState<'_> {
    /// Media time of the segment that is fetched next; of the last one at the end.
    fn segment_duration(&self) -> Duration {
        let durations = &self.set.durations;
        durations.get(self.segment).or(durations.last()).copied().unwrap_or_default()
    }
}

/// Whether pictures are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Playback {
    /// Not yet: the buffer fills for the first time.
    StartUp,
    /// They are.
    Playing,
    /// The buffer ran empty and fills again.
    Stalled,
    /// All has been shown.
    Ended,
}

/// A segment that came whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Download {
    /// Place of its representation.
    pub representation: usize,
    /// Its place.
    pub segment: usize,
    /// Its bytes, without the HTTP head.
    pub bytes: u64,
    /// Its media time.
    pub media: Duration,
    /// When it was asked for.
    pub requested_at: Time,
    /// When its first byte came.
    pub first_byte_at: Time,
    /// When its last byte came.
    pub finished_at: Time,
}

/// A segment of which a part has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Place of its representation.
    pub representation: usize,
    /// Its place.
    pub segment: usize,
    /// Its bytes, without the HTTP head.
    pub bytes: u64,
    /// How many of them have come.
    pub received: u64,
    /// When it was asked for.
    pub requested_at: Time,
    /// When its first byte came.
    pub first_byte_at: Time,
}
