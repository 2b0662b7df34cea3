//! The same scenario and seed give the same results: repeated, on any number of threads, with other flows added.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use jettison_core::Time;
use jettison_measure::{RunRecord, metrics};
use jettison_run::{Program, RunOptions, StorePlace, run_scenario};
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, NoFiles, Scenario};

/// All sources of randomness: starts, on/off periods, web transfers, losses, RED, PI2 and iRED.
const LOTTERY: &str = r#"name = "lottery"
duration = "3 s"
warm_up = "500 ms"
seeds = 2

[nodes]
a = { kind = "host" }
r = { kind = "router" }
b = { kind = "host" }

[links.access]
between = ["a", "r"]
rate = "100 Mbit/s"
delay = "1 ms"
loss = "0.1 %"

[links.bottleneck]
between = ["r", "b"]
rate = "10 Mbit/s"
delay = "5 ms"
queue = "red"
reverse = { queue = "red" }

[flows.bulk]
from = "a"
to = "b"
app = "bulk"
count = 2
start_jitter = "100 ms"

[flows.bursts]
from = "a"
to = "b"
app = "on-off"
start_jitter = "100 ms"

[flows.pages]
from = "b"
to = "a"
app = "web"

[flows.echo]
from = "a"
to = "b"
app = { kind = "ping", interval = "100 ms" }
start_jitter = "100 ms"

[[vary]]
path = "links.bottleneck.queue"
values = ["red", "pi2", "ired"]
"#;

fn load(text: &str) -> (Builder, Scenario) {
    let builder = Builder::standard();
    let scenario =
        Scenario::parse(text, "lottery.toml", &NoFiles, &Changes::default(), &builder.registries());
    (builder, scenario.unwrap_or_else(|error| panic!("{error}")))
}

/// All files of a folder except `timing.json`, by relative path.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(below) = open.pop() {
        for entry in std::fs::read_dir(below).expect("the folder is there") {
            let path = entry.expect("the folder can be read").path();
            let name = path.strip_prefix(folder).expect("it is below the folder").display().to_string();
            if path.is_dir() {
                open.push(path);
            } else if name != "timing.json" {
                found.insert(name, std::fs::read(&path).expect("the file can be read"));
            }
        }
    }
    found
}

fn results(jobs: usize) -> BTreeMap<String, Vec<u8>> {
    let (builder, scenario) = load(LOTTERY);
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let options = RunOptions {
        out: &folder.path().join("results"),
        force: false,
        jobs,
        pcap: true,
        figures: Vec::new(),
        program: &Program { commit: Some("0123456789ab".to_owned()), identity: "test".to_owned() },
        store: StorePlace::Beside,
        sources: &BTreeMap::new(),
        precision: None,
        notice: &|notice| panic!("{notice}"),
        cancel: &AtomicBool::new(false),
        progress: &|_| {},
        compare: &|_| Vec::new(),
    };
    let results = run_scenario(&scenario, &builder, &options).unwrap_or_else(|error| panic!("{error}"));
    files(&results.folder)
}

#[test]
fn files_are_equal_when_repeated_on_any_number_of_threads() {
    let first = results(1);
    // Seven tables and lists, the manifest, the page, and the captures of four ports in six runs.
    assert_eq!(first.keys().filter(|name| name.starts_with("pcap")).count(), 24);
    assert!(first.contains_key("manifest.json") && first.contains_key("report.html"));
    for (jobs, other) in [(1, results(1)), (4, results(4))] {
        assert_eq!(first.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
        for (name, bytes) in &first {
            assert!(*bytes == other[name], "{name} differs with {jobs} jobs");
        }
    }
}

/// Runs one variant of a scenario with one seed.
fn run(text: &str, variant: usize, seed: u64) -> RunRecord {
    let (builder, scenario) = load(text);
    let settings = &scenario.variants[variant].settings;
    let mut world = builder
        .build(settings, &scenario.contents, seed, &BuildOptions::default())
        .unwrap_or_else(|error| panic!("{error}"));
    world.run(Time::ZERO + settings.duration, &AtomicBool::new(false));
    world.finish()
}

/// Time of the first ping reply: on an idle path, the start plus a constant.
fn first_reply(record: &RunRecord, flow: &str) -> Time {
    let id = record.objects.iter().find(|object| object.name == flow).expect("the flow is there").id;
    let series = record.series.iter().find(|series| series.object == id && series.metric == metrics::RTT);
    series
        .and_then(|series| series.times().expect("the file is there").first().copied())
        .expect("a reply came")
}

/// Two pings that start at random times, with placeholders for more flows.
const PINGS: &str = r#"name = "pings"
duration = "2 s"

[nodes]
a = { kind = "host" }
b = { kind = "host" }

[links.wire]
between = ["a", "b"]
rate = "1 Gbit/s"
delay = "5 ms"

[flows.one]
from = "a"
to = "b"
app = { kind = "ping", interval = "100 ms" }
start_jitter = "500 ms"

[flows.two]
from = "a"
to = "b"
app = { kind = "ping", interval = "100 ms" }
start_jitter = "500 ms"
"#;

/// Flows that also use random numbers, before and after the others in the file.
const MORE: &str = r#"
[flows.late]
from = "a"
to = "b"
app = "on-off"
start = "1 s"
start_jitter = "500 ms"
"#;

fn starts(text: &str, variant: usize, seed: u64) -> [Time; 2] {
    let record = run(text, variant, seed);
    ["one", "two"].map(|flow| first_reply(&record, flow))
}

#[test]
fn adding_a_flow_changes_no_other_flows_draws() {
    let after = format!("{PINGS}{MORE}");
    let before = PINGS.replacen("\n[flows.one]", &format!("{MORE}\n[flows.one]"), 1);
    assert!(before.find("flows.late") < before.find("flows.one"));
    for seed in 1..=5 {
        let alone = starts(PINGS, 0, seed);
        assert_eq!(starts(&after, 0, seed), alone, "seed {seed}");
        assert_eq!(starts(&before, 0, seed), alone, "seed {seed}");
    }
}

#[test]
fn the_arms_of_a_comparison_share_their_draws_and_seeds_do_not() {
    let arms = format!(
        "{PINGS}\n[[vary]]\npath = \"links.wire.queue\"\nvalues = [\"tail-drop\", \"pi2\", \"codel\"]\n"
    );
    let first = starts(&arms, 0, 1);
    assert_eq!(starts(&arms, 1, 1), first);
    assert_eq!(starts(&arms, 2, 1), first);
    assert_ne!(first[0], first[1], "two flows draw alike");
    assert_ne!(starts(&arms, 0, 2), first, "two seeds draw alike");
}
