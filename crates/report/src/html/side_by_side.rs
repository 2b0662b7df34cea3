//! `compare.html`: comparison of two results.

use indexmap::{IndexMap, IndexSet};

use super::comparison::number_cell;
use super::data::{Key, Lines, shown_flows, shown_queues, thinned};
use super::escape::escape;
use super::lines::{Chart, Size, chart, y_span};
use super::palette::Stroke;
use super::series::{axis_labels, is_step, readable, scaled};
use super::{MOST_DRAWN, Section, page};
use crate::error::ReportError;
use crate::number;
use crate::side_by_side::{Side, SideBySide};
use crate::side_by_side_table::{difference, pairing, percentile_difference, text};
use crate::store::read_series;

/// Series in common charts, in order.
const OVERLAID: [&str; 7] = ["goodput", "throughput", "backlog", "sojourn", "cwnd", "srtt", "rtt"];
const SIDES: [Side; 2] = [Side::A, Side::B];

/// Renders the page; reads the series of both from their folders.
///
/// # Errors
/// If a table cannot be read.
pub fn render_side_by_side(both: &SideBySide) -> Result<String, ReportError> {
    let sections = [
        Section { id: "results", title: "Results", body: results(both) },
        Section { id: "values", title: "Values", body: values(both) },
        Section { id: "series", title: "Over time", body: series(both)? },
        Section { id: "alone", title: "One-sided values", body: alone(both) },
    ];
    let [a, b] = SIDES.map(|side| both.side(side).manifest.experiment.name.as_str());
    let title = if a == b { a.to_owned() } else { format!("{a} and {b}") };
    Ok(page(&format!("{title}, side by side"), &head(both, &title), &sections))
}

fn head(both: &SideBySide, title: &str) -> String {
    let mut out = format!(
        "<header>\n<h1>{}</h1>\n<p>{} and {}, side by side.</p>\n",
        escape(title),
        escape(&both.title(Side::A)),
        escape(&both.title(Side::B)),
    );
    for warning in &both.warnings {
        out.push_str(&format!(
            "<div class=\"banner\" role=\"status\"><p><b>{}.</b></p>\n<ul>{}</ul></div>\n",
            escape(&warning.text),
            warning.lines.iter().map(|line| format!("<li>{}</li>", escape(line))).collect::<String>(),
        ));
    }
    out.push_str("</header>\n");
    out
}

fn results(both: &SideBySide) -> String {
    let mut out = String::from(
        "<div class=\"scroll\"><table>\n<thead><tr><th></th><th>mode</th><th>scenario</th><th>folder</th>\
         <th class=\"number\">variants</th><th class=\"number\">seeds</th><th class=\"number\">runs</th>\
         <th>duration</th></tr></thead>\n<tbody>\n",
    );
    for side in SIDES {
        let manifest = &both.side(side).manifest;
        let folder = &both.places[side as usize];
        let experiment = &manifest.experiment;
        out.push_str(&format!(
            "<tr><td class=\"name\">{}{side:?}</td><td><b>{}</b></td><td>{}</td><td>{}</td><td class=\"number\">{}</td>\
             <td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
            Stroke::at(side as usize).chip(),
            experiment.mode,
            escape(&experiment.name),
            escape(&folder.display().to_string()),
            experiment.variants.len(),
            experiment.seeds.len(),
            manifest.runs.len(),
            escape(&experiment.duration.to_string()),
        ));
    }
    out.push_str("</tbody></table></div>\n");
    for side in SIDES {
        for failure in &both.side(side).manifest.failures {
            out.push_str(&format!("<p>{side:?} failed: {}</p>\n", escape(&failure.to_string())));
        }
    }
    out
}

