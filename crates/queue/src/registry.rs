//! Which disciplines there are, and how one is built from what a scenario says.

use std::sync::Arc;

pub use jettison_core::{BuildError, parameters};
use jettison_core::{RandomStream, Registry};
use schemars::{JsonSchema, Schema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{
    QueueDiscipline, abc, blue, bmv2, cake, codel, dualpi2, fq_codel, fred, octopus, packet_rate, pdrop, pi2,
    pie, priority, red, red_dpm, sfq, tail_drop,
};

/// All disciplines of this crate. The registry stays open: a program may register its own beside them.
pub fn disciplines() -> Registry<Discipline> {
    let mut registry = Registry::new("queue discipline");
    for discipline in [
        tail_drop::discipline(),
        red::discipline(),
        codel::discipline(),
        pi2::discipline(),
        fq_codel::discipline(),
        pie::discipline(),
        dualpi2::discipline(),
        cake::discipline(),
        priority::discipline(),
        packet_rate::discipline(),
        fred::discipline(),
        red_dpm::discipline(),
        blue::discipline(),
        sfq::discipline(),
        octopus::discipline(),
        pdrop::discipline(),
        abc::discipline(),
        bmv2::discipline(),
    ] {
        registry.register(discipline);
    }
    registry
}

/// Builds what a scenario writes where it names a discipline: an id (`"codel"`) or a table with its `kind`
/// (`{ kind = "codel", target = "5 ms" }`).
///
/// # Errors
/// If the id is unknown or the parameters are wrong; the path leads from `value` to the key at fault.
pub fn build(
    registry: &Registry<Discipline>,
    value: &Value,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let (id, parameters, id_path) = match value {
        Value::String(id) => (id.as_str(), Map::new(), Vec::new()),
        Value::Object(table) => {
            let mut parameters = table.clone();
            match parameters.shift_remove("kind") {
                Some(Value::String(_)) => {}
                Some(other) => {
                    return Err(BuildError::at(
                        "kind",
                        format!("`{other}` is not the id of {}", which(registry)),
                    ));
                }
                None => {
                    return Err(BuildError::at(
                        "kind",
                        format!("`kind` is missing: write the id of {}", which(registry)),
                    ));
                }
            }
            let id = table["kind"].as_str().expect("kind was seen to be a string");
            (id, parameters, vec!["kind".to_owned()])
        }
        other => {
            let message = format!("`{other}` names no queue discipline: write the id of {}", which(registry));
            return Err(BuildError { path: Vec::new(), message });
        }
    };
    match registry.entry(id) {
        Some(discipline) => (discipline.build)(&Value::Object(parameters), context),
        None => Err(BuildError { path: id_path, message: registry.unknown(id) }),
    }
}

fn which(registry: &Registry<Discipline>) -> String {
    format!("a queue discipline ({})", registry.ids().collect::<Vec<_>>().join(", "))
}

/// What a discipline may need to know of its place when it is built.
pub struct BuildContext<'a> {
    /// Gives the random stream of this queue's component of that name.
    pub random: &'a dyn Fn(&str) -> RandomStream,
    /// The registry, for disciplines that hold others (bands).
    pub registry: &'a Registry<Discipline>,
}

/// A registered discipline. `schema` and `build` may be closures, so that a discipline can be made at run time.
#[derive(Clone)]
pub struct Discipline {
    /// Its id.
    pub id: &'static str,
    /// One line for `jettison list`.
    pub summary: &'static str,
    /// The document it implements.
    pub source: &'static str,
    /// The schema of its parameters.
    pub schema: Arc<dyn Fn() -> Schema + Send + Sync>,
    /// Builds it from its parameters (an object without `kind`); the error says what is wrong and what is right,
    /// with the path of the key.
    #[allow(clippy::type_complexity)] // Written out once, here.
    pub build:
        Arc<dyn Fn(&Value, &BuildContext<'_>) -> Result<Box<dyn QueueDiscipline>, BuildError> + Send + Sync>,
}

impl Discipline {
    /// A discipline whose parameters are a `T`, made by `make` from those parameters and its place.
    #[allow(clippy::type_complexity)] // Written out once, here.
    pub fn new<T: DeserializeOwned + JsonSchema + 'static>(
        id: &'static str,
        summary: &'static str,
        source: &'static str,
        make: fn(T, &BuildContext<'_>) -> Result<Box<dyn QueueDiscipline>, BuildError>,
    ) -> Discipline {
        Discipline {
            id,
            summary,
            source,
            schema: Arc::new(|| schema_for!(T)),
            build: Arc::new(move |value, context| make(parameters(value)?, context)),
        }
    }
}

jettison_core::catalogue!(Discipline);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{build_error, try_build};
    use jettison_core::Catalogue;
    use jettison_core::parameter_docs;
    use serde_json::json;

    #[test]
    fn a_discipline_is_an_id_or_a_table_with_its_kind() {
        assert!(try_build(json!("codel")).is_ok());
        assert!(try_build(json!({ "kind": "codel", "target": "10 ms" })).is_ok());
    }

    #[test]
    fn an_unknown_id_is_answered_with_the_nearest() {
        let (path, message) = build_error(json!("coddel"));
        assert_eq!(path, "");
        assert!(message.contains("did you mean `codel`"), "{message}");
        let (path, message) = build_error(json!({ "kind": "taildrop" }));
        assert_eq!(path, "kind");
        assert!(message.contains("did you mean `tail-drop`"), "{message}");
    }

    #[test]
    fn a_value_that_names_no_discipline_is_refused() {
        assert_eq!(build_error(json!({ "target": "5 ms" })).0, "kind");
        assert_eq!(build_error(json!({ "kind": 3 })).0, "kind");
        assert!(build_error(json!(3)).1.contains("tail-drop"));
    }

    #[test]
    fn errors_carry_the_path_of_the_key() {
        let (path, message) = build_error(json!({ "kind": "codel", "tagret": "5 ms" }));
        assert_eq!(path, "tagret");
        assert!(message.contains("did you mean `target`"), "{message}");
        let (path, message) = build_error(json!({ "kind": "codel", "interval": "5" }));
        assert_eq!(path, "interval");
        assert!(message.contains("no unit"), "{message}");
        let nested = json!({ "kind": "priority", "bands": ["tail-drop", { "kind": "codel", "limit": 64 }] });
        let (path, message) = build_error(nested);
        assert_eq!(path, "bands.1.limit");
        assert!(message.contains("64 packets"), "{message}");
    }

    #[test]
    fn every_parameter_has_a_description() {
        for discipline in disciplines().iter() {
            let docs = parameter_docs(&discipline.schema());
            assert!(!docs.is_empty(), "{}", discipline.id);
            for doc in docs {
                assert!(!doc.description.is_empty() && !doc.unit.is_empty(), "{}: {doc:?}", discipline.id);
            }
        }
    }

    #[test]
    fn a_discipline_may_be_registered_at_run_time() {
        let mut registry = disciplines();
        let inner = registry.entry("tail-drop").expect("it is registered").clone();
        registry.register(Discipline {
            id: "made-up",
            build: Arc::new(move |v, c| (inner.build)(v, c)),
            ..registry.entry("red").expect("it is registered").clone()
        });
        let random = |name: &str| jettison_core::Seed(1).stream(&[name]);
        let context = BuildContext { random: &random, registry: &registry };
        assert!(build(&registry, &json!({ "kind": "made-up", "limit": "3 packets" }), &context).is_ok());
    }
}
