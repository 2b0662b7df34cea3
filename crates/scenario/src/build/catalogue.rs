//! Catalogue and plot styles of all components that scenarios may name.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jettison_dash::abr::abr_rules;
use jettison_dash::profile::player_profiles;
use jettison_link::links;
use jettison_messages::path::path_controllers;
use jettison_registry::style::Style;
use jettison_registry::{EntryDoc, Kind, Registry};
use jettison_tcp::congestion::controllers;
use jettison_video::source::sources;

use super::Builder;
use super::variations::variations;

/// Name and style of a component in plots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appearance {
    /// The name in legends.
    pub name: Cow<'static, str>,
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
            $each(&player_profiles()),
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

    /// Appearances in plots, by id and alias. A component of several kinds looks the same in all of them.
    pub fn appearances(&self) -> Appearances {
        let mut known = BTreeMap::new();
        for (id, appearance) in of_every_kind!(self, appearances).concat().into_iter().chain(variations()) {
            known.entry(id).or_insert(appearance);
        }
        Appearances(known)
    }
}

/// Appearances in plots, by id and alias.
#[derive(Debug, Clone)]
pub struct Appearances(BTreeMap<&'static str, Appearance>);

impl Appearances {
    /// All of them, by id.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Appearance)> {
        self.0.iter().map(|(id, appearance)| (*id, appearance))
    }

    /// The appearance of a scheme: its own, or that of its family in a shade by size (`ired-64` is iRED 64).
    pub fn of(&self, scheme: &str) -> Option<Appearance> {
        if let Some(own) = self.0.get(scheme) {
            return Some(own.clone());
        }
        let (family, digits) = scheme.rsplit_once('-')?;
        let size: u64 = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        let Appearance { name, style } = self.0.get(family)?;
        let name = Cow::Owned(format!("{name} {size}"));
        Some(Appearance { name, style: Style { colour: style.colour.of_size(size), ..*style } })
    }
}

fn docs<K: Kind>(registry: &Registry<K>) -> Vec<EntryDoc> {
    registry.iter().map(EntryDoc::of).collect()
}

fn appearances<K: Kind>(registry: &Registry<K>) -> Vec<(&'static str, Appearance)> {
    let mut found = Vec::new();
    for entry in registry.iter() {
        let Some(style) = entry.style else { continue };
        found.push((entry.id, Appearance { name: Cow::Borrowed(entry.name), style }));
        // Authors choose an alias for their readers, so legends show it unchanged.
        found.extend(
            entry.aliases.iter().map(|alias| (*alias, Appearance { name: Cow::Borrowed(alias), style })),
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_of_a_family_has_its_hue_and_its_name_with_the_size() {
        let known = Builder::standard().appearances();
        let family = known.of("ired").expect("it is registered");
        let member = known.of("ired-1024").expect("its family is registered");
        assert_eq!((member.name.as_ref(), member.style.line), ("iRED 1024", family.style.line));
        assert_eq!(member.style.colour, family.style.colour.of_size(1024));
        for scheme in ["ired-", "ired-+4", "ired-6x", "mine-64", "mine", "-64", ""] {
            assert_eq!(known.of(scheme), None, "{scheme}");
        }
        // A name of its own comes before the family's.
        assert_eq!(known.of("ired-direct").expect("it is a variation").name, "iRED, direct");
    }
}
