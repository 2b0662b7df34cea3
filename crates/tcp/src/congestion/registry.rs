//! The congestion controllers that a scenario can name.

use std::sync::LazyLock;

use jettison_core::{RandomStream, Registry};
use schemars::Schema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    Bbr, BbrParameters, CongestionController, Cubic, CubicParameters, Dctcp, DctcpParameters, Growth, NewCwv,
    NewCwvParameters, NewReno, NewRenoParameters, Prague, PragueParameters, SlowStart,
};

/// The context in which a controller is built.
#[derive(Debug, Clone)]
pub struct ControllerContext {
    /// Payload bytes of a full segment (SMSS).
    pub mss: u64,
    /// Initial window in bytes (RFC 6928).
    pub initial_window: u64,
    /// How acknowledged data makes the window grow.
    pub growth: Growth,
    /// Whether slow start uses HyStart++; `None` for the controller's default.
    pub hystart: Option<bool>,
    /// Whether the transport paces, which lifts HyStart++'s limit of growth per ACK (RFC 9406 §4.3).
    pub paced: bool,
    /// Random stream for controllers that need one (BBR's gain cycle); keyed by the flow's name.
    pub random: Option<RandomStream>,
}

/// One congestion controller.
#[derive(Debug, Clone, Copy)]
pub struct ControllerEntry {
    id: &'static str,
    summary: &'static str,
    source: &'static str,
    schema: fn() -> Schema,
    build: Builder,
}

/// Builds a controller from its parameters.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::type_complexity, reason = "a plain function pointer, written once")]
struct Builder(fn(&Value, &ControllerContext) -> Result<Box<dyn CongestionController>, String>);

impl ControllerEntry {
    /// Builds it from the parameters of its schema (`null` for all defaults).
    pub fn build(
        &self,
        parameters: &Value,
        context: &ControllerContext,
    ) -> Result<Box<dyn CongestionController>, String> {
        (self.build.0)(parameters, context)
    }
}

jettison_core::catalogue!(ControllerEntry);

/// All congestion controllers.
pub fn controllers() -> Registry<ControllerEntry> {
    let mut registry = Registry::new("congestion controller");
    registry.register(ControllerEntry {
        id: "bbr",
        summary: "paced by a model of the path: its highest delivery rate and its lowest RTT",
        source: "draft-cardwell-iccrg-bbr-congestion-control-00 (version 1)",
        schema: || schemars::schema_for!(BbrParameters),
        build: Builder(|parameters, context| {
            let parameters: BbrParameters = read(parameters)?;
            parameters.validate()?;
            Ok(Box::new(Bbr::new(parameters, context)))
        }),
    });
    registry.register(ControllerEntry {
        id: "cubic",
        summary: "window grows as a cubic of the time since the last congestion",
        source: "RFC 9438, with HyStart++ (RFC 9406)",
        schema: || schemars::schema_for!(CubicParameters),
        build: Builder(|parameters, context| {
            let parameters: CubicParameters = read(parameters)?;
            parameters.validate()?;
            Ok(Box::new(Cubic::new(parameters, SlowStart::new(context, true), context)))
        }),
    });
    registry.register(ControllerEntry {
        id: "dctcp",
        summary: "NewReno that reduces by the share of marked bytes",
        source: "RFC 8257",
        schema: || schemars::schema_for!(DctcpParameters),
        build: Builder(|parameters, context| {
            let parameters: DctcpParameters = read(parameters)?;
            parameters.validate()?;
            Ok(Box::new(Dctcp::new(parameters, SlowStart::new(context, false), context)))
        }),
    });
    registry.register(ControllerEntry {
        id: "newcwv",
        summary: "NewReno that keeps its window through pauses of the application",
        source: "RFC 7661",
        schema: || schemars::schema_for!(NewCwvParameters),
        build: Builder(|parameters, context| {
            let parameters: NewCwvParameters = read(parameters)?;
            parameters.validate()?;
            Ok(Box::new(NewCwv::new(parameters, SlowStart::new(context, false), context)))
        }),
    });
    registry.register(ControllerEntry {
        id: "newreno",
        summary: "additive increase, multiplicative decrease",
        source: "RFC 5681, RFC 6582",
        schema: || schemars::schema_for!(NewRenoParameters),
        build: Builder(|parameters, context| {
            let parameters: NewRenoParameters = read(parameters)?;
            parameters.validate()?;
            Ok(Box::new(NewReno::new(parameters, SlowStart::new(context, false), context)))
        }),
    });
    registry.register(ControllerEntry {
        id: "prague",
        summary: "scalable, paced, with little bias by RTT: L4S's controller",
        source: "draft-briscoe-iccrg-prague-congestion-control-04, RFC 9331",
        schema: || schemars::schema_for!(PragueParameters),
        build: Builder(|parameters, context| {
            let parameters: PragueParameters = read(parameters)?;
            parameters.validate()?;
            Ok(Box::new(Prague::new(parameters, SlowStart::new(context, false), context)))
        }),
    });
    registry
}

/// Builds the controller `id`; the message names the nearest id if there is none.
pub fn build_controller(
    id: &str,
    parameters: &Value,
    context: &ControllerContext,
) -> Result<Box<dyn CongestionController>, String> {
    static CONTROLLERS: LazyLock<Registry<ControllerEntry>> = LazyLock::new(controllers);
    match CONTROLLERS.entry(id) {
        Some(entry) => entry.build(parameters, context),
        None => Err(CONTROLLERS.unknown(id)),
    }
}

fn read<P: DeserializeOwned + Default>(parameters: &Value) -> Result<P, String> {
    match parameters {
        Value::Null => Ok(P::default()),
        other => P::deserialize(other).map_err(|error| error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::context;
    use super::*;
    use jettison_core::Catalogue;

    #[test]
    fn every_controller_builds_with_its_defaults() {
        for entry in controllers().iter() {
            let built = entry.build(&Value::Null, &context()).unwrap();
            assert_eq!(built.window(), 10_000, "{}", entry.id());
            assert_eq!(built.ssthresh(), u64::MAX);
        }
    }

    #[test]
    fn unknown_names_are_refused_with_a_hint() {
        let error = build_controller("cubik", &Value::Null, &context()).unwrap_err();
        assert!(error.contains("did you mean `cubic`"), "{error}");
        let error = build_controller("cubic", &serde_json::json!({"betta": 0.5}), &context()).unwrap_err();
        assert!(error.contains("betta"), "{error}");
    }
}
