//! The service model against calculations by hand.

use jettison_core::{DropReason, Duration, Seed, Time};
use jettison_queue::PacketsPerSecond;
use jettison_wire::{Instance, Packet};

use crate::testing::{Bench, fifo, packet};
use crate::{
    Actions, Departure, Fate, Loopback, Mirror, MirrorTo, Packets, Pipeline, Port, Program, QueueReading,
    RecirculationSettings, Service, ServiceSettings, SlowdownSettings, Switch, TrafficManager,
};

/// Forwards to port 1. At egress, every `every`-th packet from a link is cloned into the queue of port 1; the clone is
/// recirculated and ends at ingress.
#[derive(Clone)]
struct Cloner {
    every: u64,
    seen: u64,
    /// Clones take the recirculation port instead, with this delay.
    direct: Option<Duration>,
    readings: Vec<QueueReading>,
}

impl Program for Cloner {
    fn ingress(&mut self, _: &mut Packet, why: Instance, _: Time, actions: &mut Actions) {
        match why {
            Instance::Recirculated => actions.fate = Fate::Consume { queued_at: Some(Port(1)) },
            _ => actions.send(Port(1), 0),
        }
    }
    fn egress(&mut self, packet: &mut Packet, port: Port, at: &QueueReading, _: Time, actions: &mut Actions) {
        if packet.meta.instance == Instance::EgressClone {
            actions.recirculate = Some(Loopback { tag: 0, delay: None });
            return;
        }
        self.readings.push(*at);
        self.seen += 1;
        if self.every > 0 && self.seen.is_multiple_of(self.every) {
            let to = match self.direct {
                None => MirrorTo::Queue { port, class: 0 },
                Some(delay) => MirrorTo::Recirculation { delay: Some(delay) },
            };
            actions.clone = Some(Mirror { to, tag: 0 });
        }
    }
}

fn micros(micros: u64) -> Duration {
    Duration::from_micros(micros)
}

/// 10, 40, 30 and 20 µs for the passes, 15 µs more for a clone, 5 µs more for a recirculation.
fn settings() -> ServiceSettings {
    ServiceSettings {
        receive: micros(10),
        ingress: micros(40),
        egress: micros(30),
        clone: micros(15),
        recirculation: micros(5),
        transmit: micros(20),
        per_kilobyte: Duration::ZERO,
        capture_buffer: Packets(1_024),
        slice: Duration::ZERO,
        ..ServiceSettings::default()
    }
}

/// As many processors as threads.
fn parallel() -> ServiceSettings {
    ServiceSettings { cpus: 7, ..settings() }
}

fn bench(settings: ServiceSettings, every: u64, depth: u64) -> Bench<Pipeline<Cloner>> {
    settings.check().unwrap();
    let program = Cloner { every, seen: 0, direct: None, readings: Vec::new() };
    let queues = (0..3).map(|_| fifo(depth));
    let random = Seed(1).stream(&["service"]);
    let pipeline = Pipeline::new(program, TrafficManager::new(queues), RecirculationSettings::default());
    Bench::new(pipeline.with_service(Service::new(settings, random)))
}

/// Lets one packet arrive per `period` for `span` over a link that takes packets at once; returns when each one left.
fn run(bench: &mut Bench<Pipeline<Cloner>>, period: Duration, span: Duration) -> Vec<(Time, u32)> {
    let (mut left, mut arrival, mut id) = (Vec::new(), Time::ZERO, 0);
    let end = Time::ZERO + span;
    loop {
        let now = bench.switch.next_wakeup().unwrap_or(Time::MAX).min(arrival);
        if now >= end {
            return left;
        }
        if now == arrival {
            bench.arrive(0, packet(id, 1), now);
            id += 1;
            arrival += period;
        }
        bench.wake(now);
        while let Some(Departure::Transmit(packet)) = bench.poll(1, now) {
            left.push((now, packet.meta.id));
        }
    }
}

/// Packets per second that leave, after the start.
fn rate(settings: ServiceSettings, every: u64, period: Duration) -> f64 {
    let left = run(&mut bench(settings, every, 64), period, Duration::from_secs(4));
    let counted = left.iter().filter(|(time, _)| *time >= Time::from_secs(1)).count();
    counted as f64 / 3.0
}

#[track_caller]
fn assert_close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 0.005, "{found} instead of {expected}");
}

#[test]
fn a_packet_takes_the_time_of_its_passes() {
    for settings in [settings(), parallel()] {
        let mut bench = bench(settings, 0, 64);
        let left = run(&mut bench, Duration::from_secs(1), Duration::from_millis(1));
        assert_eq!(left, [(Time::from_micros(10 + 40 + 30 + 20), 0)]);
        assert_eq!(bench.switch.next_wakeup(), None);
    }
}

