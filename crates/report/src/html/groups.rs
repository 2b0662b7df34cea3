//! Flows that pictures show: single ones, and groups of many alike as a median with a band.

use std::collections::{BTreeSet, HashMap};

use indexmap::IndexMap;

use super::data::Key;
use crate::store::Results;
use crate::viewers::viewers;

/// From how many flows of one name on, they are shown as a group.
const MANY: usize = 4;
/// Maximum number of members whose series are read.
const READ: usize = 100;
/// Maximum number of flows and groups with plots, for a few variants and for many.
const SUBJECTS: [usize; 2] = [12, 6];
const FEW_VARIANTS: usize = 4;
/// Number of places of a group's lines.
const PLACES: usize = 300;
/// Shares of the flows below the ends of the band.
const BAND: [f64; 2] = [0.1, 0.9];

/// A flow, or a group of flows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Subject {
    /// Name of the flow, or the group's: `prague.*`.
    pub(super) name: String,
    /// The flows whose series are read.
    pub(super) members: Vec<String>,
    /// Number of flows.
    pub(super) count: usize,
}

impl Subject {
    pub(super) fn is_group(&self) -> bool {
        self.count > 1
    }

    pub(super) fn contains(&self, flow: &str) -> bool {
        match self.is_group() {
            true => stem(flow).is_some_and(|stem| self.name.strip_suffix(".*") == Some(stem)),
            false => self.name == flow,
        }
    }
}

/// What comes before a flow's number.
fn stem(flow: &str) -> Option<&str> {
    let (stem, number) = flow.rsplit_once(['.', '-'])?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(stem)
}

/// Flows and groups with plots, and the number of flows without. Those with different sets of metrics take turns, so that one ping
/// among ten bulk flows is included. Viewers come first.
pub(super) fn subjects(results: &Results) -> (Vec<Subject>, usize) {
    let flows: Vec<&str> = results
        .manifest
        .objects
        .iter()
        .filter(|(_, table)| *table == "flows")
        .map(|(name, _)| name.as_str())
        .collect();
    let all = grouped(&flows);
    let mut measured: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    for value in results.runs.iter().flat_map(|run| &run.values).filter(|value| value.part.is_empty()) {
        measured.entry(&value.object).or_default().insert(&value.metric);
    }
    let mut sorts: IndexMap<BTreeSet<&str>, Vec<usize>> = IndexMap::new();
    for (place, subject) in all.iter().enumerate() {
        let metrics = subject.members.first().and_then(|flow| measured.get(flow.as_str()));
        sorts.entry(metrics.cloned().unwrap_or_default()).or_default().push(place);
    }
    let viewers = viewers(results);
    let is_viewer = |place: &usize| all[*place].members.iter().any(|flow| viewers.contains(flow));
    // A stable sort: groups keep their order.
    sorts.sort_by_key(|_, places| !places.iter().any(is_viewer));
    let rounds = sorts.values().map(Vec::len).max().unwrap_or(0);
    let in_turn = (0..rounds).flat_map(|round| sorts.values().filter_map(move |sort| sort.get(round)));
    let most = SUBJECTS[usize::from(results.manifest.experiment.variants.len() > FEW_VARIANTS)];
    let mut shown: Vec<usize> = in_turn.take(most).copied().collect();
    shown.sort_by_key(|place| (!is_viewer(place), *place));
    let shown: Vec<Subject> = shown.into_iter().map(|place| all[place].clone()).collect();
    let omitted = flows.len() - shown.iter().map(|subject| subject.count).sum::<usize>();
    (shown, omitted)
}

/// Flows of one stem as a group if there are many.
fn grouped(flows: &[&str]) -> Vec<Subject> {
    let mut stems: IndexMap<&str, Vec<&str>> = IndexMap::new();
    for flow in flows {
        stems.entry(stem(flow).unwrap_or(flow)).or_default().push(flow);
    }
    let single = |flow: &str| Subject { name: flow.to_owned(), members: vec![flow.to_owned()], count: 1 };
    let subjects = stems.into_iter().flat_map(|(stem, flows)| match flows.len() < MANY {
        true => flows.into_iter().map(single).collect(),
        false => {
            // Members at equal distances, so that all parts of a large group count.
            let step = flows.len().div_ceil(READ);
            let members = flows.iter().step_by(step).map(|flow| (*flow).to_owned()).collect();
            vec![Subject { name: format!("{stem}.*"), members, count: flows.len() }]
        }
    });
    subjects.collect()
}

