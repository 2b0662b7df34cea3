//! The experiment's additional figures.

use minijinja::context;
use serde::Serialize;

use super::data::Key;
use super::distribution::{SHOWN, cdf};
use super::pictures::Shown;
use super::templates::rendered;
use super::timelines::of_series;
use super::{Page, Section};
use crate::error::ReportError;
use crate::model::View;

/// Maximum number of pictures that are shown at first.
const FIRST: usize = 4;

/// What stands beside a picture.
#[derive(Serialize)]
struct Told {
    title: String,
    caption: String,
    /// The series that no run has.
    missing: Option<(String, String)>,
}

/// The additional figures that the experiment requests.
pub(super) fn section(page: &mut Page<'_>) -> Result<Section, ReportError> {
    let mut pictures = Vec::new();
    let mut told: Vec<Told> = Vec::new();
    for (figure, lines) in page.results.manifest.experiment.figures.iter().zip(&page.data.figures) {
        let key = Key::whole(&figure.object, &figure.metric);
        let drawn = match figure.view {
            _ if lines.by_variant.is_empty() => None,
            View::Series | View::Rolling(_) => Some(of_series(page, &key, lines)?),
            View::Cdf => cdf(page, &key, lines, SHOWN)?,
        };
        let missing = drawn.is_none().then(|| (figure.metric.clone(), figure.object.clone()));
        if missing.is_some() || !figure.caption.is_empty() {
            told.push(Told { title: figure.title.clone(), caption: figure.caption.clone(), missing });
        }
        pictures.extend(drawn.map(|mut picture| {
            picture.of = format!(": {}{}", picture.name, picture.of);
            picture.name.clone_from(&figure.title);
            picture
        }));
    }
    if pictures.is_empty() && told.is_empty() {
        return Ok(Section::none());
    }
    let shown: Shown = page.budget.shown(pictures, FIRST);
    let body = rendered("pictures.html", context! { told, shown })?;
    Ok(Section { id: "figures", title: "Figures", body })
}
