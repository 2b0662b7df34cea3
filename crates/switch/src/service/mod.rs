//! Service model: a switch whose passes take CPU time.
//!
//! The stages are those of BMv2's `simple_switch`, each with a thread and a queue before it:
//!
//! ```text
//! link → capture buffer → receive → input buffer → ingress → egress buffer → egress workers → output buffer → transmit → link
//!                                        ↑                (the port's queue)       │
//!                                        └──────────── recirculation buffer ───────┘
//! ```
//!
//! The egress buffer of a port is its queue discipline: it sees the arrivals that ingress sends, and a worker takes the packets
//! out. A packet's effects take place when its pass ends; egress reads the queue and runs the program when the pass begins.
//!
//! This module holds the state; `pipeline/software.rs` moves the packets.

mod settings;
mod slowdown;
mod threads;

use std::collections::VecDeque;

use jettison_core::{Duration, Gauge, Gauges, RandomStream, Time};
use jettison_wire::Packet;

use self::slowdown::Slowdown;
use self::threads::Threads;
use crate::{Actions, Port, TrafficManager};

pub use settings::{ServiceSettings, SlowdownSettings};
pub use threads::ThreadTime;

/// Gauges of the service model, reported with those of each port.
const CAPTURED: Gauge = Gauge::new(
    "service_captured",
    "packets",
    "Packets that came in by this port and wait for the switch's receive thread.",
);
const INPUT: Gauge =
    Gauge::new("service_input", "packets", "Packets from links that wait for the switch's ingress thread.");
const OUTPUT: Gauge =
    Gauge::new("service_output", "packets", "Packets that wait for the switch's transmit thread.");
const SLOWDOWN: Gauge =
    Gauge::new("service_slowdown", "1", "Factor of the switch's CPU times, as of the last pass.");

/// State of a switch with a service model.
#[derive(Clone)]
pub struct Service {
    pub(crate) settings: ServiceSettings,
    slowdown: Slowdown,
    threads: Threads,
    /// What each thread is doing.
    pub(crate) passes: Vec<Option<Pass>>,
    /// Packets that wait for the receive thread, by port, and their number.
    pub(crate) captured: Vec<VecDeque<Packet>>,
    pub(crate) waiting_capture: usize,
    /// The port that the receive thread looks at next.
    pub(crate) next_capture: usize,
    /// Packets from links and recirculated packets that wait for ingress.
    pub(crate) input: VecDeque<Packet>,
    pub(crate) recirculated: VecDeque<Packet>,
    pub(crate) ports: Vec<EgressPort>,
    /// The port that each worker looks at next.
    pub(crate) next_port: Vec<usize>,
    /// Packet of each worker that found no room in the output buffer, and the workers in this order.
    pub(crate) held: Vec<Option<Outgoing>>,
    pub(crate) blocked: VecDeque<usize>,
    pub(crate) output: VecDeque<Outgoing>,
    /// Time from arrival to the end of ingress of the last packet from a link.
    pub(crate) before_queue: Duration,
    pub(crate) input_drops: u64,
}

/// A port between egress and link.
#[derive(Clone, Default)]
pub(crate) struct EgressPort {
    /// The queue gave no packet at the last attempt, although it has some.
    pub refused: bool,
    /// When a queue that `queue_rate` held back is due.
    pub refused_until: Option<Time>,
    /// The next departure that `queue_rate` allows; `carried` / rate nanoseconds carry over.
    due: Time,
    carried: u64,
    /// The discipline asked for a poll of its empty queue.
    pub idle_poll: bool,
    /// Packets that wait for the link.
    pub device: VecDeque<Outgoing>,
}

/// A packet on its way from egress to the link.
#[derive(Clone)]
pub(crate) struct Outgoing {
    pub port: Port,
    /// Its wait in the port's queue.
    pub sojourn: Duration,
    pub packet: Packet,
}

/// A pass under way.
#[derive(Clone)]
pub(crate) enum Pass {
    Receive(Packet),
    Ingress(Packet),
    Egress {
        outgoing: Outgoing,
        actions: Actions,
    },
    Transmit(Outgoing),
    /// The rest of a pass whose effects have taken place: clones at ingress.
    Rest,
}

