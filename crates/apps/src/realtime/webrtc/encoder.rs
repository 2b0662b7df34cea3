//! The encoder: frames whose sizes follow a target bitrate, one by one.
//!
//! Rate control as real-time encoders have it (a constant bitrate with one pass): a leaky bucket (ITU-T H.264 annex C's decoder
//! buffer, seen from the encoder) fills with the target's bits and pays for frames. A frame's budget is its layer's share of the
//! bitrate, corrected by the distance of the bucket from its optimum; noise makes sizes miss it. If the bucket is nearly empty, a
//! frame is dropped before it is encoded. Key frames are larger by a ratio and bounded. No frame is smaller than what the coarsest
//! quantiser makes of a picture of its size, which `quality.rs` chooses.

use jettison_core::{RandomStream, Rate, Time};

use super::layers::{Layers, Place};
use super::quality::QualityScaler;
use crate::load::normal::{lognormal_mean, normal};

/// Span of the bucket in seconds, its optimum and first level, and the level at which frames are dropped (as WebRTC sets libvpx for
/// VP8: 1 s, 600 ms, 500 ms, and 30 % of the optimum).
const BUCKET: f64 = 1.0;
const OPTIMUM: f64 = 0.6;
const FIRST: f64 = 0.5;
const DROP_BELOW: f64 = 0.3 * OPTIMUM;
/// Greatest corrections of a budget below and above the optimum: half of the under- and overshoot of 100 % and 15 % that WebRTC
/// sets, as libvpx has it (from memory).
const CORRECTION: (f64, f64) = (0.5, 0.075);
/// Smallest frame in bytes: headers, and skipped blocks. Our choice.
const LEAST: f64 = 40.0;

/// A frame that the encoder made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Encoded {
    /// Bytes.
    pub size: u64,
    /// How many frames back its reference is; 0 for a key frame.
    pub back: u16,
    /// Temporal layer.
    pub layer: u8,
}

/// The encoder.
#[derive(Debug, Clone)]
pub(super) struct Encoder {
    // Parameters.
    frame_rate: f64,
    key_ratio: f64,
    spread: f64,
    noise_mean: f64,
    /// Bits of the smallest frame of the full picture.
    coarsest: f64,
    // State.
    layers: Layers,
    quality: QualityScaler,
    random: RandomStream,
    rate: f64,
    /// Bits in the bucket.
    level: f64,
    wants_key: bool,
}

impl Encoder {
    /// Creates an encoder, whose first frame is a key frame. The coarsest quantiser makes frames of `coarsest` bits of the full
    /// picture.
    pub(super) fn new(
        frame_rate: f64,
        key_ratio: f64,
        spread: f64,
        coarsest: f64,
        quality: QualityScaler,
        layers: Layers,
        random: RandomStream,
    ) -> Encoder {
        Encoder {
            frame_rate,
            key_ratio,
            spread,
            noise_mean: lognormal_mean(spread),
            coarsest,
            layers,
            quality,
            random,
            rate: 0.0,
            level: 0.0,
            wants_key: true,
        }
    }

    /// Sets the target bitrate. The bucket keeps its fill level.
    pub(super) fn set_rate(&mut self, rate: Rate) {
        let rate = (rate.as_bits() as f64).max(1.0);
        self.level = if self.rate > 0.0 { self.level / self.rate * rate } else { FIRST * BUCKET * rate };
        self.rate = rate;
    }

    /// Makes the next frame a key frame.
    pub(super) fn request_key(&mut self) {
        self.wants_key = true;
    }

    /// Pixels as a share of the full picture.
    pub(super) fn share(&self) -> f64 {
        self.quality.share()
    }

