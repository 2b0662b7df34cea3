//! The `content` table of the streaming applications.

use std::sync::Arc;

use jettison_core::{BuildError, Bytes, Duration, RandomStream, parameters};
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::Title;
use super::draft::{Draft, LONGEST};
use super::ladder::{LONGEST_BUFFER, Ladder};
use super::mpd;
use super::sidecar::Sidecar;

pub use super::ladder::ShippedLadder;

/// What there is to watch: a bitrate ladder or a real manifest, and how its segments vary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ContentParameters {
    /// The representations: a ladder's name, or a table of `video` and `audio`. Without it and without `mpd`, `ired`.
    pub ladder: Option<LadderChoice>,
    /// In place of a ladder: the file name of an MPD, whose representations and segments are streamed.
    #[schemars(extend("format" = "input-file"))]
    pub mpd: Option<String>,
    /// With `mpd`: the file name of a CSV of `representation,segment,bytes`, the sizes of its segments. Without it, those
    /// that the MPD does not give by byte ranges are drawn.
    #[schemars(extend("format" = "input-file"))]
    pub sizes: Option<String>,
    /// Length of a title of a ladder, 10 min unless given. An MPD has its own.
    pub duration: Option<Duration>,
    /// Length of the segments: of a ladder its groups of pictures unless given. An MPD has its own; this is for the
    /// Representations that are one file with an index.
    pub segment_duration: Option<Duration>,
    /// Share of the encoder's buffer, 0 to 1, that the sizes of segments use; with 0 all have the bitrate.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub variation: f64,
    /// The buffer (VBV) of the video encoder, as time at the bitrate, where the ladder does not say.
    pub encoder_buffer: Duration,
    /// Size of an initialization segment, where no file says.
    pub initialization: Bytes,
    /// Titles in the catalogue, `title-1` and so on. Each has sizes of its own, if they are drawn.
    #[schemars(range(min = 1, max = 1000))]
    pub titles: u32,
}

/// A ladder's name or a ladder.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(title = "ladder")]
pub enum LadderChoice {
    /// One that is shipped.
    Named(ShippedLadder),
    /// One that is written out.
    Table(Ladder),
}

impl Default for ContentParameters {
    fn default() -> ContentParameters {
        ContentParameters {
            ladder: None,
            mpd: None,
            sizes: None,
            duration: None,
            segment_duration: None,
            variation: 1.0,
            // Our assumption for what an MPD does not tell; encoders for streaming are held to one or two seconds.
            encoder_buffer: Duration::from_secs(1),
            // About what `ftyp` and `moov` of one track take.
            initialization: Bytes::new(800),
            titles: 1,
        }
    }
}

impl LadderChoice {
    /// The ladder.
    pub fn ladder(&self) -> Ladder {
        match self {
            LadderChoice::Named(name) => name.ladder(),
            LadderChoice::Table(ladder) => ladder.clone(),
        }
    }
}

impl<'de> Deserialize<'de> for LadderChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<LadderChoice, D::Error> {
        let value = Value::deserialize(deserializer)?;
        match value.is_object() {
            // With the path of the key in it that is at fault.
            true => parameters(&value).map(LadderChoice::Table).map_err(D::Error::custom),
            false => serde_json::from_value(value).map(LadderChoice::Named).map_err(D::Error::custom),
        }
    }
}

/// Length of a ladder's titles.
const DURATION: Duration = Duration::from_secs(600);
/// Most titles of a catalogue.
const MOST_TITLES: u32 = 1_000;
/// Most sizes of all titles together: 80 MB.
const MOST_SIZES: usize = 10_000_000;
/// Largest initialization segment.
const MOST_INITIALIZATION: Bytes = Bytes::new(1_000_000_000);

