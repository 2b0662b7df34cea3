//! Rules of the list of queue disciplines.

use jettison_registry::{Entry, ParameterDoc};
use schemars::schema_for;
use serde_json::json;

use crate::disciplines;
use crate::entry::BuildContext;
use crate::tail_drop::TailDropParameters;
use crate::testing::{build_error, try_build};

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
    let (path, message) = build_error(json!({ "target": "5 ms" }));
    assert_eq!(path, "");
    assert!(message.starts_with("has no `kind`"), "{message}");
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
    assert_eq!(message, "must be packets, size or both (such as \"1000 packets\"), got 64");
}

#[test]
fn every_parameter_has_a_description() {
    for discipline in disciplines().iter() {
        let docs: Vec<ParameterDoc> = discipline.parameters();
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
    let schema = schema_for!(TailDropParameters);
    registry.register(Entry::dynamic("made-up", "made up", schema, move |value, context| {
        inner.build(value, context)
    }));
    let random = |name: &str| jettison_core::Seed(1).stream(&[name]);
    let context = BuildContext { random: &random, registry: &registry };
    assert!(registry.build(&json!({ "kind": "made-up", "limit": "3 packets" }), &context).is_ok());
    let error = registry.build(&json!({ "kind": "made-up", "limti": "3 packets" }), &context).err();
    assert_eq!(error.unwrap().to_string(), "limti: unknown key `limti`; did you mean `limit`?");
}
