//! Player: fetches segments in order, chooses their representations, and plays them.
//!
//! It requests one resource at a time: the manifest, the initialization segments, then segments of the kind of media
//! that is behind (video first). While the buffer is full it fetches nothing until the buffer has drained: the on/off
//! pattern of streaming.

mod fetch;
mod playout;
mod setup;

use std::sync::Arc;

use jettison_core::{Duration, Time};
use jettison_measure::{FlowMeter, SessionScore, metrics};

use super::abr::{AbrRule, AbrState, Choice, Download, Playback, Progress};
use super::content::{AdaptationSet, Title};
use super::qoe::p1203::p1203;
use super::qoe::{PlayedSegment, Session};
use super::resource::{Part, Resource, set};
use fetch::{Fetcher, Step, Transfer};
use jettison_sockets::{SocketEvent, SocketId, Sockets};
use playout::{Passed, Playout};

pub use fetch::Connections;
pub use playout::{Kind, Thresholds};
pub use setup::{PlayerSetup, RuleFactory};

/// One viewer's player, from the first request to the last frame.
#[derive(Debug)]
pub struct Player {
    setup: Arc<PlayerSetup>,
    title: Arc<Title>,
    playout: Playout,
    fetcher: Fetcher,
    video: Track,
    audio: Option<Track>,
    has_manifest: bool,
    /// The request in progress, or to be repeated.
    asked: Option<Part>,
    /// The chosen segment that waits for its initialization segment.
    chosen: Option<Part>,
    /// Time at which a full buffer has room again.
    resumes_at: Option<Time>,
    /// Whether the buffer was full and has not yet drained to the resume level.
    is_full: bool,
    /// Frames shown up to the last sample.
    frames_sampled: f64,
    /// Whether the flow's series show this player's choices.
    is_shown: bool,
}

/// State of one kind of media in a session.
#[derive(Debug)]
struct Track {
    kind: Kind,
    rule: Box<dyn AbrRule>,
    /// Whether the initialization segment has been fetched, per representation.
    is_initialized: Vec<bool>,
    /// Index of the representation of each fetched segment.
    fetched: Vec<u32>,
}

impl Track {
    fn new(kind: Kind, set: &AdaptationSet, rule: Box<dyn AbrRule>) -> Track {
        Track { kind, rule, is_initialized: vec![false; set.representations.len()], fetched: Vec::new() }
    }

    fn last(&self) -> Option<usize> {
        self.fetched.last().map(|place| *place as usize)
    }
}

impl Player {
    /// Creates a player of `title` at time `now`. With `is_shown` the flow's series show its choices.
    pub fn new(setup: Arc<PlayerSetup>, title: Arc<Title>, is_shown: bool, now: Time) -> Player {
        let total = |set: &AdaptationSet| set.durations.iter().fold(Duration::ZERO, |sum, d| sum + *d);
        // Tracks of different lengths end together.
        let length = title.audio.as_ref().map_or(total(&title.video), |a| total(&title.video).min(total(a)));
        let fetcher = Fetcher::new(setup.server, setup.options.clone(), setup.connections);
        Player {
            playout: Playout::new(setup.thresholds, length, title.audio.is_some(), now),
            fetcher,
            video: Track::new(Kind::Video, &title.video, setup.rule.make()),
            audio: title.audio.as_ref().map(|set| Track::new(Kind::Audio, set, setup.rule.make())),
            setup,
            title,
            has_manifest: false,
            asked: None,
            chosen: None,
            resumes_at: None,
            is_full: false,
            frames_sampled: 0.0,
            is_shown,
        }
    }

    /// Starts fetching.
    pub fn start(&mut self, now: Time, host: &mut dyn Sockets) {
        self.proceed(now, host);
    }

    /// Returns whether `socket` belongs to this player.
    pub fn owns(&self, socket: SocketId) -> bool {
        self.fetcher.owns(socket)
    }

    /// Returns whether the title has been played to its end.
    pub fn is_ended(&self) -> bool {
        self.playout.playback() == Playback::Ended
    }

