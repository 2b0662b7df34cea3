//! Decisions from outside: what a program asks, and what it says of its state.

use jettison_core::{Duration, Time};

/// What a program that is steered from outside asks, and what is known for the answer.
///
/// The answer is the representation of the next video segment. A caller keeps one and has it filled again, so that a question
/// allocates nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Question {
    /// Whether the program waits for an answer now.
    pub is_open: bool,
    /// Whether everything was played: no question follows.
    pub is_ended: bool,
    /// Nominal bitrate of each representation in bit/s, ascending.
    pub bitrates: Vec<u64>,
    /// Length in bytes of the next segment in each representation; empty behind the last one.
    pub sizes: Vec<u64>,
    /// Media time of the next segment.
    pub media: Duration,
    /// Segments that are still to be fetched, the next one included.
    pub left: usize,
    /// All segments.
    pub segments: usize,
    /// Media in the buffer.
    pub buffer: Duration,
    /// Buffer level at which the player stops fetching.
    pub max_buffer: Duration,
    /// Time since the start until playback began; so far, before it.
    pub start_up: Duration,
    /// Time in which playback stalled.
    pub stalled: Duration,
    /// Number of segments downloaded so far.
    pub downloads: usize,
    /// The latest one.
    pub latest: Option<Fetched>,
    /// Penalties of the program's linear score: per change of the bitrate by 1 kbit/s, per second stalled, per second of start-up
    /// delay; both in kbit/s of one segment.
    pub weights: [f64; 3],
}

/// A segment that was downloaded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fetched {
    /// Its representation.
    pub representation: usize,
    /// Bytes.
    pub bytes: u64,
    /// Time of the request.
    pub requested_at: Time,
    /// Arrival of the last byte.
    pub finished_at: Time,
}
