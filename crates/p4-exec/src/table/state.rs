//! Entries and default action of one table.

use jettison_core::Time;
use rustc_hash::FxHashMap;

use super::action::{ActionShapes, Coded, Use};
use super::index::{Index, Rank};
use super::key::{KeyShapes, Pattern};
use super::{Entry, EntryAction, Handle, TableError};
use jettison_p4_front::ir::{KeyMatch, Program, Table};

/// Entries and default action of a table.
#[derive(Debug, Clone)]
pub struct TableState {
    keys: KeyShapes,
    actions: ActionShapes,
    has_profile: bool,
    has_groups: bool,
    size: Option<u64>,
    entries_are_const: bool,
    default_is_const: bool,

    /// Entries by handle.
    entries: Vec<Option<Entry>>,
    count: usize,
    index: Index,
    /// Handles by [`Pattern::identity`].
    known: FxHashMap<Box<[u64]>, Handle>,
    /// Encoded action of each entry, [`ActionShapes::stride`] words per entry.
    coded: Vec<u64>,

    first_default: EntryAction,
    default: EntryAction,
    coded_default: Vec<u64>,

    /// Time of each entry's last hit, if the table supports timeouts.
    hits: Option<Vec<Time>>,
}

impl TableState {
    /// Creates the state with the entries of the program. Of two entries with the same key, the first stays, because it
    /// is the one that would match (§14.2.1.4).
    pub(super) fn new(program: &Program, table: &Table) -> TableState {
        let keys = table.keys.iter().map(|key| (key.name.clone(), key.expr.ty, key.kind));
        let keys = KeyShapes::new(&program.types, keys);
        let actions = ActionShapes::new(program, table);
        let default = EntryAction::Action(table.default.clone());
        let profile = table.profile.map(|id| &program.profiles[id.index()]);
        let mut state = TableState {
            hits: None,
            index: Index::new(&keys),
            coded_default: vec![0; actions.stride()],
            keys,
            actions,
            has_profile: profile.is_some(),
            has_groups: profile.is_some_and(|profile| profile.selector.is_some()),
            size: table.size.filter(|size| *size > 0),
            entries_are_const: table.entries_are_const,
            default_is_const: table.default_is_const,
            entries: Vec::new(),
            count: 0,
            known: FxHashMap::default(),
            coded: Vec::new(),
            first_default: default.clone(),
            default,
        };
        state.code_default();
        for entry in &table.entries {
            let action = EntryAction::Action(entry.action.clone());
            let entry = Entry { keys: entry.keys.clone(), priority: entry.priority, action };
            let added = state.add(entry);
            debug_assert!(
                matches!(added, Ok(_) | Err(TableError::Duplicate)),
                "the checker rejects invalid entries: {added:?}"
            );
        }
        state
    }

    /// Adds an entry.
    ///
    /// # Errors
    ///
    /// If the entries are `const`, the table is full, the key already exists, or the entry does not fit.
    pub fn insert(&mut self, entry: Entry) -> Result<Handle, TableError> {
        if self.entries_are_const {
            return Err(TableError::ConstEntries);
        }
        if let Some(size) = self.size.filter(|size| self.count as u64 >= *size) {
            return Err(TableError::Full(size));
        }
        self.add(entry)
    }

    /// Changes the action of an entry.
    ///
    /// # Errors
    ///
    /// If the entries are `const`, the entry does not exist, or the action does not fit.
    pub fn modify(&mut self, handle: Handle, action: EntryAction) -> Result<(), TableError> {
        if self.entries_are_const {
            return Err(TableError::ConstEntries);
        }
        self.check(&action, Use::Entry)?;
        let entry = self.entries.get_mut(handle.0 as usize).and_then(Option::as_mut);
        entry.ok_or(TableError::NoEntry(handle.0))?.action = action;
        self.code(handle);
        Ok(())
    }

    /// Removes an entry.
    ///
    /// # Errors
    ///
    /// If the entries are `const` or the entry does not exist.
    pub fn remove(&mut self, handle: Handle) -> Result<Entry, TableError> {
        if self.entries_are_const {
            return Err(TableError::ConstEntries);
        }
        let entry = self.entries.get_mut(handle.0 as usize).and_then(Option::take);
        let entry = entry.ok_or(TableError::NoEntry(handle.0))?;
        let pattern = self.keys.pattern(&entry.keys)?;
        self.index.remove(&pattern, self.rank(&pattern, &entry, handle));
        self.known.remove(&self.identity(&pattern, &entry));
        self.count -= 1;
        Ok(entry)
    }

    /// Removes all entries.
    ///
    /// # Errors
    ///
    /// If the entries are `const`.
    pub fn clear(&mut self) -> Result<(), TableError> {
        if self.entries_are_const {
            return Err(TableError::ConstEntries);
        }
        self.entries.fill_with(|| None);
        self.count = 0;
        self.known.clear();
        self.index = Index::new(&self.keys);
        Ok(())
    }

    /// Sets the default action.
    ///
    /// # Errors
    ///
    /// If the default action is `const` or does not fit.
    pub fn set_default(&mut self, action: EntryAction) -> Result<(), TableError> {
        if self.default_is_const {
            return Err(TableError::ConstDefault);
        }
        self.check(&action, Use::Default)?;
        self.default = action;
        self.code_default();
        Ok(())
    }

    /// Resets the default action to that of the program.
    pub fn reset_default(&mut self) {
        self.default = self.first_default.clone();
        self.code_default();
    }

    /// Default action.
    pub fn default(&self) -> &EntryAction {
        &self.default
    }

