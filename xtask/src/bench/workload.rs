//! Workload of a queue discipline: a steady backlog of 100 flows, with alternating enqueues and dequeues.
//!
//! Packets are ECN-capable and disciplines with ECN support mark, which keeps the backlog while they do all their work.
//! Thresholds and gains scale with the backlog, so that a discipline does the same work at every backlog. Any growth with the
//! backlog is then caused by the discipline itself.

use std::hint::black_box;

use jettison_core::{Duration, Rate, Seed, Time};
use jettison_measure::NoOutcomes;
use jettison_queue::QueueDiscipline;
use jettison_queue::disciplines;
use jettison_queue::entry::BuildContext;
use jettison_switch::port_queues;
use jettison_wire::{Address, Ecn, FlowId, Headers, Packet, TcpHeader, Transport};
use serde_json::{Value, json};

use super::port_queue::Hooked;

const FLOWS: u16 = 100;
/// Packet interval: 1,500 bytes at 10 Gbit/s.
const SPACING: Duration = Duration::from_nanos(1200);

/// A discipline and its packets.
#[derive(Debug, Clone)]
pub struct Workload {
    /// Name of the benchmark.
    pub name: String,
    /// Id of the discipline.
    pub discipline: &'static str,
    ecn: Ecn,
}

/// A queue with a steady backlog.
pub struct Steady {
    queue: Box<dyn QueueDiscipline>,
    /// Template packet of each flow.
    flows: Vec<Packet>,
    /// Index of the flow of the next packet.
    turn: usize,
    now: Time,
}

/// Workloads of all registered disciplines, including those with port hooks, and of the low-latency queue of `dualpi2`.
pub fn workloads() -> Vec<Workload> {
    let mut all = Vec::new();
    for discipline in disciplines().ids() {
        all.push(Workload { name: format!("queue-{discipline}"), discipline, ecn: Ecn::Ect0 });
        if discipline == "dualpi2" {
            all.push(Workload { name: "queue-dualpi2-l".to_owned(), discipline, ecn: Ecn::Ect1 });
        }
    }
    for discipline in port_queues().ids() {
        all.push(Workload { name: format!("queue-{discipline}"), discipline, ecn: Ecn::Ect0 });
    }
    all
}

impl Workload {
    /// Builds the queue and fills it with `backlog` packets.
    pub fn at(&self, backlog: u64) -> Result<Steady, String> {
        let registry = disciplines();
        let random = |name: &str| Seed(1).stream(&["bench", name]);
        let context = BuildContext { random: &random, registry: &registry };
        let value = self.configuration(backlog);
        let queue = match port_queues().entry(self.discipline) {
            Some(entry) => entry
                .build(&value, &context)
                .map(|built| -> Box<dyn QueueDiscipline> { Box::new(Hooked(built)) }),
            None => registry.build(&value, &context),
        }
        .map_err(|error| format!("{}: {error}", self.discipline))?;
        let flows = (0..FLOWS).map(|flow| packet(flow, self.ecn)).collect();
        let mut steady = Steady { queue, flows, turn: 0, now: Time::ZERO };
        steady.queue.capacity_changed(Rate::from_mbit(10_000), Time::ZERO);
        (0..backlog).for_each(|_| steady.arrive());
        Ok(steady)
    }

