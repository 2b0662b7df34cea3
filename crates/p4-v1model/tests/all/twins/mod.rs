//! Comparison of the programs in `/p4` with their native twins: same arrivals, same random numbers, one congested link.
//!
//! Port 1 has the queue and a link of 10 Mbit/s, port 2 a fast link for clones. `p4-programs.md` states the bounds.

mod bench;
mod psa;
mod software;
mod traffic;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use jettison_core::{RandomStream, Seed, Time};
use jettison_p4_exec::compiled::Compiled;
use jettison_p4_front::source::Sources;
use jettison_p4_front::syntax::Options;
use jettison_p4_v1model::{SwitchPlan, control};
use jettison_queue::disciplines;
use jettison_queue::entry::BuildContext;
use jettison_queue::priority::Priority;
use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use jettison_queue::{Limit, QueueDiscipline};
use jettison_switch::{
    Pipeline, Port, PortConfig, Prefix, RecirculationSettings, Routes, Service, ServiceSettings, port_queues,
};
use jettison_wire::{Address, Ecn};
use serde_json::{Value, json};

use bench::{Trace, drive};
use traffic::{Arrivals, Load, RATE, messages, messages_with_bitrates};

const RATES: [u64; 3] = [RATE, RATE, 100_000_000_000];
const ROUTE: &str = "table_add ipv4_lpm send 10.0.1.0/24 => 1\n";

fn random(_: &str) -> RandomStream {
    Seed(7).stream(&["port 1"])
}

fn fifo(limit: u64) -> Box<dyn QueueDiscipline> {
    Box::new(TailDrop::new(TailDropParameters { limit: Limit::packets(limit) }))
}

/// Strict priority with a number of queues.
fn priorities(queues: usize, limit: u64) -> Box<dyn QueueDiscipline> {
    Box::new(Priority::by_class((0..queues).map(|_| fifo(limit)).collect()))
}

/// Trace of a native router for the arrivals.
fn native(queue: &Value, arrivals: &Arrivals) -> Trace {
    native_with(queue, arrivals, None)
}

/// The same, with a service model.
fn native_with(queue: &Value, arrivals: &Arrivals, service: Option<&ServiceSettings>) -> Trace {
    let (registry, random) = (disciplines(), random);
    let context = BuildContext { random: &random, registry: &registry };
    let kind = queue["kind"].as_str().expect("a queue has a kind");
    let hooked = port_queues();
    let port = match hooked.entry(kind) {
        Some(_) => hooked.build(queue, &context).map(PortConfig::from),
        None => registry.build(queue, &context).map(PortConfig::plain),
    };
    let port = port.expect("the parameters are valid");
    let ports = vec![PortConfig::plain(fifo(1000)), port, PortConfig::plain(fifo(1000))];
    let mut routes = Routes::new();
    routes.add_prefix(Prefix::new(Address::v4(10, 0, 1, 0), 24).expect("a prefix"), Port(1));
    let pipeline = Pipeline::native(routes, ports, RecirculationSettings::default());
    let mut pipeline = match service.map(model) {
        Some(service) => pipeline.with_service(service),
        None => pipeline,
    };
    drive(&mut pipeline, arrivals, &RATES)
}

/// Trace of a P4 program for the arrivals, with the given queue at port 1.
fn p4(name: &str, commands: &str, queue: Box<dyn QueueDiscipline>, arrivals: &Arrivals) -> Trace {
    p4_with(name, commands, queue, arrivals, None)
}

/// The same, with a service model.
fn p4_with(
    name: &str,
    commands: &str,
    queue: Box<dyn QueueDiscipline>,
    arrivals: &Arrivals,
    service: Option<&ServiceSettings>,
) -> Trace {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../p4").join(name).with_extension("p4");
    let mut sources = Sources::default();
    let text = fs::read_to_string(&path).expect("the program exists");
    let main = sources.add(path.display().to_string(), text);
    let (program, _) =
        jettison_p4_front::compile(&mut sources, main, &Options::default()).expect("it compiles");
    let program = Arc::new(program);
    let file = sources.add("commands", format!("{ROUTE}{commands}"));
    let commands = control::parse(&sources, file, &program).expect("the commands match the program");
    let ports = vec![fifo(1000), queue, fifo(1000)];
    let mut plan = SwitchPlan::new(program.clone(), ports, random(""), vec![random(""); 3]);
    plan.service = service.map(model);
    plan.commands = commands.into_iter().map(|located| (Time::ZERO, located.command)).collect();
    let mut switch = plan.build(Compiled::new(program)).expect("the commands succeed");
    drive(&mut switch, arrivals, &RATES)
}

