//! `jettison new`.

use super::support::Folder;

#[test]
fn every_situation_of_the_menu_is_written_and_runs() {
    let folder = Folder::new();
    let menu = folder.jettison(&["new"]).ok();
    let situations: Vec<&str> = menu
        .lines()
        // What does not fit is below, beside the names.
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(situations, ["cdn", "data-centre", "home", "lte", "satellite"]);
    for situation in situations {
        let printed = folder.jettison(&["new", situation]).ok();
        let file = format!("{situation}.toml");
        assert!(printed.contains(&format!("jettison run {file} --quick")), "{printed}");
        let text = String::from_utf8(folder.read(&file)).expect("it is text");
        assert!(
            text.lines().filter(|line| line.starts_with('#')).count() >= 5,
            "{situation} has few comments"
        );
        let checked = folder.jettison(&["check", &file]).ok();
        assert!(checked.contains(": OK: "), "{checked}");
    }
    let short =
        ["--quick", "--set", "duration=\"6 s\"", "--set", "warm_up=\"0 s\"", "--json", "--out", "out"];
    let records = folder.jettison(&[&["run", "lte.toml"], &short[..]].concat()).records();
    let of_octopus = |record: &&serde_json::Value| {
        record["type"] == "summary" && record["variant"] == "queue=octopus" && record["object"] == "video"
    };
    assert!(records.iter().any(|record| of_octopus(&record)), "the copy of the trace is found");
}

#[test]
fn nothing_that_exists_is_replaced_unasked() {
    let folder = Folder::new();
    folder.write("lte.toml", "mine");
    let printed = folder.jettison(&["new", "lte"]).refused();
    assert!(printed.contains("lte.toml exists; name another file, or replace it with --force"), "{printed}");
    assert_eq!(folder.read("lte.toml"), b"mine");
    assert!(!folder.path("traces").exists(), "nothing else was written");
    folder.jettison(&["new", "lte", "lte.toml", "--force"]).ok();
    folder.jettison(&["check", "lte.toml"]).ok();
    let unknown = folder.jettison(&["new", "satelite"]).refused();
    assert!(unknown.contains("unknown id `satelite`; did you mean `satellite`?"), "{unknown}");
    let nowhere = folder.jettison(&["new", "home", "none/home.toml"]).refused();
    assert!(nowhere.contains("cannot write none/home.toml: its folder does not exist"), "{nowhere}");
}
