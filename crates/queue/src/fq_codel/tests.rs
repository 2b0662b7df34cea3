//! Each rule of RFC 8290.

use super::*;
use crate::testing::{build_error, packet_with};
use jettison_core::MarkReason;
use jettison_measure::{NoOutcomes, Tally};
use jettison_wire::Ecn;
use jettison_wire::Transport;
use serde_json::{Value, json};

/// A packet of the flow with that source port.
fn of_flow(flow: u16, id: u32, length: u16) -> Packet {
    let mut packet = packet_with(id, length, Ecn::NotEct);
    if let Some(Transport::Udp(udp)) = packet.headers_mut().map(|headers| &mut headers.transport) {
        udp.src_port = flow;
    }
    packet
}

fn fq_codel(parameters: FqCodelParameters) -> FqCodel {
    FqCodel::new(&parameters, 7).unwrap_or_else(|error| panic!("{error}"))
}

fn drain(queue: &mut FqCodel, now: Time) -> Vec<u32> {
    std::iter::from_fn(|| queue.dequeue(now, &mut NoOutcomes)).map(|packet| packet.meta.id).collect()
}

/// Fills flow 1 and flow 2, which have different queues, with ids from 100 and 200; both have had their first turn.
fn two_backlogged(parameters: FqCodelParameters, each: u32) -> FqCodel {
    let mut queue = fq_codel(parameters);
    assert_ne!(queue.classify(&of_flow(1, 0, 100)), queue.classify(&of_flow(2, 0, 100)));
    for n in 0..each {
        queue.enqueue(of_flow(1, 100 + n, 1500), Time::ZERO, &mut NoOutcomes);
        queue.enqueue(of_flow(2, 200 + n, 1500), Time::ZERO, &mut NoOutcomes);
    }
    queue
}

#[test]
fn flows_are_identified_by_five_tuple_and_keep_their_queue() {
    // RFC 8290 §4.1
    let queue = fq_codel(FqCodelParameters::default());
    let queues: std::collections::BTreeSet<u16> =
        (0..1000).map(|flow| queue.classify(&of_flow(flow, 0, 100))).collect();
    // 1,000 balls in 1,024 bins fill 1,024 (1 - 1/e^0.98) = 638 of them on average.
    assert!((580..700).contains(&queues.len()), "{}", queues.len());
    assert_eq!(queue.classify(&of_flow(5, 1, 100)), queue.classify(&of_flow(5, 2, 1500)));
    let other = FqCodel::new(&FqCodelParameters::default(), 8).unwrap();
    assert!(
        (0..10)
            .any(|flow| { queue.classify(&of_flow(flow, 0, 100)) != other.classify(&of_flow(flow, 0, 100)) })
    );
}

#[test]
fn a_queue_sends_a_quantum_in_its_turn() {
    // RFC 8290 §4.2: credits fall by the packet's size; §3: until "zero or less", then the next queue's turn comes.
    let mut queue = two_backlogged(FqCodelParameters { quantum: Bytes::new(3000), ..Default::default() }, 4);
    assert_eq!(drain(&mut queue, Time::ZERO), [100, 101, 200, 201, 102, 103, 202, 203]);
}

#[test]
fn shares_are_of_bytes_not_of_packets() {
    // RFC 8290 §3: byte-based deficit round robin.
    let mut queue = fq_codel(FqCodelParameters::default());
    for n in 0..600 {
        queue.enqueue(of_flow(1, n, 1500), Time::ZERO, &mut NoOutcomes);
    }
    for n in 0..9000 {
        queue.enqueue(of_flow(2, 10_000 + n, 100), Time::ZERO, &mut NoOutcomes);
    }
    let mut bytes = [0u64; 2];
    for _ in 0..4000 {
        let packet = queue.dequeue(Time::ZERO, &mut NoOutcomes).expect("9,600 wait");
        bytes[usize::from(packet.meta.id >= 10_000)] += u64::from(packet.meta.length);
    }
    assert!(bytes[0].abs_diff(bytes[1]) < 3 * 1514, "{bytes:?}");
}

