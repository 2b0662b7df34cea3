//! After ingress, in this order: clone, digest, resubmit, multicast, drop, unicast.

use jettison_core::DropReason;
use jettison_queue::tail_drop::TailDrop;
use jettison_switch::{Port, Switch};
use jettison_wire::Instance;

use super::*;
use crate::testing::*;
use crate::{DROP_PORT, MirrorSession};
use jettison_p4_exec::Standard;

#[test]
fn unicast_goes_to_the_port_in_egress_spec_and_port_0_is_one() {
    let mut world = World::new(|state, _| state.send_to(u64::from(state.header[0])), nothing);
    world.arrive(2, frame(&[9, 9]), T);
    assert_eq!(world.sent(1, T), [image(&frame(&[9, 9]))]);
    let mut world = World::new(nothing, nothing);
    world.arrive(2, frame(&[]), T);
    assert_eq!(world.sent(0, T).len(), 1);
}

#[test]
fn a_port_that_does_not_exist_is_no_route() {
    let mut world = World::new(|state, _| state.send_to(77), nothing);
    world.arrive(0, frame(&[]), T);
    assert_eq!(world.reasons(), [DropReason::NoRoute]);
    assert_eq!(world.switch.simple_switch().packets_inside(), 0);
}

#[test]
fn egress_spec_511_is_a_drop_by_the_program() {
    let mut world = World::new(|state, _| state.send_to(DROP_PORT), nothing);
    world.arrive(0, frame(&[]), T);
    assert_eq!(world.drops, [(DropReason::MarkedToDrop, None)]);
    assert_eq!(world.switch.simple_switch().packets_inside(), 0);
}

#[test]
fn multicast_wins_over_drop_and_over_unicast() {
    for spec in [DROP_PORT, 3] {
        let mut world = World::new(
            move |state, _| {
                state.send_to(spec);
                state.set(Standard::McastGrp, 7);
                state.meta[1] = 42;
            },
            nothing,
        );
        group(7, 10, &[2, 1]).iter().for_each(|command| {
            world.switch.apply(command).unwrap();
        });
        world.arrive(0, frame(&[]), T);
        assert_eq!([0, 1, 2, 3].map(|port| world.sent(port, T).len()), [0, 1, 1, 0]);
        // Metadata is preserved; instance_type and egress_rid identify the replica.
        for state in world.seen(At::Egress) {
            assert_eq!((state.meta[1], state.get(Standard::InstanceType)), (42, Instance::Replica as u64));
            assert_eq!((state.get(Standard::EgressRid), state.get(Standard::IngressPort)), (10, 0));
        }
        assert!(world.drops.is_empty());
        assert_eq!(world.switch.simple_switch().packets_inside(), 0);
    }
}

#[test]
fn a_group_without_members_discards_the_packet() {
    let mut world = World::new(|state, _| state.set(Standard::McastGrp, 7), nothing);
    world.switch.apply(&group(7, 0, &[])[0]).unwrap();
    world.arrive(0, frame(&[]), T);
    assert_eq!(world.reasons(), [DropReason::NoRoute]);
    assert_eq!(world.switch.simple_switch().packets_inside(), 0);
}

#[test]
fn resubmit_wins_over_multicast_and_drop_and_starts_with_the_original_packet_and_the_fields_kept() {
    let mut passes = 0;
    let mut world = World::new(
        move |state, plane| {
            passes += 1;
            if passes == 1 {
                state.header[0] = 99;
                state.meta = [11, 22];
                state.send_to(DROP_PORT);
                state.set(Standard::McastGrp, 1);
                plane.effects.resubmit = Some(FIRST);
            } else {
                assert_eq!((state.header[0], state.meta), (1, [11, 0]));
                assert_eq!(state.get(Standard::InstanceType), Instance::Resubmitted as u64);
                assert_eq!(state.get(Standard::IngressPort), 0, "it was not among the fields");
                assert_eq!(state.get(Standard::PacketLength), 16);
                state.send_to(2);
            }
        },
        nothing,
    );
    world.arrive(3, frame(&[5, 6]), T);
    assert_eq!(world.sent(2, T), [image(&frame(&[5, 6]))]);
    assert_eq!(world.switch.counters().resubmissions, 1);
    // The parser sees the preserved fields.
    let meta: Vec<[u64; 2]> = world.seen(At::Parser).iter().map(|state| state.meta).collect();
    assert_eq!(meta, [[0, 0], [11, 0]]);
}

