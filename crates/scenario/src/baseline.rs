//! The variant that each variant of a comparison is compared with: the key `baseline`.

use indexmap::{IndexMap, IndexSet};
use jettison_registry::{KeyPath, nearest};
use serde_json::Value;

use crate::scenario::Variant;
use crate::validate::Finding;
use crate::vary::{Axis, combinations};

/// The baseline of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Baseline {
    /// One variant, by its name.
    Variant(String),
    /// The variant with the same labels, but this one on the axis.
    Label {
        /// Index of the axis.
        axis: usize,
        label: String,
    },
}

impl Baseline {
    /// The first value of the first axis; `None` without axes.
    pub fn standard(axes: &[Axis]) -> Option<Baseline> {
        let label = axes.first()?.arms.first()?.label.clone();
        Some(Baseline::Label { axis: 0, label })
    }

    /// The baseline of that name: a variant, a label, or `axis=label`.
    ///
    /// # Errors
    /// If there is none, or several axes have the label.
    pub fn named(name: &str, axes: &[Axis]) -> Result<Baseline, Finding> {
        let at = KeyPath::root().key("baseline");
        let arms = || {
            axes.iter().enumerate().flat_map(|(at, axis)| axis.arms.iter().map(move |arm| (at, axis, arm)))
        };
        let is_named = |axis: &Axis, label: &str| label == name || format!("{}={label}", axis.name) == name;
        let found: Vec<_> = arms().filter(|(_, axis, arm)| is_named(axis, &arm.label)).collect();
        match found.as_slice() {
            [(axis, _, arm)] => return Ok(Baseline::Label { axis: *axis, label: arm.label.clone() }),
            [(_, one, _), (_, other, _), ..] => {
                let message = format!(
                    "`baseline` must name one label, got `{name}`, which `{}` and `{}` have",
                    one.name, other.name
                );
                return Err(Finding::value(&at, message, format!("write `{}={name}`", one.name)));
            }
            [] => {}
        }
        // Thousands of variants would be a long way to a name that is not there.
        let variants = || {
            combinations(axes)
                .into_iter()
                .map(|arms| variant_name(axes, arms.iter().map(|arm| arm.label.as_str())))
        };
        if !axes.is_empty() && name.contains('=') && variants().any(|variant| variant == name) {
            return Ok(Baseline::Variant(name.to_owned()));
        }
        let message = format!("`baseline` must name a variant or a label of an axis, got `{name}`");
        let labels: IndexSet<&str> = arms().map(|(_, _, arm)| arm.label.as_str()).collect();
        let near = nearest(name, labels.iter().copied()).map(str::to_owned);
        let near = near.or_else(|| {
            let variants: Vec<String> = if name.contains('=') { variants().collect() } else { Vec::new() };
            nearest(name, variants.iter().map(String::as_str)).map(str::to_owned)
        });
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None if axes.is_empty() => "remove it: nothing varies".to_owned(),
            None => format!("labels: {}", labels.into_iter().collect::<Vec<_>>().join(", ")),
        };
        Err(Finding::value(&at, message, help))
    }

    /// Sets the baseline of each variant that has another one.
    pub fn assign(&self, variants: &mut [Variant]) {
        let key = |labels: &IndexMap<String, String>| labels.values().cloned().collect::<Vec<_>>();
        let names: IndexMap<Vec<String>, String> =
            variants.iter().map(|variant| (key(&variant.labels), variant.name.clone())).collect();
        for variant in variants {
            let baseline = match self {
                Baseline::Variant(name) => Some(name),
                Baseline::Label { axis, label } => {
                    let mut labels = key(&variant.labels);
                    if let Some(own) = labels.get_mut(*axis) {
                        own.clone_from(label);
                    }
                    names.get(&labels)
                }
            };
            variant.baseline = baseline.filter(|baseline| **baseline != variant.name).cloned();
        }
    }
}

/// The `baseline` of a tree that fits the schema.
pub(crate) fn written(tree: &Value) -> Option<&str> {
    tree.get("baseline").and_then(Value::as_str)
}

/// Name of the variant with these labels.
pub(crate) fn variant_name<'a>(axes: &[Axis], labels: impl Iterator<Item = &'a str>) -> String {
    let parts: Vec<String> =
        axes.iter().zip(labels).map(|(axis, label)| format!("{}={label}", axis.name)).collect();
    if parts.is_empty() { "default".to_owned() } else { parts.join(",") }
}
