//! What a direction sends next, and its way through the transmitter.

use jettison_core::{Duration, Time};
use jettison_measure::{Place, Recorder};
use jettison_switch::{Departure, Port, SwitchOutcomes};
use jettison_wire::Packet;

use crate::agenda::Agenda;
use crate::direction::Direction;
use crate::script::Script;
use crate::sink::Sink;
use crate::way::arrives_at;
use crate::world::{Node, Slots, Tap};

/// Transmits a packet through a free transmitter. Returns the instant when it is free again. With a hop limit, the packet was
/// let through without queueing and gets it.
#[inline]
#[allow(clippy::too_many_arguments)] // separate borrows of parts of the world
pub(crate) fn transmit(
    direction: &mut Direction,
    at: usize,
    packet: Packet,
    let_through: Option<u8>,
    now: Time,
    recorder: &mut Recorder,
    tap: &mut Option<Box<dyn Tap>>,
    script: &mut Option<Box<Script>>,
    agenda: &mut Agenda,
    slots: Slots,
) -> Time {
    let wire_bytes = u32::from(packet.meta.length) + direction.overhead;
    let left_at = direction.carrier.begin(wire_bytes, now);
    direction.idle_poll_pending = direction.wants_idle_polls;
    let sojourn = if let_through.is_some() { Duration::ZERO } else { now.since(packet.meta.enqueued_at) };
    recorder.queue(direction.queue).departed(sojourn, wire_bytes);
    if let Some(provenance) = recorder.provenance() {
        let enqueued_at = if let_through.is_some() { now } else { packet.meta.enqueued_at };
        provenance.left(direction.queue, &packet, enqueued_at, now, left_at);
    }
    if direction.tapped
        && let Some(tap) = tap
    {
        tap.transmitted(&direction.name, &packet, now);
    }
    depart(direction, at, packet, let_through, now, left_at, recorder, script, agenda, slots);
    left_at
}

/// Sends a packet on its way to the far end, whose transmission began at `now` and ends at `left_at`.
#[inline(always)]
#[allow(clippy::too_many_arguments)] // as `transmit`
pub(crate) fn depart(
    direction: &mut Direction,
    at: usize,
    packet: Packet,
    let_through: Option<u8>,
    now: Time,
    left_at: Time,
    recorder: &mut Recorder,
    script: &mut Option<Box<Script>>,
    agenda: &mut Agenda,
    slots: Slots,
) {
    if direction.way.is_some() {
        if let Some(next) = direction.carry(packet, let_through, now, left_at, recorder, script) {
            agenda.set(slots.arrivals + at, next);
        }
        return;
    }
    let arrives = direction.propagation.arrival(left_at);
    // Otherwise the slot holds the arrival of an earlier packet, which comes first.
    if direction.in_flight.is_empty() {
        agenda.set(slots.arrivals + at, arrives);
    }
    direction.in_flight.push_back((arrives, packet));
    // Metadata for the far node, written in place after the move.
    if let Some((_, packet)) = direction.in_flight.back_mut() {
        arrives_at(packet, direction.to.port, let_through, now);
    }
}

/// Takes what a queue sends next, if it has anything.
#[inline]
pub(crate) fn take(
    node: &mut Node,
    port: u16,
    recorder: &mut Recorder,
    script: Option<&mut Script>,
    pending: &mut Vec<Port>,
    now: Time,
) -> Option<Departure> {
    match node {
        Node::Host(host) => {
            let queue = host.queues[usize::from(port)];
            let mut sink = Sink { recorder, queues: &host.queues, at: Place::Queue(queue), script };
            let packet = host.ports[usize::from(port)].dequeue(now, &mut sink);
            if let (Some(packet), Some(provenance)) = (&packet, recorder.provenance()) {
                provenance.dequeued(queue, packet, now);
            }
            packet.map(Departure::Transmit)
        }
        Node::Router(router) => {
            let mut sink = Sink { recorder, queues: &router.queues, at: Place::Node, script };
            let mut out = SwitchOutcomes { pending, sink: &mut sink };
            router.switch.poll_transmit(Port(port), now, &mut out)
        }
    }
}

/// Whether packets of a direction go through the script.
#[inline]
pub(crate) fn is_scripted(script: &Option<Box<Script>>, direction: &Direction) -> bool {
    script.as_ref().is_some_and(|script| script.acts_at(direction.queue))
}

/// Whether the script has a packet that a direction can send.
#[inline]
pub(crate) fn has_scripted(script: &Option<Box<Script>>, direction: &Direction, node: &Node) -> bool {
    script.as_ref().is_some_and(|script| {
        script.has_next(direction.queue, node.backlog(direction.from.port).packets == 0)
    })
}
