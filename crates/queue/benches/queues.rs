//! Time of one packet through each registered discipline, enqueue and dequeue, with a steady backlog of 100 flows.
//!
//! Packets are ECN-capable and disciplines that know ECN mark, so that the backlog stays while they do all their work.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use jettison_core::{Duration, Rate, Seed, Time};
use jettison_measure::NoOutcomes;
use jettison_queue::QueueDiscipline;
use jettison_queue::registry::{BuildContext, build, disciplines};
use jettison_wire::{Address, FlowId, Headers, Packet, TcpHeader, Transport};
use serde_json::{Value, json};

const FLOWS: u16 = 100;
/// A packet each 1.2 µs: 1,500 bytes at 10 Gbit/s.
const SPACING: Duration = Duration::from_nanos(1200);

fn main_configuration(id: &str, ecn: bool, backlog: u64) -> Value {
    let mut value = json!({ "kind": id, "limit": "unlimited" });
    if ecn {
        value["ecn"] = json!(true);
    }
    if id == "red" {
        // The backlog lies between the thresholds, where every arrival draws.
        value["min_th"] = json!(format!("{} packets", backlog / 2));
        value["max_th"] = json!(format!("{} packets", backlog * 2));
    }
    if id == "fred" {
        // The average settles between the thresholds, where arrivals of robust flows draw; all but none is dropped.
        value["min_th"] = json!(format!("{} packets", backlog / 2));
        value["maxq"] = json!(format!("{backlog} packets"));
        value["max_th"] = json!(format!("{} packets", backlog * 2));
        value["max_p"] = json!(1e-9);
        value["minq"] = json!("1 packet");
    }
    if id == "pie" {
        // The controller has something to do, and marks.
        value["target"] = json!("50 us");
        value["max_burst"] = json!("0 s");
        value["mark_ecnth"] = json!(1.0);
    }
    if id == "red-dpm" {
        // All are tagged; both averages settle between their thresholds.
        value["tagged"] = json!(["default"]);
        value["min_th"] = json!(format!("{} packets", backlog / 2));
        value["max_th"] = json!(format!("{} packets", backlog * 2));
        value["flow_min_th"] = json!(format!("{} packets", (backlog / 200).max(1)));
        value["flow_max_th"] = json!(format!("{} packets", backlog / 25));
        value["max_p"] = json!(1e-9);
    }
    if id == "priority" {
        value["bands"] = json!([{ "kind": "tail-drop", "limit": "unlimited" }, "codel", "pi2"]);
    }
    value
}

fn built(id: &str, backlog: u64) -> Box<dyn QueueDiscipline> {
    let registry = disciplines();
    let schema = (registry.entry(id).expect("the id comes from the registry").schema)();
    let ecn = schema.get("properties").is_some_and(|properties| properties.get("ecn").is_some());
    let random = |name: &str| Seed(1).stream(&["bench", name]);
    let context = BuildContext { random: &random, registry: &registry };
    let value = main_configuration(id, ecn, backlog);
    build(&registry, &value, &context).unwrap_or_else(|error| panic!("{value}: {error}"))
}

fn packet(flow: u16) -> Packet {
    let transport = Transport::Tcp(TcpHeader::new(10_000 + flow, 80));
    let headers =
        Headers { src: Address::v4(10, 0, 0, flow as u8), dst: Address::v4(10, 1, 0, 1), transport };
    let mut packet = Packet::model(headers, 1460);
    packet.meta.flow = FlowId(u32::from(flow));
    packet.meta.traffic_class = 2;
    packet
}

fn queues(criterion: &mut Criterion) {
    let registry = disciplines();
    for id in registry.ids() {
        let mut group = criterion.benchmark_group(format!("queue-{id}"));
        group.throughput(Throughput::Elements(1));
        for backlog in [100u64, 1_000, 10_000] {
            let packets: Vec<Packet> = (0..FLOWS).map(packet).collect();
            let mut queue = built(id, backlog);
            queue.capacity_changed(Rate::from_mbit(10_000), Time::ZERO);
            let mut now = Time::ZERO;
            let mut turn = 0usize;
            let mut next = || {
                turn = (turn + 1) % packets.len();
                packets[turn].clone()
            };
            for _ in 0..backlog {
                now += SPACING;
                queue.enqueue(next(), now, &mut NoOutcomes);
            }
            group.bench_function(BenchmarkId::from_parameter(backlog), |bencher| {
                bencher.iter(|| {
                    now += SPACING;
                    if queue.next_wakeup().is_some_and(|at| at <= now) {
                        queue.handle_wakeup(now, &mut NoOutcomes);
                    }
                    queue.enqueue(next(), now, &mut NoOutcomes);
                    black_box(queue.dequeue(now, &mut NoOutcomes))
                });
            });
            let left = queue.backlog().packets;
            assert!(left >= backlog / 2, "{id}: the backlog shrank from {backlog} to {left}");
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_secs(1));
    targets = queues
}
criterion_main!(benches);
