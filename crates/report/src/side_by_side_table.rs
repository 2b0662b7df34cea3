//! Two results side by side, for the terminal.

use comfy_table::{ColumnConstraint, ContentArrangement, Width};

use crate::columns::bottleneck;
use crate::number;
use crate::side_by_side::{OneSided, PairDifference, PairPercentile, PairRow, Side, SideBySide};
use crate::table::{align_right, hanging, new_table, wrapped};

/// The answer in words; one table per variant with one row per common metric, of those that tables show unless `is_all`, below
/// warnings; then one-sided values.
pub fn side_by_side_table(both: &SideBySide, width: usize, is_all: bool) -> String {
    let mut out = format!("{}\n", wrapped(&both.answer().text(), width));
    for side in [Side::A, Side::B] {
        let results = both.side(side);
        let text = format!("{}, {}", results.manifest.experiment.name, both.places[side as usize].display());
        out.push_str(&hanging(&both.title(side), &text, width));
        for failure in &results.manifest.failures {
            out.push_str(&hanging("    failed", &failure.to_string(), width));
        }
    }
    for warning in &both.warnings {
        out.push_str(&hanging("Warning", &warning.text, width));
        warning.lines.iter().for_each(|line| out.push_str(&format!("    {line}\n")));
    }
    match both.rows.is_empty() {
        true => out.push_str("No variant, object and metric in common.\n"),
        false => out.push_str(&rows(both, width, is_all)),
    }
    for side in [Side::A, Side::B] {
        let alone: Vec<String> =
            both.one_sided.iter().filter(|alone| alone.side == side).map(|alone| text(both, alone)).collect();
        if !alone.is_empty() {
            out.push_str(&hanging(&format!("Only in {side:?}"), &alone.join("; "), width));
        }
    }
    out
}

/// Length of the names that are not broken at the width of a narrow terminal.
const WHOLE_NAME: usize = 20;

/// One table per variant.
fn rows(both: &SideBySide, width: usize, is_all: bool) -> String {
    let shown = both.shown_metrics();
    let is_shown = |row: &&PairRow| is_all || shown.contains(row.metric.as_str()) && !is_same(row);
    let mut out = String::new();
    let (a, b) = (both.title(Side::A), both.title(Side::B));
    for pair in &both.pairs {
        if both.pairs.len() > 1 {
            out.push_str(&format!("{}\n", pair[0]));
        }
        let mut table = new_table();
        table
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(u16::try_from(width).unwrap_or(u16::MAX));
        table.set_header(["", "unit", &a, &b, "difference", "ratio"]);
        let mut own: Vec<&PairRow> =
            both.rows.iter().filter(|row| row.variant == pair[0]).filter(is_shown).collect();
        if own.is_empty() {
            out.push_str("Nothing that tables show differs.\n");
            continue;
        }
        if !is_all {
            own.sort_by_key(|row| rank(both, &row.object));
        }
        // Names are read whole, unless they are long.
        let names = own.iter().flat_map(|row| [row.object.chars().count(), row.metric.chars().count() + 2]);
        let longest = names.filter(|length| *length <= WHOLE_NAME).max().unwrap_or_default();
        let least = u16::try_from(longest + 2).unwrap_or(u16::MAX);
        let mut above = "";
        for row in own {
            // An object's metrics follow below its name.
            if row.object != above {
                above = &row.object;
                table.add_row([above]);
            }
            table.add_row([
                format!("  {}", row.metric),
                row.unit.clone(),
                number::with_interval(row.a.mean, row.a.ci95),
                number::with_interval(row.b.mean, row.b.ci95),
                difference(row),
                row.ratio().map_or_else(|| "–".to_owned(), number::plain),
            ]);
            for percentile in &row.percentiles {
                table.add_row([
                    format!("    p{}", percentile.percent),
                    String::new(),
                    number::with_interval(percentile.a.mean, percentile.a.ci95),
                    number::with_interval(percentile.b.mean, percentile.b.ci95),
                    percentile_difference(percentile),
                    percentile.ratio().map_or_else(|| "–".to_owned(), number::plain),
                ]);
            }
        }
        if let Some(names) = table.column_mut(0) {
            names.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
        }
        align_right(&mut table, 2..6);
        out.push_str(&format!("{table}\n"));
    }
    let means = "over seeds, ± half the 95 % interval or [its ends]; without, one seed or the same under all. p50 and p99 \
                 are means of the runs' percentiles.";
    out + &hanging("Means", means, width) + &explanation(both, width) + &identical(both, width)
}

/// Whether a row and its percentiles are the same in both results: such rows say nothing of their difference.
fn is_same(row: &PairRow) -> bool {
    row.is_identical && row.percentiles.iter().all(|percentile| percentile.is_identical)
}