    /// Encodes a captured frame with this number; `None` if it is dropped.
    pub(super) fn encode(&mut self, frame: u32, now: Time) -> Option<Encoded> {
        let (full, share) = (BUCKET * self.rate, self.rate / self.frame_rate);
        self.level = (self.level + share).min(full);
        let fill = self.level / full;
        if !self.wants_key && fill < DROP_BELOW {
            return None;
        }
        let off = ((fill - OPTIMUM) / OPTIMUM).max(-1.0);
        let correction = 1.0 + (CORRECTION.0 * off).min(CORRECTION.1);
        let (Place { back, weight, layer }, correction) = if std::mem::take(&mut self.wants_key) {
            self.layers.restart(frame);
            (Place { back: 0, weight: self.key_ratio, layer: 0 }, 1.0)
        } else {
            (self.layers.next(frame), correction)
        };
        let noise = libm::exp(self.spread * normal(&mut self.random)) / self.noise_mean;
        let least = (self.coarsest * self.quality.share()).max(8.0 * LEAST);
        let bits = (share * weight * correction * noise).max(least);
        if back > 0 && self.quality.encoded(bits / weight, now) {
            self.wants_key = true; // a picture of another size refers to none
        }
        let size = libm::round(bits / 8.0);
        // A large frame may overdraw the bucket by its own size, no more: then frames are dropped.
        self.level = (self.level - 8.0 * size).max(-full);
        Some(Encoded { size: size as u64, back, layer })
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Seed;

    use super::super::layers::Mode;
    use super::super::quality::Degradation;
    use super::*;

    fn encoder(spread: f64, mode: Mode) -> Encoder {
        smallest(spread, mode, 320.0)
    }

    fn smallest(spread: f64, mode: Mode, coarsest: f64) -> Encoder {
        let quality = QualityScaler::new(Degradation::MaintainFramerate, coarsest, 100e3);
        let sizes = Seed(1).stream(&["sizes"]);
        let mut encoder = Encoder::new(30.0, 5.0, spread, coarsest, quality, Layers::new(mode), sizes);
        encoder.set_rate(Rate::from_mbit(1));
        encoder
    }

    fn time(frame: u32) -> Time {
        Time::from_millis(u64::from(frame) * 100 / 3)
    }

    fn sizes(encoder: &mut Encoder, from: u32, to: u32) -> Vec<Option<u64>> {
        (from..to).map(|frame| encoder.encode(frame, time(frame)).map(|encoded| encoded.size)).collect()
    }

    fn rate(sizes: &[Option<u64>]) -> f64 {
        sizes.iter().flatten().sum::<u64>() as f64 * 8.0 * 30.0 / sizes.len() as f64
    }

    #[test]
    fn the_mean_rate_is_the_target_in_every_mode() {
        for (spread, mode) in [(0.0, Mode::L1T1), (0.3, Mode::L1T1), (0.3, Mode::L1T3)] {
            let found = rate(&sizes(&mut encoder(spread, mode), 0, 3000));
            assert!((found / 1e6 - 1.0).abs() < 0.03, "{spread} {mode:?}: {found}");
        }
    }

    #[test]
    fn a_key_frame_is_larger_by_its_ratio_and_later_frames_pay_for_it() {
        let mut encoder = encoder(0.0, Mode::L1T1);
        let sizes: Vec<u64> = sizes(&mut encoder, 0, 60).into_iter().flatten().collect();
        assert!((sizes[0] as f64 / (1e6 / 240.0) - 5.0).abs() < 0.1, "{}", sizes[0]);
        assert!(sizes[1..].iter().all(|size| *size < 4167), "{sizes:?}");
        encoder.request_key();
        assert_eq!(encoder.encode(60, time(60)).map(|frame| frame.back), Some(0));
        assert_eq!(encoder.encode(61, time(61)).map(|frame| frame.back), Some(1));
    }

    #[test]
    fn an_empty_bucket_drops_frames() {
        let mut encoder = encoder(0.0, Mode::L1T1);
        sizes(&mut encoder, 0, 30);
        // Key frames of a sixth of a second each, twice in a row, take more than the bucket has.
        for frame in 30..34 {
            encoder.request_key();
            encoder.encode(frame, time(frame));
        }
        let after = sizes(&mut encoder, 34, 64);
        assert!(after[0].is_none() && after[29].is_some(), "{after:?}");
    }

    #[test]
    fn a_new_target_holds_from_the_next_frame_on() {
        let mut encoder = encoder(0.0, Mode::L1T1);
        sizes(&mut encoder, 0, 300);
        encoder.set_rate(Rate::from_kbit(250));
        let found = rate(&sizes(&mut encoder, 300, 330));
        assert!((found / 250e3 - 1.0).abs() < 0.05, "{found}");
    }

    #[test]
    fn a_bitrate_below_the_coarsest_quantiser_drops_frames_until_the_picture_is_smaller() {
        // 30 frames of 12 kbit are 0.36 Mbit/s.
        let mut encoder = smallest(0.0, Mode::L1T1, 12e3);
        encoder.set_rate(Rate::from_kbit(240));
        let first = sizes(&mut encoder, 0, 60);
        assert!(first.iter().flatten().all(|size| *size >= 1500), "{first:?}");
        assert!(first.iter().filter(|size| size.is_none()).count() > 10, "{first:?}");
        let later = sizes(&mut encoder, 60, 400);
        // At 9/16 of the pixels 8 kbit are still coarse, at a quarter not.
        assert_eq!(encoder.share(), 0.25);
        let dropped = later[240..].iter().filter(|size| size.is_none()).count();
        assert!(dropped < 10, "{dropped}");
    }
}
