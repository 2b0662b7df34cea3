//! Titles whose sizes may still have to be drawn: what a ladder and an MPD have in common.

use jettison_core::{Duration, RandomStream, Rate};

use super::{AdaptationSet, Picture, Representation, Title, manifest, sizes};

/// Most segments that a title may have: at 4 s each, more than four days.
pub(super) const MOST_SEGMENTS: usize = 100_000;
/// Longest title, so that sums of times stay far from where they would overflow.
pub(super) const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);
/// Highest bitrate.
pub(super) const HIGHEST: Rate = Rate::from_mbit(1_000_000);

/// What the titles of a catalogue have in common.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Draft {
    /// Length of the manifest, if there is one.
    pub(super) manifest: Option<u64>,
    /// Pictures.
    pub(super) video: DraftSet,
    /// Sound.
    pub(super) audio: Option<DraftSet>,
}

/// An adaptation set.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DraftSet {
    /// Media time of each segment.
    pub(super) durations: Vec<Duration>,
    /// In ascending order of bitrate.
    pub(super) representations: Vec<DraftRepresentation>,
}

/// A representation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DraftRepresentation {
    pub(super) id: String,
    pub(super) bitrate: Rate,
    pub(super) codec: String,
    pub(super) picture: Option<Picture>,
    /// Bytes of its initialization segment, if they are known.
    pub(super) initialization: Option<u64>,
    pub(super) sizes: Sizes,
}

/// The sizes of a representation's segments.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Sizes {
    /// These.
    Known(Vec<u64>),
    /// Drawn, of an encoder with a buffer of so much at its bitrate.
    Drawn {
        /// The encoder's buffer.
        buffer: Duration,
    },
}

impl Draft {
    /// How many sizes a title of this has.
    pub(super) fn sizes(&self) -> usize {
        let of = |set: &DraftSet| set.durations.len() * set.representations.len();
        of(&self.video) + self.audio.as_ref().map_or(0, of)
    }

    /// A title of that name; `initialization` is the size of initialization segments that do not say theirs.
    pub(super) fn title(&self, name: &str, initialization: u64, random: &mut RandomStream) -> Title {
        let set = |draft: &DraftSet, fullness: &[f64]| AdaptationSet {
            representations: draft
                .representations
                .iter()
                .map(|representation| representation.finished(initialization, fullness, &draft.durations))
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
        title.manifest = self.manifest.unwrap_or_else(|| manifest::written(&title).len() as u64);
        title
    }
}

impl DraftRepresentation {
    fn finished(&self, initialization: u64, fullness: &[f64], durations: &[Duration]) -> Representation {
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
