//! The experiment's additional figures.

use super::data::{Key, PlotData};
use super::distribution::{SHOWN, cdf};
use super::escape::escape;
use super::timelines::over_time;
use super::{comparison, palette};
use crate::error::ReportError;
use crate::model::View;
use crate::store::Results;

/// The additional figures that the experiment requests.
pub(super) fn section(results: &Results, data: &PlotData) -> Result<String, ReportError> {
    let experiment = &results.manifest.experiment;
    let mut out = String::new();
    for (figure, lines) in experiment.figures.iter().zip(&data.figures) {
        let key = Key::whole(&figure.object, &figure.metric);
        out.push_str(&format!("<h3>{}</h3>\n", escape(&figure.title)));
        if !figure.caption.is_empty() {
            out.push_str(&format!("<p class=\"note\">{}</p>\n", escape(&figure.caption)));
        }
        if lines.by_variant.is_empty() {
            let (object, metric) = (escape(&figure.object), escape(&figure.metric));
            out.push_str(&format!(
                "<p class=\"note\">No run has a series <code>{metric}</code> of {object}.</p>\n"
            ));
            continue;
        }
        match figure.view {
            View::Series | View::Rolling(_) => out.push_str(&over_time(results, &key, lines)?),
            View::Cdf => {
                out.push_str(&format!("<div class=\"grid2\">\n{}</div>\n", cdf(results, &key, lines, SHOWN)?))
            }
        }
    }
    if out.is_empty() {
        return Ok(out);
    }
    let legend = if experiment.variants.len() <= palette::DISTINCT {
        comparison::legend(results)
    } else {
        String::new()
    };
    Ok(legend + &out)
}
