//! The rules of CAKE's queueing.

use super::*;
use crate::testing::packet_with;
use jettison_core::{Bytes, DropReason, Duration, MarkReason, Seed};
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

/// More memory than a test needs.
const AMPLE: Option<Bytes> = Some(Bytes::new(1 << 40));

fn cake(parameters: CakeParameters) -> Cake {
    let random = Seed(1).stream(&["cake"]);
    Cake::new(&parameters, 7, random).unwrap_or_else(|error| panic!("{error}"))
}

/// Bytes of each of `streams` (source, destination, port) in 10,000 packets from an unlimited backlog, as shares.
fn shares(isolation: Isolation, streams: &[(u8, u8, u16)]) -> Vec<f64> {
    let mut queue = cake(CakeParameters { isolation, memlimit: AMPLE, ..Default::default() });
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
    let sent = shares(Isolation::Flows, &[(1, 1, 1), (1, 1, 2), (1, 1, 3), (2, 1, 4)]);
    assert!(sent.iter().all(|share| close(*share, 0.25)), "{sent:?}");
}

#[test]
fn source_hosts_share_a_tin_fairly_and_then_their_flows() {
    let sent = shares(Isolation::DualSrchost, &[(1, 1, 1), (1, 1, 2), (1, 1, 3), (2, 1, 4)]);
    assert!(sent[..3].iter().all(|share| close(*share, 1.0 / 6.0)) && close(sent[3], 0.5), "{sent:?}");
}

#[test]
fn destination_hosts_share_a_tin_fairly_and_then_their_flows() {
    let sent = shares(Isolation::DualDsthost, &[(1, 1, 1), (1, 1, 2), (1, 1, 3), (1, 2, 4)]);
    assert!(sent[..3].iter().all(|share| close(*share, 1.0 / 6.0)) && close(sent[3], 0.5), "{sent:?}");
}

#[test]
fn captured_packets_belong_to_their_hosts_too() {
    // Two hosts with one flow and four: as long as each waits, each host has half.
    let mut queue =
        cake(CakeParameters { isolation: Isolation::DualSrchost, memlimit: AMPLE, ..Default::default() });
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
    let sent = shares(Isolation::TripleIsolate, &streams);
    assert!(close(sent[0], 1.0 / 3.0), "{sent:?}");
    assert!(sent[1..].iter().all(|share| close(*share, 1.0 / 12.0)), "{sent:?}");
}

