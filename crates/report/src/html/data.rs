//! Data for the plots, read from the tables in one pass each and thinned in the process.

use std::collections::HashMap;
use std::ops::Range;

use indexmap::IndexMap;

use super::closeup;
use super::figure_lines::FigureLines;
use super::groups::{Band, Bands, Subject, subjects};
use super::lateness;
use crate::columns::bottleneck;
use crate::error::ReportError;
use crate::store::{Results, SeriesRun, read_distributions, read_series};
use crate::viewers::{Viewers, viewers};

/// Maximum number of points per line.
const POINTS: usize = 1200;
/// Number of quantiles per plotted distribution.
const QUANTILES: usize = 400;
/// Maximum number of queues (beside the bottleneck) with their own plots.
const QUEUES: usize = 3;
/// Series that repeat others.
const SKIPPED: [&str; 2] = ["backlog_bytes", "sojourn_max"];
/// Sampled series of viewers whose distribution is computed from the series.
const OF_VIEWERS: [&str; 2] = ["buffer", "frames_per_second"];

/// A metric of an object, or a part of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) object: String,
    pub(super) metric: String,
    /// Part of a gauge; else empty.
    pub(super) part: String,
}

/// One line per variant (by index), in the experiment's order.
#[derive(Debug, Clone, Default)]
pub(super) struct Lines {
    pub(super) by_variant: IndexMap<usize, Vec<(f64, f64)>>,
}

/// Data for the plots.
#[derive(Default)]
pub(super) struct PlotData {
    /// Series of each variant's first seed, by object and metric.
    pub(super) series: IndexMap<Key, Lines>,
    /// Series of viewers in the interval of the close-ups.
    pub(super) close: IndexMap<Key, Lines>,
    /// Cumulative distributions, their quantiles averaged over seeds.
    pub(super) cdfs: IndexMap<Key, Lines>,
    /// Distributions of the lateness of packets on each direction of a link in µs, averaged likewise.
    pub(super) lateness: IndexMap<Key, Lines>,
    /// Maximum lateness by direction and variant.
    pub(super) latest: HashMap<(String, usize), f64>,
    /// Lines of the experiment's additional figures, in order.
    pub(super) figures: Vec<Lines>,
    /// Queues with plots, the bottleneck first, and the number of queues without.
    pub(super) queues: (Vec<String>, usize),
    /// Flows and groups of flows with plots, and the number of flows without.
    pub(super) flows: (Vec<Subject>, usize),
    /// Series of groups of flows, in each variant's first seed.
    pub(super) bands: IndexMap<Key, IndexMap<usize, Band>>,
}

impl PlotData {
    /// Reads the data for the plots of `results`.
    pub(super) fn load(results: &Results) -> Result<PlotData, ReportError> {
        let (queues, flows) = (shown_queues(results), subjects(results));
        let mut collector = Collector::new(results, &queues.0, &flows.0);
        for table in ["queues", "flows"] {
            read_series(table, &results.folder, |run, points| collector.take(run, points))?;
            collector.end();
        }
        let Collector { series, close, means, figures, bands, .. } = collector;
        let figures = figures.into_iter().map(FigureLines::lines).collect();
        let mut cdfs: IndexMap<Key, Lines> = IndexMap::new();
        for ((key, variant), mean) in means {
            cdfs.entry(key).or_default().by_variant.insert(variant, mean.line());
        }
        let mut distributions = Distributions::default();
        let mut latest: HashMap<(String, usize), f64> = HashMap::new();
        let variants = variant_indices(results);
        read_distributions(&results.folder, |run, points| {
            let is_lateness = run.metric == lateness::METRIC;
            // A group has the mean of its flows' quantiles.
            let subject = match is_lateness || queues.0.iter().any(|name| name == run.object) {
                true => Some(run.object),
                false => flows.0.iter().find(|own| own.contains(run.object)).map(|own| own.name.as_str()),
            };
            if let (Some(variant), Some(subject)) = (variants.get(run.variant), subject) {
                // Stored in ms, whatever the unit of the metric.
                let scale = if results.manifest.unit(run.metric) == "us" { 1e3 } else { 1.0 };
                let mut most = 0.0f64;
                let points = points.map(|(value, share)| (scale * value, share));
                let mut points = points.inspect(|(value, _)| most = most.max(*value));
                let key = Key { part: run.part.to_owned(), ..Key::whole(subject, run.metric) };
                distributions.take(key, run.object, *variant, run.seed, &mut points);
                if run.metric == lateness::METRIC {
                    let latest = latest.entry((run.object.to_owned(), *variant)).or_insert(0.0);
                    *latest = latest.max(most);
                }
            }
        })?;
        distributions.end();
        let mut lateness: IndexMap<Key, Lines> = IndexMap::new();
        for ((key, variant), mean) in distributions.means {
            let kept = if key.metric == lateness::METRIC { &mut lateness } else { &mut cdfs };
            kept.entry(key).or_default().by_variant.insert(variant, mean.line());
        }
        let bands = bands.finished();
        Ok(PlotData { series, close, cdfs, lateness, latest, figures, queues, flows, bands })
    }

