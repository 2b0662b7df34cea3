//! `jettison reproduce`: a paper's figures beside ours.

use serde_json::Value;

use super::support::{Folder, Ran, SMALL, changed, keys};

const FIGURES: &str = include_str!("../../../../scenarios/ired/ingress-vs-egress.paper.toml");
const FIELDS: [&str; 12] = [
    "paper",
    "experiment",
    "figure",
    "variant",
    "metric",
    "unit",
    "paper_value",
    "ours",
    "ci95",
    "ratio",
    "verdict",
    "note",
];
const SHORT: [&str; 7] = ["--quick", "--runs", "2", "--set", "duration=3 s", "--set", "warm_up=1 s"];

/// Figures for the small scenario: one that we measure, one that we do not, one of an unknown object.
const TINY: &str = r#"paper = "A tiny paper"
experiment = "small"

[[row]]
figure = "rate"
metric = "throughput"
unit = "Mbit/s"
value = 5.0
exact = "text"
tolerance = 0.05
ours = { variant = "queue=codel", object = "bottleneck.forward", metric = "throughput" }

[[row]]
figure = "wishful rate"
metric = "throughput"
unit = "Mbit/s"
value = 50.0
exact = "text"
tolerance = 0.05
ours = { variant = "queue=codel", object = "bottleneck.forward", metric = "throughput" }
note = "The link has 5 Mbit/s."

[[row]]
figure = "nothing"
metric = "throughput"
unit = "Mbit/s"
value = 5.0
exact = "text"
ours = { variant = "queue=sfq", object = "bottleneck.forward", metric = "throughput" }
"#;

fn with_tiny() -> Folder {
    let folder = Folder::new();
    folder.write("papers/tiny/small.toml", SMALL);
    folder.write("papers/tiny/small.paper.toml", TINY);
    folder
}

fn verdicts(records: &[Value]) -> Vec<&str> {
    records.iter().map(|record| record["verdict"].as_str().unwrap_or_default()).collect()
}

#[test]
fn ired_prints_one_row_per_figure() {
    let folder = Folder::new();
    let name = ["reproduce", "ired/ingress-vs-egress"];
    let printed = folder.jettison(&[&name[..], &SHORT].concat()).ok();
    assert!(printed.starts_with("ired/ingress-vs-egress\n"), "{printed}");
    let printed = printed.split_whitespace().collect::<Vec<_>>().join(" "); // tables and notes break lines
    for part in
        ["figure", "paper", "ours", "ratio", "verdict", "ired-1024", "0.0380", "see ingress-vs-egress-rate"]
    {
        assert!(printed.contains(part), "{part} is not in:\n{printed}");
    }
    assert!(folder.path("out/ired/ingress-vs-egress/report.html").exists());
    assert_eq!(folder.names("out/ired"), ["ingress-vs-egress"]);
}

#[test]
fn ired_json_has_one_record_per_figure() {
    let folder = Folder::new();
    let name = ["reproduce", "ired/ingress-vs-egress", "--json", "--out", "results"];
    let records = folder.jettison(&[&name[..], &SHORT].concat()).records();
    assert_eq!(records.len(), FIGURES.matches("[[row]]").count());
    for record in &records {
        assert_eq!(keys(record), FIELDS);
        assert_eq!(
            (record["paper"].as_str(), record["experiment"].as_str()),
            (Some("ired"), Some("ingress-vs-egress"))
        );
        assert!(record["ours"].is_f64(), "every figure has a value of ours: {record}");
        assert_eq!(record["ci95"].as_array().map(Vec::len), Some(2), "{record}");
        let verdict = record["verdict"].as_str().unwrap_or_default();
        assert!(["agrees", "same direction", "differs"].contains(&verdict), "{record}");
    }
    assert_eq!(folder.json("results/reproduction.json"), Value::Array(records));
}

#[test]
fn a_verdict_of_differs_is_no_failure() {
    let folder = with_tiny();
    let arguments = ["reproduce", "tiny/small", "--scenarios", "papers", "--json"];
    let records = folder.jettison(&arguments).records();
    assert_eq!(verdicts(&records), ["agrees", "differs", "differs"]);
    assert_eq!(records[1]["note"], "The link has 5 Mbit/s.");
    assert!(records[2]["ours"].is_null() && records[2]["ratio"].is_null() && records[2]["ci95"].is_null());
    assert!(records[2]["note"].as_str().is_some_and(|note| note.contains("no value of ours")));
}

#[test]
fn a_paper_runs_all_its_experiments_each_to_its_own_folder() {
    let folder = with_tiny();
    folder.write("papers/tiny/other.toml", &changed("name = \"small\"", "name = \"tiny/other\""));
    let arguments = ["reproduce", "tiny", "--scenarios", "papers", "--quick", "--out", "all"];
    let printed = folder.jettison(&arguments).ok();
    assert_eq!(folder.names("all"), ["other", "small"]);
    assert!(printed.contains("tiny/small\n"), "{printed}");
    assert!(printed.contains("No figure of the paper to compare this experiment with."), "{printed}");
}

