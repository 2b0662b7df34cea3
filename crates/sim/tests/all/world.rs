//! Small worlds with exact times.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use jettison_core::{DropReason, Duration, Rate, Seed, Time};
use jettison_link::{FixedRate, Loss, LossParameters, Propagation, ScheduledLoss};
use jettison_measure::{RecorderSettings, RunRecord, metrics};
use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use jettison_sim::{
    Carrier, DirectionSpec, FlowProgram, LinkSpec, NodeId, RouterPlan, TopologyError, WorldBuilder,
    WorldSettings,
};
use jettison_sockets::{
    Application, CloseReason, ControllerFactory, Datagram, SocketEvent, Sockets, TcpOptions,
};
use jettison_switch::{
    Nat, Packets, Pipeline, PortConfig, RecirculationSettings, Routes, Service, ServiceSettings, Switch,
};
use jettison_tcp::TcpParameters;
use jettison_tcp::{Endpoint, Payload};
use jettison_wire::{Address, InlineBytes};

pub(super) const END: Time = Time::from_secs(5);

pub(super) fn builder() -> WorldBuilder {
    WorldBuilder::new(WorldSettings { seed: Seed(1), recorder: RecorderSettings::default() })
}

pub(super) fn router(plan: RouterPlan) -> Box<dyn Switch> {
    let mut routes = Routes::new();
    for (address, port) in plan.routes {
        routes.add_host(address, port);
    }
    let ports = plan.ports.into_iter().map(|p| PortConfig { discipline: p.queue, hooks: p.hooks }).collect();
    Box::new(Pipeline::native(routes, ports, RecirculationSettings::default()))
}

/// The router as a software switch: 10, 40, 30 and 20 µs for the passes of each packet, on one processor.
fn software_router(plan: RouterPlan) -> Box<dyn Switch> {
    let mut routes = Routes::new();
    for (address, port) in plan.routes {
        routes.add_host(address, port);
    }
    let ports = plan.ports.into_iter().map(|p| PortConfig { discipline: p.queue, hooks: p.hooks }).collect();
    let settings = ServiceSettings {
        receive: Duration::from_micros(10),
        ingress: Duration::from_micros(40),
        egress: Duration::from_micros(30),
        transmit: Duration::from_micros(20),
        per_kilobyte: Duration::ZERO,
        capture_buffer: Packets(1_024),
        slice: Duration::ZERO,
        ..ServiceSettings::default()
    };
    let service = Service::new(settings, Seed(1).stream(&["nodes", "r", "service"]));
    Box::new(Pipeline::native(routes, ports, RecirculationSettings::default()).with_service(service))
}

pub(super) fn direction(name: &str, rate: Rate, delay: Duration, lost: Vec<ScheduledLoss>) -> DirectionSpec {
    let parameters = LossParameters { scheduled: lost, ..LossParameters::default() };
    DirectionSpec {
        name: name.to_owned(),
        carrier: Carrier::Fixed(FixedRate::new(rate)),
        propagation: Propagation::new(delay),
        loss: (!parameters.is_none())
            .then(|| Loss::new(&parameters, &|what| Seed(1).stream(&[name, what])).expect("right")),
        impairments: None,
        queue: Box::new(TailDrop::new(TailDropParameters::default())),
        hooks: None,
        tapped: false,
    }
}

fn link(world: &mut WorldBuilder, name: &str, ends: [NodeId; 2], rate: Rate, delay: Duration) {
    let forward = direction(&format!("{name}.forward"), rate, delay, Vec::new());
    let reverse = direction(&format!("{name}.reverse"), rate, delay, Vec::new());
    world.link(LinkSpec { ends, forward, reverse });
}

pub(super) fn address(last: u8) -> Address {
    Address::v4(198, 18, 0, last)
}

/// What a program saw, with the instant.
pub(super) type Log = Arc<Mutex<Vec<(Time, SocketEvent)>>>;

