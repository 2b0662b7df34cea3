//! The switch behind a [`Node`](crate::node::Node): alone with ports of its own, or part of a network that runs elsewhere.

use std::collections::VecDeque;

use jettison_core::Time;
use jettison_p4_exec::compiled::Compiled;
use jettison_p4_front::ir::Program;
use jettison_p4_v1model::P4Switch;
use jettison_p4_v1model::stf::{Sent, Testbed};
use jettison_switch::{Port, Switch};
use jettison_wire::{Packet, PacketMeta};

use crate::attached::p4_switch;
use crate::fault::{Code, Fault, invalid};

/// Maximum number of departures after one packet; beyond it there is an endless loop.
pub(crate) const MAX_DEPARTURES: u32 = 1 << 16;

/// The switch of a node. Times are the switch's own.
pub trait Device {
    /// The switch; `None` while it is not there.
    fn switch(&self) -> Option<&P4Switch<Compiled>>;

    /// The same, mutable.
    fn switch_mut(&mut self) -> Option<&mut P4Switch<Compiled>>;

    /// Checks that the switch can run a program.
    ///
    /// # Errors
    /// If it is for another architecture.
    fn check(&self, _program: &Program) -> Result<(), Fault> {
        Ok(())
    }

    /// Begins the program of another switch, with the state of its control plane. The program was [checked](Device::check).
    /// Returns the node's time at the switch's zero.
    fn begin(&mut self, next: Testbed<Compiled>, now: Time) -> Time;

    /// A frame enters the pipeline at the CPU port. `origin` are the metadata of a packet-in that returns.
    ///
    /// # Errors
    /// If there is no CPU port, or the program never finishes with the packet.
    fn packet_out(&mut self, frame: Vec<u8>, origin: Option<PacketMeta>) -> Result<(), Fault>;

    /// Lets the switch's time pass.
    ///
    /// # Errors
    /// If the program never finishes with a packet.
    fn advance(&mut self, to: Time) -> Result<(), Fault>;

    /// Takes the frames that left at the CPU port.
    fn take_to_cpu(&mut self) -> Vec<(Vec<u8>, PacketMeta)>;
}

/// A switch with ports 0 to 510 that no link joins.
pub struct Standalone {
    testbed: Option<Testbed<Compiled>>,
    cpu_port: u16,
    departed: Vec<Sent>,
}

impl Standalone {
    /// A switch without a program.
    pub fn new(cpu_port: u16) -> Standalone {
        Standalone { testbed: None, cpu_port, departed: Vec::new() }
    }

    /// Frames that left at other ports than the CPU port since the last call.
    pub fn take_departed(&mut self) -> Vec<Sent> {
        self.sort();
        std::mem::take(&mut self.departed)
    }

    /// A frame arrives at a port.
    ///
    /// # Errors
    /// If there is no program, or it never finishes with the frame.
    pub fn receive(&mut self, port: u16, frame: &[u8]) -> Result<(), Fault> {
        let done = self.testbed.as_mut().ok_or_else(no_program)?.receive(port, frame);
        done.map_err(|error| Fault::new(Code::Internal, error.to_string()))
    }

    /// Takes the frames of other ports out of the testbed; returns those of the CPU port.
    fn sort(&mut self) -> Vec<Vec<u8>> {
        let Some(testbed) = &mut self.testbed else { return Vec::new() };
        let mut to_cpu = Vec::new();
        for sent in testbed.take_sent() {
            match sent.port == self.cpu_port {
                true => to_cpu.push(sent.bytes),
                false => self.departed.push(sent),
            }
        }
        to_cpu
    }
}

impl Device for Standalone {
    fn switch(&self) -> Option<&P4Switch<Compiled>> {
        self.testbed.as_ref().map(Testbed::switch)
    }

    fn switch_mut(&mut self) -> Option<&mut P4Switch<Compiled>> {
        self.testbed.as_mut().map(Testbed::switch_mut)
    }

    fn begin(&mut self, mut next: Testbed<Compiled>, now: Time) -> Time {
        next.switch_mut().set_controller_port(Some(Port(self.cpu_port)));
        self.testbed = Some(next);
        now
    }

    fn packet_out(&mut self, frame: Vec<u8>, _: Option<PacketMeta>) -> Result<(), Fault> {
        self.receive(self.cpu_port, &frame)
    }

    fn advance(&mut self, to: Time) -> Result<(), Fault> {
        let Some(testbed) = &mut self.testbed else { return Ok(()) };
        testbed.run_until(to).map_err(|error| Fault::new(Code::Internal, error.to_string()))
    }

