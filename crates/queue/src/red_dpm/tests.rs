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
        .entries()
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

/// A queue that is filled beyond the upper threshold.
fn filled(victim: Victim, make: &dyn Fn(u32) -> Packet) -> (Tally, RedDpm) {
    let parameters = RedDpmParameters { w_q: 0.05, flow_test: FlowTest::FredShare, victim, ..quiet() };
    let (min_th, max_th) = (Threshold::Packets(5), Threshold::Packets(15));
    let mut queue = dpm(RedDpmParameters { min_th, max_th, ..parameters });
    let mut tally = Tally::default();
    for id in 0..2000 {
        queue.enqueue(make(id), Time::ZERO, &mut tally);
        if id % 4 != 0 {
            queue.dequeue(Time::ZERO, &mut NoOutcomes);
        }
    }
    (tally, queue)
}

#[test]
fn untagged_packets_get_plain_red() {
    for victim in [Victim::Arrival, Victim::Random] {
        let (plain, queue) = filled(victim, &|id| packet_of(1, id, 1000));
        for reason in [DropReason::RedEarly, DropReason::RedForced] {
            assert!(plain.drops.iter().any(|drop| drop.1 == reason), "{reason:?}");
        }
        assert!(
            plain.drops.iter().all(|drop| matches!(drop.1, DropReason::RedEarly | DropReason::RedForced))
        );
        assert!(queue.average() > 5.0);

        // A RED queue with the same draws drops the same packets.
        let red = crate::red::RedParameters {
            w_q: 0.05,
            max_p: 0.1,
            limit: Limit::UNLIMITED,
            victim,
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
    }
}

#[test]
fn tagged_packets_are_dropped_as_often_but_the_oldest_first() {
    let (plain, left) = filled(Victim::Arrival, &|id| packet_of(1, id, 1000));
    let (dropped, newest) = filled(Victim::Arrival, &|id| tagged(1, id, 1000));
    let reasons = |tally: &Tally| tally.drops.iter().map(|drop| drop.1).collect::<Vec<_>>();
    assert_eq!(reasons(&dropped), reasons(&plain));
    assert!(ids(&newest).iter().sum::<u32>() > ids(&left).iter().sum::<u32>());
}

/// Parameters by which RED drops a packet on every arrival that finds two or more.
fn forced() -> RedDpmParameters {
    RedDpmParameters {
        min_th: Threshold::Packets(1),
        max_th: Threshold::Packets(2),
        flow_min_th: Some(Threshold::Packets(100)),
        flow_max_th: Some(Threshold::Packets(200)),
        w_q: 1.0,
        max_p: 1e-12,
        ..quiet()
    }
}

#[test]
fn a_random_victim_makes_room_for_the_arrival() {
    // Flows 1 and 2 are tagged: their oldest packet goes, the later ones advance, and their last place closes.
    let expected = [
        (vec![11, 20, 90, 21, 30], 10),
        (vec![10, 21, 90, 11, 30], 20),
        (vec![10, 20, 11, 21, 30], 90),
        (vec![10, 20, 90, 11, 21], 30),
    ];
    let mut found = std::collections::BTreeSet::new();
    for seed in 0..60 {
        let stream = |name| Seed(seed).stream(&["red-dpm", name]);
        let mut queue = RedDpm::new(forced(), stream("drop"), &mut stream("hash"))
            .unwrap_or_else(|error| panic!("{error}"));
        queue.settings.max_th = Threshold::Packets(1 << 40);
        for (flow, id) in [(1, 10), (2, 20), (9, 90), (1, 11), (2, 21)] {
            let packet = if flow == 9 { packet_of(flow, id, 1000) } else { tagged(flow, id, 1000) };
            queue.enqueue(packet, Time::ZERO, &mut NoOutcomes);
        }
        queue.settings.max_th = Threshold::Packets(2);
        let mut tally = Tally::default();
        queue.enqueue(packet_of(3, 30, 500), Time::from_millis(1), &mut tally);
        let [(dropped, DropReason::RedForced, _)] = tally.drops[..] else { panic!("{:?}", tally.drops) };
        let case = (ids(&queue), dropped);
        assert!(expected.contains(&case), "{case:?}");
        let bytes = queue.places.entries().count() as u64 * 1000 - if dropped == 30 { 0 } else { 500 };
        assert_eq!(queue.backlog(), Backlog { packets: 5, bytes });
        let left: Vec<u32> = std::iter::from_fn(|| queue.dequeue(Time::from_millis(2), &mut NoOutcomes))
            .map(|packet| packet.meta.id)
            .collect();
        assert_eq!(left, case.0);
        found.insert(dropped);
    }
    assert_eq!(found.into_iter().collect::<Vec<_>>(), [10, 20, 30, 90], "each flow and the arrival");
}

#[test]
fn a_victim_of_the_arrivals_own_flow_is_deleted_and_advanced() {
    let mut queue = dpm(forced());
    let mut tally = Tally::default();
    (0..5).for_each(|id| queue.enqueue(tagged(1, id, 1000), Time::ZERO, &mut tally));
    assert_eq!(ids(&queue), [3, 4]);
    assert_eq!(tally.drops.iter().map(|drop| drop.0).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn an_arrival_that_does_not_fit_in_the_victims_place_is_dropped_itself() {
    for seed in 0..20 {
        let stream = |name| Seed(seed).stream(&["red-dpm", name]);
        let parameters = RedDpmParameters { limit: Limit::bytes(2000), ..forced() };
        let mut queue = RedDpm::new(parameters, stream("drop"), &mut stream("hash"))
            .unwrap_or_else(|error| panic!("{error}"));
        let mut tally = Tally::default();
        (0..2).for_each(|id| queue.enqueue(packet_of(9, id, 1000), Time::ZERO, &mut tally));
        queue.enqueue(tagged(1, 2, 1200), Time::ZERO, &mut tally);
        assert_eq!((ids(&queue), tally.drops[0].0), (vec![0, 1], 2));
    }
}

#[test]
fn without_delete_and_advance_the_newest_packet_is_dropped() {
    let run = |delete_and_advance| {
        let mut queue = dpm(RedDpmParameters { delete_and_advance, limit: Limit::packets(3), ..quiet() });
        let mut tally = Tally::default();
        for id in 0..5 {
            queue.enqueue(tagged(1, id, 1000), Time::ZERO, &mut tally);
        }
        (ids(&queue), tally.drops.iter().map(|drop| drop.0).collect::<Vec<_>>())
    };
    assert_eq!(run(true), (vec![2, 3, 4], vec![0, 1]));
    assert_eq!(run(false), (vec![0, 1, 2], vec![3, 4]));
}

#[test]
fn a_gap_shows_a_logical_queue_earlier() {
    // §3: responsive flows are notified sooner, since the oldest packet is dropped. Packet 4 finds the buffer full.
    let departures_until_the_gap_shows = |delete_and_advance| {
        let mut queue = dpm(RedDpmParameters { delete_and_advance, limit: Limit::packets(8), ..quiet() });
        for id in 0..4 {
            queue.enqueue(tagged(1, id, 1000), Time::ZERO, &mut NoOutcomes);
            queue.enqueue(packet_of(9, 100 + id, 1000), Time::ZERO, &mut NoOutcomes);
        }
        queue.enqueue(tagged(1, 4, 1000), Time::ZERO, &mut NoOutcomes);
        let mut expected = 0;
        (1..).find(|departure| {
            let packet =
                queue.dequeue(Time::ZERO, &mut NoOutcomes).expect("the gap shows before the queue is empty");
            if *departure == 1 {
                queue.enqueue(tagged(1, 5, 1000), Time::ZERO, &mut NoOutcomes);
            }
            let own = packet.meta.id < 100;
            let shows = own && packet.meta.id > expected;
            expected += u32::from(own);
            shows
        })
    };
    assert_eq!(departures_until_the_gap_shows(true), Some(1));
    assert_eq!(departures_until_the_gap_shows(false), Some(9), "behind all eight packets of the queue");
}

#[test]
fn the_main_average_takes_no_sample_of_packets_that_the_flow_test_handles() {
    let thresholds = |flow: u64| RedDpmParameters {
        flow_test: FlowTest::FredLimits,
        flow_min_th: Some(Threshold::Packets(1)),
        flow_max_th: Some(Threshold::Packets(flow)),
        w_q: 0.5,
        ..quiet()
    };
    for (flow, samples) in [(2, 2), (3, 3)] {
        let mut queue = dpm(thresholds(flow));
        (0..6).for_each(|id| queue.enqueue(tagged(1, id, 1000), Time::ZERO, &mut NoOutcomes));
        let expected = (0..samples).fold(0.0, |average, queue| 0.5 * average + 0.5 * f64::from(queue));
        assert_eq!(queue.average(), expected, "limit of {flow} packets");
    }
}

#[test]
fn fixed_limits_hold_a_flow_and_harder_if_it_does_not_respond() {
    let mut queue = dpm(RedDpmParameters {
        flow_test: FlowTest::FredLimits,
        flow_min_th: Some(Threshold::Packets(2)),
        flow_max_th: Some(Threshold::Packets(4)),
        ..quiet()
    });
    let mut tally = Tally::default();
    let mut id = 0;
    let mut arrive = |queue: &mut RedDpm, tally: &mut Tally, count| {
        for _ in 0..count {
            queue.enqueue(tagged(1, id, 1000), Time::ZERO, tally);
            id += 1;
        }
    };
    arrive(&mut queue, &mut tally, 4);
    assert!(tally.drops.is_empty());
    arrive(&mut queue, &mut tally, 1);
    assert_eq!((ids(&queue), tally.drops[0].1), (vec![1, 2, 3, 4], DropReason::DpmFlow));
    // One strike: as it backs off, it may hold four again.
    (0..2).for_each(|_| drop(queue.dequeue(Time::ZERO, &mut NoOutcomes)));
    arrive(&mut queue, &mut tally, 2);
    assert_eq!(tally.drops.len(), 1);
    // A second strike, and two is its limit until it has left the queue.
    arrive(&mut queue, &mut tally, 1);
    (0..2).for_each(|_| drop(queue.dequeue(Time::ZERO, &mut NoOutcomes)));
    arrive(&mut queue, &mut tally, 1);
    assert_eq!((tally.drops.len(), queue.backlog().packets), (3, 2));
    (0..2).for_each(|_| drop(queue.dequeue(Time::ZERO, &mut NoOutcomes)));
    arrive(&mut queue, &mut tally, 4);
    assert_eq!(tally.drops.len(), 3);
    // Other flows have limits of their own.
    queue.enqueue(tagged(2, 100, 1000), Time::ZERO, &mut tally);
    assert_eq!(tally.drops.len(), 3);
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
    assert_eq!(queue.flows.state(slot).first - queue.places.first(), 3);
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
        flow_test in prop_oneof![Just(FlowTest::FredShare), Just(FlowTest::Red), Just(FlowTest::FredLimits)],
        slots in prop_oneof![Just(8u32), Just(64)]
    ) {
        let mut queue = dpm(RedDpmParameters {
            flow_test,
            victim: Victim::Arrival,
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

proptest! {
    /// With random victims: each arrival costs at most one packet, which is the oldest of its flow if that is tagged; all
    /// other packets keep their order, and a tagged flow's packets stay in the flow's places.
    #[test]
    fn a_random_victim_moves_no_other_flows_packets(
        steps in prop::collection::vec(prop_oneof![
            9 => (0u16..7, 40u16..1500).prop_map(|(flow, length)| Step::Arrive { flow, length }),
            1 => Just(Step::Leave),
        ], 1..600)
    ) {
        let mut queue = dpm(RedDpmParameters {
            min_th: Threshold::Packets(8), max_th: Threshold::Packets(12), w_q: 0.5, ..forced()
        });
        let mut packets = 0;
        for (id, step) in steps.into_iter().enumerate() {
            let id = id as u32;
            let before = layout(&queue);
            let mut tally = Tally::default();
            match step {
                Step::Wait(_) => {}
                Step::Leave => {
                    let left = queue.dequeue(Time::ZERO, &mut tally).map(|packet| packet.meta.id);
                    prop_assert_eq!(left, before.first().map(|place| place.1));
                    packets -= u64::from(left.is_some());
                }
                Step::Arrive { flow, length } => {
                    let packet = if flow < 5 { tagged(flow, id, length) } else { packet_of(flow, id, length) };
                    queue.enqueue(packet, Time::ZERO, &mut tally);
                    let mut expected = before.clone();
                    let slot = if flow < 5 { slot_of(&mut queue, flow) } else { UNTAGGED };
                    expected.push((slot, id));
                    prop_assert!(tally.drops.len() <= 1);
                    if let Some(&(dropped, ..)) = tally.drops.first() {
                        let at = expected.iter().position(|place| place.1 == dropped);
                        let at = at.expect("the dropped packet was there");
                        let owner = expected[at].0;
                        if owner != UNTAGGED {
                            // It is the oldest: the later ones take the places before theirs, the last place closes.
                            let own: Vec<usize> = (0..expected.len()).filter(|i| expected[*i].0 == owner).collect();
                            prop_assert_eq!(own[0], at);
                            own.windows(2).for_each(|pair| expected[pair[0]].1 = expected[pair[1]].1);
                            expected.remove(own[own.len() - 1]);
                        } else {
                            expected.remove(at);
                        }
                    } else {
                        packets += 1;
                    }
                    prop_assert_eq!(layout(&queue), expected);
                }
            }
            prop_assert_eq!(queue.backlog().packets, packets);
            prop_assert_eq!(queue.backlog().bytes > 0, packets > 0);
            let flows: u64 = queue.flows.states().filter(|flow| !flow.chain.is_empty()).count() as u64;
            prop_assert_eq!(queue.active, flows);
        }
    }
}

#[test]
fn logical_queues_are_shorter_than_the_main_queue_by_default() {
    let flow = |parameters: RedDpmParameters| {
        let settings = parameters.flow_settings();
        (settings.min_th, settings.max_th)
    };
    let packets = |min, max| (Threshold::Packets(min), Threshold::Packets(max));
    let of = |min_th, max_th| flow(RedDpmParameters { min_th, max_th, ..RedDpmParameters::default() });
    assert_eq!(flow(RedDpmParameters::default()), packets(2, 6));
    assert_eq!(of(Threshold::Packets(20), Threshold::Packets(60)), packets(2, 6));
    assert_eq!(of(Threshold::Packets(1), Threshold::Packets(3)), packets(1, 3));
    let bytes = (Threshold::Bytes(3_000), Threshold::Bytes(9_000));
    assert_eq!(of(Threshold::Bytes(7_500), Threshold::Bytes(22_500)), bytes);
}

#[test]
fn defaults_are_those_of_altq() {
    let defaults = RedDpmParameters::default();
    assert_eq!((defaults.min_th, defaults.max_th), (Threshold::Packets(5), Threshold::Packets(15)));
    assert_eq!((defaults.w_q, defaults.max_p), (1.0 / 512.0, 0.1));
    assert_eq!((defaults.limit, defaults.tagged), (Limit::packets(60), vec![Dscp::EF]));
    assert_eq!((defaults.victim, defaults.delete_and_advance), (Victim::Random, true));
}

#[test]
fn parameters_out_of_range_are_refused() {
    for (key, value, right) in [
        ("max_th", json!("15 kB"), "unit of `min_th`"),
        ("max_th", json!("5 packets"), "twice"),
        ("flow_min_th", json!("1 kB"), "unit of `min_th`"),
        ("flow_max_th", json!("2 packets"), "twice"),
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
