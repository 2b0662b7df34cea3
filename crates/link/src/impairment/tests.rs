//! Tests of impairments.

use jettison_core::Seed;
use serde_json::{Value, json};

use super::*;

const DELAY: Duration = Duration::from_millis(10);

fn parameters(value: &Value) -> ImpairmentParameters {
    fn read<T: serde::de::DeserializeOwned>(value: &Value, key: &str) -> Option<T> {
        value.get(key).map(|value| serde_json::from_value(value.clone()).unwrap())
    }
    ImpairmentParameters {
        jitter: read::<JitterChoice>(value, "jitter").map(|choice| choice.parameters()),
        reorder: read(value, "reorder").map(ReorderChoice::parameters),
        duplicate: read(value, "duplicate").map(OccurrenceChoice::parameters),
        corrupt: read(value, "corrupt").map(OccurrenceChoice::parameters),
    }
}

/// Arrivals of packets that leave a millisecond apart.
fn pass(value: &Value, count: u64) -> Vec<(Arrival, Option<Arrival>)> {
    let random = |name: &str| Seed(1).stream(&["links", "l", name]);
    let mut impairments = Impairments::new(&parameters(value), DELAY, &random).unwrap();
    let mut propagation = Propagation::new(DELAY);
    (0..count).map(|n| impairments.pass(Time::from_millis(n), &mut propagation)).collect()
}

fn owns(value: &Value, count: u64) -> Vec<Time> {
    pass(value, count).into_iter().map(|(own, _)| own.at).collect()
}

fn refusal(value: &Value) -> ParameterError {
    parameters(value).validate(DELAY).unwrap_err()
}

/// Packets overtaken by a later one, as a share.
fn overtaken(arrivals: &[Time]) -> f64 {
    let mut order: Vec<usize> = (0..arrivals.len()).collect();
    order.sort_by_key(|n| (arrivals[*n], *n));
    let mut next = 0;
    let mut late = 0;
    for number in order {
        if number < next { late += 1 } else { next = number + 1 }
    }
    f64::from(late) / arrivals.len() as f64
}

#[test]
fn jitter_keeps_the_order_unless_told_otherwise() {
    let ordered = owns(&json!({ "jitter": "5 ms" }), 10_000);
    assert!(ordered.is_sorted());
    assert!(ordered.iter().enumerate().all(|(n, at)| *at >= Time::from_millis(n as u64)));
    let free = owns(&json!({ "jitter": { "deviation": "5 ms", "reorder": true } }), 10_000);
    assert!(overtaken(&free) > 0.5, "{}", overtaken(&free));
}

#[test]
fn reordering_by_jitter_is_as_frequent_as_netems() {
    // Measured in Linux 6.1: packets a millisecond apart, 50 ms with 10 ms of jitter.
    for (distribution, measured) in
        [("uniform", 0.7115), ("normal", 0.8314), ("pareto", 0.5437), ("paretonormal", 0.6673)]
    {
        let jitter = json!({ "deviation": "10 ms", "distribution": distribution, "reorder": true });
        let random = |name: &str| Seed(1).stream(&["links", "l", name]);
        let delay = Duration::from_millis(50);
        let mut impairments =
            Impairments::new(&parameters(&json!({ "jitter": jitter })), delay, &random).unwrap();
        let mut propagation = Propagation::new(delay);
        let arrivals: Vec<Time> =
            (0..20_000).map(|n| impairments.pass(Time::from_millis(n), &mut propagation).0.at).collect();
        let share = overtaken(&arrivals);
        assert!((share - measured).abs() < 0.02, "{distribution}: {share} for {measured}");
    }
}

#[test]
fn a_gap_makes_a_regular_pattern() {
    let arrivals = owns(&json!({ "reorder": { "probability": 1, "gap": 5 } }), 20);
    for (n, at) in arrivals.iter().enumerate() {
        let delay = if n % 5 == 4 { 0 } else { 10 };
        assert_eq!(*at, Time::from_millis(n as u64 + delay), "packet {n}");
    }
    // Measured in Linux 6.1 with 25 %: 12.6 % are sent at once, and 25.3 % without a gap.
    for (gap, measured) in [(5, 0.126), (1, 0.253)] {
        let arrivals = owns(&json!({ "reorder": { "probability": 0.25, "gap": gap } }), 40_000);
        let at_once = arrivals.iter().enumerate().filter(|(n, at)| **at == Time::from_millis(*n as u64));
        let share = at_once.count() as f64 / 40_000.0;
        assert!((share - measured).abs() < 0.01, "gap {gap}: {share}");
    }
}

