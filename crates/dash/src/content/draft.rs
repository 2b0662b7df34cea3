//! Titles whose segment sizes may not have been drawn yet: the common form of a ladder and an MPD.

use jettison_core::{Duration, RandomStream, Rate};

use super::{AdaptationSet, Picture, Representation, Title, manifest, sizes};

/// Maximum number of segments per title: at 4 s each, more than four days.
pub(super) const MOST_SEGMENTS: usize = 100_000;
/// Maximum length of a title, so that sums of times cannot overflow.
pub(super) const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);
/// Maximum bitrate.
pub(super) const HIGHEST: Rate = Rate::from_mbit(1_000_000);

/// Common properties of the titles in a catalogue.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Draft {
    /// Length of the manifest in bytes, if the title has one.
    pub(super) manifest: Option<u64>,
    /// Video.
    pub(super) video: DraftSet,
    /// Audio.
    pub(super) audio: Option<DraftSet>,
}

/// An adaptation set.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DraftSet {
    /// Media time of each segment.
    pub(super) durations: Vec<Duration>,
    /// Representations in ascending order of bitrate.
    pub(super) representations: Vec<DraftRepresentation>,
}

/// A representation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DraftRepresentation {
    pub(super) id: String,
    pub(super) bitrate: Rate,
    pub(super) codec: String,
    pub(super) picture: Option<Picture>,
    /// Length of the initialization segment in bytes, if known.
    pub(super) initialization: Option<u64>,
    pub(super) sizes: Sizes,
}

/// Sizes of a representation's segments.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Sizes {
    /// Given sizes.
    Known(Vec<u64>),
    /// Sizes to be drawn, by the model of an encoder with a buffer.
    Drawn {
        /// The encoder's buffer, as time at the bitrate.
        buffer: Duration,
    },
}

impl Draft {
    /// Returns the number of segment sizes in one title.
    pub(super) fn sizes(&self) -> usize {
        let of = |set: &DraftSet| set.durations.len() * set.representations.len();
        of(&self.video) + self.audio.as_ref().map_or(0, of)
    }

    /// Creates a title; `initialization` is the size of initialization segments of unknown size.
    pub(super) fn title(&self, name: &str, initialization: u64, random: &mut RandomStream) -> Title {
        let set = |draft: &DraftSet, fullness: &[f64]| AdaptationSet {
            representations: draft
                .representations
                .iter()
                .map(|representation| representation.finish(initialization, fullness, &draft.durations))
                .collect(),
            durations: draft.durations.clone(),
        };
        let fullness = sizes::fullness(self.video.durations.len(), random);
        let video = set(&self.video, &fullness);
        let audio = self.audio.as_ref().map(|draft| {
            let fullness = sizes::fullness(draft.durations.len(), random);
            set(draft, &fullness)
        });
        let mut title = Title { name: name.to_owned(), manifest: 0, video, audio };
        title.manifest = self.manifest.unwrap_or_else(|| manifest::to_mpd(&title).len() as u64);
        title
    }
}

impl DraftRepresentation {
    fn finish(&self, initialization: u64, fullness: &[f64], durations: &[Duration]) -> Representation {
        Representation {
            id: self.id.clone(),
            bitrate: self.bitrate,
            codec: self.codec.clone(),
            picture: self.picture,
            initialization: self.initialization.unwrap_or(initialization),
            sizes: match &self.sizes {
                Sizes::Known(sizes) => sizes.clone(),
                Sizes::Drawn { buffer } => sizes::sizes(self.bitrate, *buffer, fullness, durations),
            },
        }
    }
}
