//! iRED with `culprit`: drops packets of the flow with the largest backlog.

use jettison_core::Seed;
use jettison_wire::{Address, Headers, Transport, UdpHeader};

use super::*;
use crate::testing::{Bench, fifo};
use crate::{Departure, Pipeline, Port, PortConfig, RecirculationSettings, Routes, Switch};

/// A packet of flow `flow`.
fn of(flow: u16, id: u32) -> Packet {
    let transport = Transport::Udp(UdpHeader { src_port: flow, dst_port: 9, inline: Default::default() });
    let headers = Headers { src: Address::v4(10, 0, 0, 1), dst: Address::v4(10, 0, 0, 2), transport };
    let mut packet = Packet::model(headers, 1472);
    packet.meta.id = id;
    packet
}

/// A switch that clones packets with an average depth above 2 packets; its queue is limited to `limit` packets.
fn bench(limit: u64, culprit: bool) -> Bench<Pipeline<crate::Forwarding>> {
    let parameters = IredParameters {
        buffer: Packets(4),
        n: 1,
        numerator: Some(0),
        clone_path: ClonePath::Direct,
        culprit,
        ..IredParameters::default()
    };
    let hooks = Ired::new(&parameters, Seed(1).stream(&["ired"])).expect("the parameters are valid");
    let mut routes = Routes::new();
    routes.add_prefix("0.0.0.0/0".parse().expect("it is a prefix"), Port(0));
    let port = PortConfig { discipline: fifo(limit), hooks: Some(Box::new(hooks)) };
    Bench::new(Pipeline::native(routes, vec![port], RecirculationSettings::default()))
}

fn at(micros: u64) -> Time {
    Time::from_micros(micros)
}

/// Enqueues a packet of each of `flows` and transmits until the first clone is back at ingress, at 10 µs.
fn until_a_clone_is_back(bench: &mut Bench<impl Switch>, flows: &[u16]) {
    for (id, flow) in flows.iter().enumerate() {
        bench.arrive(0, of(*flow, id as u32), Time::ZERO);
    }
    while bench.switch.port_counters(Port(0)).clones == 0 {
        bench.transmit(0, Time::ZERO);
    }
    bench.wake(at(10));
}

fn dropped(bench: &Bench<impl Switch>) -> Vec<u32> {
    let flags = bench.sink.drops.iter().filter(|drop| drop.reason == DropReason::IredFlag);
    flags.map(|drop| drop.id).collect()
}

#[test]
fn ingress_drops_a_packet_of_the_flow_with_the_largest_backlog() {
    let mut bench = bench(100, true);
    // The fourth departure makes the clone; then flow 7 has three packets in the queue and flow 5 has one.
    until_a_clone_is_back(&mut bench, &[5, 5, 5, 5, 7, 7, 5, 7]);
    bench.arrive(0, of(5, 100), at(11));
    bench.arrive(0, of(6, 101), at(11));
    bench.arrive(0, of(7, 102), at(11));
    bench.arrive(0, of(7, 103), at(11));
    assert_eq!(dropped(&bench), [102]);
}

#[test]
fn plain_ired_drops_whatever_comes_next() {
    let mut bench = bench(100, false);
    until_a_clone_is_back(&mut bench, &[5, 5, 5, 5, 7, 7, 5, 7]);
    bench.arrive(0, of(5, 100), at(11));
    bench.arrive(0, of(7, 102), at(11));
    assert_eq!(dropped(&bench), [100]);
}

#[test]
fn the_flag_waits_for_the_culprit_however_late_it_comes() {
    let mut bench = bench(100, true);
    until_a_clone_is_back(&mut bench, &[5, 5, 5, 5, 7, 7]);
    while let Some(Departure::Transmit(_)) = bench.poll(0, at(11)) {}
    bench.wake(at(30));
    bench.arrive(0, of(5, 101), at(40));
    bench.arrive(0, of(7, 102), at(4_000_000));
    bench.arrive(0, of(7, 103), at(4_000_000));
    assert_eq!(dropped(&bench), [102]);
}

#[test]
fn packets_dropped_by_the_queue_do_not_count() {
    let mut bench = bench(6, true);
    // Flow 7 sends most, but the full queue accepts only two of its packets.
    until_a_clone_is_back(&mut bench, &[5, 5, 5, 5, 7, 5, 7, 7, 7, 7, 7]);
    assert_eq!(bench.sink.drops.iter().filter(|drop| drop.reason == DropReason::BufferFull).count(), 5);
    // Each flow has one packet in the queue. Among equals, the one that reached this count last is the culprit.
    bench.arrive(0, of(7, 100), at(11));
    bench.arrive(0, of(5, 101), at(11));
    assert_eq!(dropped(&bench), [101]);
}

#[test]
fn the_number_of_flow_slots_is_checked() {
    for flow_slots in [0, (1 << 20) + 1] {
        let parameters = IredParameters { flow_slots, ..IredParameters::default() };
        assert_eq!(
            Ired::new(&parameters, Seed(1).stream(&["ired"])).err().map(|e| e.path),
            Some(vec!["flow_slots".to_owned()])
        );
    }
}

#[test]
fn each_culprit_has_a_flag_of_its_own() {
    let mut bench = bench(100, true);
    until_a_clone_is_back(&mut bench, &[5, 5, 5, 5, 7, 7, 8, 8, 8, 8]);
    // Flow 8 is flagged. Now flow 7 gets the largest backlog, and the next departure flags it as well.
    for id in 20..26 {
        bench.arrive(0, of(7, id), at(11));
    }
    bench.transmit(0, at(11));
    bench.wake(at(20));
    bench.arrive(0, of(8, 101), at(21));
    bench.arrive(0, of(7, 102), at(21));
    bench.arrive(0, of(8, 103), at(21));
    assert_eq!(dropped(&bench), [101, 102]);
}

#[test]
fn a_flow_whose_flag_is_up_or_coming_is_not_selected_again() {
    let mut bench = bench(100, true);
    until_a_clone_is_back(&mut bench, &[7; 12]);
    for _ in 0..4 {
        bench.transmit(0, at(11));
    }
    assert_eq!(bench.switch.counters().clones, 1);
    // After a drop has cleared the flag, the next departure selects the flow again.
    bench.arrive(0, of(7, 100), at(12));
    bench.transmit(0, at(12));
    assert_eq!((dropped(&bench), bench.switch.counters().clones), (vec![100], 2));
}

#[test]
fn a_flow_whose_clone_was_lost_can_be_selected_again() {
    // Clones pass through the queue, which drops them while it is full.
    let parameters =
        IredParameters { buffer: Packets(4), n: 1, numerator: Some(0), culprit: true, ..Default::default() };
    let mut hooks = Ired::new(&parameters, Seed(1).stream(&["ired"])).unwrap();
    let full = QueueReading { enq_qdepth: 50, ..Default::default() };
    for id in 0..5 {
        assert_eq!(hooks.admit(&mut of(7, id), at(0)), Ok(0));
    }
    let first =
        hooks.handle_departure(&mut of(7, 0), &full, at(1)).feedback.expect("it is above the threshold");
    assert_eq!(hooks.handle_departure(&mut of(7, 1), &full, at(1)).feedback, None);
    hooks.feedback_lost(first);
    assert_eq!(hooks.handle_departure(&mut of(7, 2), &full, at(1)).feedback, Some(first));
    assert_eq!(hooks.admit(&mut of(7, 9), at(2)), Ok(0));
}
