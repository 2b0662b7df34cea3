//! Files of links: traces, grants of a cell, and network profiles.

use std::borrow::Cow;
use std::sync::Arc;

use jettison_link::CellFile;
use jettison_link::profile::NetworkProfile;
use jettison_link::trace::Grants;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// A trace of delivery opportunities: `"verizon.down"`, or `{ file = "verizon.down" }`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trace {
    /// The file, relative to the scenario's folder.
    pub file: String,
}

/// A network profile: `"commute.json"`, or `{ file = "commute.json" }`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Profile {
    /// The file, relative to the scenario's folder.
    pub file: String,
    /// Its content, read by the check of the scenario.
    #[serde(skip)]
    pub read: Option<Arc<NetworkProfile>>,
}

/// Grants of a cell: `"cell.trace"`, or `{ file = "cell.trace", segment_header = "4 bytes" }`.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The file and its format.
    pub file: CellFile,
    /// Its content, read by the check of the scenario.
    pub read: Option<Arc<Grants>>,
}

/// Reads a file name from a string or a table.
fn file<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let file = value.as_str().or_else(|| value.get("file").and_then(Value::as_str));
    file.map(str::to_owned).ok_or_else(|| D::Error::custom("must be a file name or a table with `file`"))
}

/// The schema; its format tells the checker the use of the file.
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
                        "description": "The file, relative to the scenario's folder.",
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

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Cell, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let file = match value {
            Value::String(file) => CellFile::named(file),
            table => serde_json::from_value(table).map_err(D::Error::custom)?,
        };
        Ok(Cell { file, read: None })
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.file.serialize(serializer)
    }
}

impl JsonSchema for Cell {
    fn schema_name() -> Cow<'static, str> {
        "cell".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "title": "cell",
            "anyOf": [
                { "type": "string", "title": "file name", "format": "cell-file", "examples": ["cell.trace"] },
                CellFile::json_schema(generator),
            ],
        })
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
