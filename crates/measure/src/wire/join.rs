//! What the router saw and what the applications told, put together in the order of time.

use std::collections::{BTreeMap, VecDeque};

use jettison_core::Time;
use jettison_wire::{Address, FlowId};
use rustc_hash::FxHashMap;

use super::log::{Sight, SightLog};
use super::told::Tale;
use super::{DatagramKey, Told};
use crate::accounts::{AccountLog, Accounts, Component, Ending};
use crate::provenance::{Content, StreamId};
use crate::{Description, Unit};

/// Address and port.
type End = (Address, u16);

/// What the join of both makes known.
#[derive(Debug, Default)]
pub(crate) struct Joined {
    /// Accounts of delays.
    pub accounts: AccountLog,
    /// What dropped and marked packets carried, by the number of the drop or mark.
    pub contents: FxHashMap<u64, Content>,
}

/// Puts both logs together. `number` gives the final number of a drop or mark that the router numbered.
pub(crate) fn join(seen: &SightLog, told: &Told, number: impl Fn(u64) -> u64, end: Time) -> Joined {
    let mut join = Join::new(seen, told);
    let mut tales = told.iter().peekable();
    for (at, sight) in seen.iter() {
        while let Some((now, tale)) = tales.next_if(|(now, _)| *now <= at) {
            join.tell(tale, *now);
        }
        join.see(&sight, at, &number);
    }
    for (now, tale) in tales {
        join.tell(tale, *now);
    }
    Joined { accounts: join.accounts.finish(end), contents: join.contents }
}

/// A direction of a connection.
#[derive(Debug, Default)]
struct Direction {
    /// Offset after the last byte that a unit has.
    described: u64,
    /// Units by the offsets after their last bytes.
    units: Vec<(u64, u64, Unit)>,
    /// What the receiver's kernel has in order, and what behind that.
    edge: u64,
    behind: BTreeMap<u64, u64>,
    /// Whether an application reads what comes.
    is_read: bool,
}

impl Direction {
    /// Notes bytes at the receiver; returns what it had in order before.
    fn receives(&mut self, start: u64, end: u64) -> u64 {
        let before = self.edge;
        if start > self.edge {
            let own = self.behind.entry(start).or_default();
            *own = end.max(*own);
            return before;
        }
        self.edge = self.edge.max(end);
        while let Some(next) = self.behind.first_entry().filter(|next| *next.key() <= self.edge) {
            self.edge = self.edge.max(next.remove());
        }
        before
    }

    fn unit_at(&self, offset: u64) -> Option<Unit> {
        let place = self.units.partition_point(|(_, end, _)| *end <= offset);
        self.units.get(place).filter(|(start, ..)| *start <= offset).map(|(.., unit)| *unit)
    }
}

/// What a packet under way carries.
#[derive(Debug, Clone, Copy)]
enum Load {
    Segment { direction: u32, offset: u64, length: u32 },
    Datagram(DatagramKey),
}

struct Join {
    accounts: Accounts,
    directions: Vec<Direction>,
    /// The directions that a connection's application writes and reads, by socket.
    of_sockets: FxHashMap<u64, [u32; 2]>,
    /// Directions by the router's number.
    of_router: FxHashMap<u32, u32>,
    loads: FxHashMap<u32, (Load, Content)>,
    /// Datagrams that were sent and that the router has not seen, and those that it gave to their host.
    sent: FxHashMap<DatagramKey, VecDeque<Sent>>,
    delivered: FxHashMap<DatagramKey, VecDeque<u32>>,
    /// Packets by the number that their transport gave them.
    numbers: FxHashMap<(FlowId, u64), u32>,
    in_hand: Option<u32>,
    contents: FxHashMap<u64, Content>,
}

/// A datagram that an application sent.
#[derive(Debug, Clone, Copy)]
struct Sent {
    at: Time,
    sender: End,
    flow: FlowId,
    description: Description,
}

