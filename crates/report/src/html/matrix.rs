//! The comparison as matrices, for two or more axes and many variants.

use plotters::style::RGBColor;

use super::escape::escape;
use super::palette;
use crate::columns::Column;
use crate::matrix::{Cell, Metrics, matrix, metrics};
use crate::matrix_layout::{Grid, Layout, layout};
use crate::store::Results;

/// The darkest colour of the ramp; the lightest is white. Dark text has a contrast above 6 on all of it.
const DARKEST: RGBColor = RGBColor(107, 163, 214);

/// Matrices of all metrics; empty if the variants do not form matrices.
pub(super) fn section(results: &Results) -> String {
    let Some(layout) = layout(&results.manifest.experiment) else { return String::new() };
    let metrics = metrics(results);
    if metrics.main.is_empty() {
        return String::new();
    }
    let mut out = note(&layout, &metrics);
    match (&layout.means_over, &layout.whole) {
        // Show the means of all main metrics first.
        (Some(_), Some(whole)) => {
            let means = |column: &Column| {
                let tables: String = layout.grids.iter().map(|grid| table(results, grid, column)).collect();
                format!("<div><p><b>{}</b> {}</p>\n{tables}</div>\n", named(column), subject(column))
            };
            out.push_str(&format!(
                "<h3>{}</h3>\n<div class=\"slices\">\n",
                capitalised(&layout.grids[0].title)
            ));
            out.extend(metrics.main.iter().map(means));
            out.push_str("</div>\n");
            for column in &metrics.main {
                out.push_str(&format!("{}{}", heading(column), table(results, whole, column)));
            }
        }
        _ => out.extend(metrics.main.iter().map(|column| of_metric(results, &layout, column))),
    }
    if !metrics.more.is_empty() {
        let more: String = metrics.more.iter().map(|column| of_metric(results, &layout, column)).collect();
        out.push_str(&format!("<details><summary>More metrics</summary>\n{more}</details>\n"));
    }
    out
}

fn note(layout: &Layout, metrics: &Metrics) -> String {
    let grid = &layout.grids[0];
    let mut out = format!(
        "<p class=\"note\">Rows are values of <b>{}</b>, columns of <b>{}</b>",
        escape(&grid.row_axis),
        escape(&grid.column_axis)
    );
    if let Some(over) = &layout.means_over {
        out.push_str(&format!(", cells are means over {}, with equal weights", escape(over)));
        if metrics.main.iter().any(Column::is_of_ratios) {
            out.push_str(" (of rate ratios the geometric mean)");
        }
    }
    if let Some(whole) = &layout.whole {
        out.push_str(&format!(
            ". In the large matrices, rows are values of <b>{}</b> by <b>{}</b>, columns of <b>{}</b> and their mean",
            escape(&whole.row_axis),
            escape(&whole.group_axis),
            escape(&whole.column_axis)
        ));
    }
    out.push_str(
        ". Means over seeds; tooltips show confidence intervals. In each column the best value is bold if it is better than all \
         others beyond chance (the 95 % interval of the difference, paired by seed, excludes 0); the farther a value is from the \
         best, the darker its cell (by ratio if the largest is at least ten times the smallest). A dash: not measured.</p>\n",
    );
    out
}

/// Title and unit.
fn named(column: &Column) -> String {
    match column.shown_unit() {
        "" => escape(&column.title),
        unit => format!("{} ({})", escape(&column.title), escape(unit)),
    }
}

fn subject(column: &Column) -> String {
    format!("<span class=\"soft\">of {}</span>", escape(&column.subject))
}

fn heading(column: &Column) -> String {
    format!("<h3>{} {}</h3>\n", named(column), subject(column))
}

/// All matrices of a metric.
fn of_metric(results: &Results, layout: &Layout, column: &Column) -> String {
    let mut out = heading(column);
    out.push_str("<div class=\"slices\">\n");
    for grid in layout.grids.iter().chain(&layout.whole) {
        out.push_str("<div>");
        if !grid.title.is_empty() {
            out.push_str(&format!("<p class=\"note\">{}</p>\n", escape(&grid.title)));
        }
        out.push_str(&table(results, grid, column));
        out.push_str("</div>\n");
    }
    out.push_str("</div>\n");
    out
}

fn table(results: &Results, grid: &Grid, column: &Column) -> String {
    // Set the mean apart from its values.
    let is_mean = |at: usize| !grid.group_axis.is_empty() && at + 1 == grid.columns.len();
    let class = |at: usize| if is_mean(at) { "number mean" } else { "number" };
    let mut out = format!(
        "<div class=\"scroll\"><table class=\"matrix\">\n<thead><tr><th scope=\"col\">{}</th>",
        escape(&grid.row_axis)
    );
    for (at, value) in grid.columns.iter().enumerate() {
        out.push_str(&format!("<th scope=\"col\" class=\"{}\">{}</th>", class(at), breakable(value)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    let mut cells = matrix(results, grid, column).into_iter();
    for group in &grid.groups {
        if !group.title.is_empty() {
            out.push_str(&format!(
                "<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"{}\">{}</th></tr>\n",
                grid.columns.len() + 1,
                escape(&group.title)
            ));
        }
        for (row, cells) in group.rows.iter().zip(&mut cells) {
            out.push_str(&format!("<tr><th scope=\"row\">{}</th>", escape(&row.title)));
            out.extend(cells.iter().enumerate().map(|(at, cell)| td(cell.as_ref(), class(at))));
            out.push_str("</tr>\n");
        }
    }
    out.push_str("</tbody></table></div>\n");
    out
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|c| c.to_ascii_uppercase());
    escape(&first.into_iter().chain(characters).collect::<String>())
}

fn td(cell: Option<&Cell>, class: &str) -> String {
    let Some(cell) = cell else { return format!("<td class=\"{class}\">–</td>") };
    let text = if cell.is_best { format!("<b>{}</b>", cell.text) } else { cell.text.clone() };
    format!(
        "<td class=\"{class}\" style=\"background:{}\" title=\"{}\">{text}</td>",
        palette::css(ramp(cell.shade)),
        escape(&cell.value.text())
    )
}

/// A heading that may be broken after its punctuation.
fn breakable(text: &str) -> String {
    let parts: Vec<String> = text.split_inclusive(['-', '+', '_', '/']).map(escape).collect();
    parts.join("<wbr>")
}

/// A ramp of one hue, starting with white.
fn ramp(shade: f64) -> RGBColor {
    let mixed = |dark: u8| (255.0 - shade * (255.0 - f64::from(dark))).round() as u8;
    RGBColor(mixed(DARKEST.0), mixed(DARKEST.1), mixed(DARKEST.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance (WCAG 2.2), with the exact power.
    fn luminance(RGBColor(r, g, b): RGBColor) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { libm::pow((c + 0.055) / 1.055, 2.4) }
        };
        0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
    }

    #[test]
    fn text_is_read_on_every_shade() {
        let ink = luminance(RGBColor(0x1a, 0x1f, 0x24));
        for shade in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let contrast = (luminance(ramp(shade)) + 0.05) / (ink + 0.05);
            assert!(contrast > 6.0, "{contrast} at {shade}");
        }
    }

    #[test]
    fn headings_break_after_punctuation() {
        assert_eq!(breakable("burst+tcp"), "burst+<wbr>tcp");
        assert_eq!(breakable("a<b"), "a&lt;b");
    }
}
