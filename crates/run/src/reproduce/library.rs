//! The papers' experiments: in the project's `scenarios/` folder, or embedded in the program.

use std::io;
use std::path::{Component, Path, PathBuf};

use include_dir::{Dir, include_dir};
use jettison_input::file;
use jettison_registry::nearest;
use jettison_scenario::{Files, Folder, WithData};
use thiserror::Error;

use super::claims::Claims;
use super::paper::{Paper, PaperError};
use crate::value::{Plan, PlanError};

pub(crate) static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../scenarios");

/// The experiments that can be reproduced.
#[derive(Debug)]
pub struct Library {
    experiments: Vec<Experiment>,
    ledgers: Vec<Ledger>,
}

/// The claims file of a paper.
#[derive(Debug)]
struct Ledger {
    paper: String,
    path: PathBuf,
    text: String,
}

/// Name of a paper's claims file, beside its scenarios.
const LEDGER: &str = "claims.toml";

/// Ends of the names of the files beside a scenario: the paper's figures, and what is tried with its drops.
const FIGURES: &str = ".paper";
const VALUE: &str = ".value";
const BESIDE: [&str; 2] = [FIGURES, VALUE];

/// One experiment: a scenario, with the paper's figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Experiment {
    /// Name of the paper, such as `ired`.
    pub paper: String,
    /// Name of the experiment, such as `ingress-vs-egress`.
    pub name: String,
    /// Path of the scenario, on disk or embedded; file names in it are relative to its folder.
    pub path: PathBuf,
    /// Whether it is embedded in the program.
    pub embedded: bool,
    /// The scenario's text.
    pub scenario: String,
    /// Text of the figures file; `None` if the paper has no figure for the experiment.
    pub figures: Option<String>,
    /// Text of the plan of what is tried with its drops; `None` if nothing is.
    pub value: Option<String>,
}

/// An error in the search for experiments.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LibraryError {
    /// The name is not in the library.
    #[error("unknown experiment `{name}`; {help}")]
    Unknown {
        /// The requested name.
        name: String,
        /// The nearest name, or the known ones.
        help: String,
    },
    /// The folder cannot be read.
    #[error("{folder}: {message}")]
    Unreadable {
        /// The folder.
        folder: String,
        /// The cause.
        message: String,
    },
}

impl Library {
    /// Opens the folder given, or else the `scenarios` folder of the project that contains the current folder, or
    /// else the embedded experiments.
    pub fn open(folder: Option<&Path>) -> Result<Library, LibraryError> {
        match folder.map(Path::to_owned).or_else(project_folder) {
            Some(folder) => Library::of_folder(&folder),
            None => Ok(Library::embedded()),
        }
    }

    /// The embedded experiments.
    pub fn embedded() -> Library {
        let mut files: Vec<(PathBuf, String)> = Vec::new();
        for folder in EMBEDDED.dirs() {
            for file in folder.files() {
                if let Some(text) = file.contents_utf8() {
                    files.push((file.path().to_owned(), text.to_owned()));
                }
            }
        }
        Library::of_files(files, true)
    }

    fn of_folder(folder: &Path) -> Result<Library, LibraryError> {
        let unreadable = |error: std::io::Error| LibraryError::Unreadable {
            folder: folder.display().to_string(),
            message: error.to_string(),
        };
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(unreadable)? {
            let paper = entry.map_err(unreadable)?.path();
            if !paper.is_dir() {
                continue;
            }
            for entry in std::fs::read_dir(&paper).map_err(unreadable)? {
                let path = entry.map_err(unreadable)?.path();
                if path.extension().is_some_and(|extension| extension == "toml") {
                    let text = file::read_text(&path, file::TEXT).map_err(unreadable)?;
                    files.push((path, text));
                }
            }
        }
        Ok(Library::of_files(files, false))
    }

