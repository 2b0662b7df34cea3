//! The order of a program's actions, with a program scripted by the test.

use jettison_core::Duration;
use jettison_measure::Tally;
use jettison_queue::bmv2::{Bmv2, Bmv2Parameters};
use jettison_queue::{QueueDiscipline, QueueSetting};

use super::*;
use crate::testing::{Bench, fifo, packet};
use crate::{Loopback, QueueReading};

#[derive(Clone)]
struct Script<I, E> {
    ingress: I,
    egress: E,
    keeps_original: bool,
    digests: Vec<u32>,
    discarded: Vec<u32>,
}

impl<I, E> Program for Script<I, E>
where
    I: FnMut(&mut Packet, Instance, &mut Actions) + Clone + Send,
    E: FnMut(&mut Packet, Port, &mut Actions) + Clone + Send,
{
    fn ingress(&mut self, packet: &mut Packet, why: Instance, _: Time, actions: &mut Actions) {
        assert_eq!(packet.meta.instance, why);
        (self.ingress)(packet, why, actions);
    }
    fn egress(&mut self, packet: &mut Packet, port: Port, _: &QueueReading, _: Time, actions: &mut Actions) {
        (self.egress)(packet, port, actions);
    }
    fn keeps_original(&self) -> bool {
        self.keeps_original
    }
    fn replicated(&mut self, replica: &mut Packet, member: Replica, last: bool) {
        replica.meta.tag = if last { 200 } else { 100 } + u32::from(member.number);
    }
    fn digested(&mut self, receiver: u32, _: Time) {
        self.digests.push(receiver);
    }
    fn discarded(&mut self, packet: &Packet, _: Option<Port>) {
        self.discarded.push(packet.meta.tag);
    }
}

/// A switch of three ports of 4 packets each.
fn bench<I, E>(ingress: I, egress: E) -> Bench<Pipeline<Script<I, E>>>
where
    I: FnMut(&mut Packet, Instance, &mut Actions) + Clone + Send,
    E: FnMut(&mut Packet, Port, &mut Actions) + Clone + Send,
{
    let queues: [Box<dyn QueueDiscipline>; 3] = std::array::from_fn(|_| fifo(4));
    let program =
        Script { ingress, egress, keeps_original: true, digests: Vec::new(), discarded: Vec::new() };
    Bench::new(Pipeline::new(program, TrafficManager::new(queues), RecirculationSettings::default()))
}

fn send(_: &mut Packet, _: Instance, actions: &mut Actions) {
    actions.send(Port(1), 0);
}

fn plain(_: &mut Packet, _: Port, _: &mut Actions) {}

fn to_queue(port: u16, tag: u32) -> Option<Mirror> {
    Some(Mirror { to: MirrorTo::Queue { port: Port(port), class: 0 }, tag })
}

const T: Time = Time::from_millis(1);

#[test]
fn resubmit_wins_over_multicast_and_drop() {
    let mut bench = bench(
        |packet, why, actions| {
            if why == Instance::Normal {
                packet.meta.hop_limit = 7; // lost: the packet is resubmitted as it came
                actions.drop(DropReason::NoRoute, None);
                actions.multicast = Some(1);
                actions.resubmit = Some(5);
            } else {
                assert_eq!((why, packet.meta.tag, packet.meta.hop_limit), (Instance::Resubmitted, 5, 64));
                actions.send(Port(1), 0);
            }
        },
        plain,
    );
    bench.switch.set_multicast_group(1, vec![Replica { port: Port(2), number: 0 }]);
    bench.arrive(0, packet(1, 1), T);
    assert_eq!(bench.transmit(1, T).meta.instance, Instance::Resubmitted);
    assert!(bench.poll(2, T).is_none() && bench.sink.drops.is_empty());
    assert_eq!(bench.switch.counters().resubmissions, 1);
}

#[test]
fn an_endless_resubmission_is_a_drop() {
    let mut bench = bench(|_, _, actions| actions.resubmit = Some(9), plain);
    bench.arrive(0, packet(1, 1), T);
    assert_eq!(bench.reasons(), [DropReason::ResubmitLimit]);
    assert_eq!(bench.switch.program().discarded, [9]);
}

