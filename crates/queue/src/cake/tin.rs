//! A tin: the flows of one class, scheduled fairly by host and by flow, each under COBALT.

use std::collections::VecDeque;

use jettison_core::{DropReason, RandomStream, Time};
use jettison_measure::Outcomes;
use jettison_wire::Packet;

use super::Settings;
use super::ack_filter::{AckFilter, redundant};
use super::associative::Associative;
use super::clock::VirtualClock;
use super::cobalt::{Aqm, Cobalt, Rules};
use super::fattest::Fattest;
use super::hosts::{Hosts, Isolation};
use super::parameters::memory_of;
use crate::{Backlog, Chain, CodelStore, Counted, PacketPool, Standing};

/// Credits are in units of 2^-16 bytes, which keeps the quantum precise when it is divided by the flows of a host.
const FRACTION: u32 = 16;

/// The flows of one class and their schedule.
#[derive(Debug, Clone)]
pub struct Tin {
    /// COBALT's constants.
    pub aqm: Aqm,
    /// Bytes per round of a flow.
    pub quantum: u64,
    /// Schedule at the tin's threshold, with a shaper.
    pub clock: Option<VirtualClock>,
    /// Bytes that the tin may still send in this round, without a shaper.
    pub credits: i64,
    flows: Vec<Flow>,
    flow_slots: Associative,
    sources: Hosts,
    destinations: Hosts,
    /// Newly active flows that have not used up their first quantum ("sparse" flows).
    new: VecDeque<u16>,
    /// Flows that have used up a quantum ("bulk" flows), and emptied new ones.
    old: VecDeque<u16>,
    /// Number of bulk flows.
    bulk: u32,
    backlog: Backlog,
    memory: u64,
    fattest: Fattest,
}

#[derive(Debug, Clone, Default)]
struct Flow {
    packets: Chain,
    cobalt: Cobalt,
    credits: i64,
    active: bool,
    is_bulk: bool,
    source: u16,
    destination: u16,
}

/// What a tin needs of the discipline for one operation.
pub struct Shared<'a> {
    /// Parameters.
    pub settings: &'a Settings,
    /// The store of all packets.
    pub pool: &'a mut PacketPool,
    /// The time.
    pub now: Time,
    /// Bytes on the wire of packets that were dropped here, with `ingress`.
    pub lost: u64,
}

impl Shared<'_> {
    #[inline]
    fn lose(&mut self, length: u16) {
        if self.settings.ingress {
            self.lost += u64::from(self.settings.overhead.size(length));
        }
    }
}

/// A flow's queue with the totals that it is part of.
struct Store<'a> {
    queue: Counted<'a>,
    memory: &'a mut u64,
}

impl<'a> Store<'a> {
    #[inline]
    fn new(
        pool: &'a mut PacketPool,
        chain: &'a mut Chain,
        total: &'a mut Backlog,
        memory: &'a mut u64,
    ) -> Store<'a> {
        Store { queue: Counted { pool, chain, total, standing: Standing::Own }, memory }
    }
}

impl CodelStore for Store<'_> {
    #[inline]
    fn pop(&mut self) -> Option<Packet> {
        let packet = self.queue.pop()?;
        *self.memory -= memory_of(packet.meta.length);
        Some(packet)
    }
    #[inline]
    fn bytes(&self) -> u64 {
        self.queue.bytes()
    }
}

impl Tin {
    /// Creates a tin with slots for `flows` flows and as many source and destination hosts.
    pub fn new(flows: usize, aqm: Aqm, quantum: u64, clock: Option<VirtualClock>) -> Tin {
        Tin {
            aqm,
            quantum,
            clock,
            credits: 0,
            flows: (0..flows).map(|_| Flow::default()).collect(),
            flow_slots: Associative::new(flows),
            sources: Hosts::new(flows),
            destinations: Hosts::new(flows),
            new: VecDeque::with_capacity(flows),
            old: VecDeque::with_capacity(flows),
            bulk: 0,
            backlog: Backlog::default(),
            memory: 0,
            fattest: Fattest::default(),
        }
    }

    /// The current backlog.
    #[inline]
    pub fn backlog(&self) -> Backlog {
        self.backlog
    }

    /// Memory of the packets.
    #[inline]
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// COBALT's state of each active flow.
    pub fn active(&self) -> impl Iterator<Item = &Cobalt> {
        self.new.iter().chain(&self.old).map(|index| &self.flows[usize::from(*index)].cobalt)
    }

