//! Routes, hop limits and hooks in a pipeline; iRED from end to end; conservation.

use jettison_core::{Duration, Seed};
use proptest::prelude::*;

use super::*;
use crate::testing::{Bench, Dropped, fifo, packet};
use crate::{
    Average, ClonePath, Departure, Feedback, Ired, IredParameters, Pipeline, Prefix, Probability,
    RecirculationSettings, Switch, Verdict,
};

/// 10.0.`net`.0/24 leaves by port `net`.
fn routes() -> Routes {
    let mut routes = Routes::new();
    for net in 0..3 {
        let prefix: Prefix = format!("10.0.{net}.0/24").parse().unwrap();
        routes.add_prefix(prefix, Port(net));
    }
    routes
}

/// A switch with three ports; port 1 has `hooks` and a queue of `limit` packets.
fn bench(limit: u64, hooks: Option<Box<dyn PortHooks>>) -> Bench<Pipeline<Forwarding>> {
    let ports = vec![
        PortConfig::plain(fifo(1000)),
        PortConfig { discipline: fifo(limit), hooks },
        PortConfig::plain(fifo(1000)),
    ];
    Bench::new(Pipeline::native(routes(), ports, RecirculationSettings::default()))
}

/// iRED with thresholds of 1 and 2 packets, which never clones between them.
fn ired(change: impl FnOnce(&mut IredParameters)) -> Option<Box<dyn PortHooks>> {
    let mut parameters =
        IredParameters { buffer: crate::Packets(4), n: 1, numerator: Some(0), ..Default::default() };
    change(&mut parameters);
    Some(Box::new(Ired::new(&parameters, Seed(1).stream(&["ired"])).unwrap()))
}

const T: Time = Time::from_millis(1);

#[test]
fn the_hop_limit_is_decremented_and_one_is_too_few() {
    let mut bench = bench(10, None);
    bench.arrive(0, packet(1, 1), T);
    assert_eq!(bench.transmit(1, T).meta.hop_limit, 63);
    for hop_limit in [0, 1] {
        let mut last = packet(2, 1);
        last.meta.hop_limit = hop_limit;
        bench.arrive(0, last, T);
    }
    assert!(bench.poll(1, T).is_none());
    assert_eq!(bench.reasons(), [DropReason::HopLimit; 2]);
    assert!(bench.sink.offered.len() == 1 && bench.sink.drops[0].at.is_none());
}

#[test]
fn a_packet_without_a_route_is_dropped_by_the_switch_itself() {
    let mut bench = bench(10, None);
    bench.arrive(0, packet(1, 200), T);
    assert_eq!(bench.reasons(), [DropReason::NoRoute]);
    assert_eq!((bench.sink.drops[0].at, bench.switch.counters().ingress_drops), (None, 1));
}

#[test]
fn arrivals_are_counted_where_they_come_from_and_departures_where_they_leave() {
    let mut bench = bench(10, None);
    bench.arrive(2, packet(1, 1), T);
    bench.arrive(2, packet(2, 0), T);
    assert_eq!(bench.pending, [Port(1), Port(0)]);
    bench.transmit(1, T);
    let (from, to) = (bench.switch.port_counters(Port(2)), bench.switch.port_counters(Port(1)));
    assert_eq!((from.received, from.transmitted, to.received, to.transmitted), (2, 0, 0, 1));
    assert_eq!((to.transmitted_bytes, bench.switch.counters().received), (1500, 2));
}

/// Assigns class 5, and drops arrivals after a departure has been reported by register.
#[derive(Clone)]
struct Register {
    departed: bool,
}

impl PortHooks for Register {
    fn admit(&mut self, _: &mut Packet, _: Time) -> Result<u8, DropReason> {
        if self.departed { Err(DropReason::IredFlag) } else { Ok(5) }
    }
    fn handle_departure(&mut self, _: &mut Packet, queue: &QueueReading, _: Time) -> Verdict {
        Verdict { drop: None, feedback: Some(Feedback { value: u64::from(queue.class) }) }
    }
    fn handle_feedback(&mut self, feedback: Feedback, _: Time) {
        assert_eq!(feedback.value, 5);
        self.departed = true;
    }
    fn feedback_path(&self) -> FeedbackPath {
        FeedbackPath::Register
    }
}

#[test]
fn feedback_by_register_takes_no_time_and_no_clone() {
    let mut bench = bench(10, Some(Box::new(Register { departed: false })));
    bench.arrive(0, packet(1, 1), T);
    assert_eq!(bench.transmit(1, T).meta.class, 5);
    bench.arrive(0, packet(2, 1), T);
    assert_eq!(bench.reasons(), [DropReason::IredFlag]);
    assert_eq!((bench.switch.counters().clones, bench.switch.next_wakeup()), (0, None));
}

