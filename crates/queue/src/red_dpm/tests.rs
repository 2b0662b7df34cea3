//! The rules of Parris, Jeffay, Smith & Borgersen 1998.

use super::*;
use crate::testing::{build_error, packet_of};
use crate::{Dscp, Threshold};
use jettison_core::Seed;
use jettison_measure::{NoOutcomes, Tally};
use proptest::prelude::*;
use serde_json::json;

fn dpm(parameters: RedDpmParameters) -> RedDpm {
    let stream = |name| Seed(1).stream(&["red-dpm", name]);
    RedDpm::new(parameters, stream("drop"), &mut stream("hash")).unwrap_or_else(|error| panic!("{error}"))
}

/// Parameters that drop nothing; tests enable single rules.
fn quiet() -> RedDpmParameters {
    RedDpmParameters {
        min_th: Threshold::Packets(1 << 40),
        max_th: Threshold::Packets(1 << 41),
        stale_age: Duration::MAX,
        limit: Limit::UNLIMITED,
        ..RedDpmParameters::default()
    }
}

fn tagged(flow: u16, id: u32, length: u16) -> Packet {
    let mut packet = packet_of(flow, id, length);
    packet.meta.traffic_class = Dscp::EF.get() << 2;
    packet
}

/// The main queue in order: the slot of each place and the id of the packet in it.
fn layout(queue: &RedDpm) -> Vec<(u32, u32)> {
    let mut rests: std::collections::BTreeMap<u32, Vec<u32>> = Default::default();
    queue
        .places
        .iter()
        .map(|place| {
            let rest = rests.entry(place.slot).or_insert_with(|| {
                let chain = if place.slot == UNTAGGED {
                    &queue.untagged
                } else {
                    &queue.flows.state(place.slot).chain
                };
                let mut ids: Vec<u32> = queue.pool.iter(chain).map(|packet| packet.meta.id).collect();
                ids.reverse();
                ids
            });
            (place.slot, rest.pop().expect("a flow has as many packets as places"))
        })
        .collect()
}

fn ids(queue: &RedDpm) -> Vec<u32> {
    layout(queue).iter().map(|place| place.1).collect()
}

fn slot_of(queue: &mut RedDpm, flow: u16) -> u32 {
    queue.flows.find(&tagged(flow, 0, 100), |flow| flow.chain.is_empty()).slot
}

#[test]
fn delete_and_advance_moves_the_flows_packets_up_and_nothing_else() {
    let mut queue = dpm(RedDpmParameters { limit: Limit::packets(6), ..quiet() });
    for (flow, id) in [(1, 10), (2, 20), (1, 11), (2, 21)] {
        queue.enqueue(tagged(flow, id, 1000), Time::ZERO, &mut NoOutcomes);
    }
    queue.enqueue(packet_of(3, 30, 1000), Time::ZERO, &mut NoOutcomes);
    queue.enqueue(tagged(1, 12, 1000), Time::ZERO, &mut NoOutcomes);
    let mut tally = Tally::default();
    queue.enqueue(tagged(1, 13, 600), Time::from_millis(1), &mut tally);
    assert_eq!(ids(&queue), [11, 20, 12, 21, 30, 13]);
    assert_eq!(tally.drops, [(10, DropReason::BufferFull, Time::from_millis(1))]);
    assert_eq!(queue.backlog(), Backlog { packets: 6, bytes: 5600 });
    let sent: Vec<_> =
        std::iter::from_fn(|| queue.dequeue(Time::from_millis(2), &mut NoOutcomes)).map(|p| p.meta).collect();
    assert_eq!(sent.iter().map(|meta| meta.id).collect::<Vec<_>>(), [11, 20, 12, 21, 30, 13]);
    assert_eq!((sent[5].enqueued_at, sent[5].enq_qdepth), (Time::from_millis(1), 5));
}

#[test]
fn a_flow_without_queued_packets_loses_its_arrival() {
    let mut queue = dpm(RedDpmParameters { limit: Limit::packets(2), ..quiet() });
    let mut tally = Tally::default();
    for id in 0..3 {
        queue.enqueue(tagged(id as u16, id, 1000), Time::ZERO, &mut tally);
    }
    assert_eq!((ids(&queue), tally.drops[0].0), (vec![0, 1], 2));
}

