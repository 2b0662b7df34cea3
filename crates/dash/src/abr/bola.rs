//! BOLA: the buffer level determines the choice.
//!
//! [`BolaBuffer`] implements the mapping of INFOCOM 2016. Start-up follows BOLA-E of Spiteri, Sitaraman, Sparacio,
//! "From Theory to Practice" (MMSys 2018) and dash.js: throughput determines the first segments, and a placeholder
//! (virtual media) is added to the level, so that BOLA continues with the representation that the throughput sustains.
//! Later the placeholder compensates for pauses that the network did not cause; it decays, is used up before BOLA
//! pauses, and is reset by a stall.

use jettison_core::{Duration, Time};
use jettison_registry::style::{BLUE, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::buffer_levels::Levels;
use super::entry::AdaptationRule;
use super::{
    AbrRule, AbrState, BolaBuffer, Choice, Download, History, HistoryParameters, Playback, Tuning, Variant,
};

/// Its entry in the list of adaptation rules.
pub(super) fn entry() -> Entry<AdaptationRule> {
    Entry::<AdaptationRule>::new("bola", "BOLA", build)
        .style(BLUE, Solid)
        .summary("BOLA: the buffer's level decides")
        .source("Spiteri, Urgaonkar, Sitaraman 2016 (INFOCOM); start-up: Spiteri, Sitaraman, Sparacio 2018 (MMSys)")
        .page("appendix/dash-abr.md")
}

fn build(parameters: BolaParameters, _: &()) -> Result<Box<dyn AbrRule>, ParameterError> {
    parameters.validate()?;
    Ok(Box::new(Bola::new(parameters)))
}

/// Factor by which the placeholder decays per segment (dash.js: `PLACEHOLDER_BUFFER_DECAY`).
const DECAY: f64 = 0.99;

/// Parameters of `bola`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BolaParameters {
    /// Measure against oscillation: none (BOLA-BASIC), BOLA-O or BOLA-U.
    pub variant: Variant,
    /// Parameters that determine V and γp: `gamma_p` and the target (the paper), or the minimum and the target
    /// (dash.js).
    pub tuning: Tuning,
    /// For `gamma-p`: γp, the weight of a full buffer against utility.
    pub gamma_p: f64,
    /// For `thresholds`: level below which the lowest representation is chosen. Replaced by a third of the target if
    /// it is not below the target.
    pub minimum: Duration,
    /// Level of the highest representation; limited by the player's maximum. Unset: the player's maximum with
    /// `gamma-p`; the larger of 12 s and the minimum plus 2 s per representation with `thresholds`.
    pub target: Option<Duration>,
    /// Whether throughput determines the first segments, with a placeholder (BOLA-E). Otherwise the buffer level alone
    /// decides from the first segment on.
    pub placeholder: bool,
    /// Throughput estimation at start-up: a table with `mean` (sliding-window, harmonic, ewma), `samples`,
    /// `variation`, `fast_half_life`, `slow_half_life`, `safety`, `dead_time`, `initial`.
    pub history: HistoryParameters,
}

impl Default for BolaParameters {
    fn default() -> BolaParameters {
        let BolaBuffer { variant, gamma_p, minimum, target, .. } = BolaBuffer::default();
        let history = HistoryParameters::default();
        BolaParameters {
            variant,
            tuning: Tuning::GammaP,
            gamma_p,
            minimum,
            target,
            placeholder: true,
            history,
        }
    }
}

impl BolaParameters {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ParameterError> {
        self.buffer().validate()?;
        self.history.validate().map_err(|error| error.under("history"))
    }

    fn buffer(&self) -> BolaBuffer {
        BolaBuffer {
            variant: self.variant,
            tuning: self.tuning,
            gamma_p: self.gamma_p,
            minimum: self.minimum,
            target: self.target,
        }
    }
}

/// The BOLA rule.
#[derive(Debug, Clone)]
pub struct Bola {
    // Parameters.
    buffer: BolaBuffer,
    with_placeholder: bool,
    // State.
    history: History,
    /// Whether start-up is over and the level decides.
    steady: bool,
    /// In seconds.
    placeholder: f64,
    /// Arrival of the last segment, until the next choice.
    finished: Option<Time>,
    /// Level in seconds at the request of the segment in transfer.
    requested_level: f64,
}

impl Bola {
    /// Creates a rule without history.
    pub fn new(parameters: BolaParameters) -> Bola {
        Bola {
            buffer: parameters.buffer(),
            with_placeholder: parameters.placeholder,
            steady: !parameters.placeholder,
            history: History::new(parameters.history),
            placeholder: 0.0,
            finished: None,
            requested_level: 0.0,
        }
    }

