//! `red-dpm`: RED with Drop Preference Management (Parris, Jeffay, Smith & Borgersen 1998).
//!
//! One FIFO under RED. Each *tagged* flow (by DSCP) also has a logical queue: its packets in the FIFO. If a packet of a
//! tagged flow is to be dropped, the flow's oldest queued packet is dropped instead (*delete and advance*): the flow's later
//! packets each move up to the flow's next place, and the arrival takes the last. The flow thus loses its least valuable
//! packet, and other flows are unaffected.
//!
//! The main queue is stored as *places*, each owned by one flow, and the packets of a flow as a separate chain: the flow's
//! n-th place holds the n-th packet of its chain. Delete and advance only changes the chain and takes constant time.
//!
//! Units: thresholds in packets or in bytes, as `min_th` is written; `stale_age` is a time, `stale_depth` and `min_share` in
//! packets.

use std::collections::VecDeque;

use jettison_core::{DropReason, Duration, Gauge, Gauges, RandomStream, Rate, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{INDIGO, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;

use crate::entry::{BuildContext, Discipline};
use crate::{
    Backlog, Chain, FlowTable, Limit, PacketPool, QueueDiscipline, RedDecision, RedSettings, RedState,
};

mod parameters;

pub use parameters::{FlowTest, RedDpmParameters};

/// Gauges of the internal state.
const GAUGES: &[Gauge] = &[AVERAGE, AVERAGE_BYTES, PROBABILITY, FLOWS, LONGEST, TAGGED];

const AVERAGE: Gauge = Gauge::new(
    "red_dpm_average",
    "packets",
    "Average length of the main queue, if the thresholds are in packets.",
);
const AVERAGE_BYTES: Gauge = Gauge::new(
    "red_dpm_average_bytes",
    "bytes",
    "Average length of the main queue, if the thresholds are in bytes.",
);
const PROBABILITY: Gauge = Gauge::new(
    "red_dpm_probability",
    "1",
    "RED's probability p_b at the average of the main queue, before the spacing by `count`.",
);
const FLOWS: Gauge = Gauge::new("red_dpm_flows", "count", "Tagged flows with packets in the queue.");
const LONGEST: Gauge =
    Gauge::new("red_dpm_longest_logical_queue", "packets", "Packets in the longest logical queue.");
const TAGGED: Gauge = Gauge::new("red_dpm_tagged", "packets", "Packets of tagged flows in the queue.");

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("red-dpm", "RED-DPM", build)
        .style(INDIGO, Solid)
        .summary("RED that drops a tagged flow's oldest packet instead of its newest")
        .source("Parris, Jeffay, Smith & Borgersen 1998")
        .page("disciplines/red-dpm.md")
        .gauges(GAUGES)
}

fn build(
    parameters: RedDpmParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    Ok(Box::new(RedDpm::new(parameters, (context.random)("drop"), &mut (context.random)("hash"))?))
}

/// One FIFO queue under RED with drop preference management.
#[derive(Debug)]
pub struct RedDpm {
    parameters: RedDpmParameters,
    settings: RedSettings,
    flow_settings: RedSettings,
    /// Bit set of the tagged DSCPs.
    tagged: u64,
    random: RandomStream,

    /// RED's state of the main queue.
    red: RedState,
    /// Typical transmission time of a small packet; `None` until the link's rate is known.
    s: Option<Duration>,
    /// Tagged flows with packets in the queue.
    active: u64,
    flows: FlowTable<Flow>,

    /// The main queue, in order.
    places: VecDeque<Place>,
    /// Sequence number of the place at the head of the main queue, counted from the first place ever.
    head: u64,
    pool: PacketPool,
    /// The untagged packets, in the places with slot [`UNTAGGED`].
    untagged: Chain,
    bytes: u64,
}

/// One place of the main queue.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// Slot of the flow that owns the place, or [`UNTAGGED`].
    slot: u32,
    /// Sequence number of the flow's next place, if any.
    next: u64,
}

/// Slot of places of untagged packets.
const UNTAGGED: u32 = u32::MAX;

