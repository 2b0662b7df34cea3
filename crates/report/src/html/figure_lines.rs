//! Lines of the experiment's additional figures: of one object, or of several combined.

use std::collections::BTreeMap;

use indexmap::IndexMap;

use super::data::{Lines, QuantileMean, thinned};
use crate::model::{Combine, Figure, View, names_object};

/// Collects the lines of a figure. The series of one run are adjacent.
pub(super) struct FigureLines<'a> {
    figure: &'a Figure,
    warm_up: f64,
    /// Variant and seed of the current run.
    at: Option<(usize, u64)>,
    /// Sum and number of the objects' values by time, stored as bits, which have the same order.
    values: BTreeMap<u64, (f64, u32)>,
    lines: Lines,
    means: IndexMap<usize, QuantileMean>,
}

impl<'a> FigureLines<'a> {
    pub(super) fn new(figure: &'a Figure, warm_up: f64) -> FigureLines<'a> {
        let (values, means) = (BTreeMap::new(), IndexMap::new());
        FigureLines { figure, warm_up, at: None, values, lines: Lines::default(), means }
    }

    /// Whether a series belongs to the figure: of a variant's first seed or, for a distribution, of any seed.
    pub(super) fn wants(&self, variant: &str, object: &str, metric: &str, is_first_seed: bool) -> bool {
        let figure = self.figure;
        (is_first_seed || figure.view == View::Cdf)
            && figure.metric == metric
            && names_object(&figure.object, object)
            && figure.shows_variant(variant)
    }

    /// Adds a complete series of a run.
    pub(super) fn take(&mut self, variant: usize, seed: u64, points: &[(f64, f64)]) {
        if self.at != Some((variant, seed)) {
            self.end();
            self.at = Some((variant, seed));
        }
        for (time, value) in points {
            let (sum, count) = self.values.entry(time.to_bits()).or_default();
            *sum += value;
            *count += 1;
        }
    }

    /// Returns all lines.
    pub(super) fn lines(mut self) -> Lines {
        self.end();
        for (variant, mean) in &self.means {
            self.lines.by_variant.insert(*variant, mean.line());
        }
        self.lines
    }

    /// Completes the current run.
    fn end(&mut self) {
        let Some((variant, _)) = self.at.take() else { return };
        let combine = |(sum, count)| match self.figure.combine {
            Combine::Sum => sum,
            Combine::Mean => sum / f64::from(count),
        };
        let values = std::mem::take(&mut self.values).into_iter();
        let points: Vec<(f64, f64)> =
            values.map(|(time, value)| (f64::from_bits(time), combine(value))).collect();
        match self.figure.view {
            View::Cdf => {
                let values = points.iter().filter(|(t, _)| *t > self.warm_up).map(|(_, v)| *v).collect();
                self.means.entry(variant).or_default().add_values(values);
            }
            View::Series => {
                self.lines.by_variant.insert(variant, thinned(&points));
            }
            View::Rolling(samples) => {
                self.lines.by_variant.insert(variant, thinned(&rolling(&points, samples)));
            }
        }
    }
}

/// The mean of each `samples` successive values, at the time of the last one.
fn rolling(points: &[(f64, f64)], samples: usize) -> Vec<(f64, f64)> {
    let windows = points.windows(samples.max(1));
    windows.map(|w| (w[w.len() - 1].0, w.iter().map(|(_, v)| v).sum::<f64>() / w.len() as f64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(combine: Combine, view: View) -> Figure {
        Figure {
            title: String::new(),
            caption: String::new(),
            object: "tcp.*".to_owned(),
            metric: "goodput".to_owned(),
            combine,
            variants: "window=whole".to_owned(),
            view,
        }
    }

    /// Two flows of variant 3 with one seed, then one of variant 4.
    fn lines(figure: &Figure) -> Lines {
        let mut lines = FigureLines::new(figure, 1.5);
        lines.take(3, 1, &[(1.0, 2.0), (2.0, 4.0)]);
        lines.take(3, 1, &[(2.0, 6.0), (3.0, 1.0)]);
        lines.take(4, 1, &[(1.0, 8.0)]);
        lines.lines()
    }

    #[test]
    fn values_of_several_objects_at_one_time_are_combined() {
        let sum = lines(&figure(Combine::Sum, View::Series));
        assert_eq!(sum.by_variant[&3], [(1.0, 2.0), (2.0, 10.0), (3.0, 1.0)]);
        assert_eq!(sum.by_variant[&4], [(1.0, 8.0)]);
        let mean = lines(&figure(Combine::Mean, View::Series));
        assert_eq!(mean.by_variant[&3], [(1.0, 2.0), (2.0, 5.0), (3.0, 1.0)]);
    }

    #[test]
    fn a_distribution_holds_the_combined_values_after_the_warm_up() {
        let cdf = lines(&figure(Combine::Sum, View::Cdf));
        let line = &cdf.by_variant[&3];
        assert_eq!((line.first().map(|p| p.0), line.last().map(|p| p.0)), (Some(1.0), Some(10.0)));
    }

    #[test]
    fn a_figure_takes_only_its_objects_and_variants() {
        let series = figure(Combine::Sum, View::Series);
        let lines = FigureLines::new(&series, 0.0);
        assert!(lines.wants("window=whole,queue=red", "tcp.2", "goodput", true));
        assert!(!lines.wants("window=whole,queue=red", "tcp.2", "goodput", false), "not the first seed");
        assert!(!lines.wants("window=blast,queue=red", "tcp.2", "goodput", true));
        assert!(!lines.wants("window=whole,queue=red", "udp.2", "goodput", true));
        assert!(!lines.wants("window=whole,queue=red", "tcp.2", "owd", true));
        let cdf = figure(Combine::Sum, View::Cdf);
        assert!(FigureLines::new(&cdf, 0.0).wants("window=whole", "tcp.1", "goodput", false));
    }

    #[test]
    fn rolling_means_are_at_the_end_of_their_window() {
        let points = [(1.0, 2.0), (2.0, 4.0), (3.0, 9.0)];
        assert_eq!(rolling(&points, 2), [(2.0, 3.0), (3.0, 6.5)]);
        assert!(rolling(&points, 4).is_empty());
    }
}
