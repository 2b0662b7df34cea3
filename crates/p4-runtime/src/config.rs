//! Device configuration: the texts of a program, so that the switch compiles it itself.
//!
//! JSON: `format` is `jettison-p4/1`; `main` is the name of the main file; `files` maps the name of each file that the
//! compiler read to its text, without the built-in `core.p4` and `v1model.p4`; `defines` and `include` are the
//! preprocessor's `-D` and `-I`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jettison_p4_front::ir::{Program, TargetModel};
use jettison_p4_front::source::{FileId, Sources};
use jettison_p4_front::syntax::{Loader, Options};
use jettison_p4_front::{Diagnostic, library};
use serde::{Deserialize, Serialize};

/// Value of [`DeviceConfig::format`].
pub const FORMAT: &str = "jettison-p4/1";

/// The texts of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceConfig {
    /// Name and version of this format.
    pub format: String,
    /// Name of the main file.
    pub main: String,
    /// Texts by the file's name.
    pub files: BTreeMap<String, String>,
    /// Macros of the command line and their values.
    #[serde(default)]
    pub defines: Vec<(String, String)>,
    /// Folders in which includes are searched.
    #[serde(default)]
    pub include: Vec<PathBuf>,
    /// Whether the program follows the specification where BMv2's `simple_switch` departs from it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spec: bool,
}

impl DeviceConfig {
    /// The texts that compiling `main` has read into `sources`.
    pub fn new(sources: &Sources, main: FileId, options: &Options) -> DeviceConfig {
        let built_in = |name: &str| name == "<core.p4>" || name == "<v1model.p4>" || name == "<command line>";
        let files = sources.files().filter(|source| !built_in(&source.name));
        DeviceConfig {
            format: FORMAT.to_owned(),
            main: sources.file(main).name.to_string(),
            files: files.map(|source| (source.name.to_string(), source.text.to_string())).collect(),
            defines: options.defines.clone(),
            include: options.include_dirs.clone(),
            spec: options.target == TargetModel::Spec,
        }
    }

    /// Reads a configuration; `None` if the bytes are not one of this format.
    pub fn read(bytes: &[u8]) -> Option<DeviceConfig> {
        serde_json::from_slice(bytes).ok().filter(|config: &DeviceConfig| config.format == FORMAT)
    }

    /// The configuration as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default(); // strings always serialize
        bytes.push(b'\n');
        bytes
    }

    /// Compiles the program; no file is read from the machine.
    ///
    /// # Errors
    /// The program's first error, with its position.
    pub fn compile(&self) -> Result<Arc<Program>, String> {
        let mut sources = Sources::default();
        let text = self.files.get(&self.main).ok_or_else(|| format!("missing text of `{}`", self.main))?;
        let main = sources.add(&*self.main, &**text);
        let options = Options {
            include_dirs: self.include.clone(),
            defines: self.defines.clone(),
            loader: Arc::new(Texts(self.files.clone())),
            target: if self.spec { TargetModel::Spec } else { TargetModel::Bmv2 },
        };
        match jettison_p4_front::compile(&mut sources, main, &options) {
            Ok((program, _)) => Ok(Arc::new(program)),
            Err(errors) => {
                let first = errors.iter().find(|error| Diagnostic::is_error(error));
                Err(first
                    .map_or_else(|| "the program is invalid".to_owned(), |error| error.one_line(&sources)))
            }
        }
    }
}

/// Loader of the configuration's files.
#[derive(Debug)]
struct Texts(BTreeMap<String, String>);

impl Loader for Texts {
    fn load(&self, path: &Path) -> io::Result<String> {
        let name = path.to_str().unwrap_or_default();
        let text = self.0.get(name).cloned().or_else(|| library::included(name).map(str::to_owned));
        text.ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_compiles_without_the_files() {
        let mut sources = Sources::default();
        let (name, text) = library::program("<codel.p4>").unwrap();
        let main = sources.add(name, text);
        let options = Options { target: TargetModel::Spec, ..Options::default() };
        let (program, _) = jettison_p4_front::compile(&mut sources, main, &options).unwrap();
        let config = DeviceConfig::new(&sources, main, &options);
        let again = DeviceConfig::read(&config.to_bytes()).unwrap();
        assert_eq!(again, config);
        let compiled = again.compile().unwrap();
        assert_eq!((compiled.tables.len(), compiled.target), (program.tables.len(), TargetModel::Spec));
        assert!(DeviceConfig::read(b"{\"program\": \"a BMv2 configuration\"}").is_none());
    }

    #[test]
    fn a_broken_program_gives_its_first_error() {
        let files = [("a.p4".to_owned(), "control C( {".to_owned())].into();
        let config = DeviceConfig {
            format: FORMAT.into(),
            main: "a.p4".into(),
            files,
            defines: Vec::new(),
            include: Vec::new(),
            spec: false,
        };
        assert!(config.compile().unwrap_err().contains("a.p4"));
        assert!(DeviceConfig { main: "b.p4".into(), ..config }.compile().is_err());
    }
}
