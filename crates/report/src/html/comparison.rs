//! Comparison of the variants: table, bars, all values, and the paper's figures.

use indexmap::IndexMap;

use super::bars::{Bar, chart};
use super::escape::escape;
use super::palette::{Look, looks};
use super::series::scaled;
use crate::columns::{Column, comparison_columns};
use crate::error::ReportError;
use crate::number;
use crate::store::Results;
use crate::viewers::is_seen;

/// Maximum number of rows on the page.
const MAX_ROWS: usize = 3000;

/// Legend of all variants.
pub(super) fn legend(results: &Results) -> String {
    legend_of(&looks(&results.manifest.experiment))
}

/// Legend of these variants.
pub(super) fn legend_of<'a>(looks: impl IntoIterator<Item = &'a Look>) -> String {
    let entries = looks.into_iter().map(|look| format!("<li>{}</li>", look.named()));
    format!("<ul class=\"legend\">{}</ul>\n", entries.collect::<String>())
}

/// A table cell with a number and, in a lighter colour, its interval.
pub(super) fn number_cell(text: &str) -> String {
    match text.split_once(" ± ") {
        Some((mean, half)) => {
            format!("<td class=\"number\">{mean} <span class=\"interval\">± {half}</span></td>")
        }
        None => format!("<td class=\"number\">{text}</td>"),
    }
}

/// The table, collapsed if there are too many variants for plots.
pub(super) fn section(results: &Results, is_drawn: bool) -> String {
    let table = table(results);
    if is_drawn {
        return table;
    }
    let variants = results.manifest.experiment.variants.len();
    format!(
        "<details><summary>{variants} variants</summary>\n{table}</details>\n<p class=\"note\">Too many variants for \
         plots. To see plots, run fewer of them: <code>--set</code> of an axis's parameter removes that axis. \
         The series are in the Parquet files.</p>\n"
    )
}

