//! What a session was worth to its viewer, by models of the literature.

mod linear;
pub mod p1203;

use jettison_core::Duration;

use super::content::Picture;

pub use linear::{LinearWeights, linear};

/// What one viewer saw.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Session {
    /// Video segments played, in order.
    pub video: Vec<PlayedSegment>,
    /// Audio segments played, in order.
    pub audio: Vec<PlayedSegment>,
    /// From the session's begin to the first picture; the time waited so far if there was none.
    pub start_up: Duration,
    /// Each time the buffer ran empty.
    pub stalls: Vec<Stall>,
}

/// A segment that was played.
#[derive(Debug, Clone, PartialEq)]
pub struct PlayedSegment {
    /// The representation's nominal bitrate in bit/s.
    pub bitrate: f64,
    /// Bytes of the segment itself.
    pub bytes: u64,
    /// Its media time.
    pub media: Duration,
    /// Of video.
    pub picture: Option<Picture>,
}

/// A time without pictures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stall {
    /// Media time played before it.
    pub after: Duration,
    /// How long it lasted.
    pub lasted: Duration,
}
