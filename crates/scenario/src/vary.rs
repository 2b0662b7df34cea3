//! Axes of comparison: the values that each arm sets, and all combinations of arms.

use indexmap::IndexSet;
use serde_json::{Map, Value, json};

use crate::axes_in_text::VARIANT;
use crate::names::{LONGEST_LABEL, LONGEST_NAME, wrong_label};
use crate::overrides::leaves;
use crate::schema;
use crate::validate::Finding;
use jettison_registry::{KeyPath, Step};

/// Maximum number of variants; larger comparisons are a task for sweeps.
const MOST_VARIANTS: usize = 10_000;
/// Keys common to all variants of a scenario.
const SHARED: [&str; 6] = ["name", "description", "seeds", "baseline", "vary", "quick"];

const NAME_HELP: &str = "give the axis another `name`";
const LABEL_HELP: &str = "give it another `name`, or a table a `label`";

/// An axis that has passed its own checks.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    pub name: String,
    pub arms: Vec<Arm>,
    /// The entry of the file, and its path.
    entry: Value,
    at: KeyPath,
}

/// One alternative of an axis.
#[derive(Debug, Clone)]
pub(crate) struct Arm {
    /// Its name in results.
    pub label: String,
    sets: Sets,
}

#[derive(Debug, Clone)]
enum Sets {
    /// `path` and one of `values`, with their paths in the file.
    One { path_at: KeyPath, path: KeyPath, value_at: KeyPath, value: Value },
    /// A table of paths, and its own path in the file.
    Table { at: KeyPath, table: Map<String, Value> },
}

/// One override by an arm.
pub(crate) struct Setting {
    pub target: KeyPath,
    /// Path in the file of the target's name.
    pub path_at: KeyPath,
    /// Path in the file of the value.
    pub value_at: KeyPath,
    pub value: Value,
}

impl Arm {
    /// The overrides that it applies to `tree`.
    pub fn settings(&self, tree: &Value) -> Vec<Setting> {
        match &self.sets {
            Sets::One { path_at, path, value_at, value } => vec![Setting {
                target: path.clone(),
                path_at: path_at.clone(),
                value_at: value_at.clone(),
                value: value.clone(),
            }],
            Sets::Table { at, table } => leaves(tree, table)
                .into_iter()
                .map(|(target, source, value)| {
                    let place = at.join(source.steps());
                    Setting { target, path_at: place.clone(), value_at: place, value }
                })
                .collect(),
        }
    }
}

impl Axis {
    /// This axis as an entry of `[[vary]]`, for a file that already contains the values of options (`pinned`). These hold in
    /// every variant, so they are merged into arms that replace a table around them.
    pub fn to_entry(
        &self,
        tree: &Value,
        put: &dyn Fn(&mut Value, &KeyPath, Value),
        pinned: &[(KeyPath, Value)],
    ) -> Value {
        let replaced = |arm: &Arm| {
            let settings = arm.settings(tree);
            pinned.iter().any(|(path, _)| settings.iter().any(|setting| path.starts_with(&setting.target)))
        };
        if !self.arms.iter().any(replaced) {
            return self.entry.clone();
        }
        let variants = self.arms.iter().map(|arm| {
            let settings = arm.settings(tree);
            let values = settings.iter().map(|setting| (&setting.target, &setting.value));
            let mut whole = tree.clone();
            for (path, value) in values.chain(pinned.iter().map(|(path, value)| (path, value))) {
                put(&mut whole, path, value.clone());
            }
            let set = settings.iter().filter_map(|setting| {
                Some((setting.target.to_string(), setting.target.find(&whole)?.clone()))
            });
            json!({ "name": arm.label, "set": set.collect::<Map<String, Value>>() })
        });
        json!({ "name": self.name, "variants": variants.collect::<Vec<_>>() })
    }
}

