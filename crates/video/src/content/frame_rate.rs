//! Frame rates and capture times.

use jettison_core::Duration;

/// Frame rate in frames per second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameRate(u32);

impl FrameRate {
    /// Creates a frame rate of at least one frame per second.
    pub const fn new(per_second: u32) -> FrameRate {
        FrameRate(if per_second == 0 { 1 } else { per_second })
    }

    /// Returns the frames per second.
    pub const fn per_second(self) -> u32 {
        self.0
    }

    /// Returns the time from the capture of frame 0 to that of `frame`, in whole nanoseconds without accumulated
    /// rounding.
    pub const fn offset(self, frame: u32) -> Duration {
        Duration::from_nanos(frame as u64 * 1_000_000_000 / self.0 as u64)
    }

    /// Returns the time between two captures, rounded down to a nanosecond.
    pub const fn interval(self) -> Duration {
        self.offset(1)
    }

    /// Returns the number of frames captured up to time `since` after frame 0, including that one.
    pub const fn captured(self, since: Duration) -> u64 {
        // Frame n is captured at ⌊n·10⁹/rate⌋: the last one with n·10⁹ < (since + 1)·rate.
        let scaled = (since.as_nanos() as u128 + 1) * self.0 as u128 - 1;
        (scaled / 1_000_000_000) as u64 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_do_not_drift_and_count_frames_exactly() {
        let rate = FrameRate::new(30);
        assert_eq!(rate.offset(30_000), Duration::from_secs(1_000));
        for frame in [0, 1, 2, 3, 29, 30, 31, 4_000_000] {
            let offset = rate.offset(frame);
            assert_eq!(rate.captured(offset), u64::from(frame) + 1);
            let before = offset.saturating_sub(Duration::from_nanos(1));
            assert_eq!(rate.captured(before), u64::from(frame).max(1), "{frame}");
        }
    }
}