#[test]
fn an_ingress_clone_is_the_original_and_goes_before_the_packet() {
    let mut bench = bench(
        |packet, _, actions| {
            packet.meta.hop_limit = 9;
            actions.send(Port(1), 3);
            actions.clone = to_queue(2, 8);
            actions.clone = to_queue(1, 7); // the last clone wins
        },
        plain,
    );
    bench.arrive(0, packet(1, 1), T);
    let clone = bench.transmit(1, T);
    assert_eq!((clone.meta.instance, clone.meta.hop_limit, clone.meta.tag), (Instance::IngressClone, 64, 7));
    let original = bench.transmit(1, T);
    assert_eq!((original.meta.instance, original.meta.hop_limit), (Instance::Normal, 9));
    assert_eq!((original.meta.class, bench.switch.counters().clones), (3, 1));
    assert!(bench.poll(2, T).is_none());
}

#[test]
fn a_packet_that_is_dropped_is_cloned_and_digested_all_the_same() {
    let mut bench = bench(
        |_, _, actions| {
            actions.clone = to_queue(2, 0);
            actions.digest = Some(44);
            actions.drop(DropReason::Malformed, None);
        },
        plain,
    );
    bench.arrive(0, packet(1, 1), T);
    assert_eq!(bench.transmit(2, T).meta.instance, Instance::IngressClone);
    assert_eq!(bench.reasons(), [DropReason::Malformed]);
    assert_eq!((&bench.switch.program().digests[..], bench.switch.counters().digests), (&[44][..], 1));
}

#[test]
fn multicast_sends_a_replica_to_each_member_and_wins_over_unicast() {
    let mut bench = bench(
        |_, _, actions| {
            actions.multicast = Some(3);
            actions.send(Port(0), 0);
        },
        plain,
    );
    let member = |port, number| Replica { port: Port(port), number };
    bench.switch.set_multicast_group(3, vec![member(1, 10), member(2, 20), member(1, 30)]);
    for id in 1..=2 {
        bench.arrive(0, packet(id, 1), T);
    }
    for _ in 1..=2 {
        let tags: Vec<(Instance, u32)> = [(1), (1), (2)]
            .map(|port| bench.transmit(port, T))
            .map(|packet| (packet.meta.instance, packet.meta.tag))
            .to_vec();
        assert_eq!(tags, [(Instance::Replica, 110), (Instance::Replica, 230), (Instance::Replica, 120)]);
    }
    assert!(bench.poll(0, T).is_none());
    assert_eq!(bench.switch.counters().replicas, 4);
}

#[test]
fn a_clone_may_go_to_a_multicast_group_and_stays_a_clone() {
    let mut bench = bench(
        |_, _, actions| {
            actions.clone = Some(Mirror { to: MirrorTo::Group { group: 3, class: 2 }, tag: 9 });
            actions.send(Port(0), 0);
        },
        plain,
    );
    let member = |port, number| Replica { port: Port(port), number };
    bench.switch.set_multicast_group(3, vec![member(1, 10), member(2, 20)]);
    bench.arrive(0, packet(1, 1), T);
    let clones = [1, 2].map(|port| bench.transmit(port, T).meta).map(|m| (m.instance, m.tag, m.class));
    assert_eq!(clones, [(Instance::IngressClone, 110, 2), (Instance::IngressClone, 220, 2)]);
    assert_eq!(bench.transmit(0, T).meta.instance, Instance::Normal);
}

#[test]
fn a_clone_to_a_group_that_does_not_exist_is_discarded() {
    let mut bench = bench(
        |_, _, actions| {
            actions.clone = Some(Mirror { to: MirrorTo::Group { group: 3, class: 2 }, tag: 9 });
            actions.send(Port(0), 0);
        },
        plain,
    );
    bench.arrive(0, packet(1, 1), T);
    assert_eq!(bench.reasons(), [DropReason::NoRoute]);
    assert_eq!(bench.switch.program().discarded, [9]);
}

