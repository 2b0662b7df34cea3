//! The commands that a P4 router's control plane gives: `${…}` filled in, and read against the program.

use std::collections::BTreeMap;

use jettison_core::Time;
use jettison_p4_front::ir::Program;
use jettison_p4_front::source::Sources;
use jettison_p4_v1model::control::{Command, parse};
use jettison_wire::Address;

use crate::p4_program::P4Program;
use crate::schema::{P4Router, Settings};

/// Everything that a router's commands may name, and where each host is.
pub(crate) struct Places<'a> {
    /// The nodes' addresses.
    pub addresses: &'a BTreeMap<&'a str, Address>,
    /// The numbers of the router's ports, by the links that they are joined to.
    pub ports: BTreeMap<&'a str, u16>,
    /// Each host's address and the port that leads there.
    pub routes: &'a [(Address, u16)],
}

/// Where a command stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// In the file of commands, in this line (from 1) and column.
    File(usize, usize),
    /// In `control`, at this place.
    Control(usize),
    /// In `route`.
    Route,
    /// In `later`, at this place, and there in `control`.
    Later(usize, usize),
}

/// A command that cannot be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    pub written: Written,
    pub message: String,
    pub hint: Option<String>,
}

/// All commands with their times, in order, and where each stands.
#[derive(Debug, Default)]
pub(crate) struct Planned {
    pub commands: Vec<(Time, Command)>,
    pub written: Vec<Written>,
}

/// The numbers of a router's ports: in the order of the scenario's links.
pub(crate) fn ports<'s>(settings: &'s Settings, router: &str) -> BTreeMap<&'s str, u16> {
    let links = settings.links.iter().filter(|(_, link)| link.between.iter().any(|end| end == router));
    links.zip(0..).map(|((name, _), port)| (name.as_str(), port)).collect()
}

/// The commands of a router; none if no link joins it, for its ports then mean nothing.
pub(crate) fn plan(
    router: &P4Router,
    read: &P4Program,
    places: &Places<'_>,
) -> Result<Planned, Vec<Refused>> {
    let mut reader =
        Reader { program: &read.program, places, planned: Planned::default(), refused: Vec::new() };
    if let Some((_, text)) = &read.commands {
        reader.script(text, Time::ZERO, &[], Written::File);
    }
    for (index, line) in router.control.iter().enumerate() {
        reader.script(line, Time::ZERO, &[], |_, _| Written::Control(index));
    }
    for (address, port) in places.routes.iter().filter(|_| router.route.is_some()) {
        let own = [("address", address.to_string()), ("port", port.to_string())];
        let line = router.route.as_deref().unwrap_or_default();
        reader.script(line, Time::ZERO, &own, |_, _| Written::Route);
    }
    for (place, later) in router.later.iter().enumerate() {
        for (index, line) in later.control.iter().enumerate() {
            reader.script(line, later.at, &[], |_, _| Written::Later(place, index));
        }
    }
    if reader.refused.is_empty() { Ok(reader.planned) } else { Err(reader.refused) }
}

struct Reader<'a> {
    program: &'a Program,
    places: &'a Places<'a>,
    planned: Planned,
    refused: Vec<Refused>,
}

impl Reader<'_> {
    /// Reads some lines; `own` are names that stand for something in them alone.
    fn script(
        &mut self,
        text: &str,
        at: Time,
        own: &[(&str, String)],
        written: impl Fn(usize, usize) -> Written,
    ) {
        let filled = match self.filled(text, own) {
            Ok(filled) => filled,
            Err((offset, name)) => {
                let line = text[..offset].matches('\n').count() + 1;
                let placeholder = format!("${{{name}}}");
                let message = format!("unknown placeholder `{placeholder}`");
                let hint = self.known(own);
                let refused = Refused { written: written(line, 1), message, hint: Some(hint) };
                return self.refused.push(refused);
            }
        };
        let mut sources = Sources::default();
        let file = sources.add("commands", filled);
        match parse(&sources, file, self.program) {
            Ok(located) => {
                for each in located {
                    let (line, column) = sources.position(each.span);
                    self.planned.commands.push((at, each.command));
                    self.planned.written.push(written(line, column));
                }
            }
            Err(diagnostics) => {
                for each in diagnostics {
                    let (line, column) = each.span.map_or((1, 1), |span| sources.position(span));
                    let (message, hint) = (each.message, each.hint);
                    self.refused.push(Refused { written: written(line, column), message, hint });
                }
            }
        }
    }

    /// The text with every `${name}` replaced, or the place and the name of one that stands for nothing.
    fn filled(&self, text: &str, own: &[(&str, String)]) -> Result<String, (usize, String)> {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once("${") {
            filled.push_str(before);
            let offset = text.len() - behind.len();
            let Some((name, after)) = behind.split_once('}') else {
                return Err((offset, behind.lines().next().unwrap_or_default().to_owned()));
            };
            filled.push_str(&self.value(name.trim(), own).ok_or((offset, name.to_owned()))?);
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }

    fn value(&self, name: &str, own: &[(&str, String)]) -> Option<String> {
        if let Some((_, value)) = own.iter().find(|(own, _)| *own == name) {
            return Some(value.clone());
        }
        match name.split_once('.')? {
            ("address", node) => self.places.addresses.get(node).map(Address::to_string),
            ("port", link) => self.places.ports.get(link).map(u16::to_string),
            _ => None,
        }
    }

    fn known(&self, own: &[(&str, String)]) -> String {
        let own = own.iter().map(|(name, _)| (*name).to_owned());
        let nodes = self.places.addresses.keys().map(|node| format!("address.{node}"));
        let ports = self.places.ports.keys().map(|link| format!("port.{link}"));
        let names: Vec<String> = own.chain(ports).chain(nodes).map(|name| format!("${{{name}}}")).collect();
        format!("known: {}", names.join(", "))
    }
}
