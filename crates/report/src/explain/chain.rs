//! The chain of an event: its units, their parts, and the causes.

use jettison_core::{Duration, Time};
use jettison_measure::Unit;

use super::cause::{Cause, causes};
use super::evidence::{Event, Evidence};
use super::members::members;

/// Most units that a chain lists.
const LISTED: usize = 12;

/// A component at a place, with what exceeds the usual.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainPart {
    /// Name of the component.
    pub component: String,
    /// Queue or node.
    pub place: String,
    /// Excess over all units.
    pub excess: Duration,
}

/// A unit of the chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// The unit.
    pub unit: Unit,
    /// When its delay began.
    pub start: Time,
    /// How long it took until it was there.
    pub took: Duration,
    /// What became of it.
    pub status: &'static str,
    /// Why.
    pub reason: String,
}

/// The explanation of one event.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The event.
    pub event: Event,
    /// Units that the viewer waited for, those that took longest, in the order of time.
    pub members: Vec<Member>,
    /// Number of all of them.
    pub count: usize,
    /// What exceeds the usual, in descending order.
    pub parts: Vec<ChainPart>,
    /// Whether that is what is usual for the flow, since nothing exceeds it.
    pub is_usual: bool,
    /// Causes, in descending order.
    pub causes: Vec<Cause>,
}

impl Explanation {
    /// Whether there is something to do without: a drop or a wait.
    pub fn is_revertible(&self) -> bool {
        self.causes.iter().any(Cause::is_revertible)
    }
}

/// Explains an event by the rules of this module.
pub fn explain(event: &Event, evidence: &Evidence) -> Explanation {
    let accounts = members(event, evidence);
    let found = causes(event, &accounts, evidence);
    let mut parts: Vec<ChainPart> = found
        .excess
        .into_iter()
        .filter(|(_, excess)| *excess > 0)
        .map(|((component, place), excess)| ChainPart {
            component: component.name().to_owned(),
            place,
            excess: Duration::from_nanos(excess),
        })
        .collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.excess));
    let count = accounts.len();
    let mut members: Vec<Member> = accounts
        .iter()
        .map(|own| Member {
            unit: own.unit,
            start: own.start,
            took: own.arrived().since(own.start),
            status: own.status.name(),
            reason: own.reason.clone(),
        })
        .collect();
    // Those that never came say most, then those that took longest.
    members.sort_by_key(|own| (own.status == "shown", std::cmp::Reverse(own.took)));
    members.truncate(LISTED);
    members.sort_by_key(|own| (own.start, own.unit));
    Explanation {
        event: event.clone(),
        members,
        count,
        parts,
        is_usual: found.is_usual,
        causes: found.causes,
    }
}
