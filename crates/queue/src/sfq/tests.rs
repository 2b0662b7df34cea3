//! The rules of McKenney 1990.

use super::*;
use crate::testing::{build_error, packet_of};
use jettison_core::Seed;
use jettison_measure::{NoOutcomes, Tally};
use serde_json::json;

fn sfq(parameters: SfqParameters) -> Sfq {
    Sfq::new(parameters, Seed(1).stream(&["sfq"])).unwrap_or_else(|error| panic!("{error}"))
}

/// Enqueues a packet of each of `flows`; packet ids are 100 × flow + sequence number within the flow.
fn arrive(queue: &mut Sfq, flows: &[u16], millis: u64) -> Tally {
    let mut tally = Tally::default();
    for flow in flows {
        let count = queue.turns.iter().flat_map(|n| queue.pool.iter(&queue.queues[*n as usize].chain));
        let last = count.map(|packet| packet.meta.id).filter(|id| id / 100 == u32::from(*flow)).max();
        let id = last.map_or(u32::from(*flow) * 100, |id| id + 1);
        queue.enqueue(packet_of(*flow, id, 1000), Time::from_millis(millis), &mut tally);
    }
    tally
}

fn sent(queue: &mut Sfq) -> Vec<u32> {
    std::iter::from_fn(|| queue.dequeue(Time::ZERO, &mut NoOutcomes)).map(|packet| packet.meta.id).collect()
}

/// `count` flows in different queues.
fn apart(queue: &Sfq, count: usize) -> Vec<u16> {
    let mut used = std::collections::BTreeSet::new();
    (1..).filter(|flow| used.insert(queue.queue_of(&packet_of(*flow, 0, 100)))).take(count).collect()
}

#[test]
fn flows_are_served_in_turn_a_packet_each() {
    let mut queue = sfq(SfqParameters::default());
    let [a, b, c] = apart(&queue, 3)[..] else { panic!("three") };
    arrive(&mut queue, &[a, a, a, b, c, c], 0);
    let id = |flow: u16, n: u32| u32::from(flow) * 100 + n;
    assert_eq!(sent(&mut queue), [id(a, 0), id(b, 0), id(c, 0), id(a, 1), id(c, 1), id(a, 2)]);
    assert_eq!(queue.backlog(), Backlog::default());
}

#[test]
fn a_new_flow_waits_for_its_turn_and_no_longer() {
    let mut queue = sfq(SfqParameters::default());
    let [a, b] = apart(&queue, 2)[..] else { panic!("two") };
    arrive(&mut queue, &[a; 50], 0);
    queue.dequeue(Time::ZERO, &mut NoOutcomes);
    arrive(&mut queue, &[b], 1);
    let order = sent(&mut queue);
    assert_eq!(order[1], u32::from(b) * 100, "after one packet of the other");
}

#[test]
fn flows_that_collide_share_one_queue() {
    let mut queue = sfq(SfqParameters { queues: 1, ..SfqParameters::default() });
    arrive(&mut queue, &[1, 1, 2, 1, 2], 0);
    assert_eq!(sent(&mut queue), [100, 101, 200, 102, 201]);
}

#[test]
fn the_hash_uses_all_queues_evenly() {
    let queue = sfq(SfqParameters { queues: 10, ..SfqParameters::default() });
    let mut counts = [0u32; 10];
    (0..10_000).for_each(|flow| counts[queue.queue_of(&packet_of(flow, 0, 100)) as usize] += 1);
    assert!(counts.iter().all(|n| (850..1150).contains(n)), "{counts:?}");
}

#[test]
fn a_full_buffer_takes_a_packet_from_the_longest_queue() {
    for (drop_from, lost) in [(DropFrom::Tail, 4), (DropFrom::Head, 0)] {
        let mut queue =
            sfq(SfqParameters { limit: Limit::packets(8), drop_from, ..SfqParameters::default() });
        let [a, b, c] = apart(&queue, 3)[..] else { panic!("three") };
        arrive(&mut queue, &[a, b, a, a, b, a, c, a], 0);
        let tally = arrive(&mut queue, &[c], 1);
        assert_eq!(tally.drops, [(u32::from(a) * 100 + lost, DropReason::BufferFull, Time::from_millis(1))]);
        assert_eq!(queue.backlog(), Backlog { packets: 8, bytes: 8000 });
    }
}

#[test]
fn an_arrival_of_the_longest_flow_is_itself_dropped() {
    let mut queue = sfq(SfqParameters { limit: Limit::packets(4), ..SfqParameters::default() });
    let [a, b] = apart(&queue, 2)[..] else { panic!("two") };
    arrive(&mut queue, &[a, a, b, b], 0);
    // Also at a tie: it would make its own queue the longest.
    let tally = arrive(&mut queue, &[b], 1);
    assert_eq!(tally.drops[0].0, u32::from(b) * 100 + 2);
}

