//! Driver of `jettison-queue`'s property tests for disciplines in Python.

use std::sync::Arc;

use jettison_core::Seed;
use jettison_queue::entry::BuildContext;
use pyo3::prelude::*;
use serde_json::Value;

use super::{Control, PythonDiscipline, builder};
use crate::errors::run_error;

#[path = "../../../queue/tests/driver/mod.rs"]
#[allow(dead_code)] // The tests of `jettison-queue` use the rest.
mod driver;

use driver::{Labelled, Operation};

/// Sent packets as id and traffic class; dropped packets as id, reason and time; marked packets likewise.
type Driven = (Vec<(u32, u8)>, Vec<(u32, &'static str, u64)>, Vec<(u32, &'static str, u64)>);

/// Executes operations, each a name and its numbers, and checks the invariants; returns the fate of the packets.
/// `value` names the discipline as in a scenario.
#[pyfunction]
pub fn drive(
    py: Python<'_>,
    disciplines: Vec<PythonDiscipline>,
    value: &str,
    operations: Vec<(String, Vec<u64>)>,
    seed: u64,
) -> PyResult<Driven> {
    // Skip the search for packets lost in reference cycles: with thousands of examples it is slow, and `jettison.run`
    // does it.
    let control = Arc::new(Control { looked: true.into(), ..Control::default() });
    let mut registered = builder(py, &disciplines, &control).map_err(|error| run_error(py, error))?;
    let registry = registered.disciplines_mut().clone();
    let random = |name: &str| Seed(seed).stream(&["queues", "driven", name]);
    let value: Value = serde_json::from_str(value).map_err(|error| run_error(py, error))?;
    let built = registry.build(&value, &BuildContext { random: &random, registry: &registry });
    let mut queue = built.map_err(|error| run_error(py, error))?;
    let operations: Option<Vec<Operation>> = operations.iter().map(operation).collect();
    let operations = operations.ok_or_else(|| run_error(py, "unknown operation"))?;
    let trace = py.detach(|| driver::drive(&mut *queue, &operations));
    match control.take_error() {
        Some(error) => Err(error),
        None => Ok((
            trace.sent,
            trace.drops.iter().map(|(id, reason, time)| (*id, reason.name(), time.as_nanos())).collect(),
            trace.marks.iter().map(|(id, reason, time)| (*id, reason.name(), time.as_nanos())).collect(),
        )),
    }
}

fn operation((name, numbers): &(String, Vec<u64>)) -> Option<Operation> {
    Some(match (name.as_str(), numbers.as_slice()) {
        ("enqueue", [flow, length, ecn]) => {
            Operation::Enqueue { flow: *flow as u8, length: *length as u16, ecn: *ecn as u8 }
        }
        ("message", [flow, stream, step, position, priority, dropper, kbit, slack, length]) => {
            Operation::Message(Labelled {
                flow: *flow as u8,
                stream: *stream as u8,
                step: *step as u8,
                position: *position as u8,
                priority: *priority as u8,
                dropper: *dropper as u8,
                kbit: *kbit as u16,
                slack: *slack as u8,
                length: *length as u16,
            })
        }
        ("dequeue", [count]) => Operation::Dequeue(*count as u8),
        ("advance", [nanos]) => Operation::Advance(*nanos),
        ("capacity", [bits]) => Operation::Capacity(*bits),
        _ => return None,
    })
}
