//! Whether a flow's samples come in time: deadlines and gaps.

use jettison_core::{Duration, Time};

use crate::metrics;
use crate::recorder::{SummaryValue, part_of, plain};

/// How many samples of a flow came later than each deadline, and the longest time without one.
#[derive(Debug, Clone)]
pub struct Timeliness {
    deadlines: Vec<Deadline>,
    last: Option<Time>,
    longest_gap: Option<Duration>,
}

#[derive(Debug, Clone)]
struct Deadline {
    limit: Duration,
    late: u64,
}

impl Timeliness {
    /// For samples that are late after any of `deadlines`.
    pub fn new(deadlines: &[Duration]) -> Timeliness {
        let deadlines = deadlines.iter().map(|limit| Deadline { limit: *limit, late: 0 }).collect();
        Timeliness { deadlines, last: None, longest_gap: None }
    }

    /// A sample that was sent at `sent_at` arrives.
    #[inline]
    pub fn arrived(&mut self, sent_at: Time, now: Time) {
        let delay = now.since(sent_at);
        for deadline in &mut self.deadlines {
            deadline.late += u64::from(delay > deadline.limit);
        }
        if let Some(last) = self.last.replace(now) {
            self.longest_gap = self.longest_gap.max(Some(now.since(last)));
        }
    }

    /// The longest time between two arrivals one after the other; `None` before the second.
    pub fn longest_gap(&self) -> Option<Duration> {
        self.longest_gap
    }

    /// Each deadline, with how many samples came later.
    pub fn late(&self) -> impl Iterator<Item = (Duration, u64)> + '_ {
        self.deadlines.iter().map(|deadline| (deadline.limit, deadline.late))
    }

    /// Counts start anew, and a gap that began before does not count.
    pub(crate) fn start_measuring(&mut self) {
        self.deadlines.iter_mut().for_each(|deadline| deadline.late = 0);
        self.last = None;
        self.longest_gap = None;
    }

    /// Values for the summary, where `sent` samples were to arrive.
    pub(crate) fn summarise(&self, name: &str, sent: u64, summary: &mut Vec<SummaryValue>) {
        if sent > 0 {
            for (limit, late) in self.late() {
                let share = 100.0 * late as f64 / sent as f64;
                summary.push(part_of(plain(name, metrics::DEADLINE_MISS, share), limit.to_string()));
            }
        }
        if let Some(gap) = self.longest_gap {
            summary.push(plain(name, metrics::LONGEST_GAP, gap.as_nanos() as f64 / 1e6));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn a_sample_misses_a_deadline_only_when_it_is_later() {
        let mut timeliness = Timeliness::new(&[MS(5), MS(10)]);
        for delay in [5, 6, 10, 11] {
            timeliness.arrived(Time::ZERO, Time::from_millis(delay));
        }
        let late: Vec<_> = timeliness.late().collect();
        assert_eq!(late, [(MS(5), 3), (MS(10), 1)]);
    }

    #[test]
    fn the_longest_gap_is_between_two_arrivals_one_after_the_other() {
        let mut timeliness = Timeliness::new(&[]);
        timeliness.arrived(Time::ZERO, Time::from_millis(100));
        assert_eq!(timeliness.longest_gap(), None);
        for at in [101, 150, 152] {
            timeliness.arrived(Time::ZERO, Time::from_millis(at));
        }
        assert_eq!(timeliness.longest_gap(), Some(MS(49)));
    }

    #[test]
    fn what_was_before_the_warm_up_ended_does_not_count() {
        let mut timeliness = Timeliness::new(&[MS(5)]);
        timeliness.arrived(Time::ZERO, Time::from_millis(50));
        timeliness.start_measuring();
        timeliness.arrived(Time::from_millis(900), Time::from_millis(901));
        assert_eq!((timeliness.late().next(), timeliness.longest_gap()), (Some((MS(5), 0)), None));
    }

    #[test]
    fn the_summary_names_each_deadline() {
        let mut timeliness = Timeliness::new(&[MS(5), MS(10)]);
        timeliness.arrived(Time::ZERO, Time::from_millis(7));
        let mut summary = Vec::new();
        timeliness.summarise("haptic", 4, &mut summary);
        let rows: Vec<_> = summary.iter().map(|v| (v.metric.name, v.part.as_ref(), v.mean)).collect();
        assert_eq!(rows, [("deadline_miss", "5 ms", 25.0), ("deadline_miss", "10 ms", 0.0)]);
    }
}
