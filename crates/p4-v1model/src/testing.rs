//! Test helpers: a scripted machine, and a switch with a sink.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use jettison_core::{DropReason, MarkReason, Seed, Time};
use jettison_measure::Outcomes;
use jettison_queue::bmv2::{Bmv2, Bmv2Parameters};
use jettison_queue::{Limit, QueueDiscipline};
use jettison_switch::{Departure, Port, PortOutcomes, Switch, SwitchOutcomes};
use jettison_wire::{Address, Headers, Packet, Transport, UdpHeader};
use rustc_hash::FxHashMap;

use super::{P4Switch, SwitchPlan};
use jettison_p4_exec::{Block, CloneRequest, Frame, Machine, Parsed, Plane, Standard};
use jettison_p4_front::ir::{FieldListId, FunctionId, ParserId, Pipeline, Program, Types, VarId};

/// Fields preserved by the field lists of [`Toy`].
pub const NOTHING: Option<FieldListId> = None;
pub const FIRST: Option<FieldListId> = Some(FieldListId(0));
pub const FIRST_AND_PORT: Option<FieldListId> = Some(FieldListId(1));

/// A packet's state: one header, two metadata fields.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    pub header: Vec<u8>,
    pub meta: [u64; 2],
    standard: FxHashMap<Standard, u64>,
}

impl State {
    pub fn get(&self, field: Standard) -> u64 {
        self.standard.get(&field).copied().unwrap_or(0)
    }
    pub fn set(&mut self, field: Standard, value: u64) {
        let bits = match field {
            Standard::EgressSpec | Standard::EgressPort | Standard::IngressPort => 9,
            Standard::IngressGlobalTimestamp | Standard::EgressGlobalTimestamp => 48,
            Standard::McastGrp | Standard::EgressRid => 16,
            Standard::Priority => 3,
            _ => 32,
        };
        self.standard.insert(field, value & ((1 << bits) - 1));
    }
    pub fn send_to(&mut self, port: u64) {
        self.set(Standard::EgressSpec, port);
    }
}

/// Behaviour of a block.
pub type Action = Arc<Mutex<dyn FnMut(&mut State, &mut Plane) + Send>>;

/// Point at which a state was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    Parser,
    Egress,
}

/// Scripted machine: extracts a number of bytes as its header, emits them, and runs the test's functions in ingress and
/// egress. Its checksum is the header's second byte, which becomes `0xcc`.
#[derive(Clone)]
pub struct Toy {
    state: State,
    header: usize,
    ingress: Action,
    egress: Action,
    seen: Sender<(At, State)>,
}

impl Machine for Toy {
    type Saved = State;

    fn reset(&mut self) {
        self.state = State::default();
    }

    fn parse(&mut self, frame: Frame<'_>, _: &mut Plane) -> Parsed {
        self.seen.send((At::Parser, self.state.clone())).expect("the receiver exists");
        self.state.header.clear();
        if frame.length() < self.header {
            self.state.set(Standard::ParserError, 1);
            return Parsed { error: 1, consumed: 0 };
        }
        let stored = frame.bytes.len().min(self.header);
        self.state.header.extend_from_slice(&frame.bytes[..stored]);
        self.state.header.resize(self.header, 0);
        Parsed { error: 0, consumed: self.header }
    }

    fn parse_at_egress(&mut self, frame: Frame<'_>, plane: &mut Plane) -> Parsed {
        self.parse(frame, plane)
    }

    fn deparse_at_ingress(&mut self, out: &mut Vec<u8>, plane: &mut Plane) {
        self.deparse(out, plane);
    }

    fn run(&mut self, block: Block, _: Frame<'_>, plane: &mut Plane) {
        match block {
            Block::Ingress => self.ingress.lock().expect("no function panics")(&mut self.state, plane),
            Block::Egress => {
                self.seen.send((At::Egress, self.state.clone())).expect("the receiver exists");
                self.egress.lock().expect("no function panics")(&mut self.state, plane);
            }
            Block::VerifyChecksum => {}
            Block::ComputeChecksum => {
                if let [_, checksum, ..] = &mut self.state.header[..]
                    && *checksum == 0xc0
                {
                    *checksum = 0xcc;
                }
            }
        }
    }

