//! Rules of the list of queues with hooks in the pipeline.

use jettison_core::{Seed, Time};
use jettison_measure::Tally;
use jettison_queue::disciplines;
use jettison_queue::entry::BuildContext;
use jettison_registry::ParameterError;
use jettison_wire::{Packet, PacketMeta};
use serde_json::{Value, json};

use crate::PortQueue;
use crate::port_queues;

fn build(parameters: Value) -> Result<PortQueue, ParameterError> {
    let random = |name: &str| Seed(1).stream(&["queues", "q", name]);
    let context = BuildContext { random: &random, registry: &disciplines() };
    port_queues().build_from("ired", &parameters, &context)
}

fn capacity(mut queue: PortQueue) -> u64 {
    let packet = Packet {
        meta: PacketMeta { length: 1500, ..PacketMeta::default() },
        body: jettison_wire::Body::Buffer(Box::default()),
    };
    for _ in 0..2_000 {
        queue.discipline.enqueue(packet.clone(), Time::ZERO, &mut Tally::default());
    }
    queue.discipline.backlog().packets
}

#[test]
fn the_real_limit_is_the_buffer_unless_given() {
    assert_eq!(capacity(build(json!({})).unwrap()), 64);
    assert_eq!(capacity(build(json!({ "buffer": "128 packets", "n": 8 })).unwrap()), 128);
    assert_eq!(capacity(build(json!({ "limit": "1000 packets" })).unwrap()), 1000);
}

#[test]
fn errors_name_the_key() {
    let path = |parameters| build(parameters).err().unwrap().path.join(".");
    assert_eq!(path(json!({ "n": 32 })), "n");
    assert_eq!(path(json!({ "buffer": 64 })), "buffer");
    assert_eq!(path(json!({ "range": 65_536 })), "range");
    assert_eq!(path(json!({ "numerator": 70_000 })), "numerator");
    assert_eq!(path(json!({ "clone_path": "sideways" })), "clone_path");
    assert_eq!(path(json!({ "clonepath": "direct" })), "clonepath");
}

#[test]
fn every_parameter_is_documented() {
    let docs = port_queues().entry("ired").unwrap().parameters();
    let names: Vec<&str> = docs.iter().map(|doc| doc.name.as_str()).collect();
    let expected = [
        "buffer",
        "n",
        "max_threshold",
        "limit",
        "average",
        "probability",
        "numerator",
        "range",
        "clone_path",
        "recirculation_delay",
        "culprit",
        "flow_slots",
    ];
    assert_eq!(names, expected);
    assert!(docs.iter().all(|doc| !doc.description.is_empty() && !doc.unit.is_empty()), "{docs:#?}");
}
