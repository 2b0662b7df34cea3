//! Rules of tc-tbf(8).

use jettison_measure::{NoOutcomes, Tally};
use serde_json::json;

use super::*;
use crate::testing::{build_error, built, drain, packet};

fn at(micros: u64) -> Time {
    Time::from_micros(micros)
}

/// 8 Mbit/s: a byte per microsecond.
fn shaper(more: Value) -> Box<dyn QueueDiscipline> {
    let mut value = json!({ "kind": "tbf", "rate": "8 Mbit/s", "burst": "3 kB", "overhead": "0 bytes" });
    more.as_object().expect("a table").iter().for_each(|(key, given)| value[key] = given.clone());
    built(value)
}

fn fill(queue: &mut dyn QueueDiscipline, ids: std::ops::Range<u32>, length: u16, now: Time) -> Tally {
    let mut tally = Tally::default();
    ids.for_each(|id| queue.enqueue(packet(id, length), now, &mut tally));
    tally
}

#[test]
fn a_full_bucket_lets_a_burst_through_and_then_the_rate_holds() {
    let mut queue = shaper(json!({}));
    fill(&mut *queue, 0..5, 1500, at(0));
    let expected = [(at(0), 0), (at(0), 1), (at(1500), 2), (at(3000), 3), (at(4500), 4)];
    assert_eq!(drain(&mut *queue, at(0)), expected);
}

#[test]
fn a_packet_waits_for_tokens_for_all_its_bytes() {
    let mut queue = shaper(json!({}));
    fill(&mut *queue, 0..1, 2000, at(0));
    fill(&mut *queue, 1..2, 1001, at(0));
    fill(&mut *queue, 2..3, 100, at(0));
    // 1,000 tokens are left after the first: the second waits for one more, and the small one keeps its place.
    assert_eq!(drain(&mut *queue, at(0)), [(at(0), 0), (at(1), 1), (at(101), 2)]);
}

#[test]
fn an_idle_shaper_saves_at_most_its_burst() {
    let mut queue = shaper(json!({}));
    fill(&mut *queue, 0..2, 1500, at(0));
    drain(&mut *queue, at(0));
    fill(&mut *queue, 2..5, 1500, at(1_000_000));
    let expected = [(at(1_000_000), 2), (at(1_000_000), 3), (at(1_001_500), 4)];
    assert_eq!(drain(&mut *queue, at(1_000_000)), expected);
}

#[test]
fn peakrate_spaces_the_packets_of_a_burst() {
    let mut queue = shaper(json!({ "burst": "6 kB", "peakrate": "16 Mbit/s", "mtu": "1500 bytes" }));
    fill(&mut *queue, 0..6, 1500, at(0));
    let left = drain(&mut *queue, at(0));
    // 750 us apart at the peak rate. The main bucket covers the packet that would leave at 7.5 ms / 2 and later only at its
    // own rate: k packets need 1500 k <= 6000 + t.
    let times: Vec<_> = left.iter().map(|(time, _)| time.as_micros()).collect();
    assert_eq!(times, [0, 750, 1500, 2250, 3000, 3750]);
    fill(&mut *queue, 6..10, 1500, at(3750));
    let times: Vec<_> = drain(&mut *queue, at(3750)).iter().map(|(time, _)| time.as_micros()).collect();
    assert_eq!(times, [4500, 6000, 7500, 9000]);
}

#[test]
fn a_packet_that_no_full_bucket_covers_is_dropped() {
    let mut queue = shaper(json!({ "burst": "1499 bytes" }));
    assert_eq!(fill(&mut *queue, 0..1, 1500, at(0)).drops, [(0, DropReason::LargerThanBurst, at(0))]);
    let mut queue = shaper(json!({ "peakrate": "16 Mbit/s", "mtu": "1499 bytes" }));
    assert_eq!(fill(&mut *queue, 0..1, 1500, at(0)).drops, [(0, DropReason::LargerThanBurst, at(0))]);
}

#[test]
fn a_packet_costs_what_the_line_carries() {
    // 20 bytes of header and trailer: 1,520 bytes, in 32 cells of 53 bytes.
    let mut queue = shaper(json!({ "burst": "1696 bytes", "overhead": "20 bytes, atm" }));
    fill(&mut *queue, 0..3, 1500, at(0));
    assert_eq!(drain(&mut *queue, at(0)), [(at(0), 0), (at(1696), 1), (at(3392), 2)]);
    let mut queue = shaper(json!({ "burst": "1695 bytes", "overhead": "20 bytes, atm" }));
    assert_eq!(fill(&mut *queue, 0..1, 1500, at(0)).drops[0].1, DropReason::LargerThanBurst);
}

#[test]
fn latency_limits_what_may_wait() {
    // 10 ms at 8 Mbit/s and the bucket: 13,000 bytes.
    let mut queue = shaper(json!({ "latency": "10 ms" }));
    assert_eq!(fill(&mut *queue, 0..20, 1000, at(0)).drops.len(), 7);
    // With a peak rate: 5 ms at 16 Mbit/s and its bucket are 12,000 bytes, fewer than 5 ms at 8 Mbit/s and 9 kB.
    let more = json!({ "latency": "5 ms", "burst": "9 kB", "peakrate": "16 Mbit/s", "mtu": "2 kB" });
    assert_eq!(fill(&mut *shaper(more), 0..20, 1000, at(0)).drops.len(), 8);
}

