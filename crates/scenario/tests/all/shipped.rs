//! Shipped scenarios pass the check with the shipped registries.

use std::path::{Path, PathBuf};

use jettison_scenario::build::Builder;
use jettison_scenario::{Changes, Scenario};

fn scenarios(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder of scenarios is there") {
        let path = entry.expect("it can be listed").path();
        let name = path.display().to_string();
        if path.is_dir() {
            scenarios(&path, found);
        } else if name.ends_with(".toml") && !name.ends_with(".paper.toml") && !name.ends_with("/claims.toml")
        {
            found.push(path);
        }
    }
}

#[test]
fn every_shipped_scenario_passes_the_check() {
    let mut found = Vec::new();
    scenarios(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios"), &mut found);
    assert!(!found.is_empty());
    let registries = Builder::standard().registries();
    for path in found {
        for quick in [false, true] {
            let changes = Changes { set: Vec::new(), quick };
            match Scenario::load(&path, &changes, &registries) {
                Ok(scenario) => assert_eq!(scenario.warnings, []),
                Err(error) => panic!("{error}"),
            }
        }
    }
}
