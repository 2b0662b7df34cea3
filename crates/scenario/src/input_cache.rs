//! Cache of input files: each is read and parsed once for all variants.

use std::cell::RefCell;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use jettison_link::profile::NetworkProfile;
use jettison_link::trace::Grants;
use jettison_link::{CellFile, DistributionTable};
use jettison_p4_front::diagnostic::Diagnostic;
use jettison_p4_front::ir::Program;
use jettison_p4_front::source::Sources;

use crate::error::{Place, ScenarioError};
use crate::inputs::{Contents, Files, InputHash};
use crate::p4_program::ProgramSource;
use crate::registries::{ReadFile, TraceCheck};

/// Files read and parsed so far.
pub(crate) struct InputCache<'f> {
    files: &'f dyn Files,
    read: RefCell<IndexMap<String, Result<Input, String>>>,
    grants: RefCell<IndexMap<CellFile, Result<Arc<Grants>, ScenarioError>>>,
    profiles: RefCell<IndexMap<String, Result<Arc<NetworkProfile>, ScenarioError>>>,
    distributions: RefCell<IndexMap<String, Result<Arc<DistributionTable>, ScenarioError>>>,
    programs: RefCell<IndexMap<ProgramSource, Compiled>>,
}

/// A compiled P4 program, or its errors, and the files read for it.
#[derive(Clone)]
pub(crate) struct Compiled {
    pub program: Result<Arc<Program>, NotCompiled>,
    pub files: Vec<String>,
}

/// Reason why a program is missing.
#[derive(Clone)]
pub(crate) enum NotCompiled {
    /// The file cannot be read.
    Unreadable(String),
    /// The program or an included file has errors.
    Wrong(Vec<ScenarioError>),
}

/// The use of a file that the scenario names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileUse {
    /// A Mahimahi trace of a link.
    Trace,
    /// Grants of a cell.
    Cell,
    /// A network profile of a link.
    Profile,
    /// A distribution of jitter.
    Distribution,
    /// An input of a component, which checks it itself.
    Input,
}

impl FileUse {
    /// The use of files named by strings of that schema format; `None` for other formats.
    pub fn of(format: &str) -> Option<FileUse> {
        match format {
            "trace-file" => Some(FileUse::Trace),
            "cell-file" => Some(FileUse::Cell),
            "profile-file" => Some(FileUse::Profile),
            "distribution-file" => Some(FileUse::Distribution),
            "input-file" => Some(FileUse::Input),
            _ => None,
        }
    }
}

struct Input {
    hash: InputHash,
    content: Arc<[u8]>,
}

impl<'f> InputCache<'f> {
    pub fn new(files: &'f dyn Files) -> InputCache<'f> {
        InputCache {
            files,
            read: RefCell::default(),
            grants: RefCell::default(),
            profiles: RefCell::default(),
            distributions: RefCell::default(),
            programs: RefCell::default(),
        }
    }

    /// The remedy for a file that cannot be read.
    pub fn advice(&self) -> &'static str {
        self.files.advice()
    }

    /// The name of a file in messages.
    pub fn display(&self, name: &str) -> String {
        self.files.display(name)
    }

    /// The content of a file, or a message with the reason why it cannot be read.
    pub fn content(&self, name: &str) -> Result<Arc<[u8]>, String> {
        let mut read = self.read.borrow_mut();
        let input = read.entry(name.to_owned()).or_insert_with(|| match self.files.read(name) {
            Ok(content) => Ok(Input { hash: InputHash::of(name, &content), content: content.into() }),
            Err(error) => Err(format!("cannot read `{}`: {error}", self.files.display(name))),
        });
        input.as_ref().map(|input| Arc::clone(&input.content)).map_err(Clone::clone)
    }

    /// Checks the content of a trace.
    pub fn check_trace(&self, name: &str, content: &[u8], check: &TraceCheck) -> Option<ScenarioError> {
        let Ok(text) = std::str::from_utf8(content) else {
            let help = Some("name a trace with one time in milliseconds per line".to_owned());
            return Some(ScenarioError { help, ..self.error(name, None, "must be UTF-8 text".to_owned()) });
        };
        let problem = (check.0)(text).err()?;
        Some(self.error(name, problem.line.map(|line| (line, 1)), problem.message))
    }

