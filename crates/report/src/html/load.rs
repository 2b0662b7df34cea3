//! Response under load: rates of both directions and latency over one time axis, one figure per variant.

use std::collections::HashMap;

use indexmap::{IndexMap, IndexSet};
use plotters::style::RGBColor;

use super::comparison::legend_of;
use super::data::thinned;
use super::escape::escape;
use super::lines::{Chart, Size, stacked};
use super::palette::{Look, Stroke};
use super::series::scaled;
use crate::error::ReportError;
use crate::load::{Load, class};
use crate::store::{Results, read_series};

/// Maximum number of variants with a figure.
const DRAWN: usize = 4;
/// Maximum number of variants without a figure that are named.
const NAMED: usize = 12;
/// Colours of classes in order, as the Python package's `response_under_load` has them.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0x1b, 0x6c, 0xa8),
    RGBColor(0xd1, 0x49, 0x5b),
    RGBColor(0x2e, 0x8b, 0x57),
    RGBColor(0xe0, 0x9f, 0x3e),
    RGBColor(0x7b, 0x4b, 0xa0),
    RGBColor(0x5c, 0x8d, 0x89),
    RGBColor(0x8a, 0x5a, 0x44),
    RGBColor(0x6c, 0x75, 0x7d),
];
const MEAN: RGBColor = RGBColor(0, 0, 0);
/// A longer step than this many usual ones is a gap that no line crosses.
const GAP: f64 = 5.0;

/// Points over time.
struct Points(Vec<(f64, f64)>);

/// A panel of the figure.
struct Panel<'a> {
    label: &'static str,
    metric: &'static str,
    flows: &'a [&'a str],
}

