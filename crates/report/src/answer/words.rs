//! Sentences.

use indexmap::{IndexMap, IndexSet};

use crate::comparison::Comparison;
use crate::model::Mode;
use crate::number;
use crate::store::Results;

/// Maximum number of values of an axis that are named.
const NAMED: usize = 6;

/// What was compared: `mine compares 3 values of queue (tail-drop, codel, pi2) over 5 seeds.`
pub(super) fn compared(results: &Results) -> String {
    let experiment = &results.manifest.experiment;
    let seeds = seeds(experiment.seeds.len());
    let mode = match experiment.mode {
        Mode::Simulated => String::new(),
        mode => format!(", {mode},"),
    };
    let name = &experiment.name;
    let mut axes: IndexMap<&str, IndexSet<&str>> = IndexMap::new();
    for variant in &experiment.variants {
        for (axis, label) in &variant.labels {
            axes.entry(axis).or_default().insert(label);
        }
    }
    axes.retain(|_, labels| labels.len() > 1);
    if experiment.variants.len() < 2 {
        return format!("{name}{mode} ran with {seeds}.");
    }
    if axes.is_empty() {
        let names: Vec<&str> = experiment.variants.iter().map(|variant| variant.name.as_str()).collect();
        return format!("{name}{mode} compares {} over {seeds}.", listed(&names));
    }
    let is_one = axes.len() == 1;
    let axes = axes.iter().enumerate().map(|(at, (axis, labels))| {
        let labels: Vec<&str> = labels.iter().copied().collect();
        let named = if is_one || labels.len() <= NAMED {
            format!(" ({})", enumerated(&labels))
        } else {
            String::new()
        };
        format!("{}{}{axis}{named}", labels.len(), if at == 0 { " values of " } else { " of " })
    });
    format!("{name}{mode} compares {} over {seeds}.", axes.collect::<Vec<_>>().join(" × "))
}

/// `1 seed`, `5 seeds`.
pub(super) fn seeds(count: usize) -> String {
    if count == 1 { "1 seed".to_owned() } else { format!("{count} seeds") }
}

/// `a, b, c and 3 more`, without the last `and` in short lists.
fn enumerated(names: &[&str]) -> String {
    match names.len() > NAMED {
        true => format!("{} and {} more", names[..NAMED - 1].join(", "), names.len() + 1 - NAMED),
        false => names.join(", "),
    }
}

/// `a`, `a and b`, `a, b and c`, or with the number of those that are not named.
pub(super) fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        names if names.len() > NAMED => enumerated(names),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A variant's mean with its unit: `43.0 ms`.
pub(super) fn value(comparison: &Comparison<'_>, at: usize, variant: usize) -> String {
    match comparison.value(at, variant) {
        Some(value) => with_unit(&number::plain(value.estimate.mean), comparison.columns[at].shown_unit()),
        None => "nothing".to_owned(),
    }
}

/// A number with its unit, if it has one.
pub(super) fn with_unit(number: &str, unit: &str) -> String {
    format!("{number} {unit}").trim_end().to_owned()
}
