//! Links with packets that overtake, double and break.

use jettison_core::{DropReason, Duration, Rate, Seed, Time};
use jettison_link::{
    ImpairmentParameters, Impairments, JitterChoice, OccurrenceChoice, Propagation, ReorderChoice, Share,
};
use jettison_measure::{RunRecord, metrics};
use jettison_sim::{DirectionSpec, LinkSpec, NodeId, WorldBuilder};
use jettison_sockets::SocketEvent;
use jettison_tcp::{Endpoint, Payload};

use super::world::{Log, address, builder, datagram, direction, program, router, run, tcp};

fn share(value: f64) -> Option<jettison_link::OccurrenceParameters> {
    Share::new(value).map(|share| OccurrenceChoice::Share(share).parameters())
}

fn reorder(probability: f64, gap: u32) -> Option<jettison_link::ReorderParameters> {
    let share = ReorderChoice::Share(Share::new(probability).expect("a share")).parameters();
    Some(jettison_link::ReorderParameters { gap, ..share })
}

/// A direction with these impairments.
fn impaired(name: &str, rate: Rate, delay: Duration, parameters: &ImpairmentParameters) -> DirectionSpec {
    let random = |what: &str| Seed(1).stream(&[name, what]);
    let impairments = Impairments::new(parameters, delay, &random).expect("right");
    DirectionSpec {
        impairments: Some(impairments),
        propagation: Propagation::new(delay),
        ..direction(name, rate, delay, Vec::new())
    }
}

/// A link whose forward direction has these impairments, as has the reverse one with `both`.
fn link(
    world: &mut WorldBuilder,
    ends: [NodeId; 2],
    delay: Duration,
    parameters: &ImpairmentParameters,
    both: bool,
) {
    let rate = Rate::from_mbit(8);
    let forward = impaired("l.forward", rate, delay, parameters);
    let reverse = match both {
        true => impaired("l.reverse", rate, delay, parameters),
        false => direction("l.reverse", rate, delay, Vec::new()),
    };
    world.link(LinkSpec { ends, forward, reverse });
}

/// Sends datagrams of 1,000 to 1,009 bytes on the link at once; returns the lengths of the payloads with their arrivals.
fn ten_datagrams(parameters: &ImpairmentParameters, delay: Duration) -> (Vec<(Time, u16)>, RunRecord) {
    let (mut world, log) = (builder(), Log::default());
    let (a, b) = (world.host("a", address(1)), world.host("b", address(2)));
    link(&mut world, [a, b], delay, parameters, false);
    let to = Endpoint { address: address(2), port: 9 };
    let send = program(a, &Log::default(), move |_, host| {
        let socket = host.udp_bind(0);
        (0..10).for_each(|n| host.send_to(socket, to, &datagram(958 + n)));
    });
    let receive = program(b, &log, |_, host| {
        host.udp_bind(9);
    });
    world.flow("f", a, b, vec![send, receive]);
    let record = run(world);
    let log = log.lock().expect("no test panicked");
    let arrivals = log.iter().map(|(time, event)| match event {
        SocketEvent::Datagram { datagram, .. } => (*time, datagram.length - 958),
        other => panic!("{other:?}"),
    });
    (arrivals.collect(), record)
}

#[test]
fn every_third_packet_overtakes_those_in_flight() {
    let parameters = ImpairmentParameters { reorder: reorder(1.0, 3), ..Default::default() };
    let (arrivals, _) = ten_datagrams(&parameters, Duration::from_micros(2_500));
    let order: Vec<u16> = arrivals.iter().map(|(_, number)| *number).collect();
    // Packets leave 1 ms apart: numbers 2, 5 and 8 skip 2.5 ms, and so overtake two.
    assert_eq!(order, [2, 0, 1, 5, 3, 4, 8, 6, 7, 9]);
    assert!(arrivals.is_sorted_by_key(|(time, _)| *time));
    let third = arrivals[0].0;
    assert_eq!(third.as_nanos() / 1_000, 3_003, "two of 1,000, 1,001 and 1,002 bytes at 8 Mbit/s");
    assert_eq!(arrivals[1].0.as_nanos() / 1_000, 3_500);
}

#[test]
fn a_copy_arrives_right_behind_its_packet() {
    let parameters = ImpairmentParameters { duplicate: share(1.0), ..Default::default() };
    let (arrivals, record) = ten_datagrams(&parameters, Duration::from_millis(2));
    let order: Vec<u16> = arrivals.iter().map(|(_, number)| *number).collect();
    assert_eq!(order, (0..20).map(|n| n / 2).collect::<Vec<u16>>());
    assert!(arrivals.chunks(2).all(|pair| pair[0].0 == pair[1].0));
    assert_eq!(
        record.summary_value("l.forward", metrics::PACKETS).unwrap().mean,
        10.0,
        "copies take no time"
    );
}

