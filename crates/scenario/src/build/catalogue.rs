//! Everything that scenarios may name, as catalogues show it.

use jettison_dash::abr::abr_rules;
use jettison_link::registry::links;
use jettison_messages::path::path_controllers;
use jettison_registry::{EntryDoc, Kind, Registry};
use jettison_tcp::congestion::controllers;
use jettison_video::source::sources;

use super::Builder;

impl Builder {
    /// The entries of every kind, in the order of their lists.
    pub fn catalogue(&self) -> Vec<EntryDoc> {
        [
            docs(&self.disciplines),
            docs(&self.port_queues),
            docs(&self.transports),
            docs(&controllers()),
            docs(&path_controllers()),
            docs(&self.applications),
            docs(&abr_rules()),
            docs(&sources()),
            docs(&links()),
        ]
        .concat()
    }
}

fn docs<K: Kind>(registry: &Registry<K>) -> Vec<EntryDoc> {
    registry.iter().map(EntryDoc::of).collect()
}
