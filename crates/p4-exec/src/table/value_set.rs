//! Value sets of parsers.

use super::TableError;
use super::key::{KeyShapes, Pattern};
use jettison_p4_front::ir::{KeyMatch, Program, ValueSet};

/// Members of a value set. Sets are small, so a lookup tries all members.
#[derive(Debug, Clone)]
pub struct ValueSetState {
    keys: KeyShapes,
    size: u64,
    members: Vec<(Vec<KeyMatch>, Pattern)>,
}

impl ValueSetState {
    pub(super) fn new(program: &Program, set: &ValueSet) -> ValueSetState {
        let name = set.name.clone();
        let keys = set.keys.iter().map(|(ty, kind)| (name.clone(), *ty, *kind));
        ValueSetState {
            keys: KeyShapes::new(&program.types, keys),
            size: u64::from(set.size),
            members: Vec::new(),
        }
    }

    /// Adds a member, with one match criterion per field.
    ///
    /// # Errors
    ///
    /// If the set is full, already contains the member, or the member does not fit.
    pub fn insert(&mut self, member: Vec<KeyMatch>) -> Result<(), TableError> {
        let pattern = self.keys.pattern(&member)?;
        if self.members.iter().any(|(_, other)| other.identity(None) == pattern.identity(None)) {
            return Err(TableError::Duplicate);
        }
        if self.size > 0 && self.members.len() as u64 >= self.size {
            return Err(TableError::Full(self.size));
        }
        self.members.push((member, pattern));
        Ok(())
    }

    /// Removes a member.
    ///
    /// # Errors
    ///
    /// If the set does not contain the member.
    pub fn remove(&mut self, member: &[KeyMatch]) -> Result<(), TableError> {
        let identity = self.keys.pattern(member)?.identity(None);
        let at = self.members.iter().position(|(_, other)| other.identity(None) == identity);
        let at =
            at.ok_or_else(|| TableError::Mismatch("the value set does not contain this value".to_owned()))?;
        self.members.remove(at);
        Ok(())
    }

    /// Removes all members.
    pub fn clear(&mut self) {
        self.members.clear();
    }

    /// Members, in the order of insertion.
    pub fn members(&self) -> impl Iterator<Item = &[KeyMatch]> {
        self.members.iter().map(|(member, _)| &**member)
    }

    /// Whether a member matches these words (each field takes `width.div_ceil(64)` words, at least one).
    #[inline]
    pub fn matches(&self, key: &[u64]) -> bool {
        self.members.iter().any(|(_, pattern)| pattern.matches(key))
    }
}
