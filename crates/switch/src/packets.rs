//! Numbers of packets, with unit.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use jettison_core::UnitError;
use jettison_core::units::parse_quantity;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// A number of packets, written `"64 packets"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Packets(pub u64);

impl fmt::Display for Packets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0, if self.0 == 1 { "packet" } else { "packets" })
    }
}
impl FromStr for Packets {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Packets, UnitError> {
        let units = [("packets", 1), ("packet", 1)];
        parse_quantity(text, "number of packets", "64 packets", "1 packet", &units).map(Packets)
    }
}
impl Serialize for Packets {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
impl<'de> Deserialize<'de> for Packets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Packets, D::Error> {
        struct Written;
        impl Visitor<'_> for Written {
            type Value = Packets;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of packets with its unit, such as \"64 packets\"")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Packets, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Written)
    }
}
impl JsonSchema for Packets {
    fn schema_name() -> Cow<'static, str> {
        "packets".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "title": "packets",
            "pattern": r"^\s*[0-9][0-9_,]*\s*packets?\s*$",
            "examples": ["64 packets"],
        })
    }
}
