//! Threads of a run's programs: how long they waited for a processor, and the end of their real-time priority if they do not
//! sleep.
//!
//! The kernel counts for each thread the time for which it was runnable but did not run, and how often it was given a processor
//! (`/proc/PID/task/TID/schedstat`). The quotient is the mean wait per turn. Nothing has to run in the programs' place, and what is
//! counted is what happened to them.

use std::fs;
use std::io::ErrorKind;
use std::time::Duration as Wall;

use jettison_core::Duration;
use jettison_measure::Distribution;
use rustc_hash::FxHashMap;

use crate::scheduling;

/// Share of a processor above which a thread, or of all processors above which the programs together, count as busy.
const BUSY: f64 = 0.9;
/// Time after which busy threads return to normal scheduling.
const PATIENCE: Wall = Wall::from_millis(1000);

/// Sampler of all threads of this PID namespace except those of its first process, which is the caller.
#[derive(Debug, Default)]
pub struct Threads {
    last: FxHashMap<i32, Thread>,
    waited: Distribution,
    counts: bool,
    demoted: usize,
    /// Time for which the programs together were busy.
    busy_together: Wall,
}

/// Result of a run's samples.
#[derive(Debug, Clone, Default)]
pub struct ThreadsOutcome {
    /// Time for which a thread waited per turn on a processor: means over the interval of a sample, weighted with the turns.
    pub waited: Distribution,
    /// Whether this kernel counts it.
    pub is_counted: bool,
    /// Number of threads that were returned to normal scheduling because they did not sleep.
    pub demoted: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct Thread {
    counters: Counters,
    busy: Wall,
    is_demoted: bool,
}

/// Counters of `schedstat`: nanoseconds on a processor, nanoseconds of waiting for one, turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Counters {
    ran: u64,
    waited: u64,
    turns: u64,
}

impl Counters {
    fn parse(text: &str) -> Option<Counters> {
        let mut numbers = text.split_whitespace().map(|number| number.parse::<u64>().ok());
        let (ran, waited, turns) = (numbers.next()??, numbers.next()??, numbers.next()??);
        Some(Counters { ran, waited, turns })
    }
}

impl Threads {
    /// Reads all counters, `since_last` after the last call. With `demote`, threads that have not slept for a second return to
    /// normal scheduling: they would keep the processor from threads that wait for packets.
    pub fn sample(&mut self, since_last: Wall, demote: bool) {
        let found = threads();
        self.take(&found, since_last, demote, processors(), &mut |thread| {
            let _ = scheduling::make_normal(thread);
        });
    }

    fn take(
        &mut self,
        found: &[(i32, Counters)],
        since_last: Wall,
        demote: bool,
        processors: usize,
        make_normal: &mut dyn FnMut(i32),
    ) {
        let mut before = std::mem::take(&mut self.last);
        let mut together = 0;
        for (id, counters) in found {
            // A thread that is new began after the last sample, with counters of zero.
            let mut thread =
                before.remove(id).filter(|old| old.counters.turns <= counters.turns).unwrap_or_default();
            let turns = counters.turns - thread.counters.turns;
            let waited = counters.waited.saturating_sub(thread.counters.waited);
            let ran = counters.ran.saturating_sub(thread.counters.ran);
            self.counts |= turns > 0;
            if let Some(mean) = waited.checked_div(turns) {
                self.waited.record_many(Duration::from_nanos(mean), turns);
            }
            together += ran;
            thread.counters = *counters;
            thread.busy = match ran as f64 >= BUSY * since_last.as_nanos() as f64 {
                true => thread.busy + since_last,
                false => Wall::ZERO,
            };
            self.last.insert(*id, thread);
        }
        let capacity = since_last.as_nanos() as f64 * processors as f64;
        self.busy_together = match together as f64 >= BUSY * capacity {
            true => self.busy_together + since_last,
            false => Wall::ZERO,
        };
        if !demote {
            return;
        }
        let all = self.busy_together >= PATIENCE;
        for (id, thread) in self.last.iter_mut().filter(|(_, thread)| !thread.is_demoted) {
            if all || thread.busy >= PATIENCE {
                thread.is_demoted = true;
                self.demoted += 1;
                make_normal(*id);
            }
        }
    }

