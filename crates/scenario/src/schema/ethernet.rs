//! Ethernet interfaces of hosts: layers and hardware addresses.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The layer at which a host is attached to its link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layer {
    /// Layer 3: IP packets.
    #[default]
    Ip,
    /// Layer 2: Ethernet frames.
    Ethernet,
}

/// A hardware address: `02:00:00:00:00:01`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HardwareAddress(pub [u8; 6]);

impl Layer {
    pub(crate) fn is_default(&self) -> bool {
        *self == Layer::default()
    }
}

impl Serialize for Layer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(match self {
            Layer::Ip => 3,
            Layer::Ethernet => 2,
        })
    }
}

impl<'de> Deserialize<'de> for Layer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Layer, D::Error> {
        match u8::deserialize(deserializer)? {
            2 => Ok(Layer::Ethernet),
            3 => Ok(Layer::Ip),
            other => Err(D::Error::custom(format!("a layer is 2 or 3, got {other}"))),
        }
    }
}

impl JsonSchema for Layer {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "layer".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 2, "maximum": 3 })
    }
}

impl FromStr for HardwareAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<HardwareAddress, String> {
        let mut bytes = [0; 6];
        let mut parts = text.split(':');
        for byte in &mut bytes {
            let part = parts.next().filter(|part| matches!(part.len(), 1 | 2));
            let digits = part.filter(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()));
            *byte = digits.and_then(|part| u8::from_str_radix(part, 16).ok()).ok_or_else(|| wrong(text))?;
        }
        match parts.next() {
            None => Ok(HardwareAddress(bytes)),
            Some(_) => Err(wrong(text)),
        }
    }
}

fn wrong(text: &str) -> String {
    format!("a hardware address is such as \"02:00:00:00:00:01\", got `{}`", text.escape_default())
}

impl fmt::Display for HardwareAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

impl Serialize for HardwareAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for HardwareAddress {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<HardwareAddress, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl JsonSchema for HardwareAddress {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "hardware address".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^([0-9A-Fa-f]{1,2}:){5}[0-9A-Fa-f]{1,2}$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hardware_addresses_have_six_bytes_in_hexadecimal() {
        let parse = |text: &str| text.parse::<HardwareAddress>();
        assert_eq!(parse("08:0:00:aB:01:11"), Ok(HardwareAddress([8, 0, 0, 0xab, 1, 0x11])));
        assert_eq!(parse("08:00:00:ab:01:11").map(|mac| mac.to_string()), Ok("08:00:00:ab:01:11".to_owned()));
        for wrong in ["", "1:2:3:4:5", "1:2:3:4:5:6:7", "g:2:3:4:5:6", "+1:2:3:4:5:6", "001:2:3:4:5:6"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
