//! Accounts: the delay of each unit, split into what it waited for.
//!
//! The account of a unit is a chain of instants, from its request or capture to its display; each part ends where the next one begins,
//! so that the parts add up to the whole. It follows the *decisive packet*, whose arrival made the unit complete, or filled the gap
//! before it: written, held back by the sender's limits, sent, lost and sent again, from queue to queue, arrived, and then what
//! the receiver waited for. Only packets that carry units have journeys; a unit's data is freed when it ends.

mod chain;
mod channel;
mod component;
mod finish;
mod journey;
mod legs;
mod log;
mod open;
mod outcome;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use jettison_core::Time;
use jettison_wire::{Address, FlowId, Packet, Transport};
use rustc_hash::FxHashMap;

pub use chain::{Part, Spot};
use channel::{Channel, ChannelId, Range, Sent};
pub use component::Component;
use journey::{Journeys, Load};
pub(crate) use log::ROW;
pub use log::{AccountLog, AccountRow};
use open::{Open, SentPart};
pub(crate) use outcome::Ending;
pub use outcome::{Ended, Endings, FrameEnded, Reason, Status};

use crate::provenance::{Place, StreamId, Unit, UnitKind};

/// Completions of messages that are known for each flow, for those that depended on them.
const COMPLETIONS: usize = 1024;
/// Units that were given up and whose bytes may still be written, over all flows.
const GIVEN_UP: usize = 64;
/// Frames and messages of a flow that may be open: what is older has ended for its viewer.
const OPEN: u64 = 1024;

/// What of each flow's messages is known, for those that depend on them.
#[derive(Debug, Clone, Default)]
struct Messages {
    /// Arrivals that completed messages, with the drop or mark that delayed them.
    completed: VecDeque<(Time, Option<u64>)>,
    /// The drop that decided the last message that never came, with the number of its frame.
    lost: Option<(u64, u64)>,
}

/// Recorder of accounts.
#[derive(Debug, Clone, Default)]
pub struct Accounts {
    journeys: Journeys,
    channels: Vec<Option<Box<Channel>>>,
    /// Channels of TCP connections.
    streams: Vec<Option<ChannelId>>,
    /// Channels of sockets that send datagrams.
    sockets: FxHashMap<(Address, u16), ChannelId>,
    open: BTreeMap<Unit, Open>,
    /// Packets with journeys that were dropped, with the number of the drop.
    drops: FxHashMap<u32, u64>,
    messages: FxHashMap<FlowId, Messages>,
    given_up: VecDeque<Unit>,
    /// The packet that a host is handling.
    in_hand: Option<u32>,
    /// Whether applications have kernels between them and the network, which nobody sees into.
    has_kernels: bool,
    log: AccountLog,
}

impl Accounts {
    /// Accounts of applications on hosts' kernels.
    pub(crate) fn with_kernels() -> Accounts {
        Accounts { has_kernels: true, ..Accounts::default() }
    }

    // ---- units -----------------------------------------------------------------------------------------------

    /// The delay of a unit begins, if it has not begun yet.
    pub fn began(&mut self, unit: Unit, at: Time) {
        self.sweep(unit);
        self.open.entry(unit).or_insert_with(|| Open::new(unit, at));
    }

    /// Closes what is too old to be waited for.
    fn sweep(&mut self, newest: Unit) {
        if !matches!(newest.kind, UnitKind::Frame | UnitKind::Message) || newest.part > 0 {
            return;
        }
        let first = Unit { number: 0, part: 0, ..newest };
        while let Some((unit, _)) = self.open.range(first..newest).next()
            && unit.number + OPEN < newest.number
        {
            let unit = *unit;
            self.close_old(unit);
        }
    }

