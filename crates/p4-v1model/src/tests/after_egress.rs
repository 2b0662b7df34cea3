//! After egress: clone, then drop (which wins over recirculate), checksum and deparsing, recirculate, transmit.

use jettison_core::{DropReason, Time};
use jettison_switch::{Departure, Packets, Port, RecirculationSettings, Switch};
use jettison_wire::Instance;

use super::*;
use crate::DROP_PORT;
use crate::testing::*;
use jettison_p4_exec::Standard;

const LATER: Time = Time::from_millis(4);

#[test]
fn a_packet_dropped_at_egress_is_dropped_at_its_port() {
    let mut world = World::new(nothing, |state, _| state.send_to(DROP_PORT));
    world.arrive(0, frame(&[]), T);
    assert!(world.poll(0, T).is_none());
    assert_eq!(world.drops, [(DropReason::MarkedToDrop, Some(Port(0)))]);
    assert_eq!(world.switch.simple_switch().packets_inside(), 0);
}

#[test]
fn a_drop_mark_of_ingress_is_cleared_before_egress() {
    // Before egress, `simple_switch` sets egress_spec to a value other than the drop port.
    let mut world = World::new(
        |state, _| {
            state.set(Standard::McastGrp, 1);
            state.send_to(DROP_PORT);
        },
        |state, _| assert_eq!(state.get(Standard::EgressSpec), 0),
    );
    group(1, 0, &[2]).iter().for_each(|command| {
        world.switch.apply(command).unwrap();
    });
    world.arrive(0, frame(&[]), T);
    assert_eq!(world.sent(2, T).len(), 1);
}

#[test]
fn the_checksum_is_computed_and_the_packet_deparsed_with_its_payload() {
    let mut world = World::new(nothing, |state, _| {
        state.header[1] = 0xc0;
        state.header.extend([7, 7]);
    });
    world.arrive(0, frame(&[5, 6]), T);
    let mut expected: Vec<u8> = (1..=14).collect();
    expected[1] = 0xcc;
    expected.extend([7, 7, 5, 6]);
    assert_eq!(world.sent(0, T), [expected]);
}

#[test]
fn an_egress_clone_has_the_headers_of_the_end_of_egress_and_passes_a_queue_again() {
    for drop in [false, true] {
        let mut world = World::new(
            |state, _| {
                state.send_to(1);
                state.meta = [11, 22];
            },
            move |state, plane| {
                if state.get(Standard::InstanceType) == 0 {
                    clone(plane, true, 5, FIRST_AND_PORT);
                    // After the call: the state at the end of egress counts, before the checksum.
                    state.header[0] = 99;
                    state.header[1] = 0xc0;
                    state.meta[0] = 33;
                    if drop {
                        state.send_to(DROP_PORT);
                    }
                }
            },
        );
        world.switch.apply(&to_port(2)).unwrap();
        world.arrive(3, frame(&[5]), T);
        assert_eq!(world.sent(1, T).len(), usize::from(!drop));
        assert_eq!(
            world.switch.backlog(Port(2)).packets,
            1,
            "the clone waits in the queue of its session's port"
        );
        assert_eq!(world.sent(2, T)[0][..2], [99, 0xcc]);
        let states = world.seen(At::Egress);
        let clone = &states[1];
        assert_eq!(clone.header[..2], [99, 0xc0]);
        assert_eq!((clone.meta, clone.get(Standard::InstanceType)), ([33, 0], Instance::EgressClone as u64));
        assert_eq!((clone.get(Standard::IngressPort), clone.get(Standard::EgressPort)), (3, 2));
        assert_eq!(world.switch.simple_switch().packets_inside(), 0);
    }
}

/// A clone is not one of its flow's packets, so the flow loses nothing if the program drops the clone.
#[test]
fn a_clone_dropped_by_the_program_is_consumed() {
    for at_egress in [false, true] {
        let mut world = World::new(
            |state, _| {
                state.send_to(1);
                if state.get(Standard::InstanceType) == Instance::Recirculated as u64 {
                    state.send_to(DROP_PORT);
                }
            },
            move |state, plane| match state.get(Standard::InstanceType) {
                0 => clone(plane, true, 5, NOTHING),
                _ if at_egress => state.send_to(DROP_PORT),
                _ => plane.effects.recirculate = Some(NOTHING),
            },
        );
        world.switch.apply(&to_port(2)).unwrap();
        world.arrive(3, frame(&[5]), T);
        assert_eq!(world.sent(1, T).len(), 1);
        assert!(world.sent(2, T).is_empty());
        world.wake(LATER);
        assert_eq!(world.drops, [(DropReason::CloneConsumed, Some(Port(2)))]);
        assert_eq!(world.switch.counters().clones_consumed, 1);
        assert_eq!(world.switch.simple_switch().packets_inside(), 0);
    }
}