    /// The entry with this key (and priority, if the table has priorities).
    ///
    /// # Errors
    ///
    /// If the key does not fit the table.
    pub fn find(&self, keys: &[KeyMatch], priority: i64) -> Result<Option<Handle>, TableError> {
        let pattern = self.keys.pattern(keys)?;
        let identity = pattern.identity(self.keys.prioritized.then_some(priority));
        Ok(self.known.get(&identity).copied())
    }

    /// Remembers from now on when each entry was last hit.
    pub(super) fn remember_hits(&mut self) {
        self.hits = Some(Vec::new());
    }

    /// Records a hit, if the table remembers them.
    #[inline]
    pub(crate) fn hit(&mut self, handle: Handle, now: Time) {
        let Some(hits) = &mut self.hits else { return };
        let at = handle.0 as usize;
        if at >= hits.len() {
            hits.resize(at + 1, Time::ZERO);
        }
        hits[at] = now;
    }

    /// Time of an entry's last hit; zero if there was none or the table does not support timeouts.
    pub fn last_hit(&self, handle: Handle) -> Time {
        let hits = self.hits.as_deref().unwrap_or_default();
        hits.get(handle.0 as usize).copied().unwrap_or(Time::ZERO)
    }

    /// An entry.
    pub fn entry(&self, handle: Handle) -> Option<&Entry> {
        self.entries.get(handle.0 as usize)?.as_ref()
    }

    /// All entries, in the order of insertion.
    pub fn entries(&self) -> impl Iterator<Item = (Handle, &Entry)> {
        let numbered = self.entries.iter().enumerate();
        numbered.filter_map(|(number, entry)| Some((Handle(number as u32), entry.as_ref()?)))
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Number of words of a key.
    pub fn key_words(&self) -> usize {
        self.keys.words
    }

    /// The matching entry, found by the index.
    #[inline]
    pub fn lookup(&self, key: &[u64]) -> Option<Handle> {
        self.index.lookup(key).map(Handle)
    }

    /// The matching entry, found by trying all entries; the reference for [`TableState::lookup`].
    pub fn lookup_linear(&self, key: &[u64]) -> Option<Handle> {
        let matching = self.entries().filter(|(_, entry)| self.keys.matches(&entry.keys, key));
        let ranked = matching.filter_map(|(handle, entry)| {
            let pattern = self.keys.pattern(&entry.keys).ok()?;
            Some((self.rank(&pattern, entry, handle), handle))
        });
        ranked.max_by_key(|(rank, _)| *rank).map(|(_, handle)| handle)
    }

    /// Encoded action of an entry: a [`Coded`] word and the data.
    #[inline]
    pub(crate) fn coded(&self, handle: Handle) -> &[u64] {
        let stride = self.actions.stride();
        &self.coded[handle.0 as usize * stride..][..stride]
    }

    /// Encoded default action, likewise.
    #[inline]
    pub(crate) fn coded_default(&self) -> &[u64] {
        &self.coded_default
    }

    fn add(&mut self, entry: Entry) -> Result<Handle, TableError> {
        let pattern = self.keys.pattern(&entry.keys)?;
        self.check(&entry.action, Use::Entry)?;
        let identity = self.identity(&pattern, &entry);
        if self.known.contains_key(&identity) {
            return Err(TableError::Duplicate);
        }
        let Ok(number) = u32::try_from(self.entries.len()) else {
            return Err(TableError::Full(u64::from(u32::MAX)));
        };
        let handle = Handle(number);
        let rank = self.rank(&pattern, &entry, handle);
        self.index.insert(pattern, rank);
        self.known.insert(identity, handle);
        self.entries.push(Some(entry));
        self.coded.resize(self.entries.len() * self.actions.stride(), 0);
        self.code(handle);
        self.count += 1;
        Ok(handle)
    }

    fn rank(&self, pattern: &Pattern, entry: &Entry, handle: Handle) -> Rank {
        Rank::new(pattern.prefix, entry.priority, handle.0)
    }

    fn identity(&self, pattern: &Pattern, entry: &Entry) -> Box<[u64]> {
        pattern.identity(self.keys.prioritized.then_some(entry.priority))
    }

    fn check(&self, action: &EntryAction, used: Use) -> Result<(), TableError> {
        match action {
            EntryAction::Action(value) => self.actions.check(value, Some(used)),
            EntryAction::Member(_) if !self.has_profile => {
                Err(TableError::Mismatch("the table has no action profile, so it has no members".to_owned()))
            }
            EntryAction::Group(_) if !self.has_groups => {
                Err(TableError::Mismatch("the table has no action selector, so it has no groups".to_owned()))
            }
            EntryAction::Member(_) | EntryAction::Group(_) => Ok(()),
        }
    }

    fn code(&mut self, handle: Handle) {
        let stride = self.actions.stride();
        let words = &mut self.coded[handle.0 as usize * stride..][..stride];
        if let Some(entry) = &self.entries[handle.0 as usize] {
            write_coded(&self.actions, &entry.action, words);
        }
    }

    fn code_default(&mut self) {
        write_coded(&self.actions, &self.default, &mut self.coded_default);
    }
}

fn write_coded(actions: &ActionShapes, action: &EntryAction, words: &mut [u64]) {
    match action {
        EntryAction::Action(value) => actions.write(value, words),
        EntryAction::Member(number) => words[0] = Coded::Member(*number).word(),
        EntryAction::Group(number) => words[0] = Coded::Group(*number).word(),
    }
}