#[test]
fn a_corrupted_packet_crosses_routers_and_is_dropped_by_the_host() {
    let (mut world, log) = (builder(), Log::default());
    let (a, b) = (world.host("a", address(1)), world.host("b", address(2)));
    let r = world.router("r", router);
    let parameters = ImpairmentParameters { corrupt: share(1.0), ..Default::default() };
    let delay = Duration::from_millis(1);
    link(&mut world, [a, r], delay, &parameters, false);
    let rate = Rate::from_mbit(8);
    let forward = direction("m.forward", rate, delay, Vec::new());
    let reverse = direction("m.reverse", rate, delay, Vec::new());
    world.link(LinkSpec { ends: [r, b], forward, reverse });
    let to = Endpoint { address: address(2), port: 9 };
    let send = program(a, &Log::default(), move |_, host| {
        let socket = host.udp_bind(0);
        (0..4).for_each(|n| host.send_to(socket, to, &datagram(958 + n)));
    });
    let receive = program(b, &log, |_, host| {
        host.udp_bind(9);
    });
    world.flow("f", a, b, vec![send, receive]);
    let record = run(world);
    assert!(log.lock().unwrap().is_empty());
    assert_eq!(record.summary_value("m.forward", metrics::PACKETS).unwrap().mean, 4.0);
    assert_eq!(record.drops.len(), 4);
    assert!(
        record.drops.iter().map(Result::unwrap).all(|drop| drop.drop_reason() == Some(DropReason::Corrupted))
    );
}

#[test]
fn tcp_completes_over_reordering_copies_and_corruption() {
    let (mut world, log) = (builder(), Log::default());
    let (a, b) = (world.host("a", address(1)), world.host("b", address(2)));
    let parameters = ImpairmentParameters {
        jitter: None,
        reorder: reorder(0.05, 1),
        duplicate: share(0.05),
        corrupt: share(0.01),
    };
    link(&mut world, [a, b], Duration::from_millis(10), &parameters, true);
    let to = Endpoint { address: address(2), port: 80 };
    let send = program(a, &Log::default(), move |_, host| {
        let socket = host.tcp_connect(to, &tcp());
        host.write(socket, Payload::Zeros(1_000_000));
        host.close(socket);
    });
    let receive = program(b, &log, |_, host| {
        host.tcp_listen(80, &tcp());
    });
    world.flow("f", a, b, vec![send, receive]);
    let record = run(world);
    let goodput = record.summary_value("f", metrics::GOODPUT).unwrap().mean;
    assert_eq!((goodput * 5e6 / 8.0).round(), 1_000_000.0);
    assert!(log.lock().unwrap().iter().any(|(_, event)| matches!(event, SocketEvent::PeerClosed(_))));
    assert!(
        record.drops.iter().map(Result::unwrap).any(|drop| drop.drop_reason() == Some(DropReason::Corrupted))
    );
}

/// Retransmissions of a transfer of 1 MB over a link of that reordering alone.
fn retransmits(reordering: ImpairmentParameters) -> f64 {
    let mut world = builder();
    let (a, b) = (world.host("a", address(1)), world.host("b", address(2)));
    link(&mut world, [a, b], Duration::from_millis(20), &reordering, false);
    let to = Endpoint { address: address(2), port: 80 };
    let send = program(a, &Log::default(), move |_, host| {
        let socket = host.tcp_connect(to, &tcp());
        host.write(socket, Payload::Zeros(1_000_000));
        host.close(socket);
    });
    let receive = program(b, &Log::default(), |_, host| {
        host.tcp_listen(80, &tcp());
    });
    world.flow("f", a, b, vec![send, receive]);
    let record = run(world);
    let goodput = record.summary_value("f", metrics::GOODPUT).expect("goodput").mean;
    assert_eq!((goodput * 5e6 / 8.0).round(), 1_000_000.0);
    record.summary_value("f", metrics::RETRANSMITS).expect("retransmits").mean
}

#[test]
fn racks_window_adapts_to_reordering() {
    // Jitter of 2 ms reorders about half of the packets. RACK learns how late they come (RFC 8985 §7.2), so few of the 700
    // segments are sent again.
    let deviation = Duration::from_millis(2);
    let jitter = JitterChoice::Deviation(deviation).parameters();
    let free = jettison_link::JitterParameters { reorder: true, ..jitter.clone() };
    let again = retransmits(ImpairmentParameters { jitter: Some(free), ..Default::default() });
    assert!(again < 70.0, "{again}");
    let ordered = ImpairmentParameters { jitter: Some(jitter), ..Default::default() };
    assert_eq!(retransmits(ordered), 0.0);
}