    /// Whether no flow is active and no host has one.
    #[cfg(test)]
    pub fn is_idle(&self) -> bool {
        let idle = self.new.is_empty() && self.old.is_empty() && self.bulk == 0 && self.memory == 0;
        idle && self.sources.is_idle() && self.destinations.is_idle()
    }

    /// Queues a packet, and removes the acknowledgement that it makes redundant.
    #[inline]
    pub fn push(&mut self, packet: Packet, shared: &mut Shared<'_>, out: &mut dyn Outcomes) {
        let identity = &shared.settings.identity;
        let hash = identity.flow(&packet);
        let flows = &self.flows;
        let slot = self.flow_slots.slot(hash, |slot| flows[slot].active);
        self.backlog = self.backlog.with(packet.meta.length);
        self.memory += memory_of(packet.meta.length);
        if !self.flows[slot].active {
            self.activate(slot, identity.hosts(&packet), shared.now);
        }
        if shared.settings.ack_filter != AckFilter::Off {
            self.filter(slot, &packet, shared, out);
        }
        let flow = &mut self.flows[slot];
        let depth = flow.packets.backlog().packets;
        shared.pool.push(&mut flow.packets, packet, depth, shared.now);
        self.weigh(slot);
    }

    /// Reports the backlog of the flow in `slot` to the tournament, if there is one.
    #[inline]
    fn weigh(&mut self, slot: usize) {
        if !self.fattest.is_held() {
            return;
        }
        if self.backlog.packets == 0 {
            self.fattest.release();
        } else {
            self.fattest.changed(slot, self.flows[slot].packets.backlog().bytes);
        }
    }

    fn activate(&mut self, slot: usize, (source, destination): (u64, u64), now: Time) {
        let flow = &mut self.flows[slot];
        flow.active = true;
        flow.credits = (self.quantum as i64) << FRACTION;
        flow.source = self.sources.joined(source);
        flow.destination = self.destinations.joined(destination);
        // A flow whose queue COBALT still remembers is not sparse.
        if flow.cobalt.is_at_rest(&self.aqm, now) {
            self.new.push_back(slot as u16);
        } else {
            self.set_bulk(slot as u16, true);
            self.old.push_back(slot as u16);
        }
    }

    fn filter(&mut self, slot: usize, arrival: &Packet, shared: &mut Shared<'_>, out: &mut dyn Outcomes) {
        let chain = &mut self.flows[slot].packets;
        let Some(node) = redundant(shared.settings.ack_filter, shared.pool, chain, arrival) else { return };
        if let Some(packet) = shared.pool.remove(chain, node) {
            self.backlog = self.backlog.without(packet.meta.length);
            self.memory -= memory_of(packet.meta.length);
            shared.lose(packet.meta.length);
            out.dropped(packet, DropReason::AckFiltered, shared.now);
        }
    }

    fn set_bulk(&mut self, index: u16, is_bulk: bool) {
        let flow = &mut self.flows[usize::from(index)];
        if flow.is_bulk != is_bulk {
            flow.is_bulk = is_bulk;
            self.sources.stands(flow.source, is_bulk);
            self.destinations.stands(flow.destination, is_bulk);
            self.bulk = if is_bulk { self.bulk + 1 } else { self.bulk - 1 };
        }
    }

