//! The adaptation rules that a scenario may name.

use std::sync::LazyLock;

use jettison_core::{BuildError, Registry, parameters};
use schemars::{JsonSchema, Schema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{
    AbrRule, Bola, BolaParameters, Dynamic, DynamicParameters, Fixed, FixedParameters, ThroughputParameters,
    ThroughputRule, VlcRate, VlcRateParameters,
};

/// One adaptation rule.
#[derive(Debug, Clone, Copy)]
pub struct AbrEntry {
    id: &'static str,
    summary: &'static str,
    source: &'static str,
    schema: fn() -> Schema,
    build: fn(&Value) -> Result<Box<dyn AbrRule>, BuildError>,
}

impl AbrEntry {
    /// Builds it from the parameters of its schema (`null` for all defaults).
    ///
    /// # Errors
    /// With the path of the offending key.
    pub fn build(&self, parameters: &Value) -> Result<Box<dyn AbrRule>, BuildError> {
        (self.build)(parameters)
    }
}

jettison_core::catalogue!(AbrEntry);

/// All adaptation rules.
pub fn abr_rules() -> Registry<AbrEntry> {
    let mut registry = Registry::new("adaptation rule");
    registry.register(AbrEntry {
        id: "bola",
        summary: "BOLA: the buffer's level decides",
        source: "Spiteri, Urgaonkar, Sitaraman 2016 (INFOCOM); start-up: Spiteri, Sitaraman, Sparacio 2018 (MMSys)",
        schema: || schema_for!(BolaParameters),
        build: |value| {
            let parameters: BolaParameters = read(value)?;
            parameters.validate()?;
            Ok(Box::new(Bola::new(parameters)))
        },
    });
    registry.register(AbrEntry {
        id: "dynamic",
        summary: "BOLA while the buffer is healthy, throughput otherwise, as dash.js",
        source: "Spiteri, Sitaraman, Sparacio 2018 (MMSys), DYNAMIC; dash.js's insufficient-buffer and abandon-request rules",
        schema: || schema_for!(DynamicParameters),
        build: |value| {
            let parameters: DynamicParameters = read(value)?;
            parameters.validate()?;
            Ok(Box::new(Dynamic::new(parameters)))
        },
    });
    registry.register(AbrEntry {
        id: "fixed",
        summary: "always the same representation",
        source: "no rule: isolates the network",
        schema: || schema_for!(FixedParameters),
        build: |value| Ok(Box::new(Fixed::new(read(value)?))),
    });
    registry.register(AbrEntry {
        id: "throughput",
        summary: "the highest representation below 0.9 of the recent throughput",
        source: "dash.js's ThroughputRule; Spiteri, Sitaraman, Sparacio 2018 (MMSys), THROUGHPUT",
        schema: || schema_for!(ThroughputParameters),
        build: |value| {
            let parameters: ThroughputParameters = read(value)?;
            parameters.validate()?;
            Ok(Box::new(ThroughputRule::new(parameters)))
        },
    });
    registry.register(AbrEntry {
        id: "vlc-rate",
        summary: "the highest representation below the measured download rate, like VLC's DASH plugin",
        source: "Müller, Timmerer 2011 (ACM Multimedia), one reading of it",
        schema: || schema_for!(VlcRateParameters),
        build: |value| {
            let parameters: VlcRateParameters = read(value)?;
            parameters.validate()?;
            Ok(Box::new(VlcRate::new(parameters)))
        },
    });
    registry
}

/// Builds the rule `id`; the message names the nearest id if there is none.
pub fn build_rule(id: &str, parameters: &Value) -> Result<Box<dyn AbrRule>, String> {
    static RULES: LazyLock<Registry<AbrEntry>> = LazyLock::new(abr_rules);
    match RULES.entry(id) {
        Some(entry) => entry.build(parameters).map_err(|error| error.to_string()),
        None => Err(RULES.unknown(id)),
    }
}

fn read<P: DeserializeOwned + JsonSchema>(value: &Value) -> Result<P, BuildError> {
    match value {
        Value::Null => parameters(&Value::Object(Map::new())),
        other => parameters(other),
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Catalogue;
    use jettison_core::{Duration, parameter_docs};
    use serde_json::json;

    use super::super::testing::{download, ladder, playing};
    use super::*;

    fn refusal(id: &str, parameters: Value) -> String {
        build_rule(id, &parameters).unwrap_err()
    }

    #[test]
    fn every_rule_builds_with_its_defaults_and_begins_with_the_lowest() {
        for entry in abr_rules().iter() {
            let set = ladder(&[140, 490, 1040]);
            for parameters in [Value::Null, json!({})] {
                let mut rule = entry.build(&parameters).unwrap();
                assert_eq!(rule.choose(&playing(&set, Duration::ZERO)).representation, 0, "{}", entry.id());
            }
        }
    }

    #[test]
    fn every_parameter_is_described() {
        for entry in abr_rules().iter() {
            let docs = parameter_docs(&entry.schema());
            assert!(!docs.is_empty(), "{}", entry.id());
            for doc in docs {
                assert!(!doc.description.is_empty(), "{}: {}", entry.id(), doc.name);
            }
        }
    }

    #[test]
    fn one_representation_is_no_trouble_to_any_rule() {
        let set = ladder(&[500]);
        for entry in abr_rules().iter() {
            let mut rule = entry.build(&Value::Null).unwrap();
            for secs in [0, 5, 15, 30] {
                let state = playing(&set, Duration::from_secs(secs));
                assert_eq!(rule.choose(&state).representation, 0, "{}", entry.id());
                rule.on_segment(&download(700, Duration::from_secs(secs)), &state);
            }
        }
    }

    #[test]
    fn unknown_names_are_refused_with_a_hint() {
        assert!(refusal("bolla", Value::Null).contains("did you mean `bola`"));
        assert!(refusal("vlc", Value::Null).contains("Known: bola, dynamic, fixed, throughput, vlc-rate"));
        assert!(refusal("bola", json!({"gama_p": 4})).contains("did you mean `gamma_p`"));
    }

    #[test]
    fn a_value_out_of_range_is_named_by_its_path() {
        assert!(refusal("throughput", json!({"history": {"safety": 2}})).starts_with("history.safety: "));
        assert!(refusal("bola", json!({"gamma_p": -1})).starts_with("gamma_p: "));
        assert!(refusal("bola", json!({"target": "0 s"})).starts_with("target: "));
        assert!(refusal("vlc-rate", json!({"share": 0})).starts_with("share: "));
        assert!(refusal("vlc-rate", json!({"measured": "week"})).starts_with("measured: "));
        assert!(refusal("fixed", json!({"representation": -1})).starts_with("representation: "));
        let dynamic = |table: Value| refusal("dynamic", table);
        assert!(dynamic(json!({"bola": {"minimum": "0 s"}})).starts_with("bola.minimum: "));
        assert!(dynamic(json!({"abandon": {"multiplier": 0}})).starts_with("abandon.multiplier: "));
        let insufficient = dynamic(json!({"insufficient_buffer": {"safety": 0}}));
        assert!(insufficient.starts_with("insufficient_buffer.safety: "));
    }
}
