//! Deprecated keys and their replacements.

use jettison_registry::schema::{Deprecated, Shape};
use serde_json::{Map, Value};

use crate::error::{Place, ScenarioError};

/// The warning about a deprecated key of `tree`.
pub(crate) fn warning(tree: &Value, found: &Deprecated, place: Place) -> ScenarioError {
    let table = found.path.parent().and_then(|parent| parent.find(tree));
    let now = table.and_then(|table| table.get(&found.moved_into)).unwrap_or(&found.default);
    let moved = found.path.find(tree).and_then(Value::as_object);
    let choice = merged(now, moved.unwrap_or(&Map::new()));
    ScenarioError {
        place,
        message: format!("`{}` is deprecated", found.path),
        help: Some(format!("write `{} = {}`", found.moved_into, inline(&choice))),
    }
}

/// Moves the values of deprecated keys of a table to the keys that replace them.
pub(crate) fn upgrade(table: &mut Value, shape: Shape<'_>) {
    let Some(table) = table.as_object_mut() else { return };
    for key in shape.keys() {
        let Some(into) = shape.property(key).and_then(Shape::moved_into) else { continue };
        let Some(Value::Object(moved)) = table.get(key) else { continue };
        let default = shape.property(into).and_then(|now| now.schema.get("default"));
        let now = table.get(into).or(default).map(|now| merged(now, moved));
        if let Some(now) = now {
            table.shift_remove(key);
            table.insert(into.to_owned(), now);
        }
    }
}

/// A choice (an id, or a table with `kind`) as a table with additional parameters.
fn merged(choice: &Value, parameters: &Map<String, Value>) -> Value {
    let mut table = match choice {
        Value::Object(table) => table.clone(),
        id => Map::from_iter([("kind".to_owned(), id.clone())]),
    };
    table.extend(parameters.clone());
    Value::Object(table)
}

/// A value as inline TOML.
fn inline(value: &Value) -> String {
    match value {
        Value::Object(table) => {
            let entries: Vec<String> =
                table.iter().map(|(key, value)| format!("{key} = {}", inline(value))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
        Value::Array(list) => format!("[{}]", list.iter().map(inline).collect::<Vec<_>>().join(", ")),
        scalar => scalar.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_written_as_toml() {
        let value = json!({ "kind": "bbr", "rtprop_window": "100 s", "gains": [1, 1.25], "ecn": true });
        assert_eq!(
            inline(&value),
            "{ kind = \"bbr\", rtprop_window = \"100 s\", gains = [1, 1.25], ecn = true }"
        );
    }
}
