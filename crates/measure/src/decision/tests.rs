use std::io;

use jettison_core::{DropReason, Duration, Time};
use jettison_wire::{FlowId, Instance};

use super::*;
use crate::{Unit, UnitKind};

fn decision(id: u64) -> Decision {
    let unit = Unit::new(UnitKind::Segment, id / 10, 2).of(FlowId(1));
    let content = Content { unit: Some(unit), offset: 1_000 * id, length: 1_000, ..Content::default() };
    let gauges = vec![
        (GaugeKey { name: "codel_count", part: "" }, id as f64),
        (GaugeKey { name: "codel_count", part: "band.1" }, 0.1),
    ];
    let holders = vec![(FlowId(1), 40), (FlowId::NONE, 2)];
    let queue = QueueState { packets: 42, bytes: 60_000, holders, others: 0, gauges };
    Decision {
        id,
        time: Time::from_micros(id),
        queue: 3,
        flow: FlowId(1),
        outcome: Outcome::Dropped(DropReason::CoDel),
        length: 1_052,
        identity: Some(Identity {
            packet: 7 * id as u32,
            instance: Instance::Normal,
            content: Some(content),
            waited: Some(Duration::from_millis(30)),
            queue: Some(queue),
        }),
    }
}

#[test]
fn a_long_log_is_in_a_file_and_reads_back_the_same() {
    let log: DecisionLog = (0..20_000).map(decision).collect();
    assert!(log.is_partly_in_a_file());
    assert_eq!(log.len(), 20_000);
    let read = log.to_vec().unwrap();
    assert_eq!(read.len(), 20_000);
    assert!((0..).zip(&read).all(|(id, read)| *read == decision(id)));
    // A copy goes on by itself, in the same file.
    let (mut first, mut second) = (log.clone(), log);
    (20_000..40_000).for_each(|id| first.push(&decision(id)));
    (50_000..70_000).for_each(|id| second.push(&decision(id)));
    let last = |log: &DecisionLog| log.iter().last().map(|decision| decision.unwrap().id);
    assert_eq!((last(&first), last(&second)), (Some(39_999), Some(69_999)));
    assert_eq!(first.iter().count(), 40_000);
    assert!(first != second);
}

#[test]
fn logs_are_merged_by_time() {
    let log = |ids: &[u64]| ids.iter().map(|id| decision(*id)).collect::<DecisionLog>();
    let other = log(&[2, 3, 9]);
    let mut numbers = Vec::new();
    let merged = log(&[1, 3, 4]).merged(other.iter(), &mut numbers).unwrap();
    let merged: Vec<_> =
        merged.iter().map(Result::unwrap).map(|own| (own.id, own.time.as_micros())).collect();
    assert_eq!(merged, [(0, 1), (1, 2), (2, 3), (3, 3), (4, 4), (5, 9)]);
    assert_eq!(numbers, [(1, 0), (3, 2)], "4 keeps its number");
    let failed = log(&[1]).merged(std::iter::once(Err(io::ErrorKind::Other.into())), &mut numbers);
    assert!(failed.is_err());
}

#[test]
fn names_of_outcomes_are_read_back() {
    for outcome in [
        Outcome::Dropped(DropReason::CoDel),
        Outcome::Evicted(DropReason::BufferFull),
        Outcome::Kept(DropReason::LinkLoss),
    ] {
        assert_eq!(Outcome::from_names(outcome.name(), outcome.reason()), Some(outcome));
    }
    assert_eq!(Outcome::from_names("mark", "codel-target"), None);
}
