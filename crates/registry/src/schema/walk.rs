//! Walks a tree of values along a schema and reports every mismatch.

use jettison_core::units::parse_share;
use jettison_core::{Bytes, Duration, Rate};
use serde_json::{Number, Value};

use super::{Branch, Shape, describe, expected};
use crate::{KeyPath, Problem, nearest, suggestion};

/// A mismatch between value and schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Path of the value.
    pub path: KeyPath,
    /// Whether the key or its value is wrong.
    pub aspect: Aspect,
    /// The problem.
    pub problem: Problem,
    /// The remedy, unless the problem implies it.
    pub help: Option<String>,
}

/// The part of an entry that a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aspect {
    /// The key.
    Key,
    /// Its value.
    Value,
}

/// A use of a deprecated key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deprecated {
    /// Path of the key.
    pub path: KeyPath,
    /// The key of the same table that replaces it: a choice (an id, or a table with `kind`) that takes its parameters.
    pub moved_into: String,
    /// The default of that key.
    pub default: Value,
}

/// The results of a walk.
#[derive(Debug, Default)]
pub struct Walked {
    /// Mismatches.
    pub findings: Vec<Finding>,
    /// Valid values of a definition of the schema (`queue`, `transport`, …): path and name of the definition.
    pub chosen: Vec<(KeyPath, String)>,
    /// Strings whose schema names a format (`input-file`): path and format.
    pub formats: Vec<(KeyPath, String)>,
    /// Uses of deprecated keys.
    pub deprecated: Vec<Deprecated>,
}

/// Longest duration in a scenario: sums of times stay far below the limit of 64 bits.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// Walks `tree` along `schema`.
pub fn walk(tree: &Value, schema: Shape<'_>) -> Walked {
    let mut walked = Walked::default();
    walked.any(tree, schema, &KeyPath::root());
    walked
}

impl Walked {
    fn any(&mut self, value: &Value, shape: Shape<'_>, path: &KeyPath) {
        if value.is_null() && shape.admits_null() {
            return;
        }
        let before = self.findings.len();
        if shape.is_choice() {
            self.choice(value, shape, path);
        } else if !shape.admits_type_of(value) {
            self.must(path, &format!("be {}", expected(&[shape])), value);
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
            Branch::NoKind { known } => self.find(
                path,
                Problem::Predicate("has no `kind`".to_owned()),
                Some(format!("add one of: {}", known.join(", "))),
            ),
            Branch::Unknown { in_table, known } => {
                let path = if in_table { path.key("kind") } else { path.clone() };
                let word = if in_table { value.get("kind") } else { Some(value) };
                let word = word.and_then(Value::as_str).unwrap_or_default();
                match shape.title() {
                    Some(title) => {
                        let help = suggestion(word, known.into_iter());
                        self.find(&path, Problem::Sentence(format!("unknown {title} `{word}`")), Some(help));
                    }
                    None => self.word(&path, word, known.iter().map(ToString::to_string).collect()),
                }
            }
            Branch::WrongType => {
                self.must(path, &format!("be {}", expected(&shape.branches())), value);
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
                        Some(property) => {
                            self.deprecated(property, shape, &path);
                            self.any(value, property, &path);
                        }
                        None => self.findings.push(Finding {
                            path,
                            aspect: Aspect::Key,
                            problem: Problem::UnknownKey,
                            help: Some(suggestion(key, shape.current_keys())),
                        }),
                    }
                }
                let required = shape.schema.get("required").and_then(Value::as_array);
                for key in required.into_iter().flatten().filter_map(Value::as_str) {
                    // A misspelt required key is reported as unknown, not as missing too.
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
            Value::String(text) => self.text(text, shape, path),
            Value::Number(number) => {
                self.listed(value, shape, path);
                self.range(number, shape, path);
            }
            Value::Bool(_) => self.listed(value, shape, path),
            Value::Null => {}
        }
    }

    fn deprecated(&mut self, property: Shape<'_>, table: Shape<'_>, path: &KeyPath) {
        let Some(moved_into) = property.moved_into() else { return };
        let default = table.property(moved_into).and_then(|now| now.schema.get("default"));
        self.deprecated.push(Deprecated {
            path: path.clone(),
            moved_into: moved_into.to_owned(),
            default: default.cloned().unwrap_or_default(),
        });
    }

