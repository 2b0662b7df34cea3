//! Drops and marks as bytes.

use std::io::BufRead;

use jettison_core::{Duration, Time};
use jettison_wire::{FlowId, Instance};

use super::TransferError;
use super::bytes::{Reader, Writer};
use crate::{Content, Decision, DecisionLog, GaugeKey, Identity, Outcome, QueueState, Unit, UnitKind};

/// All instances with their numbers.
const INSTANCES: [Instance; 6] = [
    Instance::Normal,
    Instance::IngressClone,
    Instance::EgressClone,
    Instance::Recirculated,
    Instance::Replica,
    Instance::Resubmitted,
];

pub(super) fn write(out: &mut Writer, log: &DecisionLog) {
    out.unsigned(log.len());
    let (mut id, mut time) = (0, 0);
    for decision in log.iter() {
        let decision = match decision {
            Ok(decision) => decision,
            Err(error) => return out.fail(error),
        };
        out.difference(&mut id, decision.id);
        out.difference(&mut time, decision.time.as_nanos());
        out.unsigned(u64::from(decision.queue));
        out.unsigned(u64::from(decision.flow.0));
        out.name(decision.outcome.name());
        out.name(decision.outcome.reason());
        out.unsigned(u64::from(decision.length));
        write_option(out, decision.identity.as_ref(), write_identity);
        out.after_item();
    }
}

pub(super) fn read(input: &mut Reader<impl BufRead>) -> Result<DecisionLog, TransferError> {
    let mut log = DecisionLog::default();
    let (mut id, mut time) = (0, 0);
    for _ in 0..input.unsigned()? {
        let id = input.difference(&mut id)?;
        let time = Time::from_nanos(input.difference(&mut time)?);
        let (queue, flow) = (input.integer()?, FlowId(input.integer()?));
        let (outcome, reason) = (input.name()?, input.name()?);
        let outcome = Outcome::from_names(outcome, reason);
        let outcome = outcome.ok_or(TransferError::Damaged("unknown reason of a drop or mark"))?;
        let length = input.integer()?;
        let identity = read_option(input, read_identity)?;
        log.push(&Decision { id, time, queue, flow, outcome, length, identity });
    }
    Ok(log)
}

fn write_option<T>(out: &mut Writer, value: Option<T>, write: impl FnOnce(&mut Writer, T)) {
    out.unsigned(u64::from(value.is_some()));
    if let Some(value) = value {
        write(out, value);
    }
}

fn read_option<T, R: BufRead>(
    input: &mut Reader<R>,
    read: impl FnOnce(&mut Reader<R>) -> Result<T, TransferError>,
) -> Result<Option<T>, TransferError> {
    match input.unsigned()? {
        0 => Ok(None),
        1 => read(input).map(Some),
        _ => Err(TransferError::Damaged("the flag of an option must be 0 or 1")),
    }
}

fn read_flag(input: &mut Reader<impl BufRead>) -> Result<bool, TransferError> {
    Ok(read_option(input, |_| Ok(()))?.is_some())
}

fn write_identity(out: &mut Writer, identity: &Identity) {
    out.unsigned(u64::from(identity.packet));
    out.unsigned(identity.instance as u64);
    write_option(out, identity.waited, |out, waited| out.unsigned(waited.as_nanos()));
    write_option(out, identity.content, |out, content| {
        write_option(out, content.unit, |out, unit| {
            out.unsigned(u64::from(unit.flow.0));
            out.name(unit.kind.name());
            out.unsigned(unit.number);
            out.unsigned(u64::from(unit.part));
        });
        out.unsigned(content.offset);
        out.unsigned(u64::from(content.length));
        out.unsigned(u64::from(content.retransmission));
        write_option(out, content.previous, |out, previous| out.unsigned(u64::from(previous)));
    });
    write_option(out, identity.queue.as_ref(), |out, state| {
        [state.packets, state.bytes, state.others].into_iter().for_each(|value| out.unsigned(value));
        out.list(&state.holders, |out, (flow, packets)| {
            out.unsigned(u64::from(flow.0));
            out.unsigned(u64::from(*packets));
        });
        out.list(&state.gauges, |out, (key, value)| {
            out.name(key.name);
            out.name(key.part);
            out.float(*value);
        });
    });
}

fn read_identity<R: BufRead>(input: &mut Reader<R>) -> Result<Identity, TransferError> {
    let packet = input.integer()?;
    let number = input.unsigned()?;
    let instance = INSTANCES.into_iter().find(|instance| *instance as u64 == number);
    let instance = instance.ok_or(TransferError::Damaged("unknown instance of a packet"))?;
    let waited = read_option(input, |input| Ok(Duration::from_nanos(input.unsigned()?)))?;
    let content = read_option(input, |input| {
        let unit = read_option(input, |input| {
            let flow = FlowId(input.integer()?);
            let kind = UnitKind::from_name(input.name()?);
            let kind = kind.ok_or(TransferError::Damaged("unknown kind of a unit"))?;
            Ok(Unit { flow, kind, number: input.unsigned()?, part: input.integer()? })
        })?;
        Ok(Content {
            unit,
            offset: input.unsigned()?,
            length: input.integer()?,
            retransmission: read_flag(input)?,
            previous: read_option(input, Reader::integer)?,
        })
    })?;
    let queue = read_option(input, |input| {
        let (packets, bytes, others) = (input.unsigned()?, input.unsigned()?, input.unsigned()?);
        let holders = input.list(|input| Ok((FlowId(input.integer()?), input.integer()?)))?;
        let gauges = input.list(|input| {
            let key = GaugeKey { name: input.name()?, part: input.name()? };
            Ok((key, input.float()?))
        })?;
        Ok(QueueState { packets, bytes, others, holders, gauges })
    })?;
    Ok(Identity { packet, instance, content, waited, queue })
}
