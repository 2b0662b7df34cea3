//! Tests of reading, repeating and rejecting profiles.

use proptest::prelude::*;

use super::*;

/// Three changes, the last holding for 5 s: a round of 25 s.
const ROUND: &str = r#"{
    "changes": [
        {"time": 0, "bw": 5, "rtt": 76, "loss": 0.09},
        {"time": 10, "bw": 1.5, "rtt": 101, "loss": 2.00},
        {"time": 20, "bw": 0, "rtt": 20, "loss": 0}
        ],
    "repeat": "True",
    "pause": 5,
    "duration": 640
}"#;

fn parse(text: &str) -> NetworkProfile {
    NetworkProfile::parse(text.as_bytes()).unwrap()
}

fn refusal(from: &str, to: &str) -> String {
    assert!(ROUND.contains(from), "the profile has no {from:?}");
    NetworkProfile::parse(ROUND.replacen(from, to, 1).as_bytes()).unwrap_err().to_string()
}

#[test]
fn seconds_megabits_milliseconds_and_percent() {
    let steps: Vec<ProfileStep> = parse(ROUND).steps(Time::from_secs(11)).collect();
    let step = |at, kbit, rtt, loss| ProfileStep {
        at: Time::from_secs(at),
        rate: Rate::from_kbit(kbit),
        rtt: Duration::from_millis(rtt),
        loss: Share::new(loss).unwrap(),
    };
    assert_eq!(steps, [step(0, 5_000, 76, 0.0009), step(10, 1_500, 101, 0.02)]);
}

#[test]
fn a_round_ends_when_the_last_change_has_held_for_the_pause() {
    let profile = parse(ROUND);
    assert_eq!(profile.round(), Some(Duration::from_secs(25)));
    let times: Vec<u64> =
        profile.steps(Time::from_secs(60)).map(|step| step.at.as_micros() / 1_000_000).collect();
    assert_eq!(times, [0, 10, 20, 25, 35, 45, 50]);
    let again = profile.steps(Time::from_secs(60)).nth(4).unwrap();
    assert_eq!((again.rate, again.rtt), (Rate::from_kbit(1_500), Duration::from_millis(101)));
}

