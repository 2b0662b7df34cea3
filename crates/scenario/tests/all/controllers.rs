//! Controllers in a run: what they observe, the rates that they set, and what ends the run.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use jettison_core::{Duration, Rate, Time};
use jettison_scenario::build::{BuildOptions, Builder, MakeController, RunController};
use jettison_scenario::{Changes, NoFiles, Scenario};
use jettison_sim::{ControlError, Controller, Observation, RateChange, RunOutcome, World};

/// A shaper at 8 Mbit/s on a link of 100 Mbit/s, a CBR flow of 4 Mbit/s at least, and a ping.
const SHAPED: &str = r#"
name = "shaped"
duration = "4 s"
warm_up = "1100 ms"
[nodes]
a = { kind = "host" }
r = { kind = "router" }
b = { kind = "host" }
[links.near]
between = ["a", "r"]
rate = "1 Gbit/s"
[links.far]
between = ["r", "b"]
rate = "100 Mbit/s"
delay = "10 ms"
overhead = "0 bytes"
queue = { kind = "tbf", rate = "8 Mbit/s", queue = { kind = "tail-drop", limit = "50 packets" } }
reverse = { queue = "tail-drop", delay = "30 ms" }
[flows.load]
from = "a"
to = "b"
app = { kind = "cbr", rate = "20 Mbit/s", payload = "972 bytes" }
[flows.echo]
from = "a"
to = "b"
app = { kind = "ping", interval = "100 ms" }
"#;

/// What one controller saw: time, Mbit/s carried, packets waiting, delays of the replies in ms.
#[derive(Debug, Clone, PartialEq)]
struct Seen {
    at: Time,
    mbit: f64,
    waiting: u64,
    delays: Vec<(u64, u64)>,
}

/// Sets the rates of a list, one per second, and notes what it saw.
#[derive(Clone)]
struct Listed {
    rates: Vec<Option<u64>>,
    next: Option<Time>,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Controller for Listed {
    fn next_wakeup(&self) -> Option<Time> {
        self.next
    }

    fn observe(&mut self, seen: &Observation<'_>, now: Time, out: &mut Vec<RateChange>) {
        let span = now.since(seen.since).as_secs_f64();
        let link = seen.links[0];
        self.seen.lock().expect("no test panicked").push(Seen {
            at: now,
            mbit: link.carried.get() as f64 * 8e-6 / span,
            waiting: link.backlog.packets,
            delays: seen.probes.iter().map(|one| (one.out.as_millis(), one.back.as_millis())).collect(),
        });
        if self.rates.is_empty() {
            self.next = None;
            return;
        }
        if let Some(bits) = self.rates.remove(0) {
            out.push(RateChange { link: 0, rate: Rate::from_bits(bits) });
        }
        self.next = Some(now + Duration::from_secs(1));
    }
}

#[expect(clippy::type_complexity, reason = "written once")]
fn world(
    text: &str,
    link: &str,
    probe: &str,
    rates: &[Option<u64>],
) -> Result<(World, Arc<Mutex<Vec<Seen>>>), String> {
    let mut builder = Builder::standard();
    let scenario = Scenario::parse(text, "shaped.toml", &NoFiles, &Changes::default(), &builder.registries())
        .map_err(|error| error.to_string())?;
    let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
    let (noted, rates) = (Arc::clone(&seen), rates.to_vec());
    builder.add_controller(RunController {
        name: "listed".to_owned(),
        links: vec![link.to_owned()],
        probes: vec![probe.to_owned()],
        make: MakeController(Arc::new(move |_| {
            let next = Some(Time::from_secs(1));
            Ok(Box::new(Listed { rates: rates.clone(), next, seen: Arc::clone(&noted) }))
        })),
    });
    let settings = &scenario.variants[0].settings;
    let world = builder.build(settings, &scenario.contents, 1, &BuildOptions::default());
    world.map(|world| (world, seen)).map_err(|error| error.to_string())
}

fn run(rates: &[Option<u64>]) -> (RunOutcome, Option<ControlError>, Vec<Seen>) {
    let (mut world, seen) = world(SHAPED, "far.forward", "echo", rates).expect("a world");
    let outcome = world.run(Time::from_secs(4), &AtomicBool::new(false));
    let error = world.control_error().cloned();
    let seen = seen.lock().expect("no test panicked").clone();
    (outcome, error, seen)
}

#[test]
fn a_controller_sees_the_rate_that_it_has_set() {
    let (outcome, error, seen) = run(&[Some(4_000_000), Some(12_000_000), None]);
    assert_eq!((outcome, error), (RunOutcome::Complete, None));
    let at: Vec<u64> = seen.iter().map(|one| one.at.as_nanos() / 1_000_000_000).collect();
    assert_eq!(at, [1, 2, 3, 4]);
    // The queue is never empty, so the link carries what the shaper lets through; the warm-up ends between two observations.
    for (one, expected) in seen.iter().zip([8.0, 4.0, 12.0, 12.0]) {
        assert!((one.mbit - expected).abs() < 0.02 * expected, "{one:?}, expected {expected}");
        assert!(one.waiting > 0, "{one:?}");
    }
}

#[test]
fn replies_have_the_delay_of_each_direction() {
    // From the second second on nothing waits: the delays are those of the link.
    let (_, _, seen) = run(&[Some(40_000_000), None, None]);
    let replies: Vec<(u64, u64)> = seen.iter().skip(2).flat_map(|one| one.delays.clone()).collect();
    assert!(replies.len() >= 15, "{replies:?}");
    for (out, back) in replies {
        assert!((10..=11).contains(&out) && back == 30, "{out} ms out, {back} ms back");
    }
}

#[test]
fn runs_with_a_controller_are_deterministic() {
    let rates = [Some(4_000_000), Some(12_000_000), None];
    assert_eq!(run(&rates), run(&rates));
}

#[test]
fn a_rate_of_zero_ends_the_run() {
    let (outcome, error, seen) = run(&[Some(0)]);
    assert_eq!((outcome, seen.len()), (RunOutcome::Cancelled, 1));
    let text = error.unwrap().to_string();
    assert_eq!(text, "controller `listed` at 1 s: the rate of `far.forward` must be > 0, got 0 bit/s");
}

#[test]
fn a_queue_without_a_shaper_ends_the_run() {
    let (mut world, _) = world(SHAPED, "far.reverse", "echo", &[Some(1_000_000)]).unwrap();
    assert_eq!(world.run(Time::from_secs(4), &AtomicBool::new(false)), RunOutcome::Cancelled);
    let text = world.control_error().unwrap().to_string();
    assert!(text.contains("the queue of `far.reverse` has no shaper"), "{text}");
}

#[test]
fn unknown_links_and_probes_are_refused_with_the_nearest_name() {
    let refused = |link, probe| world(SHAPED, link, probe, &[]).err().unwrap();
    assert_eq!(
        refused("far.foward", "echo"),
        "controller `listed`: unknown link direction `far.foward`; did you mean `far.forward`?"
    );
    assert_eq!(
        refused("far.forward", "ecco"),
        "controller `listed`: unknown probe `ecco`; did you mean `echo`?"
    );
}
