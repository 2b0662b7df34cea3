//! The rules of CAKE's queueing part, from its paper.

use super::*;
use crate::testing::{build_error, packet_with};
use jettison_core::{DropReason, MarkReason, Seed};
use jettison_measure::{NoOutcomes, Tally};
use jettison_wire::{Address, Ecn, Headers, Transport, UdpHeader};
use serde_json::{Value, json};

/// A packet from host 10.0.0.`source` to host 10.1.0.`destination`; `port` identifies the flow.
fn between(source: u8, destination: u8, port: u16, length: u16) -> Packet {
    let mut packet = packet_with(0, length, Ecn::NotEct);
    let transport = Transport::Udp(UdpHeader { src_port: port, dst_port: 9, inline: Default::default() });
    let (src, dst) = (Address::v4(10, 0, 0, source), Address::v4(10, 1, 0, destination));
    *packet.headers_mut().expect("it is a modelled packet") = Headers { src, dst, transport };
    packet
}

/// The same with a DSCP and an id.
fn of_class(dscp: u8, id: u32, port: u16) -> Packet {
    let mut packet = between(1, 1, port, 1500);
    packet.meta.traffic_class = dscp << 2;
    packet.meta.id = id;
    packet
}

fn cake(parameters: CakeParameters) -> Cake {
    let random = Seed(1).stream(&["cake"]);
    Cake::new(&parameters, 7, random).unwrap_or_else(|error| panic!("{error}"))
}

/// Bytes of each of `streams` (source, destination, port) in 10,000 packets from an unlimited backlog, as shares.
fn shares(hosts: HostFairness, streams: &[(u8, u8, u16)]) -> Vec<f64> {
    let mut queue = cake(CakeParameters { hosts, limit: Limit::UNLIMITED, ..Default::default() });
    let add = |queue: &mut Cake, at: usize| {
        let (source, destination, port) = streams[at];
        let mut packet = between(source, destination, port, 1000);
        packet.meta.id = at as u32;
        queue.enqueue(packet, Time::ZERO, &mut NoOutcomes);
    };
    for at in 0..streams.len() {
        (0..20).for_each(|_| add(&mut queue, at));
    }
    let mut sent = vec![0.0; streams.len()];
    for _ in 0..10_000 {
        let at = queue.dequeue(Time::ZERO, &mut NoOutcomes).expect("a backlog").meta.id as usize;
        sent[at] += 1.0 / 10_000.0;
        add(&mut queue, at);
    }
    sent
}

fn close(share: f64, to: f64) -> bool {
    (share - to).abs() < 0.02
}

#[test]
fn flows_share_a_tin_fairly() {
    let sent = shares(HostFairness::Flows, &[(1, 1, 1), (1, 1, 2), (1, 1, 3), (2, 1, 4)]);
    assert!(sent.iter().all(|share| close(*share, 0.25)), "{sent:?}");
}

#[test]
fn source_hosts_share_a_tin_fairly_and_then_their_flows() {
    let sent = shares(HostFairness::Source, &[(1, 1, 1), (1, 1, 2), (1, 1, 3), (2, 1, 4)]);
    assert!(sent[..3].iter().all(|share| close(*share, 1.0 / 6.0)) && close(sent[3], 0.5), "{sent:?}");
}

#[test]
fn destination_hosts_share_a_tin_fairly_and_then_their_flows() {
    let sent = shares(HostFairness::Destination, &[(1, 1, 1), (1, 1, 2), (1, 1, 3), (1, 2, 4)]);
    assert!(sent[..3].iter().all(|share| close(*share, 1.0 / 6.0)) && close(sent[3], 0.5), "{sent:?}");
}

#[test]
fn captured_packets_belong_to_their_hosts_too() {
    // Two hosts with one flow and four: as long as each waits, each host has half.
    let mut queue =
        cake(CakeParameters { hosts: HostFairness::Source, limit: Limit::UNLIMITED, ..Default::default() });
    let mut tally = Tally::default();
    for _ in 0..100 {
        for (source, port) in [(1, 1), (2, 1), (2, 2), (2, 3), (2, 4)] {
            let mut image = Vec::new();
            between(source, 1, port, 1500).write_ip_image(&mut image, usize::MAX);
            let buffer = Box::new(jettison_wire::Buffer { bytes: image, ..Default::default() });
            queue.enqueue(Packet::from_ip_buffer(buffer).unwrap(), Time::ZERO, &mut tally);
        }
    }
    let mut from_first = 0;
    for _ in 0..100 {
        let packet = queue.dequeue(Time::ZERO, &mut tally).unwrap();
        from_first += u32::from(packet.five_tuple().unwrap().src == Address::v4(10, 0, 0, 1));
    }
    assert!((45..=55).contains(&from_first), "{from_first} of 100");
}

