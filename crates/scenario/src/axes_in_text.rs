//! Edits to the axes of comparison in a scenario's text, for scenarios built in code.

use serde_json::Value;
use toml_edit::{DocumentMut, InlineTable, Item, Table};

use jettison_registry::KeyPath;

use crate::baseline::{self, Baseline};

/// The result of [`with_axis`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WithAxis {
    /// The text of the file.
    pub text: String,
    /// The name of the axis that was replaced, if any.
    pub replaced: Option<String>,
}

/// Adds an entry with the keys of `axis` to `[[vary]]` of a scenario's text.
///
/// The entry replaces an axis of the same path, and inherits its name unless it has one. Text that is not valid TOML gets the
/// entry appended: the check of the scenario reports the error.
///
/// # Errors
/// If `axis` cannot be written as a TOML table.
pub fn with_axis(text: &str, axis: &Value) -> Result<WithAxis, toml::ser::Error> {
    let entry = entry(axis)?;
    let appended = |entry: &Table| {
        let one = DocumentMut::from(entry.clone()).to_string();
        WithAxis { text: format!("{}\n\n[[vary]]\n{one}", text.trim_end()), replaced: None }
    };
    let Ok(mut document) = text.parse::<DocumentMut>() else { return Ok(appended(&entry)) };
    // TOML writes a list of tables as `[[vary]]` or inline; the entry takes the form of the file.
    let replaced = match document.get_mut("vary") {
        Some(Item::ArrayOfTables(axes)) => {
            let Some(old) = axes.iter_mut().find(|old| same_path(old.get("path"), &entry)) else {
                return Ok(appended(&entry));
            };
            let name = name_of(old.get("name"), old.get("path"));
            // Keep name, place and comments of the old entry: results are keyed by the name.
            let mut new = entry;
            new.entry("name").or_insert(toml_edit::value(&name));
            new.set_position(old.position());
            *new.decor_mut() = old.decor().clone();
            *old = new;
            Some(name)
        }
        Some(Item::Value(toml_edit::Value::Array(axes))) => {
            let mut new: InlineTable = entry.clone().into_inline_table();
            let old = axes.iter_mut().filter_map(toml_edit::Value::as_inline_table_mut).find_map(|old| {
                let path = old.get("path").cloned().map(Item::Value);
                same_path(path.as_ref(), &entry).then_some((old, path))
            });
            match old {
                Some((old, path)) => {
                    let name = name_of(old.get("name").cloned().map(Item::Value).as_ref(), path.as_ref());
                    new.get_or_insert("name", name.as_str());
                    *old = new;
                    Some(name)
                }
                None => {
                    axes.push(new);
                    None
                }
            }
        }
        _ => return Ok(appended(&entry)),
    };
    drop_lost_baseline(&mut document, text);
    Ok(WithAxis { text: document.to_string(), replaced })
}

/// Reduces the axis of that name to the arms at these indices, in the text's order. Text without such an axis is returned
/// unchanged.
pub fn with_some_arms(text: &str, axis: &str, places: &[usize]) -> String {
    let Ok(mut document) = text.parse::<DocumentMut>() else { return text.to_owned() };
    let named = |name: Option<&Item>, path: Option<&Item>, variants: bool| {
        let found = name_of(name, path);
        (if found.is_empty() && variants { VARIANT } else { &found }) == axis
    };
    match document.get_mut("vary") {
        Some(Item::ArrayOfTables(axes)) => {
            for entry in axes.iter_mut() {
                if named(entry.get("name"), entry.get("path"), entry.contains_key("variants")) {
                    for key in ARMS {
                        entry.get_mut(key).into_iter().for_each(|arms| keep(arms, places));
                    }
                }
            }
        }
        Some(Item::Value(toml_edit::Value::Array(axes))) => {
            for entry in axes.iter_mut().filter_map(toml_edit::Value::as_inline_table_mut) {
                let item = |key: &str| entry.get(key).cloned().map(Item::Value);
                if named(item("name").as_ref(), item("path").as_ref(), entry.contains_key("variants")) {
                    for key in ARMS {
                        let arms = entry.get_mut(key).and_then(toml_edit::Value::as_array_mut);
                        arms.into_iter().for_each(|arms| keep_values(arms, places));
                    }
                }
            }
        }
        _ => {}
    }
    drop_lost_baseline(&mut document, text);
    document.to_string()
}

