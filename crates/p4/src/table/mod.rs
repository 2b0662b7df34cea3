//! Tables, action profiles and value sets while they run.
//!
//! The control plane changes them between packets. A key is looked up as 64-bit words: each key of the table but the
//! `selector` ones takes `width.div_ceil(64)` words (at least one), lowest word first, in the table's order.

use thiserror::Error;

use crate::ir::{ActionValue, KeyMatch, Program, TableId};

/// The number of an entry within its table; not used again after a removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub u32);

/// An entry of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// One a key that is not a `selector`.
    pub keys: Vec<KeyMatch>,
    /// The larger wins where several match (after the longest prefix, where there is an `lpm` key); of equal ones, the
    /// one inserted first.
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

/// The tables of a program.
#[derive(Debug)]
pub struct Tables {
    tables: Vec<TableState>,
}

/// A table's entries and default.
#[derive(Debug)]
pub struct TableState {
    default: Then,
}

impl Tables {
    /// With the entries that the program itself gives.
    pub fn new(program: &Program) -> Tables {
        let tables =
            program.tables.iter().map(|table| TableState { default: Then::Action(table.default.clone()) });
        Tables { tables: tables.collect() }
    }

    /// A table.
    pub fn table(&self, id: TableId) -> &TableState {
        &self.tables[id.index()]
    }
}

impl TableState {
    /// What runs where nothing matches.
    pub fn default(&self) -> &Then {
        &self.default
    }
}
