//! Rules of tc-htb(8), and what sch_htb of Linux 6.1 was measured to do.

use jettison_core::Duration;
use jettison_measure::{NoOutcomes, Tally};
use serde_json::{Value, json};

use super::*;
use crate::testing::{build_error, built, packet_of};

fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

/// A class for the packets of the flow `flow`.
fn class(name: &str, flow: u16, more: Value) -> Value {
    let mut value =
        json!({ "name": name, "rate": "1 Mbit/s", "match": [{ "source_port": flow.to_string() }] });
    more.as_object().expect("a table").iter().for_each(|(key, given)| value[key] = given.clone());
    value
}

fn tree(rate: &str, classes: Value, default: &str) -> Box<dyn QueueDiscipline> {
    built(
        json!({ "kind": "htb", "rate": rate, "overhead": "0 bytes", "classes": classes, "default": default }),
    )
}

/// Bytes that each flow sends until `until`, with `backlogged` flows always full of packets of 1,000 bytes, on a link that is
/// never busy.
fn sent(queue: &mut dyn QueueDiscipline, backlogged: &[u16], until: Time) -> Vec<u64> {
    let most = usize::from(*backlogged.iter().max().expect("a flow"));
    let (mut bytes, mut waiting) = (vec![0; most + 1], vec![0; most + 1]);
    let mut now = Time::ZERO;
    while now <= until {
        for flow in backlogged {
            while waiting[usize::from(*flow)] < 10 {
                queue.enqueue(packet_of(*flow, 0, 1000), now, &mut NoOutcomes);
                waiting[usize::from(*flow)] += 1;
            }
        }
        match queue.dequeue(now, &mut NoOutcomes) {
            Some(packet) => {
                let flow = usize::from(packet.five_tuple().expect("a UDP packet").src_port);
                bytes[flow] += u64::from(packet.meta.length);
                waiting[flow] -= 1;
            }
            None => {
                now = queue.next_wakeup().expect("packets wait");
                queue.handle_wakeup(now, &mut NoOutcomes);
            }
        }
    }
    bytes
}

/// Rates of the flows in Mbit/s over ten seconds, without the bursts at the start.
fn rates(queue: &mut dyn QueueDiscipline, backlogged: &[u16]) -> Vec<f64> {
    let bytes = sent(queue, backlogged, Time::from_secs(10));
    backlogged.iter().map(|flow| bytes[usize::from(*flow)] as f64 * 8.0 / 10e6).collect()
}

fn near(found: &[f64], expected: &[f64]) {
    let close = |(found, expected): (&f64, &f64)| (found - expected).abs() <= 0.01 * expected + 0.003;
    assert!(found.iter().zip(expected).all(close), "{found:?}, expected {expected:?}");
}

#[test]
fn a_class_is_guaranteed_its_rate_and_held_to_its_ceiling() {
    let classes = json!([
        class("a", 1, json!({ "rate": "2 Mbit/s" })),
        class("b", 2, json!({ "rate": "3 Mbit/s", "ceil": "6 Mbit/s" })),
    ]);
    // `a` may not borrow; `b` borrows up to its ceiling, and 2 Mbit/s remain unused.
    near(&rates(&mut *tree("10 Mbit/s", classes.clone(), "a"), &[1, 2]), &[2.0, 6.0]);
    near(&rates(&mut *tree("10 Mbit/s", classes, "a"), &[2]), &[6.0]);
}

#[test]
fn borrowers_share_what_is_left_by_their_quanta() {
    let class = |name, flow, rate: &str| class(name, flow, json!({ "rate": rate, "ceil": "10 Mbit/s" }));
    let classes = json!([class("a", 1, "1 Mbit/s"), class("b", 2, "3 Mbit/s")]);
    // 6 Mbit/s are left, shared 1 : 3, since a quantum is a tenth of the rate.
    near(&rates(&mut *tree("10 Mbit/s", classes, "a"), &[1, 2]), &[2.5, 7.5]);
}