/// Removes the key `baseline` if the axes of `before` had what it names, and those of the document do not.
fn drop_lost_baseline(document: &mut DocumentMut, before: &str) {
    let has_it = |text: &str| {
        let tree = text.parse::<toml::Table>().ok().and_then(|table| serde_json::to_value(table).ok())?;
        let axes = crate::vary::read(&tree, &[]).ok()?;
        Some(Baseline::named(baseline::written(&tree)?, &axes).is_ok())
    };
    if document.contains_key("baseline")
        && has_it(before) == Some(true)
        && has_it(&document.to_string()) == Some(false)
    {
        document.remove("baseline");
    }
}

/// Default name of an axis of alternatives.
pub(crate) const VARIANT: &str = "variant";
/// Keys that hold the arms of an axis.
const ARMS: [&str; 2] = ["values", "variants"];

fn keep(arms: &mut Item, places: &[usize]) {
    match arms {
        Item::Value(toml_edit::Value::Array(values)) => keep_values(values, places),
        Item::ArrayOfTables(tables) => {
            let mut place = 0..;
            tables.retain(|_| place.next().is_some_and(|place| places.contains(&place)));
        }
        _ => {}
    }
}

fn keep_values(values: &mut toml_edit::Array, places: &[usize]) {
    let mut place = 0..;
    values.retain(|_| place.next().is_some_and(|place| places.contains(&place)));
}

/// The entry as a table, one key per line.
fn entry(axis: &Value) -> Result<Table, toml::ser::Error> {
    let mut table = Table::new();
    for (key, value) in axis.as_object().into_iter().flatten() {
        let value = toml::Value::try_from(value)?.to_string();
        let value = value.parse::<toml_edit::Value>().expect("what toml writes, toml_edit reads");
        table.insert(key, Item::Value(value));
    }
    Ok(table)
}

/// Whether both paths are equal once parsed.
fn same_path(old: Option<&Item>, entry: &Table) -> bool {
    let read = |item: Option<&Item>| item?.as_str()?.parse::<KeyPath>().ok();
    read(old).is_some_and(|old| Some(old) == read(entry.get("path")))
}

