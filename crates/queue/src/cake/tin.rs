//! A tin: the flows of one class, scheduled fairly by host and by flow, each under COBALT.

use std::collections::VecDeque;

use jettison_core::{DropReason, RandomStream, Time};
use jettison_measure::Outcomes;
use jettison_wire::{Address, Packet};

use super::associative::Associative;
use super::cobalt::Cobalt;
use super::{HostFairness, Settings};
use crate::{Backlog, Chain, CodelStore, Counted, PacketPool, Standing};

/// Credits are in units of 2^-16 bytes, which keeps the quantum precise when it is divided by the flows of a host.
const FRACTION: u32 = 16;

/// The flows of one class and their schedule.
#[derive(Debug)]
pub struct Tin {
    flows: Vec<Flow>,
    flow_slots: Associative,
    sources: Hosts,
    destinations: Hosts,
    /// Newly active flows that have not used up their first quantum ("sparse" flows).
    new: VecDeque<u16>,
    /// Flows that have used up a quantum ("bulk" flows).
    old: VecDeque<u16>,
    backlog: Backlog,
    /// Bytes that the tin may still send in this round.
    pub credits: i64,
}

#[derive(Debug, Default)]
struct Flow {
    packets: Chain,
    cobalt: Cobalt,
    credits: i64,
    active: bool,
    source: u16,
    destination: u16,
}

/// Number of active flows per host.
#[derive(Debug)]
struct Hosts {
    slots: Associative,
    active_flows: Vec<u32>,
}

