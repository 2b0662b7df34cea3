//! Close-up of one minute of a long run, for streaming flows: the idle time between two segments takes about a
//! second, invisible in a plot of ten minutes.

use std::ops::Range;

use serde::Serialize;

use super::Page;
use super::data::Key;
use super::pictures::Picture;
use super::timelines::within;
use crate::error::ReportError;
use crate::model::Experiment;

/// Length of a close-up in seconds, and the minimum length of a run that gets one.
const SPAN: f64 = 60.0;
const LONG: f64 = 2.0 * SPAN;
/// Maximum number of variants with close-ups, which make a page long.
const MOST_VARIANTS: usize = 12;
/// Series in a close-up.
const METRICS: [&str; 3] = ["buffer", "cwnd", "in_flight"];

/// The close-up of a flow.
#[derive(Debug, Serialize)]
pub(super) struct Closeup {
    object: String,
    /// Seconds.
    from: u64,
    pictures: Vec<Picture>,
}

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

/// The close-ups of these flows.
pub(super) fn pictures(page: &Page<'_>, objects: &[&str]) -> Result<Vec<Closeup>, ReportError> {
    let Some(window) = window(&page.results.manifest.experiment) else { return Ok(Vec::new()) };
    let mut closeups = Vec::new();
    for object in objects {
        let series =
            METRICS.iter().filter_map(|metric| page.data.close.get_key_value(&Key::whole(object, metric)));
        let pictures = series.map(|(key, lines)| within(page, key, lines, Some((window.start, window.end))));
        let pictures = pictures.collect::<Result<Vec<Picture>, ReportError>>()?;
        // The buffer alone, as of a load, adds nothing to the plot of the entire run.
        if pictures.len() > 1 {
            closeups.push(Closeup { object: (*object).to_owned(), from: window.start as u64, pictures });
        }
    }
    Ok(closeups)
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
