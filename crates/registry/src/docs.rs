//! Catalogue data: documentation of entries and their parameters.

use jettison_core::Gauge;
use schemars::Schema;
use serde::Serialize;
use serde_json::Value;

use crate::{Entry, Kind};

/// Catalogue data of an entry of any kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntryDoc {
    /// The id that scenario files write.
    pub id: &'static str,
    /// The word for its kind: `queue`.
    pub kind: &'static str,
    /// The display name.
    pub name: &'static str,
    /// Other names in results.
    pub aliases: &'static [&'static str],
    /// Plot colour, `#rrggbb`; `None` without a style.
    pub colour: Option<String>,
    /// Plot line: `solid`, `dashed`, `dotted` or `dash-dot`.
    pub line: Option<&'static str>,
    /// Plot marker: `circle`, `square`, `triangle` or `diamond`.
    pub marker: Option<&'static str>,
    /// Summary in one line.
    pub summary: &'static str,
    /// The document that it implements.
    pub source: &'static str,
    /// Its page of the book, below `docs/src`.
    pub page: Option<&'static str>,
    /// The source file that describes it; catalogues do not print it.
    #[serde(skip)]
    pub file: &'static str,
    /// The least that it can be built from, without `kind`; catalogues do not print it.
    #[serde(skip)]
    pub example: Value,
    /// Its parameters.
    pub parameters: Vec<ParameterDoc>,
    /// Internal state published as series.
    pub gauges: &'static [Gauge],
}

/// One parameter of an entry, as `jettison list` prints it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ParameterDoc {
    /// The key in the scenario file.
    pub name: String,
    /// `duration`, `rate`, `size`, `integer`, `number`, `boolean`, a list of choices, …
    pub unit: String,
    /// The default as written in TOML; `None` if the key is required or unset by default.
    pub default: Option<String>,
    /// Its meaning.
    pub description: String,
}

impl EntryDoc {
    /// Catalogue data of `entry`.
    pub fn of<K: Kind>(entry: &Entry<K>) -> EntryDoc {
        EntryDoc {
            id: entry.id,
            kind: K::KEY,
            name: entry.name,
            aliases: entry.aliases,
            colour: entry.style.map(|style| style.colour.to_string()),
            line: entry.style.map(|style| style.line.name()),
            marker: entry.style.map(|style| style.marker().name()),
            summary: entry.summary,
            source: entry.source,
            page: entry.page,
            file: entry.file,
            example: entry.example.map_or(Value::Null, |example| example()),
            parameters: entry.parameters(),
            gauges: entry.gauges,
        }
    }
}

/// Documents the properties of an object schema, in its order.
pub fn parameter_docs(schema: &Schema) -> Vec<ParameterDoc> {
    let mut docs = Vec::new();
    table_docs("", schema.as_value(), &Value::Null, schema, &mut docs);
    docs
}

/// Documents the keys of a table, nested tables by dotted names (`player.max_buffer`).
fn table_docs(prefix: &str, table: &Value, defaults: &Value, schema: &Schema, docs: &mut Vec<ParameterDoc>) {
    let Some(properties) = table.get("properties").and_then(Value::as_object) else { return };
    for (key, property) in properties {
        if property.get("deprecated").and_then(Value::as_bool) == Some(true) {
            continue;
        }
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
    // Shared definitions are under `$defs`.
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
    use super::parameter_docs;

    #[test]
    fn shared_definitions_are_resolved() {
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
    fn a_nested_table_is_listed_key_by_key_with_its_defaults() {
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
}