#[test]
fn ired_clone_goes_through_the_queue_and_the_next_packet_to_that_port_is_dropped() {
    let mut bench = bench(100, ired(|_| {}));
    for id in 1..=5 {
        bench.arrive(0, packet(id, 1), T);
    }
    // Depths 0, 1, 2, 3: averages 0, 0.5, 1.5, 2.5. The fourth is above 2 and is cloned.
    for id in 1..=4 {
        assert_eq!(bench.transmit(1, T).meta.id, id);
    }
    assert_eq!(bench.switch.port_counters(Port(1)).clones, 1);
    assert_eq!(bench.switch.backlog(Port(1)).packets, 2);
    // The clone found the fifth in front of it; the fifth (average 3.5) is cloned too.
    assert_eq!(bench.transmit(1, T).meta.id, 5);
    // It costs a service time, and makes no clone of its own.
    assert!(matches!(bench.poll(1, T), Some(Departure::Service(1500))));
    assert_eq!(bench.switch.port_counters(Port(1)).clones, 2);
    // Until it is back nothing is dropped.
    bench.arrive(0, packet(6, 1), T);
    let back = bench.switch.next_wakeup().unwrap();
    assert_eq!(back, T + Duration::from_nanos(31 + 1_000));
    bench.wake(back);
    // The flag does not affect other ports; it drops the next packet to this port.
    bench.arrive(0, packet(7, 2), back);
    bench.arrive(0, packet(8, 1), back);
    bench.arrive(0, packet(9, 1), back);
    let at = Some(Port(1));
    let consumed = Dropped { at, id: 4, instance: Instance::Recirculated, reason: DropReason::CloneConsumed };
    let flagged = Dropped { at, id: 8, instance: Instance::Normal, reason: DropReason::IredFlag };
    assert_eq!(bench.sink.drops, [consumed, flagged]);
    // The dropped packet counts as offered to the port.
    assert!(bench.sink.offered.contains(&(Port(1), 8)));
    let counters = bench.switch.port_counters(Port(1));
    assert_eq!((counters.clones, counters.recirculations, counters.recirculated_bytes), (2, 1, 1500));
    assert_eq!((counters.clones_consumed, counters.ingress_drops), (1, 1));
    assert_eq!(bench.switch.port_counters(Port(2)).ingress_drops, 0);
}

#[test]
fn ired_direct_clone_costs_no_slot_and_no_service_time() {
    let delay = Duration::from_micros(500);
    let mut bench = bench(
        100,
        ired(|p| {
            p.clone_path = ClonePath::Direct;
            p.recirculation_delay = Some(delay);
        }),
    );
    for id in 1..=4 {
        bench.arrive(0, packet(id, 1), T);
    }
    for id in 1..=4 {
        assert_eq!(bench.transmit(1, T).meta.id, id);
    }
    assert_eq!(bench.switch.backlog(Port(1)).packets, 0);
    assert_eq!(bench.switch.next_wakeup(), Some(T + Duration::from_nanos(31) + delay));
    bench.arrive(0, packet(5, 1), T);
    bench.wake(T + Duration::from_millis(1));
    bench.arrive(0, packet(6, 1), T + Duration::from_millis(1));
    // The clone was not in a queue: the switch itself reports its end.
    assert_eq!(bench.sink.drops[0].at, None);
    assert_eq!((bench.sink.drops[1].id, bench.sink.drops[1].reason), (6, DropReason::IredFlag));
    assert_eq!(bench.sink.offered.len(), 6);
}

#[test]
fn ired_clone_is_counted_in_the_depth_that_later_packets_find() {
    let mut bench = bench(100, ired(|_| {}));
    for id in 1..=4 {
        bench.arrive(0, packet(id, 1), T);
    }
    for _ in 1..=4 {
        bench.transmit(1, T);
    }
    bench.arrive(0, packet(5, 1), T);
    assert!(matches!(bench.poll(1, T), Some(Departure::Service(1500))));
    assert_eq!(bench.transmit(1, T).meta.enq_qdepth, 1);
}

#[test]
fn ired_clone_leaves_the_average_alone() {
    // After the clone of a packet that found 3, a packet that found 1 averages (3 + 1) / 2 = 2: not above 2. Had the
    // clone (which found 4) been averaged in, it would be (4 + 1) / 2 = 2.5: cloned.
    let mut bench = bench(100, ired(|p| p.recirculation_delay = Some(Duration::from_millis(100))));
    for id in 1..=4 {
        bench.arrive(0, packet(id, 1), T);
    }
    for _ in 1..=3 {
        bench.transmit(1, T);
    }
    for id in 5..=8 {
        bench.arrive(0, packet(id, 2), T);
    }
    bench.transmit(1, T);
    assert_eq!(bench.switch.port_counters(Port(1)).clones, 1);
    bench.arrive(0, packet(9, 1), T);
    assert!(matches!(bench.poll(1, T), Some(Departure::Service(1500))));
    assert_eq!(bench.transmit(1, T).meta.id, 9);
    assert_eq!(bench.switch.port_counters(Port(1)).clones, 1);
}

