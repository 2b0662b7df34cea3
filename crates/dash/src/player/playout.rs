//! Playout buffer: buffered media, played media, and stalls.

use std::collections::VecDeque;

use jettison_core::{Duration, Time};

use crate::abr::Playback;
use crate::qoe::Stall;

/// Buffer levels at which playback starts and resumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// Buffer level at which playback starts.
    pub start_up: Duration,
    /// Buffer level at which playback resumes after a stall.
    pub rebuffer: Duration,
}

/// Kinds of media that play in sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Pictures.
    Video,
    /// Sound.
    Audio,
}

impl Kind {
    /// Returns the other kind.
    pub fn other(self) -> Kind {
        match self {
            Kind::Video => Kind::Audio,
            Kind::Audio => Kind::Video,
        }
    }
}

/// A playout buffer and the clock of its playback.
///
/// Video and audio play in sync, as far as both have been fetched. [`Playout::advance`] accounts for the time since
/// the previous call, so the result does not depend on how often it is called.
#[derive(Debug, Clone)]
pub struct Playout {
    // Parameters.
    thresholds: Thresholds,
    total: Duration,
    // State.
    playback: Playback,
    began: Time,
    /// Time up to which playback is accounted for.
    at: Time,
    /// Media time played.
    played: Duration,
    /// Media time fetched, of video and of audio.
    fetched: [Duration; 2],
    /// Video segments not yet played to their end: end time of each, and its frame rate.
    waiting: VecDeque<(Duration, f64)>,
    /// Frames shown so far.
    frames: f64,
    start_up: Option<Duration>,
    stalls: Vec<Stall>,
    stalled_since: Time,
}

/// Playback during one call of [`Playout::advance`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Passed {
    /// Media time played.
    pub played: Duration,
    /// Time stalled after playback had started.
    pub stalled: Duration,
    /// Whether the buffer ran empty.
    pub stall_began: bool,
}

impl Playout {
    /// Creates an empty buffer at time `now` for a title of `total` media time; without audio, all audio counts as
    /// fetched.
    pub fn new(thresholds: Thresholds, total: Duration, has_audio: bool, now: Time) -> Playout {
        let audio = if has_audio { Duration::ZERO } else { total };
        Playout {
            thresholds,
            total,
            playback: Playback::StartUp,
            began: now,
            at: now,
            played: Duration::ZERO,
            fetched: [Duration::ZERO, audio],
            waiting: VecDeque::new(),
            frames: 0.0,
            start_up: None,
            stalls: Vec::new(),
            stalled_since: now,
        }
    }

    /// Advances playback to `now`.
    pub fn advance(&mut self, now: Time) -> Passed {
        let mut passed = Passed::default();
        let elapsed = now.since(self.at);
        match self.playback {
            Playback::Playing => {
                let playable = self.level();
                let span = elapsed.min(playable);
                self.show(span);
                passed.played = span;
                if self.played >= self.total {
                    self.playback = Playback::Ended;
                } else if elapsed >= playable {
                    // The buffer ran empty at that instant, and has been stalled since.
                    self.playback = Playback::Stalled;
                    self.stalled_since = self.at + playable;
                    self.stalls.push(Stall { after: self.played, lasted: Duration::ZERO });
                    passed.stall_began = true;
                    passed.stalled = elapsed - playable;
                }
            }
            Playback::Stalled => passed.stalled = elapsed,
            Playback::StartUp | Playback::Ended => {}
        }
        self.at = now;
        if self.playback == Playback::Stalled
            && let Some(stall) = self.stalls.last_mut()
        {
            stall.lasted = now.since(self.stalled_since);
        }
        passed
    }

    /// Adds a fetched segment. The caller has advanced to `now`.
    pub fn add(&mut self, kind: Kind, media: Duration, frame_rate: f64, now: Time) {
        debug_assert_eq!(self.at, now, "advance first");
        self.fetched[kind as usize] += media;
        if kind == Kind::Video {
            self.waiting.push_back((self.fetched[kind as usize], frame_rate));
        }
        let is_all = self.fetched.iter().all(|fetched| *fetched >= self.total);
        let level = self.level();
        match self.playback {
            Playback::StartUp if level >= self.thresholds.start_up || is_all => {
                self.playback = Playback::Playing;
                self.start_up = Some(now.since(self.began));
            }
            Playback::Stalled if level >= self.thresholds.rebuffer || is_all => {
                self.playback = Playback::Playing;
            }
            _ => {}
        }
    }

    /// Replaces a buffered segment that ends at media time `end`: what remains of it is shown at another frame rate.
    pub fn replace(&mut self, kind: Kind, end: Duration, frame_rate: f64) {
        if kind == Kind::Video
            && let Some((_, own)) = self.waiting.iter_mut().find(|(own_end, _)| *own_end == end)
        {
            *own = frame_rate;
        }
    }

    /// Returns when the session began.
    pub fn began(&self) -> Time {
        self.began
    }

    /// Returns the buffer level: media time fetched of both kinds and not yet played.
    pub fn level(&self) -> Duration {
        let [video, audio] = self.fetched;
        video.min(audio).saturating_sub(self.played)
    }

    /// Returns the buffer level of one kind.
    pub fn level_of(&self, kind: Kind) -> Duration {
        self.fetched[kind as usize].saturating_sub(self.played)
    }

    /// Returns the media time fetched of one kind.
    pub fn fetched(&self, kind: Kind) -> Duration {
        self.fetched[kind as usize]
    }

    /// Returns the state of playback.
    pub fn playback(&self) -> Playback {
        self.playback
    }

    /// Returns the time at which the buffer runs empty if nothing arrives; `None` while playback is paused.
    pub fn empty_at(&self) -> Option<Time> {
        (self.playback == Playback::Playing).then(|| self.at + self.level())
    }

