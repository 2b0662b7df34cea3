//! Gauges: chosen by name or all, sampled with the series, without effect on other results.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use jettison_core::Time;
use jettison_measure::{Kind, RunRecord, Series, SummaryValue};
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, NoFiles, Scenario};

const SCENARIO: &str = r#"name = "gauges"
duration = "5 s"
warm_up = "1 s"
[nodes]
a = { kind = "host" }
r = { kind = "router" }
b = { kind = "host" }
[links.access]
between = ["a", "r"]
rate = "100 Mbit/s"
[links.bottleneck]
between = ["r", "b"]
rate = "5 Mbit/s"
delay = "10 ms"
queue = "codel"
[flows.bulk]
from = "a"
to = "b"
app = "bulk"
transport = { kind = "tcp", congestion = "cubic" }
[flows.video]
from = "a"
to = "b"
app = "bulk"
transport = { kind = "octopus", congestion = "gcc" }
"#;

fn load(text: &str, set: &[&str]) -> Result<Scenario, String> {
    let changes = Changes { set: set.iter().map(|s| (*s).to_owned()).collect(), quick: false };
    let registries = Builder::standard().registries();
    Scenario::parse(text, "s.toml", &NoFiles, &changes, &registries).map_err(|error| error.to_string())
}

fn run(text: &str, set: &[&str]) -> RunRecord {
    let scenario = load(text, set).unwrap_or_else(|message| panic!("{message}"));
    let settings = &scenario.variants[0].settings;
    let built = Builder::standard().build(settings, &scenario.contents, 1, &BuildOptions::default());
    let mut world = built.unwrap_or_else(|failure| panic!("{failure}"));
    world.run(Time::ZERO + settings.duration, &AtomicBool::new(false));
    world.finish()
}

fn series<'a>(record: &'a RunRecord, object: &str, metric: &str, part: &str) -> &'a Series {
    let found = record.series.iter().find(|series| {
        record.name(series.object) == object && series.metric.name == metric && series.part == part
    });
    found.unwrap_or_else(|| panic!("no {metric} ({part}) of {object}"))
}

/// The record without its gauges.
fn without(record: &RunRecord) -> (Vec<Series>, Vec<SummaryValue>) {
    let names: BTreeSet<&str> = record.gauges.iter().map(|gauge| gauge.name).collect();
    let series = record.series.iter().filter(|series| !names.contains(series.metric.name));
    let summary = record.summary.iter().filter(|value| !names.contains(value.metric.name));
    (series.cloned().collect(), summary.cloned().collect())
}

#[test]
fn no_gauge_is_sampled_by_default() {
    for set in [&[][..], &["gauges=false"], &["gauges=[]"]] {
        let record = run(SCENARIO, set);
        assert!(record.gauges.is_empty(), "{set:?}");
        assert!(record.series.iter().all(|series| !series.metric.name.starts_with("codel_")), "{set:?}");
    }
    let plain = load(SCENARIO, &[]).unwrap();
    assert!(plain.variants[0].effective.get("gauges").is_none(), "{}", plain.variants[0].effective);
}

#[test]
fn all_gauges_are_series_of_their_objects_and_change_nothing_else() {
    let (plain, sampled) = (run(SCENARIO, &[]), run(SCENARIO, &["gauges=true"]));
    assert_eq!(without(&sampled), (plain.series.clone(), plain.summary.clone()));
    assert_eq!(sampled.drops, plain.drops);

    let count = series(&sampled, "bottleneck.forward", "codel_count", "");
    assert_eq!(count.len(), 50, "one value a sample");
    assert!(count.values().unwrap().iter().any(|value| *value > 1.0), "CoDel dropped");
    assert_eq!((count.object.kind, count.metric.unit), (Kind::Queue, "count"));
    assert!(
        series(&sampled, "bulk", "cubic_w_max", "").values().unwrap().iter().all(|value| *value > 1448.0)
    );
    assert_eq!(series(&sampled, "bulk", "cubic_w_max", "").object.kind, Kind::Flow);
    assert!(!series(&sampled, "video", "gcc_delay_rate", "").is_empty());

    let summed =
        sampled.summary.iter().find(|value| value.metric.name == "codel_count").expect("it is summed up");
    let measured: Vec<f64> = count.values().unwrap().split_off(10);
    assert!((summed.mean - measured.iter().sum::<f64>() / 40.0).abs() < 1e-9);
    let described = sampled.gauges.iter().find(|gauge| gauge.name == "gcc_state").expect("it was sampled");
    assert!(described.description.starts_with("Rate control by delay"));
}

