//! `compare.html`: comparison of two results.

use indexmap::{IndexMap, IndexSet};
use minijinja::context;
use serde::Serialize;

use super::data::{Key, Lines, shown_queues, thinned};
use super::groups::subjects;
use super::numbers::Number;
use super::palette::{Ink, Look};
use super::pictures::{Axis, Budget, Line, Lines as Drawing, Picture, X};
use super::series::{is_step, readable};
use super::templates::rendered;
use super::timelines::{HEIGHT, shown_unit};
use super::units::Units;
use super::{LIBRARY, MOST_DRAWN, Section, assembled};
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
    let [a, b] = SIDES.map(|side| both.side(side).manifest.experiment.name.as_str());
    let title = if a == b { a.to_owned() } else { format!("{a} and {b}") };
    let looks = SIDES.map(|side| Look { title: both.title(side), ink: Ink::at(side as usize) });
    let series = series(both)?;
    let body = |part: &str, series: Option<&Series>| {
        rendered(
            "side_by_side.html",
            context! {
                part,
                title,
                sides => SIDES.map(|side| both.title(side)),
                warnings => both.warnings.iter().map(|warning| (&warning.text, &warning.lines)).collect::<Vec<_>>(),
                looks,
                results => results(both),
                has_rows => !both.rows.is_empty(),
                pairs => pairs(both),
                pairing => pairing(both),
                alone => alone(both),
                series,
            },
        )
    };
    let section = |id, title, body: Result<String, ReportError>| {
        let body = body?.trim().to_owned();
        Ok::<Section, ReportError>(Section { id, title, body })
    };
    let sections = vec![
        section("results", "Results", body("results", None))?,
        section("series", "Over time", body("series", Some(&series)))?,
        section("values", "Values", body("values", None))?,
        section("alone", "One-sided values", body("alone", None))?,
    ];
    let head = body("head", None)?;
    assembled(&format!("{title}, side by side"), head, &looks, sections, LIBRARY)
}

#[derive(Serialize)]
struct ResultRow<'a> {
    side: String,
    ink: Ink,
    mode: String,
    name: &'a str,
    folder: String,
    counts: [usize; 3],
    duration: String,
    failures: Vec<String>,
}

fn results(both: &SideBySide) -> Vec<ResultRow<'_>> {
    let row = |side: Side| {
        let manifest = &both.side(side).manifest;
        let experiment = &manifest.experiment;
        ResultRow {
            side: format!("{side:?}"),
            ink: Ink::at(side as usize),
            mode: experiment.mode.to_string(),
            name: &experiment.name,
            folder: both.places[side as usize].display().to_string(),
            counts: [experiment.variants.len(), experiment.seeds.len(), manifest.runs.len()],
            duration: experiment.duration.to_string(),
            failures: manifest.failures.iter().map(ToString::to_string).collect(),
        }
    };
    SIDES.map(row).into()
}

#[derive(Serialize)]
struct PairTable<'a> {
    title: String,
    rows: Vec<ValueRow<'a>>,
}

#[derive(Serialize)]
struct ValueRow<'a> {
    /// Empty below a row of the same object.
    object: &'a str,
    metric: String,
    is_percentile: bool,
    unit: &'a str,
    cells: [Number; 4],
}

fn pairs(both: &SideBySide) -> Vec<PairTable<'_>> {
    let table = |pair: &[String; 2]| {
        let mut rows = Vec::new();
        let mut above = "";
        for row in both.rows.iter().filter(|row| row.variant == pair[0]) {
            let object = if row.object == above { "" } else { &row.object };
            above = &row.object;
            rows.push(ValueRow {
                object,
                metric: row.metric.clone(),
                is_percentile: false,
                unit: &row.unit,
                cells: [
                    Number::of(&number::with_interval(row.a.mean, row.a.ci95)),
                    Number::of(&number::with_interval(row.b.mean, row.b.ci95)),
                    Number::of(&difference(row)),
                    Number::or_dash(row.ratio().map(number::plain)),
                ],
            });
            rows.extend(row.percentiles.iter().map(|percentile| ValueRow {
                object: "",
                metric: format!("p{}", percentile.percent),
                is_percentile: true,
                unit: "",
                cells: [
                    Number::of(&number::with_interval(percentile.a.mean, percentile.a.ci95)),
                    Number::of(&number::with_interval(percentile.b.mean, percentile.b.ci95)),
                    Number::of(&percentile_difference(percentile)),
                    Number::or_dash(percentile.ratio().map(number::plain)),
                ],
            }));
        }
        let is_named = both.pairs.len() > 1 || pair[0] != pair[1];
        PairTable { title: if is_named { pair_title(pair) } else { String::new() }, rows }
    };
    both.pairs.iter().map(table).collect()
}

fn pair_title([a, b]: &[String; 2]) -> String {
    if a == b { a.clone() } else { format!("{a} in A, {b} in B") }
}

