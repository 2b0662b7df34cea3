//! `--precision`: seeds are added until an interval is narrow enough.

use super::support::{Folder, mean};

fn run(folder: &Folder, more: &[&str]) -> (Option<i32>, String, String) {
    let arguments = [&["run", "small.toml", "--out", "out", "--json"], more].concat();
    let ran = folder.jettison(&arguments);
    (ran.status, ran.stdout, ran.stderr)
}

fn seeds(folder: &Folder) -> Vec<u64> {
    let manifest = folder.json("out/manifest.json");
    manifest["seeds"].as_array().into_iter().flatten().filter_map(serde_json::Value::as_u64).collect()
}

#[test]
fn seeds_are_added_until_the_interval_is_narrow_enough() {
    let folder = Folder::with_small();
    let asked = ["--precision", "15%", "--of", "echo:rtt"];
    let (status, stdout, stderr) = run(&folder, &asked);
    assert_eq!(status, Some(0), "{stderr}");
    let used = seeds(&folder);
    assert!(used.len() >= 3 && used == (1..=used.len() as u64).collect::<Vec<_>>(), "{used:?}");
    assert!(
        stderr.contains(&format!("precision of 15 % of echo:rtt reached with {} seeds; ", used.len())),
        "{stderr}"
    );
    // The interval in the results is what was asked for.
    let records: Vec<serde_json::Value> =
        stdout.lines().map(|line| serde_json::from_str(line).expect("it is a record")).collect();
    for record in
        records.iter().filter(|r| r["type"] == "summary" && r["object"] == "echo" && r["metric"] == "rtt")
    {
        let [low, high] = [0, 1].map(|end| record["ci95"][end].as_f64().expect("there is an interval"));
        assert!((high - low) / 2.0 <= 0.15 * record["mean"].as_f64().expect("it is a number"), "{record}");
    }
    assert!(mean(&records, "queue=codel", "echo", "rtt") > 0.0);
    // The same results as with these seeds alone, and nothing is run again.
    let runs = used.len().to_string();
    folder.jettison(&["run", "small.toml", "--out", "plain", "--runs", &runs]).ok();
    for file in folder.files("plain").iter().filter(|file| *file != "timing.json") {
        assert!(
            folder.read(&format!("out/{file}")) == folder.read(&format!("plain/{file}")),
            "{file} differs"
        );
    }
    let (_, again, stderr) = run(&folder, &asked);
    assert!(
        again == stdout && stderr.contains("already holds the results of exactly these runs"),
        "{stderr}"
    );
    assert_eq!(folder.names(""), ["out", "plain", "small.toml"]);
}

#[test]
fn the_limit_is_said_and_runs_are_not_repeated() {
    let folder = Folder::with_small();
    let asked = ["--precision", "0.001%", "--of", "echo:rtt", "--max-seeds", "5", "--store", "store"];
    let (status, _, stderr) = run(&folder, &asked);
    assert_eq!((status, seeds(&folder)), (Some(0), vec![1, 2, 3, 4, 5]), "{stderr}");
    assert!(
        stderr
            .contains("precision of 0.001 % of echo:rtt not reached with 5 seeds, the limit (--max-seeds); "),
        "{stderr}"
    );
    assert_eq!(folder.names("store/records").len(), 10);
    let (_, _, stderr) = run(&folder, &["--runs", "4", "--store", "store"]);
    assert_eq!(stderr, "jettison: resuming: 8 of 8 runs found\n");
}

#[test]
fn wrong_options_are_refused() {
    let folder = Folder::with_small();
    let (status, _, stderr) = run(&folder, &["--precision", "2", "--of", "echo:rtt"]);
    assert_eq!(
        (status, stderr.as_str()),
        (Some(2), "jettison: --precision must be a percentage in (0, 100), such as 2%, got `2`\n")
    );
    let (status, _, stderr) = run(&folder, &["--precision", "2%", "--of", "echo"]);
    assert_eq!(
        (status, stderr.starts_with("jettison: --of must be OBJECT:METRIC, ")),
        (Some(2), true),
        "{stderr}"
    );
    assert_eq!(folder.names(""), ["small.toml"]);
    let (status, _, stderr) = run(&folder, &["--precision", "2%", "--of", "echo:rtr"]);
    // Before the first run.
    assert_eq!((status, folder.names("")), (Some(2), vec!["small.toml".to_owned()]));
    assert_eq!(stderr, "jettison: unknown metric `rtr` in --of; did you mean `rtt`?\n");
}
