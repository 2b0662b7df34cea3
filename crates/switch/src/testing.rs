//! Sink, packets and test bench for unit tests.

use jettison_core::{DropReason, MarkReason, Time};
use jettison_measure::Outcomes;
use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use jettison_queue::{Limit, QueueDiscipline};
use jettison_wire::{Address, Headers, Instance, Packet, Transport, UdpHeader};

use crate::{Departure, Port, PortOutcomes, Switch, SwitchOutcomes};

/// A recorded drop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dropped {
    pub at: Option<Port>,
    pub id: u32,
    pub instance: Instance,
    pub reason: DropReason,
}

/// Records every drop and offer.
#[derive(Debug, Default)]
pub struct Sink {
    pub drops: Vec<Dropped>,
    pub offered: Vec<(Port, u32)>,
    at: Option<Port>,
}

impl PortOutcomes for Sink {
    fn at(&mut self, port: Option<Port>) -> &mut dyn Outcomes {
        self.at = port;
        self
    }
    fn offered(&mut self, port: Port, packet: &Packet, _: Time) {
        self.offered.push((port, packet.meta.id));
    }
}
impl Outcomes for Sink {
    fn dropped(&mut self, packet: Packet, reason: DropReason, _: Time) {
        self.drops.push(Dropped { at: self.at, id: packet.meta.id, instance: packet.meta.instance, reason });
    }
    fn marked(&mut self, _: &Packet, _: MarkReason, _: Time) {}
}

/// A switch with a sink.
pub struct Bench<S> {
    pub switch: S,
    pub pending: Vec<Port>,
    pub sink: Sink,
}

impl<S: Switch> Bench<S> {
    pub fn new(switch: S) -> Bench<S> {
        Bench { switch, pending: Vec::new(), sink: Sink::default() }
    }
    pub fn arrive(&mut self, from: u16, packet: Packet, now: Time) {
        let mut out = SwitchOutcomes { pending: &mut self.pending, sink: &mut self.sink };
        self.switch.handle_packet(Port(from), packet, now, &mut out);
    }
    pub fn poll(&mut self, to: u16, now: Time) -> Option<Departure> {
        let mut out = SwitchOutcomes { pending: &mut self.pending, sink: &mut self.sink };
        self.switch.poll_transmit(Port(to), now, &mut out)
    }
    pub fn transmit(&mut self, to: u16, now: Time) -> Packet {
        match self.poll(to, now) {
            Some(Departure::Transmit(packet)) => packet,
            other => panic!("expected a packet, got {other:?}"),
        }
    }
    /// Handles every wakeup that is due by `now`.
    pub fn wake(&mut self, now: Time) {
        while let Some(due) = self.switch.next_wakeup().filter(|due| *due <= now) {
            let mut out = SwitchOutcomes { pending: &mut self.pending, sink: &mut self.sink };
            self.switch.handle_wakeup(due, &mut out);
        }
    }
    pub fn reasons(&self) -> Vec<DropReason> {
        self.sink.drops.iter().map(|drop| drop.reason).collect()
    }
}

/// A packet of 1,500 bytes to 10.0.`net`.1.
pub fn packet(id: u32, net: u8) -> Packet {
    let transport = Transport::Udp(UdpHeader { src_port: 1, dst_port: 2, inline: Default::default() });
    let headers = Headers { src: Address::v4(192, 0, 2, 1), dst: Address::v4(10, 0, net, 1), transport };
    let mut packet = Packet::model(headers, 1472);
    packet.meta.id = id;
    packet
}

/// A tail-drop queue with a limit of `packets` packets.
pub fn fifo(packets: u64) -> Box<dyn QueueDiscipline> {
    Box::new(TailDrop::new(TailDropParameters { limit: Limit::packets(packets) }))
}
