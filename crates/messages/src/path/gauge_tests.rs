//! Gauges of path controllers.

use jettison_core::{Duration, Gauge, Rate, Time};
use serde_json::{Value, json};

use super::testing::{Link, Source, Toy, context, run, with_trace};
use super::{PathController, path_controllers};

fn built(id: &str, parameters: Value) -> Box<dyn PathController> {
    path_controllers().build_from(id, &parameters, &context()).unwrap_or_else(|error| panic!("{id}: {error}"))
}

fn reported(controller: &dyn PathController) -> Vec<(Gauge, f64)> {
    let mut taken: Vec<(Gauge, String, f64)> = Vec::new();
    controller.gauges(Time::from_secs(20), &mut taken);
    taken.into_iter().map(|(gauge, _, value)| (gauge, value)).collect()
}

fn value(controller: &dyn PathController, name: &str) -> f64 {
    let all = reported(controller);
    all.iter().find(|(gauge, _)| gauge.name == name).unwrap_or_else(|| panic!("no {name} in {all:?}")).1
}

#[test]
fn a_path_controller_reports_exactly_the_gauges_that_it_declares() {
    for entry in path_controllers().iter() {
        let parameters = if entry.id == "oracle" { json!({ "trace": "t" }) } else { json!({}) };
        let built =
            with_trace("t", "1\n5\n", |context| entry.build(&parameters, context)).expect("it is right");
        let reported: Vec<Gauge> = reported(&*built).into_iter().map(|(gauge, _)| gauge).collect();
        assert_eq!(reported, entry.gauges, "{}", entry.id);
        let prefix = format!("{}_", entry.id.replace('-', "_"));
        assert!(entry.gauges.iter().all(|gauge| gauge.name.starts_with(&prefix)), "{}", entry.id);
    }
}

#[test]
fn gauges_say_what_controllers_know_of_a_fixed_link() {
    let media = || Toy { source: Source::Frames(Duration::from_micros(33_333)), ..Toy::new(Link::fixed(10)) };
    let mut gcc = built("gcc", json!({ "max_rate": "2 Mbit/s" }));
    run(&mut *gcc, media(), 20);
    assert!((value(&*gcc, "gcc_delay_rate") - 2.0).abs() < 1e-6, "it has grown to its bound");
    assert!(value(&*gcc, "gcc_threshold") >= 6.0);
    assert!((1.5..=2.5).contains(&value(&*gcc, "gcc_incoming_rate")));

    let mut scream = built("scream", json!({}));
    run(&mut *scream, media(), 20);
    assert_eq!(value(&*scream, "scream_target_delay"), 100.0);
    assert!(value(&*scream, "scream_queue_delay") >= 0.0);

    let mut sprout = built("sprout", json!({}));
    run(&mut *sprout, Toy::new(Link::fixed(4)), 20);
    let rate = value(&*sprout, "sprout_rate");
    assert!((2.0..=6.0).contains(&rate), "a link of 4 Mbit/s, and {rate} Mbit/s is believed");

    let mut ewma = built("sprout-ewma", json!({ "grace": "idle" }));
    run(&mut *ewma, Toy::new(Link::fixed(10)), 20);
    let bits = ewma.bandwidth().map(Rate::as_bits).expect("it has heard") as f64;
    let packet = context().packet as f64 * 8.0;
    assert!((value(&*ewma, "sprout_ewma_interval") - 1e3 * packet / bits).abs() < 1e-3);
}
