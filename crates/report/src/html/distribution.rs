//! Cumulative distributions.

use minijinja::context;

use super::aligned::Aligned;
use super::data::{Key, Lines};
use super::pictures::{Axis, Line, Lines as Drawing, Picture, X};
use super::series::readable;
use super::templates::rendered;
use super::timelines::{HEIGHT, shown_unit};
use super::{Page, Section};
use crate::error::ReportError;

/// Fraction of the values in the plots; the tail beyond would compress the rest.
pub(super) const SHOWN: f64 = 0.9975;
/// Maximum number of pictures that are shown at first.
const FIRST: usize = 2;
/// Number of places of the lines, of few and of many variants.
const PLACES: [usize; 2] = [500, 250];
const FEW_VARIANTS: usize = 8;
/// Order of the metrics; others follow.
const ORDER: [&str; 9] = [
    "frames_per_second",
    "buffer",
    "burst_time",
    "frame_latency",
    "age_of_information",
    "sojourn",
    "throughput",
    "rtt",
    "owd",
];

/// Cumulative distributions of quality of experience, sojourn time, throughput, RTT and one-way delay.
pub(super) fn section(page: &mut Page<'_>) -> Result<Section, ReportError> {
    let order = |metric: &str| ORDER.iter().position(|m| *m == metric).unwrap_or(usize::MAX);
    let mut shown: Vec<(&Key, &Lines)> = page.data.cdfs.iter().collect();
    shown.sort_by_key(|(key, _)| order(&key.metric)); // stable: objects keep their order
    let pictures = shown.into_iter().map(|(key, lines)| cdf(page, key, lines, SHOWN));
    let pictures = pictures.collect::<Result<Vec<Option<Picture>>, ReportError>>()?;
    let shown = page.budget.shown(pictures.into_iter().flatten().collect(), FIRST);
    if shown.is_empty() {
        return Ok(Section::none());
    }
    let mut note =
        String::from("Fraction of values up to x, after the warm-up. Throughput is per sampling interval.");
    if page.results.manifest.experiment.seeds.len() > 1 {
        note.push_str(" Quantiles are averaged over seeds.");
    }
    if page.data.cdfs.keys().any(|key| key.metric == "frames_per_second") {
        note.push_str(
            " Frames per second and buffer are sampled each second; for a load, they are means over its players.",
        );
    }
    let body = rendered("pictures.html", context! { note, shown })?;
    Ok(Section { id: "distributions", title: "Distributions", body })
}

/// The picture of a fraction of one distribution.
pub(super) fn cdf(
    page: &Page<'_>,
    Key { object, metric, .. }: &Key,
    lines: &Lines,
    shown: f64,
) -> Result<Option<Picture>, ReportError> {
    let (unit, scale) = page.units.unit(metric);
    let lines: Vec<(usize, Vec<(f64, f64)>)> = lines
        .by_variant
        .iter()
        .map(|(v, line)| (*v, line.iter().map(|(value, share)| (value / scale, *share)).collect()))
        .collect();
    let quantile = |line: &[(f64, f64)], share: f64| line.iter().find(|(_, s)| *s >= share).map(|(v, _)| *v);
    let high = lines.iter().filter_map(|(_, line)| quantile(line, shown)).fold(f64::MIN, f64::max);
    let low = lines.iter().filter_map(|(_, line)| quantile(line, 0.0)).fold(f64::MAX, f64::min);
    if low > high {
        return Ok(None);
    }
    let (from, to) = span(low, high);
    let places = PLACES[usize::from(page.results.manifest.experiment.variants.len() > FEW_VARIANTS)];
    let name = readable(metric);
    let unit = shown_unit(metric, unit);
    let drawing = Drawing {
        title: format!("Cumulative distribution of {name} of {object}, one line per variant"),
        x: X::Values { unit, from, to },
        unit: "",
        zero: true,
        top: Some(1.0),
        log: (low >= 0.0 && high > 0.0).then_some(Axis::X),
        height: HEIGHT,
        is_step: true,
        lines: lines.iter().map(|(v, _)| Line { variant: Some(*v), ..Line::default() }).collect(),
    };
    let columns: Vec<&[(f64, f64)]> = lines.iter().map(|(_, line)| line.as_slice()).collect();
    let of = if unit.is_empty() { format!(" of {object}") } else { format!(" of {object} ({unit})") };
    drawing.over(shares(&columns, (from, to), places), &name, of).map(Some)
}

/// The share of each distribution up to the same values, which are as dense as the distributions.
fn shares(lines: &[&[(f64, f64)]], (from, to): (f64, f64), places: usize) -> Aligned {
    let inside = |value: &f64| (from..=to).contains(value);
    let mut at: Vec<f64> =
        lines.iter().flat_map(|line| line.iter().map(|(value, _)| *value)).filter(inside).collect();
    at.extend([from, to]);
    at.sort_by(f64::total_cmp);
    at.dedup();
    if at.len() > places {
        let last = at.len() - 1;
        at = (0..places).map(|place| at[place * last / (places - 1)]).collect();
    }
    let share = |line: &[(f64, f64)], value: f64| match line.partition_point(|(own, _)| *own <= value) {
        0 => 0.0,
        after => line[after - 1].1,
    };
    let columns = lines.iter().map(|line| at.iter().map(|value| Some(share(line, *value))).collect());
    Aligned { columns: columns.collect(), at }
}

fn span(low: f64, high: f64) -> (f64, f64) {
    if low >= 0.0 && low < 0.5 * high {
        return (0.0, high * 1.02);
    }
    let margin = ((high - low) * 0.04).max(high.abs() * 1e-3).max(1e-9);
    (low - margin, high + margin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions_share_their_places() {
        let line = |offset: f64| -> Vec<(f64, f64)> {
            (0..=400).map(|i| (offset + f64::from(i), f64::from(i) / 400.0)).collect()
        };
        let (one, other) = (line(0.0), line(0.5));
        let lines = shares(&[&one, &other, &[(7.0, 0.0), (7.0, 1.0)]], (0.0, 400.5), 250);
        assert_eq!((lines.at.len(), lines.at[0], lines.at[249]), (250, 0.0, 400.5));
        let place = lines.at.iter().position(|value| *value >= 200.0).unwrap();
        assert!((lines.columns[0][place].unwrap() - 0.5).abs() < 0.01);
        assert_eq!(
            lines.columns[2].iter().filter(|share| **share == Some(0.0)).count(),
            lines.at.partition_point(|x| *x < 7.0)
        );
        assert_eq!(lines.columns[1][249], Some(1.0));
    }
}
