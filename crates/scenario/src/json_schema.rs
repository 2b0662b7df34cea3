//! The JSON Schema of a scenario file: the types of [`crate::schema`] with the entries of the registries.
//!
//! `jettison schema` prints the schema that the checker walks, so the two cannot disagree.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use crate::registries::{Kinds, Registries};
use crate::schema::{Axis, Settings};

/// The schema of a whole file.
pub fn schema_json(registries: &Registries) -> Value {
    // Choices become definitions, which the checker recognizes by name.
    let mut definitions = Map::new();
    let mut queues = Vec::new();
    for kinds in [&registries.disciplines, &registries.port_queues] {
        queues.extend(entries(kinds, &mut definitions));
    }
    let transports = entries(&registries.transports, &mut definitions);
    let applications = entries(&registries.applications, &mut definitions);
    let queue = registries.disciplines.noun();
    definitions.insert("queue-table".to_owned(), json!({ "title": queue, "oneOf": queues }));
    definitions.insert(
        "queue".to_owned(),
        json!({
            "title": queue,
            "description": "The name of a [queues] entry, the id of a discipline, or a table with `kind`.",
            "anyOf": [{ "type": "string" }, { "$ref": "#/$defs/queue-table" }],
        }),
    );
    for (name, kinds, tables) in [
        ("transport", &registries.transports, transports),
        ("application", &registries.applications, applications),
    ] {
        let ids: Vec<&str> = kinds.ids().collect();
        let choice = json!({
            "title": kinds.noun(),
            "anyOf": [{ "type": "string", "enum": ids }, { "oneOf": tables }],
        });
        definitions.insert(name.to_owned(), choice);
    }

    // `vary`, `baseline` and `quick` are keys of the file, but not of a variant, so `Settings` lacks them.
    let mut schema = schema_of::<Settings>();
    let quick = json!({
        "type": "object",
        "description": "Values under --quick, by key path such as \"links.bottleneck.rate\".",
    });
    let baseline = json!({
        "type": "string",
        "description": "The variant that others are compared with: its name, or a label of an axis. Default: the first value of \
                        the first axis.",
    });
    let axis = without_dialect(schema_of::<Axis>());
    let vary = json!({
        "type": "array",
        "description": "Axes of comparison; several multiply.",
        "items": axis,
    });
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert("vary".to_owned(), vary);
        properties.insert("baseline".to_owned(), baseline);
        properties.insert("quick".to_owned(), quick);
    }
    if let Some(root) = schema.as_object_mut() {
        root.insert("title".to_owned(), json!("Jettison scenario"));
        root.insert("description".to_owned(), json!("A scenario file of Jettison."));
        root.insert("$defs".to_owned(), Value::Object(definitions));
    }
    without_null(&mut schema);
    schema
}

/// Removes `null` from types: TOML has none, optional keys are omitted.
fn without_null(schema: &mut Value) {
    if let Some(list) = schema.as_array_mut() {
        list.iter_mut().for_each(without_null);
    }
    let Some(table) = schema.as_object_mut() else { return };
    if let Some(Value::Array(kinds)) = table.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            let kind = kind.clone();
            table.insert("type".to_owned(), kind);
        }
    }
    if let Some(Value::Array(branches)) = table.get_mut("anyOf") {
        branches.retain(|branch| branch.get("type").is_none_or(|kind| kind != "null"));
        if let [Value::Object(only)] = branches.as_slice() {
            let only = only.clone();
            table.shift_remove("anyOf");
            for (key, value) in only {
                table.entry(key).or_insert(value);
            }
        }
    }
    table.values_mut().for_each(without_null);
}

fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    Schema::to_value(settings.into_generator().into_root_schema_for::<T>())
}

fn without_dialect(mut schema: Value) -> Value {
    if let Some(table) = schema.as_object_mut() {
        table.shift_remove("$schema");
    }
    schema
}

/// Object schemas of the entries, distinguished by `kind`. Their definitions move to those of the file.
fn entries(kinds: &Kinds, definitions: &mut Map<String, Value>) -> Vec<Value> {
    let entry = |(id, kind): (&str, &crate::registries::Kind)| {
        let mut schema = without_dialect(kind.schema.clone());
        let prefix = format!("{}.{id}.", kinds.noun().replace(' ', "-"));
        rename_references(&mut schema, &prefix);
        let own = schema.as_object_mut().and_then(|table| table.shift_remove("$defs"));
        if let Some(Value::Object(own)) = own {
            definitions.extend(own.into_iter().map(|(name, schema)| (format!("{prefix}{name}"), schema)));
        }
        let mut properties = Map::new();
        properties.insert("kind".to_owned(), json!({ "type": "string", "const": id }));
        if let Some(Value::Object(parameters)) = schema.get("properties") {
            properties.extend(parameters.clone());
        }
        let mut required = vec![json!("kind")];
        required.extend(schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default());
        json!({
            "title": id,
            "description": kind.description,
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": schema.get("additionalProperties").cloned().unwrap_or(json!(false)),
        })
    };
    kinds.iter().map(entry).collect()
}

fn rename_references(schema: &mut Value, prefix: &str) {
    match schema {
        Value::Object(table) => {
            for (key, value) in table.iter_mut() {
                match value {
                    Value::String(target) if key == "$ref" => {
                        if let Some(name) = target.strip_prefix("#/$defs/") {
                            *target = format!("#/$defs/{prefix}{name}");
                        }
                    }
                    other => rename_references(other, prefix),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| rename_references(value, prefix)),
        _ => {}
    }
}
