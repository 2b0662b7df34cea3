//! Queues that need hooks in the pipeline besides a discipline.

use jettison_core::Registry;
use jettison_queue::QueueDiscipline;
use jettison_queue::registry::{BuildContext, BuildError};
use schemars::Schema;
use serde_json::Value;

use crate::{PortHooks, codel_pp, ired};

/// A port's queue and its hooks.
pub struct PortQueue {
    /// What holds the packets.
    pub discipline: Box<dyn QueueDiscipline>,
    /// What manages them at ingress and egress.
    pub hooks: Box<dyn PortHooks>,
}

/// A registered kind of them.
#[derive(Clone)]
pub struct PortQueueEntry {
    /// Its id.
    pub id: &'static str,
    /// One line for `jettison list`.
    pub summary: &'static str,
    /// The document it implements.
    pub source: &'static str,
    /// The schema of its parameters.
    pub schema: fn() -> Schema,
    /// Builds it from its parameters (an object without `kind`); the error says what is wrong and what is right, with
    /// the path of the key.
    pub build: fn(&Value, &BuildContext<'_>) -> Result<PortQueue, BuildError>,
}

jettison_core::catalogue!(PortQueueEntry);

/// All queues with hooks of this crate.
pub fn port_queues() -> Registry<PortQueueEntry> {
    let mut registry = Registry::new("queue with port hooks");
    registry.register(ired::port_queue());
    registry.register(codel_pp::port_queue());
    registry
}

#[cfg(test)]
mod tests {
    use jettison_core::Catalogue;
    use jettison_core::{Seed, Time, parameter_docs};
    use jettison_measure::Tally;
    use jettison_queue::registry::disciplines;
    use jettison_wire::{Packet, PacketMeta};
    use serde_json::json;

    use super::*;

    fn build(parameters: Value) -> Result<PortQueue, BuildError> {
        let random = |name: &str| Seed(1).stream(&["queues", "q", name]);
        let context = BuildContext { random: &random, registry: &disciplines() };
        (port_queues().entry("ired").unwrap().build)(&parameters, &context)
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
        let docs = parameter_docs(&port_queues().entry("ired").unwrap().schema());
        let names: Vec<&str> = docs.iter().map(|doc| doc.name.as_str()).collect();
        let expected = [
            "buffer",
            "n",
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
}
