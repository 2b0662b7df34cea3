//! A program's objects by name.

use jettison_registry::suggestion;

use crate::fault::{Fault, invalid};
use crate::info::plain;
use crate::proto::info::{Action, MatchField, P4Info, Preamble, Table};

/// The names of a P4Info.
#[derive(Debug, Clone)]
pub struct Names {
    pub(super) info: P4Info,
}

/// Kinds of objects that have names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Table,
    Profile,
    Counter,
    Meter,
    Register,
    ValueSet,
    Digest,
}

impl Names {
    /// The names of a P4Info.
    pub fn new(info: P4Info) -> Names {
        Names { info }
    }

    /// Preambles of all objects of a kind.
    fn preambles(&self, kind: Kind) -> Vec<&Preamble> {
        let info = &self.info;
        fn all<T>(objects: &[T], preamble: fn(&T) -> &Option<Preamble>) -> Vec<&Preamble> {
            objects.iter().filter_map(|object| preamble(object).as_ref()).collect()
        }
        match kind {
            Kind::Table => all(&info.tables, |object| &object.preamble),
            Kind::Profile => all(&info.action_profiles, |object| &object.preamble),
            Kind::Counter => all(&info.counters, |object| &object.preamble),
            Kind::Meter => all(&info.meters, |object| &object.preamble),
            Kind::Register => all(&info.registers, |object| &object.preamble),
            Kind::ValueSet => all(&info.value_sets, |object| &object.preamble),
            Kind::Digest => all(&info.digests, |object| &object.preamble),
        }
    }

    /// Id of an object by its name.
    pub(super) fn id(&self, kind: Kind, name: &str) -> Result<u32, Fault> {
        let objects = self.preambles(kind);
        if let Some(found) = objects.iter().find(|preamble| is_named(preamble, name)) {
            return Ok(found.id);
        }
        let known = objects.iter().map(|preamble| preamble.alias.as_str());
        Err(invalid(format!("unknown {} `{name}`; {}", kind.word(), suggestion(name, known))))
    }

    /// Shortest unique name of an object by its id.
    pub(super) fn name(&self, kind: Kind, id: u32) -> String {
        let found = self.preambles(kind).into_iter().find(|preamble| preamble.id == id);
        found.map_or_else(|| id.to_string(), |preamble| preamble.alias.clone())
    }

    /// Checks that an object exists: `kind` is `table`, `counter`, `meter`, `register`, `profile`, `value set` or `digest`.
    ///
    /// # Errors
    /// If there is none; the text has the nearest name.
    pub fn check(&self, kind: &str, name: &str) -> Result<(), Fault> {
        let all = [
            Kind::Table,
            Kind::Profile,
            Kind::Counter,
            Kind::Meter,
            Kind::Register,
            Kind::ValueSet,
            Kind::Digest,
        ];
        let found = all.into_iter().find(|known| known.word() == kind);
        let found = found.ok_or_else(|| invalid(format!("unknown kind of object `{kind}`")))?;
        self.id(found, name).map(drop)
    }

    pub(super) fn table(&self, name: &str) -> Result<&Table, Fault> {
        let id = self.id(Kind::Table, name)?;
        let found = self.info.tables.iter().find(|table| id_of(&table.preamble) == id);
        found.ok_or_else(|| invalid(format!("unknown table `{name}`")))
    }

    pub(super) fn table_by_id(&self, id: u32) -> Option<&Table> {
        self.info.tables.iter().find(|table| id_of(&table.preamble) == id)
    }

    /// An action of these ids by its name.
    pub(super) fn action(&self, name: &str, ids: &[u32], of: &str) -> Result<&Action, Fault> {
        let allowed = || self.info.actions.iter().filter(|action| ids.contains(&id_of(&action.preamble)));
        let preambles = || allowed().filter_map(|action| action.preamble.as_ref());
        let named = |action: &&Action| action.preamble.as_ref().is_some_and(|own| is_named(own, name));
        allowed().find(named).ok_or_else(|| {
            let help = suggestion(name, preambles().map(|preamble| preamble.alias.as_str()));
            invalid(format!("{of} has no action `{name}`; {help}"))
        })
    }

    pub(super) fn action_by_id(&self, id: u32) -> Option<&Action> {
        self.info.actions.iter().find(|action| id_of(&action.preamble) == id)
    }

    /// Ids of the actions of a profile: those of its tables.
    pub(super) fn profile_actions(&self, profile: u32) -> Vec<u32> {
        let tables = self.info.tables.iter().filter(|table| table.implementation_id == profile);
        tables.flat_map(|table| table.action_refs.iter().map(|action| action.id)).collect()
    }
}

impl Kind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Table => "table",
            Kind::Profile => "profile",
            Kind::Counter => "counter",
            Kind::Meter => "meter",
            Kind::Register => "register",
            Kind::ValueSet => "value set",
            Kind::Digest => "digest",
        }
    }
}

pub(super) fn id_of(preamble: &Option<Preamble>) -> u32 {
    preamble.as_ref().map_or(0, |preamble| preamble.id)
}

pub(super) fn alias_of(preamble: &Option<Preamble>) -> String {
    preamble.as_ref().map_or_else(String::new, |preamble| preamble.alias.clone())
}

fn is_named(preamble: &Preamble, name: &str) -> bool {
    preamble.alias == name || plain(&preamble.name) == plain(name)
}

/// A match field by its name, or by the last part of it if no other field has the same.
pub(super) fn field<'f>(fields: &'f [MatchField], name: &str, of: &str) -> Result<&'f MatchField, Fault> {
    if let Some(found) = fields.iter().find(|field| field.name == name) {
        return Ok(found);
    }
    let suffix = |field: &&MatchField| field.name.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'));
    let mut short = fields.iter().filter(suffix);
    match (short.next(), short.next()) {
        (Some(found), None) => Ok(found),
        _ => {
            let help = suggestion(name, fields.iter().map(|field| field.name.as_str()));
            Err(invalid(format!("{of} has no match field `{name}`; {help}")))
        }
    }
}
