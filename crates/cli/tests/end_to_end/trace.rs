//! `jettison trace`: `info`, `convert` and `synthesize`, and links that follow each format.

use std::fs;

use super::support::{Folder, changed, keys, mean, project};

#[test]
fn info_prints_length_rates_and_outages() {
    let folder = Folder::new();
    folder.write("steps.down", "2\n4\n6\n6\n10\n");
    let printed = folder.jettison(&["trace", "info", "steps.down"]).ok();
    assert!(printed.starts_with("steps.down\n"), "{printed}");
    // 5 × 1,504 bytes every 10 ms, nothing from 6 to 10 ms, two at 6 ms.
    for part in ["5 of up to 1,504 bytes", "10 ms", "6.016 Mbit/s", "4 ms at 6 ms", "2 per millisecond"] {
        assert!(printed.contains(part), "{part} is not in:\n{printed}");
    }
}

#[test]
fn json_has_the_same_figures() {
    let folder = Folder::new();
    folder.write("steps.down", "2\n4\n6\n6\n10\n");
    let records = folder.jettison(&["trace", "info", "steps.down", "--json"]).records();
    assert_eq!(records.len(), 1);
    let info = &records[0];
    assert_eq!(
        keys(info)[..3],
        ["opportunities", "period_s", "mean_mbit_s"],
        "the figures that everyone looks for come first"
    );
    assert_eq!(info["opportunities"], 5);
    assert_eq!(info["period_s"], 0.01);
    assert_eq!(info["mean_mbit_s"], 6.016);
    assert_eq!(info["longest_outage_s"], 0.004);
    assert_eq!(info["longest_outage_at_s"], 0.006);
    assert_eq!(info["most_in_a_millisecond"], 2);
}

#[test]
fn lines_may_end_as_they_do_on_windows() {
    let folder = Folder::new();
    folder.write("windows.down", "2\r\n4\r\n");
    let records = folder.jettison(&["trace", "info", "windows.down", "--json"]).records();
    assert_eq!(records[0]["opportunities"], 2);
}

#[test]
fn info_of_grants_and_of_a_drive_test() {
    let folder = Folder::new();
    folder.write("cell.trace", "10\n3\n14500\n0\n2900\n");
    folder.write(
        "drive.csv",
        "Timestamp,DL_bitrate,UL_bitrate\n2019.12.16_13.40.04,72,8\n2019.12.16_13.40.06,0,16\n",
    );
    let info =
        |more: &[&str]| folder.jettison(&[&["trace", "info", "--json"], more].concat()).records().remove(0);
    let grants = info(&["cell.trace"]);
    assert_eq!((&grants["format"], &grants["period_s"]), (&"srsran".into(), &0.03.into()));
    assert_eq!(grants["mean_mbit_s"], 4.64);
    assert_eq!(grants["longest_outage_s"], 0.01);
    let drive = info(&["drive.csv"]);
    assert_eq!((&drive["format"], &drive["period_s"]), (&"csv".into(), &3.0.into()));
    assert_eq!((&drive["p95_mbit_s"], &drive["longest_outage_s"]), (&0.072.into(), &1.0.into()));
    assert_eq!(info(&["drive.csv", "--up"])["max_mbit_s"], 0.016);
}

#[test]
fn a_trace_is_converted_there_and_back() {
    let folder = Folder::new();
    folder.write("in.down", "2\n4\n6\n6\n10\n25\n30\n");
    let printed = folder
        .jettison(&["trace", "convert", "in.down", "cell.trace", "--to", "srsran", "--batch", "5"])
        .ok();
    assert!(printed.starts_with("cell.trace\n") && printed.contains("srsRAN"), "{printed}");
    assert_eq!(folder.read("cell.trace"), b"5\n6\n3008\n4512\n0\n0\n1504\n1504\n");
    folder.jettison(&["trace", "convert", "in.down", "same.down", "--to", "mahimahi"]).ok();
    assert_eq!(folder.read("same.down"), folder.read("in.down"));
    let cut = ["trace", "convert", "in.down", "cut.down", "--to", "mahimahi", "--from-time", "5 ms"];
    folder.jettison(&[&cut[..], &["--duration", "15 ms"]].concat()).ok();
    assert_eq!(folder.read("cut.down"), b"1\n1\n15\n", "the last one is put off to the end of the period");
    assert_eq!(folder.names(""), ["cell.trace", "cut.down", "in.down", "same.down"]);
}

