//! BBA: buffer-based rate adaptation (its first algorithm, BBA-0).
//!
//! T.-Y. Huang, R. Johari, N. McKeown, M. Trunnell, M. Watson, "A Buffer-Based Approach to Rate Adaptation: Evidence from a
//! Large Video Streaming Service" (SIGCOMM 2014). A map f gives a rate for each buffer level: the lowest bitrate up to the
//! *reservoir*, then rising linearly over the *cushion* to the highest one. The representation changes only when f has
//! reached the next higher bitrate or fallen to the next lower one. No throughput is estimated. Algorithm and constants are from
//! memory: only the paper's abstract was at hand.

use jettison_core::Duration;
use jettison_registry::style::{Line::Solid, SKY};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::AdaptationRule;
use super::{AbrRule, AbrState, Choice};

/// Its entry in the list of adaptation rules.
pub(super) fn entry() -> Entry<AdaptationRule> {
    Entry::<AdaptationRule>::new("bba", "BBA-0", build)
        .style(SKY, Solid)
        .summary("a rate that rises linearly with the buffer level, with hysteresis")
        .source("Huang, Johari, McKeown, Trunnell, Watson 2014 (SIGCOMM), BBA-0")
        .page("appendix/dash-abr.md")
}

fn build(parameters: BbaParameters, _: &()) -> Result<Box<dyn AbrRule>, ParameterError> {
    parameters.validate()?;
    Ok(Box::new(Bba::new(parameters)))
}

/// Parameters of `bba`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BbaParameters {
    /// Buffer level up to which the lowest representation is chosen. Unset: 3/8 of the player's maximum, which is the paper's
    /// 90 s of 240 s.
    pub reservoir: Option<Duration>,
    /// Range of levels above the reservoir in which the rate rises from the lowest to the highest bitrate. Unset: 21/40 of the
    /// player's maximum, which is the paper's 126 s of 240 s.
    pub cushion: Option<Duration>,
}

impl BbaParameters {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ParameterError> {
        ParameterError::unless(self.cushion.is_none_or(|cushion| !cushion.is_zero()), "cushion", || {
            "must be > 0, got 0 s".to_owned()
        })
    }
}

/// The paper's buffer, reservoir and cushion in seconds.
const BUFFER: f64 = 240.0;
const RESERVOIR: f64 = 90.0;
const CUSHION: f64 = 126.0;

/// The rule. It has no state: the previous representation comes from the player.
#[derive(Debug, Clone)]
pub struct Bba {
    parameters: BbaParameters,
}

impl Bba {
    /// Creates the rule.
    pub fn new(parameters: BbaParameters) -> Bba {
        Bba { parameters }
    }

    /// Reservoir and cushion in seconds. If they end above the highest level at which a segment is requested, both shrink in
    /// proportion: otherwise the highest bitrate could not be reached.
    fn levels(&self, state: &AbrState<'_>) -> (f64, f64) {
        let maximum = state.max_buffer.as_secs_f64();
        let given = |parameter: Option<Duration>, share: f64| {
            parameter.map_or(share / BUFFER * maximum, |given| given.as_secs_f64())
        };
        let reservoir = given(self.parameters.reservoir, RESERVOIR);
        let cushion = given(self.parameters.cushion, CUSHION);
        let highest = state.max_buffer.saturating_sub(state.segment_duration()).as_secs_f64();
        if reservoir + cushion <= highest {
            return (reservoir, cushion);
        }
        let share = highest / (reservoir + cushion);
        (reservoir * share, cushion * share)
    }
}

