//! Events that a viewer notices, each with its cost.

use jettison_core::{Duration, Time};
use jettison_wire::FlowId;

use super::frame_events::{FrameFate, frame_events};
use super::sample_events::Samples;
use super::{Unit, UnitKind};

/// Kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventKind {
    /// Playback of a streamed title stopped: the buffer was empty.
    Stall,
    /// A real-time picture stood still, by the rule of W3C's WebRTC statistics.
    Freeze,
    /// Consecutive frames that were decoded after their deadline.
    LateFrame,
    /// Consecutive frames that were never decoded.
    SkippedFrame,
    /// Consecutive frames shown without all layers.
    MissingLayers,
    /// A segment of a lower representation than the one before.
    SwitchDown,
    /// A request for a segment abandoned for one of lower quality.
    Abandoned,
    /// A wait for the first picture that exceeds the threshold.
    LongStart,
    /// Consecutive samples or updates that missed the longest deadline or never arrived.
    LateSample,
    /// A page or transfer that took longer than the threshold.
    SlowPage,
}

impl EventKind {
    /// All kinds, in the order of the documentation.
    pub const ALL: [EventKind; 10] = [
        EventKind::Stall,
        EventKind::Freeze,
        EventKind::LateFrame,
        EventKind::SkippedFrame,
        EventKind::MissingLayers,
        EventKind::SwitchDown,
        EventKind::Abandoned,
        EventKind::LongStart,
        EventKind::LateSample,
        EventKind::SlowPage,
    ];

    /// Stable name, as in `events.parquet`.
    pub const fn name(self) -> &'static str {
        match self {
            EventKind::Stall => "stall",
            EventKind::Freeze => "freeze",
            EventKind::LateFrame => "late-frame",
            EventKind::SkippedFrame => "skipped-frame",
            EventKind::MissingLayers => "missing-layers",
            EventKind::SwitchDown => "switch-down",
            EventKind::Abandoned => "abandoned",
            EventKind::LongStart => "long-start",
            EventKind::LateSample => "late-sample",
            EventKind::SlowPage => "slow-page",
        }
    }

    /// The kind with a stable name.
    pub fn from_name(name: &str) -> Option<EventKind> {
        EventKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// What an event of this kind costs, in seconds of viewing.
    pub const fn cost(self) -> &'static str {
        match self {
            EventKind::Stall | EventKind::Freeze => "its duration",
            EventKind::LateFrame => "for each frame how late it was, at most the time until the next frame",
            EventKind::SkippedFrame => "the time for which the frames were to be seen",
            EventKind::MissingLayers => {
                "the time for which the frames were seen, times the share of missing layers, times 0.25"
            }
            EventKind::SwitchDown | EventKind::Abandoned => {
                "the stall that the player's linear QoE holds for equally bad: λ·|Δ bitrate|/μ"
            }
            EventKind::LongStart => {
                "the time beyond the threshold, weighted as in the player's linear QoE: μ_s/μ"
            }
            EventKind::LateSample => "from the first deadline missed until the first sample in time",
            EventKind::SlowPage => "the time beyond the threshold",
        }
    }
}

/// Time before the end of the run in which captured frames may still be in flight.
const IN_FLIGHT: Duration = Duration::from_secs(1);

/// Thresholds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventLimits {
    /// Time from capture to decoding after which a frame is late, for viewers without a playout deadline.
    pub late_frame: Duration,
    /// Time from the start of a session to its first picture.
    pub long_start: Duration,
    /// Load time of a page, or duration of a transfer.
    pub slow_page: Duration,
}

impl Default for EventLimits {
    fn default() -> EventLimits {
        EventLimits {
            late_frame: Duration::from_millis(400),
            long_start: Duration::from_secs(2),
            slow_page: Duration::from_secs(3),
        }
    }
}

/// An event at the viewer of a flow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ViewerEvent {
    /// The flow.
    pub flow: FlowId,
    /// Kind.
    pub kind: EventKind,
    /// From when on its causes are looked for: the capture of the first frame, the click, the beginning of the buffer's decline.
    pub since: Time,
    /// Its beginning.
    pub at: Time,
    /// Its duration.
    pub duration: Duration,
    /// Cost in seconds of viewing, by [`EventKind::cost`].
    pub cost: f64,
    /// What the viewer waited for: the first unit that was missing or late.
    pub unit: Option<Unit>,
}

impl ViewerEvent {
    /// An event that begins at `at`, without duration, cost and unit. Applications leave the flow to the log.
    pub const fn new(kind: EventKind, at: Time) -> ViewerEvent {
        ViewerEvent {
            flow: FlowId::NONE,
            kind,
            since: at,
            at,
            duration: Duration::ZERO,
            cost: 0.0,
            unit: None,
        }
    }
}

/// Events of one flow, as its applications report them.
#[derive(Debug, Clone)]
pub struct EventLog {
    limits: EventLimits,
    events: Vec<ViewerEvent>,
    fates: Vec<FrameFate>,
    samples: Samples,
}

