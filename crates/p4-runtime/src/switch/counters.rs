//! Counters, direct and indirect (§9.3).

use jettison_core::Time;
use jettison_p4_exec::Machine;
use jettison_p4_exec::table::Handle;
use jettison_p4_front::ir::{ExternId, ExternKind, TableId};
use jettison_p4_v1model::P4Switch;

use super::{Change, Control, meters, only_modify};
use crate::fault::{Code, Fault, invalid, not_found};
use crate::proto::runtime::{CounterData, CounterEntry, DirectCounterEntry, EntityKind, Index, TableEntry};

/// The counts of an element.
pub(super) fn data<M: Machine + Send>(switch: &P4Switch<M>, counter: ExternId, index: u64) -> CounterData {
    let state = switch.plane().objects.counter(counter);
    let clamp = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    CounterData { byte_count: clamp(state.bytes(index)), packet_count: clamp(state.packets(index)) }
}

/// Sets the counts of an element; negative ones are refused.
fn set<M: Machine + Send>(
    switch: &mut P4Switch<M>,
    counter: ExternId,
    index: u64,
    data: &CounterData,
) -> Result<(), Fault> {
    let count =
        |count: i64| u64::try_from(count).map_err(|_| invalid(format!("a count must be >= 0, got {count}")));
    let (packets, bytes) = (count(data.packet_count)?, count(data.byte_count)?);
    switch.plane_mut().objects.counter_mut(counter).set(index, packets, bytes);
    Ok(())
}

/// The elements that an index selects; all without one.
pub(super) fn selected(size: u32, index: Option<&Index>) -> Result<std::ops::Range<u64>, Fault> {
    let Some(Index { index }) = index else { return Ok(0..u64::from(size)) };
    let Ok(at) = u64::try_from(*index) else {
        return Err(invalid(format!("the index must be >= 0, got {index}")));
    };
    if at >= u64::from(size) {
        return Err(Fault::new(Code::OutOfRange, format!("the index must be < {size}, got {at}")));
    }
    Ok(at..at + 1)
}

impl Control {
    /// Number of elements of an array.
    pub(super) fn array_size(&self, id: ExternId) -> u32 {
        match self.catalogue.program.externs[id.index()].kind {
            ExternKind::Register { size, .. }
            | ExternKind::Counter { size }
            | ExternKind::Meter { size, .. } => size,
            ExternKind::DirectCounter | ExternKind::DirectMeter { .. } => 0,
        }
    }

    pub(super) fn write_counter<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        change: Change,
        entry: &CounterEntry,
    ) -> Result<(), Fault> {
        only_modify(change, "a counter")?;
        let id = self.catalogue.object(entry.counter_id, "counter")?;
        let elements = selected(self.array_size(id), entry.index.as_ref())?;
        let Some(data) = &entry.data else { return Ok(()) };
        elements.into_iter().try_for_each(|index| set(switch, id, index, data))
    }

    pub(super) fn read_counters<M: Machine + Send>(
        &self,
        switch: &P4Switch<M>,
        request: &CounterEntry,
        push: &mut impl FnMut(EntityKind),
    ) -> Result<(), Fault> {
        let counters: Vec<(u32, ExternId)> = match request.counter_id {
            0 => self.catalogue.objects("counter").collect(),
            id => vec![(id, self.catalogue.object(id, "counter")?)],
        };
        for (counter_id, id) in counters {
            for at in selected(self.array_size(id), request.index.as_ref())? {
                let data = Some(data(switch, id, at));
                let index = Some(Index { index: super::table_read::nanos(at) });
                push(EntityKind::CounterEntry(CounterEntry { counter_id, index, data }));
            }
        }
        Ok(())
    }

    /// Sets the direct counter and meter of an entry that is written.
    pub(super) fn write_direct<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        table: TableId,
        handle: Handle,
        entry: &TableEntry,
        change: Change,
    ) {
        let ir = &self.catalogue.program.tables[table.index()];
        let (counter, meter, index) = (ir.direct_counter, ir.direct_meter, u64::from(handle.0));
        if let (Some(counter), Some(data)) = (counter, &entry.counter_data) {
            // The counts were checked with the entry.
            let _ = set(switch, counter, index, data);
        }
        if let Some(meter) = meter {
            match &entry.meter_config {
                Some(config) => meters::configure(switch, meter, index, config),
                None if change == Change::Modify => {
                    switch.plane_mut().objects.meter_mut(meter).unset_rates(index);
                }
                None => {}
            }
        }
    }

    /// The entry that a direct resource's request names.
    pub(super) fn named_entry<M: Machine + Send>(
        &self,
        switch: &P4Switch<M>,
        entry: Option<&TableEntry>,
    ) -> Result<(TableId, Handle), Fault> {
        let entry = entry.ok_or_else(|| invalid("missing table entry"))?;
        let table = self.catalogue.table(entry.table_id)?;
        if entry.is_default_action {
            return Err(Fault::new(Code::Unimplemented, "default actions have no direct counters or meters"));
        }
        let key = self.key(table, entry)?;
        let handle = switch.plane().tables.table(table).find(&key.keys, key.priority)?;
        handle.map(|handle| (table, handle)).ok_or_else(|| not_found("no entry has this key"))
    }

    pub(super) fn write_direct_counter<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        change: Change,
        entry: &DirectCounterEntry,
    ) -> Result<(), Fault> {
        only_modify(change, "a direct counter")?;
        let (table, handle) = self.named_entry(switch, entry.table_entry.as_ref())?;
        let counter = self.catalogue.program.tables[table.index()].direct_counter;
        let counter = counter.ok_or_else(|| invalid("the table has no direct counter"))?;
        entry.data.as_ref().map_or(Ok(()), |data| set(switch, counter, u64::from(handle.0), data))
    }

    pub(super) fn read_direct_counters<M: Machine + Send>(
        &self,
        switch: &P4Switch<M>,
        request: &DirectCounterEntry,
        now: Time,
        push: &mut impl FnMut(EntityKind),
    ) -> Result<(), Fault> {
        let wanted = request.table_entry.clone().unwrap_or_default();
        if !wanted.match_fields.is_empty() {
            self.named_entry(switch, Some(&wanted))?;
        }
        let request = TableEntry { counter_data: Some(CounterData::default()), meter_config: None, ..wanted };
        self.read_entries(switch, &request, now, &mut |mut entry| {
            if let Some(data) = entry.counter_data.take() {
                let table_entry = Some(TableEntry { action: None, ..entry });
                push(EntityKind::DirectCounterEntry(DirectCounterEntry { table_entry, data: Some(data) }));
            }
        })
    }
}
