//! Fractions of 1, as scenario files write them.

use std::fmt;

use jettison_core::units::parse_share;
use serde::de::{Error, Visitor};

/// A share in `[0, 1]`: a probability or a fraction. Files write `"0.5 %"` or a plain `0.005`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Share(f64);

impl Share {
    /// Zero.
    pub const ZERO: Share = Share(0.0);
    /// One.
    pub const ONE: Share = Share(1.0);

    /// The share `value`; `None` if it is outside `[0, 1]`.
    pub fn new(value: f64) -> Option<Share> {
        (0.0..=1.0).contains(&value).then_some(Share(value))
    }
    /// The share, in `[0, 1]`.
    pub fn value(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl serde::Serialize for Share {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

impl<'de> serde::Deserialize<'de> for Share {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Share, D::Error> {
        struct Written;
        impl Visitor<'_> for Written {
            type Value = Share;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a share from 0 to 1, or a string such as \"0.5 %\"")
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<Share, E> {
                Share::new(value).ok_or_else(|| {
                    E::custom(format!(
                        "{value} is not a share; write 0 to 1, or a percentage such as \"0.5 %\""
                    ))
                })
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<Share, E> {
                self.visit_f64(value as f64)
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<Share, E> {
                self.visit_f64(value as f64)
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Share, E> {
                parse_share(text).map(Share).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Written)
    }
}

impl schemars::JsonSchema for Share {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "share".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "title": "share",
            "anyOf": [
                { "type": "number", "minimum": 0, "maximum": 1 },
                { "type": "string", "pattern": r"^\s*[0-9]*(\.[0-9]+)?\s*%?\s*$" },
            ],
            "examples": ["0.5 %", 0.005],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_numbers_and_percentages() {
        let read = |value| serde_json::from_value::<Share>(value).map(Share::value);
        assert_eq!(read(json!(0.005)).unwrap(), 0.005);
        assert_eq!(read(json!("0.5 %")).unwrap(), 0.005);
        assert_eq!(read(json!(1)).unwrap(), 1.0);
        assert!(read(json!(2)).unwrap_err().to_string().contains("not a share"));
        assert!(read(json!(-0.1)).is_err());
        assert!(read(json!("120 %")).is_err());
        assert!(read(json!("often")).is_err());
    }
}
