//! `jettison run`: the table, the folder of results, the records, and what each option does.

use serde_json::{Value, json};

use super::support::{Folder, keys, mean};

const RESULTS: [&str; 16] = [
    "accounts.parquet",
    "differences.parquet",
    "distributions.parquet",
    "drops.parquet",
    "events.parquet",
    "flows.parquet",
    "frames.parquet",
    "manifest.json",
    "queues.parquet",
    "report.html",
    "runs.parquet",
    "scenario.toml",
    "summary.json",
    "summary.parquet",
    "timing.json",
    "warnings.json",
];

#[test]
fn prints_the_comparison_and_the_paths_of_the_results() {
    let folder = Folder::with_small();
    let printed = folder.jettison(&["run", "small.toml"]).ok();
    for part in ["tail-drop", "codel", "goodput", "Mbit/s", "sojourn", "echo", "RTT mean", "drops"] {
        assert!(printed.contains(part), "{part} is not in:\n{printed}");
    }
    let results = folder.path("out/small");
    let places = format!("Results: {0}\nReport:  {0}/report.html\n", results.display());
    assert!(printed.contains(&places), "{printed}");
}

#[test]
fn the_folder_has_all_files_and_nothing_else_is_left() {
    let folder = Folder::with_small();
    folder.jettison(&["run", "small.toml"]).ok();
    assert_eq!(folder.names("out/small"), RESULTS);
    assert_eq!(folder.names("out"), ["small"]);
    for name in RESULTS.iter().filter(|name| name.ends_with(".parquet")) {
        let bytes = folder.read(&format!("out/small/{name}"));
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{name} is no Parquet file");
    }
}

#[test]
fn the_manifest_describes_the_runs() {
    let folder = Folder::with_small();
    folder.jettison(&["run", "small.toml"]).ok();
    let manifest = folder.json("out/small/manifest.json");
    assert_eq!(manifest["status"], "complete");
    assert_eq!(manifest["name"], "small");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(manifest.get("commit"), jettison_build_info::COMMIT.map(|commit| json!(commit)).as_ref());
    assert_eq!(manifest["seeds"], json!([1, 2]));
    let runs: Vec<(&str, u64)> = manifest["runs"]
        .as_array()
        .expect("runs are a list")
        .iter()
        .map(|run| (run["variant"].as_str().unwrap_or_default(), run["seed"].as_u64().unwrap_or_default()))
        .collect();
    assert_eq!(
        runs,
        [("queue=tail-drop", 1), ("queue=tail-drop", 2), ("queue=codel", 1), ("queue=codel", 2)]
    );
    assert_eq!(manifest["inputs"][0]["path"], "small.toml");
    assert_eq!(manifest["inputs"][0]["sha256"].as_str().map(str::len), Some(64));
    // The effective configuration includes defaults.
    let configuration = manifest["configuration"].as_str().expect("a configuration is text");
    assert!(configuration.contains("payload = \"56 bytes\""), "{configuration}");
}

#[test]
fn the_page_needs_no_network() {
    let folder = Folder::with_small();
    folder.jettison(&["run", "small.toml"]).ok();
    let page = String::from_utf8(folder.read("out/small/report.html")).expect("a page is UTF-8");
    assert!(
        page.contains("<figure class=\"plot") && page.contains("<table"),
        "the page has no plot or no table"
    );
    for outside in ["src=\"http", "href=\"http", "@import", "url(http", "<link"] {
        assert!(!page.contains(outside), "the page refers to something outside: {outside}");
    }
}

