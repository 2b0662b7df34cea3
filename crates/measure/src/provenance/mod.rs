//! Provenance: what packets carry, from the sender's application through the queues to the viewer.
//!
//! Applications name their *units* (segments, frames, requests) when they write; hosts report the packets that they send, queues
//! those that come and go. A drop or a mark then says what the packet carried and who held the queue. A recorder without
//! provenance costs one test of an `Option` at each hook.

mod content;
mod events;
mod frame_events;
mod holders;
mod in_flight;
mod sample_events;
mod streams;
mod unit;

use std::collections::VecDeque;

use jettison_core::{DropReason, Time};
use jettison_wire::{Address, FlowId, Instance, Packet, TcpFlags, Transport};
use rustc_hash::FxHashMap;

use crate::Accounts;
use crate::wire::{Seen, SightLog, Tells};

pub use content::{Content, Description};
pub use events::{EventKind, EventLimits, EventLog, ViewerEvent};
pub use frame_events::FrameFate;
pub use holders::Held;
use holders::Holders;
pub use in_flight::InFlight;
pub use streams::StreamId;
pub(crate) use streams::Streams;
pub use unit::{Unit, UnitKind};

/// Numbers of a transport's packets that are known for each flow, for retransmissions.
const NUMBERS: usize = 1 << 11;

/// What a run records of the packets that are dropped or marked.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Identities {
    /// Flow, reason and length of those that are dropped; marks are only counted.
    Off,
    /// All that is known.
    #[default]
    All,
    /// All that is known, for this share of drops and marks by a hash of their number; others are only counted.
    Sample(f64),
}

/// Where a packet is dropped or marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In a queue ([`crate::ObjectId::index`]): it waited there, or came to wait.
    Queue(u32),
    /// Beside a queue, to which the drop is attributed: in a switch before or behind it, or on its link.
    Beside(u32),
    /// At a host, or in a router before any queue.
    Node,
}

impl Place {
    /// The queue, as in [`crate::DropRecord::queue`].
    pub fn index(self) -> u32 {
        match self {
            Place::Queue(queue) | Place::Beside(queue) => queue,
            Place::Node => crate::DropRecord::NO_QUEUE,
        }
    }
}

/// Recorder of what packets carry.
#[derive(Debug, Clone, Default)]
pub struct Provenance {
    streams: Streams,
    /// Contents of datagrams and of retransmissions in flight; what other segments carry, their headers say.
    contents: InFlight<Content>,
    /// Packets by the number that their transport gave them, for each flow with a transport that repeats datagrams.
    numbers: FxHashMap<FlowId, VecDeque<(u64, u32)>>,
    holders: Holders,
    /// What the next datagram carries.
    next: Option<Description>,
    accounts: Option<Box<Accounts>>,
    /// What a router sees of real packets.
    seen: Option<Box<Seen>>,
    /// Segments with SYN on their way, by which streams are known behind address translation.
    openings: InFlight<StreamId>,
    /// The queue to which a packet is coming, and the packet.
    arriving: Option<(u32, u32)>,
}

impl Provenance {
    /// An empty recorder.
    pub fn new() -> Provenance {
        Provenance::default()
    }

    /// The recorder with accounts of delays.
    pub fn with_accounts(self) -> Provenance {
        Provenance { accounts: Some(Box::default()), ..self }
    }

    /// The recorder of a router's real packets, which logs the ways of those whose flows' applications tell of units.
    pub(crate) fn of_real_packets(tells: Tells) -> Provenance {
        Provenance { seen: Some(Box::new(Seen::with_log(tells))), ..Provenance::default() }
    }

    /// Ends the log of real packets' ways.
    pub(crate) fn take_log(&mut self) -> Option<SightLog> {
        self.seen.take().map(|seen| seen.into_log())
    }

    /// The accounts of delays, if they are recorded.
    #[inline]
    pub fn accounts(&mut self) -> Option<&mut Accounts> {
        self.accounts.as_deref_mut()
    }

    /// Ends the accounts.
    pub(crate) fn take_accounts(&mut self) -> Option<Box<Accounts>> {
        self.accounts.take()
    }

    // ---- applications ----------------------------------------------------------------------------------------

    /// The next datagram that the application sends carries this.
    pub fn describe(&mut self, description: Description) {
        self.next = Some(description);
    }

    /// The next `bytes` bytes of a stream, beyond the `written` ones and those described before, belong to `unit`.
    pub fn carries(&mut self, stream: StreamId, unit: Unit, bytes: u64, written: u64, now: Time) {
        let unit = self.streams.describe(stream, unit, bytes, written);
        if let (Some(accounts), Some(unit)) = (&mut self.accounts, unit) {
            accounts.carries(stream, unit, bytes, written, now);
        }
    }

    /// What the other end of a stream's connection asked for last, in the same world.
    pub fn asked(&self, stream: StreamId) -> Option<Unit> {
        self.streams.asked(stream)
    }