#[test]
fn only_named_gauges_are_sampled() {
    let record = run(SCENARIO, &[r#"gauges=["codel_count", "cubic_k"]"#]);
    let names: Vec<&str> = record.gauges.iter().map(|gauge| gauge.name).collect();
    assert_eq!(names, ["codel_count", "cubic_k"]);
}

#[test]
fn hooks_bands_and_queues_of_p4_routers_report_too() {
    let record = run(
        SCENARIO,
        &["gauges=true", "links.bottleneck.queue=ired", "links.bottleneck.reverse.queue=tail-drop"],
    );
    assert!(
        series(&record, "bottleneck.forward", "ired_average", "")
            .values()
            .unwrap()
            .iter()
            .any(|value| *value > 1.0)
    );

    let bands = r#"links.bottleneck.queue={ kind = "priority", bands = ["pie", "red"] }"#;
    let record = run(SCENARIO, &["gauges=true", bands]);
    assert!(!series(&record, "bottleneck.forward", "pie_probability", "band.0").is_empty());
    assert!(!series(&record, "bottleneck.forward", "red_average", "band.1").is_empty());

    let p4 = r#"nodes.r={ kind = "p4", program = "<forward.p4>", route = "table_add ipv4_lpm send ${address}/32 => ${port}" }"#;
    let record = run(SCENARIO, &["gauges=true", p4]);
    assert!(!series(&record, "bottleneck.forward", "codel_count", "").is_empty());
}

#[test]
fn an_unknown_gauge_gets_the_nearest_and_all_known_names() {
    let text = SCENARIO.replacen("warm_up", "gauges = [\"codel_cont\"]\nwarm_up", 1);
    let message = load(&text, &[]).unwrap_err();
    assert!(message.contains("s.toml:3:"), "{message}");
    assert!(message.contains("unknown gauge `codel_cont`"), "{message}");
    assert!(message.contains("did you mean `codel_count`?"), "{message}");
    assert!(message.contains("known: codel_count, codel_dropping, cubic_k,"), "{message}");
    // RED is a component that this scenario does not have.
    let message = load(SCENARIO, &[r#"gauges=["red_average"]"#]).unwrap_err();
    assert!(message.contains("unknown gauge `red_average`"), "{message}");
    assert!(message.contains("--set gauges"), "{message}");
}

#[test]
fn a_gauge_of_one_arm_may_be_named_for_all() {
    let axis =
        "\n[[vary]]\npath = \"links.bottleneck.queue\"\nvalues = [\"tail-drop\", \"red\", \"codel\"]\n";
    let text = format!("gauges = [\"red_average\", \"codel_count\"]\n{SCENARIO}{axis}");
    assert_eq!(load(&text, &[]).map(|scenario| scenario.variants.len()), Ok(3));
    let message = load(&text.replace("red_average", "blue_probability"), &[]).unwrap_err();
    assert!(message.contains("`blue_probability`"), "{message}");
    assert_eq!(message.matches("unknown gauge").count(), 1, "once for all variants: {message}");
}

#[test]
fn an_invalid_choice_of_gauges_is_refused() {
    for (value, wanted) in [("3", "gauges"), ("[1]", "gauges")] {
        let message = load(SCENARIO, &[&format!("gauges={value}")]).unwrap_err();
        assert!(message.contains(wanted), "{message}");
    }
}
