//! Media content: titles, adaptation sets, representations and segments (terms of ISO/IEC 23009-1).

mod draft;
pub mod ladder;
pub mod manifest;
mod mpd;
mod parameters;
mod sidecar;
mod sizes;
#[cfg(test)]
mod tests;

use jettison_core::{Duration, Rate};

pub use parameters::{ContentParameters, LadderChoice, ShippedLadder};

/// A title of the catalogue.
#[derive(Debug, Clone, PartialEq)]
pub struct Title {
    /// Name; used in request paths.
    pub name: String,
    /// Length of the manifest in bytes.
    pub manifest: u64,
    /// Video.
    pub video: AdaptationSet,
    /// Audio.
    pub audio: Option<AdaptationSet>,
}

/// One kind of media, in one or more representations with the same segments.
#[derive(Debug, Clone, PartialEq)]
pub struct AdaptationSet {
    /// Representations in ascending order of bitrate; never empty.
    pub representations: Vec<Representation>,
    /// Media time of each segment; never empty.
    pub durations: Vec<Duration>,
}

/// One encoding of an adaptation set.
#[derive(Debug, Clone, PartialEq)]
pub struct Representation {
    /// Id.
    pub id: String,
    /// Nominal bitrate, the basis of choices.
    pub bitrate: Rate,
    /// Codec, as in RFC 6381 or as a plain name (`h264`, `aac`).
    pub codec: String,
    /// Resolution and frame rate, for video.
    pub picture: Option<Picture>,
    /// Length of the initialization segment in bytes.
    pub initialization: u64,
    /// Length of each segment in bytes.
    pub sizes: Vec<u64>,
}

/// Resolution and frame rate of a video representation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Picture {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Frames per second.
    pub frame_rate: f64,
}

impl AdaptationSet {
    /// Returns the number of segments.
    pub fn segments(&self) -> usize {
        self.durations.len()
    }

    /// Returns the index of the highest representation of at most `rate` bit/s, or 0.
    pub fn highest_below(&self, rate: f64) -> usize {
        let above = self.representations.partition_point(|r| r.bitrate.as_bits() as f64 <= rate);
        above.saturating_sub(1)
    }
}
