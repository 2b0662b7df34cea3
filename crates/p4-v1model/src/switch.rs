//! P4 program as the program of a switch's pipeline, and the passes of v1model. Those of PSA are in [`super::psa`].

use std::sync::Arc;

use jettison_core::{DropReason, RandomStream, Time};
use jettison_octopus::DequeueRate;
use jettison_switch::{Actions, Fate, Loopback, Mirror, MirrorTo, Port, QueueReading, Replica};
use jettison_wire::{Instance, Packet};

use super::contexts::Contexts;
use super::frames::{Frames, put_back};
use super::metadata::{self, DROP_PORT, class_of};
use super::mirror::{MirrorSession, MirrorTarget, Mirrors};
use super::psa::PsaPorts;
use jettison_p4_exec::{Block, CloneRequest, Machine, Plane, Standard};
use jettison_p4_front::ir::{Program, TargetModel};

/// P4 program of either architecture on a machine, for the pipeline of `jettison-switch`.
///
/// Between ingress and egress, a context keeps a packet's headers and metadata; its number is the packet's `meta.tag`.
/// In v1model, the packet's body is unchanged until egress has deparsed it.
#[derive(Clone)]
pub struct SimpleSwitch<M: Machine> {
    pub(super) program: Arc<Program>,
    pub(super) machine: M,
    pub(super) plane: Plane,
    pub(super) mirrors: Mirrors,
    pub(super) contexts: Contexts<M::Saved>,
    pub(super) ports: Vec<PortState>,
    pub(super) frames: Frames,
    /// Number of the CPU port for the program; its queue is the last one.
    cpu_port: Option<u16>,
    /// That queue, or [`NO_QUEUE`]: one comparison per packet.
    cpu_queue: u16,
    pub(super) counters: ProgramCounters,
    /// Whether the program gets the behaviour of `simple_switch`.
    pub(super) as_bmv2: bool,
    /// Arrival of the next packet, if before its ingress.
    pub(super) arrival: Option<Time>,
    /// Buffer for deparsed headers.
    pub(super) headers: Vec<u8>,
    /// PSA's ports; `None` for v1model.
    pub(super) psa: Option<PsaPorts>,
}

/// The queue of the CPU port where there is none.
const NO_QUEUE: u16 = u16::MAX;

/// State of a port.
#[derive(Clone)]
pub(super) struct PortState {
    /// Random stream of egress, swapped with that of ingress while egress runs.
    random: Box<RandomStream>,
    /// Number of traffic classes of the port's discipline.
    classes: Option<u16>,
    /// What egress of this program reads beside the usual; `None` for most programs.
    pub(super) reads: Option<Box<Reads>>,
}

/// Fields of the standard metadata that are set only for programs that mention them.
#[derive(Clone)]
pub(super) struct Reads {
    /// Measurement of `jettison_dequeue_rate`.
    rate: Option<DequeueRate>,
    /// `qid`
    qid: bool,
}

impl Reads {
    /// Those of a program.
    pub fn of(program: &Program) -> Option<Box<Reads>> {
        let rate = program.reads_dequeue_rate.then(DequeueRate::paper);
        (rate.is_some() || program.reads_qid).then(|| Box::new(Reads { rate, qid: program.reads_qid }))
    }
}

/// Events of a program that the pipeline does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProgramCounters {
    /// Packets whose parser ended with an error.
    pub parser_errors: u64,
    /// Clones not made because their session is not configured.
    pub unconfigured_clones: u64,
    /// PSA: packets with a class of service that no queue has; they go to class 0.
    pub unsupported_classes: u64,
    /// PSA: packets for a port that does not exist; they are dropped.
    pub invalid_ports: u64,
}

impl<M: Machine> SimpleSwitch<M> {
    /// Creates a switch program that runs on `machine`. `ingress` is the random stream of ingress. `ports` gives, for
    /// each port, the random stream of its egress and its number of traffic classes
    /// ([`jettison_queue::QueueDiscipline::classes`]).
    pub fn new(
        program: Arc<Program>,
        machine: M,
        frames: Frames,
        ingress: RandomStream,
        ports: Vec<(RandomStream, Option<u16>)>,
    ) -> SimpleSwitch<M> {
        let plane = Plane::new(&program, ingress);
        let ports = ports.into_iter().map(|(random, classes)| PortState {
            random: Box::new(random),
            classes,
            reads: Reads::of(&program),
        });
        let ports: Vec<PortState> = ports.collect();
        let psa = PsaPorts::of(&program, ports.len());
        SimpleSwitch {
            as_bmv2: program.target == TargetModel::Bmv2,
            program,
            machine,
            plane,
            mirrors: Mirrors::default(),
            contexts: Contexts::new(),
            ports,
            frames,
            cpu_port: None,
            cpu_queue: NO_QUEUE,
            counters: ProgramCounters::default(),
            arrival: None,
            headers: Vec::new(),
            psa,
        }
    }