impl Join {
    fn new(seen: &SightLog, told: &Told) -> Join {
        let mut join = Join {
            accounts: Accounts::with_kernels(),
            directions: Vec::new(),
            of_sockets: FxHashMap::default(),
            of_router: FxHashMap::default(),
            loads: FxHashMap::default(),
            sent: FxHashMap::default(),
            delivered: FxHashMap::default(),
            numbers: FxHashMap::default(),
            in_hand: None,
            contents: FxHashMap::default(),
        };
        // Connections with the same ends, one after the other, are the same at both ends and at the router by their order.
        let mut known: FxHashMap<([End; 2], usize), u32> = FxHashMap::default();
        let mut counts: FxHashMap<([End; 2], u8), usize> = FxHashMap::default();
        let mut direction = |ends: [End; 2], party: u8| {
            let count = counts.entry((ends, party)).or_default();
            *count += 1;
            let next = known.len() as u32;
            *known.entry((ends, *count)).or_insert(next)
        };
        for (_, tale) in told.iter() {
            if let Tale::Opened { socket, .. } = tale
                && let Some([own, peer]) = told.ends.get(socket)
            {
                let pair = [direction([*own, *peer], 0), direction([*peer, *own], 1)];
                join.of_sockets.insert(*socket, pair);
            }
        }
        for (_, sight) in seen.iter() {
            if let Sight::Opened(number, ends) = sight {
                join.of_router.insert(number, direction(ends, 2));
            }
        }
        join.directions.resize_with(known.len(), Direction::default);
        for [_, reads] in join.of_sockets.values() {
            join.directions[*reads as usize].is_read = true;
        }
        join
    }

    // ---- the applications ------------------------------------------------------------------------------------

    fn tell(&mut self, tale: &Tale, now: Time) {
        match tale {
            Tale::Opened { socket, connects } => {
                let by = if *connects { Component::Handshake } else { Component::Unseen };
                self.held(*socket, by, now);
            }
            Tale::Connected(socket) => self.held(*socket, Component::Unseen, now),
            Tale::Carries { socket, unit, bytes, written } => {
                self.carries(*socket, *unit, (*bytes, *written), now);
            }
            Tale::Read { socket, edge } => {
                if let Some([_, reads]) = self.of_sockets.get(socket) {
                    self.accounts.read(StreamId(*reads), *edge, now);
                }
            }
            Tale::Closed(socket) => {
                let Some([writes, reads]) = self.of_sockets.get(socket).copied() else { return };
                self.accounts.closed(StreamId(reads), now);
                // What nobody reads ends with its sender.
                if self.directions.get(writes as usize).is_none_or(|own| !own.is_read) {
                    self.accounts.closed(StreamId(writes), now);
                }
            }
            Tale::Sends { key, sender, flow, description } => {
                let sent = Sent { at: now, sender: *sender, flow: *flow, description: *description };
                self.sent.entry(*key).or_default().push_back(sent);
            }
            Tale::Receives(key) => {
                let packet = self.delivered.get_mut(key).and_then(VecDeque::pop_front);
                self.in_hand = packet;
                self.accounts.in_hand(packet);
            }
            Tale::Handled => {
                if let Some(packet) = self.in_hand.take() {
                    self.accounts.handled(packet, now);
                    self.loads.remove(&packet);
                }
                self.accounts.in_hand(None);
            }
            Tale::Began(unit, at) => self.accounts.began(*unit, *at),
            Tale::Complete(unit) => self.accounts.complete(*unit, now),
            Tale::Part(unit, of) => self.accounts.part(*unit, *of, now),
            Tale::Limited(sender, by) => self.accounts.socket_limited(*sender, *by, now),
            Tale::Reduced(sender, flow, lost) => {
                let packet = self.numbers.get(&(*flow, *lost)).copied();
                self.accounts.socket_reduced(*sender, packet, now);
            }
            Tale::Ended { flow, endings, is_over } => {
                let mut endings: Vec<Ending> = endings.clone();
                self.accounts.end_all(*flow, &mut endings, now, *is_over);
            }
        }
    }

