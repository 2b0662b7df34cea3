//! The programs that a variant would start in a live run, without building anything.

use jettison_sockets::command::CommandParameters;

use super::Builder;
use crate::schema::{Node, Settings};

/// A `[flows]` entry whose application is programs of the user's own.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandFlow<'s> {
    /// Name of the entry.
    pub flow: &'s str,
    /// The `from` host.
    pub from: &'s str,
    /// The `to` host.
    pub to: &'s str,
    /// Number of flows of the entry, at least 1.
    pub count: u32,
    /// The programs.
    pub parameters: CommandParameters,
}

/// The commands that set a host up.
#[derive(Debug, Clone, PartialEq)]
pub struct HostCommands<'s> {
    /// Name of the host.
    pub host: &'s str,
    /// The commands, for a shell.
    pub commands: &'s [String],
}

/// The commands of the hosts of `settings`, in the order of the file.
pub fn host_commands(settings: &Settings) -> Vec<HostCommands<'_>> {
    let nodes = settings.nodes.iter();
    let of_host = nodes.filter_map(|(name, node)| match node {
        Node::Host(host) if !host.commands.is_empty() => {
            Some(HostCommands { host: name, commands: &host.commands })
        }
        _ => None,
    });
    of_host.collect()
}

impl Builder {
    /// The entries of `settings`, which have been checked, that start programs.
    pub fn command_flows<'s>(&self, settings: &'s Settings) -> Vec<CommandFlow<'s>> {
        let of_entry = |(name, flow): (&'s String, &'s crate::schema::Flow)| {
            let entry = self.applications.known(&flow.app.0.kind).ok()?;
            let parameters = (entry.facts.programs?)(&flow.app.0.parameters).ok()?;
            (flow.count > 0).then_some(CommandFlow {
                flow: name,
                from: &flow.from,
                to: &flow.to,
                count: flow.count,
                parameters,
            })
        };
        settings.flows.iter().filter_map(of_entry).collect()
    }
}
