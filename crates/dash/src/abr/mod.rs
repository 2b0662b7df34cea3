//! Adaptation rules: choose the representation of the next segment.
//!
//! Each rule has a file of its own; [`abr_rules`] lists those available to scenarios. `history` holds the
//! throughput estimate that several rules share.

mod abandon;
mod buffer_levels;
mod dash_js;
mod entry;
mod history;
mod insufficient_buffer;
mod registry;
mod shaka;
#[cfg(test)]
mod testing;

jettison_registry::components! {
    /// All adaptation rules, by id.
    pub fn abr_rules() -> Registry<AdaptationRule>;
    mod bba;
    mod bola;
    mod dynamic;
    mod fixed;
    mod throughput;
    mod vlc;
    mod vlc_2;
    mod vlc_3;
}

use std::fmt::Debug;

use dyn_clone::DynClone;
use jettison_core::{Duration, Time};

use super::content::AdaptationSet;
use super::player::Kind;

pub use abandon::{AbandonParameters, AbandonRequest};
pub use bola::{Bola, BolaParameters};
pub use buffer_levels::{BolaBuffer, Tuning, Variant};
pub use dash_js::{DashJs, DashJsRules};
pub use dynamic::{Dynamic, DynamicParameters};
pub use entry::AdaptationRule;
pub use fixed::{Fixed, FixedParameters};
pub use history::{History, HistoryParameters, Mean};
pub use insufficient_buffer::{InsufficientBuffer, InsufficientBufferParameters};
pub use shaka::{Shaka, ShakaRules};
pub use throughput::{ThroughputParameters, ThroughputRule};
pub use vlc::{Measured, VlcRate, VlcRateParameters};
pub use vlc_2::{Vlc2, Vlc2Parameters};
pub use vlc_3::{Vlc3, Vlc3Parameters};

/// An adaptation rule: notified of each download, queried before each. A player has one per kind of media.
pub trait AbrRule: DynClone + Send + Debug {
    /// Chooses the representation of the next segment.
    fn choose(&mut self, state: &AbrState<'_>) -> Choice;

    /// Handles a complete segment.
    fn on_segment(&mut self, _download: &Download, _state: &AbrState<'_>) {}

    /// Handles a complete segment of the player's other kind of media.
    fn on_other_segment(&mut self, _download: &Download, _state: &AbrState<'_>) {}

    /// Handles progress of a download. Returns a lower representation to fetch instead, or `None` to continue.
    fn on_progress(&mut self, _progress: &Progress, _state: &AbrState<'_>) -> Option<usize> {
        None
    }

    /// Whether buffered segments may be replaced by better ones at `now`.
    fn may_replace(&self, _now: Time) -> bool {
        true
    }
}

dyn_clone::clone_trait_object!(AbrRule);

/// Decision of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// Index of the representation in its adaptation set.
    pub representation: usize,
    /// Buffer level to which to drain before the request (BOLA pauses while more media has no utility).
    pub wait_below: Option<Duration>,
    /// Time to wait before the request; the decision stands.
    pub delay: Duration,
}

impl Choice {
    /// Chooses `representation` without a pause.
    pub fn now(representation: usize) -> Choice {
        Choice { representation, wait_below: None, delay: Duration::ZERO }
    }
}

/// Inputs of a rule.
#[derive(Debug, Clone, Copy)]
pub struct AbrState<'a> {
    /// Current time.
    pub now: Time,
    /// Representations to choose from.
    pub set: &'a AdaptationSet,
    /// Index of the next segment, or of the one in transfer.
    pub segment: usize,
    /// Buffer level of this kind of media.
    pub buffer: Duration,
    /// Buffer level at which the player stops fetching.
    pub max_buffer: Duration,
    /// Representation of the previous segment.
    pub last: Option<usize>,
    /// State of playback.
    pub playback: Playback,
    /// Kind of media.
    pub kind: Kind,
    /// The player's other kind of media.
    pub other: Option<OtherMedia<'a>>,
}

/// The kind of media that a rule does not choose for.
#[derive(Debug, Clone, Copy)]
pub struct OtherMedia<'a> {
    /// Representations.
    pub set: &'a AdaptationSet,
    /// Representation chosen last.
    pub selected: Option<usize>,
}

impl AbrState<'_> {
    /// Media time of the next segment; of the last segment at the end of the title.
    fn segment_duration(&self) -> Duration {
        let durations = &self.set.durations;
        durations.get(self.segment).or(durations.last()).copied().unwrap_or_default()
    }
}

/// State of playback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Playback {
    /// Filling the buffer before the first frame.
    StartUp,
    /// Playing.
    Playing,
    /// Stalled: the buffer ran empty and fills again.
    Stalled,
    /// Finished.
    Ended,
}

/// A complete download of a segment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Download {
    /// Index of the representation.
    pub representation: usize,
    /// Index of the segment.
    pub segment: usize,
    /// Length of the segment in bytes, without the HTTP head.
    pub bytes: u64,
    /// Media time of the segment.
    pub media: Duration,
    /// Time of the request.
    pub requested_at: Time,
    /// Arrival of the first byte.
    pub first_byte_at: Time,
    /// Arrival of the last byte.
    pub finished_at: Time,
    /// Whether it replaces a segment that was in the buffer.
    pub replaces: bool,
}

/// Progress of the download of a segment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Index of the representation.
    pub representation: usize,
    /// Index of the segment.
    pub segment: usize,
    /// Length of the segment in bytes, without the HTTP head.
    pub bytes: u64,
    /// Bytes received so far.
    pub received: u64,
    /// Time of the request.
    pub requested_at: Time,
    /// Arrival of the first byte.
    pub first_byte_at: Time,
}
