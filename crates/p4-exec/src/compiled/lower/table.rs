//! Tables.

use super::pack::pack;
use super::{Label, Lowering, Scope};
use crate::compiled::code::{NONE, Op};
use crate::compiled::plan::{ActionPlan, ApplyExtras, ApplyPlan, Width};
use jettison_p4_front::ir::{MatchKind, Table, TableAction, TableId, TypeId, VarId};

impl Lowering<'_> {
    pub(super) fn apply(&mut self, id: TableId, hit: Option<VarId>, action: Option<VarId>) {
        let program = self.program;
        let table = &program.tables[id.index()];
        self.block(&table.before);
        let (mut matched, mut selector) = (Vec::new(), Vec::new());
        for key in &table.keys {
            let slot = self.operand(&key.expr);
            match key.kind {
                MatchKind::Selector => {
                    selector.push((slot, Width::Fixed(self.layout.types.bits(key.expr.ty))));
                }
                _ => matched.push((key.expr.ty, slot)),
            }
        }
        let (key, key_words) = self.gather(matched);
        let slot = |var: Option<VarId>| var.map_or(NONE, |var| self.layout.slot(var));
        let (hit, action) = (slot(hit), slot(action));
        let actions = self.actions(id, table);
        let extras = self.extras(id, table, selector);
        self.code.applies.push(ApplyPlan { table: id, key, key_words, hit, action, actions, extras });
        self.emit(Op::Apply { plan: self.code.applies.len() as u32 - 1 });
        if self.uses.table_may_exit(program, id) {
            self.leave_if_exited();
        }
    }

    /// Makes values contiguous, copying them only if necessary.
    pub(super) fn gather(&mut self, values: Vec<(TypeId, u32)>) -> (u32, u32) {
        let sizes = values.iter().map(|(ty, _)| self.layout.words(*ty));
        let words = sizes.clone().sum();
        let first = values.first().map_or(0, |(_, slot)| *slot);
        let mut expected = first;
        let side_by_side = values.iter().zip(sizes).all(|((_, slot), size)| {
            let fits = *slot == expected;
            expected = slot + size;
            fits
        });
        if side_by_side {
            return (first, words);
        }
        let to = self.temporary(words);
        let mut at = to;
        for (ty, slot) in values {
            let size = self.layout.words(ty);
            self.copy(at, slot, size);
            at += size;
        }
        (to, words)
    }

    fn actions(&mut self, id: TableId, table: &Table) -> Vec<ActionPlan> {
        let mut plans = Vec::with_capacity(table.actions.len());
        for (index, action) in table.actions.iter().enumerate() {
            let label = self.action_label(id, index, action);
            plans.push(ActionPlan {
                data: self.data_places(action),
                code: label.map_or(NONE, |label| label.0),
            });
        }
        plans
    }

    /// Destinations of an action's data; adjacent words are merged.
    fn data_places(&self, action: &TableAction) -> Vec<(u32, u32)> {
        let mut places: Vec<(u32, u32)> = Vec::new();
        for (_, var) in &action.data {
            let slot = self.layout.slot(*var);
            let words = self.layout.words(self.program.variables[var.index()].ty);
            match places.last_mut() {
                Some((last, count)) if *last + *count == slot => *count += words,
                _ => places.push((slot, words)),
            }
        }
        places
    }

    /// Label of a table action's code; `None` if the action does nothing.
    fn action_label(&mut self, id: TableId, index: usize, action: &TableAction) -> Option<Label> {
        let body = &self.program.functions[action.function.index()].body;
        if body.is_empty() && action.before.is_empty() && action.after.is_empty() {
            return None;
        }
        let key = (id, index as u32);
        if let Some(label) = self.table_actions.get(&key) {
            return Some(*label);
        }
        let label = self.label();
        self.table_actions.insert(key, label);
        self.table_actions_pending.push(key);
        Some(label)
    }

    pub(super) fn table_action(&mut self, (id, index): (TableId, u32)) {
        let program = self.program;
        let action = &program.tables[id.index()].actions[index as usize];
        let end = self.label();
        self.scopes.push(Scope { end });
        self.block(&action.before);
        self.run(action.function);
        self.block(&action.after);
        self.scopes.pop();
        self.place(end);
        self.emit(Op::Return);
    }

    fn extras(
        &mut self,
        id: TableId,
        table: &Table,
        selector: Vec<(u32, Width)>,
    ) -> Option<Box<ApplyExtras>> {
        let remembers_hits =
            self.program.control_plane.tables.get(id.index()).is_some_and(|notes| notes.supports_timeout);
        let plain = table.profile.is_none() && table.direct_counter.is_none() && table.direct_meter.is_none();
        if plain && !remembers_hits {
            return None;
        }
        let profile = table.profile.map(|id| &self.program.profiles[id.index()]);
        let selector = profile
            .and_then(|profile| profile.selector)
            .map(|(algorithm, bits)| (pack(selector), algorithm, bits));
        Some(Box::new(ApplyExtras {
            profile: table.profile,
            selector,
            counter: table.direct_counter,
            meter: table.direct_meter,
            direct_in_actions: table.direct_in_actions,
            remembers_hits,
        }))
    }
}