    fn start_up(&mut self, levels: &Levels<'_>, level: f64, state: &AbrState<'_>) -> Choice {
        let segment = state.segment_duration();
        let representation = self.history.choose(state.set, segment);
        self.placeholder = (levels.from(representation) - level).max(0.0);
        self.steady = self.history.mean().is_some() && level >= segment.as_secs_f64();
        self.finished = None;
        Choice::now(representation)
    }

    fn by_level(&mut self, levels: &Levels<'_>, level: f64, state: &AbrState<'_>) -> Choice {
        let playing = state.playback == Playback::Playing;
        if let Some(finished) = self.finished.take()
            && self.with_placeholder
            && playing
        {
            self.placeholder += state.now.since(finished).as_secs_f64();
        }
        let decision = levels.decide(level + self.placeholder, state.last, self.history.last());
        let now = Choice::now(decision.representation);
        let excess = level + self.placeholder - decision.pause_above;
        // While the buffer does not drain, a pause would never end.
        if excess <= 0.0 || !playing {
            return now;
        }
        if excess <= self.placeholder {
            self.placeholder -= excess;
            return now;
        }
        self.placeholder = 0.0;
        let below = Duration::from_secs_f64(decision.pause_above);
        if state.buffer <= below {
            return now;
        }
        self.requested_level = decision.pause_above;
        Choice { wait_below: Some(below), ..now }
    }
}

impl AbrRule for Bola {
    fn choose(&mut self, state: &AbrState<'_>) -> Choice {
        let Some(levels) = Levels::of(&self.buffer, state) else { return Choice::now(0) };
        let level = state.buffer.as_secs_f64();
        self.requested_level = level;
        if !self.steady {
            return self.start_up(&levels, level, state);
        }
        if state.playback == Playback::Stalled {
            self.placeholder = 0.0;
        }
        self.by_level(&levels, level, state)
    }

