//! Stored runs made again: from a folder of results to the world of one of its runs.
//!
//! The results hold the scenario as it was run, and the hashes of the files that it names. These are read where they were, and
//! must be as they were. The key of the run, which depends on all of this and on the program, is then the stored one.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use jettison_core::Time;
use jettison_input::file;
use jettison_report::{
    Input, Manifest, Mode, ReportError, RunKey, SCENARIO, check, stored_manifest, stored_timing,
};
use jettison_scenario::build::{BuildFailure, BuildOptions, Builder};
use jettison_scenario::{Changes, CheckError, Files, InputHash, Registries, Scenario, Variant};
use jettison_sim::World;
use thiserror::Error;

use crate::keys::RunKeys;
use crate::program::Program;
use crate::reproduce::library::{EMBEDDED, files_beside};

/// Most runs that a message lists.
const LISTED: usize = 4;

/// Which stored run to make again, and where its files are.
#[derive(Debug, Clone, Copy, Default)]
pub struct Which<'a> {
    /// Name of the variant. `None`: that of the only run, or the only one with the seed.
    pub variant: Option<&'a str>,
    /// The seed. `None`: that of the only run, or the only one of the variant.
    pub seed: Option<u64>,
    /// A folder for input files that are not beside the scenario.
    pub data: Option<&'a Path>,
}

/// A stored run that can be made again.
#[derive(Debug)]
pub struct Rebuilt {
    /// The folder of the results.
    pub folder: PathBuf,
    /// The description of the results.
    pub manifest: Manifest,
    /// The scenario, with all its variants.
    pub scenario: Scenario,
    /// The run.
    pub key: RunKey,
    /// Where input files are read that further checks of the scenario need.
    pub place: InputPlace,
    index: usize,
}

/// Where the files of a stored scenario are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputPlace {
    /// The scenario's file, or its path among those inside the program.
    pub scenario: PathBuf,
    /// Whether it is inside the program.
    pub is_embedded: bool,
    /// A folder for files that are not beside it.
    pub data: Option<PathBuf>,
}

/// An error that prevents a stored run from being made again.
#[derive(Debug, Error)]
pub enum RebuildError {
    /// The folder holds no results, or damaged ones.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The results are not simulated.
    #[error(
        "{} was measured {}, which cannot be repeated; name results of `jettison run`",
        folder.display(), if *mode == Mode::Live { "live" } else { "by flent" }
    )]
    NotSimulated {
        /// The folder.
        folder: PathBuf,
        /// How they were measured.
        mode: Mode,
    },
    /// Results without their scenario, of an earlier version.
    #[error("{} has no {SCENARIO}: an earlier version of Jettison wrote it; run the scenario again", .0.display())]
    NoScenario(PathBuf),
    /// The scenario's file has changed.
    #[error(
        "{} has changed since {} was written (SHA-256 {} then, {} now); run the scenario again",
        file.display(), folder.display(), short(then), short(now)
    )]
    ScenarioChanged {
        /// The scenario's file.
        file: PathBuf,
        /// The folder.
        folder: PathBuf,
        /// Its hash then.
        then: String,
        /// Its hash now.
        now: String,
    },
    /// An input file has changed.
    #[error(
        "the input {file} has changed since {} was written (SHA-256 {} then, {} now); run the scenario again",
        folder.display(), short(then), short(now)
    )]
    InputChanged {
        /// The file.
        file: String,
        /// The folder.
        folder: PathBuf,
        /// Its hash then.
        then: String,
        /// Its hash now.
        now: String,
    },
    /// An input file cannot be read.
    #[error("the input {file} cannot be read: {reason}; name its folder with --data")]
    InputMissing {
        /// The file.
        file: String,
        /// The cause.
        reason: String,
    },
    /// A queue discipline that only a Python program has.
    #[error(
        "the queue discipline `{0}` is not one of this program: it was written in Python, and a stored run with it cannot be made \
         again"
    )]
    PythonDiscipline(String),
    /// The stored scenario is not valid for this program.
    #[error("the scenario in {} is not valid for this version of Jettison: {error}", folder.display())]
    Check {
        /// The folder.
        folder: PathBuf,
        /// The errors.
        error: CheckError,
    },
    /// No such variant.
    #[error("unknown variant `{name}`; {help}")]
    UnknownVariant {
        /// The name.
        name: String,
        /// The nearest or all names.
        help: String,
    },
    /// No run with that seed.
    #[error("no run of `{variant}` has the seed {seed}; its seeds are {known}")]
    UnknownSeed {
        /// The variant.
        variant: String,
        /// The seed.
        seed: u64,
        /// The seeds that there are.
        known: String,
    },
    /// Several runs, and no choice among them.
    #[error("{} has {count} runs; choose one with --variant and --seed: {known}", folder.display())]
    Ambiguous {
        /// The folder.
        folder: PathBuf,
        /// The number of runs that fit.
        count: usize,
        /// The first of them.
        known: String,
    },
    /// Another program made the run.
    #[error(
        "another program made {} ({theirs}; this is {ours}), so the run may not be the same again; run the scenario again",
        folder.display()
    )]
    OtherProgram {
        /// The folder.
        folder: PathBuf,
        /// Its version and commit.
        theirs: String,
        /// This program's.
        ours: String,
    },
    /// The world cannot be built.
    #[error(transparent)]
    Build(#[from] BuildFailure),
}