#[test]
fn one_that_overtakes_may_have_a_delay_of_its_own() {
    let arrivals = owns(&json!({ "reorder": { "probability": 1, "gap": 2, "delay": "4 ms" } }), 4);
    assert_eq!(arrivals, [10, 5, 12, 7].map(Time::from_millis));
}

#[test]
fn copies_and_wrong_bits_come_in_their_shares() {
    let passed = pass(&json!({ "duplicate": "5 %", "corrupt": "2 %" }), 50_000);
    let copies = passed.iter().filter(|(_, copy)| copy.is_some()).count();
    let corrupted = passed.iter().filter(|(own, _)| own.wrong_bit.is_some()).count();
    assert!((2_400..2_600).contains(&copies), "{copies}");
    assert!((900..1_100).contains(&corrupted), "{corrupted}");
    assert!(
        passed.iter().filter_map(|(own, copy)| Some((own, (*copy)?))).all(|(own, copy)| own.at <= copy.at)
    );
}

#[test]
fn a_correlation_makes_runs_and_keeps_the_share() {
    let passed = pass(&json!({ "corrupt": { "probability": 0.1, "correlation": 0.5 } }), 100_000);
    let wrong: Vec<bool> = passed.iter().map(|(own, _)| own.wrong_bit.is_some()).collect();
    let count = wrong.iter().filter(|wrong| **wrong).count();
    let pairs = wrong.windows(2).filter(|pair| pair[0] && pair[1]).count();
    assert!((9_500..10_500).contains(&count), "{count}");
    // p + c (1 - p)
    let again = pairs as f64 / count as f64;
    assert!((again - 0.55).abs() < 0.02, "{again}");
}

#[test]
fn one_impairment_moves_no_draw_of_another() {
    let jitter = json!({ "deviation": "3 ms", "reorder": true });
    let alone = owns(&json!({ "jitter": jitter }), 1_000);
    let beside = owns(&json!({ "jitter": jitter, "corrupt": 0.3, "duplicate": 0.4 }), 1_000);
    assert_eq!(alone, beside);
    let corrupt: Vec<_> =
        pass(&json!({ "corrupt": 0.3 }), 1_000).iter().map(|(own, _)| own.wrong_bit).collect();
    let both: Vec<_> =
        pass(&json!({ "corrupt": 0.3, "jitter": jitter, "reorder": 0.1, "duplicate": 0.5 }), 1_000)
            .iter()
            .map(|(own, _)| own.wrong_bit)
            .collect();
    assert_eq!(corrupt, both);
}

#[test]
fn bad_values_are_refused_with_the_path_of_the_key() {
    let correlation = refusal(&json!({ "corrupt": { "correlation": 0.2 } }));
    assert_eq!(correlation.path, ["corrupt", "correlation"]);
    assert!(correlation.to_string().contains("requires a `probability` > 0"), "{correlation}");
    let one = refusal(&json!({ "duplicate": { "probability": 0.1, "correlation": 1 } }));
    assert_eq!(one.path, ["duplicate", "correlation"]);
    assert_eq!(refusal(&json!({ "reorder": { "probability": 0.1, "gap": 0 } })).path, ["reorder", "gap"]);
    let delay = refusal(&json!({ "reorder": { "probability": 0.1, "delay": "10 ms" } }));
    assert_eq!(delay.path, ["reorder", "delay"]);
    assert!(delay.to_string().contains("must be < the link's delay of 10 ms, got 10 ms"), "{delay}");
    assert_eq!(refusal(&json!({ "jitter": "11 ms" })).path, ["jitter", "deviation"]);
    let reorder = serde_json::from_value::<ReorderChoice>(json!({ "chance": 0.5 }));
    assert!(reorder.is_err());
}
