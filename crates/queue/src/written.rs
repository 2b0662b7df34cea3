//! Serialisation of parameters that are written as strings with units.

/// Implements Serde traits and `JsonSchema` for a type with `Display` and `FromStr` (with `Err = String`).
macro_rules! written_as_string {
    ($type:ty, $title:literal, $expecting:literal, $($example:literal),+) => {
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
                        f.write_str($expecting)
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
                schemars::json_schema!({ "type": "string", "title": $title, "examples": [$($example),+] })
            }
        }
    };
}
pub(crate) use written_as_string;

/// Parses `"<integer> packets"`; `None` if the unit is another.
pub(crate) fn parse_packets(text: &str) -> Option<Result<u64, String>> {
    let trimmed = text.trim();
    let number = trimmed.strip_suffix("packets").or_else(|| trimmed.strip_suffix("packet"))?;
    let digits: String = number.trim().chars().filter(|c| *c != ',' && *c != '_').collect();
    let whole = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    Some(match digits.parse() {
        Ok(count) if whole => Ok(count),
        _ => Err(format!("`{trimmed}` is not a whole number of packets, such as \"64 packets\"")),
    })
}

/// Prints a number of packets in the format of [`parse_packets`].
pub(crate) fn print_packets(f: &mut std::fmt::Formatter<'_>, count: u64) -> std::fmt::Result {
    write!(f, "{count} {}", if count == 1 { "packet" } else { "packets" })
}
