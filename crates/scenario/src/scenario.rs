//! Checked scenarios: variants, seeds, inputs.

use std::path::Path;
use std::sync::Arc;

use indexmap::IndexMap;
use jettison_input::file;
use serde_json::Value;

use crate::error::{CheckError, Place, ScenarioError};
use crate::inputs::{Contents, Files, Folder, InputHash, WithData};
use crate::load::Loader;
use crate::origin::Origins;
use crate::overrides;
use crate::registries::Registries;
use crate::schema::{Seeds, Settings};
use crate::shorten::{Form, Shortened};
use crate::source::Document;

/// A scenario that has passed all checks.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// Description of the experiment.
    pub description: Option<String>,
    /// The file, as the caller named it.
    pub file: String,
    /// Whether it has a `[quick]` table.
    pub has_quick: bool,
    /// What `--quick` shortened, as the file has no such table; `None` if it did not apply.
    pub shortened: Option<Shortened>,
    /// The seeds of the runs of each variant.
    pub seeds: Vec<u64>,
    /// Axes of comparison and the labels of their arms; empty without axes.
    pub axes: IndexMap<String, Vec<String>>,
    /// All combinations of the axes' arms; the last axis varies fastest.
    pub variants: Vec<Variant>,
    /// The scenario's own hash and those of the files that its variants name.
    pub inputs: Vec<InputHash>,
    /// The contents of those files.
    pub contents: Contents,
    /// Warnings about deprecated keys, and about links that lose everything.
    pub warnings: Vec<ScenarioError>,
    /// The scenario as a tree with all overrides applied: a file with this content has the same variants.
    pub tree: Value,
    /// The text, for the places of what is found wrong later.
    pub(crate) document: Arc<Document>,
}

/// One variant of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// Its name: `queue=codel,congestion=cubic`, or `default` if nothing varies.
    pub name: String,
    /// The label of its arm, by axis.
    pub labels: IndexMap<String, String>,
    /// Name of the variant that it is compared with; `None` for a baseline itself, or if nothing varies.
    pub baseline: Option<String>,
    /// Its typed settings.
    pub settings: Settings,
    /// The settings as a tree with all defaults filled in: a scenario with this variant alone.
    pub effective: Value,
    /// Where its values come from.
    pub(crate) origins: Origins,
}

/// Overrides of the file by the caller.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// `path=value` each, as in `--set`; later ones win.
    pub set: Vec<String>,
    /// Whether the `[quick]` table applies, or the runs are shortened if there is none.
    pub quick: bool,
}

impl Scenario {
    /// The values of its `[quick]` table, as `path = value`; none without one.
    pub fn quick_values(&self) -> Vec<String> {
        let table = self.document.tree.get("quick").and_then(Value::as_object);
        let leaves = table.map(|table| overrides::leaves(&self.document.tree, table)).unwrap_or_default();
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        leaves.iter().map(|(path, _, value)| format!("{path} = {}", text(value))).collect()
    }

    /// Reads and checks a file. Input files are read from its folder.
    pub fn load(path: &Path, changes: &Changes, registries: &Registries) -> Result<Scenario, CheckError> {
        Scenario::load_with_data(path, None, changes, registries)
    }

    /// Reads and checks a file. Input files are read from its folder, or else from `data`.
    pub fn load_with_data(
        path: &Path,
        data: Option<&Path>,
        changes: &Changes,
        registries: &Registries,
    ) -> Result<Scenario, CheckError> {
        let name = path.display().to_string();
        let whole = |message: String, help: &str| {
            let place = Place::WholeFile { file: name.clone() };
            CheckError::new(vec![ScenarioError { place, message, help: Some(help.to_owned()) }])
        };
        let content = file::read(path, file::TEXT)
            .map_err(|error| whole(format!("cannot be read: {error}"), "name an existing scenario file"))?;
        let text = String::from_utf8(content).map_err(|error| {
            whole(format!("must be UTF-8 text: {}", error.utf8_error()), "save it as UTF-8")
        })?;
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let files = WithData::new(Folder(folder), data.map(Path::to_path_buf));
        Scenario::parse(&text, &name, &files, changes, registries)
    }

