//! Tables for the terminal.

use comfy_table::{CellAlignment, Table, presets};

use crate::columns::{Column, shown_queues};
use crate::comparison::{Comparison, Mark, listed};
use crate::load::Load;
use crate::matrix_table::matrix_tables;
use crate::model::{Manifest, Mode, Status, Variant};
use crate::number;
use crate::store::Results;
use crate::viewers;

/// The comparison of the variants: one row each, or matrices if there are many over two axes. Columns beyond `width`
/// characters continue in further tables below. Live results are marked in a title; warnings and failures follow below.
pub fn comparison_table(results: &Results, width: usize) -> String {
    let table = match matrix_tables(results, width) {
        Some(matrices) => matrices + &footer(results, &Comparison::of(results), &full_title, ""),
        None => list(results, width),
    };
    let experiment = &results.manifest.experiment;
    let title = match experiment.mode {
        Mode::Simulated => String::new(),
        mode => format!("{}, {mode}\n", experiment.name),
    };
    let lateness = lateness(&results.manifest, width);
    title + &table + &lateness + &warnings(results, width) + &failures(&results.manifest, width)
}

/// Lateness of the threads of live runs: of each the run with the highest percentile.
fn lateness(manifest: &Manifest, width: usize) -> String {
    let runs = || manifest.live.iter().filter_map(|entry| entry.facts.timeliness.as_ref());
    let of = |name: &str| {
        let all = runs().flat_map(|run| &run.threads).filter(|thread| thread.of == name);
        let worst = all.map(|thread| thread.p99_us).max_by(f64::total_cmp)?;
        Some(format!("{name} {} µs", number::plain(worst)))
    };
    let threads: Vec<String> = ["router", "hosts", "programs"].into_iter().filter_map(of).collect();
    let least = runs().map(|run| run.limit_us).min_by(f64::total_cmp);
    let Some(limit) = least.filter(|_| !threads.is_empty()) else { return String::new() };
    let text = format!("{} (p99 of the worst run; limit {} µs)", threads.join(", "), number::plain(limit));
    hanging("Lateness", &text, width)
}

/// Warnings, one line per reason.
fn warnings(results: &Results, width: usize) -> String {
    results.warnings.iter().map(|warning| hanging("Warning", &warning.text(), width)).collect()
}

/// Failures, one line per run.
fn failures(manifest: &Manifest, width: usize) -> String {
    manifest.failures.iter().map(|failure| hanging("failed", &failure.to_string(), width)).collect()
}

/// Maximum number of variants whose differences follow in words.
const IN_WORDS: usize = 6;

fn list(results: &Results, width: usize) -> String {
    let comparison = Comparison::of(results);
    let variants = &results.manifest.experiment.variants;
    let shown = &comparison.columns;
    // The viewer whose columns come first is named once, below the table; other viewers are named in each of their
    // columns.
    let seen = || shown.iter().filter(|column| viewers::is_seen(&column.metric));
    let viewer = seen().next().map(|column| column.subject.as_str());
    let several_flows = results.manifest.objects.values().filter(|table| *table == "flows").count() > 1;
    let load = Load::of(results);
    let queues = shown_queues(results, load.as_ref());
    let title = |column: &Column| {
        if queues.len() > 1 && queues.contains(&column.subject.as_str()) {
            // The footer names the link.
            let direction = column.subject.rsplit_once('.').map_or("", |(_, direction)| direction);
            return format!("{direction} {}", column.title);
        }
        // A flow's column names the flow, unless there is only one.
        let is_flows = several_flows
            && matches!(column.metric.as_str(), "rtt" | "owd" | "completion_time" | "loss")
            || viewers::is_seen(&column.metric)
                && viewer != Some(&column.subject)
                && column.objects != ["all flows"]
            || load.is_some() && column.metric == "goodput";
        let is_shared = shown.iter().filter(|other| other.title == column.title).count() > 1;
        if is_shared || is_flows {
            format!("{} {}", column.subject, column.title)
        } else {
            column.title.clone()
        }
    };
    if shown.is_empty() {
        return "No measurements.\n".to_owned() + &footer(results, &comparison, &title, "");
    }
    let mut first = vec!["variant".to_owned(), String::new()];
    first.extend(variants.iter().map(Variant::title));
    let mut columns = Vec::new();
    let mut is_marked = false;
    for (at, column) in shown.iter().enumerate() {
        let marks: Vec<Option<Mark>> = (0..variants.len()).map(|place| comparison.mark(at, place)).collect();
        let signs: Vec<&str> = marks.iter().map(|mark| mark.map_or("", Mark::sign)).collect();
        let has_signs = signs.iter().any(|sign| !sign.is_empty());
        is_marked |= has_signs;
        let cell = |place: usize| {
            let value = comparison.value(at, place).map_or_else(|| "–".to_owned(), |value| value.text());
            // The digits of a column stay below each other.
            if has_signs { format!("{value} {:1}", signs[place]) } else { value }
        };
        let mut cells = vec![title(column), column.shown_unit().to_owned()];
        cells.extend((0..variants.len()).map(cell));
        columns.push(cells);
    }
    let mut out = String::new();
    let mut group: Vec<&Vec<String>> = Vec::new();
    // Beside the cells there is a border.
    let start = cell_width(&first) + 1;
    let mut used = start;
    for column in &columns {
        if !group.is_empty() && used + cell_width(column) > width {
            out.push_str(&render(&first, &group));
            group.clear();
            used = start;
        }
        used += cell_width(column);
        group.push(column);
    }
    out.push_str(&render(&first, &group));
    if let Some(viewer) = viewer {
        out.push_str(&format!("Viewer: {viewer}\n"));
    }
    out.push_str(&footer(results, &comparison, &title, ", ± half the 95 % interval or [its ends]"));
    out + &differences(&comparison, &title, is_marked, width)
}

