//! Links that follow a network profile.

use crate::support;

use jettison_core::{Duration, Rate, Time};
use jettison_scenario::schema::{Carrier, Change, DirectionSettings};
use jettison_scenario::{InputHash, Scenario};
use support::{GOOD, changed, expect, parse_with};

/// The good scenario with a profile in place of the bottleneck's rate and delay.
fn text(profile: &str) -> String {
    GOOD.replace("rate = \"10 Mbit/s\"\ndelay = \"9 ms\"\n", &format!("profile = {profile}\n"))
}

fn good(text: &str) -> Scenario {
    parse_with(text, &[], false).unwrap_or_else(|messages| panic!("{messages}"))
}

fn directions(scenario: &Scenario) -> [DirectionSettings; 2] {
    let settings = &scenario.variants[0].settings;
    [true, false].map(|forward| settings.direction(&settings.links["bottleneck"], forward))
}

fn change(at: u64, mbit: u64, delay_us: u64) -> Change {
    let (rate, delay) = (Some(Rate::from_mbit(mbit)), Some(Duration::from_micros(delay_us)));
    Change { at: Time::from_secs(at), rate, delay, loss: None }
}

#[test]
fn a_profile_gives_rate_half_of_the_rtt_and_the_loss_of_the_forward_direction() {
    for profile in ["\"steps.json\"", "{ file = \"steps.json\" }"] {
        let scenario = good(&text(profile));
        let [forward, reverse] = directions(&scenario);
        assert_eq!(forward.carrier, Carrier::Rate(Rate::from_mbit(8)));
        assert_eq!(reverse.carrier, forward.carrier);
        assert_eq!(forward.delay + reverse.delay, Duration::from_millis(41));
        assert_eq!(forward.delay, Duration::from_micros(20_500));
        assert_eq!((forward.loss.probability.value(), reverse.loss.probability.value()), (0.01, 0.0));
        assert_eq!((forward.overhead.get(), forward.queue_name.as_str()), (14, "ired-64"));
        assert_eq!(scenario.inputs[1].file, "steps.json");
    }
}

#[test]
fn a_profile_repeats_to_the_end_of_the_run_and_changes_only_what_changes() {
    let [forward, reverse] = directions(&good(&text("\"steps.json\"")));
    let wanted = [
        change(10, 2, 40_000),
        change(20, 8, 20_500),
        change(30, 2, 40_000),
        change(40, 8, 20_500),
        change(50, 2, 40_000),
    ];
    assert_eq!(forward.changes, wanted, "of 60 s, with 1 % lost throughout");
    assert_eq!(reverse.changes, wanted);
}

#[test]
fn reverse_may_override_single_keys_of_a_profile() {
    let with = |reverse: &str| {
        directions(&good(&text("\"steps.json\"").replace("reverse = {", &format!("reverse = {{ {reverse},"))))
    };
    let [forward, reverse] = with("rate = \"1 Mbit/s\", loss = \"2 %\"");
    assert_eq!(reverse.carrier, Carrier::Rate(Rate::from_mbit(1)));
    assert_eq!(reverse.loss.probability.value(), 0.02);
    assert_eq!(reverse.delay, Duration::from_micros(20_500));
    assert_eq!(reverse.changes[0], Change { rate: None, ..change(10, 2, 40_000) });
    assert_eq!(forward.changes[0], change(10, 2, 40_000));
    let [_, reverse] = with("trace = \"good.down\", delay = \"3 ms\"");
    assert!(matches!(&reverse.carrier, Carrier::Trace(trace) if trace.file == "good.down"));
    assert_eq!((reverse.delay, reverse.overhead.get()), (Duration::from_millis(3), 4));
    assert!(reverse.changes.is_empty());
}

#[test]
fn a_profile_in_reverse_applies_to_that_direction_alone() {
    let scenario = good(&GOOD.replace("reverse = {", "reverse = { profile = \"steps.json\","));
    let [forward, reverse] = directions(&scenario);
    assert_eq!((forward.delay, forward.changes.len()), (Duration::from_millis(9), 0));
    assert_eq!(reverse.carrier, Carrier::Rate(Rate::from_mbit(8)));
    assert_eq!((reverse.delay, reverse.changes.len()), (Duration::from_micros(20_500), 5));
    assert_eq!(reverse.loss.probability.value(), 0.01);
}

