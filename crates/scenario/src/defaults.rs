//! Fills in the defaults of the schema, so that results hold the complete configuration.

use serde_json::{Map, Value};

use jettison_registry::schema::{Branch, Shape};

/// Adds the defaults of all omitted keys to a tree that fits `shape`, and expands ids (`transport = "tcp"`) to tables.
/// Parameters of registry entries stay unchanged, as do names of `[queues]` entries, listed in `queues`.
pub(crate) fn fill(value: &mut Value, shape: Shape<'_>, queues: &[String]) {
    expand_id(value, shape, queues);
    if shape.definition.is_some() {
        expand_ids_within(value, shape, queues);
        return;
    }
    let shape = match shape.is_choice() {
        false => shape,
        true => match shape.branch_for(value) {
            Branch::One(branch) => branch,
            _ => return,
        },
    };
    match value {
        Value::Object(table) => {
            for (key, value) in table.iter_mut() {
                if let Some(property) = shape.property(key) {
                    fill(value, property, queues);
                }
            }
            for key in shape.current_keys().collect::<Vec<_>>() {
                let Some(property) = shape.property(key) else { continue };
                let default =
                    shape.schema["properties"][key].get("default").or(property.schema.get("default"));
                if let (false, Some(default)) =
                    (table.contains_key(key), default.filter(|value| !value.is_null()))
                {
                    let mut value = without_nulls(default);
                    fill(&mut value, property, queues);
                    table.insert(key.to_owned(), value);
                }
            }
        }
        Value::Array(list) => {
            for (index, value) in list.iter_mut().enumerate() {
                if let Some(item) = shape.item(index) {
                    fill(value, item, queues);
                }
            }
        }
        _ => {}
    }
}

/// Expands each id in a table of parameters (`player = { abr = "bola" }`) to a table.
fn expand_ids_within(value: &mut Value, shape: Shape<'_>, queues: &[String]) {
    let shape = match shape.branch_for(value) {
        Branch::One(branch) if shape.is_choice() => branch,
        _ => shape,
    };
    let Value::Object(table) = value else { return };
    for (key, value) in table.iter_mut() {
        if let Some(property) = shape.property(key) {
            expand_id(value, property, queues);
            expand_ids_within(value, property, queues);
        }
    }
}

/// Removes unset keys from a default: TOML has no null.
fn without_nulls(default: &Value) -> Value {
    match default {
        Value::Object(table) => {
            let set = table.iter().filter(|(_, value)| !value.is_null());
            Value::Object(set.map(|(key, value)| (key.clone(), without_nulls(value))).collect())
        }
        other => other.clone(),
    }
}

/// Expands `"codel"` to `{ kind = "codel" }` where the schema admits such a table.
pub(crate) fn expand_id(value: &mut Value, shape: Shape<'_>, queues: &[String]) {
    if let Value::String(id) = value
        && !(shape.definition == Some("queue") && queues.contains(id))
        && shape.branches().iter().any(|branch| branch.kind() == Some(id))
    {
        let kind = std::mem::take(value);
        *value = Value::Object(Map::from_iter([("kind".to_owned(), kind)]));
    }
}

/// The names of the `[queues]` entries of a tree.
pub(crate) fn queue_names(tree: &Value) -> Vec<String> {
    tree.get("queues")
        .and_then(Value::as_object)
        .map(|table| table.keys().cloned().collect())
        .unwrap_or_default()
}