#[test]
fn an_endless_resubmission_is_a_drop_and_releases_the_context() {
    let mut world = World::new(|_, plane| plane.effects.resubmit = Some(NOTHING), nothing);
    world.arrive(0, frame(&[]), T);
    assert_eq!(world.reasons(), [DropReason::ResubmitLimit]);
    assert_eq!(world.switch.simple_switch().packets_inside(), 0);
}

#[test]
fn a_resubmitted_packet_is_a_normal_one_at_egress() {
    let mut world = World::new(
        |state, plane| {
            if state.get(Standard::InstanceType) == 0 {
                plane.effects.resubmit = Some(NOTHING);
            }
        },
        nothing,
    );
    world.arrive(0, frame(&[]), T);
    world.transmit(0, T);
    assert_eq!(world.seen(At::Egress)[0].get(Standard::InstanceType), 0);
}

#[test]
fn an_ingress_clone_is_the_original_parsed_again_with_nothing_but_the_fields_kept() {
    let mut world = World::new(
        |state, plane| {
            clone(plane, false, 4, NOTHING);
            clone(plane, false, 5, FIRST); // the last call wins
            state.meta = [11, 22]; // the values at the end of ingress count
            state.header[0] = 99;
            state.set(Standard::Priority, 0);
            state.send_to(1);
        },
        nothing,
    );
    world.switch.apply(&to_port(2)).unwrap();
    world.arrive(3, frame(&[5]), T);
    assert_eq!(world.sent(2, T), [image(&frame(&[5]))]);
    let [clone] = &world.seen(At::Egress)[..] else { panic!("one packet at egress") };
    assert_eq!((clone.meta, clone.get(Standard::InstanceType)), ([11, 0], Instance::IngressClone as u64));
    assert_eq!((clone.get(Standard::IngressPort), clone.get(Standard::ParserError)), (0, 0));
    assert_eq!((clone.get(Standard::EgressPort), clone.get(Standard::PacketLength)), (2, 15));
    let mut changed = image(&frame(&[5]));
    changed[0] = 99;
    assert_eq!(world.sent(1, T), [changed]);
    assert_eq!(world.switch.simple_switch().packets_inside(), 0);
}

#[test]
fn the_parser_of_an_ingress_clone_sees_the_port_that_the_packet_came_from() {
    let mut world = World::new(|_, plane| clone(plane, false, 5, NOTHING), nothing);
    world.switch.apply(&to_port(2)).unwrap();
    world.arrive(3, frame(&[5]), T);
    let ports: Vec<u64> =
        world.seen(At::Parser).iter().map(|state| state.get(Standard::IngressPort)).collect();
    assert_eq!(ports, [3, 3]);
}

#[test]
fn a_dropped_or_resubmitted_packet_is_still_cloned() {
    for resubmit in [false, true] {
        let mut passes = 0;
        let mut world = World::new(
            move |state, plane| {
                passes += 1;
                state.send_to(DROP_PORT);
                if passes == 1 {
                    clone(plane, false, 5, NOTHING);
                    plane.effects.resubmit = resubmit.then_some(NOTHING);
                }
            },
            nothing,
        );
        world.switch.apply(&to_port(2)).unwrap();
        world.arrive(0, frame(&[]), T);
        assert_eq!(world.sent(2, T).len(), 1);
        assert_eq!(world.reasons(), [DropReason::MarkedToDrop]);
        assert_eq!(world.switch.simple_switch().packets_inside(), 0);
    }
}

#[test]
fn clones_to_an_unconfigured_session_are_only_counted() {
    let mut world = World::new(|_, plane| clone(plane, false, 5, NOTHING), nothing);
    world.arrive(0, frame(&[]), T);
    assert_eq!((world.switch.counters().clones, world.drops.len()), (0, 0));
    assert_eq!(world.switch.simple_switch().counters().unconfigured_clones, 1);
    world.switch.apply(&to_port(2)).unwrap();
    world.arrive(0, frame(&[]), T);
    world.switch.apply(&Command::MirroringDelete { session: 5 }).unwrap();
    world.arrive(0, frame(&[]), T);
    assert_eq!(world.switch.counters().clones, 1);
}

