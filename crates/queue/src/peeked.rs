//! A discipline whose next packet can be looked at.

use jettison_core::Time;
use jettison_measure::Outcomes;
use jettison_wire::Packet;

use crate::{Backlog, QueueDiscipline};

/// A discipline with the packet that it would send next held in front of it.
///
/// A shaper must know the length of the next packet before it may send it, but only `dequeue` tells which packet an active
/// queue management sends next. So the packet is dequeued when it is first asked for and held until it may leave. The inner
/// discipline therefore decides about a packet when the packet reaches the head, not when it leaves.
#[derive(Clone)]
pub struct Peeked {
    inner: Box<dyn QueueDiscipline>,
    head: Option<Packet>,
}

impl Peeked {
    /// Holds nothing yet.
    pub fn new(inner: Box<dyn QueueDiscipline>) -> Peeked {
        Peeked { inner, head: None }
    }

    /// The inner discipline. Its backlog lacks the held packet.
    pub fn inner(&self) -> &dyn QueueDiscipline {
        &*self.inner
    }

    /// The inner discipline, for arrivals, timers and settings; not for `dequeue`.
    #[inline]
    pub fn inner_mut(&mut self) -> &mut dyn QueueDiscipline {
        &mut *self.inner
    }

    /// The next packet; `None` if none is due.
    #[inline]
    pub fn peek(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<&Packet> {
        if self.head.is_none() {
            self.head = self.inner.dequeue(now, out);
        }
        self.head.as_ref()
    }

    /// The packet that is held.
    #[inline]
    pub fn head(&self) -> Option<&Packet> {
        self.head.as_ref()
    }

    /// Removes the packet that is held.
    #[inline]
    pub fn take(&mut self) -> Option<Packet> {
        self.head.take()
    }

    /// The backlog, with the held packet.
    #[inline]
    pub fn backlog(&self) -> Backlog {
        let inner = self.inner.backlog();
        self.head.as_ref().map_or(inner, |packet| inner.with(packet.meta.length))
    }

    /// The backlog of a traffic class, with the held packet.
    pub fn class_backlog(&self, class: u8) -> Backlog {
        let inner = self.inner.class_backlog(class);
        // Classes beyond the last use the last.
        let place = |class: u8| self.inner.classes().map_or(0, |count| u16::from(class).min(count - 1));
        match &self.head {
            Some(packet) if place(packet.meta.class) == place(class) => inner.with(packet.meta.length),
            _ => inner,
        }
    }
}
