//! Overrides of values: `--set path=value`, the `[quick]` table, the values of an axis.

use jettison_registry::nearest;
use serde_json::{Map, Value};

use crate::defaults::{expand_id, queue_names};
use crate::schema::Kinded;
use crate::source::value_or_string;
use jettison_registry::schema::{Branch, Shape};
use jettison_registry::{KeyPath, Step};

/// A path that cannot be overridden, with the remedy.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OverrideError {
    pub message: String,
    pub help: String,
}

/// Parses `path=value`. The value is TOML, or else a string.
pub(crate) fn read_option(option: &str) -> Result<(KeyPath, Value), OverrideError> {
    let refuse = |message: String| OverrideError {
        message,
        help: "write --set path=value, such as --set \"links.bottleneck.rate=5 Mbit/s\"".to_owned(),
    };
    let mut quote = None;
    let at_equals = option.char_indices().find(|(_, c)| {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(*c),
            (Some(open), c) if open == *c => quote = None,
            _ => {}
        }
        quote.is_none() && *c == '='
    });
    let Some((at, _)) = at_equals else { return Err(refuse(format!("`{option}` has no `=`"))) };
    let path = option[..at].parse::<KeyPath>().map_err(|error| refuse(error.to_string()))?;
    let text = option[at + 1..].trim();
    if let Some(problem) = broken_toml(text) {
        return Err(OverrideError {
            message: format!("invalid TOML in the value of `{path}`: {problem}"),
            help: "close every bracket and quote, such as { kind = \"codel\", target = \"5 ms\" }".to_owned(),
        });
    }
    Ok((path, value_or_string(text)))
}

/// The problem of a text that is meant as a TOML table or list and is none; other texts are strings. A command may begin with a
/// placeholder, `{folder}/serve.sh`.
fn broken_toml(text: &str) -> Option<String> {
    let begins_table = text.strip_prefix('{').is_some_and(|rest| {
        let key = |c: char| c.is_alphanumeric() || "-_.\"".contains(c);
        rest.trim_start().trim_start_matches(key).trim_start().starts_with('=')
    });
    let error = text.parse::<toml_edit::Value>().err().filter(|_| begins_table || text.starts_with('['))?;
    // The first line is a drawing of the place.
    let message = error.to_string();
    Some(message.trim_end().lines().next_back().unwrap_or_default().to_owned())
}

/// Sets the value at `path`, if the schema knows the path. Creates omitted tables on the way and expands ids
/// (`transport = "tcp"`) to tables. On error the tree is unchanged.
pub(crate) fn put(
    tree: &mut Value,
    shape: Shape<'_>,
    path: &KeyPath,
    value: Value,
) -> Result<(), OverrideError> {
    let mut changed = tree.clone();
    put_into(&mut changed, shape, path, value)?;
    *tree = changed;
    Ok(())
}

fn put_into(tree: &mut Value, shape: Shape<'_>, path: &KeyPath, value: Value) -> Result<(), OverrideError> {
    let queues = queue_names(tree);
    let mut place = &mut *tree;
    let mut shape = shape;
    let steps = path.steps();
    for (depth, step) in steps.iter().enumerate() {
        let last = depth + 1 == steps.len();
        let here = || path.prefix(depth);
        // A name does not expand to a table: several links may share the queue.
        if let (true, Value::String(name)) = (shape.definition == Some("queue"), &*place)
            && queues.contains(name)
        {
            let rest = KeyPath::root().key("queues").key(name).join(&steps[depth..]);
            return Err(OverrideError {
                message: format!("`{}` names the queue `{name}` and has no keys", here()),
                help: format!("set `{rest}` instead"),
            });
        }
        insert_default_choice(place, shape);
        expand_id(place, shape, &queues);
        shape = select_branch(shape, place, step).ok_or_else(|| not_a_table(path, depth, place))?;
        match step {
            Step::Key(key) => {
                let next = shape.property(key);
                let named = shape.keys().any(|known| known == key);
                if place.is_null() {
                    *place = Value::Object(Map::new());
                }
                if !place.is_object() {
                    return Err(not_a_table(path, depth, place));
                }
                let table = place.as_object_mut().expect("it is an object");
                let Some(next) = next else {
                    return Err(unknown_key(path, depth, shape.keys()));
                };
                // A misspelt name must not create an entry of [links], [nodes], …: it must exist or be given as a whole.
                let given_whole = last && value.is_object();
                if !(named || given_whole || table.contains_key(key)) {
                    return Err(unknown_key(path, depth, table.keys().map(String::as_str)));
                }
                place = table.entry(key.clone()).or_insert(Value::Null);
                shape = next;
            }
            Step::Index(index) => {
                let next = shape.item(*index);
                let (Some(next), Some(count)) = (next, place.as_array().map(Vec::len)) else {
                    return Err(not_a_table(path, depth, place));
                };
                let Some(entry) = place.get_mut(*index) else {
                    return Err(OverrideError {
                        message: format!("unknown key `{path}`: index {index} is out of range"),
                        help: format!("`{}` has length {count}, and indices start at 0", here()),
                    });
                };
                place = entry;
                shape = next;
            }
        }
    }
    *place = value;
    Ok(())
}

