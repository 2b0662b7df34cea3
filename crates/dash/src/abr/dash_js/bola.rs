//! BOLA with a placeholder buffer (`rules/abr/BolaRule.js`).
//!
//! Utilities are ln(S_m/S_1) + 1. The placeholder is media that is not there: it makes up for pauses that the player makes, for
//! segments that replace others, and for the level that the first choices by throughput would need.

use jettison_core::Time;

use super::super::Download;
use crate::content::AdaptationSet;

/// Level of the lowest representation in seconds (`MINIMUM_BUFFER_S`).
const MINIMUM: f64 = 10.0;
/// Media time per representation between the lowest and the highest level (`MINIMUM_BUFFER_PER_BITRATE_LEVEL_S`).
const A_REPRESENTATION: f64 = 2.0;
/// What remains of the placeholder after a segment (`PLACEHOLDER_BUFFER_DECAY`).
const DECAY: f64 = 0.99;

/// BOLA's state for one kind of media. Levels are in seconds.
#[derive(Debug, Clone)]
pub(super) struct Bola {
    bitrates: Vec<f64>,
    utilities: Vec<f64>,
    vp: f64,
    gp: f64,
    /// Subtracted from utilities in scores: 0 in 4.x, 1 in 5.x.
    score_offset: f64,
    is_steady: bool,
    placeholder: f64,
    last_representation: usize,
    last_segment: Option<f64>,
    finished_at: Option<Time>,
    called_at: Option<Time>,
}

/// Decision of BOLA.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Decision {
    pub(super) representation: usize,
    /// Seconds by which the request is delayed.
    pub(super) delay: f64,
}

impl Bola {
    /// Creates BOLA for a set; `None` with a single bitrate. `healthy` is the default buffer target in seconds.
    pub(super) fn new(set: &AdaptationSet, healthy: f64, is_4: bool) -> Option<Bola> {
        let bitrates: Vec<f64> = set.representations.iter().map(|r| r.bitrate.as_bits() as f64).collect();
        let utilities: Vec<f64> = bitrates.iter().map(|rate| libm::log(rate / bitrates[0]) + 1.0).collect();
        let top = *utilities.last()?;
        if top <= 1.0 {
            return None;
        }
        let target = healthy.max(MINIMUM + A_REPRESENTATION * bitrates.len() as f64);
        let gp = (top - 1.0) / (target / MINIMUM - 1.0);
        Some(Bola {
            bitrates,
            utilities,
            vp: MINIMUM / gp,
            gp,
            score_offset: if is_4 { 0.0 } else { 1.0 },
            is_steady: false,
            placeholder: 0.0,
            last_representation: 0,
            last_segment: None,
            finished_at: None,
            called_at: None,
        })
    }

    /// Chooses at a level; `sustained` is the representation that the throughput carries.
    pub(super) fn choose(&mut self, sustained: usize, level: f64, now: Time) -> Decision {
        if !self.is_steady {
            self.placeholder = (self.minimum_level(sustained) - level).max(0.0);
            self.last_representation = sustained;
            self.is_steady = self.last_segment.is_some_and(|segment| level >= segment);
            return Decision { representation: sustained, delay: 0.0 };
        }
        if let Some(since) = self.finished_at.take().or(self.called_at) {
            self.placeholder += now.since(since).as_secs_f64();
        }
        self.called_at = Some(now);
        let mut representation = self.at_level(level + self.placeholder);
        if representation > self.last_representation && representation > sustained {
            representation = sustained.max(self.last_representation);
        }
        let mut delay = (level + self.placeholder - self.maximum_level(representation)).max(0.0);
        if delay <= self.placeholder {
            self.placeholder -= delay;
            delay = 0.0;
        } else {
            delay -= self.placeholder;
            self.placeholder = 0.0;
            if representation + 1 == self.bitrates.len() {
                delay = 0.0;
            }
        }
        self.last_representation = representation;
        Decision { representation, delay }
    }

    /// Accounts for a complete segment, requested at `level_at_request`.
    pub(super) fn on_segment(&mut self, download: &Download, level_at_request: f64) {
        self.last_segment = Some(download.media.as_secs_f64());
        self.last_representation = download.representation;
        self.placeholder *= DECAY;
        let room = (self.maximum_level(download.representation) - level_at_request).max(0.0);
        self.placeholder = self.placeholder.min(room);
        if download.replaces {
            self.placeholder += download.media.as_secs_f64();
        }
        self.finished_at = Some(download.finished_at);
    }

    /// Accounts for an empty buffer.
    pub(super) fn on_empty(&mut self) {
        if self.is_steady {
            self.placeholder = 0.0;
        }
    }

    /// Accounts for an abandoned request, after which `representation` is fetched.
    pub(super) fn on_abandoned(&mut self, representation: usize, level: f64) {
        let wanted = if representation > 0 { self.minimum_level(representation) } else { MINIMUM };
        self.placeholder = self.placeholder.min((wanted - level).max(0.0));
    }

    /// Representation with the highest score at a level.
    fn at_level(&self, level: f64) -> usize {
        let score = |place: usize| {
            let utility = self.utilities[place] - self.score_offset;
            (self.vp * (utility + self.gp) - level) / self.bitrates[place]
        };
        let mut best = 0;
        for place in 1..self.bitrates.len() {
            if score(place) >= score(best) {
                best = place;
            }
        }
        best
    }

    /// Level from which BOLA waits rather than fetch a representation.
    fn maximum_level(&self, place: usize) -> f64 {
        let place = place.min(self.utilities.len() - 1);
        self.vp * (self.utilities[place] + self.gp)
    }

    /// Level from which a representation is better than each lower one.
    pub(super) fn minimum_level(&self, place: usize) -> f64 {
        let (rate, utility) = (self.bitrates[place], self.utilities[place]);
        let over = |lower: usize| {
            let (own_rate, own_utility) = (self.bitrates[lower], self.utilities[lower]);
            self.vp * (self.gp + (rate * own_utility - own_rate * utility) / (rate - own_rate))
        };
        (0..place).map(over).fold(0.0, f64::max)
    }
}
