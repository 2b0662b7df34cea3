//! Registers and value sets (§9.6, §9.7).

use jettison_p4_exec::Machine;
use jettison_p4_exec::table::{Entry, EntryAction};
use jettison_p4_front::ir::{ExternId, ExternKind, TypeId};
use jettison_p4_v1model::P4Switch;
use num_bigint::BigUint;

use super::counters::selected;
use super::{Change, Control, matches, only_modify};
use crate::data;
use crate::fault::{Fault, invalid};
use crate::proto::runtime::{EntityKind, Index, RegisterEntry, ValueSetEntry, ValueSetMember};

impl Control {
    fn element(&self, register: ExternId) -> Result<TypeId, Fault> {
        match self.catalogue.program.externs[register.index()].kind {
            ExternKind::Register { ty, .. } => Ok(ty),
            _ => Err(invalid("not a register")),
        }
    }

    pub(super) fn write_register<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        change: Change,
        entry: &RegisterEntry,
    ) -> Result<(), Fault> {
        only_modify(change, "a register")?;
        let id = self.catalogue.object(entry.register_id, "register")?;
        let elements = selected(self.array_size(id), entry.index.as_ref())?;
        let given = entry.data.as_ref().ok_or_else(|| invalid("the register entry has no data"))?;
        let value = data::to_bits(&self.catalogue.program, self.element(id)?, given)?;
        let words: Vec<u64> = value.iter_u64_digits().collect();
        let register = switch.plane_mut().objects.register_mut(id);
        elements.into_iter().for_each(|index| register.write(index, &words));
        Ok(())
    }

    pub(super) fn read_registers<M: Machine + Send>(
        &self,
        switch: &P4Switch<M>,
        request: &RegisterEntry,
        push: &mut impl FnMut(EntityKind),
    ) -> Result<(), Fault> {
        let registers: Vec<(u32, ExternId)> = match request.register_id {
            0 => self.catalogue.objects("register").collect(),
            id => vec![(id, self.catalogue.object(id, "register")?)],
        };
        let program = &self.catalogue.program;
        for (register_id, id) in registers {
            let ty = self.element(id)?;
            let state = switch.plane().objects.register(id);
            for at in selected(self.array_size(id), request.index.as_ref())? {
                let words = state.read(at).iter().rev();
                let value = words.fold(BigUint::ZERO, |value, word| (value << 64) | BigUint::from(*word));
                let mut scalars = data::scalars(program, ty, &value).into_iter();
                let data = Some(data::from_scalars(program, ty, &mut scalars));
                let index = Some(Index { index: super::table_read::nanos(at) });
                push(EntityKind::RegisterEntry(RegisterEntry { register_id, index, data }));
            }
        }
        Ok(())
    }

    /// Replaces the members of a value set.
    pub(super) fn write_value_set<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        change: Change,
        entry: &ValueSetEntry,
    ) -> Result<(), Fault> {
        only_modify(change, "a value set")?;
        let (id, fields) = self
            .catalogue
            .value_sets
            .get(&entry.value_set_id)
            .ok_or_else(|| invalid(format!("unknown value set id {}", entry.value_set_id)))?;
        let members: Result<Vec<_>, Fault> =
            entry.members.iter().map(|member| matches::read(fields, &member.match_fields)).collect();
        let members = members?;
        let state = switch.plane_mut().tables.value_set_mut(*id);
        let before = state.clone();
        state.clear();
        for member in members {
            if let Err(error) = state.insert(member) {
                *state = before;
                return Err(error.into());
            }
        }
        Ok(())
    }

    pub(super) fn read_value_sets<M: Machine + Send>(
        &self,
        switch: &P4Switch<M>,
        request: &ValueSetEntry,
        push: &mut impl FnMut(EntityKind),
    ) -> Result<(), Fault> {
        if request.value_set_id != 0 && !self.catalogue.value_sets.contains_key(&request.value_set_id) {
            return Err(invalid(format!("unknown value set id {}", request.value_set_id)));
        }
        for (number, (id, fields)) in &self.catalogue.value_sets {
            if request.value_set_id != 0 && request.value_set_id != *number {
                continue;
            }
            let member = |keys: &[_]| {
                let entry = Entry { keys: keys.to_vec(), priority: 0, action: EntryAction::Member(0) };
                ValueSetMember { match_fields: matches::write(fields, &entry) }
            };
            let members = switch.plane().tables.value_set(*id).members().map(member).collect();
            push(EntityKind::ValueSetEntry(ValueSetEntry { value_set_id: *number, members }));
        }
        Ok(())
    }
}
