//! `report.html`: a single self-contained file. Templates hold its HTML, and its script draws pictures from the data beside them.

mod aligned;
mod closeup;
mod comparison;
mod data;
mod differences;
mod distribution;
mod drops;
mod escape;
mod events;
mod figure_lines;
mod figures;
mod groups;
mod lateness;
mod load;
mod matrix;
mod numbers;
mod palette;
mod pictures;
mod provenance;
mod reproduction;
mod series;
mod side_by_side;
mod templates;
#[cfg(test)]
mod tests;
mod timelines;
mod units;

use jettison_plots::LIBRARY;
pub use jettison_plots::Library;
use minijinja::context;
use serde::Serialize;

use crate::comparison::Comparison;
use crate::error::ReportError;
use crate::store::Results;
use crate::viewers::{Viewers, viewers};
use data::PlotData;
use palette::{Look, looks};
use pictures::Budget;
use templates::{assets, json, rendered, safe};
use units::Units;

pub(crate) use escape::escape;
pub use side_by_side::render_side_by_side;

/// Maximum number of variants with plots; beyond it, one line or bar per variant is unreadable.
const MOST_DRAWN: usize = 60;
/// Maximum number of variants that are all shown at first, and how many of more are.
const ALL_VISIBLE: usize = 12;
const SOME_VISIBLE: usize = 8;

/// A section of the page.
struct Section {
    id: &'static str,
    title: &'static str,
    body: String,
}

impl Section {
    /// A section without content, which the page leaves out.
    const fn none() -> Section {
        Section { id: "", title: "", body: String::new() }
    }
}

/// What the sections are made of.
struct Page<'a> {
    results: &'a Results,
    data: &'a PlotData,
    units: Units,
    looks: Vec<Look>,
    budget: Budget,
    /// Whether there are few enough variants for plots.
    is_drawn: bool,
}

/// A variant as the page's script knows it.
#[derive(Serialize)]
struct Known<'a> {
    #[serde(flatten)]
    look: &'a Look,
    /// Whether it is shown at first.
    visible: bool,
}

/// Renders the page of stored results; reads series and distributions from the folder.
///
/// # Errors
/// If a table cannot be read.
pub fn render(results: &Results) -> Result<String, ReportError> {
    render_with(results, LIBRARY)
}

/// Renders the page with that library; without one, its plots have no zoom.
///
/// # Errors
/// If a table cannot be read.
pub fn render_with(results: &Results, library: Library) -> Result<String, ReportError> {
    let experiment = &results.manifest.experiment;
    let is_drawn = experiment.variants.len() <= MOST_DRAWN;
    // The experiment's additional figures are always drawn.
    let data = match is_drawn || !experiment.figures.is_empty() {
        true => PlotData::load(results)?,
        false => PlotData::default(),
    };
    let units = Units::of(results, &data);
    let looks = looks(experiment);
    let mut page = Page { results, data: &data, units, looks, budget: Budget::new(), is_drawn };
    let compared = Comparison::of(results);
    let mut sections = vec![
        comparison::section(&page, &compared)?,
        reproduction::section(results)?,
        matrix::section(&page)?,
        load::section(&page)?,
    ];
    // One variant's bars are what its row of the table is.
    if is_drawn && experiment.variants.len() > 1 {
        sections.push(comparison::bars(&mut page, &compared)?);
    }
    sections.push(figures::section(&mut page)?);
    if is_drawn {
        // With viewers, quality of experience comes before network metrics.
        if viewers(results) == Viewers::default() {
            sections.extend([timelines::queues(&mut page)?, timelines::flows(&mut page)?]);
        } else {
            sections.extend([timelines::flows(&mut page)?, timelines::queues(&mut page)?]);
        }
        sections.extend([distribution::section(&mut page)?, lateness::section(&mut page)?]);
    }
    sections.push(events::section(results)?);
    if is_drawn {
        sections.extend([drops::section(&mut page)?, differences::section(&mut page, &compared)?]);
    }
    sections.extend([
        comparison::all_values(&page)?,
        provenance::experiment(&page)?,
        provenance::section(results)?,
    ]);
    let head = provenance::head(results)?;
    assembled(&experiment.name, head, &page.looks, sections, library)
}

/// A page with a title, a header, contents, a legend, and the sections that are not empty.
fn assembled(
    title: &str,
    head: String,
    looks: &[Look],
    sections: Vec<Section>,
    library: Library,
) -> Result<String, ReportError> {
    let known: Vec<Known<'_>> =
        looks.iter().zip(visible(looks.len())).map(|(look, visible)| Known { look, visible }).collect();
    let has_pictures = sections.iter().any(|section| section.body.contains("<figure class=\"plot\""));
    let sections = sections
        .into_iter()
        .filter(|section| !section.body.is_empty())
        .map(|Section { id, title, body }| context! { id, title, body => safe(body) });
    rendered(
        "page.html",
        context! {
            title,
            head => safe(head),
            sections => sections.collect::<Vec<_>>(),
            has_pictures,
            is_crowded => looks.len() > ALL_VISIBLE,
            data => safe(json(&context! { variants => known })?),
            variants => known,
            assets => assets(library),
        },
    )
}

/// Whether each variant is shown at first: all, or some at equal distances.
fn visible(variants: usize) -> Vec<bool> {
    let is_chosen = |place: usize| {
        let chosen = |number: usize| number * (variants - 1) / (SOME_VISIBLE - 1);
        variants <= ALL_VISIBLE || (0..SOME_VISIBLE).any(|number| chosen(number) == place)
    };
    (0..variants).map(is_chosen).collect()
}
