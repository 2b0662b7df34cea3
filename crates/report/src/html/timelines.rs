//! Series over time of queues and flows.

use indexmap::{IndexMap, IndexSet};
use minijinja::context;

use super::closeup;
use super::data::{Key, Lines};
use super::palette::Ink;
use super::pictures::{Axis, Line, Lines as Drawing, Picture, X};
use super::series::{is_step, main_series, readable, shows_zero};
use super::templates::rendered;
use super::{Page, Section};
use crate::error::ReportError;
use crate::store::Results;

/// Height of a picture.
pub(super) const HEIGHT: u32 = 230;
/// Maximum number of pictures of queues and of flows that are shown at first.
const FIRST_QUEUES: usize = 2;
const FIRST_FLOWS: usize = 4;

/// Backlog, sojourn time and throughput of the selected queues.
pub(super) fn queues(page: &mut Page<'_>) -> Result<Section, ReportError> {
    let (shown, omitted) = (page.data.queues.0.clone(), page.data.queues.1);
    let objects = shown.iter().map(|name| Object { name, is_group: false }).collect::<Vec<_>>();
    let pictures = pictures(page, &objects)?;
    section(page, ("queues", "Queues over time"), pictures, FIRST_QUEUES, (omitted, "queue"), Vec::new())
}

/// Goodput, congestion window, RTT and quality of experience of the selected flows.
pub(super) fn flows(page: &mut Page<'_>) -> Result<Section, ReportError> {
    let (shown, omitted) = (page.data.flows.0.clone(), page.data.flows.1);
    let objects: Vec<Object<'_>> =
        shown.iter().map(|flow| Object { name: &flow.name, is_group: flow.is_group() }).collect();
    // Of one variant, flows are compared with each other.
    let is_one = page.results.manifest.experiment.variants.len() == 1 && objects.len() > 1;
    let pictures = if is_one { together(page, &objects)? } else { pictures(page, &objects)? };
    let closeups = closeup::pictures(page, &objects.iter().map(|object| object.name).collect::<Vec<_>>())?;
    section(page, ("flows", "Flows over time"), pictures, FIRST_FLOWS, (omitted, "flow"), closeups)
}

/// A queue, a flow or a group of flows.
struct Object<'a> {
    name: &'a str,
    is_group: bool,
}

/// Pictures in the order of their importance, with descriptions of gauges.
#[derive(Default)]
struct Ordered {
    pictures: Vec<Picture>,
    gauges: Vec<(String, String)>,
}

fn section(
    page: &mut Page<'_>,
    (id, title): (&'static str, &'static str),
    ordered: Ordered,
    first: usize,
    (omitted, kind): (usize, &str),
    closeups: Vec<closeup::Closeup>,
) -> Result<Section, ReportError> {
    let shown = page.budget.shown(ordered.pictures, first);
    if shown.is_empty() {
        return Ok(Section::none());
    }
    let seeds: Vec<String> = first_seeds(page.results).iter().map(u64::to_string).collect();
    let omitted = match omitted {
        0 => String::new(),
        1 => format!("One more {kind} is not shown. "),
        n => format!("{n} more {kind}s are not shown. "),
    };
    let groups = page.data.flows.0.iter().filter(|flow| flow.is_group() && kind == "flow");
    let groups: Vec<String> = groups
        .map(|group| match group.count == group.members.len() {
            true => format!("{}: {} flows", group.name, group.count),
            false => format!("{}: {} of {} flows", group.name, group.members.len(), group.count),
        })
        .collect();
    let body = rendered(
        "objects.html",
        context! { seeds => seeds.join(", "), omitted, groups, gauges => ordered.gauges, shown, closeups },
    )?;
    Ok(Section { id, title, body })
}

fn first_seeds(results: &Results) -> IndexSet<u64> {
    let mut first: IndexMap<&str, u64> = IndexMap::new();
    for run in &results.manifest.runs {
        first.entry(&run.key.variant).or_insert(run.key.seed);
    }
    first.into_values().collect()
}

/// Metrics of an object: the main ones, and the others.
fn metrics(page: &Page<'_>, object: &Object<'_>) -> [Vec<String>; 2] {
    let own: IndexSet<&str> = match object.is_group {
        true => keys(page.data.bands.keys(), object.name),
        false => keys(page.data.series.keys(), object.name),
    };
    let own: IndexSet<&str> =
        own.into_iter().filter(|metric| !page.results.manifest.gauges.contains_key(*metric)).collect();
    let mut main = main_series(|metric| own.contains(metric));
    // The smoothed RTT adds nothing if the RTT itself is sampled.
    main.retain(|metric| *metric != "srtt" || !own.contains("rtt"));
    let more =
        own.iter().filter(|metric| !main.contains(metric)).map(|metric| (*metric).to_owned()).collect();
    [main.into_iter().map(str::to_owned).collect(), more]
}

fn keys<'a>(keys: impl Iterator<Item = &'a Key>, object: &str) -> IndexSet<&'a str> {
    keys.filter(|key| key.object == object).map(|key| key.metric.as_str()).collect()
}

