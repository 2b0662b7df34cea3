use super::*;
use crate::model::RunKey;
use crate::summary::{RunSummary, RunValue};
use crate::testing::{self, streaming};
use crate::warning::Warning;

/// A value of one run: object, metric, unit, mean.
type Made = (&'static str, &'static str, &'static str, f64);

fn value((object, metric, unit, mean): Made) -> RunValue {
    RunValue {
        object: object.to_owned(),
        metric: metric.to_owned(),
        unit: unit.to_owned(),
        part: String::new(),
        mean,
        percentiles: None,
    }
}

/// Results of variants, the first of which is the baseline, with these values for a variant's place and a seed.
fn made(variants: &[&str], seeds: u64, values: impl Fn(usize, u64) -> Vec<Made>) -> Results {
    let folder = tempfile::tempdir().unwrap();
    let mut results = testing::stored(&folder.path().join("out"), variants, seeds);
    results.warnings.clear();
    let run = |(place, name): (usize, &&str), seed: u64| {
        let key = RunKey { variant: (*name).to_owned(), seed };
        RunSummary::new(key, values(place, seed).into_iter().map(value).collect())
    };
    let pairs = variants.iter().enumerate().flat_map(|variant| (1..=seeds).map(move |seed| (variant, seed)));
    results.runs = pairs.map(|(variant, seed)| run(variant, seed)).collect();
    results
}

/// RTT and goodput of one flow; `noise` differs between the seeds and between the variants.
fn rtt_and_goodput(rtt: &[f64], goodput: &[f64], noise: f64) -> impl Fn(usize, u64) -> Vec<Made> {
    let (rtt, goodput) = (rtt.to_vec(), goodput.to_vec());
    move |place, seed| {
        let off = noise * (((seed + place as u64) % 3) as f64 - 1.0);
        vec![
            ("bulk", "rtt", "ms", rtt[place] + off),
            ("bulk", "goodput", "Mbit/s", goodput[place] + off / 100.0),
        ]
    }
}

fn warned(mut results: Results, kind: &str, concerns: &[&str]) -> Results {
    let concerns = concerns.iter().map(|concern| (*concern).to_owned()).collect();
    let (kind, reason, remedy) = (kind.to_owned(), "It is so".to_owned(), "do this".to_owned());
    results.warnings.push(Warning { kind, reason, remedy, concerns });
    results
}

#[test]
fn a_winner_is_named_with_its_interval_and_its_cost() {
    let results = made(&["tail-drop", "codel"], 3, rtt_and_goodput(&[500.0, 50.0], &[20.0, 18.0], 1.0));
    let found = answer(&results);
    assert_eq!(
        found.sentences,
        [
            "test/made-up compares 2 values of queue (tail-drop, codel) over 3 seeds.",
            "codel has the lowest RTT of bulk: 50.0 ms against 500 ms under tail-drop (-90.00 ± 0.86 %; 95 % interval, paired by seed).",
            "The cost of codel against tail-drop: goodput of bulk -10.00 ± 0.22 %.",
        ]
    );
    assert_eq!(found.best, ["codel"]);
}

#[test]
fn a_baseline_that_wins_is_compared_with_the_second_best() {
    let values = rtt_and_goodput(&[50.0, 500.0, 60.0], &[20.0; 3], 1.0);
    let found = answer(&made(&["codel", "tail-drop", "pi2"], 3, values));
    assert!(
        found.sentences[1].starts_with("codel has the lowest RTT of bulk: 50.0 ms against 60.0 ms under pi2"),
        "{found:?}"
    );
    assert_eq!(
        found.sentences[2],
        "codel costs less than 1 %, or nothing beyond chance, in goodput of bulk."
    );
}

#[test]
fn one_seed_has_no_winner() {
    let found =
        answer(&made(&["tail-drop", "codel"], 1, rtt_and_goodput(&[500.0, 50.0], &[20.0, 18.0], 0.0)));
    assert_eq!(found.best, Vec::<String>::new());
    assert_eq!(
        found.sentences[1..],
        [
            "With one seed a difference may be chance, so there is no winner.",
            "Measured: RTT of bulk 500 ms under tail-drop, 50.0 ms under codel.",
        ]
    );
}

#[test]
fn equal_seeds_have_no_winner() {
    let results = made(&["tail-drop", "codel"], 3, rtt_and_goodput(&[500.0, 50.0], &[20.0, 18.0], 0.0));
    let found = answer(&warned(results, "equal-seeds", &["tail-drop", "codel"]));
    assert_eq!(found.best, Vec::<String>::new());
    assert!(found.sentences[1].starts_with("All seeds gave the same values"), "{found:?}");
}

#[test]
fn what_may_be_chance_has_no_winner() {
    let found = answer(&made(&["tail-drop", "codel"], 3, rtt_and_goodput(&[52.0, 50.0], &[20.0; 2], 4.0)));
    assert_eq!(found.best, Vec::<String>::new());
    assert_eq!(found.sentences[1..], ["No difference beyond chance in RTT of bulk."]);
    let alike =
        answer(&made(&["tail-drop", "codel"], 3, rtt_and_goodput(&[50.01, 50.0], &[20.0; 2], 0.0001)));
    assert_eq!(alike.sentences[1..], ["No difference beyond chance in RTT of bulk."], "they print alike");
}

#[test]
fn leaders_that_are_not_apart_share_the_lead() {
    let values = rtt_and_goodput(&[500.0, 51.0, 50.0], &[20.0; 3], 1.0);
    let found = answer(&made(&["tail-drop", "codel", "pi2"], 3, values));
    assert!(
        found.sentences[1].starts_with(
            "pi2 and codel have the lowest RTT of bulk: 50.0 ms to 51.0 ms, not apart beyond chance, against 500 ms under tail-drop (pi2: -90"
        ),
        "{found:?}"
    );
    assert_eq!(found.best, ["pi2", "codel"]);
}

#[test]
fn impossible_and_unfinished_values_are_not_crowned() {
    let values = rtt_and_goodput(&[500.0, 100.0, 50.0], &[20.0, 20.0, 30.0], 1.0);
    let results = made(&["tail-drop", "codel", "ired"], 3, values);
    let found = answer(&warned(results, "impossible-goodput", &["ired, seed 2: 30 Mbit/s over l.forward"]));
    assert_eq!(found.best, ["codel"]);
    assert_eq!(found.sentences.last().unwrap(), "Doubtful: It is so.");
    let times = |place: usize, seed: u64| {
        vec![("bulk", "completion_time", "ms", [900.0, 500.0][place] + seed as f64)]
    };
    let results = made(&["tail-drop", "codel"], 3, times);
    assert_eq!(answer(&results).best, ["codel"]);
    let results = warned(results, "unfinished-transfer", &["codel, seed 1: bulk"]);
    assert_eq!(answer(&results).best, Vec::<String>::new(), "the slow transfers of codel are missing");
}

#[test]
fn chance_may_leave_open_where_a_variant_stands() {
    // The third is so uncertain that it is apart from neither.
    let values = |place: usize, seed: u64| {
        let off = [0.1, 0.2, 120.0][place] * (seed as f64 - 3.0);
        vec![("bulk", "rtt", "ms", [50.0, 200.0, 110.0][place] + off)]
    };
    let said = &answer(&made(&["codel", "tail-drop", "pie"], 5, values)).sentences[1];
    assert!(
        said.starts_with("codel has the lowest RTT of bulk: 50.0 ms against 200 ms under tail-drop"),
        "{said}"
    );
    assert!(said.ends_with("; chance leaves open where pie (110 ms) stands."), "{said}");
}

#[test]
fn two_seeds_that_differ_by_the_same_step_have_no_winner() {
    let values = |place: usize, seed: u64| {
        let own = [50.0, 60.0][place] + seed as f64;
        vec![("bulk", "rtt", "ms", own)]
    };
    let found = answer(&made(&["codel", "pie"], 2, values));
    assert_eq!(found.sentences[1], "No difference beyond chance in RTT of bulk.");
    assert!(found.best.is_empty());
}

#[test]
fn what_the_viewer_sees_comes_before_the_network() {
    let values = |place: usize, seed: u64| {
        let off = seed as f64 / 100.0 * (1.0 + place as f64);
        vec![
            ("ping", "stalls", "count", 1.0),
            ("ping", "stall_ratio", "%", [9.0, 3.0][place] + off),
            ("ping", "linear_qoe", "kbit/s", [500.0, 900.0][place] + off),
            ("bulk", "rtt", "ms", [20.0, 90.0][place] + off),
            ("bulk", "goodput", "Mbit/s", [9.0, 7.0][place] + off),
        ]
    };
    let found = answer(&made(&["tail-drop", "codel"], 3, values));
    assert!(
        found.sentences[1].starts_with("codel has the least time stalled of ping: 3.04 % against 9.02 %"),
        "{found:?}"
    );
    assert!(found.sentences[1].contains("-5.980 ± 0.025 points;"), "{found:?}");
    assert!(found.sentences[2].starts_with("codel has the best linear QoE of ping: 900 kbit/s"), "{found:?}");
    let cost = found.sentences.last().unwrap();
    assert!(
        cost.starts_with("The cost of codel against tail-drop: RTT of bulk +349")
            && cost.contains(", goodput of bulk -2"),
        "{cost}"
    );
}

#[test]
fn with_several_axes_the_wins_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let mut results = testing::of_two_axes(&folder.path().join("out"), 2, 3);
    results.warnings.clear();
    for run in &mut results.runs {
        let is_base = run.key.variant.starts_with("queue=queue-0");
        let is_even = run.key.variant.ends_with("load=load-2");
        let rtt = if is_base || is_even { 100.0 } else { 50.0 };
        let off = if is_base { 0.01 } else { 0.02 } * run.key.seed as f64;
        *run = RunSummary::new(run.key.clone(), vec![value(("bulk", "rtt", "ms", rtt + off))]);
    }
    let found = answer(&results);
    assert_eq!(
        found.sentences,
        [
            "test/made-up compares 2 values of queue (queue-0, queue-1) × 3 of load (load-0, load-1, load-2) over 2 seeds.",
            "The lowest RTT of bulk in 3 comparisons: queue-1 in 2 (-50.0 % against queue-0); no single winner beyond chance in 1.",
        ]
    );
}

