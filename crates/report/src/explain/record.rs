//! Explanations as records of JSON.

use serde::{Deserialize, Serialize};

use super::cause::Cause;
use super::chain::Explanation;
use super::words::{Check, told};

/// An explained event, as `explain --json` prints it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainedRecord {
    /// `explanation`.
    #[serde(rename = "type")]
    pub record: String,
    /// The variant.
    pub variant: String,
    /// The seed.
    pub seed: u64,
    /// Number of the event in its run.
    pub event: u64,
    /// Name of the flow.
    pub flow: String,
    /// Kind of event.
    pub kind: String,
    /// From when on causes were looked for, in nanoseconds.
    pub since_ns: u64,
    /// Beginning.
    pub at_ns: u64,
    /// Duration.
    pub duration_ns: u64,
    /// Cost in seconds of viewing.
    pub cost: f64,
    /// Kind, number and part of the unit that the viewer waited for.
    pub unit: Option<UnitRecord>,
    /// Units that were late or missing.
    pub units: Vec<UnitRecord>,
    /// Whether the causes are what is usual for this flow.
    pub is_usual: bool,
    /// What exceeds the usual.
    pub parts: Vec<PartRecord>,
    /// Causes.
    pub causes: Vec<CauseRecord>,
    /// `confirmed`, `other` or `unchecked`.
    pub verdict: String,
    /// Cost without what the chain names, if that was checked.
    pub cost_without: Option<f64>,
    /// The chain in words.
    pub text: Vec<String>,
    /// The chain as a picture (SVG), if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
}

/// A unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitRecord {
    /// Kind.
    pub kind: String,
    /// Number.
    pub number: u64,
    /// Part.
    pub part: u32,
}

/// A component at a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartRecord {
    /// Name of the component.
    pub component: String,
    /// Queue or node.
    pub place: String,
    /// Excess in nanoseconds.
    pub excess_ns: u64,
}

/// A cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CauseRecord {
    /// Kind: `drops`, `waits`, `link`, `sender`, `losses` or `unseen`.
    pub kind: String,
    /// Queue, link or host.
    pub place: String,
    /// Excess that it explains, in nanoseconds.
    pub excess_ns: u64,
    /// The same as a share of all causes.
    pub share: f64,
    /// When it acted.
    pub from_ns: u64,
    /// Until when.
    pub to_ns: u64,
    /// Rules that fired, with counts.
    pub rules: Vec<(String, usize)>,
    /// The viewer's drops and marks, by their number in `drops.parquet`.
    pub decisions: Vec<u64>,
    /// Packets that waited then.
    pub backlog: Option<u64>,
    /// Whose packets waited then.
    pub holders: String,
    /// Gauges then.
    pub gauges: String,
    /// Cost without this cause alone, if that was checked.
    pub cost_without: Option<f64>,
}

/// The record of an explanation.
pub fn record(
    (variant, seed): (&str, u64),
    explanation: &Explanation,
    check: &Check,
    picture: Option<String>,
) -> ExplainedRecord {
    let event = &explanation.event;
    let unit = |unit: jettison_measure::Unit| UnitRecord {
        kind: unit.kind.name().to_owned(),
        number: unit.number,
        part: unit.part,
    };
    let verdict = match check.is_confirmed(event) {
        None => "unchecked",
        Some(true) => "confirmed",
        Some(false) => "other",
    };
    let (all, each) = match check {
        Check::Left { all, each } => (Some(*all), each.as_slice()),
        _ => (None, [].as_slice()),
    };
    let cause = |(place, cause): (usize, &Cause)| CauseRecord {
        kind: cause.kind.name().to_owned(),
        place: cause.place.clone(),
        excess_ns: cause.excess.as_nanos(),
        share: cause.share,
        from_ns: cause.from.as_nanos(),
        to_ns: cause.to.as_nanos(),
        rules: cause.rules.clone(),
        decisions: cause.decisions.clone(),
        backlog: cause.state.as_ref().and_then(|state| state.backlog),
        holders: cause.state.as_ref().map(|state| state.holders.clone()).unwrap_or_default(),
        gauges: cause.state.as_ref().map(|state| state.gauges.clone()).unwrap_or_default(),
        cost_without: each.iter().find(|(own, _)| *own == place).map(|(_, left)| *left),
    };
    ExplainedRecord {
        record: "explanation".to_owned(),
        variant: variant.to_owned(),
        seed,
        event: event.id,
        flow: event.flow.clone(),
        kind: event.kind.name().to_owned(),
        since_ns: event.since.as_nanos(),
        at_ns: event.at.as_nanos(),
        duration_ns: event.duration.as_nanos(),
        cost: event.cost,
        unit: event.unit.map(unit),
        units: explanation.members.iter().map(|own| unit(own.unit)).collect(),
        is_usual: explanation.is_usual,
        parts: explanation
            .parts
            .iter()
            .map(|part| PartRecord {
                component: part.component.clone(),
                place: part.place.clone(),
                excess_ns: part.excess.as_nanos(),
            })
            .collect(),
        causes: explanation.causes.iter().enumerate().map(cause).collect(),
        verdict: verdict.to_owned(),
        cost_without: all,
        text: told(explanation, check),
        picture,
    }
}
