//! Hosts: sockets, programs, and ports.

mod ethernet;
mod stack;
mod view;

use jettison_core::{DropReason, RandomStream, Rate, Time};
use jettison_measure::{Kind, ObjectId, Place, Recorder, metrics};
use jettison_queue::QueueDiscipline;
use jettison_sockets::{Application, Question, SocketEvent};
use jettison_switch::Port;
use jettison_tcp::congestion::Seen;
use jettison_wire::{Address, FlowId, Packet};
use rustc_hash::FxHashMap;

use crate::agenda::Agenda;
pub use ethernet::Ethernet;
use ethernet::{Interface, Received};
pub(crate) use stack::Stack;
use view::{Devices, HostView};

/// A host.
#[derive(Clone)]
pub(crate) struct Host {
    pub(crate) name: String,
    /// The queue of each port.
    pub(crate) ports: Vec<Box<dyn QueueDiscipline>>,
    /// The recorder's queue of each port.
    pub(crate) queues: Vec<u32>,
    /// The outgoing direction of each port.
    pub(crate) directions: Vec<usize>,
    /// Port by destination address; unused with a single port.
    routes: FxHashMap<Address, u16>,
    pub(crate) stack: Stack,
    programs: Vec<Program>,
    // Slots: programs, then sockets.
    agenda: Agenda,
    /// Whether the queue of any port has timers.
    pub(crate) queues_keep_time: bool,
    /// Whether the host is outside the world.
    pub(crate) outside: bool,
    /// The interface of a host that sends and receives frames.
    ethernet: Option<Box<Interface>>,
    /// The wakeup planned in the agenda of the world; never later than that of the host's own agenda.
    pub(crate) armed: Time,
}

/// A program at a host.
#[derive(Clone)]
struct Program {
    application: Box<dyn Application>,
    flow: FlowId,
    start: Time,
    stop: Time,
    phase: Phase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Waiting,
    Running,
    Stopped,
}

impl Host {
    pub(crate) fn new(name: String, address: Address) -> Host {
        Host {
            name,
            ports: Vec::new(),
            queues: Vec::new(),
            directions: Vec::new(),
            routes: FxHashMap::default(),
            stack: Stack::new(address),
            programs: Vec::new(),
            agenda: Agenda::new(4),
            queues_keep_time: false,
            outside: false,
            ethernet: None,
            armed: Time::MAX,
        }
    }

    /// Gives the host an Ethernet interface.
    pub(crate) fn set_ethernet(&mut self, settings: Ethernet) {
        let interface = Interface::new(settings, self.stack.address);
        self.stack.mac = Some(interface.mac());
        self.ethernet = Some(Box::new(interface));
    }

    /// Sets the port by destination address.
    pub(crate) fn set_routes(&mut self, routes: Vec<(Address, Port)>) {
        self.routes = routes.into_iter().map(|(address, port)| (address, port.0)).collect();
    }

    /// The outgoing port of a packet.
    #[inline]
    pub(crate) fn port_towards(&self, packet: &Packet) -> Option<usize> {
        if self.ports.len() == 1 {
            return Some(0);
        }
        self.routes.get(&packet.destination()?).map(|port| usize::from(*port))
    }

    /// Adds a program, before the world runs: sockets take the slots after the programs.
    pub(crate) fn add_program(
        &mut self,
        application: Box<dyn Application>,
        flow: FlowId,
        start: Time,
        stop: Time,
        numbers: RandomStream,
    ) {
        let slot = self.programs.len();
        self.programs.push(Program { application, flow, start, stop, phase: Phase::Waiting });
        self.stack.add_owner(flow, numbers);
        self.agenda.grow(slot + 1);
        self.agenda.set(slot, start);
    }

    /// The next wakeup of programs and sockets.
    #[inline]
    pub(crate) fn next_wakeup(&self) -> Time {
        let next = self.agenda.next().0;
        match &self.ethernet {
            None => next,
            Some(interface) => next.min(interface.next_wakeup()),
        }
    }

    /// Whether the host has an Ethernet interface.
    #[inline]
    pub(crate) fn has_ethernet(&self) -> bool {
        self.ethernet.is_some()
    }

    /// Puts the packets of the outbox into frames, and asks for hardware addresses again where that is due.
    #[cold]
    pub(crate) fn put_into_frames(&mut self, now: Time, recorder: &mut Recorder) {
        let Some(interface) = &mut self.ethernet else { return };
        let mut unreachable = Vec::new();
        interface.send(&mut self.stack.outbox, &mut unreachable, now);
        self.stack.number_frames(0, now);
        for packet in unreachable {
            recorder.packet_dropped(Place::Node, &packet, DropReason::NoRoute, now);
        }
    }

