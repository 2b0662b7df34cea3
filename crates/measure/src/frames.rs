//! Frames of several packets: which came whole, and when.

use jettison_core::{Duration, Time};

use crate::recorder::{SummaryValue, of_distribution, part_of, plain};
use crate::{Distribution, metrics};

/// A packet's place in a media stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FramePart {
    /// Number of the frame within its flow, from 0.
    pub frame: u32,
    /// Place of the packet in the frame, from 0.
    pub place: u16,
    /// How many packets the frame has.
    pub packets: u16,
}

/// How many frames of a flow were sent and came whole, and how long that took.
#[derive(Debug, Clone)]
pub struct FrameMeter {
    sent: u64,
    complete: u64,
    delay: Distribution,
    /// Frames that may still become whole: frame n has place n modulo [`FrameMeter::OPEN`].
    open: [Progress; FrameMeter::OPEN as usize],
    /// Lowest and highest frame of which something came.
    seen: Option<(u32, u32)>,
    /// Frames before this one are not measured.
    first: u32,
}

/// How far a frame has come.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    frame: u32,
    arrived: u16,
    packets: u16,
}

impl Progress {
    fn is_whole(&self) -> bool {
        self.arrived >= self.packets
    }
}

impl Default for FrameMeter {
    fn default() -> FrameMeter {
        FrameMeter {
            sent: 0,
            complete: 0,
            delay: Distribution::default(),
            open: [Progress::default(); FrameMeter::OPEN as usize],
            seen: None,
            first: 0,
        }
    }
}

impl FrameMeter {
    /// So many frames may be under way at once. A packet that is overtaken by more is too late for its frame.
    pub const OPEN: u32 = 64;

    /// A frame was sent.
    pub fn sent(&mut self) {
        self.sent += 1;
    }

    /// A packet of a frame that was sent at `sent_at` arrives. Packets are counted, not told apart: a network that
    /// duplicates them is not modelled.
    #[inline]
    pub fn arrived(&mut self, part: FramePart, sent_at: Time, now: Time) {
        if part.frame < self.first {
            return;
        }
        self.seen = Some(match self.seen {
            None => (part.frame, part.frame),
            Some((lowest, highest)) => (lowest.min(part.frame), highest.max(part.frame)),
        });
        let progress = &mut self.open[(part.frame % FrameMeter::OPEN) as usize];
        if progress.packets == 0 || progress.frame < part.frame {
            *progress = Progress { frame: part.frame, arrived: 0, packets: part.packets };
        } else if progress.frame > part.frame || progress.is_whole() {
            return;
        }
        progress.arrived += 1;
        if progress.is_whole() {
            self.complete += 1;
            self.delay.record(now.since(sent_at));
        }
    }

    /// Frames that came whole.
    pub fn complete(&self) -> u64 {
        self.complete
    }

    /// Share of frames that never came whole, 0 to 1: of those from the first to the last of which anything came, as
    /// [`crate::FlowMeter::loss`]. The last one may still be under way: it counts once it is whole, or once a later
    /// one has begun. All, if frames were sent and nothing came; `None` if none was sent.
    pub fn loss(&self) -> Option<f64> {
        let Some((lowest, highest)) = self.seen else { return (self.sent > 0).then_some(1.0) };
        let last = &self.open[(highest % FrameMeter::OPEN) as usize];
        let expected = u64::from(highest - lowest) + u64::from(last.is_whole());
        (expected > 0).then(|| expected.saturating_sub(self.complete) as f64 / expected as f64)
    }

    /// From a frame's sending to the arrival of its last packet, of those that came whole.
    pub(crate) fn delay(&self) -> &Distribution {
        &self.delay
    }

    /// Counts start anew. A frame of which something has come already is not measured.
    pub(crate) fn start_measuring(&mut self) {
        let first = self.seen.map_or(self.first, |(_, highest)| highest.saturating_add(1));
        self.sent = 0;
        self.complete = 0;
        self.delay.clear();
        self.seen = None;
        self.first = first;
    }

