//! Rules of the list of link models.

use std::sync::Arc;

use jettison_core::Time;
use jettison_registry::ParameterError;
use serde_json::{Value, json};

use crate::entry::LinkContext;
use crate::links;
use crate::trace::Trace;
use crate::{CellFile, LinkModel};

fn build(id: &str, parameters: Value) -> Result<Box<dyn LinkModel>, ParameterError> {
    let trace = |name: &str| match name {
        "good.trace" => Ok(Arc::new(Trace::from_opportunities(vec![1, 2]).unwrap())),
        other => Err(format!("{other}: no such file")),
    };
    let grants = |cell: &CellFile| match cell.file.as_str() {
        "good.trace" => Ok(Arc::new(cell.read(b"10\n2\n0\n15040\n").unwrap())),
        "thin.trace" => Ok(Arc::new(cell.read(b"10\n2\n0\n20\n").unwrap())),
        other => Err(format!("{other}: no such file")),
    };
    links().build_from(id, &parameters, &LinkContext { trace: &trace, grants: &grants })
}

fn refusal(id: &str, parameters: Value) -> String {
    build(id, parameters).err().unwrap().to_string()
}

#[test]
fn every_link_documents_its_parameters() {
    for entry in links().iter() {
        let parameters = entry.parameters();
        assert!(!parameters.is_empty(), "{}", entry.id);
        assert!(parameters.iter().all(|p| !p.description.is_empty() && !p.unit.is_empty()), "{parameters:?}");
    }
    let fixed = links().entry("fixed").unwrap().parameters();
    assert_eq!(fixed[0].name, "rate");
    assert_eq!((fixed[2].name.as_str(), fixed[2].default.as_deref()), ("overhead", Some("14 bytes")));
}

#[test]
fn builds_what_a_scenario_writes() {
    let mut fixed = build("fixed", json!({ "rate": "10 Mbit/s", "overhead": "2 bytes" })).unwrap();
    assert_eq!(fixed.overhead(), 2);
    assert_eq!(fixed.begin(1250, Time::ZERO), Time::from_millis(1));
    let mut traced = build("mahimahi", json!({ "trace": "good.trace" })).unwrap();
    assert_eq!(traced.overhead(), 4);
    assert_eq!(traced.ready_at(Time::ZERO), Time::from_millis(1));
    let mut cell = build("cell", json!({ "cell": { "file": "good.trace" } })).unwrap();
    assert_eq!(cell.overhead(), 2);
    assert_eq!(cell.begin(1502, Time::ZERO), Time::from_millis(11));
}

#[test]
fn refuses_what_no_link_can_be() {
    assert!(refusal("fixed", json!({ "rate": "0 bit/s" })).starts_with("rate: a link of rate zero"));
    let backwards = json!({ "rate": "1 Mbit/s", "rate_changes": [
        { "at": "2 s", "rate": "2 Mbit/s" }, { "at": "1 s", "rate": "3 Mbit/s" }] });
    assert!(refusal("fixed", backwards).starts_with("rate_changes.1.at: changes must be in order"));
    let dead = json!({ "rate": "1 Mbit/s", "rate_changes": [{ "at": "2 s", "rate": "0 bit/s" }] });
    assert!(refusal("fixed", dead).starts_with("rate_changes.0.rate: the last change is to rate zero"));
    assert!(refusal("fixed", json!({ "rate": "1 Mbit/s", "overhead": "1 MB" })).starts_with("overhead: "));
    assert!(refusal("fixed", json!({ "rate": "10 ms" })).contains("not a unit of a rate"));
    assert!(refusal("fixed", json!({ "rate": "1 Mbit/s", "speed": 1 })).contains("speed"));
    assert_eq!(refusal("mahimahi", json!({ "trace": "lost" })), "trace: lost: no such file");
    let cell = |cell: Value| refusal("cell", json!({ "cell": cell }));
    assert_eq!(cell(json!({ "file": "lost" })), "cell.file: lost: no such file");
    assert!(
        cell(json!({ "file": "thin.trace" }))
            .starts_with("cell.segment_header: a segment header must be smaller than")
    );
    assert!(build("cell", json!({ "cell": { "file": "thin.trace", "segment_header": "0 bytes" } })).is_ok());
    assert_eq!(
        cell(json!({ "file": "good.trace", "opportunity": "0 bytes" })),
        "cell.opportunity: an opportunity of 0 bytes; write 1 to 65535 bytes"
    );
    assert!(cell(json!({ "file": "good.trace", "segment_header": "256 bytes" })).contains("at most 255"));
    assert!(cell(json!({ "file": "good.trace", "format": "srslte" })).contains("srslte"));
    assert!(links().known("mahi-mahi").unwrap_err().to_string().contains("did you mean `mahimahi`?"));
}