#[test]
fn an_explicit_quantum_decides_the_shares() {
    let class = |name, flow, quantum| {
        class(name, flow, json!({ "ceil": "10 Mbit/s", "quantum": format!("{quantum} bytes") }))
    };
    let classes = json!([class("a", 1, 1500), class("b", 2, 4500)]);
    near(&rates(&mut *tree("10 Mbit/s", classes, "a"), &[1, 2]), &[3.0, 7.0]);
}

#[test]
fn the_lowest_prio_is_offered_the_rest_first() {
    let class = |name, flow, prio| class(name, flow, json!({ "ceil": "8 Mbit/s", "prio": prio }));
    let classes = json!([class("a", 1, 1), class("b", 2, 0), class("c", 3, 1)]);
    // `b` reaches its ceiling; `a` and `c` keep what they are guaranteed.
    near(&rates(&mut *tree("10 Mbit/s", classes.clone(), "a"), &[1, 2, 3]), &[1.0, 8.0, 1.0]);
    near(&rates(&mut *tree("10 Mbit/s", classes, "a"), &[1, 3]), &[5.0, 5.0]);
}

#[test]
fn a_class_borrows_from_the_nearest_ancestor_first() {
    let leaf = |name, flow, parent: &str| class(name, flow, json!({ "parent": parent, "ceil": "10 Mbit/s" }));
    let classes = json!([
        { "name": "left", "rate": "6 Mbit/s", "ceil": "10 Mbit/s" },
        { "name": "right", "rate": "4 Mbit/s", "ceil": "10 Mbit/s" },
        leaf("a", 1, "left"),
        leaf("b", 2, "left"),
        leaf("c", 3, "right"),
    ]);
    // What `b` leaves goes to `a`, not to `c`, as long as `left` is below its rate.
    near(&rates(&mut *tree("10 Mbit/s", classes.clone(), "a"), &[1, 3]), &[6.0, 4.0]);
    near(&rates(&mut *tree("10 Mbit/s", classes.clone(), "a"), &[1, 2, 3]), &[3.0, 3.0, 4.0]);
    // The other branch borrows what an idle branch does not use.
    near(&rates(&mut *tree("10 Mbit/s", classes, "a"), &[3]), &[10.0]);
}

#[test]
fn bursts_leave_at_once_and_a_class_sends_while_it_has_no_debt() {
    let class = |burst: &str, cburst: &str| {
        json!([class("a", 1, json!({ "ceil": "2 Mbit/s", "burst": burst, "cburst": cburst }))])
    };
    let at_once = |classes| {
        let mut queue = tree("10 Mbit/s", classes, "a");
        (0..50).for_each(|id| queue.enqueue(packet_of(1, id, 1000), at(0), &mut NoOutcomes));
        std::iter::from_fn(|| queue.dequeue(at(0), &mut NoOutcomes)).count()
    };
    // 1,600 bytes cover one packet and part of the next.
    assert_eq!(at_once(class("1600 bytes", "1600 bytes")), 2);
    assert_eq!(at_once(class("1600 bytes", "6 kB")), 7, "`cburst` at the rate of the link, borrowed");
    // In excess of the rate: within half a second at the ceiling.
    let mut queue = tree("10 Mbit/s", class("50 kB", "1600 bytes"), "a");
    let bytes = sent(&mut *queue, &[1], at(400))[1];
    assert!((100_000..103_000).contains(&bytes), "{bytes}");
}

#[test]
fn a_packet_larger_than_the_burst_is_sent_on_credit() {
    let mut queue = tree("10 Mbit/s", json!([class("a", 1, json!({}))]), "a");
    (0..2).for_each(|id| queue.enqueue(packet_of(1, id, 9000), at(0), &mut NoOutcomes));
    assert!(queue.dequeue(at(0), &mut NoOutcomes).is_some());
    assert!(queue.dequeue(at(0), &mut NoOutcomes).is_none());
    // 7,400 bytes of debt at 1 Mbit/s.
    assert_eq!(queue.next_wakeup(), Some(Time::from_micros(59_200)));
}

