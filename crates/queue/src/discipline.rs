//! The trait that every queue discipline is.

use jettison_core::{Gauges, Rate, Time};
use jettison_measure::Outcomes;
use jettison_wire::Packet;

/// What decides order, drops and marks at one port.
///
/// Object-safe, because bands hold any discipline, scenario files name them and Python may write them. Every packet
/// that enters leaves by `dequeue` or is reported to `out`; none disappears in silence. Each discipline sets
/// `meta.enqueued_at` and `meta.enq_qdepth` of what it takes in ([`crate::Fifo::push`] does).
pub trait QueueDiscipline: Send {
    /// Takes a packet in, or drops it (or another in its place).
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes);

    /// Gives the next packet to send. `None` with a backlog means: ask again at [`QueueDiscipline::next_wakeup`].
    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet>;

    /// `enqueue` and then `dequeue` at the same instant: what a packet goes through that finds the link free. A
    /// discipline that can spare the packet the way through its store may say so; what it does must be the same.
    fn pass(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        self.enqueue(packet, now, out);
        self.dequeue(now, out)
    }

    /// The time that [`QueueDiscipline::next_wakeup`] named has come.
    fn handle_wakeup(&mut self, _now: Time, _out: &mut dyn Outcomes) {}

    /// When it wants to be called next by itself (PI2's update, a queue that serves packets at a rate).
    fn next_wakeup(&self) -> Option<Time> {
        None
    }

    /// Whether [`QueueDiscipline::next_wakeup`] can ever be `Some`. One that says no is not asked after every packet.
    fn keeps_time(&self) -> bool {
        true
    }

    /// The link's rate is now `rate` (disciplines that are told it: ABC, an oracle).
    fn capacity_changed(&mut self, _rate: Rate, _now: Time) {}

    /// Whether the link polls it once more after the packet that empties it, as soon as it could carry another. A discipline
    /// that measures the link's rate (Octopus) learns of idle times that way. The answer never changes.
    fn wants_idle_polls(&self) -> bool {
        false
    }

    /// Reports its gauges, the same ones at each call: a value that is not known now is not finite. Called when series are
    /// sampled, and only where a scenario asks for gauges. A discipline that holds others reports theirs as parts
    /// ([`jettison_core::PartOf`]).
    fn gauges(&self, _now: Time, _out: &mut dyn Gauges) {}

    /// How many queues it keeps by traffic class, class 0 served first; `None` if the class decides nothing here.
    fn classes(&self) -> Option<u16> {
        None
    }

    /// Changes a setting while it works, as a switch's control plane does. False, and nothing changed, if it has no such
    /// setting.
    fn reconfigure(&mut self, _change: &QueueChange) -> bool {
        false
    }

    /// What waits now.
    fn backlog(&self) -> Backlog;

    /// What waits now in the queue that packets of traffic class `class` (`meta.class`) join: all there is, unless the
    /// discipline keeps a queue for each class.
    fn class_backlog(&self, _class: u8) -> Backlog {
        self.backlog()
    }
}

/// A change of a queue's settings at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueChange {
    /// Of the queue that packets of this traffic class join; of all, where `None`.
    pub class: Option<u8>,
    /// What changes.
    pub setting: QueueSetting,
}

/// A setting that can be changed at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueSetting {
    /// The most packets that wait.
    Depth(u64),
    /// Packets a second that may leave; 0 for no limit.
    Rate(u64),
}

/// What waits in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backlog {
    /// Packets.
    pub packets: u64,
    /// Bytes of IP length.
    pub bytes: u64,
}
