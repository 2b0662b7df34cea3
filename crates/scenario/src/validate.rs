//! Walks a tree of values along the schema and finds everything that does not fit.

use jettison_core::units::parse_share;
use jettison_core::{BuildError, Bytes, Duration, Rate, nearest};
use serde_json::Value;

use crate::input_cache::FileUse;
use crate::path::KeyPath;
use crate::registries::suggestion;
use crate::shape::{Branch, Shape};
use crate::source::Aspect;

/// Something wrong at a place of the tree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    pub path: KeyPath,
    pub aspect: Aspect,
    pub message: String,
    pub help: Option<String>,
}

/// What the walk came upon.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// What does not fit.
    pub findings: Vec<Finding>,
    /// Values from the registries: their place and definition (`queue`, `transport`, …).
    pub chosen: Vec<(KeyPath, String)>,
    /// Files that are named: their place and what they are for.
    pub files: Vec<(KeyPath, FileUse)>,
}

/// No span in a scenario is longer than a year: sums of times stay far from the end of 64 bits.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

impl Finding {
    pub fn value(path: &KeyPath, message: String, help: impl Into<String>) -> Finding {
        Finding { path: path.clone(), aspect: Aspect::Value, message, help: Some(help.into()) }
    }
    pub fn complete(path: &KeyPath, message: String) -> Finding {
        Finding { path: path.clone(), aspect: Aspect::Value, message, help: None }
    }
    /// What a builder said about the table or value at `path` of `tree`.
    pub fn built(tree: &Value, path: &KeyPath, error: &BuildError) -> Finding {
        let at = error.path.iter().fold(path.clone(), |at, step| match (at.find(tree), step.parse()) {
            (Some(Value::Array(_)), Ok(index)) => at.index(index),
            _ => at.key(step),
        });
        Finding::complete(&at, format!("`{at}`: {}", error.message))
    }
}

/// Walks `tree` along `schema`.
pub(crate) fn walk(tree: &Value, schema: Shape<'_>) -> Walked {
    let mut walked = Walked::default();
    walked.any(tree, schema, &KeyPath::root());
    walked
}

impl Walked {
    fn any(&mut self, value: &Value, shape: Shape<'_>, path: &KeyPath) {
        let before = self.findings.len();
        if shape.is_choice() {
            self.choice(value, shape, path);
        } else if !shape.admits_type_of(value) {
            let message = format!("`{path}` is {}", describe(value));
            self.findings.push(Finding::value(path, message, format!("expected {}", expected(&[shape]))));
        } else {
            self.plain(value, shape, path);
        }
        if let Some(definition) = shape.definition
            && self.findings.len() == before
        {
            self.chosen.push((path.clone(), definition.to_owned()));
        }
    }

    fn choice(&mut self, value: &Value, shape: Shape<'_>, path: &KeyPath) {
        match shape.branch_for(value) {
            Branch::One(branch) => self.plain(value, branch, path),
            Branch::NoKind { known } => self.findings.push(Finding::value(
                path,
                format!("`{path}` has no `kind`"),
                format!("add one of: {}", known.join(", ")),
            )),
            Branch::Unknown { in_table, known } => {
                let path = if in_table { path.key("kind") } else { path.clone() };
                let word = if in_table { value.get("kind") } else { Some(value) };
                let word = word.and_then(Value::as_str).unwrap_or_default();
                let message = match shape.title() {
                    Some(what) => format!("unknown {what} `{word}`"),
                    None => format!("`{}` cannot be `{word}`", path.last_key()),
                };
                self.findings.push(Finding::value(&path, message, suggestion(word, known.into_iter())));
            }
            Branch::WrongType => {
                let help = format!("expected {}", expected(&shape.branches()));
                self.findings.push(Finding::value(path, format!("`{path}` is {}", describe(value)), help));
            }
        }
    }

