//! ITU-T P.1203 mode 0 without the random forest of its last step.
//!
//! P.1203 (10/2017) estimates the mean opinion score of a progressive download on a scale from 1 to 5. Mode 0 needs
//! only bitrates, resolutions and frame rates:
//!
//! | output | meaning | source |
//! | --- | --- | --- |
//! | O.21 | audio quality per second | P.1203.2, [`audio`] |
//! | O.22 | video quality per second | P.1203.1 mode 0, [`video`] |
//! | O.23 | quality by start-up and stalls alone | P.1203.3, [`integration`] |
//! | O.34 | audiovisual quality per second | P.1203.3 |
//! | O.35 | audiovisual quality of the session | P.1203.3 |
//! | O.46 | overall quality | P.1203.3; see below |
//!
//! O.46 mixes two estimates: three quarters come from O.35 and the stalls by formula, one quarter from a random forest
//! of 20 trees. The trees are distributed as an electronic attachment of P.1203.3, and with the authors'
//! implementation under a research-only licence; they are not included here. [`Scores::parametric`] is therefore the
//! first of the two estimates, and [`Scores::overall`] computes O.46 from a forest estimate obtained elsewhere. The
//! amendments of 2019 and later (very low audio quality, very long stalls) are off, as they are by default in the
//! published implementation.
//!
//! The model was fitted to H.264 up to 1920x1080, to AAC-LC, HE-AAC, MPEG-1 layer II and AC-3, and to sessions of a
//! few minutes. Other inputs are extrapolation.
//!
//! The formulas are the recommendations'. Their coefficients were checked against those of the implementation that the
//! model's authors publish (none of whose code is here), and mode 0 against its verification values.

pub mod audio;
pub mod integration;
pub mod video;

use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PlayedSegment, Session};
use audio::AudioCodec;
use integration::Interruption;

/// Viewing conditions assumed by P.1203.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Viewing {
    /// Width of the display in pixels.
    pub width: u32,
    /// Height of the display in pixels.
    pub height: u32,
    /// Whether the device is a handheld; otherwise a PC or TV.
    pub handheld: bool,
    /// Audio codec.
    pub audio_codec: AudioCodec,
}

impl Default for Viewing {
    fn default() -> Viewing {
        Viewing { width: 1920, height: 1080, handheld: false, audio_codec: AudioCodec::AacLc }
    }
}

impl Viewing {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ParameterError> {
        for (key, pixels) in [("width", self.width), ("height", self.height)] {
            ParameterError::unless(pixels > 0, key, || "must be >= 1, got 0".to_owned())?;
        }
        Ok(())
    }
}

/// P.1203 scores of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// O.21, per second; 5 without audio.
    pub o21: Vec<f64>,
    /// O.22, per second.
    pub o22: Vec<f64>,
    /// O.23.
    pub o23: f64,
    /// O.34, per second.
    pub o34: Vec<f64>,
    /// O.35.
    pub o35: f64,
    /// 1 + (O.35 − 1)·SI, with SI the influence of stalls: the parametric estimate with weight 3/4 in O.46. It is not
    /// O.46.
    pub parametric: f64,
}

impl Scores {
    /// Returns O.46 with the forest's estimate from elsewhere (P.1203.3 (10/2017) equations 28 and 30).
    pub fn overall(&self, forest: f64) -> f64 {
        0.02833052 + 0.98117059 * (0.75 * self.parametric + 0.25 * forest)
    }
}

/// Scores a session; `None` if less than a second was played or a resolution is unknown. A session without audio
/// segments is scored with the best audio. The start-up delay counts as an interruption at the beginning, as P.1203
/// specifies.
pub fn p1203(session: &Session, viewing: &Viewing) -> Option<Scores> {
    let mut o22 = video::each_second(&session.video, viewing)?;
    let mut o21 = audio::each_second(&session.audio, viewing.audio_codec);
    if session.audio.is_empty() {
        o21 = vec![5.0; o22.len()];
    }
    // Both are truncated to the shorter one (P.1203.3 clause 3.2.2).
    let seconds = o21.len().min(o22.len());
    o21.truncate(seconds);
    o22.truncate(seconds);
    let mut interruptions = Vec::with_capacity(session.stalls.len() + 1);
    interruptions.push(Interruption { at: 0.0, lasted: session.start_up.as_secs_f64() });
    interruptions.extend(
        session
            .stalls
            .iter()
            .map(|stall| Interruption { at: stall.after.as_secs_f64(), lasted: stall.lasted.as_secs_f64() }),
    );
    interruptions.retain(|interruption| interruption.lasted > 0.0 && interruption.at <= seconds as f64);
    integration::integrate(o21, o22, &interruptions)
}

/// Returns the number of whole seconds in the segments, with a tolerance of a hundredth of a second.
fn whole_seconds(segments: &[PlayedSegment]) -> usize {
    let media: f64 = segments.iter().map(|segment| segment.media.as_secs_f64()).sum();
    libm::floor(media + 0.01) as usize
}

