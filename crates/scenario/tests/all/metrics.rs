//! Runs record declared metrics only.

use std::sync::atomic::AtomicBool;

use jettison_apps::applications;
use jettison_core::Time;
use jettison_measure::{Kept, Kind, Metric, Owner};
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, NoFiles, Scenario};

const SCENARIO: &str = r#"name = "all"
duration = "8 s"
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
rate = "8 Mbit/s"
delay = "10 ms"
queue = { kind = "ired", buffer = "32 packets" }
reverse = { queue = { kind = "codel", ecn = true } }
"#;

#[track_caller]
fn declared(metric: Metric, as_kind: Kept, object: &str) -> Owner {
    let declared = metric.declared().unwrap_or_else(|| panic!("{metric:?} of {object} is not declared"));
    let name = metric.name;
    assert!(declared.kept.contains(&as_kind), "`{name}` of {object} is not declared as {}", as_kind.name());
    declared.owner
}

#[test]
fn every_recorded_value_has_a_declared_metric() {
    // A command is for live runs, frames are for hosts of layer 2.
    let is_here = |id: &&str| !matches!(*id, "command" | "frames");
    let ids = applications().iter().map(|entry| entry.id).filter(is_here).collect::<Vec<_>>();
    let flows = ids.iter().enumerate().map(|(place, id)| {
        // All videos would listen at the port of Octopus.
        let port = if id.ends_with("video") { format!("port = {}\n", 7000 + place) } else { String::new() };
        format!("[flows.{id}]\nfrom = \"a\"\nto = \"b\"\napp = \"{id}\"\n{port}")
    });
    let text = format!("{SCENARIO}{}", flows.collect::<String>());
    let builder = Builder::standard();
    let scenario = Scenario::parse(&text, "s.toml", &NoFiles, &Changes::default(), &builder.registries())
        .expect("it is right");
    let settings = &scenario.variants[0].settings;
    let mut world =
        builder.build(settings, &scenario.contents, 1, &BuildOptions::default()).expect("it builds");
    world.run(Time::ZERO + settings.duration, &AtomicBool::new(false));
    let record = world.finish();
    for series in &record.series {
        let owner = declared(series.metric, Kept::Series, record.name(series.object));
        assert_eq!(owner == Owner::Queue, series.object.kind == Kind::Queue, "{:?}", series.metric);
    }
    for object in &record.objects {
        for (metric, _) in &object.distributions {
            declared(*metric, Kept::Distribution, &object.name);
        }
    }
    for value in &record.summary {
        declared(value.metric, Kept::Summary, &value.object);
    }
    let names: Vec<&str> = record.summary.iter().map(|value| value.metric.name).collect();
    for expected in
        ["clones", "goodput", "linear_qoe", "frame_latency", "deadline_miss", "jain_index", "stalls"]
    {
        assert!(names.contains(&expected), "no {expected} in {names:?}");
    }
}