fn values(both: &SideBySide) -> String {
    if both.rows.is_empty() {
        return "<p>No variant, object and metric in common.</p>\n".to_owned();
    }
    let mut out = String::new();
    for pair in &both.pairs {
        if both.pairs.len() > 1 || pair[0] != pair[1] {
            out.push_str(&format!("<h3>{}</h3>\n", escape(&pair_title(pair))));
        }
        out.push_str(&format!(
            "<div class=\"scroll\"><table>\n<thead><tr><th>object</th><th>metric</th><th>unit</th>\
             <th class=\"number\">{}{}</th><th class=\"number\">{}{}</th><th class=\"number\">difference</th>\
             <th class=\"number\">ratio</th></tr></thead>\n<tbody>\n",
            Stroke::at(0).chip(),
            escape(&both.title(Side::A)),
            Stroke::at(1).chip(),
            escape(&both.title(Side::B)),
        ));
        let mut above = "";
        for row in both.rows.iter().filter(|row| row.variant == pair[0]) {
            let object = if row.object == above { "" } else { &row.object };
            above = &row.object;
            out.push_str(&format!(
                "<tr><td>{}</td><td>{}</td><td>{}</td>{}{}{}{}</tr>\n",
                escape(object),
                escape(&row.metric),
                escape(&row.unit),
                number_cell(&number::with_interval(row.a.mean, row.a.ci95)),
                number_cell(&number::with_interval(row.b.mean, row.b.ci95)),
                number_cell(&difference(row)),
                number_cell(&row.ratio().map_or_else(|| "–".to_owned(), number::plain)),
            ));
            for percentile in &row.percentiles {
                out.push_str(&format!(
                    "<tr><td></td><td class=\"soft\">p{}</td><td></td>{}{}{}{}</tr>\n",
                    percentile.percent,
                    number_cell(&number::with_interval(percentile.a.mean, percentile.a.ci95)),
                    number_cell(&number::with_interval(percentile.b.mean, percentile.b.ci95)),
                    number_cell(&percentile_difference(percentile)),
                    number_cell(&percentile.ratio().map_or_else(|| "–".to_owned(), number::plain)),
                ));
            }
        }
        out.push_str("</tbody></table></div>\n");
    }
    out.push_str(&format!(
        "<p class=\"note\">Means over seeds; ± is half the 95 % confidence interval, brackets are its ends. The difference \
         is B − A, the ratio B / A; ▲ and ▼ mark differences whose interval excludes 0, = values that no run differs in. \
         p50 and p99 are means of the runs' percentiles. {}</p>\n",
        pairing(both)
    ));
    out
}

fn pair_title([a, b]: &[String; 2]) -> String {
    if a == b { a.clone() } else { format!("{a} in A, {b} in B") }
}

fn alone(both: &SideBySide) -> String {
    let mut out = String::new();
    for side in SIDES {
        let items = both.one_sided.iter().filter(|alone| alone.side == side);
        let items: String = items.map(|alone| format!("<li>{}</li>", escape(&text(both, alone)))).collect();
        if !items.is_empty() {
            out.push_str(&format!("<h3>{}</h3>\n<ul>{items}</ul>\n", escape(&both.title(side))));
        }
    }
    out
}

/// Lines of the charts: by pair, object and metric, one per side (index in [`SIDES`]).
#[derive(Default)]
struct Overlays(IndexMap<(usize, Key), Lines>);

impl Overlays {
    /// Reads the series of the first seed of each matched variant.
    fn read(both: &SideBySide, objects: &IndexSet<String>) -> Result<Overlays, ReportError> {
        let mut overlays = Overlays::default();
        for side in SIDES {
            let results = both.side(side);
            let first = |variant: &str| results.manifest.runs.iter().find(|run| run.key.variant == variant);
            let firsts: Vec<Option<u64>> =
                both.pairs.iter().map(|pair| first(&pair[side as usize]).map(|run| run.key.seed)).collect();
            for table in ["queues", "flows"] {
                read_series(table, &results.folder, |run, points| {
                    let place = both.pairs.iter().position(|pair| pair[side as usize] == run.variant);
                    let Some(place) = place.filter(|place| firsts[*place] == Some(run.seed)) else { return };
                    if run.part.is_empty() && OVERLAID.contains(&run.metric) && objects.contains(run.object) {
                        let key = Key::whole(run.object, run.metric);
                        let lines = &mut overlays.0.entry((place, key)).or_default().by_variant;
                        lines.entry(side as usize).or_default().extend(points);
                    }
                })?;
            }
        }
        let lines = overlays.0.values_mut().flat_map(|lines| lines.by_variant.values_mut());
        lines.for_each(|line| *line = thinned(line));
        Ok(overlays)
    }
}

fn series(both: &SideBySide) -> Result<String, ReportError> {
    if both.pairs.is_empty() {
        return Ok(String::new());
    }
    if both.pairs.len() > MOST_DRAWN {
        return Ok("<p class=\"note\">Too many variants for plots.</p>\n".to_owned());
    }
    let shown = SIDES.map(|side| (shown_queues(both.side(side)).0, shown_flows(both.side(side)).0));
    let [(queues_a, flows_a), (queues_b, flows_b)] = shown;
    let has_both =
        |name: &String| SIDES.iter().all(|side| both.side(*side).manifest.objects.contains_key(name));
    let objects: IndexSet<String> =
        [queues_a, queues_b, flows_a, flows_b].into_iter().flatten().filter(has_both).collect();
    let overlays = Overlays::read(both, &objects)?;
    let mut out = format!(
        "<p class=\"note\">One run per variant: that of the first seed. A simulated and a live run are not synchronous: \
         compare levels and shapes, not instants.</p>\n<ul class=\"legend\">{}</ul>\n",
        SIDES
            .map(|side| format!("<li>{}{}</li>", Stroke::at(side as usize).chip(), escape(&both.title(side))))
            .concat()
    );
    let mut is_empty = true;
    for object in &objects {
        let mut drawn = String::new();
        for (place, pair) in both.pairs.iter().enumerate() {
            for metric in OVERLAID {
                let key = Key::whole(object, metric);
                if let Some(lines) = overlays.0.get(&(place, key)) {
                    drawn.push_str(&overlay(both, object, metric, pair, lines)?);
                }
            }
        }
        if !drawn.is_empty() {
            is_empty = false;
            out.push_str(&format!("<h3>{}</h3>\n<div class=\"grid2\">\n{drawn}</div>\n", escape(object)));
        }
    }
    Ok(if is_empty { String::new() } else { out })
}