/// Finds a stored run, and checks that it can be made again as it was. `sources` are the digests of Python disciplines that
/// `builder` has.
///
/// # Errors
/// If the results are damaged, not simulated or of another program, the run is not among them, or a file has changed.
pub fn rebuild(
    folder: &Path,
    which: &Which<'_>,
    builder: &Builder,
    sources: &BTreeMap<String, String>,
    program: &Program,
) -> Result<Rebuilt, RebuildError> {
    check(folder)?;
    let manifest = stored_manifest(folder).ok_or_else(|| RebuildError::NoScenario(folder.to_owned()))?;
    let mode = manifest.experiment.mode;
    if mode != Mode::Simulated {
        return Err(RebuildError::NotSimulated { folder: folder.to_owned(), mode });
    }
    let text = file::read_text(&folder.join(SCENARIO), file::TEXT)
        .map_err(|_| RebuildError::NoScenario(folder.to_owned()))?;
    let place = place(folder, &manifest, which.data)?;
    check_inputs(folder, &manifest, &place)?;
    let key = choose(folder, &manifest, which)?;
    let registries = builder.registries();
    if let Some(name) = unknown_queue(&text, &registries) {
        return Err(RebuildError::PythonDiscipline(name));
    }
    let shown = place.scenario.display().to_string();
    let scenario = Scenario::parse(&text, &shown, &place.files(), &Changes::default(), &registries)
        .map_err(|error| RebuildError::Check { folder: folder.to_owned(), error })?;
    let index = scenario.variants.iter().position(|variant| variant.name == key.variant);
    let (Some(index), true) = (index, is_same(&scenario, &manifest, &key, index, sources, program)) else {
        let theirs = format!("{}, commit {}", manifest.version, shown_commit(manifest.commit.as_deref()));
        let ours =
            format!("{}, commit {}", env!("CARGO_PKG_VERSION"), shown_commit(program.commit.as_deref()));
        return Err(RebuildError::OtherProgram { folder: folder.to_owned(), theirs, ours });
    };
    Ok(Rebuilt { folder: folder.to_owned(), manifest, scenario, key, place, index })
}

impl Rebuilt {
    /// The variant.
    pub fn variant(&self) -> &Variant {
        &self.scenario.variants[self.index]
    }

    /// The end of the run.
    pub fn end(&self) -> Time {
        Time::ZERO + self.variant().settings.duration
    }

    /// A fresh world of the run.
    ///
    /// # Errors
    /// If it cannot be built.
    pub fn world(&self, builder: &Builder) -> Result<World, RebuildError> {
        let (settings, contents) = (&self.variant().settings, &self.scenario.contents);
        Ok(builder.build(settings, contents, self.key.seed, &BuildOptions::default())?)
    }

