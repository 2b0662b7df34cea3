//! Tests of loss.

use jettison_core::Seed;
use serde_json::json;

use super::*;

fn loss(parameters: serde_json::Value) -> Loss {
    let parameters: LossParameters = serde_json::from_value(parameters).unwrap();
    Loss::new(&parameters, &|name| Seed(1).stream(&["links", "l", "loss", name])).unwrap()
}

fn refusal(parameters: serde_json::Value) -> ParameterError {
    serde_json::from_value::<LossParameters>(parameters).unwrap().validate().unwrap_err()
}

/// Packet numbers lost among `count` packets a millisecond apart.
fn lost(loss: &mut Loss, count: u64) -> Vec<(u64, DropReason)> {
    (1..=count).filter_map(|n| loss.lost(Time::from_millis(n)).map(|reason| (n, reason))).collect()
}

#[test]
fn nothing_is_lost_by_default() {
    assert!(LossParameters::default().is_none());
    assert!(lost(&mut loss(json!({})), 10_000).is_empty());
}

#[test]
fn independent_loss_takes_its_share_evenly() {
    let taken = lost(&mut loss(json!({ "probability": "2 %" })), 100_000);
    assert!((1_850..2_150).contains(&taken.len()), "{}", taken.len());
    assert!(taken.iter().all(|(_, reason)| *reason == DropReason::LinkLoss));
    // Independence: a loss follows a loss as often as any packet (40 expected).
    let runs = taken.windows(2).filter(|pair| pair[1].0 == pair[0].0 + 1).count();
    assert!((15..70).contains(&runs), "{runs}");
}

#[test]
fn gilbert_elliott_loses_its_stationary_share_in_bursts() {
    let taken = lost(&mut loss(json!({ "gilbert_elliott": { "p": 0.01, "r": 0.25 } })), 200_000);
    let share = taken.len() as f64 / 200_000.0;
    assert!((share - 0.01 / 0.26).abs() < 0.003, "{share}");
    let bursts = 1 + taken.windows(2).filter(|pair| pair[1].0 != pair[0].0 + 1).count();
    let mean_burst = taken.len() as f64 / bursts as f64;
    assert!((mean_burst - 4.0).abs() < 0.2, "{mean_burst}");
}

#[test]
fn correlated_loss_keeps_its_share() {
    for (probability, correlation) in [(0.01, 0.25), (0.1, 0.5)] {
        let parameters = json!({ "probability": probability, "correlation": correlation });
        let taken = lost(&mut loss(parameters), 200_000);
        let share = taken.len() as f64 / 200_000.0;
        assert!((share - probability).abs() < 0.1 * probability, "{share}");
        let pairs = taken.windows(2).filter(|pair| pair[1].0 == pair[0].0 + 1).count();
        let again = pairs as f64 / taken.len() as f64;
        let expected = probability + correlation * (1.0 - probability);
        assert!((again - expected).abs() < 0.04, "{again} for {expected}");
    }
}

#[test]
fn the_four_state_chain_loses_what_its_equations_and_netem_do() {
    let chain = json!({ "p13": "1 %", "p31": "20 %", "p32": "10 %", "p23": "50 %", "p14": "0.5 %" });
    let taken = lost(&mut loss(json!({ "four_state": chain })), 300_000);
    let share = taken.len() as f64 / 300_000.0;
    let first = 1.0 / (1.0 + 0.005 + 0.01 / 0.2 * (1.0 + 0.1 / 0.5));
    let expected = first * (0.005 + 0.01 / 0.2);
    assert!((share - expected).abs() < 0.002, "{share} for {expected}");
    // Linux 6.1 lost 5.25 % of 60,000 packets in runs of 2.81.
    let runs = 1 + taken.windows(2).filter(|pair| pair[1].0 != pair[0].0 + 1).count();
    let run = taken.len() as f64 / runs as f64;
    assert!((share - 0.0525).abs() < 0.004 && (run - 2.81).abs() < 0.15, "{share} {run}");
}

#[test]
fn the_chains_first_probability_alone_is_independent_loss() {
    let taken = lost(&mut loss(json!({ "four_state": { "p13": "10 %" } })), 100_000);
    assert!((9_700..10_300).contains(&taken.len()), "{}", taken.len());
    let pairs = taken.windows(2).filter(|pair| pair[1].0 == pair[0].0 + 1).count();
    assert!((900..1_100).contains(&pairs), "{pairs}");
}

#[test]
fn impossible_chains_are_refused() {
    let chain = |chain| refusal(json!({ "four_state": chain }));
    assert_eq!(chain(json!({ "p13": 0.7, "p14": 0.4 })).path, ["four_state", "p14"]);
    assert_eq!(chain(json!({ "p13": 0.1, "p31": 0.7, "p32": 0.4 })).path, ["four_state", "p32"]);
    assert_eq!(chain(json!({ "p13": 0.1, "p31": 0 })).path, ["four_state", "p31"]);
    assert_eq!(chain(json!({ "p13": 0.1, "p31": 0.1, "p32": 0.1, "p23": 0 })).path, ["four_state", "p23"]);
    let both = refusal(json!({ "probability": 0.1, "four_state": { "p13": 0.1 } }));
    assert_eq!(both.path, ["four_state"]);
    assert_eq!(refusal(json!({ "correlation": 0.1 })).path, ["correlation"]);
}

