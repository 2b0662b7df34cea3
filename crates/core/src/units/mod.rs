//! Integer units in types: time, duration, rate and size.

mod parse;
mod rate;
mod size;
mod time;

pub use parse::{UnitError, parse_quantity, parse_share};
pub use rate::Rate;
pub use size::Bytes;
pub use time::{Duration, Time};

/// Implements serde and JSON Schema for a unit type that is written as a string with its unit.
macro_rules! unit_as_string {
    ($type:ty, $title:literal, $pattern:literal, $example:literal) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Visitor;
                impl serde::de::Visitor<'_> for Visitor {
                    type Value = $type;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(f, concat!("a ", $title, " with its unit, such as \"", $example, "\""))
                    }
                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
                        text.parse().map_err(E::custom)
                    }
                }
                deserializer.deserialize_str(Visitor)
            }
        }

        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $title.into()
            }
            fn inline_schema() -> bool {
                true
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "string",
                    "title": $title,
                    "pattern": $pattern,
                    "examples": [$example],
                })
            }
        }
    };
}
pub(crate) use unit_as_string;