    // ---- hosts -----------------------------------------------------------------------------------------------

    /// A TCP connection has its ends: a new stream. `first` is the sequence number of the first byte that `sender` sends.
    pub fn opened(
        &mut self,
        sender: (Address, u16),
        receiver: (Address, u16),
        flow: FlowId,
        first: u32,
        now: Time,
    ) -> StreamId {
        self.streams.open(sender, receiver, flow, first, now)
    }

    /// A TCP connection has ended.
    pub fn closed(&mut self, stream: StreamId, now: Time) {
        self.streams.close(stream, now);
        if let Some(accounts) = &mut self.accounts {
            accounts.closed(stream, now);
        }
    }

    /// A TCP connection made a packet. `acknowledged` is the offset of the first byte without an acknowledgement.
    #[inline]
    pub fn segment(&mut self, stream: StreamId, packet: &Packet, acknowledged: u64) {
        match self.streams.transmitted(stream, packet, acknowledged) {
            Some(content) if content.retransmission => self.contents.insert(packet.meta.id, content),
            Some(_) => {}
            None if is_opening(packet) => self.openings.insert(packet.meta.id, stream),
            None => {}
        }
    }

    /// An application's datagram or echo request became a packet: it has the content of [`Provenance::describe`], if that was
    /// called since the last one.
    #[inline]
    pub fn datagram(&mut self, packet: &Packet, now: Time) {
        let Some(Description { unit, offset, repeats, number, repair }) = self.next.take() else { return };
        let flow = packet.meta.flow;
        let mut previous = None;
        if let Some(number) = number {
            let numbers = self.numbers.entry(flow).or_default();
            if let Some(repeated) = repeats {
                let at = numbers.binary_search_by_key(&repeated, |(number, _)| *number);
                previous = at.ok().map(|at| numbers[at].1);
            }
            if numbers.len() == NUMBERS {
                numbers.pop_front();
            }
            numbers.push_back((number, packet.meta.id));
        }
        let length = packet.payload_length() as u32;
        let retransmission = repeats.is_some();
        let content = Content { unit: Some(unit.of(flow)), offset, length, retransmission, previous };
        self.contents.insert(packet.meta.id, content);
        if let Some(accounts) = &mut self.accounts {
            accounts.datagram(packet, unit.of(flow), offset, repair, now);
        }
    }

    /// A packet became the reply to another, such as an echo: it carries the same.
    pub fn reply(&mut self, request: &Packet, reply: &Packet, now: Time) {
        if let Some(accounts) = &mut self.accounts {
            accounts.reply(request, reply, now);
        }
        if let Some(content) = self.contents.find(request.meta.id).copied() {
            self.contents.insert(reply.meta.id, content);
        }
    }

    // ---- the world -------------------------------------------------------------------------------------------

    /// A real packet comes from its host. What it carries is known from its headers.
    #[inline]
    pub fn came(&mut self, packet: &Packet, now: Time) {
        if let Some(seen) = &mut self.seen
            && let Some(content) = seen.came(packet, &mut self.streams, now)
        {
            self.contents.insert(packet.meta.id, content);
        }
    }

    /// A packet comes to a queue, before the discipline decides.
    #[inline]
    pub fn enqueued(&mut self, queue: u32, packet: &Packet, _now: Time) {
        self.holders.add(queue, &packet.meta);
        self.arriving = Some((queue, packet.meta.id));
    }

    /// The queue has taken the packet of [`Provenance::enqueued`], or not.
    #[inline]
    pub fn ends_arrival(&mut self) {
        self.arriving = None;
    }

    /// Whether a packet is the one that is coming to its queue; `None` if none is.
    pub(crate) fn is_arriving(&self, place: Place, packet: u32) -> Option<bool> {
        let Place::Queue(queue) = place else { return None };
        self.arriving.filter(|(to, _)| *to == queue).map(|(_, arriving)| arriving == packet)
    }

    /// A packet leaves a queue, by its turn: to the link, or in a switch to egress.
    #[inline]
    pub fn dequeued(&mut self, queue: u32, packet: &Packet, _now: Time) {
        self.holders.remove(queue, &packet.meta);
    }

    /// The link of a queue sends a packet from `now` on, and its last bit at `left_at`. The packet has waited in the queue since
    /// `enqueued_at`; that is `now` if it went past the queue, without [`Provenance::enqueued`].
    #[inline]
    pub fn left(&mut self, queue: u32, packet: &Packet, enqueued_at: Time, now: Time, left_at: Time) {
        if let Some(accounts) = &mut self.accounts {
            accounts.left(queue, packet.meta.id, enqueued_at, now, left_at);
        }
        if let Some(seen) = &mut self.seen {
            seen.left(queue, packet.meta.id, enqueued_at, now, left_at);
        }
    }

