//! Presets and flent's files.

use serde_json::{Value, json};

use super::support::Folder;

#[test]
fn a_preset_runs_by_its_name_and_its_text_can_be_saved() {
    let folder = Folder::new();
    let listed = folder.jettison(&["list", "presets"]).ok();
    assert!(listed.contains("rrul_be "), "{listed}");
    let short = ["--set", "duration=\"8 s\"", "--set", "links.bottleneck.queue=fq-codel"];
    let records =
        folder.jettison(&[&["run", "rrul", "--json", "--out", "out"], &short[..]].concat()).records();
    let mean = |object: &str, metric: &str| {
        let found = records.iter().find(|record| {
            record["type"] == "summary" && record["object"] == object && record["metric"] == metric
        });
        found.and_then(|record| record["mean"].as_f64()).unwrap_or_else(|| panic!("no {metric} of {object}"))
    };
    for class in ["be", "bk", "cs5", "ef"] {
        assert!(mean(&format!("down-{class}"), "goodput") > 1.0, "{class}");
        assert!(mean(&format!("up-{class}"), "goodput") > 0.2, "{class}");
    }
    for ping in ["ping-icmp", "ping-udp-be", "ping-udp-bk", "ping-udp-ef"] {
        assert!((40.0..200.0).contains(&mean(ping, "rtt")), "{ping}");
    }
    let no_goodput = |record: &&Value| record["object"] == "ping-udp-be" && record["metric"] == "goodput";
    assert!(records.iter().find(no_goodput).is_none(), "a ping delivers nothing");
    let text = folder.jettison(&["list", "presets", "rrul"]).ok();
    folder.write("mine.toml", &text);
    folder.jettison(&["check", "mine.toml"]).ok();
    // A file of that name comes first.
    folder.write("tcp_upload", &text.replace("name = \"rrul\"", "name = \"own\""));
    let own = folder.jettison(&["check", "tcp_upload", "--json"]).records();
    assert_eq!(own[0]["scenario"], "own");
}

#[test]
fn the_demo_shows_what_four_queues_do_to_a_viewer() {
    let folder = Folder::new();
    let records = folder.jettison(&["run", "demo", "--runs", "2", "--json"]).records();
    let mean = |queue: &str, metric: &str| {
        let found = records.iter().find(|record| {
            record["type"] == "summary"
                && record["object"] == "viewer"
                && record["metric"] == metric
                && record["variant"] == format!("queue={queue}")
        });
        found
            .and_then(|record| record["mean"].as_f64())
            .unwrap_or_else(|| panic!("no {metric} under {queue}"))
    };
    for queue in ["codel", "fq-codel", "ired"] {
        assert!(mean("tail-drop", "stall_ratio") > 1.0 + mean(queue, "stall_ratio"), "{queue}");
        assert!(mean("tail-drop", "representation_rate") < mean(queue, "representation_rate"), "{queue}");
    }
    assert!(folder.path("out/demo/report.html").exists());
    let printed = folder.jettison(&["run", "demo", "--runs", "3", "--force"]).ok();
    assert!(printed.lines().count() <= 40, "one screen:\n{printed}");
}

#[test]
fn an_unknown_preset_is_refused_with_the_nearest() {
    let printed = Folder::new().jettison(&["run", "rrull"]).refused();
    assert!(printed.contains("no such file, and no preset of that name; did you mean `rrul`?"), "{printed}");
}

#[test]
fn flents_results_are_set_beside_ours() {
    let folder = Folder::new();
    let short = ["--set", "duration=\"8 s\""];
    folder.jettison(&[&["run", "tcp_download", "--out", "ours"], &short[..]].concat()).ok();
    let times: Vec<f64> = (0..40).map(|step| f64::from(step) * 0.2).collect();
    let flent = json!({
        "version": 4,
        "x_values": times,
        "results": { "TCP download": vec![45.0; 40], "Ping (ms) ICMP": vec![41.0; 40] },
        "metadata": { "NAME": "tcp_download", "LENGTH": 6, "TOTAL_LENGTH": 8 },
        "raw_values": {},
    });
    folder.write("theirs.flent", &flent.to_string());
    let printed = folder.jettison(&["compare", "ours", "theirs.flent", "--out", "both"]).ok();
    for text in ["B (flent): tcp_download, theirs.flent\n", " goodput ", " rtt ", " 45.0 ", " 41.0 "] {
        assert!(printed.contains(text), "no {text:?} in:\n{printed}");
    }
    let page = String::from_utf8_lossy(&folder.read("both/compare.html")).into_owned();
    assert!(page.contains("ping-icmp") && page.contains("theirs.flent"));
    folder.write("bad.flent", "{\"version\": 4}");
    let refused = folder.jettison(&["compare", "ours", "bad.flent"]).refused();
    assert!(refused.contains("bad.flent: must have the key `x_values`"), "{refused}");
}
