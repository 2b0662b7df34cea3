//! The section that compares a paper's figures with ours.

use super::comparison::number_cell;
use super::escape::escape;
use crate::number;
use crate::reproduction::legend;
use crate::store::Results;

/// The paper's figures compared with ours.
pub(super) fn section(results: &Results) -> String {
    if results.reproduction.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "<div class=\"scroll\"><table>\n<thead><tr><th>figure</th><th>variant</th><th>metric</th>\
         <th class=\"number\">paper</th><th class=\"number\">ours</th><th class=\"number\">ratio</th>\
         <th class=\"number\">effect</th><th>verdict</th><th>note</th></tr></thead>\n<tbody>\n",
    );
    for row in &results.reproduction {
        let ours = row.ours.map_or_else(|| "–".to_owned(), |ours| number::with_interval(ours, row.ci95));
        let metric = match row.unit.as_str() {
            "" => row.metric.clone(),
            unit => format!("{} ({unit})", row.metric),
        };
        let verdict = row.verdict.to_string();
        out.push_str(&format!(
            "<tr><td>{}</td><td>{}</td><td>{}</td>{}{}{}{}<td class=\"verdict {}\">{verdict}</td><td>{}</td></tr>\n",
            escape(&row.figure),
            escape(&row.variant),
            escape(&metric),
            number_cell(&escape(&row.paper_text())),
            number_cell(&ours),
            number_cell(&row.ratio.map_or_else(|| "–".to_owned(), number::plain)),
            number_cell(&row.effect_text()),
            verdict.replace(' ', "-"),
            escape(&row.note),
        ));
    }
    out.push_str("</tbody></table></div>\n<dl class=\"words\">\n");
    for (word, meaning) in legend(&results.reproduction) {
        out.push_str(&format!("<dt>{}</dt><dd>{}</dd>\n", escape(&word), escape(meaning)));
    }
    out.push_str("</dl>\n");
    out
}