    /// Handles an event of the player's socket.
    pub fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        let step = match event {
            SocketEvent::Readable(_) => self.fetcher.read(now, host),
            SocketEvent::PeerClosed(_) | SocketEvent::Closed(..) => self.fetcher.on_closed(now, host),
            _ => return,
        };
        match step {
            Step::Whole(transfer) => {
                self.advance(now, host.meter());
                self.take(transfer, now, host);
                self.proceed(now, host);
            }
            Step::Partial(partial) => {
                if let Some(Part::Segment(kind, representation, segment)) = self.asked {
                    let fetch::Partial { bytes, received, requested_at, first_byte_at } = partial;
                    let progress =
                        Progress { representation, segment, bytes, received, requested_at, first_byte_at };
                    self.progress(kind, &progress, now, host);
                }
            }
            Step::Nothing | Step::Failed => {}
        }
    }

    /// Returns the time of the next wakeup.
    pub fn next_wakeup(&self) -> Option<Time> {
        [self.playout.empty_at(), self.resumes_at, self.fetcher.retry_at()].into_iter().flatten().min()
    }

    /// Processes due timers.
    pub fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        self.advance(now, host.meter());
        if self.fetcher.retry_at().is_some_and(|at| at <= now) {
            self.fetcher.retry(now, host);
        }
        if self.resumes_at.is_some_and(|at| at <= now) || self.playout.playback() == Playback::Stalled {
            self.resumes_at = None;
            self.proceed(now, host);
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
        self.fetcher.end(host);
        self.resumes_at = None;
    }

    /// Records the score at the end of the session or of the run.
    pub fn end(&mut self, now: Time, meter: &mut FlowMeter) {
        self.advance(now, meter);
        meter.streaming().session_ended(self.score());
    }

    // ---- requests --------------------------------------------------------------------------------------------

    /// Requests the next resource, or schedules the time at which to try again.
    fn proceed(&mut self, now: Time, host: &mut dyn Sockets) {
        if !self.fetcher.is_idle() || self.is_ended() {
            return;
        }
        if let Some(part) = self.next_part(now) {
            self.ask(part, now, host);
        } else if self.is_all_fetched() {
            self.fetcher.end(host);
        }
    }

    fn ask(&mut self, part: Part, now: Time, host: &mut dyn Sockets) {
        self.asked = Some(part);
        let path = Resource { title: &self.title.name, part }.path();
        self.fetcher.ask(path, now, host);
    }

    fn next_part(&mut self, now: Time) -> Option<Part> {
        if !self.has_manifest {
            return Some(Part::Manifest);
        }
        if let Some(part) = self.chosen.take() {
            return Some(part);
        }
        let kind = self.next_kind()?;
        if self.is_full(kind, now) {
            return None;
        }
        let (track, state) = self.state(kind, now)?;
        let Choice { representation, wait_below } = track.rule.choose(&state);
        let representation = representation.min(state.set.representations.len() - 1);
        let segment = state.segment;
        if let Some(level) = wait_below {
            let falls = self.playout.falls_to(kind, level).filter(|at| *at > now);
            if falls.is_some() {
                self.resumes_at = falls;
                return None;
            }
        }
        Some(self.with_initialization(kind, representation, segment))
    }

    /// Returns the request for a segment, or for its initialization segment if that is missing.
    fn with_initialization(&mut self, kind: Kind, representation: usize, segment: usize) -> Part {
        let part = Part::Segment(kind, representation, segment);
        if self.track(kind).is_some_and(|track| track.is_initialized[representation]) {
            return part;
        }
        self.chosen = Some(part);
        Part::Initialization(kind, representation)
    }

    /// Returns the kind of media that is behind and not completely fetched.
    fn next_kind(&self) -> Option<Kind> {
        let behind = |track: &&Track| {
            set(&self.title, track.kind).is_some_and(|set| track.fetched.len() < set.segments())
        };
        let tracks = [Some(&self.video), self.audio.as_ref()].into_iter().flatten().filter(behind);
        tracks.min_by_key(|track| (self.playout.fetched(track.kind), track.kind)).map(|track| track.kind)
    }

    fn is_all_fetched(&self) -> bool {
        self.has_manifest && self.next_kind().is_none()
    }

    /// Returns whether another segment would exceed the maximum buffer, and schedules the time when it will fit.
    fn is_full(&mut self, kind: Kind, now: Time) -> bool {
        let Some(next) = self.next_media(kind) else { return true };
        let room_below = self.setup.max_buffer.saturating_sub(next);
        if self.playout.level_of(kind) > room_below {
            self.is_full = true;
        }
        // While playback is paused the buffer does not drain, so no limit applies.
        let level =
            if self.is_full { self.setup.resume.unwrap_or(room_below).min(room_below) } else { room_below };
        match self.playout.falls_to(kind, level).filter(|at| *at > now) {
            Some(at) if self.is_full => {
                self.resumes_at = Some(at);
                true
            }
            _ => {
                self.is_full = false;
                false
            }
        }
    }

    /// Returns the media time of the next segment of a kind.
    fn next_media(&self, kind: Kind) -> Option<Duration> {
        let next = self.track(kind)?.fetched.len();
        set(&self.title, kind)?.durations.get(next).copied()
    }

    fn track(&self, kind: Kind) -> Option<&Track> {
        match kind {
            Kind::Video => Some(&self.video),
            Kind::Audio => self.audio.as_ref(),
        }
    }

    /// Returns a track and the inputs of its rule.
    fn state(&mut self, kind: Kind, now: Time) -> Option<(&mut Track, AbrState<'_>)> {
        let set = set(&self.title, kind)?;
        let track = match kind {
            Kind::Video => &mut self.video,
            Kind::Audio => self.audio.as_mut()?,
        };
        let state = AbrState {
            now,
            set,
            segment: track.fetched.len(),
            buffer: self.playout.level_of(kind),
            max_buffer: self.setup.max_buffer,
            last: track.last(),
            playback: self.playout.playback(),
        };
        Some((track, state))
    }

    // ---- responses -------------------------------------------------------------------------------------------

    fn progress(&mut self, kind: Kind, progress: &Progress, now: Time, host: &mut dyn Sockets) {
        self.advance(now, host.meter());
        let Some((track, state)) = self.state(kind, now) else { return };
        let other = track.rule.on_progress(progress, &state);
        if let Some(representation) = other.filter(|other| *other < progress.representation) {
            self.fetcher.abandon(host);
            host.meter().streaming().abandoned();
            let part = self.with_initialization(kind, representation, progress.segment);
            self.ask(part, now, host);
        }
    }

    fn take(&mut self, transfer: Transfer, now: Time, host: &mut dyn Sockets) {
        match self.asked.take() {
            Some(Part::Manifest) => self.has_manifest = true,
            Some(Part::Initialization(kind, representation)) => {
                if let Some((track, _)) = self.state(kind, now) {
                    track.is_initialized[representation] = true;
                }
            }
            Some(Part::Segment(kind, representation, segment)) => {
                self.take_segment(kind, representation, segment, transfer, now, host);
            }
            None => {}
        }
    }

    /// Accounts for a complete segment in metrics, playout buffer and rule.
    fn take_segment(
        &mut self,
        kind: Kind,
        representation: usize,
        segment: usize,
        transfer: Transfer,
        now: Time,
        host: &mut dyn Sockets,
    ) {
        let Some(set) = set(&self.title, kind) else { return };
        let (media, encoding) = (set.durations[segment], &set.representations[representation]);
        let (bitrate, picture) = (encoding.bitrate.as_bits() as f64, encoding.picture);
        let Transfer { bytes, requested_at, first_byte_at, finished_at } = transfer;
        let took = finished_at.since(requested_at);
        host.meter().completed(took);
        if kind == Kind::Video {
            let throughput = bytes as f64 * 8.0 / took.as_secs_f64().max(1e-9);
            let switched = self.video.last().is_some_and(|last| last != representation);
            let streaming = host.meter().streaming();
            streaming.segment(bitrate, media, throughput, finished_at.since(first_byte_at));
            if switched {
                streaming.switched();
            }
            if self.is_shown {
                host.point(metrics::REPRESENTATION_RATE, now, bitrate / 1e3);
                host.point(metrics::SEGMENT_RATE, now, throughput / 1e3);
            }
        }
        let frame_rate = picture.map_or(0.0, |picture| picture.frame_rate);
        self.playout.add(kind, media, frame_rate, now);
        let Some((track, _)) = self.state(kind, now) else { return };
        track.fetched.push(representation as u32);
        let download =
            Download { representation, segment, bytes, media, requested_at, first_byte_at, finished_at };
        // The rule gets the state in which its next choice is made.
        let Some((track, state)) = self.state(kind, now) else { return };
        track.rule.on_segment(&download, &state);
    }

    fn advance(&mut self, now: Time, meter: &mut FlowMeter) {
        let Passed { played, stalled, stall_began } = self.playout.advance(now);
        let streaming = meter.streaming();
        streaming.played(played);
        streaming.stalled(stalled);
        if stall_began {
            streaming.stall_began();
        }
    }

    // ---- scores ----------------------------------------------------------------------------------------------

    /// Returns the playback history so far.
    pub fn session(&self) -> Session {
        let played = |track: &Track| -> Vec<PlayedSegment> {
            let Some(set) = set(&self.title, track.kind) else { return Vec::new() };
            let mut begins = Duration::ZERO;
            let mut segments = Vec::new();
            for (segment, representation) in track.fetched.iter().enumerate() {
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
mod tests;