#[test]
fn wrong_figures_are_found_before_anything_runs() {
    let folder = with_tiny();
    folder.write("papers/tiny/small.paper.toml", &TINY.replacen("value = 5.0", "vaule = 5.0", 1));
    let said = folder.jettison(&["reproduce", "tiny", "--scenarios", "papers"]).refused();
    assert!(said.contains("papers/tiny/small.paper.toml:"), "{said}");
    assert!(said.contains("vaule"), "{said}");
    assert_eq!(folder.names(""), ["papers"]);
}

#[test]
fn the_message_about_an_unknown_name_lists_the_known_ones() {
    for name in ["nonsense", "ired/nonsense"] {
        let said = Folder::new().jettison(&["reproduce", name]).refused();
        assert!(said.starts_with(&format!("jettison: unknown experiment `{name}`; known are: ")), "{said}");
        assert!(said.contains("ired/ingress-vs-egress"), "{said}");
    }
}

#[test]
fn without_a_name_it_lists_all_experiments() {
    let printed = Folder::new().jettison(&["reproduce"]).ok();
    assert!(printed.lines().any(|line| line.starts_with("ired/ingress-vs-egress ")), "{printed}");
}

/// A stand-in for a Python with the package, which prints its arguments.
#[cfg(unix)]
fn with_python(folder: &Folder, script: &str) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    folder.write("python", &format!("#!/bin/sh\n{script}\n"));
    let path = folder.path("python");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("the file is ours");
    path.display().to_string()
}

#[cfg(unix)]
fn drawn(folder: &Folder, python: &str, arguments: &[&str]) -> Ran {
    let common = ["--scenarios", "papers", "--quick", "--figures"];
    let mut command = folder.command(&[&["reproduce"], arguments, &common].concat());
    Ran::of(command.env("JETTISON_PYTHON", python))
}

#[test]
#[cfg(unix)]
fn figures_are_drawn_from_the_results_once_all_are_there() {
    let folder = with_tiny();
    folder.write("papers/tiny/other.toml", &changed("name = \"small\"", "name = \"tiny/other\""));
    let script =
        "case \"$*\" in *--check*) exit 0;; esac\nls */report.html */*/report.html >&2\necho \"drew $*\"";
    let python = with_python(&folder, script);
    let ran = drawn(&folder, &python, &["tiny", "--out", "all"]);
    assert_eq!(ran.status, Some(0));
    let last = ran.stdout.lines().last().unwrap_or_default();
    let at = |name: &str| folder.path(name).display().to_string();
    let (other, small) = (at("all/other"), at("all/small"));
    assert_eq!(last, format!("drew -m jettison.figures tiny {other} {small} --out all/figures"));
    assert!(ran.stderr.contains("all/other/report.html") && ran.stderr.contains("all/small/report.html"));
    // For one experiment, they go beside its results.
    let ran = drawn(&folder, &python, &["tiny/other", "--json"]);
    let other = at("out/tiny/other");
    let asked = format!("drew -m jettison.figures tiny/other {other} --out out/tiny/figures --json");
    assert_eq!(ran.stdout.lines().last(), Some(asked.as_str()));
}

#[test]
#[cfg(unix)]
fn without_a_python_that_draws_nothing_runs() {
    let folder = with_tiny();
    let said = drawn(&folder, "./nothing", &["tiny/small"]).refused();
    assert!(said.starts_with("jettison: --figures requires a Python with the package `jettison`"), "{said}");
    assert!(
        said.contains("./nothing -m pip install '.[plot]'") && said.contains("JETTISON_PYTHON"),
        "{said}"
    );
    // A Python without the package, and one whose package has no such figures.
    let python = with_python(&folder, "echo 'Traceback' >&2; echo 'No module named jettison' >&2; exit 1");
    let said = drawn(&folder, &python, &["tiny/small"]).refused();
    assert!(said.contains("cannot draw: No module named jettison\n"), "{said}");
    let python = with_python(&folder, "echo 'jettison: no figures of `tiny`; there are: ired' >&2; exit 2");
    let said = drawn(&folder, &python, &["tiny/small"]).refused();
    assert_eq!(said, "jettison: no figures of `tiny`; there are: ired");
    assert_eq!(folder.names(""), ["papers", "python"]);
}

#[test]
#[cfg(unix)]
fn figures_that_cannot_be_drawn_are_a_failure_and_the_results_stay() {
    let folder = with_tiny();
    let python =
        with_python(&folder, "case \"$*\" in *--check*) exit 0;; esac\necho 'jettison: why' >&2; exit 1");
    let ran = drawn(&folder, &python, &["tiny/small"]);
    assert_eq!(ran.status, Some(2));
    assert_eq!(ran.stderr, "jettison: why\njettison: no figure could be drawn\n");
    assert!(folder.path("out/small/report.html").exists());
}