/// The figures; empty unless the results are those of a load test.
pub(super) fn section(results: &Results) -> Result<String, ReportError> {
    let Some(load) = Load::of(results) else { return Ok(String::new()) };
    let panels = [
        Panel { label: "download", metric: "goodput", flows: &load.downloads },
        Panel { label: "upload", metric: "goodput", flows: &load.uploads },
        Panel { label: "ping RTT", metric: "rtt", flows: &load.pings },
    ];
    let mut series = read(results, &panels)?;
    let classes: IndexSet<&str> =
        panels.iter().flat_map(|panel| panel.flows).map(|flow| class(flow)).collect();
    let stroke = |flow: &str| {
        let place = classes.get_index_of(class(flow)).unwrap_or_default();
        Stroke::solid(COLOURS[place % COLOURS.len()])
    };
    let variants = &results.manifest.experiment.variants;
    let mut out = String::new();
    let mut omitted = Vec::new();
    let mut drawn = 0;
    for (place, variant) in variants.iter().enumerate() {
        if drawn == DRAWN {
            omitted.push(variant.title());
            continue;
        }
        // A variant whose runs failed has no series.
        let Some(own) = series.swap_remove(&place) else { continue };
        drawn += 1;
        let caption = match variants.len() {
            1 => String::new(),
            _ => format!("<figcaption><b>{}</b></figcaption>", escape(&variant.title())),
        };
        let title = format!("Downloads, uploads and latency over time under {}", variant.title());
        out.push_str(&format!(
            "<figure>{caption}{}</figure>\n",
            figure(results, &panels, &own, &title, stroke)?
        ));
    }
    if out.is_empty() {
        return Ok(out);
    }
    let look = |title: &str, stroke| Look { title: title.to_owned(), stroke };
    let mut looks: Vec<Look> = classes.iter().map(|class| look(class, stroke(class))).collect();
    looks.push(look("mean of the panel's flows", Stroke::solid(MEAN)));
    let mut note = format!("{}. One run per variant, its first seed. ", load.text());
    if !omitted.is_empty() {
        let more = omitted.len().saturating_sub(NAMED);
        omitted.truncate(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        note.push_str(&format!("Variants without a figure: {}{more}. ", omitted.join(", ")));
    }
    Ok(format!("{}{out}<p class=\"note\">{}</p>\n", legend_of(&looks), escape(note.trim_end())))
}

/// Series of the panels' flows in the first run of each variant, by variant and flow.
fn read(
    results: &Results,
    panels: &[Panel<'_>],
) -> Result<IndexMap<usize, HashMap<String, Points>>, ReportError> {
    let variants = &results.manifest.experiment.variants;
    let places: HashMap<&str, usize> =
        variants.iter().enumerate().map(|(place, variant)| (variant.name.as_str(), place)).collect();
    let mut first: HashMap<&str, u64> = HashMap::new();
    for run in &results.manifest.runs {
        first.entry(&run.key.variant).or_insert(run.key.seed);
    }
    let wanted: HashMap<&str, &str> =
        panels.iter().flat_map(|panel| panel.flows.iter().map(|flow| (*flow, panel.metric))).collect();
    let mut series: IndexMap<usize, HashMap<String, Points>> = IndexMap::new();
    read_series("flows", &results.folder, |run, points| {
        let is_wanted = run.part.is_empty()
            && first.get(run.variant) == Some(&run.seed)
            && wanted.get(run.object) == Some(&run.metric);
        if let Some(place) = places.get(run.variant).filter(|_| is_wanted) {
            let own = series.entry(*place).or_default();
            own.entry(run.object.to_owned()).or_insert_with(|| Points(Vec::new())).0.extend(points);
        }
    })?;
    Ok(series)
}

/// The panels of one variant.
fn figure(
    results: &Results,
    panels: &[Panel<'_>],
    series: &HashMap<String, Points>,
    title: &str,
    stroke: impl Fn(&str) -> Stroke,
) -> Result<String, ReportError> {
    let drawn: Vec<Drawn> = panels.iter().map(|panel| Drawn::of(panel, results, series, &stroke)).collect();
    let x = 0.0..results.manifest.experiment.duration.as_secs_f64();
    let charts = drawn.iter().map(|panel| Chart {
        title,
        x_label: "time (s)",
        y_label: &panel.label,
        x: x.clone(),
        y: 0.0..panel.top,
        lines: panel.lines.iter().map(|(stroke, points)| (*stroke, points.as_slice())).collect(),
        is_step: false,
        size: Size::Full,
    });
    stacked(title, &charts.collect::<Vec<_>>())
}

/// A panel's lines, and what its y axis spans.
struct Drawn {
    label: String,
    top: f64,
    /// The mean last.
    lines: Vec<(Stroke, Vec<(f64, f64)>)>,
}

impl Drawn {
    fn of(
        panel: &Panel<'_>,
        results: &Results,
        series: &HashMap<String, Points>,
        stroke: impl Fn(&str) -> Stroke,
    ) -> Drawn {
        let flows = panel.flows.iter().filter_map(|flow| Some((*flow, series.get(*flow)?)));
        let (flows, points): (Vec<&str>, Vec<&Points>) = flows.unzip();
        let values = || points.iter().flat_map(|points| points.0.iter().map(|(_, value)| *value));
        let (unit, scale) = scaled(results.manifest.unit(panel.metric), values());
        let in_unit = |points: &[(f64, f64)]| {
            thinned(points).into_iter().map(|(time, value)| (time, value / scale)).collect()
        };
        let mut lines = Vec::new();
        for (flow, points) in flows.into_iter().zip(&points) {
            lines.extend(pieces(&points.0).map(|piece| (stroke(flow), in_unit(piece))));
        }
        if points.len() > 1 {
            lines.push((Stroke::solid(MEAN).bold(), in_unit(&mean(&points))));
        }
        let highest = values().fold(0.0, f64::max) / scale;
        let top = if highest > 0.0 { 1.06 * highest } else { 1.0 };
        Drawn { label: format!("{} ({unit})", panel.label), top, lines }
    }
}

/// The pieces of a line between its gaps.
fn pieces(points: &[(f64, f64)]) -> impl Iterator<Item = &[(f64, f64)]> {
    let mut steps: Vec<f64> = points.windows(2).map(|two| two[1].0 - two[0].0).collect();
    steps.sort_by(f64::total_cmp);
    let longest = steps.get(steps.len() / 2).map_or(f64::INFINITY, |usual| GAP * usual);
    points.chunk_by(move |before, after| after.0 - before.0 <= longest)
}

/// The mean of the flows at the times of the one with most points, each flow at its latest value before.
fn mean(flows: &[&Points]) -> Vec<(f64, f64)> {
    let Some(densest) = flows.iter().max_by_key(|points| points.0.len()) else { return Vec::new() };
    let at = |time: f64| {
        let latest = |points: &&Points| {
            let after = points.0.partition_point(|(t, _)| *t <= time);
            Some(points.0.get(after.checked_sub(1)?)?.1)
        };
        let values: Vec<f64> = flows.iter().filter_map(latest).collect();
        (time, values.iter().sum::<f64>() / values.len() as f64)
    };
    densest.0.iter().map(|(time, _)| at(*time)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use crate::testing::load::{FLOWS, configuration, stored};

    #[test]
    fn a_load_test_has_one_figure_of_three_panels_first() {
        let folder = tempfile::tempdir().unwrap();
        let results = stored(&folder.path().join("out"), &["codel"], &configuration(&FLOWS));
        let page = super::super::render(&results).unwrap();
        let first = page.find("<section").unwrap();
        assert!(page[first..].starts_with("<section id=\"load\""), "{}", &page[first..first + 80]);
        let section = section(&results).unwrap();
        assert_eq!(section.matches("<svg").count(), 1);
        for text in ["download (Mbit/s)", "upload (Mbit/s)", "ping RTT (ms)", "time (s)"] {
            assert_eq!(section.matches(text).count(), 1, "{text}");
        }
        // One colour per class, and a mean of two downloads and of two pings.
        for (class, lines) in [("be", 2), ("ef", 1 + 2), ("icmp", 2)] {
            assert!(section.contains(&format!("</span>{class}</li>")), "{class}");
            let colour = ["be", "ef", "icmp"].iter().position(|other| *other == class).unwrap();
            let RGBColor(r, g, b) = COLOURS[colour];
            let colour = format!("stroke=\"#{r:02X}{g:02X}{b:02X}\"");
            let of_class = section.lines().filter(|l| l.contains("<polyline") && l.contains(&colour)).count();
            // Pings are lost for two seconds: their lines have a gap.
            assert_eq!(of_class, lines, "{class}");
        }
        let means = section.lines().filter(|l| l.contains("<polyline") && l.contains("#000000"));
        assert_eq!(means.count(), 2);
        assert!(section.contains("2 downloads, 1 upload, 2 pings"));
    }

    #[test]
    fn other_results_have_none_and_many_variants_a_few() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(section(&testing::results(&folder.path().join("other"))).unwrap(), "");
        let variants = ["a", "b", "c", "d", "e", "f"];
        let results = stored(&folder.path().join("out"), &variants, &configuration(&FLOWS));
        let section = section(&results).unwrap();
        assert_eq!(section.matches("<svg").count(), DRAWN);
        assert!(section.contains("Variants without a figure: e, f."), "{section}");
    }

    #[test]
    fn no_line_crosses_a_gap() {
        let points: Vec<(f64, f64)> = [0.0, 1.0, 2.0, 3.0, 9.0, 10.0].map(|t| (t, 1.0)).to_vec();
        assert_eq!(pieces(&points).map(<[_]>::len).collect::<Vec<_>>(), [4, 2]);
        assert_eq!(pieces(&points[..1]).count(), 1);
        assert_eq!(pieces(&[]).count(), 0);
    }

    #[test]
    fn a_flow_counts_in_the_mean_from_its_first_value() {
        let early = Points(vec![(0.0, 2.0), (1.0, 4.0), (2.0, 6.0)]);
        let late = Points(vec![(0.9, 8.0)]);
        assert_eq!(mean(&[&early, &late]), [(0.0, 2.0), (1.0, 6.0), (2.0, 7.0)]);
    }
}
