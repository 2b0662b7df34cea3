//! Methods of queues. They have no exception, and clients do not look at the number that they return, so a refusal is Thrift's
//! own error.

use jettison_p4_v1model::control::Command;
use jettison_switch::Port;

use super::Returned;
use super::context::Context;
use crate::arguments::Arguments;
use crate::fault::{Fault, internal};

pub(super) fn call(context: &mut Context<'_>, method: &str) -> Option<Returned> {
    Some(match method {
        "set_egress_priority_queue_depth" => depth(context, Some(1), Some(2), 3),
        "set_egress_queue_depth" => depth(context, Some(1), None, 2),
        "set_all_egress_queue_depths" => depth(context, None, None, 1),
        "set_egress_priority_queue_rate" => rate(context, Some(1), Some(2), 3),
        "set_egress_queue_rate" => rate(context, Some(1), None, 2),
        "set_all_egress_queue_rates" => rate(context, None, None, 1),
        _ => return None,
    })
}

/// The port and the priority in these fields.
fn queue(
    context: &Context<'_>,
    port: Option<i16>,
    priority: Option<i16>,
) -> Result<(Option<Port>, Option<u8>), Fault> {
    let number = |at: i16| context.arguments.i32(at);
    let port = port.map(|at| {
        let number = number(at)?;
        u16::try_from(number).map(Port).map_err(|_| internal(format!("unknown port {number}")))
    });
    let priority = priority.map(|at| {
        let number = number(at)?;
        u8::try_from(number).map_err(|_| internal(format!("unknown priority {number}")))
    });
    Ok((port.transpose()?, priority.transpose()?))
}

fn depth(context: &mut Context<'_>, port: Option<i16>, priority: Option<i16>, number: i16) -> Returned {
    let (port, priority) = queue(context, port, priority)?;
    let packets = context.arguments.i32(number)?;
    let packets = u64::try_from(packets).map_err(|_| internal("a depth must not be negative"))?;
    execute(context, &Command::QueueDepth { packets, port, priority })
}

fn rate(context: &mut Context<'_>, port: Option<i16>, priority: Option<i16>, number: i16) -> Returned {
    let (port, priority) = queue(context, port, priority)?;
    let rate = context.arguments.i64(number)?;
    let packets_per_second = u64::try_from(rate).map_err(|_| internal("a rate must not be negative"))?;
    execute(context, &Command::QueueRate { packets_per_second, port, priority })
}

fn execute(context: &mut Context<'_>, command: &Command) -> Returned {
    context.execute(command).map_err(|error| internal(error.to_string()))?;
    Ok(Some(0.into()))
}