fn model(settings: &ServiceSettings) -> Service {
    Service::new(settings.clone(), Seed(7).stream(&["service"]))
}

/// Asserts that both traces are equal and contain a minimum of drops.
fn equal(native: &Trace, p4: &Trace, at_least: usize) {
    assert!(native.dropped.len() >= at_least, "{} drops", native.dropped.len());
    let same = native.common_drops(p4);
    assert_eq!(same, native.dropped.len().max(p4.dropped.len()), "all drops are equal");
    assert_eq!(native, p4);
}

#[test]
fn ired_is_equal_through_the_queue() {
    for (average, probability, commands) in [
        ("two-sample", "constant", "table_set_default ired set_ired 280 560 0 0 20 511"),
        ("ewma", "squared", "table_set_default ired set_ired 280 560 1 1 20 65535"),
    ] {
        let range = if probability == "squared" { 65_535 } else { 511 };
        let parameters = json!({
            "kind": "ired", "average": average, "probability": probability, "numerator": 20, "range": range,
            "limit": "1000 packets",
        });
        for load in [Load::STEADY, Load::BURSTS] {
            let arrivals = load.arrivals(1);
            let commands = format!("{commands}\nmirroring_add 101 1");
            equal(&native(&parameters, &arrivals), &p4("ired", &commands, fifo(1000), &arrivals), 200);
        }
    }
}

#[test]
fn ired_is_equal_with_clones_through_an_idle_port() {
    let parameters = json!({ "kind": "ired", "clone_path": "direct", "limit": "1000 packets" });
    let arrivals = Load::STEADY.arrivals(2);
    equal(&native(&parameters, &arrivals), &p4("ired", "mirroring_add 101 2", fifo(1000), &arrivals), 200);
}

#[test]
fn codel_is_equal_with_the_clock_and_the_table_of_a_switch() {
    let commands = "table_set_default codel set_codel 5000 100000 1514 1";
    // The shorter queue overflows continuously.
    for (load, limit, at_least) in
        [(Load::STEADY, 1000, 300), (Load::BURSTS, 1000, 100), (Load::STEADY, 16, 1_000)]
    {
        let parameters = json!({
            "kind": "codel", "clock": "1 us", "control_law": "table", "limit": format!("{limit} packets"), "ecn": true,
        });
        let load = Load { ecn: &[Ecn::NotEct, Ecn::Ect0], packets: 40_000, ..load };
        let arrivals = load.arrivals(3);
        let (native, p4) = (native(&parameters, &arrivals), p4("codel", commands, fifo(limit), &arrivals));
        equal(&native, &p4, at_least);
        assert!(native.marks() > 0);
    }
}

#[test]
fn codel_is_equal_with_the_law_of_p4_codel() {
    let commands = "table_set_default codel set_p4_codel 5000 100000 1";
    let of = |load: Load, limit: u64| {
        let parameters = json!({
            "kind": "codel", "clock": "1 us", "control_law": "p4-codel", "limit": format!("{limit} packets"), "ecn": true,
        });
        let load = Load { ecn: &[Ecn::NotEct, Ecn::Ect0], packets: 40_000, ..load };
        let arrivals = load.arrivals(12);
        (native(&parameters, &arrivals), p4("codel", commands, fifo(limit), &arrivals))
    };
    // The shorter queue overflows continuously; the one of two packets holds at most one behind a departure.
    for (load, limit, at_least) in [
        (Load::STEADY, 1000, 50),
        (Load::BURSTS, 1000, 50),
        (Load::STEADY, 16, 1_000),
        (Load::STEADY, 2, 1_000),
    ] {
        let (native, p4) = of(load, limit);
        equal(&native, &p4, at_least);
    }
    // Twice the link's rate for long enough: the count passes 1,023, and the queue is flushed.
    let (native, p4) = of(Load { offered: 2.0, ..Load::STEADY }, 100_000);
    equal(&native, &p4, 2_000);
    assert!(native.marks() > 0);
}

