//! `jettison check`: reports the planned runs or the errors, and runs nothing.

use std::fs;

use super::support::{Folder, changed, project};

#[test]
fn a_valid_file_is_answered_with_the_planned_runs() {
    let folder = Folder::with_small();
    let printed = folder.jettison(&["check", "small.toml"]).ok();
    assert_eq!(printed, "small.toml: OK: 2 variants × 2 seeds = 4 runs of 2 s\n");
    let printed = folder.jettison(&["check", "small.toml", "--set", "seeds=1"]).ok();
    assert_eq!(printed, "small.toml: OK: 2 variants × 1 seed = 2 runs of 2 s\n");
    let one = ["check", "small.toml", "--set", "seeds=1", "--set", "vary=[]"];
    assert_eq!(folder.jettison(&one).ok(), "small.toml: OK: 1 variant × 1 seed = 1 run of 2 s\n");
    assert_eq!(folder.names(""), ["small.toml"]);
}

#[test]
fn each_of_several_files_is_checked() {
    let folder = Folder::with_small();
    folder.write("wrong.toml", &changed("seeds", "seds"));
    let ran = folder.jettison(&["check", "wrong.toml", "small.toml"]);
    assert_eq!(ran.status, Some(2));
    assert_eq!(ran.stdout, "small.toml: OK: 2 variants × 2 seeds = 4 runs of 2 s\n");
    assert_eq!(ran.stderr, "wrong.toml:4:1: unknown key `seds`; did you mean `seeds`?\n");
}

#[test]
fn an_invalid_quick_table_is_found_without_quick() {
    let folder = Folder::new();
    folder.write("wrong.toml", &changed("[quick]\nduration = \"1 s\"", "[quick]\nduration = \"0.1 s\""));
    let said = folder.jettison(&["check", "wrong.toml"]).refused();
    assert!(
        said.starts_with("wrong.toml:39:12: `duration` must be longer than `warm_up` (500 ms), got 100 ms"),
        "{said}"
    );
}

#[test]
fn the_projects_own_scenarios_are_valid() {
    let mut files = Vec::new();
    for paper in fs::read_dir(project("scenarios")).expect("the project has scenarios") {
        let paper = paper.expect("the folder can be read").path();
        for file in fs::read_dir(&paper).expect("a paper's folder can be read") {
            let file = file.expect("the folder can be read").path().display().to_string();
            if file.ends_with(".toml") && !file.ends_with(".paper.toml") {
                files.push(file);
            }
        }
    }
    assert!(files.len() >= 6, "{files:?}");
    let arguments: Vec<&str> = ["check"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let printed = Folder::new().jettison(&arguments).ok();
    assert_eq!(printed.lines().filter(|line| line.contains(": OK: ")).count(), files.len());
}