    fn take_to_cpu(&mut self) -> Vec<(Vec<u8>, PacketMeta)> {
        self.sort().into_iter().map(|frame| (frame, PacketMeta::default())).collect()
    }
}

/// A switch that is given back, and the packets that enter it now with their ports.
pub type GivenBack = (Box<dyn Switch>, Vec<(Port, Packet)>);

/// A switch of a network that runs elsewhere. It is lent for the time of a call.
#[derive(Default)]
pub struct Lent {
    switch: Option<Box<dyn Switch>>,
    /// Packets of the controller that have not entered the switch yet.
    entering: Vec<(Port, Packet)>,
}

impl Lent {
    /// Takes the switch, for a call.
    pub fn lend(&mut self, switch: Box<dyn Switch>) {
        self.switch = Some(switch);
    }

    /// Gives the switch back, with the packets that enter it now.
    pub fn give_back(&mut self) -> Option<GivenBack> {
        Some((self.switch.take()?, std::mem::take(&mut self.entering)))
    }
}

impl Device for Lent {
    fn switch(&self) -> Option<&P4Switch<Compiled>> {
        self.switch.as_ref()?.as_any()?.downcast_ref()
    }

    fn switch_mut(&mut self) -> Option<&mut P4Switch<Compiled>> {
        p4_switch(self.switch.as_mut()?.as_mut())
    }

    fn check(&self, program: &Program) -> Result<(), Fault> {
        let switch = self.switch().ok_or_else(no_program)?;
        let name = |program: &Program| if program.pipeline.psa.is_some() { "PSA" } else { "v1model" };
        match (name(program), name(switch.program())) {
            (given, own) if given == own => Ok(()),
            (given, own) => {
                Err(invalid(format!("the program is for {given}, and the switch was built for {own}")))
            }
        }
    }

    fn begin(&mut self, next: Testbed<Compiled>, _: Time) -> Time {
        if let Some(switch) = self.switch_mut() {
            let adopted = switch.adopt(next.switch());
            debug_assert!(adopted.is_ok(), "the program was checked");
        }
        Time::ZERO
    }

    fn packet_out(&mut self, frame: Vec<u8>, origin: Option<PacketMeta>) -> Result<(), Fault> {
        let entry = self.switch().and_then(P4Switch::cpu_entry).ok_or_else(no_cpu_port)?;
        self.entering.push((entry, returned(frame, origin)));
        Ok(())
    }

    fn advance(&mut self, _: Time) -> Result<(), Fault> {
        Ok(())
    }

    fn take_to_cpu(&mut self) -> Vec<(Vec<u8>, PacketMeta)> {
        let Some(switch) = self.switch_mut() else { return Vec::new() };
        switch.take_to_cpu().iter().map(|(_, packet)| (image(packet), packet.meta)).collect()
    }
}

fn no_program() -> Fault {
    Fault::new(Code::FailedPrecondition, "no forwarding pipeline is set")
}

pub(crate) fn no_cpu_port() -> Fault {
    Fault::new(Code::FailedPrecondition, "the switch has no CPU port; set `cpu_port` of its node")
}

/// All bytes of a packet.
pub(crate) fn image(packet: &Packet) -> Vec<u8> {
    let mut frame = Vec::with_capacity(packet.image_length());
    packet.write_image(&mut frame, usize::MAX);
    frame
}

/// The packet of a frame; one that returns keeps its flow, its number and the time at which it was sent.
pub(crate) fn returned(frame: Vec<u8>, origin: Option<PacketMeta>) -> Packet {
    let mut packet = Packet::from_frame(frame);
    if let Some(origin) = origin {
        (packet.meta.flow, packet.meta.id, packet.meta.sent_at) = (origin.flow, origin.id, origin.sent_at);
    }
    packet
}

/// Packet-ins whose origin is remembered, for packet-outs that return them.
const REMEMBERED: usize = 4096;

/// Origins of packet-ins, by the bytes of the packet. The results would not know a packet again that a controller sends on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Returns {
    known: VecDeque<(Vec<u8>, PacketMeta)>,
}

impl Returns {
    pub fn remember(&mut self, payload: &[u8], meta: PacketMeta) {
        if self.known.len() == REMEMBERED {
            self.known.pop_front();
        }
        self.known.push_back((payload.to_vec(), meta));
    }

    /// The origin of the oldest packet-in with these bytes.
    pub fn take(&mut self, payload: &[u8]) -> Option<PacketMeta> {
        let at = self.known.iter().position(|(known, _)| known == payload)?;
        self.known.remove(at).map(|(_, meta)| meta)
    }
}