fn alone(both: &SideBySide) -> Vec<(String, Vec<String>)> {
    let items = |side: Side| {
        let items = both.one_sided.iter().filter(|alone| alone.side == side);
        (both.title(side), items.map(|alone| text(both, alone)).collect::<Vec<_>>())
    };
    SIDES.map(items).into_iter().filter(|(_, items)| !items.is_empty()).collect()
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

/// Pictures by object.
#[derive(Serialize)]
struct Series {
    is_too_many: bool,
    objects: Vec<(String, super::pictures::Shown)>,
}

fn series(both: &SideBySide) -> Result<Series, ReportError> {
    let mut series = Series { is_too_many: both.pairs.len() > MOST_DRAWN, objects: Vec::new() };
    if both.pairs.is_empty() || series.is_too_many {
        return Ok(series);
    }
    let flows =
        |side: Side| subjects(both.side(side)).0.into_iter().flat_map(|own| own.members.into_iter().take(1));
    let queues = |side: Side| shown_queues(both.side(side)).0;
    let has_both =
        |name: &String| SIDES.iter().all(|side| both.side(*side).manifest.objects.contains_key(name));
    let objects: IndexSet<String> = SIDES
        .into_iter()
        .flat_map(queues)
        .chain(SIDES.into_iter().flat_map(flows))
        .filter(has_both)
        .collect();
    let overlays = Overlays::read(both, &objects)?;
    let units = units(both, &overlays);
    let mut budget = Budget::new();
    let most = Budget::PAGE.div_ceil(objects.len().max(1));
    for object in &objects {
        let mut pictures = Vec::new();
        for metric in OVERLAID {
            for (place, pair) in both.pairs.iter().enumerate() {
                let key = Key::whole(object, metric);
                if let Some(lines) = overlays.0.get(&(place, key)) {
                    pictures.push(overlay(both, &units, object, metric, pair, lines)?);
                }
            }
        }
        if !pictures.is_empty() {
            series.objects.push((object.clone(), budget.shown(pictures, most)));
        }
    }
    Ok(series)
}

/// Units of both results.
fn units(both: &SideBySide, overlays: &Overlays) -> Units {
    let mut units = Units::default();
    for metric in OVERLAID {
        let own = overlays.0.iter().filter(|((_, key), _)| key.metric == metric);
        let values =
            own.flat_map(|(_, lines)| lines.by_variant.values().flatten().map(|(_, value)| value.abs()));
        let given = SIDES.map(|side| both.side(side).manifest.unit(metric));
        units.add(metric, if given[0].is_empty() { given[1] } else { given[0] }, values.fold(0.0, f64::max));
    }
    units
}

fn overlay(
    both: &SideBySide,
    units: &Units,
    object: &str,
    metric: &str,
    pair: &[String; 2],
    lines: &Lines,
) -> Result<Picture, ReportError> {
    let (unit, scale) = units.unit(metric);
    let in_unit = |line: &[(f64, f64)]| line.iter().map(|(t, v)| (*t, v / scale)).collect::<Vec<_>>();
    let line = |(side, points): (&usize, &Vec<(f64, f64)>)| Line {
        variant: Some(*side),
        points: in_unit(points),
        ..Line::default()
    };
    let durations = SIDES.map(|side| both.side(side).manifest.experiment.duration.as_secs_f64());
    let warm_ups = SIDES.map(|side| both.side(side).manifest.experiment.warm_up.as_secs_f64());
    let name = readable(metric);
    let (under, shown) = match both.pairs.len() {
        1 => (String::new(), String::new()),
        _ => (format!(" under {}", pair_title(pair)), format!(", {}", pair_title(pair))),
    };
    let unit = shown_unit(metric, unit);
    let drawing = Drawing {
        title: format!("{name} of {object} over time{under}, one line per result"),
        x: X::Time { from: 0.0, to: durations[0].max(durations[1]), warm_up: warm_ups[0].min(warm_ups[1]) },
        unit,
        zero: SIDES.iter().all(|side| both.side(*side).manifest.unit(metric) != "ms"),
        top: None,
        log: Some(Axis::Y),
        height: HEIGHT,
        is_step: is_step(metric),
        lines: lines.by_variant.iter().map(line).collect(),
    };
    drawing.picture(&name, format!("{shown} ({unit})"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::tests::picture;
    use crate::testing;

    #[test]
    fn the_page_has_both_lines_of_each_series_and_the_values() {
        let folder = tempfile::tempdir().unwrap();
        let sim = testing::stored(&folder.path().join("sim"), &["tail-drop", "codel"], 2);
        let both = SideBySide::of(sim, testing::live(&folder.path().join("live")));
        let page = render_side_by_side(&both).unwrap();
        let titles = [
            "Throughput of bottleneck.forward over time under tail-drop, one line per result",
            "Backlog of bottleneck.forward over time under tail-drop, one line per result",
            "Sojourn time of bottleneck.forward over time under codel, one line per result",
            "Goodput of bulk over time under tail-drop, one line per result",
            "Congestion window of bulk over time under codel, one line per result",
            "RTT of ping over time under codel, one line per result",
        ];
        // Both lines are in each picture.
        for title in titles {
            let picture = picture(&page, title);
            let lines = picture["lines"].as_array().unwrap();
            assert_eq!(lines.iter().map(|line| &line["variant"]).collect::<Vec<_>>(), [0, 1], "{title}");
        }
        for text in [
            "A (sim) and B (live), side by side.",
            "<td>test/made-up</td>",
            "B failed: codel (seed 2) after 3.2 s: the router was killed by SIGKILL",
            "<li>bottleneck.forward under codel (lateness)</li>",
        ] {
            assert!(page.contains(text), "no {text}");
        }
        assert_eq!(page.matches("class=\"key\"").count(), 2, "a legend of both");
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
