//! Bitrate ladders: published ones and those written in a scenario.

use jettison_core::{Duration, Rate};
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Picture;
use super::draft::{DraftRepresentation, DraftSet, HIGHEST, Sizes};

/// Predefined ladders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ShippedLadder {
    /// The iRED paper's Table VII: 280, 980 and 2,080 kbit/s, segments of 4 s, audio of 64 and 128 kbit/s.
    Ired,
}

/// The representations of a title, each kind in ascending order of bitrate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ladder {
    /// Video encodings; at least two.
    pub video: Vec<VideoRung>,
    /// Audio encodings, if any.
    #[serde(default)]
    pub audio: Vec<AudioRung>,
}

/// One video encoding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VideoRung {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Frames per second.
    pub frame_rate: f64,
    /// Frames from one key frame to the next; determines the segment duration unless `segment_duration` is given.
    #[serde(default)]
    pub gop: Option<u32>,
    /// Mean bitrate.
    pub bitrate: Rate,
    /// The encoder's buffer (VBV), as time at the bitrate. Unset: the content's `encoder_buffer`.
    #[serde(default)]
    pub encoder_buffer: Option<Duration>,
    /// Codec, as in RFC 6381 or as a plain name.
    #[serde(default = "h264")]
    pub codec: String,
}

/// One audio encoding. All of its segments have its bitrate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AudioRung {
    /// Bitrate.
    pub bitrate: Rate,
    /// Codec, as in RFC 6381 or as a plain name.
    #[serde(default = "aac")]
    pub codec: String,
}

fn h264() -> String {
    "h264".to_owned()
}
fn aac() -> String {
    "aac".to_owned()
}

impl ShippedLadder {
    /// Returns the ladder.
    pub fn ladder(self) -> Ladder {
        match self {
            ShippedLadder::Ired => ired(),
        }
    }
}

/// The iRED paper, Table VII. Its last column is the encoder's buffer in kbit: 140, 490 and 1,040, half a second each.
/// All of its groups of pictures last 4 s.
fn ired() -> Ladder {
    let video = |width, height, frames: u32, gop, kbit, buffer_kbit: u64| VideoRung {
        width,
        height,
        frame_rate: f64::from(frames),
        gop: Some(gop),
        bitrate: Rate::from_kbit(kbit),
        encoder_buffer: Some(Duration::from_micros(buffer_kbit * 1_000_000 / kbit)),
        codec: h264(),
    };
    let audio = |kbit| AudioRung { bitrate: Rate::from_kbit(kbit), codec: aac() };
    Ladder {
        video: vec![
            video(426, 240, 18, 72, 280, 140),
            video(854, 480, 24, 96, 980, 490),
            video(1280, 720, 30, 120, 2_080, 1_040),
        ],
        audio: vec![audio(64), audio(128)],
    }
}

/// Maximum number of rungs per kind of media.
const MOST_RUNGS: usize = 100;
/// Maximum width or height.
const MOST_PIXELS: u32 = 65_535;
/// Maximum encoder buffer.
pub(super) const LONGEST_BUFFER: Duration = Duration::from_secs(3_600);

impl Ladder {
    /// Checks the ladder.
    ///
    /// # Errors
    /// With the offending key.
    pub fn validate(&self) -> Result<(), ParameterError> {
        ParameterError::unless((2..=MOST_RUNGS).contains(&self.video.len()), "video", || {
            format!("must have 2 to {MOST_RUNGS} rungs for adaptation, got {}", self.video.len())
        })?;
        ParameterError::unless(self.audio.len() <= MOST_RUNGS, "audio", || {
            format!("must have at most {MOST_RUNGS} rungs, got {}", self.audio.len())
        })?;
        for (place, rung) in self.video.iter().enumerate() {
            rung.validate().map_err(|error| error.under(&place.to_string()).under("video"))?;
        }
        for (place, rung) in self.audio.iter().enumerate() {
            check_codec(&rung.codec).map_err(|error| error.under(&place.to_string()).under("audio"))?;
        }
        ascending("video", self.video.iter().map(|rung| rung.bitrate))?;
        ascending("audio", self.audio.iter().map(|rung| rung.bitrate))
    }

