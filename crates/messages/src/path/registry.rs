//! The congestion controllers of the message transport that a scenario can name.

use std::sync::{Arc, LazyLock};

use jettison_core::{Catalogue, Duration, RandomStream, Registry};
use schemars::{JsonSchema, Schema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{PathController, Window, abc, gcc, oracle, scream, sprout, sprout_ewma};
use jettison_tcp::congestion;
use jettison_tcp::congestion::{
    BbrParameters, CubicParameters, DctcpParameters, NewCwvParameters, NewRenoParameters, PragueParameters,
};

/// The context in which a path controller is built.
#[expect(clippy::type_complexity, reason = "a plain function, written twice")]
pub struct PathContext<'a> {
    /// Bytes of a full packet, including the transport's headers.
    pub packet: u64,
    /// Initial window in bytes.
    pub initial_window: u64,
    /// The assumed RTT before the first sample.
    pub initial_rtt: Duration,
    /// Random stream for controllers that need one; keyed by the flow's name.
    pub random: Option<RandomStream>,
    /// Reads a file that the parameters name (a trace).
    pub files: &'a dyn Fn(&str) -> Result<Arc<[u8]>, String>,
}

/// One controller of the message transport.
#[expect(
    clippy::type_complexity,
    reason = "a plain function pointer, which each file of a controller fills in"
)]
#[derive(Debug, Clone, Copy)]
pub struct PathControllerEntry {
    /// The id that scenario files write.
    pub id: &'static str,
    /// One line for `jettison list`.
    pub summary: &'static str,
    /// The document it implements.
    pub source: &'static str,
    /// The JSON Schema of its parameters.
    pub schema: fn() -> Schema,
    /// Builds it from these parameters (`null` for all defaults).
    pub build: fn(&Value, &PathContext<'_>) -> Result<Box<dyn PathController>, String>,
}

impl PathControllerEntry {
    /// Builds it from the parameters of its schema (`null` for all defaults).
    ///
    /// # Errors
    /// With the key at fault and what would be right.
    pub fn build(
        &self,
        parameters: &Value,
        context: &PathContext<'_>,
    ) -> Result<Box<dyn PathController>, String> {
        (self.build)(parameters, context)
    }
}

jettison_core::catalogue!(PathControllerEntry);

/// All controllers of the message transport: those that were made for it, and TCP's.
pub fn path_controllers() -> Registry<PathControllerEntry> {
    let mut registry = Registry::new("congestion controller");
    let tcp = congestion::controllers();
    let mut of_tcp = |entry: PathControllerEntry| {
        if let Some(known) = tcp.entry(entry.id) {
            let (summary, source) = (known.summary(), known.source());
            registry.register(PathControllerEntry { summary, source, ..entry });
        }
    };
    of_tcp(window::<BbrParameters>("bbr", |parameters, context| Window::build("bbr", parameters, context)));
    of_tcp(window::<CubicParameters>("cubic", |parameters, context| {
        Window::build("cubic", parameters, context)
    }));
    of_tcp(window::<DctcpParameters>("dctcp", |parameters, context| {
        Window::build("dctcp", parameters, context)
    }));
    of_tcp(window::<NewCwvParameters>("newcwv", |parameters, context| {
        Window::build("newcwv", parameters, context)
    }));
    of_tcp(window::<NewRenoParameters>("newreno", |parameters, context| {
        Window::build("newreno", parameters, context)
    }));
    of_tcp(window::<PragueParameters>("prague", |parameters, context| {
        Window::build("prague", parameters, context)
    }));
    for entry in
        [abc::entry(), gcc::entry(), oracle::entry(), scream::entry(), sprout::entry(), sprout_ewma::entry()]
    {
        registry.register(entry);
    }
    registry
}

/// The entry of a TCP controller; summary and source are those of TCP's registry.
#[expect(clippy::type_complexity, reason = "as in the entry")]
fn window<P: JsonSchema>(
    id: &'static str,
    build: fn(&Value, &PathContext<'_>) -> Result<Box<dyn PathController>, String>,
) -> PathControllerEntry {
    PathControllerEntry { id, summary: "", source: "", schema: || schema_for!(P), build }
}

/// The parameters in `value`, all defaults for `null`; the message names the key at fault.
pub(super) fn read<P: DeserializeOwned + JsonSchema + Default>(value: &Value) -> Result<P, String> {
    match value {
        Value::Null => Ok(P::default()),
        other => jettison_core::parameters(other).map_err(|error| error.to_string()),
    }
}

/// Builds the path controller `id`; the message names the nearest id if there is none.
pub fn build_path_controller(
    id: &str,
    parameters: &Value,
    context: &PathContext<'_>,
) -> Result<Box<dyn PathController>, String> {
    static CONTROLLERS: LazyLock<Registry<PathControllerEntry>> = LazyLock::new(path_controllers);
    match CONTROLLERS.entry(id) {
        Some(entry) => (entry.build)(parameters, context),
        None => Err(CONTROLLERS.unknown(id)),
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::parameter_docs;
    use serde_json::json;

    use super::super::testing::with_trace;
    use super::*;

    #[test]
    fn every_controller_builds_with_its_defaults() {
        for entry in path_controllers().iter() {
            let parameters = if entry.id() == "oracle" { json!({ "trace": "t" }) } else { Value::Null };
            let built = with_trace("t", "1\n5\n9\n", |context| (entry.build)(&parameters, context));
            assert!(built.is_ok(), "{}", entry.id());
        }
    }

    #[test]
    fn every_parameter_is_documented_with_its_default() {
        for entry in path_controllers().iter() {
            for parameter in parameter_docs(&entry.schema()) {
                assert!(!parameter.description.is_empty(), "{}.{}", entry.id(), parameter.name);
                // One without a default says what its absence means.
                let says = |words| parameter.description.contains(words);
                let is_clear = parameter.default.is_some() || says("without it") || says("no default");
                assert!(is_clear, "{}.{}", entry.id(), parameter.name);
            }
        }
    }

    #[test]
    fn unknown_keys_are_refused_with_a_hint() {
        for entry in path_controllers().iter() {
            let error = (entry.build)(&json!({ "surely_not_a_key": 1 }), &context()).unwrap_err();
            assert!(error.contains("surely_not_a_key"), "{error}");
        }
        let error = build_path_controller("sprout", &json!({ "percentil": 0.1 }), &context()).unwrap_err();
        assert!(error.contains("did you mean `percentile`"), "{error}");
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
            let ours = registry.entry(entry.id()).expect("one line each");
            assert_eq!((ours.summary(), ours.source()), (entry.summary(), entry.source()));
            assert_eq!(ours.schema(), entry.schema());
            let built = (ours.build)(&Value::Null, &context()).unwrap();
            assert_eq!(built.window(), 14_720, "{}", entry.id());
            assert_eq!(built.bandwidth(), None, "{}", entry.id());
        }
    }

    #[test]
    fn unknown_names_are_refused_with_a_hint() {
        let error = build_path_controller("bbrr", &Value::Null, &context()).unwrap_err();
        assert!(error.contains("did you mean `bbr`"), "{error}");
        let gain = serde_json::json!({"startup_gain": 0.5});
        let error = build_path_controller("bbr", &gain, &context()).unwrap_err();
        assert!(error.contains("startup_gain"), "{error}");
    }
}
