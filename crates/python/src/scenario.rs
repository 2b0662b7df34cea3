//! Search, checks and changes of scenarios.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use jettison_report::Figure;
use jettison_run::RunKeys;
use jettison_run::reproduce::{Library, Paper, files_beside, plots_beside};
use jettison_scenario::build::Builder;
use jettison_scenario::{Changes, Files, Registries, Scenario, WithData, schema_json};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::Value;

use crate::discipline::{Control, PythonDiscipline, builder};
use crate::errors::{scenario_error, wrong_scenario};
use crate::sweep::Keys;

/// A valid scenario.
#[pyclass(frozen)]
pub struct Checked {
    pub scenario: Arc<Scenario>,
    /// Path of the file, if any; paper and name, if it is an experiment.
    pub path: Option<PathBuf>,
    pub experiment: Option<(String, String)>,
    embedded: bool,
    pub disciplines: Vec<PythonDiscipline>,
}

/// Source of a scenario, before checks.
#[derive(FromPyObject)]
pub struct Source {
    /// The text.
    text: String,
    /// Name in messages.
    label: String,
    /// Path of the file; files that the scenario names are relative to its folder.
    path: Option<PathBuf>,
    /// Whether the file is embedded in the program.
    embedded: bool,
    /// Paper and name, if it is an experiment of the library.
    experiment: Option<(String, String)>,
    /// A folder of further files.
    data: Option<PathBuf>,
    /// Known contents of files that the scenario names, which are not read again.
    contents: BTreeMap<String, Vec<u8>>,
    /// `path=value`, as with `--set`.
    set: Vec<String>,
    /// Whether the `[quick]` table applies.
    quick: bool,
    /// Additional queue disciplines.
    disciplines: Vec<PythonDiscipline>,
}

/// Files whose contents are carried with the scenario, and then those beside it.
struct Carried {
    contents: BTreeMap<String, Vec<u8>>,
    beside: WithData,
}

impl Files for Carried {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        self.contents.get(name).map_or_else(|| self.beside.read(name), |content| Ok(content.clone()))
    }
    fn display(&self, name: &str) -> String {
        self.beside.display(name)
    }
    fn advice(&self) -> &'static str {
        self.beside.advice()
    }
}

thread_local! {
    /// Standard registries and their schema, cached because a sweep checks thousands of scenarios.
    static STANDARD: (Registries, Value) = {
        let registries = Builder::standard().registries();
        let schema = schema_json(&registries);
        (registries, schema)
    };
    /// The same with the Python classes of the last scenario, cached because a sweep uses one set.
    static WITH_CLASSES: RefCell<Option<Rc<WithClasses>>> = const { RefCell::new(None) };
}

/// Registries with a set of Python classes, and their schema.
struct WithClasses {
    classes: Vec<PythonDiscipline>,
    control: Arc<Control>,
    registries: Registries,
    schema: Value,
}

impl WithClasses {
    /// Fills this thread's cache if necessary.
    fn prepare(py: Python<'_>, classes: &[PythonDiscipline]) -> Result<(), String> {
        let are = |other: &WithClasses| {
            other.classes.len() == classes.len() && other.classes.iter().zip(classes).all(|(a, b)| a.is(b))
        };
        if !WITH_CLASSES.with_borrow(|latest| latest.as_deref().is_some_and(are)) {
            let control = Arc::default();
            let registries = builder(py, classes, &control)?.registries();
            let schema = schema_json(&registries);
            let classes = classes.iter().map(|class| class.clone_ref(py)).collect();
            WITH_CLASSES.replace(Some(Rc::new(WithClasses { classes, control, registries, schema })));
        }
        Ok(())
    }
}

/// Checks a scenario without the interpreter's lock.
#[pyfunction]
pub fn check(py: Python<'_>, source: Source) -> PyResult<Checked> {
    let Source { text, label, path, embedded, experiment, data, contents, set, quick, disciplines } = source;
    let changes = Changes { set, quick };
    if !disciplines.is_empty() {
        WithClasses::prepare(py, &disciplines).map_err(|error| wrong_scenario(py, error))?;
    }
    let plain = disciplines.is_empty();
    let scenario = py.detach(|| {
        let beside = files_beside(path.as_deref().unwrap_or(Path::new("")), embedded, data.as_deref());
        let files = Carried { contents, beside };
        let parse = |registries: &Registries, schema: &Value| {
            Scenario::parse_against(&text, &label, &files, &changes, registries, schema)
        };
        match WITH_CLASSES.with_borrow(Option::clone).filter(|_| !plain) {
            Some(own) => parse(&own.registries, &own.schema),
            None => STANDARD.with(|(registries, schema)| parse(registries, schema)),
        }
    });
    // An exception that a class raised in its constructor.
    let cause = WITH_CLASSES.with_borrow(|own| own.as_ref().and_then(|own| own.control.take_error()));
    let scenario = scenario.map_err(|error| {
        let error = scenario_error(py, &error);
        error.set_cause(py, cause.filter(|_| !plain));
        error
    })?;
    Ok(Checked { scenario: Arc::new(scenario), path, experiment, embedded, disciplines })
}

#[pymethods]
impl Checked {
    /// Name.
    #[getter]
    fn name(&self) -> &str {
        &self.scenario.name
    }

    /// Description.
    #[getter]
    fn description(&self) -> Option<&str> {
        self.scenario.description.as_deref()
    }

    /// Seeds of each variant.
    #[getter]
    fn seeds(&self) -> Vec<u64> {
        self.scenario.seeds.clone()
    }

    /// Names of the variants.
    #[getter]
    fn variants(&self) -> Vec<String> {
        self.scenario.variants.iter().map(|variant| variant.name.clone()).collect()
    }

