//! Serialization of a run's record, for its transfer from the process of the run to the one that writes the results.
//!
//! Both processes are of one build, so the format may change with any version; a version number detects a mismatch. Names (of
//! metrics, units, parts, reasons) are written once, at first use. Integers are LEB128, times are differences to the previous
//! time, and values take eight bytes: nothing is rounded.

mod bytes;
mod decisions;
mod events;
mod names;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io::{self, BufRead, Write};

use jettison_core::{Duration, Gauge, Time};
use jettison_wire::FlowId;

use crate::accounts::ROW;
use crate::series::Spill;
use crate::{
    AccountLog, AccountRow, Distribution, FrameScore, Kind, Metric, ObjectId, ObjectRecord, RunRecord,
    Series, SummaryValue, VideoFrames,
};
use bytes::{Reader, Writer};
use events::{read_event, write_event};
pub(crate) use names::kept;

/// Magic bytes and version of the format.
const HEAD: &[u8; 8] = b"jet-rec\x06";

/// Error in the bytes of a run's record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TransferError {
    /// Wrong magic bytes or version.
    #[error("a run's record must begin with the magic bytes of this version")]
    OtherFormat,
    /// Unexpected end.
    #[error("a run's record ends too early")]
    CutOff,
    /// Invalid content.
    #[error("a run's record is damaged: {0}")]
    Damaged(&'static str),
    /// The source of the bytes cannot be read.
    #[error("a run's record cannot be read: {0}")]
    Read(io::ErrorKind),
}

impl From<io::Error> for TransferError {
    fn from(error: io::Error) -> TransferError {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => TransferError::CutOff,
            kind => TransferError::Read(kind),
        }
    }
}

impl RunRecord {
    /// The record as bytes, for [`RunRecord::from_bytes`] of the same version.
    ///
    /// # Errors
    /// If a series cannot be read back from its temporary file.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write_to(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes the bytes of [`RunRecord::to_bytes`], without ever holding all of them.
    ///
    /// # Errors
    /// If `out` takes no more bytes, or a series cannot be read back from its temporary file.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = Writer::new(out);
        out.raw(HEAD);
        out.list(&self.objects, |out, object| {
            write_id(out, object.id);
            out.text(&object.name);
            out.list(&object.distributions, |out, (metric, distribution)| {
                write_metric(out, *metric);
                write_distribution(out, distribution);
            });
        });
        out.list(&self.series, write_series);
        decisions::write(&mut out, &self.drops);
        out.list(&self.frames, write_frames);
        let mut last = 0;
        out.list(&self.events, |out, event| write_event(out, event, &mut last));
        out.list(&self.summary, |out, value| {
            out.text(&value.object);
            write_metric(out, value.metric);
            out.text(&value.part);
            out.float(value.mean);
            out.unsigned(u64::from(value.percentiles.is_some()));
            value.percentiles.iter().flatten().for_each(|value| out.float(*value));
        });
        out.list(&self.gauges, |out, gauge| {
            out.name(gauge.name);
            out.name(gauge.unit);
            out.name(gauge.description);
        });
        write_accounts(&mut out, self);
        out.finish()
    }

    /// Reads a record from the bytes of [`RunRecord::to_bytes`].
    ///
    /// # Errors
    /// If the bytes are of another format, incomplete, invalid, or too many.
    pub fn from_bytes(bytes: &[u8]) -> Result<RunRecord, TransferError> {
        RunRecord::read_from(bytes)
    }

    /// Reads a record up to the end of `input`, as [`RunRecord::from_bytes`] does. Long series go to a temporary file, as
    /// during a run.
    ///
    /// # Errors
    /// As of [`RunRecord::from_bytes`], or if `input` cannot be read.
    pub fn read_from(input: impl BufRead) -> Result<RunRecord, TransferError> {
        let mut input = Reader::new(input);
        match input.array() {
            Ok(head) if head == *HEAD => {}
            Ok(_) | Err(TransferError::CutOff) => return Err(TransferError::OtherFormat),
            Err(error) => return Err(error),
        }
        let objects = input.list(|input| {
            let id = read_id(input)?;
            let name = input.text()?;
            let distributions = input.list(|input| Ok((read_metric(input)?, read_distribution(input)?)))?;
            Ok(ObjectRecord { id, name, distributions })
        })?;
        let series = read_all_series(&mut input)?;
        let drops = decisions::read(&mut input)?;
        let frames = input.list(read_frames)?;
        let mut last = 0;
        let events = input.list(|input| read_event(input, &mut last))?;
        let summary = input.list(|input| {
            Ok(SummaryValue {
                object: input.text()?,
                metric: read_metric(input)?,
                part: Cow::Owned(input.text()?),
                mean: input.float()?,
                percentiles: match input.unsigned()? {
                    0 => None,
                    1 => Some([input.float()?, input.float()?, input.float()?]),
                    _ => return Err(TransferError::Damaged("the flag of percentiles must be 0 or 1")),
                },
            })
        })?;
        let gauges = input.list(|input| Ok(Gauge::new(input.name()?, input.name()?, input.name()?)))?;
        let (accounts, ends) = read_accounts(&mut input)?;
        match input.is_at_end()? {
            true => Ok(RunRecord { objects, series, drops, frames, events, summary, gauges, accounts, ends }),
            false => Err(TransferError::Damaged("data after the end")),
        }
    }
}

