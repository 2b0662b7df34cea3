//! Invariants of every registered discipline under arbitrary operations.

mod driver;

use driver::{Labelled, Operation, Trace, build_with_seed, configurations, drive, has_parameter};
use jettison_core::{DropReason, Duration, RandomStream, Seed, Time};
use jettison_queue::QueueDiscipline;
use jettison_queue::disciplines;
use jettison_wire::Ecn;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use serde_json::{Value, json};

/// Generates a packet of Octopus traffic.
fn labelled() -> impl Strategy<Value = Operation> {
    let place = (0u8..4, 0u8..3, any::<u8>(), any::<u8>());
    let label = (0u8..8, any::<u8>(), prop_oneof![2 => Just(0u16), 1 => 0u16..3000], 0u8..40);
    (place, label, 48u16..1600).prop_map(
        |((flow, stream, step, position), (priority, dropper, kbit, slack), length)| {
            Operation::Message(Labelled {
                flow,
                stream,
                step,
                position,
                priority,
                dropper,
                kbit,
                slack,
                length,
            })
        },
    )
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        8 => labelled(),
        6 => (0u8..12, 20u16..1600, 0u8..4).prop_map(|(flow, length, ecn)| Operation::Enqueue { flow, length, ecn }),
        4 => (1u8..4).prop_map(Operation::Dequeue),
        3 => (0u64..3_000_000).prop_map(Operation::Advance),
        1 => (0u64..400_000_000).prop_map(Operation::Advance),
        1 => (0u64..20_000_000).prop_map(Operation::Capacity),
    ]
}

