//! Finds the file that describes a project's network.

use std::path::{Path, PathBuf};

use jettison_input::file;

use crate::error::ProjectError;
use crate::json::Json;

/// The file of a project.
#[derive(Debug)]
pub(crate) struct Found {
    /// The folder that was named, or that of the file.
    pub folder: PathBuf,
    /// The file.
    pub file: PathBuf,
    /// Whether it is a `p4app.json`.
    pub is_p4app: bool,
}

/// Finds the project of a folder or file.
///
/// In a folder, in this order: `p4app.json`, the `TOPO` of a Makefile, `topology.json`, the one `*app*.json`, the one
/// `*/topology.json`.
pub(crate) fn find(path: &Path) -> Result<Found, ProjectError> {
    if !path.is_dir() {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).to_path_buf();
        return found(folder, path.to_path_buf());
    }
    let folder = path.to_path_buf();
    let topology = makefile_value(path, "TOPO").map(|file| path.join(file)).filter(|file| file.is_file());
    let named = ["p4app.json"].map(|name| path.join(name)).into_iter().find(|file| file.is_file());
    let plain = Some(path.join("topology.json")).filter(|file| file.is_file());
    if let Some(file) = named.or(topology).or(plain) {
        return found(folder, file);
    }
    let apps = files(path, |name| name.ends_with(".json") && name.to_lowercase().contains("app"));
    let below = folders(path).into_iter().map(|own| own.join("topology.json")).filter(|file| file.is_file());
    let candidates = if apps.is_empty() { below.collect() } else { apps };
    match &candidates[..] {
        [only] => found(folder, only.clone()),
        [] if path.join("manifest.json").is_file() => {
            let help =
                "`jettison report` prints them; name a scenario file or a folder of a P4 project to run";
            Err(ProjectError::new(path, "", "holds results").help(help))
        }
        [] => {
            let message = "is no P4 project: it has no `topology.json`, `p4app.json` or scenario";
            let help = "name a folder of the P4 tutorials or of p4-utils, or a scenario file";
            Err(ProjectError::new(path, "", message).help(help))
        }
        several => {
            let names: Vec<String> = several.iter().map(|file| file.display().to_string()).collect();
            let message = format!("has {} descriptions of a network", several.len());
            Err(ProjectError::new(path, "", message).help(format!("name one: {}", names.join(", "))))
        }
    }
}

fn found(folder: PathBuf, file: PathBuf) -> Result<Found, ProjectError> {
    let json = Json::read(&file)?;
    let keys = json.value.as_object();
    let has = |key: &str| keys.is_some_and(|keys| keys.contains_key(key));
    match (has("topology"), has("switches") || has("hosts") || has("links")) {
        (true, _) => Ok(Found { folder, file, is_p4app: true }),
        (false, true) => Ok(Found { folder, file, is_p4app: false }),
        (false, false) => {
            let message =
                "describes no network: it has neither `topology` nor `hosts`, `switches` and `links`";
            Err(ProjectError::new(&file, "", message))
        }
    }
}

/// The value of a variable that a folder's Makefile assigns: `TOPO = pod-topo/topology.json`.
pub(crate) fn makefile_value(folder: &Path, variable: &str) -> Option<String> {
    let text = file::read_text(&folder.join("Makefile"), file::TEXT).ok()?;
    let mut assigned = text.lines().filter_map(|line| {
        let (name, value) = line.split_once('=')?;
        let name = name.trim_end_matches([' ', '\t', ':', '?']);
        (name == variable).then(|| value.split('#').next().unwrap_or_default().trim().to_owned())
    });
    assigned.next_back().filter(|value| !value.is_empty() && !value.contains('$'))
}

/// Files of a folder by their names, in order.
pub(crate) fn files(folder: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_wanted = |path: &PathBuf| {
        path.is_file() && path.file_name().and_then(|name| name.to_str()).is_some_and(&wanted)
    };
    let mut found: Vec<PathBuf> = entries.filter(is_wanted).collect();
    found.sort();
    found
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    found.sort();
    found
}
