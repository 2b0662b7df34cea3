//! Commands at given times.

use jettison_core::{Duration, Time};
use jettison_queue::tail_drop::TailDrop;
use jettison_switch::Switch;

use super::*;
use crate::control::{Answer, CommandError};
use crate::testing::*;

const MILLI: Duration = Duration::from_millis(1);

#[test]
fn a_command_runs_at_its_time_before_all_other_events() {
    let mut plan = plan(empty_program());
    // In any order; commands of the same time keep theirs.
    plan.commands = vec![
        (T + MILLI, to_port(3)),
        (T, to_port(1)),
        (T, to_port(2)),
        (T + MILLI + MILLI, Command::MirroringDelete { session: 9 }),
    ];
    let mut world = World::of(plan, 14, |_, plane| clone(plane, false, 5, NOTHING), nothing);
    assert_eq!(world.switch.next_wakeup(), Some(T));
    let mut arrive = |now| {
        world.arrive(0, frame(&[]), now);
        [1, 2, 3].map(|port| world.sent(port, now).len())
    };
    let before = Time::from_nanos(T.as_nanos() - 1);
    assert_eq!(arrive(before), [0, 0, 0]);
    assert_eq!(arrive(T), [0, 1, 0], "also when the packet comes first");
    world.wake(T + MILLI);
    world.arrive(0, frame(&[]), T + MILLI);
    assert_eq!(world.sent(3, T + MILLI).len(), 1);
    world.wake(T + MILLI + MILLI);
    assert_eq!(world.switch.next_wakeup(), None);
    let (time, answer) = world.switch.answers().last().unwrap();
    assert_eq!((*time, answer), (T + MILLI + MILLI, &Err(CommandError::NoSession(9))));
    assert_eq!(world.switch.answers().len(), 4);
}

#[test]
fn a_command_at_the_start_that_fails_is_the_plans_error() {
    let mut plan = plan(empty_program());
    plan.commands =
        vec![(Time::ZERO, to_port(1)), (Time::ZERO, Command::NodeCreate { rid: 0, ports: vec![Port(4)] })];
    let (machine, _seen) = toy(14, nothing, nothing);
    let error = plan.build(machine).err().unwrap();
    assert_eq!((error.command, error.error), (1, CommandError::NoPort { port: 4, ports: 4 }));
}

#[test]
fn depth_and_rate_of_queues_change_at_run_time() {
    let mut plan = plan(empty_program());
    plan.ports[1] = bmv2(2, 64);
    plan.ports[2] = Box::new(TailDrop::default());
    let mut world = World::of(plan, 14, |state, _| state.send_to(1), nothing);
    let depth = |packets, port, priority| Command::QueueDepth { packets, port, priority };
    let rate = |packets_per_second, port| Command::QueueRate { packets_per_second, port, priority: None };
    // Priority 0 is the lowest class.
    assert_eq!(world.switch.apply(&depth(2, Some(Port(1)), Some(0))), Ok(Answer::Done));
    assert_eq!(world.switch.apply(&rate(1000, Some(Port(1)))), Ok(Answer::Done));
    for _ in 0..3 {
        world.arrive(0, frame(&[]), T);
    }
    assert_eq!(world.drops.len(), 1);
    assert_eq!(world.sent(1, T).len(), 1);
    assert_eq!(world.switch.next_wakeup(), Some(T + MILLI));
    world.wake(T + MILLI);
    assert_eq!(world.sent(1, T + MILLI).len(), 1);

    assert_eq!(world.switch.apply(&depth(9, None, None)), Ok(Answer::Done));
    let no_priority = CommandError::NoPriority { port: 1, priority: 2 };
    assert_eq!(world.switch.apply(&depth(9, Some(Port(1)), Some(2))), Err(no_priority));
    assert_eq!(world.switch.apply(&rate(9, Some(Port(2)))), Err(CommandError::NoQueueSetting("rate")));
    let no_port = CommandError::NoPort { port: 4, ports: 4 };
    assert_eq!(world.switch.apply(&rate(9, Some(Port(4)))), Err(no_port));
}

#[test]
fn a_session_with_a_priority_that_its_port_lacks_is_rejected() {
    let mut world = World::new(nothing, nothing);
    let config = MirrorSession { priority: 1, ..MirrorSession::to_port(Port(1)) };
    let refused = world.switch.apply(&Command::MirroringAdd { session: 1, config });
    assert_eq!(refused, Err(CommandError::NoPriority { port: 1, priority: 1 }));
    let too_high = Command::MirroringAdd { session: 40_000, config };
    assert_eq!(world.switch.apply(&too_high), Err(CommandError::SessionRange(40_000)));
}
