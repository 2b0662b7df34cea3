//! Rules of dash.js 4.3 to 5.2, as its public source has them (`src/streaming/rules/`, `controllers/AbrController.js`).
//!
//! `dynamic`: BOLA decides while the buffer is above a level, the throughput otherwise, with hysteresis. The
//! insufficient-buffer rule and the switch-history rule limit either; the lowest of all applies. A rule may also have no
//! opinion: if none has one, the representation stays. The dropped-frames rule is left out, since no decoder drops frames
//! here, and so are the low-latency modes.

mod abandon;
mod bola;
mod estimate;
mod switches;
#[cfg(test)]
mod tests;

use jettison_core::{Duration, Rate, Time};

use super::{AbrRule, AbrState, Choice, Download, Playback, Progress};
use crate::player::Kind;
use abandon::{Abandon, AbandonStyle};
use bola::Bola;
use estimate::{Estimate, EstimateStyle};
use switches::SwitchHistory;

/// Time after an abandoned request during which the representation may only fall (`abandonLoadTimeout`).
const AFTER_ABANDONING: Duration = Duration::from_secs(10);
/// Level below which the buffer counts as empty, in seconds (`stallThreshold`).
const EMPTY: f64 = 0.3;
/// Segments that the insufficient-buffer rule ignores (`SEGMENT_IGNORE_COUNT`, `segmentIgnoreCount`).
const IGNORED: u32 = 2;

/// Constants in which versions of dash.js differ.
#[derive(Debug, Clone, PartialEq)]
pub struct DashJsRules {
    /// Bitrate assumed before the first video segment.
    pub initial_video: Rate,
    /// Bitrate assumed before the first audio segment.
    pub initial_audio: Rate,
    /// Level at which BOLA takes over; the throughput decides again at half of it.
    pub healthy: Duration,
    /// Whether requests are abandoned.
    pub abandons: bool,
    /// Major version of the rules, 4 or 5.
    pub major: u8,
}

impl DashJsRules {
    fn is_4(&self) -> bool {
        self.major < 5
    }
    /// Share of the throughput that the insufficient-buffer rule counts on (InsufficientBufferRule.js).
    fn insufficient_share(&self) -> f64 {
        if self.is_4() { 0.5 } else { 0.7 }
    }
}

/// The rules of one kind of media.
#[derive(Debug, Clone)]
pub struct DashJs {
    rules: DashJsRules,
    /// Current representation.
    current: Option<usize>,
    /// Whether BOLA decides.
    by_level: bool,
    bola: Option<Bola>,
    estimate: Estimate,
    switches: SwitchHistory,
    /// Segments that the insufficient-buffer rule still ignores.
    ignored: u32,
    abandon: Abandon,
    abandoned_at: Option<Time>,
    /// Whether a segment has come.
    has_media: bool,
}

impl DashJs {
    /// Creates rules without history for a kind of media.
    pub fn new(rules: DashJsRules, kind: Kind) -> DashJs {
        let is_4 = rules.is_4();
        let style = if is_4 { EstimateStyle::Window } else { EstimateStyle::Weighted };
        let abandon = if is_4 { AbandonStyle::MeanOfReports } else { AbandonStyle::SinceFirstReport };
        DashJs {
            current: None,
            by_level: false,
            bola: None,
            estimate: Estimate::new(style, kind),
            switches: SwitchHistory::new(is_4),
            ignored: IGNORED,
            abandon: Abandon::new(abandon, rules.healthy),
            abandoned_at: None,
            has_media: false,
            rules,
        }
    }

    fn is_abandoning(&self, now: Time) -> bool {
        self.abandoned_at.is_some_and(|at| now.since(at) < AFTER_ABANDONING)
    }

    /// Decides between BOLA and throughput (AbrController.js, `_updateDynamicAbrStrategy`). Version 4 compares with `>`,
    /// 5 with `>=`.
    fn on_level(&mut self, level: f64) {
        let healthy = self.rules.healthy.as_secs_f64();
        let threshold = if self.by_level { 0.5 * healthy } else { healthy };
        self.by_level = if self.rules.is_4() { level > threshold } else { level >= threshold };
    }

    /// Highest representation for a rate in kbit/s (AbrController.js, `getQualityForBitrate`). Version 4 takes the usual wait for
    /// the first byte off the segment's time.
    fn highest(&self, kbit: f64, state: &AbrState<'_>) -> usize {
        let segment = state.segment_duration().as_secs_f64();
        let wait = self.estimate.latency() / 1e3;
        match self.rules.is_4() && wait > 0.0 && segment > 0.0 {
            true if wait > segment => 0,
            true => state.set.highest_below(kbit * 1e3 * (1.0 - wait / segment)),
            false => state.set.highest_below(kbit * 1e3),
        }
    }

