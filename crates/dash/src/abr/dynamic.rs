//! The dynamic rule: BOLA while the buffer is healthy, throughput otherwise.
//!
//! DYNAMIC of K. Spiteri, R. Sitaraman, D. Sparacio, "From Theory to Practice: Improving Bitrate Adaptation in the
//! DASH Reference Player" (MMSys 2018): throughput at first; BOLA as soon as the buffer is above 10 s and BOLA's
//! choice is at least throughput's; throughput again once the buffer is below 10 s and BOLA's choice is lower than
//! throughput's. (dash.js 4 and 5 switch at two buffer levels alone: `dash_js`.) dash.js's insufficient-buffer rule
//! limits each choice, and its abandon-request rule watches each download. Not modelled: dash.js's switch-history and
//! dropped-frames rules, since no decoder drops frames here.

use jettison_core::Duration;
use jettison_registry::style::{Line::Solid, ORANGE};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::buffer_levels::Levels;
use super::entry::AdaptationRule;
use super::{
    AbandonParameters, AbandonRequest, AbrRule, AbrState, BolaBuffer, Choice, Download, History,
    HistoryParameters, InsufficientBuffer, InsufficientBufferParameters, Playback, Progress,
};

/// Its entry in the list of adaptation rules.
pub(super) fn entry() -> Entry<AdaptationRule> {
    Entry::<AdaptationRule>::new("dynamic", "DYNAMIC", build)
        .style(ORANGE, Solid)
        .summary("BOLA while the buffer is healthy, throughput otherwise, as dash.js 2 and 3")
        .source("Spiteri, Sitaraman, Sparacio 2018 (MMSys), DYNAMIC; dash.js's insufficient-buffer and abandon-request rules")
        .page("appendix/dash-abr.md")
}

fn build(parameters: DynamicParameters, _: &()) -> Result<Box<dyn AbrRule>, ParameterError> {
    parameters.validate()?;
    Ok(Box::new(Dynamic::new(parameters)))
}

/// Parameters of `dynamic`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DynamicParameters {
    /// Buffer level from which the buffer counts as healthy.
    pub healthy: Duration,
    /// Throughput estimation: a table with `mean` (sliding-window, harmonic, ewma), `samples`, `variation`,
    /// `fast_half_life`, `slow_half_life`, `safety`, `dead_time`, `initial`.
    pub history: HistoryParameters,
    /// BOLA's mapping of buffer levels: a table with `variant`, `tuning`, `gamma_p`, `minimum`, `target`. Its default
    /// tuning is dash.js's, `thresholds`.
    pub bola: BolaBuffer,
    /// Insufficient-buffer rule: a table with `enabled`, `safety`, `ignore`.
    pub insufficient_buffer: InsufficientBufferParameters,
    /// Abandon-request rule: a table with `enabled`, `grace`, `reports`, `multiplier`, `below`.
    pub abandon: AbandonParameters,
}

impl Default for DynamicParameters {
    fn default() -> DynamicParameters {
        DynamicParameters {
            healthy: Duration::from_secs(10),
            history: HistoryParameters::default(),
            bola: BolaBuffer::default(),
            insufficient_buffer: InsufficientBufferParameters::default(),
            abandon: AbandonParameters::default(),
        }
    }
}

impl DynamicParameters {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ParameterError> {
        self.history.validate().map_err(|error| error.under("history"))?;
        self.bola.validate().map_err(|error| error.under("bola"))?;
        self.insufficient_buffer.validate().map_err(|error| error.under("insufficient_buffer"))?;
        self.abandon.validate().map_err(|error| error.under("abandon"))
    }
}

/// The dynamic rule: chooses by buffer level or by throughput.
#[derive(Debug, Clone)]
pub struct Dynamic {
    // Parameters.
    healthy: Duration,
    bola: BolaBuffer,
    // State.
    history: History,
    /// Whether BOLA decides.
    by_level: bool,
    insufficient_buffer: InsufficientBuffer,
    abandon: AbandonRequest,
}

impl Dynamic {
    /// Creates a rule without history.
    pub fn new(parameters: DynamicParameters) -> Dynamic {
        Dynamic {
            healthy: parameters.healthy,
            bola: parameters.bola,
            history: History::new(parameters.history),
            by_level: false,
            insufficient_buffer: InsufficientBuffer::new(parameters.insufficient_buffer),
            abandon: AbandonRequest::new(parameters.abandon),
        }
    }

    fn primary(&mut self, state: &AbrState<'_>) -> Choice {
        let by_throughput = self.history.choose(state.set, state.segment_duration());
        let Some(levels) = Levels::of(&self.bola, state) else { return Choice::now(by_throughput) };
        let level = state.buffer.as_secs_f64();
        let decision = levels.decide(level, state.last, self.history.last());
        if self.by_level {
            self.by_level = state.buffer >= self.healthy || decision.representation >= by_throughput;
        } else {
            self.by_level = state.buffer > self.healthy && decision.representation >= by_throughput;
        }
        if !self.by_level {
            return Choice::now(by_throughput);
        }
        // While the buffer does not drain, a pause would never end.
        let below = Duration::from_secs_f64(decision.pause_above);
        let rest = state.buffer > below && state.playback == Playback::Playing;
        let wait_below = rest.then_some(below);
        Choice { wait_below, ..Choice::now(decision.representation) }
    }
}

