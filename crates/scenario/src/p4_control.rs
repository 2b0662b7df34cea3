//! Control-plane commands of P4 routers: placeholders `${…}` are replaced, commands parsed against the program.

use std::collections::{BTreeMap, BTreeSet};

use jettison_core::Time;
use jettison_p4_front::ir::Program;
use jettison_p4_front::source::Sources;
use jettison_p4_v1model::control::{Command, parse};
use jettison_registry::nearest;
use jettison_wire::Address;

use crate::p4_entities;
use crate::p4_program::P4Program;
use crate::schema::{Link, P4Router, Settings};

/// The names available to a router's commands, and its routes.
pub(crate) struct CommandNames<'a> {
    /// The nodes' addresses.
    pub addresses: &'a BTreeMap<&'a str, Address>,
    /// Port numbers of the router, by link.
    pub ports: BTreeMap<&'a str, u16>,
    /// Address of each host and the port towards it.
    pub routes: &'a [(Address, u16)],
}

/// The place of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandPlace {
    /// In the file of commands: line and column, from 1.
    File(usize, usize),
    /// An entity of the file of entities, at this index of [`CommandPlan::entities`].
    Entity(usize),
    /// The file of entities: line and column, from 1.
    EntityFile(usize, usize),
    /// In `control`, at this index.
    Control(usize),
    /// In `route`.
    Route,
    /// In `later`, at this index, and at this index of its `control`.
    Later(usize, usize),
}

/// A command with an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefusedCommand {
    pub place: CommandPlace,
    pub message: String,
    pub hint: Option<String>,
}

/// All commands with their times, in order, and their places.
#[derive(Debug, Default)]
pub(crate) struct CommandPlan {
    pub commands: Vec<(Time, Command)>,
    pub places: Vec<CommandPlace>,
    /// Paths of keys in the file of entities.
    pub entities: Vec<String>,
}

/// Port numbers of a router by link: those given, and for the others the lowest free ones in the order of the scenario's links.
pub(crate) fn ports<'s>(settings: &'s Settings, router: &str) -> BTreeMap<&'s str, u16> {
    let links = settings.links.iter().filter(|(_, link)| link.between.iter().any(|end| end == router));
    let given: BTreeSet<u16> =
        links.clone().filter_map(|(_, link)| link.ports.get(router).copied()).collect();
    let mut free = (0..).filter(|number| !given.contains(number));
    let mut number = |link: &Link| link.ports.get(router).copied().or_else(|| free.next());
    links.filter_map(|(name, link)| Some((name.as_str(), number(link)?))).collect()
}

/// Parses all commands of a router.
pub(crate) fn plan(
    router: &P4Router,
    read: &P4Program,
    names: &CommandNames<'_>,
) -> Result<CommandPlan, Vec<RefusedCommand>> {
    let mut reader =
        Reader { program: &read.program, names, planned: CommandPlan::default(), refused: Vec::new() };
    if let Some((_, text)) = &read.commands {
        reader.script(text, Time::ZERO, &[], CommandPlace::File);
    }
    if let Some((_, text)) = &read.entities {
        reader.entities(text);
    }
    for (index, line) in router.control.iter().enumerate() {
        reader.script(line, Time::ZERO, &[], |_, _| CommandPlace::Control(index));
    }
    for (address, port) in names.routes.iter().filter(|_| router.route.is_some()) {
        let own = [("address", address.to_string()), ("port", port.to_string())];
        let line = router.route.as_deref().unwrap_or_default();
        reader.script(line, Time::ZERO, &own, |_, _| CommandPlace::Route);
    }
    for (number, later) in router.later.iter().enumerate() {
        for (index, line) in later.control.iter().enumerate() {
            reader.script(line, later.at, &[], |_, _| CommandPlace::Later(number, index));
        }
    }
    if reader.refused.is_empty() { Ok(reader.planned) } else { Err(reader.refused) }
}

struct Reader<'a> {
    program: &'a Program,
    names: &'a CommandNames<'a>,
    planned: CommandPlan,
    refused: Vec<RefusedCommand>,
}

impl Reader<'_> {
    /// Parses a script; `own` are placeholders known in it alone.
    fn script(
        &mut self,
        text: &str,
        at: Time,
        own: &[(&str, String)],
        place: impl Fn(usize, usize) -> CommandPlace,
    ) {
        let filled = match self.filled(text, own) {
            Ok(filled) => filled,
            Err((offset, name)) => {
                let line = text[..offset].matches('\n').count() + 1;
                let placeholder = format!("${{{name}}}");
                let message = format!("unknown placeholder `{placeholder}`");
                let hint = self.suggestion(&placeholder, own);
                let refused = RefusedCommand { place: place(line, 1), message, hint: Some(hint) };
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
                    self.planned.places.push(place(line, column));
                }
            }
            Err(diagnostics) => {
                for each in diagnostics {
                    let (line, column) = each.span.map_or((1, 1), |span| sources.position(span));
                    let (message, hint) = (each.message, each.hint);
                    self.refused.push(RefusedCommand { place: place(line, column), message, hint });
                }
            }
        }
    }

    /// Adds the commands of a file of entities.
    fn entities(&mut self, text: &str) {
        let is_node = |(_, command): &&(Time, Command)| matches!(command, Command::NodeCreate { .. });
        let nodes = self.planned.commands.iter().filter(is_node).count() as u32;
        match p4_entities::commands(text, self.program, nodes) {
            Ok(commands) => {
                for (path, command) in commands {
                    self.planned.places.push(CommandPlace::Entity(self.planned.entities.len()));
                    self.planned.entities.push(path);
                    self.planned.commands.push((Time::ZERO, command));
                }
            }
            Err(errors) => self.refused.extend(errors.into_iter().map(|error| {
                let (line, column) = error.position.unwrap_or((1, 1));
                let message = match error.path.as_str() {
                    "" => error.message,
                    path => format!("`{path}`: {}", error.message),
                };
                RefusedCommand { place: CommandPlace::EntityFile(line, column), message, hint: None }
            })),
        }
    }

    /// Replaces every `${name}`; on failure, the offset and name of the unknown placeholder.
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
            ("address", node) => self.names.addresses.get(node).map(Address::to_string),
            ("port", link) => self.names.ports.get(link).map(u16::to_string),
            _ => None,
        }
    }

    /// The nearest placeholder, if any, and all known ones.
    fn suggestion(&self, placeholder: &str, own: &[(&str, String)]) -> String {
        let own = own.iter().map(|(name, _)| (*name).to_owned());
        let nodes = self.names.addresses.keys().map(|node| format!("address.{node}"));
        let ports = self.names.ports.keys().map(|link| format!("port.{link}"));
        let names: Vec<String> = own.chain(ports).chain(nodes).map(|name| format!("${{{name}}}")).collect();
        let near = nearest(placeholder, names.iter().map(String::as_str));
        let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        format!("{near}known: {}", names.join(", "))
    }
}