    /// Opinion of ThroughputRule.js.
    fn by_throughput(&self, state: &AbrState<'_>) -> Option<usize> {
        let safe = self.estimate.safe()?;
        let is_loaded = self.has_media && state.buffer.as_secs_f64() >= EMPTY;
        (is_loaded && !self.is_abandoning(state.now)).then(|| self.highest(safe, state))
    }

    /// Opinion of BolaRule.js, with the time by which it delays the request.
    fn by_bola(&mut self, state: &AbrState<'_>) -> Option<(usize, Duration)> {
        if self.bola.is_none() {
            self.bola = Bola::new(state.set, self.rules.healthy.as_secs_f64(), self.rules.is_4());
        }
        let sustained = self.highest(self.estimate.safe()?, state);
        let decision = self.bola.as_mut()?.choose(sustained, state.buffer.as_secs_f64(), state.now);
        Some((decision.representation, Duration::from_secs_f64(decision.delay)))
    }

    /// Opinion of InsufficientBufferRule.js.
    fn sufficient(&self, state: &AbrState<'_>) -> Option<usize> {
        let segment = state.segment_duration().as_secs_f64();
        if self.ignored > 0 || segment <= 0.0 {
            return None;
        }
        let level = state.buffer.as_secs_f64();
        if level < EMPTY {
            return Some(0);
        }
        let rate = self.estimate.mean()? * self.rules.insufficient_share() * level / segment;
        Some(self.highest(rate, state))
    }
}

impl AbrRule for DashJs {
    fn choose(&mut self, state: &AbrState<'_>) -> Choice {
        self.on_level(state.buffer.as_secs_f64());
        let Some(current) = self.current else {
            let initial =
                if state.kind == Kind::Video { self.rules.initial_video } else { self.rules.initial_audio };
            let first = state.set.highest_below(initial.as_bits() as f64);
            self.current = Some(first);
            if self.rules.is_4() {
                self.switches.push(first, first);
            }
            return Choice::now(first);
        };
        let (primary, delay) = if self.by_level {
            self.by_bola(state).map_or((None, Duration::ZERO), |(place, delay)| (Some(place), delay))
        } else {
            (self.by_throughput(state), Duration::ZERO)
        };
        let opinions = [primary, self.sufficient(state), self.switches.limit()];
        let wanted = opinions.into_iter().flatten().min();
        // Version 5 records only checks in which some rule has an opinion.
        if self.rules.is_4() || wanted.is_some() {
            self.switches.push(current, wanted.unwrap_or(current));
        }
        // After an abandoned request it may only fall (4.7 and 5.x; 4.3 abandons none unless told to).
        let chosen = wanted.filter(|wanted| *wanted < current || !self.is_abandoning(state.now));
        let representation = chosen.unwrap_or(current);
        self.current = Some(representation);
        Choice { delay, ..Choice::now(representation) }
    }

    fn on_segment(&mut self, download: &Download, state: &AbrState<'_>) {
        self.estimate.push(download);
        let after = state.buffer.as_secs_f64();
        let added = if download.replaces { 0.0 } else { download.media.as_secs_f64() };
        let before = (after - added).max(0.0);
        if self.has_media {
            self.on_level(before);
            if before < EMPTY
                && let Some(bola) = &mut self.bola
            {
                bola.on_empty();
            }
        }
        if let Some(bola) = &mut self.bola {
            let took = download.finished_at.since(download.requested_at).as_secs_f64();
            bola.on_segment(download, before + took);
        }
        self.on_level(after);
        self.ignored = self.ignored.saturating_sub(1);
        self.has_media = true;
    }

    fn on_progress(&mut self, progress: &Progress, state: &AbrState<'_>) -> Option<usize> {
        if !self.rules.abandons || state.playback == Playback::Ended {
            return None;
        }
        let lower = self.abandon.on_progress(progress, state)?;
        let current = self.current.unwrap_or(progress.representation);
        self.switches.reset();
        if self.rules.is_4() {
            self.switches.push(current, lower);
        }
        self.abandoned_at = Some(state.now);
        self.current = Some(lower);
        if let Some(bola) = &mut self.bola {
            bola.on_abandoned(lower, state.buffer.as_secs_f64());
        }
        Some(lower)
    }

    fn may_replace(&self, now: Time) -> bool {
        !self.is_abandoning(now)
    }
}
