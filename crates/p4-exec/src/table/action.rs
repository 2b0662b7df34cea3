//! Actions of a table or profile, and their data as words.

use std::sync::Arc;

use super::TableError;
use super::key::{words_for, write_words};
use jettison_p4_front::ir::{ActionValue, Program, Table};

/// Data parameters of each action.
#[derive(Debug, Clone, Default)]
pub(super) struct ActionShapes {
    actions: Vec<ActionShape>,
    /// Maximum number of data words of any action.
    words: usize,
}

#[derive(Debug, Clone)]
struct ActionShape {
    name: Arc<str>,
    data: Vec<(Arc<str>, u32)>,
    default_only: bool,
    table_only: bool,
}

/// Context in which an action is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Entry,
    Default,
}

/// First word of an encoded entry action; the words of the action's data follow.
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

    /// Number of words of an encoded entry action: one, plus the data.
    #[inline]
    pub(super) fn stride(&self) -> usize {
        1 + self.words
    }

    pub(super) fn check(&self, value: &ActionValue, used: Option<Use>) -> Result<(), TableError> {
        let mismatch = |text: String| Err(TableError::Mismatch(text));
        let Some(action) = self.actions.get(value.action as usize) else {
            return mismatch(format!("unknown action number {}", value.action));
        };
        let name = &action.name;
        if used == Some(Use::Entry) && action.default_only {
            return mismatch(format!(
                "the action `{name}` is allowed only as the default action, not in entries"
            ));
        }
        if used == Some(Use::Default) && action.table_only {
            return mismatch(format!(
                "the action `{name}` is allowed only in entries, not as the default action"
            ));
        }
        if action.data.len() != value.data.len() {
            let (wanted, given) = (action.data.len(), value.data.len());
            let s = if wanted == 1 { "" } else { "s" };
            return mismatch(format!("the action `{name}` requires {wanted} value{s}, got {given}"));
        }
        for ((parameter, width), value) in action.data.iter().zip(&value.data) {
            if value.bits() > u64::from(*width) {
                return mismatch(format!(
                    "the parameter `{parameter}` of `{name}` must fit in {width} bits, got {value:#x}"
                ));
            }
        }
        Ok(())
    }

    /// Writes a checked action and its data.
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