fn built(value: &Value, seed: u64) -> Box<dyn QueueDiscipline> {
    build_with_seed(value, seed).unwrap_or_else(|error| panic!("{value}: {error}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// After every operation, `drive` checks conservation of packets and bytes, order within flows, and that Octopus messages
    /// are dropped as a whole.
    #[test]
    fn nothing_is_lost_invented_or_reordered_and_runs_repeat(
        operations in prop::collection::vec(operation(), 1..600), seed in 0u64..1000
    ) {
        for value in configurations() {
            let first = drive(&mut *built(&value, seed), &operations);
            let second = drive(&mut *built(&value, seed), &operations);
            prop_assert_eq!(first, second, "{}", value);
        }
    }

    #[test]
    fn no_time_or_rate_makes_it_panic(
        operations in prop::collection::vec(prop_oneof![
            (any::<u8>(), any::<u16>(), any::<u8>())
                .prop_map(|(flow, length, ecn)| Operation::Enqueue { flow, length, ecn }),
            labelled(),
            any::<u8>().prop_map(Operation::Dequeue),
            any::<u64>().prop_map(|n| Operation::Advance(n >> (n % 60))),
            any::<u64>().prop_map(Operation::Capacity),
        ], 1..200)
    ) {
        for value in configurations() {
            drive(&mut *built(&value, 1), &operations);
        }
    }
}

#[test]
fn octopus_traffic_is_dropped_for_every_octopus_reason() {
    // The message properties are only meaningful if messages are dropped.
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut reasons = std::collections::BTreeSet::new();
    for _ in 0..20 {
        let operations =
            prop::collection::vec(operation(), 400).new_tree(&mut runner).expect("it generates").current();
        for value in configurations() {
            let trace = drive(&mut *built(&value, 1), &operations);
            reasons.extend(trace.drops.iter().map(|(_, reason, _)| *reason));
        }
    }
    for reason in [DropReason::StaleMessage, DropReason::OverBitrate, DropReason::LeastImportant] {
        assert!(reasons.contains(&reason), "{reason:?}");
    }
}

/// Two packets arrive and one leaves per millisecond, for ten seconds.
fn overload(ecn: u8) -> Vec<Operation> {
    let arrival = |flow| Operation::Enqueue { flow, length: 1500, ecn };
    (0..10_000u32)
        .flat_map(|t| {
            let flow = (t % 11) as u8;
            [arrival(flow), arrival(flow + 1), Operation::Dequeue(1), Operation::Advance(1_000_000)]
        })
        .collect()
}

#[test]
fn with_ecn_capable_packets_are_marked_and_others_dropped() {
    for discipline in disciplines().iter().filter(|discipline| has_parameter(discipline.id, "ecn")) {
        let mut value = json!({ "kind": discipline.id, "ecn": true, "limit": "unlimited" });
        if has_parameter(discipline.id, "mark_ecnth") {
            // This load does not react to marks, and RFC 8033 §5.1 drops above 10 %.
            value["mark_ecnth"] = json!(1.0);
        }
        if has_parameter(discipline.id, "memlimit") {
            value["memlimit"] = json!("1 GB");
        }
        for ecn in [1, 2] {
            let trace = drive(&mut *built(&value, 1), &overload(ecn));
            assert!(trace.drops.is_empty(), "{}: {:?}", discipline.id, trace.drops.first());
            assert!(trace.marks.len() > 50, "{}: {} marks", discipline.id, trace.marks.len());
        }
        let trace = drive(&mut *built(&value, 1), &overload(0));
        assert!(trace.marks.is_empty(), "{}", discipline.id);
        assert!(trace.drops.len() > 50, "{}: {} drops", discipline.id, trace.drops.len());
        assert!(trace.drops.iter().all(|drop| drop.1 != DropReason::BufferFull), "{}", discipline.id);
    }
}

/// Responsive ECN-capable senders: each departing CE mark increases the packet spacing by a tenth, each departure without a
/// mark decreases it slightly. The link sends one packet of 1,500 bytes per millisecond, for one minute.
fn responsive(queue: &mut dyn QueueDiscipline, ecn: u8, random: &mut RandomStream) -> Trace {
    let (mut trace, mut arrived) = (Trace::default(), 0);
    // Nanoseconds between two packets.
    let mut gap = 1.1e6;
    let (mut arrival, mut departure) = (Time::ZERO, Time::ZERO);
    while departure < Time::from_secs(60) {
        let woken = queue.next_wakeup().unwrap_or(Time::MAX);
        if woken <= arrival.min(departure) {
            queue.handle_wakeup(woken, &mut trace);
        } else if arrival <= departure {
            let flow = random.uniform(0, 20) as u8;
            let length = random.uniform(200, 1500) as u16;
            queue.enqueue(driver::packet(arrived, flow, length, ecn), arrival, &mut trace);
            arrived += 1;
            arrival +=
                Duration::from_nanos((gap * f64::from(length) / 1500.0 * (0.5 + random.unit())) as u64);
        } else {
            let sent = queue.dequeue(departure, &mut trace);
            let marked = sent.as_ref().is_some_and(|packet| packet.ecn() == Ecn::Ce);
            gap = if marked { (gap * 1.1).min(1e7) } else { (gap * 0.9999).max(5e5) };
            let length = sent.map_or(1500, |packet| packet.meta.length);
            departure += Duration::from_nanos(u64::from(length) * 1_000_000 / 1500);
        }
    }
    trace
}

#[test]
fn ecn_capable_packets_of_responsive_senders_are_marked_and_not_dropped() {
    // DualPI2 has no parameter `ecn`: it always marks (RFC 9332 §2.3).
    let marking = |id: &str| has_parameter(id, "ecn") || id == "dualpi2";
    for discipline in disciplines().iter().filter(|discipline| marking(discipline.id)) {
        let mut value = json!({ "kind": discipline.id, "limit": "unlimited" });
        if has_parameter(discipline.id, "ecn") {
            value["ecn"] = json!(true);
        }
        if has_parameter(discipline.id, "mark_ecnth") {
            // With these senders the probability exceeds 10 %, where RFC 8033 §5.1 drops.
            value["mark_ecnth"] = json!(1.0);
        }
        for seed in 0..3 {
            for ecn in [Ecn::Ect0, Ecn::Ect1] {
                let mut random = Seed(seed).stream(&["listening", discipline.id]);
                let trace = responsive(&mut *built(&value, seed), ecn as u8, &mut random);
                let (id, marks) = (discipline.id, trace.marks.len());
                assert!(trace.drops.is_empty(), "{id}, {ecn:?}: {:?}", trace.drops.first());
                assert!(marks > 50, "{id}, {ecn:?}: {marks} marks");
            }
        }
    }
}

#[test]
fn every_discipline_is_driven_with_its_defaults_and_with_a_small_buffer() {
    let all = configurations();
    for id in disciplines().ids() {
        let of_it = all.iter().filter(|value| value["kind"] == id).count();
        assert!(all.contains(&json!({ "kind": id })) && of_it >= 2, "{id}: {of_it}");
        assert!(all.contains(&json!({ "kind": id, "limit": "5 packets, 4 kB" })), "{id}");
    }
}

#[test]
fn a_limit_is_never_exceeded() {
    for discipline in disciplines().iter() {
        let value = json!({ "kind": discipline.id, "limit": "5 packets, 4 kB" });
        let mut queue = built(&value, 1);
        let mut trace = Trace::default();
        for id in 0..100 {
            queue.enqueue(driver::packet(id, 0, 100 + 50 * (id % 20) as u16, 0), Time::ZERO, &mut trace);
            let backlog = queue.backlog();
            assert!(backlog.packets <= 5 && backlog.bytes <= 4000, "{}: {backlog:?}", discipline.id);
        }
        assert!(trace.drops.iter().any(|drop| drop.1 == DropReason::BufferFull), "{}", discipline.id);
    }
}
