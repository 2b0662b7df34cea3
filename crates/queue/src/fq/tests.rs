//! Rules of tc-fq(8), and what sch_fq of Linux 6.1 was measured to do.

use jettison_measure::{NoOutcomes, Tally};
use serde_json::{Value, json};

use super::*;
use crate::testing::{build_error, built, packet_of, packet_with};

fn at(micros: u64) -> Time {
    Time::from_micros(micros)
}

fn fq(more: Value) -> Box<dyn QueueDiscipline> {
    let mut value = json!({ "kind": "fq", "maxrate": "8 Mbit/s", "overhead": "0 bytes" });
    more.as_object().expect("a table").iter().for_each(|(key, given)| value[key] = given.clone());
    built(value)
}

/// Departure times in microseconds of `count` packets of one flow that arrive at 0, on a link that is never busy.
fn departures(queue: &mut dyn QueueDiscipline, count: u32, length: u16) -> Vec<u64> {
    (0..count).for_each(|id| queue.enqueue(packet_of(1, id, length), at(0), &mut NoOutcomes));
    crate::testing::drain(queue, at(0)).iter().map(|(time, _)| time.as_micros()).collect()
}

#[test]
fn a_flow_sends_its_credit_and_then_waits_for_its_rate() {
    // Linux 6.1, maxrate 8mbit: 16 packets of 1,000 bytes at once, then groups of three, 3,028 us apart.
    let times = departures(&mut *fq(json!({})), 30, 1000);
    let expected: Vec<u64> =
        [vec![0; 16], vec![3028; 3], vec![6056; 3], vec![9084; 3], vec![12_112; 3], vec![15_140; 2]].concat();
    assert_eq!(times, expected);
    // Of 1,514 bytes: ten at once, then pairs.
    let times = departures(&mut *fq(json!({})), 14, 1514);
    assert_eq!(times, [vec![0; 10], vec![3028; 2], vec![6056; 2]].concat());
}

#[test]
fn a_quantum_of_one_packet_spaces_packets_evenly() {
    // Linux 6.1, quantum 1514 initial_quantum 1514: 1,514 us apart; packets of 500 bytes four at once, then three each.
    let more = json!({ "quantum": "1514 bytes", "initial_quantum": "1514 bytes" });
    assert_eq!(departures(&mut *fq(more.clone()), 4, 1514), [0, 1514, 3028, 4542]);
    assert_eq!(departures(&mut *fq(more), 10, 500), [vec![0; 4], vec![1514; 3], vec![3028; 3]].concat());
}

#[test]
fn a_slow_flow_sends_packet_by_packet() {
    // Linux 6.1, maxrate 400kbit: packets of 500 bytes 10 ms apart, from the first on.
    assert_eq!(departures(&mut *fq(json!({ "maxrate": "400 kbit/s" })), 4, 500), [0, 10_000, 20_000, 30_000]);
    let fast = json!({ "maxrate": "400 kbit/s", "low_rate_threshold": "399 kbit/s" });
    assert_eq!(departures(&mut *fq(fast), 30, 500).iter().filter(|time| **time == 0).count(), 30);
}

#[test]
fn each_flow_has_its_own_rate_and_flows_alternate() {
    let mut queue = fq(json!({ "quantum": "1000 bytes", "initial_quantum": "1000 bytes" }));
    for id in 0..3 {
        (1..=2).for_each(|flow| {
            queue.enqueue(packet_of(flow, id * 10 + u32::from(flow), 1000), at(0), &mut NoOutcomes)
        });
    }
    let left: Vec<_> = crate::testing::drain(&mut *queue, at(0))
        .iter()
        .map(|(time, id)| (time.as_micros(), id % 10))
        .collect();
    assert_eq!(left, [(0, 1), (0, 2), (1000, 1), (1000, 2), (2000, 1), (2000, 2)]);
}

#[test]
fn without_a_rate_flows_share_by_quanta() {
    let mut queue = built(json!({ "kind": "fq", "overhead": "0 bytes" }));
    for id in 0..40 {
        queue.enqueue(packet_of(1, id, 1514), at(0), &mut NoOutcomes);
        queue.enqueue(packet_of(2, id, 757), at(0), &mut NoOutcomes);
    }
    let mut bytes = [0u64; 3];
    for _ in 0..50 {
        let packet = queue.dequeue(at(0), &mut NoOutcomes).expect("there is a backlog");
        bytes[usize::from(packet.five_tuple().expect("a UDP packet").src_port)] +=
            u64::from(packet.meta.length);
    }
    assert!(bytes[1].abs_diff(bytes[2]) <= 15_140 + 3028, "{bytes:?}");
    assert!(!queue.uses_wakeups());
}

#[test]
fn a_flow_limit_drops_the_flows_own_packets() {
    // Linux 6.1, flow_limit 5: of 40 packets, two leave at once, five are queued.
    let mut queue =
        fq(json!({ "flow_limit": "5 packets", "quantum": "1514 bytes", "initial_quantum": "1514 bytes" }));
    let mut tally = Tally::default();
    let mut sent = 0;
    for id in 0..40 {
        queue.enqueue(packet_of(1, id, 1000), at(0), &mut tally);
        sent += u32::from(queue.dequeue(at(0), &mut tally).is_some());
    }
    assert_eq!((sent, tally.drops.len(), queue.backlog().packets), (2, 33, 5));
    assert!(tally.drops.iter().all(|drop| drop.1 == DropReason::FlowLimit));
    queue.enqueue(packet_of(2, 99, 1000), at(0), &mut tally);
    assert_eq!(tally.drops.len(), 33, "another flow has its own limit");
}