    /// Forgets what was measured, at the end of the warm-up.
    pub fn start_measuring(&mut self) {
        self.waited.clear();
    }

    /// The result.
    pub fn finish(self) -> ThreadsOutcome {
        ThreadsOutcome { waited: self.waited, is_counted: self.counts, demoted: self.demoted }
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// All threads of other processes of this PID namespace. Empty if `/proc` shows another namespace.
fn threads() -> Vec<(i32, Counters)> {
    let own = std::process::id().to_string();
    let is_ours = fs::read_link("/proc/self").is_ok_and(|name| name.as_os_str() == own.as_str());
    // Only the first process of a namespace may take all others for its programs'.
    if !is_ours || own != "1" {
        return Vec::new();
    }
    let mut found = Vec::new();
    for process in numbers("/proc").filter(|process| *process != 1) {
        for thread in numbers(&format!("/proc/{process}/task")) {
            match fs::read_to_string(format!("/proc/{process}/task/{thread}/schedstat")) {
                Ok(text) => found.extend(Counters::parse(&text).map(|counters| (thread, counters))),
                // It has ended, or this kernel counts nothing.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(_) => {}
            }
        }
    }
    found
}

/// Names of the entries of a folder that are numbers.
fn numbers(folder: &str) -> impl Iterator<Item = i32> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Wall = Wall::from_millis(250);
    const STEP_NANOS: u64 = 250_000_000;

    fn counters(ran: u64, waited: u64, turns: u64) -> Counters {
        Counters { ran, waited, turns }
    }

    #[test]
    fn the_wait_per_turn_is_that_of_the_interval() {
        assert_eq!(Counters::parse("575585688 13964804 61\n"), Some(counters(575_585_688, 13_964_804, 61)));
        assert_eq!(Counters::parse("1 2"), None);
        let mut threads = Threads::default();
        let mut take = |found: &[(i32, Counters)]| threads.take(found, STEP, true, 2, &mut |_| panic!());
        take(&[(7, counters(1_000, 1_000_000, 10))]);
        // Nine turns of 100 µs, one thread that is new, and one whose id belongs to another now.
        take(&[(7, counters(2_000, 1_900_000, 19)), (8, counters(500, 4_000_000, 1))]);
        take(&[(7, counters(100, 50_000, 1)), (8, counters(500, 4_000_000, 1))]);
        let outcome = threads.finish();
        assert!(outcome.is_counted && outcome.demoted == 0);
        assert_eq!(outcome.waited.count(), 10 + 9 + 1 + 1);
        assert_eq!(outcome.waited.quantile(0.5).as_micros(), 100);
        assert_eq!(outcome.waited.max().as_micros() / 100, 40);
    }

    #[test]
    fn a_thread_that_does_not_sleep_returns_to_normal_scheduling() {
        let mut demoted = Vec::new();
        let mut threads = Threads::default();
        for step in 1..=6 {
            let ran = step * STEP_NANOS;
            let found = [(3, counters(ran, 0, step)), (4, counters(ran / 2, 0, step * 100))];
            threads.take(&found, STEP, true, 2, &mut |id| demoted.push((step, id)));
        }
        assert_eq!(demoted, [(4, 3)]);
        assert_eq!(threads.finish().demoted, 1);
    }

    #[test]
    fn programs_that_take_all_processors_together_do_so_too() {
        let mut demoted = Vec::new();
        let mut threads = Threads::default();
        for step in 1..=4 {
            let found: Vec<(i32, Counters)> =
                (1..=4).map(|id| (id, counters(step * STEP_NANOS / 2, 0, step * 9))).collect();
            threads.take(&found, STEP, true, 2, &mut |id| demoted.push(id));
        }
        demoted.sort_unstable();
        assert_eq!(demoted, [1, 2, 3, 4]);
    }

    #[test]
    fn nothing_is_demoted_unless_asked_and_no_kernel_need_count() {
        let mut threads = Threads::default();
        for step in 1..=8 {
            let found = [(3, counters(step * STEP_NANOS, 0, 0))];
            threads.take(&found, STEP, false, 1, &mut |_| panic!());
        }
        assert!(!threads.finish().is_counted);
    }

    #[test]
    fn a_process_that_is_not_the_first_of_its_namespace_watches_nobody() {
        assert_eq!(threads(), []);
    }
}
