//! P.1203.1 mode 0: video quality by bitrate, resolution and frame rate.
//!
//! Three degradations: coding, by the bits per pixel; upscaling to the display; frame rates below 24 frames/s.

use super::super::PlayedSegment;
use super::{Viewing, mos_from_r, r_from_mos, whole_seconds};

/// Half the measurement window around a second, in seconds (P.1203.1 clause 7.4).
const HALF_WINDOW: f64 = 10.0;

// Coding: quantisation from bitrate and bits per pixel, MOS from quantisation.
const A1: f64 = 11.998_351_9;
const A2: f64 = -2.999_918_47;
const A3: f64 = 41.247_507_400_1;
const A4: f64 = 0.131_831_659_61;
const Q1: f64 = 4.66;
const Q2: f64 = -0.07;
const Q3: f64 = 4.06;
// Upscaling.
const U1: f64 = 72.61;
const U2: f64 = 0.32;
// Frame rate.
const T1: f64 = 30.98;
const T2: f64 = 1.29;
const T3: f64 = 64.65;
// Handheld devices, equation 13.
const HANDHELD: [f64; 4] = [-0.60293, 2.12382, -0.36936, 0.03409];

/// Encoding of the displayed video.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coding {
    /// Pixels per coded frame.
    pub pixels: f64,
    /// Frames per second.
    pub frame_rate: f64,
    /// Bitrate in kbit/s.
    pub kbit: f64,
}

/// Returns the video quality of mode 0 on a display of that many pixels.
pub fn quality(coding: Coding, display: f64) -> f64 {
    let Coding { pixels, frame_rate, kbit } = coding;
    let quantisation =
        A1 + A2 * libm::log(A3 + libm::log(kbit) + libm::log(kbit * kbit / (pixels * frame_rate) + A4));
    let mos = (Q1 + Q2 * libm::exp(Q3 * quantisation)).clamp(1.0, 5.0);
    let coded = (100.0 - r_from_mos(mos)).clamp(0.0, 100.0);
    let scale = (display / pixels).max(1.0);
    let scaled = (U1 * libm::log10(U2 * (scale - 1.0) + 1.0)).clamp(0.0, 100.0);
    let slowed = if frame_rate < 24.0 {
        ((100.0 - coded - scaled) * (T1 - T2 * frame_rate) / (T3 + frame_rate)).clamp(0.0, 100.0)
    } else {
        0.0
    };
    mos_from_r(100.0 - (coded + scaled + slowed).clamp(0.0, 100.0))
}

/// Converts the quality on a PC or TV to that on a handheld device.
pub fn on_handheld(quality: f64) -> f64 {
    let [h1, h2, h3, h4] = HANDHELD;
    (h1 + quality * (h2 + quality * (h3 + quality * h4))).clamp(1.0, 5.0)
}

/// Returns O.22: for each whole second, the quality of the representation shown at its end, at the mean bitrate of
/// that representation's contiguous stretch in the measurement window. `None` if less than a second was played or a
/// resolution is unknown.
pub fn each_second(segments: &[PlayedSegment], viewing: &Viewing) -> Option<Vec<f64>> {
    let seconds = whole_seconds(segments);
    if seconds == 0 {
        return None;
    }
    let display = f64::from(viewing.width) * f64::from(viewing.height);
    let mut begin = 0.0;
    let placed: Vec<Placed<'_>> = segments
        .iter()
        .map(|segment| {
            let from = begin;
            begin += segment.media.as_secs_f64();
            Placed { segment, from, to: begin }
        })
        .collect();
    (1..=seconds)
        .map(|second| {
            let second = second as f64;
            let shown = placed.iter().position(|placed| second <= placed.to + 0.01)?;
            let picture = placed[shown].segment.picture?;
            let coding = Coding {
                pixels: f64::from(picture.width) * f64::from(picture.height),
                frame_rate: picture.frame_rate,
                kbit: mean_bitrate(&placed, shown, second) / 1e3,
            };
            if coding.pixels <= 0.0 || coding.frame_rate <= 0.0 || coding.kbit <= 0.0 {
                return None;
            }
            let score = quality(coding, display);
            Some(if viewing.handheld { on_handheld(score) } else { score })
        })
        .collect()
}

/// A segment with its presentation time, in seconds of media.
struct Placed<'a> {
    segment: &'a PlayedSegment,
    from: f64,
    to: f64,
}

impl Placed<'_> {
    /// Returns the seconds of the segment inside the window of `second`.
    fn within(&self, second: f64) -> f64 {
        (self.to.min(second + HALF_WINDOW) - self.from.max(second - HALF_WINDOW)).max(0.0)
    }
}