    fn plain(&mut self, value: &Value, shape: Shape<'_>, path: &KeyPath) {
        for part in shape.schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.any(value, shape.at(part), path);
        }
        match value {
            Value::Object(table) => {
                for (key, value) in table {
                    let path = path.key(key);
                    match shape.property(key) {
                        Some(property) => self.any(value, property, &path),
                        None => self.unknown_key(shape, &path, key),
                    }
                }
                let required = shape.schema.get("required").and_then(Value::as_array);
                for key in required.into_iter().flatten().filter_map(Value::as_str) {
                    // A slip of the pen in a key is one error, not two.
                    let slip = |other: &String| {
                        shape.property(other).is_none() && nearest(other, shape.keys()) == Some(key)
                    };
                    if !table.contains_key(key) && !table.keys().any(slip) {
                        self.missing_key(shape, path, key);
                    }
                }
            }
            Value::Array(list) => {
                self.length(list.len(), shape, path);
                for (index, value) in list.iter().enumerate() {
                    if let Some(item) = shape.item(index) {
                        self.any(value, item, &path.index(index));
                    }
                }
            }
            Value::Number(number) => self.range(number, shape, path),
            Value::String(text) => self.text(text, shape, path),
            Value::Bool(_) | Value::Null => {}
        }
    }

    fn unknown_key(&mut self, shape: Shape<'_>, path: &KeyPath, key: &str) {
        let table = path.parent().filter(|parent| !parent.is_root());
        let place =
            table.map_or_else(|| "at the top of the file".to_owned(), |table| format!("in `{table}`"));
        self.findings.push(Finding {
            path: path.clone(),
            aspect: Aspect::Key,
            message: format!("unknown key `{key}` {place}"),
            help: Some(suggestion(key, shape.keys())),
        });
    }

    fn missing_key(&mut self, shape: Shape<'_>, path: &KeyPath, key: &str) {
        let place = if path.is_root() { "the file".to_owned() } else { format!("`{path}`") };
        let property = shape.property(key);
        let example = property.map(|property| expected(&leaves(property))).unwrap_or_default();
        self.findings.push(Finding {
            path: path.clone(),
            aspect: Aspect::Value,
            message: format!("{place} has no `{key}`"),
            help: Some(format!("add `{key}`: {example}")),
        });
    }

    fn length(&mut self, length: usize, shape: Shape<'_>, path: &KeyPath) {
        let bound = |key: &str| shape.schema.get(key).and_then(Value::as_u64);
        let least = bound("minItems").unwrap_or(0);
        let most = bound("maxItems").unwrap_or(u64::MAX);
        if !(least..=most).contains(&(length as u64)) {
            let wanted = match (least, most) {
                (least, most) if least == most => format!("write {least}"),
                (least, u64::MAX) => format!("write at least {least}"),
                (_, most) => format!("write at most {most}"),
            };
            let entries = if length == 1 { "entry" } else { "entries" };
            self.findings.push(Finding::value(path, format!("`{path}` has {length} {entries}"), wanted));
        }
    }

    fn range(&mut self, number: &serde_json::Number, shape: Shape<'_>, path: &KeyPath) {
        let Some(value) = number.as_f64() else { return };
        let (format_least, format_most) = match shape.text("format") {
            Some("uint8") => (0.0, f64::from(u8::MAX)),
            Some("uint16") => (0.0, f64::from(u16::MAX)),
            Some("uint32") => (0.0, f64::from(u32::MAX)),
            Some("uint64" | "uint") => (0.0, f64::INFINITY),
            Some("int32") => (f64::from(i32::MIN), f64::from(i32::MAX)),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        };
        let bound = |key: &str| shape.schema.get(key).and_then(Value::as_f64);
        let least = bound("minimum").unwrap_or(f64::NEG_INFINITY).max(format_least);
        let most = bound("maximum").unwrap_or(f64::INFINITY).min(format_most);
        let above = bound("exclusiveMinimum").is_none_or(|bound| value > bound);
        let below = bound("exclusiveMaximum").is_none_or(|bound| value < bound);
        if (least..=most).contains(&value) && above && below {
            return;
        }
        let wanted = if !above {
            format!("more than {}", bound("exclusiveMinimum").unwrap_or_default())
        } else if !below {
            format!("less than {}", bound("exclusiveMaximum").unwrap_or_default())
        } else if least.is_finite() && most.is_finite() {
            format!("{least} to {most}")
        } else if least.is_finite() {
            format!("at least {least}")
        } else {
            format!("at most {most}")
        };
        self.findings.push(Finding::value(
            path,
            format!("`{path}` is {number}, out of range"),
            format!("write {wanted}"),
        ));
    }

    fn text(&mut self, text: &str, shape: Shape<'_>, path: &KeyPath) {
        if let Some(words) = shape.words()
            && !words.contains(&text)
        {
            let help = suggestion(text, words.into_iter());
            let message = format!("`{}` cannot be `{text}`", path.last_key());
            self.findings.push(Finding::value(path, message, help));
            return;
        }
        match shape.text("format") {
            Some("trace-file") => self.files.push((path.clone(), FileUse::Trace)),
            Some("cell-file") => self.files.push((path.clone(), FileUse::Cell)),
            Some("profile-file") => self.files.push((path.clone(), FileUse::Profile)),
            Some("input-file") => self.files.push((path.clone(), FileUse::Input)),
            Some("ip") if text.parse::<std::net::IpAddr>().is_err() => {
                let message = format!("`{text}` is not an IP address");
                self.findings.push(Finding::value(path, message, "write one such as \"198.18.0.1\""));
            }
            _ => {}
        }
        let problem = match shape.title() {
            Some("duration" | "time") => match text.parse::<Duration>() {
                Ok(span) if span > LONGEST => Some(format!("`{text}` is longer than a year; write less")),
                read => read.err().map(|error| error.to_string()),
            },
            Some("rate") => text.parse::<Rate>().err().map(|error| error.to_string()),
            Some("size") => text.parse::<Bytes>().err().map(|error| error.to_string()),
            Some("share") => parse_share(text)
                .err()
                .map(|_| format!("`{text}` is not a share; write 0 to 1, or \"0 %\" to \"100 %\"")),
            _ => None,
        };
        self.findings.extend(
            problem.map(|message| Finding::complete(path, format!("`{}`: {message}", path.last_key()))),
        );
    }
}

