//! Catalogue and plot styles of all components that scenarios may name.

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

/// Name and style of a component in plots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appearance {
    /// The name in legends.
    pub name: &'static str,
    /// Colour and line.
    pub style: Style,
}

/// Applies one function to the registry of each kind, in catalogue order.
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

    /// Plot appearance by id and alias. A component of several kinds looks the same in all of them.
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
        // Authors choose an alias for their readers, so legends show it unchanged.
        found.extend(entry.aliases.iter().map(|alias| (*alias, Appearance { name: alias, style })));
    }
    found
}