impl AbrRule for Dynamic {
    fn choose(&mut self, state: &AbrState<'_>) -> Choice {
        let choice = self.primary(state);
        match self.insufficient_buffer.limit(state, &self.history) {
            Some(limit) if limit < choice.representation => Choice::now(limit),
            _ => choice,
        }
    }

    fn on_segment(&mut self, download: &Download, _state: &AbrState<'_>) {
        self.history.push(download);
        self.insufficient_buffer.on_segment();
    }

    fn on_progress(&mut self, progress: &Progress, state: &AbrState<'_>) -> Option<usize> {
        self.abandon.on_progress(progress, state, self.history.safety())
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Time;
    use proptest::prelude::*;

    use super::super::testing::{download, ladder, playing};
    use super::*;

    /// Returns a rule after some downloads at `kbit` kbit/s.
    fn after_downloads(kbit: u64, parameters: DynamicParameters) -> Dynamic {
        let set = ladder(&[1]);
        let mut rule = Dynamic::new(parameters);
        for _ in 0..4 {
            rule.on_segment(&download(kbit, Duration::from_secs(1)), &playing(&set, Duration::ZERO));
        }
        rule
    }

    #[test]
    fn bola_takes_over_above_ten_seconds_once_it_chooses_no_less() {
        // MMSys 2018, DYNAMIC. V = 6/ln(1040/140) = 2.99, boundaries of BOLA at 11.3 s and 14.7 s.
        let set = ladder(&[140, 490, 1040]);
        let mut rule = after_downloads(600, DynamicParameters::default());
        let mut at = |secs: u64| {
            let mut state = playing(&set, Duration::from_secs(secs));
            state.last = Some(1);
            let choice = rule.choose(&state).representation;
            (choice, rule.by_level)
        };
        assert_eq!(at(8), (1, false));
        // Healthy, but BOLA would choose the lowest.
        assert_eq!(at(11), (1, false));
        assert_eq!(at(12), (1, true));
        // BOLA chooses the lowest, but the buffer is healthy.
        assert_eq!(at(10), (0, true));
        // Neither condition holds.
        assert_eq!(at(9), (1, false));
    }

    #[test]
    fn bola_stays_below_ten_seconds_while_it_chooses_no_less() {
        let set = ladder(&[140, 490, 1040]);
        let mut rule = after_downloads(100, DynamicParameters::default());
        rule.by_level = true;
        assert_eq!(rule.choose(&playing(&set, Duration::from_secs(8))).representation, 0);
        assert!(rule.by_level);
    }

    #[test]
    fn the_insufficient_buffer_rule_limits_the_choice() {
        let set = ladder(&[140, 490, 1040]);
        let state = playing(&set, Duration::from_secs(4));
        // 0.5 · 1200 kbit/s · 4 s / 4 s.
        assert_eq!(after_downloads(1200, DynamicParameters::default()).choose(&state), Choice::now(1));
        let mut alone = DynamicParameters::default();
        alone.insufficient_buffer.enabled = false;
        assert_eq!(after_downloads(1200, alone).choose(&state), Choice::now(2));
    }

    #[test]
    fn with_the_highest_representation_only_the_maximum_buffer_pauses() {
        let set = ladder(&[140, 490, 1040]);
        let mut rule = after_downloads(9000, DynamicParameters::default());
        assert_eq!(rule.choose(&playing(&set, Duration::from_secs(29))), Choice::now(2));
        // BOLA-O pauses with a lower representation, at the boundary to the next one.
        let mut rule = after_downloads(600, DynamicParameters::default());
        let mut state = playing(&set, Duration::from_secs(29));
        state.last = Some(1);
        let choice = rule.choose(&state);
        assert_eq!(choice.representation, 1);
        let below = choice.wait_below.unwrap().as_secs_f64();
        assert!((below - 14.7).abs() < 0.1, "{below}");
    }

    #[test]
    fn a_slow_segment_is_abandoned() {
        let set = ladder(&[140, 490, 1040]);
        let mut state = playing(&set, Duration::from_secs(6));
        let mut rule = after_downloads(1200, DynamicParameters::default());
        let progress = Progress {
            representation: 2,
            segment: 10,
            bytes: 520_000,
            received: 10_000,
            requested_at: Time::from_secs(97),
            first_byte_at: Time::from_secs(98),
        };
        let said: Vec<Option<usize>> = (0..5)
            .map(|_| {
                state.now += Duration::from_millis(100);
                rule.on_progress(&progress, &state)
            })
            .collect();
        assert_eq!(said, [None, None, None, None, Some(0)]);
    }

    proptest! {
        #[test]
        fn any_course_stays_in_range(
            mut kbits in proptest::collection::vec(1u64..20_000, 1..8),
            steps in proptest::collection::vec((0u64..60, 1u64..30_000, 0u64..20, 0u8..3), 1..40),
        ) {
            kbits.sort_unstable();
            let set = ladder(&kbits);
            let mut rule = Dynamic::new(DynamicParameters::default());
            let mut last = None;
            for (buffer, kbit, secs, playback) in steps {
                let mut state = playing(&set, Duration::from_secs(buffer));
                state.last = last;
                state.playback =
                    [Playback::StartUp, Playback::Playing, Playback::Stalled][usize::from(playback)];
                let choice = rule.choose(&state);
                prop_assert!(choice.representation < kbits.len());
                if choice.wait_below.is_some() {
                    prop_assert_eq!(state.playback, Playback::Playing);
                }
                last = Some(choice.representation);
                rule.on_segment(&download(kbit, Duration::from_secs(secs)), &state);
            }
        }
    }
}
