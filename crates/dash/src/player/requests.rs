//! Requests: what to fetch next, and when.

use jettison_core::{Duration, Time};
use jettison_sockets::Sockets;

use super::setup::{Filling, Targets, Together, TopQuality};
use super::steered::{Asked, Deferred};
use super::track::segment_at;
use super::{Kind, Player, Track};
use crate::abr::Choice;
use crate::resource::{Part, Resource, set};

/// Least media that one kind may be ahead of the other where they are kept together.
const LEAST_AHEAD: Duration = Duration::from_millis(500);
/// Media that audio's target is above video's level.
const AUDIO_AHEAD: Duration = Duration::from_secs(1);

impl Player {
    /// Requests the next resource of a lane, or schedules the time at which to try again.
    pub(super) fn proceed(&mut self, lane: usize, now: Time, host: &mut dyn Sockets) {
        if self.defers(Deferred::Request(lane)) || !self.transport.is_idle(lane) || self.is_ended() {
            return;
        }
        if let Some(part) = self.next_part(lane, now) {
            self.ask(lane, part, now, host);
        } else if self.is_waiting() {
            host.suspend();
        } else if self.is_all_fetched() {
            self.transport.end(host);
        }
    }

    pub(super) fn ask(&mut self, lane: usize, part: Part, now: Time, host: &mut dyn Sockets) {
        self.lanes[lane].asked = Some(part);
        let path = Resource { title: &self.title.name, part }.path();
        self.transport.ask(lane, path, now, host);
    }

    fn next_part(&mut self, lane: usize, now: Time) -> Option<Part> {
        if !self.has_manifest {
            return (lane == 0).then_some(Part::Manifest);
        }
        if let Some(part) = self.lanes[lane].chosen.take() {
            return self.due(lane, part, now);
        }
        let kind = self.next_kind(lane)?;
        let has_room = match self.setup.filling {
            Filling::Fits { max, resume } => !self.is_full(lane, kind, max, resume, now),
            Filling::Below(targets) => self.is_below(lane, kind, &targets, now),
        };
        if !has_room {
            return None;
        }
        let representation = match self.track_mut(kind)?.decided.take() {
            Some(decided) => decided,
            None => self.choose(lane, kind, now)?,
        };
        let segment = self.track(kind)?.next;
        // Without a next segment, all are there again.
        set(&self.title, kind)?.durations.get(segment)?;
        let part = self.with_initialization(lane, kind, representation, segment);
        self.due(lane, part, now)
    }

    /// Asks the rule. Returns `None` if the request has to wait.
    fn choose(&mut self, lane: usize, kind: Kind, now: Time) -> Option<usize> {
        let answer = match self.ask_outside(lane, kind) {
            Asked::Waiting => return None,
            Asked::Answered(representation) => Some(Choice::now(representation)),
            Asked::OwnRule => None,
        };
        let (track, state) = self.state(kind, now)?;
        let Choice { representation, wait_below, delay } =
            answer.unwrap_or_else(|| track.rule.choose(&state));
        let representation = representation.min(state.set.representations.len() - 1);
        let before = track.selected;
        if let Some(level) = wait_below {
            let falls = self.playout.falls_to(kind, level).filter(|at| *at > now);
            if falls.is_some() {
                self.lanes[lane].resumes_at = falls;
                return None;
            }
        }
        self.lanes[lane].not_before = (!delay.is_zero()).then(|| now + delay);
        self.track_mut(kind)?.selected = Some(representation);
        if before.is_some_and(|before| before != representation) {
            let from = self.replaces_from(kind, representation, now);
            self.track_mut(kind)?.switch(from);
            // The new representation may have another target.
            if let Filling::Below(targets) = self.setup.filling
                && !self.is_below(lane, kind, &targets, now)
            {
                self.track_mut(kind)?.decided = Some(representation);
                return None;
            }
        }
        Some(representation)
    }

    /// Returns the first buffered segment that a switch replaces.
    fn replaces_from(&self, kind: Kind, representation: usize, now: Time) -> Option<usize> {
        let fast = self.setup.fast_switch?;
        let (track, set) = (self.track(kind)?, set(&self.title, kind)?);
        let place = segment_at(set, self.playout.played() + fast.margin)?;
        let is_better = (*track.buffered.get(place)? as usize) < representation;
        let may = self.playout.level_of(kind) >= fast.margin && track.rule.may_replace(now);
        let last = track.buffered.len().checked_sub(1).filter(|_| fast.repeats_last);
        if is_better && may { Some(place) } else { last }
    }

    /// Returns the part if it may be requested now.
    fn due(&mut self, lane: usize, part: Part, now: Time) -> Option<Part> {
        let lane = &mut self.lanes[lane];
        if let (Part::Segment(..), Some(at)) = (part, lane.not_before)
            && at > now
        {
            (lane.chosen, lane.resumes_at) = (Some(part), Some(at));
            return None;
        }
        if matches!(part, Part::Segment(..)) {
            lane.not_before = None;
        }
        Some(part)
    }