#[test]
fn one_processor_serves_one_packet_per_sum_of_the_times() {
    // Arrivals at 9,500/s are all served, at 100 µs each.
    assert_close(rate(settings(), 0, Duration::from_nanos(105_263)), 9_500.0);
    // Above that, arrivals cost time and are lost before their last pass: in each round of the four threads the fair share
    // of CPU time is a quarter each, and egress and transmit leave theirs to the others. A round serves one packet by
    // transmit (20 µs), egress (30 µs) and ingress (40 µs); receive has its turn until its buffer before ingress is full.
    assert_close(rate(settings(), 0, micros(20)), 10_000.0);
}

#[test]
fn processors_for_all_threads_serve_at_the_rate_of_the_slowest() {
    assert_close(rate(parallel(), 0, micros(10)), 1e6 / 40.0);
    let slow_egress = ServiceSettings { egress: micros(50), ..parallel() };
    assert_close(rate(slow_egress, 0, micros(10)), 1e6 / 50.0);
}

#[test]
fn clones_lower_the_throughput_by_their_share() {
    // Each fourth packet costs a clone (15 µs), its egress pass with a recirculation (30 + 5 µs) and its ingress pass (40 µs).
    let extra = (15.0 + 30.0 + 5.0 + 40.0) / 4.0;
    assert_close(rate(settings(), 4, Duration::from_nanos(122_000)), 1e9 / 122_000.0);
    assert_close(rate(settings(), 4, micros(50)), 1e6 / (100.0 + extra));
    // With a processor for each thread only the slowest thread counts: ingress, which takes clones first.
    assert_close(rate(parallel(), 4, micros(10)), 1e6 / (40.0 * 1.25));
}

#[test]
fn the_egress_queue_is_that_of_a_server_with_constant_times() {
    // Ingress sends a packet each 40 µs and egress takes 50 µs. The nth packet, from 0, enters the queue at 50 + 40 n µs and
    // leaves it at 50 + 50 n µs: it waits 10 n µs. One packet is in service, so the queue holds those since then.
    let mut bench = bench(ServiceSettings { egress: micros(50), ..parallel() }, 0, 1_000);
    run(&mut bench, micros(40), Duration::from_millis(10));
    let readings = &bench.switch.program().readings;
    assert!(readings.len() > 150);
    for (n, reading) in readings.iter().enumerate() {
        let n = n as u64;
        assert_eq!(reading.sojourn, micros(10 * n), "packet {n}");
        assert_eq!(reading.in_switch, micros(50 + 10 * n), "packet {n}");
        // Entered at 50 + 40 n; of the packets before it, those are gone that left by then: 50 m < 40 n, or at the same
        // instant if their worker was called first.
        let gone = (40 * n).div_ceil(50);
        assert!(u64::from(reading.enq_qdepth).abs_diff(n - gone) <= 1, "packet {n}: {}", reading.enq_qdepth);
    }
}

#[test]
fn a_full_egress_queue_drops_and_the_depth_is_its_limit() {
    let mut bench = bench(ServiceSettings { egress: micros(80), ..parallel() }, 0, 16);
    let left = run(&mut bench, micros(40), Duration::from_millis(100));
    assert!(bench.reasons().iter().all(|reason| *reason == DropReason::BufferFull));
    // Half of the arrivals are served; the others are dropped, but for the queue and what is inside.
    let arrivals = 2_500;
    assert!(left.len().abs_diff(arrivals / 2) <= 20 && bench.sink.drops.len().abs_diff(arrivals / 2) <= 40);
    let last = bench.switch.program().readings.last().unwrap();
    // It waits while 15 others and itself are served, one behind another.
    assert_eq!((last.enq_qdepth, last.sojourn.as_micros().div_ceil(80)), (15, 16));
}

#[test]
fn a_queue_rate_paces_the_egress_queue() {
    let paced = ServiceSettings { queue_rate: PacketsPerSecond::new(3_000), ..parallel() };
    assert_close(rate(paced.clone(), 0, micros(50)), 3_000.0);
    // Each fourth packet's clone takes a turn as well: 1.25 turns a packet. 2,300 packets/s fit, 2,500 do not.
    assert_close(rate(paced.clone(), 4, Duration::from_nanos(434_783)), 2_300.0);
    assert!(rate(paced.clone(), 4, micros(400)) < 2_490.0);
    // It delays nothing while the load is less.
    let mut bench = bench(paced, 0, 64);
    let left = run(&mut bench, Duration::from_millis(1), Duration::from_micros(3_500));
    assert_eq!(left.iter().map(|(time, _)| time.as_micros() % 1_000).collect::<Vec<_>>(), [100; 4]);
}

