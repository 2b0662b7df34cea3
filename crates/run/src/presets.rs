//! Presets: scenarios inside the program, which `run` finds by name.

use std::path::Path;

use jettison_p4_projects::{Options, is_project};
use jettison_registry::suggestion;
use jettison_scenario::{Changes, CheckError, Place, Registries, Scenario, ScenarioError};

use crate::projects::load_project;
use crate::reproduce::library::{EMBEDDED, files_beside};

/// A scenario inside the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// Its name, such as `rrul`.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// Folder of the presets among the embedded scenarios.
const FOLDER: &str = "presets";

impl Preset {
    /// All presets, by name.
    pub fn all() -> Vec<Preset> {
        let files = EMBEDDED.get_dir(FOLDER).into_iter().flat_map(|folder| folder.files());
        let mut all: Vec<Preset> = files
            .filter_map(|file| {
                let name = file.path().file_name()?.to_str()?.strip_suffix(".toml")?;
                Some(Preset { name, text: file.contents_utf8()? })
            })
            .collect();
        all.sort_by_key(|preset| preset.name);
        all
    }

    /// The preset of that name.
    pub fn named(name: &str) -> Option<Preset> {
        Preset::all().into_iter().find(|preset| preset.name == name)
    }

    /// What it is: the first comment of its text.
    pub fn summary(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches(['#', ' '])
    }
}

/// Reads and checks a scenario file or, where there is no such file, the preset of that name; or a project of others
/// ([`crate::load_project`]). Input files are read from the file's folder, or else from `data`.
///
/// # Errors
/// If the scenario is invalid, or there is neither a file nor a preset of that name.
pub fn load(
    file: &Path,
    data: Option<&Path>,
    changes: &Changes,
    registries: &Registries,
) -> Result<Scenario, CheckError> {
    if is_project(file) {
        return load_project(file, &Options::default(), data, changes, registries)
            .map(|(scenario, _)| scenario);
    }
    let Some(name) = bare(file).filter(|_| !file.exists()) else {
        return Scenario::load_with_data(file, data, changes, registries);
    };
    match Preset::named(name) {
        Some(preset) => {
            let shown = format!("preset {name}");
            let path = Path::new(FOLDER).join(format!("{name}.toml"));
            Scenario::parse(preset.text, &shown, &files_beside(&path, true, data), changes, registries)
        }
        None => {
            let place = Place::WholeFile { file: name.to_owned() };
            let presets = Preset::all();
            let near = suggestion(name, presets.iter().map(|preset| preset.name));
            let message = "no such file, and no preset of that name".to_owned();
            Err(CheckError { errors: vec![ScenarioError { place, message, help: Some(near) }] })
        }
    }
}

/// The name, if it can be that of a preset: without a folder and without an ending.
fn bare(file: &Path) -> Option<&str> {
    let name = file.to_str()?;
    let is_bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    is_bare.then_some(name)
}

#[cfg(test)]
mod tests {
    use jettison_scenario::build::Builder;

    use super::*;

    fn loaded(name: &str, set: &[&str]) -> Result<Scenario, CheckError> {
        let set = set.iter().map(|set| (*set).to_owned()).collect();
        let changes = Changes { set, quick: false };
        load(Path::new(name), None, &changes, &Builder::standard().registries())
    }

    #[test]
    fn every_preset_is_valid_and_named_as_its_file() {
        let presets = Preset::all();
        assert!(presets.len() >= 10);
        for preset in presets {
            let scenario = loaded(preset.name, &[]).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(scenario.name, preset.name);
            assert!(scenario.has_quick, "{}", preset.name);
            assert!(!preset.summary().is_empty());
        }
    }

    #[test]
    fn what_flents_users_know_can_be_set() {
        let set = [
            "links.bottleneck.rate=\"20 Mbit/s\"",
            "links.bottleneck.reverse.rate=\"2 Mbit/s\"",
            "links.path.delay=\"50 ms\"",
            "links.bottleneck.queue=cake",
        ];
        let scenario = loaded("rrul", &set).unwrap_or_else(|error| panic!("{error}"));
        let settings = &scenario.variants[0].settings;
        let link = &settings.links["bottleneck"];
        for forward in [true, false] {
            assert_eq!(settings.direction(link, forward).queue.kind, "cake");
        }
        assert_eq!(settings.flows.len(), 12);
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_nearest() {
        let error = loaded("rull", &[]).unwrap_err().to_string();
        assert!(error.contains("no such file, and no preset of that name"), "{error}");
        assert!(error.contains("did you mean `rrul`?"), "{error}");
        // A path is that of a file.
        let error = loaded("rull.toml", &[]).unwrap_err().to_string();
        assert!(error.contains("cannot be read"), "{error}");
    }
}
