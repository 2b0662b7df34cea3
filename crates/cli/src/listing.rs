//! What `jettison list` lists.

use std::ffi::OsStr;

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, ValueEnum};
use jettison_scenario::build::Builder;

/// A list that `jettison list` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Listing {
    /// Queue disciplines
    Queues,
    /// Transports
    Transports,
    /// Congestion controllers of TCP
    Controllers,
    /// Congestion controllers of the Octopus transport
    PathControllers,
    /// Applications
    Applications,
    /// Bitrate adaptation rules of DASH players
    Abr,
    /// Players of DASH
    Players,
    /// Encoders for real-time video
    Encoders,
    /// Link models
    Links,
    /// Reasons for drops and marks
    Reasons,
    /// Metrics in results
    Metrics,
    /// Gauges: internal state of components, which can be sampled
    Gauges,
    /// Scenarios that `run` finds by name; with a name, its text
    Presets,
}

impl Listing {
    /// The kind's name in the catalogue; `None` for listings that are not of components.
    pub fn kind(self) -> Option<&'static str> {
        match self {
            Listing::Queues => Some("queue"),
            Listing::Transports => Some("transport"),
            Listing::Controllers => Some("controller"),
            Listing::PathControllers => Some("path-controller"),
            Listing::Applications => Some("application"),
            Listing::Abr => Some("abr"),
            Listing::Players => Some("player"),
            Listing::Encoders => Some("encoder"),
            Listing::Links => Some("link"),
            Listing::Reasons | Listing::Metrics | Listing::Gauges | Listing::Presets => None,
        }
    }
}

/// Reads a [`Listing`]; for the id of a component the error says what it is and how to list it.
#[derive(Debug, Clone)]
pub struct ListingParser;

impl TypedValueParser for ListingParser {
    type Value = Listing;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Listing, clap::Error> {
        let unknown = match EnumValueParser::<Listing>::new().parse_ref(command, argument, value) {
            Ok(listing) => return Ok(listing),
            Err(error) => error,
        };
        let kinds = value.to_str().map(listings_with).unwrap_or_default();
        if kinds.is_empty() {
            return Err(unknown);
        }
        let id = value.to_string_lossy();
        let advice: Vec<String> = kinds
            .iter()
            .map(|(kind, listing)| format!("`{id}` is a {kind}: jettison list {listing} {id}"))
            .collect();
        Err(command.clone().error(ErrorKind::InvalidValue, advice.join("\n       ")))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Listing::value_variants().iter().filter_map(ValueEnum::to_possible_value)))
    }
}

/// The kinds of components that have this id, with the name of their listing.
fn listings_with(id: &str) -> Vec<(&'static str, String)> {
    let catalogue = Builder::standard().catalogue();
    let has = |kind: &str| {
        catalogue.iter().any(|entry| entry.kind == kind && (entry.id == id || entry.aliases.contains(&id)))
    };
    let found = Listing::value_variants().iter().filter_map(|listing| {
        let kind = listing.kind().filter(|kind| has(kind))?;
        Some((kind, listing.to_possible_value()?.get_name().to_owned()))
    });
    found.collect()
}
