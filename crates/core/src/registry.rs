//! Run-time registries: an id, what can be built under it, and the documentation that `jettison list` prints.

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Segment;

/// What a registry entry tells about itself.
pub trait Catalogue {
    /// The id that scenario files write (`kind = "codel"`).
    fn id(&self) -> &'static str;
    /// One line for `jettison list`.
    fn summary(&self) -> &'static str;
    /// The document it implements: RFC or paper, with the section where one matters.
    fn source(&self) -> &'static str;
    /// The JSON Schema of its parameters, an object schema without the `kind` key.
    fn schema(&self) -> Schema;
}

/// Makes an entry of a registry a [`Catalogue`]: one with the fields `id`, `summary`, `source` and `schema`, a function that
/// gives the schema.
#[macro_export]
macro_rules! catalogue {
    ($entry:ty) => {
        impl $crate::Catalogue for $entry {
            fn id(&self) -> &'static str {
                self.id
            }
            fn summary(&self) -> &'static str {
                self.summary
            }
            fn source(&self) -> &'static str {
                self.source
            }
            fn schema(&self) -> schemars::Schema {
                (self.schema)()
            }
        }
    };
}

/// One parameter of an entry, as `jettison list` prints it.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ParameterDoc {
    /// The key in the scenario file.
    pub name: String,
    /// `duration`, `rate`, `size`, `integer`, `number`, `boolean`, a list of choices, …
    pub unit: String,
    /// The default, as one would write it; `None` where the key is required or unset.
    pub default: Option<String>,
    /// What it means.
    pub description: String,
}

/// Parameters that nothing can be built from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", prefix(path))]
pub struct BuildError {
    /// Keys from the entry's own table to the offending one; empty for the table itself.
    pub path: Vec<String>,
    /// What is wrong and what would be right.
    pub message: String,
}

fn prefix(path: &[String]) -> String {
    if path.is_empty() { String::new() } else { format!("{}: ", path.join(".")) }
}

impl BuildError {
    /// An error at one key of the entry's table.
    pub fn at(key: &str, message: impl Into<String>) -> BuildError {
        BuildError { path: vec![key.to_owned()], message: message.into() }
    }
    /// An error of the table as a whole.
    pub fn whole(message: impl Into<String>) -> BuildError {
        BuildError { path: Vec::new(), message: message.into() }
    }
    /// An error in the value of `key` unless `holds`.
    pub fn unless(holds: bool, key: &str, message: impl FnOnce() -> String) -> Result<(), BuildError> {
        if holds { Ok(()) } else { Err(BuildError::at(key, message())) }
    }
    /// The same error, seen from the table that holds this one under `key`.
    pub fn under(mut self, key: &str) -> BuildError {
        self.path.insert(0, key.to_owned());
        self
    }
}

/// Reads an entry's parameters from an object without its `kind`. What is not written takes its default.
///
/// # Errors
/// With the path of the offending key; an unknown key is answered with the nearest known one.
pub fn parameters<T: DeserializeOwned + JsonSchema>(value: &Value) -> Result<T, BuildError> {
    if let Value::Object(table) = value {
        let schema = schema_for!(T);
        let properties = schema.get("properties").and_then(Value::as_object);
        let known: Vec<&str> = properties.map(|p| p.keys().map(String::as_str).collect()).unwrap_or_default();
        if let Some(key) = table.keys().find(|key| !known.contains(&key.as_str())) {
            let list = known.join(", ");
            let message = match nearest(key, known.iter().copied()) {
                Some(near) => format!("unknown key `{key}`; did you mean `{near}`? Known: {list}"),
                None => format!("unknown key `{key}`. Known: {list}"),
            };
            return Err(BuildError::at(key, message));
        }
    }
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().iter().filter_map(|segment| match segment {
            Segment::Seq { index } => Some(index.to_string()),
            Segment::Map { key } => Some(key.clone()),
            Segment::Enum { variant } => Some(variant.clone()),
            Segment::Unknown => None,
        });
        BuildError { path: path.collect(), message: error.inner().to_string() }
    })
}

/// Entries by id, in the order of registration.
#[derive(Debug, Clone)]
pub struct Registry<E> {
    what: &'static str,
    entries: IndexMap<&'static str, E>,
}

impl<E: Catalogue> Registry<E> {
    /// An empty registry of `what` (`"queue discipline"`), a word that messages use.
    pub fn new(what: &'static str) -> Registry<E> {
        Registry { what, entries: IndexMap::new() }
    }
    /// Adds or replaces an entry.
    pub fn register(&mut self, entry: E) {
        self.entries.insert(entry.id(), entry);
    }
    /// The entry of that id.
    pub fn entry(&self, id: &str) -> Option<&E> {
        self.entries.get(id)
    }
    /// All entries, in the order of registration.
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        self.entries.values()
    }
    /// All ids, in the order of registration.
    pub fn ids(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.entries.keys().copied()
    }
    /// A message for an id that is not here, with the nearest one that is.
    pub fn unknown(&self, id: &str) -> String {
        let known = self.ids().collect::<Vec<_>>().join(", ");
        match nearest(id, self.ids()) {
            Some(near) => format!("unknown {} `{id}`; did you mean `{near}`? Known: {known}", self.what),
            None => format!("unknown {} `{id}`. Known: {known}", self.what),
        }
    }
}

