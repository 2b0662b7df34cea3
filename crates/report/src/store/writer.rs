//! Writing results, run by run.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use jettison_core::Time;
use jettison_measure::{DropRecord, Kind, ObjectId, RunRecord};
use jettison_wire::FlowId;

use super::folder::{MANIFEST, Staging};
use super::logs::{self, LOGS};
use super::reader::Results;
use super::schema::{self, TableSchema};
use super::table::{Cell, OpenFile, TableWriter};
use crate::error::ReportError;
use crate::model::{
    Experiment, Failure, FailureEntry, LiveEntry, LiveFacts, Manifest, Mode, RunEntry, RunKey, Status,
    Timing, table_of,
};
use crate::pcapng::PortCapture;
use crate::reproduction::ReproductionRow;
use crate::summary::{RunSummary, Summary, SummaryRecord};

/// At most this many points a stored distribution.
const CDF_POINTS: usize = 999; // and the one at share 0
/// Out-of-order runs wait here, inside the temporary folder.
const WAITING: &str = ".waiting";

/// How to write.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WriterOptions {
    /// Replace a folder that is not ours.
    pub force: bool,
}

/// What is known only when all runs have ended.
#[derive(Debug, Clone, Default)]
pub struct Closing {
    /// How long it took.
    pub timing: Timing,
    /// The paper's figures beside ours, where there are any.
    pub reproduction: Vec<ReproductionRow>,
}

/// Takes runs as they finish and puts the folder in place at the end.
///
/// Everything goes to a temporary folder beside the target; dropping the writer, or an error, removes it. Rows are
/// written in the order of the experiment (variants, then seeds). A run that finishes before its turn is kept on disk,
/// not in memory, so memory does not grow with the number of runs but for their summary values.
pub struct Writer {
    experiment: Experiment,
    tables: Tables,
    // A place a run, in the order of the experiment.
    runs: Vec<Option<Done>>,
    next: usize,
    // The same of what is noted of them.
    live: Vec<Option<LiveFacts>>,
    failures: Vec<Vec<Failure>>,
    open: OpenFile,
    staging: Staging,
}

/// What is kept in memory of a run that was handed over.
struct Done {
    entry: RunEntry,
    summary: RunSummary,
    objects: Vec<(String, &'static str)>,
    units: Vec<(&'static str, &'static str)>,
}

impl Writer {
    /// Checks that the results can go to `target` and opens the temporary folder beside it. Do this before running
    /// anything.
    ///
    /// # Errors
    /// If `target` is a file or a non-empty folder that is not ours, or cannot be written.
    pub fn create(
        target: &Path,
        experiment: Experiment,
        options: WriterOptions,
    ) -> Result<Writer, ReportError> {
        Writer::create_with(target, experiment, options, OpenFile(|path| File::create(path)))
    }

    pub(super) fn create_with(
        target: &Path,
        experiment: Experiment,
        options: WriterOptions,
        open: OpenFile,
    ) -> Result<Writer, ReportError> {
        let staging = Staging::open(target, options.force)?;
        let tables = Tables::create(staging.path(), staging.target(), open, experiment.mode)?;
        let places = experiment.variants.len() * experiment.seeds.len();
        let runs = (0..places).map(|_| None).collect();
        let (live, failures) = (vec![None; places], vec![Vec::new(); places]);
        Ok(Writer { experiment, tables, runs, next: 0, live, failures, open, staging })
    }

    /// Where packet captures go.
    pub fn captures(&self) -> Captures {
        Captures { folder: self.staging.path().join("pcap"), shown: self.staging.target().join("pcap") }
    }

    /// A folder for what the programs of a run print. What is in it by [`Writer::finish`] goes with the results:
    /// `logs/<variant>/<seed>/`.
    ///
    /// # Errors
    /// If the experiment has no such run, or the folder cannot be made.
    pub fn logs(&self, key: &RunKey) -> Result<PathBuf, ReportError> {
        self.index_of(key).ok_or_else(|| ReportError::UnknownRun(key.clone()))?;
        let folder = self.staging.path().join(LOGS).join(file_name(&key.variant)).join(key.seed.to_string());
        fs::create_dir_all(&folder).map_err(ReportError::write(&self.staging.target().join(LOGS)))?;
        Ok(folder)
    }

    /// Notes how the machine carried a live run, in place of what was noted of it before.
    ///
    /// # Errors
    /// If the experiment has no such run.
    pub fn add_live(&mut self, key: &RunKey, facts: LiveFacts) -> Result<(), ReportError> {
        let index = self.index_of(key).ok_or_else(|| ReportError::UnknownRun(key.clone()))?;
        self.live[index] = Some(facts);
        Ok(())
    }