impl Hosts {
    fn new(slots: usize) -> Hosts {
        Hosts { slots: Associative::new(slots), active_flows: vec![0; slots] }
    }
    /// Counts one more active flow of `host`; returns the host's slot.
    #[inline]
    fn joined(&mut self, host: Address, salt: u64) -> u16 {
        // A multiplicative mix of the address and the salt; equal hosts must collide, all others should not.
        let [high, low] = host.to_words();
        let mut hash = (high ^ salt).wrapping_mul(0xff51_afd7_ed55_8ccd);
        hash = (hash ^ (hash >> 32) ^ low).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        hash = (hash ^ (hash >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let active = &self.active_flows;
        let slot = self.slots.slot(hash, |slot| active[slot] > 0);
        self.active_flows[slot] += 1;
        slot as u16
    }
}

impl Tin {
    /// Creates a tin with slots for `flows` flows and as many source and destination hosts.
    pub fn new(flows: usize) -> Tin {
        Tin {
            flows: (0..flows).map(|_| Flow::default()).collect(),
            flow_slots: Associative::new(flows),
            sources: Hosts::new(flows),
            destinations: Hosts::new(flows),
            new: VecDeque::with_capacity(flows),
            old: VecDeque::with_capacity(flows),
            backlog: Backlog::default(),
            credits: 0,
        }
    }

    /// The current backlog.
    #[inline]
    pub fn backlog(&self) -> Backlog {
        self.backlog
    }

    /// COBALT's state of each active flow.
    pub fn active(&self) -> impl Iterator<Item = &Cobalt> {
        self.new.iter().chain(&self.old).map(|index| &self.flows[usize::from(*index)].cobalt)
    }

    /// Whether no flow is active and no host has one.
    #[cfg(test)]
    pub fn is_idle(&self) -> bool {
        let idle = |hosts: &Hosts| hosts.active_flows.iter().all(|active| *active == 0);
        self.new.is_empty() && self.old.is_empty() && idle(&self.sources) && idle(&self.destinations)
    }

    /// Queues a packet.
    #[inline]
    pub fn push(&mut self, packet: Packet, settings: &Settings, pool: &mut PacketPool, now: Time) {
        let hash = packet.flow_hash(settings.salt);
        let flows = &self.flows;
        let slot = self.flow_slots.slot(hash, |slot| flows[slot].active);
        self.backlog.packets += 1;
        self.backlog.bytes += u64::from(packet.meta.length);
        let flow = &mut self.flows[slot];
        if !flow.active {
            // Packets without a five-tuple (not IP) all belong to one default host.
            let (source, destination) =
                packet.five_tuple().map_or_else(Default::default, |tuple| (tuple.src, tuple.dst));
            flow.active = true;
            flow.credits = (settings.quantum as i64) << FRACTION;
            flow.source = self.sources.joined(source, settings.salt);
            flow.destination = self.destinations.joined(destination, settings.salt);
            self.new.push_back(slot as u16);
        }
        let depth = flow.packets.backlog().packets;
        pool.push(&mut flow.packets, packet, depth, now);
    }

    /// Removes and returns the next packet, by deficit round robin with new flows first (DRR++).
    #[inline]
    pub fn pop(
        &mut self,
        settings: &Settings,
        pool: &mut PacketPool,
        random: &mut RandomStream,
        now: Time,
        out: &mut dyn Outcomes,
    ) -> Option<Packet> {
        // Flows rotated to the back without sending: after a full circle, whole rounds can be skipped.
        let mut rotated = 0;
        loop {
            let is_new = !self.new.is_empty();
            let index = *if is_new { self.new.front() } else { self.old.front() }?;
            if self.flows[usize::from(index)].credits <= 0 {
                if rotated == self.new.len() + self.old.len() {
                    self.skip_rounds(settings);
                    rotated = 0;
                }
                let turn = self.turn(index, settings);
                self.flows[usize::from(index)].credits += turn;
                if is_new {
                    self.new.pop_front()
                } else {
                    self.old.pop_front()
                };
                self.old.push_back(index);
                rotated += 1;
                continue;
            }
            let flow = &mut self.flows[usize::from(index)];
            let mut store =
                Counted { pool, chain: &mut flow.packets, total: &mut self.backlog, standing: Standing::Own };
            let packet = flow.cobalt.dequeue(&settings.codel, settings.ecn, &mut store, random, now, out);
            if let Some(packet) = packet {
                flow.credits -= i64::from(packet.meta.length) << FRACTION;
                return Some(packet);
            }
            rotated = 0;
            if is_new {
                // As in RFC 8290 §4.2: an emptied new flow must pass through the old list before it can be new again.
                self.new.pop_front();
                self.old.push_back(index);
            } else {
                self.old.pop_front();
                flow.active = false;
                self.sources.active_flows[usize::from(flow.source)] -= 1;
                self.destinations.active_flows[usize::from(flow.destination)] -= 1;
            }
        }
    }

    /// Credits of a flow per round: the quantum divided by the number of active flows of its host. With triple isolation,
    /// of its source or destination host, whichever has more.
    #[inline]
    fn turn(&self, index: u16, settings: &Settings) -> i64 {
        let flow = &self.flows[usize::from(index)];
        let source = self.sources.active_flows[usize::from(flow.source)];
        let destination = self.destinations.active_flows[usize::from(flow.destination)];
        let load = match settings.hosts {
            HostFairness::Flows => 1,
            HostFairness::Source => source,
            HostFairness::Destination => destination,
            HostFairness::Triple => source.max(destination),
        };
        ((settings.quantum as i64) << FRACTION) / i64::from(load.max(1))
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
    pub fn fattest(&self) -> (u64, usize) {
        let bytes =
            |index: &u16| (self.flows[usize::from(*index)].packets.backlog().bytes, usize::from(*index));
        self.new.iter().chain(&self.old).map(bytes).max().unwrap_or((0, 0))
    }

    /// Drops the oldest packet of `flow` because the buffer is full.
    pub fn overflow(
        &mut self,
        flow: usize,
        settings: &Settings,
        pool: &mut PacketPool,
        now: Time,
        out: &mut dyn Outcomes,
    ) {
        let flow = &mut self.flows[flow];
        flow.cobalt.overflowed(&settings.codel, now);
        let mut store =
            Counted { pool, chain: &mut flow.packets, total: &mut self.backlog, standing: Standing::Own };
        if let Some(packet) = store.pop() {
            out.dropped(packet, DropReason::BufferFull, now);
        }
    }
}
