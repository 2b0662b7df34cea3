//! What is wrong with a scenario, before its place in a file is looked up.

use jettison_registry::schema::{self, Aspect};
use jettison_registry::{KeyPath, ParameterError, Problem};
use serde_json::Value;

/// Something wrong at a place of the tree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    pub path: KeyPath,
    pub aspect: Aspect,
    pub message: String,
    pub help: Option<String>,
}

impl Finding {
    pub fn value(path: &KeyPath, message: String, help: impl Into<String>) -> Finding {
        Finding { path: path.clone(), aspect: Aspect::Value, message, help: Some(help.into()) }
    }
    pub fn complete(path: &KeyPath, message: String) -> Finding {
        Finding { path: path.clone(), aspect: Aspect::Value, message, help: None }
    }
    /// What a builder said about the table or value at `path` of `tree`.
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

/// What a message calls the value at `path`.
fn subject(path: &KeyPath) -> String {
    if path.is_root() { "the file".to_owned() } else { format!("`{path}`") }
}
