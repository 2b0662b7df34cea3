//! Situations: commented scenarios inside the program, which `jettison new` writes for a user to change.

use std::path::{Path, PathBuf};

use crate::reproduce::library::EMBEDDED;

/// A scenario to start from, with the files that it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Situation {
    /// Its name, such as `home`.
    pub name: &'static str,
    /// Its text; the files that it names are in `traces/`.
    pub text: String,
    /// The files that it names, by their path beside the scenario.
    pub files: Vec<(PathBuf, &'static [u8])>,
}

/// Folder of the situations among the embedded scenarios.
const FOLDER: &str = "new";

impl Situation {
    /// All situations, by name.
    pub fn all() -> Vec<Situation> {
        let files = EMBEDDED.get_dir(FOLDER).into_iter().flat_map(|folder| folder.files());
        let mut all: Vec<Situation> = files
            .filter_map(|file| {
                let name = file.path().file_name()?.to_str()?.strip_suffix(".toml")?;
                Some(Situation::new(name, file.contents_utf8()?))
            })
            .collect();
        all.sort_by_key(|situation| situation.name);
        all
    }

    /// The situation of that name.
    pub fn named(name: &str) -> Option<Situation> {
        Situation::all().into_iter().find(|situation| situation.name == name)
    }

    /// What it is: the first comment of its text.
    pub fn summary(&self) -> &str {
        self.text.lines().next().unwrap_or_default().trim_start_matches(['#', ' '])
    }

    /// Its text names traces of the papers' folders, as `"../octopus/traces/lte-12.trace"`; a copy finds them in `traces/`.
    fn new(name: &'static str, embedded: &'static str) -> Situation {
        let mut text = String::new();
        let mut files = Vec::new();
        for (place, piece) in embedded.split("\"../").enumerate() {
            if place == 0 {
                text.push_str(piece);
                continue;
            }
            let path = Path::new(piece.split('"').next().unwrap_or_default());
            let copy = Path::new("traces").join(path.file_name().unwrap_or_default());
            files.extend(EMBEDDED.get_file(path).map(|file| (copy.clone(), file.contents())));
            text.push('"');
            text.push_str(&copy.to_string_lossy());
            text.push_str(&piece[path.as_os_str().len()..]);
        }
        Situation { name, text, files }
    }
}
