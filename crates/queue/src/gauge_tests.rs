//! Gauges of the disciplines against hand-computed values.

use std::collections::BTreeSet;

use jettison_core::{Duration, Gauge, Time};
use jettison_measure::{NoOutcomes, Tally};
use jettison_registry::Entry;
use jettison_wire::Ecn;
use serde_json::{Value, json};

use crate::QueueDiscipline;
use crate::disciplines;
use crate::entry::Discipline;
use crate::testing::{built, packet, packet_of, packet_with};

const AT: fn(u64) -> Time = Time::from_millis;

/// All gauges that a discipline reports at `now`.
fn reported(queue: &dyn QueueDiscipline, now: Time) -> Vec<(Gauge, String, f64)> {
    let mut taken = Vec::new();
    queue.gauges(now, &mut taken);
    taken
}

/// The value of a gauge; a part is written after `/`.
fn value(queue: &dyn QueueDiscipline, gauge: &str, now: Time) -> f64 {
    let (name, part) = gauge.split_once('/').unwrap_or((gauge, ""));
    let all = reported(queue, now);
    let found = all.iter().find(|(gauge, at, _)| gauge.name == name && at == part);
    found.unwrap_or_else(|| panic!("no {gauge} among {all:?}")).2
}

#[test]
fn a_discipline_reports_exactly_the_gauges_that_it_declares() {
    let check = |entry: &Entry<Discipline>, settings: Value| {
        let (queue, now) = (built(settings.clone()), AT(1));
        let reported: BTreeSet<Gauge> = reported(&*queue, now).into_iter().map(|(gauge, ..)| gauge).collect();
        assert_eq!(reported, entry.gauges.iter().copied().collect(), "{settings}");
    };
    for entry in disciplines().iter() {
        check(entry, json!(entry.id));
        for gauge in entry.gauges {
            // A discipline made of another's parts may report that one's gauges, under that one's prefix.
            let registry = disciplines();
            let sharing = registry.iter().filter(|other| other.gauges.contains(gauge));
            let prefixes: Vec<String> =
                sharing.map(|other| format!("{}_", other.id.replace('-', "_"))).collect();
            let is_prefixed = prefixes.iter().any(|prefix| gauge.name.starts_with(prefix));
            assert!(is_prefixed, "`{}` begins with none of {prefixes:?}", gauge.name);
            assert!(gauge.description.ends_with('.'), "`{}` is not a sentence", gauge.description);
        }
    }
    let red = disciplines().entry("red").expect("it is registered").clone();
    check(&red, json!({ "kind": "red", "min_th": "7500 bytes", "max_th": "22500 bytes" }));
}

#[test]
fn sampling_gauges_changes_nothing() {
    for entry in disciplines().iter() {
        let mut queues = [built(json!(entry.id)), built(json!(entry.id))];
        let mut left = [Vec::new(), Vec::new()];
        for (which, queue) in queues.iter_mut().enumerate() {
            let mut out = Tally::default();
            for step in 0..4000_u32 {
                let now = Time::from_micros(u64::from(step) * 500);
                queue.enqueue(packet_of((step % 7) as u16, step, 1500), now, &mut out);
                if queue.next_wakeup().is_some_and(|at| at <= now) {
                    queue.handle_wakeup(now, &mut out);
                }
                if step % 4 != 3 {
                    left[which].extend(queue.dequeue(now, &mut out).map(|packet| packet.meta.id));
                }
                if which == 1 {
                    reported(&**queue, now);
                }
            }
            left[which].extend(out.drops.iter().map(|(id, ..)| *id));
        }
        assert_eq!(left[0], left[1], "{}", entry.id);
    }
}

#[test]
fn reds_average_is_the_weighted_mean_of_the_backlog_at_arrivals() {
    let settings =
        json!({ "kind": "red", "min_th": "2 packets", "max_th": "6 packets", "w_q": 0.25, "max_p": 0.1 });
    let mut queue = built(settings);
    // avg ← avg + (q − avg)/4 for q = 0, 1, 2, 3, 4, 5.
    let expected = [0.0, 0.25, 0.6875, 1.265625, 1.94921875, 2.7119140625];
    for (id, average) in (0..).zip(expected) {
        queue.enqueue(packet(id, 1000), AT(u64::from(id)), &mut NoOutcomes);
        assert_eq!(value(&*queue, "red_average", AT(100)), average);
        assert!(value(&*queue, "red_average_bytes", AT(100)).is_nan());
    }
    // 0.1 · (2.7119140625 − 2) / (6 − 2)
    assert_eq!(value(&*queue, "red_probability", AT(100)), 0.1 * 0.7119140625 / 4.0);
}

