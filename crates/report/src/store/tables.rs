//! Rows of the tables, in files or in memory.

use jettison_core::Time;
use jettison_measure::{DropRecord, Kind, ObjectId, RunRecord};
use jettison_wire::FlowId;

use super::column::{Cell, Cells, RowSink};
use super::schema::{self, TableSchema};
use crate::difference::Difference;
use crate::error::ReportError;
use crate::estimate::Estimate;
use crate::model::{Mode, RunKey};
use crate::summary::{RunSummary, Summary};

/// Maximum number of points per stored distribution.
const CDF_POINTS: usize = 999; // plus the one at share 0

/// The tables that runs add to.
pub(super) struct Tables<T> {
    pub(super) queues: T,
    pub(super) flows: T,
    pub(super) drops: T,
    pub(super) distributions: T,
    pub(super) frames: T,
    mode: Mode,
}

impl<T> Tables<T> {
    /// Creates empty tables with `create`.
    pub(super) fn create(mode: Mode, create: impl Fn(&'static TableSchema) -> T) -> Tables<T> {
        Tables {
            queues: create(&schema::QUEUES),
            flows: create(&schema::FLOWS),
            drops: create(&schema::DROPS),
            distributions: create(&schema::DISTRIBUTIONS),
            frames: create(&schema::FRAMES),
            mode,
        }
    }

    /// Converts each table.
    pub(super) fn try_map<U>(
        self,
        mut with: impl FnMut(T) -> Result<U, ReportError>,
    ) -> Result<Tables<U>, ReportError> {
        Ok(Tables {
            queues: with(self.queues)?,
            flows: with(self.flows)?,
            drops: with(self.drops)?,
            distributions: with(self.distributions)?,
            frames: with(self.frames)?,
            mode: self.mode,
        })
    }

    /// All tables with their schemas.
    pub(super) fn into_each(self) -> [(&'static TableSchema, T); 5] {
        [
            (&schema::QUEUES, self.queues),
            (&schema::FLOWS, self.flows),
            (&schema::DROPS, self.drops),
            (&schema::DISTRIBUTIONS, self.distributions),
            (&schema::FRAMES, self.frames),
        ]
    }

    /// All tables, mutable.
    pub(super) fn each_mut(&mut self) -> [(&'static TableSchema, &mut T); 5] {
        [
            (&schema::QUEUES, &mut self.queues),
            (&schema::FLOWS, &mut self.flows),
            (&schema::DROPS, &mut self.drops),
            (&schema::DISTRIBUTIONS, &mut self.distributions),
            (&schema::FRAMES, &mut self.frames),
        ]
    }
}

impl<T: RowSink> Tables<T> {
    /// Adds the rows of a run.
    pub(super) fn write(&mut self, key: &RunKey, record: &RunRecord) -> Result<(), ReportError> {
        let names = Names::of(record);
        let variant = Cell::Text(&key.variant);
        let seed = Cell::Unsigned(key.seed);
        let mode = Cell::Text(self.mode.name());
        let mut times = Vec::new();
        for series in &record.series {
            let object = Cell::Text(names.of_object(series.object));
            let (metric, part) = (Cell::Text(series.metric.name), Cell::Text(series.part));
            let table = match series.object.kind {
                Kind::Queue => &mut self.queues,
                Kind::Flow => &mut self.flows,
            };
            let [variant, seed, object, metric, part, mode] =
                [variant, seed, object, metric, part, mode].map(Cells::Same);
            for piece in series.pieces() {
                let piece = piece.map_err(ReportError::Series)?;
                times.clear();
                times.extend(piece.times().map(signed_nanos));
                let (time, value) = (Cells::Signed(&times), Cells::Floats(piece.values()));
                table.rows(times.len(), &[variant, seed, time, object, metric, part, value, mode])?;
            }
        }
        for drop in &record.drops {
            self.drops.row(&[
                variant,
                seed,
                nanos(drop.time),
                Cell::Text(names.queue_of(drop)),
                Cell::Text(names.flow(drop.flow)),
                Cell::Text(drop.reason.name()),
                Cell::Unsigned(u64::from(drop.length)),
                mode,
            ])?;
        }
        for object in &record.objects {
            for (metric, distribution) in &object.distributions {
                let steps = distribution.cdf(CDF_POINTS);
                let values: Vec<f64> = steps.iter().map(|(value, _)| value.as_nanos() as f64 / 1e6).collect();
                let shares: Vec<f64> = steps.iter().map(|(_, share)| *share).collect();
                let (object, metric) = (Cell::Text(&object.name), Cell::Text(metric.name));
                let [variant, seed, object, metric, mode] =
                    [variant, seed, object, metric, mode].map(Cells::Same);
                let (value, share) = (Cells::Floats(&values), Cells::Floats(&shares));
                let cells = [variant, seed, object, metric, value, share, mode];
                self.distributions.rows(steps.len(), &cells)?;
            }
        }
        for video in &record.frames {
            let flow = Cell::Text(names.flow(video.flow));
            for score in &video.scores {
                let latency = score.latency.map(|latency| latency.as_nanos() as f64 / 1e6);
                self.frames.row(&[
                    variant,
                    seed,
                    flow,
                    Cell::Unsigned(u64::from(score.frame)),
                    nanos(score.captured_at),
                    Cell::Unsigned(u64::from(score.layers)),
                    Cell::Float(latency),
                    Cell::Float(Some(score.ssim_db)),
                    Cell::Float(Some(score.ssim)),
                    mode,
                ])?;
            }
        }
        Ok(())
    }
}

/// The rows of [`schema::RUNS`].
pub(super) fn write_runs(
    table: &mut impl RowSink,
    runs: &[RunSummary],
    mode: Mode,
) -> Result<(), ReportError> {
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
    Ok(())
}

/// The rows of [`schema::SUMMARY`].
pub(super) fn write_summary(
    table: &mut impl RowSink,
    summary: &Summary,
    mode: Mode,
) -> Result<(), ReportError> {
    for row in &summary.rows {
        let Estimate { mean, ci95, n } = row.estimate;
        let percentile = |i: usize| Cell::Float(row.percentiles.map(|p| p[i]));
        table.row(&[
            Cell::Text(&row.variant),
            Cell::Text(&row.object),
            Cell::Text(&row.metric),
            Cell::Text(&row.part),
            Cell::Text(&row.unit),
            Cell::Float(Some(mean)),
            percentile(0),
            percentile(1),
            percentile(2),
            Cell::Float(ci95.map(|ci| ci[0])),
            Cell::Float(ci95.map(|ci| ci[1])),
            Cell::Unsigned(n as u64),
            Cell::Text(mode.name()),
        ])?;
    }
    Ok(())
}

/// The rows of [`schema::DIFFERENCES`].
pub(super) fn write_differences(
    table: &mut impl RowSink,
    differences: &[Difference],
    mode: Mode,
) -> Result<(), ReportError> {
    for difference in differences {
        let Estimate { mean, ci95, n } = difference.estimate;
        table.row(&[
            Cell::Text(&difference.variant),
            Cell::Text(&difference.baseline),
            Cell::Text(&difference.object),
            Cell::Text(&difference.metric),
            Cell::Text(&difference.part),
            Cell::Text(&difference.unit),
            Cell::Float(Some(mean)),
            Cell::Float(difference.percent),
            Cell::Float(ci95.map(|ci| ci[0])),
            Cell::Float(ci95.map(|ci| ci[1])),
            Cell::Unsigned(n as u64),
            Cell::Text(mode.name()),
        ])?;
    }
    Ok(())
}

/// Names of a record's objects by index. [`RunRecord::name`] searches for each.
struct Names<'a> {
    queues: Vec<&'a str>,
    flows: Vec<&'a str>,
}

impl<'a> Names<'a> {
    fn of(record: &'a RunRecord) -> Names<'a> {
        let mut names = Names { queues: Vec::new(), flows: Vec::new() };
        for object in &record.objects {
            let (names, index) = match object.id.kind {
                Kind::Queue => (&mut names.queues, object.id.index as usize),
                Kind::Flow => (&mut names.flows, object.id.index as usize),
            };
            if names.len() <= index {
                names.resize(index + 1, "");
            }
            names[index] = &object.name;
        }
        names
    }

    fn of_object(&self, id: ObjectId) -> &'a str {
        let names = match id.kind {
            Kind::Queue => &self.queues,
            Kind::Flow => &self.flows,
        };
        names.get(id.index as usize).copied().unwrap_or("")
    }

    fn queue_of(&self, drop: &DropRecord) -> &'a str {
        match drop.queue {
            DropRecord::NO_QUEUE => "",
            index => self.of_object(ObjectId { kind: Kind::Queue, index }),
        }
    }

    fn flow(&self, flow: FlowId) -> &'a str {
        match flow {
            FlowId::NONE => "",
            FlowId(index) => self.of_object(ObjectId { kind: Kind::Flow, index }),
        }
    }
}

fn nanos(time: Time) -> Cell<'static> {
    Cell::Signed(signed_nanos(time))
}

fn signed_nanos(time: Time) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}
