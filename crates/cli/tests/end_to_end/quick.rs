//! `--quick` for a scenario that does not say what its short form is.

use serde_json::Value;

use super::support::Folder;

/// A scenario of 300 s and five seeds, without `[quick]`.
const LONG: &str = r#"name = "long"
duration = "300 s"
warm_up = "2 s"
seeds = 5
sample_interval = "1 s"

[nodes]
a = { kind = "host" }
b = { kind = "host" }

[links.wire]
between = ["a", "b"]
rate = "1 Mbit/s"

[flows.echo]
from = "a"
to = "b"
app = { kind = "ping", interval = "100 ms" }
"#;

fn kinds(warnings: &Value) -> Vec<&str> {
    warnings.as_array().into_iter().flatten().filter_map(|warning| warning["kind"].as_str()).collect()
}

#[test]
fn a_scenario_without_a_table_is_shortened_and_says_so() {
    let folder = Folder::new();
    folder.write("long.toml", LONG);
    let ran = folder.command(&["run", "long.toml", "--quick"]).output().expect("the command was built");
    assert!(ran.status.success());
    let stderr = String::from_utf8_lossy(&ran.stderr);
    let said = "long.toml has no [quick] table; runs are shortened: 30 s instead of 300 s, 2 of 5 seeds";
    assert!(stderr.contains(said), "{stderr}");
    let manifest = folder.json("out/long-quick/manifest.json");
    assert_eq!(manifest["runs"].as_array().map(Vec::len), Some(2));
    let stored = String::from_utf8_lossy(&folder.read("out/long-quick/scenario.toml")).into_owned();
    assert!(stored.contains("duration = \"30 s\""), "{stored}");
    assert!(kinds(&folder.json("out/long-quick/warnings.json")).contains(&"shortened"));
    // In full there is nothing to say.
    folder.jettison(&["run", "long.toml", "--runs", "1", "--out", "full"]).ok();
    assert!(!kinds(&folder.json("full/warnings.json")).contains(&"shortened"));
}

#[test]
fn options_and_axes_keep_what_they_set() {
    let folder = Folder::new();
    let varied = format!("{LONG}\n[[vary]]\npath = \"duration\"\nvalues = [\"20 s\", \"40 s\"]\n");
    folder.write("varied.toml", &varied);
    folder.write("long.toml", LONG);
    let checked = |arguments: &[&str]| {
        let records = folder.jettison(&[&["check", "--quick", "--json"], arguments].concat()).records();
        records[0].to_string()
    };
    let text = checked(&["varied.toml"]);
    assert!(text.contains("duration=20 s") && text.contains("duration=40 s"), "{text}");
    let printed = folder.jettison(&["check", "--quick", "long.toml", "--set", "duration=60 s"]).ok();
    assert!(printed.contains("2 seeds = 2 runs of 60 s"), "{printed}");
    let printed = folder.jettison(&["check", "--quick", "long.toml", "--set", "seeds=4"]).ok();
    assert!(printed.contains("4 seeds = 4 runs of 30 s"), "{printed}");
}