#[test]
fn queues_are_reconfigured_per_port_or_all_together() {
    let queue = || -> Box<dyn QueueDiscipline> { Box::new(Bmv2::new(&Bmv2Parameters::default())) };
    let mut manager = TrafficManager::new([fifo(4), queue(), queue()]);
    let change = QueueChange { class: None, setting: QueueSetting::Depth(1) };
    assert!(manager.reconfigure(Some(Port(1)), &change));
    let rate = QueueChange { class: None, setting: QueueSetting::Rate(1) };
    assert!(!manager.reconfigure(Some(Port(0)), &rate), "a tail-drop queue has no such setting");
    assert!(!manager.reconfigure(Some(Port(9)), &change));
    let fill = |manager: &mut TrafficManager| {
        [1, 2].map(|port| {
            let mut tally = Tally::default();
            (0..3).for_each(|id| manager.enqueue(Port(port), packet(id, 1), T, &mut tally));
            tally.drops.len()
        })
    };
    assert_eq!(fill(&mut manager), [2, 0]);
    assert!(manager.reconfigure(None, &change));
    assert_eq!(fill(&mut manager), [3, 3]);
}

#[test]
fn a_drop_clears_the_multicast_group_and_a_later_group_wins_over_it() {
    for (group_last, sent) in [(false, false), (true, true)] {
        let mut bench = bench(
            move |_, _, actions| {
                actions.multicast = Some(1);
                actions.drop(DropReason::NoRoute, None);
                if group_last {
                    actions.multicast = Some(1);
                }
            },
            plain,
        );
        bench.switch.set_multicast_group(1, vec![Replica { port: Port(1), number: 0 }]);
        bench.arrive(0, packet(1, 1), T);
        assert_eq!(bench.poll(1, T).is_some(), sent);
        assert_eq!(bench.sink.drops.is_empty(), sent);
    }
}

#[test]
fn packets_for_unknown_ports_or_groups_are_counted_as_drops() {
    let mut bench = bench(
        |packet, _, actions| {
            actions.send(Port(77), 0);
            actions.multicast = (packet.meta.id == 2).then_some(9);
        },
        plain,
    );
    bench.arrive(0, packet(1, 1), T);
    bench.arrive(0, packet(2, 1), T);
    assert_eq!(bench.reasons(), [DropReason::NoRoute; 2]);
    assert!(bench.sink.drops.iter().all(|drop| drop.at.is_none()));
    assert!(bench.poll(77, T).is_none());
}

#[test]
fn a_send_after_a_drop_undoes_it() {
    let mut bench = bench(
        |_, _, actions| {
            actions.drop(DropReason::NoRoute, None);
            actions.send(Port(1), 0);
        },
        plain,
    );
    bench.arrive(0, packet(1, 1), T);
    bench.transmit(1, T);
}

#[test]
fn an_egress_clone_carries_what_egress_did_and_passes_the_queue_again() {
    let mut bench = bench(send, |packet, _, actions| {
        if packet.meta.instance == Instance::Normal {
            packet.meta.hop_limit = 3;
            actions.clone = to_queue(1, 6);
            actions.drop(DropReason::Malformed, None);
        }
    });
    bench.arrive(0, packet(1, 1), T);
    bench.arrive(0, packet(2, 1), T);
    // Both are cloned and dropped, and then the clones come.
    let clone = bench.poll(1, T);
    assert!(matches!(clone, Some(Departure::Service(1500))), "once round the backlog: {clone:?}");
    let clone = bench.transmit(1, T);
    assert_eq!((clone.meta.id, clone.meta.instance), (1, Instance::EgressClone));
    assert_eq!((clone.meta.hop_limit, clone.meta.tag), (3, 6));
    assert_eq!(bench.transmit(1, T).meta.id, 2);
    assert_eq!(bench.reasons(), [DropReason::Malformed; 2]);
    assert_eq!(bench.switch.port_counters(Port(1)).clones, 2);
}

#[test]
fn drop_wins_over_recirculate_at_egress() {
    let mut bench = bench(send, |_, _, actions| {
        actions.recirculate = Some(Loopback { tag: 1, delay: None });
        actions.drop(DropReason::Malformed, None);
    });
    bench.arrive(0, packet(1, 1), T);
    assert!(bench.poll(1, T).is_none());
    assert_eq!(bench.reasons(), [DropReason::Malformed]);
    assert_eq!(bench.sink.drops[0].at, Some(Port(1)));
    assert_eq!((bench.switch.counters().recirculations, bench.switch.counters().egress_drops), (0, 1));
}