#[test]
fn an_arrival_that_would_pass_the_limit_in_bytes_is_dropped_itself() {
    let mut queue = dpm(RedDpmParameters { limit: Limit::bytes(2000), ..quiet() });
    let mut tally = Tally::default();
    queue.enqueue(tagged(1, 0, 500), Time::ZERO, &mut tally);
    queue.enqueue(packet_of(2, 1, 1000), Time::ZERO, &mut tally);
    queue.enqueue(tagged(1, 2, 1200), Time::ZERO, &mut tally);
    assert_eq!((ids(&queue), tally.drops[0].0), (vec![0, 1], 2));
    queue.enqueue(tagged(1, 3, 1000), Time::ZERO, &mut tally);
    assert_eq!((ids(&queue), tally.drops[1].0), (vec![3, 1], 0));
}

#[test]
fn untagged_packets_get_plain_red() {
    let run = |make: &dyn Fn(u32) -> Packet| {
        let parameters = RedDpmParameters { w_q: 0.05, flow_test: FlowTest::FredShare, ..quiet() };
        let (min_th, max_th) = (Threshold::Packets(5), Threshold::Packets(15));
        let mut queue = dpm(RedDpmParameters { min_th, max_th, ..parameters });
        let mut tally = Tally::default();
        for id in 0..2000 {
            queue.enqueue(make(id), Time::ZERO, &mut tally);
            if id % 4 != 0 {
                queue.dequeue(Time::ZERO, &mut NoOutcomes);
            }
        }
        (tally, ids(&queue), queue)
    };
    let (plain, left, queue) = run(&|id| packet_of(1, id, 1000));
    assert!(plain.drops.iter().any(|drop| drop.1 == DropReason::RedEarly));
    assert!(plain.drops.iter().all(|drop| matches!(drop.1, DropReason::RedEarly | DropReason::RedForced)));
    assert!(queue.average() > 5.0);

    // A RED queue with the same draws drops the same packets.
    let red = crate::red::RedParameters {
        w_q: 0.05,
        max_p: 0.1,
        limit: Limit::UNLIMITED,
        ..crate::red::RedParameters::default()
    };
    let mut red = crate::red::Red::new(red, Seed(1).stream(&["red-dpm", "drop"])).expect("in range");
    let mut expected = Tally::default();
    for id in 0..2000 {
        red.enqueue(packet_of(1, id, 1000), Time::ZERO, &mut expected);
        if id % 4 != 0 {
            red.dequeue(Time::ZERO, &mut NoOutcomes);
        }
    }
    assert_eq!(plain.drops, expected.drops);

    // Tagged packets are dropped as often and at the same times, but the oldest first, so the newest remain.
    let (dropped, newest, _) = run(&|id| tagged(1, id, 1000));
    let reasons = |tally: &Tally| tally.drops.iter().map(|drop| drop.1).collect::<Vec<_>>();
    assert_eq!(reasons(&dropped), reasons(&plain));
    assert!(newest.iter().sum::<u32>() > left.iter().sum::<u32>());
}

#[test]
fn the_flow_test_is_red_on_the_flows_logical_queue() {
    // Above flow_max_th of its own average every arrival costs the flow its oldest; another flow sees nothing.
    let parameters = RedDpmParameters {
        flow_min_th: Some(Threshold::Packets(2)),
        flow_max_th: Some(Threshold::Packets(4)),
        w_q: 1.0,
        max_p: 1e-12,
        ..quiet()
    };
    let mut queue = dpm(parameters);
    let mut tally = Tally::default();
    for id in 0..10 {
        queue.enqueue(tagged(1, id, 1000), Time::ZERO, &mut tally);
        queue.enqueue(packet_of(2, 100 + id, 1000), Time::ZERO, &mut tally);
    }
    let dropped: Vec<_> = tally.drops.iter().map(|drop| (drop.0, drop.1)).collect();
    assert_eq!(dropped, [0, 1, 2, 3, 4, 5].map(|id| (id, DropReason::DpmFlow)));
    queue.enqueue(tagged(3, 50, 1000), Time::ZERO, &mut tally);
    assert_eq!(tally.drops.len(), 6);
}

