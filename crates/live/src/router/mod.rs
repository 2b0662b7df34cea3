//! The router: one thread that owns every host's device and a world with external hosts.
//!
//! Packets from the kernel enter the world at the time of reading; queues, links and switches behave as in a simulation;
//! packets that reach a host are written to its device. The world's time is that of the links: when the thread wakes late, each
//! departure since then happens at its own time, so lateness costs no rate. The lateness of writes is recorded
//! ([`Lateness`]).
//!
//! The thread sleeps while nothing is due. It wakes up to [`RouterSettings::spin`] early and busy-waits for the rest.

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

pub use crate::scheduling::Scheduling;
pub use classifier::{Classifier, Rule};
pub use control::Control;
pub use facts::{Ended, PortFacts, RouterFacts};
pub use lateness::Lateness;
pub use meter::MeasuredFlow;
pub use snapshot::{LatenessSnapshot, QueueSnapshot, RouterSnapshot, SnapshotSink};

use crate::LiveClock;
use crate::device::Tun;
use crate::scheduling::RealTime;
use engine::Engine;
use meter::Meter;
use port::Port;
use wait::Kernel;

/// A host of the world and its device.
#[derive(Debug)]
pub struct RouterPort {
    /// An external host of the world.
    pub host: NodeId,
    /// Its device.
    pub tun: Tun,
}

/// Settings of a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RouterSettings {
    /// SCHED_FIFO priority, 1 to 99, if the kernel permits it; `None` for a normal thread.
    pub real_time: Option<u8>,
    /// Length of the busy-wait before an event; at most [`RouterSettings::LONGEST_SPIN`].
    pub spin: Duration,
    /// MTU of the devices. Longer packets are discarded unless they are super-packets.
    pub mtu: u16,
    /// Whether to merge packets of a TCP connection that reach a host at about the same time, as a network card does (generic
    /// receive offload). This halves the host kernel's cost per packet and reduces the number of acknowledgements.
    /// Disciplines see the same packets. Up to about 300 Mbit/s packets arrive and are written one by one.
    pub merge: bool,
    /// Maximum time for which a due packet waits for others that are ready to be read, or about to arrive and be merged with
    /// it.
    pub gather: Duration,
    /// Time between snapshots.
    pub snapshot_every: Duration,
}

impl RouterSettings {
    /// Maximum spin: about the duration of a wakeup.
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

/// A configured router.
pub struct Router {
    /// Queues, links and switches.
    pub world: World,
    /// Devices of all external hosts of the world.
    pub ports: Vec<RouterPort>,
    /// Classifier of packets into flows.
    pub classifier: Classifier,
    /// Flows that the router measures.
    pub measured: Vec<MeasuredFlow>,
    /// Settings.
    pub settings: RouterSettings,
    /// Clock of the run, which drives the world's time.
    pub clock: LiveClock,
}

/// Result of a router's run.
pub struct RouterOutcome {
    /// The world at the time of the stop.
    pub world: World,
    /// Facts about the run.
    pub facts: RouterFacts,
    /// Lateness of written packets.
    pub lateness: Lateness,
}

impl Router {
    /// Forwards packets until `end` on the clock or until `control` requests a stop. Occupies the calling thread. The devices
    /// end with the run.
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