#[test]
fn a_clone_takes_a_slot_of_the_queue_and_never_reaches_the_link() {
    let mut bench = bench(settings(), 1, 1);
    let left = run(&mut bench, Duration::from_millis(1), Duration::from_micros(900));
    assert_eq!(left.len(), 1);
    let counters = bench.switch.counters();
    assert_eq!((counters.clones, counters.recirculations, counters.clones_consumed), (1, 1, 1));
    assert_eq!((counters.transmitted, bench.reasons()), (1, vec![DropReason::CloneConsumed]));
}

#[test]
fn a_clone_with_a_delay_of_its_own_returns_after_it() {
    // The packet's pass through egress ends at 10 + 40 + 30 + 15 µs, and 500 µs later its clone needs 40 µs of ingress.
    let mut bench = bench(settings(), 1, 64);
    bench.switch.program_mut().direct = Some(micros(500));
    bench.arrive(0, packet(1, 1), Time::ZERO);
    bench.wake(Time::from_micros(95 + 500 + 39));
    assert_eq!(bench.reasons(), []);
    // The recirculation port adds 4 ns for 1,514 bytes at 400 Gbit/s.
    bench.wake(Time::from_micros(95 + 500 + 41));
    assert_eq!(bench.reasons(), [DropReason::CloneConsumed]);
    let counters = bench.switch.counters();
    assert_eq!((counters.clones, counters.recirculations), (1, 1));
}

#[test]
fn per_kilobyte_costs_count_where_packets_are_copied() {
    // Packets have 1,500 bytes: 3 µs more in receive, transmit, clone and recirculation each.
    let settings = ServiceSettings { per_kilobyte: micros(2), ..settings() };
    let mut bench = bench(settings, 1, 64);
    run(&mut bench, Duration::from_secs(1), Duration::from_millis(1));
    let mut threads = Vec::new();
    bench.switch.thread_times(Time::from_millis(1), &mut threads);
    let busy: Vec<(&str, u64)> =
        threads.iter().map(|t| (t.name.as_str(), t.busy.as_micros())).filter(|(_, busy)| *busy > 0).collect();
    // Ingress also makes the clone's pass; worker 1 serves port 1: the packet (30 + 15 + 3), the clone (30 + 5 + 3).
    assert_eq!(busy, [("receive", 13), ("ingress", 80), ("egress-1", 86), ("transmit", 23)]);
}

#[test]
fn a_full_input_holds_the_receive_thread_and_then_arrivals_are_lost() {
    let settings = ServiceSettings { capture_buffer: Packets(5), input_buffer: Packets(3), ..parallel() };
    let mut bench = bench(settings, 0, 64);
    for id in 0..20 {
        bench.arrive(0, packet(id, 1), Time::ZERO);
    }
    // At once the receive thread has one, and five wait for it.
    assert_eq!(bench.sink.drops.len(), 14);
    assert!(bench.sink.drops.iter().all(|drop| drop.reason == DropReason::InputFull && drop.at.is_none()));
    assert_eq!(bench.switch.counters().input_drops, 14);
    // At 40 µs it has taken four: one is in ingress, three wait, and the receive thread waits with two behind it.
    bench.wake(Time::from_micros(45));
    let service = bench.switch.service.as_ref().unwrap();
    assert_eq!((service.input.len(), service.waiting_capture), (3, 2));
}

#[test]
fn a_slow_link_holds_the_transmit_thread_and_the_workers() {
    let settings = ServiceSettings { device_buffer: Packets(2), output_buffer: Packets(3), ..parallel() };
    let mut bench = bench(settings, 0, 64);
    for id in 0..20 {
        bench.arrive(0, packet(id, 1), Time::ZERO);
    }
    bench.wake(Time::from_millis(10));
    // Two wait for the link, three for the transmit thread, and the worker holds one; the others are in its queue.
    let service = bench.switch.service.as_ref().unwrap();
    assert_eq!((service.ports[1].device.len(), service.output.len(), service.blocked.len()), (2, 3, 1));
    assert_eq!(bench.switch.backlog(Port(1)).packets, 14);
    // All of them leave, in order, once the link takes them.
    let mut left = Vec::new();
    for step in 0..100 {
        let now = Time::from_millis(10) + micros(50) * step;
        bench.wake(now);
        if let Some(Departure::Transmit(packet)) = bench.poll(1, now) {
            left.push(packet.meta.id);
        }
    }
    assert_eq!(left, (0..20).collect::<Vec<u32>>());
}

