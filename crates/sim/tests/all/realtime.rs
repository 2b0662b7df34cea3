//! Haptic streams and video conferences between two hosts.

use std::sync::atomic::AtomicBool;

use jettison_apps::applications;
use jettison_core::{Duration, RandomStream, Rate, Seed, Time};
use jettison_link::{FixedRate, Loss, LossParameters, Propagation, ScheduledLoss};
use jettison_measure::{Kind, Metric, ObjectId, RecorderSettings, RunRecord, Series, metrics};
use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use jettison_sim::{Carrier, DirectionSpec, FlowProgram, LinkSpec, NodeId, WorldBuilder, WorldSettings};
use jettison_sockets::{FlowContext, FlowTransport};
use jettison_tcp::Endpoint;
use jettison_wire::Address;
use serde_json::{Value, json};

const FLOW: ObjectId = ObjectId { kind: Kind::Flow, index: 0 };

/// A link of 4 ms and its other traffic.
struct Setup {
    rate: Rate,
    /// The queue in front of it.
    limit: &'static str,
    lost: Vec<ScheduledLoss>,
    /// Parameters of a concurrent `on-off` flow.
    blast: Option<Value>,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup { rate: Rate::from_mbit(10), limit: "1000 packets", lost: Vec::new(), blast: None }
    }
}

fn direction(name: &str, setup: &Setup, lost: &[ScheduledLoss]) -> DirectionSpec {
    let parameters = LossParameters { scheduled: lost.to_vec(), ..LossParameters::default() };
    let limit = setup.limit.parse().expect("a limit");
    DirectionSpec {
        name: name.to_owned(),
        carrier: Carrier::Fixed(FixedRate::new(setup.rate)),
        propagation: Propagation::new(Duration::from_millis(4)),
        loss: (!parameters.is_none())
            .then(|| Loss::new(&parameters, &|what| Seed(1).stream(&[name, what])).expect("right")),
        impairments: None,
        queue: Box::new(TailDrop::new(TailDropParameters { limit })),
        hooks: None,
        tapped: false,
    }
}

fn flow(world: &mut WorldBuilder, name: &str, ends: [NodeId; 2], port: u16, kind: &str, parameters: &Value) {
    let registry = applications();
    let random = |what: &str| -> RandomStream { Seed(1).stream(&["flows", name, what]) };
    let context = FlowContext {
        remote: Endpoint { address: Address::v4(198, 18, 0, 2), port },
        hardware: None,
        server: Endpoint { address: Address::v4(198, 18, 0, 1), port },
        transport: &FlowTransport::Udp { traffic_class: 0 },
        random: &random,
        files: &|_| Err("no files here".to_owned()),
    };
    let programs = registry.build_from(kind, parameters, &context).expect("the parameters are right");
    let program = |host, application| FlowProgram { host, application, start: Time::ZERO, stop: Time::MAX };
    let receiver = programs.to.expect("a datagram needs a receiver");
    world.flow(name, ends[0], ends[1], vec![program(ends[0], programs.from), program(ends[1], receiver)]);
}

/// Ten seconds of a flow `f`, measured from the first on.
fn run(kind: &str, parameters: &Value, setup: &Setup) -> RunRecord {
    let recorder = RecorderSettings { warm_up: Time::from_secs(1), ..RecorderSettings::default() };
    let mut world = WorldBuilder::new(WorldSettings { seed: Seed(1), recorder });
    let ends = [world.host("a", Address::v4(198, 18, 0, 1)), world.host("b", Address::v4(198, 18, 0, 2))];
    let forward = direction("l.forward", setup, &setup.lost);
    let reverse = direction("l.reverse", setup, &[]);
    world.link(LinkSpec { ends, forward, reverse });
    flow(&mut world, "f", ends, 9, kind, parameters);
    if let Some(blast) = &setup.blast {
        flow(&mut world, "blast", ends, 10, "on-off", blast);
    }
    let mut world = world.build().expect("all ends are joined");
    world.run(Time::from_secs(10), &AtomicBool::new(false));
    world.finish()
}

fn value(record: &RunRecord, metric: Metric, part: &str) -> f64 {
    let found = record.summary_part("f", metric, part);
    found.unwrap_or_else(|| panic!("no {} of {part:?}", metric.name)).mean
}

fn series(record: &RunRecord, metric: Metric) -> &Series {
    let found = record.series.iter().find(|series| series.object == FLOW && series.metric == metric);
    found.unwrap_or_else(|| panic!("no series of {}", metric.name))
}

#[test]
fn haptic_samples_over_a_free_link_are_in_time() {
    // 100 + 28 + 14 bytes take 113.6 µs at 10 Mbit/s, and 4 ms on the way.
    let record = run("haptic", &json!({}), &Setup::default());
    assert_eq!(value(&record, metrics::SENT, ""), 9_000.0);
    assert_eq!(value(&record, metrics::OWD, ""), 4.1136);
    for deadline in ["5 ms", "10 ms", "50 ms"] {
        assert_eq!(value(&record, metrics::DEADLINE_MISS, deadline), 0.0);
    }
    assert_eq!(value(&record, metrics::LONGEST_GAP, ""), 1.0);
    let owd = series(&record, metrics::OWD);
    assert_eq!(owd.len(), 100, "one each 100 ms, those before the end of the warm-up too");
    assert!(owd.values().unwrap().iter().all(|ms| *ms == 4.1136), "{owd:?}");
}

