//! Values and schemas in words, for messages.

use serde_json::Value;

use super::Shape;

/// Describes a value that was found: scalars as written, tables and lists by their type.
pub fn describe(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a table".to_owned(),
        scalar => scalar.to_string(),
    }
}

/// Describes what these schemas admit.
pub fn expected(shapes: &[Shape<'_>]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let words: Vec<&str> = shapes.iter().filter_map(|shape| shape.words()).flatten().collect();
    if !words.is_empty() {
        parts.push(format!("one of {}", words.join(", ")));
    }
    for shape in shapes.iter().filter(|shape| shape.words().is_none()) {
        let part = expected_type(*shape);
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts.join(" or ")
}

fn expected_type(shape: Shape<'_>) -> String {
    let example = shape.schema.pointer("/examples/0");
    let such_as = example.map(|example| format!(" (such as {example})")).unwrap_or_default();
    let kind = match shape.schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        other => other.and_then(Value::as_str),
    };
    match (shape.title(), kind) {
        (Some(title), Some("string")) => {
            let unit = matches!(title, "duration" | "time" | "rate" | "size");
            let unit = if unit { " with its unit" } else { "" };
            let is_plural = title.contains(',') || title.starts_with("packets");
            let article = if is_plural { "" } else { "a " };
            format!("{article}{title}{unit}{such_as}")
        }
        (_, Some("integer")) => "an integer".to_owned(),
        (_, Some("number")) => format!("a number{such_as}"),
        (_, Some("boolean")) => "true or false".to_owned(),
        (_, Some("array")) => match shape.schema.get("minItems").and_then(Value::as_u64) {
            Some(count) if shape.schema.get("maxItems").and_then(Value::as_u64) == Some(count) => {
                format!("a list of {count}")
            }
            _ => "a list".to_owned(),
        },
        (_, Some("object")) => "a table".to_owned(),
        _ => "a string".to_owned(),
    }
}
