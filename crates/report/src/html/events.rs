//! Events of viewers: the most expensive ones, each with its chain and its ladder.

use minijinja::{Value, context};
use serde::Serialize;

use super::Section;
use super::templates::{rendered, safe};
use crate::error::ReportError;
use crate::explain::{Check, Event, LADDER_STYLE, event_line, explain, ladder, overview, told};
use crate::model::{Mode, RunKey};
use crate::store::{Results, stored_events, stored_evidence};

/// Most events on the page.
const MOST: usize = 20;

#[derive(Serialize)]
struct Told {
    run: String,
    line: String,
    chain: Vec<String>,
    ladder: Value,
}

/// The section; empty without events.
pub(super) fn section(results: &Results) -> Result<Section, ReportError> {
    let mut events = stored_events(&results.folder)?.unwrap_or_default();
    let warm_up = results.manifest.experiment.warm_up;
    events.values_mut().for_each(|own| own.retain(|event| event.is_after(warm_up)));
    events.retain(|_, own| !own.is_empty());
    if events.is_empty() {
        return Ok(Section::none());
    }
    let mut all: Vec<(&RunKey, &Event)> =
        events.iter().flat_map(|(key, own)| own.iter().map(move |event| (key, event))).collect();
    let count = all.len();
    all.sort_by(|one, other| other.1.cost.total_cmp(&one.1.cost).then_with(|| one.0.cmp(other.0)));
    all.truncate(MOST);
    let overviews: Vec<String> =
        events.iter().map(|(key, own)| format!("{key}: {}", overview(own))).collect();
    let is_live = results.manifest.experiment.mode == Mode::Live;
    let check = if is_live { Check::live() } else { Check::None };
    let mut known: Option<(&RunKey, _)> = None;
    let mut shown = Vec::new();
    for (key, event) in all {
        if known.as_ref().is_none_or(|(own, _)| *own != key) {
            known = Some((key, stored_evidence(&results.folder, key)?.unwrap_or_default()));
        }
        let Some((_, evidence)) = &known else { continue };
        let explanation = explain(event, evidence);
        shown.push(Told {
            run: key.to_string(),
            line: event_line(event),
            chain: told(&explanation, &check).into_iter().skip(1).collect(),
            ladder: safe(ladder(&explanation, evidence, false)),
        });
    }
    let style = safe(LADDER_STYLE.to_owned());
    let body = rendered("events.html", context! { count, overviews, shown, style, is_live })?;
    Ok(Section { id: "events", title: "Events of viewers", body })
}
