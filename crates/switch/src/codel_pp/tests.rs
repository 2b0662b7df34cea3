//! Each rule of CoDel++, and both options where the paper leaves a choice open.

use jettison_core::Seed;
use jettison_queue::disciplines;
use jettison_wire::{Address, Headers, Transport, UdpHeader};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::testing::Bench;
use crate::{Departure, Pipeline, Port, PortConfig, RecirculationSettings, Routes, Switch, port_queues};

fn built(parameters: Value) -> Result<PortQueue, ParameterError> {
    let random = |name: &str| Seed(1).stream(&["queues", "q", name]);
    let context = BuildContext { random: &random, registry: &disciplines() };
    port_queues().build_from("codel++", &parameters, &context)
}

/// A switch that sends everything out of port 0, under CoDel++.
fn bench(parameters: Value) -> Bench<impl Switch> {
    let mut routes = Routes::new();
    routes.add_prefix("0.0.0.0/0".parse().expect("it is a prefix"), Port(0));
    let port: PortConfig = built(parameters).expect("the parameters are right").into();
    Bench::new(Pipeline::native(routes, vec![port], RecirculationSettings::default()))
}

/// A packet of 1,500 bytes from 10.0.`net`.1.
fn from(net: u8, id: u32) -> Packet {
    let transport = Transport::Udp(UdpHeader { src_port: 1, dst_port: 2, inline: Default::default() });
    let headers = Headers { src: Address::v4(10, 0, net, 1), dst: Address::v4(192, 0, 2, 1), transport };
    let mut packet = Packet::model(headers, 1472);
    packet.meta.id = id;
    packet
}

fn three_slices() -> Value {
    json!({
        "slices": { "10.0.1.0/24": 11, "10.0.2.0/24": 12, "10.0.0.0/16": 13 },
        "priorities": { "11": 0, "12": 1, "13": 2 },
    })
}

fn with(mut base: Value, more: Value) -> Value {
    let more = more.as_object().expect("the extra parameters are a table").clone();
    base.as_object_mut().expect("the parameters are a table").extend(more);
    base
}

fn millis(millis: u64) -> Time {
    Time::from_millis(millis)
}

fn drain(bench: &mut Bench<impl Switch>, now: Time) -> Vec<u32> {
    let mut ids = Vec::new();
    while let Some(Departure::Transmit(packet)) = bench.poll(0, now) {
        ids.push(packet.meta.id);
    }
    ids
}

#[test]
fn the_source_prefix_gives_the_slice_and_the_slice_its_priority() {
    let mut bench = bench(three_slices());
    // 10.0.9.1 is in the widest prefix alone; 10.0.1.1 and 10.0.2.1 are in a longer one as well.
    for (id, net) in [(1, 9), (2, 2), (3, 1), (4, 9), (5, 1)] {
        bench.arrive(0, from(net, id), Time::ZERO);
    }
    assert_eq!(drain(&mut bench, Time::ZERO), [3, 5, 2, 1, 4]);
}

#[test]
fn packets_without_slice_or_priority_use_the_lowest_queue() {
    let parameters = json!({ "slices": { "10.0.1.1": 1, "10.0.2.1": 2, "10.0.3.1": 3 }, "priorities": { "1": 1, "3": 0 } });
    let mut bench = bench(parameters);
    for (id, net) in [(1, 2), (2, 7), (3, 1), (4, 3)] {
        bench.arrive(0, from(net, id), Time::ZERO);
    }
    assert_eq!(drain(&mut bench, Time::ZERO), [4, 1, 2, 3]);
}

#[test]
fn each_queue_has_the_limit_for_itself() {
    let mut bench = bench(with(three_slices(), json!({ "limit": "2 packets" })));
    for id in 0..4 {
        bench.arrive(0, from(1, id), Time::ZERO);
        bench.arrive(0, from(2, 10 + id), Time::ZERO);
    }
    assert_eq!(drain(&mut bench, Time::ZERO), [0, 1, 10, 11]);
    assert_eq!(bench.reasons(), [DropReason::BufferFull; 4]);
}

