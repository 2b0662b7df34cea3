//! Data of the runs added so far, collected for the manifest.

use indexmap::IndexMap;
use jettison_core::Gauge;
use jettison_measure::RunRecord;

use crate::error::ReportError;
use crate::model::{
    Experiment, Failure, FailureEntry, LiveEntry, LiveFacts, Manifest, RunEntry, RunKey, Status, table_of,
};
use crate::summary::{RunSummary, Summary};

/// An experiment and the known data of its runs.
pub(super) struct Gathered {
    pub(super) experiment: Experiment,
    // Of the program, for the manifest.
    commit: Option<String>,
    // Content keys of the runs, in the order of the experiment; empty for live runs.
    keys: Vec<String>,
    // One slot per run, in the order of the experiment.
    runs: Vec<Option<Done>>,
    // Notes on the runs, in the same order.
    live: Vec<Option<LiveFacts>>,
    failures: Vec<Vec<Failure>>,
}

/// Data kept of an added run.
struct Done {
    entry: RunEntry,
    summary: RunSummary,
    objects: Vec<(String, &'static str)>,
    units: Vec<(&'static str, &'static str)>,
    gauges: Vec<Gauge>,
}

impl Gathered {
    /// Creates the collection for an experiment run by a program built from `commit`. `keys` are the content keys of
    /// the runs, if they have any.
    pub(super) fn new(experiment: Experiment, commit: Option<String>, keys: Vec<String>) -> Gathered {
        let places = experiment.variants.len() * experiment.seeds.len();
        let runs = (0..places).map(|_| None).collect();
        Gathered {
            experiment,
            commit,
            keys,
            runs,
            live: vec![None; places],
            failures: vec![Vec::new(); places],
        }
    }

    /// Number of runs in the experiment.
    pub(super) fn places(&self) -> usize {
        self.runs.len()
    }

    /// Whether the run at an index was added.
    pub(super) fn has(&self, index: usize) -> bool {
        self.runs.get(index).is_some_and(Option::is_some)
    }

    /// Index of a run that was not added yet.
    pub(super) fn place_of(&self, key: &RunKey) -> Result<usize, ReportError> {
        let index = self.index_of(key).filter(|index| self.runs[*index].is_none());
        index.ok_or_else(|| ReportError::UnexpectedRun(key.clone()))
    }

    /// Index of a run, added or not.
    pub(super) fn known(&self, key: &RunKey) -> Result<usize, ReportError> {
        self.index_of(key).ok_or_else(|| ReportError::UnknownRun(key.clone()))
    }

    /// Keeps the data of a run that the manifest and the summary need.
    pub(super) fn take(&mut self, index: usize, key: &RunKey, record: &RunRecord) {
        let objects = record.objects.iter().map(|o| (o.name.clone(), table_of(o.id.kind))).collect();
        let mut units: Vec<_> = record.series.iter().map(|s| (s.metric.name, s.metric.unit)).collect();
        units.extend(record.summary.iter().map(|v| (v.metric.name, v.metric.unit)));
        let mut seen = std::collections::HashSet::new();
        units.retain(|unit| seen.insert(*unit));
        self.runs[index] = Some(Done {
            entry: RunEntry {
                key: key.clone(),
                drops_not_logged: 0,
                content_key: self.keys.get(index).cloned(),
            },
            summary: RunSummary::of(key, record),
            objects,
            units,
            gauges: record.gauges.clone(),
        });
    }

    /// Sets the conditions of a live run, replacing earlier ones.
    pub(super) fn note_live(&mut self, key: &RunKey, facts: LiveFacts) -> Result<(), ReportError> {
        let index = self.known(key)?;
        self.live[index] = Some(facts);
        Ok(())
    }

    /// Adds a failure of a run.
    pub(super) fn note_failure(&mut self, key: &RunKey, failure: Failure) -> Result<(), ReportError> {
        let index = self.known(key)?;
        self.failures[index].push(failure);
        Ok(())
    }

    /// Summary values of the runs added so far, in the order of the experiment.
    pub(super) fn runs(&self) -> impl Iterator<Item = &RunSummary> {
        self.runs.iter().flatten().map(|done| &done.summary)
    }

    /// Means and confidence intervals of the runs added so far.
    pub(super) fn summary(&self) -> Summary {
        Summary::of(&self.runs().cloned().collect::<Vec<_>>())
    }

    /// Whether all runs of the experiment were added.
    pub(super) fn is_complete(&self) -> bool {
        self.runs.iter().all(Option::is_some)
    }

    /// Creates the manifest.
    pub(super) fn into_manifest(self) -> Manifest {
        let status = match self.is_complete() {
            _ if self.failures.iter().any(|failures| !failures.is_empty()) => Status::Failed,
            true => Status::Complete,
            false => Status::Interrupted,
        };
        let (live, failures) = (self.live_entries(), self.failure_entries());
        let mut objects = IndexMap::new();
        let mut units = IndexMap::new();
        let mut gauges = IndexMap::new();
        let mut entries = Vec::new();
        for run in self.runs.into_iter().flatten() {
            objects.extend(run.objects.into_iter().map(|(name, table)| (name, table.to_owned())));
            units.extend(run.units.into_iter().map(|(name, unit)| (name.to_owned(), unit.to_owned())));
            let described = |gauge: Gauge| (gauge.name.to_owned(), gauge.description.to_owned());
            gauges.extend(run.gauges.into_iter().map(described));
            entries.push(run.entry);
        }
        Manifest {
            program: Manifest::PROGRAM.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: self.commit,
            format: Manifest::FORMAT,
            status,
            experiment: self.experiment,
            runs: entries,
            live,
            failures,
            objects,
            units,
            groups: IndexMap::new(),
            answer: String::new(),
            gauges,
            files: IndexMap::new(),
        }
    }

    fn live_entries(&self) -> Vec<LiveEntry> {
        let noted = self.run_keys().zip(&self.live);
        noted.filter_map(|(key, facts)| Some(LiveEntry { key, facts: facts.clone()? })).collect()
    }

    fn failure_entries(&self) -> Vec<FailureEntry> {
        let entries = |(key, failures): (RunKey, &Vec<Failure>)| {
            let entry = |failure: &Failure| FailureEntry { key: key.clone(), failure: failure.clone() };
            failures.iter().map(entry).collect::<Vec<_>>()
        };
        self.run_keys().zip(&self.failures).flat_map(entries).collect()
    }

    /// Keys of all runs of the experiment, in order.
    fn run_keys(&self) -> impl Iterator<Item = RunKey> + '_ {
        let Experiment { variants, seeds, .. } = &self.experiment;
        variants.iter().flat_map(|variant| {
            seeds.iter().map(|seed| RunKey { variant: variant.name.clone(), seed: *seed })
        })
    }

    fn index_of(&self, key: &RunKey) -> Option<usize> {
        let variant = self.experiment.variants.iter().position(|v| v.name == key.variant)?;
        let seed = self.experiment.seeds.iter().position(|s| *s == key.seed)?;
        Some(variant * self.experiment.seeds.len() + seed)
    }
}