#[test]
fn what_no_two_compared_variants_have_is_not_called_equal() {
    let folder = tempfile::tempdir().unwrap();
    let mut results = testing::of_two_axes(&folder.path().join("out"), 2, 2);
    results.warnings.clear();
    for run in &mut results.runs {
        // Each queue has a flow of its own, so a comparison of the queues compares nothing.
        let flow = if run.key.variant.starts_with("queue=queue-0") { "bulk" } else { "ping" };
        let rtt = 50.0 + run.key.seed as f64;
        *run = RunSummary::new(run.key.clone(), vec![value((flow, "rtt", "ms", rtt))]);
    }
    let found = answer(&results);
    assert_eq!(
        found.sentences[1],
        "No measure has values in two variants that are compared with each other; `baseline` names another comparison."
    );
    assert_eq!(found.best, Vec::<String>::new());
}

#[test]
fn a_single_variant_is_told_in_one_sentence() {
    let found = answer(&made(&["codel"], 3, rtt_and_goodput(&[50.0], &[18.0], 1.0)));
    assert_eq!(
        found.sentences,
        [
            "test/made-up ran with 3 seeds.",
            "The user got: RTT of bulk 50.0 ± 2.5 ms; the network: goodput of bulk 18.00 ± 0.02 Mbit/s."
        ]
    );
}

