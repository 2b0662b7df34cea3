//! Tables of the book that repeat declarations of the code.
//!
//! `UPDATE_BOOK=1 cargo test -p jettison-cli --test end_to_end book` updates them.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::support::Folder;

fn page(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src").join(name)
}

fn listed(kind: &str) -> Vec<Value> {
    Folder::new().jettison(&["list", kind, "--json"]).records()
}

fn text<'a>(entry: &'a Value, key: &str) -> &'a str {
    entry[key].as_str().unwrap_or_else(|| panic!("no `{key}` in {entry}"))
}

/// Checks that the table between `<!-- name -->` and `<!-- end -->` of a page has these rows.
fn hold(file: &str, name: &str, rows: &[String]) {
    // Tests run in parallel, and several tables share one file.
    static UPDATE: Mutex<()> = Mutex::new(());
    let _turn = UPDATE.lock().unwrap_or_else(PoisonError::into_inner);
    let path = page(file);
    let page = std::fs::read_to_string(&path).expect("the page can be read");
    let start = format!("<!-- {name} -->\n");
    let from = page.find(&start).unwrap_or_else(|| panic!("{file} has no `{}`", start.trim())) + start.len();
    let to = from + page[from..].find("<!-- end -->").expect("the table has an end");
    let wanted: String = rows.iter().map(|row| format!("{row}\n")).collect();
    if std::env::var_os("UPDATE_BOOK").is_some() {
        std::fs::write(&path, format!("{}{wanted}{}", &page[..from], &page[to..]))
            .expect("the page can be written");
        return;
    }
    assert_eq!(
        &page[from..to],
        wanted,
        "the table `{name}` of {file} is not what `jettison` prints: \
         UPDATE_BOOK=1 cargo test -p jettison-cli --test end_to_end book"
    );
}

#[test]
fn reasons_are_those_of_the_code() {
    let reasons = listed("reasons");
    for (name, kind) in [("drop reasons", "drop"), ("mark reasons", "mark")] {
        let head = ["| reason | owner | when |".to_owned(), "| --- | --- | --- |".to_owned()];
        let of_kind = reasons.iter().filter(|reason| reason["kind"] == kind);
        let rows = of_kind.map(|reason| {
            format!(
                "| `{}` | {} | {} |",
                text(reason, "id"),
                text(reason, "owner"),
                text(reason, "description")
            )
        });
        hold("appendix/results.md", name, &head.into_iter().chain(rows).collect::<Vec<_>>());
    }
}

#[test]
fn components_of_delays_are_those_of_the_code() {
    let head = ["| component | the unit waited because |".to_owned(), "| --- | --- |".to_owned()];
    let rows = jettison_measure::Component::ALL
        .map(|component| format!("| `{}` | {} |", component.name(), component.description()));
    hold("accounts.md", "components", &head.into_iter().chain(rows).collect::<Vec<_>>());
}

#[test]
fn metrics_are_those_of_the_code() {
    let head =
        ["| metric | unit | of | in | what |".to_owned(), "| --- | --- | --- | --- | --- |".to_owned()];
    let rows = listed("metrics").into_iter().map(|metric| {
        let kept: Vec<&str> =
            metric["kept"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let (id, unit, owner) = (text(&metric, "id"), text(&metric, "unit"), text(&metric, "owner"));
        format!("| `{id}` | {unit} | {owner} | {} | {} |", kept.join(", "), text(&metric, "description"))
    });
    hold("appendix/results.md", "metrics", &head.into_iter().chain(rows).collect::<Vec<_>>());
}

#[test]
fn gauges_are_those_of_the_code() {
    let head = ["| gauge | unit | of | what |".to_owned(), "| --- | --- | --- | --- |".to_owned()];
    let rows = listed("gauges").into_iter().map(|gauge| {
        let (id, unit) = (text(&gauge, "id"), text(&gauge, "unit"));
        format!("| `{id}` | {unit} | {} | {} |", text(&gauge, "owner"), text(&gauge, "description"))
    });
    hold("appendix/results.md", "gauges", &head.into_iter().chain(rows).collect::<Vec<_>>());
}

#[test]
fn ledgers_are_those_of_the_papers() {
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let papers = std::fs::read_dir(scenarios).expect("the scenarios can be read");
    let paths = papers.map(|paper| paper.expect("the folder can be read").path());
    for path in paths.filter(|path| path.join("claims.toml").exists()) {
        let paper = path.file_name().and_then(|name| name.to_str()).expect("a paper's name is UTF-8");
        let ledger = Folder::new().jettison(&["reproduce", paper, "--ledger"]).ok();
        let rows: Vec<String> = ledger.lines().map(str::to_owned).collect();
        hold(&format!("appendix/papers/{paper}.md"), "claims", &rows);
    }
}

#[test]
fn the_result_of_rrul_is_what_the_command_prints() {
    let printed = Folder::new().jettison(&["run", "rrul", "--seed", "1"]).ok();
    // The last lines name the folder.
    let shown = printed.lines().filter(|line| !line.starts_with("Results:") && !line.starts_with("Report:"));
    let rows = ["```text"].into_iter().chain(shown).chain(["```"]).map(str::to_owned);
    hold("appendix/presets.md", "rrul", &rows.collect::<Vec<_>>());
}

/// The page of each discipline names its gauges.
#[test]
fn pages_of_disciplines_name_their_gauges() {
    for gauge in listed("gauges") {
        let (id, owner) = (text(&gauge, "id"), text(&gauge, "owner"));
        let file = page(&format!("disciplines/{owner}.md"));
        if file.exists() {
            let page = std::fs::read_to_string(&file).expect("the page can be read");
            assert!(page.contains(&format!("`{id}`")), "disciplines/{owner}.md does not name `{id}`");
        }
    }
}