    /// Makes the last port the CPU port: the program knows it as `number`.
    pub(crate) fn set_cpu_port(&mut self, number: u16) {
        self.cpu_port = Some(number);
        self.cpu_queue = (self.ports.len() - 1) as u16;
    }

    /// Number of the CPU port for the program.
    pub(crate) fn cpu_port(&self) -> Option<u16> {
        self.cpu_port
    }

    /// The queue of the CPU port.
    pub(crate) fn cpu_queue(&self) -> Option<Port> {
        self.cpu_port.map(|_| Port(self.cpu_queue))
    }

    /// The queue of a port of the program. Without a CPU port they have the same number.
    #[inline]
    pub(crate) fn queue_of(&self, port: Port) -> Port {
        match self.cpu_port {
            Some(number) => queue_with_cpu(port, number, self.ports.len()),
            None => port,
        }
    }

    /// Number of a queue's port for the program.
    #[inline]
    fn port_of(&self, queue: Port) -> Port {
        match self.cpu_port {
            Some(number) if queue.0 == self.cpu_queue => Port(number),
            _ => queue,
        }
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Tables, objects and messages.
    pub fn plane(&self) -> &Plane {
        &self.plane
    }

    /// Tables, objects and messages, mutable.
    pub fn plane_mut(&mut self) -> &mut Plane {
        &mut self.plane
    }

    /// Counters so far.
    pub fn counters(&self) -> ProgramCounters {
        self.counters
    }

    /// Configures or reconfigures a clone session.
    pub fn configure_mirror(&mut self, number: u32, session: MirrorSession) {
        self.mirrors.configure(number, session);
    }

    /// Removes the configuration of a clone session; returns false if there was none.
    pub fn remove_mirror(&mut self, number: u32) -> bool {
        self.mirrors.remove(number)
    }

    /// All clone sessions.
    pub(crate) fn mirrors(&self) -> &Mirrors {
        &self.mirrors
    }

    /// Replaces all clone sessions.
    pub(crate) fn set_mirrors(&mut self, mirrors: Mirrors) {
        self.mirrors = mirrors;
    }

    /// Configuration of a clone session.
    pub fn mirror(&self, number: u32) -> Option<MirrorSession> {
        self.mirrors.session(number)
    }

    /// Number of packets with a context: those that wait in queues or recirculate.
    pub fn packets_inside(&self) -> usize {
        self.contexts.in_use()
    }

    /// Number of the switch's ports. PSA's recirculation port is not among them.
    pub fn port_count(&self) -> usize {
        self.ports.len()
    }

    /// Traffic classes of a queue; `None` if its discipline ignores the class.
    fn classes(&self, port: Port) -> Option<u16> {
        self.ports.get(usize::from(port.0)).and_then(|port| port.classes)
    }

    /// Traffic class of a priority at a port; `None` if the port has no queue for it.
    pub(super) fn class(&self, port: Port, priority: u64) -> Option<u8> {
        class_of(priority, self.classes(port))
    }

    /// Traffic class of a valid priority, or the lowest class.
    pub(super) fn class_or_lowest(&self, port: Port, priority: u64) -> u8 {
        let lowest = || class_of(0, self.classes(port)).unwrap_or(0);
        self.class(port, priority).unwrap_or_else(lowest)
    }

    /// Runs the parser and ingress. `tag` is the context with the frame; `fresh` means that the packet comes from a
    /// link and has no preserved fields.
    fn pass_ingress(&mut self, tag: u32, fresh: bool, packet: &Packet, why: Instance, now: Time) {
        let from = self.port_of(Port(packet.meta.ingress_port));
        let (machine, plane) = (&mut self.machine, &mut self.plane);
        let context = self.contexts.get_mut(tag);
        plane.now = now;
        plane.packet_bytes = context.frame().length() as u64;
        plane.effects.clear();
        machine.reset();
        if fresh {
            machine.set_standard(Standard::IngressPort, u64::from(from.0));
        } else if context.keep.is_some() {
            // Before the parser, which may read preserved fields.
            machine.keep_only(context.keep, &context.saved);
        }
        let arrival = self.arrival.take().filter(|_| fresh);
        // `simple_switch` gives a time only to packets that come from a link.
        let time = (fresh || !self.as_bmv2).then(|| arrival.unwrap_or(now));
        metadata::begin(machine, context.frame().length(), why, time);
        let parsed = machine.parse(context.frame(), plane);
        context.consumed = parsed.consumed;
        self.counters.parser_errors += u64::from(parsed.error != 0);
        machine.run(Block::VerifyChecksum, context.payload(), plane);
        machine.run(Block::Ingress, context.payload(), plane);
        context.cut(plane.effects.truncate);
        context.added = plane.effects.added;
    }

    /// Session of a requested clone, if it is configured.
    pub(super) fn session(&mut self, request: CloneRequest) -> Option<MirrorSession> {
        // `simple_switch` keeps the lower 15 bits.
        let number = if self.as_bmv2 { request.session & MirrorSession::MAX } else { request.session };
        let session = self.mirrors.session(number);
        self.counters.unconfigured_clones += u64::from(session.is_none());
        session
    }

    /// Creates the context of a clone of the packet `tag`: its frame, and its session's settings.
    fn clone_context(&mut self, tag: u32, session: MirrorSession) -> (u32, Mirror) {
        let clone = self.contexts.take();
        let (original, copy) = self.contexts.pair(tag, clone);
        copy.copy_frame(original);
        copy.cut(session.truncate);
        copy.is_clone = true;
        copy.priority = u64::from(session.priority);
        let to = match session.to {
            MirrorTarget::Port(port) => {
                let port = self.queue_of(port);
                MirrorTo::Queue { port, class: self.class_or_lowest(port, u64::from(session.priority)) }
            }
            // The class of each member is set at replication.
            MirrorTarget::Group(group) => MirrorTo::Group { group, class: 0 },
        };
        (clone, Mirror { to, tag: clone })
    }

    /// Clones at ingress: the original packet, parsed again, with only the preserved fields of the metadata. Their
    /// values are those at the end of ingress, in the context `tag`.
    fn clone_at_ingress(
        &mut self,
        request: CloneRequest,
        tag: u32,
        packet: &Packet,
        now: Time,
    ) -> Option<Mirror> {
        let session = self.session(request)?;
        let (clone, mirror) = self.clone_context(tag, session);
        let from = self.port_of(Port(packet.meta.ingress_port));
        let (original, copy) = self.contexts.pair(tag, clone);
        let machine = &mut self.machine;
        machine.reset();
        // The parser may branch on it and must repeat its earlier decision.
        machine.set_standard(Standard::IngressPort, u64::from(from.0));
        metadata::begin(machine, copy.frame().length(), packet.meta.instance, Some(now));
        self.plane.effects.added = 0; // those of the original are in its context
        copy.consumed = machine.parse(copy.frame(), &mut self.plane).consumed;
        copy.added = self.plane.effects.added;
        machine.keep_only(request.keep, &original.saved);
        machine.save(&mut copy.saved);
        Some(mirror)
    }

    /// Clones at egress: the headers as egress left them, before checksums and deparsing.
    fn clone_at_egress(&mut self, request: CloneRequest, tag: u32) -> Option<Mirror> {
        let session = self.session(request)?;
        let (clone, mirror) = self.clone_context(tag, session);
        let (original, copy) = self.contexts.pair(tag, clone);
        copy.added = original.added.saturating_add(self.plane.effects.added);
        self.machine.save(&mut original.saved);
        self.machine.keep_only(request.keep, &original.saved);
        self.machine.save(&mut copy.saved);
        self.machine.load(&original.saved);
        Some(mirror)
    }

    /// Runs egress for a packet from the queue of `port`.
    fn pass_egress(&mut self, tag: u32, packet: &Packet, port: Port, queue: &QueueReading, now: Time) {
        let number = self.port_of(port);
        let (machine, plane) = (&mut self.machine, &mut self.plane);
        let context = self.contexts.get_mut(tag);
        plane.now = now;
        plane.packet_bytes = context.frame().length() as u64;
        plane.effects.clear();
        machine.load(&context.saved);
        let length = context.frame().length().saturating_add_signed(context.added as isize);
        metadata::depart(machine, &packet.meta, length, number, queue, now);
        if let Some(state) = self.ports.get_mut(usize::from(port.0))
            && let Some(reads) = &mut state.reads
        {
            if let Some(rate) = &mut reads.rate {
                machine.set_standard(Standard::DequeueRate, metadata::kbit(rate.rate(now)));
            }
            if reads.qid && state.classes.is_some() {
                machine.set_standard(Standard::QueueId, context.priority);
            }
        }
        if let Some(rid) = context.rid {
            machine.set_standard(Standard::EgressRid, u64::from(rid));
        }
        machine.run(Block::Egress, context.payload(), plane);
        context.cut(plane.effects.truncate);
    }

    /// Computes checksums and deparses: `packet` becomes the departing packet. The context holds the new frame if
    /// `keep` is set. Returns whether the packet has changed.
    fn deparse(&mut self, tag: u32, packet: &mut Packet, port: Port, keep: bool) -> bool {
        // A controller gets the bytes as the program left them.
        let frames = if port.0 == self.cpu_queue { Frames::Raw } else { self.frames };
        let (machine, plane) = (&mut self.machine, &mut self.plane);
        let context = self.contexts.get_mut(tag);
        machine.run(Block::ComputeChecksum, context.payload(), plane);
        self.headers.clear();
        machine.deparse(&mut self.headers, plane);
        put_back(packet, context, &self.headers, frames, keep)
    }

    /// The measurement of a port's dequeue rate, if the program reads it.
    #[inline]
    fn rate(&mut self, port: Port) -> Option<&mut DequeueRate> {
        let reads = self.ports.get_mut(usize::from(port.0)).and_then(|port| port.reads.as_deref_mut());
        reads.and_then(|reads| reads.rate.as_mut())
    }

    /// Swaps the random streams, so that `random` draws from the port's stream at egress and from ingress's otherwise.
    pub(super) fn swap_streams(&mut self, port: Port) {
        if let Some(port) = self.ports.get_mut(usize::from(port.0)) {
            std::mem::swap(&mut self.plane.random, &mut port.random);
        }
    }
}

/// The queue of a port of a switch whose last queue is that of the CPU port `number`.
#[cold]
fn queue_with_cpu(port: Port, number: u16, queues: usize) -> Port {
    match port.0 {
        port if port == number => Port((queues - 1) as u16),
        // The queue of the CPU port has no number of its own; a port without a queue has no route.
        port if usize::from(port) + 1 == queues => Port(u16::MAX),
        _ => port,
    }
}

impl<M: Machine + Send> jettison_switch::Program for SimpleSwitch<M> {
    fn ingress(&mut self, packet: &mut Packet, why: Instance, now: Time, actions: &mut Actions) {
        if self.psa.is_some() {
            return self.psa_ingress(packet, why, now, actions);
        }
        let fresh = packet.meta.tag == 0;
        if fresh {
            let tag = self.contexts.take();
            let context = self.contexts.get_mut(tag);
            context.zeros = packet.write_image_head(&mut context.bytes);
            packet.meta.tag = tag;
        }
        let tag = packet.meta.tag;
        self.pass_ingress(tag, fresh, packet, why, now);

        let effects = &self.plane.effects;
        let request = effects.clone.filter(|request| !request.egress);
        let resubmit = effects.resubmit;
        actions.digest = effects.digest;
        let spec = self.machine.standard(Standard::EgressSpec);
        let group = self.machine.standard(Standard::McastGrp) as u16;
        let priority = self.machine.standard(Standard::Priority);

        let goes_on = resubmit.is_some() || group != 0 || spec != DROP_PORT;
        if goes_on || request.is_some() {
            self.machine.save(&mut self.contexts.get_mut(tag).saved);
        }
        if let Some(request) = request {
            actions.clone = self.clone_at_ingress(request, tag, packet, now);
        }
        let context = self.contexts.get_mut(tag);
        if let Some(keep) = resubmit {
            context.keep = keep;
            context.truncate = None; // the original packet is not truncated
            actions.resubmit = Some(tag);
            return;
        }
        context.priority = priority;
        // A dropped clone has served its purpose, so it is consumed instead.
        let consumed = context.is_clone.then_some(Fate::Consume { queued_at: context.queued_at });
        let port = self.queue_of(Port(spec as u16));
        let class = match group {
            0 => self.class(port, priority),
            // In `simple_switch` all ports have the same number of queues, so a priority is valid at all of them or at
            // none.
            _ => self.ports.iter().all(|port| class_of(priority, port.classes).is_some()).then_some(0),
        };
        let drop = match class {
            _ if !goes_on => Some(DropReason::MarkedToDrop),
            None => Some(DropReason::NoQueue),
            Some(_) => None,
        };
        if let Some(reason) = drop {
            // If the program had already chosen a port, the drop counts at that port's queue, as with a native
            // discipline.
            let intended_port = self
                .machine
                .standard(Standard::IntendedPort)
                .checked_sub(1)
                .map(|port| self.queue_of(Port(port as u16)));
            actions.drop(reason, intended_port.filter(|port| usize::from(port.0) < self.ports.len()));
            actions.fate = consumed.filter(|_| !goes_on).unwrap_or(actions.fate);
            return self.contexts.release(tag);
        }
        actions.send(port, class.unwrap_or(0));
        actions.multicast = (group != 0).then_some(group);
    }