#[test]
fn flows_of_different_kinds_are_told_apart() {
    let values = |place: usize, seed: u64| {
        let off = seed as f64 / 10.0 * (1.0 + place as f64);
        let rtt = |of: [f64; 2]| of[place] + off;
        vec![
            ("prague.1", "rtt", "ms", rtt([40.0, 20.0])),
            ("prague.2", "rtt", "ms", rtt([42.0, 22.0])),
            ("cubic.1", "rtt", "ms", rtt([40.0, 60.0])),
            ("cubic.2", "rtt", "ms", rtt([42.0, 62.0])),
        ]
    };
    let mut results = made(&["tail-drop", "dualpi2"], 3, values);
    results.manifest.objects = ["prague.1", "prague.2", "cubic.1", "cubic.2"]
        .map(|flow| (flow.to_owned(), "flows".to_owned()))
        .into();
    let found = answer(&results);
    assert!(
        found.sentences[1].starts_with("dualpi2 has the lowest RTT of prague.*: 21.4 ms against 41.2 ms"),
        "{found:?}"
    );
    assert!(
        found.sentences[2].starts_with("tail-drop has the lowest RTT of cubic.*: 41.2 ms against 61.4 ms"),
        "{found:?}"
    );
}

#[test]
fn results_without_measurements_have_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let results = testing::failed(&folder.path().join("out"));
    assert_eq!(answer(&results).text(), "test/made-up, live, ran with 1 seed. No run measured anything.");
}

#[test]
fn stored_results_of_viewers_have_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let scene = streaming::Scene { loads: 1, ..Default::default() };
    let results = streaming::stored(&folder.path().join("out"), scene, &["newreno", "newcwv"], 2);
    let record = AnswerRecord::of(&results);
    assert_eq!((record.kind.as_str(), record.answer), ("answer", answer(&results).text()));
    assert!(record.best.iter().all(|name| ["newreno", "newcwv"].contains(&name.as_str())));
}