/// The candidate nearest to `word` in spelling, if any is near enough to be a slip of the pen.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len().max(word.len()) / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The parameters that an object schema describes, in the schema's order.
pub fn parameter_docs(schema: &Schema) -> Vec<ParameterDoc> {
    let mut docs = Vec::new();
    table_docs("", schema.as_value(), &Value::Null, schema, &mut docs);
    docs
}

/// The keys of a table; those of a table in it under its own name, `player.max_buffer`.
fn table_docs(prefix: &str, table: &Value, defaults: &Value, schema: &Schema, docs: &mut Vec<ParameterDoc>) {
    let Some(properties) = table.get("properties").and_then(Value::as_object) else { return };
    for (key, property) in properties {
        let name = format!("{prefix}{key}");
        let default = defaults.get(key).or(property.get("default")).filter(|default| !default.is_null());
        let reference = property.get("$ref").and_then(Value::as_str);
        let definition = reference.and_then(|path| schema.pointer(path)).unwrap_or(property);
        if definition.get("properties").is_some() {
            let defaults = default.unwrap_or(&Value::Null);
            table_docs(&format!("{name}."), definition, defaults, schema, docs);
            continue;
        }
        docs.push(ParameterDoc {
            name,
            unit: unit_of(property, schema),
            default: default.map(written),
            description: property
                .get("description")
                .and_then(Value::as_str)
                .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
                .unwrap_or_default(),
        });
    }
}

fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn unit_of(property: &Value, schema: &Schema) -> String {
    // What several parameters share stands once, under `$defs`.
    let reference = property.get("$ref").and_then(Value::as_str);
    if let Some(definition) = reference.and_then(|path| schema.pointer(path)) {
        return unit_of(definition, schema);
    }
    let choices = |list: &Vec<Value>| list.iter().map(written).collect::<Vec<_>>().join(" | ");
    if let Some(list) = property.get("enum").and_then(Value::as_array) {
        return choices(list);
    }
    if let Some(title) = property.get("title").and_then(Value::as_str) {
        return title.to_owned();
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(list) = property.get(key).and_then(Value::as_array) {
            let parts: Vec<String> = list
                .iter()
                .filter(|part| part.get("type").and_then(Value::as_str) != Some("null"))
                .map(|part| part.get("const").map(written).unwrap_or_else(|| unit_of(part, schema)))
                .collect();
            return parts.join(" | ");
        }
    }
    match property.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        Some(Value::Array(kinds)) => {
            kinds.iter().filter(|k| k.as_str() != Some("null")).map(written).collect::<Vec<_>>().join(" | ")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{nearest, parameter_docs};

    #[test]
    fn what_parameters_share_is_looked_up() {
        let schema = schemars::json_schema!({
            "properties": {
                "growth": { "$ref": "#/$defs/Growth", "default": "per-ack" },
                "other": { "anyOf": [{ "$ref": "#/$defs/Growth" }, { "type": "null" }] },
            },
            "$defs": { "Growth": { "oneOf": [{ "const": "per-byte" }, { "const": "per-ack" }] } },
        });
        let units: Vec<String> = parameter_docs(&schema).into_iter().map(|doc| doc.unit).collect();
        assert_eq!(units, ["per-byte | per-ack", "per-byte | per-ack"]);
    }

    #[test]
    fn a_table_within_is_listed_key_by_key_with_what_it_defaults_to() {
        let schema = schemars::json_schema!({
            "properties": { "player": { "$ref": "#/$defs/Player", "default": { "buffer": "60 s", "rule": null } } },
            "$defs": { "Player": { "properties": {
                "buffer": { "type": "string", "title": "duration", "default": "30 s" },
                "rule": { "type": ["string", "null"], "default": null },
            } } },
        });
        let docs: Vec<_> = parameter_docs(&schema).into_iter().map(|doc| (doc.name, doc.default)).collect();
        let expected = [("player.buffer", Some("60 s")), ("player.rule", None)];
        assert_eq!(docs, expected.map(|(name, default)| (name.to_owned(), default.map(str::to_owned))));
    }

    #[test]
    fn suggests_slips_and_not_strangers() {
        let known = ["tail-drop", "red", "codel", "pi2"];
        assert_eq!(nearest("coddel", known.into_iter()), Some("codel"));
        assert_eq!(nearest("taildrop", known.into_iter()), Some("tail-drop"));
        assert_eq!(nearest("wireless", known.into_iter()), None);
    }
}
