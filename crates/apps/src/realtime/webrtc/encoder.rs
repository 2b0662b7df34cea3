//! The encoder: frames whose sizes follow a target bitrate, one by one.
//!
//! Rate control as libvpx has it for VP8 (a constant bitrate with one pass; facts read from `vp8/encoder/onyx_if.c` and
//! `ratectrl.c`, no code is taken). A leaky bucket (ITU-T H.264 annex C's decoder buffer, seen from the encoder) fills with the
//! target's bits and pays for frames. It holds bits, not time: a debt made at a high bitrate is paid off at the low one that
//! follows. A frame's budget is its layer's share of the bitrate, corrected by the distance of the bucket from its optimum; noise
//! makes sizes miss it. While the bucket is low, up to three of four frames are left out, and below empty every frame. Key frames
//! are larger by a ratio and bounded. No frame is smaller than what the coarsest quantiser makes of a picture of its size
//! (`quality.rs` chooses that), and of what has moved since the frame before; nor larger than what the finest makes.

use jettison_core::{Rate, Time};

use super::layers::{Layers, Place};
use super::noise::Noise;
use super::quality::QualityScaler;

/// Span of the bucket in seconds, its optimum and first level, and the level at which frames are dropped (as WebRTC sets libvpx for
/// VP8: 1 s, 600 ms, 500 ms, and 30 % of the optimum).
const BUCKET: f64 = 1.0;
const OPTIMUM: f64 = 0.6;
const FIRST: f64 = 0.5;
const MARK: f64 = 0.3 * OPTIMUM;
/// Levels as shares of that at which one of two, two of three and three of four frames are left out, each a step from the one
/// before (libvpx's).
const SKIPPING: [f64; 3] = [2.0 / 3.0, 1.0 / 4.0, 1.0 / 8.0];
/// Factors on the budget of the frames between those left out (libvpx's).
const SKIPPED: [f64; 4] = [1.0, 1.5, 1.25, 1.25];
/// Greatest corrections of a budget below and above the optimum: half of the under- and overshoot of 100 % and 15 % that WebRTC
/// sets (libvpx's).
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
    noise: Noise,
    smallest: Smallest,
    /// Bits of the largest frame of the full picture: what the finest quantiser makes of it.
    largest: f64,
    // State.
    layers: Layers,
    quality: QualityScaler,
    rate: f64,
    /// Bits in the bucket; below 0 a debt.
    level: f64,
    /// Frames that are left out between two, and how many are still to be.
    skipping: u32,
    to_skip: u32,
    /// Frames that were dropped since the last one.
    dropped: u32,
    wants_key: bool,
}

/// The smallest frame: what the coarsest quantiser makes of the full picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Smallest {
    /// Bits.
    pub bits: f64,
    /// The size grows with this power of the frame intervals since the frame before, as more has moved.
    pub growth: f64,
}

impl Smallest {
    fn after(self, dropped: u32) -> f64 {
        self.bits * libm::pow(f64::from(dropped) + 1.0, self.growth)
    }
}

impl Encoder {
    /// Creates an encoder, whose first frame is a key frame.
    pub(super) fn new(
        frame_rate: f64,
        key_ratio: f64,
        noise: Noise,
        (smallest, largest): (Smallest, f64),
        quality: QualityScaler,
        layers: Layers,
    ) -> Encoder {
        Encoder {
            frame_rate,
            key_ratio,
            noise,
            smallest,
            largest,
            layers,
            quality,
            rate: 0.0,
            level: 0.0,
            skipping: 0,
            to_skip: 0,
            dropped: 0,
            wants_key: true,
        }
    }

    /// Sets the target bitrate. The bucket keeps its bits, as far as they fit.
    pub(super) fn set_rate(&mut self, rate: Rate) {
        let rate = (rate.as_bits() as f64).max(1.0);
        let level = if self.rate > 0.0 { self.level } else { FIRST * BUCKET * rate };
        self.level = level.min(BUCKET * rate);
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
        let share = self.rate / self.frame_rate;
        let is_key = std::mem::take(&mut self.wants_key);
        if self.is_dropped(is_key) {
            self.pay(0.0);
            self.dropped = self.dropped.saturating_add(1);
            self.wants_key = self.quality.dropped(now);
            return None;
        }
        let fill = self.level / (BUCKET * self.rate);
        let off = ((fill - OPTIMUM) / OPTIMUM).max(-1.0);
        let correction = SKIPPED[self.skipping as usize] * (1.0 + (CORRECTION.0 * off).min(CORRECTION.1));
        let (Place { back, weight, layer }, correction) = if is_key {
            self.layers.restart(frame);
            (Place { back: 0, weight: self.key_ratio, layer: 0 }, 1.0)
        } else {
            (self.layers.next(frame), correction)
        };
        let dropped = std::mem::take(&mut self.dropped);
        let scale = self.quality.scale();
        let least = self.smallest.after(dropped) * scale;
        let budget = (share * correction).min(self.largest * scale) * weight;
        let of_finest = share * correction / (self.largest * scale);
        let bits = (budget.max(least) * self.noise.next(of_finest, budget < least)).max(8.0 * LEAST);
        // Sizes tell the quantiser as if nothing had been dropped.
        let usual = bits / weight * (self.smallest.bits / self.smallest.after(dropped));
        if back > 0 && self.quality.encoded(usual, now) {
            self.wants_key = true; // a picture of another size refers to none
        }
        let size = libm::round(bits / 8.0);
        self.pay(8.0 * size);
        Some(Encoded { size: size as u64, back, layer })
    }