#[test]
fn recirculation_wins_over_transmission_and_occupies_the_port() {
    let mut bench = bench(
        |packet, why, actions| {
            if why == Instance::Recirculated {
                assert_eq!(packet.meta.tag, 12);
                actions.send(Port(2), 0);
            } else {
                actions.send(Port(1), 0);
            }
        },
        |_, port, actions| {
            if port == Port(1) {
                actions.recirculate = Some(Loopback { tag: 12, delay: None });
            }
        },
    );
    bench.arrive(0, packet(1, 1), T);
    assert!(matches!(bench.poll(1, T), Some(Departure::Service(1500))));
    // 1,514 bytes at 400 Gbit/s take 30.28 ns; then comes the delay.
    let due = T + Duration::from_nanos(31) + Duration::from_micros(1);
    assert_eq!(bench.switch.next_wakeup(), Some(due));
    assert_eq!(bench.switch.recirculating(), 1);
    bench.pending.clear();
    bench.wake(due);
    assert_eq!(bench.pending, [Port(2)]);
    assert_eq!(bench.transmit(2, due).meta.instance, Instance::Recirculated);
    let counters = bench.switch.counters();
    assert_eq!((counters.recirculations, counters.recirculated_bytes, counters.transmitted), (1, 1500, 1));
    assert_eq!(bench.switch.port_counters(Port(1)).recirculations, 1);
}

#[test]
fn a_full_recirculation_port_drops_and_says_so() {
    let mut bench = bench(send, |_, _, actions| actions.recirculate = Some(Loopback { tag: 3, delay: None }));
    bench.switch.recirculation = Recirculation::new(RecirculationSettings {
        limit: crate::Packets(1),
        ..RecirculationSettings::default()
    });
    bench.arrive(0, packet(1, 1), T);
    bench.arrive(0, packet(2, 1), T);
    assert!(bench.poll(1, T).is_some() && bench.poll(1, T).is_some());
    assert_eq!(bench.reasons(), [DropReason::RecirculationFull]);
    assert_eq!((bench.sink.drops[0].id, bench.sink.drops[0].at), (2, Some(Port(1))));
    assert_eq!(bench.switch.program().discarded, [3]);
    assert_eq!(bench.switch.counters().recirculations, 1);
}

#[test]
fn a_packet_that_egress_drops_takes_no_time() {
    let mut bench = bench(send, |packet, _, actions| {
        if packet.meta.id < 3 {
            actions.drop(DropReason::Malformed, None);
        }
    });
    for id in 1..=3 {
        bench.arrive(0, packet(id, 1), T);
    }
    assert_eq!(bench.transmit(1, T).meta.id, 3);
    assert_eq!(bench.reasons().len(), 2);
}

#[test]
fn clones_that_refill_the_queue_cannot_loop_forever() {
    let mut bench = bench(send, |_, _, actions| {
        actions.clone = to_queue(1, 0);
        actions.drop(DropReason::Malformed, None);
    });
    bench.arrive(0, packet(1, 1), T);
    for _ in 0..10 {
        assert!(matches!(bench.poll(1, T), Some(Departure::Service(1500))));
    }
}

