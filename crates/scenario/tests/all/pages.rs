//! The pages of queue disciplines: the same headings, a picture, and a snippet that works.

use std::fs;
use std::path::{Path, PathBuf};

use jettison_registry::EntryDoc;
use jettison_scenario::build::Builder;
use jettison_scenario::{Changes, Folder, Scenario};

/// Headings of each page, in order.
const HEADINGS: [&str; 7] = [
    "When to use it",
    "How it decides",
    "Configure",
    "How to tune",
    "What it costs",
    "A picture of its behaviour",
    "Limits and differences",
];
/// A picture is loaded with its page: bytes that it may have.
const LARGEST_PICTURE: u64 = 50_000;

/// A link with the queue `line`, and a flow over it.
const TEXT: &str = r#"name = "page"
duration = "10 s"
[nodes]
a = { kind = "host" }
r = { kind = "router" }
b = { kind = "host" }
[links.access]
between = ["a", "r"]
rate = "100 Mbit/s"
[links.line]
between = ["r", "b"]
rate = "20 Mbit/s"
queue = "line"
reverse = { queue = "tail-drop" }
[flows.f]
from = "a"
to = "b"
app = "bulk"
"#;

fn disciplines() -> Vec<EntryDoc> {
    Builder::standard().catalogue().into_iter().filter(|entry| entry.kind == "queue").collect()
}

fn page(entry: &EntryDoc) -> (PathBuf, String) {
    let name = entry.page.unwrap_or_else(|| panic!("{} has no page", entry.id));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src").join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    (path, text)
}

/// The text between two marks, the first time.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    text.split_once(start)?.1.split_once(end).map(|(found, _)| found)
}

#[test]
fn disciplines_pages_have_the_same_headings() {
    for entry in disciplines() {
        let (path, text) = page(&entry);
        let headings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(headings, HEADINGS, "{}", path.display());
    }
}

#[test]
fn disciplines_pages_have_a_small_picture_and_what_was_measured() {
    for entry in disciplines() {
        let (path, text) = page(&entry);
        let shown = path.display();
        let link = between(&text, "![", ")").and_then(|image| image.rsplit_once('('));
        let picture = link.unwrap_or_else(|| panic!("{shown} has no picture")).1;
        let file = path.parent().expect("it is in a folder").join(picture);
        let found = fs::metadata(&file).unwrap_or_else(|error| panic!("{shown}: {picture}: {error}"));
        assert!(found.len() < LARGEST_PICTURE, "{picture} has {} bytes", found.len());
        let measured = between(&text, "<!-- measured ", "<!-- end -->").unwrap_or_default();
        assert!(measured.contains("Measured"), "{shown}: `make gallery` writes what was measured");
    }
}

#[test]
fn disciplines_snippets_pass_the_check() {
    let registries = Builder::standard().registries();
    for entry in disciplines() {
        let (path, text) = page(&entry);
        let shown = path.display();
        let snippet = between(&text, "```toml\n", "```").unwrap_or_else(|| panic!("{shown} has no snippet"));
        assert!(snippet.starts_with("[queues.line]\nkind = "), "{shown}: {snippet}");
        let scenario = Scenario::parse(
            &format!("{TEXT}{snippet}"),
            "page.toml",
            &Folder(PathBuf::from(".")),
            &Changes::default(),
            &registries,
        );
        let scenario = scenario.unwrap_or_else(|errors| panic!("{shown}: {errors}"));
        let warnings = scenario.warnings;
        assert!(warnings.is_empty(), "{shown}: {warnings:?}");
    }
}
