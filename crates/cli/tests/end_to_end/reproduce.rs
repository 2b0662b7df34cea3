//! `jettison reproduce`: a paper's figures beside ours.

use serde_json::{Value, json};

use super::support::{Folder, Ran, SMALL, changed, keys};

const FIGURES: &str = include_str!("../../../../scenarios/ired/ingress-vs-egress.paper.toml");
const FIELDS: [&str; 16] = [
    "paper",
    "experiment",
    "figure",
    "variant",
    "metric",
    "unit",
    "paper_value",
    "nominal",
    "sentence",
    "neutral",
    "ours",
    "ci95",
    "ratio",
    "effect",
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

/// A ledger for it: a claim that rows test, and one that none can.
const LEDGER: &str = r#"paper = "A tiny paper, with a subtitle"

[[claim]]
id = "rate"
section = "2"
kind = "number"
claim = "The link carries 5 Mbit/s."
rows = ["small: rate"]

[[claim]]
id = "all-rates"
section = "3"
kind = "comparison"
claim = "Every queue carries as much."
rows = ["small: rate", "small: wishful*", "small: nothing"]

[[claim]]
id = "hardware"
section = "4"
kind = "number"
claim = "The switch takes 1 us."
reason = "Hardware of the testbed."
"#;

fn with_tiny() -> Folder {
    let folder = Folder::new();
    folder.write("papers/tiny/small.toml", SMALL);
    folder.write("papers/tiny/small.paper.toml", TINY);
    folder
}

/// The records of one type, without it.
fn of_type(records: &[Value], kind: &str) -> Vec<Value> {
    let of_kind = records.iter().filter(|record| record["type"] == kind);
    let without = |record: &Value| {
        let mut record = record.clone();
        record.as_object_mut().expect("a record is an object").shift_remove("type");
        record
    };
    of_kind.map(without).collect()
}

fn verdicts(records: &[Value]) -> Vec<&str> {
    records.iter().map(|record| record["verdict"].as_str().unwrap_or_default()).collect()
}

#[test]
fn ired_prints_one_row_per_figure() {
    let folder = Folder::new();
    let name = ["reproduce", "ired/ingress-vs-egress", "--all"];
    let printed = folder.jettison(&[&name[..], &SHORT].concat()).ok();
    assert!(printed.starts_with("ired/ingress-vs-egress: "), "{printed}");
    let printed = printed.split_whitespace().collect::<Vec<_>>().join(" "); // tables and notes break lines
    for part in ["figure", "paper", "ours", "ratio", "verdict", "ired-1024", "0.0380", "2.48"] {
        assert!(printed.contains(part), "{part} is not in:\n{printed}");
    }
    assert!(folder.path("out/ired/ingress-vs-egress-quick/report.html").exists());
    assert_eq!(folder.names("out/ired"), ["ingress-vs-egress-quick"]);
}

#[test]
fn ired_json_has_one_record_per_figure() {
    let folder = Folder::new();
    let name = ["reproduce", "ired/ingress-vs-egress", "--json", "--out", "results"];
    let printed = folder.jettison(&[&name[..], &SHORT].concat()).records();
    let records = of_type(&printed, "row");
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
        let known = [
            "agrees",
            "same direction",
            "stronger",
            "weaker",
            "unclear",
            "contradicts",
            "no value in the paper",
        ];
        assert!(known.contains(&verdict), "{record}");
        assert_eq!(record["paper_value"].is_null(), verdict == "no value in the paper", "{record}");
    }
    let summary = printed.iter().filter(|record| record["type"] == "summary").cloned().collect();
    assert_eq!(folder.json("results/summary.json"), Value::Array(summary), "as `run --json` prints it");
    let last = printed.last().expect("there are records");
    assert_eq!((last["type"].as_str(), last["total"].as_u64()), (Some("counts"), Some(records.len() as u64)));
    assert_eq!(folder.json("results/reproduction.json"), Value::Array(records));
}

#[test]
fn a_contradiction_is_no_failure() {
    let folder = with_tiny();
    let arguments = ["reproduce", "tiny/small", "--scenarios", "papers", "--json"];
    let printed = folder.jettison(&arguments).records();
    let records = of_type(&printed, "row");
    assert_eq!(verdicts(&records), ["agrees", "weaker", "not run"]);
    assert_eq!(records[1]["note"], "The link has 5 Mbit/s.");
    let effect = records[1]["effect"].as_f64().unwrap_or_default();
    assert!((0.08..0.11).contains(&effect), "5 of 50 Mbit/s: {effect}");
    for key in ["ours", "ratio", "ci95", "effect"] {
        assert!(records[2][key].is_null(), "{key}: {}", records[2]);
    }
    assert_eq!(records[2]["note"], "no value of ours: variant `queue=sfq` did not run");
    let counts = json!({
        "type": "counts", "paper": "tiny", "experiment": "small", "of": "rows", "total": 3,
        "verdicts": {"agrees": 1, "weaker": 1, "not run": 1},
    });
    assert_eq!(printed.last(), Some(&counts));
}