#[test]
fn the_rate_is_exact_in_the_long_run() {
    // 1500 bytes at 7,001 bit/s take 1.7140… s; 7,001 packets take 12,000 s to the nanosecond. The bucket holds a byte more
    // than a packet: one that is full when the packet leaves would lose the fraction of a nanosecond each time.
    let queue = json!({ "kind": "tail-drop", "limit": "unlimited" });
    let mut queue = built(
        json!({ "kind": "tbf", "rate": "7001 bit/s", "burst": "1501 bytes", "queue": queue, "overhead": "0 bytes" }),
    );
    fill(&mut *queue, 0..7002, 1500, at(0));
    assert_eq!(
        drain(&mut *queue, at(0)).last(),
        Some(&(Time::from_nanos(12_000_000_000_000 - 1_142_693), 7001))
    );
}

#[test]
fn a_control_plane_sets_the_rate() {
    let mut queue = shaper(json!({ "burst": "1500 bytes" }));
    fill(&mut *queue, 0..4, 1500, at(0));
    assert!(queue.dequeue(at(0), &mut NoOutcomes).is_some());
    assert!(queue.dequeue(at(0), &mut NoOutcomes).is_none());
    assert_eq!(queue.next_wakeup(), Some(at(1500)));
    let bandwidth =
        |mbit| QueueChange { class: None, setting: QueueSetting::Bandwidth(Rate::from_mbit(mbit)) };
    assert!(queue.reconfigure(&bandwidth(4)));
    assert_eq!(queue.next_wakeup(), Some(at(3000)), "the packet that waits is due by the new rate");
    // Half of its tokens have arrived when the rate doubles.
    assert!(queue.dequeue(at(1500), &mut NoOutcomes).is_none());
    assert!(queue.reconfigure(&bandwidth(8)));
    assert_eq!(queue.next_wakeup(), Some(at(2250)));
    assert_eq!(drain(&mut *queue, at(2250)), [(at(2250), 1), (at(3750), 2), (at(5250), 3)]);
    assert!(!queue.reconfigure(&bandwidth(0)), "no shaper has a rate of zero");
    assert!(queue.reconfigure(&QueueChange { class: None, setting: QueueSetting::Depth(1) }), "tail drop's");
    assert_eq!(fill(&mut *queue, 4..6, 1500, at(9000)).drops.len(), 1);
}

#[test]
fn an_automatic_burst_follows_the_rate() {
    assert_eq!(automatic_burst(Rate::from_mbit(8)), Bytes::new(2000));
    assert_eq!(automatic_burst(Rate::from_mbit(80)), Bytes::new(10_000));
    let mut queue = built(json!({ "kind": "tbf", "rate": "80 Mbit/s", "overhead": "0 bytes" }));
    let change = QueueChange { class: None, setting: QueueSetting::Bandwidth(Rate::from_mbit(8)) };
    assert!(queue.reconfigure(&change));
    fill(&mut *queue, 0..3, 1000, at(0));
    assert_eq!(drain(&mut *queue, at(0)).last(), Some(&(at(1000), 2)), "two kilobytes at once");
}

#[test]
fn the_inner_discipline_learns_the_rate_at_which_it_is_served() {
    // ABC reports the fraction it would grant from the link's capacity: the shaper's here, even on a faster link.
    let mut queue = built(json!({ "kind": "tbf", "rate": "8 Mbit/s", "queue": "abc" }));
    let capacity = |queue: &dyn QueueDiscipline| {
        let mut taken = Vec::new();
        queue.gauges(at(0), &mut taken);
        taken
            .iter()
            .find(|(gauge, ..)| gauge.name == "abc_capacity")
            .map(|taken: &(Gauge, String, f64)| taken.2)
    };
    queue.capacity_changed(Rate::from_mbit(100), at(0));
    assert_eq!(capacity(&*queue), Some(8.0));
    queue.capacity_changed(Rate::from_mbit(5), at(0));
    assert_eq!(capacity(&*queue), Some(5.0));
}

#[test]
fn the_held_packet_counts_in_the_backlog_of_its_class() {
    let mut queue = shaper(json!({ "burst": "1500 bytes", "queue": { "kind": "priority", "bands": 2 } }));
    for (id, class) in [(1, 1), (2, 1), (3, 0)] {
        let mut packet = packet(id, 1500);
        packet.meta.class = class;
        queue.enqueue(packet, at(0), &mut NoOutcomes);
        if id == 2 {
            assert!(queue.dequeue(at(0), &mut NoOutcomes).is_some());
            assert!(queue.dequeue(at(0), &mut NoOutcomes).is_none());
        }
    }
    assert_eq!([0, 1].map(|class| queue.class_backlog(class).packets), [1, 1]);
    assert_eq!(queue.backlog(), Backlog { packets: 2, bytes: 3000 });
}

#[test]
fn errors_name_the_key_and_what_it_must_be() {
    let error = |more: Value| {
        let mut value = json!({ "kind": "tbf" });
        more.as_object().expect("a table").iter().for_each(|(key, given)| value[key] = given.clone());
        build_error(value)
    };
    let said = |key: &str, message: &str| (key.to_owned(), message.to_owned());
    assert_eq!(error(json!({ "rate": "0 bit/s" })), said("rate", "must be > 0, got 0 bit/s"));
    assert_eq!(error(json!({ "burst": "0 bytes" })), said("burst", "must be in [1 byte, 1 GB], got 0 bytes"));
    assert_eq!(error(json!({ "burst": "2 GB" })).0, "burst");
    assert_eq!(
        error(json!({ "peakrate": "9 Mbit/s" })),
        said("peakrate", "must be above `rate` (10 Mbit/s), got 9 Mbit/s")
    );
    assert_eq!(error(json!({ "queue": { "kind": "codel", "target": "0 ms" } })).0, "queue.target");
}
