//! Rows of the tables, in files or in memory.

use std::fmt::Write;

use jettison_core::{Duration, Time};
use jettison_measure::{
    AccountRow, DropRecord, GaugeKey, Kind, ObjectId, QueueState, RunRecord, Spot, instance_name,
};
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

/// In lists of holders: packets outside the scenario's flows, and those of flows that are not listed. No names of flows: these
/// have no spaces.
const OTHER_TRAFFIC: &str = "other traffic";
const OTHER_FLOWS: &str = "other flows";

/// The tables that runs add to.
pub(super) struct Tables<T> {
    pub(super) queues: T,
    pub(super) flows: T,
    pub(super) drops: T,
    pub(super) distributions: T,
    pub(super) frames: T,
    pub(super) events: T,
    pub(super) accounts: T,
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
            events: create(&schema::EVENTS),
            accounts: create(&schema::ACCOUNTS),
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
            events: with(self.events)?,
            accounts: with(self.accounts)?,
            mode: self.mode,
        })
    }

    /// All tables with their schemas.
    pub(super) fn into_each(self) -> [(&'static TableSchema, T); 7] {
        [
            (&schema::QUEUES, self.queues),
            (&schema::FLOWS, self.flows),
            (&schema::DROPS, self.drops),
            (&schema::DISTRIBUTIONS, self.distributions),
            (&schema::FRAMES, self.frames),
            (&schema::EVENTS, self.events),
            (&schema::ACCOUNTS, self.accounts),
        ]
    }

    /// All tables, mutable.
    pub(super) fn each_mut(&mut self) -> [(&'static TableSchema, &mut T); 7] {
        [
            (&schema::QUEUES, &mut self.queues),
            (&schema::FLOWS, &mut self.flows),
            (&schema::DROPS, &mut self.drops),
            (&schema::DISTRIBUTIONS, &mut self.distributions),
            (&schema::FRAMES, &mut self.frames),
            (&schema::EVENTS, &mut self.events),
            (&schema::ACCOUNTS, &mut self.accounts),
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
        let (mut holders, mut gauges) = (String::new(), String::new());
        for decision in record.drops.iter() {
            let decision = decision.map_err(ReportError::Series)?;
            let identity = decision.identity.as_ref();
            let content = identity.and_then(|own| own.content);
            let unit = content.and_then(|own| own.unit);
            let state = identity.and_then(|own| own.queue.as_ref());
            names.write_holders(&mut holders, state);
            write_gauges(&mut gauges, state);
            let number = |value: Option<u64>| Cell::Optional(value);
            self.drops.row(&[
                variant,
                seed,
                nanos(decision.time),
                Cell::Text(names.queue(decision.queue)),
                Cell::Text(names.flow(decision.flow)),
                Cell::Text(decision.outcome.reason()),
                Cell::Unsigned(u64::from(decision.length)),
                Cell::Unsigned(decision.id),
                Cell::Text(decision.outcome.name()),
                number(identity.map(|own| u64::from(own.packet))),
                Cell::Text(identity.map_or("", |own| instance_name(own.instance))),
                Cell::Text(unit.map_or("", |unit| unit.kind.name())),
                number(unit.map(|unit| unit.number)),
                number(unit.map(|unit| u64::from(unit.part))),
                number(content.map(|own| own.offset)),
                number(content.map(|own| u64::from(own.retransmission))),
                number(content.and_then(|own| own.previous).map(u64::from)),
                number(identity.and_then(|own| own.waited).map(Duration::as_nanos)),
                number(state.map(|state| state.packets)),
                number(state.map(|state| state.bytes)),
                Cell::Text(&holders),
                Cell::Text(&gauges),
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
                    Cell::Float(Some(score.ssim_db).filter(|ssim| ssim.is_finite())),
                    Cell::Float(Some(score.ssim).filter(|ssim| ssim.is_finite())),
                    mode,
                ])?;
            }
        }
        for (id, event) in record.events.iter().enumerate() {
            let number = event.unit.map_or(0, |unit| unit.number);
            let part = event.unit.map_or(0, |unit| u64::from(unit.part));
            self.events.row(&[
                variant,
                seed,
                Cell::Text(names.flow(event.flow)),
                Cell::Unsigned(id as u64),
                Cell::Text(event.kind.name()),
                nanos(event.since),
                nanos(event.at),
                Cell::Signed(i64::try_from(event.duration.as_nanos()).unwrap_or(i64::MAX)),
                Cell::Float(Some(event.cost)),
                Cell::Text(event.unit.map_or("", |unit| unit.kind.name())),
                Cell::Unsigned(number),
                Cell::Unsigned(part),
                mode,
            ])?;
        }
        self.write_accounts(key, record, &names)
    }

    fn write_accounts(&mut self, key: &RunKey, record: &RunRecord, names: &Names) -> Result<(), ReportError> {
        for piece in record.accounts.pieces() {
            for AccountRow { unit, start, end, status, reason, part } in piece.map_err(ReportError::Series)? {
                self.accounts.row(&[
                    Cell::Text(&key.variant),
                    Cell::Unsigned(key.seed),
                    Cell::Text(names.flow(unit.flow)),
                    Cell::Text(unit.kind.name()),
                    Cell::Unsigned(unit.number),
                    Cell::Unsigned(u64::from(unit.part)),
                    nanos(start),
                    nanos(end),
                    Cell::Text(status.name()),
                    Cell::Text(reason.name()),
                    Cell::Text(part.component.name()),
                    Cell::Text(names.spot(part.spot, record)),
                    Cell::Signed(i64::try_from(part.duration.as_nanos()).unwrap_or(i64::MAX)),
                    Cell::Optional(part.decision),
                    Cell::Text(self.mode.name()),
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

    fn queue(&self, index: u32) -> &'a str {
        match index {
            DropRecord::NO_QUEUE => "",
            index => self.of_object(ObjectId { kind: Kind::Queue, index }),
        }
    }

    /// Replaces `text` by the flows that hold a queue: `bulk 41, video 3`.
    fn write_holders(&self, text: &mut String, state: Option<&QueueState>) {
        text.clear();
        let Some(state) = state else { return };
        for (flow, packets) in &state.holders {
            let name = if *flow == FlowId::NONE { OTHER_TRAFFIC } else { self.flow(*flow) };
            let comma = if text.is_empty() { "" } else { ", " };
            let _ = write!(text, "{comma}{name} {packets}");
        }
        if state.others > 0 {
            let _ = write!(text, ", {OTHER_FLOWS} {}", state.others);
        }
    }

    /// A queue, or the node at one of the ends of its link.
    fn spot(&self, spot: Spot, record: &'a RunRecord) -> &'a str {
        let end = |queue: u32, end: usize| {
            record.ends.get(queue as usize).map_or("", |ends: &[String; 2]| ends[end].as_str())
        };
        match spot {
            Spot::None => "",
            Spot::Queue(queue) => self.queue(queue),
            Spot::Sender(queue) => end(queue, 0),
            Spot::Receiver(queue) => end(queue, 1),
        }
    }

    fn flow(&self, flow: FlowId) -> &'a str {
        match flow {
            FlowId::NONE => "",
            FlowId(index) => self.of_object(ObjectId { kind: Kind::Flow, index }),
        }
    }
}

/// Replaces `text` by the values of gauges: `codel_count=3 codel_count[band.1]=0`.
fn write_gauges(text: &mut String, state: Option<&QueueState>) {
    text.clear();
    for (GaugeKey { name, part }, value) in state.into_iter().flat_map(|state| &state.gauges) {
        let space = if text.is_empty() { "" } else { " " };
        let _ = match *part {
            "" => write!(text, "{space}{name}={value}"),
            part => write!(text, "{space}{name}[{part}]={value}"),
        };
    }
}

fn nanos(time: Time) -> Cell<'static> {
    Cell::Signed(signed_nanos(time))
}

fn signed_nanos(time: Time) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}
