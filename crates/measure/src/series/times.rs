//! Times of a series, as runs with equal distances.

use jettison_core::Time;

/// Times with equal distances, in nanoseconds modulo 2^64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Run {
    pub first: u64,
    pub step: u64,
    pub count: u64,
}

impl Run {
    fn time(&self, index: u64) -> Time {
        Time::from_nanos(self.first.wrapping_add(self.step.wrapping_mul(index)))
    }

    pub fn times(&self) -> impl Iterator<Item = Time> + '_ {
        (0..self.count).map(|index| self.time(index))
    }
}

/// Runs of times.
#[derive(Debug, Clone, Default)]
pub(super) struct Times {
    earlier: Vec<Run>,
    // Beside the others, so that a regular series needs no list. Without times, its count is 0.
    last: Run,
}

impl Times {
    /// Adds a time.
    #[inline]
    pub fn push(&mut self, time: Time) {
        let nanos = time.as_nanos();
        let run = &mut self.last;
        if run.count > 1 && run.first.wrapping_add(run.step.wrapping_mul(run.count)) == nanos {
            run.count += 1;
        } else if run.count == 1 {
            run.step = nanos.wrapping_sub(run.first);
            run.count = 2;
        } else {
            if run.count > 0 {
                self.earlier.push(*run);
            }
            *run = Run { first: nanos, step: 0, count: 1 };
        }
    }

    /// The newest time.
    pub fn last(&self) -> Option<Time> {
        Some(self.last.time(self.last.count.checked_sub(1)?))
    }

    /// Number of times up to and including `limit`.
    pub fn count_until(&self, limit: Time) -> usize {
        let runs = self.earlier.iter().chain(std::iter::once(&self.last));
        let up_to_limit = |run: &Run| match run.count.checked_sub(1).map(|last| run.time(last)) {
            Some(last) if last > limit => run.times().take_while(|time| *time <= limit).count(),
            _ => run.count as usize,
        };
        runs.map(up_to_limit).sum()
    }

    /// The runs, the last one apart.
    pub fn runs(&self) -> (&[Run], Run) {
        (&self.earlier, self.last)
    }
}