/// Reads `[[vary]]` from a tree that fits the schema. Drops axes that set nothing beyond `pinned`, the paths set by
/// options.
pub(crate) fn read(tree: &Value, pinned: &[KeyPath]) -> Result<Vec<Axis>, Vec<Finding>> {
    let list = KeyPath::root().key("vary");
    let Some(entries) = list.find(tree).and_then(Value::as_array) else { return Ok(Vec::new()) };
    let mut axes: Vec<Axis> = Vec::new();
    let mut findings = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let at = list.index(index);
        match read_axis(entry, &at) {
            Ok(axis) if axes.iter().any(|other| other.name == axis.name) => {
                let message = format!("axis names must be unique, got `{}` twice", axis.name);
                findings.push(Finding::value(&at, message, "give each axis its own `name`"));
            }
            Ok(axis) => axes.push(axis),
            Err(more) => findings.extend(more),
        }
    }
    // Two axes that set the same path would produce variants whose labels are wrong.
    findings.extend(axes.iter().enumerate().filter_map(|(index, axis)| {
        let (other, path) =
            axes[..index].iter().find_map(|other| Some((other, shared(axis, other, tree)?)))?;
        let message = format!("axes `{}` and `{}` both set `{path}`", other.name, axis.name);
        Some(Finding::value(&axis.at, message, "remove one: the later axis would override the earlier"))
    }));
    axes.retain(|axis| !is_pinned(axis, tree, pinned));
    let count = axes.iter().try_fold(1usize, |count, axis| count.checked_mul(axis.arms.len()));
    if count.is_none_or(|count| count > MOST_VARIANTS) {
        let found = count.map_or("more".to_owned(), |count| count.to_string());
        let message = format!("the axes must give at most {MOST_VARIANTS} variants, got {found}");
        findings.push(Finding::value(&list.index(0), message, "remove axes or values"));
    }
    if findings.is_empty() { Ok(axes) } else { Err(findings) }
}

/// All combinations of arms, the last axis varying fastest; a single empty one without axes.
pub(crate) fn combinations<'a>(axes: &'a [Axis]) -> Vec<Vec<&'a Arm>> {
    axes.iter().fold(vec![Vec::new()], |combinations, axis| {
        let with = |before: &Vec<&'a Arm>, arm: &'a Arm| before.iter().copied().chain([arm]).collect();
        combinations.iter().flat_map(|before| axis.arms.iter().map(move |arm| with(before, arm))).collect()
    })
}

/// A path that both axes set.
fn shared(axis: &Axis, other: &Axis, tree: &Value) -> Option<KeyPath> {
    let targets = |axis: &Axis| -> IndexSet<KeyPath> {
        axis.arms.iter().flat_map(|arm| arm.settings(tree)).map(|setting| setting.target).collect()
    };
    let others = targets(other);
    targets(axis).into_iter().find(|target| others.contains(target))
}

fn is_pinned(axis: &Axis, tree: &Value, pinned: &[KeyPath]) -> bool {
    let settings = axis.arms.iter().flat_map(|arm| arm.settings(tree));
    let mut targets = settings.map(|setting| setting.target).peekable();
    targets.peek().is_some() && targets.all(|target| pinned.iter().any(|pin| target.starts_with(pin)))
}

