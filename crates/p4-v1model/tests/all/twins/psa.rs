//! The programs in `/p4/psa`. `p4-psa.md` states the bounds.

use super::*;

const FEEDBACK: &str = "mirroring_add 1 PSA_PORT_RECIRCULATE truncate=64\n";

#[test]
fn codel_is_equal_with_the_law_of_p4_codel() {
    let commands = "table_set_default codel set_p4_codel 5000 100000 1";
    for (load, limit, at_least) in [
        (Load::STEADY, 1000, 50),
        (Load::BURSTS, 1000, 50),
        (Load::STEADY, 16, 1_000),
        (Load::STEADY, 2, 1_000),
        // Twice the link's rate for long enough: the count passes 1,023, and the queue is flushed.
        (Load { offered: 2.0, ..Load::STEADY }, 100_000, 2_000),
    ] {
        let parameters = json!({
            "kind": "codel", "clock": "1 us", "control_law": "p4-codel", "limit": format!("{limit} packets"), "ecn": true,
        });
        let load = Load { ecn: &[Ecn::NotEct, Ecn::Ect0], packets: 40_000, ..load };
        let arrivals = load.arrivals(12);
        let native = native(&parameters, &arrivals);
        equal(&native, &p4("psa/codel", commands, fifo(limit), &arrivals), at_least);
        assert!(limit == 2 || native.marks() > 0);
    }
}

/// Without MAXPACKET the two part when a queue first drains to a packet while it is above target.
#[test]
fn codel_drops_about_as_many_packets_with_the_law_of_the_rfc() {
    let commands = "table_set_default codel set_codel 5000 100000 0";
    let parameters = json!({
        "kind": "codel", "clock": "1 us", "control_law": "table", "limit": "1000 packets",
    });
    for load in [Load::STEADY, Load::BURSTS] {
        let arrivals = Load { packets: 40_000, ..load }.arrivals(3);
        let (native, p4) = (native(&parameters, &arrivals), p4("psa/codel", commands, fifo(1000), &arrivals));
        let (a, b, same) = (native.dropped.len(), p4.dropped.len(), native.common_drops(&p4));
        assert!(a > 100 && a.abs_diff(b) * 10 <= a, "{a} and {b} drops, {same} in common");
    }
}

#[test]
fn codelpp_is_equal_without_thresholds() {
    let slices = "\
        table_add source_slice set_slice 10.0.10.0/24 => 1\n\
        table_add source_slice set_slice 10.0.11.0/24 => 2\n\
        table_add source_slice set_slice 10.0.12.0/24 => 3\n\
        table_add slice_priority set_priority 1 => 2 4294967295\n\
        table_add slice_priority set_priority 2 => 1 4294967295\n\
        table_add slice_priority set_priority 3 => 0 4294967295\n\
        table_set_default slice_priority set_priority 0 4294967295\n";
    for (state, codel) in [("queue", "set_p4_codel 5000 100000 0"), ("port", "set_p4_codel 5000 100000 1")] {
        let parameters = json!({
            "kind": "codel++", "clock": "1 us", "control_law": "p4-codel", "limit": "1000 packets", "state": state,
            "slices": { "10.0.10.0/24": 1, "10.0.11.0/24": 2, "10.0.12.0/24": 3 },
            "priorities": { "1": 0, "2": 1, "3": 2 }, "threshold": "500000 packets",
        });
        let commands = format!("{slices}{FEEDBACK}table_set_default codel {codel}");
        for load in [Load { offered: 1.5, ..Load::STEADY }, Load { offered: 3.0, ..Load::BURSTS }] {
            let arrivals = load.arrivals(4);
            let p4 = p4("psa/codelpp", &commands, priorities(3, 1000), &arrivals);
            equal(&native(&parameters, &arrivals), &p4, 40);
        }
    }
}

/// A packet of 1,014 bytes takes 811.2 µs; without CoDel only the feedback limits the delay.
#[test]
fn codelpp_keeps_a_queue_near_its_threshold() {
    let arrivals = Load { sizes: false, offered: 1.2, ..Load::STEADY }.arrivals(4);
    let commands = |threshold: u32| {
        format!(
            "{FEEDBACK}table_set_default codel set_codel 5000 100000 0 0\n\
             table_set_default slice_priority set_priority 0 {threshold}"
        )
    };
    let closed = p4("psa/codelpp", &commands(20_000), priorities(3, 1000), &arrivals);
    let open = p4("psa/codelpp", &commands(u32::MAX), priorities(3, 1000), &arrivals);
    assert_eq!(arrivals.len(), closed.sent.len() + closed.dropped.len());
    // The link is busy most of the time with either; the open queue's backlog leaves at the end.
    let (a, b) = (closed.sent.len(), open.sent.len());
    assert!(b.abs_diff(a) * 4 < b, "{a} and {b} packets left");
    let delay = |trace: &Trace| {
        let at: std::collections::HashMap<u32, Time> =
            arrivals.iter().map(|(at, packet)| (packet.meta.id, *at)).collect();
        let delays = trace.sent.iter().map(|(id, left, ..)| left.since(at[id]).as_micros());
        let delays: Vec<u64> = delays.collect();
        delays.iter().sum::<u64>() / delays.len() as u64
    };
    let (held, free) = (delay(&closed), delay(&open));
    assert!(held < 60_000 && free > 5 * held, "{held} and {free} µs");
}

#[test]
fn octopus_is_equal_with_prioritized_clones() {
    let arrivals = messages(6_000, 5);
    let parameters = json!({ "kind": "octopus", "limit": "10000 packets" });
    let commands = "mirroring_add 101 1 priority=1";
    let p4 = p4("psa/octopus", commands, priorities(2, 10_000), &arrivals);
    equal(&native(&parameters, &arrivals), &p4, 1_000);
}

/// 28 and 56 packets of 811.2 µs.
#[test]
fn ired_drops_about_as_many_packets_by_delay() {
    let arrivals = Load { sizes: false, ..Load::STEADY }.arrivals(1);
    let parameters = json!({
        "kind": "ired", "numerator": 20, "range": 511, "clone_path": "direct", "limit": "1000 packets",
    });
    let commands = format!("{FEEDBACK}table_set_default ired set_ired 227136 454272 0 0 2560");
    let (native, p4) = (native(&parameters, &arrivals), p4("psa/ired", &commands, fifo(1000), &arrivals));
    let (a, b) = (native.dropped.len(), p4.dropped.len());
    assert!(a > 1_000 && a.abs_diff(b) * 5 <= a, "{a} and {b}");
}
