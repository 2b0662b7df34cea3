//! Programs and command files of P4 routers, compiled and read during the check.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};

use jettison_p4_front::diagnostic::Diagnostic;
use jettison_p4_front::ir;
use jettison_p4_front::library;
use jettison_p4_front::source::Sources;
use jettison_p4_front::syntax::{Loader, Options};

use crate::registries::ReadFile;

/// A compiled program with the texts of its files of commands and entities.
#[derive(Clone)]
pub struct P4Program {
    /// The program.
    pub program: Arc<ir::Program>,
    /// The file of commands: name in messages, and text.
    pub commands: Option<(Arc<str>, Arc<str>)>,
    /// The file of entities, likewise.
    pub entities: Option<(Arc<str>, Arc<str>)>,
}

/// The source of a program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ProgramSource {
    /// The file, or `<ired.p4>`.
    pub program: String,
    /// Folders of included files.
    pub include: Vec<String>,
    /// `NAME` or `NAME=VALUE`.
    pub define: Vec<String>,
    /// Whose behaviour the program gets.
    pub target: ir::TargetModel,
}

/// Errors of a program, with the sources that they refer to.
#[derive(Debug, Clone)]
pub(crate) struct ProgramErrors {
    pub sources: Sources,
    pub diagnostics: Vec<Diagnostic>,
}

impl fmt::Debug for P4Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("P4Program").finish_non_exhaustive()
    }
}

/// Equality by identity of the compilation, which the cache makes unique.
impl PartialEq for P4Program {
    fn eq(&self, other: &P4Program) -> bool {
        Arc::ptr_eq(&self.program, &other.program)
            && self.commands == other.commands
            && self.entities == other.entities
    }
}

impl ProgramSource {
    /// Compiles the program. `read` returns the content of a file, or the reason why it cannot be read; it is not called for
    /// built-in files.
    ///
    /// The front end asks for includes while it compiles, but its loader must be `'static` and `read` is not. Missing includes
    /// are therefore read after a pass, and the program is compiled again, until none is missing.
    pub fn compile(&self, read: ReadFile<'_>) -> Result<Result<ir::Program, ProgramErrors>, String> {
        let (name, text) = match library::program(&self.program) {
            Some((path, text)) => (path, text.to_owned()),
            None => (self.program.clone(), text(&read_or_known(&self.program, read)?)),
        };
        let known = Arc::new(IncludeCache::default());
        let options = Options {
            include_dirs: self.include.iter().map(PathBuf::from).collect(),
            defines: self.define.iter().map(|define| define_of(define)).collect(),
            loader: Arc::clone(&known) as Arc<dyn Loader>,
            target: self.target,
        };
        loop {
            let mut sources = Sources::default();
            let main = sources.add(name.as_str(), text.as_str());
            let compiled = jettison_p4_front::compile(&mut sources, main, &options);
            let missing = known.take_missing();
            if missing.is_empty() {
                let failed = |diagnostics| ProgramErrors { sources, diagnostics };
                return Ok(compiled.map(|(program, _warnings)| program).map_err(failed));
            }
            for path in missing {
                let content = path.to_str().and_then(|name| (read.0)(name).ok());
                known.put(path, content.map(|content| self::text(&content)));
            }
        }
    }
}

/// Reads a file that is not built in. Names in angle brackets are reserved for built-in files.
pub(crate) fn read_or_known(name: &str, read: ReadFile<'_>) -> Result<Arc<[u8]>, String> {
    if name.starts_with('<') {
        let known: Vec<String> = library::programs().collect();
        return Err(format!("unknown built-in file `{name}`; built-in programs: {}", known.join(", ")));
    }
    (read.0)(name)
}

fn define_of(define: &str) -> (String, String) {
    let (name, value) = define.split_once('=').unwrap_or((define, "1"));
    (name.to_owned(), value.to_owned())
}

fn text(content: &[u8]) -> String {
    String::from_utf8_lossy(content).into_owned()
}

/// Included files read so far, and those still missing.
#[derive(Debug, Default)]
struct IncludeCache(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    read: BTreeMap<PathBuf, Option<String>>,
    missing: BTreeSet<PathBuf>,
}

impl IncludeCache {
    fn take_missing(&self) -> BTreeSet<PathBuf> {
        std::mem::take(&mut self.state().missing)
    }

    fn put(&self, path: PathBuf, text: Option<String>) {
        self.state().read.insert(path, text);
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Loader for IncludeCache {
    fn load(&self, path: &Path) -> io::Result<String> {
        if let Some(text) = path.to_str().and_then(library::included) {
            return Ok(text.to_owned());
        }
        let path = normalized(path);
        let mut state = self.state();
        match state.read.get(&path) {
            Some(Some(text)) => Ok(text.clone()),
            Some(None) => Err(io::ErrorKind::NotFound.into()),
            None => {
                state.missing.insert(path);
                Err(io::ErrorKind::NotFound.into())
            }
        }
    }
}

/// Removes `.`, and `..` after a folder.
fn normalized(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}
