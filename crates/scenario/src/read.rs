//! Reads typed settings from a tree of values, as far as possible, and reports the errors.

use jettison_core::Duration;
use serde_json::{Map, Value};
use serde_path_to_error::Segment;

use crate::defaults::{fill, queue_names};
use crate::schema::Settings;
use crate::validate::Finding;
use jettison_registry::schema::Shape;
use jettison_registry::{KeyPath, Step};

/// Reads settings from `tree` without the values that `refused` names, so that other checks can run despite them. Errors
/// that only deserialization finds are added to `refused`. `None` if too little remains.
pub(crate) fn settings(
    tree: &Value,
    shape: Shape<'_>,
    refused: &mut Vec<Finding>,
) -> Option<(Settings, Value)> {
    let mut effective = tree.clone();
    for finding in refused.iter() {
        remove(&mut effective, &finding.path);
    }
    if !refused.is_empty() {
        insert_placeholders(&mut effective);
    }
    fill(&mut effective, shape, &queue_names(tree));
    // Each round removes an entry, so the loop ends.
    loop {
        match serde_path_to_error::deserialize::<_, Settings>(&effective) {
            Ok(settings) => return Some((settings, effective)),
            Err(error) => {
                let path = path_of(error.path());
                if !refused.iter().any(|finding| related(&finding.path, &path)) {
                    let message = format!("`{path}` cannot be read: {}", error.inner());
                    refused.push(Finding::complete(&path, message));
                }
                let in_map = matches!(path.steps().first(), Some(Step::Key(key)) if is_map(key));
                let entry = path.prefix(if in_map { 2 } else { 1 });
                if entry.is_root() || !remove(&mut effective, &entry) {
                    return None;
                }
                insert_placeholders(&mut effective);
            }
        }
    }
}

fn is_map(key: &str) -> bool {
    matches!(key, "nodes" | "queues" | "links" | "flows")
}

fn related(one: &KeyPath, other: &KeyPath) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

/// Removes the value at `path`, or the list that contains it; returns whether it existed.
fn remove(tree: &mut Value, path: &KeyPath) -> bool {
    let keys = path.steps().iter().take_while(|step| matches!(step, Step::Key(_))).count();
    let path = path.prefix(keys);
    let (Some(parent), Some(Step::Key(key))) = (path.parent(), path.steps().last()) else { return false };
    parent.find_mut(tree).and_then(Value::as_object_mut).and_then(|table| table.shift_remove(key)).is_some()
}

/// Inserts harmless values for missing required keys.
fn insert_placeholders(tree: &mut Value) {
    let Some(table) = tree.as_object_mut() else { return };
    for (key, value) in
        [("name", "scenario".to_owned()), ("duration", Duration::from_secs(86_400 * 365).to_string())]
    {
        table.entry(key).or_insert(Value::String(value));
    }
    for key in ["nodes", "links", "flows"] {
        table.entry(key).or_insert(Value::Object(Map::new()));
    }
}

fn path_of(path: &serde_path_to_error::Path) -> KeyPath {
    path.iter().fold(KeyPath::root(), |path, segment| match segment {
        Segment::Map { key } => path.key(key),
        Segment::Seq { index } => path.index(*index),
        // The tree has no step for a variant of an enumeration.
        Segment::Enum { .. } | Segment::Unknown => path,
    })
}
