//! Table application.

use super::Run;
use crate::Plane;
use crate::compiled::code::NONE;
use crate::compiled::plan::{ApplyExtras, ApplyPlan};
use crate::objects::hash;
use crate::table::{Coded, Handle, TableState};

impl Run<'_> {
    /// Looks up the key, copies the action's data, and returns the address of the action's code, if it has any.
    #[inline]
    pub(super) fn apply(&mut self, plan: &ApplyPlan) -> Option<u32> {
        let table = self.plane.tables.table(plan.table);
        let key = plan.key as usize;
        let found = table.lookup(&self.store[key..key + plan.key_words as usize]);
        if plan.extras.is_some() {
            return self.apply_with_extras(plan, found);
        }
        // Without a profile, entries run actions directly.
        let coded = found.map_or_else(|| table.coded_default(), |handle| table.coded(handle));
        run_action(self.store, plan, found.is_some(), Some(coded))
    }

    #[cold]
    fn apply_with_extras(&mut self, plan: &ApplyPlan, found: Option<Handle>) -> Option<u32> {
        let extras = plan.extras.as_deref()?;
        let bytes = self.plane.packet_bytes;
        let hash = self.selector_hash(extras);
        let Plane { tables, objects, now, .. } = &mut *self.plane;
        let table: &TableState = tables.table(plan.table);
        let resolve = |coded| match (Coded::of(coded), extras.profile) {
            (Coded::Action(_), _) => None,
            (Coded::Member(member), Some(profile)) => Some(tables.profile(profile).coded(member)),
            (Coded::Group(group), Some(profile)) => {
                let profile = tables.profile(profile);
                Some(profile.choose(group, hash).and_then(|member| profile.coded(member)))
            }
            _ => Some(None),
        };
        // As in BMv2, a missing member or an empty group runs nothing.
        let coded = found.map_or_else(|| table.coded_default(), |handle| table.coded(handle));
        let coded = resolve(coded[0]).unwrap_or(Some(coded));
        if extras.direct_in_actions {
            objects.select(extras.counter, extras.meter, found.map(|handle| u64::from(handle.0)));
        } else if let (Some(counter), Some(handle)) = (extras.counter, found) {
            objects.counter_mut(counter).count(u64::from(handle.0), bytes);
        }
        if let Some(meter) = extras.meter.filter(|_| !extras.direct_in_actions) {
            match found {
                Some(handle) => {
                    objects.meter_mut(meter).execute(u64::from(handle.0), *now, bytes);
                }
                None => objects.meter_mut(meter).miss(),
            }
        }
        let code = run_action(self.store, plan, found.is_some(), coded);
        if let (true, Some(handle)) = (extras.remembers_hits, found) {
            tables.table_mut(plan.table).hit(handle, *now);
        }
        code
    }

    fn selector_hash(&mut self, extras: &ApplyExtras) -> u64 {
        match &extras.selector {
            Some((pack, algorithm, _)) => {
                self.pack(pack);
                hash::compute(*algorithm, self.hashed.bytes())
            }
            None => 0,
        }
    }
}

#[inline]
fn run_action(store: &mut [u64], plan: &ApplyPlan, hit: bool, coded: Option<&[u64]>) -> Option<u32> {
    if plan.hit != NONE {
        store[plan.hit as usize] = u64::from(hit);
    }
    let index = coded.map_or(plan.actions.len(), |coded| coded[0] as u32 as usize);
    if plan.action != NONE {
        store[plan.action as usize] = index as u64;
    }
    let action = plan.actions.get(index)?;
    let mut data = &coded?[1..];
    for (to, count) in &action.data {
        let (to, count) = (*to as usize, *count as usize);
        let (here, rest) = data.split_at(count);
        // For few words, a loop is faster than a call of a general copy.
        for (word, value) in store[to..to + count].iter_mut().zip(here) {
            *word = *value;
        }
        data = rest;
    }
    (action.code != NONE).then_some(action.code)
}
