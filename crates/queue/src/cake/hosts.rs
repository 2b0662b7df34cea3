//! Hosts and flows: which packets share a queue, and which hosts share a tin.

use jettison_wire::{Address, Packet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::associative::Associative;

/// Flow isolation: what has a queue of its own, and among whom a tin is shared first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Isolation {
    /// One queue per tin.
    Flowblind,
    /// A queue per source address.
    Srchost,
    /// A queue per destination address.
    Dsthost,
    /// A queue per pair of addresses.
    Hosts,
    /// A queue per five-tuple.
    Flows,
    /// A queue per five-tuple; source addresses share first.
    DualSrchost,
    /// A queue per five-tuple; destination addresses share first.
    DualDsthost,
    /// A queue per five-tuple; source and destination addresses share first.
    TripleIsolate,
}

impl Isolation {
    /// Linux's keyword.
    pub const fn keyword(self) -> &'static str {
        match self {
            Isolation::Flowblind => "flowblind",
            Isolation::Srchost => "srchost",
            Isolation::Dsthost => "dsthost",
            Isolation::Hosts => "hosts",
            Isolation::Flows => "flows",
            Isolation::DualSrchost => "dual-srchost",
            Isolation::DualDsthost => "dual-dsthost",
            Isolation::TripleIsolate => "triple-isolate",
        }
    }
}

/// What identifies a packet's queue and hosts.
#[derive(Debug, Clone, Copy)]
pub struct Identity {
    /// Isolation mode.
    pub isolation: Isolation,
    /// Whether hosts behind a NAT count by their own address.
    pub nat: bool,
    /// Seed of the hashes.
    pub salt: u64,
}

impl Identity {
    /// Hash of what has a queue of its own.
    #[inline]
    pub fn flow(&self, packet: &Packet) -> u64 {
        match self.isolation {
            Isolation::Flowblind => self.salt,
            Isolation::Srchost => self.hosts(packet).0,
            Isolation::Dsthost => self.hosts(packet).1,
            Isolation::Hosts => {
                let (source, destination) = self.hosts(packet);
                mix(source, [destination, 0])
            }
            _ => packet.flow_hash(self.salt),
        }
    }

    /// Hashes of the source and the destination. Packets without addresses (not IP) all belong to one default host.
    #[inline]
    pub fn hosts(&self, packet: &Packet) -> (u64, u64) {
        let (source, destination) =
            packet.five_tuple().map_or_else(Default::default, |tuple| (tuple.src, tuple.dst));
        let inside = if self.nat { packet.inside() } else { None };
        let hash = |host: Address| mix(self.salt, host.to_words());
        match inside {
            Some(inside) if inside.is_source => (mix(self.salt, [inside.host.into(), 1]), hash(destination)),
            Some(inside) => (hash(source), mix(self.salt, [inside.host.into(), 1])),
            None => (hash(source), hash(destination)),
        }
    }
}

/// A multiplicative mix of two words and a seed; equal words must collide, all others should not.
fn mix(seed: u64, [high, low]: [u64; 2]) -> u64 {
    let mut hash = (high ^ seed).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ (hash >> 32) ^ low).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    (hash ^ (hash >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The hosts of one side of a tin.
#[derive(Debug, Clone)]
pub struct Hosts {
    slots: Associative,
    /// Active flows of each host: it keeps its slot as long as it has one.
    active: Vec<u32>,
    /// Those of them with a standing queue.
    bulk: Vec<u32>,
}

impl Hosts {
    /// Slots for `slots` hosts.
    pub fn new(slots: usize) -> Hosts {
        Hosts { slots: Associative::new(slots), active: vec![0; slots], bulk: vec![0; slots] }
    }

    /// Counts one more active flow of the host with this hash; returns the host's slot.
    #[inline]
    pub fn joined(&mut self, host: u64) -> u16 {
        let active = &self.active;
        let slot = self.slots.slot(host, |slot| active[slot] > 0);
        self.active[slot] += 1;
        slot as u16
    }

    /// Counts one active flow less.
    #[inline]
    pub fn left(&mut self, slot: u16) {
        self.active[usize::from(slot)] -= 1;
    }

    /// Counts one more or one less flow with a standing queue.
    #[inline]
    pub fn stands(&mut self, slot: u16, stands: bool) {
        let bulk = &mut self.bulk[usize::from(slot)];
        *bulk = if stands { *bulk + 1 } else { *bulk - 1 };
    }

    /// Flows of a host with a standing queue.
    #[inline]
    pub fn bulk(&self, slot: u16) -> u32 {
        self.bulk[usize::from(slot)]
    }

    /// Whether no host has an active flow.
    #[cfg(test)]
    pub fn is_idle(&self) -> bool {
        self.active.iter().chain(&self.bulk).all(|count| *count == 0)
    }
}
