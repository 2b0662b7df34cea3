//! Adaptation rules as a parameter: `"bola"` or `{ kind = "bola", gamma_p = 5.0 }`.

use std::sync::LazyLock;

use jettison_registry::{Choices, Registry};

use super::{AdaptationRule, abr_rules};

impl Choices for AdaptationRule {
    type Kind = AdaptationRule;
    const DEFAULT: &'static str = "dynamic";
    fn registry() -> &'static Registry<AdaptationRule> {
        static RULES: LazyLock<Registry<AdaptationRule>> = LazyLock::new(abr_rules);
        &RULES
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Duration;
    use serde_json::{Value, json};

    use super::super::testing::{download, ladder, playing};
    use super::*;

    fn refusal(id: &str, parameters: Value) -> String {
        abr_rules().build_from(id, &parameters, &()).unwrap_err().to_string()
    }

    #[test]
    fn every_rule_builds_with_its_defaults_and_begins_with_the_lowest() {
        for entry in abr_rules().iter() {
            let set = ladder(&[140, 490, 1040]);
            for parameters in [Value::Null, json!({})] {
                let mut rule = entry.build(&parameters, &()).unwrap();
                assert_eq!(rule.choose(&playing(&set, Duration::ZERO)).representation, 0, "{}", entry.id);
            }
        }
    }

    #[test]
    fn every_parameter_is_described() {
        for entry in abr_rules().iter() {
            let docs = entry.parameters();
            assert!(!docs.is_empty(), "{}", entry.id);
            for doc in docs {
                assert!(!doc.description.is_empty(), "{}: {}", entry.id, doc.name);
            }
        }
    }

    #[test]
    fn one_representation_is_no_trouble_to_any_rule() {
        let set = ladder(&[500]);
        for entry in abr_rules().iter() {
            let mut rule = entry.build(&Value::Null, &()).unwrap();
            for secs in [0, 5, 15, 30] {
                let state = playing(&set, Duration::from_secs(secs));
                assert_eq!(rule.choose(&state).representation, 0, "{}", entry.id);
                rule.on_segment(&download(700, Duration::from_secs(secs)), &state);
            }
        }
    }

    #[test]
    fn unknown_names_are_refused_with_a_hint() {
        assert!(refusal("bolla", Value::Null).contains("did you mean `bola`"));
        let known: Vec<&str> = abr_rules().ids().collect();
        assert!(refusal("xyz", Value::Null).ends_with(&format!("known: {}", known.join(", "))));
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
