//! The router: one thread that owns every host's device and a world whose hosts lie outside.
//!
//! What the kernel hands over is given to the world at the instant at which it is read; the world's queues, links and switches
//! do what they do in a simulation; what comes to a host is written to its device. The world's time is the links': when the
//! thread wakes late, every departure due since then happens at its own instant, so lateness costs no rate. How late packets
//! are written is recorded ([`Lateness`]).
//!
//! The thread sleeps whenever nothing is due. It wakes up to [`RouterSettings::spin`] early and waits out the rest awake.

mod classifier;
mod control;
mod engine;
mod facts;
mod lateness;
mod meter;
mod pool;
mod port;
mod snapshot;
mod thread;
mod wait;

use jettison_core::{Duration, Time};
use jettison_sim::{NodeId, World};

pub use classifier::{Classifier, Rule};
pub use control::Control;
pub use facts::{Ended, PortFacts, RouterFacts, Scheduling};
pub use lateness::Lateness;
pub use meter::MeasuredFlow;
pub use snapshot::{LatenessSnapshot, QueueSnapshot, RouterSnapshot, SnapshotSink};

use crate::LiveClock;
use crate::device::Tun;
use engine::Engine;
use meter::Meter;
use port::Port;
use thread::RealTime;
use wait::Kernel;

/// A host of the world and its device.
#[derive(Debug)]
pub struct RouterPort {
    /// An outside host of the world.
    pub host: NodeId,
    /// Its device.
    pub tun: Tun,
}

/// How a router works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RouterSettings {
    /// Priority under SCHED_FIFO, 1 to 99, where the kernel permits it; `None` for a normal thread.
    pub real_time: Option<u8>,
    /// How long before an instant the thread is awake and waits for it; at most [`RouterSettings::LONGEST_SPIN`].
    pub spin: Duration,
    /// The devices' MTU: longer packets are not carried, except as super-packets.
    pub mtu: u16,
    /// Writes packets of a TCP connection together that come to a host at about the same time, as a network card hands them
    /// over (generic receive offload): a host's kernel then takes half the time for each, and acknowledges less often. What
    /// disciplines see is the same. Packets of a link up to about 300 Mbit/s come one by one, and are written one by one.
    pub merge: bool,
    /// How long a packet that is due may wait for others while those are there to be read, or are about to come and can be
    /// merged with it.
    pub gather: Duration,
    /// Time between two snapshots.
    pub snapshot_every: Duration,
}

impl RouterSettings {
    /// The longest spin: about what a wake-up takes.
    pub const LONGEST_SPIN: Duration = Duration::from_micros(20);
}

impl Default for RouterSettings {
    fn default() -> RouterSettings {
        RouterSettings {
            real_time: Some(10),
            spin: RouterSettings::LONGEST_SPIN,
            mtu: 1500,
            merge: true,
            gather: Duration::from_micros(40),
            snapshot_every: Duration::from_millis(200),
        }
    }
}

/// A router, ready to run.
pub struct Router {
    /// Its queues, links and switches.
    pub world: World,
    /// A device for every outside host of the world.
    pub ports: Vec<RouterPort>,
    /// Which packets belong to which flow.
    pub classifier: Classifier,
    /// The flows that it measures itself.
    pub measured: Vec<MeasuredFlow>,
    /// How it works.
    pub settings: RouterSettings,
    /// The run's clock; the world's time follows it.
    pub clock: LiveClock,
}

/// What a router leaves.
pub struct RouterOutcome {
    /// The world, at the instant at which the router stopped.
    pub world: World,
    /// What became of the run.
    pub facts: RouterFacts,
    /// How late packets were written.
    pub lateness: Lateness,
}

impl Router {
    /// Carries packets until the clock shows `end`, or until `control` says stop. The calling thread is the router's until
    /// then. The devices end with the run.
    pub fn run(self, end: Time, control: &Control, observe: Option<&mut dyn SnapshotSink>) -> RouterOutcome {
        let Router { world, ports, classifier, measured, settings, clock } = self;
        let spin = settings.spin.min(RouterSettings::LONGEST_SPIN);
        let ports = ports.into_iter().map(|RouterPort { host, tun }| {
            let name = tun.name().to_owned();
            Port::new(host, tun, name, settings.mtu.into(), settings.merge)
        });
        let meter = Meter::new(&measured);
        let RouterSettings { gather, snapshot_every, .. } = settings;
        let mut engine = Engine::new(world, ports.collect(), classifier, meter, gather, snapshot_every);
        let mut kernel = Kernel::new(clock, spin, engine.ports.iter().map(|port| &port.device), control);
        let real_time = RealTime::enter(settings.real_time);
        let (began, cpu) = (clock.now(), thread::cpu_time());
        let ended = engine.run(&mut kernel, end, control, observe);
        let facts = RouterFacts {
            ended,
            scheduling: real_time.scheduling().clone(),
            elapsed: clock.now().since(began),
            cpu: thread::cpu_time().saturating_sub(cpu),
            sleeps: kernel.sleeps,
            undeliverable: engine.undeliverable,
            ports: engine.ports.into_iter().map(|port| port.facts).collect(),
        };
        RouterOutcome { world: engine.world, facts, lateness: engine.lateness }
    }
}
