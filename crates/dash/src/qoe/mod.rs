//! Quality of experience of a session, by published models.

mod linear;
pub mod p1203;

use jettison_core::Duration;

use super::content::Picture;

pub use linear::{LinearWeights, linear};

/// Playback history of one viewer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Session {
    /// Video segments played, in order.
    pub video: Vec<PlayedSegment>,
    /// Audio segments played, in order.
    pub audio: Vec<PlayedSegment>,
    /// Start-up delay: from the start of the session to the first frame, or to now before it.
    pub start_up: Duration,
    /// Stalls, in order.
    pub stalls: Vec<Stall>,
}

/// A played segment.
#[derive(Debug, Clone, PartialEq)]
pub struct PlayedSegment {
    /// The representation's nominal bitrate in bit/s.
    pub bitrate: f64,
    /// Length of the segment in bytes.
    pub bytes: u64,
    /// Media time of the segment.
    pub media: Duration,
    /// Resolution and frame rate, for video.
    pub picture: Option<Picture>,
}

/// An interruption of playback by an empty buffer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stall {
    /// Media time played before the stall.
    pub after: Duration,
    /// Duration of the stall.
    pub lasted: Duration,
}