#[test]
fn the_average_of_a_logical_queue_is_its_own_and_decays_while_it_is_empty() {
    let parameters = RedDpmParameters { w_q: 0.5, s: Some(Duration::from_millis(1)), ..quiet() };
    let mut queue = dpm(parameters);
    for id in 0..3 {
        queue.enqueue(packet_of(9, 100 + id, 1000), Time::ZERO, &mut NoOutcomes);
        queue.enqueue(tagged(1, id, 1000), Time::ZERO, &mut NoOutcomes);
    }
    let slot = slot_of(&mut queue, 1);
    assert_eq!(queue.flows.state(slot).red.average(), 1.25, "samples 0, 1 and 2");
    (0..6).for_each(|_| drop(queue.dequeue(Time::from_millis(10), &mut NoOutcomes)));
    queue.enqueue(tagged(1, 4, 1000), Time::from_millis(12), &mut NoOutcomes);
    assert_eq!(queue.flows.state(slot).red.average(), 1.25 / 4.0, "two packets of 1 ms idle");
}

#[test]
fn the_share_is_the_buffer_over_the_active_flows() {
    let limit = Limit::packets(12);
    let mut queue = dpm(RedDpmParameters { flow_test: FlowTest::FredShare, limit, ..quiet() });
    let mut tally = Tally::default();
    queue.enqueue(packet_of(9, 100, 1000), Time::ZERO, &mut tally);
    queue.enqueue(tagged(2, 20, 1000), Time::ZERO, &mut tally);
    for id in 10..16 {
        queue.enqueue(tagged(1, id, 1000), Time::ZERO, &mut tally);
    }
    // Three share: four packets each.
    let dropped: Vec<_> = tally.drops.iter().map(|drop| (drop.0, drop.1)).collect();
    assert_eq!(dropped, [(10, DropReason::DpmFlow), (11, DropReason::DpmFlow)]);
    assert_eq!(ids(&queue), [100, 20, 12, 13, 14, 15]);
}

#[test]
fn however_small_its_share_a_flow_may_hold_min_share() {
    let limit = Limit::packets(4);
    let mut queue = dpm(RedDpmParameters { flow_test: FlowTest::FredShare, limit, ..quiet() });
    let mut tally = Tally::default();
    (0..3).for_each(|flow| queue.enqueue(tagged(flow, u32::from(flow), 1000), Time::ZERO, &mut tally));
    queue.enqueue(tagged(1, 10, 1000), Time::ZERO, &mut tally);
    assert!(tally.drops.is_empty(), "4 / 3 is less than two packets");
}

#[test]
fn a_flow_is_stale_when_its_oldest_packet_is_old_and_deep() {
    let (stale_age, stale_depth) = (Duration::from_millis(20), Threshold::Packets(3));
    let drops_at = |before: u32, millis: u64| {
        let mut queue = dpm(RedDpmParameters { stale_age, stale_depth, ..quiet() });
        let mut tally = Tally::default();
        (0..before).for_each(|id| queue.enqueue(packet_of(9, id, 1000), Time::ZERO, &mut tally));
        queue.enqueue(tagged(1, 50, 1000), Time::ZERO, &mut tally);
        queue.enqueue(tagged(1, 51, 1000), Time::from_millis(millis), &mut tally);
        tally.drops
    };
    assert_eq!(drops_at(3, 21), [(50, DropReason::DpmStale, Time::from_millis(21))]);
    assert_eq!(drops_at(3, 20), [], "deep, but not old");
    assert_eq!(drops_at(2, 21), [], "old, but not deep");
}

