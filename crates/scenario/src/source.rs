//! Reads TOML into a tree of values with their positions in the text.

use std::collections::BTreeMap;

use jettison_registry::KeyPath;
use jettison_registry::schema::Aspect;
use serde_json::{Map, Number, Value};
use toml_edit::{Array, InlineTable, Item, Key, Table};

use crate::error::{Place, ScenarioError};

/// A TOML file: text, values in the order of the file, and their positions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Document {
    name: String,
    line_starts: Vec<usize>,
    text: String,
    spans: BTreeMap<KeyPath, Span>,
    /// The values.
    pub tree: Value,
}

/// Byte offsets of a key and of its value.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Span {
    key: Option<usize>,
    value: Option<usize>,
}

impl Document {
    /// Parses `text`; `name` is the name of the file in messages.
    pub fn parse(name: &str, text: &str) -> Result<Document, Vec<ScenarioError>> {
        // A byte order mark is not part of the text (TOML v1.0.0, "Spec").
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let mut document = Document {
            name: name.to_owned(),
            line_starts,
            text: text.to_owned(),
            spans: BTreeMap::new(),
            tree: Value::Null,
        };
        let parsed = toml_edit::Document::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
            vec![ScenarioError {
                place: document.at(at),
                message: format!("invalid TOML: {message}"),
                help: None,
            }]
        })?;
        let mut reader = Reader { spans: BTreeMap::new(), not_finite: Vec::new() };
        let tree = reader.table(parsed.as_table(), &KeyPath::root());
        document.spans = reader.spans;
        document.tree = tree;
        // TOML has `nan` and `inf`; the JSON tree does not.
        if reader.not_finite.is_empty() {
            return Ok(document);
        }
        let errors = reader.not_finite.iter().map(|path| ScenarioError {
            place: document.place(path, Aspect::Value),
            message: format!("`{path}` must be a finite number"),
            help: Some("write a decimal number".to_owned()),
        });
        Err(errors.collect())
    }

    /// The position of the key or value at `path`, or else of the innermost enclosing table that is in the text.
    pub fn place(&self, path: &KeyPath, aspect: Aspect) -> Place {
        let mut path = path.clone();
        let mut aspect = aspect;
        loop {
            let span = self.spans.get(&path).copied().unwrap_or_default();
            let (first, second) = match aspect {
                Aspect::Key => (span.key, span.value),
                Aspect::Value => (span.value, span.key),
            };
            if let Some(offset) = first.or(second) {
                return self.at(offset);
            }
            let Some(parent) = path.parent() else { return self.at(0) };
            path = parent;
            aspect = Aspect::Key;
        }
    }

    fn at(&self, offset: usize) -> Place {
        let offset = offset.min(self.text.len());
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let start = self.line_starts[line - 1];
        let column = self.text.get(start..offset).map_or(1, |before| before.chars().count() + 1);
        Place::Line { file: self.name.clone(), line, column }
    }
}

/// Parses a TOML value, as on the right-hand side of an option; other text is a string.
pub fn value_or_string(text: &str) -> Value {
    let parsed = text.trim().parse::<toml_edit::Value>();
    let mut reader = Reader { spans: BTreeMap::new(), not_finite: Vec::new() };
    match parsed.map(|value| reader.value(&value, &KeyPath::root())) {
        Ok(value) if reader.not_finite.is_empty() => value,
        _ => Value::String(text.to_owned()),
    }
}

struct Reader {
    spans: BTreeMap<KeyPath, Span>,
    not_finite: Vec<KeyPath>,
}