/// The name of an axis in results.
fn name_of(name: Option<&Item>, path: Option<&Item>) -> String {
    let of_path = || path?.as_str()?.parse::<KeyPath>().ok().map(|path| path.last_key().to_owned());
    name.and_then(Item::as_str).map(str::to_owned).or_else(of_path).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TEXT: &str = "\
name = \"mine\" # ours

[[vary]]
path = \"links.bottleneck.queue\"
values = [\"codel\", \"pi2\"]

[[vary]]
name = \"speed\"
path = \"links.bottleneck.rate\"
values = [\"5 Mbit/s\"]

[flows.bulk]
app = \"bulk\"
";

    fn vary(text: &str) -> Value {
        serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap()["vary"].clone()
    }

    #[test]
    fn an_axis_of_another_path_is_added() {
        let axis =
            json!({ "path": "links.bottleneck.delay", "values": ["5 ms", { "label": "far", "x": 1 }] });
        let with = with_axis(TEXT, &axis).unwrap();
        assert_eq!(with.replaced, None);
        assert_eq!(vary(&with.text).as_array().unwrap().len(), 3);
        assert_eq!(vary(&with.text)[2], axis);
        assert!(with.text.starts_with(TEXT.trim_end()), "the rest stays as it is: {}", with.text);
    }

    #[test]
    fn an_axis_of_the_same_path_is_replaced() {
        let axis = json!({ "path": "links.\"bottleneck\".rate", "values": [{ "a": 1 }, { "b": 2 }] });
        let with = with_axis(TEXT, &axis).unwrap();
        assert_eq!(with.replaced.as_deref(), Some("speed"));
        let axes = vary(&with.text);
        assert_eq!(axes.as_array().unwrap().len(), 2);
        assert_eq!(axes[1]["name"], "speed");
        assert_eq!(axes[1]["values"], axis["values"]);
        assert!(
            with.text.contains("# ours") && with.text.contains("[flows.bulk]\napp = \"bulk\""),
            "{}",
            with.text
        );
        let queue = json!({ "name": "aqm", "path": "links.bottleneck.queue", "values": ["red"] });
        let with = with_axis(TEXT, &queue).unwrap();
        assert_eq!(with.replaced.as_deref(), Some("queue"));
        assert_eq!(vary(&with.text)[0], queue);
    }

    #[test]
    fn inline_axes_are_edited_too() {
        let text = "vary = [{ path = \"a.b\", values = [1, 2] }]\n";
        let with = with_axis(text, &json!({ "path": "a.b", "values": [3] })).unwrap();
        assert_eq!(
            (vary(&with.text), with.replaced.as_deref()),
            (json!([{ "path": "a.b", "values": [3], "name": "b" }]), Some("b"))
        );
        let with = with_axis(text, &json!({ "path": "a.c", "values": [3] })).unwrap();
        assert_eq!(vary(&with.text).as_array().unwrap().len(), 2);
        assert_eq!(with.replaced, None);
    }

    #[test]
    fn alternatives_replace_nothing() {
        let axis =
            json!({ "variants": [{ "name": "slow", "set": { "links.bottleneck.rate": "1 Mbit/s" } }] });
        let with = with_axis(TEXT, &axis).unwrap();
        assert_eq!(vary(&with.text)[2], axis);
        assert_eq!(with_axis("", &axis).unwrap().text.trim_start().lines().next(), Some("[[vary]]"));
    }

    #[test]
    fn an_axis_is_reduced_to_some_arms() {
        let less = with_some_arms(TEXT, "queue", &[1]);
        assert_eq!(vary(&less)[0]["values"], json!(["pi2"]));
        assert_eq!(vary(&less)[1], vary(TEXT)[1]);
        assert_eq!(with_some_arms(TEXT, "rate", &[]), TEXT, "it is called speed");
        let tables = "[[vary]]\n[[vary.variants]]\nname = \"a\"\n[[vary.variants]]\nname = \"b\"\n";
        assert_eq!(vary(&with_some_arms(tables, "variant", &[1]))[0]["variants"], json!([{ "name": "b" }]));
        let inline = "vary = [{ path = \"a.b\", values = [1, 2, 3] }]\n";
        assert_eq!(vary(&with_some_arms(inline, "b", &[0, 2]))[0]["values"], json!([1, 3]));
        assert_eq!(with_some_arms("x =", "b", &[0]), "x =");
    }

    #[test]
    fn a_baseline_goes_with_its_label() {
        let text = format!("baseline = \"codel\"\n{TEXT}");
        assert!(with_some_arms(&text, "queue", &[0]).starts_with("baseline = \"codel\""));
        assert!(!with_some_arms(&text, "queue", &[1]).contains("baseline"));
        let queue = |values: Value| json!({ "path": "links.bottleneck.queue", "values": values });
        assert!(!with_axis(&text, &queue(json!(["red", "pie"]))).unwrap().text.contains("baseline"));
        assert!(with_axis(&text, &queue(json!(["red", "codel"]))).unwrap().text.contains("baseline"));
        let wrong = format!("baseline = \"coddel\"\n{TEXT}");
        assert!(with_some_arms(&wrong, "queue", &[1]).contains("coddel"), "left to the check");
    }

    #[test]
    fn invalid_toml_is_left_to_the_check() {
        let with = with_axis("name = ", &json!({ "path": "a.b", "values": [3] })).unwrap();
        assert!(with.text.starts_with("name =\n\n[[vary]]"), "{}", with.text);
    }
}
