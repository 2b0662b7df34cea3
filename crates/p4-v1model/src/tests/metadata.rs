//! `standard_metadata` fields written by the architecture, and the random streams of `random`.

use std::sync::{Arc, Mutex};

use jettison_core::{Duration, Seed, Time};

use super::*;
use crate::testing::*;
use jettison_p4_exec::Standard;
use jettison_switch::{Service, ServiceSettings};

#[test]
fn times_are_in_microseconds_and_depths_in_packets_without_the_packet_itself() {
    let mut world = World::new(|state, _| state.send_to(1), nothing);
    for nanos in [5_000_900, 5_001_100, 5_003_999] {
        world.arrive(2, frame(&[1, 2, 3]), Time::from_nanos(nanos));
    }
    world.transmit(1, Time::from_nanos(9_000_000));
    world.transmit(1, Time::from_nanos(9_000_999));
    let states = world.seen(At::Egress);
    let read = |field| states.iter().map(|state| state.get(field)).collect::<Vec<_>>();
    assert_eq!(read(Standard::IngressGlobalTimestamp), [5_000, 5_001]);
    assert_eq!(read(Standard::EnqTimestamp), [5_000, 5_001]);
    assert_eq!(read(Standard::EgressGlobalTimestamp), [9_000, 9_000]);
    assert_eq!(read(Standard::DeqTimedelta), [4_000, 3_999], "the difference of whole microseconds");
    assert_eq!((read(Standard::EnqQdepth), read(Standard::DeqQdepth)), (vec![0, 1], vec![2, 1]));
    assert_eq!((read(Standard::PacketLength), read(Standard::EgressPort)), (vec![17; 2], vec![1; 2]));
    assert_eq!((read(Standard::IngressPort), read(Standard::EgressSpec)), (vec![2; 2], vec![0; 2]));
}

#[test]
fn with_a_service_model_the_times_are_those_of_the_stages() {
    let mut plan = plan(empty_program());
    let micros = Duration::from_micros;
    let settings = ServiceSettings {
        receive: micros(10),
        ingress: micros(40),
        egress: micros(30),
        transmit: micros(20),
        ..ServiceSettings::default()
    };
    plan.service = Some(Service::new(settings, Seed(1).stream(&["service"])));
    let mut world = World::of(plan, 14, |state, _| state.send_to(1), nothing);
    world.arrive(2, frame(&[1, 2, 3]), Time::from_micros(5_000));
    world.wake(Time::from_micros(6_000));
    let state = &world.seen(At::Egress)[0];
    assert_eq!(state.get(Standard::IngressGlobalTimestamp), 5_000);
    assert_eq!(state.get(Standard::EnqTimestamp), 5_050);
    assert_eq!(state.get(Standard::EgressGlobalTimestamp), 5_050);
    assert_eq!(world.sent(1, Time::from_micros(6_000)).len(), 1);
}

#[test]
fn depths_are_those_of_the_packets_own_priority() {
    let mut plan = plan(empty_program());
    plan.ports[0] = bmv2(2, 64);
    let mut world = World::of(
        plan,
        14,
        |state, _| state.set(Standard::Priority, u64::from(state.header[0] & 1)),
        nothing,
    );
    for first in [0, 0, 0, 1, 1] {
        let mut bytes = image(&frame(&[]));
        bytes[0] = first;
        world.arrive(0, jettison_wire::Packet::from_frame(bytes), T);
    }
    assert_eq!(world.sent(0, T).len(), 5);
    let depths: Vec<(u64, u64)> = world
        .seen(At::Egress)
        .iter()
        .map(|state| (state.get(Standard::EnqQdepth), state.get(Standard::DeqQdepth)))
        .collect();
    assert_eq!(depths, [(0, 1), (1, 0), (0, 2), (1, 1), (2, 0)]);
}

#[test]
fn the_length_of_a_modelled_packet_is_its_ip_length_and_an_ethernet_header() {
    let mut world = World::new(nothing, nothing);
    world.arrive(0, udp(1000), T);
    assert_eq!(world.seen(At::Parser)[0].get(Standard::PacketLength), 14 + 20 + 8 + 1000);
}

#[test]
fn a_parser_error_is_recorded_and_drops_nothing() {
    let mut world = World::new(
        |state, _| {
            assert_eq!(state.get(Standard::ParserError), 1);
            state.send_to(1);
        },
        nothing,
    );
    world.arrive(0, jettison_wire::Packet::from_frame(vec![0x5a]), T);
    assert_eq!(world.sent(1, T), [vec![0x5a]]);
    assert_eq!(world.switch.simple_switch().counters().parser_errors, 1);
}

#[test]
fn ingress_and_each_ports_egress_have_their_own_random_streams() {
    let drawn = Arc::new(Mutex::new(Vec::new()));
    let (a, b) = (drawn.clone(), drawn.clone());
    let note = |list: &Mutex<Vec<(&'static str, u64)>>, who, value| {
        list.lock().expect("no panic").push((who, value))
    };
    let mut world = World::new(
        move |state, plane| {
            state.send_to(u64::from(state.header[0]));
            note(&a, "ingress", plane.random.uniform(0, u64::MAX));
        },
        move |state, plane| {
            let who = if state.get(Standard::EgressPort) == 1 { "1" } else { "2" };
            note(&b, who, plane.random.uniform(0, u64::MAX));
        },
    );
    for port in [1, 2, 1] {
        let mut bytes = image(&frame(&[]));
        bytes[0] = port;
        world.arrive(0, jettison_wire::Packet::from_frame(bytes), T);
        world.transmit(u16::from(port), T);
    }
    // The stream names of these tests' plan.
    let mut streams = ["ingress", "1", "2"].map(|name| (name, Seed(1).stream(&["switch", name])));
    let mut next = |who| {
        let (_, stream) = streams.iter_mut().find(|(name, _)| *name == who).expect("it is one of them");
        (who, stream.uniform(0, u64::MAX))
    };
    let expected = ["ingress", "1", "ingress", "2", "ingress", "1"].map(&mut next);
    assert_eq!(*drawn.lock().expect("no panic"), expected);
}
