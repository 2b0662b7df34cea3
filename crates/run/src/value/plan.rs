//! The format of `<experiment>.value.toml`: what is tried with the decisions of an experiment's runs.

use std::collections::BTreeMap;

use jettison_core::Duration;
use jettison_scenario::schema::Settings;
use serde::Deserialize;
use thiserror::Error;

/// What is tried with the decisions of an experiment's runs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The queue whose drops are tried: a direction of a link, such as `bottleneck.forward`.
    pub queue: String,
    /// Entries of `[flows]` that have viewers.
    pub viewers: BTreeMap<String, Viewer>,
    /// Drops tried in each run.
    pub decisions: usize,
    /// Draws of each arm. Half of them choose, the other half judge.
    pub draws: usize,
    /// What is smaller with `--quick`.
    #[serde(default)]
    pub quick: Quick,
}

/// How the quality of an entry's viewers is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Viewer {
    /// Time after a decision over which it counts.
    pub horizon: Duration,
    /// Deadline of a frame, from its capture; of streaming there is none.
    #[serde(default = "no_deadline")]
    pub deadline: Duration,
}

fn no_deadline() -> Duration {
    Duration::MAX
}

/// The viewers of a variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Viewers {
    /// Names of the flows, with their frames' deadlines.
    pub flows: Vec<(String, Duration)>,
    /// The longest of their horizons.
    pub horizon: Duration,
}

/// What is smaller with `--quick`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quick {
    /// Drops tried in each run.
    pub decisions: Option<usize>,
    /// Draws of each arm.
    pub draws: Option<usize>,
}

/// A plan that cannot be read, or does not fit its scenario.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file}: {message}")]
pub struct PlanError {
    /// The file.
    pub file: String,
    /// The error.
    pub message: String,
}

impl Plan {
    /// Parses a plan.
    ///
    /// # Errors
    /// If a key is missing, unknown or out of range.
    pub fn parse(file: &str, text: &str) -> Result<Plan, PlanError> {
        let wrong = |message: String| PlanError { file: file.to_owned(), message };
        let plan: Plan = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        for draws in std::iter::once(plan.draws).chain(plan.quick.draws) {
            if draws < 2 || draws % 2 != 0 {
                return Err(wrong(format!(
                    "`draws` must be even and >= 2, got {draws}: half of them choose, the other half judge"
                )));
            }
        }
        for decisions in std::iter::once(plan.decisions).chain(plan.quick.decisions) {
            if decisions == 0 {
                return Err(wrong("`decisions` must be >= 1, got 0".to_owned()));
            }
        }
        if plan.viewers.is_empty() {
            return Err(wrong("`viewers` must name at least one entry of `[flows]`".to_owned()));
        }
        if let Some((entry, _)) = plan.viewers.iter().find(|(_, viewer)| viewer.horizon.is_zero()) {
            return Err(wrong(format!("`viewers.{entry}.horizon` must be > 0, got 0 s")));
        }
        Ok(plan)
    }

    /// The plan with `--quick`.
    #[must_use]
    pub fn quick(mut self) -> Plan {
        self.decisions = self.quick.decisions.unwrap_or(self.decisions);
        self.draws = self.quick.draws.unwrap_or(self.draws);
        self
    }

    /// The viewers of a variant; `None` without any.
    pub fn viewers_of(&self, settings: &Settings) -> Option<Viewers> {
        let mut found: Option<Viewers> = None;
        for (entry, viewer) in &self.viewers {
            let Some(flow) = settings.flows.get(entry).filter(|flow| flow.count > 0) else { continue };
            let viewers = found.get_or_insert_with(|| Viewers { flows: Vec::new(), horizon: Duration::ZERO });
            viewers.horizon = viewers.horizon.max(viewer.horizon);
            viewers.flows.extend(flow.names(entry).into_iter().map(|name| (name, viewer.deadline)));
        }
        found
    }

    /// Checks that a variant's run is long enough, and has the plan's flows.
    ///
    /// # Errors
    /// If it is not so.
    pub fn check(&self, file: &str, settings: &Settings) -> Result<(), PlanError> {
        let wrong = |message: String| PlanError { file: file.to_owned(), message };
        if let Some(entry) = self.viewers.keys().find(|entry| !settings.flows.contains_key(*entry)) {
            let names = settings.flows.keys().map(String::as_str);
            let help = jettison_registry::suggestion(entry, names);
            return Err(wrong(format!("`viewers.{entry}`: unknown flow `{entry}`; {help}")));
        }
        let Some(Viewers { horizon, .. }) = self.viewers_of(settings) else { return Ok(()) };
        if settings.warm_up.saturating_add(horizon) >= settings.duration {
            return Err(wrong(format!(
                "`duration` must be longer than the warm-up and the horizon ({} + {horizon}), got {}",
                settings.warm_up, settings.duration
            )));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = "queue = \"b.forward\"\ndecisions = 4\ndraws = 6\n\
                        viewers = { call = { horizon = \"5 s\", deadline = \"300 ms\" } }\nquick = { draws = 2 }\n";

    #[test]
    fn a_plan_is_smaller_with_quick() {
        let plan = Plan::parse("p", PLAN).expect("it is valid").quick();
        assert_eq!((plan.decisions, plan.draws), (4, 2));
        assert_eq!(plan.viewers["call"].horizon, Duration::from_secs(5));
    }

    #[test]
    fn messages_say_what_is_required() {
        let said =
            |from: &str, to: &str| Plan::parse("p", &PLAN.replace(from, to)).expect_err("invalid").message;
        assert!(said("draws = 6", "draws = 5").starts_with("`draws` must be even and >= 2, got 5"));
        assert_eq!(said("decisions = 4", "decisions = 0"), "`decisions` must be >= 1, got 0");
        assert_eq!(said("5 s", "0 s"), "`viewers.call.horizon` must be > 0, got 0 s");
        assert!(said("deadline", "deadlin").contains("deadlin"));
    }
}
