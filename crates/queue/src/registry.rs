//! Which disciplines there are.

use jettison_core::{Catalogue, RandomStream, Registry};
use schemars::Schema;
use serde_json::Value;

use crate::QueueDiscipline;

/// What a discipline may need to know of its place when it is built.
pub struct BuildContext<'a> {
    /// Gives the random stream of this queue's component of that name.
    pub random: &'a dyn Fn(&str) -> RandomStream,
    /// The registry, for disciplines that hold others (bands).
    pub registry: &'a Registry<Discipline>,
}

/// A registered discipline.
#[derive(Clone)]
pub struct Discipline {
    /// Its id.
    pub id: &'static str,
    /// One line for `jettison list`.
    pub summary: &'static str,
    /// The document it implements.
    pub source: &'static str,
    /// The schema of its parameters.
    pub schema: fn() -> Schema,
    /// Builds it from its parameters (an object without `kind`); the error says what is wrong and what is right,
    /// with the path of the key.
    pub build: fn(&Value, &BuildContext<'_>) -> Result<Box<dyn QueueDiscipline>, BuildError>,
}

/// Parameters that cannot be built from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildError {
    /// Keys from the discipline's table to the offending one; empty for the table itself.
    pub path: Vec<String>,
    /// What is wrong and what would be right.
    pub message: String,
}

impl Catalogue for Discipline {
    fn id(&self) -> &'static str {
        self.id
    }
    fn summary(&self) -> &'static str {
        self.summary
    }
    fn source(&self) -> &'static str {
        self.source
    }
    fn schema(&self) -> Schema {
        (self.schema)()
    }
}

/// All disciplines of this crate.
pub fn disciplines() -> Registry<Discipline> {
    Registry::new("queue discipline")
}
