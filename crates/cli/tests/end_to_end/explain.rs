//! `jettison explain`: chains that name what was done to a viewer on purpose, and what is wrong with a question.

use serde_json::Value;

use super::support::Folder;

/// A viewer whose link loses everything from 8 s to 10.5 s, while the buffer holds at most 4 s; accounts as told.
fn scenario(accounts: bool) -> String {
    format!(
        r#"
name = "outage"
duration = "30 s"
[record]
accounts = {accounts}
[nodes]
server = {{ kind = "host" }}
client = {{ kind = "host" }}
[links.bottleneck]
between = ["server", "client"]
rate = "3 Mbit/s"
delay = "20 ms"
queue = {{ kind = "tail-drop", limit = "1000 packets" }}
[links.bottleneck.loss]
windows = [{{ from = "8 s", to = "10.5 s" }}]
[flows.viewer]
from = "server"
to = "client"
[flows.viewer.app]
kind = "dash"
player = {{ abr = "bola", max_buffer = "4 s", start_up = "2 s" }}
[flows.viewer.app.content]
duration = "60 s"
segment_duration = "2 s"
[[flows.viewer.app.content.ladder.video]]
width = 640
height = 360
frame_rate = 25
bitrate = "1 Mbit/s"
[[flows.viewer.app.content.ladder.video]]
width = 1280
height = 720
frame_rate = 25
bitrate = "2 Mbit/s"
"#
    )
}

fn stored(accounts: bool) -> Folder {
    let folder = Folder::new();
    folder.write("outage.toml", &scenario(accounts));
    folder.jettison(&["run", "outage.toml", "--out", "out"]).ok();
    folder
}

#[test]
fn the_chain_of_a_stall_names_the_losses_behind_it_and_a_run_without_them_has_no_stall() {
    let folder = stored(true);
    let text = folder.jettison(&["explain", "out"]).ok();
    for part in [
        "The one event costs ",
        "1 stall",
        "stall of `viewer`",
        "scheduled-loss",
        "bottleneck.forward",
        "confirmed: without these",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
    assert!(text.lines().count() <= 60, "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert_eq!(text, folder.jettison(&["explain", "out"]).ok(), "it is the same each time");

    let records = folder.jettison(&["explain", "out", "--json"]).records();
    let stall = records.iter().find(|own| own["kind"] == "stall").expect("it stalls");
    let causes = stall["causes"].as_array().expect("a list");
    let drops = causes.iter().find(|own| own["kind"] == "drops").expect("drops are a cause");
    assert_eq!(
        (&drops["place"], &stall["verdict"]),
        (&Value::from("bottleneck.forward"), &Value::from("confirmed"))
    );
    let from = drops["from_ns"].as_u64().expect("a number");
    assert!((8_000_000_000..10_500_000_000).contains(&from), "{drops}");
    assert!(stall["picture"].as_str().is_some_and(|picture| picture.starts_with("<svg")));

    let judged = folder.jettison(&["explain", "out", "--check-sample", "5"]).ok();
    assert!(judged.contains("chains confirmed (100 %)"), "{judged}");
}

#[test]
fn a_scenario_is_run_with_accounts_and_explained_at_once() {
    let folder = Folder::new();
    folder.write("outage.toml", &scenario(false));
    let arguments = ["explain", "outage.toml", "--no-check", "--picture", "ladder.svg"];
    let text = folder.jettison(&arguments).ok();
    assert!(text.contains("stall of `viewer`") && !text.contains("confirmed"), "{text}");
    let read = |name: &str| String::from_utf8_lossy(&folder.read(name)).into_owned();
    assert!(read("ladder.svg").contains("scheduled-loss"));
    let page = read("out/outage/report.html");
    assert!(page.contains("Events of viewers") && page.contains("class=\"ladder\""), "the page has the same");
}

#[test]
fn wrong_questions_are_refused_with_the_right_names() {
    let folder = stored(true);
    let refused = |arguments: &[&str]| {
        let mut all = vec!["explain", "out"];
        all.extend(arguments);
        folder.jettison(&all).refused()
    };
    let said = refused(&["--viewer", "viever"]);
    assert!(said.contains("unknown viewer `viever`") && said.contains("viewer"), "{said}");
    let said = refused(&["--event", "999"]);
    assert!(said.contains("unknown event `999`; the nearest are"), "{said}");
    assert!(refused(&["--worst", "0"]).contains("--worst"));
    let said = refused(&["--seed", "7"]);
    assert!(said.contains("has the seed 7; its seeds are 1"), "{said}");
    let said = refused(&["--set", "duration=10s"]);
    assert!(said.contains("--set duration=10s needs a scenario file"), "{said}");
    let without = stored(false);
    let said = without.jettison(&["explain", "out"]).refused();
    assert!(said.contains("has no accounts of delays") && said.contains("jettison explain"), "{said}");
    // What it advises can be typed, also of a preset.
    without.jettison(&["run", "demo", "--quick", "--out", "demo"]).ok();
    let said = without.jettison(&["explain", "demo"]).refused();
    assert!(said.contains("`jettison explain demo`") && said.contains("`jettison run demo --set"), "{said}");
}
