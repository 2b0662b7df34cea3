//! What the viewer notices: events of a session, with their costs.

use jettison_core::{Duration, Time};
use jettison_measure::{EventKind, FlowMeter, Unit, ViewerEvent};

use super::{Kind, Player};
use crate::abr::{Playback, Progress};
use crate::qoe::LinearWeights;
use crate::resource::{Part, set};

/// Levels of the playout buffer since the last stall.
#[derive(Debug, Clone, Default)]
pub(super) struct Levels {
    /// After each segment, while events are kept.
    levels: Vec<(Time, Duration)>,
    /// Request of the latest segment.
    requested_at: Option<Time>,
}

impl Levels {
    fn add(&mut self, at: Time, level: Duration) {
        self.levels.push((at, level));
    }

    /// Takes the levels before and at an instant.
    fn take_until(&mut self, at: Time) -> Levels {
        let later = self.levels.partition_point(|(time, _)| *time <= at);
        let kept = self.levels.split_off(later);
        Levels { levels: std::mem::replace(&mut self.levels, kept), requested_at: self.requested_at }
    }

    /// Where the buffer began to decline: the last time that it was at its highest, before which it had grown to that from less
    /// than [`GROWN`] of it.
    fn decline(&self) -> Option<Time> {
        let mut highest = *self.levels.last()?;
        for (at, level) in self.levels.iter().rev() {
            if *level > highest.1 {
                highest = (*at, *level);
            } else if level.as_secs_f64() < GROWN * highest.1.as_secs_f64() {
                break;
            }
        }
        Some(highest.0)
    }
}

/// Share of its highest level from which a buffer has grown before a decline. Our assumption: less is the saw-tooth of segments.
const GROWN: f64 = 0.7;

impl Player {
    /// The first segment that is missing, of the kind of media that is behind.
    pub(super) fn missing(&self) -> Unit {
        let level = |kind| self.playout.level_of(kind);
        let is_audio = self.audio.is_some() && level(Kind::Audio) < level(Kind::Video);
        let kind = if is_audio { Kind::Audio } else { Kind::Video };
        let Some(track) = self.track(kind) else { return Part::Manifest.unit(self.session) };
        let segment = track.buffered.len();
        let mut requests = self.lanes.iter().flat_map(|lane| [lane.asked, lane.chosen]).flatten();
        let requested = requests.find_map(|part| match part {
            Part::Segment(of, representation, number) if of == kind && number == segment => {
                Some(representation)
            }
            _ => None,
        });
        let representation = requested.or(track.selected).unwrap_or_default();
        Part::Segment(kind, representation, segment).unit(self.session)
    }

    /// Reports a stall or a long start that the segment `last` has ended.
    pub(super) fn report_resumed(&mut self, before: Playback, last: Unit, now: Time, meter: &mut FlowMeter) {
        if meter.events().is_some() {
            self.levels.add(now, self.playout.level());
        }
        if self.playout.playback() == before {
            return;
        }
        match before {
            Playback::Stalled => self.report_stall(now, meter),
            Playback::StartUp => self.report_start(last, now, meter),
            Playback::Playing | Playback::Ended => {}
        }
    }

    /// Reports a stall, or a start without a picture, that lasts until the end of the session.
    pub(super) fn report_unfinished(&mut self, now: Time, meter: &mut FlowMeter) {
        match self.playout.playback() {
            Playback::Stalled => self.report_stall(now, meter),
            Playback::StartUp => self.report_start(self.missing(), now, meter),
            Playback::Playing | Playback::Ended => {}
        }
    }

    fn report_stall(&mut self, now: Time, meter: &mut FlowMeter) {
        let unit = self.awaited.take();
        let began = self.playout.began();
        let (Some(stall), Some(events)) = (self.playout.stalls().last(), meter.events()) else { return };
        let at = Time::from_nanos(now.as_nanos().saturating_sub(stall.lasted.as_nanos()));
        // What came in the stall is where the buffer's next decline may begin.
        let since = self.levels.take_until(at).decline().unwrap_or(began);
        let (duration, cost) = (stall.lasted, stall.lasted.as_secs_f64());
        let since = since.min(at);
        events.add(ViewerEvent { since, duration, cost, unit, ..ViewerEvent::new(EventKind::Stall, at) });
    }

    fn report_start(&self, awaited: Unit, now: Time, meter: &mut FlowMeter) {
        let Some(events) = meter.events() else { return };
        let waited = self.playout.start_up();
        let beyond = waited.saturating_sub(events.limits().long_start);
        if beyond.is_zero() {
            return;
        }
        let at = Time::from_nanos(now.as_nanos().saturating_sub(waited.as_nanos()));
        let weights = self.weights();
        let cost = beyond.as_secs_f64() * weights.start_up / weights.rebuffering;
        let unit = Some(awaited);
        events.add(ViewerEvent {
            duration: waited,
            cost,
            unit,
            ..ViewerEvent::new(EventKind::LongStart, at)
        });
    }

    /// Reports a video segment of a lower representation than the one before it, unless as an abandoned request it has been.
    pub(super) fn report_switch(
        &mut self,
        representation: usize,
        segment: usize,
        requested_at: Time,
        media: Duration,
        meter: &mut FlowMeter,
    ) {
        let is_known = self.abandoned.take_if(|abandoned| *abandoned == segment).is_some();
        let Some(from) = self.video.newest.filter(|newest| *newest > representation && !is_known) else {
            self.levels.requested_at = Some(requested_at);
            return;
        };
        let cost = self.cost_of_switch(Kind::Video, from, representation);
        let unit = Part::Segment(Kind::Video, representation, segment).unit(self.session);
        let before = self.levels.requested_at.replace(requested_at).unwrap_or(requested_at);
        let since = self.levels.decline().map_or(before, |at| at.min(before)).min(requested_at);
        let event = ViewerEvent::new(EventKind::SwitchDown, requested_at);
        if let Some(events) = meter.events() {
            events.add(ViewerEvent { since, duration: media, cost, unit: Some(unit), ..event });
        }
    }

    /// Reports a request abandoned for one of `representation`.
    pub(super) fn report_abandoned(
        &mut self,
        kind: Kind,
        progress: &Progress,
        representation: usize,
        now: Time,
        meter: &mut FlowMeter,
    ) {
        if kind == Kind::Video {
            self.abandoned = Some(progress.segment);
        }
        let cost = self.cost_of_switch(kind, progress.representation, representation);
        let unit = Part::Segment(kind, progress.representation, progress.segment).unit(self.session);
        if let Some(events) = meter.events() {
            let since = progress.requested_at;
            let event = ViewerEvent::new(EventKind::Abandoned, now);
            events.add(ViewerEvent { since, duration: now.since(since), cost, unit: Some(unit), ..event });
        }
    }

    /// The stall, in seconds, that the linear QoE holds for as bad as a switch between two representations.
    fn cost_of_switch(&self, kind: Kind, from: usize, to: usize) -> f64 {
        let rates = set(&self.title, kind).map(|set| &set.representations);
        let rate = |place: usize| {
            let found = rates.and_then(|rates| rates.get(place));
            found.map_or(0.0, |representation| representation.bitrate.as_bits() as f64 / 1e3)
        };
        let weights = self.weights();
        weights.switching * (rate(from) - rate(to)).abs() / weights.rebuffering
    }

    /// The player's weights, or the defaults if its stalls weigh nothing.
    fn weights(&self) -> LinearWeights {
        let own = &self.setup.weights;
        if own.rebuffering > 0.0 { own.clone() } else { LinearWeights::default() }
    }
}