#[test]
fn codelpp_is_equal_with_the_clock_and_the_table_of_a_switch() {
    let slices = "\
        table_add source_slice set_slice 10.0.10.0/24 => 1\n\
        table_add source_slice set_slice 10.0.11.0/24 => 2\n\
        table_add source_slice set_slice 10.0.12.0/24 => 3\n\
        table_add slice_priority set_priority 1 => 2 64\n\
        table_add slice_priority set_priority 2 => 1 30\n\
        table_add slice_priority set_priority 3 => 0 40\n\
        table_set_default slice_priority set_priority 0 50\n";
    for (law, state, codel) in [
        ("table", "queue", "set_codel 5000 100000 1514 1 0 0"),
        ("table", "port", "set_codel 5000 100000 1514 1 1 0"),
        ("p4-codel", "queue", "set_p4_codel 5000 100000 0 0"),
        ("p4-codel", "port", "set_p4_codel 5000 100000 1 0"),
    ] {
        let parameters = json!({
            "kind": "codel++", "clock": "1 us", "control_law": law, "limit": "1000 packets", "state": state,
            "slices": { "10.0.10.0/24": 1, "10.0.11.0/24": 2, "10.0.12.0/24": 3 },
            "priorities": { "1": 0, "2": 1, "3": 2 }, "thresholds": { "2": "30 packets", "3": "40 packets" },
            "threshold": "50 packets",
        });
        let commands = format!("{slices}table_set_default codel {codel}");
        for load in [Load { offered: 1.5, ..Load::STEADY }, Load { offered: 3.0, ..Load::BURSTS }] {
            let arrivals = load.arrivals(4);
            let p4 = p4("codelpp", &commands, priorities(3, 1000), &arrivals);
            equal(&native(&parameters, &arrivals), &p4, 200);
        }
    }
}

#[test]
fn octopus_is_equal_with_prioritized_clones_and_inactive_with_low_priority_clones() {
    let arrivals = messages(6_000, 5);
    let parameters = json!({ "kind": "octopus", "limit": "10000 packets" });
    let native = native(&parameters, &arrivals);
    let working = p4("octopus", "mirroring_add 101 1 priority=1", priorities(2, 10_000), &arrivals);
    equal(&native, &working, 1_000);
    // As in BMv2: packets and clones share one queue.
    let queue = disciplines().build(
        &json!({ "kind": "bmv2", "limit": "10000 packets" }),
        &BuildContext { random: &random, registry: &disciplines() },
    );
    let failing = p4("octopus", "mirroring_add 101 1", queue.expect("the parameters are valid"), &arrivals);
    assert_eq!(failing.dropped, []);
}

#[test]
fn octopus_measures_the_bandwidth_in_the_data_plane() {
    let arrivals = messages_with_bitrates(6_000, 5);
    let parameters = json!({ "kind": "octopus", "limit": "10000 packets" });
    let native_trace = native(&parameters, &arrivals);
    let sessions = "mirroring_add 101 1 priority=1";
    equal(&native_trace, &p4("octopus", sessions, priorities(2, 10_000), &arrivals), 1_000);
    // Without the measurement only newer messages drop older ones.
    let unlimited = format!("table_set_default octopus set_octopus 0xffffff 0\n{sessions}");
    let by_message = p4("octopus", &unlimited, priorities(2, 10_000), &arrivals);
    let parameters = json!({ "kind": "octopus", "limit": "10000 packets", "min_samples": 1_000_000, "bandwidth": "restarted" });
    equal(&native(&parameters, &arrivals), &by_message, 1_000);
    assert!(native_trace.dropped.len() > by_message.dropped.len() + 500);
}

#[test]
fn red_is_equal_while_the_queue_is_never_empty() {
    let parameters = json!({
        "kind": "red", "w_q": 1.0 / 512.0, "s": "400 us", "limit": "1000 packets", "ecn": true,
        "min_th": "20 packets", "max_th": "60 packets", "max_p": 0.125, "gentle": true,
    });
    // 2^32 / 8 / 40, 7/8 of 2^32 / 60
    let commands = "table_set_default red set_red 20 60 9 536870912 13421773 62634940 400000 1";
    let load = Load { packets: 100_000, offered: 1.2, ecn: &[Ecn::NotEct, Ecn::Ect0], ..Load::STEADY };
    let arrivals = load.arrivals(6);
    let (native, p4) = (native(&parameters, &arrivals), p4("red", commands, fifo(1000), &arrivals));
    equal(&native, &p4, 1_000);
    assert!(native.marks() > 1_000);
}

