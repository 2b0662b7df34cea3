//! `red-dpm`: RED with Drop Preference Management (Parris, Jeffay, Smith & Borgersen 1998).
//!
//! One FIFO under RED. Each *tagged* flow (by DSCP) also has a logical queue: its packets in the FIFO. An arrival of a tagged
//! flow faces a test on that queue and a test of staleness; only if both pass, RED's test on the main queue follows. If a packet
//! of a tagged flow is to be dropped, the flow's oldest queued packet is dropped instead (*delete and advance*): the flow's later
//! packets each move up to the flow's next place, and the arrival takes the last. The flow thus loses its least valuable
//! packet, and other flows are unaffected.
//!
//! The main queue is stored as *places*, each owned by one flow, and the packets of a flow as a separate chain: the flow's
//! n-th place holds the n-th packet of its chain. Delete and advance only changes the chain and takes constant time. So does a
//! random victim above RED's upper threshold: places can leave from the middle.
//!
//! Units: thresholds in packets or in bytes, as `min_th` is written; `stale_age` is a time, `stale_depth` and `min_share` in
//! packets.

use jettison_core::{DropReason, Duration, Gauge, Gauges, RandomStream, Rate, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{INDIGO, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;

use crate::entry::{BuildContext, Discipline};
use crate::{
    Backlog, Chain, FlowTable, InLinux, Limit, PacketPool, QueueDiscipline, RedDecision, RedSettings,
    RedState, SparseQueue, Victim,
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
        .facts(InLinux::lacks("RED that drops a tagged flow's oldest packet", "`red`"))
}

fn build(
    parameters: RedDpmParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    Ok(Box::new(RedDpm::new(parameters, (context.random)("drop"), &mut (context.random)("hash"))?))
}

/// One FIFO queue under RED with drop preference management.
#[derive(Debug, Clone)]
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
    places: SparseQueue<Place>,
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
    /// Node of the packet in an untagged place.
    node: u32,
    /// Number of the flow's previous place, if any.
    previous: u64,
    /// Number of the flow's next place, if any.
    next: u64,
}

/// Decision of the tests on the main queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Pass,
    /// The arrival is to be dropped.
    Drop(DropReason),
    /// The packet in the place of this number is to be dropped.
    Evict(u64),
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
    /// Arrivals that found the logical queue at its upper limit, since it was last empty.
    strike: u32,
    /// Numbers of its first and last place in the main queue, while it has any.
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
            places: SparseQueue::default(),
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

    /// Tests of the main queue on an arrival: RED with its average, then the limit.
    #[inline]
    fn main_test(&mut self, length: u16, now: Time) -> Verdict {
        self.red.arrival(&self.settings, self.backlog(), self.s, now);
        match self.red.decide(&self.settings, length, &mut self.random) {
            RedDecision::Early => return Verdict::Drop(DropReason::RedEarly),
            RedDecision::Forced => {
                let random = self.parameters.victim == Victim::Random;
                let place = if random { self.places.draw(&mut self.random) } else { None };
                return place.map_or(Verdict::Drop(DropReason::RedForced), Verdict::Evict);
            }
            RedDecision::Pass => {}
        }
        let full = !self.parameters.limit.admits(self.backlog(), length);
        if full { Verdict::Drop(DropReason::BufferFull) } else { Verdict::Pass }
    }

    /// Tests on an arrival of a tagged flow before those of the main queue: its logical queue, then staleness. Returns the
    /// reason for a drop, if any.
    #[inline]
    fn flow_test(&mut self, slot: u32, length: u16, now: Time) -> Option<DropReason> {
        let exceeds = match self.parameters.flow_test {
            FlowTest::Red => {
                let flow = self.flows.state_mut(slot);
                flow.red.arrival(&self.flow_settings, flow.chain.backlog(), self.s, now);
                let decision = flow.red.decide(&self.flow_settings, length, &mut self.random);
                decision != RedDecision::Pass
            }
            FlowTest::FredLimits => self.exceeds_limits(slot, length),
            FlowTest::FredShare => self.exceeds_share(slot, length),
        };
        if exceeds {
            return Some(DropReason::DpmFlow);
        }
        self.is_stale(slot, now).then_some(DropReason::DpmStale)
    }

    /// Whether one more packet would exceed the flow's limit: the upper threshold, or the lower one for a flow that has met the
    /// upper one more than once and has not responded.
    fn exceeds_limits(&mut self, slot: u32, length: u16) -> bool {
        let (min, max) = (self.flow_settings.min_th, self.flow_settings.max_th);
        let flow = self.flows.state_mut(slot);
        let queue = max.measure(flow.chain.backlog().with(length));
        let exceeds = queue > max.value() || (flow.strike > 1 && queue > min.value());
        flow.strike = flow.strike.saturating_add(u32::from(exceeds));
        exceeds
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
            && self.places.is_behind(flow.first, self.parameters.stale_depth.value())
    }

    /// Drops the flow's oldest packet, advances the later ones and puts `packet` in the flow's last place. Drops `packet`
    /// itself if the flow has no queued packet, if `packet` would exceed the limit in bytes, or without `delete_and_advance`.
    fn delete_and_advance(
        &mut self,
        slot: u32,
        packet: Packet,
        reason: DropReason,
        now: Time,
        out: &mut dyn Outcomes,
    ) {
        let flow = self.flows.state_mut(slot);
        let Some(oldest) = self.pool.head(&flow.chain).filter(|_| self.parameters.delete_and_advance) else {
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

    /// Drops the packet in a place, so that an arrival of `length` bytes can be appended. If a tagged flow owns the place, it
    /// loses its oldest packet, advances, and gives up its last place. Returns whether the arrival fits; if not, nothing is
    /// dropped.
    fn evict(&mut self, number: u64, length: u16, now: Time, out: &mut dyn Outcomes) -> bool {
        let Some(&Place { slot, node, .. }) = self.places.entry(number) else { return false };
        let victim = match self.chain(slot) {
            _ if slot == UNTAGGED => self.pool.at(node),
            chain if self.parameters.delete_and_advance => self.pool.head(chain),
            chain => self.pool.at(chain.newest()),
        };
        let freed = victim.expect("each place has a packet").meta.length;
        if !self.parameters.limit.admits(self.backlog().without(freed), length) {
            return false;
        }
        let victim = if slot == UNTAGGED {
            self.places.remove(number);
            self.pool.remove(&mut self.untagged, node)
        } else {
            let flow = self.flows.state_mut(slot);
            if let Some(place) = self.places.remove(flow.last) {
                flow.last = place.previous;
            }
            let victim = if self.parameters.delete_and_advance {
                self.pool.pop(&mut flow.chain)
            } else {
                self.pool.pop_newest(&mut flow.chain)
            };
            self.active -= flow.emptied(now);
            victim
        };
        self.bytes -= u64::from(freed);
        if self.places.is_sparse() {
            self.compact();
        }
        out.dropped(victim.expect("each place has a packet"), DropReason::RedForced, now);
        true
    }

    /// The packets of a slot's places.
    fn chain(&self, slot: u32) -> &Chain {
        if slot == UNTAGGED { &self.untagged } else { &self.flows.state(slot).chain }
    }

    /// Closes the gaps in the main queue and renumbers its places.
    fn compact(&mut self) {
        const NONE: u64 = u64::MAX;
        self.places.compact();
        let numbers = self.places.first()..self.places.first() + self.places.len() as u64;
        for number in numbers.clone() {
            if let Some(&Place { slot, .. }) = self.places.entry(number)
                && slot != UNTAGGED
            {
                self.flows.state_mut(slot).last = NONE;
            }
        }
        for number in numbers {
            let Some(place) = self.places.entry_mut(number) else { continue };
            if place.slot == UNTAGGED {
                continue;
            }
            let flow = self.flows.state_mut(place.slot);
            let previous = std::mem::replace(&mut flow.last, number);
            place.previous = previous;
            if previous == NONE {
                flow.first = number;
            } else if let Some(previous) = self.places.entry_mut(previous) {
                previous.next = number;
            }
        }
    }

    /// Appends a place to the main queue and the packet to its chain.
    #[inline]
    fn append(&mut self, slot: u32, packet: Packet, now: Time) {
        let depth = self.places.len() as u64;
        self.bytes += u64::from(packet.meta.length);
        if slot == UNTAGGED {
            self.pool.push(&mut self.untagged, packet, depth, now);
            self.places.push(Place { slot, node: self.untagged.newest(), previous: 0, next: 0 });
            return;
        }
        let flow = self.flows.state_mut(slot);
        let number = self.places.push(Place { slot, node: 0, previous: flow.last, next: 0 });
        if flow.chain.is_empty() {
            self.active += 1;
            flow.first = number;
        } else if let Some(last) = self.places.entry_mut(flow.last) {
            last.next = number;
        }
        flow.last = number;
        self.pool.push(&mut flow.chain, packet, depth, now);
    }
}

impl Flow {
    /// Records a departure from the logical queue. Returns 1 if it has become empty, else 0.
    #[inline]
    fn emptied(&mut self, now: Time) -> u64 {
        if !self.chain.is_empty() {
            return 0;
        }
        self.red.emptied(now);
        // As in FRED, the strikes expire with the flow's last packet.
        self.strike = 0;
        1
    }
}

impl QueueDiscipline for RedDpm {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        let length = packet.meta.length;
        if !self.is_tagged(&packet) {
            return match self.main_test(length, now) {
                Verdict::Pass => self.append(UNTAGGED, packet, now),
                Verdict::Drop(reason) => out.dropped(packet, reason, now),
                Verdict::Evict(place) if self.evict(place, length, now, out) => {
                    self.append(UNTAGGED, packet, now);
                }
                Verdict::Evict(_) => out.dropped(packet, DropReason::BufferFull, now),
            };
        }
        let found = self.flows.find(&packet, |flow| flow.chain.is_empty());
        let slot = found.slot;
        if found.is_new {
            *self.flows.state_mut(slot) = Flow::default();
        }
        if let Some(reason) = self.flow_test(slot, length, now) {
            return self.delete_and_advance(slot, packet, reason, now, out);
        }
        match self.main_test(length, now) {
            Verdict::Pass => self.append(slot, packet, now),
            Verdict::Drop(reason) => self.delete_and_advance(slot, packet, reason, now, out),
            Verdict::Evict(place) if self.places.entry(place).is_some_and(|place| place.slot == slot) => {
                self.delete_and_advance(slot, packet, DropReason::RedForced, now, out);
            }
            Verdict::Evict(place) if self.evict(place, length, now, out) => self.append(slot, packet, now),
            Verdict::Evict(_) => self.delete_and_advance(slot, packet, DropReason::BufferFull, now, out),
        }
    }

    fn dequeue(&mut self, now: Time, _: &mut dyn Outcomes) -> Option<Packet> {
        let place = self.places.pop()?;
        let packet = if place.slot == UNTAGGED {
            self.pool.pop(&mut self.untagged)
        } else {
            let flow = self.flows.state_mut(place.slot);
            // The place holds the flow's oldest packet, whichever packet took it originally.
            flow.first = place.next;
            let packet = self.pool.pop(&mut flow.chain);
            self.active -= flow.emptied(now);
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
