//! `[[vary]]`: one axis of a comparison.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An axis: one key and its values (`path`, `values`), or named sets of keys (`name`, `variants`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Axis {
    /// Name of the axis in results. Default: the last key of `path`.
    #[serde(default)]
    pub name: Option<String>,
    /// The varied key, such as `links.bottleneck.queue`.
    #[serde(default)]
    pub path: Option<String>,
    /// Its values. A table may have a `label`, the name of the variant.
    #[serde(default)]
    pub values: Option<Vec<Value>>,
    /// Alternatives, each of which sets several keys.
    #[serde(default)]
    pub variants: Option<Vec<Alternative>>,
}

/// One alternative of an axis that sets several keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Alternative {
    /// Name of the variant.
    pub name: String,
    /// Values by key path.
    #[serde(default)]
    pub set: IndexMap<String, Value>,
}
