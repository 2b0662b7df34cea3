//! Run-time state of tables, action profiles and value sets.
//!
//! The control plane changes them between packets. Lookups use 64-bit words: each key of the table, except `selector`
//! keys, takes `width.div_ceil(64)` words (at least one), lowest word first, in the table's order.

mod action;
mod index;
mod key;
mod profile;
mod state;
#[cfg(test)]
mod tests;
mod value_set;

use thiserror::Error;

pub use profile::ProfileState;
pub use state::TableState;
pub use value_set::ValueSetState;

pub(crate) use action::Coded;
pub(crate) use key::words_for;

use jettison_p4_front::ir::{ActionProfileId, ActionValue, KeyMatch, Program, TableId, ValueSetId};

/// Number of an entry within its table; never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub u32);

/// An entry of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Match criteria, one per key that is not a `selector`.
    pub keys: Vec<KeyMatch>,
    /// Priority: if several entries match, the larger wins (after the longest prefix, if there is an `lpm` key); of
    /// equal ones, the one inserted first. As in BMv2, the prefix of an `lpm` key beside `ternary`, `range` or
    /// `optional` keys is only a mask, and priority alone decides.
    pub priority: i64,
    /// Action to run.
    pub action: EntryAction,
}

/// Action of an entry, or the default action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryAction {
    /// An action with its data.
    Action(ActionValue),
    /// A member of the table's profile.
    Member(u32),
    /// A group of the table's selector.
    Group(u32),
}

/// Rejection of a change by the control plane. Messages are for users; callers add names.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TableError {
    /// An entry with the same key (and priority, if the table has priorities) exists.
    #[error("an entry with this key already exists")]
    Duplicate,
    /// The table is full.
    #[error("the table is full: it has {0} entries")]
    Full(u64),
    /// No entry has this number.
    #[error("unknown entry {0}")]
    NoEntry(u32),
    /// The entries are `const`.
    #[error("the entries of this table are `const`")]
    ConstEntries,
    /// The default action is `const`.
    #[error("the default action of this table is `const`")]
    ConstDefault,
    /// The change does not match the table: wrong number of keys, wrong match kind, a value that is too wide, or an
    /// action that is not allowed.
    #[error("{0}")]
    Mismatch(String),
}

/// Tables of a program, with its action profiles and value sets.
#[derive(Debug, Clone)]
pub struct Tables {
    tables: Vec<TableState>,
    profiles: Vec<ProfileState>,
    value_sets: Vec<ValueSetState>,
}

impl Tables {
    /// Creates the tables with the entries of the program.
    pub fn new(program: &Program) -> Tables {
        let profile = |index| ProfileState::new(program, ActionProfileId(index as u32));
        let mut tables: Vec<TableState> =
            program.tables.iter().map(|table| TableState::new(program, table)).collect();
        for (table, notes) in tables.iter_mut().zip(&program.control_plane.tables) {
            if notes.supports_timeout {
                table.remember_hits();
            }
        }
        Tables {
            tables,
            profiles: (0..program.profiles.len()).map(profile).collect(),
            value_sets: program.value_sets.iter().map(|set| ValueSetState::new(program, set)).collect(),
        }
    }

    /// State of a table.
    #[inline]
    pub fn table(&self, id: TableId) -> &TableState {
        &self.tables[id.index()]
    }

    /// State of a table, mutable.
    pub fn table_mut(&mut self, id: TableId) -> &mut TableState {
        &mut self.tables[id.index()]
    }

    /// State of an action profile or selector.
    #[inline]
    pub fn profile(&self, id: ActionProfileId) -> &ProfileState {
        &self.profiles[id.index()]
    }

    /// State of an action profile or selector, mutable.
    pub fn profile_mut(&mut self, id: ActionProfileId) -> &mut ProfileState {
        &mut self.profiles[id.index()]
    }

    /// State of a value set.
    #[inline]
    pub fn value_set(&self, id: ValueSetId) -> &ValueSetState {
        &self.value_sets[id.index()]
    }

    /// State of a value set, mutable.
    pub fn value_set_mut(&mut self, id: ValueSetId) -> &mut ValueSetState {
        &mut self.value_sets[id.index()]
    }

    /// Resolves the action of an entry or default; `hash` is that of the `selector` keys. As in BMv2, a missing member
    /// or an empty group gives `None`, and nothing runs.
    pub fn action<'a>(
        &'a self,
        profile: Option<ActionProfileId>,
        action: &'a EntryAction,
        hash: u64,
    ) -> Option<&'a ActionValue> {
        match action {
            EntryAction::Action(value) => Some(value),
            EntryAction::Member(member) => self.profile(profile?).member(*member),
            EntryAction::Group(group) => {
                let profile = self.profile(profile?);
                profile.member(profile.choose(*group, hash)?)
            }
        }
    }
}
