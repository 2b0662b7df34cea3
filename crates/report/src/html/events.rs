//! Events of viewers: the most expensive ones, each with its chain and its ladder.

use std::fmt::Write;

use super::escape::escape;
use crate::error::ReportError;
use crate::explain::{Check, Event, LADDER_STYLE, event_line, explain, ladder, overview, told};
use crate::model::{Mode, RunKey};
use crate::store::{Results, stored_events, stored_evidence};

/// Most events on the page.
const MOST: usize = 20;

/// The section; empty without events.
pub(super) fn section(results: &Results) -> Result<String, ReportError> {
    let Some(events) = stored_events(&results.folder)?.filter(|events| !events.is_empty()) else {
        return Ok(String::new());
    };
    let mut all: Vec<(&RunKey, &Event)> =
        events.iter().flat_map(|(key, own)| own.iter().map(move |event| (key, event))).collect();
    let count = all.len();
    all.sort_by(|one, other| other.1.cost.total_cmp(&one.1.cost).then_with(|| one.0.cmp(other.0)));
    all.truncate(MOST);
    let note = match results.manifest.experiment.mode {
        Mode::Live => {
            "These chains follow from the tables alone: what hosts' kernels and external programs did is not seen."
        }
        _ => {
            "These chains follow from the tables alone; <code>jettison explain</code> also runs the counterfactuals."
        }
    };
    let mut body = format!(
        "<p class=\"note\">The {} most expensive of {count} events, with what their units waited for beyond the usual, and the \
         drops and waits behind that. {note}</p>\n<style>\n{LADDER_STYLE}</style>\n",
        all.len()
    );
    for (key, own) in &events {
        let _ = writeln!(body, "<p>{}: {}</p>", escape(&key.to_string()), escape(&overview(own)));
    }
    let is_live = results.manifest.experiment.mode == Mode::Live;
    let check = if is_live { Check::live() } else { Check::None };
    let mut known: Option<(&RunKey, _)> = None;
    for (key, event) in all {
        if known.as_ref().is_none_or(|(own, _)| *own != key) {
            known = Some((key, stored_evidence(&results.folder, key)?.unwrap_or_default()));
        }
        let Some((_, evidence)) = &known else { continue };
        let explanation = explain(event, evidence);
        let chain: Vec<String> = told(&explanation, &check).iter().skip(1).map(|line| escape(line)).collect();
        let _ = writeln!(
            body,
            "<details class=\"event\"><summary>{}: {}</summary>\n<div class=\"chain\"><pre>{}</pre>\n{}</div></details>",
            escape(&key.to_string()),
            escape(&event_line(event)),
            chain.join("\n"),
            ladder(&explanation, evidence, false)
        );
    }
    Ok(body)
}