#[test]
fn red_differs_in_at_most_one_percent_of_drops_after_idle_periods() {
    let parameters = json!({ "kind": "red", "w_q": 1.0 / 512.0, "s": "400 us", "limit": "1000 packets" });
    let commands = "table_set_default red set_red 5 15 9 85899346 8589935 0 400000 0";
    let arrivals = Load::BURSTS.arrivals(7);
    let (native, p4) = (native(&parameters, &arrivals), p4("red", commands, fifo(1000), &arrivals));
    assert!(native.dropped.len() > 1_000);
    assert!(native.dropped.len().abs_diff(p4.dropped.len()) * 100 <= native.dropped.len());
}

#[test]
fn pi2_makes_the_same_drops_for_a_long_time() {
    let parameters = json!({ "kind": "pi2", "at": "dequeue", "limit": "1000 packets" });
    for (load, same) in [(Load::STEADY, 500), (Load::BURSTS, 100)] {
        let load = Load { ecn: &[Ecn::NotEct, Ecn::NotEct, Ecn::Ect0, Ecn::Ect1], packets: 40_000, ..load };
        let arrivals = load.arrivals(8);
        let (native, p4) = (native(&parameters, &arrivals), p4("pi2", "", fifo(1000), &arrivals));
        let found = native.common_drops(&p4);
        assert!(
            found >= same,
            "{found} of {} and {} drops are the same",
            native.dropped.len(),
            p4.dropped.len()
        );
        let (a, b) = (native.dropped.len(), p4.dropped.len());
        assert!(a.abs_diff(b) * 50 <= a, "{a} and {b}");
    }
}

#[test]
fn dpm_is_equal_without_tagged_flows() {
    let parameters = json!({
        "kind": "red-dpm", "s": "400 us", "min_th": "20 packets", "max_th": "60 packets", "limit": "59 packets",
        "victim": "arrival",
    });
    // 2^32 / 10 / 40
    let commands = "table_set_default dpm set_dpm 59 20 60 10737418 20 60 10737418 9 429496730 400000\n";
    let load = Load { packets: 100_000, offered: 1.2, ..Load::STEADY };
    let arrivals = load.arrivals(9);
    equal(&native(&parameters, &arrivals), &p4("dpm", commands, fifo(120), &arrivals), 1_000);
}

#[test]
fn dpm_drops_the_same_packets_as_delete_and_advance() {
    // One flow, all tagged: the packet that moves up is the flow's own next packet, so even the order is equal.
    let load = Load { sizes: false, offered: 1.5, dscp: [46; 4], ..Load::STEADY };
    let mut arrivals = load.arrivals(10);
    arrivals.retain(|(_, packet)| {
        packet.five_tuple().is_some_and(|tuple| tuple.src == Address::v4(10, 0, 10, 1))
    });
    // The flow alone on a link of a quarter of the rate would be the same test; here it comes four times as fast.
    for (at, _) in &mut arrivals {
        *at = Time::from_nanos(at.as_nanos() / 4);
    }
    let (parameters, commands) = dpm(5, 15, 42_949_673);
    let (alone, p4_alone) = (native(&parameters, &arrivals), p4("dpm", &commands, fifo(120), &arrivals));
    assert!(alone.dropped.len() > 300);
    let numbers = |trace: &Trace| trace.sent.iter().map(|(id, ..)| *id).collect::<Vec<_>>();
    assert_eq!(alone.losses(), p4_alone.losses());
    assert_eq!(numbers(&alone), numbers(&p4_alone));

    // With untagged flows, and with short logical queues, which are often empty: the loss ratios agree within 5 %.
    let arrivals = Load { dscp: [46, 46, 0, 0], sizes: false, ..load }.arrivals(11);
    for (parameters, commands) in [(parameters, commands), dpm(2, 6, 107_374_182)] {
        let (mixed, p4_mixed) = (native(&parameters, &arrivals), p4("dpm", &commands, fifo(120), &arrivals));
        let (a, b) = (mixed.dropped.len(), p4_mixed.dropped.len());
        assert!(a > 1_000 && a.abs_diff(b) * 20 <= a, "{a} and {b}");
    }
}

/// RED-DPM with these thresholds of the logical queues, and `slope` = 2^32 / 10 / (max - min).
fn dpm(min: u32, max: u32, slope: u32) -> (Value, String) {
    let parameters = json!({
        "kind": "red-dpm", "s": "400 us", "stale_age": "1000 s", "victim": "arrival",
        "flow_min_th": format!("{min} packets"), "flow_max_th": format!("{max} packets"),
    });
    let parameter = format!("60 {min} {max} {slope} 5 15 42949673 9 429496730 400000");
    (parameters, format!("table_add tagged tag 46 =>\ntable_set_default dpm set_dpm {parameter}\n"))
}