    /// Returns the request for a segment, or for its initialization segment if that is missing.
    pub(super) fn with_initialization(
        &mut self,
        lane: usize,
        kind: Kind,
        representation: usize,
        segment: usize,
    ) -> Part {
        let part = Part::Segment(kind, representation, segment);
        if self.track(kind).is_some_and(|track| track.is_initialized(representation)) {
            return part;
        }
        self.lanes[lane].chosen = Some(part);
        Part::Initialization(kind, representation)
    }

    /// Returns the kind of media of a lane that is behind and not completely fetched.
    fn next_kind(&self, lane: usize) -> Option<Kind> {
        let is_of_lane = |kind: Kind| self.lanes.len() == 1 || lane == kind as usize;
        let tracks = [Some(&self.video), self.audio.as_ref()].into_iter().flatten();
        let behind = tracks.filter(|track| is_of_lane(track.kind) && self.is_behind(track));
        behind.min_by_key(|track| (self.playout.fetched(track.kind), track.kind)).map(|track| track.kind)
    }

    fn is_behind(&self, track: &Track) -> bool {
        set(&self.title, track.kind).is_some_and(|set| track.next < set.segments())
    }

    fn is_all_fetched(&self) -> bool {
        let mut tracks = [Some(&self.video), self.audio.as_ref()].into_iter().flatten();
        self.has_manifest
            && !tracks.any(|track| self.is_behind(track))
            && (0..self.lanes.len()).all(|lane| self.transport.is_idle(lane))
    }

    /// Returns whether another segment would exceed the maximum buffer, and schedules the time when it will fit.
    fn is_full(
        &mut self,
        lane: usize,
        kind: Kind,
        max: Duration,
        resume: Option<Duration>,
        now: Time,
    ) -> bool {
        let Some(next) = self.next_media(kind) else { return true };
        let room_below = max.saturating_sub(next);
        let own = &mut self.lanes[lane];
        if self.playout.level_of(kind) > room_below {
            own.is_full = true;
        }
        // While playback is paused the buffer does not drain, so no limit applies.
        let level = if own.is_full { resume.unwrap_or(room_below).min(room_below) } else { room_below };
        match self.playout.falls_to(kind, level).filter(|at| *at > now) {
            Some(at) if own.is_full => {
                own.resumes_at = Some(at);
                true
            }
            _ => {
                own.is_full = false;
                false
            }
        }
    }

    /// Returns whether the level is below its target; otherwise schedules when to look again.
    fn is_below(&mut self, lane: usize, kind: Kind, targets: &Targets, now: Time) -> bool {
        let segment = self.next_media(kind).unwrap_or_default();
        let level = self.playout.level_of(kind);
        let follows = targets.together == Together::AudioFollowsVideo && kind == Kind::Audio;
        let target = match follows {
            true => (self.playout.level_of(Kind::Video) + AUDIO_AHEAD).max(segment),
            false if self.is_at_top(kind, targets.top_quality) => targets.top,
            false => targets.default,
        };
        let added =
            if targets.holds_segment && !follows && target > segment { segment } else { Duration::ZERO };
        // Segments of audio hold whole frames, so their sum is up to a frame short of what the manifest says: where the levels are
        // equal here, audio is below its target in a browser.
        let is_reached = if follows { level > target } else { level + added >= target };
        let wait = match targets.together {
            _ if is_reached => Some(targets.interval),
            Together::OneSegment(interval) => {
                let fetched = |kind| self.playout.fetched(kind);
                let ahead = match self.audio {
                    Some(_) => fetched(kind).saturating_sub(fetched(kind.other())),
                    None => Duration::ZERO,
                };
                (ahead >= segment.max(LEAST_AHEAD)).then_some(interval)
            }
            _ => None,
        };
        self.lanes[lane].resumes_at = wait.map(|wait| now + wait).or(self.lanes[lane].resumes_at);
        wait.is_none()
    }

    /// Returns whether the highest representations are selected.
    fn is_at_top(&self, kind: Kind, of: TopQuality) -> bool {
        let is_top = |track: &Track| {
            let set = set(&self.title, track.kind);
            track.selected.zip(set).is_some_and(|(place, set)| place + 1 == set.representations.len())
        };
        match of {
            TopQuality::Own => self.track(kind).is_some_and(is_top),
            TopQuality::Both => is_top(&self.video) && self.audio.as_ref().is_none_or(is_top),
        }
    }

    /// Returns the media time of the next segment of a kind.
    fn next_media(&self, kind: Kind) -> Option<Duration> {
        let next = self.track(kind)?.next;
        set(&self.title, kind)?.durations.get(next).copied()
    }
}
