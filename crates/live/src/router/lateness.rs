//! How long after its instant a packet was written.

use jettison_core::{Duration, Time};
use jettison_measure::Distribution;

/// The lateness of what each queue let through: from the instant at which the packet came to its host in the world's time
/// until the router began to write it to the host's device.
#[derive(Debug, Clone, Default)]
pub struct Lateness {
    queues: Vec<Distribution>,
}

impl Lateness {
    /// Nothing recorded, for so many queues.
    pub(super) fn new(queues: usize) -> Lateness {
        Lateness { queues: vec![Distribution::default(); queues] }
    }

    /// A packet that came by `queue` at `due` is written at `now`.
    #[inline]
    pub(super) fn record(&mut self, queue: u32, due: Time, now: Time) -> Duration {
        let late = now.since(due);
        self.queues[queue as usize].record(late);
        late
    }

    /// Forgets all of it.
    pub(super) fn clear(&mut self) {
        self.queues.iter_mut().for_each(Distribution::clear);
    }

    /// By the recorder's queue of the direction through which the packets came to their hosts.
    pub fn queues(&self) -> &[Distribution] {
        &self.queues
    }

    /// Of all queues.
    pub fn all(&self) -> Distribution {
        let mut all = Distribution::default();
        self.queues.iter().for_each(|queue| all.merge(queue));
        all
    }
}