    /// Removes and returns the next packet, by deficit round robin with new flows first (DRR++).
    #[inline]
    pub fn pop(
        &mut self,
        shared: &mut Shared<'_>,
        random: &mut RandomStream,
        out: &mut dyn Outcomes,
    ) -> Option<Packet> {
        // Flows rotated to the back without sending: after a full circle, whole rounds can be skipped.
        let mut rotated = 0;
        loop {
            let is_new = !self.new.is_empty();
            let index = *if is_new { self.new.front() } else { self.old.front() }?;
            if self.flows[usize::from(index)].credits <= 0 {
                self.rotate(index, is_new, &mut rotated, shared.settings);
                continue;
            }
            let ingress = shared.settings.ingress;
            let least = self.aqm.least(ingress.then_some(self.bulk));
            let overhead = shared.settings.overhead;
            let mut lost = 0;
            let flow = &mut self.flows[usize::from(index)];
            let packet = flow.cobalt.dequeue(
                &mut Rules {
                    aqm: &self.aqm,
                    least,
                    ecn: shared.settings.ecn,
                    dropped: &mut |packet| lost += u64::from(overhead.size(packet.meta.length)),
                },
                &mut Store::new(shared.pool, &mut flow.packets, &mut self.backlog, &mut self.memory),
                random,
                shared.now,
                out,
            );
            if ingress {
                shared.lost += lost;
                flow.credits -= (lost as i64) << FRACTION;
            }
            if let Some(packet) = &packet {
                flow.credits -= i64::from(overhead.size(packet.meta.length)) << FRACTION;
            }
            self.weigh(usize::from(index));
            if packet.is_some() {
                return packet;
            }
            rotated = 0;
            if is_new {
                // As in RFC 8290 §4.2: an emptied new flow must pass through the old list before it can be new again.
                self.new.pop_front();
                self.old.push_back(index);
            } else {
                self.old.pop_front();
                self.set_bulk(index, false);
                let flow = &mut self.flows[usize::from(index)];
                flow.active = false;
                self.sources.left(flow.source);
                self.destinations.left(flow.destination);
            }
        }
    }

    /// Moves a flow that has used up its credits to the back of the old list, with credits for its next turn.
    fn rotate(&mut self, index: u16, is_new: bool, rotated: &mut usize, settings: &Settings) {
        if *rotated == self.new.len() + self.old.len() {
            self.skip_rounds(settings);
            *rotated = 0;
        }
        if is_new {
            self.new.pop_front();
        } else {
            self.old.pop_front();
        }
        if !self.flows[usize::from(index)].packets.is_empty() {
            self.set_bulk(index, true);
        }
        let turn = self.turn(index, settings);
        self.flows[usize::from(index)].credits += turn;
        self.old.push_back(index);
        *rotated += 1;
    }

    /// Credits of a flow per round: the quantum divided by the number of bulk flows of its host. With triple isolation, of
    /// its source or destination host, whichever has more.
    #[inline]
    fn turn(&self, index: u16, settings: &Settings) -> i64 {
        let flow = &self.flows[usize::from(index)];
        let load = match settings.identity.isolation {
            Isolation::DualSrchost => self.sources.bulk(flow.source),
            Isolation::DualDsthost => self.destinations.bulk(flow.destination),
            Isolation::TripleIsolate => {
                self.sources.bulk(flow.source).max(self.destinations.bulk(flow.destination))
            }
            _ => 1,
        };
        ((self.quantum as i64) << FRACTION) / i64::from(load.max(1))
    }

    /// Credits several rounds at once. Called after a full circle in which no flow could send: adds as many rounds as leave
    /// the first flow one round short of sending. This bounds the work if the credits per round are small.
    fn skip_rounds(&mut self, settings: &Settings) {
        let missing = |index: &u16| -self.flows[usize::from(*index)].credits / self.turn(*index, settings);
        let rounds = self.new.iter().chain(&self.old).map(missing).min().unwrap_or(0);
        // Zero: some flow further back can send already.
        if rounds <= 0 {
            return;
        }
        for at in 0..self.new.len() + self.old.len() {
            let index = if at < self.new.len() { self.new[at] } else { self.old[at - self.new.len()] };
            let turn = self.turn(index, settings);
            self.flows[usize::from(index)].credits += rounds * turn;
        }
    }

    /// The largest backlog of a flow in bytes, and that flow.
    pub fn fattest(&mut self) -> (u64, usize) {
        if self.backlog.packets == 0 {
            return (0, 0);
        }
        if !self.fattest.is_held() {
            self.fattest.hold(self.flows.iter().map(|flow| flow.packets.backlog().bytes));
        }
        self.fattest.largest()
    }

    /// Drops the oldest packet of the flow in `slot` because the buffer is full.
    pub fn overflow(&mut self, slot: usize, shared: &mut Shared<'_>, out: &mut dyn Outcomes) {
        let flow = &mut self.flows[slot];
        flow.cobalt.overflowed(&self.aqm, shared.now);
        let mut store = Store::new(shared.pool, &mut flow.packets, &mut self.backlog, &mut self.memory);
        if let Some(packet) = store.pop() {
            shared.lose(packet.meta.length);
            out.dropped(packet, DropReason::BufferFull, shared.now);
        }
        self.weigh(slot);
    }
}