#[test]
fn packets_that_no_class_matches_go_to_the_default() {
    let classes = json!([
        class("a", 1, json!({})),
        class("b", 2, json!({ "queue": { "kind": "tail-drop", "limit": "1 packet" } }))
    ]);
    let mut queue = tree("10 Mbit/s", classes, "b");
    let mut tally = Tally::default();
    for (id, flow) in [(1, 1), (2, 7), (3, 8), (4, 1)] {
        queue.enqueue(packet_of(flow, id, 100), at(0), &mut tally);
    }
    assert_eq!(tally.drops, [(3, DropReason::BufferFull, at(0))]);
    assert_eq!(queue.backlog(), Backlog { packets: 3, bytes: 300 });
    let mut taken = Vec::new();
    queue.gauges(at(0), &mut taken);
    let backlog = |part: &str| taken.iter().find(|(gauge, at, _)| gauge.name == "htb_backlog" && at == part);
    assert_eq!([backlog("a"), backlog("b")].map(|found| found.map(|found| found.2)), [Some(2.0), Some(1.0)]);
}

#[test]
fn without_classes_one_leaf_has_the_whole_rate() {
    near(
        &rates(&mut *built(json!({ "kind": "htb", "rate": "3 Mbit/s", "overhead": "0 bytes" })), &[1]),
        &[3.0],
    );
}

#[test]
fn the_rate_is_exact_in_the_long_run() {
    let mut queue = tree("7 Mbit/s", json!([class("a", 1, json!({ "rate": "777777 bit/s" }))]), "a");
    let bytes = sent(&mut *queue, &[1], Time::from_secs(100))[1];
    let expected = 777_777 * 100 / 8 + 1600;
    assert!(bytes.abs_diff(expected) <= 1000, "{bytes}, {expected}");
}

#[test]
fn a_leaf_whose_discipline_has_no_packet_gives_its_turn_away() {
    let slow = json!({ "kind": "tbf", "rate": "1 kbit/s", "overhead": "0 bytes" });
    let classes = json!([
        class("a", 1, json!({ "ceil": "10 Mbit/s", "queue": slow, "prio": 0 })),
        class("b", 2, json!({ "ceil": "10 Mbit/s", "prio": 1 })),
    ]);
    let found = rates(&mut *tree("10 Mbit/s", classes, "a"), &[1, 2]);
    near(&found[1..], &[10.0]);
}

#[test]
fn a_control_plane_scales_all_rates() {
    let classes =
        json!([class("a", 1, json!({ "rate": "2 Mbit/s" })), class("b", 2, json!({ "ceil": "10 Mbit/s" }))]);
    let mut queue = tree("10 Mbit/s", classes, "a");
    let change = |mbit| QueueChange { class: None, setting: QueueSetting::Bandwidth(Rate::from_mbit(mbit)) };
    assert!(queue.reconfigure(&change(5)));
    near(&rates(&mut *queue, &[1, 2]), &[1.0, 4.0]);
    assert!(!queue.reconfigure(&change(0)));
    assert!(!queue.reconfigure(&QueueChange { class: Some(1), ..change(5) }));
}

#[test]
fn a_faster_rate_takes_effect_for_what_waits() {
    let mut queue = tree("1 Mbit/s", json!([class("a", 1, json!({}))]), "a");
    (0..4).for_each(|id| queue.enqueue(packet_of(1, id, 1000), at(0), &mut NoOutcomes));
    while queue.dequeue(at(0), &mut NoOutcomes).is_some() {}
    let before = queue.next_wakeup().expect("packets wait");
    assert!(
        queue.reconfigure(&QueueChange { class: None, setting: QueueSetting::Bandwidth(Rate::from_mbit(2)) })
    );
    assert!(queue.dequeue(at(0), &mut NoOutcomes).is_none());
    let after = queue.next_wakeup().expect("packets wait");
    assert_eq!(after.since(Time::ZERO), Duration::from_nanos(before.as_nanos().div_ceil(2)));
}