impl EventLog {
    /// An empty log.
    pub(crate) fn new(limits: EventLimits) -> EventLog {
        EventLog { limits, events: Vec::new(), fates: Vec::new(), samples: Samples::default() }
    }

    /// The thresholds.
    pub fn limits(&self) -> EventLimits {
        self.limits
    }

    /// Records an event.
    pub fn add(&mut self, event: ViewerEvent) {
        self.events.push(event);
    }

    /// Records a page or transfer that began at `began` and has ended, if it was slow.
    pub fn loaded(&mut self, began: Time, now: Time, unit: Option<Unit>) {
        let took = now.since(began);
        let beyond = took.saturating_sub(self.limits.slow_page);
        if !beyond.is_zero() {
            let at = began.saturating_add(self.limits.slow_page);
            let (kind, cost) = (EventKind::SlowPage, beyond.as_secs_f64());
            self.add(ViewerEvent {
                since: began,
                duration: beyond,
                cost,
                unit,
                ..ViewerEvent::new(kind, at)
            });
        }
    }

    /// Records the fate of a frame. Call in ascending order of frames.
    pub fn frame(&mut self, fate: FrameFate) {
        self.fates.push(fate);
    }

    /// Records that a frame was captured. Its fate is that of a skipped frame until [`EventLog::frame_decoded`].
    pub fn frame_captured(&mut self, frame: u32, captured_at: Time) {
        let deadline = self.limits.late_frame;
        self.fates.push(FrameFate {
            frame,
            captured_at,
            deadline,
            decoded: None,
            is_shown: false,
            layers: 0,
            of: 1,
        });
    }

    /// Records that a captured frame without layers was decoded, and shown at once.
    pub fn frame_decoded(&mut self, frame: u32, now: Time) {
        if let Ok(place) = self.fates.binary_search_by_key(&frame, |fate| fate.frame)
            && let Some(fate) = self.fates.get_mut(place)
            && fate.decoded.is_none()
        {
            fate.decoded = Some(now.since(fate.captured_at));
            (fate.is_shown, fate.layers) = (true, 1);
        }
    }

    /// Records the arrival of a sample or update with its number, sent at `sent_at`, in a stream whose longest deadline is `deadline`.
    #[inline]
    pub fn sample(&mut self, sample: (UnitKind, u64), sent_at: Time, now: Time, deadline: Duration) {
        if let Some(event) = self.samples.arrived(sample, sent_at, now, deadline) {
            self.events.push(event);
        }
    }

    /// The events of the flow in their order, at the end of the run.
    pub(crate) fn finish(mut self, flow: FlowId, end: Time) -> Vec<ViewerEvent> {
        self.events.extend(self.samples.ended());
        // The last frames may be in flight.
        let may_come = |fate: &FrameFate| fate.decoded.is_none() && end.since(fate.captured_at) < IN_FLIGHT;
        while self.fates.pop_if(|fate| may_come(fate)).is_some() {}
        frame_events(&self.fates, end, &mut self.events);
        for event in &mut self.events {
            event.flow = flow;
            event.unit = event.unit.map(|unit| unit.of(flow));
        }
        self.events.sort_by_key(|event| (event.at, event.kind, event.unit));
        self.events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_found() {
        for kind in EventKind::ALL {
            assert_eq!(EventKind::from_name(kind.name()), Some(kind));
            assert!(!kind.cost().is_empty());
        }
        assert_eq!(EventKind::from_name("picnic"), None);
    }

    #[test]
    fn a_page_is_slow_beyond_the_threshold_alone() {
        let mut log = EventLog::new(EventLimits::default());
        log.loaded(Time::from_secs(10), Time::from_secs(13), None);
        log.loaded(Time::from_secs(20), Time::from_millis(24_500), None);
        let events = log.finish(FlowId(3), Time::from_secs(60));
        let [event] = events.as_slice() else { panic!("one is slow: {events:?}") };
        assert_eq!((event.flow, event.kind, event.at), (FlowId(3), EventKind::SlowPage, Time::from_secs(23)));
        assert_eq!((event.duration, event.cost), (Duration::from_millis(1500), 1.5));
    }

    #[test]
    fn a_captured_frame_is_skipped_unless_it_is_decoded() {
        let mut log = EventLog::new(EventLimits::default());
        for frame in 0..60 {
            log.frame_captured(frame, Time::from_millis(40 * u64::from(frame)));
            if frame != 30 {
                log.frame_decoded(frame, Time::from_millis(40 * u64::from(frame) + 50));
            }
        }
        let events = log.finish(FlowId(0), Time::from_secs(10));
        let [event] = events.as_slice() else { panic!("one was skipped: {events:?}") };
        assert_eq!((event.kind, event.unit.map(|unit| unit.number)), (EventKind::SkippedFrame, Some(30)));
        assert_eq!((event.duration, event.cost), (Duration::from_millis(40), 0.04));
    }
}