impl ContentParameters {
    /// The catalogue. `files` gives the content of a file by its name, `random` the stream of a component's name.
    ///
    /// # Errors
    /// With the key that is at fault, and of a file its name and line.
    #[allow(clippy::type_complexity)] // spelt out, it says what gives files
    pub fn titles(
        &self,
        files: &dyn Fn(&str) -> Result<Arc<[u8]>, String>,
        random: &dyn Fn(&str) -> RandomStream,
    ) -> Result<Vec<Arc<Title>>, BuildError> {
        self.validate()?;
        let draft = match &self.mpd {
            Some(file) => self.of_mpd(file, files)?,
            None => self.of_ladder()?,
        };
        BuildError::unless(draft.sizes() * self.titles as usize <= MOST_SIZES, "titles", || {
            format!("have more than {MOST_SIZES} segments together, over all representations")
        })?;
        let title = |number: u32| {
            let name = format!("title-{number}");
            Arc::new(draft.title(&name, self.initialization.get(), &mut random(&name)))
        };
        Ok((1..=self.titles).map(title).collect())
    }

    fn validate(&self) -> Result<(), BuildError> {
        let is_share = (0.0..=1.0).contains(&self.variation);
        BuildError::unless(is_share, "variation", || "must be from 0 to 1".to_owned())?;
        BuildError::unless((1..=MOST_TITLES).contains(&self.titles), "titles", || {
            format!("must be from 1 to {MOST_TITLES}")
        })?;
        BuildError::unless(self.encoder_buffer <= LONGEST_BUFFER, "encoder_buffer", || {
            format!("must be at most {LONGEST_BUFFER}")
        })?;
        BuildError::unless(self.initialization <= MOST_INITIALIZATION, "initialization", || {
            format!("must be at most {MOST_INITIALIZATION}")
        })?;
        let in_range = |span: Duration| !span.is_zero() && span <= LONGEST;
        let range = || format!("must be above zero and at most {LONGEST}");
        BuildError::unless(self.duration.is_none_or(in_range), "duration", range)?;
        BuildError::unless(self.segment_duration.is_none_or(in_range), "segment_duration", range)?;
        if self.mpd.is_some() {
            BuildError::unless(self.ladder.is_none(), "ladder", || {
                "give `ladder` or `mpd`, not both".to_owned()
            })?;
            BuildError::unless(self.duration.is_none(), "duration", || {
                "is of a ladder's titles; an MPD has its own length".to_owned()
            })
        } else {
            BuildError::unless(self.sizes.is_none(), "sizes", || {
                "are of an MPD's segments; give `mpd` with it".to_owned()
            })
        }
    }

    fn of_ladder(&self) -> Result<Draft, BuildError> {
        let ladder = self.ladder.as_ref().map_or_else(|| ShippedLadder::Ired.ladder(), LadderChoice::ladder);
        ladder.validate().map_err(|error| error.under("ladder"))?;
        let segment = self.segment_duration.map_or_else(|| ladder.group(), Ok)?;
        let durations = mpd::even(self.duration.unwrap_or(DURATION), segment);
        let durations = durations.map_err(|message| {
            let key = if self.segment_duration.is_some() { "segment_duration" } else { "duration" };
            BuildError::at(key, format!("a title {message}"))
        })?;
        let (video, audio) = ladder.sets(&durations, self.encoder_buffer, self.variation);
        Ok(Draft { manifest: None, video, audio })
    }

    #[allow(clippy::type_complexity)] // as above
    fn of_mpd(
        &self,
        file: &str,
        files: &dyn Fn(&str) -> Result<Arc<[u8]>, String>,
    ) -> Result<Draft, BuildError> {
        let content = files(file).map_err(|error| BuildError::at("mpd", error))?;
        let open = mpd::Open {
            encoder_buffer: self.encoder_buffer.mul_f64(self.variation),
            segment_duration: self.segment_duration,
        };
        let presentation =
            mpd::read(&content, open).map_err(|error| BuildError::at("mpd", error.in_file(file)))?;
        let mut draft = presentation.draft;
        if let Some(file) = &self.sizes {
            let content = files(file).map_err(|error| BuildError::at("sizes", error))?;
            Sidecar::read(&content)
                .and_then(|sidecar| sidecar.apply(&mut draft, &presentation.others))
                .map_err(|error| BuildError::at("sizes", error.in_file(file)))?;
        }
        Ok(draft)
    }
}