    /// Notes what went wrong in a run, whether it is handed over all the same or not. A run may have several failures.
    ///
    /// # Errors
    /// If the experiment has no such run.
    pub fn add_failure(&mut self, key: &RunKey, failure: Failure) -> Result<(), ReportError> {
        let index = self.index_of(key).ok_or_else(|| ReportError::UnknownRun(key.clone()))?;
        self.failures[index].push(failure);
        Ok(())
    }

    /// Takes a finished run.
    ///
    /// # Errors
    /// If the experiment has no such run or has it already, or it cannot be written. After an error the writer is of no
    /// more use.
    pub fn add_run(&mut self, key: &RunKey, record: &RunRecord) -> Result<(), ReportError> {
        let index = self.index_of(key).filter(|index| self.runs[*index].is_none());
        let index = index.ok_or_else(|| ReportError::UnexpectedRun(key.clone()))?;
        if index == self.next {
            self.tables.write(key, record)?;
        } else {
            let waiting = self.waiting(index);
            fs::create_dir_all(&waiting).map_err(ReportError::write(self.staging.target()))?;
            let mode = self.experiment.mode;
            let mut tables = Tables::create(&waiting, self.staging.target(), self.open, mode)?;
            tables.write(key, record)?;
            tables.finish()?;
        }
        let objects = record.objects.iter().map(|o| (o.name.clone(), table_of(o.id.kind))).collect();
        let mut units: Vec<_> = record.series.iter().map(|s| (s.metric.name, s.metric.unit)).collect();
        units.extend(record.summary.iter().map(|v| (v.metric.name, v.metric.unit)));
        let mut seen = std::collections::HashSet::new();
        units.retain(|unit| seen.insert(*unit));
        self.runs[index] = Some(Done {
            entry: RunEntry { key: key.clone(), drops_not_logged: record.drops_not_logged },
            summary: RunSummary::of(key, record),
            objects,
            units,
        });
        if index == self.next {
            self.next += 1;
            while self.runs.get(self.next).is_some_and(Option::is_some) {
                self.append_waiting(self.next)?;
                self.next += 1;
            }
        }
        Ok(())
    }

    /// The summary values of the runs handed over so far, in the order of the experiment.
    pub fn runs(&self) -> impl Iterator<Item = &RunSummary> {
        self.runs.iter().flatten().map(|done| &done.summary)
    }

    /// Means and intervals of the runs handed over so far.
    pub fn summary(&self) -> Summary {
        Summary::of(&self.runs().cloned().collect::<Vec<_>>())
    }

    /// Whether every run of the experiment was handed over.
    pub fn is_complete(&self) -> bool {
        self.runs.iter().all(Option::is_some)
    }

    /// Writes the rest, makes the page and puts the folder in its place. Results in which a run has a failure say that they
    /// failed, others with runs missing that they were interrupted.
    ///
    /// # Errors
    /// If something cannot be written: then the target is as it was before.
    pub fn finish(mut self, closing: Closing) -> Result<Results, ReportError> {
        let late: Vec<usize> = (self.next..self.runs.len()).filter(|i| self.runs[*i].is_some()).collect();
        for index in late {
            self.append_waiting(index)?;
        }
        let status = match self.is_complete() {
            _ if self.failures.iter().any(|failures| !failures.is_empty()) => Status::Failed,
            true => Status::Complete,
            false => Status::Interrupted,
        };
        let (live, failures) = (self.live_entries(), self.failure_entries());
        let runs: Vec<RunSummary> = self.runs().cloned().collect();
        let summary = Summary::of(&runs);
        let Writer { experiment, tables, runs: done, staging, open, .. } = self;
        tables.finish()?;
        let waiting = staging.path().join(WAITING);
        if waiting.exists() {
            fs::remove_dir_all(&waiting).map_err(ReportError::write(staging.target()))?;
        }

        logs::tidy(staging.path());

        let out = Out { folder: staging.path(), shown: staging.target(), open };
        let mode = experiment.mode;
        write_runs(&out, &runs, mode)?;
        write_summary(&out, &summary, mode)?;
        out.json_lines("summary.json", summary.records(&experiment.name, mode))?;
        out.json("timing.json", &closing.timing)?;
        if !closing.reproduction.is_empty() {
            out.json_lines("reproduction.json", closing.reproduction.iter())?;
        }
        let mut objects = IndexMap::new();
        let mut units = IndexMap::new();
        let mut entries = Vec::new();
        for run in done.into_iter().flatten() {
            objects.extend(run.objects.into_iter().map(|(name, table)| (name, table.to_owned())));
            units.extend(run.units.into_iter().map(|(name, unit)| (name.to_owned(), unit.to_owned())));
            entries.push(run.entry);
        }
        let manifest = Manifest {
            program: Manifest::PROGRAM.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            format: Manifest::FORMAT,
            status,
            experiment,
            runs: entries,
            live,
            failures,
            objects,
            units,
        };
        out.json(MANIFEST, &manifest)?;
        // The page is made from what was written, so that `jettison report` makes the same one again.
        let mut results = Results::load(staging.path())?;
        out.bytes("report.html", crate::html::render(&results)?.as_bytes())?;
        results.folder = staging.commit()?;
        Ok(results)
    }