    /// Labels of each variant, by axis.
    #[getter]
    fn labels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for variant in &self.scenario.variants {
            let labels = PyDict::new(py);
            variant.labels.iter().try_for_each(|(axis, label)| labels.set_item(axis, label))?;
            all.set_item(&variant.name, labels)?;
        }
        Ok(all)
    }

    /// Axes of the comparison, with their labels.
    #[getter]
    fn axes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let axes = PyDict::new(py);
        self.scenario.axes.iter().try_for_each(|(axis, labels)| axes.set_item(axis, labels))?;
        Ok(axes)
    }

    /// Name, SHA-256 in hexadecimal and length in bytes of the scenario and of each file that it names.
    #[getter]
    fn inputs(&self) -> Vec<(String, String, u64)> {
        let inputs = self.scenario.inputs.iter();
        inputs.map(|input| (input.file.clone(), input.sha256.clone(), input.bytes)).collect()
    }

    /// Contents of each file that the scenario names.
    fn contents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let contents = PyDict::new(py);
        for (name, content) in self.scenario.contents.iter() {
            contents.set_item(name, PyBytes::new(py, content))?;
        }
        Ok(contents)
    }

    /// The keys of the runs of all variants, one per seed. `sources` are digests of the Python disciplines that the
    /// variants name; `program` is the identity of the build.
    fn run_keys(&self, sources: BTreeMap<String, String>, program: &str) -> Keys {
        Keys(RunKeys::of(&self.scenario, &self.scenario.variants, &sources, program))
    }

    /// The scenario as TOML, with options applied.
    fn to_toml(&self) -> String {
        self.scenario.to_toml()
    }

    /// The scenario as JSON, with options applied.
    fn to_json(&self) -> String {
        self.scenario.tree.to_string()
    }

    /// Name and effective configuration of each variant, with defaults, as JSON.
    fn effective(&self) -> Vec<(String, String)> {
        self.scenario.variants.iter().map(|each| (each.name.clone(), each.effective.to_string())).collect()
    }

    /// Effective configuration of a variant, with defaults, as TOML.
    fn effective_toml(&self, variant: &str) -> PyResult<String> {
        let found = self.scenario.variants.iter().find(|other| other.name == variant);
        let none = || PyKeyError::new_err(format!("unknown variant `{variant}`"));
        Ok(found.ok_or_else(none)?.effective_toml())
    }
}

impl Checked {
    /// Additional plots for the report, and the paper's figures for the comparison.
    pub fn figures(&self, py: Python<'_>) -> PyResult<(Vec<Figure>, Option<Paper>)> {
        let Some(path) = &self.path else { return Ok((Vec::new(), None)) };
        let wrong = |error: &dyn std::fmt::Display| wrong_scenario(py, error);
        let Some((paper, name)) = &self.experiment else {
            let plots = if self.embedded { Vec::new() } else { plots_beside(path).map_err(|e| wrong(&e))? };
            return Ok((plots, None));
        };
        let library = if self.embedded { Ok(Library::embedded()) } else { Library::open(None) };
        // Without the library (a worker on another machine), results are not compared with a paper.
        let library = library.map_err(|e| wrong(&e))?;
        let found = library.find(&format!("{paper}/{name}")).ok().and_then(|found| found.into_iter().next());
        let Some(figures) = found.and_then(|experiment| experiment.figures.as_deref()) else {
            return Ok((Vec::new(), None));
        };
        let file = path.with_extension("paper.toml").display().to_string();
        let paper = Paper::parse(&file, figures).map_err(|e| wrong(&e))?;
        Ok((paper.plots.clone(), Some(paper)))
    }
}

/// Finds the experiment with a name (`ired/ingress-vs-egress`): text, path, whether it is embedded, paper, name.
#[pyfunction]
pub fn find(py: Python<'_>, name: &str) -> PyResult<(String, PathBuf, bool, String, String)> {
    let library = Library::open(None).map_err(|error| wrong_scenario(py, error))?;
    let found = library.find(name).map_err(|error| wrong_scenario(py, error))?;
    match found.as_slice() {
        [one] => {
            Ok((one.scenario.clone(), one.path.clone(), one.embedded, one.paper.clone(), one.name.clone()))
        }
        several => {
            let names: Vec<String> =
                several.iter().map(|one| format!("{}/{}", one.paper, one.name)).collect();
            let message = format!("`{name}` must name one experiment, got several: {}", names.join(", "));
            Err(wrong_scenario(py, message))
        }
    }
}

/// Converts a table from JSON to TOML.
#[pyfunction]
pub fn toml_of(json: &str) -> PyResult<String> {
    let tree: Value = serde_json::from_str(json).map_err(|error| PyValueError::new_err(error.to_string()))?;
    toml::to_string(&tree).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Converts a value from JSON to one line of TOML, as for `--set`.
#[pyfunction]
pub fn toml_value(json: &str) -> PyResult<String> {
    let value: toml::Value =
        serde_json::from_str(json).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(value.to_string())
}

/// A scenario's text with an additional axis, given as JSON, and the name of the axis of the same path that it
/// replaces.
#[pyfunction]
pub fn with_axis(text: &str, json: &str) -> PyResult<(String, Option<String>)> {
    let axis: Value = serde_json::from_str(json).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let with = jettison_scenario::with_axis(text, &axis);
    with.map(|with| (with.text, with.replaced)).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A scenario's text with only some arms of an axis, given by index.
#[pyfunction]
pub fn with_some_arms(text: &str, axis: &str, places: Vec<usize>) -> String {
    jettison_scenario::with_some_arms(text, axis, &places)
}
