//! Threads of a software switch on a number of processors.

use jettison_core::{Duration, Time};

/// CPU time of one thread of a switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadTime {
    /// Name, such as `ingress`.
    pub name: String,
    /// CPU time since the start, passes under way counted up to now.
    pub busy: Duration,
}

/// The threads, and the processors that they share.
///
/// A pass is not interrupted. A processor that becomes free stays with its thread while that is ready and its CPU time leads
/// the least one by at most `slice`; otherwise it takes the ready thread with the least CPU time, the first among equals. A
/// thread that waits for work saves no CPU time for later: when it becomes ready, its time counts as at least that of the
/// thread with the least time then. These are the rules of Linux's fair scheduler in short.
#[derive(Clone)]
pub(super) struct Threads {
    threads: Vec<Thread>,
    cpus: Vec<Cpu>,
    slice: Duration,
    /// The least CPU time, in the scheduler's account, of a ready thread so far.
    floor: Duration,
}

#[derive(Clone)]
struct Thread {
    /// CPU time of all passes begun.
    busy: Duration,
    /// CPU time in the scheduler's account.
    account: Duration,
    /// Whether it has work and does not run, and whether it ran at the last decision.
    ready: bool,
    was_running: bool,
    /// The processor and the end of its pass.
    running: Option<(usize, Time)>,
}

#[derive(Clone, Copy)]
struct Cpu {
    busy: bool,
    last: Option<usize>,
}

impl Threads {
    pub fn new(threads: usize, cpus: u32, slice: Duration) -> Threads {
        let idle = || Thread {
            busy: Duration::ZERO,
            account: Duration::ZERO,
            ready: false,
            was_running: false,
            running: None,
        };
        // More processors than threads stay idle.
        let cpus = (cpus as usize).min(threads);
        Threads {
            threads: (0..threads).map(|_| idle()).collect(),
            cpus: vec![Cpu { busy: false, last: None }; cpus],
            slice,
            floor: Duration::ZERO,
        }
    }

    /// The end of the earliest pass.
    pub fn next_end(&self) -> Option<Time> {
        self.threads.iter().filter_map(|thread| thread.running.map(|(_, end)| end)).min()
    }

    /// The first thread whose pass has ended by `now`; it leaves its processor.
    pub fn take_ended(&mut self, now: Time) -> Option<usize> {
        let ended = self.threads.iter().position(|t| t.running.is_some_and(|(_, end)| end <= now))?;
        if let Some((cpu, _)) = self.threads[ended].running.take() {
            self.cpus[cpu].busy = false;
        }
        Some(ended)
    }

    /// A free processor.
    #[inline]
    pub fn free_cpu(&self) -> Option<usize> {
        self.cpus.iter().position(|cpu| !cpu.busy)
    }

    /// Reports whether a thread that is not running has work.
    #[inline]
    pub fn set_ready(&mut self, thread: usize, ready: bool) {
        let thread = &mut self.threads[thread];
        if ready && !thread.ready && !thread.was_running {
            thread.account = thread.account.max(self.floor);
        }
        (thread.ready, thread.was_running) = (ready, thread.running.is_some());
    }

    /// The thread that a free processor takes; `None` without a ready one.
    pub fn choose(&mut self, cpu: usize) -> Option<usize> {
        let account = |place: usize| self.threads[place].account;
        let places = 0..self.threads.len();
        let least = places.clone().filter(|place| self.threads[*place].ready).min_by_key(|p| account(*p))?;
        let active = |place: &usize| self.threads[*place].ready || self.threads[*place].running.is_some();
        let floor = places.filter(active).map(account).min();
        let limit = account(least).saturating_add(self.slice);
        let stays = |last: &usize| self.threads[*last].ready && account(*last) <= limit;
        let chosen = self.cpus[cpu].last.filter(stays).unwrap_or(least);
        self.floor = self.floor.max(floor.unwrap_or_default());
        Some(chosen)
    }

