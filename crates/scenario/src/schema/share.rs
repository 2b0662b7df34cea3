//! A share of one.

use std::borrow::Cow;
use std::fmt;

use jettison_core::units::parse_share;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A share or probability, 0 to 1: written as a number (`0.005`) or in per cent (`"0.5 %"`).
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Share(f64);

impl Share {
    /// That share; `None` outside 0 to 1.
    pub fn new(share: f64) -> Option<Share> {
        (0.0..=1.0).contains(&share).then_some(Share(share))
    }
    /// As a number from 0 to 1.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Share, D::Error> {
        struct Read;
        impl Visitor<'_> for Read {
            type Value = Share;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a share from 0 to 1, such as 0.005 or \"0.5 %\"")
            }
            fn visit_f64<E: Error>(self, share: f64) -> Result<Share, E> {
                Share::new(share).ok_or_else(|| E::invalid_value(Unexpected::Float(share), &self))
            }
            fn visit_i64<E: Error>(self, share: i64) -> Result<Share, E> {
                self.visit_f64(share as f64)
            }
            fn visit_u64<E: Error>(self, share: u64) -> Result<Share, E> {
                self.visit_f64(share as f64)
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Share, E> {
                parse_share(text).map(Share).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Read)
    }
}

impl JsonSchema for Share {
    fn schema_name() -> Cow<'static, str> {
        "share".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "title": "share",
            "anyOf": [
                { "type": "number", "minimum": 0, "maximum": 1, "examples": [0.005] },
                { "type": "string", "title": "share", "pattern": r"^\s*[0-9]*\.?[0-9]+\s*%?\s*$", "examples": ["0.5 %"] },
            ],
        })
    }
}