    /// Checks a text. `name` is its name in messages; `files` provides the input files.
    pub fn parse(
        text: &str,
        name: &str,
        files: &dyn Files,
        changes: &Changes,
        registries: &Registries,
    ) -> Result<Scenario, CheckError> {
        Scenario::parse_against(text, name, files, changes, registries, &crate::schema_json(registries))
    }

    /// [`Scenario::parse`] with a schema made before by [`crate::schema_json`], which takes most of the time for a short
    /// text.
    pub fn parse_against(
        text: &str,
        name: &str,
        files: &dyn Files,
        changes: &Changes,
        registries: &Registries,
        schema: &Value,
    ) -> Result<Scenario, CheckError> {
        let document = Document::parse(name, text).map_err(CheckError::new)?;
        let has_quick = document.tree.get("quick").is_some();
        let mut form = match (changes.quick, has_quick) {
            (false, _) => Form::Full,
            (true, true) => Form::Table,
            (true, false) => Form::Shorter,
        };
        let mut loader = Loader::new(&document, schema, registries, files);
        let mut loaded = loader.load(&changes.set, form);
        if form == Form::Shorter && !loader.is_free_of_errors() {
            // The file may be right and something in it lie beyond the shorter end.
            form = Form::FewerSeeds;
            loader = Loader::new(&document, schema, registries, files);
            loaded = loader.load(&changes.set, form);
        }
        let hashes = loader.hashes();
        if has_quick {
            // The file is also checked with the other choice of `[quick]`.
            loader.load(&changes.set, if changes.quick { Form::Full } else { Form::Table });
        }
        let shortened = matches!(form, Form::Shorter | Form::FewerSeeds).then_some(loaded.shortened);
        // Taken after the second load, which needs its files too when a copy of this scenario is checked elsewhere.
        let contents = loader.contents();
        let (errors, mut warnings) = loader.into_messages();
        // Each variant finds the warnings of the file again.
        warnings.sort();
        warnings.dedup_by(|one, other| one.place == other.place && one.message == other.message);
        let complete = loaded.axes.and_then(|axes| Some((axes, loaded.variants.first()?.settings.clone())));
        let Some((axes, first)) = complete.filter(|_| errors.is_empty()) else {
            return Err(CheckError::new(errors));
        };
        let mut inputs = vec![InputHash::of(name, text.as_bytes())];
        inputs.extend(hashes);
        Ok(Scenario {
            name: first.name,
            description: first.description,
            file: name.to_owned(),
            has_quick,
            shortened,
            seeds: first.seeds.list(),
            axes,
            variants: loaded.variants,
            inputs,
            contents,
            warnings,
            tree: loaded.tree,
            document: Arc::new(document),
        })
    }
}

impl Scenario {
    /// Replaces the seeds, as `--set seeds=[…]` would.
    pub fn with_seeds(mut self, seeds: Vec<u64>) -> Scenario {
        let written = Value::from(seeds.clone());
        let trees = self.variants.iter_mut().map(|variant| &mut variant.effective).chain([&mut self.tree]);
        for table in trees.filter_map(Value::as_object_mut) {
            table.insert("seeds".to_owned(), written.clone());
        }
        for variant in &mut self.variants {
            variant.settings.seeds = Seeds::List(seeds.clone());
        }
        Scenario { seeds, ..self }
    }

    /// The scenario as TOML text, with all overrides applied.
    pub fn to_toml(&self) -> String {
        toml::to_string(&self.tree).expect("a tree that was read from TOML can be written as TOML")
    }
}

impl Variant {
    /// The effective configuration as TOML text.
    pub fn effective_toml(&self) -> String {
        toml::to_string(&self.effective).expect("a tree that was read from TOML can be written as TOML")
    }
}