    /// Returns the segment duration given by the groups of pictures.
    pub(super) fn group(&self) -> Result<Duration, ParameterError> {
        let mut first: Option<Duration> = None;
        for (place, rung) in self.video.iter().enumerate() {
            let at = |message: String| {
                ParameterError::at("gop", message).under(&place.to_string()).under("video").under("ladder")
            };
            let Some(gop) = rung.gop else {
                return Err(at(
                    "is missing; `gop` or `segment_duration` must define the length of segments".to_owned()
                ));
            };
            let group = Duration::from_secs_f64(f64::from(gop) / rung.frame_rate);
            match first {
                // Rates such as 29.97 are rounded; a microsecond is far below a frame.
                Some(first) if first.as_nanos().abs_diff(group.as_nanos()) > 1_000 => {
                    return Err(at(format!(
                        "must last as long as in the first rung ({first}), got {group}; \
                         make them equal or give `segment_duration`"
                    )));
                }
                Some(_) => {}
                None => first = Some(group),
            }
        }
        first.ok_or_else(|| ParameterError::at("video", "must have at least 2 rungs, got 0").under("ladder"))
    }

    /// Returns the adaptation sets for segments of these durations. `buffer` is the encoder's buffer of rungs without
    /// their own; sizes use the share `variation` of it.
    pub(super) fn sets(
        &self,
        durations: &[Duration],
        buffer: Duration,
        variation: f64,
    ) -> (DraftSet, Option<DraftSet>) {
        let video = self.video.iter().map(|rung| DraftRepresentation {
            id: id("video", rung.bitrate),
            bitrate: rung.bitrate,
            codec: rung.codec.clone(),
            picture: Some(Picture { width: rung.width, height: rung.height, frame_rate: rung.frame_rate }),
            initialization: None,
            sizes: Sizes::Drawn { buffer: rung.encoder_buffer.unwrap_or(buffer).mul_f64(variation) },
        });
        let audio = self.audio.iter().map(|rung| DraftRepresentation {
            id: id("audio", rung.bitrate),
            bitrate: rung.bitrate,
            codec: rung.codec.clone(),
            picture: None,
            initialization: None,
            sizes: Sizes::Drawn { buffer: Duration::ZERO },
        });
        let set = |representations| DraftSet { durations: durations.to_vec(), representations };
        (set(video.collect()), (!self.audio.is_empty()).then(|| set(audio.collect())))
    }
}

impl VideoRung {
    fn validate(&self) -> Result<(), ParameterError> {
        let pixels = |n: u32| (1..=MOST_PIXELS).contains(&n);
        ParameterError::unless(pixels(self.width), "width", || {
            format!("must be in [1, {MOST_PIXELS}], got {}", self.width)
        })?;
        ParameterError::unless(pixels(self.height), "height", || {
            format!("must be in [1, {MOST_PIXELS}], got {}", self.height)
        })?;
        ParameterError::unless(
            self.frame_rate > 0.0 && self.frame_rate <= MOST_PICTURES,
            "frame_rate",
            || format!("must be in (0, {MOST_PICTURES}], got {}", self.frame_rate),
        )?;
        ParameterError::unless(self.gop != Some(0), "gop", || "must be > 0, got 0".to_owned())?;
        ParameterError::unless(
            self.encoder_buffer.is_none_or(|b| b <= LONGEST_BUFFER),
            "encoder_buffer",
            || format!("must be <= {LONGEST_BUFFER}, got {}", self.encoder_buffer.unwrap_or_default()),
        )?;
        check_codec(&self.codec)
    }
}

/// Maximum frame rate.
pub(super) const MOST_PICTURES: f64 = 1_000.0;

fn check_codec(codec: &str) -> Result<(), ParameterError> {
    ParameterError::unless(!codec.trim().is_empty(), "codec", || {
        "must be a codec such as \"h264\", got an empty string".to_owned()
    })
}

fn ascending(kind: &str, rates: impl Iterator<Item = Rate>) -> Result<(), ParameterError> {
    let mut before: Option<Rate> = None;
    for (place, rate) in rates.enumerate() {
        let at = |message: String| {
            Err(ParameterError::at("bitrate", message).under(&place.to_string()).under(kind))
        };
        if rate.is_zero() || rate > HIGHEST {
            return at(format!("must be in (0 bit/s, {HIGHEST}], got {rate}"));
        }
        match before {
            Some(before) if before == rate => {
                return at(format!("must differ from that of the previous rung, got {rate} twice"));
            }
            Some(before) if before > rate => {
                return at(format!("must be > {before} (rungs are in ascending order), got {rate}"));
            }
            _ => before = Some(rate),
        }
    }
    Ok(())
}

/// Returns the id of a rung, from its bitrate: `video-280k`.
fn id(kind: &str, bitrate: Rate) -> String {
    match bitrate.as_bits() {
        bits if bits.is_multiple_of(1_000) => format!("{kind}-{}k", bits / 1_000),
        bits => format!("{kind}-{bits}"),
    }
}
