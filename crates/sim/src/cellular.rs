//! Directions with a cellular user plane: packets on the air, and when the plane is served.

use std::collections::VecDeque;

use jettison_core::{DropReason, Time};
use jettison_link::cellular::{Backlogged, Fate, Passage, Sdu, UserPlane, Wait};
use jettison_measure::{Component, Place};
use jettison_switch::Departure;
use jettison_wire::Packet;

use crate::direction::{Direction, End};
use crate::script::take_scripted;
use crate::transmit::{depart, has_scripted, take};
use crate::world::World;

/// A user plane, and the packets that it carries.
#[derive(Clone)]
pub(crate) struct Cellular {
    pub(crate) plane: Box<UserPlane>,
    /// Packets from key `first` on; `None` once the way of one has ended.
    packets: VecDeque<Option<Packet>>,
    first: u32,
    /// The plane's results, and a packet's waits; kept for their capacity.
    passages: Vec<Passage>,
    waits: Vec<(Wait, Time)>,
}

impl Cellular {
    pub(crate) fn new(plane: Box<UserPlane>) -> Cellular {
        Cellular { plane, packets: VecDeque::new(), first: 0, passages: Vec::new(), waits: Vec::new() }
    }

    /// Submits a packet of which the slot carries a part at least.
    fn submit(&mut self, packet: Packet, overhead: u32, now: Time) {
        let key = self.first.wrapping_add(self.packets.len() as u32);
        let bytes = u32::from(packet.meta.length) + overhead;
        let number = (packet.meta.tag > 0).then_some(packet.meta.tag);
        self.packets.push_back(Some(packet));
        self.plane.submit(Sdu { key, bytes, number }, now);
    }

    /// The packet of a key, which leaves.
    fn take(&mut self, key: u32) -> Option<Packet> {
        let packet = self.packets.get_mut(key.wrapping_sub(self.first) as usize)?.take();
        while self.packets.pop_front_if(|packet| packet.is_none()).is_some() {
            self.first = self.first.wrapping_add(1);
        }
        packet
    }
}

/// What a unit waited for, in accounts.
fn component(wait: Wait) -> Component {
    match wait {
        Wait::Queue => Component::Queue,
        Wait::Grant => Component::Grant,
        Wait::Sleep => Component::Sleep,
        Wait::Transmission => Component::Serialisation,
        Wait::Retransmission => Component::LinkRetransmission,
        Wait::Harq => Component::Harq,
        Wait::Reordering => Component::Reordering,
    }
}

impl World {
    /// Lets a user plane do what is due, fills the slot that begins now, and plans the next event.
    pub(crate) fn serve_cellular(&mut self, at: usize, now: Time) {
        let Some(mut cellular) = self.directions[at].cellular.take() else { return };
        cellular.plane.advance(now, self.waiting(at));
        self.end_passages(at, &mut cellular, now);
        while cellular.plane.takes() {
            match self.take_next(at, now) {
                None => break,
                Some(None) => {}
                Some(Some(packet)) => {
                    let direction = &mut self.directions[at];
                    direction.idle_poll_pending = direction.wants_idle_polls;
                    let wire_bytes = u32::from(packet.meta.length) + direction.overhead;
                    let sojourn = now.since(packet.meta.enqueued_at);
                    self.recorder.queue(direction.queue).departed(sojourn, wire_bytes);
                    if direction.tapped
                        && let Some(tap) = &mut self.tap
                    {
                        tap.transmitted(&direction.name, &packet, now);
                    }
                    cellular.submit(packet, direction.overhead, now);
                }
            }
        }
        cellular.plane.close(now, self.waiting(at));
        let direction = &self.directions[at];
        let End { node, port } = direction.from;
        let has_backlog =
            self.nodes[node].has_departure(port) || has_scripted(&self.script, direction, &self.nodes[node]);
        // The link could carry another packet from the next slot on.
        let is_polled = direction.idle_poll_pending && !has_backlog;
        let mut next = cellular.plane.next_wakeup(has_backlog);
        if is_polled {
            match now < cellular.plane.next_slot() {
                true => next = next.min(cellular.plane.next_slot()),
                false => {
                    self.take_next(at, now);
                }
            }
        }
        self.directions[at].cellular = Some(cellular);
        self.agenda.set(self.slots.transmitters + at, next);
        if let crate::world::Node::Host(host) = &mut self.nodes[node]
            && let Some(time) = host.plan_queue(port)
        {
            self.agenda.set(self.slots.nodes + node, time);
        }
    }

    /// What waits before a direction.
    fn waiting(&self, at: usize) -> Backlogged {
        let direction = &self.directions[at];
        let backlog = self.backlog_before(direction);
        let End { node, port } = direction.from;
        let ready =
            self.nodes[node].has_departure(port) || has_scripted(&self.script, direction, &self.nodes[node]);
        match ready {
            true => Backlogged { packets: backlog.packets.max(1), bytes: backlog.bytes },
            false => Backlogged::default(),
        }
    }

    /// Takes the next packet from the queue: `None` if it has none, `Some(None)` if it was no packet for the link.
    fn take_next(&mut self, at: usize, now: Time) -> Option<Option<Packet>> {
        let World { directions, nodes, recorder, script, pending, .. } = self;
        let direction = &mut directions[at];
        let End { node, port } = direction.from;
        let node = &mut nodes[node];
        let departure = match script.as_deref_mut() {
            Some(script) if script.acts_at(direction.queue) => {
                take_scripted(script, direction.queue, (&mut *node, port), recorder, pending, now)
            }
            script => take(node, port, recorder, script, pending, now),
        };
        if recorder.ends_call() {
            recorder.complete(&mut |queue, out| node.queue_state(queue, now, out));
        }
        match departure {
            Some(Departure::Transmit(packet)) => Some(Some(packet)),
            // A recirculated clone takes nothing of the air.
            Some(Departure::Service(_)) => Some(None),
            None => {
                direction.idle_poll_pending = false;
                None
            }
        }
    }

    /// Carries on with packets whose way over the air has ended.
    fn end_passages(&mut self, at: usize, cellular: &mut Cellular, now: Time) {
        let mut passages = std::mem::take(&mut cellular.passages);
        passages.extend(cellular.plane.passages());
        for passage in passages.drain(..) {
            let Some(packet) = cellular.take(passage.key) else { continue };
            let direction = &mut self.directions[at];
            if let Some(provenance) = self.recorder.provenance() {
                let (enqueued, started) = (packet.meta.enqueued_at, passage.started);
                provenance.left(direction.queue, &packet, enqueued, started, now);
                cellular.waits.clear();
                cellular.plane.queue_waits(enqueued, started, &mut cellular.waits);
                let parts = cellular.waits.iter().chain(&passage.waits);
                let parts = parts.map(|(wait, until)| (component(*wait), *until));
                provenance.waited(direction.queue, &packet, parts);
            }
            let reason = match passage.fate {
                Fate::Delivered => {
                    self.depart_delivered(at, packet, now);
                    continue;
                }
                Fate::LostOnAir => DropReason::AirLoss,
                Fate::GivenUp => DropReason::RlcGivenUp,
                Fate::TooLate => DropReason::PdcpLate,
            };
            self.recorder.packet_dropped(Place::Beside(direction.queue), &packet, reason, now);
        }
        cellular.passages = passages;
    }

    fn depart_delivered(&mut self, at: usize, packet: Packet, now: Time) {
        let World { directions, recorder, script, agenda, slots, .. } = self;
        let direction: &mut Direction = &mut directions[at];
        depart(direction, at, packet, None, now, now, recorder, script, agenda, *slots);
    }
}
