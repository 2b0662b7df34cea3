//! Drives a discipline with a sequence of operations and checks invariants after each.
//!
//! Shared by the property tests and the fuzz target.

mod messages;

use jettison_core::{DropReason, Duration, MarkReason, Rate, Seed, Time};
use jettison_measure::Outcomes;
use jettison_queue::QueueDiscipline;
use jettison_queue::disciplines;
use jettison_queue::entry::BuildContext;
use jettison_registry::ParameterError;
use jettison_wire::{Address, FlowId, Headers, Packet, Transport, UdpHeader};
use serde_json::{Value, json};

pub use messages::Labelled;
use messages::Messages;

/// An operation on a queue.
#[derive(Debug, Clone, Copy)]
pub enum Operation {
    /// A packet of `flow` arrives. The flow determines its traffic class and DSCP, so schedulers do not reorder flows.
    Enqueue { flow: u8, length: u16, ecn: u8 },
    /// A packet of Octopus traffic arrives.
    Message(Labelled),
    /// The link polls for this many packets.
    Dequeue(u8),
    /// This many nanoseconds pass; wakeups that become due are handled at their time.
    Advance(u64),
    /// The link's rate changes to this value in bit/s.
    Capacity(u64),
}

/// The fate of all packets, in order; compares two runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trace {
    /// Id and traffic class of each packet sent.
    pub sent: Vec<(u32, u8)>,
    /// Id, reason and time of each drop.
    pub drops: Vec<(u32, DropReason, Time)>,
    /// Id, reason and time of each mark.
    pub marks: Vec<(u32, MarkReason, Time)>,
    /// Bytes that arrived, were sent and were dropped.
    bytes: [u64; 3],
    /// The mark of each packet, by id.
    marked: Vec<Option<MarkReason>>,
}

impl Outcomes for Trace {
    fn dropped(&mut self, packet: Packet, reason: DropReason, now: Time) {
        self.bytes[2] += u64::from(packet.meta.length);
        self.drops.push((packet.meta.id, reason, now));
    }
    fn marked(&mut self, packet: &Packet, reason: MarkReason, now: Time) {
        let (ecn, name) = if reason == MarkReason::AbcBrake { (2, "ECT(0)") } else { (3, "CE") };
        assert_eq!(packet.meta.traffic_class & 3, ecn, "a packet marked by {reason:?} must carry {name}");
        self.marks.push((packet.meta.id, reason, now));
        let id = packet.meta.id as usize;
        self.marked.resize(self.marked.len().max(id + 1), None);
        self.marked[id] = Some(reason);
    }
}