    /// The largest sample of each metric over time.
    pub(super) fn largest(&self) -> HashMap<&str, f64> {
        let mut largest: HashMap<&str, f64> = HashMap::new();
        let mut take = |metric, values: &mut dyn Iterator<Item = f64>| {
            let own = largest.entry(metric).or_default();
            *own = values.map(f64::abs).fold(*own, f64::max);
        };
        for (key, lines) in &self.series {
            take(key.metric.as_str(), &mut lines.by_variant.values().flatten().map(|(_, value)| *value));
        }
        for (key, bands) in &self.bands {
            take(key.metric.as_str(), &mut bands.values().flat_map(|band| &band.ends).map(|(_, high)| *high));
        }
        largest
    }
}

impl Key {
    /// Key of a metric of an object as a whole.
    pub(super) fn whole(object: &str, metric: &str) -> Key {
        Key { object: object.to_owned(), metric: metric.to_owned(), part: String::new() }
    }

    fn of(run: &SeriesRun) -> Key {
        Key { part: run.part.to_owned(), ..Key::whole(run.object, run.metric) }
    }
}

/// Collects distributions, one after another.
#[derive(Default)]
struct Distributions {
    at: Option<(Key, String, usize, u64)>,
    steps: Vec<(f64, f64)>,
    means: IndexMap<(Key, usize), QuantileMean>,
}

impl Distributions {
    fn take(
        &mut self,
        key: Key,
        object: &str,
        variant: usize,
        seed: u64,
        points: &mut dyn Iterator<Item = (f64, f64)>,
    ) {
        let at = (key, object.to_owned(), variant, seed);
        if self.at.as_ref() != Some(&at) {
            self.end();
            self.at = Some(at);
        }
        self.steps.extend(points);
    }

    /// Completes the current distribution.
    fn end(&mut self) {
        if let Some((key, _, variant, _)) = self.at.take() {
            self.means.entry((key, variant)).or_default().add_cdf(&self.steps);
            self.steps.clear();
        }
    }
}

/// The bottleneck, then other queues with backlog or drops.
pub(super) fn shown_queues(results: &Results) -> (Vec<String>, usize) {
    let first = bottleneck(results);
    let is_busy = |name: &str| {
        let value =
            |run: &crate::summary::RunSummary, metric| run.value(name, metric, "").map_or(0.0, |v| v.mean);
        results.runs.iter().any(|run| value(run, "backlog") >= 0.5 || value(run, "drops") > 0.0)
    };
    let others = results
        .manifest
        .objects
        .iter()
        .filter(|(name, table)| *table == "queues" && first != Some(name.as_str()) && is_busy(name));
    let all: Vec<String> =
        first.map(str::to_owned).into_iter().chain(others.map(|(name, _)| name.clone())).collect();
    let omitted = all.len().saturating_sub(QUEUES);
    (all.into_iter().take(QUEUES).collect(), omitted)
}

fn variant_indices(results: &Results) -> HashMap<String, usize> {
    results.manifest.experiment.variants.iter().enumerate().map(|(i, v)| (v.name.clone(), i)).collect()
}