#[test]
fn depth_is_counted_from_the_head_as_it_moves() {
    let (stale_age, stale_depth) = (Duration::ZERO, Threshold::Packets(2));
    let mut queue = dpm(RedDpmParameters { stale_age, stale_depth, ..quiet() });
    let mut tally = Tally::default();
    (0..2).for_each(|id| queue.enqueue(packet_of(9, id, 1000), Time::ZERO, &mut tally));
    queue.enqueue(tagged(1, 50, 1000), Time::ZERO, &mut tally);
    queue.enqueue(tagged(1, 51, 1000), Time::from_millis(1), &mut tally);
    assert_eq!((tally.drops.len(), ids(&queue)), (1, vec![0, 1, 51]));
    queue.dequeue(Time::from_millis(2), &mut NoOutcomes);
    queue.enqueue(tagged(1, 52, 1000), Time::from_millis(3), &mut tally);
    assert_eq!((tally.drops.len(), ids(&queue)), (1, vec![1, 51, 52]), "one is before it");
    queue.dequeue(Time::from_millis(4), &mut NoOutcomes);
    queue.dequeue(Time::from_millis(4), &mut NoOutcomes);
    (2..5).for_each(|id| queue.enqueue(packet_of(9, id, 1000), Time::from_millis(5), &mut tally));
    queue.dequeue(Time::from_millis(5), &mut NoOutcomes);
    queue.enqueue(tagged(1, 53, 1000), Time::from_millis(6), &mut tally);
    let slot = slot_of(&mut queue, 1);
    assert_eq!(queue.flows.state(slot).first - queue.head, 3);
    queue.enqueue(tagged(1, 54, 1000), Time::from_millis(7), &mut tally);
    assert_eq!((tally.drops.len(), ids(&queue)), (2, vec![2, 3, 4, 54]));
}

#[test]
fn the_tests_come_in_the_papers_order() {
    // All three tests would drop. The reason is the flow's test; without it, staleness; without both, RED.
    let reason = |flow_max_th: u64, stale_age| {
        let parameters = RedDpmParameters {
            flow_min_th: Some(Threshold::Packets(flow_max_th - 1)),
            flow_max_th: Some(Threshold::Packets(flow_max_th)),
            min_th: Threshold::Packets(1),
            max_th: Threshold::Packets(2),
            w_q: 1.0,
            max_p: 1e-12,
            stale_age,
            stale_depth: Threshold::Packets(0),
            ..RedDpmParameters::default()
        };
        let mut queue = dpm(parameters);
        let mut tally = Tally::default();
        for id in 0..3u32 {
            queue.enqueue(tagged(1, id, 1000), Time::from_millis(30 * u64::from(id / 2)), &mut tally);
        }
        tally.drops.iter().map(|drop| (drop.0, drop.1)).collect::<Vec<_>>()
    };
    assert_eq!(reason(2, Duration::from_millis(20)), [(0, DropReason::DpmFlow)]);
    assert_eq!(reason(20, Duration::from_millis(20)), [(0, DropReason::DpmStale)]);
    assert_eq!(reason(20, Duration::from_millis(200)), [(0, DropReason::RedForced)]);
}

#[test]
fn tagged_flows_are_identified_by_dscp() {
    let default = dpm(quiet());
    assert!(default.is_tagged(&tagged(1, 1, 100)) && !default.is_tagged(&packet_of(1, 1, 100)));
    let both = ["AF41", "default"].map(|name| name.parse().expect("a DSCP")).to_vec();
    let queue = dpm(RedDpmParameters { tagged: both, ..quiet() });
    assert!(!queue.is_tagged(&tagged(1, 1, 100)) && queue.is_tagged(&packet_of(1, 1, 100)));
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Arrive { flow: u16, length: u16 },
    Leave,
    Wait(u64),
}