#[test]
fn without_repeat_the_last_change_holds_for_ever() {
    for repeat in ["\"False\"", "false"] {
        let profile = parse(&ROUND.replace("\"True\"", repeat).replace("\"bw\": 0", "\"bw\": 0.5"));
        assert_eq!(profile.round(), None);
        assert_eq!(profile.steps(Time::from_secs(9_999)).count(), 3);
    }
    let bare = parse(r#"{"changes": [{"time": 0, "bw": 2}]}"#);
    let only = bare.steps(Time::from_secs(9)).collect::<Vec<_>>();
    assert_eq!((only.len(), only[0].rtt, only[0].loss), (1, Duration::ZERO, Share::ZERO));
}

#[test]
fn omitted_values_keep_their_previous_ones() {
    let profile = parse(r#"{"changes": [{"time": 0, "bw": 2, "rtt": 40, "loss": 1}, {"time": 3, "bw": 1}]}"#);
    let last = profile.steps(Time::from_secs(9)).last().unwrap();
    assert_eq!((last.rtt, last.loss.value()), (Duration::from_millis(40), 0.01));
}

#[test]
fn text_that_is_no_json_is_refused_with_line_and_column() {
    let error = NetworkProfile::parse(b"{\n  \"changes\": [,]\n}").unwrap_err();
    assert_eq!(error.position(), Some((2, 15)));
    assert_eq!(error.to_string(), "invalid JSON: expected value");
    let error = NetworkProfile::parse(b"").unwrap_err();
    assert_eq!(error.position(), Some((1, 1)));
    assert!(refusal("\"bw\": 5", "\"bw\": NaN").starts_with("invalid JSON"));
    assert!(refusal("\"bw\": 5", "\"bw\": 1e999").starts_with("invalid JSON: number out of range"));
}

#[test]
fn rejects_numbers_out_of_range() {
    assert_eq!(
        refusal("\"bw\": 1.5", "\"bw\": -1.5"),
        "changes[1].bw: must be 0 to 1000000 Mbit/s (0 is an outage), got -1.5"
    );
    assert_eq!(
        refusal("\"rtt\": 101", "\"rtt\": -1"),
        "changes[1].rtt: must be 0 to 3600000 milliseconds, got -1"
    );
    assert_eq!(
        refusal("\"loss\": 2.00", "\"loss\": 120"),
        "changes[1].loss: must be 0 to 100 percent, got 120"
    );
    assert_eq!(
        refusal("\"bw\": 5", "\"bw\": \"fast\""),
        "changes[0].bw: must be a number (Mbit/s (0 is an outage)), got \"fast\""
    );
    assert_eq!(
        refusal("\"bw\": 5", "\"bw\": 1e-9"),
        "changes[0].bw: must be 0 or at least 1 bit/s, got 0.000000001 Mbit/s"
    );
    assert!(refusal("\"duration\": 640", "\"duration\": \"long\"").starts_with("duration: must be a number"));
}

#[test]
fn rejects_an_outage_without_an_end() {
    assert_eq!(
        refusal("\"True\"", "\"False\""),
        "changes[2].bw: must be > 0 in the last change of a profile that does not repeat, got 0; add a change that ends the outage, or set `repeat`"
    );
    let dead = r#"{"changes": [{"time": 0, "bw": 0}], "repeat": true, "pause": 1}"#;
    let error = NetworkProfile::parse(dead.as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "changes: at least one `bw` must be > 0");
}

#[test]
fn rejects_times_out_of_order() {
    let message = "must be later than the previous change at 10 s, got";
    assert_eq!(refusal("\"time\": 20", "\"time\": 9"), format!("changes[2].time: {message} 9 s"));
    assert_eq!(refusal("\"time\": 20", "\"time\": 10"), format!("changes[2].time: {message} 10 s"));
    assert_eq!(
        refusal("\"time\": 0", "\"time\": 1"),
        "changes[0].time: must be 0 in the first change, got 1 s"
    );
}

#[test]
fn rejects_missing_and_unknown_keys() {
    assert_eq!(refusal("\"bw\": 5, ", ""), "changes[0].bw: required: a bandwidth in Mbit/s");
    assert_eq!(refusal("\"time\": 10, ", ""), "changes[1].time: required: seconds from the start");
    assert_eq!(
        refusal("\"loss\": 2.00", "\"los\": 2.00"),
        "changes[1].los: unknown key; did you mean `loss`?"
    );
    assert_eq!(refusal("\"pause\": 5,", "").split_once(':').unwrap().0, "pause");
    assert_eq!(refusal("\"pause\": 5", "\"pause\": 0").split_once(':').unwrap().0, "pause");
    assert_eq!(refusal("\"True\"", "\"yes\""), "repeat: must be \"True\" or \"False\", got \"yes\"");
    let said = |text: &str| NetworkProfile::parse(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(said(r#"{"changes": []}"#), "changes: must have at least one change, at time 0");
    assert!(said("{}").starts_with("changes: must be a list such as"));
    assert!(said("[]").starts_with("the file: must be an object"));
    assert!(said(r#"{"changes": [3]}"#).starts_with("changes[0]: must be an object"));
}

/// Valid profiles.
fn profile() -> impl Strategy<Value = NetworkProfile> {
    let gap = 1..5_000_000_000u64;
    let change = (gap.clone(), 0..10_000_000u64, 0..400u64, 0.0..=1.0f64);
    (prop::collection::vec(change, 1..6), prop::option::of(gap)).prop_map(|(changes, pause)| {
        let mut at = Time::ZERO;
        let mut steps: Vec<ProfileStep> = Vec::new();
        for (gap, bits, rtt, loss) in changes {
            let loss = Share::new(loss).expect("it is drawn from 0 to 1");
            steps.push(ProfileStep {
                at,
                rate: Rate::from_bits(bits),
                rtt: Duration::from_millis(rtt),
                loss,
            });
            at += Duration::from_nanos(gap);
        }
        let last = steps[steps.len() - 1].at;
        NetworkProfile {
            steps,
            round: pause.map(|pause| last.since(Time::ZERO) + Duration::from_nanos(pause)),
        }
    })
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_not_panic(text: Vec<u8>) {
        let _ = NetworkProfile::parse(&text);
    }

    #[test]
    fn mangled_profiles_do_not_panic(at in 0..ROUND.len(), length in 0..20usize, piece in "[0-9eE.,:\"{}\\[\\]a-z -]{0,6}") {
        let text = format!("{}{piece}{}", &ROUND[..at], ROUND.get(at + length..).unwrap_or_default());
        if let Ok(profile) = NetworkProfile::parse(text.as_bytes()) {
            prop_assert!(profile.steps(Time::MAX).take(100).any(|step| !step.rate.is_zero()));
        }
    }

    #[test]
    fn steps_begin_at_zero_and_increase_and_count_matches(profile in profile(), until in 1..20_000_000_000u64) {
        let until = Time::from_nanos(until);
        prop_assume!(profile.count(until) < 10_000);
        let steps: Vec<ProfileStep> = profile.steps(until).collect();
        prop_assert_eq!(steps[0].at, Time::ZERO);
        prop_assert!(steps.windows(2).all(|pair| pair[0].at < pair[1].at));
        prop_assert!(steps.iter().all(|step| step.at < until));
        prop_assert_eq!(steps.len() as u64, profile.count(until));
    }
}
