//! Tables, action profiles and value sets while they run.
//!
//! The control plane changes them between packets. A key is looked up as 64-bit words: each key of the table but the
//! `selector` ones takes `width.div_ceil(64)` words (at least one), lowest word first, in the table's order.

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

/// The number of an entry within its table; not used again after a removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub u32);

/// An entry of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// One a key that is not a `selector`.
    pub keys: Vec<KeyMatch>,
    /// The larger wins where several match (after the longest prefix, where there is an `lpm` key); of equal ones, the
    /// one inserted first. As in BMv2, the prefix of an `lpm` key beside `ternary`, `range` or `optional` keys is a mask
    /// like any other: priority alone decides there.
    pub priority: i64,
    /// What it runs.
    pub then: Then,
}

/// What an entry or a default runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Then {
    /// This action with this data.
    Action(ActionValue),
    /// What the table's profile has under this number.
    Member(u32),
    /// A member of this group of the table's selector.
    Group(u32),
}

/// Why the control plane's change is refused. The messages are for the user; who calls adds names.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TableError {
    /// An entry with the same key (and priority, where there are priorities) exists.
    #[error("an entry with this key is already there")]
    Duplicate,
    /// The table is full.
    #[error("the table is full: it holds {0} entries")]
    Full(u64),
    /// No entry has this number.
    #[error("there is no entry {0}")]
    NoEntry(u32),
    /// The entries are `const`.
    #[error("the entries of this table are const")]
    ConstEntries,
    /// The default action is `const`.
    #[error("the default action of this table is const")]
    ConstDefault,
    /// What is given does not fit the table: a wrong number of keys, a kind of match that the key does not have, a
    /// value that is too wide, an action that it may not run.
    #[error("{0}")]
    Unfit(String),
}

/// The tables of a program, with its action profiles and value sets.
#[derive(Debug, Clone)]
pub struct Tables {
    tables: Vec<TableState>,
    profiles: Vec<ProfileState>,
    value_sets: Vec<ValueSetState>,
}

impl Tables {
    /// With the entries that the program itself gives.
    pub fn new(program: &Program) -> Tables {
        let profile = |index| ProfileState::new(program, ActionProfileId(index as u32));
        Tables {
            tables: program.tables.iter().map(|table| TableState::new(program, table)).collect(),
            profiles: (0..program.profiles.len()).map(profile).collect(),
            value_sets: program.value_sets.iter().map(|set| ValueSetState::new(program, set)).collect(),
        }
    }

    /// A table.
    #[inline]
    pub fn table(&self, id: TableId) -> &TableState {
        &self.tables[id.index()]
    }

    /// A table, to be changed.
    pub fn table_mut(&mut self, id: TableId) -> &mut TableState {
        &mut self.tables[id.index()]
    }

    /// An action profile or selector.
    #[inline]
    pub fn profile(&self, id: ActionProfileId) -> &ProfileState {
        &self.profiles[id.index()]
    }

    /// An action profile or selector, to be changed.
    pub fn profile_mut(&mut self, id: ActionProfileId) -> &mut ProfileState {
        &mut self.profiles[id.index()]
    }

    /// A value set.
    #[inline]
    pub fn value_set(&self, id: ValueSetId) -> &ValueSetState {
        &self.value_sets[id.index()]
    }

    /// A value set, to be changed.
    pub fn value_set_mut(&mut self, id: ValueSetId) -> &mut ValueSetState {
        &mut self.value_sets[id.index()]
    }

    /// The action behind what an entry or a default runs; `hash` is that of the `selector` keys. `None` for a member
    /// that is not there and a group without members: nothing is run then, as in BMv2.
    pub fn action<'a>(
        &'a self,
        profile: Option<ActionProfileId>,
        then: &'a Then,
        hash: u64,
    ) -> Option<&'a ActionValue> {
        match then {
            Then::Action(value) => Some(value),
            Then::Member(member) => self.profile(profile?).member(*member),
            Then::Group(group) => {
                let profile = self.profile(profile?);
                profile.member(profile.choose(*group, hash)?)
            }
        }
    }
}
