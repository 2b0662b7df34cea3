//! `jettison list`.

use jettison_apps::registry::applications;
use jettison_core::{Catalogue, ParameterDoc, parameter_docs};
use jettison_dash::abr::abr_rules;
use jettison_link::registry::links;
use jettison_messages::path::path_controllers;
use jettison_queue::registry::disciplines;
use jettison_sockets::transports;
use jettison_switch::registry::port_queues;
use jettison_tcp::congestion::controllers;
use jettison_video::source::sources;
use serde::Serialize;

use crate::options::Listing;
use crate::output::{Failure, print, print_record, width};

/// One entry of a registry.
#[derive(Debug, Serialize)]
struct Entry {
    id: &'static str,
    summary: &'static str,
    source: &'static str,
    parameters: Vec<ParameterDoc>,
}

/// Lists a registry: id first, then parameters, defaults, units, source document.
pub fn list(what: Listing, json: bool) -> Result<(), Failure> {
    let entries: Vec<Entry> = match what {
        Listing::Queues => disciplines().iter().map(entry).chain(port_queues().iter().map(entry)).collect(),
        Listing::Transports => transports().iter().map(entry).collect(),
        Listing::Controllers => controllers().iter().map(entry).collect(),
        Listing::PathControllers => path_controllers().iter().map(entry).collect(),
        Listing::Applications => applications().iter().map(entry).collect(),
        Listing::Abr => abr_rules().iter().map(entry).collect(),
        Listing::Encoders => sources().iter().map(entry).collect(),
        Listing::Links => links().iter().map(entry).collect(),
        Listing::Reasons => return super::declared::reasons(json),
        Listing::Metrics => return super::declared::metrics(json),
        Listing::Gauges => return super::declared::gauges(json),
    };
    for (index, entry) in entries.iter().enumerate() {
        if json {
            print_record(entry)?;
        } else {
            print(format_args!("{}{}", if index == 0 { "" } else { "\n" }, text(entry, width())))?;
        }
    }
    Ok(())
}

fn entry(entry: &impl Catalogue) -> Entry {
    Entry {
        id: entry.id(),
        summary: entry.summary(),
        source: entry.source(),
        parameters: parameter_docs(&entry.schema()),
    }
}

fn text(entry: &Entry, width: usize) -> String {
    let mut text = format!("{}  {}\n  source: {}\n", entry.id, entry.summary, entry.source);
    let longest = |of: &dyn Fn(&ParameterDoc) -> usize| entry.parameters.iter().map(of).max().unwrap_or(0);
    let name_width = longest(&|p| p.name.chars().count());
    let default_width = longest(&|p| shown_default(p).chars().count()).min(24);
    let unit_width = longest(&|p| p.unit.chars().count()).min(24);
    for parameter in &entry.parameters {
        let head = format!(
            "  {:<name_width$}  {:<default_width$}  {:<unit_width$}  ",
            parameter.name,
            shown_default(parameter),
            parameter.unit,
        );
        let indent = 6;
        text.push_str(head.trim_end());
        text.push('\n');
        for line in wrap(&parameter.description, width.saturating_sub(indent)) {
            text.push_str(&format!("{:indent$}{line}\n", ""));
        }
    }
    text
}

fn shown_default(parameter: &ParameterDoc) -> String {
    parameter.default.clone().unwrap_or_else(|| "–".to_owned())
}

/// Breaks text at blanks so that no line passes `width` characters, where words allow.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
