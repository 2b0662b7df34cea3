//! Events of real-time pictures: freezes, and runs of late, skipped and incomplete frames.

use jettison_core::{Duration, Time};

use super::{EventKind, Unit, UnitKind, ViewerEvent};
use crate::freezes::{Rendered, freezes, rendered};

/// Cost of a second without any of its layers but the lowest, were there infinitely many: our assumption.
const LAYERS_WEIGHT: f64 = 0.25;

/// What became of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameFate {
    /// Number within the flow, from 0.
    pub frame: u32,
    /// Time of capture.
    pub captured_at: Time,
    /// Time from capture after which the frame is late.
    pub deadline: Duration,
    /// Time from capture to decoding, in time or not; `None` if it was never decoded.
    pub decoded: Option<Duration>,
    /// Whether it was shown.
    pub is_shown: bool,
    /// Layers shown.
    pub layers: u8,
    /// Layers of the video.
    pub of: u8,
}

impl FrameFate {
    /// The kind of event that the frame belongs to.
    fn event(&self) -> Option<EventKind> {
        match self.decoded {
            None => Some(EventKind::SkippedFrame),
            Some(after) if after > self.deadline => Some(EventKind::LateFrame),
            Some(_) => (self.layers < self.of).then_some(EventKind::MissingLayers),
        }
    }

    /// Cost of the frame, which was to be seen for `span`.
    fn cost(&self, kind: EventKind, span: Duration) -> f64 {
        match kind {
            EventKind::LateFrame => {
                let late = self.decoded.map_or(span, |after| after.saturating_sub(self.deadline));
                late.min(span).as_secs_f64()
            }
            EventKind::MissingLayers => {
                let missing = f64::from(self.of - self.layers.min(self.of)) / f64::from(self.of.max(1));
                LAYERS_WEIGHT * missing * span.as_secs_f64()
            }
            _ => span.as_secs_f64(),
        }
    }

    /// The first unit that was missing or late.
    fn unit(&self, kind: EventKind) -> Unit {
        let number = u64::from(self.frame);
        match kind {
            EventKind::MissingLayers => Unit::new(UnitKind::Message, number, u32::from(self.layers)),
            _ => Unit::new(UnitKind::Frame, number, 0),
        }
    }
}

