//! Why viewers' events happened: from an event back to the units that were late, to what they waited for, and to the drops and
//! waits behind that.
//!
//! The rules are pure: they know a run by its tables alone ([`Evidence`]). Whether a chain is right, a counterfactual says: without
//! what it names, the event must be gone or smaller. That is up to those who can run the run again (`jettison-run`).

mod answer;
mod cause;
mod chain;
mod evidence;
mod from_record;
mod ladder;
mod members;
mod record;
mod typical;
mod words;

pub use answer::answer;
pub use cause::{Cause, CauseKind, Evidenced};
pub use chain::{ChainPart, Explanation, Member, explain};
pub use evidence::{Account, Decision, Event, Evidence, Part};
pub use from_record::events_of;
pub use ladder::{LADDER_STYLE, ladder};
pub use record::{ExplainedRecord, record};
pub use words::{Check, event_line, overview, told};

#[cfg(test)]
mod tests;