#[test]
fn words_without_a_number_are_marked_and_explained() {
    let folder = with_tiny();
    let claim = "\n[[row]]\nfigure = \"less\"\nmetric = \"throughput\"\nunit = \"x\"\nvalue = 0.5\nneutral = 1.0\n\
        exact = \"direction\"\nours = { variant = \"queue=codel\", object = \"bottleneck.forward\", metric = \"throughput\" }\n\
        over = { variant = \"queue=codel\", object = \"bottleneck.forward\", metric = \"throughput\" }\n";
    folder.write("papers/tiny/small.paper.toml", &format!("{TINY}{claim}"));
    let arguments = ["reproduce", "tiny/small", "--scenarios", "papers"];
    let rows = of_type(&folder.jettison(&[&arguments[..], &["--json"]].concat()).records(), "row");
    assert_eq!((&rows[3]["nominal"], &rows[3]["paper_value"]), (&json!(true), &json!(0.5)));
    assert_eq!((&rows[3]["sentence"], &rows[3]["verdict"]), (&json!("less"), &json!("contradicts")));
    let printed = folder.jettison(&arguments).ok();
    for part in [
        "(< 1)",
        "\n(< 1): nominal: the paper states this in words",
        "\ncontradicts: the sentence does not hold",
    ] {
        assert!(printed.contains(part), "{part} is not in:\n{printed}");
    }
    assert!(
        printed.contains("tiny/small: 4 rows: agrees 1, weaker 1, contradicts 1, not run 1\n"),
        "{printed}"
    );
    let report = String::from_utf8(folder.read("out/small/report.html")).expect("a page is UTF-8");
    assert!(report.contains("(&lt; 1)") && report.contains("<dt>not run</dt>"));
}

#[test]
fn variants_that_a_setting_removes_are_not_run() {
    let folder = with_tiny();
    let arguments = ["reproduce", "tiny/small", "--scenarios", "papers", "--json", "--set", "vary=[]"];
    let rows = of_type(&folder.jettison(&arguments).records(), "row");
    assert_eq!(verdicts(&rows), ["not run"; 3]);
}

#[test]
fn a_paper_ends_with_the_verdicts_on_its_claims() {
    let folder = with_tiny();
    folder.write("papers/tiny/claims.toml", LEDGER);
    let arguments = ["reproduce", "tiny", "--scenarios", "papers"];
    let printed = folder.jettison(&[&arguments[..], &["--json"]].concat()).records();
    let claims = of_type(&printed, "claim");
    assert_eq!(keys(&claims[0]), ["paper", "id", "section", "kind", "claim", "verdict", "rows", "reason"]);
    assert_eq!(verdicts(&claims), ["agrees", "not run", "untested"]);
    assert_eq!(claims[1]["rows"], json!(["small: rate", "small: wishful rate", "small: nothing"]));
    assert_eq!(claims[2]["reason"], "Hardware of the testbed.");
    let counts = of_type(&printed, "counts");
    assert_eq!(
        counts.iter().map(|count| count["of"].as_str()).collect::<Vec<_>>(),
        [Some("rows"), Some("claims")]
    );
    assert_eq!(counts[1]["verdicts"], json!({"agrees": 1, "not run": 1, "untested": 1}));
    let text = folder.jettison(&arguments).ok();
    assert!(text.contains("Every queue carries as much."), "{text}");
    assert!(!text.contains("The switch takes 1 us."), "an untested claim has no verdict:\n{text}");
    assert!(text.contains("\ntiny: 3 claims: agrees 1, not run 1, untested 1\n"), "{text}");
    // One experiment is not the paper.
    let one = ["reproduce", "tiny/small", "--scenarios", "papers", "--out", "other", "--json"];
    let one = folder.jettison(&one).records();
    assert!(of_type(&one, "claim").is_empty());
}