/// Names the default transport of a flow, or the default discipline of a link, that the file leaves out and `path` leads into.
pub(crate) fn name_default(
    tree: &mut Value,
    path: &KeyPath,
    usual_transport: &dyn Fn(&str) -> Option<String>,
) -> Option<()> {
    let [Step::Key(table), Step::Key(name), Step::Key(key), rest @ ..] = path.steps() else { return None };
    let entry = tree.get(table)?.get(name)?;
    let of_reverse = matches!(rest, [Step::Key(own), _, ..] if own == "queue");
    let default = match (table.as_str(), key.as_str()) {
        ("flows", "transport") if !rest.is_empty() => {
            Value::String(usual_transport(&Kinded::from_value(entry.get("app")?)?.kind)?)
        }
        ("links", "queue") if !rest.is_empty() => usual_queue(tree, entry)?,
        // The direction back has the queue of the link.
        ("links", "reverse") if of_reverse => match entry.get("queue") {
            Some(queue) => queue.clone(),
            None => usual_queue(tree, entry)?,
        },
        _ => return None,
    };
    let mut entry = tree.get_mut(table)?.get_mut(name)?.as_object_mut()?;
    let mut key = key.as_str();
    if of_reverse {
        entry = entry.entry(key).or_insert_with(|| Value::Object(Map::new())).as_object_mut()?;
        key = "queue";
    }
    entry.entry(key).or_insert(default);
    Some(())
}

/// The discipline of a link that names none, if it is the same in both directions: a queue of a node has its own place.
fn usual_queue(tree: &Value, link: &Value) -> Option<Value> {
    let nodes = tree.get("nodes")?;
    let ends = link.get("between")?.as_array()?;
    let ends: Option<Vec<&Value>> = ends.iter().map(|end| nodes.get(end.as_str()?)).collect();
    let plain =
        |node: &&Value| node.get("queue").is_none() && node.get("kind").is_some_and(|kind| kind != "p4");
    ends?.iter().all(plain).then(|| Value::String("tail-drop".to_owned()))
}

/// Replaces null by the default of a choice.
fn insert_default_choice(place: &mut Value, shape: Shape<'_>) {
    let default = shape.text("default").filter(|id| shape.branches().iter().any(|it| it.kind() == Some(id)));
    if let (true, Some(id)) = (place.is_null(), default) {
        *place = Value::String(id.to_owned());
    }
}

/// Flattens a table of `path = value` into targets, sources and values. A nested table continues the path, unless it
/// replaces a table of another `kind` or a value that is not a table.
pub(crate) fn leaves(tree: &Value, table: &Map<String, Value>) -> Vec<(KeyPath, KeyPath, Value)> {
    let mut found = Vec::new();
    for (key, value) in table {
        let source = KeyPath::root().key(key);
        // An invalid path stays a single key, which `put` reports as unknown.
        let target = key.parse::<KeyPath>().unwrap_or_else(|_| source.clone());
        collect_leaves(tree, value, target, source, &mut found);
    }
    found
}

fn collect_leaves(
    tree: &Value,
    value: &Value,
    target: KeyPath,
    source: KeyPath,
    found: &mut Vec<(KeyPath, KeyPath, Value)>,
) {
    let there = target.find(tree);
    match value {
        Value::Object(inner) if there.is_some_and(Value::is_object) && !changes_kind(there, inner) => {
            for (key, value) in inner {
                collect_leaves(tree, value, target.key(key), source.key(key), found);
            }
        }
        _ => found.push((target, source, value.clone())),
    }
}