/// Flows come first, as viewers feel them; then the bottleneck; then the rest.
fn rank(both: &SideBySide, object: &str) -> u8 {
    let manifest = &both.a.manifest;
    let is_bottleneck = bottleneck(&both.a) == Some(object);
    match manifest.objects.get(object).map(String::as_str) {
        Some("flows") => 0,
        _ if is_bottleneck => 1,
        _ => 2,
    }
}

/// The line on results whose runs are the same.
fn identical(both: &SideBySide, width: usize) -> String {
    let rows = both.rows.len();
    match both.rows.iter().filter(|row| row.is_identical).count() {
        0 => String::new(),
        same if same == rows => {
            hanging("Identical", "A and B have the same value of everything under every seed.", width)
        }
        same => hanging("Identical", &format!("{same} of {rows} values (=) under every seed."), width),
    }
}

/// A difference with its interval, and a mark if the interval excludes zero; `=` if no run differs.
pub(crate) fn difference(row: &PairRow) -> String {
    if row.is_identical { "=".to_owned() } else { marked(&row.difference) }
}

/// The same of a percentile.
pub(crate) fn percentile_difference(percentile: &PairPercentile) -> String {
    if percentile.is_identical { "=".to_owned() } else { marked(&percentile.difference) }
}

fn marked(difference: &PairDifference) -> String {
    let estimate = &difference.estimate;
    let text = number::signed(estimate.mean, estimate.ci95);
    match estimate.excludes(0.0) {
        true if estimate.mean > 0.0 => format!("{text} ▲"),
        true => format!("{text} ▼"),
        false => text,
    }
}

/// What the differences are, and why they are not paired.
fn explanation(both: &SideBySide, width: usize) -> String {
    let mut text = "B − A, the ratio is B / A. ".to_owned();
    text.push_str(&pairing(both));
    if both.rows.iter().any(|row| row.difference.estimate.excludes(0.0)) {
        text.push_str(" ▲ ▼: the interval of the difference excludes 0.");
    }
    hanging("Difference", &text, width)
}

/// Whether the differences are paired, in a sentence or two.
pub(crate) fn pairing(both: &SideBySide) -> String {
    let paired = both.rows.iter().filter(|row| row.difference.is_paired).count();
    match paired {
        0 => "Not paired, since they do not have the same seeds: the interval (Welch) takes the two as independent."
            .to_owned(),
        _ if paired == both.rows.len() => {
            "Paired by seed: the interval is that of the differences.".to_owned()
        }
        _ => format!(
            "Paired by seed, except for {} values that {}.",
            both.rows.len() - paired,
            "one result did not measure under all seeds"
        ),
    }
}

/// A one-sided entry as text for lists.
pub(crate) fn text(both: &SideBySide, alone: &OneSided) -> String {
    let Some(object) = &alone.object else { return format!("variant {}", alone.variant) };
    let mut out = match both.pairs.len() {
        0 | 1 => object.clone(),
        _ => format!("{object} under {}", alone.variant),
    };
    if !alone.metrics.is_empty() {
        out.push_str(&format!(" ({})", alone.metrics.join(", ")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::side_by_side::Mismatch;
    use crate::testing;

    #[test]
    fn simulated_and_live_results_match_their_snapshot() {
        let folder = tempfile::tempdir().unwrap();
        let sim = testing::stored(&folder.path().join("sim"), &["tail-drop", "codel", "codel-ecn"], 3);
        let mut both = SideBySide::of(sim, testing::live(&folder.path().join("live")));
        both.places = ["out/sim".into(), "out/live".into()];
        both.warnings.push(Mismatch {
            text: "The settings differ".to_owned(),
            lines: vec!["seeds: [1, 2, 3] | [1, 2]".to_owned()],
        });
        insta::assert_snapshot!(side_by_side_table(&both, 100, true));
    }

    #[test]
    fn identical_results_are_said_to_be() {
        let folder = tempfile::tempdir().unwrap();
        let same = |name: &str| testing::stored(&folder.path().join(name), &["codel"], 3);
        let table = side_by_side_table(&SideBySide::of(same("a"), same("b")), 100, true);
        assert!(
            table.contains("\nIdentical: A and B have the same value of everything under every seed."),
            "{table}"
        );
        assert!(table.contains(" = ") && !table.contains("± 0 "), "{table}");
    }

    #[test]
    fn one_variant_needs_no_heading_and_no_line_is_wider_than_the_terminal() {
        let folder = tempfile::tempdir().unwrap();
        let a = testing::stored(&folder.path().join("a"), &["one"], 2);
        let b = testing::stored(&folder.path().join("b"), &["other"], 2);
        let mut both = SideBySide::of(a, b);
        both.places = ["a".into(), "b".into()];
        for width in [80, 100, 140] {
            let table = side_by_side_table(&both, width, true);
            assert!(table.contains("│ bottleneck.forward "), "no name is broken: {table}");
            assert!(table.contains("\n\nA (sim): test/made-up, a\nB (sim): test/made-up, b\n┌"), "{table}");
            let widest = table.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= width, "{widest} > {width}:\n{table}");
        }
    }
}
