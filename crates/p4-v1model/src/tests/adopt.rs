//! A switch that takes over another program: what becomes of the packets inside it.

use jettison_core::Duration;
use jettison_switch::Switch;
use jettison_wire::Packet;

use super::*;
use crate::testing::*;
use jettison_p4_exec::Plane;

/// A switch whose ingress writes the first byte and sends to a port, and whose egress writes the second byte.
fn world(number: u8, port: u64, recirculates: bool) -> World {
    let ingress = move |state: &mut State, _: &mut Plane| {
        state.header[0] = number;
        state.meta[0] = u64::from(number);
        state.send_to(port);
    };
    let egress = move |state: &mut State, plane: &mut Plane| {
        state.header[1] = number;
        // What the old program's ingress left of the user's metadata.
        state.header[2] = state.meta[0] as u8;
        if recirculates {
            plane.effects.recirculate = Some(FIRST);
        }
    };
    World::of(plan(empty_program()), 3, ingress, egress)
}

fn packet() -> Packet {
    Packet::from_frame(vec![1; 20])
}

#[test]
fn a_packet_in_a_queue_is_deparsed_by_the_old_program_and_passes_the_new_egress() {
    let mut old = world(0xa0, 1, false);
    old.arrive(0, packet(), T);
    let new = world(0xb0, 2, false);
    old.switch.adopt(&new.switch).unwrap();
    let sent = old.sent(1, T);
    assert_eq!(sent.len(), 1);
    assert_eq!((&sent[0][..4], sent[0].len()), (&[0xa0, 0xb0, 0, 1][..], 20), "without the old metadata");
    old.arrive(0, packet(), T);
    assert_eq!(old.sent(2, T)[0][..4], [0xb0, 0xb0, 0xb0, 1]);
    assert_eq!(old.switch.simple_switch().packets_inside(), 0);
}

#[test]
fn a_recirculated_packet_arrives_at_the_new_ingress() {
    let mut old = world(0xa0, 1, true);
    old.arrive(0, packet(), T);
    assert!(old.sent(1, T).is_empty());
    assert_eq!(old.switch.pipeline().recirculating(), 1);
    let new = world(0xb0, 2, false);
    old.switch.adopt(&new.switch).unwrap();
    let later = T + Duration::from_micros(10);
    old.wake(later);
    assert_eq!(old.sent(2, later)[0][..4], [0xb0, 0xb0, 0xb0, 1]);
    assert_eq!(old.switch.simple_switch().packets_inside(), 0);
}

#[test]
fn planned_commands_end_with_their_program() {
    let mut plan = plan(empty_program());
    plan.commands.push((Time::from_millis(5), to_port(1)));
    let mut old = World::of(plan, 3, nothing, nothing);
    assert_eq!(old.switch.next_wakeup(), Some(Time::from_millis(5)));
    let new = world(0xb0, 2, false);
    old.switch.adopt(&new.switch).unwrap();
    assert_eq!(old.switch.next_wakeup(), None);
    old.wake(Time::from_millis(6));
    assert!(old.switch.simple_switch().mirror(5).is_none());
}