fn changes_kind(there: Option<&Value>, table: &Map<String, Value>) -> bool {
    table.get("kind").is_some_and(|kind| there.and_then(|there| there.get("kind")) != Some(kind))
}

/// The branch of a choice that has that key, or lists.
fn select_branch<'s>(shape: Shape<'s>, place: &Value, step: &Step) -> Option<Shape<'s>> {
    if !shape.is_choice() {
        return Some(shape);
    }
    if let (Value::Object(_), Branch::One(branch)) = (place, shape.branch_for(place)) {
        return Some(branch);
    }
    // The current value may be missing or of another branch. A parameter alone does not determine a `kind`, but selects a
    // table without one.
    let suits = |branch: &Shape<'s>| match step {
        Step::Key(key) => branch.kind().is_none() && branch.keys().any(|known| known == key),
        Step::Index(_) => place.is_array() && branch.admits_type_of(place),
    };
    shape.branches().into_iter().find(suits)
}

fn not_a_table(path: &KeyPath, depth: usize, place: &Value) -> OverrideError {
    let here = path.prefix(depth);
    let (message, help) = match place {
        Value::Null => (
            format!("`{path}` cannot be set: `{here}` is not set"),
            match path.steps().get(depth) {
                Some(Step::Index(_)) => format!("set `{here}` first, as a list"),
                _ => format!("set `{here}` first, as a table with `kind`"),
            },
        ),
        _ => (format!("`{path}` cannot be set: `{here}` has no keys"), format!("set `{here}` as a whole")),
    };
    OverrideError { message, help }
}

fn unknown_key<'a>(path: &KeyPath, depth: usize, known: impl Iterator<Item = &'a str>) -> OverrideError {
    let here = path.prefix(depth);
    let key = path.prefix(depth + 1).last_key().to_owned();
    let table = if here.is_root() { "the file".to_owned() } else { format!("`{here}`") };
    let known: Vec<&str> = known.collect();
    let help = match nearest(&key, known.iter().copied()) {
        Some(near) => format!("did you mean `{}`?", here.key(near).join(&path.steps()[depth + 1..])),
        None if known.is_empty() => format!("{table} has no entries"),
        None => format!("keys of {table}: {}", known.join(", ")),
    };
    OverrideError { message: format!("unknown key `{path}`"), help }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_splits_at_the_first_equals_outside_quotes() {
        let (path, value) = read_option("links.\"a=b\".queue={ kind = \"codel\" }").unwrap();
        assert_eq!(path.steps()[1], Step::Key("a=b".to_owned()));
        assert_eq!(value, serde_json::json!({ "kind": "codel" }));
        assert_eq!(read_option("duration=5 s").unwrap().1, serde_json::json!("5 s"));
        assert!(read_option("duration").unwrap_err().message.contains("has no `=`"));
        for broken in ["{ kind = \"codel\"", "[1, 2", "{kind=codel, }", "{ }}[=="] {
            let read = read_option(&format!("links.a.queue={broken}"));
            match broken {
                "{ }}[==" => assert_eq!(read.unwrap().1, broken),
                _ => {
                    assert!(read.unwrap_err().message.starts_with("invalid TOML in the value of"), "{broken}")
                }
            }
        }
        let command = "{folder}/serve.sh --port=5";
        assert_eq!(read_option(&format!("flows.a.app.at_to={command}")).unwrap().1, command);
        assert!(read_option("=5").unwrap_err().message.contains("empty key"));
    }

    #[test]
    fn nested_tables_continue_the_path_unless_the_kind_changes() {
        let tree = serde_json::json!({ "links": { "a": { "queue": { "kind": "red", "w": 1 }, "rate": "1 bit/s" } } });
        let table =
            serde_json::json!({ "links": { "a": { "rate": "2 bit/s", "queue": { "kind": "codel" } } } });
        let found = leaves(&tree, table.as_object().unwrap());
        let targets: Vec<String> = found.iter().map(|(target, ..)| target.to_string()).collect();
        assert_eq!(targets, ["links.a.rate", "links.a.queue"]);
    }
}