/// A thread of the switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Receive,
    Ingress,
    Egress(usize),
    Transmit,
}

impl Service {
    /// Creates an idle switch, whose settings have been [checked](ServiceSettings::check). `random` is the stream of the
    /// slowdown.
    pub fn new(settings: ServiceSettings, random: RandomStream) -> Service {
        let workers = usize::from(settings.egress_workers);
        let threads = workers + 3;
        Service {
            slowdown: Slowdown::new(settings.slowdown.as_ref(), random),
            threads: Threads::new(threads, settings.cpus, settings.slice),
            passes: (0..threads).map(|_| None).collect(),
            captured: Vec::new(),
            waiting_capture: 0,
            next_capture: 0,
            input: VecDeque::new(),
            recirculated: VecDeque::new(),
            ports: Vec::new(),
            next_port: (0..workers).collect(),
            held: (0..workers).map(|_| None).collect(),
            blocked: VecDeque::new(),
            output: VecDeque::new(),
            before_queue: Duration::ZERO,
            input_drops: 0,
            settings,
        }
    }

    /// Sets the number of ports.
    pub(crate) fn set_ports(&mut self, ports: usize) {
        self.captured.resize_with(ports, VecDeque::new);
        self.ports.resize_with(ports, EgressPort::default);
    }

    fn workers(&self) -> usize {
        self.held.len()
    }

    /// The role of a thread: in the order of the stages.
    pub(crate) fn role(&self, thread: usize) -> Role {
        match thread {
            0 => Role::Receive,
            1 => Role::Ingress,
            last if last == self.workers() + 2 => Role::Transmit,
            worker => Role::Egress(worker - 2),
        }
    }

    /// A thread that leaves its processor at `now`.
    pub(crate) fn take_ended(&mut self, now: Time) -> Option<usize> {
        self.threads.take_ended(now)
    }

    /// A free processor and the thread that it takes.
    pub(crate) fn choose(&mut self, manager: &TrafficManager) -> Option<(usize, usize)> {
        // Most calls find the processor busy.
        let cpu = self.threads.free_cpu()?;
        for thread in 0..self.passes.len() {
            let is_ready = self.passes[thread].is_none() && self.ready(thread, manager);
            self.threads.set_ready(thread, is_ready);
        }
        self.threads.choose(cpu).map(|thread| (cpu, thread))
    }

    /// Whether a thread that is not running has something to do.
    fn ready(&self, thread: usize, manager: &TrafficManager) -> bool {
        match self.role(thread) {
            Role::Receive => {
                self.waiting_capture > 0 && (self.input.len() as u64) < self.settings.input_buffer.0
            }
            Role::Ingress => !self.recirculated.is_empty() || !self.input.is_empty(),
            Role::Egress(worker) => {
                self.held[worker].is_none()
                    && (worker..self.ports.len())
                        .step_by(self.workers())
                        .any(|port| self.ports[port].is_ready(manager.backlog(Port(port as u16)).packets))
            }
            Role::Transmit => self.output.front().is_some_and(|outgoing| {
                let device = &self.ports[usize::from(outgoing.port.0)].device;
                (device.len() as u64) < self.settings.device_buffer.0
            }),
        }
    }

    /// The port that a worker serves next: its ports take turns.
    pub(crate) fn next_of(&mut self, worker: usize, manager: &TrafficManager) -> Option<usize> {
        let own = (worker..self.ports.len()).step_by(self.workers());
        let after = self.next_port[worker];
        let ready = |port: &usize| self.ports[*port].is_ready(manager.backlog(Port(*port as u16)).packets);
        let port =
            own.clone().filter(|port| *port >= after).find(ready).or_else(|| own.clone().find(ready))?;
        self.next_port[worker] = port + 1;
        Some(port)
    }

    /// Begins a pass of this cost, before the slowdown.
    pub(crate) fn begin(&mut self, (cpu, thread): (usize, usize), pass: Pass, cost: Duration, now: Time) {
        let cost = self.slowdown.apply(cost, now);
        self.threads.begin(cpu, thread, cost, now);
        self.passes[thread] = Some(pass);
    }