#[test]
fn a_new_queue_is_served_before_the_old_ones() {
    // RFC 8290 §4.2: "the scheduler first looks at the list of new queues"
    let mut queue = two_backlogged(FqCodelParameters::default(), 50);
    for _ in 0..10 {
        queue.dequeue(Time::ZERO, &mut NoOutcomes);
    }
    queue.enqueue(of_flow(3, 300, 100), Time::ZERO, &mut NoOutcomes);
    assert_eq!(queue.dequeue(Time::ZERO, &mut NoOutcomes).map(|packet| packet.meta.id), Some(300));
}

#[test]
fn a_new_queue_that_uses_up_its_quantum_becomes_old() {
    let mut queue = two_backlogged(FqCodelParameters::default(), 50);
    for _ in 0..10 {
        queue.dequeue(Time::ZERO, &mut NoOutcomes);
    }
    for n in 0..5 {
        queue.enqueue(of_flow(3, 300 + n, 1500), Time::ZERO, &mut NoOutcomes);
    }
    let order = drain(&mut queue, Time::ZERO);
    // 1,500 bytes leave 14 of a quantum of 1,514, 1,500 more leave nothing; then it takes turns with the others.
    assert_eq!(order[..2], [300, 301]);
    assert!(order[2] < 300, "{order:?}");
    assert!(order.iter().position(|id| *id == 304) > Some(7), "{order:?}");
}

#[test]
fn an_emptied_new_queue_goes_through_the_old_list_first() {
    // RFC 8290 §4.2: so that a flow can't stay new by sending whenever its queue is empty.
    let mut queue = two_backlogged(FqCodelParameters::default(), 500);
    for _ in 0..10 {
        queue.dequeue(Time::ZERO, &mut NoOutcomes);
    }
    let mut own = 0;
    for n in 0..300 {
        let packet = of_flow(3, 3000 + n, 1500);
        if queue.bytes[usize::from(queue.classify(&packet))] == 0 {
            queue.enqueue(packet, Time::ZERO, &mut NoOutcomes);
        }
        own += u32::from(queue.dequeue(Time::ZERO, &mut NoOutcomes).expect("a backlog").meta.id >= 3000);
    }
    assert!((75..=110).contains(&own), "{own} of 300");
}

#[test]
fn an_emptied_old_queue_leaves_the_lists() {
    let mut queue = two_backlogged(FqCodelParameters::default(), 2);
    drain(&mut queue, Time::ZERO);
    assert!(queue.new.is_empty() && queue.old.is_empty());
    assert!(queue.queues.iter().all(|flow| !flow.active));
    assert_eq!(queue.backlog(), Backlog::default());
}

#[test]
fn beyond_the_limit_the_fattest_queue_loses_half_at_its_head() {
    // RFC 8290 §4.1
    let mut queue = fq_codel(FqCodelParameters { limit: Limit::packets(30), ..Default::default() });
    let mut tally = Tally::default();
    for n in 0..10 {
        queue.enqueue(of_flow(1, n, 100), Time::ZERO, &mut tally);
    }
    for n in 0..20 {
        queue.enqueue(of_flow(2, 100 + n, 1500), Time::ZERO, &mut tally);
    }
    assert!(tally.drops.is_empty());
    let late = Time::from_millis(1);
    queue.enqueue(of_flow(1, 10, 100), late, &mut tally);
    let expected: Vec<_> = (100..110).map(|id| (id, DropReason::BufferFull, late)).collect();
    assert_eq!(tally.drops, expected);
    assert_eq!(queue.backlog(), Backlog { packets: 21, bytes: 11 * 100 + 10 * 1500 });
}

#[test]
fn at_most_a_batch_is_lost_at_once() {
    // RFC 8290 §4.1: 64 packets
    let mut queue = fq_codel(FqCodelParameters { limit: Limit::packets(500), ..Default::default() });
    let mut tally = Tally::default();
    for n in 0..501 {
        queue.enqueue(of_flow(1, n, 1500), Time::ZERO, &mut tally);
    }
    assert_eq!(tally.drops.len(), 64);
}