#[test]
fn drop_wins_over_recirculate() {
    let mut world = World::new(nothing, |state, plane| {
        plane.effects.recirculate = Some(NOTHING);
        state.send_to(DROP_PORT);
    });
    world.arrive(0, frame(&[]), T);
    assert!(world.poll(0, T).is_none());
    assert_eq!(
        (world.switch.counters().recirculations, world.reasons()),
        (0, vec![DropReason::MarkedToDrop])
    );
}

#[test]
fn a_recirculated_packet_is_the_deparsed_one_with_the_fields_kept() {
    for keep in [NOTHING, FIRST, FIRST_AND_PORT] {
        let mut world = World::new(
            |state, _| {
                if state.get(Standard::InstanceType) == 0 {
                    state.meta = [11, 22];
                    state.send_to(1);
                } else {
                    state.send_to(2);
                }
            },
            move |state, plane| {
                if state.get(Standard::EgressPort) == 1 {
                    state.header[0] = 99;
                    state.header.push(7);
                    state.meta[0] = 33;
                    plane.effects.recirculate = Some(keep);
                }
            },
        );
        world.arrive(3, frame(&[5]), T);
        assert!(matches!(world.poll(1, T), Some(Departure::Service(2))), "a byte of payload, one pushed");
        world.seen(At::Parser);
        world.wake(LATER);
        let [again] = &world.seen(At::Parser)[..] else { panic!("parsed again") };
        assert_eq!(again.get(Standard::InstanceType), Instance::Recirculated as u64);
        assert_eq!(again.get(Standard::PacketLength), 16);
        assert_eq!(again.meta, [if keep == NOTHING { 0 } else { 33 }, 0]);
        assert_eq!(again.get(Standard::IngressPort), if keep == FIRST_AND_PORT { 3 } else { 0 });
        let mut expected: Vec<u8> = (1..=14).collect();
        expected[0] = 99;
        expected.extend([7, 5]);
        assert_eq!(world.sent(2, LATER), [expected]);
        assert_eq!(world.switch.simple_switch().packets_inside(), 0);
    }
}

#[test]
fn a_full_recirculation_port_drops_the_packet_and_releases_its_context() {
    let mut plan = plan(empty_program());
    plan.recirculation = RecirculationSettings { limit: Packets(1), ..RecirculationSettings::default() };
    let mut world = World::of(plan, 14, nothing, |_, plane| plane.effects.recirculate = Some(NOTHING));
    world.arrive(0, frame(&[]), T);
    world.arrive(0, frame(&[]), T);
    assert!(world.poll(0, T).is_some() && world.poll(0, T).is_some());
    assert_eq!(world.reasons(), [DropReason::RecirculationFull]);
    assert_eq!(world.switch.simple_switch().packets_inside(), 1);
}

#[test]
fn truncate_applies_after_the_deparser_wherever_it_was_called() {
    for at_ingress in [true, false] {
        let mut world = World::new(
            move |_, plane| plane.effects.truncate = at_ingress.then_some(16),
            move |state, plane| {
                plane.effects.truncate = (!at_ingress).then_some(16);
                state.header.push(77);
            },
        );
        world.arrive(0, frame(&[5, 6, 7, 8]), T);
        let mut expected: Vec<u8> = (1..=14).collect();
        expected.extend([77, 5]);
        assert_eq!(world.sent(0, T), [expected]);
    }
}

#[test]
fn a_sessions_clones_are_truncated_and_the_packet_is_not() {
    let mut world = World::new(
        |state, plane| {
            state.send_to(1);
            clone(plane, false, 5, NOTHING);
        },
        nothing,
    );
    let config = MirrorSession { truncate: Some(15), ..MirrorSession::to_port(Port(2)) };
    world.switch.apply(&Command::MirroringAdd { session: 5, config }).unwrap();
    world.arrive(0, frame(&[5, 6, 7]), T);
    assert_eq!(world.sent(2, T), [image(&frame(&[5]))]);
    assert_eq!(world.sent(1, T), [image(&frame(&[5, 6, 7]))]);
}