/// What the marks mean, and each variant's differences from its baseline in words: first those beyond chance, in per cent
/// of the baseline where that means something.
fn differences(
    comparison: &Comparison<'_>,
    title: &dyn Fn(&Column) -> String,
    is_marked: bool,
    width: usize,
) -> String {
    let places = || (0..comparison.variants.len()).filter(|place| comparison.baseline(*place).is_some());
    let has_interval = |place: usize| {
        let mut columns = 0..comparison.columns.len();
        columns
            .any(|at| comparison.difference(at, place).is_some_and(|paired| paired.estimate.ci95.is_some()))
    };
    if !places().any(has_interval) {
        return String::new();
    }
    let common = comparison.common_baseline();
    let baseline = common.as_deref().unwrap_or("its baseline");
    let marks = if is_marked { "▲ above, ▼ below " } else { "No difference from " };
    let mut out = hanging(
        "Differences",
        &format!(
            "{marks}{baseline} beyond chance: the 95 % interval of the difference, paired by seed, excludes 0."
        ),
        width,
    );
    if places().count() > IN_WORDS {
        out.push_str("    report.html and differences.parquet have their sizes.\n");
        return out;
    }
    for place in places() {
        let (mut clear, mut unclear) = (Vec::new(), Vec::new());
        for (at, column) in comparison.columns.iter().enumerate() {
            let Some(paired) = comparison.difference(at, place) else { continue };
            let name = title(column);
            if Mark::of(&paired) == Mark::Unclear {
                unclear.push(name);
                continue;
            }
            let size = match paired.in_per_cent() {
                // Per cents of a percentage would be ambiguous.
                _ if column.unit == "%" => {
                    format!("{} points", number::signed(paired.estimate.mean, paired.estimate.ci95))
                }
                Some(percent) => format!("{} %", number::signed(percent.mean, percent.ci95)),
                None => {
                    let size = number::signed(paired.estimate.mean, paired.estimate.ci95);
                    format!("{size} {}", column.shown_unit()).trim_end().to_owned()
                }
            };
            clear.push(format!("{name} {size}"));
        }
        let mut text =
            if clear.is_empty() { "no difference beyond chance".to_owned() } else { clear.join(", ") };
        if !clear.is_empty() && !unclear.is_empty() {
            text.push_str(&format!("; not beyond chance: {}", listed(&unclear, IN_WORDS)));
        }
        let of = match (&common, comparison.baseline(place)) {
            (None, Some(baseline)) => format!(" – {}", comparison.variants[baseline].title()),
            _ => String::new(),
        };
        out.push_str(&hanging(&format!("  {}{of}", comparison.variants[place].title()), &text, width));
    }
    out
}