    /// Returns the time at which a kind's buffer will have drained to `level`; `None` while playback is paused.
    pub fn falls_to(&self, kind: Kind, level: Duration) -> Option<Time> {
        (self.playback == Playback::Playing).then(|| self.at + self.level_of(kind).saturating_sub(level))
    }

    /// Returns the time up to which playback is accounted for.
    pub fn at(&self) -> Time {
        self.at
    }

    /// Returns the media time played.
    pub fn played(&self) -> Duration {
        self.played
    }

    /// Returns the frames shown so far, fractions included.
    pub fn frames(&self) -> f64 {
        self.frames
    }

    /// Returns the start-up delay; `None` before the first frame.
    pub fn first_picture(&self) -> Option<Duration> {
        self.start_up
    }

    /// Returns the start-up delay, or the time waited so far before the first frame.
    pub fn start_up(&self) -> Duration {
        self.start_up.unwrap_or_else(|| self.at.since(self.began))
    }

    /// Returns the stalls; the last may be in progress.
    pub fn stalls(&self) -> &[Stall] {
        &self.stalls
    }

    fn show(&mut self, span: Duration) {
        let mut left = span;
        while let Some((end, frame_rate)) = self.waiting.front().copied() {
            let part = left.min(end.saturating_sub(self.played));
            self.frames += part.as_secs_f64() * frame_rate;
            self.played += part;
            left -= part;
            if self.played < end {
                break;
            }
            self.waiting.pop_front();
        }
        debug_assert!(left.is_zero(), "played media must have been fetched");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: fn(u64) -> Duration = Duration::from_secs;
    const AT: fn(u64) -> Time = |s| Time::ZERO + Duration::from_secs(s);

    fn playout() -> Playout {
        Playout::new(Thresholds { start_up: S(4), rebuffer: S(4) }, S(20), false, Time::ZERO)
    }

    fn come(playout: &mut Playout, at: u64, media: u64, frame_rate: f64) -> Passed {
        let passed = playout.advance(AT(at));
        playout.add(Kind::Video, S(media), frame_rate, AT(at));
        passed
    }

    #[test]
    fn playing_begins_when_the_buffer_has_filled() {
        let mut playout = playout();
        come(&mut playout, 1, 2, 30.0);
        assert_eq!(playout.playback(), Playback::StartUp);
        come(&mut playout, 3, 2, 30.0);
        assert_eq!(playout.start_up(), S(3));
        assert_eq!((playout.playback(), playout.level()), (Playback::Playing, S(4)));
        assert_eq!(playout.empty_at(), Some(AT(7)));
    }

    #[test]
    fn an_empty_buffer_stalls_until_it_has_filled_again() {
        let mut playout = playout();
        come(&mut playout, 0, 4, 30.0);
        let passed = come(&mut playout, 6, 2, 30.0);
        assert_eq!(passed, Passed { played: S(4), stalled: S(2), stall_began: true });
        assert_eq!(playout.playback(), Playback::Stalled);
        let passed = come(&mut playout, 9, 2, 30.0);
        assert_eq!(passed, Passed { stalled: S(3), ..Passed::default() });
        assert_eq!(playout.playback(), Playback::Playing);
        assert_eq!(playout.stalls(), [Stall { after: S(4), lasted: S(5) }]);
    }

    #[test]
    fn the_result_is_independent_of_how_often_time_advances() {
        let (mut often, mut seldom) = (playout(), playout());
        come(&mut often, 0, 4, 24.0);
        come(&mut seldom, 0, 4, 24.0);
        let mut total = Passed::default();
        for ms in (0..=6000).step_by(7).chain([6000]) {
            let passed = often.advance(Time::from_millis(ms));
            total.played += passed.played;
            total.stalled += passed.stalled;
            total.stall_began |= passed.stall_began;
        }
        assert_eq!(total, seldom.advance(AT(6)));
        assert_eq!(often.stalls(), seldom.stalls());
        assert!((often.frames() - seldom.frames()).abs() < 1e-6);
    }

    #[test]
    fn frames_are_counted_at_the_rate_of_the_playing_segment() {
        let mut playout = playout();
        come(&mut playout, 0, 4, 18.0);
        come(&mut playout, 0, 4, 30.0);
        playout.advance(AT(5));
        assert_eq!(playout.frames(), 4.0 * 18.0 + 30.0);
    }

    #[test]
    fn pictures_wait_for_sound() {
        let mut playout =
            Playout::new(Thresholds { start_up: S(2), rebuffer: S(2) }, S(20), true, Time::ZERO);
        come(&mut playout, 0, 4, 30.0);
        assert_eq!(playout.playback(), Playback::StartUp);
        playout.add(Kind::Audio, S(2), 0.0, Time::ZERO);
        assert_eq!(playout.playback(), Playback::Playing);
        assert_eq!((playout.level(), playout.level_of(Kind::Video)), (S(2), S(4)));
        playout.advance(AT(3));
        assert_eq!(playout.playback(), Playback::Stalled);
    }

    #[test]
    fn the_last_segment_ends_the_title_without_a_stall() {
        let mut playout = playout();
        come(&mut playout, 0, 20, 30.0);
        let passed = playout.advance(AT(30));
        assert_eq!((playout.playback(), passed.played), (Playback::Ended, S(20)));
        assert!(playout.stalls().is_empty());
    }

    #[test]
    fn the_rest_of_a_title_plays_below_the_threshold() {
        let mut playout = playout();
        come(&mut playout, 0, 18, 30.0);
        playout.advance(AT(19));
        assert_eq!(playout.playback(), Playback::Stalled);
        come(&mut playout, 19, 2, 30.0);
        assert_eq!(playout.playback(), Playback::Playing);
    }
}