    fn of_files(files: Vec<(PathBuf, String)>, embedded: bool) -> Library {
        let (ledgers, files): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|(path, _)| path.file_name().is_some_and(|name| name == LEDGER));
        let ledgers = ledgers.into_iter().filter_map(|(path, text)| {
            Some(Ledger { paper: path.parent()?.file_name()?.to_str()?.to_owned(), path, text })
        });
        Library { experiments: collect(files, embedded), ledgers: ledgers.collect() }
    }

    /// All experiments, by paper and name.
    pub fn experiments(&self) -> &[Experiment] {
        &self.experiments
    }

    /// Finds the experiments of `paper`, or the one of `paper/experiment`.
    pub fn find(&self, name: &str) -> Result<Vec<&Experiment>, LibraryError> {
        let (paper, experiment) = match name.split_once('/') {
            Some((paper, experiment)) => (paper, Some(experiment)),
            None => (name, None),
        };
        let found: Vec<&Experiment> = self
            .experiments
            .iter()
            .filter(|e| e.paper == paper && experiment.is_none_or(|experiment| e.name == experiment))
            .collect();
        if found.is_empty() {
            return Err(LibraryError::Unknown { name: name.to_owned(), help: self.help(name, paper) });
        }
        Ok(found)
    }

    /// The name nearest to an unknown one, or the known names: those of the paper if it is known.
    fn help(&self, name: &str, paper: &str) -> String {
        let of_paper: Vec<&Experiment> = self.experiments.iter().filter(|e| e.paper == paper).collect();
        let all: Vec<&Experiment> = self.experiments.iter().collect();
        let candidates = if of_paper.is_empty() { all } else { of_paper };
        let full: Vec<String> = candidates.iter().map(|e| e.full_name()).collect();
        let near = match name.split_once('/') {
            // The paper's name is the same in all of them, or the whole is to be found.
            Some((_, experiment)) if candidates.iter().all(|e| e.paper == paper) => {
                let near = nearest(experiment, candidates.iter().map(|e| e.name.as_str()));
                near.map(|near| format!("{paper}/{near}"))
            }
            Some(_) => nearest(name, full.iter().map(String::as_str)).map(str::to_owned),
            // An experiment named without its paper, or a paper.
            None => match candidates.iter().find(|e| e.name == name) {
                Some(experiment) => Some(experiment.full_name()),
                None => nearest(name, candidates.iter().map(|e| e.paper.as_str())).map(str::to_owned),
            },
        };
        match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known are: {}", full.join(", ")),
        }
    }

    /// The ledger of a paper's claims, if it has one.
    pub fn claims(&self, paper: &str) -> Result<Option<Claims>, PaperError> {
        let ledger = self.ledgers.iter().find(|ledger| ledger.paper == paper);
        ledger.map(|ledger| Claims::parse(&ledger.path.display().to_string(), &ledger.text)).transpose()
    }
}

impl Experiment {
    /// Paper and name: `ired/ingress-vs-egress`.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.paper, self.name)
    }

    /// What it is about: the first sentence of the scenario's description, or its name.
    pub fn title(&self) -> String {
        #[derive(serde::Deserialize)]
        struct Head {
            description: Option<String>,
        }
        let description = toml::from_str::<Head>(&self.scenario).ok().and_then(|head| head.description);
        let sentence =
            |text: String| text.split_once(". ").map_or(text.clone(), |(first, _)| first.to_owned());
        description.map_or_else(|| self.name.clone(), |text| sentence(text.trim().to_owned()))
    }

    /// Parses the figures file, if there is one.
    pub fn paper_figures(&self) -> Result<Option<Paper>, PaperError> {
        let file = self.path.with_extension("paper.toml").display().to_string();
        self.figures.as_deref().map(|text| Paper::parse(&file, text)).transpose()
    }

    /// Parses the plan of what is tried with its drops, if there is one.
    pub fn value_plan(&self) -> Result<Option<Plan>, PlanError> {
        let file = self.path.with_extension("value.toml").display().to_string();
        self.value.as_deref().map(|text| Plan::parse(&file, text)).transpose()
    }

    /// The files available to the scenario: those beside it, then those in `data`.
    pub fn files(&self, data: Option<&Path>) -> WithData {
        files_beside(&self.path, self.embedded, data)
    }
}

/// The files available to a scenario at `path`, on disk or (`embedded`) in the program: those beside it, then those
/// in `data`.
pub fn files_beside(path: &Path, embedded: bool, data: Option<&Path>) -> WithData {
    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    let data = data.map(Path::to_path_buf);
    if embedded { WithData::new(Embedded(folder), data) } else { WithData::new(Folder(folder), data) }
}

/// A folder embedded in the program.
struct Embedded(PathBuf);

impl Embedded {
    /// The path of a file from the outermost folder, with `..` resolved literally.
    fn path(&self, name: &str) -> PathBuf {
        let joined = self.0.join(name);
        joined.components().fold(PathBuf::new(), |mut path, component| {
            match component {
                Component::ParentDir => {
                    path.pop();
                }
                Component::CurDir => {}
                other => path.push(other),
            }
            path
        })
    }
}

impl Files for Embedded {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, "no such embedded file");
        EMBEDDED.get_file(self.path(name)).map(|file| file.contents().to_vec()).ok_or_else(missing)
    }
    fn display(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }
}

/// The `scenarios` folder of the project that contains the current folder.
fn project_folder() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let ours = |folder: &&Path| folder.join("scenarios/ired/ingress-vs-egress.toml").is_file();
    let project = here.ancestors().find(ours)?;
    // Prefer the shortest path, because messages show it.
    Some(if project == here { PathBuf::from("scenarios") } else { project.join("scenarios") })
}

