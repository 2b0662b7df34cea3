//! Constant representation, which isolates the network from adaptation.

use jettison_registry::style::{Line::Solid, WINE};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::AdaptationRule;
use super::{AbrRule, AbrState, Choice};

/// Its entry in the list of adaptation rules.
pub(super) fn entry() -> Entry<AdaptationRule> {
    Entry::<AdaptationRule>::new("fixed", "fixed", build)
        .style(WINE, Solid)
        .summary("always the same representation")
        .source("no rule: isolates the network")
        .page("appendix/dash-abr.md")
}

fn build(parameters: FixedParameters, _: &()) -> Result<Box<dyn AbrRule>, ParameterError> {
    Ok(Box::new(Fixed::new(parameters)))
}

/// Parameters of `fixed`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FixedParameters {
    /// Index of the representation in ascending order of bitrate, from 0; limited to the highest one.
    pub representation: usize,
}

/// The constant rule.
#[derive(Debug, Clone)]
pub struct Fixed {
    representation: usize,
}

impl Fixed {
    /// Creates the rule.
    pub fn new(parameters: FixedParameters) -> Fixed {
        Fixed { representation: parameters.representation }
    }
}

impl AbrRule for Fixed {
    fn choose(&mut self, state: &AbrState<'_>) -> Choice {
        Choice::now(self.representation.min(state.set.representations.len().saturating_sub(1)))
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Duration;

    use super::super::testing::{ladder, playing};
    use super::*;

    #[test]
    fn it_is_constant_and_limited_to_the_highest() {
        let mut rule = Fixed::new(FixedParameters { representation: 1 });
        for buffer in [0, 10, 30] {
            let buffer = Duration::from_secs(buffer);
            assert_eq!(rule.choose(&playing(&ladder(&[1, 2, 3]), buffer)), Choice::now(1));
            assert_eq!(rule.choose(&playing(&ladder(&[1]), buffer)), Choice::now(0));
        }
    }
}
