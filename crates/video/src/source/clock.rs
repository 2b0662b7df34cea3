//! Clock of frames.

use jettison_core::Time;

use crate::content::FrameRate;

/// Counts frames and computes their due times without drift.
#[derive(Debug, Clone)]
pub(super) struct FrameClock {
    rate: FrameRate,
    start: Option<Time>,
    frame: u32,
}

impl FrameClock {
    /// Creates a clock with a frame rate.
    pub(super) fn new(rate: FrameRate) -> FrameClock {
        FrameClock { rate, start: None, frame: 0 }
    }

    /// Starts the clock: the first frame is due at `now`.
    pub(super) fn start(&mut self, now: Time) {
        self.start = Some(now);
    }

    /// Returns when the next frame is due; `None` before the start, and after 2³² frames.
    pub(super) fn next(&self) -> Option<Time> {
        self.start.map(|start| start + self.rate.offset(self.frame))
    }

    /// Returns the number of the frame that is due, from 0. A late call does not delay later frames.
    pub(super) fn tick(&mut self) -> u32 {
        let frame = self.frame;
        match frame.checked_add(1) {
            Some(next) => self.frame = next,
            None => self.start = None,
        }
        frame
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Duration;

    use super::*;

    #[test]
    fn thirty_frames_a_second_are_exact_over_an_hour() {
        let mut clock = FrameClock::new(FrameRate::new(30));
        assert_eq!(clock.next(), None);
        clock.start(Time::from_secs(5));
        let mut before = Time::from_secs(5);
        for frame in 0..108_000 {
            let at = clock.next().expect("it has started");
            assert!(frame == 0 || (33_333_333..=33_333_334).contains(&at.since(before).as_nanos()));
            assert_eq!(clock.tick(), frame);
            before = at;
        }
        assert_eq!(clock.next(), Some(Time::from_secs(5) + Duration::from_secs(3600)));
    }

    #[test]
    fn it_ends_with_the_last_number() {
        let mut clock = FrameClock::new(FrameRate::new(30));
        clock.start(Time::ZERO);
        clock.frame = u32::MAX;
        assert!(clock.next().is_some());
        assert_eq!(clock.tick(), u32::MAX);
        assert_eq!(clock.next(), None);
    }
}