    /// Whether the bucket is too low for this frame.
    fn is_dropped(&mut self, is_key: bool) -> bool {
        let mark = MARK * self.rate;
        if self.level > mark {
            self.skipping = self.skipping.saturating_sub(1);
        }
        if self.level > SKIPPING[0] * mark && self.skipping > 0 {
            self.skipping = 1;
        } else {
            // The lowest mark that the level is below, if it is at most one step from where it was.
            let next = (1..=3).rev().find(|step| {
                let is_near = self.skipping == *step || self.skipping + 1 == *step;
                is_near && self.level < SKIPPING[*step as usize - 1] * mark
            });
            self.skipping = next.unwrap_or(self.skipping);
        }
        if is_key || self.skipping == 0 {
            self.to_skip = self.skipping;
        } else if self.to_skip > 0 {
            self.to_skip -= 1;
            return true;
        } else {
            self.to_skip = self.skipping;
        }
        !is_key && self.level < 0.0
    }

    /// A frame interval's bits come in, and a frame's go out.
    fn pay(&mut self, bits: f64) {
        self.level = (self.level + self.rate / self.frame_rate - bits).min(BUCKET * self.rate);
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Seed;

    use super::super::layers::Mode;
    use super::super::quality::{Degradation, Picture};
    use super::*;

    fn encoder(spread: f64, mode: Mode) -> Encoder {
        smallest(spread, mode, 320.0)
    }

    fn smallest(spread: f64, mode: Mode, coarsest: f64) -> Encoder {
        let picture = Picture { pixels: 921_600.0, power: 1.0 };
        let quality = QualityScaler::new(Degradation::MaintainFramerate, (coarsest, 100e3), picture);
        let (sizes, smallest) = (Seed(1).stream(&["sizes"]), Smallest { bits: coarsest, growth: 0.5 });
        let noise = Noise::new(spread, None, sizes);
        let mut encoder = Encoder::new(30.0, 5.0, noise, (smallest, 100e3), quality, Layers::new(mode));
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
    fn a_debt_is_of_bits_and_takes_longer_to_pay_at_a_lower_bitrate() {
        let drops = |kbit| {
            let mut encoder = encoder(0.0, Mode::L1T1);
            sizes(&mut encoder, 0, 30);
            for frame in 30..35 {
                encoder.request_key();
                encoder.encode(frame, time(frame));
            }
            encoder.set_rate(Rate::from_kbit(kbit));
            sizes(&mut encoder, 35, 335).iter().take_while(|size| size.is_none()).count()
        };
        let (fast, slow) = (drops(1000), drops(100));
        assert!(fast > 0 && slow > 5 * fast, "{fast} {slow}");
    }

    #[test]
    fn a_bucket_that_has_more_than_fits_the_new_bitrate_is_cut() {
        let mut encoder = encoder(0.0, Mode::L1T1);
        sizes(&mut encoder, 0, 300);
        encoder.set_rate(Rate::from_kbit(100));
        assert_eq!(encoder.level, 100e3);
    }

    #[test]
    fn a_low_bucket_leaves_frames_out_step_by_step() {
        let mut encoder = encoder(0.0, Mode::L1T1);
        encoder.wants_key = false;
        let mut left_out = |level: f64| {
            (0..12)
                .filter(|_| {
                    encoder.level = level;
                    encoder.is_dropped(false)
                })
                .count()
        };
        // Of 1 Mbit/s: marks at 120, 45 and 22.5 kbit.
        assert_eq!(left_out(130e3), 0);
        assert_eq!(left_out(100e3), 6);
        assert_eq!(left_out(40e3), 8);
        assert_eq!(left_out(10e3), 9);
        assert_eq!(left_out(-1.0), 12);
        assert_eq!(left_out(200e3), 0);
    }

    #[test]
    fn the_finest_quantiser_bounds_frames_whatever_the_target() {
        let mut encoder = encoder(0.2, Mode::L1T1);
        encoder.set_rate(Rate::from_mbit(20));
        let found = rate(&sizes(&mut encoder, 0, 3000));
        assert!((found / 3e6 - 1.0).abs() < 0.02, "{found}");
    }

    #[test]
    fn the_smallest_frame_grows_with_the_time_since_the_frame_before() {
        let smallest = Smallest { bits: 10e3, growth: 0.5 };
        assert_eq!([smallest.after(0), smallest.after(3), smallest.after(8)], [10e3, 20e3, 30e3]);
    }

    #[test]
    fn a_new_target_holds_from_the_next_frame_on() {
        let mut encoder = encoder(0.0, Mode::L1T1);
        sizes(&mut encoder, 0, 300);
        encoder.set_rate(Rate::from_kbit(250));
        let found = rate(&sizes(&mut encoder, 300, 330));
        // The bucket, full for the new bitrate, permits up to 7.5 % more.
        assert!((1.0..1.08).contains(&(found / 250e3)), "{found}");
    }

    #[test]
    fn a_bitrate_below_the_coarsest_quantiser_drops_frames_until_the_picture_is_smaller() {
        // 30 frames of 12 kbit are 0.36 Mbit/s. Every second frame is left out as soon as the bucket is low.
        let mut encoder = smallest(0.0, Mode::L1T1, 12e3);
        encoder.set_rate(Rate::from_kbit(240));
        let first = sizes(&mut encoder, 0, 60);
        assert!(first.iter().flatten().all(|size| *size >= 1500), "{first:?}");
        assert!(first.iter().filter(|size| size.is_none()).count() > 5, "{first:?}");
        let later = sizes(&mut encoder, 60, 400);
        // At 9/16 of the pixels 8 kbit are still coarse, at a quarter not.
        assert_eq!(encoder.share(), 0.25);
        let dropped = later[240..].iter().filter(|size| size.is_none()).count();
        assert!(dropped < 10, "{dropped}");
    }
}