fn collect(files: Vec<(PathBuf, String)>, embedded: bool) -> Vec<Experiment> {
    let mut experiments = Vec::new();
    for (path, text) in &files {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let Some(stem) =
            name.strip_suffix(".toml").filter(|stem| !BESIDE.iter().any(|end| stem.ends_with(end)))
        else {
            continue;
        };
        let Some(paper) = path.parent().and_then(Path::file_name).and_then(|name| name.to_str()) else {
            continue;
        };
        // Reference scenarios, presets and situations belong to no paper, and those in `live` run real programs.
        if ["reference", "live", "presets", "new"].contains(&paper) {
            continue;
        }
        let beside = |end: &str| {
            let beside = path.with_file_name(format!("{stem}{end}.toml"));
            files.iter().find(|(path, _)| *path == beside).map(|(_, text)| text.clone())
        };
        experiments.push(Experiment {
            paper: paper.to_owned(),
            name: stem.to_owned(),
            path: path.clone(),
            embedded,
            scenario: text.clone(),
            figures: beside(FIGURES),
            value: beside(VALUE),
        });
    }
    experiments.sort_by(|a, b| (&a.paper, &a.name).cmp(&(&b.paper, &b.name)));
    experiments
}

#[cfg(test)]
mod tests {
    use jettison_link::profile::NetworkProfile;
    use jettison_scenario::build::Builder;
    use jettison_scenario::{Changes, Scenario};

    use super::*;
    use crate::reproduce::Row;
    use crate::reproduce::paper::Exactness;