proptest! {
    /// The invariant of delete and advance: the length of the main queue and the places of all other flows' packets are
    /// unchanged; the flow's packets have advanced by one of its places, and the arrival is last.
    #[test]
    fn only_the_flows_own_packets_move(
        steps in prop::collection::vec(prop_oneof![
            6 => (0u16..7, 40u16..1500).prop_map(|(flow, length)| Step::Arrive { flow, length }),
            3 => Just(Step::Leave),
            2 => (1u64..9).prop_map(Step::Wait),
        ], 1..400),
        share in any::<bool>(), slots in prop_oneof![Just(8u32), Just(64)]
    ) {
        let mut queue = dpm(RedDpmParameters {
            flow_test: if share { FlowTest::FredShare } else { FlowTest::Red },
            flow_min_th: Some(Threshold::Packets(2)),
            w_q: 0.2,
            stale_depth: Threshold::Packets(3),
            flows: slots,
            limit: Limit { packets: 20, bytes: 18_000 },
            ..RedDpmParameters::default()
        });
        let mut now = Time::ZERO;
        for (id, step) in steps.into_iter().enumerate() {
            let id = id as u32;
            let before = layout(&queue);
            let mut tally = Tally::default();
            match step {
                Step::Wait(millis) => now += Duration::from_millis(millis),
                Step::Leave => {
                    let left = queue.dequeue(now, &mut tally).map(|packet| packet.meta.id);
                    prop_assert_eq!(left, before.first().map(|place| place.1));
                    prop_assert_eq!(layout(&queue), before.get(1..).unwrap_or(&[]).to_vec());
                }
                Step::Arrive { flow, length } => {
                    // Flows 0 to 4 are tagged.
                    let packet = if flow < 5 { tagged(flow, id, length) } else { packet_of(flow, id, length) };
                    queue.enqueue(packet, now, &mut tally);
                    let after = layout(&queue);
                    match tally.drops[..] {
                        [] => {
                            prop_assert_eq!(&after[..before.len()], &before[..]);
                            prop_assert_eq!(after[before.len()..].iter().map(|p| p.1).collect::<Vec<_>>(), [id]);
                        }
                        [(dropped, ..)] if dropped == id => {
                            prop_assert_eq!(&after, &before);
                            let slot = if flow < 5 { slot_of(&mut queue, flow) } else { UNTAGGED };
                            let full = tally.drops[0].1 == DropReason::BufferFull;
                            prop_assert!(full || flow >= 5 || before.iter().all(|place| place.0 != slot));
                        }
                        [(dropped, ..)] => {
                            prop_assert!(flow < 5, "an untagged arrival costs no other packet");
                            let slot = slot_of(&mut queue, flow);
                            let own = |places: &[(u32, u32)]| -> Vec<u32> {
                                places.iter().filter(|place| place.0 == slot).map(|place| place.1).collect()
                            };
                            let (was, is) = (own(&before), own(&after));
                            prop_assert_eq!(was[0], dropped, "the oldest goes");
                            prop_assert_eq!(&is[..is.len() - 1], &was[1..]);
                            prop_assert_eq!(is.last(), Some(&id));
                            prop_assert_eq!(before.len(), after.len());
                            for (old, new) in before.iter().zip(&after) {
                                prop_assert!(old == new || (old.0 == slot && new.0 == slot));
                            }
                        }
                        _ => prop_assert!(false, "more than one drop"),
                    }
                }
            }
        }
    }
}

#[test]
fn defaults_are_those_of_altq() {
    let defaults = RedDpmParameters::default();
    assert_eq!((defaults.min_th, defaults.max_th), (Threshold::Packets(5), Threshold::Packets(15)));
    assert_eq!((defaults.w_q, defaults.max_p), (1.0 / 512.0, 0.1));
    assert_eq!((defaults.limit, defaults.tagged), (Limit::packets(60), vec![Dscp::EF]));
}

#[test]
fn parameters_out_of_range_are_refused() {
    for (key, value, right) in [
        ("max_th", json!("15 kB"), "unit of `min_th`"),
        ("max_th", json!("5 packets"), "twice"),
        ("flow_min_th", json!("1 kB"), "unit of `min_th`"),
        ("flow_max_th", json!("5 packets"), "twice"),
        ("min_share", json!("1 kB"), "5 packets"),
        ("stale_depth", json!("1 kB"), "5 packets"),
        ("w_q", json!(0.0), "(0, 1], got 0"),
        ("max_p", json!(1.5), "(0, 1], got 1.5"),
        ("s", json!("0 ms"), "> 0, got 0 s"),
        ("mean_packet", json!("0 bytes"), "1 byte"),
        ("flows", json!(4), "power of two"),
    ] {
        let (path, message) = build_error(json!({ "kind": "red-dpm", key: value }));
        assert_eq!(path, key);
        assert!(message.contains(right), "{message}");
    }
    assert_eq!(build_error(json!({ "kind": "red-dpm", "tagged": ["EG"] })).0, "tagged.0");
}
