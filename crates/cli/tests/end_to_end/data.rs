//! Input files: search path, and messages about invalid files.

use super::support::{Folder, Ran, changed, project};

const PROFILE: &str = r#"{"changes": [{"time": 0, "bw": 5, "rtt": 8, "loss": 0}]}"#;

/// The small scenario, for 1 s, with a profile in place of the bottleneck's rate and delay; with all its variants.
fn scenario(profile: &str) -> String {
    changed("rate = \"5 Mbit/s\"\ndelay = \"4 ms\"", &format!("profile = \"{profile}\""))
        .replace("duration = \"2 s\"", "duration = \"1 s\"")
}

/// A scenario in one folder, its profile in another.
fn apart() -> Folder {
    let folder = Folder::new();
    folder.write("own/tiny/s.toml", &scenario("deep/line.json"));
    folder.write("data/deep/line.json", PROFILE);
    folder
}

#[test]
fn files_missing_in_the_scenarios_folder_come_from_the_data_folder() {
    let folder = apart();
    folder.jettison(&["check", "own/tiny/s.toml", "--data", "data"]).ok();
    folder.jettison(&["run", "own/tiny/s.toml", "--runs", "1", "--data", "data", "--json"]).records();
    let inputs = &folder.json("out/small/manifest.json")["inputs"];
    assert_eq!(inputs[1]["path"], "deep/line.json");
    let before = inputs.clone();
    let arguments = ["reproduce", "tiny/s", "--scenarios", "own", "--runs", "1"];
    Ran::of(folder.command(&arguments).env("JETTISON_DATA", "data")).ok();
    let inputs = &folder.json("out/small/manifest.json")["inputs"];
    assert_eq!(inputs[1], before[1]);
}

#[test]
fn the_message_about_a_missing_file_names_both_folders() {
    let folder = apart();
    let said = folder.jettison(&["check", "own/tiny/s.toml"]).refused();
    assert!(said.starts_with("own/tiny/s.toml:18:11: cannot read `own/tiny/deep/line.json`: "), "{said}");
    assert!(said.contains("`--data`"), "{said}");
    let said = folder.jettison(&["run", "own/tiny/s.toml", "--data", "elsewhere"]).refused();
    assert_eq!(
        said,
        "own/tiny/s.toml:18:11: cannot read `own/tiny/deep/line.json`: no such file, nor \
         `elsewhere/deep/line.json`; write the path relative to the scenario's folder or to that of `--data`"
    );
    assert_eq!(folder.names(""), ["data", "own"]);
}

#[test]
fn a_wrong_profile_is_refused_with_its_file_and_place() {
    let folder = apart();
    folder.write("data/deep/line.json", &PROFILE.replace("\"bw\": 5", "\"bw\": -5"));
    let said = folder.jettison(&["run", "own/tiny/s.toml", "--data", "data"]).refused();
    let wanted = "data/deep/line.json: changes[0].bw: must be 0 to 1000000 Mbit/s (0 is an outage), got -5";
    assert_eq!(said, wanted);
    folder.write("data/deep/line.json", "{\n\"changes\": nothing");
    let said = folder.jettison(&["run", "own/tiny/s.toml", "--data", "data"]).refused();
    assert_eq!(said, "data/deep/line.json:2:13: invalid JSON: expected ident");
    assert_eq!(folder.names(""), ["data", "own"]);
}

#[test]
fn the_projects_own_profiles_can_be_followed() {
    let folder = Folder::new();
    let profiles = project("scenarios/streaming/profiles").canonicalize().expect("the project has profiles");
    let data = profiles.to_str().expect("its path is text");
    folder.write("s.toml", &scenario("outage.json"));
    for profile in ["outage", "commute", "high-rtt"] {
        let set = format!("links.bottleneck.profile={profile}.json");
        folder.jettison(&["check", "s.toml", "--data", data, "--set", &set]).ok();
    }
}
