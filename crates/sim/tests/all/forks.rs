//! Forks: their instant, what they share with the parent, and what refuses.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use jettison_core::{DropReason, Duration, RandomStream, Rate, Seed, Time, fork};
use jettison_measure::Outcomes;
use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use jettison_queue::{Backlog, QueueDiscipline};
use jettison_sim::{
    DirectionSpec, ForkError, Intervention, LinkSpec, NodeId, Replaced, Replacement, Script, Tap, World,
    WorldBuilder,
};
use jettison_tcp::{Endpoint, Payload};
use jettison_wire::Packet;

use super::world::{Log, address, builder, datagram, direction, program, router, tcp};

static NEVER: AtomicBool = AtomicBool::new(false);

/// A discipline that cannot be copied.
struct Unique(TailDrop);

impl Clone for Unique {
    fn clone(&self) -> Unique {
        fork::refuse("it is unique");
        Unique(self.0.clone())
    }
}

impl QueueDiscipline for Unique {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        self.0.enqueue(packet, now, out);
    }
    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        self.0.dequeue(now, out)
    }
    fn backlog(&self) -> Backlog {
        self.0.backlog()
    }
}

/// Two hosts with a router between them. `change` may change the four directions: from `a`, back from `r`, from `r`, back from `b`.
fn path(change: impl FnOnce(&mut [DirectionSpec; 4])) -> (WorldBuilder, [NodeId; 2]) {
    let mut world = builder();
    let (a, b) = (world.host("a", address(1)), world.host("b", address(2)));
    let r = world.router("r", router);
    let make = |name: &str| direction(name, Rate::from_mbit(8), Duration::from_millis(3), Vec::new());
    let mut all = ["near.forward", "near.reverse", "far.forward", "far.reverse"].map(make);
    change(&mut all);
    let [forward, reverse, onward, back] = all;
    world.link(LinkSpec { ends: [a, r], forward, reverse });
    world.link(LinkSpec { ends: [r, b], forward: onward, reverse: back });
    (world, [a, b])
}

/// A world with a TCP transfer from the first host to the second.
fn transfer(change: impl FnOnce(&mut [DirectionSpec; 4])) -> World {
    let (mut world, [a, b]) = path(change);
    let to = Endpoint { address: address(2), port: 9 };
    let send = program(a, &Log::default(), move |_, host| {
        let socket = host.tcp_connect(to, &tcp());
        host.write(socket, Payload::Zeros(400_000));
    });
    let receive = program(b, &Log::default(), |_, host| {
        host.tcp_listen(9, &tcp());
    });
    world.flow("f", a, b, vec![send, receive]);
    world.build().expect("all ends are joined")
}

fn bytes(mut world: World) -> Vec<u8> {
    world.run(Time::from_secs(2), &NEVER);
    world.finish().to_bytes().expect("the series can be read")
}

#[test]
fn a_fork_at_any_instant_is_the_run_itself() {
    let whole = bytes(transfer(|_| {}));
    let mut parent = transfer(|_| {});
    for millis in (0..600).step_by(7) {
        parent.run_before(Time::from_millis(millis), &NEVER);
        let fork = parent.fork().expect("all parts can be copied");
        assert!(bytes(fork) == whole, "forked at {millis} ms");
    }
    assert!(bytes(parent) == whole);
}

