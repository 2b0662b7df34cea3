//! JSON files, read key by key. All errors of a file are collected, with the paths of their keys.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use jettison_input::file;
use jettison_registry::suggestion;
use serde_json::{Map, Value};

use crate::error::{ProjectError, ProjectErrors};

/// A file with the errors found so far.
#[derive(Debug)]
pub(crate) struct Json {
    pub file: PathBuf,
    pub value: Value,
    errors: RefCell<Vec<ProjectError>>,
}

/// A value in a file, with its path.
#[derive(Debug, Clone)]
pub(crate) struct Place<'a> {
    json: &'a Json,
    pub value: &'a Value,
    path: String,
}

impl Json {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Json, ProjectError> {
        let text = file::read_text(path, file::TEXT)
            .map_err(|error| ProjectError::new(path, "", format!("cannot be read: {error}")))?;
        let value = serde_json::from_str(&text).map_err(|error| {
            let shown = error.to_string();
            // The position is part of the text, too.
            let message = shown.rsplit_once(" at line ").map_or(shown.as_str(), |(message, _)| message);
            let position = Some((error.line(), error.column().max(1)));
            ProjectError { position, ..ProjectError::new(path, "", format!("invalid JSON: {message}")) }
        })?;
        Ok(Json { file: path.to_path_buf(), value, errors: RefCell::default() })
    }

    /// The whole file.
    pub fn root(&self) -> Place<'_> {
        Place { json: self, value: &self.value, path: String::new() }
    }

    /// `done`, unless there were errors.
    pub fn finish<T>(self, done: T) -> Result<T, ProjectErrors> {
        let errors = self.errors.into_inner();
        if errors.is_empty() { Ok(done) } else { Err(ProjectErrors(errors)) }
    }

    /// Adds an error of another file.
    pub fn add(&self, error: ProjectError) {
        self.errors.borrow_mut().push(error);
    }
}

impl<'a> Place<'a> {
    /// Adds an error at this value.
    pub fn refuse(&self, message: impl Into<String>) -> Refusal<'a> {
        self.json.add(ProjectError::new(&self.json.file, self.path.clone(), message));
        Refusal { json: self.json }
    }

    /// The value at a key, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<Place<'a>> {
        let value = self.value.as_object()?.get(key)?;
        let dot = if self.path.is_empty() { "" } else { "." };
        Some(Place { json: self.json, value, path: format!("{}{dot}{key}", self.path) })
    }

    /// The value at a key that must be there.
    pub fn required(&self, key: &str) -> Option<Place<'a>> {
        self.object()?;
        let found = self.get(key);
        if found.is_none() {
            self.refuse(format!("missing key `{key}`"));
        }
        found
    }

    /// The entries of an object, in the order of the file.
    pub fn entries(&self) -> Vec<(&'a str, Place<'a>)> {
        let keys = self.object().into_iter().flat_map(Map::keys);
        keys.filter_map(|key| Some((key.as_str(), self.get(key)?))).collect()
    }

    /// The elements of a list.
    pub fn elements(&self) -> Vec<Place<'a>> {
        let Some(list) = self.value.as_array() else {
            self.refuse(format!("must be a list, got {}", kind(self.value)));
            return Vec::new();
        };
        let place =
            |(index, value)| Place { json: self.json, value, path: format!("{}[{index}]", self.path) };
        list.iter().enumerate().map(place).collect()
    }

    /// The object.
    pub fn object(&self) -> Option<&'a Map<String, Value>> {
        let object = self.value.as_object();
        if object.is_none() {
            self.refuse(format!("must be an object, got {}", kind(self.value)));
        }
        object
    }

    /// The text.
    pub fn text(&self) -> Option<&'a str> {
        let text = self.value.as_str();
        if text.is_none() {
            self.refuse(format!("must be a string, got {}", kind(self.value)));
        }
        text
    }

    /// The truth value.
    pub fn truth(&self) -> Option<bool> {
        let truth = self.value.as_bool();
        if truth.is_none() {
            self.refuse(format!("must be true or false, got {}", kind(self.value)));
        }
        truth
    }

    /// The value of a text by a function, whose error says what is wrong.
    pub fn parsed<T>(&self, parse: impl FnOnce(&str) -> Result<T, String>) -> Option<T> {
        match parse(self.text()?) {
            Ok(value) => Some(value),
            Err(message) => {
                self.refuse(message);
                None
            }
        }
    }

    /// The keys that are not known, each with a suggestion.
    pub fn unknown_keys(&self, known: &[&str]) -> Vec<String> {
        let keys = self.value.as_object().into_iter().flat_map(Map::keys);
        let unknown = keys.filter(|key| !known.contains(&key.as_str()));
        unknown
            .map(|key| {
                let dot = if self.path.is_empty() { "" } else { "." };
                let near = jettison_registry::nearest(key, known.iter().copied());
                let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                format!("`{}{dot}{key}` is not used{near}", self.path)
            })
            .collect()
    }
}

/// An error that was added, for its remedy.
pub(crate) struct Refusal<'a> {
    json: &'a Json,
}

impl Refusal<'_> {
    /// Adds a remedy.
    pub fn help(self, help: impl Into<String>) {
        if let Some(error) = self.json.errors.borrow_mut().last_mut() {
            error.help = Some(help.into());
        }
    }

    /// Suggests the nearest of the known names, or lists them.
    pub fn suggest<'n>(self, word: &str, known: impl Iterator<Item = &'n str>) {
        self.help(suggestion(word, known));
    }
}

/// What a value is, for messages.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