#[test]
fn the_largest_queue_is_found_by_bytes() {
    let mut queue = fq_codel(FqCodelParameters { limit: Limit::bytes(10_000), ..Default::default() });
    let mut tally = Tally::default();
    for n in 0..50 {
        queue.enqueue(of_flow(1, n, 40), Time::ZERO, &mut tally);
    }
    for n in 0..6 {
        queue.enqueue(of_flow(2, 100 + n, 1500), Time::ZERO, &mut tally);
    }
    assert_eq!(tally.drops.iter().map(|drop| drop.0).collect::<Vec<_>>(), [100, 101, 102]);
}

#[test]
fn each_queue_has_its_own_codel() {
    // RFC 8290 §4.2: a flow with a standing queue is signalled, one beside it without is not.
    let mut queue = fq_codel(FqCodelParameters::default());
    let mut tally = Tally::default();
    for t in 0..2000u32 {
        let now = Time::from_millis(u64::from(t));
        queue.enqueue(of_flow(1, t, 1500), now, &mut tally);
        if t % 4 == 0 {
            queue.enqueue(of_flow(2, 100_000 + t, 100), now, &mut tally);
        }
        if t % 2 == 0 {
            queue.dequeue(now, &mut tally);
        }
    }
    assert!(tally.drops.len() > 10, "{}", tally.drops.len());
    assert!(tally.drops.iter().all(|drop| drop.0 < 100_000 && drop.1 == DropReason::CoDel));
}

#[test]
fn marks_ecn_capable_packets_by_default() {
    // RFC 8290 §5.2.6
    let run = |parameters: Value| {
        let (mut queue, mut tally) = (crate::testing::built(parameters), Tally::default());
        for t in 0..1000u32 {
            let now = Time::from_millis(u64::from(t));
            queue.enqueue(packet_with(t, 1500, Ecn::Ect0), now, &mut tally);
            if t % 2 == 0 {
                queue.dequeue(now, &mut tally);
            }
        }
        tally
    };
    let marked = run(json!("fq-codel"));
    assert!(marked.drops.is_empty());
    assert!(marked.marks.len() > 5 && marked.marks.iter().all(|mark| mark.1 == MarkReason::CoDel));
    let dropped = run(json!({ "kind": "fq-codel", "ecn": false }));
    assert!(dropped.marks.is_empty() && dropped.drops.len() > 5);
}

#[test]
fn the_occupancy_of_all_queues_decides_whether_codel_may_drop() {
    // RFC 8289 §4.4: a flow that never leaves more than a packet behind is dropped from only if the others hold some.
    let lone_drops = |others: u32| {
        let mut queue = fq_codel(FqCodelParameters::default());
        let mut tally = Tally::default();
        for n in 0..others {
            queue.enqueue(of_flow(2, 100_000 + n, 1500), Time::ZERO, &mut tally);
        }
        for t in 0..200u32 {
            let now = Time::from_millis(u64::from(t) * 10);
            queue.enqueue(of_flow(1, t, 1500), now, &mut tally);
            while queue.bytes[usize::from(queue.classify(&of_flow(1, 0, 0)))] > 1500 {
                queue.dequeue(now, &mut tally);
            }
        }
        tally.drops.iter().filter(|drop| drop.0 < 100_000).count()
    };
    assert_eq!(lone_drops(0), 0);
    assert!(lone_drops(1000) > 5, "{}", lone_drops(1000));
}

#[test]
fn capable_packets_past_the_ce_threshold_are_marked() {
    // RFC 8290 §5.2.7
    let marks = |ce_threshold, ecn| -> Vec<(u32, MarkReason, Time)> {
        let mut queue = fq_codel(FqCodelParameters { ce_threshold, ..Default::default() });
        let mut tally = Tally::default();
        for (id, waits) in [(0, 999), (1, 1000), (2, 1001)] {
            queue.enqueue(packet_with(id, 1500, ecn), Time::ZERO, &mut tally);
            assert!(queue.dequeue(Time::from_micros(waits), &mut tally).is_some());
        }
        assert!(tally.drops.is_empty());
        tally.marks
    };
    let late = Time::from_micros(1001);
    assert_eq!(marks(Some(Duration::from_millis(1)), Ecn::Ect1), [(2, MarkReason::CeThreshold, late)]);
    assert!(marks(Some(Duration::from_millis(1)), Ecn::NotEct).is_empty());
    assert!(marks(Some(Duration::from_millis(1)), Ecn::Ce).is_empty());
    assert!(marks(None, Ecn::Ect1).is_empty());
}