impl Reader {
    fn table(&mut self, table: &Table, path: &KeyPath) -> Value {
        let mut object = Map::new();
        for (key, item) in table.iter() {
            let child = path.key(key);
            self.note_key(&child, table.key(key));
            let value = match item {
                Item::None => continue,
                Item::Value(value) => self.value(value, &child),
                Item::Table(inner) => {
                    self.note_value(&child, inner.span());
                    self.table(inner, &child)
                }
                Item::ArrayOfTables(tables) => {
                    let mut list = Vec::with_capacity(tables.len());
                    for (index, inner) in tables.iter().enumerate() {
                        let place = child.index(index);
                        self.note_value(&place, inner.span());
                        list.push(self.table(inner, &place));
                    }
                    Value::Array(list)
                }
            };
            object.insert(key.to_owned(), value);
        }
        Value::Object(object)
    }

    fn value(&mut self, value: &toml_edit::Value, path: &KeyPath) -> Value {
        self.note_value(path, value.span());
        match value {
            toml_edit::Value::String(text) => Value::String(text.value().clone()),
            toml_edit::Value::Integer(number) => Value::Number((*number.value()).into()),
            toml_edit::Value::Float(number) => match Number::from_f64(*number.value()) {
                Some(number) => Value::Number(number),
                None => {
                    self.not_finite.push(path.clone());
                    Value::Null
                }
            },
            toml_edit::Value::Boolean(truth) => Value::Bool(*truth.value()),
            // No key of a scenario is a date: as a string it gets the error of its key.
            toml_edit::Value::Datetime(date) => Value::String(date.value().to_string()),
            toml_edit::Value::Array(array) => self.array(array, path),
            toml_edit::Value::InlineTable(table) => self.inline_table(table, path),
        }
    }

    fn array(&mut self, array: &Array, path: &KeyPath) -> Value {
        array.iter().enumerate().map(|(index, value)| self.value(value, &path.index(index))).collect()
    }

    fn inline_table(&mut self, table: &InlineTable, path: &KeyPath) -> Value {
        let mut object = Map::new();
        for (key, value) in table.iter() {
            let child = path.key(key);
            self.note_key(&child, table.key(key));
            let value = self.value(value, &child);
            object.insert(key.to_owned(), value);
        }
        Value::Object(object)
    }

    fn note_key(&mut self, path: &KeyPath, key: Option<&Key>) {
        self.spans.entry(path.clone()).or_default().key = key.and_then(Key::span).map(|span| span.start);
    }

    fn note_value(&mut self, path: &KeyPath, span: Option<std::ops::Range<usize>>) {
        self.spans.entry(path.clone()).or_default().value = span.map(|span| span.start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "duration = \"5 s\"\n\n[links.a]\nrate = 1 # é\n[[vary]]\nvalues = [\"é\", { kind = \"x\" }]\n";

    fn place(path: &str, aspect: Aspect) -> (usize, usize) {
        let document = Document::parse("f", TEXT).unwrap();
        match document.place(&path.parse().unwrap(), aspect) {
            Place::Line { line, column, .. } => (line, column),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn keys_and_values_have_line_and_column() {
        assert_eq!(place("duration", Aspect::Value), (1, 12));
        assert_eq!(place("links.a", Aspect::Value), (3, 1));
        assert_eq!(place("links.a", Aspect::Key), (3, 8));
        assert_eq!(place("links.a.rate", Aspect::Key), (4, 1));
        assert_eq!(place("vary[0].values[1].kind", Aspect::Value), (6, 25));
    }

    #[test]
    fn a_missing_key_has_the_place_of_the_enclosing_table() {
        assert_eq!(place("links.a.delay", Aspect::Value), (3, 8));
        assert_eq!(place("nowhere", Aspect::Value), (1, 1));
    }

    #[test]
    fn an_option_value_is_toml_or_else_a_string() {
        assert_eq!(value_or_string("5"), serde_json::json!(5));
        assert_eq!(value_or_string("5 s"), serde_json::json!("5 s"));
        assert_eq!(value_or_string("[1, 2]"), serde_json::json!([1, 2]));
        assert_eq!(value_or_string("{ kind = \"codel\" }"), serde_json::json!({ "kind": "codel" }));
        assert_eq!(value_or_string("nan"), serde_json::json!("nan"));
    }
}