impl AbrRule for Bba {
    fn choose(&mut self, state: &AbrState<'_>) -> Choice {
        let bitrates = &state.set.representations;
        let rate = |place: usize| bitrates.get(place).map_or(0.0, |r| r.bitrate.as_bits() as f64);
        let top = bitrates.len().saturating_sub(1);
        let ((reservoir, cushion), level) = (self.levels(state), state.buffer.as_secs_f64());
        if level <= reservoir {
            return Choice::now(0);
        }
        if level >= reservoir + cushion {
            return Choice::now(top);
        }
        let mapped = rate(0) + (level - reservoir) / cushion * (rate(top) - rate(0));
        let last = state.last.unwrap_or(0).min(top);
        let (higher, lower) = (rate((last + 1).min(top)), rate(last.saturating_sub(1)));
        let representation = if last < top && mapped >= higher {
            // The highest bitrate below f.
            (0..=top).rev().find(|place| rate(*place) < mapped).unwrap_or(0)
        } else if last > 0 && mapped <= lower {
            // The lowest bitrate above f.
            (0..=top).find(|place| rate(*place) > mapped).unwrap_or(top)
        } else {
            last
        };
        Choice::now(representation)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{ladder, playing};
    use super::*;

    const S: fn(u64) -> Duration = Duration::from_secs;
    const KBITS: [u64; 4] = [1000, 2000, 3000, 4000];

    /// Choice with a reservoir of 10 s and a cushion of 12 s, so f is 1,000 kbit/s + 250 kbit/s for each second above 10 s.
    fn choice(last: Option<usize>, level: Duration) -> usize {
        let set = ladder(&KBITS);
        let mut rule = Bba::new(BbaParameters { reservoir: Some(S(10)), cushion: Some(S(12)) });
        rule.choose(&AbrState { last, ..playing(&set, level) }).representation
    }

    fn levels(parameters: BbaParameters, max_buffer: Duration) -> (f64, f64) {
        let set = ladder(&KBITS);
        Bba::new(parameters).levels(&AbrState { max_buffer, ..playing(&set, Duration::ZERO) })
    }

    fn near((a, b): (f64, f64), (c, d): (f64, f64)) -> bool {
        (a - c).abs() < 1e-9 && (b - d).abs() < 1e-9
    }

    #[test]
    fn the_reservoir_is_90_s_and_the_cushion_126_s_of_a_buffer_of_240_s() {
        assert!(near(levels(BbaParameters::default(), S(240)), (90.0, 126.0)));
        assert!(near(levels(BbaParameters::default(), S(120)), (45.0, 63.0)));
        let given = BbaParameters { reservoir: Some(S(5)), cushion: None };
        assert!(near(levels(given, S(120)), (5.0, 63.0)));
    }

    #[test]
    fn in_a_short_buffer_both_shrink_so_that_the_highest_can_be_reached() {
        // The player requests a segment of 4 s at a level of at most 26 s. A tenth of the buffer above the cushion is 3 s.
        let (reservoir, cushion) = levels(BbaParameters::default(), S(30));
        assert!((reservoir + cushion - 26.0).abs() < 1e-9);
        assert!((reservoir / cushion - 90.0 / 126.0).abs() < 1e-9);
        let given = BbaParameters { reservoir: Some(S(20)), cushion: Some(S(32)) };
        assert!(near(levels(given, S(30)), (10.0, 16.0)));
        let set = ladder(&KBITS);
        let mut rule = Bba::new(BbaParameters::default());
        assert_eq!(rule.choose(&playing(&set, S(26))).representation, 3);
    }

    #[test]
    fn the_lowest_up_to_the_reservoir_and_the_highest_above_the_cushion() {
        for last in [None, Some(0), Some(2), Some(3)] {
            assert_eq!(choice(last, S(0)), 0);
            assert_eq!(choice(last, S(10)), 0);
            assert_eq!(choice(last, S(22)), 3);
            assert_eq!(choice(last, S(30)), 3);
        }
    }

    #[test]
    fn it_rises_when_the_map_has_reached_the_next_bitrate() {
        // f(14 s) is 2,000 kbit/s: the next bitrate, but the highest one below f is still the lowest.
        assert_eq!(choice(Some(0), S(13)), 0);
        assert_eq!(choice(Some(0), S(14)), 0);
        assert_eq!(choice(Some(0), Duration::from_millis(14_001)), 1);
        // f(19 s) is 3,250 kbit/s: two steps at once.
        assert_eq!(choice(Some(0), S(19)), 2);
        assert_eq!(choice(None, S(19)), 2);
    }

    #[test]
    fn it_falls_when_the_map_has_fallen_to_the_next_bitrate() {
        // f(19 s) is 3,250 kbit/s, f(18 s) 3,000, f(13 s) 1,750.
        assert_eq!(choice(Some(3), S(19)), 3);
        assert_eq!(choice(Some(3), S(18)), 3);
        assert_eq!(choice(Some(3), Duration::from_millis(17_999)), 2);
        assert_eq!(choice(Some(3), S(13)), 1);
    }

    #[test]
    fn between_the_neighbours_it_keeps_the_representation() {
        // Hysteresis: f is between 2,000 and 4,000 kbit/s from 14 s to 22 s.
        for level in 15..22 {
            assert_eq!(choice(Some(2), S(level)), 2, "{level} s");
        }
        assert_eq!((choice(Some(1), S(16)), choice(Some(2), S(16))), (1, 2));
    }

    #[test]
    fn a_cushion_of_zero_is_refused() {
        let zero = BbaParameters { cushion: Some(Duration::ZERO), ..BbaParameters::default() };
        assert_eq!(zero.validate().unwrap_err().to_string(), "cushion: must be > 0, got 0 s");
        assert_eq!(BbaParameters { reservoir: Some(Duration::ZERO), cushion: None }.validate(), Ok(()));
    }

    proptest! {
        #[test]
        fn the_choice_is_in_range_and_does_not_fall_with_the_level(
            mut kbits in proptest::collection::vec(1u64..20_000, 1..12),
            maximum in 0u64..300,
            last in proptest::option::of(0usize..12),
            level in 0.0..300.0f64,
            more in 0.0..50.0f64,
        ) {
            kbits.sort_unstable();
            let set = ladder(&kbits);
            let mut rule = Bba::new(BbaParameters::default());
            let last = last.map(|last| last.min(kbits.len() - 1));
            let mut at = |level| {
                let state = playing(&set, Duration::from_secs_f64(level));
                rule.choose(&AbrState { last, max_buffer: S(maximum), ..state }).representation
            };
            let (lower, higher) = (at(level), at(level + more));
            prop_assert!(lower <= higher && higher < kbits.len());
        }
    }
}