/// Collects series, one after another.
struct Collector<'a> {
    variants: HashMap<String, usize>,
    names: Vec<&'a str>,
    first_seeds: HashMap<usize, u64>,
    /// Queues and flows with plots of their own.
    shown: Vec<&'a str>,
    /// Places in `flows` of the members of groups.
    members: HashMap<&'a str, usize>,
    bands: Bands<'a>,
    bottleneck: Option<&'a str>,
    gauges: &'a IndexMap<String, String>,
    viewers: Viewers<'a>,
    window: Option<Range<f64>>,
    warm_up: f64,
    at: Option<(Key, usize, u64)>,
    points: Vec<(f64, f64)>,
    series: IndexMap<Key, Lines>,
    close: IndexMap<Key, Lines>,
    figures: Vec<FigureLines<'a>>,
    // Index of the series; variant.
    means: IndexMap<(Key, usize), QuantileMean>,
}

impl<'a> Collector<'a> {
    fn new(results: &'a Results, queues: &'a [String], flows: &'a [Subject]) -> Collector<'a> {
        let variants = variant_indices(results);
        let mut first_seeds = HashMap::new();
        for run in &results.manifest.runs {
            if let Some(variant) = variants.get(&run.key.variant) {
                first_seeds.entry(*variant).or_insert(run.key.seed);
            }
        }
        let warm_up = results.manifest.experiment.warm_up.as_secs_f64();
        let figures = results.manifest.experiment.figures.iter();
        let names = results.manifest.experiment.variants.iter().map(|variant| variant.name.as_str());
        let single = flows.iter().filter(|subject| !subject.is_group()).map(|subject| subject.name.as_str());
        let shown = queues.iter().map(String::as_str).chain(single);
        let groups = flows.iter().enumerate().filter(|(_, subject)| subject.is_group());
        let members =
            groups.flat_map(|(place, group)| group.members.iter().map(move |name| (name.as_str(), place)));
        Collector {
            variants,
            names: names.collect(),
            first_seeds,
            shown: shown.collect(),
            members: members.collect(),
            bands: Bands::new(flows, results.manifest.experiment.duration.as_secs_f64()),
            figures: figures.map(|figure| FigureLines::new(figure, warm_up)).collect(),
            bottleneck: bottleneck(results),
            gauges: &results.manifest.gauges,
            viewers: viewers(results),
            window: closeup::window(&results.manifest.experiment),
            warm_up,
            at: None,
            points: Vec::new(),
            series: IndexMap::new(),
            close: IndexMap::new(),
            means: IndexMap::new(),
        }
    }

    fn take(&mut self, run: SeriesRun, points: &mut dyn Iterator<Item = (f64, f64)>) {
        // Only gauges are shown by part; drops and marks have their own plots.
        let is_shown_part = run.part.is_empty() || self.gauges.contains_key(run.metric);
        if !is_shown_part || SKIPPED.contains(&run.metric) {
            return;
        }
        let Some(variant) = self.variants.get(run.variant).copied() else {
            return;
        };
        let is_first = self.first_seeds.get(&variant) == Some(&run.seed);
        let is_member = run.part.is_empty() && self.members.contains_key(run.object);
        if !(is_first && (self.shown.contains(&run.object) || is_member)
            || self.has_distribution(run.object, run.metric)
            || run.part.is_empty()
                && self.figures.iter().any(|f| f.wants(run.variant, run.object, run.metric, is_first)))
        {
            return;
        }
        let is_same = self.at.as_ref().is_some_and(|(key, v, seed)| {
            let same_part = key.part == run.part;
            key.object == run.object
                && key.metric == run.metric
                && same_part
                && *v == variant
                && *seed == run.seed
        });
        if !is_same {
            self.end();
            self.at = Some((Key::of(&run), variant, run.seed));
        }
        self.points.extend(points);
    }

    /// Whether a distribution is computed from a series, over all seeds.
    fn has_distribution(&self, object: &str, metric: &str) -> bool {
        let is_viewers = self.viewers.contains(object) && self.shown.contains(&object);
        self.bottleneck == Some(object) && metric == "throughput"
            || is_viewers && OF_VIEWERS.contains(&metric)
    }

    /// Completes the current series.
    fn end(&mut self) {
        let Some((key, variant, seed)) = self.at.take() else {
            return;
        };
        let points = std::mem::take(&mut self.points);
        let is_first = self.first_seeds.get(&variant) == Some(&seed);
        let after_warm_up =
            || points.iter().filter(|(t, _)| *t > self.warm_up).map(|(_, v)| *v).collect::<Vec<_>>();
        for figure in &mut self.figures {
            if key.part.is_empty() && figure.wants(self.names[variant], &key.object, &key.metric, is_first) {
                figure.take(variant, seed, &points);
            }
        }
        if self.has_distribution(&key.object, &key.metric) {
            self.means.entry((key.clone(), variant)).or_default().add_values(after_warm_up());
        }
        if let Some(group) = self.members.get(key.object.as_str()).filter(|_| is_first && key.part.is_empty())
        {
            self.bands.take(*group, &key.metric, variant, &points);
        }
        if is_first && self.shown.contains(&key.object.as_str()) {
            if let Some(window) = &self.window
                && self.viewers.contains(&key.object)
                && closeup::shows(&key.metric)
            {
                let inside: Vec<_> = points.iter().filter(|(t, _)| window.contains(t)).copied().collect();
                let lines = self.close.entry(key.clone()).or_default();
                lines.by_variant.insert(variant, thinned(&inside));
            }
            self.series.entry(key).or_default().by_variant.insert(variant, thinned(&points));
        }
    }
}

/// At most [`POINTS`] points: the minimum and maximum of each interval, so no spike is lost.
pub(super) fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let most = POINTS;
    if points.len() <= most {
        return points.to_vec();
    }
    let stretches = most / 2;
    let mut out = Vec::with_capacity(most);
    for i in 0..stretches {
        let stretch = &points[i * points.len() / stretches..(i + 1) * points.len() / stretches];
        let by_value = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        if let (Some(low), Some(high)) = (stretch.iter().min_by(by_value), stretch.iter().max_by(by_value)) {
            let (first, second) = if low.0 <= high.0 { (low, high) } else { (high, low) };
            out.push(*first);
            if first != second {
                out.push(*second);
            }
        }
    }
    out
}

