//! The list of the message transport's controllers.

use std::sync::LazyLock;

use jettison_registry::{Choices, Registry};

use jettison_tcp::congestion::controllers;

use super::entry::MessageController;
use super::{message_controllers, window};

/// All controllers of the message transport: TCP's, and those that were made for it.
pub fn path_controllers() -> Registry<MessageController> {
    controllers().iter().map(window::entry).chain(message_controllers().iter().cloned()).collect()
}

impl Choices for MessageController {
    type Kind = MessageController;
    const DEFAULT: &'static str = "bbr";
    fn registry() -> &'static Registry<MessageController> {
        static CONTROLLERS: LazyLock<Registry<MessageController>> = LazyLock::new(path_controllers);
        &CONTROLLERS
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jettison_core::Duration;
    use jettison_registry::ParameterError;
    use serde_json::{Value, json};

    use super::super::PathContext;
    use super::super::testing::with_trace;
    use super::*;
    use jettison_tcp::congestion;

    #[test]
    fn every_controller_builds_with_its_defaults() {
        for entry in path_controllers().iter() {
            let parameters = if entry.id == "oracle" { json!({ "trace": "t" }) } else { Value::Null };
            let built = with_trace("t", "1\n5\n9\n", |context| entry.build(&parameters, context));
            assert!(built.is_ok(), "{}", entry.id);
        }
    }

    #[test]
    fn every_parameter_is_documented_with_its_default() {
        for entry in path_controllers().iter() {
            for parameter in entry.parameters() {
                assert!(!parameter.description.is_empty(), "{}.{}", entry.id, parameter.name);
                // One without a default says what its absence means.
                let says = |words| parameter.description.contains(words);
                let is_clear = parameter.default.is_some() || says("without it") || says("no default");
                assert!(is_clear, "{}.{}", entry.id, parameter.name);
            }
        }
    }

    #[test]
    fn unknown_keys_are_refused_with_a_hint() {
        for entry in path_controllers().iter() {
            let error = entry.build(&json!({ "surely_not_a_key": 1 }), &context()).unwrap_err().to_string();
            assert!(error.contains("surely_not_a_key"), "{error}");
        }
        let error = refusal("sprout", json!({ "percentil": 0.1 }));
        assert!(error.to_string().contains("did you mean `percentile`"), "{error}");
    }

    fn refusal(id: &str, parameters: Value) -> ParameterError {
        path_controllers().build_from(id, &parameters, &context()).expect_err("it is wrong")
    }

    fn no_files(name: &str) -> Result<Arc<[u8]>, String> {
        Err(format!("no file {name}"))
    }

    fn context() -> PathContext<'static> {
        PathContext {
            packet: 1472,
            initial_window: 14_720,
            initial_rtt: Duration::from_millis(333),
            random: None,
            files: &no_files,
        }
    }

    #[test]
    fn every_controller_of_tcp_serves() {
        let registry = path_controllers();
        for entry in congestion::controllers().iter() {
            let ours = registry.entry(entry.id).expect("it is derived");
            assert_eq!((ours.name, ours.style), (entry.name, entry.style));
            assert_eq!((ours.summary, ours.source, ours.page), (entry.summary, entry.source, entry.page));
            assert_eq!(ours.schema(), entry.schema());
            let built = ours.build(&Value::Null, &context()).unwrap();
            assert_eq!(built.window(), 14_720, "{}", entry.id);
            assert_eq!(built.bandwidth(), None, "{}", entry.id);
        }
    }

    #[test]
    fn unknown_names_are_refused_with_a_hint() {
        let error = refusal("bbrr", Value::Null);
        assert!(error.to_string().contains("did you mean `bbr`"), "{error}");
        assert_eq!(refusal("bbr", json!({ "startup_gain": 0.5 })).path, ["startup_gain"]);
    }
}