#[test]
fn json_prints_records_of_the_answer_the_summary_differences_and_warnings() {
    let folder = Folder::with_small();
    let all = folder.jettison(&["run", "small.toml", "--json"]).records();
    let of_type =
        |kind: &str| all.iter().filter(|record| record["type"] == kind).cloned().collect::<Vec<_>>();
    let (records, differences, warnings) = (of_type("summary"), of_type("difference"), of_type("warning"));
    let answer = of_type("answer");
    assert_eq!(keys(&answer[0]), ["type", "scenario", "mode", "answer", "best"]);
    assert_eq!([&answer[..], &records, &differences, &warnings].concat(), all);
    assert!(!records.is_empty());
    for record in &differences {
        assert_eq!(
            keys(record),
            [
                "type", "scenario", "mode", "variant", "baseline", "object", "metric", "unit", "mean",
                "percent", "ci95", "n"
            ]
        );
        assert_eq!(
            (&record["variant"], &record["baseline"]),
            (&json!("queue=codel"), &json!("queue=tail-drop"))
        );
        let [codel, tail_drop] = ["queue=codel", "queue=tail-drop"].map(|variant| {
            let is = |r: &&Value| {
                r["variant"] == variant && r["object"] == record["object"] && r["metric"] == record["metric"]
            };
            records.iter().find(is).map(|r| (r["mean"].as_f64(), r["n"].clone()))
        });
        // With all seeds in both, the mean of the differences is the difference of the means.
        if let (Some((Some(to), n)), Some((Some(from), m))) = (codel, tail_drop)
            && n == m
            && n == record["n"]
        {
            let mean = record["mean"].as_f64().expect("a mean is a number");
            assert!((mean - (to - from)).abs() <= 1e-9 * to.abs().max(from.abs()), "{record}");
        }
    }
    assert!(differences.iter().any(|record| record["metric"] == "sojourn" && record["n"] == 2));
    assert_eq!(keys(&warnings[0]), ["type", "scenario", "mode", "kind", "reason", "remedy", "concerns"]);
    assert_eq!(warnings[0]["kind"], "few-seeds");
    let told = folder.json("out/small/warnings.json");
    assert_eq!(told.as_array().map(Vec::len), Some(warnings.len()));
    for record in &records {
        assert_eq!(
            keys(record),
            [
                "type", "scenario", "mode", "variant", "object", "metric", "unit", "mean", "p50", "p95",
                "p99", "ci95", "n"
            ]
        );
        assert_eq!((&record["type"], &record["scenario"]), (&json!("summary"), &json!("small")));
        if record["n"] == 2 {
            let interval = record["ci95"].as_array().expect("two seeds give an interval");
            let [low, high] = [&interval[0], &interval[1]].map(|bound| bound.as_f64().unwrap_or(f64::NAN));
            let mean = record["mean"].as_f64().expect("a mean is a number");
            assert!(interval.len() == 2 && low <= mean && mean <= high, "{record}");
        }
    }
    // The same as the stored summary.
    assert_eq!(folder.json("out/small/summary.json"), Value::Array(records.clone()));
    for variant in ["queue=tail-drop", "queue=codel"] {
        assert!((4.0..5.0).contains(&mean(&records, variant, "bulk", "goodput")));
    }
}

#[test]
fn the_baseline_can_be_named() {
    let folder = Folder::with_small();
    let records = folder.jettison(&["run", "small.toml", "--json", "--set", "baseline=codel"]).records();
    let mut differences = records.iter().filter(|record| record["type"] == "difference").peekable();
    assert!(differences.peek().is_some());
    assert!(differences.all(|record| record["baseline"] == "queue=codel"));
    let variants = folder.json("out/small/manifest.json")["variants"].clone();
    assert_eq!((&variants[0]["baseline"], &variants[1]["baseline"]), (&json!("queue=codel"), &Value::Null));
    let said = folder.jettison(&["run", "small.toml", "--set", "baseline=coddel"]).refused();
    assert!(
        said.contains(
            "`baseline` must name a variant or a label of an axis, got `coddel`; did you mean `codel`?"
        ),
        "{said}"
    );
}

#[test]
fn one_seed_has_no_interval() {
    let folder = Folder::with_small();
    let records = folder.jettison(&["run", "small.toml", "--runs", "1", "--json"]).records();
    let (warnings, values): (Vec<&Value>, Vec<&Value>) =
        records.iter().partition(|record| record["type"] == "warning");
    let (answers, values): (Vec<&Value>, Vec<&Value>) =
        values.into_iter().partition(|record| record["type"] == "answer");
    assert_eq!((answers.len(), &answers[0]["best"]), (1, &json!([])));
    assert!(values.iter().all(|record| record["n"] == 1 && record["ci95"].is_null()));
    assert!(warnings[0]["reason"].as_str().is_some_and(|reason| reason.starts_with("One seed")));
}

#[test]
fn seed_and_runs_choose_the_seeds() {
    let folder = Folder::with_small();
    let seeds = |arguments: &[&str]| {
        folder.jettison(&[&["run", "small.toml"], arguments].concat()).ok();
        folder.json("out/small/manifest.json")["seeds"].clone()
    };
    assert_eq!(seeds(&["--seed", "7", "--runs", "3"]), json!([7, 8, 9]));
    assert_eq!(seeds(&["--seed", "7"]), json!([7, 8]));
    assert_eq!(seeds(&["--runs", "1"]), json!([1]));
}

#[test]
fn jobs_say_how_many_runs_go_at_once() {
    let folder = Folder::with_small();
    folder.jettison(&["run", "small.toml", "--jobs", "3"]).ok();
    assert_eq!(folder.json("out/small/timing.json")["jobs"], 3);
}

