//! Segment sizes, by a model of an encoder with a given bitrate and buffer.
//!
//! An encoder limited to a bitrate R and a buffer of B bits (x264's `vbv-bufsize`) conforms to the hypothetical
//! reference decoder of H.264, Annex C, at a constant rate (`cbr_flag` 1): bits flow into a decoder's buffer of B at the
//! rate R, each frame is removed at its instant, and the buffer neither overflows nor runs empty. With f the buffer's
//! fullness after a segment has been removed and T the segment's duration, a segment therefore has
//!
//! ```text
//! bits(k) = R·T(k) + f(k−1) − f(k),   0 ≤ f ≤ B
//! ```
//!
//! and any run of segments at most R·time + B, at least R·time − B. The standard leaves f to the encoder. Here it is
//! uniform in `[0, B]` and independent from segment to segment: an assumption. It belongs to a title, not to a
//! representation, because it models how hard the scenes are to encode, and it ends where it started, so that the mean
//! is R.

use jettison_core::{Duration, RandomStream, Rate};

/// Minimum size of a segment as a share of its bitrate's: it holds at least a key frame. It matters only if the buffer
/// holds nearly a segment.
const LEAST: f64 = 0.1;

/// Draws the fullness after each segment, as a share of the buffer.
pub(super) fn fullness(segments: usize, random: &mut RandomStream) -> Vec<f64> {
    (0..segments).map(|_| random.unit()).collect()
}