#[test]
fn reds_average_is_in_bytes_if_its_thresholds_are() {
    let settings = json!({ "kind": "red", "min_th": "2 kB", "max_th": "6 kB", "w_q": 0.5 });
    let mut queue = built(settings);
    for id in 0..3 {
        queue.enqueue(packet(id, 1000), AT(0), &mut NoOutcomes);
    }
    // Found: 0, 1000, 2000 bytes.
    assert_eq!(value(&*queue, "red_average_bytes", AT(0)), 1250.0);
    assert!(value(&*queue, "red_average", AT(0)).is_nan());
}

#[test]
fn codels_count_rises_with_each_drop_and_dropping_ends_below_target() {
    let mut queue = built(json!({ "kind": "codel", "target": "5 ms", "interval": "100 ms" }));
    for id in 0..60 {
        queue.enqueue(packet(id, 1500), AT(0), &mut NoOutcomes);
    }
    let mut out = Tally::default();
    let mut now = AT(10);
    while queue.backlog().packets > 20 {
        queue.dequeue(now, &mut out);
        let dropped = out.drops.len() as f64;
        assert_eq!(value(&*queue, "codel_count", now), dropped, "at {now}");
        assert_eq!(value(&*queue, "codel_dropping", now), if dropped > 0.0 { 1.0 } else { 0.0 });
        now += Duration::from_millis(10);
    }
    assert!(out.drops.len() > 3, "CoDel must drop");
    // A packet without sojourn time ends dropping state; the count is unchanged.
    let count = value(&*queue, "codel_count", now);
    while queue.dequeue(now, &mut out).is_some() {}
    queue.enqueue(packet(100, 1500), now, &mut out);
    queue.dequeue(now, &mut out);
    assert_eq!(value(&*queue, "codel_dropping", now), 0.0);
    assert!(value(&*queue, "codel_count", now) >= count);
}

#[test]
fn pies_probability_follows_rfc_8033() {
    let mut queue =
        built(json!({ "kind": "pie", "target": "15 ms", "t_update": "15 ms", "delay": "sojourn" }));
    for id in 0..10 {
        queue.enqueue(packet(id, 1500), AT(0), &mut NoOutcomes);
    }
    assert_eq!(value(&*queue, "pie_probability", AT(0)), 0.0);
    assert_eq!(value(&*queue, "pie_burst_allowance", AT(0)), 150.0);
    // §4.2 at 15 ms and at 30 ms, α = 1/8 Hz, β = 1 1/4 Hz: the delay is 15 ms, then 30 ms.
    queue.handle_wakeup(AT(15), &mut NoOutcomes);
    let first = (0.125 * 0.0 + 1.25 * 0.015) / 2048.0;
    assert!((value(&*queue, "pie_probability", AT(15)) - first).abs() < 1e-15);
    assert_eq!(value(&*queue, "pie_delay", AT(15)), 15.0);
    assert_eq!(value(&*queue, "pie_burst_allowance", AT(15)), 135.0);
    queue.handle_wakeup(AT(30), &mut NoOutcomes);
    // The probability is now between 1e-6 and 1e-5: a 512th.
    let second = first + (0.125 * 0.015 + 1.25 * 0.015) / 512.0;
    assert!((value(&*queue, "pie_probability", AT(30)) - second).abs() < 1e-15);
    assert_eq!(value(&*queue, "pie_delay", AT(30)), 30.0);
}

#[test]
fn pi2_reports_its_probability_coupled_and_squared() {
    let mut queue = built(
        json!({ "kind": "pi2", "target": "20 ms", "t_update": "32 ms", "alpha": "10 Hz", "beta": "0 Hz", "k": 2 }),
    );
    queue.enqueue(packet(0, 1500), AT(0), &mut NoOutcomes);
    queue.handle_wakeup(AT(32), &mut NoOutcomes);
    let p = 10.0 * (0.032 - 0.020);
    let close = |gauge: &str, expected: f64| {
        let found = value(&*queue, gauge, AT(32));
        assert!((found - expected).abs() < 1e-12, "{gauge}: {found}, not {expected}");
    };
    close("pi2_base_probability", p);
    close("pi2_classic_probability", p * p);
    close("pi2_scalable_probability", 2.0 * p);
}

#[test]
fn dualpi2_reports_both_queues() {
    let settings =
        json!({ "kind": "dualpi2", "t_update": "15 ms", "target": "5 ms", "alpha": "10 Hz", "beta": "0 Hz" });
    let mut queue = built(settings);
    queue.enqueue(packet_with(0, 1500, Ecn::Ect1), AT(0), &mut NoOutcomes);
    for id in 1..4 {
        queue.enqueue(packet_with(id, 1500, Ecn::Ect0), AT(0), &mut NoOutcomes);
    }
    queue.handle_wakeup(AT(15), &mut NoOutcomes);
    let p = 10.0 * (0.015 - 0.005);
    assert!((value(&*queue, "dualpi2_base_probability", AT(15)) - p).abs() < 1e-12);
    assert!((value(&*queue, "dualpi2_classic_probability", AT(15)) - p * p).abs() < 1e-12);
    assert!((value(&*queue, "dualpi2_coupled_probability", AT(15)) - 2.0 * p).abs() < 1e-12);
    assert_eq!(value(&*queue, "dualpi2_l4s_backlog", AT(15)), 1.0);
    assert_eq!(value(&*queue, "dualpi2_classic_backlog", AT(15)), 3.0);
}

