//! Players whose video representations are chosen from outside.
//!
//! Where a rule would be asked, a steered player stops in the middle of what it does ([`Sockets::suspend`]) and continues there
//! with the answer, at the same instant and before anything that it wrote is sent. So it does the same, bit by bit, as a player whose
//! rule gives these answers. What would follow in the same call waits in a list.

use std::collections::VecDeque;

use jettison_core::{Duration, Time};
use jettison_sockets::{Fetched, Question, Sockets};

use super::fetch::Step;
use super::{Kind, Player};
use crate::abr::{Fixed, FixedParameters};
use crate::resource::set;

/// State of a steered player beside that of any other.
#[derive(Debug, Clone, Default)]
pub(super) struct Steered {
    /// The lane that waits for an answer.
    waiting: Option<usize>,
    answer: Option<usize>,
    deferred: VecDeque<Deferred>,
    downloads: usize,
    latest: Option<Fetched>,
}

/// What a player does after an answer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Deferred {
    /// Handles a part of a response.
    Step(usize, Step),
    /// Requests the next resource of a lane.
    Request(usize),
}

/// Who chooses.
pub(super) enum Asked {
    /// Someone outside, whose answer is not there yet.
    Waiting,
    /// Someone outside, who chose this representation.
    Answered(usize),
    /// The rule.
    OwnRule,
}

impl Steered {
    /// Takes note of a video segment.
    pub(super) fn fetched(&mut self, segment: Fetched) {
        self.downloads += 1;
        self.latest = Some(segment);
    }
}

impl Player {
    /// Leaves the choice of video representations to someone outside. The rule of the player's profile then decides nothing for
    /// video: no download is abandoned.
    pub fn steered(mut self) -> Player {
        self.video.rule = Box::new(Fixed::new(FixedParameters::default()));
        self.steered = Some(Box::default());
        self
    }

    /// Whether it waits for an answer.
    pub fn is_waiting(&self) -> bool {
        self.steered.as_ref().is_some_and(|steered| steered.waiting.is_some())
    }

    /// Puts off what comes after an answer that is not there yet; returns whether it did.
    pub(super) fn defers(&mut self, what: Deferred) -> bool {
        match self.steered.as_deref_mut().filter(|steered| steered.waiting.is_some()) {
            None => false,
            Some(steered) => {
                steered.deferred.push_back(what);
                true
            }
        }
    }

    /// Who chooses the next representation of a kind; if someone outside does, the lane waits from now on.
    pub(super) fn ask_outside(&mut self, lane: usize, kind: Kind) -> Asked {
        let Some(steered) = self.steered.as_deref_mut().filter(|_| kind == Kind::Video) else {
            return Asked::OwnRule;
        };
        match steered.answer.take() {
            Some(representation) => Asked::Answered(representation),
            None => {
                steered.waiting = Some(lane);
                Asked::Waiting
            }
        }
    }

    /// Continues with the representation of the next segment; a number too high is the highest one. Without a question it has no
    /// effect.
    pub fn decide(&mut self, representation: usize, now: Time, host: &mut dyn Sockets) {
        let Some(steered) = &mut self.steered else { return };
        let Some(lane) = steered.waiting.take() else { return };
        steered.answer = Some(representation);
        let rest = std::mem::take(&mut steered.deferred);
        self.proceed(lane, now, host);
        // Each of these defers itself if there is another question before it.
        for next in rest {
            match next {
                Deferred::Step(lane, step) => self.on_step(lane, step, now, host),
                Deferred::Request(lane) => self.proceed(lane, now, host),
            }
        }
    }

    /// Fills in what is known for the next choice of a video representation; false if the player is not steered.
    pub fn question(&self, out: &mut Question) -> bool {
        let (Some(steered), Some(set)) = (&self.steered, set(&self.title, Kind::Video)) else { return false };
        out.is_open = steered.waiting.is_some();
        out.is_ended = self.is_ended();
        out.bitrates.clear();
        out.bitrates.extend(set.representations.iter().map(|one| one.bitrate.as_bits()));
        let next = self.video.next;
        out.sizes.clear();
        out.sizes.extend(set.representations.iter().filter_map(|one| one.sizes.get(next)));
        out.media = set.durations.get(next).copied().unwrap_or_default();
        out.segments = set.segments();
        out.left = out.segments.saturating_sub(next);
        out.buffer = self.playout.level_of(Kind::Video);
        out.max_buffer = self.setup.filling.maximum();
        out.start_up = self.playout.start_up();
        let stalls = self.playout.stalls().iter();
        out.stalled = stalls.fold(Duration::ZERO, |sum, stall| sum + stall.lasted);
        out.downloads = steered.downloads;
        out.latest = steered.latest;
        let weights = &self.setup.weights;
        out.weights = [weights.switching, weights.rebuffering, weights.start_up];
        true
    }
}