    fn egress(
        &mut self,
        packet: &mut Packet,
        port: Port,
        queue: &QueueReading,
        now: Time,
        actions: &mut Actions,
    ) {
        let tag = packet.meta.tag;
        if self.psa.is_some() {
            return self.psa_egress(packet, port, now, actions);
        }
        self.swap_streams(port);
        self.pass_egress(tag, packet, port, queue, now);

        let effects = &self.plane.effects;
        let request = effects.clone.filter(|request| request.egress);
        let recirculate = effects.recirculate;
        actions.digest = effects.digest;
        if let Some(request) = request {
            actions.clone = self.clone_at_egress(request, tag);
        }
        if self.machine.standard(Standard::EgressSpec) == DROP_PORT {
            actions.drop(DropReason::MarkedToDrop, Some(port));
            if self.contexts.get_mut(tag).is_clone {
                actions.fate = Fate::Consume { queued_at: Some(port) };
            }
            self.contexts.release(tag);
        } else {
            if recirculate.is_some() && self.as_bmv2 {
                // What recirculates in `simple_switch` is a new packet, without the truncation.
                self.contexts.get_mut(tag).truncate = None;
            }
            let changed = self.deparse(tag, packet, port, recirculate.is_some());
            if let (true, Some(clone)) = (changed, &actions.clone) {
                // The pipeline clones the packet as it is now.
                self.contexts.get_mut(clone.tag).rewritten = true;
            }
            if let Some(keep) = recirculate {
                let context = self.contexts.get_mut(tag);
                (context.keep, context.truncate, context.rid) = (keep, None, None);
                context.queued_at = Some(port);
                if keep.is_some() {
                    self.machine.save(&mut context.saved);
                }
                actions.recirculate = Some(Loopback { tag, delay: None });
            } else {
                self.contexts.release(tag);
                packet.meta.tag = 0;
                if let Some(rate) = self.rate(port) {
                    rate.departed(packet.meta.length, now);
                }
            }
        }
        self.swap_streams(port);
    }

