//! The `content` table of the streaming applications.

use std::sync::Arc;

use jettison_core::{Bytes, Duration, RandomStream};
use jettison_registry::{ParameterError, parameters};
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

/// Content: a bitrate ladder or an MPD file, and the variation of segment sizes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ContentParameters {
    /// Representations: a ladder's name, or a table of `video` and `audio`. Default without `mpd`: `ired`.
    pub ladder: Option<LadderChoice>,
    /// File name of an MPD whose representations and segments are streamed instead of a ladder.
    #[schemars(extend("format" = "input-file"))]
    pub mpd: Option<String>,
    /// With `mpd`: file name of a CSV of `representation,segment,bytes` with the segment sizes. Unset: sizes come from
    /// the MPD's byte ranges, or are drawn if it has none.
    #[schemars(extend("format" = "input-file"))]
    pub sizes: Option<String>,
    /// Length of a ladder's titles. Unset: 10 min. An MPD defines its own length.
    pub duration: Option<Duration>,
    /// Length of segments. Unset: the ladder's groups of pictures. With an MPD it applies only to Representations that
    /// are one file with an index.
    pub segment_duration: Option<Duration>,
    /// Share of the encoder's buffer, 0 to 1, used by segment sizes; with 0 every segment has the nominal bitrate.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub variation: f64,
    /// Buffer (VBV) of the video encoder, as time at the bitrate, for rungs without their own.
    pub encoder_buffer: Duration,
    /// Size of an initialization segment, unless a file gives it.
    pub initialization: Bytes,
    /// Number of titles in the catalogue, `title-1` and so on. Drawn sizes differ between titles.
    #[schemars(range(min = 1, max = 1000))]
    pub titles: u32,
}

/// A ladder's name or a ladder.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(title = "ladder")]
pub enum LadderChoice {
    /// Predefined ladder.
    Named(ShippedLadder),
    /// Ladder written in the scenario.
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
            // Assumption for what an MPD does not state; streaming encoders are usually limited to one or two seconds.
            encoder_buffer: Duration::from_secs(1),
            // Approximate size of `ftyp` and `moov` of one track.
            initialization: Bytes::new(800),
            titles: 1,
        }
    }
}

impl LadderChoice {
    /// Returns the ladder.
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
            // Keep the path of the offending key in the message.
            true => parameters(&value).map(LadderChoice::Table).map_err(D::Error::custom),
            false => serde_json::from_value(value).map(LadderChoice::Named).map_err(D::Error::custom),
        }
    }
}

/// Default length of a ladder's titles.
const DURATION: Duration = Duration::from_secs(600);
/// Maximum number of titles in a catalogue.
const MOST_TITLES: u32 = 1_000;
/// Maximum number of segment sizes over all titles: 80 MB.
const MOST_SIZES: usize = 10_000_000;
/// Maximum size of an initialization segment.
const MOST_INITIALIZATION: Bytes = Bytes::new(1_000_000_000);

impl ContentParameters {
    /// Creates the catalogue. `files` returns the content of a file, `random` the random stream of a component.
    ///
    /// # Errors
    /// With the offending key, and the file name and line of an error in a file.
    #[allow(clippy::type_complexity)] // an alias would hide what the closure returns
    pub fn titles(
        &self,
        files: &dyn Fn(&str) -> Result<Arc<[u8]>, String>,
        random: &dyn Fn(&str) -> RandomStream,
    ) -> Result<Vec<Arc<Title>>, ParameterError> {
        self.validate()?;
        let draft = match &self.mpd {
            Some(file) => self.of_mpd(file, files)?,
            None => self.of_ladder()?,
        };
        ParameterError::unless(draft.sizes() * self.titles as usize <= MOST_SIZES, "titles", || {
            let sizes = draft.sizes() * self.titles as usize;
            format!("must have at most {MOST_SIZES} segments over all representations, got {sizes}")
        })?;
        let title = |number: u32| {
            let name = format!("title-{number}");
            Arc::new(draft.title(&name, self.initialization.get(), &mut random(&name)))
        };
        Ok((1..=self.titles).map(title).collect())
    }

    fn validate(&self) -> Result<(), ParameterError> {
        let is_share = (0.0..=1.0).contains(&self.variation);
        ParameterError::unless(is_share, "variation", || {
            format!("must be in [0, 1], got {}", self.variation)
        })?;
        ParameterError::unless((1..=MOST_TITLES).contains(&self.titles), "titles", || {
            format!("must be in [1, {MOST_TITLES}], got {}", self.titles)
        })?;
        ParameterError::unless(self.encoder_buffer <= LONGEST_BUFFER, "encoder_buffer", || {
            format!("must be <= {LONGEST_BUFFER}, got {}", self.encoder_buffer)
        })?;
        ParameterError::unless(self.initialization <= MOST_INITIALIZATION, "initialization", || {
            format!("must be <= {MOST_INITIALIZATION}, got {}", self.initialization)
        })?;
        let in_range = |span: Duration| !span.is_zero() && span <= LONGEST;
        let range =
            |span: Option<Duration>| format!("must be in (0 s, {LONGEST}], got {}", span.unwrap_or_default());
        ParameterError::unless(self.duration.is_none_or(in_range), "duration", || range(self.duration))?;
        ParameterError::unless(self.segment_duration.is_none_or(in_range), "segment_duration", || {
            range(self.segment_duration)
        })?;
        if self.mpd.is_some() {
            ParameterError::unless(self.ladder.is_none(), "ladder", || {
                "give `ladder` or `mpd`, not both".to_owned()
            })?;
            ParameterError::unless(self.duration.is_none(), "duration", || {
                "applies to ladders only; an MPD defines its own length".to_owned()
            })
        } else {
            ParameterError::unless(self.sizes.is_none(), "sizes", || "requires `mpd`".to_owned())
        }
    }

    fn of_ladder(&self) -> Result<Draft, ParameterError> {
        let ladder = self.ladder.as_ref().map_or_else(|| ShippedLadder::Ired.ladder(), LadderChoice::ladder);
        ladder.validate().map_err(|error| error.under("ladder"))?;
        let segment = self.segment_duration.map_or_else(|| ladder.group(), Ok)?;
        let durations = mpd::even(self.duration.unwrap_or(DURATION), segment);
        let durations = durations.map_err(|message| {
            let key = if self.segment_duration.is_some() { "segment_duration" } else { "duration" };
            ParameterError::at(key, format!("each title {message}"))
        })?;
        let (video, audio) = ladder.sets(&durations, self.encoder_buffer, self.variation);
        Ok(Draft { manifest: None, video, audio })
    }

    #[allow(clippy::type_complexity)] // as above
    fn of_mpd(
        &self,
        file: &str,
        files: &dyn Fn(&str) -> Result<Arc<[u8]>, String>,
    ) -> Result<Draft, ParameterError> {
        let content = files(file).map_err(|error| ParameterError::at("mpd", error))?;
        let open = mpd::Open {
            encoder_buffer: self.encoder_buffer.mul_f64(self.variation),
            segment_duration: self.segment_duration,
        };
        let presentation =
            mpd::read(&content, open).map_err(|error| ParameterError::at("mpd", error.in_file(file)))?;
        let mut draft = presentation.draft;
        if let Some(file) = &self.sizes {
            let content = files(file).map_err(|error| ParameterError::at("sizes", error))?;
            Sidecar::read(&content)
                .and_then(|sidecar| sidecar.apply(&mut draft, &presentation.others))
                .map_err(|error| ParameterError::at("sizes", error.in_file(file)))?;
        }
        Ok(draft)
    }
}