/// Does one thing at its start, and logs every event.
#[derive(Clone)]
struct Script<F> {
    start: Option<F>,
    log: Log,
}

impl<F: FnOnce(Time, &mut dyn Sockets) + Clone + Send> Application for Script<F> {
    fn start(&mut self, now: Time, host: &mut dyn Sockets) {
        if let Some(start) = self.start.take() {
            start(now, host);
        }
    }
    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        self.log.lock().expect("no program panics").push((now, event));
        if let SocketEvent::Readable(socket) = event {
            while let Some(payload) = host.read(socket, u64::MAX) {
                host.meter().delivered(payload.len());
            }
        }
    }
}

pub(super) fn program(
    host: NodeId,
    log: &Log,
    start: impl FnOnce(Time, &mut dyn Sockets) + Clone + Send + 'static,
) -> FlowProgram {
    let application = Box::new(Script { start: Some(start), log: Arc::clone(log) });
    FlowProgram { host, application, start: Time::ZERO, stop: Time::MAX }
}

pub(super) fn run(world: WorldBuilder) -> RunRecord {
    let mut world = world.build().expect("all ends are joined");
    world.run(END, &AtomicBool::new(false));
    world.finish()
}

pub(super) fn tcp() -> TcpOptions {
    let parameters = Arc::new(TcpParameters::default());
    let shared = Arc::clone(&parameters);
    TcpOptions {
        parameters,
        controller: ControllerFactory::new(move || shared.controller(None).expect("the default one")),
    }
}

pub(super) fn datagram(length: u16) -> Datagram {
    Datagram { head: InlineBytes::default(), length, traffic_class: 0 }
}

#[test]
fn a_datagram_arrives_after_each_links_serialisation_and_delay() {
    let (mut world, log) = (builder(), Log::default());
    let (a, b) = (world.host("a", address(1)), world.host("b", address(2)));
    let r = world.router("r", router);
    link(&mut world, "slow", [a, r], Rate::from_mbit(8), Duration::from_millis(3));
    link(&mut world, "fast", [r, b], Rate::from_mbit(80), Duration::from_millis(1));
    let to = Endpoint { address: address(2), port: 9 };
    let send = program(a, &Log::default(), move |_, host| {
        let socket = host.udp_bind(0);
        host.send_to(socket, to, &datagram(958)); // 958 + 8 + 20 + 14 = 1,000 bytes on the link
        host.send_to(socket, to, &datagram(958));
    });
    let receive = program(b, &log, |_, host| {
        host.udp_bind(9);
    });
    world.flow("f", a, b, vec![send, receive]);
    run(world);
    let times: Vec<Time> = log.lock().unwrap().iter().map(|(time, _)| *time).collect();
    // 1 ms + 3 ms, then 0.1 ms + 1 ms; the second leaves the slow link 1 ms later.
    assert_eq!(times, [Time::from_micros(5_100), Time::from_micros(6_100)]);
}