    /// The unit under which the account of `unit` is kept: a request belongs to what it asks for.
    fn key(&mut self, unit: Unit) -> Unit {
        if unit.kind != UnitKind::Request {
            let request = Unit { kind: UnitKind::Request, ..unit };
            if !self.open.contains_key(&unit)
                && let Some(mut open) = self.open.remove(&request)
            {
                open.unit = unit;
                self.open.insert(unit, open);
            }
            return unit;
        }
        let kinds = [
            UnitKind::Segment,
            UnitKind::Object,
            UnitKind::Manifest,
            UnitKind::Handshake,
            UnitKind::Response,
        ];
        let asked =
            kinds.map(|kind| Unit { kind, ..unit }).into_iter().find(|asked| self.open.contains_key(asked));
        match asked {
            // It came, and is asked for anew.
            Some(asked) if self.open.get(&asked).is_some_and(|open| open.done.is_some()) => {
                self.close(asked, Status::Never, Reason::Replaced, Time::ZERO);
                unit
            }
            Some(asked) => asked,
            None => unit,
        }
    }

    // ---- streams ---------------------------------------------------------------------------------------------

    fn add_channel(&mut self) -> ChannelId {
        self.channels.push(Some(Box::default()));
        ChannelId((self.channels.len() - 1) as u32)
    }

    fn channel_of(&mut self, stream: StreamId) -> ChannelId {
        let place = stream.index();
        if self.streams.len() <= place {
            self.streams.resize(place + 1, None);
        }
        match self.streams[place] {
            Some(channel) => channel,
            None => {
                let channel = self.add_channel();
                self.streams[place] = Some(channel);
                channel
            }
        }
    }

    fn channel_mut(&mut self, stream: StreamId) -> Option<&mut Channel> {
        let ChannelId(index) = (*self.streams.get(stream.index())?)?;
        self.channels.get_mut(index as usize)?.as_deref_mut()
    }

    /// The next `bytes` bytes of a stream, beyond the `written` ones and those described before, belong to `unit`.
    pub fn carries(&mut self, stream: StreamId, unit: Unit, bytes: u64, written: u64, now: Time) {
        let is_request = unit.kind == UnitKind::Request;
        if !self.given_up.is_empty() {
            let is_own = |given_up: &Unit| {
                (given_up.flow, given_up.number, given_up.part) == (unit.flow, unit.number, unit.part)
            };
            match self.given_up.iter().position(is_own) {
                Some(place) if is_request => drop(self.given_up.remove(place)),
                Some(_) => return self.skip(stream, bytes, written),
                None => {}
            }
        }
        let key = self.key(unit);
        let id = self.channel_of(stream);
        let Some(channel) = self.channels.get_mut(id.0 as usize).and_then(Option::as_deref_mut) else {
            return;
        };
        let start = channel.stream.described.max(written);
        let end = start.saturating_add(bytes);
        channel.stream.described = end;
        let open = self.open.entry(key).or_insert_with(|| Open::new(key, now));
        open.has_request |= is_request;
        open.written(id, channel, start..end, now);
        let range = Range { start, end, unit: key, written: now };
        match channel.stream.ranges.back_mut() {
            Some(last) if (last.unit, last.end, last.written) == (key, start, now) => last.end = end,
            _ => channel.stream.ranges.push_back(range),
        }
    }

    /// Passes over bytes that have no account.
    fn skip(&mut self, stream: StreamId, bytes: u64, written: u64) {
        if let Some(channel) = self.channel_mut(stream) {
            channel.stream.described = channel.stream.described.max(written).saturating_add(bytes);
        }
    }

    /// A TCP connection sent a packet with data: `offset..end` of its stream, again for `repair`.
    pub fn departed(
        &mut self,
        stream: StreamId,
        packet: u32,
        bytes: std::ops::Range<u64>,
        repair: Option<Component>,
        now: Time,
    ) {
        let Some(Some(id)) = self.streams.get(stream.index()).copied() else { return };
        let Some(channel) = self.channels.get_mut(id.0 as usize).and_then(Option::as_deref_mut) else {
            return;
        };
        channel.stream.departs(Sent { offset: bytes.start, end: bytes.end, packet, at: now, repair });
        let load = Load::Stream { channel: id, offset: bytes.start, end: bytes.end };
        self.journeys.begin(packet, load, now);
    }