/// One picture per object and series. The most important series of each object come first.
fn pictures(page: &Page<'_>, objects: &[Object<'_>]) -> Result<Ordered, ReportError> {
    let mut ordered = Ordered::default();
    let of_each: Vec<[Vec<String>; 2]> = objects.iter().map(|object| metrics(page, object)).collect();
    // Gauges are shown because the user requested them.
    for (key, lines) in &page.data.series {
        if let Some(description) = page.results.manifest.gauges.get(&key.metric)
            && objects.iter().any(|object| object.name == key.object)
        {
            ordered.pictures.push(of_series(page, key, lines)?);
            let gauge = (readable(&key.metric), description.clone());
            if !ordered.gauges.contains(&gauge) {
                ordered.gauges.push(gauge);
            }
        }
    }
    for kind in 0..2 {
        let rounds = of_each.iter().map(|metrics| metrics[kind].len()).max().unwrap_or(0);
        for round in 0..rounds {
            for (object, metrics) in objects.iter().zip(&of_each) {
                let Some(metric) = metrics[kind].get(round) else { continue };
                let key = Key::whole(object.name, metric);
                if object.is_group {
                    ordered.pictures.push(of_group(page, &key)?);
                } else if let Some(lines) = page.data.series.get(&key) {
                    ordered.pictures.push(of_series(page, &key, lines)?);
                }
            }
        }
    }
    Ok(ordered)
}

/// One picture per series, with a line per flow or group.
fn together(page: &Page<'_>, objects: &[Object<'_>]) -> Result<Ordered, ReportError> {
    let mut ordered = Ordered::default();
    for kind in 0..2 {
        let mut all: IndexSet<String> = IndexSet::new();
        for object in objects {
            all.extend(metrics(page, object)[kind].iter().cloned());
        }
        for metric in all {
            let lines = objects.iter().enumerate().filter_map(|(place, object)| {
                let key = Key::whole(object.name, &metric);
                let line =
                    Line { name: Some(object.name.to_owned()), ink: Some(Ink::at(place)), ..Line::default() };
                match object.is_group {
                    true => {
                        let band = page.data.bands.get(&key)?.get(&0)?;
                        Some(Line { points: band.median.clone(), band: Some(band.ends.clone()), ..line })
                    }
                    false => {
                        let points = page.data.series.get(&key)?.by_variant.get(&0)?.clone();
                        Some(Line { points, ..line })
                    }
                }
            });
            let lines: Vec<Line> = lines.collect();
            // A metric may be main for one flow and not for another.
            let is_known = ordered.pictures.iter().any(|picture| picture.name == readable(&metric));
            if lines.is_empty() || is_known {
                continue;
            }
            let title = format!("{} over time, one line per flow", readable(&metric));
            ordered.pictures.push(over_time(page, &metric, title, lines, String::new(), None)?);
        }
    }
    Ok(ordered)
}

/// Name of a series: its metric and, for a gauge, the part.
fn name(key: &Key) -> String {
    match key.part.as_str() {
        "" => readable(&key.metric),
        part => format!("{}, {part},", readable(&key.metric)),
    }
}

/// The picture of a series with a line per variant.
pub(super) fn of_series(page: &Page<'_>, key: &Key, lines: &Lines) -> Result<Picture, ReportError> {
    within(page, key, lines, None)
}

/// The same in a part of the run.
pub(super) fn within(
    page: &Page<'_>,
    key: &Key,
    lines: &Lines,
    window: Option<(f64, f64)>,
) -> Result<Picture, ReportError> {
    let title = format!("{} of {} over time, one line per variant", name(key), key.object);
    let line = |(variant, points): (&usize, &Vec<(f64, f64)>)| Line {
        variant: Some(*variant),
        points: points.clone(),
        ..Line::default()
    };
    let lines = lines.by_variant.iter().map(line).collect();
    let part = if key.part.is_empty() { String::new() } else { format!(", {},", key.part) };
    over_time(page, &key.metric, title, lines, format!("{part} of {}", key.object), window)
}

/// The picture of a group of flows with a line and a band per variant.
fn of_group(page: &Page<'_>, key: &Key) -> Result<Picture, ReportError> {
    let title = format!("{} of {} over time, median and band per variant", name(key), key.object);
    let lines = page.data.bands[key].iter().map(|(variant, band)| Line {
        variant: Some(*variant),
        points: band.median.clone(),
        band: Some(band.ends.clone()),
        ..Line::default()
    });
    over_time(page, &key.metric, title, lines.collect(), format!(" of {}, median and band", key.object), None)
}

fn over_time(
    page: &Page<'_>,
    metric: &str,
    title: String,
    lines: Vec<Line>,
    of: String,
    window: Option<(f64, f64)>,
) -> Result<Picture, ReportError> {
    let experiment = &page.results.manifest.experiment;
    let (unit, scale) = page.units.unit(metric);
    let scaled = |points: Vec<(f64, f64)>| points.into_iter().map(|(t, v)| (t, v / scale)).collect();
    let lines: Vec<Line> = lines
        .into_iter()
        .map(|line| Line {
            points: scaled(line.points),
            band: line
                .band
                .map(|ends| ends.into_iter().map(|(low, high)| (low / scale, high / scale)).collect()),
            ..line
        })
        .collect();
    let is_positive = lines.iter().flat_map(|line| &line.points).all(|(_, value)| *value >= 0.0);
    let (from, to) = window.unwrap_or((0.0, experiment.duration.as_secs_f64()));
    let drawing = Drawing {
        title,
        x: X::Time { from, to, warm_up: experiment.warm_up.as_secs_f64() },
        unit: shown_unit(metric, unit),
        // Times may start above zero; for amounts and rates, the axis includes zero to show relative changes.
        zero: page.results.manifest.unit(metric) != "ms",
        top: None,
        log: (is_positive && !shows_zero(metric)).then_some(Axis::Y),
        height: HEIGHT,
        is_step: is_step(metric),
        lines,
    };
    let shown = shown_unit(metric, unit);
    let of = if shown.is_empty() { of } else { format!("{of} ({shown})") };
    drawing.picture(&readable(metric), of)
}

/// A unit as pictures show it.
pub(super) fn shown_unit<'a>(metric: &str, unit: &'a str) -> &'a str {
    match (metric, unit) {
        ("frames_per_second", _) => "frames/s",
        ("active_players", _) => "players",
        (_, "1") => "",
        _ => unit,
    }
}
