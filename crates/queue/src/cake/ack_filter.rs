//! The ACK filter: removes an acknowledgement from a flow's queue when a newer one makes it redundant.
//!
//! The rules are those of the text that introduced the filter in Linux (Høiland-Jørgensen 2018); details come from
//! measurements of Linux 6.1, which is shown segments in all the combinations of the tests.

use jettison_wire::{FiveTuple, Packet, Segment, TcpFlags, TcpHeader};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Chain, PacketPool};

/// Removal of redundant acknowledgements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum AckFilter {
    /// No removal.
    Off,
    /// At least two acknowledgements of a flow stay.
    Conservative,
    /// One acknowledgement of a flow stays.
    Aggressive,
}

/// Packets of a flow's queue that are looked at, from its head on.
const LOOKED_AT: usize = 64;
/// Flags that acknowledge congestion signals: they may not get lost.
const ECHOES: u8 = TcpFlags::ECE.0 | TcpFlags::CWR.0;

/// Returns the node of the packet that `arrival` makes redundant. `chain` is the flow's queue without the arrival.
pub fn redundant(filter: AckFilter, pool: &PacketPool, chain: &Chain, arrival: &Packet) -> Option<u32> {
    let new = arrival.segment().filter(|new| new.tcp.flags.contains(TcpFlags::ACK))?;
    let flow = arrival.five_tuple()?;
    let echoes = |tcp: &TcpHeader| tcp.flags.0 & ECHOES;
    let mut candidate: Option<(u32, u8)> = None;
    for (node, packet) in pool.nodes(chain).take(LOOKED_AT) {
        let Some(old) = pure(packet, &flow).filter(|old| acknowledges_less(&old.tcp, &new.tcp)) else {
            continue;
        };
        if !says_nothing_else(&old, &new) {
            candidate = None;
            continue;
        }
        // A change of the echoes from one acknowledgement to the next is itself a signal.
        match candidate {
            Some((node, before)) if before == echoes(&old.tcp) => return Some(node),
            _ => candidate = Some((node, echoes(&old.tcp))),
        }
    }
    // Nothing but the arrival is behind the candidate.
    let (node, before) = candidate?;
    (filter == AckFilter::Aggressive && before == echoes(&new.tcp)).then_some(node)
}

/// A queued packet as a pure acknowledgement of `flow`.
fn pure(packet: &Packet, flow: &FiveTuple) -> Option<Segment> {
    let segment = packet.segment()?;
    let is_pure = segment.payload == 0 && segment.tcp.flags.0 & !ECHOES == TcpFlags::ACK.0;
    (is_pure && packet.five_tuple().as_ref() == Some(flow)).then_some(segment)
}

/// Whether the options of `old` say nothing beyond those of `new`: SACK blocks are among the new ones, timestamps are not later,
/// and there are no others.
fn says_nothing_else(old: &Segment, new: &Segment) -> bool {
    let behind = |a: u32, b: u32| (b.wrapping_sub(a) as i32) >= 0;
    let within = |(start, end): (u32, u32)| {
        new.tcp.sack.iter().any(|(from, to)| behind(from, start) && behind(end, to))
    };
    let in_order = match (old.tcp.timestamps(), new.tcp.timestamps()) {
        (Some((old, _)), Some((new, _))) => behind(old, new),
        (Some(_), None) => false,
        (None, _) => true,
    };
    // Options beside timestamps and SACK belong to other mechanisms.
    let known = !old.has_other_options && old.tcp.options & !TcpHeader::OPT_TIMESTAMPS == 0;
    known && in_order && old.tcp.sack.iter().all(within)
}

/// Whether `old` acknowledges fewer bytes than `new`, SACK blocks included.
fn acknowledges_less(old: &TcpHeader, new: &TcpHeader) -> bool {
    let selected = |tcp: &TcpHeader| -> u64 {
        tcp.sack.iter().map(|(start, end)| u64::from(end.wrapping_sub(start))).sum()
    };
    let advance = new.ack.wrapping_sub(old.ack) as i32;
    advance > 0 || advance == 0 && selected(old) < selected(new)
}

#[cfg(test)]
#[path = "ack_filter_tests.rs"]
mod tests;