#[test]
fn a_profile_may_vary() {
    let axis = "[[vary]]\npath = \"links.bottleneck.profile\"\n\
        values = [\"steps.json\", { file = \"steps.json\", label = \"again\" }]\n";
    let scenario = good(&format!("{}{axis}", text("\"steps.json\"")));
    assert_eq!(scenario.axes["profile"], ["steps.json", "again"]);
    assert_eq!(scenario.inputs.len(), 2);
    assert_eq!(
        scenario.inputs[1],
        InputHash::of("steps.json", scenario.contents.content("steps.json").unwrap())
    );
    // The effective configuration is a complete scenario.
    let again = good(&scenario.variants[1].effective_toml());
    assert_eq!(again.variants[0].effective, scenario.variants[1].effective);
    let bad = text("\"steps.json\"") + &axis.replace("\"steps.json\", label", "\"negative.json\", label");
    let wanted = "shelf/negative.json: changes[1].bw: must be 0 to 1000000 Mbit/s (0 is an outage), got -1";
    assert_eq!(parse_with(&bad, &[], false).unwrap_err(), wanted);
}

#[test]
fn an_invalid_profile_is_reported_with_file_and_place() {
    let profile =
        |name: &str| changed("rate = \"10 Mbit/s\"\ndelay = \"9 ms\"\n", &format!("profile = \"{name}\"\n"));
    assert_eq!(profile("steps.json"), "nothing wrong");
    assert_eq!(
        profile("negative.json"),
        "shelf/negative.json: changes[1].bw: must be 0 to 1000000 Mbit/s (0 is an outage), got -1"
    );
    assert_eq!(profile("text.json"), "shelf/text.json:1:1: invalid JSON: expected value");
    assert_eq!(
        profile("none.json"),
        "s.toml:22:11: cannot read `shelf/none.json`: no such file; write the path relative to the scenario's folder"
    );
    assert_eq!(
        profile("hasty.json"),
        "s.toml:22:11: the profile must change at most 100000 times in the run, got 600000; write a longer `pause`, fewer \
         changes or a shorter `duration`"
    );
}

#[test]
fn the_steps_of_a_profile_are_not_counted_without_a_duration() {
    let text = text("\"hasty.json\"").replacen("duration = \"60 s\"\n", "", 1);
    let said = parse_with(&text, &[], false).unwrap_err();
    assert!(said.contains("has no `duration`") && !said.contains("profile"), "{said}");
}

#[test]
fn a_profile_excludes_the_keys_that_it_sets() {
    let both = |line: usize, column: usize, key: &str| {
        format!(
            "s.toml:{line}:{column}: link `bottleneck` has both `{key}` and `profile`; remove `{key}`: the profile sets it"
        )
    };
    let with = |more: &str| {
        changed("rate = \"10 Mbit/s\"\ndelay = \"9 ms\"\n", &format!("profile = \"steps.json\"\n{more}\n"))
    };
    assert_eq!(with("rate = \"1 Mbit/s\""), both(23, 8, "rate"));
    assert_eq!(with("trace = \"good.down\""), both(23, 9, "trace"));
    assert_eq!(with("delay = \"1 ms\""), both(23, 9, "delay"));
    assert_eq!(with("loss = \"1 %\""), both(23, 8, "loss"));
    assert_eq!(with("changes = [{ at = \"1 s\", loss = 0.1 }]"), both(23, 11, "changes"));
    expect("reverse = {", "reverse = { profile = \"steps.json\", loss = 0.1,", &both(25, 44, "loss"));
    let reverse = text("\"steps.json\"").replace("reverse = {", "reverse = { changes = [],");
    assert_eq!(parse_with(&reverse, &[], false).unwrap_err(), both(24, 23, "changes"));
}
