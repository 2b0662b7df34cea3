//! What a household uses: web pages and a game between two hosts.

use std::sync::atomic::AtomicBool;

use jettison_apps::applications;
use jettison_core::{Duration, RandomStream, Rate, Seed, Time};
use jettison_link::{FixedRate, Propagation};
use jettison_measure::{Metric, RecorderSettings, RunRecord, metrics};
use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use jettison_sim::{Carrier, DirectionSpec, FlowProgram, LinkSpec, WorldBuilder, WorldSettings};
use jettison_sockets::{FlowContext, FlowTransport, TcpOptions};
use jettison_tcp::{Endpoint, TcpParameters};
use jettison_wire::Address;
use serde_json::{Value, json};

/// Runs a flow `f` from `a` to `b` for a minute over a link of 10 ms; the player or browser at `b` stops at `stop`.
fn run(kind: &str, parameters: &Value, rate: Rate, stop: Time) -> RunRecord {
    let mut world = WorldBuilder::new(WorldSettings { seed: Seed(1), recorder: RecorderSettings::default() });
    let ends = [world.host("a", Address::v4(198, 18, 0, 1)), world.host("b", Address::v4(198, 18, 0, 2))];
    let direction = |name: &str| DirectionSpec {
        name: name.to_owned(),
        carrier: Carrier::Fixed(FixedRate::new(rate)),
        propagation: Propagation::new(Duration::from_millis(10)),
        loss: None,
        impairments: None,
        queue: Box::new(TailDrop::new(TailDropParameters {
            limit: "1000 packets".parse().expect("a limit"),
        })),
        hooks: None,
        tapped: false,
    };
    world.link(LinkSpec { ends, forward: direction("l.forward"), reverse: direction("l.reverse") });
    let random = |what: &str| -> RandomStream { Seed(1).stream(&["flows", "f", what]) };
    let options = TcpOptions::new(TcpParameters::default(), random("congestion")).expect("right");
    let transport = match kind {
        "game" => FlowTransport::Udp { traffic_class: 0 },
        _ => FlowTransport::Tcp(options),
    };
    let context = FlowContext {
        remote: Endpoint { address: Address::v4(198, 18, 0, 2), port: 9 },
        hardware: None,
        server: Endpoint { address: Address::v4(198, 18, 0, 1), port: 9 },
        transport: &transport,
        random: &random,
        files: &|_| Err("no files here".to_owned()),
    };
    let programs = applications().build_from(kind, parameters, &context).expect("the parameters are right");
    let program = |host, application, stop| FlowProgram { host, application, start: Time::ZERO, stop };
    let asks = programs.to.expect("the player or browser");
    let both = vec![program(ends[0], programs.from, Time::MAX), program(ends[1], asks, stop)];
    world.flow("f", ends[0], ends[1], both);
    let mut world = world.build().expect("all ends are joined");
    world.run(Time::from_secs(60), &AtomicBool::new(false));
    world.finish()
}

fn value(record: &RunRecord, metric: Metric, part: &str) -> Option<f64> {
    record.summary_part("f", metric, part).map(|value| value.mean)
}

const FAST: Rate = Rate::from_mbit(10_000);

#[test]
fn a_page_takes_the_round_trips_of_its_exchanges() {
    let page = |more: Value| {
        let mut parameters =
            json!({ "variation": 0.0, "object": "1 kB", "document": "1 kB", "think": "1 s" });
        parameters.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        value(&run("page", &parameters, FAST, Time::MAX), metrics::PAGE_LOAD_TIME, "").expect("pages")
    };
    // The connection, its security handshake, the document: three round trips of 20 ms.
    let near = |found: f64, ms: f64| assert!((ms..ms + 0.5).contains(&found), "{found}, expected {ms} ms");
    near(page(json!({ "objects": 0 })), 60.0);
    near(page(json!({ "objects": 0, "handshake": "0 bytes" })), 40.0);
    // One connection: a round trip each object. Two: the second is opened once the document is there, takes two round trips, and
    // then halves the rest.
    near(page(json!({ "objects": 10, "connections": 1 })), 60.0 + 10.0 * 20.0);
    near(page(json!({ "objects": 10, "connections": 2 })), 60.0 + 6.0 * 20.0);
    near(page(json!({ "objects": 6, "connections": 6 })), 60.0 + 3.0 * 20.0);
}

#[test]
fn a_large_page_takes_the_time_of_its_bytes() {
    let parameters = json!({ "think": "1 s" });
    let record = run("page", &parameters, Rate::from_mbit(10), Time::MAX);
    let mean = value(&record, metrics::PAGE_LOAD_TIME, "").expect("pages");
    // 2,650 kB take 2.25 s at 10 Mbit/s with headers, and little more.
    assert!((2_100.0..2_900.0).contains(&mean), "{mean}");
    let pages = value(&record, metrics::PAGES, "").expect("pages");
    let goodput = value(&record, metrics::GOODPUT, "").expect("goodput");
    // What has come is pages, their handshakes, and less than a page at the end.
    let expected = pages * 2_674_000.0 * 8.0 / 60e6;
    assert!((0.85 * expected..1.25 * expected).contains(&goodput), "{goodput} against {expected}");
}

#[test]
fn a_page_that_was_begun_is_loaded_after_the_stop_and_no_other() {
    let parameters = json!({ "think": "10 s" });
    let record = run("page", &parameters, Rate::from_mbit(10), Time::from_millis(500));
    assert_eq!(value(&record, metrics::PAGES, ""), Some(1.0));
    assert_eq!(value(&record, metrics::UNFINISHED, ""), None);
    let slow = run("page", &parameters, Rate::from_bits(100_000), Time::from_millis(500));
    assert_eq!(value(&slow, metrics::PAGES, ""), None);
    assert_eq!(value(&slow, metrics::UNFINISHED, ""), Some(1.0));
}

#[test]
fn a_game_over_a_free_link_answers_within_a_tick_and_a_round_trip() {
    let record = run("game", &json!({ "updates": 20, "commands": 37 }), FAST, Time::from_secs(50));
    let mean = value(&record, metrics::RESPONSE_TIME, "").expect("commands were answered");
    // 20 ms on the way, and half of 50 ms until the next tick on average.
    assert!((43.0..47.0).contains(&mean), "{mean}");
    for (part, expected) in [("50 ms", 0.0), ("100 ms", 0.0)] {
        assert_eq!(value(&record, metrics::DEADLINE_MISS, part), Some(expected));
    }
    assert_eq!(value(&record, metrics::LOSS, ""), Some(0.0));
    // Ten seconds after the player has left, the server stops.
    let sent = value(&record, metrics::SENT, "").expect("updates");
    assert!((1_190.0..=1_200.0).contains(&sent), "{sent}");
}
