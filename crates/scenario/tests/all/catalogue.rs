//! The whole catalogue: every component can be chosen in a scenario, and has its page, its look and its tests.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use jettison_registry::EntryDoc;
use jettison_registry::style::PALETTE;
use jettison_scenario::build::Builder;
use jettison_scenario::{Changes, Files, Scenario};
use serde_json::{Map, Value};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn catalogue() -> Vec<EntryDoc> {
    Builder::standard().catalogue()
}

#[test]
fn every_entry_has_a_page_that_names_it() {
    let book = root().join("docs/src");
    let contents = fs::read_to_string(book.join("SUMMARY.md")).unwrap();
    let mut unnamed = Vec::new();
    for entry in catalogue() {
        let page = entry.page.unwrap_or_else(|| panic!("{} {} has no page", entry.kind, entry.id));
        let text = fs::read_to_string(book.join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        let spelt = ["`ID`", "\"ID\"", "`ID ", "/ID`"].map(|form| form.replace("ID", entry.id));
        if !spelt.iter().any(|form| text.contains(form)) {
            unnamed.push(format!("{page} does not name the {} `{}`", entry.kind, entry.id));
        }
        assert!(contents.contains(page), "SUMMARY.md does not list {page}");
    }
    assert!(unnamed.is_empty(), "{unnamed:#?}");
}

/// Bars and ellipses have no dashes: the colour alone must tell queue disciplines apart. Of other kinds, the line may. Colours of
/// the palette are held to a perceptual distance by its own test.
#[test]
fn no_two_queue_disciplines_have_one_colour_and_no_two_entries_of_a_kind_look_alike() {
    let mut seen = HashMap::new();
    for EntryDoc { kind, id, colour, line, .. } in catalogue() {
        let colour = colour.unwrap_or_else(|| panic!("{kind} {id} has no colour"));
        assert!(
            PALETTE.iter().any(|own| own.to_string() == colour),
            "{kind} {id}: {colour} is not in the palette"
        );
        let line = if kind == "queue" { None } else { line };
        if let Some(other) = seen.insert((kind, colour, line), id) {
            panic!("{kind}: {id} and {other} have the same colour, and line");
        }
    }
}

#[test]
fn every_entry_says_what_it_is_and_where_it_comes_from() {
    for entry in catalogue() {
        for (key, text) in [("name", entry.name), ("summary", entry.summary), ("source", entry.source)] {
            assert!(!text.is_empty(), "{} {} has no {key}", entry.kind, entry.id);
        }
    }
}

/// All Rust files of a folder and its subfolders.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    paths
        .flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

#[test]
fn every_entry_has_tests() {
    let crates = fs::read_dir(root().join("crates")).unwrap();
    let integration: Vec<PathBuf> =
        crates.flat_map(|one| rust_files(&one.unwrap().path().join("tests"))).collect();
    let mut untested = Vec::new();
    for entry in catalogue() {
        let file = root().join(entry.file);
        let folder = file.parent().unwrap();
        // `pie.rs` has its tests in itself or in `pie/`; a module's `mod.rs` has its folder to itself.
        let own_folder = match file.file_name().unwrap().to_str() {
            Some("mod.rs") => folder.to_owned(),
            _ => file.with_extension(""),
        };
        let mut own = rust_files(&own_folder);
        own.push(file.clone());
        let has_own = own.iter().any(|path| fs::read_to_string(path).unwrap().contains("#[test]"));
        // Others are tested together, by id.
        let together = folder.join("tests.rs");
        let is_named = |path: &PathBuf| {
            let text = fs::read_to_string(path).unwrap_or_default();
            text.contains(&format!("\"{}\"", entry.id))
        };
        if !has_own && !integration.iter().chain([&together]).any(is_named) {
            untested.push(format!("{} {} ({})", entry.kind, entry.id, entry.file));
        }
    }
    assert!(untested.is_empty(), "entries without tests: {untested:#?}");
}

/// Stands for the files that examples name.
struct Recordings;

impl Files for Recordings {
    fn read(&self, path: &str) -> std::io::Result<Vec<u8>> {
        let text: &[u8] = if path.ends_with("cell.trace") { b"10\n2\n0\n15040\n" } else { b"1\n5\n9\n" };
        Ok(text.to_vec())
    }
    fn display(&self, path: &str) -> String {
        path.to_owned()
    }
}

/// A link, and a flow over it.
const TEXT: &str = r#"name = "all"
duration = "10 s"
[nodes]
a = { kind = "host" }
r = { kind = "router" }
b = { kind = "host" }
[links.access]
between = ["a", "r"]
rate = "100 Mbit/s"
[links.bottleneck]
between = ["r", "b"]
LINK
[flows.f]
from = "a"
to = "b"
FLOW
"#;

/// The lines in which a scenario chooses a component: those of its link, and those of its flow.
fn lines(entry: &EntryDoc) -> Vec<(String, String)> {
    let mut table = Map::from_iter([("kind".to_owned(), Value::from(entry.id))]);
    table.extend(entry.example.as_object().cloned().unwrap_or_default());
    let chosen = |table: &Map<String, Value>| toml(&Value::Object(table.clone()));
    let rate = "rate = \"10 Mbit/s\"".to_owned();
    let flow = |lines: String| vec![(rate.clone(), lines)];
    match entry.kind {
        "queue" => vec![(
            format!("{rate}\nqueue = {}\nreverse = {{ queue = \"tail-drop\" }}", chosen(&table)),
            "app = \"bulk\"".to_owned(),
        )],
        // A link's model follows from its keys.
        "link" => {
            table.remove("kind");
            let keys: Vec<String> =
                table.iter().map(|(key, value)| format!("{key} = {}", toml(value))).collect();
            vec![(keys.join("\n"), "app = \"bulk\"".to_owned())]
        }
        "transport" => ["bulk", "cbr"]
            .map(|app| (rate.clone(), format!("app = \"{app}\"\ntransport = {}", chosen(&table))))
            .to_vec(),
        "controller" => {
            flow(format!("app = \"bulk\"\ntransport = {{ kind = \"tcp\", congestion = {} }}", chosen(&table)))
        }
        "path-controller" => flow(format!(
            "app = \"bulk\"\ntransport = {{ kind = \"octopus\", congestion = {} }}",
            chosen(&table)
        )),
        "application" => flow(format!("app = {}", chosen(&table))),
        "abr" => flow(format!("app = {{ kind = \"dash\", player = {{ abr = {} }} }}", chosen(&table))),
        "player" => flow(format!("app = {{ kind = \"dash\", player = {} }}", chosen(&table))),
        "encoder" => ["spatial", "temporal", "volumetric"]
            .map(|kind| {
                let app = format!("app = {{ kind = \"{kind}-video\", encoder = {} }}", chosen(&table));
                (rate.clone(), format!("{app}\ntransport = \"octopus\""))
            })
            .to_vec(),
        other => panic!("no scenario chooses a {other}; add how"),
    }
}

/// A value as TOML has it in a line.
fn toml(value: &Value) -> String {
    match value {
        Value::Object(table) => {
            let keys: Vec<String> =
                table.iter().map(|(key, value)| format!("{key} = {}", toml(value))).collect();
            format!("{{ {} }}", keys.join(", "))
        }
        other => other.to_string(),
    }
}

/// The scenarios that choose a component, by the component's kind and id; what is wrong with those that cannot.
pub fn choosing(builder: &Builder) -> Vec<(String, Vec<Result<Scenario, String>>)> {
    let registries = builder.registries();
    let parse = |(link, flow): (String, String)| {
        let mut text = TEXT.replace("LINK", &link).replace("FLOW", &flow);
        if flow.contains("\"frames\"") {
            // They need Ethernet interfaces, between which there are P4 routers.
            text = text.replace("\"host\"", "\"host\", layer = 2");
            text = text.replace("kind = \"router\"", "kind = \"p4\", program = \"<forward.p4>\"");
        }
        let scenario = Scenario::parse(&text, "s.toml", &Recordings, &Changes::default(), &registries);
        scenario.map_err(|error| error.to_string())
    };
    let all = catalogue().into_iter().map(|entry| {
        let scenarios = lines(&entry).into_iter().map(parse).collect();
        (format!("{} {}", entry.kind, entry.id), scenarios)
    });
    all.collect()
}

#[test]
fn every_entry_can_be_chosen_in_a_scenario() {
    for (entry, scenarios) in choosing(&Builder::standard()) {
        // One application or kind of video that it serves is enough.
        let problems: Vec<&String> =
            scenarios.iter().filter_map(|scenario| scenario.as_ref().err()).collect();
        assert!(problems.len() < scenarios.len(), "{entry}: {problems:#?}");
    }
}