    fn deparse(&mut self, out: &mut Vec<u8>, _: &mut Plane) {
        out.extend_from_slice(&self.state.header);
    }
    fn standard(&self, field: Standard) -> u64 {
        self.state.get(field)
    }
    fn set_standard(&mut self, field: Standard, value: u64) {
        self.state.set(field, value);
    }
    fn save(&self, saved: &mut State) {
        saved.clone_from(&self.state);
    }
    fn load(&mut self, saved: &State) {
        self.state.clone_from(saved);
    }
    fn keep_only(&mut self, list: Option<FieldListId>, from: &State) {
        self.state.meta = [0; 2];
        self.state.standard.clear();
        if list.is_some() {
            self.state.meta[0] = from.meta[0];
        }
        if list == FIRST_AND_PORT {
            self.state.set(Standard::IngressPort, from.get(Standard::IngressPort));
        }
    }
}

/// An empty program.
pub fn empty_program() -> Program {
    Program {
        types: Types::default(),
        variables: Vec::new(),
        functions: Vec::new(),
        parsers: Vec::new(),
        tables: Vec::new(),
        externs: Vec::new(),
        profiles: Vec::new(),
        value_sets: Vec::new(),
        field_lists: Vec::new(),
        numbered_lists: FxHashMap::default(),
        reads_dequeue_rate: false,
        reads_qid: false,
        reads_packet_length: true,
        target: Default::default(),
        control_plane: Default::default(),
        errors: vec!["NoError".into(), "PacketTooShort".into()],
        pipeline: Pipeline {
            headers: VarId(0),
            metadata: VarId(1),
            standard_metadata: VarId(2),
            parser: ParserId(0),
            verify_checksum: FunctionId(0),
            ingress: FunctionId(0),
            egress: FunctionId(0),
            compute_checksum: FunctionId(0),
            deparser: FunctionId(0),
            psa: None,
        },
    }
}

/// A BMv2 discipline with a number of priorities and a limit in packets for each.
pub fn bmv2(priorities: u8, packets: u64) -> Box<dyn QueueDiscipline> {
    Box::new(Bmv2::new(&Bmv2Parameters { priorities, limit: Limit::packets(packets), rate: None }))
}

/// A plan with four ports of one queue of 64 packets each.
pub fn plan(program: Program) -> SwitchPlan {
    let stream = |name: &str| Seed(1).stream(&["switch", name]);
    let ports = ["0", "1", "2", "3"];
    SwitchPlan::new(
        Arc::new(program),
        ports.iter().map(|_| bmv2(1, 64)).collect(),
        stream("ingress"),
        ports.map(stream).into(),
    )
}

/// A switch with its sink.
pub struct World {
    pub switch: P4Switch<Toy>,
    pub drops: Vec<(DropReason, Option<Port>)>,
    at: Option<Port>,
    pending: Vec<Port>,
    seen: Receiver<(At, State)>,
}

/// A [`Toy`] with a header of a given length, and the states that it records.
pub fn toy(
    header: usize,
    ingress: impl FnMut(&mut State, &mut Plane) + Send + 'static,
    egress: impl FnMut(&mut State, &mut Plane) + Send + 'static,
) -> (Toy, Receiver<(At, State)>) {
    let (seen, received) = channel();
    let (ingress, egress) = (Arc::new(Mutex::new(ingress)), Arc::new(Mutex::new(egress)));
    (Toy { state: State::default(), header, ingress, egress, seen }, received)
}

impl World {
    pub fn new(
        ingress: impl FnMut(&mut State, &mut Plane) + Send + 'static,
        egress: impl FnMut(&mut State, &mut Plane) + Send + 'static,
    ) -> World {
        World::of(plan(empty_program()), 14, ingress, egress)
    }

    pub fn of(
        plan: SwitchPlan,
        header: usize,
        ingress: impl FnMut(&mut State, &mut Plane) + Send + 'static,
        egress: impl FnMut(&mut State, &mut Plane) + Send + 'static,
    ) -> World {
        let (machine, seen) = toy(header, ingress, egress);
        let switch = plan.build(machine).expect("the plan's commands are valid");
        World { switch, drops: Vec::new(), at: None, pending: Vec::new(), seen }
    }

