//! One metric of one object over time.

mod order;
mod spill;
mod times;

use std::borrow::Cow;
use std::io;

use jettison_core::Time;

use crate::{Metric, ObjectId, statistics};
use spill::Chunk;
pub(crate) use spill::{Spill, SpillFile};
use times::{Run, Times};

/// One metric of one object over time.
///
/// Times with equal distances, as on the sampling grid, take no memory each. Long series are partly in a temporary file
/// ([`Series::pieces`] reads them piece by piece).
#[derive(Clone)]
pub struct Series {
    /// The object.
    pub object: ObjectId,
    /// The metric.
    pub metric: Metric,
    /// Part of the metric, such as the reason of drops; empty for the whole.
    pub part: &'static str,
    /// Points in a file, before those in memory.
    spilled: Option<Box<Spilled>>,
    times: Times,
    values: Vec<f64>,
}

/// Points of a series in a file.
#[derive(Clone)]
struct Spilled {
    chunks: Vec<Chunk>,
    /// The newest point.
    last: (Time, f64),
}

/// Some successive points of a series.
#[derive(Debug)]
pub struct Piece<'a> {
    runs: Cow<'a, [Run]>,
    last: Run,
    values: Cow<'a, [f64]>,
}

impl Piece<'_> {
    /// The times, ascending.
    pub fn times(&self) -> impl Iterator<Item = Time> + '_ {
        self.runs.iter().chain(std::iter::once(&self.last)).flat_map(Run::times)
    }

    /// One value per time.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The points.
    pub fn points(&self) -> impl Iterator<Item = (Time, f64)> + '_ {
        self.times().zip(self.values.iter().copied())
    }
}

impl Series {
    /// A series without points.
    pub fn new(object: ObjectId, metric: Metric, part: &'static str) -> Series {
        Series { object, metric, part, spilled: None, times: Times::default(), values: Vec::new() }
    }

    /// The series with further points.
    pub fn with(mut self, points: impl IntoIterator<Item = (Time, f64)>) -> Series {
        points.into_iter().for_each(|(time, value)| self.push(time, value));
        self
    }

    /// Adds a point.
    #[inline]
    pub fn push(&mut self, time: Time, value: f64) {
        self.times.push(time);
        self.values.push(value);
    }

    /// Number of points.
    pub fn len(&self) -> u64 {
        let spilled = self.spilled.iter().flat_map(|spilled| &spilled.chunks);
        spilled.map(|chunk| u64::from(chunk.points)).sum::<u64>() + self.values.len() as u64
    }

    /// Whether it has no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The newest point.
    pub fn latest(&self) -> Option<(Time, f64)> {
        match (self.times.last(), self.values.last()) {
            (Some(time), Some(value)) => Some((time, *value)),
            _ => self.spilled.as_ref().map(|spilled| spilled.last),
        }
    }

    /// The points piece by piece, in order.
    ///
    /// # Errors
    /// If points cannot be read back from the temporary file. Every later piece in that file fails, too.
    pub fn pieces(&self) -> impl Iterator<Item = io::Result<Piece<'_>>> {
        let spilled = self.spilled.iter().flat_map(|spilled| &spilled.chunks);
        let spilled = spilled.map(|chunk| {
            let (runs, values) = chunk.read()?;
            Ok(Piece { runs: Cow::Owned(runs), last: Run::default(), values: Cow::Owned(values) })
        });
        let in_memory = (!self.values.is_empty()).then(|| {
            let (runs, last) = self.times.runs();
            Ok(Piece { runs: Cow::Borrowed(runs), last, values: Cow::Borrowed(&self.values) })
        });
        spilled.chain(in_memory)
    }

    /// All times.
    ///
    /// # Errors
    /// As of [`Series::pieces`].
    pub fn times(&self) -> io::Result<Vec<Time>> {
        Ok(self.points()?.into_iter().map(|(time, _)| time).collect())
    }

    /// All values.
    ///
    /// # Errors
    /// As of [`Series::pieces`].
    pub fn values(&self) -> io::Result<Vec<f64>> {
        Ok(self.points()?.into_iter().map(|(_, value)| value).collect())
    }

    /// All points.
    ///
    /// # Errors
    /// As of [`Series::pieces`].
    pub fn points(&self) -> io::Result<Vec<(Time, f64)>> {
        let mut points = Vec::new();
        for piece in self.pieces() {
            points.extend(piece?.points());
        }
        Ok(points)
    }

    /// Mean and quantiles of the values later than `start`; `None` without any.
    pub(crate) fn statistics<const N: usize>(
        &self,
        start: Time,
        shares: [f64; N],
    ) -> io::Result<Option<(f64, [f64; N])>> {
        if self.spilled.is_some() {
            return order::statistics(self, start, shares);
        }
        let mut values = self.values[self.times.count_until(start)..].to_vec();
        let Some(mean) = statistics::mean(&values) else { return Ok(None) };
        values.sort_unstable_by(f64::total_cmp);
        Ok(Some((mean, shares.map(|share| statistics::quantile(&values, share).unwrap_or(mean)))))
    }
}

impl PartialEq for Series {
    fn eq(&self, other: &Series) -> bool {
        let same = (self.object, self.metric, self.part) == (other.object, other.metric, other.part);
        let points = || Some(self.points().ok()? == other.points().ok()?);
        same && self.len() == other.len() && points().unwrap_or(false)
    }
}

impl std::fmt::Debug for Series {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Series");
        shown.field("object", &self.object).field("metric", &self.metric).field("part", &self.part);
        shown.field("points", &self.points()).finish()
    }
}

#[cfg(test)]
mod tests;
