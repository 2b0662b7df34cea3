//! `[[vary]]`: one axis of a comparison.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An axis: one key and its values (`path`, `values`), or named sets of keys (`name`, `variants`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Axis {
    /// What results call the axis; the last key of `path` by default.
    #[serde(default)]
    pub name: Option<String>,
    /// The key that varies, such as `links.bottleneck.queue`.
    #[serde(default)]
    pub path: Option<String>,
    /// Its values. A table among them may have a `label`, which names the variant.
    #[serde(default)]
    pub values: Option<Vec<Value>>,
    /// Alternatives that set several keys each.
    #[serde(default)]
    pub variants: Option<Vec<Alternative>>,
}

/// One alternative of an axis that sets several keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Alternative {
    /// Names the variant.
    pub name: String,
    /// Keys, each a path, and their values.
    #[serde(default)]
    pub set: IndexMap<String, Value>,
}