    fn live_entries(&self) -> Vec<LiveEntry> {
        let noted = self.keys().zip(&self.live);
        noted.filter_map(|(key, facts)| Some(LiveEntry { key, facts: facts.clone()? })).collect()
    }

    fn failure_entries(&self) -> Vec<FailureEntry> {
        let entries = |(key, failures): (RunKey, &Vec<Failure>)| {
            let entry = |failure: &Failure| FailureEntry { key: key.clone(), failure: failure.clone() };
            failures.iter().map(entry).collect::<Vec<_>>()
        };
        self.keys().zip(&self.failures).flat_map(entries).collect()
    }

    /// All runs of the experiment in their order.
    fn keys(&self) -> impl Iterator<Item = RunKey> + '_ {
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

    fn waiting(&self, index: usize) -> PathBuf {
        self.staging.path().join(WAITING).join(index.to_string())
    }

    fn append_waiting(&mut self, index: usize) -> Result<(), ReportError> {
        let folder = self.waiting(index);
        self.tables.append(&folder)?;
        fs::remove_dir_all(&folder).map_err(ReportError::write(self.staging.target()))
    }
}

/// Where packet captures of a run go: `pcap/<variant>/<seed>/<port>.pcapng`. Cheap to clone and to send to where the
/// runs are.
#[derive(Debug, Clone)]
pub struct Captures {
    folder: PathBuf,
    shown: PathBuf,
}

impl Captures {
    /// Starts the capture of one port of one run, with at most `snap` bytes of each frame. Finish it before the writer.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn create(&self, run: &RunKey, port: &str, snap: usize) -> Result<PortCapture, ReportError> {
        let folder = self.folder.join(file_name(&run.variant)).join(run.seed.to_string());
        fs::create_dir_all(&folder).map_err(ReportError::write(&self.shown))?;
        PortCapture::create(&folder.join(format!("{}.pcapng", file_name(port))), port, snap)
    }
}

/// `name` without what file systems give a meaning to.
fn file_name(name: &str) -> String {
    let clean = |c: char| {
        if c.is_alphanumeric() || "-_.,=+@".contains(c) { c } else { '_' }
    };
    let name: String = name.chars().map(clean).collect();
    if name.starts_with('.') || name.is_empty() { format!("_{name}") } else { name }
}

/// The tables that runs fill.
struct Tables {
    queues: TableWriter,
    flows: TableWriter,
    drops: TableWriter,
    distributions: TableWriter,
    mode: Mode,
}

impl Tables {
    fn create(folder: &Path, shown: &Path, open: OpenFile, mode: Mode) -> Result<Tables, ReportError> {
        let create = |table: &TableSchema| TableWriter::create(table, folder, shown, open);
        Ok(Tables {
            queues: create(&schema::QUEUES)?,
            flows: create(&schema::FLOWS)?,
            drops: create(&schema::DROPS)?,
            distributions: create(&schema::DISTRIBUTIONS)?,
            mode,
        })
    }

    fn write(&mut self, key: &RunKey, record: &RunRecord) -> Result<(), ReportError> {
        let variant = Cell::Text(&key.variant);
        let seed = Cell::Unsigned(key.seed);
        let mode = Cell::Text(self.mode.name());
        for series in &record.series {
            let object = Cell::Text(record.name(series.object));
            let (metric, part) = (Cell::Text(series.metric.name), Cell::Text(series.part));
            let table = match series.object.kind {
                Kind::Queue => &mut self.queues,
                Kind::Flow => &mut self.flows,
            };
            for (time, value) in series.times.iter().zip(&series.values) {
                let value = Cell::Float(Some(*value));
                table.row(&[variant, seed, nanos(*time), object, metric, part, value, mode])?;
            }
        }
        for drop in &record.drops {
            self.drops.row(&[
                variant,
                seed,
                nanos(drop.time),
                Cell::Text(queue_name(record, drop)),
                Cell::Text(flow_name(record, drop.flow)),
                Cell::Text(drop.reason.name()),
                Cell::Unsigned(u64::from(drop.length)),
                mode,
            ])?;
        }
        for object in &record.objects {
            for (metric, distribution) in &object.distributions {
                for (value, share) in distribution.cdf(CDF_POINTS) {
                    let value = Cell::Float(Some(value.as_nanos() as f64 / 1e6));
                    let (object, metric) = (Cell::Text(&object.name), Cell::Text(metric.name));
                    self.distributions.row(&[
                        variant,
                        seed,
                        object,
                        metric,
                        value,
                        Cell::Float(Some(share)),
                        mode,
                    ])?;
                }
            }
        }
        Ok(())
    }

