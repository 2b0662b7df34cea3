//! The comparison as matrices, where there are two axes and many variants.

use plotters::style::RGBColor;

use super::escape::escape;
use super::palette;
use crate::columns::Column;
use crate::matrix::{Cell, Layout, Slice, layout, matrix, metrics};
use crate::store::Results;

/// The darkest of the ramp; the lightest is white. Dark text is read easily on all of it (a contrast above 6).
const DARKEST: RGBColor = RGBColor(107, 163, 214);

/// A matrix for each metric: empty if the variants make none.
pub(super) fn section(results: &Results) -> String {
    let Some(layout) = layout(&results.manifest.experiment) else { return String::new() };
    let metrics = metrics(results);
    let all = |columns: &[Column]| -> String {
        columns.iter().map(|column| of_metric(results, &layout, column)).collect()
    };
    let main = all(&metrics.main);
    if main.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "<p class=\"note\">Rows are values of <b>{}</b>, columns of <b>{}</b>. Means over seeds; a tooltip has the \
         interval. In each column the best is bold, and a cell is the darker the further it is from the best; where \
         the largest value is ten times the smallest or more, by ratio. A dash: not measured.</p>\n",
        escape(&layout.rows.0),
        escape(&layout.columns.0),
    );
    out.push_str(&main);
    let more = all(&metrics.more);
    if !more.is_empty() {
        out.push_str(&format!("<details><summary>More metrics</summary>\n{more}</details>\n"));
    }
    out
}

fn of_metric(results: &Results, layout: &Layout, column: &Column) -> String {
    let unit =
        if matches!(column.unit.as_str(), "" | "1") { String::new() } else { format!(" ({})", column.unit) };
    let mut out = format!(
        "<h3>{}{} <span class=\"soft\">of {}</span></h3>\n",
        escape(&column.title),
        escape(&unit),
        escape(&column.subject)
    );
    out.push_str("<div class=\"slices\">\n");
    for slice in &layout.slices {
        out.push_str("<div>");
        if !slice.title.is_empty() {
            out.push_str(&format!("<p class=\"note\">{}</p>\n", escape(&slice.title)));
        }
        out.push_str(&table(results, layout, slice, column));
        out.push_str("</div>\n");
    }
    out.push_str("</div>\n");
    out
}

fn table(results: &Results, layout: &Layout, slice: &Slice, column: &Column) -> String {
    let mut out = format!(
        "<div class=\"scroll\"><table class=\"matrix\">\n<thead><tr><th scope=\"col\">{}</th>",
        escape(&layout.rows.0)
    );
    for value in &layout.columns.1 {
        out.push_str(&format!("<th scope=\"col\" class=\"number\">{}</th>", breakable(value)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for (value, cells) in layout.rows.1.iter().zip(matrix(results, slice, column).cells) {
        out.push_str(&format!("<tr><th scope=\"row\">{}</th>", escape(value)));
        out.extend(cells.iter().map(|cell| td(cell.as_ref())));
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    out
}

fn td(cell: Option<&Cell>) -> String {
    let Some(cell) = cell else { return "<td class=\"number\">–</td>".to_owned() };
    let text = if cell.is_best { format!("<b>{}</b>", cell.text) } else { cell.text.clone() };
    format!(
        "<td class=\"number\" style=\"background:{}\" title=\"{}\">{text}</td>",
        palette::css(ramp(cell.shade)),
        escape(&cell.value.text())
    )
}

/// A heading that may be broken behind its joints.
fn breakable(text: &str) -> String {
    let parts: Vec<String> = text.split_inclusive(['-', '+', '_', '/']).map(escape).collect();
    parts.join("<wbr>")
}

/// One hue from white on.
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
    fn headings_break_behind_their_joints() {
        assert_eq!(breakable("burst+tcp"), "burst+<wbr>tcp");
        assert_eq!(breakable("a<b"), "a&lt;b");
    }
}
