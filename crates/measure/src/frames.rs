//! Completeness and delay of frames that span several packets.

use jettison_core::{Duration, Time};

use crate::SummaryValue;
use crate::recorder::{of_distribution, part_of, plain};
use crate::{Distribution, metrics};

/// Position of a packet in a media stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FramePart {
    /// Number of the frame within its flow, from 0.
    pub frame: u32,
    /// Index of the packet in the frame, from 0.
    pub place: u16,
    /// Number of packets of the frame.
    pub packets: u16,
}

/// Counts and delays of the frames of a flow.
#[derive(Debug, Clone)]
pub struct FrameMeter {
    sent: u64,
    complete: u64,
    delay: Distribution,
    /// Frames that may still become complete: frame n is at index n modulo [`FrameMeter::OPEN`].
    open: [Progress; FrameMeter::OPEN as usize],
    /// Lowest and highest frame with an arrival.
    seen: Option<(u32, u32)>,
    /// First measured frame.
    first: u32,
}

/// Progress of a frame.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    frame: u32,
    arrived: u16,
    packets: u16,
}

impl Progress {
    fn is_complete(&self) -> bool {
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
    /// Maximum number of incomplete frames. A packet overtaken by more frames is ignored.
    pub const OPEN: u32 = 64;

    /// Records a frame sent.
    pub fn sent(&mut self) {
        self.sent += 1;
    }

    /// Records the arrival of a packet of a frame sent at `sent_at`. Packets are counted without identity: copies
    /// must not be reported ([`crate::FlowMeter::received`] tells them). Returns whether the frame is now complete, for the first
    /// time.
    #[inline]
    pub fn arrived(&mut self, part: FramePart, sent_at: Time, now: Time) -> bool {
        let is_measured = part.frame >= self.first;
        if is_measured {
            self.seen = Some(match self.seen {
                None => (part.frame, part.frame),
                Some((lowest, highest)) => (lowest.min(part.frame), highest.max(part.frame)),
            });
        }
        let progress = &mut self.open[(part.frame % FrameMeter::OPEN) as usize];
        if progress.packets == 0 || progress.frame < part.frame {
            *progress = Progress { frame: part.frame, arrived: 0, packets: part.packets };
        } else if progress.frame > part.frame || progress.is_complete() {
            return false;
        }
        progress.arrived += 1;
        if progress.is_complete() && is_measured {
            self.complete += 1;
            self.delay.record(now.since(sent_at));
        }
        progress.is_complete()
    }

    /// Number of complete frames.
    pub fn complete(&self) -> u64 {
        self.complete
    }

    /// Share of incomplete frames, 0 to 1, among those from the first to the last with an arrival, as in
    /// [`crate::FlowMeter::loss`]. The last frame counts once it is complete or a later one has begun. 1 if frames were sent
    /// and nothing arrived; `None` if none was sent.
    pub fn loss(&self) -> Option<f64> {
        let Some((lowest, highest)) = self.seen else { return (self.sent > 0).then_some(1.0) };
        let last = &self.open[(highest % FrameMeter::OPEN) as usize];
        let expected = u64::from(highest - lowest) + u64::from(last.is_complete());
        (expected > 0).then(|| expected.saturating_sub(self.complete) as f64 / expected as f64)
    }

    /// Delays of complete frames, from sending to the arrival of the last packet.
    pub(crate) fn delay(&self) -> &Distribution {
        &self.delay
    }

    /// Resets all counts. Frames that have begun to arrive are not measured.
    pub(crate) fn start_measuring(&mut self) {
        let first = self.seen.map_or(self.first, |(_, highest)| highest.saturating_add(1));
        self.sent = 0;
        self.complete = 0;
        self.delay.clear();
        self.seen = None;
        self.first = first;
    }

    /// Adds the summary values.
    pub(crate) fn summarise(&self, name: &str, summary: &mut Vec<SummaryValue>) {
        summary.push(part_of(plain(name, metrics::FRAMES, self.sent as f64), "sent"));
        summary.push(part_of(plain(name, metrics::FRAMES, self.complete as f64), "complete"));
        summary.extend(self.loss().map(|loss| plain(name, metrics::FRAME_LOSS, 100.0 * loss)));
        summary.extend(of_distribution(name, metrics::FRAME_DELAY, &self.delay));
    }

    /// Mean delay of complete frames; zero if there is none.
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
    fn a_frame_is_complete_with_its_last_packet() {
        let mut meter = FrameMeter::default();
        frame(&mut meter, 0, 3, &[5, 6, 9]);
        frame(&mut meter, 1, 1, &[3]);
        assert_eq!((meter.complete(), meter.loss()), (2, Some(0.0)));
        assert_eq!(meter.mean_delay(), Duration::from_millis(6));
    }

    #[test]
    fn incomplete_frames_are_lost_once_a_later_one_has_begun() {
        let mut meter = FrameMeter::default();
        frame(&mut meter, 0, 2, &[5, 6]);
        frame(&mut meter, 1, 2, &[5]);
        assert_eq!(meter.loss(), Some(0.0), "frame 1 may still be under way");
        frame(&mut meter, 2, 2, &[]);
        frame(&mut meter, 3, 2, &[5, 6]);
        assert_eq!((meter.complete(), meter.loss()), (2, Some(0.5)));
    }

    #[test]
    fn an_overtaken_packet_completes_its_frame() {
        let mut meter = FrameMeter::default();
        frame(&mut meter, 0, 2, &[5]);
        frame(&mut meter, 1, 2, &[5, 6]);
        assert_eq!(meter.loss(), Some(0.5));
        meter.arrived(FramePart { frame: 0, place: 1, packets: 2 }, Time::ZERO, Time::from_millis(30));
        assert_eq!(meter.loss(), Some(0.0));
        // But not after more frames than the meter keeps.
        frame(&mut meter, 2, 2, &[5]);
        frame(&mut meter, 2 + FrameMeter::OPEN, 1, &[5]);
        meter.arrived(FramePart { frame: 2, place: 1, packets: 2 }, Time::ZERO, Time::from_secs(3));
        assert_eq!(meter.complete(), 3);
    }

    #[test]
    fn all_frames_are_lost_if_nothing_arrives() {
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
