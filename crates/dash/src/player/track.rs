//! One kind of media in a session, and the requests that are made for it.

use jettison_core::{Duration, Time};

use super::Kind;
use crate::abr::AbrRule;
use crate::content::AdaptationSet;
use crate::resource::Part;

/// State of one kind of media.
#[derive(Debug, Clone)]
pub(super) struct Track {
    pub(super) kind: Kind,
    pub(super) rule: Box<dyn AbrRule>,
    /// Whether the initialization segment is there, per representation.
    initialized: Vec<bool>,
    /// Index of the representation of each buffered or played segment.
    pub(super) buffered: Vec<u32>,
    /// Index of the next segment to fetch; less than the number buffered while segments are replaced.
    pub(super) next: usize,
    /// Representation chosen last.
    pub(super) selected: Option<usize>,
    /// Representation of the latest download.
    pub(super) newest: Option<usize>,
    /// A choice that waits for room in the buffer.
    pub(super) decided: Option<usize>,
}

impl Track {
    pub(super) fn new(kind: Kind, set: &AdaptationSet, rule: Box<dyn AbrRule>) -> Track {
        Track {
            kind,
            rule,
            initialized: vec![false; set.representations.len()],
            buffered: Vec::new(),
            next: 0,
            selected: None,
            newest: None,
            decided: None,
        }
    }

    pub(super) fn is_initialized(&self, representation: usize) -> bool {
        self.initialized[representation]
    }

    /// Accounts for an initialization segment. Unless the player keeps them, those before are gone.
    pub(super) fn initialize(&mut self, representation: usize, keeps: bool) {
        if !keeps {
            self.initialized.fill(false);
        }
        self.initialized[representation] = true;
    }

    /// Prepares a switch to `representation`: with `from` to replace segments from that one, otherwise to append.
    pub(super) fn switch(&mut self, from: Option<usize>) {
        self.next = from.unwrap_or(self.buffered.len());
    }
}

/// Requests of one schedule: of all media in turn, or of one kind.
#[derive(Debug, Clone, Default)]
pub(super) struct Lane {
    /// The request in progress, or to be repeated.
    pub(super) asked: Option<Part>,
    /// The chosen segment that waits for its initialization segment or for `not_before`.
    pub(super) chosen: Option<Part>,
    pub(super) not_before: Option<Time>,
    /// Time at which to look again.
    pub(super) resumes_at: Option<Time>,
    /// Whether the buffer was full and has not yet drained to the resume level.
    pub(super) is_full: bool,
}

/// Returns the index of the segment that contains a media time; `None` after the end.
pub(super) fn segment_at(set: &AdaptationSet, time: Duration) -> Option<usize> {
    let mut end = Duration::ZERO;
    set.durations.iter().position(|duration| {
        end += *duration;
        time < end
    })
}

/// Returns the media time at which a segment ends.
pub(super) fn end_of(set: &AdaptationSet, segment: usize) -> Duration {
    set.durations.iter().take(segment + 1).fold(Duration::ZERO, |sum, duration| sum + *duration)
}