/// Returns the bytes of each segment (at least one), for an encoder with a buffer of `buffer` at its bitrate.
pub(super) fn sizes(bitrate: Rate, buffer: Duration, fullness: &[f64], durations: &[Duration]) -> Vec<u64> {
    let bits_in = |span: Duration| bitrate.as_bits() as f64 * span.as_secs_f64();
    let mut levels: Vec<f64> = fullness.iter().map(|share| share * bits_in(buffer)).collect();
    // Maximum fullness after each segment such that no segment is below the minimum size. The fullness before the
    // first segment equals that after the last one; two passes, because a low value at the end constrains the
    // beginning.
    for _ in 0..2 {
        let mut before = levels.last().copied().unwrap_or_default();
        for (level, duration) in levels.iter_mut().zip(durations) {
            *level = level.min(before + (1.0 - LEAST) * bits_in(*duration));
            before = *level;
        }
    }
    // Whole bytes by differences of the cumulative sum, so that rounding errors do not accumulate.
    let first = levels.last().copied().unwrap_or_default();
    let (mut nanos, mut before) = (0u128, 0u64);
    durations
        .iter()
        .zip(&levels)
        .map(|(duration, level)| {
            nanos += u128::from(duration.as_nanos());
            let at_bitrate = (u128::from(bitrate.as_bits()) * nanos / 1_000_000_000) as i128;
            let bits = at_bitrate + libm::round(first - level) as i128;
            let bytes = u64::try_from(bits / 8).unwrap_or_default().max(before);
            let size = bytes - before;
            before = bytes;
            size.max(1)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jettison_core::Seed;
    use proptest::prelude::*;

    fn drawn(seed: u64, bitrate: Rate, buffer: Duration, durations: &[Duration]) -> Vec<u64> {
        let mut random = Seed(seed).stream(&["title-1"]);
        sizes(bitrate, buffer, &fullness(durations.len(), &mut random), durations)
    }

    #[test]
    fn without_a_buffer_every_segment_has_its_bitrate() {
        let durations = [Duration::from_secs(4), Duration::from_secs(4), Duration::from_secs(1)];
        let sizes = drawn(1, Rate::from_kbit(128), Duration::ZERO, &durations);
        assert_eq!(sizes, [64_000, 64_000, 16_000]);
    }

    #[test]
    fn sizes_spread_over_the_buffer() {
        // A difference of two uniform variables: standard deviation B/√6, here 140 kbit/2.449 = 7,144 bytes.
        let durations = vec![Duration::from_secs(4); 5_000];
        let sizes = drawn(3, Rate::from_kbit(280), Duration::from_millis(500), &durations);
        let squares: f64 =
            sizes.iter().map(|size| (*size as f64 - 140_000.0) * (*size as f64 - 140_000.0)).sum();
        let deviation = (squares / 5_000.0).sqrt();
        assert!((7_000.0..7_300.0).contains(&deviation), "{deviation}");
    }

    #[test]
    fn representations_of_a_title_have_large_segments_in_the_same_scenes() {
        let durations = vec![Duration::from_secs(4); 200];
        let low = drawn(5, Rate::from_kbit(280), Duration::from_millis(500), &durations);
        let high = drawn(5, Rate::from_kbit(2_800), Duration::from_millis(500), &durations);
        for (low, high) in low.iter().zip(&high) {
            assert!(high.abs_diff(low * 10) <= 10, "{low} {high}");
        }
        assert_ne!(low, drawn(6, Rate::from_kbit(280), Duration::from_millis(500), &durations));
    }

    proptest! {
        /// H.264 Annex C: over any run of segments the bits differ from the bitrate's by at most the buffer.
        #[test]
        fn any_window_of_segments_keeps_to_the_encoders_buffer(
            seed: u64,
            kbit in 50u64..20_000,
            buffer_millis in 0u64..12_000,
            millis in prop::collection::vec(100u64..10_000, 1..60),
        ) {
            let (bitrate, buffer) = (Rate::from_kbit(kbit), Duration::from_millis(buffer_millis));
            let durations: Vec<Duration> = millis.iter().copied().map(Duration::from_millis).collect();
            let sizes = drawn(seed, bitrate, buffer, &durations);
            prop_assert_eq!(sizes.len(), durations.len());
            // Bits are kbit·ms. Sums are cut to bytes: a window is off by 8 bits, and by 2 of the fullness's rounding.
            let slack = (kbit * buffer_millis + 10) as i64;
            for from in 0..sizes.len() {
                let (mut bits, mut at_bitrate) = (0, 0);
                for (size, millis) in sizes[from..].iter().zip(&millis[from..]) {
                    bits += 8 * *size as i64;
                    at_bitrate += (kbit * millis) as i64;
                    prop_assert!((bits - at_bitrate).abs() <= slack, "{bits} {at_bitrate} {slack}");
                }
            }
        }

        #[test]
        fn the_mean_is_the_bitrate_and_no_segment_is_tiny(
            seed: u64,
            kbit in 50u64..20_000,
            buffer_millis in 0u64..12_000,
            millis in prop::collection::vec(100u64..10_000, 1..60),
        ) {
            let durations: Vec<Duration> = millis.iter().copied().map(Duration::from_millis).collect();
            let sizes = drawn(seed, Rate::from_kbit(kbit), Duration::from_millis(buffer_millis), &durations);
            prop_assert_eq!(sizes.iter().sum::<u64>(), kbit * millis.iter().sum::<u64>() / 8);
            for (size, millis) in sizes.iter().zip(&millis) {
                let least = kbit as f64 * *millis as f64 * LEAST / 8.0;
                prop_assert!(*size as f64 >= least - 2.0, "{size} {least}");
            }
        }

        #[test]
        fn nothing_overflows_at_the_limits(
            seed: u64,
            bits in prop::sample::select(vec![1, 1_000_000_000_000u64]),
            nanos in prop::collection::vec(prop::sample::select(vec![1, 31_536_000_000_000_000u64]), 1..5),
        ) {
            let durations: Vec<Duration> = nanos.into_iter().map(Duration::from_nanos).collect();
            let sizes = drawn(seed, Rate::from_bits(bits), Duration::from_secs(3_600), &durations);
            prop_assert!(sizes.iter().all(|size| *size > 0));
        }
    }
}