#[test]
fn ingress_drops_by_the_depth_last_reported_and_not_by_the_true_one() {
    let mut bench = bench(json!({ "threshold": "2 packets", "codel": false }));
    // No departure yet: the register is 0, and every packet is accepted.
    for id in 0..6 {
        bench.arrive(0, from(1, id), Time::ZERO);
    }
    assert_eq!(bench.reasons(), []);
    // The departure leaves a depth of 5: above the threshold.
    bench.transmit(0, Time::ZERO);
    bench.arrive(0, from(1, 6), Time::ZERO);
    assert_eq!(bench.reasons(), [DropReason::SliceDepth]);
    assert_eq!(bench.sink.drops[0].at, Some(Port(0)));
    // The last departure leaves a depth of 2: not above the threshold, so all later arrivals are accepted.
    for _ in 0..3 {
        bench.transmit(0, Time::ZERO);
    }
    for id in 7..20 {
        bench.arrive(0, from(1, id), Time::ZERO);
    }
    assert_eq!(bench.reasons(), [DropReason::SliceDepth]);
}

#[test]
fn a_slices_own_threshold_applies_to_the_depth_of_its_own_queue() {
    let thresholds = json!({ "threshold": "1 packet", "thresholds": { "12": "3 packets" }, "codel": false });
    let mut bench = bench(with(three_slices(), thresholds));
    for id in 0..4 {
        bench.arrive(0, from(2, id), Time::ZERO);
        bench.arrive(0, from(9, 10 + id), Time::ZERO);
    }
    // The queue of slice 12 has a depth of 3, which its threshold allows. The queue of slice 11 is empty.
    bench.transmit(0, Time::ZERO);
    bench.arrive(0, from(2, 20), Time::ZERO);
    bench.arrive(0, from(1, 21), Time::ZERO);
    assert_eq!(bench.reasons(), []);
    // Sends the packet of slice 11, the rest of slice 12 and one of slice 13, whose depth is then 3: above 1.
    for _ in 0..6 {
        bench.transmit(0, Time::ZERO);
    }
    bench.arrive(0, from(9, 22), Time::ZERO);
    bench.arrive(0, from(2, 23), Time::ZERO);
    assert_eq!(bench.reasons(), [DropReason::SliceDepth]);
    assert_eq!(bench.sink.drops[0].id, 22);
}

#[test]
fn the_depth_is_the_queues_own_or_that_of_all_queues() {
    let drops = |depth: &str| {
        let more = json!({ "threshold": "2 packets", "codel": false, "depth": depth });
        let mut bench = bench(with(three_slices(), more));
        for id in 0..4 {
            bench.arrive(0, from(9, id), Time::ZERO);
        }
        // The lowest queue reports 3, the others have reported nothing.
        bench.transmit(0, Time::ZERO);
        bench.arrive(0, from(1, 10), Time::ZERO);
        bench.arrive(0, from(9, 11), Time::ZERO);
        bench.sink.drops.iter().map(|drop| drop.id).collect::<Vec<_>>()
    };
    assert_eq!(drops("queue"), [11]);
    assert_eq!(drops("port"), [10, 11]);
}

#[test]
fn without_feedback_nothing_is_dropped_at_ingress() {
    let mut bench = bench(json!({ "threshold": "0 packets", "feedback": false, "codel": false }));
    for id in 0..9 {
        bench.arrive(0, from(1, id), Time::ZERO);
    }
    bench.transmit(0, Time::ZERO);
    bench.arrive(0, from(1, 9), Time::ZERO);
    assert_eq!(bench.reasons(), []);
}

/// Fills the queue, then polls one packet per 10 ms from 50 ms on; returns the ids of CoDel's drops.
fn codel_drops(parameters: Value, packets: u32) -> Vec<u32> {
    let mut bench = bench(with(json!({ "feedback": false }), parameters));
    for id in 0..packets {
        bench.arrive(0, from(1, id), Time::ZERO);
    }
    for at in 0..u64::from(packets) {
        bench.poll(0, millis(50 + 10 * at));
    }
    assert!(bench.reasons().iter().all(|reason| *reason == DropReason::CoDel));
    bench.sink.drops.iter().map(|drop| drop.id).collect()
}