    /// What a packet waited for on the link of a queue, in place of the times of [`Provenance::left`]: each part with its end, from
    /// its arrival at the queue on.
    pub fn waited(
        &mut self,
        queue: u32,
        packet: &Packet,
        parts: impl IntoIterator<Item = (crate::Component, Time)>,
    ) {
        if let Some(accounts) = &mut self.accounts {
            accounts.waited(queue, packet.meta.id, parts);
        }
    }

    /// A packet reaches the node at the far end of a queue's link, before the node handles it. At a host its content is known until [`Provenance::handled`].
    #[inline]
    pub fn arrived(&mut self, queue: u32, packet: &Packet, now: Time) {
        if let Some(stream) = self.openings.find(packet.meta.id) {
            self.streams.seen(*stream, packet);
        }
        if let Some(accounts) = &mut self.accounts {
            accounts.arrived(queue, packet.meta.id, now);
        }
        if let Some(seen) = &mut self.seen {
            seen.arrived(queue, packet.meta.id, now);
        }
    }

    /// A host has handled a packet, which is gone.
    #[inline]
    pub fn handled(&mut self, packet: u32, now: Time) {
        self.contents.remove(packet);
        self.openings.remove(packet);
        if let Some(accounts) = &mut self.accounts {
            accounts.handled(packet, now);
        }
        if let Some(seen) = &mut self.seen {
            seen.delivered(packet, now);
        }
    }

    /// A link makes a copy of a packet.
    pub fn copied(&mut self, packet: &Packet, now: Time) {
        if let Some(accounts) = &mut self.accounts {
            accounts.copied(packet.meta.id);
        }
        if let Some(seen) = &mut self.seen {
            seen.copied(packet.meta.id, now);
        }
    }

    /// A script reverts a drop: the packet waits on outside of the discipline, and its link sends it later.
    pub fn kept(&mut self, place: Place, packet: &Packet) {
        if let Place::Queue(queue) = place {
            self.holders.remove(queue, &packet.meta);
        }
    }

    /// A packet is dropped. `decision` is the number of the drop or mark in the run.
    pub fn dropped(&mut self, decision: u64, place: Place, packet: &Packet, reason: DropReason, now: Time) {
        if let Place::Queue(queue) = place {
            self.holders.remove(queue, &packet.meta);
        }
        // The packet of which a clone was made goes on.
        let is_clone = !reason.is_loss()
            || matches!(packet.meta.instance, Instance::IngressClone | Instance::EgressClone);
        if !is_clone {
            self.contents.remove(packet.meta.id);
            self.openings.remove(packet.meta.id);
            if let Some(accounts) = &mut self.accounts {
                accounts.dropped(decision, place, packet, now);
            }
            if let Some(seen) = &mut self.seen {
                seen.dropped(decision, place, packet, now);
            }
        }
    }

    /// A packet is marked.
    pub fn marked(&mut self, decision: u64, packet: &Packet, now: Time) {
        if let Some(accounts) = &mut self.accounts {
            accounts.marked(decision, packet.meta.id);
        }
        if let Some(seen) = &mut self.seen {
            seen.marked(decision, packet.meta.id, now);
        }
    }

    /// The packet to which a flow's transport gave a number, if it is known.
    pub fn numbered(&self, flow: FlowId, number: u64) -> Option<u32> {
        let numbers = self.numbers.get(&flow)?;
        let at = numbers.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        numbers.get(at).map(|(_, packet)| *packet)
    }

    // ---- questions -------------------------------------------------------------------------------------------

    /// What a packet carries; `None` if it carries no data, or its content is not known.
    pub fn content(&self, packet: &Packet) -> Option<Content> {
        self.contents.find(packet.meta.id).copied().or_else(|| self.streams.content(packet))
    }

    /// What a datagram or a retransmission in flight carries, by the id of its packet. What other segments carry, only their
    /// headers say.
    pub fn content_of(&self, packet: u32) -> Option<Content> {
        self.contents.find(packet).copied()
    }

    /// The units of a packet: of a TCP segment those of all its bytes.
    pub fn units(&self, packet: &Packet) -> impl Iterator<Item = Unit> + '_ {
        let content = self.content(packet);
        let is_segment = packet.headers().is_some_and(|own| matches!(own.transport, Transport::Tcp(_)));
        let own = content.filter(|_| !is_segment).and_then(|content| content.unit);
        let bytes = content.filter(|_| is_segment).map(|content| (content.offset, u64::from(content.length)));
        let (offset, length) = bytes.unwrap_or_default();
        own.into_iter().chain(self.streams.units(packet, offset, length))
    }

    /// The flows with packets in a queue.
    pub fn holders(&self, queue: u32) -> impl Iterator<Item = (FlowId, Held)> + '_ {
        self.holders.of(queue)
    }
}

/// Whether a packet has SYN.
fn is_opening(packet: &Packet) -> bool {
    packet.headers().is_some_and(|headers| match &headers.transport {
        Transport::Tcp(tcp) => tcp.flags.contains(TcpFlags::SYN),
        Transport::Udp(_) | Transport::Icmp(_) => false,
    })
}

#[cfg(test)]
mod tests;