    /// Parses the grants in the content of a file.
    pub fn grants(&self, cell: &CellFile, content: &[u8]) -> Result<Arc<Grants>, ScenarioError> {
        let mut grants = self.grants.borrow_mut();
        let grants = grants.entry(cell.clone()).or_insert_with(|| match cell.read(content) {
            Ok(grants) => Ok(Arc::new(grants)),
            Err(error) => Err(self.error(&cell.file, error.line().map(|line| (line, 1)), error.to_string())),
        });
        grants.clone()
    }

    /// Parses the profile in the content of a file.
    pub fn profile(&self, name: &str, content: &[u8]) -> Result<Arc<NetworkProfile>, ScenarioError> {
        let mut profiles = self.profiles.borrow_mut();
        let profile =
            profiles.entry(name.to_owned()).or_insert_with(|| match NetworkProfile::parse(content) {
                Ok(profile) => Ok(Arc::new(profile)),
                Err(error) => Err(self.error(name, error.position(), error.to_string())),
            });
        profile.clone()
    }

    /// Parses the distribution in the content of a file.
    pub fn distribution(&self, name: &str, content: &[u8]) -> Result<Arc<DistributionTable>, ScenarioError> {
        let mut distributions = self.distributions.borrow_mut();
        let parse = || match DistributionTable::parse(content) {
            Ok(table) => Ok(Arc::new(table)),
            Err(error) => Err(self.error(name, error.line.map(|line| (line, 1)), error.to_string())),
        };
        distributions.entry(name.to_owned()).or_insert_with(parse).clone()
    }

    /// Compiles a P4 program, once per source.
    pub fn program(&self, source: &ProgramSource) -> Compiled {
        let mut programs = self.programs.borrow_mut();
        let compile = || {
            let files = RefCell::new(Vec::new());
            let read = |name: &str| {
                files.borrow_mut().push(name.to_owned());
                self.content(name)
            };
            let compiled = source.compile(ReadFile(&read));
            let program = match compiled {
                Err(message) => Err(NotCompiled::Unreadable(message)),
                Ok(Err(wrong)) => {
                    let errors = wrong.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
                    Err(NotCompiled::Wrong(errors.map(|each| self.diagnosed(&wrong.sources, each)).collect()))
                }
                Ok(Ok(program)) => Ok(Arc::new(program)),
            };
            Compiled { program, files: files.into_inner() }
        };
        programs.entry(source.clone()).or_insert_with(compile).clone()
    }

    fn diagnosed(&self, sources: &Sources, diagnostic: &Diagnostic) -> ScenarioError {
        let (message, help) = (diagnostic.message.clone(), diagnostic.hint.clone());
        match diagnostic.span {
            None => ScenarioError { place: Place::WholeFile { file: String::new() }, message, help },
            Some(span) => {
                let name = &sources.file(span.file).name;
                ScenarioError { help, ..self.error(name, Some(sources.position(span)), message) }
            }
        }
    }

    /// The hashes of the readable files among `names`.
    pub fn hashes(&self, names: &IndexSet<String>) -> Vec<InputHash> {
        self.inputs(names, |_, input| input.hash.clone())
    }

    /// The contents of the readable files among `names`.
    pub fn contents(&self, names: &IndexSet<String>) -> Contents {
        let both = |name: &str, input: &Input| (name.to_owned(), Arc::clone(&input.content));
        self.inputs(names, both).into_iter().collect()
    }

    fn inputs<T>(&self, names: &IndexSet<String>, of: impl Fn(&str, &Input) -> T) -> Vec<T> {
        let read = self.read.borrow();
        let input = |name: &String| Some(of(name, read.get(name)?.as_ref().ok()?));
        names.iter().filter_map(input).collect()
    }

    fn error(&self, name: &str, position: Option<(usize, usize)>, message: String) -> ScenarioError {
        let file = self.files.display(name);
        let place = match position {
            Some((line, column)) => Place::Line { file, line, column },
            None => Place::WholeFile { file },
        };
        ScenarioError { place, message, help: None }
    }
}