#[test]
fn a_limit_in_bytes_can_drop_several_packets() {
    let mut queue = sfq(SfqParameters { limit: Limit::bytes(3000), ..SfqParameters::default() });
    let [a, b] = apart(&queue, 2)[..] else { panic!("two") };
    let mut tally = Tally::default();
    for id in 0..10 {
        queue.enqueue(packet_of(a, id, 300), Time::ZERO, &mut tally);
    }
    queue.enqueue(packet_of(b, 10, 1500), Time::ZERO, &mut tally);
    assert_eq!(tally.drops.iter().map(|drop| drop.0).collect::<Vec<_>>(), [9, 8, 7, 6, 5]);
    queue.enqueue(packet_of(b, 11, 3001), Time::ZERO, &mut tally);
    assert_eq!((tally.drops[5].0, queue.backlog()), (11, Backlog { packets: 6, bytes: 3000 }));
}

#[test]
fn a_queue_that_a_drop_has_emptied_keeps_its_turn_and_no_more() {
    let mut queue = sfq(SfqParameters { limit: Limit::packets(2), ..SfqParameters::default() });
    let [a, b, c] = apart(&queue, 3)[..] else { panic!("three") };
    arrive(&mut queue, &[a, b, c], 0);
    assert_eq!((queue.turns.len(), queue.backlog().packets), (3, 2));
    assert_eq!(sent(&mut queue).len(), 2);
    assert!(queue.queues.iter().all(|queue| !queue.has_turn));
}

#[test]
fn the_hash_changes_each_perturbation() {
    let mut queue = sfq(SfqParameters { perturb: Duration::from_secs(1), ..SfqParameters::default() });
    let first = queue.seed;
    arrive(&mut queue, &[1], 999);
    assert_eq!(queue.seed, first);
    arrive(&mut queue, &[1], 1000);
    let second = queue.seed;
    assert_ne!(second, first);
    arrive(&mut queue, &[1], 1999);
    assert_eq!(queue.seed, second);
    arrive(&mut queue, &[1], 2500);
    assert_ne!(queue.seed, second);
}

#[test]
fn flows_that_collide_are_parted_by_a_perturbation_without_reordering() {
    let mut queue =
        sfq(SfqParameters { queues: 4, perturb: Duration::from_secs(1), ..SfqParameters::default() });
    let flows: Vec<u16> = (1..=12).flat_map(|flow| [flow; 5]).collect();
    arrive(&mut queue, &flows, 0);
    let before: Vec<u32> = (1..=12).map(|flow| queue.queue_of(&packet_of(flow, 0, 100))).collect();
    arrive(&mut queue, &[1], 1000);
    let after: Vec<u32> = (1..=12).map(|flow| queue.queue_of(&packet_of(flow, 0, 100))).collect();
    let parted = (0..12).any(|a| (0..a).any(|b| before[a] == before[b] && after[a] != after[b]));
    assert!(parted, "{before:?} {after:?}");
    // Each packet is in the queue that its flow hashes to now, and the queue's backlog is correct.
    for (number, own) in queue.queues.iter().enumerate() {
        let packets: Vec<_> = queue.pool.iter(&own.chain).collect();
        assert_eq!(own.chain.backlog().packets, packets.len() as u64);
        assert!(packets.iter().all(|packet| queue.queue_of(packet) as usize == number));
    }
    assert_eq!(queue.backlog().packets, 61);
    let order = sent(&mut queue);
    for flow in 1..=12u32 {
        let own: Vec<u32> = order.iter().copied().filter(|id| id / 100 == flow).collect();
        assert_eq!(own.len(), if flow == 1 { 6 } else { 5 });
        assert!(own.is_sorted(), "{own:?}");
    }
}

#[test]
fn without_perturbation_the_hash_stays() {
    let mut queue = sfq(SfqParameters { perturb: Duration::ZERO, ..SfqParameters::default() });
    let first = queue.seed;
    arrive(&mut queue, &[1], 1_000_000);
    queue.enqueue(packet_of(1, 9, 100), Time::MAX, &mut NoOutcomes);
    assert_eq!(queue.seed, first);
}

#[test]
fn an_aggressive_flow_gets_no_more_than_its_turn() {
    let mut queue = sfq(SfqParameters { limit: Limit::packets(50), ..SfqParameters::default() });
    let [a, b] = apart(&queue, 2)[..] else { panic!("two") };
    let (mut tally, mut counts) = (Tally::default(), [0u32; 2]);
    for millis in 0..5_000 {
        let now = Time::from_millis(millis);
        (0..9).for_each(|_| queue.enqueue(packet_of(a, 0, 1000), now, &mut tally));
        queue.enqueue(packet_of(b, 1, 1000), now, &mut tally);
        for _ in 0..2 {
            let packet = queue.dequeue(now, &mut tally).expect("more arrive than leave");
            counts[packet.meta.id as usize] += 1;
        }
    }
    assert!(counts[1] >= 4_990, "{counts:?}");
    assert!(tally.drops.iter().all(|drop| drop.0 == 0));
}

#[test]
fn parameters_out_of_range_are_refused() {
    for queues in [0, 100_000] {
        let (path, message) = build_error(json!({ "kind": "sfq", "queues": queues }));
        assert_eq!(path, "queues");
        assert!(message.contains("[1, 65536]"), "{message}");
    }
}
