//! Shipped scenarios pass the check with the shipped registries.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use jettison_scenario::build::Builder;
use jettison_scenario::{Changes, Scenario};

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder of scenarios is there") {
        let path = entry.expect("it can be listed").path();
        let name = path.display().to_string();
        if path.is_dir() {
            collect(&path, found);
        } else if name.ends_with(".toml")
            && ![".paper.toml", ".value.toml", "/claims.toml"].iter().any(|other| name.ends_with(other))
        {
            found.push(path);
        }
    }
}

/// The files of scenarios in a folder and those below, in order.
pub fn scenarios(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(folder, &mut found);
    found.sort();
    found
}

/// All shipped scenarios with their `[quick]` tables. The tests share them, because to check them takes long.
pub static QUICK: LazyLock<Vec<(PathBuf, Scenario)>> = LazyLock::new(|| load(true));

fn load(quick: bool) -> Vec<(PathBuf, Scenario)> {
    let registries = Builder::standard().registries();
    let found = scenarios(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios"));
    let load = |path: PathBuf| {
        let scenario = Scenario::load(&path, &Changes { set: Vec::new(), quick }, &registries);
        let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
        (path, scenario)
    };
    found.into_iter().map(load).collect()
}

#[test]
fn every_shipped_scenario_passes_the_check() {
    let all = load(false);
    assert!(!all.is_empty());
    for (path, scenario) in all.iter().chain(&*QUICK) {
        assert_eq!(scenario.warnings, [], "{}", path.display());
    }
}
