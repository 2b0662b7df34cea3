//! What a flow's units usually wait for.

use std::collections::BTreeMap;

use jettison_measure::{Component, Status, Unit, UnitKind};

use super::evidence::{Account, Evidence};

/// Least number of units for a median of their own representation or layer.
const LEAST: usize = 5;

/// A component at a place.
pub(super) type Key = (Component, String);

/// Medians of the parts of a flow's units, by component and place.
pub(super) struct Typical<'a> {
    accounts: &'a [Account],
    known: BTreeMap<(UnitKind, u32), BTreeMap<Key, u64>>,
}

impl<'a> Typical<'a> {
    pub(super) fn of(evidence: &'a Evidence, flow: &str) -> Typical<'a> {
        Typical { accounts: evidence.accounts(flow), known: BTreeMap::new() }
    }

    /// What units like this one usually wait for, in nanoseconds: those of the same kind and part if there are enough, else all of
    /// the kind.
    pub(super) fn like(&mut self, unit: Unit) -> &BTreeMap<Key, u64> {
        let accounts = self.accounts;
        self.known.entry((unit.kind, unit.part)).or_insert_with(|| {
            let of_kind = |own: &&Account| own.unit.kind == unit.kind && own.status == Status::Shown;
            let same: Vec<&Account> =
                accounts.iter().filter(of_kind).filter(|own| own.unit.part == unit.part).collect();
            let all = || accounts.iter().filter(of_kind).collect();
            medians(if same.len() >= LEAST { same } else { all() })
        })
    }
}

/// Sums of the parts of an account, by component and place.
pub(super) fn sums(account: &Account) -> BTreeMap<Key, u64> {
    let mut sums = BTreeMap::new();
    for part in account.parts.iter().filter(|part| part.component != Component::Playout) {
        *sums.entry((part.component, part.place.clone())).or_default() += part.duration.as_nanos();
    }
    sums
}

fn medians(accounts: Vec<&Account>) -> BTreeMap<Key, u64> {
    let mut values: BTreeMap<Key, Vec<u64>> = BTreeMap::new();
    for account in &accounts {
        for (key, sum) in sums(account) {
            values.entry(key).or_default().push(sum);
        }
    }
    let median = |mut own: Vec<u64>| {
        // Units without the part waited 0 ns for it.
        own.resize(accounts.len(), 0);
        own.sort_unstable();
        own[own.len() / 2]
    };
    values.into_iter().map(|(key, own)| (key, median(own))).filter(|(_, median)| *median > 0).collect()
}
