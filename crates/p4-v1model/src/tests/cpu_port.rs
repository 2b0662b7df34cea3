//! The CPU port: a queue without a link, with a number of its own.

use jettison_core::{DropReason, Seed};
use jettison_p4_exec::Standard;
use jettison_switch::Switch;

use super::*;
use crate::testing::*;

/// The CPU port of a switch with four other ports.
const CPU: u16 = 510;

fn world(ingress: impl FnMut(&mut State, &mut jettison_p4_exec::Plane) + Send + 'static) -> World {
    let mut plan = plan(empty_program());
    plan.cpu_port = Some((CPU, Seed(1).stream(&["cpu"])));
    World::of(plan, 14, ingress, nothing)
}

#[test]
fn what_leaves_at_the_cpu_port_waits_for_the_controller_and_no_link() {
    let mut world = world(|state, _| state.send_to(u64::from(CPU)));
    world.arrive(0, frame(&[7; 4]), T);
    assert_eq!([0, 1, 2, 3].map(|port| world.sent(port, T).len()), [0; 4]);
    assert!(world.switch.has_notices());
    let taken = world.switch.take_to_cpu();
    assert_eq!(taken.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [T]);
    assert!(image(&taken[0].1).ends_with(&[14, 7, 7, 7, 7]), "the whole frame");
    let egress = world.seen(At::Egress);
    assert_eq!(egress.iter().map(|state| state.get(Standard::EgressPort)).collect::<Vec<_>>(), [510]);
    assert!(!world.switch.has_notices() && world.switch.next_wakeup().is_none());
}

#[test]
fn packets_of_the_controller_have_the_number_of_the_cpu_port() {
    let mut world = world(|state, _| state.send_to(2));
    let entry = world.switch.cpu_entry().unwrap();
    world.arrive(entry.0, frame(&[]), T);
    let ingress = world.seen(At::Parser);
    assert_eq!(ingress.iter().map(|state| state.get(Standard::IngressPort)).collect::<Vec<_>>(), [510]);
    assert_eq!(world.sent(2, T).len(), 1);
}

#[test]
fn the_queue_of_the_cpu_port_has_no_other_number() {
    let mut world = world(|state, _| state.send_to(4));
    world.arrive(0, frame(&[]), T);
    assert_eq!(world.reasons(), [DropReason::NoRoute]);
    assert!(world.switch.take_to_cpu().is_empty());
}

#[test]
fn groups_and_clones_reach_the_cpu_port() {
    let mut world = world(|state, plane| {
        state.set(Standard::McastGrp, 1);
        clone(plane, false, 5, None);
    });
    let commands = [to_port(CPU)].into_iter().chain(group(1, 0, &[1, CPU]));
    commands.for_each(|command| drop(world.switch.apply(&command).unwrap()));
    world.arrive(0, frame(&[]), T);
    assert_eq!((world.sent(1, T).len(), world.switch.take_to_cpu().len()), (1, 2));
    assert!(world.switch.apply(&Command::NodeCreate { rid: 0, ports: vec![Port(4)] }).is_err());
    world.switch.reset_control_plane();
    world.arrive(0, frame(&[]), T);
    assert_eq!(world.switch.take_to_cpu().len(), 0);
}
