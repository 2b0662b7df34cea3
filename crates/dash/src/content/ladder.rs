//! Bitrate ladders: those that papers used, and those that a scenario writes out.

use jettison_core::{BuildError, Duration, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Picture;
use super::draft::{DraftRepresentation, DraftSet, HIGHEST, Sizes};

/// A ladder whose name may stand for it.
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
    /// Encodings of the pictures, two at least.
    pub video: Vec<VideoRung>,
    /// Encodings of the sound, if there is any.
    #[serde(default)]
    pub audio: Vec<AudioRung>,
}

/// One encoding of the pictures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VideoRung {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Pictures a second.
    pub frame_rate: f64,
    /// Pictures from one key frame to the next: a segment, unless `segment_duration` says otherwise.
    #[serde(default)]
    pub gop: Option<u32>,
    /// Mean bitrate.
    pub bitrate: Rate,
    /// The encoder's buffer (VBV), as time at the bitrate; the content's `encoder_buffer` unless given.
    #[serde(default)]
    pub encoder_buffer: Option<Duration>,
    /// Codec, as RFC 6381 or in plain words.
    #[serde(default = "h264")]
    pub codec: String,
}

/// One encoding of the sound. Its segments all have its bitrate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AudioRung {
    /// Bitrate.
    pub bitrate: Rate,
    /// Codec, as RFC 6381 or in plain words.
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
    /// The ladder of that name.
    pub fn ladder(self) -> Ladder {
        match self {
            ShippedLadder::Ired => ired(),
        }
    }
}

/// The iRED paper, Table VII. Its last column is the encoder's buffer in kbit: 140, 490 and 1,040, half a second each. Its
/// groups of pictures all last 4 s.
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

/// Most rungs of a kind.
const MOST_RUNGS: usize = 100;
/// Largest width or height, far above any.
const MOST_PIXELS: u32 = 65_535;
/// Longest encoder buffer.
pub(super) const LONGEST_BUFFER: Duration = Duration::from_secs(3_600);

impl Ladder {
    /// Whether it is one.
    ///
    /// # Errors
    /// With the key that is at fault.
    pub fn validate(&self) -> Result<(), BuildError> {
        BuildError::unless((2..=MOST_RUNGS).contains(&self.video.len()), "video", || {
            format!(
                "has {} of the 2 to {MOST_RUNGS} rungs that a ladder of video has: with less there is nothing to adapt",
                self.video.len()
            )
        })?;
        BuildError::unless(self.audio.len() <= MOST_RUNGS, "audio", || {
            format!("has more than {MOST_RUNGS} rungs")
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

    /// How long a segment lasts if that is a group of pictures.
    pub(super) fn group(&self) -> Result<Duration, BuildError> {
        let mut first: Option<Duration> = None;
        for (place, rung) in self.video.iter().enumerate() {
            let at = |message: String| {
                BuildError::at("gop", message).under(&place.to_string()).under("video").under("ladder")
            };
            let Some(gop) = rung.gop else {
                return Err(at(
                    "is missing, so a segment has no length; give it or `segment_duration`".to_owned()
                ));
            };
            let group = Duration::from_secs_f64(f64::from(gop) / rung.frame_rate);
            match first {
                // Rates such as 29.97 round: a microsecond is far below a picture.
                Some(first) if first.as_nanos().abs_diff(group.as_nanos()) > 1_000 => {
                    return Err(at(format!(
                        "lasts {group}, but that of the first rung {first}: segments of all rungs begin together; \
                         make them equal, or give `segment_duration`"
                    )));
                }
                Some(_) => {}
                None => first = Some(group),
            }
        }
        first.ok_or_else(|| BuildError::at("video", "has no rung").under("ladder"))
    }

    /// The adaptation sets of segments of these durations. `buffer` is the encoder's where a rung does not say; sizes use
    /// `variation` of it.
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
    fn validate(&self) -> Result<(), BuildError> {
        let pixels = |n: u32| (1..=MOST_PIXELS).contains(&n);
        BuildError::unless(pixels(self.width), "width", || format!("must be from 1 to {MOST_PIXELS}"))?;
        BuildError::unless(pixels(self.height), "height", || format!("must be from 1 to {MOST_PIXELS}"))?;
        BuildError::unless(self.frame_rate > 0.0 && self.frame_rate <= MOST_PICTURES, "frame_rate", || {
            format!("must be above zero and at most {MOST_PICTURES}")
        })?;
        BuildError::unless(self.gop != Some(0), "gop", || "must be above zero".to_owned())?;
        BuildError::unless(
            self.encoder_buffer.is_none_or(|b| b <= LONGEST_BUFFER),
            "encoder_buffer",
            || format!("must be at most {LONGEST_BUFFER}"),
        )?;
        check_codec(&self.codec)
    }
}

/// Most pictures a second.
pub(super) const MOST_PICTURES: f64 = 1_000.0;

fn check_codec(codec: &str) -> Result<(), BuildError> {
    BuildError::unless(!codec.trim().is_empty(), "codec", || {
        "is empty; write one such as \"h264\"".to_owned()
    })
}

fn ascending(kind: &str, rates: impl Iterator<Item = Rate>) -> Result<(), BuildError> {
    let mut before: Option<Rate> = None;
    for (place, rate) in rates.enumerate() {
        let at =
            |message: String| Err(BuildError::at("bitrate", message).under(&place.to_string()).under(kind));
        if rate.is_zero() || rate > HIGHEST {
            return at(format!("must be above zero and at most {HIGHEST}"));
        }
        match before {
            Some(before) if before == rate => {
                return at(format!(
                    "is {rate} like that of the rung before; every rung has a bitrate of its own"
                ));
            }
            Some(before) if before > rate => {
                return at(format!("is {rate} after {before}; write the rungs in ascending order"));
            }
            _ => before = Some(rate),
        }
    }
    Ok(())
}

/// Rungs are told apart by their bitrates: `video-280k`.
fn id(kind: &str, bitrate: Rate) -> String {
    match bitrate.as_bits() {
        bits if bits.is_multiple_of(1_000) => format!("{kind}-{}k", bits / 1_000),
        bits => format!("{kind}-{bits}"),
    }
}