#[test]
fn the_same_seed_makes_the_same_bytes() {
    let folder = Folder::new();
    let make = |out: &str, seed: &str| {
        let arguments =
            ["trace", "synthesize", out, "--seed", seed, "--duration", "5 s", "--mean", "6 Mbit/s"];
        folder.jettison(&arguments).ok();
        folder.read(out)
    };
    let first = make("a.down", "1");
    assert_eq!(make("b.down", "1"), first);
    assert_ne!(make("c.down", "2"), first);
}

#[test]
fn the_projects_own_traces_are_reproduced_by_their_commands() {
    traces_are_reproduced_by_their_commands("scenarios/octopus/traces");
    traces_are_reproduced_by_their_commands("scenarios/aqm/traces");
}

/// Makes a folder's traces by the commands of its README.md.
fn traces_are_reproduced_by_their_commands(folder: &str) {
    let traces = project(folder);
    let readme = fs::read_to_string(traces.join("README.md")).expect("the traces have a README.md");
    let folder = Folder::new();
    let mut made = vec!["README.md".to_owned()];
    for line in readme.lines().filter_map(|line| line.strip_prefix("jettison ")) {
        // Values with a space in them are quoted: every second part is in quotes.
        let parts = line.split('"').enumerate();
        let arguments: Vec<&str> = parts
            .flat_map(|(place, part)| match place % 2 {
                0 => part.split_whitespace().collect(),
                _ => vec![part],
            })
            .collect();
        folder.jettison(&arguments).ok();
        let name = arguments[2];
        let ours = fs::read(traces.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(folder.read(name) == ours, "{name} is not what `{line}` makes");
        made.push(name.to_owned());
    }
    made.sort();
    let mut there: Vec<String> = fs::read_dir(&traces)
        .expect("the project has traces")
        .map(|entry| entry.expect("the folder can be read").file_name().to_string_lossy().into_owned())
        .collect();
    there.sort();
    assert_eq!(made, there, "each has its command");
}

#[test]
fn a_bulk_flow_uses_a_cell_and_a_trace_of_each_format() {
    let folder = Folder::new();
    let of = |name: &str| project("scenarios/octopus/traces").join(name).display().to_string();
    folder.write("drive.csv", "Timestamp,DL_bitrate\n2019.12.16_13.40.04,6000\n2019.12.16_13.40.05,9000\n");
    for (key, file) in [
        ("cell", of("lte-4.down")),
        ("cell", of("lte-12.trace")),
        ("cell", "drive.csv".to_owned()),
        ("trace", of("lte-12.trace")),
        ("trace", "drive.csv".to_owned()),
    ] {
        folder.write("s.toml", &changed("rate = \"5 Mbit/s\"", &format!("{key} = \"{file}\"")));
        let records = folder.jettison(&["run", "s.toml", "--runs", "1", "--json", "--force"]).records();
        let carried = mean(&records, "queue=tail-drop", "bottleneck.forward", "throughput");
        let goodput = mean(&records, "queue=tail-drop", "bulk", "goodput");
        let used = mean(&records, "queue=tail-drop", "bottleneck.forward", "utilisation");
        assert!(0.5 < goodput && goodput < carried && carried < 40.0, "{key} {file}: {goodput} of {carried}");
        assert!((20.0..=100.0).contains(&used), "{key} {file}: {used}");
    }
}