#[test]
fn many_flows_of_one_host_do_not_crowd_out_another_host() {
    let mut streams: Vec<_> = (0..100).map(|port| (1, 1, port)).collect();
    streams.push((2, 2, 1));
    let sent = shares(Isolation::TripleIsolate, &streams);
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
fn backlogged_tins_share_by_weight() {
    let mut queue = cake(CakeParameters { tins: Tins::Diffserv4, memlimit: AMPLE, ..Default::default() });
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
    for (share, weight) in sent.iter().zip([1, 16, 8, 4]) {
        assert!((share - f64::from(weight) / 29.0).abs() < 0.01, "{sent:?}");
    }
}

#[test]
fn a_voice_packet_waits_for_one_round_of_the_other_tins() {
    let mut queue = cake(CakeParameters { tins: Tins::Diffserv4, ..Default::default() });
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

/// Sends whatever may leave until `until`, as a link that is never busy; returns times and packets.
fn run(queue: &mut Cake, until: Time, out: &mut Tally) -> Vec<(Time, Packet)> {
    let (mut sent, mut now) = (Vec::new(), Time::ZERO);
    while now <= until {
        while let Some(packet) = queue.dequeue(now, out) {
            sent.push((now, packet));
        }
        match queue.next_wakeup() {
            Some(next) => now = next,
            None => break,
        }
        queue.handle_wakeup(now, out);
    }
    sent
}

fn shaped(tins: Tins) -> CakeParameters {
    CakeParameters {
        bandwidth: Some(Rate::from_mbit(10)),
        tins,
        memlimit: AMPLE,
        rtt: Rtt(Duration::from_secs(3_600)),
        ..Default::default()
    }
}

#[test]
fn the_shaper_counts_bytes_on_the_wire_without_a_burst() {
    for (overhead, wire) in [("raw", 1514), ("8 bytes, atm", 1696), ("pppoe-ptm", 1554), ("0 bytes", 1500)] {
        let overhead = overhead.parse().expect("valid");
        let mut queue = cake(CakeParameters { overhead, ..shaped(Tins::BestEffort) });
        let mut tally = Tally::default();
        (0..100).for_each(|id| queue.enqueue(of_class(0, id, 1), Time::ZERO, &mut tally));
        let sent = run(&mut queue, Time::from_secs(1), &mut tally);
        assert_eq!(sent.len(), 100);
        for (n, (at, _)) in sent.iter().enumerate() {
            let exact = n as u64 * wire * 800;
            assert!(exact.abs_diff(at.as_nanos()) <= 1, "{overhead}: {n} at {at:?}");
        }
        assert_eq!(queue.next_wakeup(), None);
    }
}

#[test]
fn an_idle_shaper_saves_nothing_up() {
    let mut queue = cake(shaped(Tins::Diffserv3));
    let mut tally = Tally::default();
    queue.enqueue(of_class(0, 0, 1), Time::ZERO, &mut tally);
    assert!(queue.dequeue(Time::ZERO, &mut tally).is_some());
    let late = Time::from_secs(1);
    (1..4).for_each(|id| queue.enqueue(of_class(0, id, 1), late, &mut tally));
    assert!(queue.dequeue(late, &mut tally).is_some());
    assert!(queue.dequeue(late, &mut tally).is_none());
    assert_eq!(queue.next_wakeup(), Some(late + Duration::from_nanos(1_211_200)));
}

/// Shares of the rate that the classes with these DSCPs get if all have a backlog.
fn shaped_shares(tins: Tins, dscps: &[u8]) -> Vec<f64> {
    let mut queue = cake(shaped(tins));
    let mut tally = Tally::default();
    for n in 0..9000 {
        for (id, dscp) in dscps.iter().enumerate() {
            queue.enqueue(of_class(*dscp, id as u32, n % 4), Time::ZERO, &mut tally);
        }
    }
    let sent = run(&mut queue, Time::from_secs(10), &mut tally);
    let of = |id: usize| sent.iter().filter(|(_, packet)| packet.meta.id as usize == id).count();
    (0..dscps.len()).map(|id| of(id) as f64 / sent.len() as f64).collect()
}

#[test]
fn tins_below_their_thresholds_go_first_by_priority() {
    let near = |ours: &[f64], expected: &[f64], tolerance: f64| {
        let far = ours.iter().zip(expected).any(|(ours, expected)| (ours - expected).abs() > tolerance);
        assert!(!far, "{ours:?} and {expected:?}");
    };
    // Bulk, best effort, video, voice. Linux 6.1: 0.0626, 0.186, 0.501, 0.2506.
    near(&shaped_shares(Tins::Diffserv4, &[8, 0, 34, 46]), &[0.0625, 0.1875, 0.5, 0.25], 0.002);
    near(&shaped_shares(Tins::Diffserv4, &[0, 46]), &[0.75, 0.25], 0.002);
    near(&shaped_shares(Tins::Diffserv4, &[8, 0]), &[0.0625, 0.9375], 0.002);
    near(&shaped_shares(Tins::Diffserv3, &[8, 0, 46]), &[0.0625, 0.6875, 0.25], 0.002);
    // Both are above their thresholds. Linux 6.1: 0.7085, 0.2915.
    near(&shaped_shares(Tins::Diffserv4, &[34, 46]), &[0.69, 0.31], 0.03);
    // The upper tins use up the rate: thresholds of 0.393, 0.449 and 0.513.
    near(&shaped_shares(Tins::Diffserv8, &[0, 16, 46, 48]), &[0.0, 0.158, 0.449, 0.393], 0.003);
}

#[test]
fn a_new_rate_holds_from_the_next_packet_on() {
    let mut queue = cake(shaped(Tins::Diffserv3));
    let mut tally = Tally::default();
    (0..4).for_each(|id| queue.enqueue(of_class(0, id, 1), Time::ZERO, &mut tally));
    let set = |queue: &mut Cake, rate| {
        queue.reconfigure(&QueueChange { class: None, setting: QueueSetting::Bandwidth(rate) })
    };
    assert!(queue.dequeue(Time::ZERO, &mut tally).is_some());
    assert!(set(&mut queue, Rate::from_mbit(1)) && !set(&mut queue, Rate::ZERO));
    let due = Time::from_nanos(1_211_200);
    assert!(queue.dequeue(due, &mut tally).is_some() && queue.dequeue(due, &mut tally).is_none());
    assert_eq!(queue.next_wakeup(), Some(due + Duration::from_nanos(12_112_000)));
    assert_eq!(queue.tins[2].quantum, 300);
    // Without a shaper there is no rate to set.
    assert!(!set(&mut cake(CakeParameters::default()), Rate::from_mbit(1)));
}

#[test]
fn washing_clears_the_dscp_behind_the_tins_and_keeps_ecn() {
    let parameters = CakeParameters { wash: true, tins: Tins::Diffserv4, ..Default::default() };
    let mut queue = cake(parameters);
    let mut packet = of_class(46, 1, 1);
    packet.meta.traffic_class |= Ecn::Ect1 as u8;
    let mut image = Vec::new();
    packet.write_ip_image(&mut image, usize::MAX);
    let buffer = Box::new(jettison_wire::Buffer { bytes: image, ..Default::default() });
    for packet in [packet, Packet::from_ip_buffer(buffer).expect("a packet")] {
        queue.enqueue(packet, Time::ZERO, &mut NoOutcomes);
        assert_eq!(queue.tins[3].backlog().packets, 1);
        let sent = queue.dequeue(Time::ZERO, &mut NoOutcomes).expect("it waits");
        assert_eq!((sent.dscp(), sent.ecn()), (0, Ecn::Ect1));
        if let Body::Buffer(buffer) = &sent.body {
            assert_eq!(buffer.ip()[1], Ecn::Ect1 as u8);
        }
    }
}

#[test]
fn each_isolation_has_its_queues() {
    let streams = [(1, 1, 1), (1, 1, 2), (1, 2, 3), (2, 1, 4)];
    for (isolation, shares_of) in [
        (Isolation::Srchost, [1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0, 0.5]),
        (Isolation::Dsthost, [1.0 / 6.0, 1.0 / 6.0, 0.5, 1.0 / 6.0]),
        (Isolation::Hosts, [1.0 / 6.0, 1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0]),
        (Isolation::Flowblind, [0.25; 4]),
        (Isolation::Flows, [0.25; 4]),
    ] {
        let sent = shares(isolation, &streams);
        assert!(sent.iter().zip(shares_of).all(|(a, b)| close(*a, b)), "{isolation:?}: {sent:?}");
    }
    let mut blind = cake(CakeParameters { isolation: Isolation::Flowblind, ..Default::default() });
    for (source, destination, port) in streams {
        blind.enqueue(between(source, destination, port, 100), Time::ZERO, &mut NoOutcomes);
    }
    assert_eq!(blind.tins[1].active().count(), 1);
}

#[test]
fn hosts_behind_a_nat_share_by_their_own_addresses() {
    // All packets have the router's address; three flows are of inside host 0, one of host 1.
    let sent = |nat: bool| {
        let isolation = Isolation::DualSrchost;
        let mut queue = cake(CakeParameters { nat, isolation, memlimit: AMPLE, ..Default::default() });
        let mut sent = [0.0; 4];
        for _ in 0..400 {
            for (port, host) in [0, 0, 0, 1].into_iter().enumerate() {
                let mut packet = between(9, 1, port as u16, 1000);
                packet.set_inside(Some(jettison_wire::Inside { host, is_source: true }));
                packet.meta.id = port as u32;
                queue.enqueue(packet, Time::ZERO, &mut NoOutcomes);
            }
        }
        for _ in 0..400 {
            let packet = queue.dequeue(Time::ZERO, &mut NoOutcomes).expect("a backlog");
            sent[packet.meta.id as usize] += 1.0 / 400.0;
        }
        sent
    };
    assert!(close(sent(true)[3], 0.5) && close(sent(false)[3], 0.25));
}

#[test]
fn in_ingress_mode_dropped_packets_use_the_rate_too() {
    let carried = |ingress: bool| {
        let parameters = CakeParameters { ingress, limit: Limit::packets(50), ..shaped(Tins::BestEffort) };
        let (mut queue, mut tally, mut sent) = (cake(parameters), Tally::default(), 0);
        // 1,000 packets of 1,514 bytes per second are 12.1 Mbit/s; the shaper has 10.
        for n in 0..4_000u64 {
            let now = Time::from_millis(n);
            queue.enqueue(of_class(0, n as u32, 1), now, &mut tally);
            while queue.dequeue(now, &mut tally).is_some() {
                sent += 1;
            }
        }
        (f64::from(sent) / 4.0, tally.drops.len())
    };
    let (egress, _) = carried(false);
    let (ingress, drops) = carried(true);
    assert!((egress - 825.6).abs() < 2.0, "{egress}");
    // What is dropped and what is sent together have the rate.
    assert!(ingress < egress - 100.0 && drops > 400, "{ingress} and {drops}");
    assert!((ingress + drops as f64 / 4.0 - 825.6).abs() < 200.0);
}

#[test]
fn memory_is_limited_as_linux_counts_it() {
    let mut queue = cake(CakeParameters { memlimit: Some(Bytes::new(10 * 2304)), ..Default::default() });
    let mut tally = Tally::default();
    for id in 0..12 {
        queue.enqueue(of_class(0, id, 1), Time::ZERO, &mut tally);
    }
    assert_eq!(queue.backlog().packets, 10);
    let dropped: Vec<u32> = tally.drops.iter().map(|drop| drop.0).collect();
    assert_eq!(dropped, [0, 1]);
    assert!(tally.drops.iter().all(|drop| drop.1 == DropReason::BufferFull));
}

#[test]
fn autorate_follows_the_arrivals() {
    let parameters = CakeParameters { autorate_ingress: true, ..shaped(Tins::BestEffort) };
    let mut queue = cake(CakeParameters {
        rtt: Rtt(Duration::from_millis(100)),
        bandwidth: Some(Rate::from_mbit(2)),
        ..parameters
    });
    for n in 0..4_000 {
        queue.enqueue(of_class(0, n, 1), Time::from_millis(u64::from(n)), &mut NoOutcomes);
    }
    let rate = queue.shaper.as_ref().map(|shaper| shaper.rate.as_mbit_f64()).expect("shaped");
    // 15/16 of 12.1 Mbit/s.
    assert!((11.2..11.4).contains(&rate), "{rate}");
}

#[test]
fn an_acknowledgement_leaves_the_queue_for_a_newer_one() {
    let parameters = CakeParameters { ack_filter: AckFilter::Aggressive, ..shaped(Tins::Diffserv3) };
    let (mut queue, mut tally) = (cake(parameters), Tally::default());
    for n in 0..100u32 {
        let mut tcp = jettison_wire::TcpHeader::new(5000, 80);
        (tcp.ack, tcp.flags) = (n * 1000, jettison_wire::TcpFlags::ACK);
        let (src, dst) = (Address::v4(10, 0, 0, 1), Address::v4(10, 1, 0, 1));
        let mut packet = Packet::model(Headers { src, dst, transport: Transport::Tcp(tcp) }, 0);
        packet.meta.id = n;
        queue.enqueue(packet, Time::ZERO, &mut tally);
    }
    assert_eq!(tally.drops.len(), 99);
    assert!(tally.drops.iter().all(|drop| drop.1 == DropReason::AckFiltered));
    let left = queue.dequeue(Time::ZERO, &mut tally).map(|packet| packet.meta.id);
    assert_eq!((left, queue.backlog()), (Some(99), Backlog::default()));
}