    fn queued(&mut self, port: Port, now: Time) {
        if let Some(rate) = self.rate(port) {
            rate.arrived(now);
        }
    }

    fn found_empty(&mut self, port: Port, now: Time) {
        if let Some(rate) = self.rate(port) {
            rate.found_empty(now);
        }
    }

    fn wants_idle_polls(&self, _: Port) -> bool {
        self.program.reads_dequeue_rate
    }

    fn writes_at_egress(&self) -> bool {
        self.psa.is_none()
    }

    fn keeps_original(&self) -> bool {
        self.psa.is_some()
    }

    fn arrived(&mut self, at: Time) {
        self.arrival = Some(at);
    }

    fn replicated(&mut self, replica: &mut Packet, member: Replica, last: bool) {
        let tag = replica.meta.tag;
        let own = if last { tag } else { self.contexts.take() };
        if own != tag {
            let (original, copy) = self.contexts.pair(tag, own);
            copy.copy(original);
            replica.meta.tag = own;
        }
        let context = self.contexts.get_mut(own);
        if self.as_bmv2 && !context.is_clone {
            // A replica in `simple_switch` is a new packet, without the truncation.
            context.truncate = None;
        }
        context.rid = Some(member.number);
        let priority = context.priority;
        replica.meta.class = self.class_or_lowest(member.port, priority);
    }

    fn discarded(&mut self, packet: &Packet, _queue: Option<Port>) {
        self.contexts.release(packet.meta.tag);
    }
}