    /// What holds a connection back is something else.
    pub fn limited(&mut self, stream: StreamId, component: Component, at: Time) {
        if let Some(channel) = self.channel_mut(stream) {
            channel.limits.limited(component, at);
        }
    }

    /// What holds a connection of a kernel back, known before it sends anything.
    pub(crate) fn held(&mut self, stream: StreamId, component: Component, at: Time) {
        self.channel_of(stream);
        self.limited(stream, component, at);
    }

    /// A connection reduced its window because the byte at an offset was lost.
    pub fn reduced_for_loss(&mut self, stream: StreamId, offset: u64, at: Time) {
        let Some(channel) = self.channel_mut(stream) else { return };
        let packets: Vec<u32> = channel.stream.transmissions(offset).map(|sent| sent.packet).collect();
        let decision = packets.iter().rev().find_map(|packet| self.drops.get(packet)).copied();
        if let Some(channel) = self.channel_mut(stream) {
            channel.limits.reduced(decision, at);
        }
    }

    /// A connection reduced its window because of marks.
    pub fn reduced_for_marks(&mut self, stream: StreamId, at: Time) {
        if let Some(channel) = self.channel_mut(stream) {
            let decision = channel.mark.take();
            channel.limits.reduced(decision, at);
        }
    }

    /// A connection has ended. What it did not deliver waits for what its application does.
    pub fn closed(&mut self, stream: StreamId, now: Time) {
        let Some(slot) = self.streams.get_mut(stream.index()) else { return };
        let Some(ChannelId(index)) = slot.take() else { return };
        let Some(mut channel) = self.channels.get_mut(index as usize).and_then(Option::take) else { return };
        for range in &channel.stream.ranges {
            if let Some(open) = self.open.get_mut(&range.unit)
                && open.channel.is_some_and(|(own, _)| own == ChannelId(index))
            {
                channel.limits.split(&mut open.base, now, channel.sender());
            }
        }
        let (journeys, drops) = (&mut self.journeys, &mut self.drops);
        channel.stream.release(u64::MAX, |packet| {
            drops.remove(&packet);
            if journeys.find(packet).is_some_and(|journey| journey.is_kept) {
                journeys.end(packet);
            }
        });
    }

    /// A connection's receiver took a packet; what it had in order went from `before` to `after`.
    pub fn received(&mut self, packet: u32, before: u64, after: u64, now: Time) {
        let Some(journey) = self.journeys.find_mut(packet) else { return };
        let Load::Stream { channel: id, offset, end } = journey.load else { return };
        let Some(channel) = self.channels.get_mut(id.0 as usize).and_then(Option::as_deref_mut) else {
            return;
        };
        if before == after {
            if offset >= after {
                journey.is_kept = true;
                let sent = Sent { offset, end, packet, at: journey.sent_at, repair: None };
                channel.stream.early.push((sent, now));
            }
            return;
        }
        let mut complete = Vec::new();
        while let Some(range) = channel.stream.ranges.pop_front_if(|range| range.end <= after) {
            complete.push(range);
        }
        for range in &complete {
            self.complete_range(id, range, packet, before, now);
        }
        let Some(channel) = self.channels.get_mut(id.0 as usize).and_then(Option::as_deref_mut) else {
            return;
        };
        let (journeys, drops) = (&mut self.journeys, &mut self.drops);
        channel.stream.release(after, |packet| {
            if !drops.is_empty() {
                drops.remove(&packet);
            }
            if journeys.find(packet).is_some_and(|journey| journey.is_kept) {
                journeys.end(packet);
            }
        });
    }

    // ---- datagrams -------------------------------------------------------------------------------------------

    /// What holds a socket's datagrams back is something else.
    pub fn socket_limited(&mut self, socket: (Address, u16), component: Component, at: Time) {
        let id = match self.sockets.get(&socket) {
            Some(id) => *id,
            None => {
                let id = self.add_channel();
                self.sockets.insert(socket, id);
                id
            }
        };
        if let Some(Some(channel)) = self.channels.get_mut(id.0 as usize) {
            channel.limits.limited(component, at);
        }
    }