    fn configuration(&self, backlog: u64) -> Value {
        let packets = |count: u64| json!(format!("{} packets", count.max(1)));
        let bytes = |count: u64| json!(format!("{count} bytes"));
        // Sojourn time of every packet.
        let sojourn = SPACING.saturating_mul(backlog);
        let hertz = |gain: f64| json!(format!("{gain} Hz"));
        let mut value = json!({ "limit": "unlimited" });
        if port_queues().entry(self.discipline).is_none() {
            value["kind"] = json!(self.discipline);
        }
        if supports_ecn(self.discipline) {
            value["ecn"] = json!(true);
        }
        let unlimited = json!({ "kind": "tail-drop", "limit": "unlimited" });
        let parameters = match self.discipline {
            // The backlog is between the thresholds, where every arrival draws a random number.
            "red" => json!({ "min_th": packets(backlog / 2), "max_th": packets(backlog * 2) }),
            // The sojourn time exceeds the target: CoDel signals at an increasing rate.
            "codel" | "fq-codel" | "cake" => json!({ "target": "50 us" }),
            // Without the integral gain the probability equals the proportional term of the delay: 0.1. The first update
            // sees the whole backlog.
            "pi2" | "dualpi2" => {
                json!({ "alpha": "0 Hz", "beta": hertz(0.1 / sojourn.as_secs_f64()), "t_update": "20 ms" })
            }
            // The same; RFC 8033 §4.2 divides a first step by 2,048. Marks at any probability from the first packet on.
            "pie" => json!({
                "alpha": "0 Hz", "beta": hertz(204.8 / sojourn.as_secs_f64()), "t_update": "20 ms",
                "target": "50 us", "max_burst": "0 s", "mark_ecnth": 1.0
            }),
            // Above its threshold: the probability is raised once and then stays.
            "blue" => json!({ "l": packets(backlog / 2), "d1": 0.1, "freeze_time": "1000 s" }),
            // The average settles between the thresholds, where arrivals of robust flows draw; practically no packet is
            // dropped.
            "fred" => json!({
                "min_th": packets(backlog / 2), "max_th": packets(backlog * 2), "max_p": 1e-9,
                "minq": packets(1), "maxq": packets(backlog)
            }),
            // All packets are tagged; both averages settle between their thresholds, those of the flows quickly. In bytes,
            // because half of a flow's backlog may be less than a packet.
            "red-dpm" => json!({
                "tagged": ["default"], "min_th": bytes(backlog * 1500 / 2), "max_th": bytes(backlog * 1500 * 2),
                "flow_min_th": bytes(backlog * 1500 / 200), "flow_max_th": bytes(backlog * 1500 / 25),
                "max_p": 1e-9, "w_q": 0.02
            }),
            // The average is between the thresholds, where every departure draws, and no packet is cloned.
            "ired" => json!({ "buffer": packets(backlog * 3 / 2), "n": 1, "numerator": 0 }),
            "egress-red" => json!({
                "limit": packets(backlog * 3 / 2), "min_threshold": packets(1),
                "max_threshold": packets(backlog * 3 / 2), "numerator": 0,
            }),
            // Four slices with prefixes of three lengths; CoDel and the feedback check each packet and accept it.
            "codel++" => json!({
                "slices": { "10.0.0.0/26": 1, "10.0.0.64/27": 2, "10.0.0.96": 3, "10.0.0.0/8": 4 },
                "priorities": { "1": 0, "2": 1, "3": 2, "4": 3 },
                "target": "1 s", "threshold": packets(backlog * 2)
            }),
            // A rate above the arrival rate, so that no packet is delayed.
            "packet-rate" => json!({
                "rate": "1000000000 packets/s",
                "queue": { "kind": "tail-drop", "limit": "unlimited" },
            }),
            "tbf" => json!({ "rate": "1 Tbit/s", "peakrate": "2 Tbit/s", "mtu": "1 MB", "queue": unlimited }),
            "policer" => json!({ "rate": "1 Tbit/s", "burst": "1 GB", "queue": unlimited }),
            // Four classes by source address, two of them below a third; all borrow.
            "htb" => {
                let class = |name: &str, parent: Value, source: &str| {
                    json!({ "name": name, "parent": parent, "rate": "1 Gbit/s", "ceil": "1 Tbit/s", "burst": "1 MB",
                        "cburst": "1 GB", "queue": unlimited, "match": [{ "source": source }] })
                };
                json!({ "rate": "1 Tbit/s", "default": "d", "classes": [
                    { "name": "ab", "rate": "2 Gbit/s", "ceil": "1 Tbit/s", "burst": "1 GB", "cburst": "1 GB" },
                    class("a", json!("ab"), "10.0.0.0/27"), class("b", json!("ab"), "10.0.0.32/27"),
                    class("c", json!(null), "10.0.0.64/28"), class("d", json!(null), "10.0.0.0/8"),
                ] })
            }
            // All packets are in a band that shares.
            "ets" => {
                json!({ "bands": [unlimited, unlimited, unlimited], "strict": 1, "dscp": { "default": 1 } })
            }
            "drr" => json!({ "bands": [unlimited, unlimited, unlimited], "dscp": { "default": 1 } }),
            "fq" => json!({ "flow_limit": "unlimited", "maxrate": "1 Tbit/s" }),
            "priority" => json!({ "bands": [{ "kind": "tail-drop", "limit": "unlimited" }, "codel", "pi2"] }),
            _ => json!({}),
        };
        if let (Some(value), Value::Object(parameters)) = (value.as_object_mut(), parameters) {
            value.extend(parameters);
        }
        if self.discipline == "dualpi2" {
            // The low-latency queue's delay is in the middle of its ramp.
            value["min_th"] = json!(format!("{} ns", sojourn.as_nanos() / 2));
            value["range"] = json!(format!("{} ns", sojourn.as_nanos()));
        }
        value
    }
}