#[test]
fn windows_lose_from_their_first_instant_to_before_their_last() {
    let mut loss =
        loss(json!({ "windows": [{ "from": "10 ms", "to": "13 ms" }, { "from": "20 ms", "to": "21 ms" }] }));
    let taken = lost(&mut loss, 100);
    let numbers: Vec<u64> = taken.iter().map(|(n, _)| *n).collect();
    assert_eq!(numbers, [10, 11, 12, 20]);
    assert!(taken.iter().all(|(_, reason)| *reason == DropReason::ScheduledLoss));
}

#[test]
fn a_window_may_lose_a_share() {
    let mut loss = loss(json!({ "windows": [{ "from": "0 s", "to": "50 s", "probability": 0.1 }] }));
    let taken = lost(&mut loss, 100_000);
    assert!((4_700..5_300).contains(&taken.len()), "{}", taken.len());
    assert!(taken.iter().all(|(n, _)| *n < 50_000));
}

#[test]
fn the_share_changes_at_its_time() {
    let mut loss = loss(json!({ "changes": [
        { "at": "1 s", "probability": 1 }, { "at": "1.005 s", "probability": 0 }] }));
    let numbers: Vec<u64> = lost(&mut loss, 3_000).into_iter().map(|(n, _)| n).collect();
    assert_eq!(numbers, [1000, 1001, 1002, 1003, 1004]);
}

#[test]
fn scheduled_packets_are_lost_by_number_in_any_order_of_writing() {
    let listed =
        json!([{ "packet": 7, "count": 3 }, { "packet": 3 }, { "packet": 8, "count": 4 }, { "packet": 900 }]);
    let taken = lost(&mut loss(json!({ "scheduled": listed })), 50);
    assert_eq!(taken.iter().map(|(n, _)| *n).collect::<Vec<_>>(), [3, 7, 8, 9, 10, 11]);
    assert!(taken.iter().all(|(_, reason)| *reason == DropReason::ScheduledLoss));
}

#[test]
fn scheduled_packets_are_lost_from_a_time_on() {
    let listed = json!([{ "at": "20 ms", "count": 2 }, { "at": "9.5 ms" }, { "at": "20.5 ms", "count": 3 }]);
    let taken = lost(&mut loss(json!({ "scheduled": listed })), 50);
    assert_eq!(taken.iter().map(|(n, _)| *n).collect::<Vec<_>>(), [10, 20, 21, 22, 23]);
    let all = json!([{ "at": "0 s", "count": u64::MAX }]);
    assert_eq!(lost(&mut loss(json!({ "scheduled": all })), 50).len(), 50);
}

#[test]
fn scheduled_loss_moves_no_random_one() {
    let random = |taken: Vec<(u64, DropReason)>| -> Vec<u64> {
        taken.into_iter().filter(|(_, r)| *r == DropReason::LinkLoss).map(|(n, _)| n).collect()
    };
    let alone = random(lost(&mut loss(json!({ "probability": 0.05 })), 2_000));
    let mut both = loss(json!({
        "probability": 0.05,
        "scheduled": [{ "packet": 5, "count": 2 }],
        "windows": [{ "from": "100 ms", "to": "200 ms", "probability": 0.5 }],
    }));
    let beside = random(lost(&mut both, 2_000));
    let after = |numbers: &[u64]| numbers.iter().copied().filter(|n| *n >= 200).collect::<Vec<_>>();
    assert!(!after(&alone).is_empty());
    assert_eq!(after(&alone), after(&beside));
}

#[test]
fn contradictions_are_refused_with_the_path_of_the_key() {
    let both = refusal(json!({ "probability": 0.1, "gilbert_elliott": { "p": 0.1, "r": 0.1 } }));
    assert!(both.message().contains("either independent"), "{both}");
    let reversed = refusal(json!({ "windows": [{ "from": "5 s", "to": "4 s" }] }));
    assert_eq!(reversed.path, ["windows", "0", "to"]);
    let overlap =
        refusal(json!({ "windows": [{ "from": "1 s", "to": "4 s" }, { "from": "3 s", "to": "5 s" }] }));
    assert_eq!(overlap.path, ["windows", "1", "from"]);
    let changes = json!([{ "at": "2 s", "probability": 0.1 }, { "at": "2 s", "probability": 0.2 }]);
    assert_eq!(refusal(json!({ "changes": changes })).path, ["changes", "1", "at"]);
    let scheduled = |loss| refusal(json!({ "scheduled": [loss] })).path;
    assert_eq!(scheduled(json!({ "packet": 0 })), ["scheduled", "0", "packet"]);
    assert_eq!(scheduled(json!({})), ["scheduled", "0", "at"]);
    assert_eq!(scheduled(json!({ "at": "1 s", "packet": 1 })), ["scheduled", "0", "at"]);
    assert_eq!(scheduled(json!({ "packet": 1, "count": 0 })), ["scheduled", "0", "count"]);
    assert!(serde_json::from_value::<LossParameters>(json!({ "probability": 1.5 })).is_err());
    assert!(serde_json::from_value::<LossParameters>(json!({ "chance": 0.5 })).is_err());
}
