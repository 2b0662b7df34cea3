//! Timeliness of a flow's samples: deadlines and gaps.

use jettison_core::{Duration, Time};

use crate::SummaryValue;
use crate::metrics;
use crate::recorder::{part_of, plain};

/// Late samples per deadline, and the longest time without a sample.
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
    /// A meter for these deadlines.
    pub fn new(deadlines: &[Duration]) -> Timeliness {
        let deadlines = deadlines.iter().map(|limit| Deadline { limit: *limit, late: 0 }).collect();
        Timeliness { deadlines, last: None, longest_gap: None }
    }

    /// Records the arrival of a sample sent at `sent_at`.
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

    /// The longest time between successive arrivals; `None` before the second.
    pub fn longest_gap(&self) -> Option<Duration> {
        self.longest_gap
    }

    /// The longest of the deadlines.
    pub(crate) fn longest_deadline(&self) -> Option<Duration> {
        self.deadlines.iter().map(|deadline| deadline.limit).max()
    }

    /// Number of late samples per deadline.
    pub fn late(&self) -> impl Iterator<Item = (Duration, u64)> + '_ {
        self.deadlines.iter().map(|deadline| (deadline.limit, deadline.late))
    }

    /// Resets all counts. A gap that began before does not count.
    pub(crate) fn start_measuring(&mut self) {
        self.deadlines.iter_mut().for_each(|deadline| deadline.late = 0);
        self.last = None;
        self.longest_gap = None;
    }

    /// Adds the summary values, relative to `sent` samples.
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
    fn a_sample_misses_a_deadline_only_if_later() {
        let mut timeliness = Timeliness::new(&[MS(5), MS(10)]);
        for delay in [5, 6, 10, 11] {
            timeliness.arrived(Time::ZERO, Time::from_millis(delay));
        }
        let late: Vec<_> = timeliness.late().collect();
        assert_eq!(late, [(MS(5), 3), (MS(10), 1)]);
    }

    #[test]
    fn the_longest_gap_is_between_successive_arrivals() {
        let mut timeliness = Timeliness::new(&[]);
        timeliness.arrived(Time::ZERO, Time::from_millis(100));
        assert_eq!(timeliness.longest_gap(), None);
        for at in [101, 150, 152] {
            timeliness.arrived(Time::ZERO, Time::from_millis(at));
        }
        assert_eq!(timeliness.longest_gap(), Some(MS(49)));
    }

    #[test]
    fn the_warm_up_does_not_count() {
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
