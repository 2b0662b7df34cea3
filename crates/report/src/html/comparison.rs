//! Comparison of the variants: table, bars, all values, and the paper's figures.

use indexmap::IndexMap;

use super::bars::{Bar, chart};
use super::escape::escape;
use super::palette::{Look, looks};
use super::series::scaled;
use crate::columns::Column;
use crate::comparison::{Comparison, Mark};
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
        None => match text.split_once(" [") {
            Some((mean, ends)) => {
                format!("<td class=\"number\">{mean} <span class=\"interval\">[{ends}</span></td>")
            }
            None => format!("<td class=\"number\">{text}</td>"),
        },
    }
}

/// The table, collapsed if there are too many variants for plots.
pub(super) fn section(results: &Results, comparison: &Comparison<'_>, is_drawn: bool) -> String {
    let table = table(results, comparison);
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
fn table(results: &Results, comparison: &Comparison<'_>) -> String {
    let columns = &comparison.columns;
    if columns.is_empty() {
        return "<p>No measurements.</p>\n".to_owned();
    }
    // Columns of one subject are adjacent, below its name.
    let mut subjects: IndexMap<&str, Vec<usize>> = IndexMap::new();
    for (at, column) in columns.iter().enumerate() {
        subjects.entry(&column.subject).or_default().push(at);
    }
    // A stable sort: viewers first, others in their order.
    subjects.sort_by_key(|_, places| !places.iter().any(|at| is_seen(&columns[*at].metric)));
    let mut out =
        String::from("<div class=\"scroll comparison\"><table>\n<thead><tr><th rowspan=\"2\">variant</th>");
    for (subject, places) in &subjects {
        out.push_str(&format!("<th class=\"subject\" colspan=\"{}\">{}</th>", places.len(), escape(subject)));
    }
    out.push_str("</tr>\n<tr>");
    let places: Vec<usize> = subjects.into_values().flatten().collect();
    for at in &places {
        let column = &columns[*at];
        out.push_str(&format!(
            "<th class=\"number\">{}<span class=\"soft\">{}</span></th>",
            escape(&column.title),
            escape(column.shown_unit()),
        ));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    let experiment = &results.manifest.experiment;
    for (variant, look) in looks(experiment).into_iter().enumerate() {
        out.push_str(&format!("<tr><td class=\"name\">{}</td>", look.named()));
        out.extend(places.iter().map(|at| marked_cell(comparison, *at, variant)));
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    let title = |column: &Column| column.full_title();
    out.push_str(&match experiment.seeds.len() {
        1 => "<p class=\"note\">One seed: no intervals.</p>\n".to_owned(),
        _ => format!(
            "<p class=\"note\">Means over {}; ± is half the 95 % confidence interval, brackets are its ends.{}</p>\n",
            escape(&comparison.seeds(&title)),
            match comparison.has_baselines() {
                true => " ▲ and ▼: above or below the baseline beyond chance; tooltips show the differences.",
                false => "",
            }
        ),
    });
    out
}

/// A cell with its value and the mark of its difference from the baseline.
fn marked_cell(comparison: &Comparison<'_>, at: usize, variant: usize) -> String {
    let value = comparison.value(at, variant);
    let cell = number_cell(&value.map_or_else(|| "–".to_owned(), |value| value.text()));
    let Some(paired) = comparison.difference(at, variant) else { return cell };
    let mark = Mark::of(&paired);
    if mark == Mark::Unclear {
        return cell;
    }
    let unit = comparison.columns[at].shown_unit();
    let size = number::signed(paired.estimate.mean, paired.estimate.ci95);
    let tooltip = format!("{size} {unit} against the baseline, over {} seeds", paired.estimate.n);
    let sign = format!(" <span class=\"mark\" title=\"{}\">{}</span></td>", escape(&tooltip), mark.sign());
    cell.replace("</td>", &sign)
}

/// One bar chart per column of the comparison.
pub(super) fn bars(results: &Results, comparison: &Comparison<'_>) -> Result<String, ReportError> {
    if comparison.columns.is_empty() {
        return Ok(String::new());
    }
    let mut out = String::from("<div class=\"grid2\">\n");
    for at in 0..comparison.columns.len() {
        out.push_str(&bars_of(results, comparison, at)?);
    }
    out.push_str("</div>\n");
    if results.manifest.experiment.seeds.len() > 1 {
        out.push_str("<p class=\"note\">Whiskers are 95 % confidence intervals over seeds.</p>\n");
    }
    Ok(out)
}

fn bars_of(results: &Results, comparison: &Comparison<'_>, at: usize) -> Result<String, ReportError> {
    let experiment = &results.manifest.experiment;
    let column = &comparison.columns[at];
    let values: Vec<_> = looks(experiment)
        .into_iter()
        .enumerate()
        .map(|(variant, look)| (look, comparison.value(at, variant)))
        .collect();
    let (unit, scale) =
        scaled(&column.unit, values.iter().filter_map(|(_, v)| Some(v.as_ref()?.estimate.mean)));
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
                    .map(|ends| ends.map(|end| end / scale)),
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
            number_cell(&number::with_interval(row.estimate.mean, row.estimate.ci95)),
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