/// Adds the events of frames in ascending order, in a run that ended at `end`. A disturbance is one event: late and skipped frames
/// of a freeze are part of it.
pub(super) fn frame_events(fates: &[FrameFate], end: Time, events: &mut Vec<ViewerEvent>) {
    let shown = fates.iter().filter(|fate| fate.is_shown).filter_map(|fate| {
        Some(Rendered { at: fate.captured_at.saturating_add(fate.decoded?), frame: fate.frame })
    });
    let rendered = rendered(shown);
    let last = fates.last().map_or(end, |fate| fate.captured_at);
    let frozen: Vec<_> = freezes(&rendered, last).collect();
    for freeze in &frozen {
        let duration = freeze.to.since(freeze.from);
        let number = u64::from(freeze.after) + 1;
        let first = fates.partition_point(|fate| u64::from(fate.frame) < number);
        events.push(ViewerEvent {
            since: fates.get(first).map_or(freeze.from, |fate| fate.captured_at),
            duration,
            cost: duration.as_secs_f64(),
            unit: Some(Unit::new(UnitKind::Frame, number, 0)),
            ..ViewerEvent::new(EventKind::Freeze, freeze.from)
        });
    }
    // A freeze's first frame is the one after the last shown; its last is the one that ended it.
    let is_frozen = |frame: u32| {
        let place = frozen.partition_point(|freeze| freeze.before.is_some_and(|before| before < frame));
        frozen.get(place).is_some_and(|freeze| frame > freeze.after)
    };
    let kind_of = |fate: &FrameFate| {
        fate.event().filter(|kind| *kind == EventKind::MissingLayers || !is_frozen(fate.frame))
    };
    let span_of = |place: usize| match (fates.get(place), fates.get(place + 1)) {
        (Some(own), Some(next)) => next.captured_at.since(own.captured_at),
        _ => match place.checked_sub(1).map(|before| [fates[before], fates[place]]) {
            Some([before, own]) => own.captured_at.since(before.captured_at),
            None => Duration::ZERO,
        },
    };
    let mut place = 0;
    for run in fates.chunk_by(|one, other| kind_of(one) == kind_of(other)) {
        let places = place..place + run.len();
        place += run.len();
        let (Some(first), Some(kind)) = (run.first(), run.first().and_then(kind_of)) else { continue };
        let spans = || places.clone().map(span_of);
        events.push(ViewerEvent {
            since: first.captured_at,
            duration: spans().fold(Duration::ZERO, |sum, span| sum + span),
            cost: run.iter().zip(spans()).map(|(fate, span)| fate.cost(kind, span)).sum(),
            unit: Some(first.unit(kind)),
            ..ViewerEvent::new(kind, first.captured_at.saturating_add(first.deadline))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    /// Events of frames captured every 50 ms with a deadline of 200 ms: latency in ms, and layers of three.
    fn of(frames: &[(Option<u64>, u8)]) -> Vec<ViewerEvent> {
        let fates: Vec<FrameFate> = frames
            .iter()
            .enumerate()
            .map(|(number, (decoded, layers))| FrameFate {
                frame: number as u32,
                captured_at: Time::from_millis(50 * number as u64),
                deadline: MS(200),
                decoded: decoded.map(MS),
                is_shown: decoded.is_some(),
                layers: *layers,
                of: 3,
            })
            .collect();
        let mut events = Vec::new();
        frame_events(&fates, Time::from_secs(100), &mut events);
        events
    }

    fn with(count: usize, others: &[(usize, (Option<u64>, u8))]) -> Vec<(Option<u64>, u8)> {
        let mut frames = vec![(Some(30), 3); count];
        for (place, fate) in others {
            frames[*place] = *fate;
        }
        frames
    }

    #[test]
    fn whole_frames_in_time_are_no_event() {
        assert!(of(&with(60, &[])).is_empty());
        assert!(of(&[]).is_empty());
    }

    #[test]
    fn consecutive_frames_of_one_fate_are_one_event() {
        let events =
            of(&with(60, &[(20, (None, 0)), (21, (None, 0)), (30, (Some(220), 3)), (40, (Some(30), 1))]));
        let found: Vec<_> = events.iter().map(|e| (e.kind, e.unit.map(|u| (u.number, u.part)))).collect();
        let expected = [
            (EventKind::SkippedFrame, Some((20, 0))),
            (EventKind::LateFrame, Some((30, 0))),
            (EventKind::MissingLayers, Some((40, 1))),
        ];
        assert_eq!(found, expected);
        let costs: Vec<f64> = events.iter().map(|event| (event.cost * 1e6).round() / 1e6).collect();
        assert_eq!(costs, [0.1, 0.02, 0.008_333]);
        assert_eq!(events[0].duration, MS(100));
        assert_eq!(events[1].at, Time::from_millis(30 * 50 + 200));
    }

    #[test]
    fn skipped_frames_of_a_freeze_are_part_of_it() {
        let missing: Vec<_> = (20..25).map(|place| (place, (None, 0))).collect();
        let events = of(&with(60, &missing));
        let [event] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!((event.kind, event.duration), (EventKind::Freeze, MS(300)));
        assert_eq!(event.at, Time::from_millis(19 * 50 + 30));
        assert_eq!(event.unit.map(|unit| unit.number), Some(20));
    }

    #[test]
    fn frames_missing_at_the_end_are_a_freeze() {
        let missing: Vec<_> = (50..60).map(|place| (place, (None, 0))).collect();
        let events = of(&with(60, &missing));
        assert_eq!(events.iter().map(|e| e.kind).collect::<Vec<_>>(), [EventKind::Freeze]);
    }
}