#[test]
fn a_stop_before_an_instant_leaves_its_events_to_come() {
    let (mut world, [a, b]) = path(|_| {});
    let to = Endpoint { address: address(2), port: 9 };
    let log = Log::default();
    let send = program(a, &Log::default(), move |_, host| {
        let socket = host.udp_bind(0);
        host.send_to(socket, to, &datagram(958)); // 1,000 bytes on the link: 1 ms and 3 ms of delay, twice
    });
    let receive = program(b, &log, |_, host| {
        host.udp_bind(9);
    });
    world.flow("f", a, b, vec![send, receive]);
    let mut world = world.build().expect("all ends are joined");
    let arrival = Time::from_millis(8);
    world.run_before(arrival, &NEVER);
    let before = world.events();
    assert!(log.lock().unwrap().is_empty() && world.now() < arrival);
    // Once more, or an earlier instant: nothing.
    world.run_before(arrival, &NEVER);
    world.run_before(Time::ZERO, &NEVER);
    assert_eq!((world.events(), world.now()), (before, Time::from_nanos(arrival.as_nanos() - 1)));
    world.run(arrival, &NEVER);
    assert_eq!(log.lock().unwrap()[0].0, arrival);
}

#[test]
fn a_fork_has_no_tap() {
    struct Counting(Arc<AtomicU64>);
    impl Tap for Counting {
        fn transmitted(&mut self, _: &str, _: &Packet, _: Time) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let count = Arc::new(AtomicU64::new(0));
    let mut world = transfer(|directions| directions[2].tapped = true);
    world.set_tap(Box::new(Counting(Arc::clone(&count))));
    world.run(Time::from_millis(100), &NEVER);
    let seen = count.load(Ordering::Relaxed);
    assert!(seen > 10, "{seen}");
    let fork = bytes(world.fork().expect("all parts can be copied"));
    assert_eq!(count.load(Ordering::Relaxed), seen);
    assert!(bytes(world) == fork);
    assert!(count.load(Ordering::Relaxed) > seen);
}

#[test]
fn what_cannot_be_copied_is_named() {
    for (place, name) in
        ["near.forward", "near.reverse", "far.forward", "far.reverse"].into_iter().enumerate()
    {
        let world = transfer(|directions| {
            directions[place].queue = Box::new(Unique(TailDrop::new(TailDropParameters::default())));
        });
        let error = world.fork().err().expect("a queue refuses");
        assert_eq!(error.to_string(), format!("cannot fork: queue `{name}`: it is unique"));
    }
}

#[test]
fn a_world_with_outside_hosts_refuses() {
    let mut world = builder();
    let (a, b) = (world.outside_host("a", address(1)), world.outside_host("b", address(2)));
    let make = |name: &str| direction(name, Rate::from_mbit(8), Duration::from_millis(3), Vec::new());
    world.link(LinkSpec { ends: [a, b], forward: make("f"), reverse: make("r") });
    let world = world.build().expect("all ends are joined");
    assert_eq!(world.fork().err(), Some(ForkError::Outside { host: "a".to_owned() }));
}

/// A discipline that drops packets at random.
#[derive(Clone)]
struct Coin {
    queue: TailDrop,
    random: RandomStream,
}

impl QueueDiscipline for Coin {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        match self.random.chance(0.05) {
            true => out.dropped(packet, DropReason::RedEarly, now),
            false => self.queue.enqueue(packet, now, out),
        }
    }
    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        self.queue.dequeue(now, out)
    }
    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }
}

#[test]
fn a_discipline_that_comes_after_the_fork_draws_as_the_fork_does() {
    let mut parent = transfer(|_| {});
    parent.set_script(Script::watching(None));
    parent.run_before(Time::from_millis(60), &NEVER);
    let with_draw = |draw| {
        let mut fork = parent.fork_with_fresh_draws(draw).expect("all parts can be copied");
        let queue = fork.queue_named("far.forward").expect("it is there");
        let discipline = Replacement::new(|| {
            let queue = TailDrop::new(TailDropParameters::default());
            let random = Seed(1).stream(&["coin"]);
            Replaced { discipline: Box::new(Coin { queue, random }), hooks: None }
        });
        fork.intervene(Intervention::Replace { queue, at: Time::from_millis(80), discipline });
        bytes(fork)
    };
    let all = [0, 1, 2].map(with_draw);
    assert!(all == [0, 1, 2].map(with_draw));
    assert!(all[0] != all[1] && all[1] != all[2] && all[2] != all[0]);
}
