//! Meters, direct and indirect (§9.4): two rates, three colours.

use jettison_core::Time;
use jettison_p4_exec::Machine;
use jettison_p4_exec::objects::MeterRate;
use jettison_p4_front::ir::ExternId;
use jettison_p4_v1model::P4Switch;

use super::counters::selected;
use super::{Change, Control, only_modify};
use crate::fault::{Code, Fault, invalid};
use crate::proto::runtime::{
    DirectMeterEntry, EntityKind, Index, MeterConfig, MeterCounterData, MeterEntry, TableEntry,
};

/// Units of [`MeterRate::per_microsecond`] in one packet or byte per second.
const PER_SECOND: u64 = 1000;

/// Committed and peak rates of a configuration.
pub(super) fn rates(config: &MeterConfig) -> Result<[MeterRate; 2], Fault> {
    if config.eburst != 0 {
        return Err(invalid(format!("`eburst` must be 0 for a meter of two rates, got {}", config.eburst)));
    }
    let rate = |name: &str, rate: i64, burst: i64| {
        let per_second = u64::try_from(rate).ok().and_then(|rate| rate.checked_mul(PER_SECOND));
        match (per_second, u64::try_from(burst)) {
            (Some(per_microsecond), Ok(burst)) => Ok(MeterRate { per_microsecond, burst }),
            _ => Err(invalid(format!("the {name} rate and burst must be >= 0, got {rate} and {burst}"))),
        }
    };
    let committed = rate("committed", config.cir, config.cburst)?;
    let peak = rate("peak", config.pir, config.pburst)?;
    if config.pir < config.cir {
        return Err(invalid(format!("`pir` must be >= `cir`, got {} and {}", config.pir, config.cir)));
    }
    Ok([committed, peak])
}

/// Sets a checked configuration.
pub(super) fn configure<M: Machine + Send>(
    switch: &mut P4Switch<M>,
    meter: ExternId,
    index: u64,
    config: &MeterConfig,
) {
    if let Ok(rates) = rates(config) {
        switch.plane_mut().objects.meter_mut(meter).set_rates(index, rates);
    }
}

/// The configuration of a meter; `None` if it has no rates.
pub(super) fn config<M: Machine + Send>(
    switch: &P4Switch<M>,
    meter: ExternId,
    index: u64,
) -> Option<MeterConfig> {
    let [committed, peak] = switch.plane().objects.meter(meter).rates(index)?;
    let clamp = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    Some(MeterConfig {
        cir: clamp(committed.per_microsecond / PER_SECOND),
        cburst: clamp(committed.burst),
        pir: clamp(peak.per_microsecond / PER_SECOND),
        pburst: clamp(peak.burst),
        eburst: 0,
    })
}

fn no_colour_counts(counts: &Option<MeterCounterData>) -> Result<(), Fault> {
    match counts {
        None => Ok(()),
        Some(_) => Err(Fault::new(Code::Unimplemented, "meters do not count packets by colour")),
    }
}

impl Control {
    pub(super) fn write_meter<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        change: Change,
        entry: &MeterEntry,
    ) -> Result<(), Fault> {
        only_modify(change, "a meter")?;
        no_colour_counts(&entry.counter_data)?;
        let id = self.catalogue.object(entry.meter_id, "meter")?;
        let rates = entry.config.as_ref().map(rates).transpose()?;
        for index in selected(self.array_size(id), entry.index.as_ref())? {
            let meter = switch.plane_mut().objects.meter_mut(id);
            match rates {
                Some(rates) => drop(meter.set_rates(index, rates)),
                None => meter.unset_rates(index),
            }
        }
        Ok(())
    }

    pub(super) fn read_meters<M: Machine + Send>(
        &self,
        switch: &P4Switch<M>,
        request: &MeterEntry,
        push: &mut impl FnMut(EntityKind),
    ) -> Result<(), Fault> {
        no_colour_counts(&request.counter_data)?;
        let meters: Vec<(u32, ExternId)> = match request.meter_id {
            0 => self.catalogue.objects("meter").collect(),
            id => vec![(id, self.catalogue.object(id, "meter")?)],
        };
        for (meter_id, id) in meters {
            for at in selected(self.array_size(id), request.index.as_ref())? {
                let index = Some(Index { index: super::table_read::nanos(at) });
                let config = config(switch, id, at);
                push(EntityKind::MeterEntry(MeterEntry { meter_id, index, config, counter_data: None }));
            }
        }
        Ok(())
    }

    pub(super) fn write_direct_meter<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        change: Change,
        entry: &DirectMeterEntry,
    ) -> Result<(), Fault> {
        only_modify(change, "a direct meter")?;
        no_colour_counts(&entry.counter_data)?;
        let (table, handle) = self.named_entry(switch, entry.table_entry.as_ref())?;
        let meter = self.catalogue.program.tables[table.index()].direct_meter;
        let meter = meter.ok_or_else(|| invalid("the table has no direct meter"))?;
        let index = u64::from(handle.0);
        match entry.config.as_ref().map(rates).transpose()? {
            Some(rates) => drop(switch.plane_mut().objects.meter_mut(meter).set_rates(index, rates)),
            None => switch.plane_mut().objects.meter_mut(meter).unset_rates(index),
        }
        Ok(())
    }

    pub(super) fn read_direct_meters<M: Machine + Send>(
        &self,
        switch: &P4Switch<M>,
        request: &DirectMeterEntry,
        now: Time,
        push: &mut impl FnMut(EntityKind),
    ) -> Result<(), Fault> {
        no_colour_counts(&request.counter_data)?;
        let wanted = request.table_entry.clone().unwrap_or_default();
        if !wanted.match_fields.is_empty() {
            self.named_entry(switch, Some(&wanted))?;
        }
        let request = TableEntry { meter_config: Some(MeterConfig::default()), counter_data: None, ..wanted };
        let metered = |id: u32| {
            let table = self.catalogue.table(id).ok();
            table.is_some_and(|table| self.catalogue.program.tables[table.index()].direct_meter.is_some())
        };
        self.read_entries(switch, &request, now, &mut |mut entry| {
            if metered(entry.table_id) {
                let config = entry.meter_config.take();
                let table_entry = Some(TableEntry { action: None, ..entry });
                let entry = DirectMeterEntry { table_entry, config, counter_data: None };
                push(EntityKind::DirectMeterEntry(entry));
            }
        })
    }
}
