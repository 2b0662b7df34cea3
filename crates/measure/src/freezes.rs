//! Freezes of a video, by the rule of W3C's WebRTC statistics.

use std::collections::VecDeque;

use jettison_core::{Duration, Time};

use crate::FrameScore;

/// Freezes of the measured part of a video.
///
/// Frames are rendered as soon as their highest decoded layer is there. A frame that would follow a newer one is not
/// rendered, nor are all but the newest of those that come at once. W3C, "Identifiers for WebRTC's Statistics API",
/// `freezeCount`: the interval between two rendered frames is a freeze if it is at least max(3 × average, average + 150 ms),
/// with the average over the last 30. Whether the judged interval is one of the 30 is open there; here it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Freezes {
    /// Number of freezes that ended with a measured frame, or lasted until the end.
    pub count: u64,
    /// Their duration within the measured time.
    pub time: Duration,
    /// From the first measured capture to the last capture or rendering, whichever is later.
    pub span: Duration,
}

/// Number of intervals in the average.
const WINDOW: usize = 30;
/// Intervals needed before one is judged: libwebrtc's constant (`kMinFrameSamplesToDetectFreeze`), W3C's text has none.
const LEAST: usize = 5;
/// Least excess over the average.
const EXCESS: u128 = 150_000_000;

/// Durations of the last rendered frames.
#[derive(Clone, Default)]
struct Recent {
    nanos: VecDeque<u64>,
    sum: u128,
}

impl Recent {
    fn is_freeze(&self, interval: Duration) -> bool {
        let (count, interval) = (self.nanos.len() as u128, u128::from(interval.as_nanos()));
        self.nanos.len() >= LEAST && interval * count >= (3 * self.sum).max(self.sum + EXCESS * count)
    }

    fn add(&mut self, interval: Duration) {
        if self.nanos.len() == WINDOW {
            self.sum -= self.nanos.pop_front().map_or(0, u128::from);
        }
        self.nanos.push_back(interval.as_nanos());
        self.sum += u128::from(interval.as_nanos());
    }
}

/// A frame on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rendered {
    /// When it came there.
    pub at: Time,
    /// Its number.
    pub frame: u32,
}

/// One freeze.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Freeze {
    pub from: Time,
    pub to: Time,
    /// The frame that stood.
    pub after: u32,
    /// The frame that ended it; `None` if it lasted until the end.
    pub before: Option<u32>,
}

impl Freezes {
    /// Finds the freezes of a video from the scores of all its frames; those from number `first` on are measured. `None`
    /// without a measured frame, or if none was ever shown.
    pub(crate) fn of(scores: &[FrameScore], first: u32) -> Option<Freezes> {
        let start = scores.get(scores.partition_point(|score| score.frame < first))?.captured_at;
        let last_captured = scores.last()?.captured_at;
        let shown = scores.iter().filter_map(|score| {
            Some(Rendered { at: score.captured_at + score.latency?, frame: score.frame })
        });
        let rendered = rendered(shown);
        let end = last_captured.max(rendered.last()?.at);
        let mut found = Freezes { count: 0, time: Duration::ZERO, span: end.since(start) };
        for freeze in freezes(&rendered, last_captured) {
            if freeze.before.is_none_or(|before| before >= first) {
                found.count += 1;
                found.time += freeze.to.since(freeze.from.max(start));
            }
        }
        Some(found)
    }
}

/// The freezes among rendered frames, in their order, and the one that lasts until the last capture, if any.
pub(crate) fn freezes(rendered: &[Rendered], last_captured: Time) -> impl Iterator<Item = Freeze> {
    let mut recent = Recent::default();
    let next = |place: usize| rendered.get(place + 1).map(|next| (next.at, Some(next.frame)));
    rendered.iter().enumerate().filter_map(move |(place, own)| {
        let (to, before) = next(place).unwrap_or((last_captured.max(own.at), None));
        let interval = to.since(own.at);
        let freeze = Freeze { from: own.at, to, after: own.frame, before };
        let is_freeze = recent.is_freeze(interval);
        recent.add(interval);
        is_freeze.then_some(freeze)
    })
}