#[test]
fn a_selector_limits_the_ce_threshold_to_some_of_the_packets() {
    // tc-fq_codel(8), ce_threshold_selector; the same packets are marked by Linux 6.1 and 7.2.
    let marks = |selector: &str, traffic_class: u8| {
        let parameters =
            json!({ "kind": "fq-codel", "ce_threshold": "1 ms", "ce_threshold_selector": selector });
        let (mut queue, mut tally) = (crate::testing::built(parameters), Tally::default());
        let mut packet = packet_with(1, 1500, Ecn::NotEct);
        packet.meta.traffic_class = traffic_class;
        queue.enqueue(packet, Time::ZERO, &mut tally);
        queue.dequeue(Time::from_millis(2), &mut tally);
        tally.marks.len()
    };
    assert_eq!([0, 1, 2, 3].map(|ecn| marks("0x01/0x03", ecn)), [0, 1, 0, 0]);
    // DSCP 45 with ECT(1), ECT(0) and Not-ECT, and the default DSCP.
    assert_eq!([0xb5, 0xb6, 0xb4, 0x02].map(|class| marks("0xb4/0xfc", class)), [1, 1, 0, 0]);
}

#[test]
fn a_threshold_of_zero_and_a_selector_alone_are_refused() {
    let error = |parameters| crate::testing::build_error(parameters);
    assert_eq!(error(json!({ "kind": "fq-codel", "ce_threshold": "0 ms" })).0, "ce_threshold");
    let (key, message) = error(json!({ "kind": "fq-codel", "ce_threshold_selector": "0x01/0x03" }));
    assert_eq!(key, "ce_threshold_selector");
    assert!(message.contains("requires `ce_threshold`"), "{message}");
    let both = |selector: &str| {
        error(json!({ "kind": "fq-codel", "ce_threshold": "1 ms", "ce_threshold_selector": selector }))
    };
    assert!(both("ECT(1)").1.contains("VALUE/MASK"), "{:?}", both("ECT(1)"));
}

#[test]
fn one_queue_is_codel() {
    let one = json!({ "kind": "fq-codel", "flows": 1, "ecn": false, "limit": "unlimited" });
    let codel = json!({ "kind": "codel", "limit": "unlimited" });
    let drops = [one, codel].map(|parameters| {
        let (mut queue, mut tally) = (crate::testing::built(parameters), Tally::default());
        for t in 0..3000u32 {
            let now = Time::from_millis(u64::from(t));
            queue.enqueue(of_flow((t % 9) as u16, t, 1500), now, &mut tally);
            if t % 3 != 0 {
                queue.dequeue(now, &mut tally);
            }
        }
        tally.drops
    });
    assert!(drops[0].len() > 20);
    assert_eq!(drops[0], drops[1]);
}

#[test]
fn defaults_are_those_of_the_rfc() {
    // RFC 8290 §5.2
    let defaults = FqCodelParameters::default();
    assert_eq!((defaults.flows, defaults.quantum, defaults.ecn), (1024, Bytes::new(1514), true));
    assert_eq!((defaults.target, defaults.interval), (Duration::from_millis(5), Duration::from_millis(100)));
    assert_eq!((defaults.limit, defaults.drop_batch), (Limit::packets(10_240), 64));
    assert_eq!(defaults.ce_threshold, None);
}

#[test]
fn parameters_out_of_range_are_refused_with_their_key() {
    let error = |key: &str, value: Value| build_error(json!({ "kind": "fq-codel", key: value })).0;
    assert_eq!(error("flows", json!(0)), "flows");
    assert_eq!(error("flows", json!(65_537)), "flows");
    assert_eq!(error("quantum", json!("0 bytes")), "quantum");
    assert_eq!(error("drop_batch", json!(0)), "drop_batch");
    assert_eq!(error("target", json!("0 ms")), "target");
    assert_eq!(error("interval", json!("0 ms")), "interval");
}
