//! Many episodes at once, on threads that stay.
//!
//! A round gives each slot an order. The thread that calls carries out orders like the others, so one thread needs no other. Orders are
//! taken one by one: episodes whose steps take long hold up no other.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;

use jettison_core::Time;

use super::{Episode, Outcome, StepError, Steps, View};

/// What an episode is to do in a round.
#[derive(Debug, Clone, PartialEq)]
pub enum Order {
    /// Nothing.
    Rest,
    /// Take an action and go on to the next decision.
    Step,
    /// Begin anew with a variant, by its index, and a seed.
    Reset(usize, u64),
}

/// The place of one episode.
pub struct Slot {
    steps: Arc<Steps>,
    episode: Option<Episode>,
    order: Order,
    action: Vec<f64>,
    result: Result<Outcome, StepError>,
}

/// Episodes that are stepped together.
pub struct Fleet {
    slots: Arc<Vec<Mutex<Slot>>>,
    /// The next slot of the round that is to be taken.
    next: Arc<AtomicUsize>,
    workers: Vec<Worker>,
    /// What each thread sends at the end of a round: nothing, or its panic.
    done: Receiver<std::thread::Result<()>>,
}

struct Worker {
    begin: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Slot {
    /// Sets the order of the next round.
    pub fn set(&mut self, order: Order, action: &[f64]) {
        self.order = order;
        self.action.clear();
        self.action.extend_from_slice(action);
    }

    /// What the last step led to; after a reset, nothing.
    ///
    /// # Errors
    /// If the order could not be carried out.
    pub fn outcome(&self) -> Result<Outcome, StepError> {
        self.result.clone()
    }

    /// What is seen now; `None` before the first reset.
    pub fn view(&self) -> Option<&View> {
        self.episode.as_ref().map(Episode::view)
    }

    /// Events of the run so far, and its time; zero before the first reset.
    pub fn progress(&self) -> (u64, Time) {
        self.episode.as_ref().map_or((0, Time::ZERO), |episode| (episode.events(), episode.now()))
    }

    /// Takes the episode out.
    pub fn take(&mut self) -> Option<Episode> {
        self.episode.take()
    }

    fn carry_out(&mut self) {
        self.result = match std::mem::replace(&mut self.order, Order::Rest) {
            Order::Rest => Ok(Outcome::default()),
            Order::Step => match &mut self.episode {
                Some(episode) => episode.step(&self.action),
                None => Err(StepError::Task("there is no episode yet; call reset()".to_owned())),
            },
            Order::Reset(variant, seed) => {
                // The old world goes first, for its memory.
                self.episode = None;
                let begun = self.steps.episode(variant, seed);
                begun.map(|episode| self.episode = Some(episode)).map(|()| Outcome::default())
            }
        };
    }
}

impl Fleet {
    /// So many episodes, stepped by at most so many threads.
    pub fn new(steps: &Arc<Steps>, count: usize, threads: usize) -> Fleet {
        let slot = || {
            Mutex::new(Slot {
                steps: Arc::clone(steps),
                episode: None,
                order: Order::Rest,
                action: Vec::new(),
                result: Ok(Outcome::default()),
            })
        };
        let slots: Arc<Vec<Mutex<Slot>>> = Arc::new((0..count).map(|_| slot()).collect());
        let next = Arc::new(AtomicUsize::new(0));
        let (report, done) = channel();
        let worker = |_| {
            let (begin, orders) = channel::<()>();
            let (slots, next, report) = (Arc::clone(&slots), Arc::clone(&next), report.clone());
            let thread = std::thread::spawn(move || {
                while orders.recv().is_ok() {
                    let done = catch_unwind(AssertUnwindSafe(|| carry_out(&slots, &next)));
                    if report.send(done).is_err() {
                        return;
                    }
                }
            });
            Worker { begin: Some(begin), thread: Some(thread) }
        };
        let others = threads.min(count).saturating_sub(1);
        let workers = (0..others).map(worker).collect();
        Fleet { slots, next, workers, done }
    }

    /// Number of episodes.
    pub fn count(&self) -> usize {
        self.slots.len()
    }

    /// The place of an episode, between two rounds.
    pub fn slot(&self, place: usize) -> MutexGuard<'_, Slot> {
        lock(&self.slots[place])
    }

    /// Carries out all orders.
    ///
    /// # Panics
    /// If a thread panicked.
    pub fn round(&self) {
        self.next.store(0, Ordering::Relaxed);
        for worker in &self.workers {
            if let Some(begin) = &worker.begin {
                // The thread waits for it, as long as the fleet exists.
                let _ = begin.send(());
            }
        }
        carry_out(&self.slots, &self.next);
        let done: Vec<_> = self.workers.iter().filter_map(|_| self.done.recv().ok()).collect();
        if let Some(panic) = done.into_iter().find_map(Result::err) {
            resume_unwind(panic);
        }
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        for worker in &mut self.workers {
            worker.begin = None;
            if let Some(thread) = worker.thread.take() {
                // It ends without a panic: those are caught.
                let _ = thread.join();
            }
        }
    }
}

/// Carries out the orders that no other thread takes.
fn carry_out(slots: &[Mutex<Slot>], next: &AtomicUsize) {
    while let Some(slot) = slots.get(next.fetch_add(1, Ordering::Relaxed)) {
        lock(slot).carry_out();
    }
}

fn lock(slot: &Mutex<Slot>) -> MutexGuard<'_, Slot> {
    slot.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
