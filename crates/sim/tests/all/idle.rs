//! Idle polls of queues that want them.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use jettison_core::{Duration, Rate, Seed, Time};
use jettison_link::trace::Trace;
use jettison_link::{FixedRate, Propagation, TraceLink};
use jettison_measure::{Outcomes, RecorderSettings};
use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use jettison_queue::{Backlog, QueueDiscipline};
use jettison_sim::{Carrier, DirectionSpec, FlowProgram, LinkSpec, RouterPlan, WorldBuilder, WorldSettings};
use jettison_sockets::{Application, Datagram, SocketEvent, Sockets};
use jettison_switch::{Pipeline, PortConfig, RecirculationSettings, Routes, Switch};
use jettison_tcp::Endpoint;
use jettison_wire::{Address, InlineBytes, Packet};

/// Times of dequeue calls, and whether there was a packet.
type Asked = Arc<Mutex<Vec<(Time, bool)>>>;

/// A tail-drop queue that logs dequeue calls.
#[derive(Clone)]
struct Noting {
    inner: TailDrop,
    wants_idle_polls: bool,
    asked: Asked,
}

impl QueueDiscipline for Noting {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        self.inner.enqueue(packet, now, out);
    }
    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        let packet = self.inner.dequeue(now, out);
        self.asked.lock().expect("no queue panics").push((now, packet.is_some()));
        packet
    }
    fn uses_wakeups(&self) -> bool {
        false
    }
    fn wants_idle_polls(&self) -> bool {
        self.wants_idle_polls
    }
    fn backlog(&self) -> Backlog {
        self.inner.backlog()
    }
}

/// Sends a datagram of 1,000 bytes of IP length at each of these instants.
#[derive(Clone)]
struct Sender {
    at: Vec<Time>,
    to: Endpoint,
}

impl Application for Sender {
    fn start(&mut self, now: Time, host: &mut dyn Sockets) {
        self.handle_wakeup(now, host);
    }
    fn handle_event(&mut self, _: SocketEvent, _: Time, _: &mut dyn Sockets) {}
    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        while self.at.first().is_some_and(|at| *at <= now) {
            self.at.remove(0);
            let socket = host.udp_bind(0);
            host.send_to(
                socket,
                self.to,
                &Datagram { head: InlineBytes::default(), length: 972, traffic_class: 0 },
            );
        }
    }
    fn next_wakeup(&self) -> Option<Time> {
        self.at.first().copied()
    }
}

fn ms(n: u64) -> Time {
    Time::from_millis(n)
}

/// With the Ethernet header of 14 bytes, 1,000 bytes of IP take a millisecond over `times`.
fn fixed(times: u64) -> Carrier {
    Carrier::Fixed(FixedRate::new(Rate::from_bits(1014 * 8 * 1000 * times)))
}

fn direction(name: &str, carrier: Carrier, queue: Box<dyn QueueDiscipline>) -> DirectionSpec {
    let propagation = Propagation::new(Duration::ZERO);
    DirectionSpec {
        name: name.to_owned(),
        carrier,
        propagation,
        loss: None,
        impairments: None,
        queue,
        hooks: None,
        tapped: false,
    }
}

fn tail_drop() -> Box<dyn QueueDiscipline> {
    Box::new(TailDrop::new(TailDropParameters::default()))
}

fn router(plan: RouterPlan) -> Box<dyn Switch> {
    let mut routes = Routes::new();
    for (address, port) in plan.routes {
        routes.add_host(address, port);
    }
    let ports = plan.ports.into_iter().map(|p| PortConfig { discipline: p.queue, hooks: p.hooks }).collect();
    Box::new(Pipeline::native(routes, ports, RecirculationSettings::default()))
}

/// When the queue in front of `carrier` is asked, at a host or behind a faster link that adds 100 us.
fn asked(carrier: Carrier, at_router: bool, wants_idle_polls: bool, sent: &[u64]) -> Vec<(Time, bool)> {
    let settings = WorldSettings { seed: Seed(1), recorder: RecorderSettings::default() };
    let mut world = WorldBuilder::new(settings);
    let (a, b) = (world.host("a", Address::v4(10, 0, 0, 1)), world.host("b", Address::v4(10, 0, 0, 2)));
    let asked = Asked::default();
    let noting = Noting {
        inner: TailDrop::new(TailDropParameters::default()),
        wants_idle_polls,
        asked: asked.clone(),
    };
    let forward = direction("l.forward", carrier, Box::new(noting));
    let reverse = direction("l.reverse", fixed(1), tail_drop());
    let from = if at_router {
        let r = world.router("r", router);
        let access = direction("access.forward", fixed(10), tail_drop());
        world.link(LinkSpec {
            ends: [a, r],
            forward: access,
            reverse: direction("access.reverse", fixed(10), tail_drop()),
        });
        r
    } else {
        a
    };
    world.link(LinkSpec { ends: [from, b], forward, reverse });
    let to = Endpoint { address: Address::v4(10, 0, 0, 2), port: 9 };
    let application = Box::new(Sender { at: sent.iter().map(|at| ms(*at)).collect(), to });
    let program = FlowProgram { host: a, application, start: Time::ZERO, stop: Time::MAX };
    world.flow("f", a, b, vec![program]);
    let mut world = world.build().expect("all ends are joined");
    world.run(ms(100), &AtomicBool::new(false));
    let asked = asked.lock().expect("no queue panics");
    asked.clone()
}

#[test]
fn a_queue_that_wants_idle_polls_is_polled_once_more_when_link_and_queue_are_idle() {
    for at_router in [false, true] {
        let got = asked(fixed(1), at_router, true, &[3, 3, 20]);
        let later = Duration::from_micros(if at_router { 100 } else { 0 });
        let expected = [(3, true), (4, true), (5, false), (20, true), (21, false)];
        assert_eq!(got, expected.map(|(at, some)| (ms(at) + later, some)), "at a router: {at_router}");
    }
}

#[test]
fn other_queues_are_not_polled_when_idle() {
    for at_router in [false, true] {
        let got = asked(fixed(1), at_router, false, &[3, 3, 20]);
        assert_eq!(got.len(), 3, "{got:?}");
        assert!(got.iter().all(|(_, some)| *some));
    }
}

#[test]
fn on_a_trace_the_idle_poll_is_at_the_next_opportunity() {
    // An opportunity each 10 ms; the packet leaves 500 of its 1,504 bytes, which already find the queue empty.
    let trace = Trace::from_opportunities(vec![10, 20, 30, 40]).expect("a trace");
    let link = TraceLink::new(Arc::new(trace)).with_overhead(504);
    let got = asked(Carrier::Other(Box::new(link)), false, true, &[3, 15]);
    assert_eq!(got, [(ms(10), true), (ms(20), true), (ms(30), false)]);
}
