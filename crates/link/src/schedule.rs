//! Values that change at scheduled times.

use jettison_core::Time;
use thiserror::Error;

/// A piecewise-constant value: an initial value and changes at given instants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule<T> {
    initial: T,
    /// Strictly increasing in time.
    changes: Vec<(Time, T)>,
}

/// Changes out of order.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("changes must be in order of time: the change at {at} does not come after the one at {after}")]
pub struct ScheduleError {
    /// Position of the offending change, from 0.
    pub index: usize,
    /// Its time.
    pub at: Time,
    /// The time of the change written before it.
    pub after: Time,
}

impl<T: Copy> Schedule<T> {
    /// A value that never changes.
    pub fn constant(value: T) -> Schedule<T> {
        Schedule { initial: value, changes: Vec::new() }
    }

    /// `initial` until the first of `changes`, whose times must be strictly increasing.
    pub fn new(initial: T, changes: Vec<(Time, T)>) -> Result<Schedule<T>, ScheduleError> {
        if let Some(index) = changes.windows(2).position(|pair| pair[1].0 <= pair[0].0) {
            let (after, at) = (changes[index].0, changes[index + 1].0);
            return Err(ScheduleError { index: index + 1, at, after });
        }
        Ok(Schedule { initial, changes })
    }

    /// The value at `now`. A change applies from its own instant on.
    pub fn at(&self, now: Time) -> T {
        match self.passed(now) {
            0 => self.initial,
            passed => self.changes[passed - 1].1,
        }
    }

    /// The first change after `now`.
    pub fn next_change(&self, now: Time) -> Option<Time> {
        self.changes.get(self.passed(now)).map(|(at, _)| *at)
    }

    /// The first instant, not before `now`, at which the value satisfies `wanted`.
    pub fn first(&self, now: Time, wanted: impl Fn(T) -> bool) -> Option<Time> {
        if wanted(self.at(now)) {
            return Some(now);
        }
        self.changes[self.passed(now)..].iter().find(|(_, value)| wanted(*value)).map(|(at, _)| *at)
    }

    /// The initial value and those of all changes.
    pub fn values(&self) -> impl Iterator<Item = T> + '_ {
        std::iter::once(self.initial).chain(self.changes.iter().map(|(_, value)| *value))
    }

    /// The value after the last change.
    pub fn last(&self) -> T {
        self.changes.last().map_or(self.initial, |(_, value)| *value)
    }

    /// Number of changes up to and including `now`.
    fn passed(&self, now: Time) -> usize {
        self.changes.partition_point(|(at, _)| *at <= now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_applies_from_its_own_instant_on() {
        let schedule =
            Schedule::new('a', vec![(Time::from_secs(1), 'b'), (Time::from_secs(2), 'c')]).unwrap();
        assert_eq!(schedule.at(Time::from_nanos(999_999_999)), 'a');
        assert_eq!(schedule.at(Time::from_secs(1)), 'b');
        assert_eq!(schedule.at(Time::from_secs(9)), 'c');
        assert_eq!(schedule.next_change(Time::ZERO), Some(Time::from_secs(1)));
        assert_eq!(schedule.next_change(Time::from_secs(1)), Some(Time::from_secs(2)));
        assert_eq!(schedule.next_change(Time::from_secs(2)), None);
        assert_eq!(schedule.first(Time::ZERO, |value| value == 'c'), Some(Time::from_secs(2)));
        assert_eq!(schedule.first(Time::from_secs(3), |value| value == 'c'), Some(Time::from_secs(3)));
        assert_eq!(schedule.first(Time::from_secs(3), |value| value == 'a'), None);
    }

    #[test]
    fn changes_out_of_order_are_refused() {
        let error = Schedule::new(1, vec![(Time::from_secs(5), 2), (Time::from_secs(5), 3)]).unwrap_err();
        assert_eq!(error.index, 1);
        assert!(
            error.to_string().contains("the change at 5 s does not come after the one at 5 s"),
            "{error}"
        );
    }
}