#[test]
fn recirculated_packets_go_first_and_their_buffer_is_limited() {
    let settings = ServiceSettings { recirculation_buffer: Packets(1), ingress: micros(400), ..parallel() };
    let mut bench = bench(settings, 1, 64);
    run(&mut bench, micros(500), Duration::from_millis(20));
    assert!(bench.reasons().contains(&DropReason::CloneConsumed));
    // Ingress needs 800 µs for a packet and its clone, so that packets from links wait and clones do not.
    assert!(bench.switch.service.as_ref().unwrap().input.len() > 10);
    assert!(!bench.reasons().contains(&DropReason::RecirculationFull));
}

#[test]
fn no_packet_is_lost_without_a_reason() {
    for (cpus, every, period) in [(1, 3, 30), (2, 2, 25), (4, 1, 20), (7, 5, 7)] {
        let settings = ServiceSettings {
            cpus,
            slice: micros(500),
            input_buffer: Packets(32),
            capture_buffer: Packets(32),
            recirculation_buffer: Packets(4),
            ..settings()
        };
        let mut bench = bench(settings, every, 16);
        let left = run(&mut bench, micros(period), Duration::from_millis(200));
        let counters = bench.switch.counters();
        let inside = bench.switch.service.as_ref().unwrap().packets_inside();
        let queued = bench.switch.backlog(Port(1)).packets;
        let made = counters.received + counters.clones;
        assert_eq!(made, (left.len() + bench.sink.drops.len() + inside) as u64 + queued, "{cpus} processors");
    }
}

#[test]
fn a_slowdown_lengthens_all_times() {
    let quantiles = vec![[0.0, 2.0], [1.0, 4.0]];
    let slowdown = Some(SlowdownSettings { quantiles, hold: Duration::from_millis(1) });
    let found = rate(ServiceSettings { slowdown, ..settings() }, 0, micros(50));
    // The factor is uniform between 2 and 4, and each holds for the same time: the mean of 1 / factor is ln(2) / 2.
    assert!((found / (1e4 * 0.346_574) - 1.0).abs() < 0.02, "{found}");
}

#[test]
fn the_order_of_one_processor_follows_the_slice() {
    // While ingress has work, a slice of 200 µs lets it send five packets of 40 µs before egress has its turn.
    let depths = |slice| {
        let mut bench = bench(ServiceSettings { slice, ..settings() }, 0, 64);
        for id in 0..40 {
            bench.arrive(0, packet(id, 1), Time::ZERO);
        }
        bench.wake(Time::from_millis(100));
        bench.switch.program().readings.iter().map(|reading| reading.enq_qdepth).max().unwrap()
    };
    assert_eq!(depths(Duration::ZERO), 0);
    assert!((4..=8).contains(&depths(micros(200))), "{}", depths(micros(200)));
}

#[test]
fn settings_out_of_range_are_refused() {
    let error = |settings: ServiceSettings| {
        let error = settings.check().unwrap_err();
        (error.path.join("."), error.problem.about("it"))
    };
    let usual = ServiceSettings::default;
    assert_eq!(usual().check(), Ok(()));
    assert_eq!(error(ServiceSettings { cpus: 0, ..usual() }).0, "cpus");
    assert_eq!(error(ServiceSettings { egress_workers: 0, ..usual() }).0, "egress_workers");
    assert_eq!(
        error(ServiceSettings { egress: Duration::ZERO, ..usual() }),
        ("egress".to_owned(), "it must be > 0, got 0 s".to_owned())
    );
    assert_eq!(error(ServiceSettings { output_buffer: Packets(0), ..usual() }).0, "output_buffer");
    let slowdown = |quantiles: Vec<[f64; 2]>, hold| {
        error(ServiceSettings { slowdown: Some(SlowdownSettings { quantiles, hold }), ..usual() })
    };
    let hold = Duration::from_millis(10);
    assert_eq!(slowdown(vec![[0.5, 1.0]], Duration::ZERO).0, "slowdown.hold");
    for quantiles in [vec![], vec![[0.5, 0.0]], vec![[1.5, 1.0]], vec![[0.5, 1.0], [0.2, 2.0]]] {
        assert_eq!(slowdown(quantiles, hold).0, "slowdown.quantiles");
    }
    assert_eq!(slowdown(vec![[0.5, 2.0], [0.9, 1.0]], hold).1, "it must ascend, got [[0.5, 2], [0.9, 1]]");
}
