//! Parameters that can be changed in a run.

use jettison_core::{Duration, Time};
use jettison_measure::Tally;
use serde_json::json;

use crate::testing::{built, packet};
use crate::{QueueChange, QueueDiscipline, QueueSetting, disciplines};

const MS: fn(u64) -> Duration = Duration::from_millis;

fn set(queue: &mut dyn QueueDiscipline, setting: QueueSetting) -> bool {
    queue.reconfigure(&QueueChange { class: None, setting })
}

#[test]
fn what_a_discipline_says_can_be_set_and_has_its_new_value_then() {
    let mut found = Vec::new();
    for entry in disciplines().iter() {
        let mut table = entry.example.map_or_else(|| json!({}), |example| example());
        table["kind"] = entry.id.into();
        let mut queue = built(table);
        for setting in queue.settings() {
            found.push(format!("{} {}", entry.id, setting.key()));
            let (new, bad) = match setting {
                QueueSetting::Target(_) => (QueueSetting::Target(MS(7)), QueueSetting::Target(MS(0))),
                QueueSetting::Interval(_) => (QueueSetting::Interval(MS(70)), QueueSetting::Interval(MS(0))),
                _ => (QueueSetting::MaxProbability(0.3), QueueSetting::MaxProbability(1.5)),
            };
            assert!(set(queue.as_mut(), new), "{}", entry.id);
            assert!(queue.settings().contains(&new), "{}", entry.id);
            assert!(!set(queue.as_mut(), bad), "{}", entry.id);
            assert!(queue.settings().contains(&new), "{}", entry.id);
            assert!(!queue.reconfigure(&QueueChange { class: Some(1), setting: new }), "{}", entry.id);
        }
    }
    let expected = [
        "red max_p",
        "codel target",
        "codel interval",
        "pi2 target",
        "fq-codel target",
        "fq-codel interval",
        "pie target",
        "fq-pie target",
        "dualpi2 target",
    ];
    assert!(expected.iter().all(|one| found.iter().any(|other| other == one)), "{found:?}");
}

#[test]
fn adaptive_red_sets_its_probability_itself() {
    let mut queue = built(json!({ "kind": "red", "adaptive": true }));
    assert_eq!(queue.settings(), []);
    assert!(!set(queue.as_mut(), QueueSetting::MaxProbability(0.3)));
}

#[test]
fn a_shaper_has_the_parameters_of_the_discipline_in_it() {
    let mut queue = built(json!({ "kind": "tbf", "rate": "1 Mbit/s", "queue": "codel" }));
    assert_eq!(queue.settings(), [QueueSetting::Target(MS(5)), QueueSetting::Interval(MS(100))]);
    assert!(set(queue.as_mut(), QueueSetting::Target(MS(9))));
    assert_eq!(queue.settings()[0], QueueSetting::Target(MS(9)));
}

/// Time of the first drop of a queue into which 1,500 bytes come each millisecond, and half as many leave.
fn first_drop(change: Option<(u64, QueueSetting)>) -> Time {
    let (mut queue, mut tally) = (built(json!("codel")), Tally::default());
    for id in 0..2000 {
        let now = Time::from_millis(u64::from(id));
        if let Some((at, setting)) = change.filter(|(at, _)| *at == u64::from(id)) {
            assert!(set(queue.as_mut(), setting), "at {at} ms");
        }
        queue.enqueue(packet(id, 1500), now, &mut tally);
        if id % 2 == 1 {
            queue.dequeue(now, &mut tally);
        }
    }
    tally.drops[0].2
}

#[test]
fn a_change_counts_from_then_on() {
    // A sojourn time of 5 ms is reached at 9 ms, and CoDel waits for an interval; 50 ms is reached at 99 ms.
    assert_eq!(first_drop(None), Time::from_millis(109));
    assert_eq!(first_drop(Some((20, QueueSetting::Target(MS(50))))), Time::from_millis(199));
}