/// Title of a column in matrices, which name the subject.
fn full_title(column: &Column) -> String {
    column.full_title()
}

/// The footer: scope of the means; `intervals` describes the values beside them.
fn footer(
    results: &Results,
    comparison: &Comparison<'_>,
    title: &dyn Fn(&Column) -> String,
    intervals: &str,
) -> String {
    let mut out = String::new();
    let load = Load::of(results);
    match shown_queues(results, load.as_ref()).as_slice() {
        [] => {}
        [queue] => out.push_str(&format!("Queue: {queue}\n")),
        queues => out.push_str(&format!("Queues: {}\n", queues.join(", "))),
    }
    if let Some(load) = load {
        out.push_str(&format!("Flows: {}\n", load.text()));
    }
    let seeds = results.manifest.experiment.seeds.len();
    let (done, all) = (results.manifest.runs.len(), seeds * results.manifest.experiment.variants.len());
    if seeds > 1 && done > 0 {
        out.push_str(&format!("Means over {}{intervals}.\n", comparison.seeds(title)));
    }
    if done < all {
        let why = if results.manifest.status == Status::Interrupted { "Interrupted: " } else { "" };
        out.push_str(&format!("{why}{done} of {all} runs are in these results.\n"));
    }
    out
}

/// `head: text`, wrapped at blanks with a hanging indent.
pub(crate) fn hanging(head: &str, text: &str, width: usize) -> String {
    let mut out = format!("{head}:");
    let mut column = out.chars().count();
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column + 1 + length > width {
            out.push_str("\n    ");
            column = 4;
        }
        out.push(' ');
        out.push_str(word);
        column += 1 + length;
    }
    out.push('\n');
    out
}

pub(crate) fn new_table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    table
}

pub(crate) fn align_right(table: &mut Table, columns: std::ops::Range<usize>) {
    for index in columns {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

/// Width of a column in characters, with padding and a border.
fn cell_width(cells: &[String]) -> usize {
    cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0) + 3
}

fn render(first: &[String], columns: &[&Vec<String>]) -> String {
    let mut table = new_table();
    let row = |index: usize| std::iter::once(&first[index]).chain(columns.iter().map(move |c| &c[index]));
    let header = std::iter::once(first[0].clone()).chain(
        columns.iter().map(|c| if c[1].is_empty() { c[0].clone() } else { format!("{}\n{}", c[0], c[1]) }),
    );
    table.set_header(header);
    for index in 2..first.len() {
        table.add_row(row(index));
    }
    align_right(&mut table, 1..columns.len() + 1);
    format!("{table}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, streaming};

    #[test]
    fn the_comparison_matches_its_snapshot() {
        let folder = tempfile::tempdir().unwrap();
        let results = testing::results(&folder.path().join("out"));
        insta::assert_snapshot!(comparison_table(&results, 100));
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let folder = tempfile::tempdir().unwrap();
        let results = testing::results(&folder.path().join("out"));
        for width in [60, 80, 100, 200] {
            let table = comparison_table(&results, width);
            let widest = table.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= width, "{widest} > {width}:\n{table}");
        }
    }

    #[test]
    fn live_results_with_failures_match_their_snapshot() {
        let folder = tempfile::tempdir().unwrap();
        let results = testing::live(&folder.path().join("out"));
        insta::assert_snapshot!(comparison_table(&results, 100));
    }

    #[test]
    fn failures_without_a_run_are_printed() {
        let folder = tempfile::tempdir().unwrap();
        let results = testing::failed(&folder.path().join("out"));
        let table = comparison_table(&results, 60);
        assert!(table.starts_with("test/made-up, live\nNo measurements.\n"), "{table}");
        let told: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(
            told,
            [
                "0 of 1 runs are in these results.",
                "failed: tail-drop (seed 1): the program `iperf3` does not",
                "     exist"
            ]
        );
    }

    #[test]
    fn viewers_match_their_snapshot() {
        let folder = tempfile::tempdir().unwrap();
        let scene = streaming::Scene { loads: 1, ..Default::default() };
        let results = streaming::stored(&folder.path().join("out"), scene, &["newreno", "newcwv"], 2);
        insta::assert_snapshot!(comparison_table(&results, 100));
    }
}
