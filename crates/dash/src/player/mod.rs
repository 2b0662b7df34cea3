//! Player: fetches segments, chooses their representations, and plays them.
//!
//! It requests the manifest, then segments, each representation's initialization segment first. Either one schedule takes the
//! kind of media that is behind (video first), one request at a time, or video and audio have a schedule each. While the
//! buffer is full it fetches nothing until the buffer has drained: the on/off pattern of streaming.

mod fetch;
mod playout;
mod requests;
mod responses;
mod setup;
mod steered;
mod track;
mod transport;
mod viewing;
mod watched;

use std::sync::Arc;

use jettison_core::{Duration, Time};
use jettison_measure::{FlowMeter, Reason, SessionScore, Status, Unit};

use super::abr::{AbrState, OtherMedia, Playback};
use super::content::{AdaptationSet, Title};
use super::qoe::p1203::p1203;
use super::qoe::{PlayedSegment, Session};
use super::resource::set;
use jettison_sockets::{SocketEvent, SocketId, Sockets};
use playout::{Passed, Playout};
use steered::Steered;
use track::{Lane, Track};
use transport::Transport;
use viewing::Viewing;
use watched::Levels;

pub use fetch::{Connections, Partial, Step, Transfer};
pub use playout::{Kind, Thresholds};
pub use setup::{FastSwitch, Filling, PlayerSetup, RuleFactory, Targets, Together, TopQuality};

/// One viewer's player, from the first request to the last frame.
#[derive(Debug, Clone)]
pub struct Player {
    setup: Arc<PlayerSetup>,
    title: Arc<Title>,
    playout: Playout,
    transport: Transport,
    video: Track,
    audio: Option<Track>,
    /// One for all media, or one for video and one for audio.
    lanes: Vec<Lane>,
    has_manifest: bool,
    /// Frames shown up to the last sample.
    frames_sampled: f64,
    /// Whether the flow's series show this player's choices.
    is_shown: bool,
    /// Number of the session in a flow with many; 0 in one of its own.
    session: u32,
    /// The segment that playback waits for.
    awaited: Option<Unit>,
    levels: Levels,
    /// The video segment of the last abandoned request.
    abandoned: Option<usize>,
    viewing: Viewing,
    /// Decisions from outside; `None` for a player that decides by its rule.
    steered: Option<Box<Steered>>,
}

impl Player {
    /// Creates a player of `title` at time `now`. With `is_shown` the flow's series show its choices.
    pub fn new(setup: Arc<PlayerSetup>, title: Arc<Title>, is_shown: bool, now: Time) -> Player {
        let total = |set: &AdaptationSet| set.durations.iter().fold(Duration::ZERO, |sum, d| sum + *d);
        // Tracks of different lengths end together.
        let length = title.audio.as_ref().map_or(total(&title.video), |a| total(&title.video).min(total(a)));
        let lanes = if setup.is_parallel && title.audio.is_some() { 2 } else { 1 };
        let rule = |kind| setup.rule.make(kind);
        let audio = |set| Track::new(Kind::Audio, set, rule(Kind::Audio));
        Player {
            playout: Playout::new(setup.thresholds, length, title.audio.is_some(), now),
            transport: Transport::new(
                setup.server,
                &setup.options,
                setup.connections,
                setup.request_timeout,
                lanes,
            ),
            video: Track::new(Kind::Video, &title.video, rule(Kind::Video)),
            audio: title.audio.as_ref().map(audio),
            lanes: (0..lanes).map(|_| Lane::default()).collect(),
            setup,
            title,
            has_manifest: false,
            frames_sampled: 0.0,
            is_shown,
            session: 0,
            awaited: None,
            levels: Levels::default(),
            abandoned: None,
            viewing: Viewing::default(),
            steered: None,
        }
    }

    /// The player of a session by its number, from 1, in a flow with many.
    pub fn in_session(mut self, session: u32) -> Player {
        self.session = session;
        self.transport.set_session(session);
        self
    }

    /// Starts fetching.
    pub fn start(&mut self, now: Time, host: &mut dyn Sockets) {
        self.proceed(0, now, host);
    }

    /// Returns whether `socket` belongs to this player.
    pub fn owns(&self, socket: SocketId) -> bool {
        self.transport.owns(socket)
    }

    /// Returns whether the title has been played to its end.
    pub fn is_ended(&self) -> bool {
        self.playout.playback() == Playback::Ended
    }

