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
    let threads = threads(results);
    if data.lateness.is_empty() {
        return Ok(threads);
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
    out.push_str(&threads);
    Ok(out)
}

/// Lateness of the router, the hosts and the programs in each run, with the limit; empty for results of earlier versions.
fn threads(results: &Results) -> String {
    let runs = results.manifest.live.iter();
    let runs = runs.filter_map(|entry| Some((&entry.key, entry.facts.timeliness.as_ref()?)));
    let mut rows = String::new();
    for (key, timeliness) in runs {
        for thread in &timeliness.threads {
            let sign = if thread.late { "late" } else { "" };
            rows.push_str(&format!(
                "<tr><td class=\"name\">{}</td><td>{}</td>",
                escape(&key.to_string()),
                escape(&thread.of)
            ));
            for value in [thread.p50_us, thread.p99_us, thread.max_us, timeliness.limit_us] {
                rows.push_str(&comparison::number_cell(&number::plain(value)));
            }
            let percent = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), number::plain);
            rows.push_str(&comparison::number_cell(&percent(timeliness.cpu_pressure)));
            rows.push_str(&comparison::number_cell(&percent(timeliness.steal)));
            rows.push_str(&format!("<td>{sign}</td></tr>\n"));
        }
    }
    if rows.is_empty() {
        return rows;
    }
    let micros = ["p50", "p99", "max", "limit"]
        .map(|name| format!("<th class=\"number\">{name}<span class=\"soft\">µs</span></th>"));
    format!(
        "<p class=\"note\">Lateness of the threads of each run: of the router behind its links, of the built-in hosts behind \
         their timers, and the time that the threads of programs waited for a processor. A run is late if a 99th \
         percentile exceeds the limit, a tenth of the longest mean sojourn time but at least 250 µs, or a maximum 100 ms. \
         CPU pressure and steal are the machine's.</p>\n\
         <div class=\"scroll\"><table>\n<thead><tr><th>run</th><th>threads</th>{}\
         <th class=\"number\">CPU pressure<span class=\"soft\">%</span></th>\
         <th class=\"number\">steal<span class=\"soft\">%</span></th><th></th></tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n",
        micros.concat()
    )
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
