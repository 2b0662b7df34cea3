//! The actions that a table or profile may run, and their data in words.

use std::sync::Arc;

use super::TableError;
use super::key::{words_for, write_words};
use jettison_p4_front::ir::{ActionValue, Program, Table};

/// What the control plane may give to each action.
#[derive(Debug, Clone, Default)]
pub(super) struct ActionShapes {
    actions: Vec<ActionShape>,
    /// The most words of data that any takes.
    words: usize,
}

#[derive(Debug, Clone)]
struct ActionShape {
    name: Arc<str>,
    data: Vec<(Arc<str>, u32)>,
    default_only: bool,
    table_only: bool,
}

/// Where an action is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Entry,
    Default,
}

/// The first word of what an entry runs; the words of the action's data follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coded {
    /// An action by its index.
    Action(u32),
    /// A member of the profile.
    Member(u32),
    /// A group of the profile.
    Group(u32),
}

impl Coded {
    const KIND: u32 = 32;

    #[inline]
    pub(super) fn word(self) -> u64 {
        match self {
            Coded::Action(index) => u64::from(index),
            Coded::Member(number) => 1 << Coded::KIND | u64::from(number),
            Coded::Group(number) => 2 << Coded::KIND | u64::from(number),
        }
    }

    #[inline]
    pub(crate) fn of(word: u64) -> Coded {
        match word >> Coded::KIND {
            0 => Coded::Action(word as u32),
            1 => Coded::Member(word as u32),
            _ => Coded::Group(word as u32),
        }
    }
}

impl ActionShapes {
    pub(super) fn new(program: &Program, table: &Table) -> ActionShapes {
        let actions = table.actions.iter().map(|action| {
            let width =
                |var: &jettison_p4_front::ir::VarId| program.types.bits(program.variables[var.index()].ty);
            ActionShape {
                name: action.name.clone(),
                data: action.data.iter().map(|(name, var)| (name.clone(), width(var))).collect(),
                default_only: action.default_only,
                table_only: action.table_only,
            }
        });
        let actions: Vec<ActionShape> = actions.collect();
        let words = |action: &ActionShape| action.data.iter().map(|(_, width)| words_for(*width)).sum();
        let words = actions.iter().map(words).max().unwrap_or(0);
        ActionShapes { actions, words }
    }

    /// Words that what an entry runs takes: one, and the data.
    #[inline]
    pub(super) fn stride(&self) -> usize {
        1 + self.words
    }

    pub(super) fn check(&self, value: &ActionValue, used: Option<Use>) -> Result<(), TableError> {
        let unfit = |text: String| Err(TableError::Unfit(text));
        let Some(action) = self.actions.get(value.action as usize) else {
            return unfit(format!("there is no action number {}", value.action));
        };
        let name = &action.name;
        if used == Some(Use::Entry) && action.default_only {
            return unfit(format!("the action `{name}` may be the default only, not an entry's"));
        }
        if used == Some(Use::Default) && action.table_only {
            return unfit(format!("the action `{name}` may be an entry's only, not the default"));
        }
        if action.data.len() != value.data.len() {
            let (wanted, given) = (action.data.len(), value.data.len());
            let s = if wanted == 1 { "" } else { "s" };
            return unfit(format!("the action `{name}` takes {wanted} value{s}, {given} given"));
        }
        for ((parameter, width), value) in action.data.iter().zip(&value.data) {
            if value.bits() > u64::from(*width) {
                return unfit(format!("`{parameter}` of `{name}` has {width} bits: {value:#x} is too wide"));
            }
        }
        Ok(())
    }

    /// Writes an action that has been checked, and its data.
    pub(super) fn write(&self, value: &ActionValue, words: &mut [u64]) {
        words.fill(0);
        words[0] = Coded::Action(value.action).word();
        let mut at = 1;
        for ((_, width), value) in self.actions[value.action as usize].data.iter().zip(&value.data) {
            let count = words_for(*width);
            write_words(value, &mut words[at..at + count]);
            at += count;
        }
    }
}
