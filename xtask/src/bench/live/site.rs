//! Two namespaces with one device each, and a world with a link between them.

use std::net::{IpAddr, Ipv4Addr};
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
use jettison_queue::QueueDiscipline;
use jettison_queue::codel::{Codel, CodelParameters};
use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use jettison_sim::{Carrier, DirectionSpec, LinkSpec, NodeId, WorldBuilder, WorldSettings};
use jettison_wire::{Address, FlowId};

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
    world.link(LinkSpec { ends: hosts, forward, reverse });
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