/// One row per variant, with the columns of the terminal's table.
fn table(results: &Results) -> String {
    let columns = comparison_columns(results);
    if columns.is_empty() {
        return "<p>No measurements.</p>\n".to_owned();
    }
    // Columns of one subject are adjacent, below its name.
    let mut subjects: IndexMap<&str, Vec<&Column>> = IndexMap::new();
    for column in &columns {
        subjects.entry(&column.subject).or_default().push(column);
    }
    // A stable sort: viewers first, others in their order.
    subjects.sort_by_key(|_, columns| !columns.iter().any(|column| is_seen(&column.metric)));
    let mut out =
        String::from("<div class=\"scroll comparison\"><table>\n<thead><tr><th rowspan=\"2\">variant</th>");
    for (subject, columns) in &subjects {
        out.push_str(&format!(
            "<th class=\"subject\" colspan=\"{}\">{}</th>",
            columns.len(),
            escape(subject)
        ));
    }
    out.push_str("</tr>\n<tr>");
    let columns: Vec<&Column> = subjects.into_values().flatten().collect();
    for column in &columns {
        out.push_str(&format!(
            "<th class=\"number\">{}<span class=\"soft\">{}</span></th>",
            escape(&column.title),
            escape(column.shown_unit()),
        ));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    let experiment = &results.manifest.experiment;
    for (variant, look) in experiment.variants.iter().zip(looks(experiment)) {
        out.push_str(&format!("<tr><td class=\"name\">{}</td>", look.named()));
        for column in &columns {
            let value = column.value(&results.runs, &variant.name);
            out.push_str(&number_cell(&value.map_or_else(|| "–".to_owned(), |value| value.text())));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    let seeds = results.manifest.experiment.seeds.len();
    out.push_str(&match seeds {
        1 => "<p class=\"note\">One seed: no intervals.</p>\n".to_owned(),
        n => format!(
            "<p class=\"note\">Means over {n} seeds; ± is half the 95 % confidence interval (Student).</p>\n"
        ),
    });
    out
}

/// One bar chart per column of the comparison.
pub(super) fn bars(results: &Results) -> Result<String, ReportError> {
    let columns = comparison_columns(results);
    if columns.is_empty() {
        return Ok(String::new());
    }
    let mut out = String::from("<div class=\"grid2\">\n");
    for column in &columns {
        out.push_str(&bars_of(results, column)?);
    }
    out.push_str("</div>\n");
    if results.manifest.experiment.seeds.len() > 1 {
        out.push_str("<p class=\"note\">Whiskers are 95 % confidence intervals over seeds.</p>\n");
    }
    Ok(out)
}

fn bars_of(results: &Results, column: &Column) -> Result<String, ReportError> {
    let experiment = &results.manifest.experiment;
    let values: Vec<_> = looks(experiment)
        .into_iter()
        .zip(&experiment.variants)
        .map(|(look, variant)| (look, column.value(&results.runs, &variant.name)))
        .collect();
    let (unit, scale) =
        scaled(&column.unit, values.iter().filter_map(|(_, v)| Some(v.as_ref()?.estimate.mean)));
    // Clip intervals at zero for values that cannot be negative.
    let is_signed = values.iter().any(|(_, v)| v.is_some_and(|v| v.estimate.mean < 0.0));
    let least = if is_signed { f64::NEG_INFINITY } else { 0.0 };
    let bars: Vec<Bar> = values
        .into_iter()
        .map(|(look, value)| {
            let mean = value.map_or(0.0, |v| v.estimate.mean / scale);
            Bar {
                label: look.title,
                parts: vec![(look.stroke.colour, mean)],
                interval: value
                    .and_then(|v| v.estimate.ci95)
                    .filter(|[low, high]| high > low)
                    .map(|[low, high]| [(low / scale).max(least), high / scale]),
                text: match value {
                    None => "not measured".to_owned(),
                    Some(v) if v.is_count => number::count(mean),
                    Some(_) => number::plain(mean),
                },
            }
        })
        .collect();
    let unit = if unit == column.unit { column.shown_unit() } else { unit };
    let axis = if unit.is_empty() { column.title.clone() } else { format!("{} ({unit})", column.title) };
    let drawn =
        chart(&format!("{} of {}, one bar per variant", column.title, column.subject), &axis, &bars, 1060)?;
    Ok(format!(
        "<figure><figcaption><b>{}</b> of {}</figcaption>{drawn}</figure>\n",
        escape(&column.title),
        escape(&column.subject),
    ))
}

/// All values of the summary, collapsed.
pub(super) fn all_values(results: &Results) -> String {
    let rows = &results.summary.rows;
    if rows.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "<details><summary>{} values</summary>\n<div class=\"scroll\"><table>\n<thead><tr><th>variant</th>\
         <th>object</th><th>metric</th><th>unit</th><th class=\"number\">mean</th><th class=\"number\">p50</th>\
         <th class=\"number\">p95</th><th class=\"number\">p99</th><th class=\"number\">n</th></tr></thead>\n<tbody>\n",
        number::count(rows.len() as f64)
    );
    for row in rows.iter().take(MAX_ROWS) {
        let part = if row.part.is_empty() { String::new() } else { format!(":{}", row.part) };
        out.push_str(&format!(
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td>{}",
            escape(&row.variant),
            escape(&row.object),
            escape(&format!("{}{part}", row.metric)),
            escape(&row.unit),
            number_cell(&number::with_interval(row.estimate.mean, row.estimate.half_width())),
        ));
        for i in 0..3 {
            let text = row.percentiles.map_or_else(|| "–".to_owned(), |p| number::plain(p[i]));
            out.push_str(&number_cell(&text));
        }
        out.push_str(&format!("<td class=\"number\">{}</td></tr>\n", row.estimate.n));
    }
    out.push_str("</tbody></table></div></details>\n");
    if rows.len() > MAX_ROWS {
        out.push_str(&format!(
            "<p class=\"note\">The other {} are in <code>summary.parquet</code> and <code>summary.json</code>.</p>\n",
            rows.len() - MAX_ROWS
        ));
    }
    out
}