    fn missing_key(&mut self, shape: Shape<'_>, path: &KeyPath, key: &str) {
        let property = shape.property(key);
        let example = property.map(|property| expected(&leaves(property))).unwrap_or_default();
        self.find(
            path,
            Problem::Predicate(format!("has no `{key}`")),
            Some(format!("add `{key}`: {example}")),
        );
    }

    fn length(&mut self, length: usize, shape: Shape<'_>, path: &KeyPath) {
        let bound = |key: &str| shape.schema.get(key).and_then(Value::as_u64);
        let least = bound("minItems").unwrap_or(0);
        let most = bound("maxItems").unwrap_or(u64::MAX);
        if (least..=most).contains(&(length as u64)) {
            return;
        }
        let (wanted, count) = match (least, most) {
            (least, most) if least == most => (least.to_string(), least),
            (least, u64::MAX) => (format!("at least {least}"), least),
            (_, most) => (format!("at most {most}"), most),
        };
        let entries = if count == 1 { "entry" } else { "entries" };
        self.find(path, Problem::Predicate(format!("must have {wanted} {entries}, got {length}")), None);
    }

    fn range(&mut self, number: &Number, shape: Shape<'_>, path: &KeyPath) {
        let Some(value) = number.as_f64() else { return };
        // schemars states the range of some integer types only as a format.
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
            format!("> {}", bound("exclusiveMinimum").unwrap_or_default())
        } else if !below {
            format!("< {}", bound("exclusiveMaximum").unwrap_or_default())
        } else if least.is_finite() && most.is_finite() {
            format!("in [{least}, {most}]")
        } else if least.is_finite() {
            format!(">= {least}")
        } else {
            format!("<= {most}")
        };
        self.find(path, Problem::Predicate(format!("must be {wanted}, got {number}")), None);
    }

    /// Checks a number or boolean against the values that the schema lists.
    fn listed(&mut self, value: &Value, shape: Shape<'_>, path: &KeyPath) {
        let list = shape.schema.get("enum").and_then(Value::as_array);
        if list.is_some_and(|list| !list.contains(value)) {
            let list = shape.listed().unwrap_or_default();
            self.must(path, &format!("be one of {}", list.join(", ")), value);
        }
    }

    fn text(&mut self, text: &str, shape: Shape<'_>, path: &KeyPath) {
        if let Some(words) = shape.words()
            && !words.contains(&text)
        {
            self.word(path, text, shape.listed().unwrap_or_default());
            return;
        }
        if let Some(format) = shape.text("format") {
            if format == "ip" && text.parse::<std::net::IpAddr>().is_err() {
                let problem = format!("must be an IP address (such as \"198.18.0.1\"), got {text:?}");
                self.find(path, Problem::Predicate(problem), None);
            }
            self.formats.push((path.clone(), format.to_owned()));
        }
        let problem = match shape.title() {
            Some("duration" | "time") => match text.parse::<Duration>() {
                Ok(span) if span > LONGEST => Some(format!("must be at most a year, got `{text}`")),
                read => read.err().map(|error| error.to_string()),
            },
            Some("rate") => text.parse::<Rate>().err().map(|error| error.to_string()),
            Some("size") => text.parse::<Bytes>().err().map(|error| error.to_string()),
            Some("share") => parse_share(text)
                .err()
                .map(|_| format!("must be a share (0 to 1, or \"0 %\" to \"100 %\"), got {text:?}")),
            _ => None,
        };
        if let Some(problem) = problem {
            self.find(path, Problem::from_message(problem), None);
        }
    }

    /// Reports an unknown word.
    fn word(&mut self, path: &KeyPath, word: &str, known: Vec<String>) {
        let problem = format!("must be one of {}, got {word:?}", known.join(", "));
        let near = nearest(word, known.iter().map(String::as_str));
        let help = near.map(|near| format!("did you mean `{near}`?"));
        self.find(path, Problem::Predicate(problem), help);
    }

    fn must(&mut self, path: &KeyPath, requirement: &str, found: &Value) {
        let problem = format!("must {requirement}, got {}", describe(found));
        self.find(path, Problem::Predicate(problem), None);
    }

    fn find(&mut self, path: &KeyPath, problem: Problem, help: Option<String>) {
        self.findings.push(Finding { path: path.clone(), aspect: Aspect::Value, problem, help });
    }
}

/// The branches of a choice, or the schema itself.
fn leaves(shape: Shape<'_>) -> Vec<Shape<'_>> {
    if shape.is_choice() { shape.branches() } else { vec![shape] }
}