#[test]
fn a_clone_of_the_wrong_type_does_nothing() {
    let mut world =
        World::new(|_, plane| clone(plane, true, 5, NOTHING), |_, plane| clone(plane, false, 5, NOTHING));
    world.switch.apply(&to_port(2)).unwrap();
    world.arrive(0, frame(&[]), T);
    world.transmit(0, T);
    assert_eq!(world.switch.counters().clones, 0);
}

#[test]
fn clones_of_a_session_with_a_group_go_to_each_member_and_stay_clones() {
    let mut world = World::new(
        |state, plane| {
            clone(plane, false, 5, NOTHING);
            state.send_to(DROP_PORT);
        },
        nothing,
    );
    group(9, 4, &[1, 2]).iter().for_each(|command| {
        world.switch.apply(command).unwrap();
    });
    world.switch.apply(&to_group(9)).unwrap();
    world.arrive(0, frame(&[]), T);
    assert_eq!([1, 2].map(|port| world.sent(port, T).len()), [1, 1]);
    for state in world.seen(At::Egress) {
        assert_eq!(state.get(Standard::InstanceType), Instance::IngressClone as u64);
        assert_eq!(state.get(Standard::EgressRid), 4);
    }
    assert_eq!(world.switch.simple_switch().packets_inside(), 0);
}

#[test]
fn digests_are_counted_and_kept_for_the_control_plane() {
    let mut world = World::new(|_, plane| plane.effects.digest = Some(3), nothing);
    world.arrive(0, frame(&[]), T);
    assert_eq!(world.switch.counters().digests, 1);
}

/// `standard_metadata.priority`: the highest number first; one without a queue is dropped.
#[test]
fn the_highest_priority_leaves_first_and_one_that_has_no_queue_is_dropped() {
    let mut plan = plan(empty_program());
    plan.ports[1] = bmv2(3, 64);
    let mut world = World::of(
        plan,
        14,
        |state, _| {
            state.send_to(1);
            state.set(Standard::Priority, u64::from(state.header[0]));
        },
        nothing,
    );
    for priority in [0, 2, 1, 3] {
        let mut bytes = image(&frame(&[]));
        bytes[0] = priority;
        world.arrive(0, jettison_wire::Packet::from_frame(bytes), T);
    }
    assert_eq!(world.reasons(), [DropReason::NoQueue]);
    let order: Vec<u8> = world.sent(1, T).iter().map(|bytes| bytes[0]).collect();
    assert_eq!(order, [2, 1, 0]);
    assert_eq!(world.switch.simple_switch().packets_inside(), 0);
}

/// Clones have priority 0, the lowest; with a hardware-like traffic manager, a session may set another one.
#[test]
fn clones_are_served_last_unless_their_session_has_a_priority() {
    for (priority, first) in [(0, 2), (7, 1)] {
        let mut plan = plan(empty_program());
        plan.ports[1] = bmv2(8, 64);
        let config = MirrorSession { priority, ..MirrorSession::to_port(Port(1)) };
        plan.commands = vec![(jettison_core::Time::ZERO, Command::MirroringAdd { session: 5, config })];
        let mut world = World::of(
            plan,
            14,
            |state, plane| {
                state.send_to(1);
                state.set(Standard::Priority, 3);
                if state.header[0] == 1 {
                    state.send_to(DROP_PORT);
                    clone(plane, false, 5, NOTHING);
                }
            },
            nothing,
        );
        world.arrive(0, frame(&[]), T);
        let mut other = image(&frame(&[]));
        other[0] = 2;
        world.arrive(0, jettison_wire::Packet::from_frame(other), T);
        assert_eq!(world.sent(1, T)[0][0], first);
    }
}

#[test]
fn a_port_without_classes_accepts_every_priority() {
    let mut plan = plan(empty_program());
    plan.ports[1] = Box::new(TailDrop::default());
    let mut world = World::of(
        plan,
        14,
        |state, _| {
            state.send_to(1);
            state.set(Standard::Priority, 7);
        },
        nothing,
    );
    world.arrive(0, frame(&[]), T);
    assert_eq!(world.sent(1, T).len(), 1);
}

#[test]
fn a_full_queue_drops_the_tail_and_releases_the_context() {
    let mut world = World::new(|state, _| state.send_to(1), nothing);
    for _ in 0..70 {
        world.arrive(0, frame(&[]), T);
    }
    assert_eq!(world.drops, [(DropReason::BufferFull, Some(Port(1))); 6]);
    assert_eq!(world.switch.simple_switch().packets_inside(), 64);
}