#[test]
fn a_clone_that_the_queue_drops_takes_its_feedback_with_it() {
    /// A queue that drops all clones.
    #[derive(Clone)]
    struct NoClones(Box<dyn QueueDiscipline>);
    impl QueueDiscipline for NoClones {
        fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn jettison_measure::Outcomes) {
            match packet.meta.instance {
                Instance::EgressClone => out.dropped(packet, DropReason::BufferFull, now),
                _ => self.0.enqueue(packet, now, out),
            }
        }
        fn dequeue(&mut self, now: Time, out: &mut dyn jettison_measure::Outcomes) -> Option<Packet> {
            self.0.dequeue(now, out)
        }
        fn backlog(&self) -> jettison_queue::Backlog {
            self.0.backlog()
        }
    }
    let mut ports = vec![PortConfig::plain(fifo(10)), PortConfig::plain(Box::new(NoClones(fifo(10))))];
    ports[1].hooks = ired(|_| {});
    let mut bench = Bench::new(Pipeline::native(routes(), ports, RecirculationSettings::default()));
    for id in 1..=4 {
        bench.arrive(0, packet(id, 1), T);
    }
    for id in 1..=4 {
        assert_eq!(bench.transmit(1, T).meta.id, id);
    }
    let at = Some(Port(1));
    let lost = Dropped { at, id: 4, instance: Instance::EgressClone, reason: DropReason::BufferFull };
    assert_eq!(bench.sink.drops, [lost]);
    assert_eq!(bench.switch.program().notes.kept(), 0);
    bench.arrive(0, packet(5, 1), T);
    assert_eq!(bench.transmit(1, T).meta.id, 5);
}

/// An operation on the switch.
#[derive(Debug, Clone)]
enum Step {
    Arrive { net: u8, hop_limit: u8 },
    Poll { port: u16 },
    Wait { nanos: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (prop_oneof![8 => Just(1u8), 1 => 0u8..5], prop_oneof![9 => Just(64u8), 1 => 0u8..3])
            .prop_map(|(net, hop_limit)| Step::Arrive { net, hop_limit }),
        5 => prop_oneof![8 => Just(1u16), 1 => 0u16..4].prop_map(|port| Step::Poll { port }),
        3 => (0u64..3_000).prop_map(|nanos| Step::Wait { nanos }),
    ]
}

proptest! {
    #[test]
    fn received_and_cloned_is_transmitted_dropped_consumed_or_waiting(
        steps in prop::collection::vec(step(), 0..400),
        buffer in 4u64..20,
        limit in 1u64..20,
        recirculation_limit in 1u64..4,
        two_sample: bool,
        constant: bool,
        through_queue: bool,
        culprit: bool,
    ) {
        let parameters = IredParameters {
            buffer: crate::Packets(buffer),
            n: 1,
            average: if two_sample { Average::TwoSample } else { Average::Ewma },
            probability: if constant { Probability::Constant } else { Probability::Squared },
            numerator: Some(200),
            clone_path: if through_queue { ClonePath::ThroughQueue } else { ClonePath::Direct },
            culprit,
            flow_slots: 3,
            ..Default::default()
        };
        let hooks = Ired::new(&parameters, Seed(1).stream(&["ired"])).unwrap();
        let mut ports: Vec<PortConfig> = (0..3).map(|_| PortConfig::plain(fifo(limit))).collect();
        ports[1].hooks = Some(Box::new(hooks));
        let settings = RecirculationSettings {
            rate: jettison_core::Rate::from_mbit(10_000),
            limit: crate::Packets(recirculation_limit),
            ..Default::default()
        };
        let mut bench = Bench::new(Pipeline::native(routes(), ports, settings));
        let (mut now, mut id, mut transmitted) = (Time::ZERO, 0, 0);
        for step in steps {
            match step {
                Step::Arrive { net, hop_limit } => {
                    id += 1;
                    let mut packet = packet(id, net);
                    packet.meta.hop_limit = hop_limit;
                    bench.arrive(0, packet, now);
                }
                Step::Poll { port } => match bench.poll(port, now) {
                    Some(Departure::Transmit(packet)) => {
                        prop_assert_eq!(packet.meta.instance, Instance::Normal);
                        transmitted += 1;
                    }
                    Some(Departure::Service(_)) => prop_assert!(through_queue && port == 1),
                    None => prop_assert_eq!(bench.switch.backlog(Port(port)).packets, 0),
                },
                Step::Wait { nanos } => {
                    now += Duration::from_nanos(nanos);
                    bench.wake(now);
                }
            }
            let counters = bench.switch.counters();
            let backlog: u64 = (0..3).map(|port| bench.switch.backlog(Port(port)).packets).sum();
            let recirculating = bench.switch.recirculating() as u64;
            prop_assert_eq!(counters.transmitted, transmitted);
            prop_assert_eq!(counters.received, u64::from(id));
            let drops = bench.sink.drops.len() as u64; // consumed clones among them
            prop_assert_eq!(counters.received + counters.clones, transmitted + drops + backlog + recirculating);
            let consumed = bench.reasons().iter().filter(|r| **r == DropReason::CloneConsumed).count() as u64;
            prop_assert_eq!(counters.clones_consumed, consumed);
            // There is exactly one note per clone in flight.
            let clone_drops =
                bench.sink.drops.iter().filter(|drop| drop.instance != Instance::Normal).count() as u64;
            prop_assert_eq!(bench.switch.program().notes.kept() as u64, counters.clones - clone_drops);
        }
    }
}
