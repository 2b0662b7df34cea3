//! Findings of checks, by path; their place in a file is looked up later.

use jettison_registry::schema::{self, Aspect};
use jettison_registry::{KeyPath, ParameterError, Problem};
use serde_json::Value;

/// A problem at a path of the tree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    pub path: KeyPath,
    pub aspect: Aspect,
    pub message: String,
    pub help: Option<String>,
}

impl Finding {
    /// A finding about a value, with the remedy.
    pub fn value(path: &KeyPath, message: String, help: impl Into<String>) -> Finding {
        Finding { path: path.clone(), aspect: Aspect::Value, message, help: Some(help.into()) }
    }
    /// A finding whose message implies the remedy.
    pub fn complete(path: &KeyPath, message: String) -> Finding {
        Finding { path: path.clone(), aspect: Aspect::Value, message, help: None }
    }
    /// The error of a builder about the table or value at `path` of `tree`.
    pub fn built(tree: &Value, path: &KeyPath, error: &ParameterError) -> Finding {
        let at = error.path.iter().fold(path.clone(), |at, step| match (at.find(tree), step.parse()) {
            (Some(Value::Array(_)), Ok(index)) => at.index(index),
            _ => at.key(step),
        });
        let message = error.problem.about(&subject(&at));
        let aspect = if error.problem == Problem::UnknownKey { Aspect::Key } else { Aspect::Value };
        Finding { path: at, aspect, message, help: error.help.clone() }
    }
}

impl From<schema::Finding> for Finding {
    fn from(found: schema::Finding) -> Finding {
        let message = found.problem.about(&subject(&found.path));
        Finding { path: found.path, aspect: found.aspect, message, help: found.help }
    }
}

/// The subject of a message about `path`.
fn subject(path: &KeyPath) -> String {
    if path.is_root() { "the file".to_owned() } else { format!("`{path}`") }
}
