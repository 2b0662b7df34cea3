//! The value of drops, where it is known beforehand.

use std::sync::atomic::AtomicBool;

use jettison_run::value::{Arm, Cell, Feature, Measure, Plan, Study, summarise};
use jettison_scenario::build::Builder;

use crate::support;

/// Two conferences of one packet per frame, a frame each 100 ms, beside a flow without a viewer. The link loses packets at random.
const SCENARIO: &str = r#"
    name = "losses"
    duration = "16 s"
    warm_up = "1 s"
    seeds = [1, 2, 3, 4]
    [nodes]
    s = { kind = "host" }
    r = { kind = "router" }
    d = { kind = "host" }
    [links.access]
    between = ["s", "r"]
    rate = "1 Gbit/s"
    delay = "1 ms"
    jitter = { deviation = "20 us", distribution = "uniform" }
    [links.bottleneck]
    between = ["r", "d"]
    rate = "10 Mbit/s"
    delay = "5 ms"
    loss = "10 %"
    [flows.call]
    from = "s"
    to = "d"
    count = 2
    start_jitter = "100 ms"
    app = { kind = "conference", rate = "80 kbit/s", frame_rate = 10.0, packet = "1400 bytes" }
    [flows.load]
    from = "s"
    to = "d"
    app = { kind = "cbr", rate = "400 kbit/s", payload = "1000 bytes", jitter = "2 ms" }
"#;

const PLAN: &str = r#"
    queue = "bottleneck.forward"
    decisions = 12
    draws = 4
    viewers = { call = { horizon = "2 s", deadline = "200 ms" } }
"#;

fn cells(threads: usize) -> Vec<Cell> {
    let (scenario, plan) = (support::scenario(SCENARIO), Plan::parse("plan", PLAN).expect("a plan"));
    let (builder, cancel) = (Builder::standard(), AtomicBool::new(false));
    let study = Study {
        scenario: &scenario,
        builder: &builder,
        plan: &plan,
        threads,
        cancel: &cancel,
        progress: &|_, _| {},
    };
    study.run().expect("the worlds can be built and copied")
}

#[test]
fn sparing_the_only_packet_of_a_frame_gains_that_frame() {
    let cell = cells(2).remove(0);
    assert_eq!(cell.trials.len(), 4 * 12);
    let (of_viewers, others): (Vec<_>, Vec<_>) = cell.trials.iter().partition(|trial| trial.of_viewer);
    assert!(of_viewers.len() >= 5 && others.len() >= 5, "{} of viewers", of_viewers.len());
    let gains =
        |trial: &jettison_run::value::Trial, arm| trial.gains(arm).map(|own| own.mean(Measure::Picture));
    // What comes after the decision is lost in both arms alike, and no queue is changed. A frame is 100 ms of picture.
    for trial in &of_viewers {
        let gained = gains(trial, Arm::Spare).expect("a packet can always be spared");
        assert!((95.0..105.0).contains(&gained), "{gained} ms for a frame of 100 ms");
    }
    assert!(others.iter().all(|trial| gains(trial, Arm::Spare) == Some(0.0)), "{others:?}");
    // Other draws lose other frames.
    assert!(cell.trials.iter().any(|trial| gains(trial, Arm::Redraw).is_some_and(|gain| gain.abs() > 50.0)));
    assert!(of_viewers.iter().all(|trial| trial.feature(Feature::Unit) == "frame"), "{of_viewers:?}");
    assert!(others.iter().all(|trial| trial.feature(Feature::Owner) == "other"));
    let summary = summarise(&cell).expect("there are trials");
    assert!(summary.judged[0].regret.mean > 0.0, "{:?}", summary.judged[0]);
    assert_eq!((summary.runs, summary.trials, summary.draws), (4, 48, 4));
}

#[test]
fn threads_do_not_change_the_trials() {
    assert_eq!(cells(1), cells(3));
}
