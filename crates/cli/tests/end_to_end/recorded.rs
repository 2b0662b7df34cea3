//! Recorded cellular traces and the DASH Industry Forum's profiles, if present beside the project.

use std::fs;
use std::path::PathBuf;

use super::support::{Folder, changed, mean, project, skipped};

fn traces(test: &str) -> Vec<PathBuf> {
    let folder = project("../shared/data/networks/lte");
    let found = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> =
        found.filter(|path| path.extension().is_some_and(|extension| extension == "down")).collect();
    found.sort();
    if found.is_empty() {
        skipped(test, "no recorded traces in ../shared/data/networks/lte");
    }
    found
}

#[test]
fn each_recording_has_the_properties_of_a_cellular_link() {
    for trace in traces("recorded::each_recording_has_the_properties_of_a_cellular_link") {
        let name = trace.display().to_string();
        let records = Folder::new().jettison(&["trace", "info", &name, "--json"]).records();
        let info = &records[0];
        assert!(info["opportunities"].as_u64() > Some(10_000), "{name}: {info}");
        let rates = ["min", "p5", "p50", "p95", "max"].map(|at| info[format!("{at}_mbit_s")].as_f64());
        assert!(rates.is_sorted(), "{name}: {info}");
        assert!(
            info["mean_mbit_s"].as_f64().is_some_and(|rate| (1.0..100.0).contains(&rate)),
            "{name}: {info}"
        );
    }
}

#[test]
fn a_bulk_flow_uses_each_recording() {
    for trace in traces("recorded::a_bulk_flow_uses_each_recording") {
        let folder = Folder::new();
        let link = format!("trace = \"{}\"", trace.canonicalize().expect("it was found").display());
        let text = changed("rate = \"5 Mbit/s\"", &link);
        folder.write("lte.toml", &text.replace("delay = \"4 ms\"", "delay = \"20 ms\""));
        let records = folder.jettison(&["run", "lte.toml", "--runs", "1", "--json"]).records();
        let carried = mean(&records, "queue=tail-drop", "bottleneck.forward", "throughput");
        let goodput = mean(&records, "queue=tail-drop", "bulk", "goodput");
        assert!(
            0.1 < goodput && goodput < carried && carried < 100.0,
            "{}: {goodput} of {carried}",
            trace.display()
        );
        // The trace is an input of the run.
        let inputs = folder.json("out/small/manifest.json")["inputs"].clone();
        assert_eq!(inputs.as_array().map(Vec::len), Some(2), "{inputs}");
    }
}

#[test]
fn base_stations_grants_and_drive_tests_can_be_read_and_run_on() {
    let test = "recorded::base_stations_grants_and_drive_tests_can_be_read_and_run_on";
    let mut found = Vec::new();
    for folder in ["srsran", "5g"] {
        let entries = fs::read_dir(project(&format!("../shared/data/networks/{folder}")));
        found.extend(entries.into_iter().flatten().flatten().map(|entry| entry.path()));
    }
    found.sort();
    if found.is_empty() {
        return skipped(test, "neither grants nor drive tests in ../shared/data/networks");
    }
    for file in found {
        let name = file.canonicalize().expect("it was found").display().to_string();
        let folder = Folder::new();
        let info = folder.jettison(&["trace", "info", &name, "--json"]).records().remove(0);
        let is_drive_test = info["format"] == "csv";
        assert_eq!(is_drive_test, name.ends_with(".csv"), "{name}: {info}");
        // The lead-in of the grants is skipped.
        assert!(is_drive_test || info["period_s"] == 470.0, "{name}: {info}");
        assert!(
            info["mean_mbit_s"].as_f64().is_some_and(|rate| (1.0..300.0).contains(&rate)),
            "{name}: {info}"
        );
        folder.write("s.toml", &changed("rate = \"5 Mbit/s\"", &format!("cell = \"{name}\"")));
        let records = folder.jettison(&["run", "s.toml", "--quick", "--json"]).records();
        assert!(mean(&records, "queue=tail-drop", "bulk", "goodput") >= 0.0, "{name}");
    }
}

#[test]
fn the_forums_profiles_can_be_followed() {
    let folder = project("../shared/data/networks/dash-if");
    let Ok(data) = folder.canonicalize() else {
        return skipped(
            "recorded::the_forums_profiles_can_be_followed",
            "no ../shared/data/networks/dash-if",
        );
    };
    let own = Folder::new();
    let profile = |number: u32| format!("network_config_{number}.json");
    let link = format!("profile = \"{}\"", profile(1));
    own.write("s.toml", &changed("rate = \"5 Mbit/s\"\ndelay = \"4 ms\"", &link));
    for number in 1..=12 {
        let set = format!("links.bottleneck.profile={}", profile(number));
        own.jettison(&["check", "s.toml", "--data", &data.display().to_string(), "--set", &set]).ok();
    }
}