#[test]
fn a_router_with_a_service_model_takes_its_time_and_accounts_for_it() {
    let (mut world, log) = (builder(), Log::default());
    let (a, b) = (world.host("a", address(1)), world.host("b", address(2)));
    let r = world.router("r", software_router);
    // 1,000 bytes take 1 µs on the first link and 1 ms on the second.
    link(&mut world, "fast", [a, r], Rate::from_mbit(8_000), Duration::ZERO);
    link(&mut world, "slow", [r, b], Rate::from_mbit(8), Duration::ZERO);
    let to = Endpoint { address: address(2), port: 9 };
    let send = program(a, &Log::default(), move |_, host| {
        let socket = host.udp_bind(0);
        for _ in 0..1_000 {
            host.send_to(socket, to, &datagram(958));
        }
    });
    let receive = program(b, &log, |_, host| {
        host.udp_bind(9);
    });
    world.flow("f", a, b, vec![send, receive]);
    let record = run(world);
    let times: Vec<Time> = log.lock().unwrap().iter().map(|(time, _)| *time).collect();
    // The link is slower than the switch, which fills the buffers before it without losing anything.
    assert_eq!(times.len(), 1_000);
    assert!(times[0] > Time::from_micros(1_100) && times[0] < Time::from_micros(1_500), "{}", times[0]);
    assert_eq!(times[999].since(times[0]), Duration::from_millis(999));
    // In 5 s: 1,000 packets, each 100 µs.
    let cpu = |object: &str| record.summary_value(object, metrics::SWITCH_CPU).unwrap().mean;
    let shares = ["r", "r.receive", "r.ingress", "r.egress-0", "r.egress-1", "r.transmit"].map(cpu);
    let expected = [2.0, 0.2, 0.8, 0.0, 0.6, 0.4];
    assert!(shares.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{shares:?}");
    assert_eq!(record.summary_value("r", metrics::INPUT_DROPS).unwrap().mean, 0.0);
}

#[test]
fn a_transfer_over_losses_arrives_whole_and_its_losses_are_logged() {
    let (mut world, log) = (builder(), Log::default());
    let (a, b) = (world.host("a", address(1)), world.host("b", address(2)));
    let rate = Rate::from_mbit(10);
    let delay = Duration::from_millis(5);
    let lost = vec![ScheduledLoss { at: None, packet: Some(20), count: 3 }];
    let forward = direction("l.forward", rate, delay, lost);
    let reverse = direction("l.reverse", rate, delay, Vec::new());
    world.link(LinkSpec { ends: [a, b], forward, reverse });
    let to = Endpoint { address: address(2), port: 80 };
    let send = program(a, &Log::default(), move |_, host| {
        let socket = host.tcp_connect(to, &tcp());
        host.write(socket, Payload::Bytes(Box::from(*b"GET / HTTP/1.1\r\n\r\n")));
        host.write(socket, Payload::Zeros(300_000));
        host.close(socket);
    });
    let receive = program(b, &log, |_, host| {
        host.tcp_listen(80, &tcp());
    });
    world.flow("f", a, b, vec![send, receive]);
    let record = run(world);
    let goodput = record.summary_value("f", metrics::GOODPUT).unwrap().mean;
    assert_eq!((goodput * 5e6 / 8.0).round(), 300_018.0);
    let log = log.lock().unwrap();
    assert!(matches!(log[0].1, SocketEvent::Accepted { .. }), "{log:?}");
    assert!(log.iter().any(|(_, event)| matches!(event, SocketEvent::PeerClosed(_))));
    assert_eq!(record.drops.len(), 3);
    assert!(
        record
            .drops
            .iter()
            .map(Result::unwrap)
            .all(|drop| drop.drop_reason() == Some(DropReason::ScheduledLoss))
    );
    assert_eq!(record.summary_value("f", metrics::RETRANSMITS).unwrap().mean, 3.0);
}

#[test]
fn without_a_listener_tcp_is_reset_and_udp_dropped() {
    let (mut world, log) = (builder(), Log::default());
    let (a, b) = (world.host("a", address(1)), world.host("b", address(2)));
    link(&mut world, "l", [a, b], Rate::from_mbit(10), Duration::from_millis(5));
    let connect = program(a, &log, |_, host| {
        host.tcp_connect(Endpoint { address: address(2), port: 80 }, &tcp());
        let socket = host.udp_bind(0);
        host.send_to(socket, Endpoint { address: address(2), port: 9 }, &datagram(100));
    });
    world.flow("f", a, b, vec![connect]);
    let record = run(world);
    let log = log.lock().unwrap();
    assert!(matches!(log[..], [(_, SocketEvent::Closed(_, CloseReason::Reset))]), "{log:?}");
    let reasons: Vec<DropReason> =
        record.drops.iter().map(Result::unwrap).filter_map(|drop| drop.drop_reason()).collect();
    assert_eq!(reasons, [DropReason::NoSocket, DropReason::NoSocket]);
}

#[test]
fn every_packet_is_delivered_dropped_or_waiting() {
    // 20 datagrams at once into a queue of five behind a link that is busy.
    let (mut world, log) = (builder(), Log::default());
    let (a, b) = (world.host("a", address(1)), world.host("b", address(2)));
    let mut forward = direction("l.forward", Rate::from_kbit(80), Duration::from_millis(5), Vec::new());
    let limit = "5 packets".parse().unwrap();
    forward.queue = Box::new(TailDrop::new(TailDropParameters { limit }));
    let reverse = direction("l.reverse", Rate::from_mbit(1), Duration::from_millis(5), Vec::new());
    world.link(LinkSpec { ends: [a, b], forward, reverse });
    let to = Endpoint { address: address(2), port: 9 };
    let send = program(a, &Log::default(), move |_, host| {
        let socket = host.udp_bind(0);
        (0..20).for_each(|_| host.send_to(socket, to, &datagram(958)));
    });
    let receive = program(b, &log, |_, host| {
        host.udp_bind(9);
    });
    world.flow("f", a, b, vec![send, receive]);
    let record = run(world);
    // One is sent at once, five wait, the rest is dropped.
    assert_eq!((log.lock().unwrap().len(), record.drops.len()), (6, 14));
    assert!(
        record
            .drops
            .iter()
            .map(Result::unwrap)
            .all(|drop| drop.drop_reason() == Some(DropReason::BufferFull) && drop.queue == 0)
    );
}

#[test]
fn unconnected_hosts_are_refused() {
    let mut world = builder();
    let (a, b, c) = (world.host("a", address(1)), world.host("b", address(2)), world.host("c", address(3)));
    // Hosts do not forward.
    link(&mut world, "ab", [a, b], Rate::from_mbit(1), Duration::ZERO);
    link(&mut world, "bc", [b, c], Rate::from_mbit(1), Duration::ZERO);
    world.flow("f", a, c, Vec::new());
    let error = world.build().err().unwrap();
    assert!(matches!(error, TopologyError::Unreachable { ref flow, .. } if flow == "f"), "{error}");
}

#[test]
fn a_run_in_slices_gives_the_same_record() {
    let record = |slices: u64| {
        let (mut world, log) = (builder(), Log::default());
        let (a, b) = (world.host("a", address(1)), world.host("b", address(2)));
        link(&mut world, "l", [a, b], Rate::from_mbit(10), Duration::from_millis(5));
        let to = Endpoint { address: address(2), port: 80 };
        let send = program(a, &Log::default(), move |_, host| {
            let socket = host.tcp_connect(to, &tcp());
            host.observe(socket);
            host.write(socket, Payload::Zeros(u64::MAX / 2));
        });
        let receive = program(b, &log, |_, host| {
            host.tcp_listen(80, &tcp());
        });
        world.flow("f", a, b, vec![send, receive]);
        let mut world = world.build().unwrap();
        for slice in 1..=slices {
            world.run(Time::from_nanos(END.as_nanos() * slice / slices), &AtomicBool::new(false));
        }
        let record = world.finish();
        (record.series, record.summary, record.drops)
    };
    assert_eq!(record(1), record(7));
}

#[test]
fn packets_let_through_leave_the_record_that_queues_would_have_left() {
    let record = |tapped: bool| {
        let (mut world, log) = (builder(), Log::default());
        let hosts = [world.host("a", address(1)), world.host("b", address(2))];
        let routers = [world.router("r", router), world.router("q", router)];
        let lost = || vec![ScheduledLoss { at: None, packet: Some(70), count: 3 }];
        let links = [(hosts[0], routers[0], 100), (routers[0], routers[1], 10), (routers[1], hosts[1], 12)];
        for (place, (one, other, mbit)) in links.into_iter().enumerate() {
            let side = |name: &str| DirectionSpec {
                // Taps see the packets that queues release, so that none is let through.
                tapped,
                ..direction(
                    &format!("l{place}.{name}"),
                    Rate::from_mbit(mbit),
                    Duration::from_millis(2),
                    lost(),
                )
            };
            let (forward, reverse) = (side("forward"), side("reverse"));
            world.link(LinkSpec { ends: [one, other], forward, reverse });
        }
        for (name, from, to) in [("there", 0, 1), ("back", 1, 0)] {
            let remote = Endpoint { address: address(to as u8 + 1), port: 80 };
            let send = program(hosts[from], &Log::default(), move |_, host| {
                let socket = host.tcp_connect(remote, &tcp());
                host.observe(socket);
                host.write(socket, Payload::Zeros(u64::MAX / 2));
            });
            let receive = program(hosts[to], &log, |_, host| {
                host.tcp_listen(80, &tcp());
            });
            world.flow(name, hosts[from], hosts[to], vec![send, receive]);
        }
        let mut world = world.build().unwrap();
        world.run(END, &AtomicBool::new(false));
        let events = world.events();
        (world.finish(), events)
    };
    let (through, queued) = (record(false), record(true));
    assert!(through.0.drops.len() > 3, "some were lost and some dropped");
    assert_eq!(through, queued);
}

/// A router that translates between its first two ports and the third.
fn translating(plan: RouterPlan) -> Box<dyn Switch> {
    let mut routes = Routes::new();
    for (address, port) in plan.routes {
        routes.add_host(address, port);
    }
    let ports = plan.ports.into_iter().map(|p| PortConfig { discipline: p.queue, hooks: p.hooks }).collect();
    let nat = Nat::new(address(100), vec![true, true, false]);
    Box::new(Pipeline::native(routes, ports, RecirculationSettings::default()).with_nat(Some(nat)))
}

#[test]
fn connections_through_a_nat_come_from_the_routers_address_and_their_answers_find_back() {
    let (mut world, log) = (builder(), Log::default());
    let inside = [1, 2].map(|n| world.host(format!("inside-{n}"), address(n)));
    let r = world.router("r", translating);
    let far = world.router("far", router);
    let server = world.host("server", address(9));
    let (rate, delay) = (Rate::from_mbit(10), Duration::from_millis(5));
    for (name, host) in ["lan-1", "lan-2"].into_iter().zip(inside) {
        link(&mut world, name, [host, r], rate, delay);
    }
    link(&mut world, "access", [r, far], rate, delay);
    link(&mut world, "core", [far, server], rate, delay);
    world.masquerade(r, address(100));
    for (n, host) in inside.into_iter().enumerate() {
        let to = Endpoint { address: address(9), port: 80 + n as u16 };
        let send = program(host, &Log::default(), move |_, host| {
            let socket = host.tcp_connect(to, &tcp());
            host.write(socket, Payload::Zeros(100_000));
            host.close(socket);
            // A connection does not tell where it comes from; a datagram does.
            let socket = host.udp_bind(5_000);
            host.send_to(socket, to, &datagram(100));
        });
        let receive = program(server, &log, move |_, host| {
            host.tcp_listen(to.port, &tcp());
            host.udp_bind(to.port);
        });
        world.flow(format!("f{n}"), host, server, vec![send, receive]);
    }
    let record = run(world);
    for flow in ["f0", "f1"] {
        let goodput = record.summary_value(flow, metrics::GOODPUT).unwrap().mean;
        assert_eq!((goodput * 5e6 / 8.0).round(), 100_000.0);
    }
    let log = log.lock().unwrap();
    let remotes: Vec<Endpoint> = log
        .iter()
        .filter_map(|(_, event)| match event {
            SocketEvent::Datagram { from, .. } => Some(*from),
            _ => None,
        })
        .collect();
    // Both hosts use the same first port.
    assert!(remotes.iter().all(|remote| remote.address == address(100)), "{remotes:?}");
    assert_eq!(remotes.len(), 2);
    assert_ne!(remotes[0].port, remotes[1].port);
    assert!(record.drops.is_empty());
}