#[test]
fn egress_runs_codel_on_what_leaves() {
    // Above target from 50 ms on, so dropping begins at 150 ms, and again 100 ms, 70 ms, 57 ms, … later.
    assert_eq!(codel_drops(json!({}), 40)[..3], [10, 21, 30]);
    assert_eq!(codel_drops(json!({ "codel": false }), 40), [0; 0]);
    assert_eq!(codel_drops(json!({ "target": "1 s" }), 40), [0; 0]);
}

#[test]
fn a_drop_at_egress_takes_its_queues_turn() {
    // 100 packets/s: each drop leaves the link idle for 10 ms.
    let mut bench = bench(json!({ "rate": "100 packets/s", "feedback": false, "maxpacket": "0 bytes" }));
    for id in 0..40 {
        bench.arrive(0, from(1, id), Time::ZERO);
    }
    let mut sent = Vec::new();
    let mut now = Time::ZERO;
    while bench.switch.backlog(Port(0)).packets > 0 {
        if let Some(Departure::Transmit(packet)) = bench.poll(0, now) {
            sent.push((now, packet.meta.id));
        }
        let Some(next) = bench.switch.next_wakeup() else { continue };
        now = next;
        bench.wake(now);
    }
    assert!(bench.sink.drops.len() >= 3);
    assert!(sent.iter().all(|(at, id)| *at == millis(10 * u64::from(*id))), "{sent:?}");
}

#[test]
fn the_state_is_a_queues_by_default_and_a_ports_state_mixes_its_queues() {
    let drops = |state: Option<&str>| {
        let mut more = json!({ "feedback": false });
        if let Some(state) = state {
            more["state"] = json!(state);
        }
        let mut bench = bench(with(three_slices(), more));
        for id in 0..30 {
            bench.arrive(0, from(9, id), Time::ZERO);
        }
        // Between departures from the low queue, with long delays, a packet of the high queue departs without delay, with
        // another one behind it.
        for at in 0..25 {
            let now = millis(50 + 10 * at);
            bench.arrive(0, from(1, 100), now);
            bench.arrive(0, from(1, 101), now);
            for _ in 0..3 {
                bench.poll(0, now);
            }
        }
        bench.sink.drops.len()
    };
    assert!(drops(None) >= 2);
    assert_eq!(drops(None), drops(Some("queue")));
    assert_eq!(drops(Some("port")), 0);
}

#[test]
fn the_delay_begins_at_the_queue_or_at_the_parser() {
    let registers = |delay_from| {
        let parameters = CodelPlusPlusParameters { delay_from, ..Default::default() };
        let mut hooks = CodelPlusPlus::new(&parameters).unwrap();
        let reading = QueueReading {
            deq_qdepth: 4,
            sojourn: Duration::from_millis(3),
            in_switch: Duration::from_millis(8),
            ..Default::default()
        };
        hooks.handle_departure(&mut from(1, 1), &reading, millis(10));
        hooks.registers(0).unwrap()
    };
    assert_eq!(registers(DelayFrom::Enqueue), QueueRegisters { depth: 4, delay: Duration::from_millis(3) });
    assert_eq!(registers(DelayFrom::Parser).delay, Duration::from_millis(8));
}

#[test]
fn queues_serve_at_the_rate_each_or_together() {
    let sent_at_once = |scope: &str| {
        let more = json!({ "rate": "500 packets/s", "rate_scope": scope });
        let mut bench = bench(with(three_slices(), more));
        for net in [1, 2, 9] {
            bench.arrive(0, from(net, u32::from(net)), Time::ZERO);
        }
        drain(&mut bench, Time::ZERO)
    };
    assert_eq!(sent_at_once("queue"), [1, 2, 9]);
    assert_eq!(sent_at_once("port"), [1]);
}

