//! `jettison list reasons`: what the crates declare in one place.

use jettison_core::{DropReason, MarkReason};
use serde::Serialize;

use super::list::wrap;
use crate::output::{Failure, print, print_record, width};

/// A reason for which packets are dropped or marked.
#[derive(Debug, Serialize)]
struct Reason {
    id: &'static str,
    /// `drop` or `mark`.
    kind: &'static str,
    owner: &'static str,
    /// Of a drop: whether a flow has lost a packet. Of a mark: whether it is ECN's CE.
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ce: Option<bool>,
    description: &'static str,
}

/// Lists the reasons of drops, then those of marks.
pub fn reasons(json: bool) -> Result<(), Failure> {
    let drops = DropReason::ALL.map(|reason| Reason {
        id: reason.name(),
        kind: "drop",
        owner: reason.owner(),
        loss: Some(reason.is_loss()),
        ce: None,
        description: reason.description(),
    });
    let marks = MarkReason::ALL.map(|reason| Reason {
        id: reason.name(),
        kind: "mark",
        owner: reason.owner(),
        loss: None,
        ce: Some(reason.is_ce()),
        description: reason.description(),
    });
    for reason in drops.into_iter().chain(marks) {
        if json {
            print_record(&reason)?;
            continue;
        }
        let note = match (reason.loss, reason.ce) {
            (Some(false), _) => ", no loss",
            (_, Some(false)) => ", not CE",
            _ => "",
        };
        let head = format!("{}  {} by {}{note}", reason.id, reason.kind, reason.owner);
        print(format_args!("{head}\n{}", indented(reason.description)))?;
    }
    Ok(())
}

/// A description below its heading.
fn indented(text: &str) -> String {
    let indent = 6;
    let lines = wrap(text, width().saturating_sub(indent));
    lines.iter().map(|line| format!("{:indent$}{line}\n", "")).collect()
}