#[test]
fn set_overrides_any_key_and_the_manifest_says_so() {
    let folder = Folder::with_small();
    let set = ["--set", "links.bottleneck.rate=2 Mbit/s", "--set", "flows.echo.app.interval=50 ms"];
    let records = folder.jettison(&[&["run", "small.toml", "--json"], &set[..]].concat()).records();
    assert!((1.5..=2.01).contains(&mean(&records, "queue=codel", "bottleneck.forward", "throughput")));
    assert_eq!(mean(&records, "queue=codel", "echo", "sent"), 30.0);
    let manifest = folder.json("out/small/manifest.json");
    let configuration = manifest["configuration"].as_str().expect("a configuration is text");
    assert!(configuration.contains("rate = \"2 Mbit/s\""), "{configuration}");
}

#[test]
fn an_axis_can_be_narrowed_with_set() {
    let folder = Folder::with_small();
    let set = "vary=[{ path = \"links.bottleneck.queue\", values = [\"codel\"] }]";
    let records = folder.jettison(&["run", "small.toml", "--json", "--set", set]).records();
    let of_variants = records.iter().filter(|record| record.get("variant").is_some());
    assert!(of_variants.clone().count() > 0);
    assert!(of_variants.clone().all(|record| record["variant"] == "queue=codel"));
    assert!(records.iter().all(|record| record["type"] != "difference"));
}

#[test]
fn quick_takes_the_short_form_and_set_goes_over_it() {
    let folder = Folder::with_small();
    let ran = folder.jettison(&["run", "small.toml", "--quick"]);
    assert!(
        ran.stderr.contains("--quick applies the [quick] table of small.toml: duration = 1 s"),
        "{}",
        ran.stderr
    );
    let manifest = folder.json("out/small-quick/manifest.json");
    assert_eq!((&manifest["duration"], &manifest["seeds"]), (&json!("1 s"), &json!([1])));
    folder.jettison(&["run", "small.toml", "--quick", "--set", "duration=1.5 s"]).ok();
    assert_eq!(folder.json("out/small-quick/manifest.json")["duration"], "1.5 s");
}

#[test]
fn the_short_form_does_not_replace_full_results() {
    let folder = Folder::with_small();
    folder.jettison(&["run", "small.toml"]).ok();
    let full = folder.read("out/small/manifest.json");
    folder.jettison(&["run", "small.toml", "--quick"]).ok();
    assert_eq!(folder.read("out/small/manifest.json"), full);
    assert_eq!(folder.names("out"), ["small", "small-quick"]);
}

#[test]
fn pcap_captures_every_port_of_every_run() {
    let folder = Folder::with_small();
    folder.jettison(&["run", "small.toml", "--quick", "--pcap"]).ok();
    let mut expected = Vec::new();
    for variant in ["queue=codel", "queue=tail-drop"] {
        for port in ["access.forward", "access.reverse", "bottleneck.forward", "bottleneck.reverse"] {
            expected.push(format!("{variant}/1/{port}.pcapng"));
        }
    }
    assert_eq!(folder.files("out/small-quick/pcap"), expected);
    for file in expected {
        let bytes = folder.read(&format!("out/small-quick/pcap/{file}"));
        // A section header block, and more than the blocks that describe the port.
        assert!(bytes.starts_with(&[0x0a, 0x0d, 0x0d, 0x0a]) && bytes.len() > 1000, "{file}");
    }
}

#[test]
fn out_names_the_folder_and_our_own_is_replaced() {
    let folder = Folder::with_small();
    folder.jettison(&["run", "small.toml", "--quick", "--pcap", "--out", "deep/er"]).ok();
    assert_eq!(folder.names(""), ["deep", "small.toml"]);
    assert!(folder.path("deep/er/pcap").exists());
    folder.jettison(&["run", "small.toml", "--quick", "--out", "deep/er", "--seed", "5"]).ok();
    assert_eq!(folder.json("deep/er/manifest.json")["seeds"], json!([5]));
    // Nothing of the first run is among the results of the second.
    assert_eq!(folder.names("deep/er"), RESULTS);
    assert_eq!(folder.names("deep"), ["er"]);
}

#[test]
fn a_name_with_slashes_gives_folders() {
    let folder = Folder::new();
    folder.write("small.toml", &super::support::changed("name = \"small\"", "name = \"paper/small\""));
    folder.jettison(&["run", "small.toml", "--quick"]).ok();
    assert_eq!(folder.names("out/paper/small-quick"), RESULTS);
}

#[test]
fn numbers_out_of_range_are_refused() {
    let folder = Folder::with_small();
    for (option, value) in
        [("--runs", "0"), ("--jobs", "0"), ("--seed", "18446744073709551615"), ("--runs", "many")]
    {
        let said = folder.jettison(&["run", "small.toml", option, value]).refused();
        assert!(said.starts_with("error: ") && said.contains(option), "{said}");
    }
    assert_eq!(folder.names(""), ["small.toml"]);
}