/// State of a tagged flow.
#[derive(Debug, Clone, Default)]
struct Flow {
    /// The logical queue.
    chain: Chain,
    /// RED's state of the logical queue.
    red: RedState,
    /// Sequence numbers of its first and last place in the main queue, while it has any.
    first: u64,
    last: u64,
}

impl RedDpm {
    /// Creates an empty queue that draws from `random`; `hash` seeds the flow table.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(
        parameters: RedDpmParameters,
        random: RandomStream,
        hash: &mut RandomStream,
    ) -> Result<RedDpm, ParameterError> {
        parameters.check()?;
        Ok(RedDpm {
            settings: parameters.settings(),
            flow_settings: parameters.flow_settings(),
            tagged: parameters.tagged.iter().fold(0, |bits, dscp| bits | 1 << dscp.get()),
            random,
            red: RedState::default(),
            s: parameters.s,
            active: 0,
            flows: FlowTable::new(parameters.flows, hash.uniform(0, u64::MAX)),
            places: VecDeque::new(),
            head: 0,
            pool: PacketPool::default(),
            untagged: Chain::default(),
            bytes: 0,
            parameters,
        })
    }

    /// The average length of the main queue, in the unit of the thresholds.
    pub fn average(&self) -> f64 {
        self.red.average()
    }

    #[inline]
    fn is_tagged(&self, packet: &Packet) -> bool {
        self.tagged >> packet.dscp() & 1 == 1
    }

    /// Tests of the main queue on an arrival: RED, then the limit. Returns the reason for a drop, if any.
    #[inline]
    fn main_test(&mut self, length: u16) -> Option<DropReason> {
        match self.red.decide(&self.settings, length, &mut self.random) {
            RedDecision::Early => return Some(DropReason::RedEarly),
            RedDecision::Forced => return Some(DropReason::RedForced),
            RedDecision::Pass => {}
        }
        let full = !self.parameters.limit.admits(self.backlog(), length);
        full.then_some(DropReason::BufferFull)
    }

    /// Tests on an arrival of a tagged flow, in the paper's order: its logical queue, staleness, the main queue. Returns the
    /// reason for a drop, if any.
    #[inline]
    fn tagged_test(&mut self, slot: u32, length: u16, now: Time) -> Option<DropReason> {
        let over_its_share = match self.parameters.flow_test {
            FlowTest::Red => {
                let flow = self.flows.state_mut(slot);
                flow.red.arrival(&self.flow_settings, flow.chain.backlog(), self.s, now);
                let decision = flow.red.decide(&self.flow_settings, length, &mut self.random);
                decision != RedDecision::Pass
            }
            FlowTest::FredShare => self.exceeds_share(slot, length),
        };
        if over_its_share {
            return Some(DropReason::DpmFlow);
        }
        if self.is_stale(slot, now) {
            return Some(DropReason::DpmStale);
        }
        self.main_test(length)
    }

    /// Whether one more packet would exceed the flow's share of the buffer: the limit divided by the number of active tagged
    /// flows, this one included, plus one for untagged traffic.
    fn exceeds_share(&self, slot: u32, length: u16) -> bool {
        let flow = self.flows.state(slot).chain.backlog();
        if flow.packets < self.parameters.min_share.value() {
            return false;
        }
        let sharers = self.active + u64::from(flow.packets == 0) + u64::from(!self.untagged.is_empty());
        let Limit { packets, bytes } = self.parameters.limit;
        (flow.packets + 1).saturating_mul(sharers) > packets
            || (flow.bytes + u64::from(length)).saturating_mul(sharers) > bytes
    }

    /// Whether the flow's oldest packet is both too old and too deep in the main queue.
    #[inline]
    fn is_stale(&self, slot: u32, now: Time) -> bool {
        let flow = self.flows.state(slot);
        let Some(oldest) = self.pool.head(&flow.chain) else { return false };
        now.since(oldest.meta.enqueued_at) > self.parameters.stale_age
            && flow.first - self.head >= self.parameters.stale_depth.value()
    }

    /// Drops the flow's oldest packet, advances the later ones and puts `packet` in the flow's last place. Drops `packet`
    /// itself if the flow has no queued packet or `packet` would exceed the limit in bytes.
    fn delete_and_advance(
        &mut self,
        slot: u32,
        packet: Packet,
        reason: DropReason,
        now: Time,
        out: &mut dyn Outcomes,
    ) {
        let flow = self.flows.state_mut(slot);
        let Some(oldest) = self.pool.head(&flow.chain) else {
            return out.dropped(packet, reason, now);
        };
        let bytes = self.bytes - u64::from(oldest.meta.length) + u64::from(packet.meta.length);
        if bytes > self.parameters.limit.bytes {
            return out.dropped(packet, DropReason::BufferFull, now);
        }
        self.bytes = bytes;
        let oldest = self.pool.pop(&mut flow.chain).expect("the chain has a head");
        self.pool.push(&mut flow.chain, packet, self.places.len() as u64 - 1, now);
        out.dropped(oldest, reason, now);
    }

    /// Appends a place to the main queue and the packet to its chain.
    #[inline]
    fn append(&mut self, slot: u32, packet: Packet, now: Time) {
        let depth = self.places.len() as u64;
        let number = self.head + depth;
        self.bytes += u64::from(packet.meta.length);
        self.places.push_back(Place { slot, next: 0 });
        if slot == UNTAGGED {
            return self.pool.push(&mut self.untagged, packet, depth, now);
        }
        let flow = self.flows.state_mut(slot);
        if flow.chain.is_empty() {
            self.active += 1;
            flow.first = number;
        } else {
            // Links the flow's previously last place to the new one.
            self.places[(flow.last - self.head) as usize].next = number;
        }
        flow.last = number;
        self.pool.push(&mut flow.chain, packet, depth, now);
    }
}

