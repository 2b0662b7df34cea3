//! Viewers' events in the bytes of a run's record.

use std::io::BufRead;

use jettison_core::{Duration, Time};
use jettison_wire::FlowId;

use super::TransferError;
use super::bytes::{Reader, Writer};
use crate::{EventKind, Unit, UnitKind, ViewerEvent};

pub(super) fn write_event(out: &mut Writer, event: &ViewerEvent, last: &mut u64) {
    out.unsigned(u64::from(event.flow.0));
    out.name(event.kind.name());
    out.difference(last, event.at.as_nanos());
    out.unsigned(event.since.as_nanos());
    out.unsigned(event.duration.as_nanos());
    out.float(event.cost);
    out.unsigned(u64::from(event.unit.is_some()));
    if let Some(unit) = event.unit {
        out.unsigned(u64::from(unit.flow.0));
        out.name(unit.kind.name());
        out.unsigned(unit.number);
        out.unsigned(u64::from(unit.part));
    }
}

pub(super) fn read_event(
    input: &mut Reader<impl BufRead>,
    last: &mut u64,
) -> Result<ViewerEvent, TransferError> {
    let flow = FlowId(input.integer()?);
    let kind = EventKind::from_name(input.name()?).ok_or(TransferError::Damaged("unknown kind of event"))?;
    let at = Time::from_nanos(input.difference(last)?);
    let since = Time::from_nanos(input.unsigned()?);
    let duration = Duration::from_nanos(input.unsigned()?);
    let cost = input.float()?;
    let unit = match input.unsigned()? {
        0 => None,
        1 => {
            let flow = FlowId(input.integer()?);
            let kind = UnitKind::from_name(input.name()?);
            let kind = kind.ok_or(TransferError::Damaged("unknown kind of unit"))?;
            Some(Unit { flow, kind, number: input.unsigned()?, part: input.integer()? })
        }
        _ => return Err(TransferError::Damaged("the flag of a unit must be 0 or 1")),
    };
    Ok(ViewerEvent { flow, kind, since, at, duration, cost, unit })
}