/// Configurations of every registered discipline: defaults, a small buffer, and ECN if supported; plus special cases.
pub fn configurations() -> Vec<Value> {
    let registry = disciplines();
    let mut all = Vec::new();
    for discipline in registry.iter() {
        let id = discipline.id;
        all.push(json!({ "kind": id }));
        all.push(json!({ "kind": id, "limit": "5 packets, 4 kB" }));
        if has_parameter(id, "ecn") {
            all.push(json!({ "kind": id, "ecn": true, "limit": "unlimited" }));
        }
    }
    all.extend([
        json!({ "kind": "red", "min_th": "2 kB", "max_th": "9 kB", "w_q": 0.3, "max_p": 0.5, "gentle": true }),
        json!({ "kind": "red", "victim": "random", "min_th": "2 packets", "max_th": "5 packets", "w_q": 0.4 }),
        json!({ "kind": "red", "victim": "random", "max_th": "6 packets", "w_q": 0.4, "ecn": true, "limit": "9 packets, 6 kB" }),
        json!({ "kind": "codel", "target": "1 us", "interval": "10 us", "maxpacket": "0 bytes" }),
        json!({ "kind": "pi2", "at": "dequeue", "delay": "rate", "t_update": "1 ms", "alpha": "50 Hz", "p_cmax": 1.0 }),
        json!({ "kind": "fred", "min_th": "4 packets", "w_q": 0.2, "max_p": 0.5, "flows": 8, "limit": "40 packets" }),
        json!({ "kind": "fred", "min_th": "2 packets", "w_q": 0.5, "two_packets": false, "limit": "unlimited" }),
        json!({ "kind": "fq-codel", "flows": 3, "quantum": "300 bytes", "target": "1 us", "limit": "40 packets" }),
        json!({ "kind": "cake", "tins": "best-effort", "hosts": "flows", "quantum": "16 bytes", "limit": "40 packets" }),
        json!({ "kind": "dualpi2", "scheduler": "ts-fifo", "t_update": "1 ms", "alpha": "50 Hz", "range": "0 s" }),
        json!({ "kind": "pie", "delay": "rate", "t_update": "1 ms", "max_burst": "0 ms", "alpha": "50 Hz", "ecn": true }),
        json!({ "kind": "pie", "on_off": true, "derandomise": false, "limit": "20 packets", "target": "1 us" }),
        json!({ "kind": "red-dpm", "min_th": "2 packets", "max_th": "6 packets", "w_q": 0.3, "flows": 8,
            "tagged": ["EF", "default"], "stale_age": "2 ms", "stale_depth": "3 packets", "limit": "9 packets, 6 kB" }),
        json!({ "kind": "red-dpm", "min_th": "2 kB", "max_th": "9 kB", "w_q": 0.3, "flow_test": "fred-share" }),
        json!({ "kind": "red-dpm", "max_th": "9 packets", "w_q": 0.4, "flow_test": "fred-limits", "victim": "arrival" }),
        json!({ "kind": "red-dpm", "max_th": "9 packets", "w_q": 0.4, "delete_and_advance": false, "flows": 8,
            "flow_max_th": "9 packets", "limit": "20 packets, 9 kB" }),
        json!({ "kind": "blue", "d1": 0.3, "d2": 0.1, "freeze_time": "1 ms", "l": "3 kB", "ecn": true, "limit": "9 packets" }),
        json!({ "kind": "sfq", "queues": 4, "perturb": "1 ms", "drop_from": "head", "limit": "9 packets, 6 kB" }),
        json!({ "kind": "sfq", "queues": 3, "perturb": "3 ms", "limit": "30 packets" }),
        json!({ "kind": "octopus", "window": "2 ms", "min_samples": 2, "arrival_window": "3 ms", "limit": "60 packets" }),
        json!({ "kind": "octopus", "bandwidth": "restarted", "stretch_window": true, "min_samples": 1, "limit": "unlimited" }),
        json!({ "kind": "octopus", "slack": true, "whole_message_only": true, "bandwidth": "restarted", "limit": "9 kB" }),
        json!({ "kind": "pdrop", "limit": "30 packets, 20 kB" }),
        json!({ "kind": "pdrop", "evict": "until-fits", "limit": "30 packets, 20 kB" }),
        json!({ "kind": "abc", "capacity": "departures", "dt": "0 ms", "delta": "2 ms", "window": "3 ms" }),
        json!({ "kind": "abc", "dt": "1 ms", "token_limit": 1.5, "eta": 0.5, "window": "1 ns" }),
        json!({ "kind": "bmv2", "priorities": 4, "rate": "700 packets/s" }),
        json!({ "kind": "priority", "bands": ["octopus", "pdrop", "abc"] }),
        json!({ "kind": "priority", "bands": ["pi2", { "kind": "codel", "ecn": true }, "red", "priority"] }),
        json!({ "kind": "packet-rate", "rate": "900 packets/s", "queue": "codel", "limit": "20 packets" }),
        json!({ "kind": "packet-rate", "rate": "7 packets/s", "queue": { "kind": "pi2", "t_update": "1 ms" } }),
        json!({ "kind": "packet-rate", "rate": "999999937 packets/s", "queue": "priority" }),
        json!({ "kind": "priority", "bands": ["pie", { "kind": "packet-rate", "rate": "300 packets/s" }, "sfq"] }),
        json!({ "kind": "priority", "bands": 2, "dscp": { "EF": 0 }, "limit": "10 packets" }),
        json!({ "kind": "red", "adaptive": true, "target_delay": "5 ms", "ecn": true, "limit": "40 packets" }),
        json!({ "kind": "tbf", "rate": "3 Mbit/s", "burst": "9 kB", "queue": "codel", "latency": "20 ms" }),
        json!({ "kind": "tbf", "peakrate": "90 Mbit/s", "queue": "octopus" }),
        json!({ "kind": "tbf", "rate": "7 bit/s", "burst": "1 GB", "queue": { "kind": "tbf", "queue": "priority" } }),
        json!({ "kind": "htb", "rate": "4 Mbit/s", "default": "c", "classes": [
            { "name": "ab", "rate": "3 Mbit/s", "ceil": "4 Mbit/s" },
            { "name": "a", "parent": "ab", "rate": "1 Mbit/s", "ceil": "4 Mbit/s", "match": [{ "dscp": ["EF"] }] },
            { "name": "b", "parent": "ab", "rate": "1 Mbit/s", "ceil": "3 Mbit/s", "prio": 2, "queue": "codel",
                "match": [{ "source_port": "0-5", "protocol": "udp" }] },
            { "name": "c", "rate": "900 kbit/s", "queue": "octopus", "quantum": "1 kB" },
        ] }),
        json!({ "kind": "htb", "rate": "1 bit/s" }),
        json!({ "kind": "policer", "rate": "1 Mbit/s", "burst": "9 kB", "match": [{ "class": 1 }], "queue": "fq-codel" }),
        json!({ "kind": "policer", "queue": { "kind": "tbf", "rate": "3 Mbit/s", "queue": "pi2" } }),
        json!({ "kind": "ets", "bands": ["pie", { "kind": "tbf", "rate": "1 Mbit/s" }, "codel", "octopus"], "strict": 1,
            "quanta": ["3000 bytes", "99 bytes"] }),
        json!({ "kind": "ets", "bands": 2, "dscp": { "EF": 0 }, "quanta": ["1 byte", "1 GB"] }),
        json!({ "kind": "drr", "bands": ["sfq", "codel"], "quanta": ["600 bytes"], "limit": "9 packets" }),
        json!({ "kind": "fq", "maxrate": "2 Mbit/s", "quantum": "1000 bytes", "flow_limit": "5 packets" }),
        json!({ "kind": "fq", "maxrate": "300 kbit/s", "flows": 8, "ce_threshold": "3 ms" }),
        json!({ "kind": "fq", "maxrate": "1 bit/s", "quantum": "1 byte", "initial_quantum": "0 bytes" }),
    ]);
    all
}

