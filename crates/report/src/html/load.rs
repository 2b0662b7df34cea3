//! Response under load: rates of both directions and latency over one time axis, one figure per variant.

use std::collections::HashMap;

use indexmap::{IndexMap, IndexSet};
use minijinja::context;
use serde::Serialize;

use super::palette::{Colour, Ink};
use super::pictures::{Axis, Line, Lines, Picture, X};
use super::templates::rendered;
use super::{Page, Section};
use crate::error::ReportError;
use crate::load::{Load, class};
use crate::store::{Results, read_series};

/// Maximum number of variants with a figure.
const DRAWN: usize = 4;
/// Maximum number of variants without a figure that are named.
const NAMED: usize = 12;
/// Colours of classes in order, as the Python package's `response_under_load` has them.
const COLOURS: [Colour; 8] = [
    Colour([0x1b, 0x6c, 0xa8]),
    Colour([0xd1, 0x49, 0x5b]),
    Colour([0x2e, 0x8b, 0x57]),
    Colour([0xe0, 0x9f, 0x3e]),
    Colour([0x7b, 0x4b, 0xa0]),
    Colour([0x5c, 0x8d, 0x89]),
    Colour([0x8a, 0x5a, 0x44]),
    Colour([0x6c, 0x75, 0x7d]),
];
/// Ink of the mean of a panel's flows, and its name.
const MEAN: Ink = Ink::solid(Colour([0, 0, 0]));
const MEAN_NAME: &str = "mean of the flows";
/// Height of a panel.
const HEIGHT: u32 = 170;
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

/// A variant with its panels.
#[derive(Serialize)]
struct Figure {
    variant: Option<String>,
    panels: Vec<Picture>,
}

/// The figures; none unless the results are those of a load test.
pub(super) fn section(page: &Page<'_>) -> Result<Section, ReportError> {
    let results = page.results;
    let Some(load) = Load::of(results) else { return Ok(Section::none()) };
    let panels = [
        Panel { label: "download", metric: "goodput", flows: &load.downloads },
        Panel { label: "upload", metric: "goodput", flows: &load.uploads },
        Panel { label: "ping RTT", metric: "rtt", flows: &load.pings },
    ];
    let mut series = read(results, &panels)?;
    let classes: IndexSet<&str> =
        panels.iter().flat_map(|panel| panel.flows).map(|flow| class(flow)).collect();
    let ink = |class: &str| {
        let place = classes.get_index_of(class).unwrap_or_default();
        Ink::solid(COLOURS[place % COLOURS.len()])
    };
    let variants = &results.manifest.experiment.variants;
    let mut figures = Vec::new();
    let mut omitted = Vec::new();
    for (place, variant) in variants.iter().enumerate() {
        if figures.len() == DRAWN {
            omitted.push(variant.title());
            continue;
        }
        // A variant whose runs failed has no series.
        let Some(own) = series.swap_remove(&place) else { continue };
        let title = variant.title();
        let panels = panels.iter().map(|panel| panel.picture(page, &own, &title, ink));
        let panels = panels.collect::<Result<Vec<Picture>, ReportError>>()?;
        figures.push(Figure { variant: (variants.len() > 1).then_some(title), panels });
    }
    if figures.is_empty() {
        return Ok(Section::none());
    }
    let mut note = format!("{}. One run per variant, its first seed. ", load.text());
    if !omitted.is_empty() {
        let more = omitted.len().saturating_sub(NAMED);
        omitted.truncate(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        note.push_str(&format!("Variants without a figure: {}{more}. ", omitted.join(", ")));
    }
    let body = rendered("load.html", context! { figures, note => note.trim_end() })?;
    Ok(Section { id: "load", title: "Response under load", body })
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

impl Panel<'_> {
    fn picture(
        &self,
        page: &Page<'_>,
        series: &HashMap<String, Points>,
        variant: &str,
        ink: impl Fn(&str) -> Ink,
    ) -> Result<Picture, ReportError> {
        let flows = self.flows.iter().filter_map(|flow| Some((*flow, series.get(*flow)?)));
        let (flows, points): (Vec<&str>, Vec<&Points>) = flows.unzip();
        let (unit, scale) = page.units.unit(self.metric);
        let in_unit = |points: &[(f64, f64)]| -> Vec<(f64, f64)> {
            points.iter().map(|(time, value)| (*time, value / scale)).collect()
        };
        let mut lines = Vec::new();
        for (flow, points) in flows.into_iter().zip(&points) {
            let line =
                Line { name: Some(class(flow).to_owned()), ink: Some(ink(class(flow))), ..Line::default() };
            lines.extend(pieces(&points.0).map(|piece| Line { points: in_unit(piece), ..line.clone() }));
        }
        if points.len() > 1 {
            let (name, ink) = (Some(MEAN_NAME.to_owned()), Some(MEAN.bold()));
            lines.push(Line { name, ink, points: in_unit(&mean(&points)), ..Line::default() });
        }
        let experiment = &page.results.manifest.experiment;
        let drawing = Lines {
            title: format!("{} over time under {variant}", self.label),
            x: X::Time {
                from: 0.0,
                to: experiment.duration.as_secs_f64(),
                warm_up: experiment.warm_up.as_secs_f64(),
            },
            unit,
            zero: true,
            top: None,
            log: Some(Axis::Y),
            height: HEIGHT,
            is_step: false,
            lines,
        };
        let mut picture = drawing.picture(self.label, format!(" ({unit})"))?;
        picture.is_wide = true;
        Ok(picture)
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
    use crate::html::render;
    use crate::html::tests::{picture, section};
    use crate::testing;
    use crate::testing::load::{FLOWS, configuration, stored};

    #[test]
    fn a_load_test_has_one_figure_of_three_panels() {
        let folder = tempfile::tempdir().unwrap();
        let results = stored(&folder.path().join("out"), &["codel"], &configuration(&FLOWS));
        let page = render(&results).unwrap();
        let load = section(&page, "load");
        assert_eq!(load.matches("<figure").count(), 3);
        // One line per flow and piece, and a mean of two downloads and of two pings.
        let lines = |title: &str| -> Vec<String> {
            let picture = picture(load, title);
            let lines = picture["lines"].as_array().unwrap();
            lines.iter().map(|line| line["name"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(lines("download over time under codel"), ["be", "be", MEAN_NAME]);
        assert_eq!(lines("upload over time under codel"), ["ef"]);
        // Pings are lost for two seconds: their lines have a gap.
        assert_eq!(lines("ping RTT over time under codel"), ["icmp", "icmp", "ef", "ef", MEAN_NAME]);
        let ink = &picture(load, "download over time under codel")["lines"][1]["ink"];
        assert_eq!(ink["light"], COLOURS[0].css());
        assert!(load.contains("2 downloads, 1 upload, 2 pings"));
    }

    #[test]
    fn other_results_have_none_and_many_variants_a_few() {
        let folder = tempfile::tempdir().unwrap();
        let other = render(&testing::results(&folder.path().join("other"))).unwrap();
        assert!(!other.contains("id=\"load\""));
        let variants = ["a", "b", "c", "d", "e", "f"];
        let results = stored(&folder.path().join("out"), &variants, &configuration(&FLOWS));
        let page = render(&results).unwrap();
        let load = section(&page, "load");
        assert_eq!(load.matches("<figure").count(), 3 * DRAWN);
        assert!(load.contains("Variants without a figure: e, f."), "{load}");
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