/// The branches of a choice, or the schema itself.
fn leaves(shape: Shape<'_>) -> Vec<Shape<'_>> {
    if shape.is_choice() { shape.branches() } else { vec![shape] }
}

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) if number.is_f64() => format!("the number {number}"),
        Value::Number(number) => format!("the integer {number}"),
        Value::String(text) => format!("the string {text:?}"),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a table".to_owned(),
    }
}

/// What may stand where these schemas are, in words.
fn expected(shapes: &[Shape<'_>]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let words: Vec<&str> = shapes.iter().filter_map(|shape| shape.words()).flatten().collect();
    if !words.is_empty() {
        parts.push(format!("one of {}", words.join(", ")));
    }
    for shape in shapes.iter().filter(|shape| shape.words().is_none()) {
        let example = shape.schema.pointer("/examples/0");
        let kinds = match shape.schema.get("type") {
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
            other => other.and_then(Value::as_str),
        };
        let part = match (shape.title(), kinds) {
            (Some(title), Some("string")) => {
                let unit = matches!(title, "duration" | "time" | "rate" | "size");
                let unit = if unit { " with its unit" } else { "" };
                let article = if title.contains(',') { "" } else { "a " };
                match example {
                    Some(example) => format!("{article}{title}{unit}, such as {example}"),
                    None => format!("{article}{title}{unit}"),
                }
            }
            (_, Some("integer")) => "an integer".to_owned(),
            (_, Some("number")) => match example {
                Some(example) => format!("a number, such as {example}"),
                None => "a number".to_owned(),
            },
            (_, Some("boolean")) => "true or false".to_owned(),
            (_, Some("array")) => match shape.schema.get("minItems").and_then(Value::as_u64) {
                Some(count) if shape.schema.get("maxItems").and_then(Value::as_u64) == Some(count) => {
                    format!("a list of {count}")
                }
                _ => "a list".to_owned(),
            },
            (_, Some("object")) => "a table".to_owned(),
            _ => "a string".to_owned(),
        };
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts.join(" or ")
}