/// Whether a discipline has a parameter of this name.
pub fn has_parameter(id: &str, name: &str) -> bool {
    let registry = disciplines();
    let schema = registry.entry(id).expect("the id comes from the registry").schema();
    schema.get("properties").is_some_and(|properties| properties.get(name).is_some())
}

/// Builds a configuration with its random streams from `seed`.
pub fn build_with_seed(value: &Value, seed: u64) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    let registry = disciplines();
    let random = |name: &str| Seed(seed).stream(&["queues", "driven", name]);
    registry.build(value, &BuildContext { random: &random, registry: &registry })
}

/// The packet of an [`Operation::Enqueue`].
pub fn packet(id: u32, flow: u8, length: u16, ecn: u8) -> Packet {
    // ECT(1) and CE packets form a separate flow: a sender is either Scalable or Classic (RFC 9332 classifies by that).
    let stream = u16::from(flow) | u16::from(ecn & 1) << 8;
    let transport = Transport::Udp(UdpHeader { src_port: stream, dst_port: 9, inline: Default::default() });
    let headers = Headers { src: Address::v4(10, 0, 0, 1), dst: Address::v4(10, 0, 0, 2), transport };
    let mut packet = Packet::model(headers, 0);
    packet.meta.id = id;
    packet.meta.flow = FlowId(u32::from(stream));
    packet.meta.length = length;
    packet.meta.class = flow % 4;
    packet.meta.traffic_class = (if flow.is_multiple_of(3) { 46 << 2 } else { 0 }) | (ecn & 3);
    packet
}

