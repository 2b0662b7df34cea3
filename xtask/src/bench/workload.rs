//! A queue discipline at work: a steady backlog of 100 flows, and a packet in and a packet out at a time.
//!
//! Packets are ECN-capable and disciplines that know ECN mark, so that the backlog stays while they do all their work.
//! Thresholds and gains follow the backlog, so that a discipline does the same work at any: what grows with the backlog
//! is then its own doing.

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
/// A packet each 1.2 µs: 1,500 bytes at 10 Gbit/s.
const SPACING: Duration = Duration::from_nanos(1200);

/// A discipline, and the packets it is given.
#[derive(Debug, Clone)]
pub struct Workload {
    /// The benchmark's name.
    pub name: String,
    /// The discipline's id.
    pub discipline: &'static str,
    ecn: Ecn,
}

/// A queue with its backlog.
pub struct Steady {
    queue: Box<dyn QueueDiscipline>,
    /// A packet of each flow, to be copied.
    flows: Vec<Packet>,
    /// The flow whose packet comes next.
    turn: usize,
    now: Time,
}

/// One for each registered discipline, those with hooks in the pipeline included, and one for the low-latency queue of `dualpi2`.
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
        // What every packet waits.
        let sojourn = SPACING.saturating_mul(backlog);
        let hertz = |gain: f64| json!(format!("{gain} Hz"));
        let mut value = json!({ "limit": "unlimited" });
        if port_queues().entry(self.discipline).is_none() {
            value["kind"] = json!(self.discipline);
        }
        if knows_ecn(self.discipline) {
            value["ecn"] = json!(true);
        }
        let own = match self.discipline {
            // The backlog lies between the thresholds, where every arrival draws.
            "red" => json!({ "min_th": packets(backlog / 2), "max_th": packets(backlog * 2) }),
            // The sojourn time is above target: it signals, ever more often.
            "codel" | "fq-codel" | "cake" => json!({ "target": "50 us" }),
            // Without the integral gain the probability stays at what the proportional one makes of the delay: 0.1. The
            // first update finds the whole backlog.
            "pi2" | "dualpi2" => {
                json!({ "alpha": "0 Hz", "beta": hertz(0.1 / sojourn.as_secs_f64()), "t_update": "20 ms" })
            }
            // The same; RFC 8033 §4.2 divides a first step by 2,048. Marks at any probability, from the first on.
            "pie" => json!({
                "alpha": "0 Hz", "beta": hertz(204.8 / sojourn.as_secs_f64()), "t_update": "20 ms",
                "target": "50 us", "max_burst": "0 s", "mark_ecnth": 1.0
            }),
            // Over its threshold: the probability is raised once and stays.
            "blue" => json!({ "l": packets(backlog / 2), "d1": 0.1, "freeze_time": "1000 s" }),
            // The average settles between the thresholds, where arrivals of robust flows draw; all but none is dropped.
            "fred" => json!({
                "min_th": packets(backlog / 2), "max_th": packets(backlog * 2), "max_p": 1e-9,
                "minq": packets(1), "maxq": packets(backlog)
            }),
            // All are tagged; both averages settle between their thresholds, the flows' soon enough. In bytes,
            // because half of a flow's backlog may be less than a packet.
            "red-dpm" => json!({
                "tagged": ["default"], "min_th": bytes(backlog * 1500 / 2), "max_th": bytes(backlog * 1500 * 2),
                "flow_min_th": bytes(backlog * 1500 / 200), "flow_max_th": bytes(backlog * 1500 / 25),
                "max_p": 1e-9, "w_q": 0.02
            }),
            // The average lies between the thresholds, where every departure draws, and none is cloned.
            "ired" => json!({ "buffer": packets(backlog * 3 / 2), "n": 1, "numerator": 0 }),
            // Four slices, by prefixes of three lengths; CoDel and the feedback look at each packet and let it go.
            "codel++" => json!({
                "slices": { "10.0.0.0/26": 1, "10.0.0.64/27": 2, "10.0.0.96": 3, "10.0.0.0/8": 4 },
                "priorities": { "1": 0, "2": 1, "3": 2, "4": 3 },
                "target": "1 s", "threshold": packets(backlog * 2)
            }),
            // Faster than packets come, so that none is held back.
            "packet-rate" => json!({
                "rate": "1000000000 packets/s",
                "queue": { "kind": "tail-drop", "limit": "unlimited" },
            }),
            "priority" => json!({ "bands": [{ "kind": "tail-drop", "limit": "unlimited" }, "codel", "pi2"] }),
            _ => json!({}),
        };
        if let (Some(value), Value::Object(own)) = (value.as_object_mut(), own) {
            value.extend(own);
        }
        if self.discipline == "dualpi2" {
            // The low-latency queue's delay lies in the middle of its ramp.
            value["min_th"] = json!(format!("{} ns", sojourn.as_nanos() / 2));
            value["range"] = json!(format!("{} ns", sojourn.as_nanos()));
        }
        value
    }
}

fn knows_ecn(discipline: &str) -> bool {
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
    /// So many times a packet arrives and one leaves.
    pub fn turn_over(&mut self, packets: u64) {
        for _ in 0..packets {
            self.arrive();
            black_box(self.queue.dequeue(self.now, &mut NoOutcomes));
        }
    }

    /// Turns over until its memory is allocated, its controller has updated itself and its averages have settled.
    pub fn warm_up(&mut self) {
        self.turn_over(2 * self.backlog() + 20_000);
    }

    /// Packets that wait.
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
    fn controllers_mark_alike_at_any_backlog() {
        // p'², p' spaced out by 8.5 packets (RFC 8033 §5.4), p'² and half a ramp.
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
                // Those that were queued before the probability was reached go first.
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