    /// The variant with further settings, as `--set` gives them.
    ///
    /// # Errors
    /// If a setting is wrong.
    pub fn changed(&self, set: &[String], builder: &Builder) -> Result<Variant, CheckError> {
        let registries = builder.registries();
        let changes = Changes { set: set.to_vec(), quick: false };
        let text = self.variant().effective_toml();
        let shown = self.place.scenario.display().to_string();
        let mut scenario = Scenario::parse(&text, &shown, &self.place.files(), &changes, &registries)?;
        Ok(scenario.variants.swap_remove(0))
    }
}

impl InputPlace {
    fn files(&self) -> impl Files + use<> {
        files_beside(&self.scenario, self.is_embedded, self.data.as_deref())
    }
}

/// The place of a scenario's file, seen from the folder of its results: it stays right if both are moved together.
pub(crate) fn place_of(file: &Path, results: &Path) -> String {
    let Ok(file) = file.canonicalize() else { return file.display().to_string() };
    let results = results.canonicalize().or_else(|_| std::path::absolute(results));
    let Ok(results) = results else { return file.display().to_string() };
    let shared = file.components().zip(results.components()).take_while(|(a, b)| a == b).count();
    let up = results.components().skip(shared).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(file.components().skip(shared)).collect();
    path.display().to_string()
}

/// A path with its `..` resolved by the names alone.
fn without_parents(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, component| {
        match component {
            Component::ParentDir => drop(path.pop()),
            other => path.push(other),
        }
        path
    })
}

/// Where the scenario is, if it is as it was.
fn place(folder: &Path, manifest: &Manifest, data: Option<&Path>) -> Result<InputPlace, RebuildError> {
    let stored = stored_timing(folder).map(|timing| timing.scenario).unwrap_or_default();
    let data = data.map(Path::to_path_buf);
    let inside = match stored.strip_prefix("preset ") {
        Some(name) => PathBuf::from(format!("presets/{name}.toml")),
        None => PathBuf::from(&stored),
    };
    let path = without_parents(&folder.canonicalize().unwrap_or_else(|_| folder.to_owned()).join(&stored));
    let is_embedded = !path.is_file() && EMBEDDED.get_file(&inside).is_some();
    let content = match is_embedded {
        true => EMBEDDED.get_file(&inside).map(|file| file.contents().to_vec()),
        false => file::read(&path, file::TEXT).ok(),
    };
    let scenario = if is_embedded { inside } else { path };
    // A file that is gone says nothing about what was run, which the results hold.
    if let (Some(content), Some(Input { sha256: then, .. })) = (content, manifest.experiment.inputs.first()) {
        let now = InputHash::of("", &content).sha256;
        if now != *then {
            let (file, folder, then) = (scenario, folder.to_owned(), then.clone());
            return Err(RebuildError::ScenarioChanged { file, folder, then, now });
        }
    }
    Ok(InputPlace { scenario, is_embedded, data })
}

/// Checks that the input files are as they were.
fn check_inputs(folder: &Path, manifest: &Manifest, place: &InputPlace) -> Result<(), RebuildError> {
    let files = place.files();
    // The first is the scenario itself.
    for Input { path, sha256: then } in manifest.experiment.inputs.iter().skip(1) {
        let content = files.read(path).map_err(|error| RebuildError::InputMissing {
            file: files.display(path),
            reason: error.to_string(),
        })?;
        let now = InputHash::of(path, &content).sha256;
        if now != *then {
            let (file, folder) = (files.display(path), folder.to_owned());
            return Err(RebuildError::InputChanged { file, folder, then: then.clone(), now });
        }
    }
    Ok(())
}

/// The name of a variant, given by its name or a label of its own.
pub(crate) fn variant_named<'a>(manifest: &'a Manifest, given: &str) -> Result<&'a str, RebuildError> {
    manifest.experiment.variant_named(given).ok_or_else(|| {
        let names = manifest.experiment.variants.iter().map(|variant| variant.name.as_str());
        RebuildError::UnknownVariant {
            name: given.to_owned(),
            help: jettison_registry::suggestion(given, names),
        }
    })
}