    /// What a connection waits for from now on, as far as its application sees.
    fn held(&mut self, socket: u64, by: Component, now: Time) {
        if let Some([writes, _]) = self.of_sockets.get(&socket) {
            self.accounts.held(StreamId(*writes), by, now);
        }
    }

    fn carries(&mut self, socket: u64, unit: Unit, (bytes, written): (u64, u64), now: Time) {
        let Some([writes, _]) = self.of_sockets.get(&socket).copied() else { return };
        self.accounts.carries(StreamId(writes), unit, bytes, written, now);
        let Some(direction) = self.directions.get_mut(writes as usize) else { return };
        let start = direction.described.max(written);
        direction.described = start.saturating_add(bytes);
        direction.units.push((start, direction.described, unit));
    }

    // ---- the router ------------------------------------------------------------------------------------------

    fn see(&mut self, sight: &Sight, now: Time, number: &impl Fn(u64) -> u64) {
        match *sight {
            Sight::Opened(..) => {}
            Sight::Segment { packet, stream, offset, length, is_repeated } => {
                let Some(direction) = self.of_router.get(&stream).copied() else { return };
                let repair = is_repeated.then_some(Component::Retransmission);
                let bytes = offset..offset + u64::from(length);
                self.accounts.departed(StreamId(direction), packet, bytes, repair, now);
                let unit = self.directions.get(direction as usize).and_then(|own| own.unit_at(offset));
                let content = Content { unit, offset, length, ..Content::default() };
                self.loads.insert(packet, (Load::Segment { direction, offset, length }, content));
            }
            Sight::Datagram { packet, key, length } => self.datagram(packet, key, length, now),
            Sight::Left { queue, packet, enqueued, left } => {
                self.accounts.left(queue, packet, enqueued, now, left);
            }
            Sight::Arrived { queue, packet } => {
                self.accounts.arrived(queue, packet, now);
                self.accounts.in_hand(None);
            }
            Sight::Delivered(packet) => self.deliver(packet, now),
            Sight::Dropped { packet, place, enqueued, decision } => {
                let decision = number(decision);
                self.accounts.dropped_since(decision, place, (packet, enqueued), now);
                if let Some((_, content)) = self.loads.remove(&packet) {
                    self.contents.insert(decision, content);
                }
            }
            Sight::Marked { packet, decision } => {
                let decision = number(decision);
                self.accounts.marked(decision, packet);
                if let Some((_, content)) = self.loads.get(&packet) {
                    self.contents.insert(decision, *content);
                }
            }
            Sight::Copied(packet) => self.accounts.copied(packet),
        }
    }

    /// A datagram has come from its host: the oldest of those like it that was sent.
    fn datagram(&mut self, packet: u32, key: DatagramKey, length: u32, now: Time) {
        let Some(sent) = self.sent.get_mut(&key).and_then(VecDeque::pop_front) else { return };
        let Sent { at, sender, flow, description } = sent;
        let Description { unit, offset, repeats, number, repair } = description;
        let previous = repeats.and_then(|number| self.numbers.get(&(flow, number))).copied();
        if let Some(number) = number {
            self.numbers.insert((flow, number), packet);
        }
        let unit = unit.of(flow);
        self.accounts.datagram_of(Some(sender), packet, unit, offset, repair, at, now);
        let retransmission = repeats.is_some();
        let content = Content { unit: Some(unit), offset, length, retransmission, previous };
        self.loads.insert(packet, (Load::Datagram(key), content));
    }

    /// A packet is at its host.
    fn deliver(&mut self, packet: u32, now: Time) {
        match self.loads.get(&packet).map(|(load, _)| *load) {
            Some(Load::Segment { direction, offset, length }) => {
                self.loads.remove(&packet);
                let Some(own) = self.directions.get_mut(direction as usize) else { return };
                let before = own.receives(offset, offset + u64::from(length));
                let after = own.edge;
                self.accounts.received(packet, before, after, now);
                self.accounts.handled(packet, now);
            }
            Some(Load::Datagram(key)) => self.delivered.entry(key).or_default().push_back(packet),
            None => {}
        }
    }
}
