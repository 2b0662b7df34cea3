//! What one variant gave.

use super::measures::{Measure, Measures};
use super::words::with_unit;
use crate::comparison::Comparison;

/// Maximum numbers of values that are named, of what is felt and of the rest.
const FELT: usize = 4;
const REST: usize = 3;

/// One sentence of what viewers or users got.
pub(super) fn sentences(comparison: &Comparison<'_>, measures: &Measures) -> Vec<String> {
    let text = |measure: &Measure| {
        let value = comparison.value(measure.at, 0)?;
        Some(format!(
            "{} {}",
            measure.noun,
            with_unit(&value.text(), comparison.columns[measure.at].shown_unit())
        ))
    };
    let felt: Vec<String> = measures.felt.iter().filter_map(text).take(FELT).collect();
    let rest: Vec<String> = measures.costs.iter().filter_map(text).take(REST).collect();
    let who = match measures.who {
        "viewer" => "The viewer got",
        "user" => "The user got",
        _ => "The network gave",
    };
    match (felt.is_empty(), rest.is_empty()) {
        (true, true) => vec!["Nothing that a comparison shows was measured.".to_owned()],
        (true, false) => vec![format!("Measured: {}.", rest.join(", "))],
        (false, true) => vec![format!("{who}: {}.", felt.join(", "))],
        (false, false) => vec![format!("{who}: {}; the network: {}.", felt.join(", "), rest.join(", "))],
    }
}