impl QueueDiscipline for RedDpm {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        self.red.arrival(&self.settings, self.backlog(), self.s, now);
        let length = packet.meta.length;
        if !self.is_tagged(&packet) {
            match self.main_test(length) {
                Some(reason) => out.dropped(packet, reason, now),
                None => self.append(UNTAGGED, packet, now),
            }
            return;
        }
        let found = self.flows.find(&packet, |flow| flow.chain.is_empty());
        if found.is_new {
            *self.flows.state_mut(found.slot) = Flow::default();
        }
        match self.tagged_test(found.slot, length, now) {
            Some(reason) => self.delete_and_advance(found.slot, packet, reason, now, out),
            None => self.append(found.slot, packet, now),
        }
    }

    fn dequeue(&mut self, now: Time, _: &mut dyn Outcomes) -> Option<Packet> {
        let place = self.places.pop_front()?;
        self.head += 1;
        let packet = if place.slot == UNTAGGED {
            self.pool.pop(&mut self.untagged)
        } else {
            let flow = self.flows.state_mut(place.slot);
            // The place holds the flow's oldest packet, whichever packet took it originally.
            flow.first = place.next;
            let packet = self.pool.pop(&mut flow.chain);
            if flow.chain.is_empty() {
                flow.red.emptied(now);
                self.active -= 1;
            }
            packet
        };
        let packet = packet.expect("each place has a packet");
        self.bytes -= u64::from(packet.meta.length);
        if self.places.is_empty() {
            self.red.emptied(now);
        }
        Some(packet)
    }

    fn capacity_changed(&mut self, rate: Rate, _: Time) {
        if self.parameters.s.is_none() {
            self.s = (!rate.is_zero()).then(|| rate.time_for(self.parameters.mean_packet));
        }
    }

    fn uses_wakeups(&self) -> bool {
        false
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        self.red.gauges(&self.settings, [&AVERAGE, &AVERAGE_BYTES, &PROBABILITY], out);
        let lengths = || self.flows.states().map(|flow| flow.chain.backlog().packets);
        out.set(&FLOWS, self.active as f64);
        out.set(&LONGEST, lengths().max().unwrap_or(0) as f64);
        out.set(&TAGGED, lengths().sum::<u64>() as f64);
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        Backlog { packets: self.places.len() as u64, bytes: self.bytes }
    }
}

#[cfg(test)]
mod tests;