    /// Continues a pass that has just ended.
    pub(crate) fn go_on(&mut self, thread: usize, cost: Duration, now: Time) {
        let cost = self.slowdown.apply(cost, now);
        self.threads.go_on(thread, cost, now);
        self.passes[thread] = Some(Pass::Rest);
    }

    /// CPU time of copying a packet of this length.
    pub(crate) fn copy(&self, base: Duration, length: u16) -> Duration {
        let nanos = self.settings.per_kilobyte.as_nanos().saturating_mul(length.into()) / 1_000;
        base.saturating_add(Duration::from_nanos(nanos))
    }

    /// Accounts for a departure from the queue of `port`, if queues have a rate. As in BMv2, a packet is due one period after
    /// the previous one or at its arrival, whichever is later.
    pub(crate) fn departed(&mut self, port: usize, enqueued_at: Time) {
        let Some(rate) = self.settings.queue_rate else { return };
        let (rate, port) = (rate.get(), &mut self.ports[port]);
        if enqueued_at > port.due {
            (port.due, port.carried) = (enqueued_at, 0);
        }
        port.carried += 1_000_000_000 % rate;
        let carry = u64::from(port.carried >= rate);
        port.carried -= carry * rate;
        port.due += Duration::from_nanos(1_000_000_000 / rate + carry);
    }

    /// Whether `queue_rate` holds the queue of `port` back; it is due later then.
    pub(crate) fn holds_back(&mut self, port: usize, now: Time) -> bool {
        let port = &mut self.ports[port];
        let held = self.settings.queue_rate.is_some() && now < port.due;
        if held {
            (port.refused, port.refused_until) = (true, Some(port.due));
        }
        held
    }

    /// Lets the queues try again that `queue_rate` held back until now.
    pub(crate) fn release_due(&mut self, now: Time) {
        for port in &mut self.ports {
            if port.refused_until.is_some_and(|due| due <= now) {
                (port.refused, port.refused_until) = (false, None);
            }
        }
    }

    /// The end of the earliest pass, or the time when a queue is due.
    pub(crate) fn next_wakeup(&self) -> Option<Time> {
        let due = self.ports.iter().filter_map(|port| port.refused_until).min();
        self.threads.next_end().into_iter().chain(due).min()
    }

    /// Names and CPU times of the threads.
    pub(crate) fn thread_times(&self, now: Time, out: &mut Vec<ThreadTime>) {
        for thread in 0..self.passes.len() {
            let name = match self.role(thread) {
                Role::Receive => "receive".to_owned(),
                Role::Ingress => "ingress".to_owned(),
                Role::Egress(worker) => format!("egress-{worker}"),
                Role::Transmit => "transmit".to_owned(),
            };
            out.push(ThreadTime { name, busy: self.threads.busy(thread, now) });
        }
    }

    /// Number of processors.
    pub(crate) fn cpus(&self) -> u32 {
        self.settings.cpus
    }

    /// Number of packets inside, those in the ports' queues left out.
    #[cfg(test)]
    pub(crate) fn packets_inside(&self) -> usize {
        let devices: usize = self.ports.iter().map(|port| port.device.len()).sum();
        let passes = self.passes.iter().flatten().filter(|pass| !matches!(pass, Pass::Rest)).count();
        let held = self.held.iter().flatten().count();
        self.waiting_capture
            + self.input.len()
            + self.recirculated.len()
            + self.output.len()
            + devices
            + passes
            + held
    }

    /// Reports the gauges.
    pub fn gauges(&self, port: Port, out: &mut dyn Gauges) {
        let captured = self.captured.get(usize::from(port.0)).map_or(0, VecDeque::len);
        out.set(&CAPTURED, captured as f64);
        out.set(&INPUT, (self.input.len() + self.recirculated.len()) as f64);
        out.set(&OUTPUT, self.output.len() as f64);
        out.set(&SLOWDOWN, self.slowdown.factor());
    }
}

impl EgressPort {
    fn is_ready(&self, backlog: u64) -> bool {
        self.idle_poll || (backlog > 0 && !self.refused)
    }
}