/// Runs all operations.
///
/// # Panics
/// If a packet is lost, invented, sent twice or reordered within its flow; if byte counts disagree; if a packet's ECN field
/// or DSCP changes without a reported mark; if a message is dropped in part by a verdict; or if the discipline requests a
/// wakeup in the past.
pub fn drive(queue: &mut dyn QueueDiscipline, operations: &[Operation]) -> Trace {
    let mut trace = Trace::default();
    let mut now = Time::ZERO;
    let mut arrived = 0u32;
    let mut arrivals = Vec::new();
    let mut last_sent = [None; 512 + messages::FLOWS as usize];
    let mut messages = Messages::default();
    for operation in operations {
        match *operation {
            Operation::Enqueue { flow, length, ecn } => {
                let length = length.clamp(20, 9000);
                let packet = packet(arrived, flow, length, ecn);
                arrivals.push((length, packet.meta.traffic_class));
                trace.bytes[0] += u64::from(length);
                queue.enqueue(packet, now, &mut trace);
                arrived += 1;
            }
            Operation::Message(labelled) => {
                let packet = messages.packet(arrived, labelled, now);
                arrivals.push((packet.meta.length, packet.meta.traffic_class));
                trace.bytes[0] += u64::from(packet.meta.length);
                queue.enqueue(packet, now, &mut trace);
                arrived += 1;
            }
            Operation::Dequeue(count) => {
                for _ in 0..count {
                    let Some(packet) = queue.dequeue(now, &mut trace) else {
                        break;
                    };
                    let flow = &mut last_sent[packet.meta.flow.0 as usize];
                    assert!(*flow < Some(packet.meta.id), "packet {} is out of order", packet.meta.id);
                    *flow = Some(packet.meta.id);
                    assert!(packet.meta.enqueued_at <= now);
                    let id = packet.meta.id as usize;
                    let (length, traffic_class) = arrivals[id];
                    let expected = match trace.marked.get(id).copied().flatten() {
                        None => traffic_class,
                        Some(MarkReason::AbcBrake) => traffic_class & !3 | 2,
                        Some(_) => traffic_class | 3,
                    };
                    assert_eq!(packet.meta.length, length);
                    assert_eq!(packet.meta.traffic_class, expected, "packet {id}");
                    trace.bytes[1] += u64::from(packet.meta.length);
                    trace.sent.push((packet.meta.id, packet.meta.traffic_class));
                    // Drops during this dequeue precede the packet it returned.
                    messages.dropped(&trace.drops);
                    messages.sent(packet.meta.id);
                }
            }
            Operation::Advance(nanos) => {
                let until = now.saturating_add(Duration::from_nanos(nanos));
                // Like an event loop, but limited to 20 wakeups of a long pause.
                for _ in 0..20 {
                    let Some(at) = queue.next_wakeup().filter(|at| *at <= until) else {
                        break;
                    };
                    now = at.max(now);
                    queue.handle_wakeup(now, &mut trace);
                    let next = queue.next_wakeup();
                    assert!(
                        next.is_none_or(|next| next > now || now == Time::MAX),
                        "woken at {now}, wants {next:?}"
                    );
                }
                now = until;
            }
            Operation::Capacity(bits) => queue.capacity_changed(Rate::from_bits(bits), now),
        }
        messages.dropped(&trace.drops);
        let backlog = queue.backlog();
        let gone = (trace.sent.len() + trace.drops.len()) as u64;
        assert_eq!(u64::from(arrived), gone + backlog.packets, "packets in = out + drops + backlog");
        assert_eq!(
            trace.bytes[0],
            trace.bytes[1] + trace.bytes[2] + backlog.bytes,
            "bytes in = out + drops + backlog"
        );
    }
    trace
}