#[test]
fn the_ledger_is_printed_without_a_run() {
    let folder = with_tiny();
    folder.write("papers/tiny/claims.toml", LEDGER);
    let ledger = |name: &str| folder.jettison(&["reproduce", name, "--scenarios", "papers", "--ledger"]);
    let printed = ledger("tiny").ok();
    assert!(printed.starts_with("3 claims: 2 tested, 1 untested.\n\n| where | claim |"), "{printed}");
    assert!(
        printed.contains("| 4 | The switch takes 1 us. | number | Hardware of the testbed. |\n"),
        "{printed}"
    );
    assert_eq!(
        ledger("tiny/small").refused(),
        "jettison: --ledger requires a paper, got the experiment `tiny/small`"
    );
    folder.write("papers/other/small.toml", SMALL);
    let said = ledger("other").refused();
    assert_eq!(said, "jettison: --ledger requires a claims.toml beside the scenarios of `other`");
    assert_eq!(folder.names(""), ["papers"]);
}

#[test]
fn a_claim_of_an_unknown_row_is_found_before_anything_runs() {
    let folder = with_tiny();
    folder.write("papers/tiny/claims.toml", &LEDGER.replacen("small: wishful*", "small: wistful*", 1));
    let said = folder.jettison(&["reproduce", "tiny", "--scenarios", "papers"]).refused();
    assert_eq!(said, "jettison: tiny/claims.toml: claim `all-rates`: unknown row `small: wistful*`");
    assert_eq!(folder.names(""), ["papers"]);
}

#[test]
fn a_paper_runs_all_its_experiments_each_to_its_own_folder() {
    let folder = with_tiny();
    folder.write("papers/tiny/other.toml", &changed("name = \"small\"", "name = \"tiny/other\""));
    let arguments = ["reproduce", "tiny", "--scenarios", "papers", "--quick", "--all", "--out", "all"];
    let ran = folder.jettison(&arguments);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    // Its progress, one line per experiment.
    assert_eq!(ran.stderr.lines().filter(|line| line.contains("experiment 1 of 2: tiny/other")).count(), 1);
    let printed = ran.stdout;
    assert_eq!(folder.names("all"), ["other", "small"]);
    assert!(printed.contains("\ntiny/small: "), "{printed}");
    assert!(printed.contains("No figures of a paper belong to this experiment."), "{printed}");
    let arguments = ["reproduce", "tiny/other", "--scenarios", "papers", "--quick", "--json"];
    let records = folder.jettison(&arguments).records();
    assert!(!of_type(&records, "summary").is_empty(), "an experiment without figures has records, too");
    assert!(of_type(&records, "row").is_empty());
    assert_eq!(of_type(&records, "counts")[0]["total"], 0);
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
fn the_message_about_an_unknown_name_has_the_nearest_or_the_known_ones() {
    for name in ["nonsense-and-more", "ired/nonsense"] {
        let said = Folder::new().jettison(&["reproduce", name]).refused();
        assert!(said.starts_with(&format!("jettison: unknown experiment `{name}`; known are: ")), "{said}");
        assert!(said.contains("ired/ingress-vs-egress"), "{said}");
    }
    for (name, near) in [("ird", "ired"), ("ired/mixd", "ired/mixed"), ("mixed", "ired/mixed")] {
        let said = Folder::new().jettison(&["reproduce", name]).refused();
        assert_eq!(said, format!("jettison: unknown experiment `{name}`; did you mean `{near}`?"));
    }
}

#[test]
fn without_a_name_it_lists_all_experiments_by_paper() {
    let printed = Folder::new().jettison(&["reproduce", "--all"]).ok();
    let heading = printed.lines().position(|line| line.starts_with("ired: iRED: ")).expect("a heading");
    let entry =
        printed.lines().position(|line| line.starts_with("  ired/ingress-vs-egress ")).expect("an entry");
    assert!(heading < entry, "{printed}");
    for part in [
        "iRED (drop at ingress, five buffer references, two coins)",
        "86 rows)",
        "jettison reproduce PAPER/EXPERIMENT",
    ] {
        let flat = printed.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(part), "{part} is not in:\n{printed}");
    }
    assert!(printed.lines().all(|line| line.chars().count() <= 100), "{printed}");
}

#[test]
fn the_list_has_records() {
    let folder = with_tiny();
    let records = folder.jettison(&["reproduce", "--scenarios", "papers", "--json"]).records();
    let entry = json!({
        "type": "experiment", "paper": "tiny", "experiment": "small", "title": "small", "rows": 3, "runs": 4,
        "simulated_seconds": 8.0,
    });
    assert_eq!(records, [entry]);
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
    let other = at("out/tiny/other-quick");
    let asked = format!("drew -m jettison.figures tiny/other {other} --out out/tiny/figures-quick --json");
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
    assert!(ran.stderr.ends_with("jettison: why\njettison: no figure could be drawn\n"), "{}", ran.stderr);
    assert!(folder.path("out/small-quick/report.html").exists());
}
