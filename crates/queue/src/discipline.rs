//! The interface of queue disciplines.

use dyn_clone::DynClone;
use jettison_core::{Duration, Gauges, Rate, Time};
use jettison_measure::Outcomes;
use jettison_wire::Packet;

/// A queue discipline: decides order, drops and marks at one port.
///
/// Object-safe, because bands hold arbitrary disciplines, scenario files select them by name and Python can implement
/// them. Every packet that is enqueued either leaves by `dequeue` or is reported to `out` as dropped. A discipline sets
/// `meta.enqueued_at` and `meta.enq_qdepth` of each packet that it queues ([`crate::Fifo::push`] does so).
pub trait QueueDiscipline: DynClone + Send {
    /// Queues a packet, or drops it or a queued packet in its place.
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes);

    /// Removes and returns the next packet to send. `None` with a backlog: no packet is due before
    /// [`QueueDiscipline::next_wakeup`].
    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet>;

    /// `enqueue` followed by `dequeue` at the same instant, for a packet that finds the link idle. A discipline may override
    /// it to bypass its store; the result must be identical.
    fn pass(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        self.enqueue(packet, now, out);
        self.dequeue(now, out)
    }

    /// Whether `enqueue` followed by `dequeue` at this instant would return `packet` and leave no trace in the discipline but
    /// that. The caller then need not call either: it sends the packet with `meta.enqueued_at` at this instant and
    /// `meta.enq_qdepth` 0. Never true for a discipline with a backlog, wakeups or idle polls.
    fn lets_through(&self, _packet: &Packet) -> bool {
        false
    }

    /// Handles the wakeup requested by [`QueueDiscipline::next_wakeup`].
    fn handle_wakeup(&mut self, _now: Time, _out: &mut dyn Outcomes) {}

    /// Time of the next call of `handle_wakeup`, for timers such as PI2's update or a packet rate.
    fn next_wakeup(&self) -> Option<Time> {
        None
    }

    /// Whether [`QueueDiscipline::next_wakeup`] can ever return `Some`. If not, callers skip it after each packet.
    fn uses_wakeups(&self) -> bool {
        true
    }

    /// Reports the link's rate, at the start and at each change (used by ABC, RED's idle time and others).
    fn capacity_changed(&mut self, _rate: Rate, _now: Time) {}

    /// Whether the link calls `dequeue` once more after the packet that empties the queue, as soon as it could carry another.
    /// A discipline that measures the link's rate (Octopus) detects idle times that way. Constant over its lifetime.
    fn wants_idle_polls(&self) -> bool {
        false
    }

    /// Reports the gauges of the internal state, the same set at each call; a value that is currently unknown is NaN. Called
    /// at each sample of the time series if the scenario requests gauges. A discipline that contains others reports their
    /// gauges as parts ([`jettison_core::PartOf`]).
    fn gauges(&self, _now: Time, _out: &mut dyn Gauges) {}

    /// Number of queues by traffic class, class 0 served first; `None` if the discipline ignores the class.
    fn classes(&self) -> Option<u16> {
        None
    }

    /// Changes a setting at run time, as a switch's control plane does. Returns false, without effect, if the discipline has
    /// no such setting or the value is out of its range. [`QueueDiscipline::next_wakeup`] may change.
    fn reconfigure(&mut self, _change: &QueueChange) -> bool {
        false
    }

    /// The present values of its own parameters that [`QueueDiscipline::reconfigure`] changes for all classes: `target`, `interval`,
    /// `max_p`. Empty if it has none of these.
    fn settings(&self) -> Vec<QueueSetting> {
        Vec::new()
    }

    /// The current backlog.
    fn backlog(&self) -> Backlog;

    /// The current backlog of the queue of traffic class `class` (`meta.class`); the total backlog if the discipline ignores
    /// the class.
    fn class_backlog(&self, _class: u8) -> Backlog {
        self.backlog()
    }
}

dyn_clone::clone_trait_object!(QueueDiscipline);

/// A change of a setting at run time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueueChange {
    /// Traffic class whose queue changes; `None` for all queues.
    pub class: Option<u8>,
    /// The new setting.
    pub setting: QueueSetting,
}

/// A setting that can be changed at run time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum QueueSetting {
    /// Limit in packets.
    Depth(u64),
    /// Service rate in packets/s; 0 for no limit.
    Rate(u64),
    /// Rate of a shaper. A shaper has no rate of zero: it refuses the change.
    Bandwidth(Rate),
    /// Acceptable delay (`target`); not zero.
    Target(Duration),
    /// Window in which a queue is a standing one (`interval`); not zero.
    Interval(Duration),
    /// Probability at the upper threshold (`max_p`), in (0, 1].
    MaxProbability(f64),
}

impl QueueSetting {
    /// Its key in scenarios.
    pub fn key(&self) -> &'static str {
        match self {
            QueueSetting::Depth(_) => "limit",
            QueueSetting::Rate(_) | QueueSetting::Bandwidth(_) => "rate",
            QueueSetting::Target(_) => "target",
            QueueSetting::Interval(_) => "interval",
            QueueSetting::MaxProbability(_) => "max_p",
        }
    }
}

/// The backlog of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backlog {
    /// Packets.
    pub packets: u64,
    /// Bytes of IP length.
    pub bytes: u64,
}

impl Backlog {
    /// This backlog with one more packet of `length` bytes.
    #[inline]
    pub(crate) fn with(self, length: u16) -> Backlog {
        Backlog { packets: self.packets + 1, bytes: self.bytes + u64::from(length) }
    }

    /// This backlog without one packet of `length` bytes.
    #[inline]
    pub(crate) fn without(self, length: u16) -> Backlog {
        Backlog { packets: self.packets - 1, bytes: self.bytes - u64::from(length) }
    }
}