/// The run that is meant.
fn choose(folder: &Path, manifest: &Manifest, which: &Which<'_>) -> Result<RunKey, RebuildError> {
    let wanted = which.variant.map(|name| variant_named(manifest, name)).transpose()?;
    let of_variant = |key: &&RunKey| wanted.is_none_or(|variant| key.variant == variant);
    let keys: Vec<&RunKey> = manifest.runs.iter().map(|run| &run.key).filter(of_variant).collect();
    let fitting: Vec<&RunKey> =
        keys.iter().copied().filter(|key| which.seed.is_none_or(|seed| key.seed == seed)).collect();
    match (fitting.as_slice(), which.seed) {
        ([only], _) => Ok((*only).clone()),
        ([], Some(seed)) => {
            let variant = which.variant.unwrap_or("any variant").to_owned();
            let known = listed(keys.iter().map(|key| key.seed.to_string()));
            Err(RebuildError::UnknownSeed { variant, seed, known })
        }
        (several, _) => {
            let known = listed(several.iter().map(|key| key.to_string()));
            Err(RebuildError::Ambiguous { folder: folder.to_owned(), count: several.len(), known })
        }
    }
}

fn listed(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.collect();
    names.dedup();
    let more = names.len().saturating_sub(LISTED);
    names.truncate(LISTED);
    match more {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// Whether a run of this program with this scenario is the stored one.
fn is_same(
    scenario: &Scenario,
    manifest: &Manifest,
    key: &RunKey,
    index: Option<usize>,
    sources: &BTreeMap<String, String>,
    program: &Program,
) -> bool {
    let Some(variant) = index.and_then(|index| scenario.variants.get(index)) else { return false };
    let keys = RunKeys::of(scenario, std::slice::from_ref(variant), sources, &program.identity);
    let entry = manifest.runs.iter().find(|run| run.key == *key);
    let stored = entry.and_then(|run| run.content_key.as_deref());
    let own = [keys.of_seed(key.seed), keys.with_all_captures().of_seed(key.seed)];
    own.iter().any(|own| stored == Some(own))
}

/// The first queue that a scenario names and no registry has.
fn unknown_queue(text: &str, registries: &Registries) -> Option<String> {
    let tree: toml::Table = text.parse().ok()?;
    let is_known = |name: &str| {
        let registered = registries.disciplines.kind(name).or(registries.port_queues.kind(name));
        registered.is_some()
            || tree.get("queues").and_then(toml::Value::as_table).is_some_and(|own| own.contains_key(name))
    };
    let mut named = Vec::new();
    let mut take = |value: &toml::Value| named.extend(kind_of(value).map(str::to_owned));
    let tables =
        |key: &str| tree.get(key).and_then(toml::Value::as_table).into_iter().flat_map(|t| t.values());
    for link in tables("links") {
        let sides = [Some(link), link.get("forward"), link.get("reverse")];
        sides.into_iter().flatten().filter_map(|side| side.get("queue")).for_each(&mut take);
    }
    tables("queues").for_each(&mut take);
    for axis in tree.get("vary").and_then(toml::Value::as_array).into_iter().flatten() {
        let path = axis.get("path").and_then(toml::Value::as_str).unwrap_or_default();
        if path.ends_with(".queue") {
            let values = axis.get("values").and_then(toml::Value::as_array);
            values.into_iter().flatten().for_each(&mut take);
        }
    }
    named.into_iter().find(|name| !is_known(name))
}

fn kind_of(queue: &toml::Value) -> Option<&str> {
    queue.as_str().or_else(|| queue.get("kind")?.as_str())
}

fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

fn shown_commit(commit: Option<&str>) -> &str {
    commit.unwrap_or("unknown")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_scenario_is_seen_from_its_results() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/out")).unwrap();
        std::fs::write(root.join("a/small.toml"), "").unwrap();
        let (file, results) = (root.join("a/small.toml"), root.join("a/out"));
        assert_eq!(place_of(&file, &results), "../small.toml");
        // The folder of results is made after the runs.
        assert_eq!(place_of(&file, &root.join("b/out")), "../../a/small.toml");
        assert_eq!(place_of(Path::new("preset rrul"), &results), "preset rrul");
        assert_eq!(without_parents(&results.join("../small.toml")), file);
    }
}