#[test]
fn egress_reads_the_state_of_the_queue() {
    #[derive(Clone)]
    struct Reader(Vec<QueueReading>);
    impl Program for Reader {
        fn ingress(&mut self, packet: &mut Packet, _: Instance, _: Time, actions: &mut Actions) {
            actions.send(Port(0), packet.meta.id as u8);
        }
        fn egress(&mut self, _: &mut Packet, _: Port, queue: &QueueReading, _: Time, _: &mut Actions) {
            self.0.push(*queue);
        }
    }
    let manager = TrafficManager::new([fifo(10)]);
    let delay = Duration::from_millis(4);
    let switch = Pipeline::new(Reader(Vec::new()), manager, RecirculationSettings::default());
    let mut bench = Bench::new(switch.with_ingress_delay(delay));
    for id in 0..3 {
        bench.arrive(0, packet(id, 1), Time::from_millis(u64::from(id)));
    }
    for at in [9, 13] {
        bench.wake(Time::from_millis(at));
        bench.transmit(0, Time::from_millis(at));
    }
    let reading = |enq_qdepth, deq_qdepth, millis, class| QueueReading {
        enq_qdepth,
        deq_qdepth,
        deq_bytes: 1500 * u64::from(deq_qdepth),
        sojourn: Duration::from_millis(millis),
        in_switch: Duration::from_millis(millis) + delay,
        class,
    };
    assert_eq!(bench.switch.program().0, [reading(0, 2, 5, 0), reading(1, 1, 8, 1)]);
}

#[test]
fn the_earliest_wakeup_of_any_port_is_known_and_called() {
    /// Wants to be woken every 10 ms from `next`.
    #[derive(Clone)]
    struct Ticking {
        next: Time,
        ticks: u64,
    }
    impl QueueDiscipline for Ticking {
        fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
            out.dropped(packet, DropReason::BufferFull, now);
        }
        fn dequeue(&mut self, _: Time, _: &mut dyn Outcomes) -> Option<Packet> {
            None
        }
        fn handle_wakeup(&mut self, _: Time, _: &mut dyn Outcomes) {
            self.next += Duration::from_millis(10);
            self.ticks += 1;
        }
        fn next_wakeup(&self) -> Option<Time> {
            Some(self.next)
        }
        fn backlog(&self) -> Backlog {
            Backlog { packets: self.ticks, bytes: 0 }
        }
    }
    let ticking = |millis| -> Box<dyn QueueDiscipline> {
        Box::new(Ticking { next: Time::from_millis(millis), ticks: 0 })
    };
    let manager = TrafficManager::new([fifo(1), ticking(7), ticking(4), ticking(4)]);
    let script =
        Script { ingress: send, egress: plain, keeps_original: false, digests: vec![], discarded: vec![] };
    let mut bench = Bench::new(Pipeline::new(script, manager, RecirculationSettings::default()));
    assert_eq!(bench.switch.next_wakeup(), Some(Time::from_millis(4)));
    bench.wake(Time::from_millis(4));
    assert_eq!(bench.pending, [Port(2), Port(3)]);
    assert_eq!(bench.switch.next_wakeup(), Some(Time::from_millis(7)));
    bench.wake(Time::from_millis(30));
    let ticks: Vec<u64> = (1..4).map(|port| bench.switch.backlog(Port(port)).packets).collect();
    assert_eq!(ticks, [3, 3, 3]);
    assert_eq!(bench.switch.next_wakeup(), Some(Time::from_millis(34)));
}

#[test]
fn an_ingress_delay_delays_packets_and_keeps_their_order() {
    let script =
        Script { ingress: send, egress: plain, keeps_original: false, digests: vec![], discarded: vec![] };
    let manager = TrafficManager::new([fifo(9), fifo(9)]);
    let switch = Pipeline::new(script, manager, RecirculationSettings::default())
        .with_ingress_delay(Duration::from_millis(2));
    let mut bench = Bench::new(switch);
    bench.arrive(0, packet(1, 1), Time::from_millis(10));
    bench.arrive(0, packet(2, 1), Time::from_millis(11));
    assert_eq!(bench.switch.backlog(Port(1)).packets, 0);
    assert_eq!(bench.switch.next_wakeup(), Some(Time::from_millis(12)));
    bench.wake(Time::from_millis(12));
    assert_eq!((bench.switch.backlog(Port(1)).packets, &bench.pending[..]), (1, &[Port(1)][..]));
    bench.wake(Time::from_millis(13));
    let first = bench.transmit(1, Time::from_millis(13));
    assert_eq!((first.meta.id, first.meta.enqueued_at), (1, Time::from_millis(12)));
    assert_eq!(bench.transmit(1, Time::from_millis(13)).meta.enqueued_at, Time::from_millis(13));
    assert_eq!(bench.switch.next_wakeup(), None);
}
