//! Queue disciplines as a kind of registered component.

use jettison_core::RandomStream;
use jettison_registry::{Kind, Registry};
use schemars::{Schema, SchemaGenerator, json_schema};

use crate::{InLinux, QueueDiscipline};

/// The component kind "queue discipline".
pub enum Discipline {}

impl Kind for Discipline {
    const KEY: &'static str = "queue";
    const NAME: &'static str = "queue discipline";
    type Context<'a> = BuildContext<'a>;
    type Built = Box<dyn QueueDiscipline>;
    type Facts = InLinux;
}

/// Build context of a discipline: what it needs besides its parameters.
pub struct BuildContext<'a> {
    /// Returns the random stream with the given name, specific to this queue.
    pub random: &'a dyn Fn(&str) -> RandomStream,
    /// The registered disciplines, for disciplines that contain others (bands).
    pub registry: &'a Registry<Discipline>,
}

/// Schema of a parameter that chooses a discipline: an id, or a table with its `kind`.
pub(crate) fn any_discipline(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "title": "discipline", "type": ["string", "object"], "examples": ["tail-drop"] })
}
