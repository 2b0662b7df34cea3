//! Choices of registry entries: an id, or a table with `kind`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// An id and its parameters: `"codel"`, or `{ kind = "codel", target = "5 ms" }`.
#[derive(Debug, Clone, PartialEq)]
pub struct Kinded {
    /// The id.
    pub kind: String,
    /// The other keys of the table, as an object.
    pub parameters: Value,
}

/// A `[queues]` entry: a table with `kind`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QueueTable(pub Kinded);

/// The queue of a link: the name of a `[queues]` entry, the id of a discipline, or a table.
#[derive(Debug, Clone, PartialEq)]
pub enum QueueChoice {
    /// A `[queues]` name, or else a discipline's id.
    Named(String),
    /// A discipline with its parameters.
    Table(Kinded),
}

/// The transport of a flow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TransportChoice(pub Kinded);

/// The application of a flow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ApplicationChoice(pub Kinded);

impl Kinded {
    /// A kind with its defaults.
    pub fn plain(kind: &str) -> Kinded {
        Kinded { kind: kind.to_owned(), parameters: Value::Object(Map::new()) }
    }

    /// Reads an id or a table with `kind`; `None` for anything else.
    pub(crate) fn from_value(value: &Value) -> Option<Kinded> {
        match value {
            Value::String(kind) => Some(Kinded::plain(kind)),
            Value::Object(table) => {
                let mut parameters = table.clone();
                let kind = parameters.shift_remove("kind")?.as_str()?.to_owned();
                Some(Kinded { kind, parameters: Value::Object(parameters) })
            }
            _ => None,
        }
    }

    fn to_value(&self) -> Value {
        let mut table = Map::new();
        table.insert("kind".to_owned(), Value::String(self.kind.clone()));
        if let Value::Object(parameters) = &self.parameters {
            table.extend(parameters.clone());
        }
        Value::Object(table)
    }
}

impl Serialize for Kinded {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Kinded {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Kinded, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Kinded::from_value(&value).ok_or_else(|| D::Error::custom("must be an id or a table with `kind`"))
    }
}

impl Serialize for QueueChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            QueueChoice::Named(name) => name.serialize(serializer),
            QueueChoice::Table(kinded) => kinded.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for QueueChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<QueueChoice, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(name) => Ok(QueueChoice::Named(name)),
            other => Kinded::from_value(&other)
                .map(QueueChoice::Table)
                .ok_or_else(|| D::Error::custom("must be the name of a queue or a table with `kind`")),
        }
    }
}

/// Implements the schema as a reference: [`crate::schema_json`] makes the definitions from the registries' entries.
macro_rules! schema_by_reference {
    ($($type:ty => $definition:literal,)*) => {$(
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $definition.into()
            }
            fn inline_schema() -> bool {
                true
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "$ref": concat!("#/$defs/", $definition) })
            }
        }
    )*};
}
schema_by_reference! {
    QueueTable => "queue-table",
    QueueChoice => "queue",
    TransportChoice => "transport",
    ApplicationChoice => "application",
}