fn write_accounts(out: &mut Writer, record: &RunRecord) {
    out.unsigned(record.accounts.len() as u64);
    for piece in record.accounts.pieces() {
        match piece {
            Ok(rows) => rows.iter().for_each(|row| {
                out.raw(&row.to_bytes());
                out.after_item();
            }),
            Err(error) => return out.fail(error),
        }
    }
    out.list(&record.ends, |out, [sender, receiver]| {
        out.text(sender);
        out.text(receiver);
    });
}

fn read_accounts(input: &mut Reader<impl BufRead>) -> Result<(AccountLog, Vec<[String; 2]>), TransferError> {
    let mut accounts = AccountLog::default();
    for _ in 0..input.unsigned()? {
        let row = AccountRow::from_bytes(&input.array::<ROW>()?);
        accounts.push(row.ok_or(TransferError::Damaged("a row of accounts is not one"))?);
    }
    let ends = input.list(|input| Ok([input.text()?, input.text()?]))?;
    Ok((accounts, ends))
}

fn write_id(out: &mut Writer, id: ObjectId) {
    out.unsigned(match id.kind {
        Kind::Queue => 0,
        Kind::Flow => 1,
    });
    out.unsigned(u64::from(id.index));
}

fn read_id(input: &mut Reader<impl BufRead>) -> Result<ObjectId, TransferError> {
    let kind = match input.unsigned()? {
        0 => Kind::Queue,
        1 => Kind::Flow,
        _ => return Err(TransferError::Damaged("the kind of an object must be 0 or 1")),
    };
    Ok(ObjectId { kind, index: input.integer()? })
}

fn write_metric(out: &mut Writer, metric: Metric) {
    out.name(metric.name);
    out.name(metric.unit);
}

fn read_metric(input: &mut Reader<impl BufRead>) -> Result<Metric, TransferError> {
    Ok(Metric { name: input.name()?, unit: input.name()? })
}

fn write_distribution(out: &mut Writer, distribution: &Distribution) {
    let sum = distribution.sum();
    out.unsigned((sum >> 64) as u64);
    out.unsigned(sum as u64);
    let buckets: Vec<(u64, u64)> = distribution.buckets().collect();
    let mut last = 0;
    out.list(&buckets, |out, (value, count)| {
        out.difference(&mut last, *value);
        out.unsigned(*count);
    });
}

fn read_distribution(input: &mut Reader<impl BufRead>) -> Result<Distribution, TransferError> {
    let sum = u128::from(input.unsigned()?) << 64 | u128::from(input.unsigned()?);
    let mut last = 0;
    let buckets = input.list(|input| Ok((input.difference(&mut last)?, input.unsigned()?)))?;
    let distribution = Distribution::of_buckets(buckets.into_iter(), sum);
    distribution.ok_or(TransferError::Damaged("a value of a distribution is out of range"))
}

fn write_series(out: &mut Writer, series: &Series) {
    write_id(out, series.object);
    write_metric(out, series.metric);
    out.name(series.part);
    out.unsigned(series.len());
    let mut last = 0;
    for piece in series.pieces() {
        match piece {
            Ok(piece) => piece.points().for_each(|(time, value)| {
                out.difference(&mut last, time.as_nanos());
                out.float(value);
                out.after_item();
            }),
            Err(error) => return out.fail(error),
        }
    }
}

fn read_all_series(input: &mut Reader<impl BufRead>) -> Result<Vec<Series>, TransferError> {
    let (mut all, mut spill) = (Vec::new(), Spill::default());
    let count = input.unsigned()?;
    for _ in 0..count {
        let mut series = Series::new(read_id(input)?, read_metric(input)?, input.name()?);
        let points = input.unsigned()?;
        let mut last = 0;
        spill.add_series(&series);
        for _ in 0..points {
            series.push(Time::from_nanos(input.difference(&mut last)?), input.float()?);
            if spill.add_point() {
                spill.relieve(all.iter_mut().chain([&mut series]));
            }
        }
        all.push(series);
    }
    Ok(all)
}

fn write_frames(out: &mut Writer, video: &VideoFrames) {
    out.unsigned(u64::from(video.flow.0));
    let (mut frame, mut captured) = (0, 0);
    out.list(&video.scores, |out, score| {
        out.difference(&mut frame, u64::from(score.frame));
        out.difference(&mut captured, score.captured_at.as_nanos());
        out.unsigned(u64::from(score.layers));
        out.unsigned(u64::from(score.latency.is_some()));
        score.latency.iter().for_each(|latency| out.unsigned(latency.as_nanos()));
        out.float(score.ssim_db);
        out.float(score.ssim);
    });
}

fn read_frames(input: &mut Reader<impl BufRead>) -> Result<VideoFrames, TransferError> {
    let flow = FlowId(input.integer()?);
    let (mut frame, mut captured) = (0, 0);
    let scores = input.list(|input| {
        Ok(FrameScore {
            frame: u32::try_from(input.difference(&mut frame)?)
                .map_err(|_| TransferError::Damaged("a frame number is out of range"))?,
            captured_at: Time::from_nanos(input.difference(&mut captured)?),
            layers: input.integer()?,
            latency: match input.unsigned()? {
                0 => None,
                1 => Some(Duration::from_nanos(input.unsigned()?)),
                _ => return Err(TransferError::Damaged("the flag of a latency must be 0 or 1")),
            },
            ssim_db: input.float()?,
            ssim: input.float()?,
        })
    })?;
    Ok(VideoFrames { flow, scores })
}