/// The rendered of the decoded frames, in their order.
pub(crate) fn rendered(decoded: impl Iterator<Item = Rendered>) -> Vec<Rendered> {
    let mut shown: Vec<Rendered> = decoded.collect();
    // The newest of several at the same time first, so that the others follow a newer one.
    shown.sort_by_key(|shown| (shown.at, std::cmp::Reverse(shown.frame)));
    let mut newest = None;
    shown.retain(|Rendered { frame, .. }| {
        let is_newer = newest.is_none_or(|newest| *frame > newest);
        newest = newest.max(Some(*frame));
        is_newer
    });
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    /// Scores of frames captured every `gap` ms, with their latencies in ms; `None` if not shown.
    fn scores(gap: u64, latencies: &[Option<u64>]) -> Vec<FrameScore> {
        let score = |(frame, latency): (usize, &Option<u64>)| FrameScore {
            frame: frame as u32,
            captured_at: Time::from_millis(gap * frame as u64),
            layers: u8::from(latency.is_some()),
            latency: latency.map(MS),
            ssim_db: 10.0,
            ssim: 0.9,
        };
        latencies.iter().enumerate().map(score).collect()
    }

    /// So many frames, of which those in `missing` are not shown.
    fn with_gap(gap: u64, frames: usize, missing: std::ops::Range<usize>) -> Vec<FrameScore> {
        let latencies: Vec<Option<u64>> =
            (0..frames).map(|frame| (!missing.contains(&frame)).then_some(50)).collect();
        scores(gap, &latencies)
    }

    fn of(scores: &[FrameScore]) -> (u64, Duration) {
        Freezes::of(scores, 0).map(|found| (found.count, found.time)).expect("something was shown")
    }

    #[test]
    fn an_interval_of_the_average_and_150_ms_is_a_freeze() {
        // 50 ms on average: 3 × 50 = 150, 50 + 150 = 200 ms, which is what three missing frames leave.
        assert_eq!(of(&with_gap(50, 60, 40..42)), (0, MS(0)));
        assert_eq!(of(&with_gap(50, 60, 40..43)), (1, MS(200)));
        assert_eq!(of(&with_gap(50, 60, 40..50)), (1, MS(550)));
    }

    #[test]
    fn three_times_the_average_decides_if_frames_are_rare() {
        // 200 ms on average: 3 × 200 = 600 ms, 200 + 150 = 350 ms.
        assert_eq!(of(&with_gap(200, 60, 40..41)), (0, MS(0)));
        assert_eq!(of(&with_gap(200, 60, 40..42)), (1, MS(600)));
    }

    #[test]
    fn a_freeze_raises_the_average_of_the_next_thirty() {
        // Intervals of 50 ms, one of 1,000 (19 frames missing), then one of 200 (3 missing): with the long one among the last
        // thirty the average is (29 × 50 + 1,000) / 30 = 81.7 ms and the bound 245 ms; behind 30 others it is 200 again.
        let both = |second: usize| {
            let shown = |frame| !(40..59).contains(&frame) && !(second..second + 3).contains(&frame);
            let latencies: Vec<Option<u64>> = (0..160).map(|frame| shown(frame).then_some(50)).collect();
            of(&scores(50, &latencies))
        };
        assert_eq!(both(80), (1, MS(1_000)));
        assert_eq!(both(89), (1, MS(1_000)), "frame 59 ends the long one, and 29 follow up to 88");
        assert_eq!(both(90), (2, MS(1_200)), "up to 89 there are 30");
    }

    #[test]
    fn nothing_is_judged_before_five_intervals() {
        assert_eq!(of(&with_gap(50, 30, 5..15)), (0, MS(0)));
        assert_eq!(of(&with_gap(50, 30, 6..16)), (1, MS(550)));
    }

    #[test]
    fn late_frames_freeze_the_picture_and_overtaken_ones_do_not() {
        // Frames 20 to 29 come together with frame 29, 500 ms after the capture of frame 20.
        let mut latencies: Vec<Option<u64>> = vec![Some(50); 60];
        (20..30).for_each(|frame| latencies[frame] = Some(500 - 50 * (frame as u64 - 20)));
        assert_eq!(of(&scores(50, &latencies)), (1, MS(500)), "from 950 + 50 to 1,500 ms");
        // A single straggler is not rendered: 100 ms between its neighbours.
        let mut latencies: Vec<Option<u64>> = vec![Some(50); 60];
        latencies[20] = Some(900);
        assert_eq!(of(&scores(50, &latencies)), (0, MS(0)));
    }

    #[test]
    fn a_picture_that_stands_at_the_end_is_frozen() {
        let scores = with_gap(50, 100, 60..100);
        // Frame 59 is rendered at 3,000 ms; the last capture is at 4,950 ms.
        let found = Freezes::of(&scores, 0).expect("frames were shown");
        assert_eq!(found, Freezes { count: 1, time: MS(1_950), span: MS(4_950) });
    }

    #[test]
    fn a_freeze_that_began_during_the_warm_up_counts_from_its_end() {
        let scores = with_gap(50, 100, 30..50);
        let found = Freezes::of(&scores, 40).expect("frames were shown");
        // Frame 29 is rendered at 1,500 ms, frame 40 captured at 2,000, frame 50 rendered at 2,550 ms, the last at 5,000.
        assert_eq!(found, Freezes { count: 1, time: MS(550), span: MS(3_000) });
        let found = Freezes::of(&scores, 51).expect("frames were shown");
        assert_eq!((found.count, found.time), (0, MS(0)), "it ended before");
    }

    #[test]
    fn without_a_shown_or_measured_frame_there_is_no_rate() {
        assert_eq!(Freezes::of(&scores(50, &[None; 20]), 0), None);
        assert_eq!(Freezes::of(&with_gap(50, 20, 0..0), 20), None);
        assert_eq!(Freezes::of(&[], 0), None);
    }
}