#[test]
fn a_new_flow_goes_before_flows_that_have_been_served() {
    let mut queue = built(json!({ "kind": "fq", "initial_quantum": "1000 bytes", "quantum": "1000 bytes" }));
    (0..4).for_each(|id| queue.enqueue(packet_of(1, id, 1000), at(0), &mut NoOutcomes));
    assert!(queue.dequeue(at(0), &mut NoOutcomes).is_some());
    queue.enqueue(packet_of(2, 9, 100), at(0), &mut NoOutcomes);
    let order: Vec<_> =
        std::iter::from_fn(|| queue.dequeue(at(0), &mut NoOutcomes)).map(|p| p.meta.id).collect();
    assert_eq!(order, [9, 1, 2, 3]);
}

#[test]
fn a_flow_that_was_idle_has_a_quantum_again() {
    let mut queue = fq(json!({}));
    assert_eq!(departures(&mut *queue, 16, 1000), vec![0; 16]);
    // The poll that finds the flow empty ends its service.
    assert!(queue.dequeue(at(4000), &mut NoOutcomes).is_none());
    let next = |queue: &mut dyn QueueDiscipline, now: u64| {
        (0..9).for_each(|id| queue.enqueue(packet_of(1, id, 1000), at(now), &mut NoOutcomes));
        let sent = std::iter::from_fn(|| queue.dequeue(at(now), &mut NoOutcomes)).count();
        crate::testing::drain(queue, at(now));
        sent
    };
    // It was 2,168 bytes above zero with the quantum of that poll; 40 ms later it has at least a quantum.
    assert_eq!(next(&mut *queue, 5000), 3);
    assert_eq!(next(&mut *queue, 100_000), 4);
}

#[test]
fn a_late_poll_does_not_slow_a_flow_down() {
    let mut queue = fq(json!({ "quantum": "1000 bytes", "initial_quantum": "1000 bytes" }));
    (0..4).for_each(|id| queue.enqueue(packet_of(1, id, 1000), at(0), &mut NoOutcomes));
    assert!(queue.dequeue(at(0), &mut NoOutcomes).is_some());
    assert!(queue.dequeue(at(0), &mut NoOutcomes).is_none());
    // Due at 1 ms, polled 200 us late: the next is due at 2 ms all the same.
    assert!(queue.dequeue(at(1200), &mut NoOutcomes).is_some());
    assert!(queue.dequeue(at(1200), &mut NoOutcomes).is_none());
    assert_eq!(queue.next_wakeup(), Some(at(2000)));
    // 900 us late: half a gap remains.
    assert!(queue.dequeue(at(2900), &mut NoOutcomes).is_some());
    assert!(queue.dequeue(at(2900), &mut NoOutcomes).is_none());
    assert_eq!(queue.next_wakeup(), Some(at(3400)));
}

#[test]
fn packets_above_the_threshold_are_marked() {
    let mut queue = fq(json!({ "ce_threshold": "1 ms" }));
    let mut tally = Tally::default();
    for (id, ecn) in [(1, Ecn::Ect0), (2, Ecn::NotEct), (3, Ecn::Ect1)] {
        queue.enqueue(packet_with(id, 100, ecn), at(0), &mut tally);
    }
    assert_eq!(queue.dequeue(at(1000), &mut tally).map(|packet| packet.ecn()), Some(Ecn::Ect0));
    let left = [0, 1].map(|_| queue.dequeue(at(1001), &mut tally).map(|packet| packet.ecn()));
    assert_eq!(left, [Some(Ecn::NotEct), Some(Ecn::Ce)]);
    assert_eq!(tally.marks.iter().map(|mark| mark.1).collect::<Vec<_>>(), [MarkReason::CeThreshold]);
}

#[test]
fn a_control_plane_sets_the_maximum_rate() {
    let mut queue = fq(json!({ "quantum": "1000 bytes", "initial_quantum": "1000 bytes" }));
    let change = |mbit| QueueChange { class: None, setting: QueueSetting::Bandwidth(Rate::from_mbit(mbit)) };
    assert!(queue.reconfigure(&change(4)) && !queue.reconfigure(&change(0)));
    assert_eq!(departures(&mut *queue, 3, 1000), [0, 2000, 4000]);
    assert!(!built(json!("fq")).reconfigure(&change(4)), "no rate was set");
}

#[test]
fn errors_name_the_key() {
    let error = |more: Value| {
        let mut value = json!({ "kind": "fq" });
        more.as_object().expect("a table").iter().for_each(|(key, given)| value[key] = given.clone());
        build_error(value).0
    };
    assert_eq!(error(json!({ "maxrate": "0 bit/s" })), "maxrate");
    assert_eq!(error(json!({ "quantum": "0 bytes" })), "quantum");
    assert_eq!(error(json!({ "initial_quantum": "2 GB" })), "initial_quantum");
    assert_eq!(error(json!({ "flows": 0 })), "flows");
}