#[test]
fn triple_isolation_looks_at_the_busier_host() {
    // One flow each way alone on its hosts; four that share a source; four that share a destination.
    let mut streams = vec![(1, 1, 1)];
    streams.extend((0..4).map(|n| (2, 10 + n, 2)));
    streams.extend((0..4).map(|n| (20 + n, 3, 3)));
    let sent = shares(HostFairness::Triple, &streams);
    assert!(close(sent[0], 1.0 / 3.0), "{sent:?}");
    assert!(sent[1..].iter().all(|share| close(*share, 1.0 / 12.0)), "{sent:?}");
}

#[test]
fn many_flows_of_one_host_do_not_crowd_out_another_host() {
    let mut streams: Vec<_> = (0..100).map(|port| (1, 1, port)).collect();
    streams.push((2, 2, 1));
    let sent = shares(HostFairness::Triple, &streams);
    assert!(close(sent[100], 0.5), "{}", sent[100]);
}

#[test]
fn hardly_any_of_many_flows_share_a_queue() {
    // 8-way set-associative: 300 flows in 1,024 plain buckets would lose about 40 to collisions.
    let mut queue = cake(CakeParameters { tins: Tins::BestEffort, ..Default::default() });
    for port in 0..300 {
        queue.enqueue(between(1, 1, port, 1000), Time::ZERO, &mut NoOutcomes);
    }
    // New flows are served one packet each; a flow that shares a queue has two in it and the second waits.
    let depths: u32 = std::iter::from_fn(|| queue.dequeue(Time::ZERO, &mut NoOutcomes))
        .map(|packet| packet.meta.enq_qdepth.min(1))
        .sum();
    assert!(depths <= 1, "{depths}");
}

#[test]
fn a_new_flow_is_served_before_those_with_a_backlog() {
    let mut queue = cake(CakeParameters::default());
    for id in 0..50 {
        queue.enqueue(of_class(0, id, 1), Time::ZERO, &mut NoOutcomes);
        queue.enqueue(of_class(0, id, 2), Time::ZERO, &mut NoOutcomes);
    }
    for _ in 0..20 {
        queue.dequeue(Time::ZERO, &mut NoOutcomes);
    }
    queue.enqueue(of_class(0, 300, 3), Time::ZERO, &mut NoOutcomes);
    assert_eq!(queue.dequeue(Time::ZERO, &mut NoOutcomes).map(|packet| packet.meta.id), Some(300));
}

#[test]
fn dscps_have_the_tins_of_diffserv4() {
    let tins = diffserv4();
    let of = |name: &str| tins[usize::from(name.parse::<crate::Dscp>().expect("a DSCP").get())];
    for (tin, names) in [
        (0, &["CS1", "1"][..]),
        (1, &["default", "AF11", "AF12", "AF13", "63"]),
        (2, &["CS2", "CS3", "AF21", "AF33", "AF41", "AF43", "4"]),
        (3, &["CS4", "CS5", "CS6", "CS7", "EF", "44"]),
    ] {
        assert!(names.iter().all(|name| of(name) == tin), "{tin}");
    }
}

#[test]
fn backlogged_tins_share_by_weight() {
    let mut queue = cake(CakeParameters { limit: Limit::UNLIMITED, ..Default::default() });
    let classes = [8, 0, 34, 46];
    for n in 0..8000 {
        for (tin, dscp) in classes.iter().enumerate() {
            queue.enqueue(of_class(*dscp, tin as u32, n % 8), Time::ZERO, &mut NoOutcomes);
        }
    }
    let mut sent = [0.0; 4];
    for _ in 0..8000 {
        sent[queue.dequeue(Time::ZERO, &mut NoOutcomes).expect("a backlog").meta.id as usize] += 1.0 / 8000.0;
    }
    for (share, weight) in sent.iter().zip(WEIGHTS) {
        assert!((share - weight as f64 / 29.0).abs() < 0.01, "{sent:?}");
    }
}

#[test]
fn a_voice_packet_waits_for_one_round_of_the_other_tins() {
    let mut queue = cake(CakeParameters::default());
    for n in 0..300 {
        for dscp in [8, 0, 34] {
            queue.enqueue(of_class(dscp, 0, n % 8), Time::ZERO, &mut NoOutcomes);
        }
    }
    for round in 0..50 {
        queue.enqueue(of_class(46, 1, 1), Time::ZERO, &mut NoOutcomes);
        let served = std::iter::from_fn(|| queue.dequeue(Time::ZERO, &mut NoOutcomes));
        let before = served.take_while(|packet| packet.meta.id == 0).count();
        // Two of best effort (14 bytes of credit are left after one), one each of video and bulk.
        assert!(before <= 4, "{before} in round {round}");
    }
}