    /// Handles the arrival of a frame.
    #[cold]
    fn receive_frame(&mut self, packet: &Packet, now: Time, recorder: &mut Recorder) {
        let Some(interface) = &mut self.ethernet else { return };
        if let Some(owner) = self.stack.captures(packet.meta.flow) {
            let length = u32::try_from(packet.image_length()).unwrap_or(u32::MAX);
            let event = SocketEvent::Frame { sent_at: packet.meta.sent_at, length };
            return self.deliver(owner, event, now, recorder);
        }
        let before = self.stack.outbox.len();
        let reason = match interface.receive(packet, &mut self.stack.outbox) {
            Received::Packet(packet) => {
                if let Some((owner, event)) = self.stack.receive(&packet, now, recorder) {
                    self.deliver(owner, event, now, recorder);
                }
                return;
            }
            Received::Arp => return self.stack.number_frames(before, now),
            Received::Other => DropReason::NoSocket,
            Received::NotOurs => DropReason::OtherHost,
            Received::Malformed => DropReason::Malformed,
        };
        recorder.packet_dropped(Place::Node, packet, reason, now);
    }

    /// The next wakeup of programs, sockets and the queues of ports.
    pub(crate) fn next_instant(&self) -> Time {
        if !self.queues_keep_time {
            return self.next_wakeup();
        }
        let queues = self.ports.iter().filter_map(|queue| queue.next_wakeup()).min();
        self.next_wakeup().min(queues.unwrap_or(Time::MAX))
    }

    /// The next wakeup of a port's queue, if earlier than the planned one.
    #[inline]
    pub(crate) fn plan_queue(&mut self, port: u16) -> Option<Time> {
        if !self.queues_keep_time {
            return None;
        }
        let next = self.ports[usize::from(port)].next_wakeup().filter(|next| *next < self.armed)?;
        self.armed = next;
        Some(next)
    }

    /// Handles an arrival. Packets sent in response are in `stack.outbox` afterwards.
    #[inline]
    pub(crate) fn receive(&mut self, packet: &Packet, now: Time, recorder: &mut Recorder) {
        if self.ethernet.is_some() {
            self.receive_frame(packet, now, recorder);
        } else if let Some((owner, event)) = self.stack.receive(packet, now, recorder) {
            self.deliver(owner, event, now, recorder);
        }
        self.settle(now, recorder);
    }

    /// Sets window and rate of a flow's steered connections. Returns what they saw, if there are any, and whether any had other
    /// values before: packets sent in response are then in `stack.outbox`.
    pub(crate) fn steer_connections(
        &mut self,
        flow: FlowId,
        window: u64,
        rate: Option<Rate>,
        now: Time,
        recorder: &mut Recorder,
    ) -> (Option<Seen>, bool) {
        let (seen, changed) = self.stack.steer_connections(flow, window, rate);
        if changed {
            self.settle(now, recorder);
        }
        (seen, changed)
    }

    /// Calls all programs and sockets that are due.
    pub(crate) fn wake(&mut self, now: Time, recorder: &mut Recorder) {
        loop {
            let (time, slot) = self.agenda.next();
            if time > now {
                break;
            }
            if slot < self.programs.len() {
                self.wake_program(slot, now, recorder);
            } else {
                self.stack.wake_socket(slot - self.programs.len(), now);
            }
            self.settle(now, recorder);
            if self.is_suspended() {
                break;
            }
        }
    }

    /// Whether a program waits for a decision from outside. What the host was doing is then in the middle.
    #[inline]
    pub(crate) fn is_suspended(&self) -> bool {
        self.stack.suspended_by.is_some()
    }

    /// Continues with the decision that a program waits for.
    pub(crate) fn decide(&mut self, answer: usize, now: Time, recorder: &mut Recorder) {
        let Some(owner) = self.stack.suspended_by.take() else { return };
        let Host { programs, stack, ports, routes, .. } = self;
        let program = &mut programs[owner as usize];
        let devices = Devices { ports, routes };
        let mut view = HostView { stack, recorder, devices, owner, flow: program.flow, now };
        program.application.decide(answer, now, &mut view);
        self.plan_program(owner as usize);
        self.settle(now, recorder);
    }

    /// Leaves the decisions of a flow's programs to someone outside; returns whether any has one.
    pub(crate) fn steer(&mut self, flow: FlowId) -> bool {
        let mut own = self.programs.iter_mut().filter(|program| program.flow == flow);
        own.any(|program| program.application.steer())
    }