    #[test]
    fn every_figure_is_of_a_variant_that_its_scenario_has() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
        let registries = Builder::standard().registries();
        for experiment in Library::open(Some(&folder)).unwrap().experiments() {
            let Some(paper) = experiment.paper_figures().unwrap() else { continue };
            let changes = Changes { set: Vec::new(), quick: false };
            let scenario = Scenario::load(&experiment.path, &changes, &registries).unwrap();
            let names: Vec<&str> = scenario.variants.iter().map(|variant| variant.name.as_str()).collect();
            let compared = paper.rows.iter().flat_map(|row| row.comparisons());
            for pick in compared.flat_map(|compared| [Some(compared.ours), compared.over]).flatten() {
                assert!(names.contains(&pick.variant.as_str()), "{}: {}", experiment.name, pick.variant);
            }
            for plot in &paper.plots {
                let shown = names.iter().any(|name| plot.shows_variant(name));
                assert!(shown, "{}: {} shows no variant", experiment.name, plot.title);
            }
        }
    }

    #[test]
    fn embedded_experiments_have_valid_figures() {
        let library = Library::embedded();
        let ired = library.find("ired/ingress-vs-egress").unwrap();
        assert!(ired[0].paper_figures().unwrap().unwrap().rows.len() > 10);
        assert!(library.find("ired").unwrap().len() >= 2);
    }

    /// An experiment in a folder, which uses one of our profiles.
    fn streaming(embedded: bool, path: PathBuf) -> Experiment {
        let (paper, name) = ("streaming".to_owned(), "profile".to_owned());
        Experiment { paper, name, path, embedded, scenario: String::new(), figures: None, value: None }
    }

    #[test]
    fn files_beside_an_experiment_are_read_from_the_project_and_from_the_program_alike() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
        let on_disk = streaming(false, folder.join("streaming/profile.toml")).files(None);
        let inside = streaming(true, PathBuf::from("streaming/profile.toml")).files(None);
        let content = on_disk.read("profiles/commute.json").unwrap();
        assert_eq!(inside.read("profiles/commute.json").unwrap(), content);
        assert_eq!(inside.read("../ired/../streaming/./profiles/commute.json").unwrap(), content);
        assert_eq!(inside.display("../ired/mixed.toml"), "ired/mixed.toml");
        assert_eq!(inside.read("profiles/none.json").unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn files_that_are_not_embedded_come_from_the_data_folder() {
        let data = tempfile::tempdir().unwrap();
        std::fs::write(data.path().join("own.json"), "{}").unwrap();
        let files = streaming(true, PathBuf::from("streaming/profile.toml")).files(Some(data.path()));
        assert_eq!(files.read("own.json").unwrap(), b"{}");
        assert_eq!(files.display("own.json"), data.path().join("own.json").display().to_string());
        let error = files.read("none.json").unwrap_err().to_string();
        let wanted = format!("no such file, nor `{}`", data.path().join("none.json").display());
        assert_eq!(error, wanted);
    }

    #[test]
    fn embedded_profiles_are_valid_and_distinct() {
        let folder = EMBEDDED.get_dir("streaming/profiles").unwrap();
        let json = folder.files().filter(|file| file.path().extension().is_some_and(|kind| kind == "json"));
        let profiles: Vec<NetworkProfile> = json
            .map(|file| {
                NetworkProfile::parse(file.contents())
                    .unwrap_or_else(|error| panic!("{:?}: {error}", file.path()))
            })
            .collect();
        assert_eq!(profiles.len(), 12);
        let again = |profile: &NetworkProfile| profiles.iter().filter(|other| *other == profile).count();
        assert!(profiles.iter().all(|profile| again(profile) == 1 && profile.round().is_some()));
    }

    #[test]
    fn the_message_about_an_unknown_name_has_the_nearest_one() {
        let library = Library::embedded();
        let message = |name: &str| library.find(name).unwrap_err().to_string();
        for (name, near) in [
            ("ird", "ired"),
            ("irred", "ired"),
            ("ired/ingres-vs-egress", "ired/ingress-vs-egress"),
            ("ird/mixed", "ired/mixed"),
            ("ingress-vs-egress", "ired/ingress-vs-egress"),
            ("mixed", "ired/mixed"),
        ] {
            assert_eq!(message(name), format!("unknown experiment `{name}`; did you mean `{near}`?"));
        }
        let other = message("ired/nothing-like-it");
        assert!(other.contains("known are: ired/dash-cdn, ") && !other.contains("newcwv"), "{other}");
        assert!(message("quux-and-more").contains("newcwv/slides"));
    }

    #[test]
    fn every_experiment_has_a_title() {
        let experiments = Library::embedded().experiments;
        let titles: Vec<String> = experiments.iter().map(Experiment::title).collect();
        for (experiment, title) in experiments.iter().zip(&titles) {
            assert!((20..220).contains(&title.len()), "{}: {title}", experiment.full_name());
            assert_eq!(titles.iter().filter(|other| *other == title).count(), 1, "{title}");
        }
        let two = Experiment { scenario: "description = 'One. Two.'".to_owned(), ..experiments[0].clone() };
        assert_eq!(two.title(), "One");
        assert_eq!(Experiment { scenario: "name = 'x'".to_owned(), ..two.clone() }.title(), two.name);
    }

    #[test]
    fn a_ledger_is_no_experiment() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("p")).unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join("p").join(name), text).unwrap();
        write("claims.toml", "paper = 'P'\n");
        write("e.toml", "");
        let library = Library::open(Some(folder.path())).unwrap();
        let names: Vec<String> = library.experiments().iter().map(Experiment::full_name).collect();
        assert_eq!(names, ["p/e"]);
        assert_eq!(library.claims("p").unwrap().unwrap().paper, "P");
        assert!(library.claims("q").unwrap().is_none());
        write("claims.toml", "papr = 'P'\n");
        let error = Library::open(Some(folder.path())).unwrap().claims("p").unwrap_err().to_string();
        assert!(error.contains("claims.toml: ") && error.contains("papr"), "{error}");
    }

    /// Rows by paper, with their experiments.
    fn figures(library: &Library, paper: &str) -> Vec<(String, Row)> {
        let of_paper = library.experiments().iter().filter(|e| e.paper == paper);
        of_paper
            .flat_map(|e| {
                let rows = e.paper_figures().unwrap().map(|paper| paper.rows).unwrap_or_default();
                rows.into_iter().map(|row| (e.name.clone(), row)).collect::<Vec<_>>()
            })
            .collect()
    }

    fn names(rows: &[(String, Row)]) -> Vec<(&str, &str)> {
        rows.iter().map(|(experiment, row)| (experiment.as_str(), row.figure.as_str())).collect()
    }

    #[test]
    fn every_row_has_a_name_of_its_own() {
        let library = Library::embedded();
        for experiment in library.experiments() {
            let rows = figures(&library, &experiment.paper);
            let mut seen = std::collections::BTreeSet::new();
            for name in names(&rows) {
                assert!(seen.insert(name), "{name:?}");
            }
        }
    }

    #[test]
    fn claims_and_rows_belong_together() {
        let library = Library::embedded();
        for ledger in &library.ledgers {
            let claims = library.claims(&ledger.paper).unwrap().unwrap();
            let mut rows = figures(&library, &ledger.paper);
            assert_eq!(claims.unknown_rows(&names(&rows)), Vec::<String>::new(), "{}", ledger.paper);
            // A quantity of ours alone needs no claim.
            rows.retain(|(_, row)| row.exact != Exactness::None);
            assert_eq!(claims.unclaimed(&names(&rows)), Vec::<(&str, &str)>::new(), "{}", ledger.paper);
        }
    }
}
