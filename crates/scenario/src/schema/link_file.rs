//! The files that links name: traces and network profiles.

use std::borrow::Cow;
use std::sync::Arc;

use jettison_link::profile::NetworkProfile;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A trace of delivery opportunities: `"verizon.down"`, or `{ file = "verizon.down" }`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trace {
    /// The file, from the scenario's folder.
    pub file: String,
}

/// A network profile: `"commute.json"`, or `{ file = "commute.json" }`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Profile {
    /// The file, from the scenario's folder.
    pub file: String,
    /// What stands in it: the check of a scenario reads it.
    #[serde(skip)]
    pub read: Option<Arc<NetworkProfile>>,
}

/// The file that a string or a table names.
fn file<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let file = value.as_str().or_else(|| value.get("file").and_then(Value::as_str));
    file.map(str::to_owned).ok_or_else(|| D::Error::custom("expected a file or a table with `file`"))
}

/// The format tells the checker to read the file from the scenario's folder, and what it is.
fn schema(title: &str, format: &str, example: &str) -> Schema {
    json_schema!({
        "title": title,
        "anyOf": [
            { "type": "string", "title": "file name", "format": format, "examples": [example] },
            {
                "type": "object",
                "properties": {
                    "file": {
                        "type": "string",
                        "format": format,
                        "description": "The file, from the scenario's folder.",
                    },
                },
                "required": ["file"],
                "additionalProperties": false,
            },
        ],
    })
}

impl<'de> Deserialize<'de> for Trace {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Trace, D::Error> {
        file(deserializer).map(|file| Trace { file })
    }
}

impl<'de> Deserialize<'de> for Profile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Profile, D::Error> {
        file(deserializer).map(|file| Profile { file, read: None })
    }
}

impl JsonSchema for Trace {
    fn schema_name() -> Cow<'static, str> {
        "trace".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schema("trace", "trace-file", "verizon.down")
    }
}

impl JsonSchema for Profile {
    fn schema_name() -> Cow<'static, str> {
        "profile".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schema("profile", "profile-file", "commute.json")
    }
}