    /// A socket reduced its window because a packet was lost.
    pub fn socket_reduced(&mut self, socket: (Address, u16), packet: Option<u32>, at: Time) {
        let decision = packet.and_then(|packet| self.drops.get(&packet)).copied();
        if let Some(id) = self.sockets.get(&socket)
            && let Some(Some(channel)) = self.channels.get_mut(id.0 as usize)
        {
            channel.limits.reduced(decision, at);
        }
    }

    /// A datagram leaves with a part of a unit, again for `repair`.
    pub fn datagram(
        &mut self,
        packet: &Packet,
        unit: Unit,
        offset: u64,
        repair: Option<Component>,
        now: Time,
    ) {
        let socket = packet.headers().and_then(|headers| match &headers.transport {
            Transport::Udp(udp) => Some((headers.src, udp.src_port)),
            Transport::Tcp(_) | Transport::Icmp(_) => None,
        });
        self.datagram_of(socket, packet.meta.id, unit, offset, repair, now, now);
    }

    /// A datagram that a socket's application sent at `at` leaves its host with a part of a unit.
    #[allow(clippy::too_many_arguments)] // each is a fact of its own
    pub(crate) fn datagram_of(
        &mut self,
        socket: Option<(Address, u16)>,
        id: u32,
        unit: Unit,
        offset: u64,
        repair: Option<Component>,
        at: Time,
        now: Time,
    ) {
        match unit.kind {
            // Feedback is no viewer's.
            UnitKind::Report => return,
            // The answer to the request that the host is handling.
            UnitKind::Echo => {
                if let Some(packet) = self.in_hand
                    && let Some(Load::Unit { unit: asked, .. }) =
                        self.journeys.find(packet).map(|own| own.load)
                    && asked == unit
                {
                    self.turn(unit, packet, at);
                }
            }
            _ => {}
        }
        if !self.open.contains_key(&unit) {
            // Messages of bulk transfers belong to no unit; others began when they were captured.
            if unit.kind == UnitKind::Message {
                return;
            }
            self.sweep(unit);
            self.open.insert(unit, Open::new(unit, at));
        }
        let Some(open) = self.open.get_mut(&unit) else { return };
        open.sent.push(SentPart { offset, packet: id, at, repair });
        if open.channel.is_none()
            && let Some(socket) = socket
        {
            open.channel = self.sockets.get(&socket).map(|channel| (*channel, 0));
        }
        self.journeys.begin(id, Load::Unit { unit, offset }, now);
    }

    /// A host replies to a packet with another one that carries the same.
    pub fn reply(&mut self, request: &Packet, reply: &Packet, now: Time) {
        let Some(Load::Unit { unit, offset }) =
            self.journeys.find(request.meta.id).map(|journey| journey.load)
        else {
            return;
        };
        self.turn(unit, request.meta.id, now);
        self.datagram(reply, unit, offset, None, now);
    }

    /// A unit has come to the host that sends it back.
    fn turn(&mut self, unit: Unit, packet: u32, now: Time) {
        self.complete_datagrams(unit, packet, now);
        if let Some(open) = self.open.get_mut(&unit)
            && let Some(done) = open.done.take()
        {
            open.base = done;
            open.sent.clear();
        }
        self.journeys.end(packet);
    }

    /// A link makes a copy of a packet.
    pub fn copied(&mut self, packet: u32) {
        if let Some(journey) = self.journeys.find_mut(packet) {
            journey.copies += 1;
        }
    }

    /// The packet that a host is handling made a unit complete.
    pub fn complete(&mut self, unit: Unit, now: Time) {
        let Some(packet) = self.in_hand else { return };
        self.complete_datagrams(unit, packet, now);
    }

    /// The packet that a host is handling is one of the `of` datagrams of a unit, which ends with the last one.
    pub fn part(&mut self, unit: Unit, of: u16, now: Time) {
        let Some(open) = self.open.get_mut(&unit) else { return };
        open.came += 1;
        if open.came == of {
            self.complete(unit, now);
            self.close(unit, Status::Shown, Reason::None, now);
        }
    }

