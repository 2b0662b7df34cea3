//! `report.html`: a single self-contained file.

mod bars;
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
mod lateness;
mod lines;
mod load;
mod matrix;
mod palette;
mod provenance;
mod reproduction;
mod series;
mod side_by_side;
mod svg;
#[cfg(test)]
mod tests;
mod timelines;

use crate::comparison::Comparison;
use crate::error::ReportError;
use crate::store::Results;
use crate::viewers::{Viewers, viewers};

pub use side_by_side::render_side_by_side;

use data::PlotData;
pub(crate) use escape::escape;

const STYLE: &str = include_str!("style.css");
/// Maximum number of variants with plots; beyond it, one line, bar or panel per variant is unreadable.
const MOST_DRAWN: usize = 60;

/// A section of the page.
struct Section {
    id: &'static str,
    title: &'static str,
    body: String,
}

/// Renders the page of stored results; reads series and distributions from the folder.
///
/// # Errors
/// If a table cannot be read.
pub fn render(results: &Results) -> Result<String, ReportError> {
    let experiment = &results.manifest.experiment;
    let is_drawn = experiment.variants.len() <= MOST_DRAWN;
    // The experiment's additional figures are always drawn.
    let data = match is_drawn || !experiment.figures.is_empty() {
        true => PlotData::load(results)?,
        false => PlotData::default(),
    };
    let drawn = |section: &dyn Fn() -> Result<String, ReportError>| match is_drawn {
        true => section(),
        false => Ok(String::new()),
    };
    let compared = Comparison::of(results);
    let mut sections = [
        Section { id: "load", title: "Response under load", body: load::section(results)? },
        Section { id: "experiment", title: "Experiment", body: provenance::experiment(results) },
        Section {
            id: "reproduction",
            title: "Comparison with the paper",
            body: reproduction::section(results),
        },
        Section { id: "matrix", title: "Matrix", body: matrix::section(results) },
        Section {
            id: "comparison",
            title: "Comparison",
            body: comparison::section(results, &compared, is_drawn),
        },
        Section {
            id: "differences",
            title: "Differences from the baseline",
            body: drawn(&|| differences::section(results, &compared))?,
        },
        Section {
            id: "bars",
            title: "Means and intervals",
            body: drawn(&|| comparison::bars(results, &compared))?,
        },
        Section { id: "figures", title: "Figures", body: figures::section(results, &data)? },
        Section {
            id: "queues",
            title: "Queues over time",
            body: drawn(&|| timelines::queues(results, &data))?,
        },
        Section { id: "flows", title: "Flows over time", body: drawn(&|| timelines::flows(results, &data))? },
        Section {
            id: "distributions",
            title: "Distributions",
            body: drawn(&|| distribution::section(results, &data))?,
        },
        Section {
            id: "lateness",
            title: "Lateness of packets",
            body: drawn(&|| lateness::section(results, &data))?,
        },
        Section { id: "events", title: "Events of viewers", body: events::section(results)? },
        Section { id: "drops", title: "Drops and marks", body: drawn(&|| drops::section(results))? },
        Section { id: "all", title: "All values", body: comparison::all_values(results) },
        Section { id: "provenance", title: "Provenance", body: provenance::section(results) },
    ];
    // With viewers, quality of experience comes before network metrics.
    let place = |id: &str| sections.iter().position(|section| section.id == id);
    if viewers(results) != Viewers::default()
        && let (Some(queues), Some(flows)) = (place("queues"), place("flows"))
    {
        sections.swap(queues, flows);
    }
    Ok(page(&results.manifest.experiment.name, &provenance::head(results), &sections))
}

/// A page with a title, a header, contents, and the sections that are not empty.
fn page(title: &str, head: &str, sections: &[Section]) -> String {
    let title = escape(title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} – Jettison</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    );
    page.push_str(head);
    let sections: Vec<&Section> = sections.iter().filter(|section| !section.body.is_empty()).collect();
    page.push_str("<nav aria-label=\"Contents\"><ul>");
    for section in &sections {
        page.push_str(&format!("<li><a href=\"#{}\">{}</a></li>", section.id, section.title));
    }
    page.push_str("</ul></nav>\n<main>\n");
    for section in &sections {
        page.push_str(&format!(
            "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{}</h2>\n{}</section>\n",
            section.title,
            section.body,
            id = section.id,
        ));
    }
    page.push_str("</main>\n</body>\n</html>\n");
    page
}