/// Maps R in [0, 100] to MOS in [1.05, 4.9]; P.1203.1 and P.1203.2 add degradations on the R scale.
fn mos_from_r(r: f64) -> f64 {
    // Below 0 the cubic would rise again.
    let r = r.clamp(0.0, 100.0);
    let mos = 1.05 + 3.85 * r / 100.0 + r * (r - 60.0) * (100.0 - r) * 7e-6;
    mos.clamp(1.05, 4.9)
}

/// Inverse of the mapping, by bisection where it rises. Below R = 3.25 the mapping is constant at its minimum.
fn r_from_mos(mos: f64) -> f64 {
    if mos <= 1.05 {
        return 0.0;
    }
    let (mut low, mut high) = (3.0, 100.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if mos_from_r(middle) < mos { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use jettison_core::Duration;

    use super::super::super::content::Picture;
    use super::super::Stall;
    use super::*;

    /// A minute of 4-second segments at these bitrates in kbit/s, taken in turn.
    fn minute(kbits: &[u64], height: u32) -> Session {
        let picture = Picture { width: height * 16 / 9, height, frame_rate: 24.0 };
        let segment = |kbit: u64, picture| PlayedSegment {
            bitrate: kbit as f64 * 1e3,
            bytes: kbit * 500,
            media: Duration::from_secs(4),
            picture,
        };
        let video = kbits.iter().cycle().take(15).map(|kbit| segment(*kbit, Some(picture))).collect();
        Session { video, audio: vec![segment(128, None); 15], ..Session::default() }
    }

    fn judge(session: &Session) -> Scores {
        p1203(session, &Viewing::default()).unwrap()
    }

    #[test]
    fn the_scale_and_its_inverse_agree() {
        for r in 4..=100 {
            assert!((r_from_mos(mos_from_r(f64::from(r))) - f64::from(r)).abs() < 1e-9, "{r}");
        }
        assert_eq!((mos_from_r(0.0), mos_from_r(100.0)), (1.05, 4.9));
        assert_eq!((r_from_mos(1.0), r_from_mos(5.0)), (0.0, 100.0));
    }

    #[test]
    fn each_second_is_judged() {
        let scores = judge(&minute(&[2000], 1080));
        assert_eq!((scores.o21.len(), scores.o22.len(), scores.o34.len()), (60, 60, 60));
        assert_eq!(scores.o23, 5.0);
        assert!(scores.o22.iter().all(|score| *score == scores.o22[0]));
    }

    #[test]
    fn each_degradation_lowers_every_overall_measure() {
        let good = judge(&minute(&[3000], 1080));
        let coarse = judge(&minute(&[300], 240));
        assert!(coarse.o35 < good.o35 && coarse.parametric < good.parametric);
        let mut late = minute(&[3000], 1080);
        late.start_up = Duration::from_secs(3);
        let mut stalled = late.clone();
        stalled.stalls = vec![Stall { after: Duration::from_secs(30), lasted: Duration::from_secs(3) }];
        let (late, stalled) = (judge(&late), judge(&stalled));
        assert!(late.o23 < good.o23 && stalled.o23 < late.o23);
        assert!(late.parametric < good.parametric && stalled.parametric < late.parametric);
        assert_eq!(late.o35, good.o35);
    }

    #[test]
    fn a_session_without_audio_is_scored_with_the_best_audio() {
        let mut silent = minute(&[2000], 1080);
        silent.audio.clear();
        assert_eq!(judge(&silent).o21, vec![5.0; 60]);
    }

    #[test]
    fn the_shorter_medium_ends_the_session() {
        let mut session = minute(&[2000], 1080);
        session.audio.truncate(5);
        // A stall after the end is ignored.
        session.stalls = vec![Stall { after: Duration::from_secs(40), lasted: Duration::from_secs(9) }];
        let scores = judge(&session);
        assert_eq!((scores.o22.len(), scores.o23), (20, 5.0));
    }

    #[test]
    fn sessions_without_the_inputs_have_no_score() {
        let viewing = Viewing::default();
        assert_eq!(p1203(&Session::default(), &viewing), None);
        let mut short = minute(&[2000], 1080);
        short.video.truncate(1);
        short.video[0].media = Duration::from_millis(900);
        assert_eq!(p1203(&short, &viewing), None);
        let mut unknown = minute(&[2000], 1080);
        unknown.video[3].picture = None;
        assert_eq!(p1203(&unknown, &viewing), None);
    }

    #[test]
    fn the_forest_makes_a_quarter_of_the_overall_score() {
        // P.1203.3 equations 28 and 30.
        let scores = Scores { o21: vec![], o22: vec![], o23: 5.0, o34: vec![], o35: 5.0, parametric: 5.0 };
        assert!((scores.overall(5.0) - (0.02833052 + 0.98117059 * 5.0)).abs() < 1e-12);
        assert!((scores.overall(1.0) - (0.02833052 + 0.98117059 * 4.0)).abs() < 1e-12);
    }

    #[test]
    fn a_display_without_pixels_is_refused() {
        let flat = Viewing { height: 0, ..Viewing::default() };
        assert!(flat.validate().unwrap_err().to_string().starts_with("height: "));
        assert_eq!(Viewing::default().validate(), Ok(()));
    }
}
