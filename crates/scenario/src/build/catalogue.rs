//! Everything that scenarios may name, as catalogues show it and plots draw it.

use std::collections::BTreeMap;

use jettison_dash::abr::abr_rules;
use jettison_link::links;
use jettison_messages::path::path_controllers;
use jettison_registry::style::Style;
use jettison_registry::{EntryDoc, Kind, Registry};
use jettison_tcp::congestion::controllers;
use jettison_video::source::sources;

use super::Builder;
use super::variations::variations;

/// What plots call a component, and how they draw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appearance {
    /// The name in legends.
    pub name: &'static str,
    /// Colour and line.
    pub style: Style,
}

/// Does the same with the registry of every kind, in the order in which catalogues list them.
macro_rules! of_every_kind {
    ($builder:ident, $each:expr) => {
        [
            $each(&$builder.disciplines),
            $each(&$builder.port_queues),
            $each(&$builder.transports),
            $each(&controllers()),
            $each(&path_controllers()),
            $each(&$builder.applications),
            $each(&abr_rules()),
            $each(&sources()),
            $each(&links()),
        ]
    };
}

impl Builder {
    /// The entries of every kind, in the order of their lists.
    pub fn catalogue(&self) -> Vec<EntryDoc> {
        of_every_kind!(self, docs).concat()
    }

    /// How plots draw what is named after a component or a variation of one, by id and by alias. A component of several kinds
    /// looks the same in all, and has the name of the first.
    pub fn appearances(&self) -> BTreeMap<&'static str, Appearance> {
        let mut known = BTreeMap::new();
        for (id, appearance) in of_every_kind!(self, appearances).concat().into_iter().chain(variations()) {
            known.entry(id).or_insert(appearance);
        }
        known
    }
}

fn docs<K: Kind>(registry: &Registry<K>) -> Vec<EntryDoc> {
    registry.iter().map(EntryDoc::of).collect()
}

fn appearances<K: Kind>(registry: &Registry<K>) -> Vec<(&'static str, Appearance)> {
    let mut found = Vec::new();
    for entry in registry.iter() {
        let Some(style) = entry.style else { continue };
        found.push((entry.id, Appearance { name: entry.name, style }));
        // An alias says what the variant is to its readers: it stays as it is.
        found.extend(entry.aliases.iter().map(|alias| (*alias, Appearance { name: alias, style })));
    }
    found
}