#[test]
fn flow_queues_count_their_flows() {
    for (kind, flows) in [("fq-codel", "fq_codel_flows"), ("sfq", "sfq_flows"), ("fred", "fred_flows")] {
        let mut queue = built(json!(kind));
        assert_eq!(value(&*queue, flows, AT(0)), 0.0, "{kind}");
        for flow in 0..5 {
            queue.enqueue(packet_of(flow, u32::from(flow), 500), AT(0), &mut NoOutcomes);
        }
        assert_eq!(value(&*queue, flows, AT(0)), 5.0, "{kind}");
    }
    let mut cake = built(json!("cake"));
    cake.enqueue(packet_of(1, 1, 500), AT(0), &mut NoOutcomes);
    assert_eq!(value(&*cake, "cake_flows/best-effort", AT(0)), 1.0);
    assert_eq!(value(&*cake, "cake_backlog/voice", AT(0)), 0.0);
}

#[test]
fn red_dpm_reports_its_logical_queues() {
    let mut queue = built(json!({ "kind": "red-dpm", "tagged": ["EF"] }));
    for (id, (flow, tagged)) in (0..).zip([(1, true), (1, true), (2, true), (3, false)]) {
        let mut packet = packet_of(flow, id, 500);
        packet.meta.traffic_class = if tagged { 46 << 2 } else { 0 };
        queue.enqueue(packet, AT(0), &mut NoOutcomes);
    }
    assert_eq!(value(&*queue, "red_dpm_flows", AT(0)), 2.0);
    assert_eq!(value(&*queue, "red_dpm_longest_logical_queue", AT(0)), 2.0);
    assert_eq!(value(&*queue, "red_dpm_tagged", AT(0)), 3.0);
}

#[test]
fn blue_reports_the_probability_after_an_overflow() {
    let mut queue = built(json!({ "kind": "blue", "limit": "2 packets", "d1": 0.25 }));
    for id in 0..3 {
        queue.enqueue(packet(id, 500), AT(0), &mut NoOutcomes);
    }
    assert_eq!(value(&*queue, "blue_probability", AT(0)), 0.25);
}

#[test]
fn octopus_reports_the_bandwidth_once_it_is_measured() {
    let mut queue = built(json!({ "kind": "octopus", "min_samples": 5 }));
    for id in 0..20 {
        queue.enqueue(packet(id, 1250), AT(0), &mut NoOutcomes);
    }
    assert!(value(&*queue, "octopus_bandwidth", AT(0)).is_nan());
    // A packet of 10,000 bits each millisecond.
    for ms in 0..10 {
        queue.dequeue(AT(ms), &mut NoOutcomes);
    }
    assert!((value(&*queue, "octopus_bandwidth", AT(10)) - 10.0).abs() < 1e-9);
    assert_eq!(value(&*queue, "octopus_streams", AT(10)), 0.0);
    assert_eq!(value(&*queue, "octopus_unlabelled", AT(10)), 0.0);
}

#[test]
fn abc_reports_the_capacity_reported_by_the_link() {
    let mut queue = built(json!({ "kind": "abc", "eta": 0.5, "dt": "0 ms", "delta": "100 ms" }));
    assert!(value(&*queue, "abc_target_rate", AT(0)).is_nan());
    queue.capacity_changed(jettison_core::Rate::from_bits(10_000_000), AT(0));
    assert_eq!(value(&*queue, "abc_capacity", AT(0)), 10.0);
    assert_eq!(value(&*queue, "abc_target_rate", AT(0)), 5.0);
    // η μ − μ/δ x = 5 − 10 · 20/100 Mbit/s.
    queue.enqueue(packet(0, 1500), AT(0), &mut NoOutcomes);
    assert!((value(&*queue, "abc_target_rate", AT(20)) - 3.0).abs() < 1e-9);
}

#[test]
fn bands_are_parts() {
    let bands = json!(["tail-drop", { "kind": "codel" }]);
    let mut queue = built(json!({ "kind": "priority", "bands": bands }));
    let mut packet = packet(0, 500);
    packet.meta.class = 1;
    queue.enqueue(packet, AT(0), &mut NoOutcomes);
    assert_eq!(
        value(&*queue, "priority_backlog/band.0", AT(0)) + value(&*queue, "priority_backlog/band.1", AT(0)),
        1.0
    );
    assert_eq!(value(&*queue, "codel_count/band.1", AT(0)), 0.0);
    let nested = json!({ "kind": "priority", "bands": [{ "kind": "priority", "bands": ["pie"] }, "red"] });
    assert_eq!(value(&*built(nested), "pie_probability/band.0.band.0", AT(0)), 0.0);
}
