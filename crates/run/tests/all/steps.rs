//! Runs in steps: the same bits as the plain run with the rule that would have decided so, and the same again.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use jettison_measure::{RunRecord, metrics};
use jettison_run::steps::{Action, Fleet, Order, Outcome, StepError, Steps, Task};
use jettison_scenario::build::Builder;
use serde_json::{Value, json};

use crate::support::{run, scenario};

/// Video and TCP through CoDel, with delays accounted for.
const MIXED: &str = r#"name = "mixed"
duration = "40 s"
warm_up = "1 s"
record = { accounts = true }

[nodes]
a = { kind = "host" }
r = { kind = "router" }
b = { kind = "host" }

[links.access]
between = ["a", "r"]
rate = "100 Mbit/s"
delay = "2 ms"
loss = "0.2 %"

[links.bottleneck]
between = ["r", "b"]
rate = "4 Mbit/s"
delay = "10 ms"
queue = { kind = "QUEUE" }
changes = [{ at = "10 s", rate = "800 kbit/s" }, { at = "20 s", rate = "3 Mbit/s" }]

[flows.video]
from = "a"
to = "b"
app = { kind = "dash", content = { duration = "30 s" }, player = { max_buffer = "12 s", PLAYER } }

[flows.bulk]
from = "a"
to = "b"
app = "bulk"
transport = { kind = "tcp", congestion = CONGESTION }
start = "3 s"
stop = "30 s"

[flows.echo]
from = "b"
to = "a"
app = { kind = "ping", interval = "100 ms" }
"#;

fn mixed(queue: &str, player: &str, congestion: &str) -> String {
    MIXED.replace("QUEUE", queue).replace("PLAYER", player).replace("CONGESTION", congestion)
}

fn video(player: &str) -> String {
    mixed("codel", player, "\"cubic\"")
}

fn try_steps(text: &str, task: &Value) -> Result<Arc<Steps>, StepError> {
    let task: Task = serde_json::from_value(task.clone()).expect("a task");
    let never = Arc::new(AtomicBool::new(false));
    Steps::new(Arc::new(scenario(text)), Builder::standard(), task, never)
}