    fn on_segment(&mut self, download: &Download, state: &AbrState<'_>) {
        self.history.push(download);
        self.finished = Some(download.finished_at);
        let Some(levels) = Levels::of(&self.buffer, state) else { return };
        // The fetched representation may be lower than the level with its placeholder suggests.
        let room = (levels.zero_score(download.representation) - self.requested_level).max(0.0);
        self.placeholder = (self.placeholder * DECAY).min(room);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{download, ladder, playing};
    use super::*;

    fn of_level(variant: Variant) -> Bola {
        Bola::new(BolaParameters { variant, placeholder: false, ..BolaParameters::default() })
    }

    #[test]
    fn without_a_placeholder_the_level_alone_decides() {
        let set = ladder(&[140, 490, 1040]);
        let mut rule = of_level(Variant::Basic);
        let choices: Vec<usize> = [0, 10, 17, 20, 22, 25]
            .map(|secs| rule.choose(&playing(&set, Duration::from_secs(secs))).representation)
            .to_vec();
        // V = 26/(ln(1040/140) + 5) = 3.71: boundaries at 16.7 s and 20.7 s.
        assert_eq!(choices, [0, 0, 1, 1, 2, 2]);
    }

    #[test]
    fn it_pauses_while_every_score_is_negative() {
        // INFOCOM 2016: no segment is fetched where (Vυ_m + Vγp − Q)/S_m < 0 for all m.
        let set = ladder(&[140, 490, 1040]);
        let mut rule = of_level(Variant::Basic);
        assert_eq!(rule.choose(&playing(&set, Duration::from_secs(26))), Choice::now(2));
        let rest = rule.choose(&playing(&set, Duration::from_secs(27)));
        assert_eq!((rest.representation, rest.wait_below), (2, Some(Duration::from_secs(26))));
    }

    #[test]
    fn it_does_not_pause_before_playback_starts() {
        let set = ladder(&[140, 490, 1040]);
        for playback in [Playback::StartUp, Playback::Stalled] {
            let mut state = playing(&set, Duration::from_secs(29));
            state.playback = playback;
            assert_eq!(of_level(Variant::O).choose(&state).wait_below, None);
        }
    }

    /// Returns a rule after its first download, at 1200 kbit/s into an empty buffer.
    fn started(set: &super::super::AdaptationSet) -> Bola {
        let mut rule = Bola::new(BolaParameters::default());
        let mut state = playing(set, Duration::ZERO);
        state.playback = Playback::StartUp;
        assert_eq!(rule.choose(&state), Choice::now(0));
        rule.on_segment(&download(1200, Duration::from_secs(1)), &state);
        rule
    }

    #[test]
    fn throughput_decides_at_start_up_and_bola_continues_from_it() {
        // MMSys 2018, BOLA-E: the placeholder.
        let set = ladder(&[140, 490, 1040]);
        let mut rule = started(&set);
        let mut state = playing(&set, Duration::from_secs(4));
        state.last = Some(0);
        assert_eq!(rule.choose(&state), Choice::now(2));
        assert!((rule.placeholder - (20.7 - 4.0)).abs() < 0.1, "{}", rule.placeholder);
        let mut first = download(1200, Duration::from_secs(3));
        (first.representation, first.finished_at) = (2, state.now);
        rule.on_segment(&first, &state);
        state.buffer = Duration::from_secs(5);
        state.last = Some(2);
        assert!(rule.steady);
        assert_eq!(rule.choose(&state), Choice::now(2));
        // By the level alone it would be the lowest.
        assert_eq!(of_level(Variant::O).choose(&state), Choice::now(0));
    }

    #[test]
    fn a_stall_takes_the_placeholder_away() {
        let set = ladder(&[140, 490, 1040]);
        let mut rule = started(&set);
        let mut state = playing(&set, Duration::from_secs(4));
        rule.choose(&state);
        state.playback = Playback::Stalled;
        assert_eq!(rule.choose(&state), Choice::now(0));
        assert_eq!(rule.placeholder, 0.0);
    }

    #[test]
    fn a_pause_of_the_player_does_not_lower_the_choice() {
        let set = ladder(&[140, 490, 1040]);
        let mut rule = started(&set);
        let mut state = playing(&set, Duration::from_secs(21));
        state.last = Some(2);
        rule.choose(&state);
        let mut whole = download(5000, Duration::from_secs(1));
        (whole.representation, whole.finished_at) = (2, Time::from_secs(100));
        rule.on_segment(&whole, &state);
        // The player paused for five seconds, and its buffer drained.
        state.now = Time::from_secs(105);
        state.buffer = Duration::from_secs(16);
        assert_eq!(rule.choose(&state), Choice::now(2));
        assert_eq!(of_level(Variant::O).choose(&state), Choice::now(0));
    }

    #[test]
    fn the_placeholder_is_used_up_before_a_pause() {
        let set = ladder(&[140, 490, 1040]);
        let mut rule = started(&set);
        rule.steady = true;
        rule.finished = None;
        rule.placeholder = 10.0;
        let mut state = playing(&set, Duration::from_secs(20));
        state.last = Some(2);
        assert_eq!(rule.choose(&state), Choice::now(2));
        assert!((rule.placeholder - 6.0).abs() < 1e-6, "{}", rule.placeholder);
        state.buffer = Duration::from_secs(28);
        assert_eq!(rule.choose(&state).wait_below, Some(Duration::from_secs(26)));
        assert_eq!(rule.placeholder, 0.0);
    }

    #[test]
    fn a_single_representation_is_fetched_at_once() {
        let set = ladder(&[500]);
        let mut rule = Bola::new(BolaParameters::default());
        for secs in [0, 10, 30] {
            let state = playing(&set, Duration::from_secs(secs));
            assert_eq!(rule.choose(&state), Choice::now(0));
            rule.on_segment(&download(500, Duration::from_secs(1)), &state);
        }
    }

    proptest! {
        #[test]
        fn any_course_stays_in_range(
            mut kbits in proptest::collection::vec(1u64..20_000, 1..8),
            variant in proptest::sample::select(vec![Variant::Basic, Variant::O, Variant::U]),
            tuning in proptest::sample::select(vec![Tuning::GammaP, Tuning::Thresholds]),
            steps in proptest::collection::vec((0u64..60, 1u64..30_000, 0u64..20), 1..40),
        ) {
            kbits.sort_unstable();
            let set = ladder(&kbits);
            let mut rule = Bola::new(BolaParameters { variant, tuning, ..BolaParameters::default() });
            let mut last = None;
            for (buffer, kbit, secs) in steps {
                let mut state = playing(&set, Duration::from_secs(buffer));
                state.last = last;
                let choice = rule.choose(&state);
                prop_assert!(choice.representation < kbits.len());
                if let Some(below) = choice.wait_below {
                    prop_assert!(below < state.buffer && !below.is_zero());
                }
                last = Some(choice.representation);
                let mut came = download(kbit, Duration::from_secs(secs));
                came.representation = choice.representation;
                rule.on_segment(&came, &state);
                prop_assert!(rule.placeholder.is_finite() && rule.placeholder >= 0.0);
            }
        }
    }
}