fn overlay(
    both: &SideBySide,
    object: &str,
    metric: &str,
    pair: &[String; 2],
    lines: &Lines,
) -> Result<String, ReportError> {
    let values = || lines.by_variant.values().flatten().map(|(_, value)| *value);
    let given = SIDES.map(|side| both.side(side).manifest.unit(metric));
    let (unit, scale) = scaled(if given[0].is_empty() { given[1] } else { given[0] }, values());
    let in_unit = |line: &[(f64, f64)]| line.iter().map(|(t, v)| (*t, v / scale)).collect::<Vec<_>>();
    let lines: Vec<_> = lines.by_variant.iter().map(|(side, line)| (*side, in_unit(line))).collect();
    let mut y = y_span(values().map(|value| value / scale));
    if !given.contains(&"ms") {
        y.start = y.start.min(0.0);
    }
    let durations = SIDES.map(|side| both.side(side).manifest.experiment.duration.as_secs_f64());
    let name = readable(metric);
    let (under, shown) = match both.pairs.len() {
        1 => (String::new(), String::new()),
        _ => (format!(" under {}", pair_title(pair)), format!(" {}", pair_title(pair))),
    };
    let drawn = chart(&Chart {
        title: &format!("{name} of {object} over time{under}, one line per result"),
        x_label: "time (s)",
        y_label: &axis_labels(metric, unit).1,
        x: 0.0..durations[0].max(durations[1]),
        y,
        lines: lines.iter().map(|(side, line)| (Stroke::at(*side), line.as_slice())).collect(),
        is_step: is_step(metric),
        size: Size::Half,
    })?;
    let shown = escape(&shown);
    Ok(format!("<figure><figcaption><b>{}</b>{shown}</figcaption>{drawn}</figure>\n", escape(&name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn the_page_has_both_lines_of_each_series_and_the_values() {
        let folder = tempfile::tempdir().unwrap();
        let sim = testing::stored(&folder.path().join("sim"), &["tail-drop", "codel"], 2);
        let both = SideBySide::of(sim, testing::live(&folder.path().join("live")));
        let page = render_side_by_side(&both).unwrap();
        let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}"));
        let order = [
            "Throughput of bottleneck.forward over time under tail-drop, one line per result",
            "Backlog of bottleneck.forward over time under tail-drop, one line per result",
            "Sojourn time of bottleneck.forward over time under codel, one line per result",
            "Goodput of bulk over time under tail-drop, one line per result",
            "Congestion window of bulk over time under codel, one line per result",
            "RTT of ping over time under codel, one line per result",
        ];
        assert!(order.windows(2).all(|pair| place(pair[0]) < place(pair[1])), "in another order");
        for text in [
            "A (sim) and B (live), side by side.",
            "<td>test/made-up</td>",
            "B failed: codel (seed 2) after 3.2 s: the router was killed by SIGKILL",
            "<li>bottleneck.forward under codel (lateness)</li>",
        ] {
            assert!(page.contains(text), "no {text}");
        }
        // Both lines are in each chart.
        let plot = &page[place(order[3])..];
        let plot = &plot[..plot.find("</svg>").unwrap()];
        assert!(plot.contains("#0072B2") && plot.contains("#D55E00"), "{plot}");
        assert!(!page.contains("http:") && !page.contains("<script"));
    }

    #[test]
    fn results_without_a_common_variant_make_a_page() {
        let folder = tempfile::tempdir().unwrap();
        let a = testing::stored(&folder.path().join("a"), &["<a>", "b"], 1);
        let b = testing::stored(&folder.path().join("b"), &["c", "d"], 1);
        let page = render_side_by_side(&SideBySide::of(a, b)).unwrap();
        assert!(
            page.contains("No variant, object and metric in common.")
                && page.contains("<li>variant &lt;a&gt;</li>")
        );
    }
}
