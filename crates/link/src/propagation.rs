//! Propagation delay of a link.

use jettison_core::{Duration, Time};

use crate::Schedule;

/// A one-way delay with scheduled changes. It never reorders packets; [`crate::Impairments`] may.
///
/// A packet takes the delay in force when its last bit leaves. If the delay has decreased, it still arrives no earlier
/// than the packet before it, as on a path that preserves bit order.
#[derive(Debug, Clone)]
pub struct Propagation {
    schedule: Schedule<Duration>,
    /// The delay until `steady_until`.
    delay: Duration,
    steady_until: Time,
    last_arrival: Time,
}

impl Propagation {
    /// A constant delay.
    pub fn new(delay: Duration) -> Propagation {
        Propagation::scheduled(Schedule::constant(delay))
    }

    /// A delay that follows `schedule`.
    pub fn scheduled(schedule: Schedule<Duration>) -> Propagation {
        Propagation {
            delay: schedule.at(Time::ZERO),
            steady_until: schedule.next_change(Time::ZERO).unwrap_or(Time::MAX),
            schedule,
            last_arrival: Time::ZERO,
        }
    }

    /// Arrival time of a packet whose last bit left at `left_at`. Call in the order in which packets leave.
    #[inline]
    pub fn arrival(&mut self, left_at: Time) -> Time {
        if left_at >= self.steady_until {
            self.delay = self.schedule.at(left_at);
            self.steady_until = self.schedule.next_change(left_at).unwrap_or(Time::MAX);
        }
        self.last_arrival = left_at.saturating_add(self.delay).max(self.last_arrival);
        self.last_arrival
    }

    /// The end of the delay in force plus `addition` nanoseconds, not before `left_at`: the arrival of a packet that may
    /// overtake.
    pub(crate) fn delayed(&self, left_at: Time, addition: i64) -> Time {
        let delay = self.schedule.at(left_at).as_nanos().saturating_add_signed(addition);
        left_at.saturating_add(Duration::from_nanos(delay))
    }

    /// The arrival of a packet that would arrive at `at` and does not overtake those before it.
    pub(crate) fn in_order(&mut self, at: Time) -> Time {
        self.last_arrival = at.max(self.last_arrival);
        self.last_arrival
    }

    /// The shortest delay that is ever in force.
    pub fn least_delay(&self) -> Duration {
        self.schedule.values().min().unwrap_or(Duration::ZERO)
    }

    /// The delay in force at `now`.
    pub fn delay(&self, now: Time) -> Duration {
        self.schedule.at(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrives_one_delay_after_it_left() {
        let mut path = Propagation::new(Duration::from_millis(9));
        assert_eq!(path.arrival(Time::from_millis(1)), Time::from_millis(10));
        assert_eq!(path.delay(Time::ZERO), Duration::from_millis(9));
    }

    #[test]
    fn a_shorter_delay_does_not_reorder() {
        let changes = vec![
            (Time::from_millis(10), Duration::from_millis(1)),
            (Time::from_millis(90), Duration::from_millis(30)),
        ];
        let mut path = Propagation::scheduled(Schedule::new(Duration::from_millis(50), changes).unwrap());
        assert_eq!(path.arrival(Time::from_millis(9)), Time::from_millis(59));
        assert_eq!(path.arrival(Time::from_millis(10)), Time::from_millis(59));
        assert_eq!(path.arrival(Time::from_millis(57)), Time::from_millis(59));
        assert_eq!(path.arrival(Time::from_millis(60)), Time::from_millis(61));
        assert_eq!(path.arrival(Time::from_millis(90)), Time::from_millis(120));
    }

    #[test]
    fn an_endless_delay_never_arrives() {
        assert_eq!(Propagation::new(Duration::MAX).arrival(Time::from_secs(1)), Time::MAX);
    }
}
