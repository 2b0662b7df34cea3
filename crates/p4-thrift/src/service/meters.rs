//! Methods of meters, indirect and direct.

use jettison_p4_exec::objects::MeterRate;
use jettison_p4_front::ir::{ExternId, ExternKind};
use jettison_p4_v1model::control::Command;

use super::context::{Context, done};
use super::tables::{handle_of, table_of};
use super::{Returned, tables};
use crate::arguments::{Arguments, structs};
use crate::codec::{Fields, Value};
use crate::fault::{Fault, MeterError, TableError};

/// Rates of a meter's elements are in 10^-9 packets or bytes per microsecond.
const PER_UNIT: f64 = 1e9;

pub(super) fn call(context: &mut Context<'_>, method: &str) -> Option<Returned> {
    Some(match method {
        "bm_meter_set_rates" => set(context),
        "bm_meter_array_set_rates" => set_all(context),
        "bm_meter_get_rates" => element(context).and_then(|(meter, index)| get(context, meter, index)),
        "bm_mt_set_meter_rates" => set_of_entry(context),
        "bm_mt_get_meter_rates" => of_entry(context).and_then(|(meter, index)| get(context, meter, index)),
        _ => return None,
    })
}

fn meter_of(context: &Context<'_>) -> Result<ExternId, Fault> {
    let name = context.arguments.text(2)?;
    let meter = context.object(name, |kind| matches!(kind, ExternKind::Meter { .. }));
    Ok(meter.ok_or(MeterError::InvalidName)?)
}

fn element(context: &Context<'_>) -> Result<(ExternId, u64), Fault> {
    let meter = meter_of(context)?;
    let length = context.switch.plane().objects.meter(meter).len() as u64;
    let index = context.arguments.index(3)?.map(u64::from).filter(|index| *index < length);
    Ok((meter, index.ok_or(MeterError::InvalidIndex)?))
}

/// The direct meter of a call's entry. Its elements are numbered by entries.
fn of_entry(context: &Context<'_>) -> Result<(ExternId, u64), Fault> {
    let table = table_of(context)?;
    let meter = context.program().tables[table.index()].direct_meter.ok_or(TableError::MetersDisabled)?;
    Ok((meter, u64::from(handle_of(context, table)?.0)))
}

/// The committed and the peak rate of a call, in this field.
fn rates(context: &Context<'_>, number: i16) -> Result<[MeterRate; 2], Fault> {
    let given = structs(context.arguments.list(number)?)?;
    let [committed, peak] = given[..] else { return Err(MeterError::BadRates.into()) };
    let rates = [rate(committed)?, rate(peak)?];
    match rates[0].per_microsecond <= rates[1].per_microsecond {
        true => Ok(rates),
        false => Err(MeterError::InvalidRate.into()),
    }
}

fn rate(given: &Fields) -> Result<MeterRate, Fault> {
    let scaled = (given.double(1)? * PER_UNIT).round();
    if !(0.0..u64::MAX as f64).contains(&scaled) {
        return Err(MeterError::InvalidRate.into());
    }
    let burst = u64::try_from(given.i32(2)?).map_err(|_| MeterError::InvalidBurst)?;
    Ok(MeterRate { per_microsecond: scaled as u64, burst })
}

fn set(context: &mut Context<'_>) -> Returned {
    let (meter, index) = element(context)?;
    let rates = rates(context, 4)?;
    context.execute(&Command::MeterRates { meter, index: Some(index), rates }).map_err(tables::fault)?;
    done()
}

fn set_all(context: &mut Context<'_>) -> Returned {
    let meter = meter_of(context)?;
    let rates = rates(context, 3)?;
    context.execute(&Command::MeterRates { meter, index: None, rates }).map_err(tables::fault)?;
    done()
}

fn set_of_entry(context: &mut Context<'_>) -> Returned {
    let (meter, index) = of_entry(context)?;
    // This method has the exception of tables, which has one code for meters.
    let rates = rates(context, 4).map_err(|fault| match fault {
        Fault::Declared(_) => TableError::InvalidMeterOperation.into(),
        other => other,
    })?;
    context.execute(&Command::MeterRates { meter, index: Some(index), rates }).map_err(tables::fault)?;
    done()
}

/// A meter without rates has an empty list.
fn get(context: &Context<'_>, meter: ExternId, index: u64) -> Returned {
    let rates = context.switch.plane().objects.meter(meter).rates(index);
    let rates = rates.into_iter().flatten().map(|rate| {
        let burst = i32::try_from(rate.burst).unwrap_or(i32::MAX);
        Fields::new().with(1, rate.per_microsecond as f64 / PER_UNIT).with(2, burst)
    });
    Ok(Some(Value::structs(rates)))
}