    /// Begins a pass, or a part of one.
    pub fn begin(&mut self, cpu: usize, thread: usize, cost: Duration, now: Time) {
        self.cpus[cpu] = Cpu { busy: true, last: Some(thread) };
        let thread = &mut self.threads[thread];
        thread.busy = thread.busy.saturating_add(cost);
        thread.account = thread.account.saturating_add(cost);
        (thread.ready, thread.was_running) = (false, true);
        thread.running = Some((cpu, now.saturating_add(cost)));
    }

    /// Begins another part of the pass that the thread has just ended, on the same processor.
    pub fn go_on(&mut self, thread: usize, cost: Duration, now: Time) {
        if let Some(cpu) = self.cpus.iter().position(|cpu| cpu.last == Some(thread) && !cpu.busy) {
            self.begin(cpu, thread, cost, now);
        }
    }

    /// CPU time of a thread up to `now`.
    pub fn busy(&self, thread: usize, now: Time) -> Duration {
        let thread = &self.threads[thread];
        let ahead = thread.running.map_or(Duration::ZERO, |(_, end)| end.since(now));
        thread.busy.saturating_sub(ahead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tells which threads have work, and lets a free processor choose.
    fn choose(threads: &mut Threads, ready: &[usize]) -> Option<(usize, usize)> {
        let cpu = threads.free_cpu()?;
        for place in 0..threads.threads.len() {
            let is_ready = threads.threads[place].running.is_none() && ready.contains(&place);
            threads.set_ready(place, is_ready);
        }
        threads.choose(cpu).map(|thread| (cpu, thread))
    }

    /// Runs the ready threads, each pass of 1 µs, and returns who made each pass.
    fn passes(threads: &mut Threads, count: usize, from: u64, ready: &[usize]) -> Vec<usize> {
        let mut order = Vec::new();
        for step in 0..count as u64 {
            let now = Time::from_micros(from + step);
            while threads.take_ended(now).is_some() {}
            let (cpu, thread) = choose(threads, ready).unwrap();
            threads.begin(cpu, thread, Duration::from_micros(1), now);
            order.push(thread);
        }
        order
    }

    #[test]
    fn ready_threads_share_a_processor_by_their_cpu_time() {
        let mut threads = Threads::new(3, 1, Duration::ZERO);
        assert_eq!(passes(&mut threads, 9, 0, &[0, 1, 2]), [0, 1, 2, 2, 0, 1, 1, 0, 2]);
    }

    #[test]
    fn a_thread_keeps_the_processor_up_to_its_lead() {
        let mut threads = Threads::new(2, 1, Duration::from_micros(2));
        // Thread 0 begins passes with a lead of 0, 1 and 2 µs; then thread 1 catches up and gets ahead as far.
        assert_eq!(passes(&mut threads, 10, 0, &[0, 1]), [0, 0, 0, 1, 1, 1, 1, 1, 1, 0]);
    }

    #[test]
    fn a_thread_that_waited_has_saved_nothing() {
        let mut threads = Threads::new(2, 1, Duration::ZERO);
        passes(&mut threads, 100, 0, &[0]);
        let order = passes(&mut threads, 100, 100, &[0, 1]);
        let count = order.iter().filter(|thread| **thread == 1).count();
        assert!((49..=51).contains(&count), "{count} of 100");
    }

    #[test]
    fn each_thread_runs_on_one_processor_at_a_time() {
        let mut threads = Threads::new(2, 8, Duration::ZERO);
        let now = Time::from_micros(5);
        let (first, thread) = choose(&mut threads, &[1]).unwrap();
        assert_eq!(thread, 1);
        threads.begin(first, 1, Duration::from_micros(4), now);
        assert_eq!(choose(&mut threads, &[1]), None);
        let (second, thread) = choose(&mut threads, &[0, 1]).unwrap();
        assert_eq!((second != first, thread), (true, 0));
        assert_eq!(threads.next_end(), Some(Time::from_micros(9)));
        assert_eq!(threads.busy(1, Time::from_micros(6)), Duration::from_micros(1));
    }
}
