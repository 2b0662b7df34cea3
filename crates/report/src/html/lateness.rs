//! Lateness of a live run's packets: the delay from the departure time on the link to the write to the device.

use super::data::{Key, PlotData};
use super::escape::escape;
use super::palette::looks;
use super::{comparison, distribution};
use crate::error::ReportError;
use crate::number;
use crate::store::Results;

/// The metric; its objects are directions of links.
pub(super) const METRIC: &str = "lateness";
/// Maximum number of directions with plots; the table has all.
const DRAWN: usize = 8;
/// Fraction of packets in the plots: pauses of a virtual machine cause outliers of milliseconds.
const SHOWN: f64 = 0.99;

/// Each direction's distribution as a table and as plots; empty for simulated results.
pub(super) fn section(results: &Results, data: &PlotData) -> Result<String, ReportError> {
    if data.lateness.is_empty() {
        return Ok(String::new());
    }
    let mut out = format!(
        "<p class=\"note\">Time between a packet's departure from its link and its write to the device. The link's rate does \
         not suffer: late packets are delayed, not lost. The plots omit the last per cent.</p>\n{}",
        table(results, data)
    );
    if distribution::fits(results) {
        out.push_str(&comparison::legend(results));
    }
    out.push_str("<div class=\"grid2\">\n");
    for (key, lines) in data.lateness.iter().take(DRAWN) {
        out.push_str(&distribution::cdf(results, key, lines, SHOWN)?);
    }
    out.push_str("</div>\n");
    Ok(out)
}

fn table(results: &Results, data: &PlotData) -> String {
    let mut out = String::from(
        "<div class=\"scroll\"><table>\n<thead><tr><th>variant</th><th>direction</th><th class=\"number\">p50\
         <span class=\"soft\">µs</span></th><th class=\"number\">p99<span class=\"soft\">µs</span></th>\
         <th class=\"number\">max<span class=\"soft\">µs</span></th></tr></thead>\n<tbody>\n",
    );
    let experiment = &results.manifest.experiment;
    for (index, (variant, look)) in experiment.variants.iter().zip(looks(experiment)).enumerate() {
        for Key { object, .. } in data.lateness.keys() {
            let Some(row) = results.summary.row(&variant.name, object, METRIC, "") else { continue };
            let percentile = |place: usize| row.percentiles.map(|percentiles| percentiles[place]);
            let max = data.latest.get(&(object.clone(), index)).copied();
            out.push_str(&format!("<tr><td class=\"name\">{}</td><td>{}</td>", look.named(), escape(object)));
            for value in [percentile(0), percentile(2), max] {
                let text = value.map_or_else(|| "–".to_owned(), number::plain);
                out.push_str(&comparison::number_cell(&text));
            }
            out.push_str("</tr>\n");
        }
    }
    out.push_str("</tbody></table></div>\n");
    if results.manifest.experiment.seeds.len() > 1 {
        out.push_str("<p class=\"note\">p50 and p99 are means over seeds; max is over all runs.</p>\n");
    }
    out
}