#[track_caller]
fn steps(text: &str, task: &Value) -> Arc<Steps> {
    try_steps(text, task).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(text: &str, task: &Value) -> String {
    try_steps(text, task).err().map_or_else(|| panic!("{task} is right"), |error| error.to_string())
}

fn bytes(record: &RunRecord) -> Vec<u8> {
    record.to_bytes().expect("it is in memory")
}

fn abr() -> Value {
    json!({ "kind": "abr", "flow": "video", "history": 4 })
}

fn congestion(control: &str) -> Value {
    json!({
        "kind": "congestion", "flow": "bulk", "control": control, "interval": "50 ms", "factor": 2.0,
        "window": "60 kB", "rate": if control == "rate" { json!("2 Mbit/s") } else { Value::Null },
        "rates": ["100 kbit/s", "10 Mbit/s"], "windows": ["3 kB", "1 MB"], "delay_cost": "50 ms", "loss_cost": 1.0,
    })
}

fn aqm() -> Value {
    json!({
        "kind": "aqm", "queue": "bottleneck.forward", "parameters": [], "interval": "100 ms", "factor": 2.0,
        "range": 16.0, "delay_cost": "50 ms",
    })
}

#[test]
fn a_constant_choice_is_the_rule_fixed_to_the_bit() {
    for (player, choice) in [
        ("", 0),
        ("", 2),
        ("connections = \"per-segment\"", 1),
        ("connections = \"http2\"", 1),
        ("connections = \"http2\", parallel = true", 2),
        ("parallel = true, resume = \"4 s\"", 1),
    ] {
        let fixed = format!("abr = {{ kind = \"fixed\", representation = {choice} }}");
        // Audio has the rule of the player in both.
        let with = |rest: &str| if rest.is_empty() { fixed.clone() } else { format!("{fixed}, {rest}") };
        let plain = run(&video(&with(player)));
        let steered = steps(&video(&with(player)), &abr()).episode(0, 1).expect("it begins");
        let stepped = steered.finish(&[f64::from(choice)]).expect("it ends");
        assert!(bytes(&plain) == bytes(&stepped), "{player}, {choice}");
    }
}

#[test]
fn the_rewards_of_an_episode_are_its_linear_quality_of_experience() {
    let text = video("abr = \"throughput\"");
    let mut episode = steps(&text, &abr()).episode(0, 3).expect("it begins");
    let (mut sum, mut count, mut last) = (0.0, 0, Outcome::default());
    while !(last.terminated || last.truncated) {
        last = episode.step(&[f64::from(count % 3)]).expect("a step");
        sum += last.reward;
        count += 1;
    }
    assert!(last.terminated && !last.truncated);
    assert_eq!(count, 8, "30 s in segments of 4 s");
    let over = episode.step(&[0.0]).expect_err("it is over");
    assert_eq!(over.to_string(), "the episode is over; call reset()");
    let record = episode.finish(&[0.0]).expect("the record");
    let score = record.summary_value("video", metrics::LINEAR_QOE).expect("a session").mean;
    assert!(
        (1e3 * sum / f64::from(count) - score).abs() < 1e-6,
        "{sum} over {count} segments, {score} kbit/s"
    );
}

#[test]
fn a_constant_window_and_a_constant_rate_are_the_controller_constant_to_the_bit() {
    for (control, parameters) in [
        ("window", "{ kind = \"constant\", window = \"60 kB\" }"),
        ("rate", "{ kind = \"constant\", window = \"60 kB\", rate = \"2 Mbit/s\" }"),
    ] {
        let text = mixed("codel", "abr = \"bola\"", parameters);
        let plain = run(&text);
        let episode = steps(&text, &congestion(control)).episode(0, 1).expect("it begins");
        assert!(bytes(&plain) == bytes(&episode.finish(&[0.0]).expect("it ends")), "{control}");
    }
}

#[test]
fn constant_parameters_of_a_queue_are_the_plain_run_to_the_bit() {
    for queue in ["codel", "fq-codel", "pie", "fq-pie", "pi2", "dualpi2", "red"] {
        let text = mixed(queue, "abr = \"bola\"", "\"cubic\"");
        let steps = steps(&text, &aqm());
        let action = vec![0.0; steps.spaces().action.count()];
        let stepped = steps.episode(0, 1).expect("it begins").finish(&action).expect("it ends");
        assert!(bytes(&run(&text)) == bytes(&stepped), "{queue}");
    }
}

/// Rewards of an episode under actions that change all the time.
fn rewards(steps: &Steps, seed: u64, most: usize) -> Vec<u64> {
    let mut episode = steps.episode(0, seed).expect("it begins");
    let mut rewards = Vec::new();
    for step in 0..most {
        let action: Vec<f64> = match &steps.spaces().action {
            Action::Choice(count) => vec![(step * 7 % count) as f64],
            Action::Levels(names) => {
                (0..names.len()).map(|place| [1.0, -0.5, 0.25][(step + place) % 3]).collect()
            }
        };
        let outcome = episode.step(&action).expect("a step");
        rewards.push(outcome.reward.to_bits());
        if outcome.terminated || outcome.truncated {
            break;
        }
    }
    rewards
}

#[test]
fn the_same_seed_and_actions_give_the_same_rewards_and_other_seeds_others() {
    let constant = "{ kind = \"constant\", window = \"60 kB\", rate = \"2 Mbit/s\" }";
    for (text, task) in [
        (video("abr = \"bola\""), abr()),
        (mixed("codel", "abr = \"bola\"", constant), congestion("rate")),
        (mixed("codel", "abr = \"bola\"", "\"cubic\""), aqm()),
    ] {
        let steps = steps(&text, &task);
        let first = rewards(&steps, 1, 60);
        assert_eq!(first, rewards(&steps, 1, 60));
        assert_ne!(first, rewards(&steps, 2, 60));
    }
}

#[test]
fn actions_have_effect() {
    let text = mixed("codel", "abr = \"bola\"", "\"cubic\"");
    let sojourn = |action: f64| {
        let steps = steps(&text, &aqm());
        let mut episode = steps.episode(0, 1).expect("it begins");
        for _ in 0..80 {
            episode.step(&[action, action]).expect("a step");
        }
        let place =
            steps.spaces().measures.iter().position(|axis| axis.name == "target").expect("it has one");
        (episode.view().measures[place], episode.finish(&[action; 2]).expect("it ends"))
    };
    let ((low, short), (high, long)) = (sojourn(-1.0), sojourn(1.0));
    assert_eq!((low, high), (5.0 / 16.0, 80.0));
    let mean = |record: &RunRecord| {
        record.summary_value("bottleneck.forward", metrics::SOJOURN).expect("packets").mean
    };
    assert!(mean(&short) < mean(&long), "{} and {} ms", mean(&short), mean(&long));
}

#[test]
fn a_fleet_on_threads_steps_as_each_alone() {
    let text = mixed("codel", "abr = \"bola\"", "\"cubic\"");
    let steps = steps(&text, &aqm());
    let fleet = Fleet::new(&steps, 5, 3);
    assert!(fleet.slot(0).view().is_none());
    (0..5).for_each(|place| fleet.slot(place).set(Order::Reset(0, 1 + place as u64 % 2), &[]));
    fleet.round();
    for _ in 0..20 {
        (0..5).for_each(|place| fleet.slot(place).set(Order::Step, &[0.5, -0.5]));
        fleet.round();
        for place in 0..5 {
            fleet.slot(place).outcome().expect("a step");
        }
    }
    for place in 0..5 {
        let mut alone = steps.episode(0, 1 + place as u64 % 2).expect("it begins");
        for _ in 0..20 {
            alone.step(&[0.5, -0.5]).expect("a step");
        }
        let slot = fleet.slot(place);
        assert_eq!(slot.view(), Some(alone.view()), "{place}");
    }
}

#[test]
fn what_does_not_fit_is_refused_in_words() {
    let text = video("abr = \"bola\"");
    let with = |task: Value, key: &str, value: Value| {
        let mut task = task;
        task[key] = value;
        refusal(&text, &task)
    };
    assert_eq!(with(abr(), "flow", json!("vidio")), "unknown flow `vidio`; did you mean `video`?");
    assert_eq!(
        with(abr(), "flow", json!("bulk")),
        "the application of flow `bulk` has no decision that could be made from outside; use `dash`"
    );
    assert!(with(aqm(), "queue", json!("bottleneck.forwards")).contains("did you mean `bottleneck.forward`"));
    assert!(
        with(aqm(), "queue", json!("access.forward")).starts_with("no queue discipline of `access.forward`")
    );
    assert_eq!(
        with(aqm(), "parameters", json!(["limit"])),
        "the queue discipline of `bottleneck.forward` has no parameter `limit` that can be changed in a run; known are target, \
         interval"
    );
    assert!(with(aqm(), "interval", json!("0 s")).starts_with("`interval` must be > 0"));
    assert!(with(congestion("window"), "factor", json!(1.0)).starts_with("`factor` must be in (1, 100]"));
    assert!(
        with(congestion("window"), "flow", json!("bulk")).starts_with("flow `bulk` has no TCP connection")
    );
    let steps = steps(&text, &abr());
    let mut episode = steps.episode(0, 1).expect("it begins");
    for action in [vec![3.0], vec![0.5], vec![-1.0], vec![f64::NAN], vec![], vec![0.0, 0.0]] {
        let error = episode.step(&action).expect_err("no representation").to_string();
        assert!(error.starts_with("an action must be an integer in 0..2, got"), "{error}");
    }
    assert!(steps.episode(1, 1).is_err(), "there is one variant");
}