    fn append(&mut self, folder: &Path) -> Result<(), ReportError> {
        self.queues.append(&schema::QUEUES, folder)?;
        self.flows.append(&schema::FLOWS, folder)?;
        self.drops.append(&schema::DROPS, folder)?;
        self.distributions.append(&schema::DISTRIBUTIONS, folder)
    }

    fn finish(self) -> Result<(), ReportError> {
        self.queues.finish()?;
        self.flows.finish()?;
        self.drops.finish()?;
        self.distributions.finish()
    }
}

fn nanos(time: Time) -> Cell<'static> {
    Cell::Signed(i64::try_from(time.as_nanos()).unwrap_or(i64::MAX))
}

fn queue_name<'a>(record: &'a RunRecord, drop: &DropRecord) -> &'a str {
    match drop.queue {
        DropRecord::NO_QUEUE => "",
        index => record.name(ObjectId { kind: Kind::Queue, index }),
    }
}

fn flow_name(record: &RunRecord, flow: FlowId) -> &str {
    match flow {
        FlowId::NONE => "",
        FlowId(index) => record.name(ObjectId { kind: Kind::Flow, index }),
    }
}

/// Where the smaller files go.
struct Out<'a> {
    folder: &'a Path,
    shown: &'a Path,
    open: OpenFile,
}

impl Out<'_> {
    fn bytes(&self, name: &str, bytes: &[u8]) -> Result<(), ReportError> {
        let shown = self.shown.join(name);
        let mut file = (self.open.0)(&self.folder.join(name)).map_err(ReportError::write(&shown))?;
        std::io::Write::write_all(&mut file, bytes).map_err(ReportError::write(&shown))
    }

    fn json(&self, name: &str, value: &impl serde::Serialize) -> Result<(), ReportError> {
        let mut text = serde_json::to_string_pretty(value)
            .map_err(|error| ReportError::write(&self.shown.join(name))(error.into()))?;
        text.push('\n');
        self.bytes(name, text.as_bytes())
    }

    /// A JSON array with a value a line.
    fn json_lines<T: serde::Serialize>(
        &self,
        name: &str,
        values: impl Iterator<Item = T>,
    ) -> Result<(), ReportError> {
        let mut text = String::from("[");
        for (i, value) in values.enumerate() {
            text.push_str(if i == 0 { "\n" } else { ",\n" });
            let line = serde_json::to_string(&value)
                .map_err(|error| ReportError::write(&self.shown.join(name))(error.into()))?;
            text.push_str(&line);
        }
        text.push_str("\n]\n");
        self.bytes(name, text.as_bytes())
    }
}

fn write_runs(out: &Out, runs: &[RunSummary], mode: Mode) -> Result<(), ReportError> {
    let mut table = TableWriter::create(&schema::RUNS, out.folder, out.shown, out.open)?;
    for run in runs {
        for value in &run.values {
            let percentile = |i: usize| Cell::Float(value.percentiles.map(|p| p[i]));
            table.row(&[
                Cell::Text(&run.key.variant),
                Cell::Unsigned(run.key.seed),
                Cell::Text(&value.object),
                Cell::Text(&value.metric),
                Cell::Text(&value.part),
                Cell::Text(&value.unit),
                Cell::Float(Some(value.mean)),
                percentile(0),
                percentile(1),
                percentile(2),
                Cell::Text(mode.name()),
            ])?;
        }
    }
    table.finish()
}

fn write_summary(out: &Out, summary: &Summary, mode: Mode) -> Result<(), ReportError> {
    let mut table = TableWriter::create(&schema::SUMMARY, out.folder, out.shown, out.open)?;
    let records: Vec<SummaryRecord> = summary.records("", mode).collect();
    for (row, record) in summary.rows.iter().zip(&records) {
        table.row(&[
            Cell::Text(&row.variant),
            Cell::Text(&row.object),
            Cell::Text(&row.metric),
            Cell::Text(&row.part),
            Cell::Text(&row.unit),
            Cell::Float(Some(record.mean)),
            Cell::Float(record.p50),
            Cell::Float(record.p95),
            Cell::Float(record.p99),
            Cell::Float(record.ci95.map(|ci| ci[0])),
            Cell::Float(record.ci95.map(|ci| ci[1])),
            Cell::Unsigned(record.n as u64),
            Cell::Text(mode.name()),
        ])?;
    }
    table.finish()
}