fn read_axis(entry: &Value, at: &KeyPath) -> Result<Axis, Vec<Finding>> {
    let refuse = |message: String, help: &str| vec![Finding::value(at, message, help)];
    let axis = serde_json::from_value::<schema::Axis>(entry.clone())
        .map_err(|error| refuse(format!("`{at}` cannot be read: {error}"), "see `jettison schema`"))?;
    let (name, arms) = match (axis.path, axis.values, axis.variants) {
        (Some(path), Some(values), None) => {
            let path_at = at.key("path");
            let path = read_path(&path, &path_at)?;
            let name = axis.name.unwrap_or_else(|| path.last_key().to_owned());
            (name, arms_of_values(&path, &path_at, &values, &at.key("values"))?)
        }
        (None, None, Some(alternatives)) => {
            let name = axis.name.unwrap_or_else(|| VARIANT.to_owned());
            (name, arms_of_alternatives(&alternatives, &at.key("variants"))?)
        }
        _ => {
            let help = "write one of the two; each variant has a `name` and a `set`";
            return Err(refuse(format!("`{at}` must have either `path` and `values`, or `variants`"), help));
        }
    };
    let name_at = if entry.get("name").is_some() { at.key("name") } else { at.key("path") };
    let mut wrong = Vec::new();
    if let Some(problem) = wrong_label(&name, LONGEST_NAME) {
        wrong.push(Finding::value(&name_at, format!("the name of an axis must {problem}"), NAME_HELP));
    }
    for (index, arm) in arms.iter().enumerate() {
        let Some(problem) = wrong_label(&arm.label, LONGEST_LABEL) else { continue };
        let label_at = match &arm.sets {
            Sets::One { value_at, .. } => value_at.clone(),
            Sets::Table { .. } => at.key("variants").index(index).key("name"),
        };
        wrong.push(Finding::value(&label_at, format!("the label of a variant must {problem}"), LABEL_HELP));
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let mut seen = IndexSet::new();
    for arm in &arms {
        if !seen.insert(arm.label.as_str()) {
            let message = format!("labels of axis `{name}` must be unique, got `{}` twice", arm.label);
            return Err(refuse(message, "remove one, or give tables a `label`"));
        }
    }
    Ok(Axis { name, arms, entry: entry.clone(), at: at.clone() })
}

fn arms_of_values(
    path: &KeyPath,
    path_at: &KeyPath,
    values: &[Value],
    at: &KeyPath,
) -> Result<Vec<Arm>, Vec<Finding>> {
    if values.is_empty() {
        return Err(vec![Finding::value(
            at,
            format!("`{at}` must have at least 1 entry, got 0"),
            "add a value",
        )]);
    }
    let arm = |(index, value): (usize, &Value)| {
        let mut value = value.clone();
        let label = label(&mut value, index, values);
        let sets =
            Sets::One { path_at: path_at.clone(), path: path.clone(), value_at: at.index(index), value };
        Arm { label, sets }
    };
    Ok(values.iter().enumerate().map(arm).collect())
}

fn arms_of_alternatives(
    alternatives: &[schema::Alternative],
    at: &KeyPath,
) -> Result<Vec<Arm>, Vec<Finding>> {
    if alternatives.is_empty() {
        return Err(vec![Finding::value(
            at,
            format!("`{at}` must have at least 1 entry, got 0"),
            "add a variant",
        )]);
    }
    let mut arms = Vec::new();
    let mut findings = Vec::new();
    for (index, alternative) in alternatives.iter().enumerate() {
        let at = at.index(index).key("set");
        let table: Map<String, Value> = alternative.set.clone().into_iter().collect();
        for key in table.keys() {
            findings.extend(read_path(key, &at.key(key)).err().into_iter().flatten());
        }
        arms.push(Arm { label: alternative.name.clone(), sets: Sets::Table { at, table } });
    }
    if findings.is_empty() { Ok(arms) } else { Err(findings) }
}

fn read_path(text: &str, at: &KeyPath) -> Result<KeyPath, Vec<Finding>> {
    let path = text.parse::<KeyPath>().map_err(|error| vec![Finding::complete(at, error.to_string())])?;
    match path.steps().first() {
        Some(Step::Key(first)) if SHARED.contains(&first.as_str()) => {
            let message = format!("`{first}` cannot vary: it is common to all variants");
            Err(vec![Finding::value(at, message, "vary a key of nodes, queues, links or flows, or a time")])
        }
        _ => Ok(path),
    }
}

/// The label of a value in results: the value itself, a table's `label` (which is removed) or its `kind` if unique; else
/// its number.
fn label(value: &mut Value, index: usize, all: &[Value]) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(table) => {
            if let Some(Value::String(label)) = table.shift_remove("label") {
                return label;
            }
            let kind = table.get("kind").cloned();
            let alike =
                all.iter().filter(|other| other.get("kind").or(Some(*other)) == kind.as_ref()).count();
            match kind {
                Some(Value::String(kind)) if alike == 1 => kind,
                _ => (index + 1).to_string(),
            }
        }
        Value::Array(_) | Value::Null => (index + 1).to_string(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}