    // ---- the world -------------------------------------------------------------------------------------------

    /// The link of a queue transmits a packet.
    #[inline]
    pub fn left(&mut self, queue: u32, packet: u32, enqueued_at: Time, now: Time, left_at: Time) {
        let Some(journey) = self.journeys.find_mut(packet) else { return };
        journey.leaves(queue, enqueued_at, now, left_at);
        if journey.hops.len() == 1
            && let Load::Stream { channel, .. } = journey.load
            && let Some(Some(channel)) = self.channels.get_mut(channel.0 as usize)
        {
            channel.queue = Some(queue);
        }
    }

    /// What a packet waited for from its arrival at a queue to the end of the link, each part with its end.
    pub fn waited(&mut self, queue: u32, packet: u32, parts: impl IntoIterator<Item = (Component, Time)>) {
        if let Some(journey) = self.journeys.find_mut(packet) {
            journey.waited(queue, parts);
        }
    }

    /// A packet reaches the node at the far end of a queue's link.
    #[inline]
    pub fn arrived(&mut self, queue: u32, packet: u32, now: Time) {
        self.in_hand = Some(packet);
        if let Some(journey) = self.journeys.find_mut(packet) {
            journey.arrives(queue, now);
        }
    }

    /// A host is handling a packet that its kernel had.
    pub(crate) fn in_hand(&mut self, packet: Option<u32>) {
        self.in_hand = packet;
    }

    /// A host has handled a packet, which is gone.
    #[inline]
    pub fn handled(&mut self, packet: u32, now: Time) {
        let Some(journey) = self.journeys.find(packet) else { return };
        let (load, is_kept) = (journey.load, journey.is_kept);
        if let Load::Unit { unit, .. } = load
            && is_whole_in_a_packet(unit.kind)
        {
            self.complete_datagrams(unit, packet, now);
            self.close(unit, Status::Shown, Reason::None, now);
        }
        if !is_kept {
            self.journeys.end(packet);
        }
    }

    /// A packet is dropped.
    pub fn dropped(&mut self, decision: u64, place: Place, packet: &Packet, now: Time) {
        self.dropped_since(decision, place, (packet.meta.id, packet.meta.enqueued_at), now);
    }

    /// A packet is dropped that came to its queue at `enqueued_at`, if it did.
    pub(crate) fn dropped_since(
        &mut self,
        decision: u64,
        place: Place,
        (id, enqueued_at): (u32, Time),
        now: Time,
    ) {
        let Some(journey) = self.journeys.find_mut(id) else { return };
        if journey.copies > 0 {
            // Another copy goes on.
            journey.copies -= 1;
            return;
        }
        let load = journey.load;
        self.drops.insert(id, decision);
        if let Load::Unit { unit, .. } = load {
            self.lose_datagram(unit, id, place, enqueued_at, decision, now);
        }
        self.journeys.end(id);
    }

    /// A packet is marked.
    pub fn marked(&mut self, decision: u64, packet: u32) {
        let Some(journey) = self.journeys.find(packet) else { return };
        let id = match journey.load {
            Load::Stream { channel, .. } => Some(channel),
            Load::Unit { unit, .. } => self.open.get(&unit).and_then(|open| open.channel).map(|(id, _)| id),
        };
        if let Some(id) = id
            && let Some(Some(channel)) = self.channels.get_mut(id.0 as usize)
        {
            channel.mark.get_or_insert(decision);
        }
    }

    /// Units under way.
    #[cfg(test)]
    fn under_way(&self) -> (usize, usize, usize) {
        (self.open.len(), self.journeys.len(), self.drops.len())
    }
}

/// Whether units of a kind that datagrams carry fit in one.
fn is_whole_in_a_packet(kind: UnitKind) -> bool {
    use UnitKind::{Command, Datagram, Echo, Sample, Update};
    matches!(kind, Sample | Update | Command | Datagram | Echo)
}
