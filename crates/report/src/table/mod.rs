//! Tables for the terminal.

mod fit;
mod list;

use comfy_table::{CellAlignment, Table, presets};

use crate::answer::{answer, difference_text};
use crate::columns::{Column, shown_queues};
use crate::comparison::{Comparison, Mark, listed};
use crate::load::Load;
use crate::matrix_table::matrix_tables;
use crate::model::{Manifest, Status};
use crate::number;
use crate::store::Results;

pub use fit::Fitted;
use list::Layout;

/// Size of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableOptions {
    /// Width in characters.
    pub width: usize,
    /// Maximum number of lines; none for all that there is, with all columns and the sizes of all differences.
    pub lines: Option<usize>,
}

/// The answer in words, then the comparison of the variants: one row each, or one per group of flows, or matrices if there are
/// many variants over two axes. The bottleneck, warnings and failures follow below.
pub fn comparison_table(results: &Results, options: &TableOptions) -> Fitted {
    let TableOptions { width, lines } = *options;
    let comparison = Comparison::of(results);
    let answer = answer(results);
    let layout = Layout::of(results, &comparison, &answer.judged);
    let title = |column: &Column| layout.long_title(column);
    let head = format!("{}\n", wrapped(&answer.text(), width));
    let (tables, mut left_out, foot) = match matrix_tables(results, width) {
        Some(matrices) => {
            let foot =
                matrices.notes + &footer(results, &comparison, &|column| column.full_title(), "", width);
            (matrices.tables, Vec::new(), foot)
        }
        None => {
            let shown = layout
                .tables(options, lines.is_none() || !results.manifest.experiment.report.columns.is_empty());
            let mut foot = String::new();
            if let Some(viewer) = &shown.viewer {
                foot.push_str(&format!("Viewer: {viewer}\n"));
            }
            foot.push_str(&footer(
                results,
                &comparison,
                &title,
                ", ± half the 95 % interval or [its ends]",
                width,
            ));
            foot.push_str(&differences(&comparison, &title, shown.is_marked, options));
            (shown.tables, shown.left_out, foot)
        }
    };
    let tables = match tables.is_empty() {
        true => vec![("measurements".to_owned(), "No measurements.\n".to_owned())],
        false => tables,
    };
    let manifest = &results.manifest;
    let foot = foot + &lateness(manifest, width) + &warnings(results, width) + &failures(manifest, options);
    let Some(lines) = lines else {
        let tables: String = tables.into_iter().map(|(_, text)| text).collect();
        return Fitted::whole(head + &tables + &foot);
    };
    let room = lines.saturating_sub(head.lines().count() + foot.lines().count());
    let fitted = Fitted::parts(&tables, room);
    left_out.extend(fitted.left_out);
    Fitted { text: head + &fitted.text + &foot, left_out }
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

/// Maximum number of failures that are named unless all are asked for.
const FAILURES: usize = 5;

/// Failures, one line per run.
fn failures(manifest: &Manifest, options: &TableOptions) -> String {
    let most = if options.lines.is_some() { FAILURES } else { usize::MAX };
    let named = manifest.failures.iter().take(most);
    let mut out: String =
        named.map(|failure| hanging("failed", &failure.to_string(), options.width)).collect();
    if manifest.failures.len() > most {
        out.push_str(&format!("failed: {} more runs\n", manifest.failures.len() - most));
    }
    out
}

/// Maximum number of variants whose differences follow in words.
const IN_WORDS: usize = 6;

/// What the marks mean, and on request each variant's differences from its baseline in words: first those beyond chance, in
/// per cent of the baseline where that means something.
fn differences(
    comparison: &Comparison<'_>,
    title: &dyn Fn(&Column) -> String,
    is_marked: bool,
    options: &TableOptions,
) -> String {
    let width = options.width;
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
    let legend = match is_marked {
        true => format!(
            "▲ above, ▼ below {baseline} beyond chance: the paired 95 % interval of the difference excludes 0."
        ),
        false => format!("No difference from {baseline} beyond chance: the paired 95 % intervals include 0."),
    };
    let mut out = wrapped(&legend, width);
    if options.lines.is_some() || places().count() > IN_WORDS {
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
            let size = difference_text(&paired, column.shown_unit());
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

/// The footer: scope of the means; `intervals` describes the values beside them.
fn footer(
    results: &Results,
    comparison: &Comparison<'_>,
    title: &dyn Fn(&Column) -> String,
    intervals: &str,
    width: usize,
) -> String {
    let mut out = String::new();
    let load = Load::of(results);
    let queues = shown_queues(results, load.as_ref());
    if !queues.is_empty() {
        let links = results.manifest.objects.values().filter(|table| *table == "queues").count();
        let guessed = match results.manifest.experiment.bottleneck {
            None if links > 2 => " (guessed: the busiest queue; `bottleneck` in the scenario names another)",
            _ => "",
        };
        out.push_str(&hanging("Bottleneck", &format!("{}{guessed}", queues.join(", ")), width));
    }
    if let Some(load) = load {
        out.push_str(&format!("Flows: {}\n", load.text()));
    }
    let seeds = results.manifest.experiment.seeds.len();
    let (done, all) = (results.manifest.runs.len(), seeds * results.manifest.experiment.variants.len());
    if seeds > 1 && done > 0 {
        let (seeds, fewer) = comparison.seeds(title);
        out.push_str(&wrapped(&format!("Means over {seeds}{intervals}{fewer}."), width));
    }
    if done < all {
        let why = if results.manifest.status == Status::Interrupted { "Interrupted: " } else { "" };
        out.push_str(&format!("{why}{done} of {all} runs are in these results.\n"));
    }
    out
}

/// `head: text`, wrapped at blanks with a hanging indent.
pub(crate) fn hanging(head: &str, text: &str, width: usize) -> String {
    filled(format!("{head}:"), text, width, "    ")
}

/// A paragraph, wrapped at blanks.
pub fn wrapped(text: &str, width: usize) -> String {
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    filled(first.to_owned(), rest, width, "")
}

/// A line that may be indented, wrapped at blanks; what is wrapped begins at the sixth column.
pub fn wrapped_line(line: &str, width: usize) -> String {
    let text = line.trim_start();
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    let head = &line[..line.len() - text.len() + first.len()];
    filled(head.to_owned(), rest, width, "    ")
}

fn filled(mut out: String, text: &str, width: usize, indent: &str) -> String {
    let mut column = out.chars().count();
    for word in text.split_whitespace() {
        let length = word.chars().count();
        // A hanging line begins with its indent and a blank.
        match column + 1 + length > width {
            true => {
                out.push('\n');
                out.push_str(indent);
                column = indent.len();
                if !indent.is_empty() {
                    out.push(' ');
                    column += 1;
                }
            }
            false => {
                out.push(' ');
                column += 1;
            }
        }
        out.push_str(word);
        column += length;
    }
    out.push('\n');
    out
}

/// A table with a head; columns from `numbers` on are aligned to the right.
pub fn small_table(head: &[&str], rows: &[Vec<String>], numbers: usize) -> String {
    let mut table = new_table();
    table.set_header(head);
    table.add_rows(rows);
    align_right(&mut table, numbers..head.len());
    format!("{table}\n")
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ReportColumn;
    use crate::summary::{RunSummary, RunValue};
    use crate::testing::{self, streaming};

    fn printed(results: &Results, width: usize, lines: Option<usize>) -> String {
        comparison_table(results, &TableOptions { width, lines }).text
    }

    #[test]
    fn the_comparison_matches_its_snapshot() {
        let folder = tempfile::tempdir().unwrap();
        let results = testing::results(&folder.path().join("out"));
        insta::assert_snapshot!(printed(&results, 100, None));
    }

    #[test]
    fn the_first_table_matches_its_snapshot() {
        let folder = tempfile::tempdir().unwrap();
        let results = testing::results(&folder.path().join("out"));
        let shown = comparison_table(&results, &TableOptions { width: 100, lines: Some(60) });
        insta::assert_snapshot!(format!("{}Left out: {}", shown.text, shown.left_out.join(", ")));
    }

    #[test]
    fn chosen_columns_are_shown_alone_and_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let mut results = testing::results(&folder.path().join("out"));
        let column = |metric: &str, percentile| ReportColumn { metric: metric.to_owned(), percentile };
        results.manifest.experiment.report.columns =
            vec![column("drops", None), column("rtt", Some(95)), column("jain_index", None)];
        let text = printed(&results, 100, Some(60));
        let head = text.lines().filter(|line| line.starts_with("│ variant")).collect::<Vec<_>>();
        assert_eq!(head.len(), 2, "flows and the network: {text}");
        assert!(head[0].contains("RTT p95") && !head[0].contains("goodput"), "{text}");
        assert!(head[1].contains("drops") && head[1].contains("Jain's fairness index"), "{text}");
    }

    #[test]
    fn each_flow_has_a_row_on_request() {
        let folder = tempfile::tempdir().unwrap();
        let mut results = testing::stored(&folder.path().join("out"), &["tail-drop", "codel"], 3);
        for name in ["bulk.1", "bulk.2"] {
            results.manifest.objects.insert(name.to_owned(), "flows".to_owned());
        }
        for run in &mut results.runs {
            let named = |name: &str| {
                let own = run.values.iter().filter(|value| value.object == "bulk");
                own.map(|value| RunValue { object: name.to_owned(), ..value.clone() }).collect::<Vec<_>>()
            };
            let values = [run.values.clone(), named("bulk.1"), named("bulk.2")].concat();
            *run = RunSummary::new(run.key.clone(), values);
        }
        let rows = |results: &Results, name: &str| {
            let text = printed(results, 100, Some(60));
            text.lines().filter(|line| line.starts_with('│') && line.contains(name)).count()
        };
        assert_eq!((rows(&results, "bulk.* (3)"), rows(&results, "bulk.1")), (2, 0));
        results.manifest.experiment.report.flows = true;
        assert_eq!((rows(&results, "bulk.*"), rows(&results, "bulk.1")), (0, 2));
    }

    #[test]
    fn flows_that_a_variant_does_not_have_take_no_row() {
        let folder = tempfile::tempdir().unwrap();
        let mut results = testing::stored(&folder.path().join("out"), &["tail-drop", "codel"], 2);
        results.manifest.objects.insert("other".to_owned(), "flows".to_owned());
        for run in &mut results.runs {
            let own = if run.key.variant == "codel" { "other" } else { "bulk" };
            let values = run.values.iter().map(|value| match value.object == "bulk" {
                true => RunValue { object: own.to_owned(), ..value.clone() },
                false => value.clone(),
            });
            *run = RunSummary::new(run.key.clone(), values.collect());
        }
        let text = printed(&results, 100, Some(60));
        let cells: Vec<&str> = text.lines().filter(|line| line.starts_with('│')).collect();
        let rows = |name: &str| cells.iter().filter(|line| line.contains(&format!(" {name} "))).count();
        assert!(rows("bulk") == 1 && rows("other") == 1, "{text}");
    }

    #[test]
    fn the_bottleneck_is_named_and_told_from_a_guess() {
        let folder = tempfile::tempdir().unwrap();
        let mut results = testing::stored(&folder.path().join("out"), &["tail-drop", "codel"], 3);
        for queue in ["bottleneck.reverse", "access.reverse"] {
            results.manifest.objects.insert(queue.to_owned(), "queues".to_owned());
        }
        assert!(printed(&results, 200, Some(60)).contains("Bottleneck: bottleneck.forward (guessed:"));
        results.manifest.experiment.bottleneck = Some("access.forward".to_owned());
        let text = printed(&results, 200, Some(60));
        assert!(text.contains("Bottleneck: access.forward\n"), "{text}");
    }

    #[test]
    fn a_limit_of_lines_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let results = testing::of_two_axes(&folder.path().join("out"), 7, 4);
        for lines in [30, 40, 60] {
            let shown = comparison_table(&results, &TableOptions { width: 80, lines: Some(lines) });
            let count = shown.text.lines().count();
            assert!(count <= lines, "{count} > {lines}:\n{}", shown.text);
            assert!(!shown.left_out.is_empty(), "{lines}");
        }
        let all = comparison_table(&results, &TableOptions { width: 80, lines: None });
        assert!(all.left_out.is_empty() && all.text.lines().count() > 60);
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let folder = tempfile::tempdir().unwrap();
        let results = testing::results(&folder.path().join("out"));
        for width in [60, 80, 100, 200] {
            let table = printed(&results, width, None);
            let widest = table.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= width, "{widest} > {width}:\n{table}");
        }
    }

    #[test]
    fn live_results_with_failures_match_their_snapshot() {
        let folder = tempfile::tempdir().unwrap();
        let results = testing::live(&folder.path().join("out"));
        insta::assert_snapshot!(printed(&results, 100, None));
    }

    #[test]
    fn failures_without_a_run_are_printed() {
        let folder = tempfile::tempdir().unwrap();
        let results = testing::failed(&folder.path().join("out"));
        let table = printed(&results, 60, None);
        let told: Vec<&str> =
            table.lines().skip_while(|line| !line.starts_with("No measurements")).skip(1).collect();
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
        insta::assert_snapshot!(printed(&results, 100, None));
    }
}
