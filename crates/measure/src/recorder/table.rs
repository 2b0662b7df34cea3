//! The series of a run while it goes on.

use jettison_core::Time;

use crate::series::{Series, Spill};
use crate::{Metric, ObjectId};

const NONE: u32 = u32::MAX;

/// Series by object, metric and part.
///
/// The series of an object form a ring. A search begins behind the series that was last added to: samples come in the same
/// order each time, so that the first one is nearly always right, however many series there are.
#[derive(Debug, Clone, Default)]
pub(super) struct SeriesTable {
    // Each with the index of the next one in its ring.
    series: Vec<(Series, u32)>,
    // By kind and index of the object: the series last added to.
    cursors: [Vec<u32>; 2],
    spill: Spill,
}

impl SeriesTable {
    /// Adds a point.
    #[inline]
    pub fn push(&mut self, object: ObjectId, metric: Metric, part: &'static str, now: Time, value: f64) {
        let cursors = &mut self.cursors[object.kind as usize];
        let last = cursors.get(object.index as usize).copied().unwrap_or(NONE);
        if last != NONE {
            let mut at = self.series[last as usize].1;
            loop {
                let (series, next) = &mut self.series[at as usize];
                if is_same(series.metric, metric) && is_same_text(series.part, part) {
                    series.push(now, value);
                    cursors[object.index as usize] = at;
                    if self.spill.add_point() {
                        self.spill.relieve(self.series.iter_mut().map(|(series, _)| series));
                    }
                    return;
                }
                if at == last {
                    break;
                }
                at = *next;
            }
        }
        self.add(Series::new(object, metric, part).with([(now, value)]));
    }

    /// Adds a series that the object does not have.
    pub fn add(&mut self, series: Series) {
        self.spill.add_series(&series);
        let ObjectId { kind, index } = series.object;
        let cursors = &mut self.cursors[kind as usize];
        if cursors.len() <= index as usize {
            cursors.resize(index as usize + 1, NONE);
        }
        let new = self.series.len() as u32;
        let next = match std::mem::replace(&mut cursors[index as usize], new) {
            NONE => new,
            last => std::mem::replace(&mut self.series[last as usize].1, new),
        };
        self.series.push((series, next));
    }

    /// The series of an object.
    pub fn of_object(&self, object: ObjectId) -> impl Iterator<Item = &Series> {
        let last = self.cursors[object.kind as usize].get(object.index as usize).copied().unwrap_or(NONE);
        let following = move |at: &u32| Some(self.series[*at as usize].1).filter(|next| *next != last);
        let places = std::iter::successors((last != NONE).then_some(last), following);
        places.map(|at| &self.series[at as usize].0)
    }

    /// All series, in the order of their first points.
    pub fn into_series(self) -> Vec<Series> {
        self.series.into_iter().map(|(series, _)| series).collect()
    }
}

/// Names are mostly the same constant, so that their contents need no comparison.
#[inline]
fn is_same(one: Metric, other: Metric) -> bool {
    is_same_text(one.name, other.name) && is_same_text(one.unit, other.unit)
}

#[inline]
fn is_same_text(one: &'static str, other: &'static str) -> bool {
    std::ptr::eq(one, other) || one == other
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, metrics};

    #[test]
    fn points_go_to_their_series_in_any_order() {
        let mut table = SeriesTable::default();
        let object = |index| ObjectId { kind: Kind::Flow, index };
        let all = [metrics::GOODPUT, metrics::CWND, metrics::SRTT];
        let turns = [[0, 1, 2], [0, 1, 2], [0, 2, 1], [2, 0, 1], [1, 0, 2]];
        for (turn, order) in turns.iter().enumerate() {
            for (index, metric) in (0..3).flat_map(|index| order.map(|place| (index, all[place]))) {
                let value = f64::from(index) + metric.name.len() as f64;
                table.push(object(index), metric, "", Time::from_secs(turn as u64), value);
            }
        }
        assert_eq!(table.of_object(object(1)).count(), 3);
        assert_eq!(table.of_object(object(7)).count(), 0);
        let series = table.into_series();
        assert_eq!(series.len(), 9);
        for series in series {
            let value = f64::from(series.object.index) + series.metric.name.len() as f64;
            assert_eq!(series.values().unwrap(), [value; 5]);
        }
    }
}
