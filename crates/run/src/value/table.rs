//! All tables of a study, as Markdown: `value/tables.md` of the results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::summary::{Interval, Judged, Summary};
use super::trial::{Arm, Feature};

/// Head of a table of cells.
const HEAD: &str = "drops/s | tried | null | hurt, % | helped, % | spare | swap-other | swap-viewer | size | regret | noise | learned";

/// Classes of decisions in the tables: feature and arm.
const CLASSES: [(Feature, Arm); 4] = [
    (Feature::Broken, Arm::Spare),
    (Feature::Share, Arm::Spare),
    (Feature::Share, Arm::SwapOther),
    (Feature::VictimBroken, Arm::SwapViewer),
];

/// The tables of a study: for each value of the first axis and each measure one with a row per variant, and one of classes.
pub(super) fn tables(summaries: &[Summary]) -> String {
    let mut out = String::new();
    for (group, rows) in &grouped(summaries) {
        let measures = rows.iter().map(|(_, summary)| summary.judged.len()).max().unwrap_or_default();
        for place in 0..measures {
            let rows: Vec<(&str, &Summary, &Judged)> = rows
                .iter()
                .filter_map(|(name, own)| Some((name.as_str(), *own, own.judged.get(place)?)))
                .collect();
            let Some((_, _, first)) = rows.first() else { continue };
            let _ =
                writeln!(out, "\n**{group}{}{}**\n", if group.is_empty() { "" } else { ": " }, first.measure);
            let _ = writeln!(out, "| | {HEAD} |\n| --- |{}", " ---: |".repeat(HEAD.split('|').count()));
            for (name, summary, own) in &rows {
                let _ = writeln!(out, "| {name} | {} |", cells(summary, own).join(" | "));
            }
            out.push_str(&classes(&rows));
        }
    }
    out
}

/// The cells by the value of the first axis, each with the values of the others.
pub(super) fn grouped(summaries: &[Summary]) -> Vec<(String, Vec<(String, &Summary)>)> {
    let mut groups: Vec<(String, Vec<(String, &Summary)>)> = Vec::new();
    for summary in summaries {
        let (group, row) = names(summary);
        match groups.iter_mut().find(|(name, _)| *name == group) {
            Some((_, rows)) => rows.push((row, summary)),
            None => groups.push((group, vec![(row, summary)])),
        }
    }
    groups
}

/// The first label, and the others.
fn names(summary: &Summary) -> (String, String) {
    let mut labels = summary.labels.values();
    let first = labels.next().cloned().unwrap_or_default();
    let others: Vec<&str> = labels.map(String::as_str).collect();
    if others.is_empty() { (String::new(), summary.variant.clone()) } else { (first, others.join(", ")) }
}

fn cells(summary: &Summary, own: &Judged) -> Vec<String> {
    let gain = |arm: Arm| own.gains.get(arm.name()).map_or_else(|| "–".to_owned(), |gain| signed(*gain));
    let known = |interval: Option<Interval>| interval.map_or_else(|| "–".to_owned(), signed);
    vec![
        plain(summary.drops_per_second),
        summary.trials.to_string(),
        format!("{} ({})", plain(own.width), own.null),
        signed(own.hurt),
        signed(own.helped),
        gain(Arm::Spare),
        gain(Arm::SwapOther),
        gain(Arm::SwapViewer),
        plain(own.size),
        signed(own.regret),
        known(own.regret_of_noise),
        known(own.learned),
    ]
}

/// Mean gains of some classes of decisions: a row per class, a column per variant.
fn classes(rows: &[(&str, &Summary, &Judged)]) -> String {
    let mut out = String::new();
    let names: Vec<&str> = rows.iter().map(|(name, ..)| *name).collect();
    let _ = writeln!(
        out,
        "\n| class | arm | {} |\n| --- | --- |{}",
        names.join(" | "),
        " ---: |".repeat(rows.len())
    );
    for (feature, arm) in CLASSES {
        let of = |own: &Judged| -> BTreeMap<String, String> {
            let own =
                own.classes.iter().filter(|class| class.feature == feature.name() && class.arm == arm.name());
            own.map(|class| (class.value.clone(), format!("{} ({})", signed(class.gain), class.trials)))
                .collect()
        };
        let found: Vec<BTreeMap<String, String>> = rows.iter().map(|(_, _, own)| of(own)).collect();
        let values: BTreeSet<&String> = found.iter().flat_map(BTreeMap::keys).collect();
        for value in values {
            let gains: Vec<&str> =
                found.iter().map(|found| found.get(value).map_or("–", String::as_str)).collect();
            let _ = writeln!(out, "| {}: {value} | {arm} | {} |", feature.name(), gains.join(" | "));
        }
    }
    for (name, _, own) in rows {
        let _ = writeln!(out, "| learned, {name} | | {} |", own.rules.join(" / "));
    }
    out
}

/// A mean with half the width of its interval; bold if the interval excludes zero.
fn signed(interval: Interval) -> String {
    let text = mean_and_half(interval);
    if interval.excludes_zero() { format!("**{text}**") } else { text }
}

/// `+87.6 ± 38.3`.
pub(super) fn mean_and_half(interval: Interval) -> String {
    let sign = if interval.mean > 0.0 { "+" } else { "" };
    format!("{sign}{} ± {}", plain(interval.mean), plain(interval.half()))
}

/// About three significant digits.
pub(super) fn plain(value: f64) -> String {
    let text = match value.abs() {
        _ if !value.is_finite() => "–".to_owned(),
        0.0 => "0".to_owned(),
        99.95.. => format!("{value:.0}"),
        9.995.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_without_zero_is_bold() {
        let of = |mean, low, high| signed(Interval { mean, low, high });
        assert_eq!(of(2.0, 1.0, 3.0), "**+2.00 ± 1.00**");
        assert_eq!(of(-12.0, -25.0, 1.0), "−12.0 ± 13.0");
        assert_eq!(of(0.0, 0.0, 0.0), "0 ± 0");
        assert_eq!([1234.5, f64::INFINITY].map(plain), ["1234", "–"]);
    }
}