#[test]
fn errors_name_the_key() {
    let error = |more| built(with(three_slices(), more)).err().expect("it is wrong").path.join(".");
    assert_eq!(error(json!({ "slices": { "10.0.0.0/33": 1 } })), "slices.10.0.0.0/33");
    assert_eq!(
        error(json!({ "slices": { "10.0.0.1": 1, "10.0.0.1/32": 2 }, "priorities": {} })),
        "slices.10.0.0.1/32"
    );
    assert_eq!(error(json!({ "priorities": { "99": 0 } })), "priorities.99");
    assert_eq!(error(json!({ "thresholds": { "99": "1 packet" } })), "thresholds.99");
    assert_eq!(error(json!({ "queues": 2 })), "priorities.13");
    assert_eq!(error(json!({ "queues": 0 })), "queues");
    assert_eq!(error(json!({ "interval": "0 ms" })), "interval");
    assert_eq!(error(json!({ "rate": "0 packets/s" })), "rate");
    assert_eq!(error(json!({ "threshold": 64 })), "threshold");
    assert_eq!(error(json!({ "rate_scope": "switch" })), "rate_scope");
}

/// An operation on a switch.
#[derive(Debug, Clone)]
enum Step {
    Arrive { net: u8 },
    Poll,
    Wait { micros: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0u8..5).prop_map(|net| Step::Arrive { net }),
        3 => Just(Step::Poll),
        1 => (0u64..50_000).prop_map(|micros| Step::Wait { micros }),
    ]
}

proptest! {
    #[test]
    fn received_is_transmitted_dropped_or_waiting(
        steps in prop::collection::vec(step(), 0..400),
        threshold in 0u64..8,
        limit in 1u64..30,
        rate in prop::option::of(prop_oneof![Just("500 packets/s"), Just("7 packets/s")]),
        port_rate: bool,
        port_state: bool,
        from_parser: bool,
    ) {
        let mut more = json!({
            "threshold": format!("{threshold} packets"),
            "limit": format!("{limit} packets"),
            "rate_scope": if port_rate { "port" } else { "queue" },
            "state": if port_state { "port" } else { "queue" },
            "delay_from": if from_parser { "parser" } else { "enqueue" },
            "target": "1 us",
            "interval": "1 ms",
            "maxpacket": "0 bytes",
        });
        if let Some(rate) = rate {
            more["rate"] = json!(rate);
        }
        let mut bench = bench(with(three_slices(), more));
        let (mut now, mut received, mut transmitted) = (Time::ZERO, 0, 0);
        for step in steps {
            match step {
                Step::Arrive { net } => {
                    received += 1;
                    bench.arrive(0, from(net, received), now);
                }
                Step::Poll => match bench.poll(0, now) {
                    Some(Departure::Transmit(_)) => transmitted += 1,
                    Some(Departure::Service(_)) => prop_assert!(false, "nothing is cloned"),
                    // A queue with a backlog either returns a packet or a time for the next poll.
                    None => prop_assert!(
                        bench.switch.backlog(Port(0)).packets == 0 || bench.switch.next_wakeup().is_some()
                    ),
                },
                Step::Wait { micros } => {
                    now += Duration::from_micros(micros);
                    bench.wake(now);
                }
            }
            let waiting = bench.switch.backlog(Port(0)).packets as u32;
            prop_assert_eq!(received, transmitted + waiting + bench.sink.drops.len() as u32);
        }
    }
}

#[test]
fn each_queue_reports_what_egress_told_last() {
    let parameters: CodelPlusPlusParameters =
        serde_json::from_value(three_slices()).expect("the parameters are right");
    let mut hooks = CodelPlusPlus::new(&parameters).expect("the parameters are right");
    let reading = QueueReading {
        deq_qdepth: 12,
        class: 1,
        sojourn: Duration::from_millis(3),
        ..QueueReading::default()
    };
    hooks.handle_departure(&mut from(2, 0), &reading, millis(5));
    let mut taken: Vec<(Gauge, String, f64)> = Vec::new();
    hooks.gauges(millis(5), &mut taken);
    let value = |name: &str, part: &str| {
        let found = taken.iter().find(|(gauge, own, _)| gauge.name == name && own == part);
        found.unwrap_or_else(|| panic!("no {name} of {part}")).2
    };
    assert_eq!((value("codel_pp_depth", "band.1"), value("codel_pp_delay", "band.1")), (12.0, 3.0));
    assert_eq!((value("codel_pp_depth", "band.2"), value("codel_pp_dropping", "band.2")), (0.0, 0.0));
    assert!(taken.iter().all(|(gauge, ..)| GAUGES.contains(gauge)));
    assert!(GAUGES.iter().all(|gauge| taken.iter().any(|(own, ..)| own == gauge)));
}