fn supports_ecn(discipline: &str) -> bool {
    let registry = disciplines();
    registry.entry(discipline).is_some_and(|entry| entry.schema().pointer("/properties/ecn").is_some())
}

fn packet(flow: u16, ecn: Ecn) -> Packet {
    let transport = Transport::Tcp(TcpHeader::new(10_000 + flow, 80));
    let src = Address::v4(10, 0, 0, flow as u8);
    let mut packet = Packet::model(Headers { src, dst: Address::v4(10, 1, 0, 1), transport }, 1460);
    packet.meta.flow = FlowId(u32::from(flow));
    packet.meta.traffic_class = ecn as u8;
    packet
}

impl Steady {
    /// Enqueues and dequeues this number of packets in turn.
    pub fn turn_over(&mut self, packets: u64) {
        for _ in 0..packets {
            self.arrive();
            black_box(self.queue.dequeue(self.now, &mut NoOutcomes));
        }
    }

    /// Runs until memory is allocated, controllers have updated and averages have settled.
    pub fn warm_up(&mut self) {
        self.turn_over(2 * self.backlog() + 20_000);
    }

    /// Number of waiting packets.
    pub fn backlog(&self) -> u64 {
        self.queue.backlog().packets
    }

    #[inline]
    fn arrive(&mut self) {
        self.now += SPACING;
        if self.queue.next_wakeup().is_some_and(|at| at <= self.now) {
            self.queue.handle_wakeup(self.now, &mut NoOutcomes);
        }
        let packet = self.flows[self.turn].clone();
        self.turn += 1;
        if self.turn == self.flows.len() {
            self.turn = 0;
        }
        self.queue.enqueue(packet, self.now, &mut NoOutcomes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_discipline_has_a_workload_that_keeps_its_backlog() {
        let all = workloads();
        let port_queues = port_queues();
        for id in disciplines().ids().chain(port_queues.ids()) {
            assert!(all.iter().any(|workload| workload.name == format!("queue-{id}")), "{id}");
        }
        for workload in all {
            for backlog in [100, 1000] {
                let mut steady = workload.at(backlog).unwrap();
                assert_eq!(steady.backlog(), backlog, "{}", workload.name);
                steady.warm_up();
                assert!(steady.backlog() >= backlog * 9 / 10, "{}: {}", workload.name, steady.backlog());
            }
        }
    }

    #[test]
    fn controllers_mark_equally_at_every_backlog() {
        // p'², p' with spacing of 8.5 packets (RFC 8033 §5.4), p'², and the middle of the ramp.
        for (name, share) in [
            ("queue-pi2", 0.01),
            ("queue-pie", 1.0 / 18.5),
            ("queue-dualpi2", 0.01),
            ("queue-dualpi2-l", 0.5),
        ] {
            let workload = workloads().into_iter().find(|workload| workload.name == name).unwrap();
            for backlog in [100, 1000, 10_000] {
                let mut steady = workload.at(backlog).unwrap();
                steady.warm_up();
                // Packets queued before the probability settled leave first.
                steady.turn_over(backlog);
                let marked = (0..20_000).filter(|_| {
                    steady.arrive();
                    let sent = steady.queue.dequeue(steady.now, &mut NoOutcomes);
                    sent.is_some_and(|packet| packet.ecn() == Ecn::Ce)
                });
                let measured = marked.count() as f64 / 20_000.0;
                assert!((measured / share - 1.0).abs() < 0.25, "{name} at {backlog}: {measured}");
            }
        }
    }
}
