//! Fields of `standard_metadata` that the architecture writes.

use jettison_core::{Rate, Time};
use jettison_switch::{Port, QueueReading};
use jettison_wire::{Instance, PacketMeta};

use jettison_p4_exec::{Machine, Standard};

/// Port number for "drop", which `mark_to_drop` writes to `egress_spec`.
pub const DROP_PORT: u64 = 511;

/// Initializes the metadata before the parser, with the time of the packet's arrival if it has one. All other fields are
/// zero or preserved.
pub(super) fn begin<M: Machine>(machine: &mut M, length: usize, instance: Instance, now: Option<Time>) {
    machine.set_standard(Standard::PacketLength, length as u64);
    machine.set_standard(Standard::InstanceType, instance as u64);
    // Zero unless a recirculated or resubmitted packet preserves it.
    if let Some(now) = now
        && machine.standard(Standard::IngressGlobalTimestamp) == 0
    {
        machine.set_standard(Standard::IngressGlobalTimestamp, now.as_micros());
    }
}

/// Initializes the metadata of a packet that leaves the queue of `port` for egress.
pub(super) fn depart<M: Machine>(
    machine: &mut M,
    meta: &PacketMeta,
    length: usize,
    port: Port,
    queue: &QueueReading,
    now: Time,
) {
    // Any value except the drop port, so that a drop at egress is one that egress requested.
    machine.set_standard(Standard::EgressSpec, 0);
    machine.set_standard(Standard::EgressPort, u64::from(port.0));
    machine.set_standard(Standard::InstanceType, at_egress(meta.instance) as u64);
    machine.set_standard(Standard::PacketLength, length as u64);
    machine.set_standard(Standard::EgressGlobalTimestamp, now.as_micros());
    // Convert each time to microseconds before subtracting, as in `simple_switch`.
    let enqueued = meta.enqueued_at.as_micros();
    machine.set_standard(Standard::EnqTimestamp, enqueued);
    machine.set_standard(Standard::DeqTimedelta, now.as_micros().saturating_sub(enqueued));
    machine.set_standard(Standard::EnqQdepth, u64::from(queue.enq_qdepth));
    machine.set_standard(Standard::DeqQdepth, u64::from(queue.deq_qdepth));
}

/// A rate in kbit/s, rounded down; all ones if it is unknown.
pub(super) fn kbit(rate: Option<Rate>) -> u64 {
    rate.map_or(u64::from(u32::MAX), |rate| (rate.as_bits() / 1000).min(u64::from(u32::MAX)))
}

/// `instance_type` at egress: a packet that ingress sent to a port is normal, however it came to ingress.
fn at_egress(instance: Instance) -> Instance {
    match instance {
        Instance::Recirculated | Instance::Resubmitted => Instance::Normal,
        other => other,
    }
}

/// Traffic class of a `priority` at a port with a number of queues; the highest number is served first. `None` if the
/// priority has no queue; `simple_switch` drops the packet.
pub(super) fn class_of(priority: u64, classes: Option<u16>) -> Option<u8> {
    let Some(classes) = classes else { return Some(0) };
    let class = u64::from(classes).checked_sub(priority.checked_add(1)?)?;
    Some(u8::try_from(class).unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_priority_is_the_highest_class_and_larger_ones_are_invalid() {
        assert_eq!(
            [0, 1, 2, 3].map(|priority| class_of(priority, Some(3))),
            [Some(2), Some(1), Some(0), None]
        );
        assert_eq!(class_of(0, Some(1)), Some(0));
        assert_eq!(class_of(7, None), Some(0), "one queue for all priorities");
        assert_eq!(class_of(u64::MAX, Some(3)), None);
    }
}
