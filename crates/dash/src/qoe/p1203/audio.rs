//! P.1203.2: audio quality by codec and bitrate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::PlayedSegment;
use super::{mos_from_r, whole_seconds};

/// Audio codecs with coefficients in P.1203.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AudioCodec {
    /// AAC-LC.
    #[default]
    AacLc,
    /// HE-AAC, both versions.
    HeAac,
    /// MPEG-1 layer II.
    Mp2,
    /// AC-3.
    Ac3,
}

impl AudioCodec {
    /// Returns a2 and a3; a1 is 100 for every codec.
    fn coefficients(self) -> (f64, f64) {
        match self {
            AudioCodec::AacLc => (-0.05, 14.60),
            AudioCodec::HeAac => (-0.11, 20.06),
            AudioCodec::Mp2 => (-0.02, 15.48),
            AudioCodec::Ac3 => (-0.03, 15.70),
        }
    }
}

/// Returns the audio quality at `kbit` kbit/s for both channels.
pub fn quality(codec: AudioCodec, kbit: f64) -> f64 {
    let (a2, a3) = codec.coefficients();
    let degradation = 100.0 * libm::exp(a2 * kbit) + a3;
    mos_from_r(100.0 - degradation)
}

/// Returns O.21: for each whole second, the quality of the segment played at its end, from that segment's bytes.
pub fn each_second(segments: &[PlayedSegment], codec: AudioCodec) -> Vec<f64> {
    let seconds = whole_seconds(segments);
    let mut scores = Vec::with_capacity(seconds);
    let mut end = 0.0;
    for segment in segments {
        end += segment.media.as_secs_f64();
        let score = quality(codec, segment.bytes as f64 * 8e-3 / segment.media.as_secs_f64());
        while scores.len() < seconds && (scores.len() + 1) as f64 <= end + 0.01 {
            scores.push(score);
        }
    }
    scores
}

#[cfg(test)]
mod tests {
    use jettison_core::Duration;

    use super::*;

    #[test]
    fn the_best_quality_depends_on_the_codec() {
        // P.1203.2: R = 100 − (a1·exp(a2·bitrate) + a3), here without the exponential.
        let codecs = [
            (AudioCodec::AacLc, 85.40),
            (AudioCodec::HeAac, 79.94),
            (AudioCodec::Mp2, 84.52),
            (AudioCodec::Ac3, 84.30),
        ];
        for (codec, r) in codecs {
            assert!((quality(codec, 1e4) - mos_from_r(r)).abs() < 1e-9, "{codec:?}");
            assert_eq!(quality(codec, 0.0), 1.05);
        }
    }

    #[test]
    fn aac_at_64_kbit_per_second() {
        // R = 100 − 100·exp(−3.2) − 14.6 = 81.324; MOS = 1.05 + 3.1310 + 0.2267.
        assert!((quality(AudioCodec::AacLc, 64.0) - 4.4077).abs() < 1e-3);
    }

    #[test]
    fn more_bits_are_never_worse() {
        for codec in [AudioCodec::AacLc, AudioCodec::HeAac, AudioCodec::Mp2, AudioCodec::Ac3] {
            let scores: Vec<f64> = (0..400).map(|kbit| quality(codec, f64::from(kbit))).collect();
            assert!(scores.is_sorted(), "{codec:?}");
        }
    }

    #[test]
    fn a_second_has_the_quality_of_the_segment_it_ends_in() {
        let segment = |kbit: u64, millis: u64| PlayedSegment {
            bitrate: 0.0,
            bytes: kbit * millis / 8,
            media: Duration::from_millis(millis),
            picture: None,
        };
        let codec = AudioCodec::AacLc;
        let scores = each_second(&[segment(128, 2500), segment(64, 2500)], codec);
        let (high, low) = (quality(codec, 128.0), quality(codec, 64.0));
        assert_eq!(scores, [high, high, low, low, low]);
        assert!(each_second(&[], codec).is_empty());
    }
}
