//! Close-up of one minute of a long run, for streaming flows: the idle time between two segments takes about a
//! second, invisible in a plot of ten minutes.

use std::ops::Range;

use super::data::{Key, PlotData};
use super::escape::escape;
use super::lines::Size;
use super::series::readable;
use super::timelines::{Plots, SHARED};
use crate::error::ReportError;
use crate::model::Experiment;
use crate::store::Results;

/// Length of a close-up in seconds, and the minimum length of a run that gets one.
const SPAN: f64 = 60.0;
const LONG: f64 = 2.0 * SPAN;
/// Maximum number of variants with close-ups, which make a page long.
const MOST_VARIANTS: usize = 12;
/// Series in a close-up.
const METRICS: [&str; 3] = ["buffer", "cwnd", "in_flight"];
/// The series after which close-ups are placed on the page.
pub(super) const LAST: &str = METRICS[2];

/// The interval of close-ups: in the middle of the measured time, when players are in steady state. `None` for short
/// runs and for many variants.
pub(super) fn window(experiment: &Experiment) -> Option<Range<f64>> {
    let (start, end) = (experiment.warm_up.as_secs_f64(), experiment.duration.as_secs_f64());
    let is_wanted = end >= LONG && experiment.variants.len() <= MOST_VARIANTS;
    // Round to ten seconds, so the axis starts with a round number.
    let from = (((start + end - SPAN) / 20.0).floor() * 10.0).max(0.0);
    is_wanted.then_some(from..from + SPAN)
}

/// Whether close-ups show a metric.
pub(super) fn shows(metric: &str) -> bool {
    METRICS.contains(&metric)
}

/// The close-ups of a flow, on a common time axis; empty if it has none.
pub(super) fn section(results: &Results, data: &PlotData, object: &str) -> Result<String, ReportError> {
    let Some(window) = window(&results.manifest.experiment) else { return Ok(String::new()) };
    let series = |metric: &str| {
        let key = Key::whole(object, metric);
        data.close.get_key_value(&key)
    };
    let shown: Vec<_> = METRICS.iter().filter_map(|metric| series(metric)).collect();
    // The buffer alone, as of a load, adds nothing to the plot of the entire run.
    if shown.len() < 2 {
        return Ok(String::new());
    }
    let mut out = format!("<h3>A minute of {} from {} s on</h3>\n", escape(object), window.start);
    let is_shared = results.manifest.experiment.variants.len() <= SHARED;
    if is_shared {
        out.push_str("<div class=\"grid3\">\n");
    }
    for (key, lines) in shown {
        let plots = Plots::new(results, key, lines, window.clone());
        let name = escape(&readable(&key.metric));
        out.push_str(&match is_shared {
            true => format!(
                "<figure><figcaption><b>{name}</b></figcaption>{}</figure>\n",
                plots.shared(Size::Third)?
            ),
            false => format!("<p class=\"note\"><b>{name}</b></p>\n{}", plots.panels()?),
        });
    }
    if is_shared {
        out.push_str("</div>\n");
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use jettison_core::Duration;

    use super::*;

    #[test]
    fn a_long_run_of_few_variants_has_a_minute_in_its_middle() {
        let of = |seconds, variants: &[&str]| {
            let duration = Duration::from_secs(seconds);
            window(&Experiment { duration, ..crate::testing::experiment(variants, 1) })
        };
        assert_eq!(of(600, &["a"]), Some(270.0..330.0));
        assert_eq!(of(60, &["a"]), None);
        assert_eq!(of(600, &["a"; MOST_VARIANTS + 1]), None);
    }
}
