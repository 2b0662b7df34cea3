//! What must hold for every registered discipline, whatever happens to it.

mod driver;

use driver::{Operation, build_with_seed, configurations, drive, knows_ecn};
use jettison_core::DropReason;
use jettison_queue::registry::disciplines;
use proptest::prelude::*;
use serde_json::{Value, json};

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        6 => (0u8..12, 20u16..1600, 0u8..4).prop_map(|(flow, length, ecn)| Operation::Enqueue { flow, length, ecn }),
        4 => (1u8..4).prop_map(Operation::Dequeue),
        3 => (0u64..3_000_000).prop_map(Operation::Advance),
        1 => (0u64..400_000_000).prop_map(Operation::Advance),
        1 => (0u64..20_000_000).prop_map(Operation::Capacity),
    ]
}

fn built(value: &Value, seed: u64) -> Box<dyn jettison_queue::QueueDiscipline> {
    build_with_seed(value, seed).unwrap_or_else(|error| panic!("{value}: {error}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// `drive` checks conservation of packets and bytes and the order within flows after every operation.
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

/// Two packets arrive a millisecond and one leaves, for ten seconds.
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
fn with_ecn_a_capable_packet_is_marked_where_another_is_dropped() {
    for discipline in disciplines().iter().filter(|discipline| knows_ecn(discipline.id)) {
        let mut value = json!({ "kind": discipline.id, "ecn": true, "limit": "unlimited" });
        if discipline.id == "pie" {
            // Marks do not slow this load down, and RFC 8033 §5.1 drops above 10 %.
            value["mark_ecnth"] = json!(1.0);
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

#[test]
fn a_limit_is_never_passed() {
    for discipline in disciplines().iter() {
        let value = json!({ "kind": discipline.id, "limit": "5 packets, 4 kB" });
        let mut queue = built(&value, 1);
        let mut trace = driver::Trace::default();
        for id in 0..100 {
            queue.enqueue(
                driver::packet(id, 0, 100 + 50 * (id % 20) as u16, 0),
                jettison_core::Time::ZERO,
                &mut trace,
            );
            let backlog = queue.backlog();
            assert!(backlog.packets <= 5 && backlog.bytes <= 4000, "{}: {backlog:?}", discipline.id);
        }
        assert!(trace.drops.iter().any(|drop| drop.1 == DropReason::BufferFull), "{}", discipline.id);
    }
}
