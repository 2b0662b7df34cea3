//! What there is to stream: titles, adaptation sets, representations and segments (ISO/IEC 23009-1's terms).

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

/// Something to watch.
#[derive(Debug, Clone, PartialEq)]
pub struct Title {
    /// Name, also in the paths of requests.
    pub name: String,
    /// Length of its manifest in bytes.
    pub manifest: u64,
    /// Pictures.
    pub video: AdaptationSet,
    /// Sound.
    pub audio: Option<AdaptationSet>,
}

/// One kind of media, in one or several representations of the same segments.
#[derive(Debug, Clone, PartialEq)]
pub struct AdaptationSet {
    /// In ascending order of bitrate; never empty.
    pub representations: Vec<Representation>,
    /// Media time of each segment; never empty.
    pub durations: Vec<Duration>,
}

/// One encoding.
#[derive(Debug, Clone, PartialEq)]
pub struct Representation {
    /// Its id, also in the paths of requests.
    pub id: String,
    /// Its nominal bitrate, which choices go by.
    pub bitrate: Rate,
    /// Its codec, as RFC 6381 or in plain words (`h264`, `aac`).
    pub codec: String,
    /// Of video.
    pub picture: Option<Picture>,
    /// Bytes of the initialization segment.
    pub initialization: u64,
    /// Bytes of each segment.
    pub sizes: Vec<u64>,
}

/// Size and rate of a representation's pictures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Picture {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Pictures a second.
    pub frame_rate: f64,
}

impl AdaptationSet {
    /// How many segments there are.
    pub fn segments(&self) -> usize {
        self.durations.len()
    }

    /// The place of the highest representation of at most `rate`, or of the lowest one.
    pub fn highest_below(&self, rate: f64) -> usize {
        let above = self.representations.partition_point(|r| r.bitrate.as_bits() as f64 <= rate);
        above.saturating_sub(1)
    }
}
