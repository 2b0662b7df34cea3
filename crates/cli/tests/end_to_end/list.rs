//! `jettison list`: id first, then parameters, defaults, units, source document.

use serde_json::Value;

use super::support::{Folder, keys};

const KINDS: [&str; 7] = ["queues", "transports", "controllers", "applications", "abr", "players", "links"];

fn entries(kind: &str) -> Vec<Value> {
    Folder::new().jettison(&["list", kind, "--json"]).records()
}

fn ids(kind: &str) -> Vec<String> {
    entries(kind).iter().map(|entry| entry["id"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn everything_that_scenarios_may_name_is_listed() {
    let expected: [(&str, &[&str]); 7] = [
        (
            "queues",
            &[
                "tail-drop",
                "red",
                "codel",
                "pi2",
                "priority",
                "packet-rate",
                "ired",
                "codel++",
                "fred",
                "red-dpm",
                "blue",
                "sfq",
                "fq-codel",
                "pie",
                "dualpi2",
                "cake",
            ],
        ),
        ("transports", &["tcp", "udp"]),
        ("controllers", &["newreno", "newcwv", "cubic", "dctcp", "prague", "bbr"]),
        (
            "applications",
            &[
                "bulk",
                "cbr",
                "on-off",
                "ping",
                "segments",
                "web",
                "dash",
                "dash-load",
                "conference",
                "haptic",
            ],
        ),
        ("abr", &["throughput", "bola", "dynamic", "vlc-rate", "fixed"]),
        ("players", &["generic", "dash.js", "vlc", "shaka"]),
        ("links", &["fixed", "mahimahi"]),
    ];
    for (kind, expected) in expected {
        let ids = ids(kind);
        let missing: Vec<_> = expected.iter().filter(|id| !ids.iter().any(|there| there == *id)).collect();
        assert!(missing.is_empty(), "{kind} lacks {missing:?}");
    }
}

#[test]
fn records_have_id_first_and_every_parameter_is_explained() {
    for kind in KINDS {
        for entry in entries(kind) {
            let expected = [
                "id",
                "kind",
                "name",
                "aliases",
                "colour",
                "line",
                "marker",
                "summary",
                "source",
                "page",
                "parameters",
                "gauges",
            ];
            assert_eq!(keys(&entry), expected);
            for key in expected[..10].iter().filter(|key| **key != "aliases") {
                assert!(entry[*key].as_str().is_some_and(|text| !text.is_empty()), "{kind}: {entry}");
            }
            for parameter in entry["parameters"].as_array().expect("parameters are a list") {
                assert_eq!(keys(parameter), ["name", "unit", "default", "description"]);
                for key in ["name", "unit", "description"] {
                    let text = parameter[key].as_str();
                    assert!(text.is_some_and(|text| !text.is_empty()), "{}: {parameter}", entry["id"]);
                }
            }
        }
    }
}

#[test]
fn without_a_kind_all_are_listed() {
    let all = Folder::new().jettison(&["list", "--json"]).records();
    let count: usize =
        KINDS.iter().chain(&["path-controllers", "encoders"]).map(|kind| entries(kind).len()).sum();
    assert_eq!(all.len(), count);
    assert_eq!(all[0], entries("queues")[0]);
}

#[test]
fn the_text_holds_the_same_data_as_the_records() {
    for kind in KINDS {
        let text = Folder::new().jettison(&["list", kind, "--all"]).ok();
        let blocks: Vec<&str> = text.split("\n\n").collect();
        let entries = entries(kind);
        assert_eq!(blocks.len(), entries.len(), "{text}");
        for (block, entry) in blocks.iter().zip(entries) {
            let text = |value: &Value| value.as_str().unwrap_or("–").to_owned();
            assert!(block.starts_with(&format!("{}  ", text(&entry["id"]))), "{block}");
            assert!(block.contains(&format!("source: {}", text(&entry["source"]))), "{block}");
            for parameter in entry["parameters"].as_array().expect("parameters are a list") {
                let head = |line: &&str| {
                    line.trim_start().starts_with(&format!("{} ", text(&parameter["name"])))
                        && line.contains(&text(&parameter["default"]))
                        && line.ends_with(&text(&parameter["unit"]))
                };
                assert!(block.lines().any(|line| head(&line)), "{parameter} is not in\n{block}");
            }
        }
    }
}

#[test]
fn a_list_has_one_line_per_component_and_one_component_is_listed_in_detail() {
    for kind in KINDS {
        let text = Folder::new().jettison(&["list", kind]).ok();
        let listed: Vec<&str> = text.lines().filter_map(|line| line.split("  ").next()).collect();
        assert_eq!(listed, ids(kind), "{text}");
    }
    let all = Folder::new().jettison(&["list", "queues", "--all"]).ok();
    let codel = Folder::new().jettison(&["list", "queues", "codel"]).ok();
    assert!(codel.starts_with("codel  ") && codel.contains("  target "), "{codel}");
    assert!(all.split("\n\n").any(|block| block.trim_end() == codel.trim_end()), "{codel}");
    let records = Folder::new().jettison(&["list", "queues", "codel", "--json"]).records();
    assert_eq!(records.iter().map(|record| &record["id"]).collect::<Vec<_>>(), ["codel"]);
    let gauge = Folder::new().jettison(&["list", "gauges", "red_average"]).ok();
    assert!(gauge.starts_with("red_average  packets of red\n"), "{gauge}");
    let said = Folder::new().jettison(&["list", "queues", "coddel"]).refused();
    assert!(said.contains("unknown id `coddel`; did you mean `codel`?"), "{said}");
}

#[test]
fn reasons_are_listed_with_their_owners() {
    let reasons = entries("reasons");
    let reason = |kind: &str, id: &str| {
        let found = reasons.iter().find(|reason| reason["kind"] == kind && reason["id"] == id);
        found.unwrap_or_else(|| panic!("no {kind} {id}"))
    };
    assert_eq!(keys(reason("drop", "codel")), ["id", "kind", "owner", "loss", "description"]);
    assert_eq!(keys(reason("mark", "codel")), ["id", "kind", "owner", "ce", "description"]);
    assert_eq!(reason("drop", "red-early")["owner"], "red");
    assert_eq!(reason("drop", "clone-lost")["loss"], false);
    assert_eq!(reason("mark", "abc-brake")["ce"], false);
    let text = Folder::new().jettison(&["list", "reasons", "--all"]).ok();
    for reason in &reasons {
        let head = format!(
            "{}  {} by {}",
            reason["id"].as_str().unwrap(),
            reason["kind"].as_str().unwrap(),
            reason["owner"].as_str().unwrap()
        );
        assert!(text.lines().any(|line| line.starts_with(&head)), "{head} is not in\n{text}");
    }
}

#[test]
fn gauges_are_listed_with_unit_and_owner() {
    let gauges = entries("gauges");
    let gauge = |id: &str| {
        gauges.iter().find(|gauge| gauge["id"] == id).unwrap_or_else(|| panic!("no gauge {id}")).clone()
    };
    assert_eq!(keys(&gauge("red_average")), ["id", "unit", "owner", "description"]);
    assert_eq!(
        (&gauge("red_average")["unit"], &gauge("red_average")["owner"]),
        (&"packets".into(), &"red".into())
    );
    assert_eq!(gauge("ired_average")["owner"], "ired");
    assert_eq!(gauge("cubic_w_max")["owner"], "cubic");
    assert_eq!(gauge("gcc_state")["owner"], "gcc");
    let mut ids: Vec<&str> = gauges.iter().filter_map(|gauge| gauge["id"].as_str()).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "no two are called alike");
}

#[test]
fn defaults_are_those_of_the_documents() {
    let default = |kind: &str, id: &str, name: &str| {
        let entries = entries(kind);
        let entry = entries.iter().find(|entry| entry["id"] == id).unwrap_or_else(|| panic!("no {id}"));
        let mut parameters = entry["parameters"].as_array().expect("parameters are a list").iter();
        let found = parameters.find(|parameter| parameter["name"] == name);
        found.unwrap_or_else(|| panic!("{id} has no {name}"))["default"].as_str().unwrap_or("–").to_owned()
    };
    assert_eq!(default("queues", "codel", "target"), "5 ms");
    assert_eq!(default("queues", "codel", "interval"), "100 ms");
    assert_eq!(default("queues", "ired", "average"), "two-sample");
    assert_eq!(default("queues", "ired", "probability"), "constant");
    assert_eq!(default("queues", "ired", "clone_path"), "through-queue");
    assert_eq!(default("transports", "tcp", "initial_window"), "10");
    assert_eq!(default("transports", "tcp", "min_rto"), "200 ms");
    assert_eq!(default("transports", "tcp", "growth"), "per-byte");
    assert_eq!(default("controllers", "cubic", "beta"), "0.7");
    assert_eq!(default("controllers", "dctcp", "g"), "0.0625");
    assert_eq!(default("controllers", "prague", "rtt_virtual_min"), "25 ms");
    assert_eq!(default("transports", "tcp", "ecn"), "auto");
    assert_eq!(default("applications", "ping", "interval"), "1 s");
    assert_eq!(default("applications", "conference", "rate"), "200 kbit/s");
    assert_eq!(default("applications", "conference", "adapt"), "none");
    assert_eq!(default("applications", "haptic", "samples"), "1000");
    assert_eq!(default("applications", "haptic", "deadband"), "–");
    assert_eq!(default("links", "mahimahi", "overhead"), "4 bytes");
}

#[test]
fn every_queue_application_and_controller_runs_with_its_defaults() {
    // Every listed component can be named by its id alone.
    for id in ids("queues") {
        let folder = Folder::with_small();
        // Disciplines in a router's pipeline are not for hosts.
        let (set, host) =
            (format!("links.bottleneck.queue={id}"), "links.bottleneck.reverse.queue=tail-drop");
        folder.jettison(&["run", "small.toml", "--quick", "--set", &set, "--set", host]).ok();
    }
    // A command has no default, and is for live runs; `frames` has none either, and is for hosts of layer 2.
    for id in ids("applications").into_iter().filter(|id| id != "command" && id != "frames") {
        let folder = Folder::with_small();
        let set = format!("flows.echo.app={id}");
        folder.jettison(&["run", "small.toml", "--quick", "--set", &set]).ok();
    }
    for id in ids("controllers") {
        let folder = Folder::with_small();
        let set = format!("flows.bulk.transport={{ kind = \"tcp\", congestion = \"{id}\" }}");
        folder.jettison(&["run", "small.toml", "--quick", "--set", &set]).ok();
    }
}

#[test]
fn the_message_about_an_unknown_listing_names_the_known_ones() {
    let said = Folder::new().jettison(&["list", "planets"]).refused();
    for kind in KINDS {
        assert!(said.contains(kind), "{said}");
    }
}

#[test]
fn a_component_in_place_of_a_kind_is_explained() {
    let said = Folder::new().jettison(&["list", "codel"]).refused();
    assert!(said.contains("`codel` is a queue: jettison list queues codel"), "{said}");
    let said = Folder::new().jettison(&["list", "bbr"]).refused();
    assert!(said.contains("jettison list controllers bbr"), "{said}");
    let text = Folder::new().jettison(&["list", "queues", "codel"]).ok();
    assert!(text.contains("  queue; source: RFC 8289"), "{text}");
}