    /// Calls the switch with a sink.
    fn with<T>(&mut self, work: impl FnOnce(&mut P4Switch<Toy>, &mut SwitchOutcomes<'_>) -> T) -> T {
        let mut pending = std::mem::take(&mut self.pending);
        let mut sink = Sink { drops: &mut self.drops, at: &mut self.at };
        let mut out = SwitchOutcomes { pending: &mut pending, sink: &mut sink };
        let result = work(&mut self.switch, &mut out);
        self.pending = pending;
        result
    }

    pub fn arrive(&mut self, from: u16, packet: Packet, now: Time) {
        self.with(|switch, out| switch.handle_packet(Port(from), packet, now, out));
    }

    pub fn poll(&mut self, to: u16, now: Time) -> Option<Departure> {
        self.with(|switch, out| switch.poll_transmit(Port(to), now, out))
    }

    pub fn transmit(&mut self, to: u16, now: Time) -> Packet {
        match self.poll(to, now) {
            Some(Departure::Transmit(packet)) => packet,
            other => panic!("expected a packet, got {other:?}; drops {:?}", self.drops),
        }
    }

    /// Frames that leave a port at a given time.
    pub fn sent(&mut self, to: u16, now: Time) -> Vec<Vec<u8>> {
        let mut sent = Vec::new();
        while let Some(departure) = self.poll(to, now) {
            if let Departure::Transmit(packet) = departure {
                sent.push(image(&packet));
            }
        }
        sent
    }

    /// Runs all wakeups due by `now`.
    pub fn wake(&mut self, now: Time) {
        while let Some(due) = self.switch.next_wakeup().filter(|due| *due <= now) {
            self.with(|switch, out| switch.handle_wakeup(due, out));
        }
    }

    /// Initial states of the parser or egress since the last call.
    pub fn seen(&mut self, at: At) -> Vec<State> {
        self.seen.try_iter().filter(|(seen_at, _)| *seen_at == at).map(|(_, state)| state).collect()
    }

    pub fn reasons(&self) -> Vec<DropReason> {
        self.drops.iter().map(|(reason, _)| *reason).collect()
    }
}

struct Sink<'a> {
    drops: &'a mut Vec<(DropReason, Option<Port>)>,
    at: &'a mut Option<Port>,
}

impl PortOutcomes for Sink<'_> {
    fn at(&mut self, port: Option<Port>) -> &mut dyn Outcomes {
        *self.at = port;
        self
    }
    fn offered(&mut self, _: Port, _: &Packet, _: Time) {}
}
impl Outcomes for Sink<'_> {
    fn dropped(&mut self, _: Packet, reason: DropReason, _: Time) {
        self.drops.push((reason, *self.at));
    }
    fn marked(&mut self, _: &Packet, _: MarkReason, _: Time) {}
}

pub fn image(packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.write_image(&mut bytes, usize::MAX);
    bytes
}

/// A non-IP frame: 14 header bytes counting from 1, and a payload.
pub fn frame(payload: &[u8]) -> Packet {
    let mut bytes: Vec<u8> = (1..=14).collect();
    bytes.extend_from_slice(payload);
    Packet::from_frame(bytes)
}

/// A modelled packet: UDP over IPv4 with a payload of a given length.
pub fn udp(payload: usize) -> Packet {
    let transport = Transport::Udp(UdpHeader { src_port: 5, dst_port: 6, inline: Default::default() });
    let headers = Headers { src: Address::v4(192, 0, 2, 1), dst: Address::v4(10, 0, 0, 1), transport };
    let mut packet = Packet::model(headers, payload);
    packet.meta.id = 0x0007_1234;
    packet
}

/// Behaviour that does nothing.
pub fn nothing(_: &mut State, _: &mut Plane) {}

/// Requests a clone.
pub fn clone(plane: &mut Plane, egress: bool, session: u32, keep: Option<FieldListId>) {
    plane.effects.clone = Some(CloneRequest { egress, session, keep });
}