#[test]
fn impossible_trees_are_refused() {
    let error = |classes: Value, default: Value| {
        build_error(json!({ "kind": "htb", "rate": "10 Mbit/s", "classes": classes, "default": default }))
    };
    let said = |key: &str, message: &str| (key.to_owned(), message.to_owned());
    let a = |more: Value| class("a", 1, more);
    assert_eq!(
        error(
            json!([a(json!({ "rate": "6 Mbit/s" })), class("b", 2, json!({ "rate": "5 Mbit/s" }))]),
            json!("a")
        ),
        said(
            "classes.1.rate",
            "must sum to at most the rate of the root (10 Mbit/s) over its classes, got 11 Mbit/s"
        )
    );
    assert_eq!(
        error(
            json!([
                a(json!({})),
                class("b", 2, json!({ "parent": "a", "rate": "2 Mbit/s", "ceil": "2 Mbit/s" }))
            ]),
            json!("b")
        ),
        said("classes.1.ceil", "must be at most that of `a` (1 Mbit/s), got 2 Mbit/s")
    );
    assert_eq!(
        error(json!([a(json!({ "ceil": "500 kbit/s" }))]), json!("a")),
        said("classes.0.ceil", "must be at least `rate` (1 Mbit/s), got 500 kbit/s")
    );
    assert_eq!(
        error(json!([a(json!({ "ceil": "11 Mbit/s" }))]), json!("a")),
        said("classes.0.ceil", "must be at most that of the root (10 Mbit/s), got 11 Mbit/s")
    );
    assert_eq!(
        error(json!([a(json!({ "rate": "0 bit/s" }))]), json!("a")),
        said("classes.0.rate", "must be > 0, got 0 bit/s")
    );
    assert_eq!(
        error(json!([a(json!({}))]), json!(null)),
        said("default", "must name the leaf of all other packets (a)")
    );
    assert_eq!(
        error(json!([a(json!({}))]), json!("b")),
        said("default", "must be the name of a leaf (a), got `b`")
    );
    assert_eq!(error(json!([]), json!("b")).0, "default");
    assert_eq!(
        error(json!([a(json!({})), class("b", 2, json!({ "parent": "a" }))]), json!("b")),
        said("classes.0.match", "must be unset: packets lie in leaves, and `a` has classes below it")
    );
    let inner = json!({ "name": "in", "rate": "1 Mbit/s", "queue": "codel" });
    assert_eq!(
        error(json!([inner, class("b", 2, json!({ "parent": "in" }))]), json!("b")).0,
        "classes.0.queue"
    );
    let (path, message) =
        error(json!([a(json!({ "parent": "in" })), { "name": "inn", "rate": "1 Mbit/s" }]), json!("a"));
    assert_eq!(path, "classes.0.parent");
    assert!(message.starts_with("must be the name of a class above in the list, got `in`"), "{message}");
    assert_eq!(error(json!([a(json!({})), a(json!({}))]), json!("a")).0, "classes.1.name");
    assert_eq!(error(json!([a(json!({ "quantum": "999 bytes" }))]), json!("a")).0, "classes.0.quantum");
    assert_eq!(error(json!([a(json!({ "prio": 8 }))]), json!("a")).0, "classes.0.prio");
    assert_eq!(error(json!([a(json!({ "match": [{}] }))]), json!("a")).0, "classes.0.match.0");
    assert_eq!(error(json!([a(json!({ "queue": "coddel" }))]), json!("a")).0, "classes.0.queue");
    let (path, message) = error(json!([{ "name": "a" }]), json!("a"));
    assert!(path == "classes.0" && message.contains("rate"), "{path}: {message}");
    let deep: Vec<Value> = (0..8)
        .map(|depth| match depth {
            0 => json!({ "name": "0", "rate": "1 Mbit/s" }),
            depth => {
                json!({ "name": depth.to_string(), "rate": "1 Mbit/s", "parent": (depth - 1).to_string() })
            }
        })
        .collect();
    assert_eq!(error(json!(deep), json!("7")).0, "classes.7.parent");
}
