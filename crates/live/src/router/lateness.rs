//! Lateness: delay between a packet's due time and its write.

use jettison_core::{Duration, Time};
use jettison_measure::Distribution;

/// Lateness per queue: from the time at which the packet reached its host in the world until the router began to write it to
/// the host's device.
#[derive(Debug, Clone, Default)]
pub struct Lateness {
    queues: Vec<Distribution>,
}

impl Lateness {
    /// Creates empty distributions for `queues` queues.
    pub(super) fn new(queues: usize) -> Lateness {
        Lateness { queues: vec![Distribution::default(); queues] }
    }

    /// Records a packet of `queue` that was due at `due` and is written at `now`. Returns its lateness.
    #[inline]
    pub(super) fn record(&mut self, queue: u32, due: Time, now: Time) -> Duration {
        let late = now.since(due);
        self.queues[queue as usize].record(late);
        late
    }

    /// Removes all recorded values.
    pub(super) fn clear(&mut self) {
        self.queues.iter_mut().for_each(Distribution::clear);
    }

    /// Distributions by the recorder's queue of the last hop.
    pub fn queues(&self) -> &[Distribution] {
        &self.queues
    }

    /// Distribution over all queues.
    pub fn all(&self) -> Distribution {
        let mut all = Distribution::default();
        self.queues.iter().for_each(|queue| all.merge(queue));
        all
    }
}