#[test]
fn haptic_samples_behind_a_burst_are_late_and_lost_ones_leave_a_gap() {
    // A burst of 100 packets of 1,512 bytes each second waits up to 120 ms at 10 Mbit/s.
    let blast = json!({ "rate": "100 Mbit/s", "on": "12 ms", "off": "988 ms", "periods": "fixed" });
    let lost = vec![ScheduledLoss { at: Some(Time::from_millis(2_500)), packet: None, count: 30 }];
    let record = run("haptic", &json!({}), &Setup { lost, blast: Some(blast), ..Setup::default() });
    let missed = ["5 ms", "10 ms", "50 ms"].map(|part| value(&record, metrics::DEADLINE_MISS, part));
    assert!(missed[0] > missed[1] && missed[1] > missed[2] && missed[2] > 1.0, "{missed:?}");
    assert!(missed[0] < 20.0, "{missed:?}");
    assert!((0.3..0.34).contains(&value(&record, metrics::LOSS, "")), "30 of 9,000");
    assert!((31.0..32.0).contains(&value(&record, metrics::LONGEST_GAP, "")));
    // The series shows when.
    let owd = series(&record, metrics::OWD);
    let delays = owd.values().unwrap();
    let worst = delays.iter().copied().fold(0.0, f64::max);
    assert!(worst > 30.0 && delays.iter().any(|ms| *ms < 5.0), "{worst}");
    let loss = series(&record, metrics::LOSS);
    assert_eq!(loss.len(), owd.len());
    let lossy: Vec<_> = loss.points().unwrap().into_iter().filter(|(_, share)| *share > 0.0).collect();
    let sum: f64 = lossy.iter().map(|(_, share)| *share).sum();
    assert!((29.0..31.0).contains(&sum), "30 of an interval's 100: {lossy:?}");
    let around = Time::from_millis(2_500)..=Time::from_millis(2_700);
    assert!(lossy.iter().all(|(time, _)| around.contains(time)), "{lossy:?}");
}

#[test]
fn a_dead_band_sends_little_and_its_silences_are_gaps() {
    let all = run("haptic", &json!({}), &Setup::default());
    let felt = run("haptic", &json!({ "deadband": 0.1 }), &Setup::default());
    let sent = |record: &RunRecord| value(record, metrics::SENT, "");
    assert!(sent(&felt) > 50.0 && sent(&felt) < 0.1 * sent(&all), "{}", sent(&felt));
    assert_eq!(value(&felt, metrics::LOSS, ""), 0.0);
    assert!(value(&felt, metrics::LONGEST_GAP, "") > 50.0);
    // An interval in which nothing arrived has no delay.
    assert!(series(&felt, metrics::OWD).len() < 100);
}

#[test]
fn frames_of_a_conference_are_complete_with_their_last_packet() {
    let parameters = json!({ "frame_spread": 0.0 });
    let record = run("conference", &parameters, &Setup { rate: Rate::from_mbit(1), ..Setup::default() });
    assert_eq!(value(&record, metrics::FRAMES, "sent"), 135.0);
    assert_eq!(value(&record, metrics::FRAME_LOSS, ""), 0.0);
    // Four packets of 417 bytes and 42 of headers take 3.67 ms each at 1 Mbit/s; then 4 ms on the way.
    let delay = record.summary_part("f", metrics::FRAME_DELAY, "").expect("frames came");
    assert!((delay.mean - (4.0 * 3.672 + 4.0)).abs() < 0.02, "{}", delay.mean);
    assert!(delay.percentiles.is_some());
    assert!((value(&record, metrics::OWD, "") - (2.5 * 3.672 + 4.0)).abs() < 0.02);
    assert!((value(&record, metrics::GOODPUT, "") - 0.2).abs() < 0.001);
    assert!(record.series.iter().all(|series| series.metric != metrics::SEND_RATE));
}

#[test]
fn a_packet_lost_is_a_frame_lost() {
    // Two packets of the frame 25.
    let lost = vec![ScheduledLoss { at: None, packet: Some(101), count: 2 }];
    let record = run("conference", &json!({ "frame_spread": 0.0 }), &Setup { lost, ..Setup::default() });
    assert_eq!(value(&record, metrics::FRAMES, "complete"), 134.0);
    assert!((value(&record, metrics::FRAME_LOSS, "") - 100.0 / 135.0).abs() < 1e-9);
    assert!((value(&record, metrics::LOSS, "") - 200.0 / 540.0).abs() < 1e-9);
}

#[test]
fn an_adaptive_conference_falls_to_the_capacity_of_the_link_and_then_loses_nothing() {
    // Beside 43 kbit/s of other packets the link has 107 kbit/s left for the conference, headers included.
    let blast = json!({ "rate": "40 kbit/s", "payload": "500 bytes", "on": "60 s", "periods": "fixed" });
    let setup =
        Setup { rate: Rate::from_kbit(150), limit: "10 packets", blast: Some(blast), ..Setup::default() };
    let adapts = run("conference", &json!({ "adapt": "on-loss" }), &setup);
    let stays = run("conference", &json!({}), &setup);
    let rates = series(&adapts, metrics::SEND_RATE).values().unwrap();
    assert_eq!(rates[0], 0.2);
    assert!(rates.windows(2).all(|two| two[1] <= two[0]), "{rates:?}");
    // 200, 150, 112.5, 84.4 kbit/s; one step more if losses of the last rate are told of after it.
    assert!((0.06..0.09).contains(rates.last().expect("it has begun")), "{rates:?}");
    let last_drop = |record: &RunRecord| {
        let own = record.drops.iter().map(Result::unwrap).filter(|drop| drop.flow.0 == FLOW.index);
        own.map(|drop| drop.time).max().expect("both lost packets")
    };
    assert!(last_drop(&adapts) < Time::from_secs(6), "{}", last_drop(&adapts));
    assert!(last_drop(&stays) > Time::from_secs(9));
}
