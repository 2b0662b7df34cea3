//! Reads tables of parameters into typed structs.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use serde_path_to_error::Segment;

use crate::schema::{Shape, walk};
use crate::{ParameterError, Problem, Step};

/// Reads parameters from a table without `kind`; `null` means the empty table. Omitted keys take their defaults.
///
/// # Errors
/// For an unknown or missing key, a wrong type, or a value out of the schema's range, with the path of the key.
pub fn parameters<T: DeserializeOwned + JsonSchema>(value: &Value) -> Result<T, ParameterError> {
    read(&schema_for!(T), value)
}

/// [`parameters`] with a schema made before.
pub(crate) fn read<T: DeserializeOwned>(schema: &Schema, value: &Value) -> Result<T, ParameterError> {
    let value = checked(schema, value)?;
    serde_path_to_error::deserialize(&*value).map_err(|error| {
        let path = error.path().iter().filter_map(|segment| match segment {
            Segment::Seq { index } => Some(index.to_string()),
            Segment::Map { key } => Some(key.clone()),
            // Values have no step for a variant of an enumeration.
            Segment::Enum { .. } | Segment::Unknown => None,
        });
        let problem = Problem::from_message(error.inner().to_string());
        ParameterError { path: path.collect(), problem, help: None }
    })
}

/// Checks a table against a schema and returns it.
pub(crate) fn checked<'v>(schema: &Schema, value: &'v Value) -> Result<Cow<'v, Value>, ParameterError> {
    let table = match value {
        Value::Null => Cow::Owned(Value::Object(Map::new())),
        table => Cow::Borrowed(table),
    };
    match walk(&table, Shape::new(schema.as_value())).findings.into_iter().next() {
        None => Ok(table),
        Some(finding) => {
            let path = finding.path.steps().iter().map(|step| match step {
                Step::Key(key) => key.clone(),
                Step::Index(index) => index.to_string(),
            });
            Err(ParameterError { path: path.collect(), problem: finding.problem, help: finding.help })
        }
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Duration;
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    /// Parameters of every type that entries use.
    #[derive(Debug, Default, PartialEq, Deserialize, JsonSchema)]
    #[serde(default, deny_unknown_fields)]
    struct Sample {
        /// A number.
        beta: f64,
        /// A span.
        target: Duration,
        /// A count.
        flows: u16,
        /// A switch.
        ecn: bool,
        /// A word.
        growth: Growth,
        /// Something that may be unset.
        limit: Option<u32>,
        /// A list.
        gains: Vec<f64>,
        /// A table.
        inner: Inner,
    }
    #[derive(Debug, Default, PartialEq, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    enum Growth {
        #[default]
        PerByte,
        PerAck,
    }
    #[derive(Debug, Default, PartialEq, Deserialize, JsonSchema)]
    #[serde(default, deny_unknown_fields)]
    struct Inner {
        /// A number.
        weight: f64,
    }

    fn refused(value: Value) -> String {
        parameters::<Sample>(&value).unwrap_err().to_string()
    }

    #[test]
    fn omitted_keys_take_their_defaults() {
        assert_eq!(parameters::<Sample>(&Value::Null), Ok(Sample::default()));
        assert_eq!(parameters::<Sample>(&json!({ "limit": null })), Ok(Sample::default()));
        let read =
            parameters::<Sample>(&json!({ "beta": 1, "inner": { "weight": 0.5 }, "growth": "per-ack" }));
        let inner = Inner { weight: 0.5 };
        assert_eq!(read, Ok(Sample { beta: 1.0, inner, growth: Growth::PerAck, ..Sample::default() }));
    }

    #[test]
    fn a_wrong_type_says_what_is_required_and_what_was_found() {
        assert_eq!(refused(json!({ "beta": "x" })), "beta: must be a number, got \"x\"");
        assert_eq!(refused(json!({ "flows": 1.5 })), "flows: must be an integer, got 1.5");
        assert_eq!(refused(json!({ "ecn": "yes" })), "ecn: must be true or false, got \"yes\"");
        assert_eq!(refused(json!({ "gains": [1, "x"] })), "gains.1: must be a number, got \"x\"");
        assert_eq!(refused(json!({ "inner": 3 })), "inner: must be a table, got 3");
        assert_eq!(
            refused(json!({ "target": 5 })),
            "target: must be a duration with its unit (such as \"20 ms\"), got 5"
        );
        assert_eq!(refused(json!("codel")), "must be a table, got \"codel\"");
    }

    #[test]
    fn a_value_out_of_range_says_the_range() {
        assert_eq!(refused(json!({ "flows": 70_000 })), "flows: must be in [0, 65535], got 70000");
        assert!(refused(json!({ "target": "5" })).starts_with("target: `5` has no unit"));
    }

    #[test]
    fn an_unknown_name_gets_the_nearest_at_any_depth() {
        assert_eq!(refused(json!({ "betta": 1 })), "betta: unknown key `betta`; did you mean `beta`?");
        assert_eq!(
            refused(json!({ "inner": { "wieght": 1 } })),
            "inner.wieght: unknown key `wieght`; did you mean `weight`?"
        );
        assert_eq!(
            refused(json!({ "growth": "per-acks" })),
            "growth: must be one of per-byte, per-ack, got \"per-acks\"; did you mean `per-ack`?"
        );
    }
}
