//! One table's entries and default.

use rustc_hash::FxHashMap;

use super::action::{ActionShapes, Coded, Use};
use super::index::{Index, Rank};
use super::key::{KeyShapes, Pattern};
use super::{Entry, Handle, TableError, Then};
use jettison_p4_front::ir::{Program, Table};

/// A table's entries and default.
#[derive(Debug, Clone)]
pub struct TableState {
    keys: KeyShapes,
    actions: ActionShapes,
    has_profile: bool,
    has_groups: bool,
    size: Option<u64>,
    entries_are_const: bool,
    default_is_const: bool,

    /// By handle.
    entries: Vec<Option<Entry>>,
    count: usize,
    index: Index,
    /// Handles by [`Pattern::identity`].
    known: FxHashMap<Box<[u64]>, Handle>,
    /// What each entry runs, [`ActionShapes::stride`] words an entry.
    coded: Vec<u64>,

    first_default: Then,
    default: Then,
    coded_default: Vec<u64>,
}

impl TableState {
    /// With the entries that the program itself gives. Of two with the same key the first stays: it is the one that
    /// would match (§14.2.1.4).
    pub(super) fn new(program: &Program, table: &Table) -> TableState {
        let keys = table.keys.iter().map(|key| (key.name.clone(), key.expr.ty, key.kind));
        let keys = KeyShapes::new(&program.types, keys);
        let actions = ActionShapes::new(program, table);
        let default = Then::Action(table.default.clone());
        let profile = table.profile.map(|id| &program.profiles[id.index()]);
        let mut state = TableState {
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
            let then = Then::Action(entry.action.clone());
            let entry = Entry { keys: entry.keys.clone(), priority: entry.priority, then };
            let added = state.add(entry);
            debug_assert!(
                matches!(added, Ok(_) | Err(TableError::Duplicate)),
                "the checker lets none pass: {added:?}"
            );
        }
        state
    }

    /// Adds an entry.
    ///
    /// # Errors
    ///
    /// If the entries are `const`, the table is full, the key is there already, or the entry does not fit.
    pub fn insert(&mut self, entry: Entry) -> Result<Handle, TableError> {
        if self.entries_are_const {
            return Err(TableError::ConstEntries);
        }
        if let Some(size) = self.size.filter(|size| self.count as u64 >= *size) {
            return Err(TableError::Full(size));
        }
        self.add(entry)
    }

    /// Changes what an entry runs.
    ///
    /// # Errors
    ///
    /// If the entries are `const`, there is no such entry, or the action does not fit.
    pub fn modify(&mut self, handle: Handle, then: Then) -> Result<(), TableError> {
        if self.entries_are_const {
            return Err(TableError::ConstEntries);
        }
        self.check(&then, Use::Entry)?;
        let entry = self.entries.get_mut(handle.0 as usize).and_then(Option::as_mut);
        entry.ok_or(TableError::NoEntry(handle.0))?.then = then;
        self.code(handle);
        Ok(())
    }

    /// Takes an entry out.
    ///
    /// # Errors
    ///
    /// If the entries are `const` or there is no such entry.
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

    /// Takes all entries out.
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

    /// Sets what runs where nothing matches.
    ///
    /// # Errors
    ///
    /// If the default is `const` or does not fit.
    pub fn set_default(&mut self, then: Then) -> Result<(), TableError> {
        if self.default_is_const {
            return Err(TableError::ConstDefault);
        }
        self.check(&then, Use::Default)?;
        self.default = then;
        self.code_default();
        Ok(())
    }

    /// The default becomes what the program gives.
    pub fn reset_default(&mut self) {
        self.default = self.first_default.clone();
        self.code_default();
    }

    /// What runs where nothing matches.
    pub fn default(&self) -> &Then {
        &self.default
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

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Words of a key.
    pub fn key_words(&self) -> usize {
        self.keys.words
    }

    /// The entry that matches, by the index.
    #[inline]
    pub fn lookup(&self, key: &[u64]) -> Option<Handle> {
        self.index.lookup(key).map(Handle)
    }

    /// The entry that matches, by trying all: what [`TableState::lookup`] is held to.
    pub fn lookup_linear(&self, key: &[u64]) -> Option<Handle> {
        let matching = self.entries().filter(|(_, entry)| self.keys.matches(&entry.keys, key));
        let ranked = matching.filter_map(|(handle, entry)| {
            let pattern = self.keys.pattern(&entry.keys).ok()?;
            Some((self.rank(&pattern, entry, handle), handle))
        });
        ranked.max_by_key(|(rank, _)| *rank).map(|(_, handle)| handle)
    }

    /// What an entry runs: a [`Coded`] word and the data.
    #[inline]
    pub(crate) fn coded(&self, handle: Handle) -> &[u64] {
        let stride = self.actions.stride();
        &self.coded[handle.0 as usize * stride..][..stride]
    }

    /// What the default runs, likewise.
    #[inline]
    pub(crate) fn coded_default(&self) -> &[u64] {
        &self.coded_default
    }

    fn add(&mut self, entry: Entry) -> Result<Handle, TableError> {
        let pattern = self.keys.pattern(&entry.keys)?;
        self.check(&entry.then, Use::Entry)?;
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

    fn check(&self, then: &Then, used: Use) -> Result<(), TableError> {
        match then {
            Then::Action(value) => self.actions.check(value, Some(used)),
            Then::Member(_) if !self.has_profile => {
                Err(TableError::Unfit("the table has no action profile, so no members".to_owned()))
            }
            Then::Group(_) if !self.has_groups => {
                Err(TableError::Unfit("the table has no action selector, so no groups".to_owned()))
            }
            Then::Member(_) | Then::Group(_) => Ok(()),
        }
    }

    fn code(&mut self, handle: Handle) {
        let stride = self.actions.stride();
        let words = &mut self.coded[handle.0 as usize * stride..][..stride];
        if let Some(entry) = &self.entries[handle.0 as usize] {
            write_coded(&self.actions, &entry.then, words);
        }
    }

    fn code_default(&mut self) {
        write_coded(&self.actions, &self.default, &mut self.coded_default);
    }
}

fn write_coded(actions: &ActionShapes, then: &Then, words: &mut [u64]) {
    match then {
        Then::Action(value) => actions.write(value, words),
        Then::Member(number) => words[0] = Coded::Member(*number).word(),
        Then::Group(number) => words[0] = Coded::Group(*number).word(),
    }
}
