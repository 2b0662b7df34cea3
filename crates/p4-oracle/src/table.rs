//! Tables.

use num_bigint::BigUint;

use super::Run;
use super::packet::push;
use super::place::ParserError;
use super::stmt::Flow;
use super::value::{Value, words};
use jettison_p4_exec::objects::{BitWriter, hash};
use jettison_p4_exec::table::EntryAction;
use jettison_p4_front::ir::{ActionValue, MatchKind, Table, TableId, TargetModel, VarId};

impl Run<'_> {
    /// Applies a table.
    pub fn apply(
        &mut self,
        id: TableId,
        hit: Option<VarId>,
        action: Option<VarId>,
    ) -> Result<Flow, ParserError> {
        let table = &self.program.tables[id.index()];
        let flow = self.block(&table.before)?;
        if flow != Flow::Next {
            return Ok(flow);
        }
        let (key, selector) = self.keys(table)?;
        let state = self.plane.tables.table(id);
        let matched = state.lookup_linear(&key);
        let entry = matched.map(|handle| state.entry(handle).expect("a lookup returns existing entries"));
        let chosen = self.choose(table, entry.map_or(state.default(), |entry| &entry.action), &selector);
        self.count(table, matched.map(|handle| u64::from(handle.0)));
        if let Some(hit) = hit {
            self.set_variable(hit, u32::from(matched.is_some()));
        }
        if let Some(action) = action {
            let none = u32::try_from(table.actions.len()).unwrap_or(u32::MAX);
            self.set_variable(action, chosen.as_ref().map_or(none, |chosen| chosen.action));
        }
        match chosen {
            Some(chosen) => self.run_action(table, &chosen),
            None => Ok(Flow::Next),
        }
    }

    /// The words to look up, and the packed `selector` keys.
    fn keys(&self, table: &Table) -> Result<(Vec<u64>, BitWriter), ParserError> {
        let (mut key, mut selector) = (Vec::new(), BitWriter::new());
        for part in &table.keys {
            let (value, width) = (self.bits(&part.expr)?, self.program.types.bits(part.expr.ty));
            match part.kind {
                MatchKind::Selector => push(&mut selector, &value, width),
                _ => key.extend(words(&value, width)),
            }
        }
        Ok((key, selector))
    }

    /// Resolves the action of an entry or default. As in BMv2, a missing member or an empty group gives `None`, and
    /// nothing runs.
    fn choose(&self, table: &Table, action: &EntryAction, selector: &BitWriter) -> Option<ActionValue> {
        let member = match action {
            EntryAction::Action(action) => return Some(action.clone()),
            EntryAction::Member(member) => *member,
            EntryAction::Group(group) => {
                let profile = table.profile?;
                let (algorithm, bits) = self.program.profiles[profile.index()].selector?;
                let whole = bits >= 64 || self.program.target == TargetModel::Bmv2;
                let kept = if whole { u64::MAX } else { (1 << bits) - 1 };
                let hash = hash::compute(algorithm, selector.bytes()) & kept;
                self.plane.tables.profile(profile).choose(*group, hash)?
            }
        };
        self.plane.tables.profile(table.profile?).member(member).cloned()
    }

    /// Updates the direct counter and meter, before the action runs.
    fn count(&mut self, table: &Table, matched: Option<u64>) {
        let (now, bytes) = (self.plane.now, self.plane.packet_bytes);
        let objects = &mut self.plane.objects;
        if table.direct_in_actions {
            return objects.select(table.direct_counter, table.direct_meter, matched);
        }
        if let (Some(counter), Some(index)) = (table.direct_counter, matched) {
            objects.counter_mut(counter).count(index, bytes);
        }
        if let Some(meter) = table.direct_meter {
            match matched {
                Some(index) => {
                    objects.meter_mut(meter).execute(index, now, bytes);
                }
                None => objects.meter_mut(meter).miss(),
            }
        }
    }

    fn run_action(&mut self, table: &Table, chosen: &ActionValue) -> Result<Flow, ParserError> {
        let action = &table.actions[chosen.action as usize];
        for ((_, variable), value) in action.data.iter().zip(&chosen.data) {
            self.variables[variable.index()] = Value::Bits(value.clone());
        }
        let flow = self.block(&action.before)?;
        if flow != Flow::Next {
            return Ok(flow);
        }
        let program = self.program;
        self.call(&program.functions[action.function.index()].body, &action.after)
    }

    fn set_variable(&mut self, variable: VarId, value: u32) {
        self.variables[variable.index()] = Value::Bits(BigUint::from(value));
    }
}
