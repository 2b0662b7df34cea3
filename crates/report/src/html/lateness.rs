//! Lateness of a live run's packets: the delay from the departure time on the link to the write to the device.

use minijinja::context;
use serde::Serialize;

use super::data::Key;
use super::distribution::cdf;
use super::numbers::Number;
use super::palette::Look;
use super::pictures::Picture;
use super::templates::rendered;
use super::{Page, Section};
use crate::error::ReportError;
use crate::number;

/// The metric; its objects are directions of links.
pub(super) const METRIC: &str = "lateness";
/// Maximum number of directions with plots; the table has all.
const DRAWN: usize = 8;
/// Maximum number of pictures that are shown at first.
const FIRST: usize = 2;
/// Fraction of packets in the plots: pauses of a virtual machine cause outliers of milliseconds.
const SHOWN: f64 = 0.99;

#[derive(Serialize)]
struct Direction<'a> {
    look: &'a Look,
    object: &'a str,
    cells: Vec<Number>,
}

#[derive(Serialize)]
struct Thread<'a> {
    run: String,
    of: &'a str,
    cells: Vec<Number>,
    sign: &'static str,
}

/// Each direction's distribution as a table and as plots; empty for simulated results.
pub(super) fn section(page: &mut Page<'_>) -> Result<Section, ReportError> {
    let drawn = page.data.lateness.iter().take(DRAWN);
    let pictures = drawn.map(|(key, lines)| cdf(page, key, lines, SHOWN));
    let pictures: Vec<Option<Picture>> = pictures.collect::<Result<_, ReportError>>()?;
    let shown = page.budget.shown(pictures.into_iter().flatten().collect(), FIRST);
    let (directions, threads) = (directions(page), threads(page));
    if directions.is_empty() && threads.is_empty() {
        return Ok(Section::none());
    }
    let has_seeds = page.results.manifest.experiment.seeds.len() > 1;
    let unit = page.units.unit(METRIC).0;
    let body = rendered("lateness.html", context! { directions, threads, shown, has_seeds, unit })?;
    Ok(Section { id: "lateness", title: "Lateness of packets", body })
}

/// Lateness of the router, the hosts and the programs in each run, with the limit; empty for results of earlier versions.
fn threads<'a>(page: &'a Page<'_>) -> Vec<Thread<'a>> {
    let runs = page.results.manifest.live.iter();
    let runs = runs.filter_map(|entry| Some((&entry.key, entry.facts.timeliness.as_ref()?)));
    let threads = runs.flat_map(|(key, timeliness)| {
        timeliness.threads.iter().map(move |thread| {
            let micros = [thread.p50_us, thread.p99_us, thread.max_us, timeliness.limit_us].map(Some);
            let values = micros.into_iter().chain([timeliness.cpu_pressure, timeliness.steal]);
            Thread {
                run: key.to_string(),
                of: &thread.of,
                cells: values.map(|value| Number::or_dash(value.map(number::plain))).collect(),
                sign: if thread.late { "late" } else { "" },
            }
        })
    });
    threads.collect()
}

fn directions<'a>(page: &'a Page<'_>) -> Vec<Direction<'a>> {
    let scale = page.units.unit(METRIC).1;
    let mut rows = Vec::new();
    let variants = page.results.manifest.experiment.variants.iter().zip(&page.looks);
    for (index, (variant, look)) in variants.enumerate() {
        for Key { object, .. } in page.data.lateness.keys() {
            let Some(row) = page.results.summary.row(&variant.name, object, METRIC, "") else { continue };
            let percentile = |place: usize| row.percentiles.map(|percentiles| percentiles[place]);
            let max = page.data.latest.get(&(object.clone(), index)).copied();
            let cells = [percentile(0), percentile(2), max]
                .map(|value| Number::or_dash(value.map(|value| number::plain(value / scale))));
            rows.push(Direction { look, object, cells: cells.into() });
        }
    }
    rows
}
