//! Throughput rule: the highest representation that the recent throughput sustains with a margin.
//!
//! dash.js's ThroughputRule ("ThroughputRule", "Throughput calculation" of its documentation); THROUGHPUT of Spiteri,
//! Sitaraman, Sparacio, "From Theory to Practice" (MMSys 2018).

use jettison_registry::style::{GREEN, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::AdaptationRule;
use super::{AbrRule, AbrState, Choice, Download, History, HistoryParameters};

/// Its entry in the list of adaptation rules.
pub(super) fn entry() -> Entry<AdaptationRule> {
    Entry::<AdaptationRule>::new("throughput", "THROUGHPUT", build)
        .style(GREEN, Solid)
        .summary("the highest representation below 0.9 of the recent throughput")
        .source("dash.js's ThroughputRule; Spiteri, Sitaraman, Sparacio 2018 (MMSys), THROUGHPUT")
        .page("appendix/dash-abr.md")
}

fn build(parameters: ThroughputParameters, _: &()) -> Result<Box<dyn AbrRule>, ParameterError> {
    parameters.validate()?;
    Ok(Box::new(ThroughputRule::new(parameters)))
}

/// Parameters of `throughput`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ThroughputParameters {
    /// Throughput estimation: a table with `mean` (sliding-window, harmonic, ewma), `samples`, `variation`,
    /// `fast_half_life`, `slow_half_life`, `safety`, `dead_time`, `initial`.
    pub history: HistoryParameters,
}

impl ThroughputParameters {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ParameterError> {
        self.history.validate().map_err(|error| error.under("history"))
    }
}

/// The throughput rule.
#[derive(Debug, Clone)]
pub struct ThroughputRule {
    history: History,
}

impl ThroughputRule {
    /// Creates a rule without history.
    pub fn new(parameters: ThroughputParameters) -> ThroughputRule {
        ThroughputRule { history: History::new(parameters.history) }
    }
}

impl AbrRule for ThroughputRule {
    fn choose(&mut self, state: &AbrState<'_>) -> Choice {
        Choice::now(self.history.choose(state.set, state.segment_duration()))
    }

    fn on_segment(&mut self, download: &Download, _state: &AbrState<'_>) {
        self.history.push(download);
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Duration;
    use proptest::prelude::*;

    use super::super::testing::{download, ladder, playing};
    use super::*;

    fn choice(kbits: &[u64], downloads: &[u64]) -> usize {
        let set = ladder(kbits);
        let state = playing(&set, Duration::from_secs(10));
        let mut rule = ThroughputRule::new(ThroughputParameters::default());
        for kbit in downloads {
            rule.on_segment(&download(*kbit, Duration::from_secs(1)), &state);
        }
        rule.choose(&state).representation
    }

    #[test]
    fn nine_tenths_of_the_throughput_decide() {
        assert_eq!(choice(&[140, 490, 1040], &[]), 0);
        assert_eq!(choice(&[140, 490, 900], &[1000]), 2);
        assert_eq!(choice(&[140, 490, 901], &[1000]), 1);
        assert_eq!(choice(&[140, 490, 1040], &[10]), 0);
    }

    proptest! {
        #[test]
        fn the_choice_is_in_range_and_does_not_fall_with_throughput(
            mut kbits in proptest::collection::vec(1u64..20_000, 1..12),
            downloads in proptest::collection::vec(1u64..50_000, 0..30),
            factor in 1u64..5,
        ) {
            kbits.sort_unstable();
            let slower = choice(&kbits, &downloads);
            let faster = choice(&kbits, &downloads.iter().map(|kbit| kbit * factor).collect::<Vec<_>>());
            prop_assert!(slower < kbits.len());
            prop_assert!(faster >= slower);
        }
    }
}