    /// Fills in what a steered program of a flow knows; false if there is none that runs.
    pub(crate) fn question(&self, flow: FlowId, out: &mut Question) -> bool {
        let mut own = self.programs.iter().filter(|program| program.flow == flow);
        own.any(|program| program.application.question(out))
    }

    fn wake_program(&mut self, at: usize, now: Time, recorder: &mut Recorder) {
        let Host { programs, stack, ports, routes, .. } = self;
        let program = &mut programs[at];
        let devices = Devices { ports, routes };
        let mut view = HostView { stack, recorder, devices, owner: at as u32, flow: program.flow, now };
        if program.phase == Phase::Waiting {
            program.phase = Phase::Running;
            program.application.start(now, &mut view);
        } else if program.phase == Phase::Running && program.stop <= now {
            program.phase = Phase::Stopped;
            program.application.stop(now, &mut view);
        } else {
            program.application.handle_wakeup(now, &mut view);
        }
        self.plan_program(at);
    }

    /// Plans the next wakeup of a program.
    #[inline]
    fn plan_program(&mut self, at: usize) {
        let program = &self.programs[at];
        let own = program.application.next_wakeup().unwrap_or(Time::MAX);
        let next = match program.phase {
            Phase::Waiting => program.start,
            Phase::Running => own.min(program.stop),
            Phase::Stopped => own,
        };
        self.agenda.set(at, next);
    }

    /// Delivers socket events to programs and lets sockets send, until both queues are empty.
    #[inline]
    fn settle(&mut self, now: Time, recorder: &mut Recorder) {
        loop {
            if self.is_suspended() {
                return;
            }
            if let Some((owner, event)) = self.stack.events.pop_front() {
                self.deliver(owner, event, now, recorder);
                continue;
            }
            let Some(socket) = self.stack.dirty.pop() else { return };
            let next = self.stack.flush(socket, now, recorder);
            let slot = self.programs.len() + socket as usize;
            self.agenda.grow(slot + 1);
            self.agenda.set(slot, next);
        }
    }

    /// Delivers an event to a program.
    #[inline]
    fn deliver(&mut self, owner: u32, event: SocketEvent, now: Time, recorder: &mut Recorder) {
        let Host { programs, stack, ports, routes, .. } = self;
        let program = &mut programs[owner as usize];
        let devices = Devices { ports, routes };
        let mut view = HostView { stack, recorder, devices, owner, flow: program.flow, now };
        program.application.handle_event(event, now, &mut view);
        self.plan_program(owner as usize);
    }

    /// Samples the series of observed connections.
    pub(crate) fn sample(&self, now: Time, recorder: &mut Recorder) {
        for (flow, connection) in self.stack.observed() {
            let statistics = connection.sample();
            let object = ObjectId { kind: Kind::Flow, index: flow.0 };
            recorder.point(object, metrics::CWND, now, statistics.congestion_window as f64);
            // Before the first congestion event, ssthresh is practically infinite.
            if statistics.ssthresh < 1 << 40 {
                recorder.point(object, metrics::SSTHRESH, now, statistics.ssthresh as f64);
            }
            if !statistics.smoothed_rtt.is_zero() {
                let srtt = statistics.smoothed_rtt.as_nanos() as f64 / 1e6;
                recorder.point(object, metrics::SRTT, now, srtt);
            }
            recorder.point(object, metrics::IN_FLIGHT, now, statistics.in_flight as f64);
            if let Some(rate) = statistics.pacing_rate {
                recorder.point(object, metrics::PACING_RATE, now, rate.as_mbit_f64());
            }
        }
    }

    /// Samples the gauges of running programs and of observed connections.
    pub(crate) fn sample_gauges(&self, now: Time, recorder: &mut Recorder) {
        let of = |flow: FlowId| ObjectId { kind: Kind::Flow, index: flow.0 };
        for (flow, connection) in self.stack.observed() {
            connection.gauges(now, &mut recorder.gauges(of(flow), now));
        }
        for program in self.programs.iter().filter(|program| program.phase != Phase::Waiting) {
            program.application.gauges(now, &mut recorder.gauges(of(program.flow), now));
        }
    }

    /// Ends the run: programs and connections add to the summary.
    pub(crate) fn finish(&mut self, now: Time, recorder: &mut Recorder) {
        for program in &mut self.programs {
            if let Some(meter) = recorder.flow(program.flow) {
                program.application.finish(now, meter);
            }
        }
        self.stack.summarise(recorder);
    }
}