    /// Values for the summary.
    pub(crate) fn summarise(&self, name: &str, summary: &mut Vec<SummaryValue>) {
        summary.push(part_of(plain(name, metrics::FRAMES, self.sent as f64), "sent"));
        summary.push(part_of(plain(name, metrics::FRAMES, self.complete as f64), "complete"));
        summary.extend(self.loss().map(|loss| plain(name, metrics::FRAME_LOSS, 100.0 * loss)));
        summary.extend(of_distribution(name, metrics::FRAME_DELAY, &self.delay));
    }

    /// The mean of the delays of frames that came whole; zero if none did.
    pub fn mean_delay(&self) -> Duration {
        self.delay.mean()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frame `frame` of `packets`, sent at `20 × frame` ms, of which `arrived` packets come at those offsets in ms.
    fn frame(meter: &mut FrameMeter, frame: u32, packets: u16, arrived: &[u64]) {
        meter.sent();
        let sent_at = Time::from_millis(20 * u64::from(frame));
        for (place, after) in arrived.iter().enumerate() {
            let part = FramePart { frame, place: place as u16, packets };
            meter.arrived(part, sent_at, sent_at + Duration::from_millis(*after));
        }
    }

    #[test]
    fn a_frame_is_whole_with_its_last_packet() {
        let mut meter = FrameMeter::default();
        frame(&mut meter, 0, 3, &[5, 6, 9]);
        frame(&mut meter, 1, 1, &[3]);
        assert_eq!((meter.complete(), meter.loss()), (2, Some(0.0)));
        assert_eq!(meter.mean_delay(), Duration::from_millis(6));
    }

    #[test]
    fn frames_that_lack_a_packet_or_all_are_lost_once_a_later_one_has_begun() {
        let mut meter = FrameMeter::default();
        frame(&mut meter, 0, 2, &[5, 6]);
        frame(&mut meter, 1, 2, &[5]);
        assert_eq!(meter.loss(), Some(0.0), "frame 1 may still be under way");
        frame(&mut meter, 2, 2, &[]);
        frame(&mut meter, 3, 2, &[5, 6]);
        assert_eq!((meter.complete(), meter.loss()), (2, Some(0.5)));
    }

    #[test]
    fn a_packet_that_was_overtaken_completes_its_frame() {
        let mut meter = FrameMeter::default();
        frame(&mut meter, 0, 2, &[5]);
        frame(&mut meter, 1, 2, &[5, 6]);
        assert_eq!(meter.loss(), Some(0.5));
        meter.arrived(FramePart { frame: 0, place: 1, packets: 2 }, Time::ZERO, Time::from_millis(30));
        assert_eq!(meter.loss(), Some(0.0));
        // But not when more frames than are kept have come in between.
        frame(&mut meter, 2, 2, &[5]);
        frame(&mut meter, 2 + FrameMeter::OPEN, 1, &[5]);
        meter.arrived(FramePart { frame: 2, place: 1, packets: 2 }, Time::ZERO, Time::from_secs(3));
        assert_eq!(meter.complete(), 3);
    }

    #[test]
    fn of_frames_of_which_nothing_came_all_are_lost() {
        let mut meter = FrameMeter::default();
        assert_eq!(meter.loss(), None);
        meter.sent();
        assert_eq!(meter.loss(), Some(1.0));
    }

    #[test]
    fn a_frame_that_began_to_arrive_before_the_warm_up_ended_is_not_measured() {
        let mut meter = FrameMeter::default();
        frame(&mut meter, 0, 2, &[5, 6]);
        frame(&mut meter, 1, 2, &[5]);
        meter.start_measuring();
        meter.arrived(FramePart { frame: 1, place: 1, packets: 2 }, Time::ZERO, Time::from_millis(30));
        assert_eq!((meter.complete(), meter.loss()), (0, None));
        frame(&mut meter, 2, 2, &[5, 6]);
        assert_eq!((meter.complete(), meter.loss()), (1, Some(0.0)));
    }
}
