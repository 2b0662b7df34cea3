//! Files named by applications: read once, hashed, and checked by the application.

use crate::support;

use std::path::PathBuf;

use jettison_scenario::{Changes, Folder, InputHash, Scenario, WithData};
use support::{GOOD, changed, parse_with, registries};

/// The good scenario with a player in place of the bulk transfer.
fn player(parameters: &str) -> String {
    let player = format!("app = {{ kind = \"player\", {parameters} }}");
    GOOD.replace("app = { kind = \"bulk\" }", &player)
}

fn answer(parameters: &str) -> String {
    changed("app = { kind = \"bulk\" }", &format!("app = {{ kind = \"player\", {parameters} }}"))
}

#[test]
fn a_file_in_a_nested_table_of_the_parameters_is_an_input() {
    let text = player("content = { mpd = \"film.mpd\" }, extra = \"good.down\"");
    let scenario = parse_with(&text, &[], false).unwrap();
    let wanted = [InputHash::of("film.mpd", b"<MPD"), InputHash::of("good.down", b"1\n2\n3\n")];
    assert_eq!(scenario.inputs[1..], wanted);
    assert_eq!(answer("content = { rates = [1.0, 2.0] }"), "nothing wrong");
}

#[test]
fn further_files_read_by_the_application_are_inputs_too() {
    let scenario = parse_with(&player("content = { mpd = \"sized.mpd\" }"), &[], false).unwrap();
    let names: Vec<&str> = scenario.inputs.iter().map(|input| input.file.as_str()).collect();
    assert_eq!(names, ["s.toml", "sized.mpd", "mot.csv"]);
    assert!(scenario.contents.content("mot.csv").is_some());
}

#[test]
fn a_missing_file_is_reported_once_where_it_is_named() {
    assert_eq!(
        answer("content = { mpd = \"none.mpd\" }"),
        r#"s.toml:31:44: cannot read `shelf/none.mpd`: no such file; write the path relative to the scenario's folder"#
    );
    assert_eq!(
        answer("content = { rates = [1.0] }, extra = \"none.csv\""),
        r#"s.toml:31:63: cannot read `shelf/none.csv`: no such file; write the path relative to the scenario's folder"#
    );
}

#[test]
fn an_error_of_the_application_in_a_file_is_reported_at_its_name() {
    assert_eq!(
        answer("content = { mpd = \"mot.csv\" }"),
        r#"s.toml:31:44: `flows.bulk.app.content.mpd`: `mot.csv` is no MPD"#
    );
    assert_eq!(
        answer("content = { mpd = \"lost.mpd\" }"),
        r#"s.toml:31:44: `flows.bulk.app.content.mpd`: cannot read `shelf/none.csv`: no such file; write the path relative to the scenario's folder"#
    );
}

#[test]
fn a_table_without_kind_matches_the_branch_with_its_keys() {
    assert_eq!(
        answer("content = { mpd = \"film.mpd\", rate = 3 }"),
        r#"s.toml:31:56: unknown key `flows.bulk.app.content.rate`; known: mpd"#
    );
    assert_eq!(
        answer("content = { mpd = 3 }"),
        r#"s.toml:31:44: `flows.bulk.app.content.mpd` must be a string, got 3"#
    );
}

/// A temporary folder of the test.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Temporary {
        let folder = std::env::temp_dir().join(format!("jettison-files-{name}-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("own")).expect("temporary folders can be made");
        std::fs::create_dir_all(folder.join("data/deep")).expect("temporary folders can be made");
        Temporary(folder)
    }
    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("the folder can be written");
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // The system cleans up if removal fails.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn files_missing_in_the_scenarios_folder_come_from_the_data_folder() {
    let folder = Temporary::new("data");
    folder.write("own/both.mpd", "<MPD");
    folder.write("data/both.mpd", "not this one");
    folder.write("data/deep/far.csv", "far");
    folder.write("own/s.toml", &player("content = { mpd = \"both.mpd\" }, extra = \"deep/far.csv\""));
    let data = folder.0.join("data");
    let path = folder.0.join("own/s.toml");
    let scenario = Scenario::load_with_data(&path, Some(&data), &Changes::default(), &registries()).unwrap();
    let wanted = [InputHash::of("both.mpd", b"<MPD"), InputHash::of("deep/far.csv", b"far")];
    assert_eq!(scenario.inputs[1..], wanted);

    folder.write("data/deep/bad.csv", "none");
    let text = GOOD.replace("rate = \"10 Mbit/s\"", "trace = \"deep/bad.csv\"");
    let files = WithData::new(Folder(folder.0.join("own")), Some(data.clone()));
    let error = Scenario::parse(&text, "s.toml", &files, &Changes::default(), &registries()).unwrap_err();
    let wanted = format!("{}:1:1: not a number", data.join("deep/bad.csv").display());
    assert_eq!(error.to_string(), wanted, "a file is called by the place where it was found");
}

#[test]
fn a_missing_file_names_both_places_and_the_option() {
    let folder = Temporary::new("missing");
    let (own, data) = (folder.0.join("own"), folder.0.join("data"));
    let text = player("content = { mpd = \"none.mpd\" }");
    let said = |data: Option<PathBuf>| {
        let files = WithData::new(Folder(own.clone()), data);
        let error = Scenario::parse(&text, "s.toml", &files, &Changes::default(), &registries()).unwrap_err();
        error.to_string()
    };
    let wanted = format!(
        "s.toml:31:44: cannot read `{}`: no such file, nor `{}`; write the path relative to the scenario's \
         folder or to that of `--data`",
        own.join("none.mpd").display(),
        data.join("none.mpd").display()
    );
    assert_eq!(said(Some(data)), wanted);
    let without = said(None);
    assert!(
        without.ends_with(
            "; write the path relative to the scenario's folder, or name another folder with `--data`"
        ),
        "{without}"
    );
}
