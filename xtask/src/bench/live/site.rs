//! Two namespaces with one device each, and a world with a link between them.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::thread::Builder;

use jettison_core::{Duration, Rate, Seed, Time};
use jettison_link::{FixedRate, Propagation};
use jettison_live::device::{Offload, Tun};
use jettison_live::net::{self, Interface, Namespace, Route};
use jettison_live::router::{
    Classifier, Control, MeasuredFlow, Router, RouterOutcome, RouterPort, RouterSettings, RouterSnapshot,
    Rule,
};
use jettison_live::{LiveClock, LiveError};
use jettison_measure::RecorderSettings;
use jettison_p4_exec::compiled::Compiled;
use jettison_p4_front::source::Sources;
use jettison_p4_v1model::SwitchPlan;
use jettison_p4_v1model::control::parse;
use jettison_queue::QueueDiscipline;
use jettison_queue::codel::{Codel, CodelParameters};
use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use jettison_sim::{Carrier, DirectionSpec, LinkSpec, NodeId, RouterPlan, WorldBuilder, WorldSettings};
use jettison_switch::Switch;
use jettison_wire::{Address, FlowId};

use crate::bench::p4::compile;

/// Addresses of the hosts, from the range for benchmarks (RFC 2544 §C.2.2).
pub(super) const ADDRESSES: [Ipv4Addr; 2] = [Ipv4Addr::new(198, 18, 0, 1), Ipv4Addr::new(198, 18, 0, 2)];
const DEVICE: &str = "jet0";
const MTU: u16 = 1500;
/// Transmit queue length of the devices: more packets than a TCP connection has in flight.
const QUEUE: u32 = 20_000;

/// Two hosts with their devices.
pub(super) struct Site {
    pub namespaces: [Namespace; 2],
    pub tuns: [Tun; 2],
}

impl Site {
    pub fn new(offload: Offload) -> Result<Site, LiveError> {
        let host = |index: usize| -> Result<(Namespace, Tun), LiveError> {
            let namespace = Namespace::new()?;
            let tun = namespace.enter(|| Tun::create(DEVICE, offload))?;
            let tun = tun.map_err(LiveError::system(format!("cannot create device {DEVICE}")))?;
            let interface = Interface {
                name: DEVICE.to_owned(),
                mtu: MTU.into(),
                addresses: vec![(IpAddr::V4(ADDRESSES[index]), 32)],
                tx_queue_length: QUEUE,
                up: true,
            };
            let route = Route {
                to: (IpAddr::V4(ADDRESSES[1 - index]), 32),
                via_device: DEVICE.to_owned(),
                congestion_control: Some("cubic".to_owned()),
            };
            net::set_up_host(&namespace, &interface, &[route], Some("cubic"))?;
            Ok((namespace, tun))
        };
        let [(one, first), (other, second)] = [host(0)?, host(1)?];
        Ok(Site { namespaces: [one, other], tuns: [first, second] })
    }
}

/// Parameters of the link between the hosts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub rate: Rate,
    pub delay: Duration,
    pub codel: bool,
    /// Whether a router that runs `p4/forward.p4` is between the hosts.
    pub p4: bool,
}

/// Creates a router between the two devices with all measurements enabled.
pub(super) fn router(tuns: [Tun; 2], link: Link, settings: RouterSettings) -> Result<Router, LiveError> {
    let failed = |message: String| LiveError::System {
        what: "cannot build the world".to_owned(),
        source: std::io::Error::other(message),
    };
    let recorder = RecorderSettings::default();
    let mut world = WorldBuilder::new(WorldSettings { seed: Seed(1), recorder });
    let addresses = ADDRESSES.map(Address::from);
    let hosts: [NodeId; 2] =
        [world.outside_host("from", addresses[0]), world.outside_host("to", addresses[1])];
    // A FIFO for the timing benchmarks, CoDel for throughput.
    let queue = || -> Result<Box<dyn QueueDiscipline>, LiveError> {
        Ok(match link.codel {
            true => Box::new(
                Codel::new(&CodelParameters::default()).map_err(|error| failed(format!("{error:?}")))?,
            ),
            false => Box::new(TailDrop::new(TailDropParameters::default())),
        })
    };
    let direction = |name: &str| -> Result<DirectionSpec, LiveError> {
        Ok(DirectionSpec {
            name: name.to_owned(),
            carrier: Carrier::Fixed(FixedRate::new(link.rate)),
            propagation: Propagation::new(link.delay),
            loss: None,
            impairments: None,
            queue: queue()?,
            hooks: None,
            tapped: false,
        })
    };
    let (forward, reverse) = (direction("link.forward")?, direction("link.reverse")?);
    match link.p4 {
        false => world.link(LinkSpec { ends: hosts, forward, reverse }),
        true => {
            let router = world.try_router("router", p4_router);
            world.link(LinkSpec { ends: [hosts[0], router], forward, reverse });
            let (forward, reverse) = (direction("other.forward")?, direction("other.reverse")?);
            world.link(LinkSpec { ends: [router, hosts[1]], forward, reverse });
        }
    }
    let flow: FlowId = world.flow("transfer", hosts[0], hosts[1], Vec::new());
    let world = world.build().map_err(|error| failed(error.to_string()))?;
    let rule = Rule { from: hosts[0], to: hosts[1], protocol: None, port: None, flow };
    let ports = hosts.into_iter().zip(tuns).map(|(host, tun)| RouterPort { host, tun });
    Ok(Router {
        world,
        ports: ports.collect(),
        classifier: Classifier::new(addresses.into_iter().zip(hosts), vec![rule]),
        // Measuring costs time, which must count in the comparison.
        measured: vec![MeasuredFlow { flow, receivers: [Some(hosts[1]), None] }],
        settings,
        clock: LiveClock::start(),
    })
}

/// A switch that forwards by longest prefix in P4.
fn p4_router(plan: RouterPlan) -> Result<Box<dyn Switch>, String> {
    let program = compile("<forward.p4>")?;
    let lines =
        plan.routes.iter().map(|(to, port)| format!("table_add ipv4_lpm send {to}/32 => {}\n", port.0));
    let mut sources = Sources::default();
    let file = sources.add("commands", lines.collect::<String>());
    let commands = parse(&sources, file, &program)
        .map_err(|errors| errors.first().map_or(String::new(), |error| error.one_line(&sources)))?;
    let stream = |name: &str| Seed(1).stream(&["bench", name]);
    let streams = plan.ports.iter().map(|port| stream(&port.direction)).collect();
    let queues = plan.ports.into_iter().map(|port| port.queue).collect();
    let machine = Compiled::new(Arc::clone(&program));
    let mut switch = SwitchPlan::new(program, queues, stream("ingress"), streams);
    switch.commands = commands.into_iter().map(|command| (Time::ZERO, command.command)).collect();
    Ok(Box::new(switch.build(machine).map_err(|error| error.to_string())?))
}

/// Runs `traffic` while the router forwards its packets.
pub(super) fn through_router<R>(
    router: Router,
    traffic: impl FnOnce() -> Result<R, LiveError>,
) -> Result<(R, RouterOutcome), LiveError> {
    let control = Control::new().map_err(LiveError::system("cannot create an eventfd"))?;
    std::thread::scope(|scope| {
        let run = || {
            let snapshots = &mut |_: &RouterSnapshot| {};
            router.run(Time::MAX, &control, Some(snapshots))
        };
        let running = Builder::new().name("router".to_owned()).spawn_scoped(scope, run);
        let running = running.map_err(LiveError::system("cannot start a thread"))?;
        let result = traffic();
        control.stop();
        let outcome = running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok((result?, outcome))
    })
}