    /// Handles an event of one of the player's sockets.
    pub fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        for (lane, step) in self.transport.handle(event, now, host) {
            self.on_step(lane, step, now, host);
        }
    }

    /// Returns the time of the next wakeup.
    pub fn next_wakeup(&self) -> Option<Time> {
        let lanes = self.lanes.iter().map(|lane| lane.resumes_at);
        [self.playout.empty_at(), self.transport.retry_at()].into_iter().chain(lanes).flatten().min()
    }

    /// Processes due timers.
    pub fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        self.advance(now, host.meter());
        if self.transport.retry_at().is_some_and(|at| at <= now) {
            self.transport.retry(now, host);
        }
        let is_stalled = self.playout.playback() == Playback::Stalled;
        for lane in 0..self.lanes.len() {
            if is_stalled || self.lanes[lane].resumes_at.is_some_and(|at| at <= now) {
                self.lanes[lane].resumes_at = None;
                self.proceed(lane, now, host);
            }
        }
    }

    /// Ends one sampling interval: returns the buffer level and the frames shown since the previous sample, if the
    /// content's frame rate is known.
    pub fn sample(&mut self, now: Time, meter: &mut FlowMeter) -> (Duration, Option<f64>) {
        self.advance(now, meter);
        let shown = self.playout.frames() - self.frames_sampled;
        self.frames_sampled = self.playout.frames();
        let frames = self.title.video.representations.iter().all(|r| r.picture.is_some()).then_some(shown);
        (self.playout.level(), frames)
    }

    /// Stops the session: the viewer leaves.
    pub fn stop(&mut self, now: Time, host: &mut dyn Sockets) {
        self.end(now, host.meter());
        self.viewing.leave(now, host.meter());
        for lane in 0..self.lanes.len() {
            self.give_up(lane, now, host.meter());
        }
        self.transport.end(host);
        for lane in &mut self.lanes {
            lane.resumes_at = None;
        }
    }

    /// Records the score at the end of the session or of the run.
    pub fn end(&mut self, now: Time, meter: &mut FlowMeter) {
        self.advance(now, meter);
        self.report_unfinished(now, meter);
        meter.streaming().session_ended(self.score());
    }

    /// Tells that a lane's request in progress is given up.
    fn give_up(&self, lane: usize, now: Time, meter: &mut FlowMeter) {
        if let (Some(part), Some(endings)) = (&self.lanes[lane].asked, meter.endings()) {
            endings.unit(part.unit(self.session), Status::Never, Reason::Abandoned, now);
        }
    }

    // ---- tracks ----------------------------------------------------------------------------------------------

    fn track(&self, kind: Kind) -> Option<&Track> {
        match kind {
            Kind::Video => Some(&self.video),
            Kind::Audio => self.audio.as_ref(),
        }
    }

    fn track_mut(&mut self, kind: Kind) -> Option<&mut Track> {
        match kind {
            Kind::Video => Some(&mut self.video),
            Kind::Audio => self.audio.as_mut(),
        }
    }

    /// Returns a track and the inputs of its rule.
    fn state(&mut self, kind: Kind, now: Time) -> Option<(&mut Track, AbrState<'_>)> {
        let own = set(&self.title, kind)?;
        let other_kind = kind.other();
        let other = self.track(other_kind).map(|track| track.selected);
        let other = other.zip(set(&self.title, other_kind));
        let track = match kind {
            Kind::Video => &mut self.video,
            Kind::Audio => self.audio.as_mut()?,
        };
        let state = AbrState {
            now,
            set: own,
            segment: track.next,
            buffer: self.playout.level_of(kind),
            max_buffer: self.setup.filling.maximum(),
            last: track.newest,
            playback: self.playout.playback(),
            kind,
            other: other.map(|(selected, set)| OtherMedia { set, selected }),
        };
        Some((track, state))
    }

    fn advance(&mut self, now: Time, meter: &mut FlowMeter) {
        let (from, before) = (self.playout.at(), self.playout.played());
        let Passed { played, stalled, stall_began } = self.playout.advance(now);
        self.viewing.advanced(from, before, &self.playout, meter);
        let streaming = meter.streaming();
        streaming.played(played);
        streaming.stalled(stalled);
        if stall_began {
            streaming.stall_began();
            self.awaited = Some(self.missing());
        }
    }

    // ---- scores ----------------------------------------------------------------------------------------------

    /// Returns the playback history so far.
    pub fn session(&self) -> Session {
        let played = |track: &Track| -> Vec<PlayedSegment> {
            let Some(set) = set(&self.title, track.kind) else { return Vec::new() };
            let mut begins = Duration::ZERO;
            let mut segments = Vec::new();
            for (segment, representation) in track.buffered.iter().enumerate() {
                if begins >= self.playout.played() {
                    break;
                }
                let (media, encoding) =
                    (set.durations[segment], &set.representations[*representation as usize]);
                segments.push(PlayedSegment {
                    bitrate: encoding.bitrate.as_bits() as f64,
                    bytes: encoding.sizes[segment],
                    media,
                    picture: encoding.picture,
                });
                begins += media;
            }
            segments
        };
        Session {
            video: played(&self.video),
            audio: self.audio.as_ref().map(played).unwrap_or_default(),
            start_up: self.playout.start_up(),
            stalls: self.playout.stalls().to_vec(),
        }
    }

    fn score(&self) -> SessionScore {
        let session = self.session();
        let media: f64 = session.video.iter().map(|s| s.media.as_secs_f64()).sum();
        let bits: f64 = session.video.iter().map(|s| s.bitrate * s.media.as_secs_f64()).sum();
        SessionScore {
            start_up: self.playout.first_picture(),
            segments: session.video.len() as u64,
            rate: if media > 0.0 { bits / media / 1e3 } else { 0.0 },
            linear: super::qoe::linear(&session, &self.setup.weights),
            p1203: p1203(&session, &self.setup.viewing).map(|scores| scores.parametric),
        }
    }
}

#[cfg(test)]
mod parallel_tests;
#[cfg(test)]
mod tests;