/// The median of a group's flows over time, and the band that most of them are in.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Band {
    pub(super) median: Vec<(f64, f64)>,
    pub(super) ends: Vec<(f64, f64)>,
}

/// Collects the series of groups.
pub(super) struct Bands<'a> {
    subjects: &'a [Subject],
    duration: f64,
    /// Means of the flows at each place, by group, metric and variant.
    means: IndexMap<(usize, String, usize), Vec<Vec<f64>>>,
}

impl<'a> Bands<'a> {
    pub(super) fn new(subjects: &'a [Subject], duration: f64) -> Bands<'a> {
        Bands { subjects, duration, means: IndexMap::new() }
    }

    /// Adds the series of a flow.
    pub(super) fn take(&mut self, group: usize, metric: &str, variant: usize, points: &[(f64, f64)]) {
        let width = self.duration / PLACES as f64;
        if width <= 0.0 {
            return;
        }
        let key = (group, metric.to_owned(), variant);
        let means = self.means.entry(key).or_insert_with(|| vec![Vec::new(); PLACES]);
        // A sample is at the end of its interval.
        let place = |time: f64| ((libm::ceil(time / width) as usize).max(1) - 1).min(PLACES - 1);
        for own in points.chunk_by(|one, other| place(one.0) == place(other.0)) {
            let sum: f64 = own.iter().map(|(_, value)| value).sum();
            means[place(own[0].0)].push(sum / own.len() as f64);
        }
    }

    /// The lines by group and metric, then by variant.
    pub(super) fn finished(self) -> IndexMap<Key, IndexMap<usize, Band>> {
        let mut bands: IndexMap<Key, IndexMap<usize, Band>> = IndexMap::new();
        let width = self.duration / PLACES as f64;
        for ((group, metric, variant), means) in self.means {
            let key = Key::whole(&self.subjects[group].name, &metric);
            let band = bands.entry(key).or_default().entry(variant).or_default();
            for (place, mut values) in means.into_iter().enumerate().filter(|(_, values)| !values.is_empty())
            {
                values.sort_by(f64::total_cmp);
                let quantile =
                    |share| jettison_measure::statistics::quantile(&values, share).unwrap_or_default();
                band.median.push(((place + 1) as f64 * width, quantile(0.5)));
                band.ends.push((quantile(BAND[0]), quantile(BAND[1])));
            }
        }
        bands
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<String> {
        (1..=count).map(|number| format!("prague.{number}")).collect()
    }

    #[test]
    fn many_flows_of_one_name_are_a_group() {
        let many = names(250);
        let flows: Vec<&str> = many.iter().map(String::as_str).chain(["ping", "web-1", "web-2"]).collect();
        let subjects = grouped(&flows);
        let found: Vec<(&str, usize, usize)> =
            subjects.iter().map(|own| (own.name.as_str(), own.count, own.members.len())).collect();
        assert_eq!(found, [("prague.*", 250, 84), ("ping", 1, 1), ("web-1", 1, 1), ("web-2", 1, 1)]);
        assert!(
            subjects[0].contains("prague.7")
                && !subjects[0].contains("prague")
                && !subjects[0].contains("web-1")
        );
        assert_eq!(grouped(&flows[..3]).len(), 3);
        assert_eq!((stem("a.b.12"), stem("a."), stem("1")), (Some("a.b"), None, None));
    }

    #[test]
    fn a_band_holds_most_flows_around_their_median() {
        let subjects = grouped(&names(11).iter().map(String::as_str).collect::<Vec<_>>());
        let mut bands = Bands::new(&subjects, 300.0);
        for flow in 0..11 {
            // Two samples at the first place, one at the third.
            let value = f64::from(flow);
            bands.take(0, "rtt", 3, &[(0.5, value - 1.0), (1.0, value + 1.0), (3.0, 10.0 * value)]);
        }
        let bands = bands.finished();
        let band = &bands[&Key::whole("prague.*", "rtt")][&3];
        assert_eq!(band.median, [(1.0, 5.0), (3.0, 50.0)]);
        assert_eq!(band.ends, [(1.0, 9.0), (10.0, 90.0)]);
    }
}