/// Returns the mean bitrate in bit/s of the shown representation's stretch in the window.
fn mean_bitrate(placed: &[Placed<'_>], shown: usize, second: f64) -> f64 {
    let same = |other: &&Placed<'_>| {
        let (a, b) = (other.segment, placed[shown].segment);
        a.bitrate == b.bitrate && a.picture == b.picture
    };
    let before = placed[..shown].iter().rev().take_while(same);
    let after = placed[shown..].iter().take_while(same);
    let (mut bits, mut time) = (0.0, 0.0);
    for part in before.chain(after) {
        let held = part.within(second);
        if held > 0.0 {
            bits += held * part.segment.bytes as f64 * 8.0 / part.segment.media.as_secs_f64();
            time += held;
        }
    }
    if time > 0.0 { bits / time } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use jettison_core::Duration;
    use proptest::prelude::*;

    use super::super::super::super::content::Picture;
    use super::*;

    const FULL_HD: f64 = 1920.0 * 1080.0;

    fn of(width: f64, height: f64, kbit: f64, frame_rate: f64) -> f64 {
        quality(Coding { pixels: width * height, frame_rate, kbit }, FULL_HD)
    }

    #[test]
    fn mode_0_has_its_published_values() {
        // The values that the published implementation is verified with.
        let published = [
            (1920.0, 1080.0, 2801.27587623, 4.311),
            (852.0, 480.0, 629.203792838, 2.664),
            (426.0, 240.0, 224.771246112, 1.085),
        ];
        for (width, height, kbit, mos) in published {
            let ours = of(width, height, kbit, 30.0);
            assert!((ours - mos).abs() < 1e-3, "{width}x{height}: {ours} for {mos}");
        }
    }

    #[test]
    fn frame_rates_below_24_degrade() {
        let at = |frame_rate| of(1920.0, 1080.0, 3000.0, frame_rate);
        assert!(at(18.0) < at(24.0));
        assert!(at(12.0) < at(18.0));
    }

    #[test]
    fn a_handheld_has_a_higher_quality() {
        // Equation 13.
        assert!((on_handheld(3.0) - (-0.60293 + 6.37146 - 3.32424 + 0.92043)).abs() < 1e-9);
        assert!((1..=4).all(|mos| on_handheld(f64::from(mos)) > f64::from(mos)));
        let segments = [played(1000, 500, 4000, 480)];
        let viewing = Viewing { handheld: true, ..Viewing::default() };
        let hand = each_second(&segments, &viewing);
        let desk = each_second(&segments, &Viewing::default());
        assert_eq!(hand.unwrap()[0], on_handheld(desk.unwrap()[0]));
    }

    fn played(nominal: u64, kbit: u64, millis: u64, height: u32) -> PlayedSegment {
        let picture = Picture { width: height * 16 / 9, height, frame_rate: 24.0 };
        PlayedSegment {
            bitrate: nominal as f64 * 1e3,
            bytes: kbit * millis / 8,
            media: Duration::from_millis(millis),
            picture: Some(picture),
        }
    }

    #[test]
    fn a_second_has_the_mean_bitrate_of_its_representation_in_the_window() {
        // P.1203.1 clause 7.4.
        let segments = [
            played(1000, 900, 8000, 720),
            played(1000, 1100, 8000, 720),
            played(2000, 2000, 8000, 720),
            played(1000, 5000, 8000, 720),
        ];
        let scores = each_second(&segments, &Viewing::default()).unwrap();
        assert_eq!(scores.len(), 32);
        let at = |kbit| of(1280.0, 720.0, kbit, 24.0);
        let near = |second: usize, kbit: f64| {
            let (ours, expected) = (scores[second - 1], at(kbit));
            assert!((ours - expected).abs() < 1e-9, "second {second}: {ours} for {expected}");
        };
        // The window of second 1 ends at 11 s: eight seconds of the first and three of the second segment.
        near(1, (8.0 * 900.0 + 3.0 * 1100.0) / 11.0);
        // That of second 15 begins at 5 s.
        near(15, (3.0 * 900.0 + 8.0 * 1100.0) / 11.0);
        // Segments after a different representation belong to another stretch.
        near(16, (2.0 * 900.0 + 8.0 * 1100.0) / 10.0);
        near(20, 2000.0);
        near(32, 5000.0);
    }

    proptest! {
        #[test]
        fn more_bits_are_never_worse(kbit in 20.0..20_000.0f64, factor in 1.0..4.0f64, rate in 5.0..60.0f64) {
            for (width, height) in [(426.0, 240.0), (1280.0, 720.0), (1920.0, 1080.0)] {
                let (less, more) = (of(width, height, kbit, rate), of(width, height, kbit * factor, rate));
                prop_assert!((1.05..=4.9).contains(&less));
                prop_assert!(more >= less - 1e-9);
            }
        }
    }
}