#[test]
fn one_tin_for_all_ignores_the_dscp() {
    let mut queue = cake(CakeParameters { tins: Tins::BestEffort, ..Default::default() });
    for (id, dscp) in [(0, 8), (1, 0), (2, 46)] {
        queue.enqueue(of_class(dscp, id, 1), Time::ZERO, &mut NoOutcomes);
    }
    let order: Vec<u32> = std::iter::from_fn(|| queue.dequeue(Time::ZERO, &mut NoOutcomes))
        .map(|packet| packet.meta.id)
        .collect();
    assert_eq!(order, [0, 1, 2]);
}

#[test]
fn beyond_the_limit_the_fattest_flow_of_all_tins_loses_at_its_head() {
    let mut queue = cake(CakeParameters { limit: Limit::packets(10), ..Default::default() });
    let mut tally = Tally::default();
    for id in 0..7 {
        queue.enqueue(of_class(46, id, 1), Time::ZERO, &mut tally);
    }
    for id in 10..14 {
        queue.enqueue(of_class(0, id, 2), Time::ZERO, &mut tally);
    }
    assert_eq!(tally.drops, [(0, DropReason::BufferFull, Time::ZERO)]);
}

#[test]
fn each_flow_is_under_codel_and_marked_if_capable() {
    let run = |parameters: Value, ecn: Ecn| {
        let (mut queue, mut tally) = (crate::testing::built(parameters), Tally::default());
        for t in 0..1000u32 {
            let now = Time::from_millis(u64::from(t));
            queue.enqueue(packet_with(t, 1500, ecn), now, &mut tally);
            if t % 2 == 0 {
                queue.dequeue(now, &mut tally);
            }
        }
        tally
    };
    let marked = run(json!("cake"), Ecn::Ect0);
    assert!(marked.drops.is_empty() && marked.marks.len() > 5);
    assert!(marked.marks.iter().all(|mark| mark.1 == MarkReason::CoDel));
    let dropped = run(json!({ "kind": "cake", "ecn": false }), Ecn::Ect0);
    assert!(dropped.marks.is_empty() && dropped.drops.iter().all(|drop| drop.1 == DropReason::CoDel));
    assert!(dropped.drops.len() > 5);
}

#[test]
fn an_unresponsive_sender_is_dropped_by_blue() {
    let (mut queue, mut tally) =
        (crate::testing::built(json!({ "kind": "cake", "limit": "50 packets" })), Tally::default());
    for t in 0..20_000u32 {
        let now = Time::from_millis(u64::from(t));
        queue.enqueue(packet_with(t, 1500, Ecn::Ect0), now, &mut tally);
        if t % 2 == 0 {
            queue.dequeue(now, &mut tally);
        }
    }
    let by = |reason| tally.drops.iter().filter(|drop| drop.1 == reason).count();
    // The load is twice the capacity: in the end BLUE drops the excess, and the buffer no longer overflows.
    assert!(by(DropReason::Blue) > 8000, "{}", by(DropReason::Blue));
    let late = tally.drops.iter().filter(|drop| drop.2 > Time::from_secs(10));
    assert!(late.filter(|drop| drop.1 == DropReason::BufferFull).count() < 200);
}

#[test]
fn an_emptied_tin_forgets_its_flows_and_hosts() {
    let mut queue = cake(CakeParameters::default());
    for port in 0..50 {
        queue.enqueue(between(1, 1, port, 1500), Time::ZERO, &mut NoOutcomes);
        queue.enqueue(between(1, 1, port, 1500), Time::ZERO, &mut NoOutcomes);
    }
    while queue.dequeue(Time::ZERO, &mut NoOutcomes).is_some() {}
    assert_eq!(queue.backlog(), Backlog::default());
    assert!(queue.tins.iter().all(Tin::is_idle));
}

#[test]
fn parameters_out_of_range_are_refused_with_their_key() {
    let error = |key: &str, value: Value| build_error(json!({ "kind": "cake", key: value })).0;
    assert_eq!(error("flows", json!(0)), "flows");
    assert_eq!(error("flows", json!(1023)), "flows");
    assert_eq!(error("flows", json!(65_544)), "flows");
    assert_eq!(error("quantum", json!("15 bytes")), "quantum");
    assert_eq!(error("tins", json!("diffserv9")), "tins");
    assert_eq!(error("hosts", json!("all")), "hosts");
    assert_eq!(error("target", json!("0 ms")), "target");
}
