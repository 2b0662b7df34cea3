//! A choice among registered things, as a scenario writes it: an id, or a table with `kind` and parameters.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use jettison_core::{Catalogue, Registry};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

/// What there is to choose from.
pub trait Choices {
    /// What an entry of the registry is.
    type Entry: Catalogue;
    /// What is chosen, in messages: `rule`.
    const WHAT: &'static str;
    /// What is chosen by default.
    const DEFAULT: &'static str;
    /// The registry.
    fn registry() -> Registry<Self::Entry>;
}

/// One of them.
pub struct Choice<C> {
    /// Its id.
    pub kind: String,
    /// Its parameters.
    pub parameters: Map<String, Value>,
    of: PhantomData<fn() -> C>,
}

impl<C> Choice<C> {
    /// That one, with its defaults.
    pub fn plain(kind: &str) -> Choice<C> {
        Choice { kind: kind.to_owned(), parameters: Map::new(), of: PhantomData }
    }
}

impl<C> Clone for Choice<C> {
    fn clone(&self) -> Choice<C> {
        Choice { kind: self.kind.clone(), parameters: self.parameters.clone(), of: PhantomData }
    }
}
impl<C> fmt::Debug for Choice<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Choice").field("kind", &self.kind).field("parameters", &self.parameters).finish()
    }
}
impl<C> PartialEq for Choice<C> {
    fn eq(&self, other: &Choice<C>) -> bool {
        self.kind == other.kind && self.parameters == other.parameters
    }
}
impl<C: Choices> Default for Choice<C> {
    fn default() -> Choice<C> {
        Choice::plain(C::DEFAULT)
    }
}

impl<C> Serialize for Choice<C> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.parameters.is_empty() {
            return serializer.serialize_str(&self.kind);
        }
        let mut table = Map::from_iter([("kind".to_owned(), Value::String(self.kind.clone()))]);
        table.extend(self.parameters.clone());
        table.serialize(serializer)
    }
}

impl<'de, C: Choices> Deserialize<'de> for Choice<C> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Choice<C>, D::Error> {
        let what = C::WHAT;
        match Value::deserialize(deserializer)? {
            Value::String(kind) => Ok(Choice::plain(&kind)),
            Value::Object(mut parameters) => match parameters.shift_remove("kind") {
                Some(Value::String(kind)) => Ok(Choice { parameters, ..Choice::plain(&kind) }),
                _ => Err(D::Error::custom(format!("a table of {what} needs `kind`, its id"))),
            },
            _ => Err(D::Error::custom(format!("expected the id of {what}, or a table with `kind`"))),
        }
    }
}

impl<C: Choices> JsonSchema for Choice<C> {
    fn schema_name() -> Cow<'static, str> {
        format!("choice of {}", C::WHAT).into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let registry = C::registry();
        let ids: Vec<&str> = registry.iter().map(Catalogue::id).collect();
        let mut choices = vec![json!({ "type": "string", "title": "id", "enum": ids })];
        for entry in registry.iter() {
            let schema = entry.schema().to_value();
            let properties = schema.get("properties").map_or(Value::Null, |own| inlined(own, &schema));
            let mut table = Map::from_iter([("kind".to_owned(), json!({ "const": entry.id() }))]);
            table.extend(properties.as_object().cloned().unwrap_or_default());
            choices.push(json!({
                "type": "object",
                "description": entry.summary(),
                "properties": table,
                "required": ["kind"],
                "additionalProperties": false,
            }));
        }
        json_schema!({ "anyOf": choices })
    }
}

/// A schema with what it refers to in its place: an entry's own definitions are not those of the schema that it becomes
/// part of.
fn inlined(schema: &Value, root: &Value) -> Value {
    match schema {
        Value::Object(table) => {
            let reference = table.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
            let mut own: Map<String, Value> = match reference.and_then(|path| root.pointer(path)) {
                Some(definition) => inlined(definition, root).as_object().cloned().unwrap_or_default(),
                None => Map::new(),
            };
            let beside = table.iter().filter(|(key, _)| *key != "$ref");
            own.extend(beside.map(|(key, value)| (key.clone(), inlined(value, root))));
            Value::Object(own)
        }
        Value::Array(list) => Value::Array(list.iter().map(|value| inlined(value, root)).collect()),
        other => other.clone(),
    }
}