/// Mean of the quantiles of several distributions, with equal weights.
#[derive(Default)]
pub(super) struct QuantileMean {
    sums: Vec<f64>,
    count: usize,
}

impl QuantileMean {
    fn add(&mut self, quantile: impl Fn(f64) -> f64) {
        self.sums.resize(QUANTILES + 1, 0.0);
        for (i, sum) in self.sums.iter_mut().enumerate() {
            *sum += quantile(i as f64 / QUANTILES as f64);
        }
        self.count += 1;
    }

    pub(super) fn add_values(&mut self, mut values: Vec<f64>) {
        values.sort_by(f64::total_cmp);
        if !values.is_empty() {
            self.add(|share| jettison_measure::statistics::quantile(&values, share).unwrap_or(0.0));
        }
    }

    /// Adds a distribution given as ascending `(value, share)` steps.
    fn add_cdf(&mut self, steps: &[(f64, f64)]) {
        if let Some(last) = steps.last() {
            self.add(|share| {
                let at = steps.partition_point(|(_, s)| *s < share);
                steps.get(at).unwrap_or(last).0
            });
        }
    }

    pub(super) fn line(&self) -> Vec<(f64, f64)> {
        let share = |i: usize| i as f64 / QUANTILES as f64;
        self.sums.iter().enumerate().map(|(i, sum)| (sum / self.count as f64, share(i))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_the_spikes_and_the_order() {
        let mut points: Vec<(f64, f64)> = (0..100_000).map(|i| (f64::from(i), f64::from(i % 7))).collect();
        points[77_777].1 = 1000.0;
        let thin = thinned(&points);
        assert!(thin.len() <= POINTS && thin.windows(2).all(|w| w[0].0 < w[1].0));
        assert!(thin.contains(&(77_777.0, 1000.0)));
        assert_eq!(thinned(&points[..POINTS]), &points[..POINTS]);
    }

    #[test]
    fn quantiles_are_averaged_over_seeds() {
        let mut mean = QuantileMean::default();
        mean.add_values((0..=400).map(f64::from).collect());
        mean.add_cdf(&[(400.0, 0.5), (800.0, 1.0)]);
        let line = mean.line();
        let at = |share: f64| line.iter().find(|(_, s)| *s == share).unwrap().0;
        assert_eq!((at(0.5), at(0.75), at(1.0)), (300.0, 550.0, 600.0));
    }
}
