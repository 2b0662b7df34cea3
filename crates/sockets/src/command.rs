//! `command`: user programs at the ends of a flow. Only `jettison live` runs them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jettison_core::Duration;
use jettison_registry::style::{GREY, Line::Dashed};
use jettison_registry::{Entry, ParameterError, parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::entry::{FlowApplication, FlowApplications, FlowContext, FlowFacts, Initiator};

/// Its entry in the list of applications.
pub fn entry() -> Entry<FlowApplication> {
    Entry::<FlowApplication>::new("command", "programs", build)
        .style(GREY, Dashed)
        .summary("programs of your own at the flow's ends; only in `jettison live`")
        .source("real programs over the kernel's own transports")
        .page("appendix/live-programs.md")
        .example(|| json!({ "at_to": "iperf3 --server" }))
        .facts(FlowFacts {
            transports: &[],
            initiator: Initiator::To,
            programs: Some(|value| {
                let own: CommandParameters = parameters(value)?;
                own.validate()?;
                Ok(own)
            }),
        })
}

fn build(_: CommandParameters, _: &FlowContext<'_>) -> Result<FlowApplications, ParameterError> {
    Err(ParameterError::whole("runs external programs, which only `jettison live` supports"))
}

/// Parameters of `command`: a program at one end of the flow, or at both.
///
/// Placeholders in commands and in the environment: `{from}` and `{to}` (addresses of the flow's ends), `{peer}`
/// (address of the other end), `{port}` (of the flow), `{seconds}` (from the flow's start to its stop, rounded up),
/// `{folder}` (of the scenario file), `{work}` (an empty folder for this program, removed at the end), `{results}` (a
/// file to which the program may write its own measures). Write a literal brace twice. Commands are not run in a
/// shell; use `sh -c '…'` for one.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CommandParameters {
    /// The program at the flow's `from`, with its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_from: Option<String>,
    /// The program at the flow's `to`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_to: Option<String>,
    /// The initiating end: the flow's `start` and `stop` apply to its program. The other end's program starts before
    /// the run's clock, and ends after it. Default: `to` if there is a program at both ends, otherwise the end with
    /// the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begins: Option<Begins>,
    /// Readiness condition of the program that starts first. Default: ready at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready: Option<Ready>,
    /// Maximum time until it is ready.
    pub ready_within: ReadyWithin,
    /// User account of the programs; requires root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Additional environment variables. Without them a program has a minimal environment: `PATH`, `HOME`, `USER`,
    /// `LOGNAME`, `SHELL`, `LANG`, `LC_*`, `TZ`, `TMPDIR`, and `JETTISON_*` for the placeholders.
    pub environment: BTreeMap<String, String>,
    /// Names of variables of `jettison`'s own environment that the programs receive as well, such as `DISPLAY`.
    pub pass_environment: Vec<String>,
    /// Working directory of the programs. Default: the folder of the scenario file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<PathBuf>,
    /// Signal for a program that is still running at its end.
    pub stop_signal: StopSignal,
    /// Ports of the flow's packets, for accounting. Default: all packets between the two hosts that no other flow
    /// claims.
    pub ports: Vec<u16>,
}

/// The initiating end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Begins {
    /// The flow's `from`.
    From,
    /// The flow's `to`.
    To,
}

/// The condition under which a program is ready for the other end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ready {
    /// A socket listens on this port of its host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// The port's protocol.
    #[serde(default)]
    pub protocol: PortProtocol,
    /// The program has written this text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// This file exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// This time has passed since its start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Duration>,
}

/// Protocol of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PortProtocol {
    /// A listening TCP socket.
    #[default]
    Tcp,
    /// A bound UDP socket.
    Udp,
}

/// Maximum time until a program is ready; 10 s by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ReadyWithin(pub Duration);

impl Default for ReadyWithin {
    fn default() -> ReadyWithin {
        ReadyWithin(Duration::from_secs(10))
    }
}

/// A signal that terminates a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[allow(clippy::upper_case_acronyms)] // standard names of signals
pub enum StopSignal {
    /// Terminate.
    #[default]
    SIGTERM,
    /// Interrupt, as Ctrl-C.
    SIGINT,
    /// Hang up.
    SIGHUP,
    /// Quit.
    SIGQUIT,
    /// Kill at once.
    SIGKILL,
}

impl CommandParameters {
    /// The initiating end.
    pub fn initiator(&self) -> Initiator {
        match (self.begins, &self.at_from, &self.at_to) {
            (Some(Begins::From), ..) | (None, Some(_), None) => Initiator::From,
            (Some(Begins::To), ..) | (None, _, _) => Initiator::To,
        }
    }

    /// Checks the values.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let empty = |command: &Option<String>| command.as_ref().is_some_and(|c| c.trim().is_empty());
        if self.at_from.is_none() && self.at_to.is_none() {
            return Err(ParameterError::whole("requires a program: `at_from`, `at_to` or both"));
        }
        for (key, command) in [("at_from", &self.at_from), ("at_to", &self.at_to)] {
            if empty(command) {
                return Err(ParameterError::at(key, "must name a program, got an empty text"));
            }
            if command.as_ref().is_some_and(|command| command.contains('\0')) {
                return Err(ParameterError::at(key, "must have no NUL character"));
            }
            if let Some(command) = command {
                shell_words::split(command).map_err(|_| ParameterError::at(key, "has an unclosed quote"))?;
                // The names must be known, whatever their values.
                self.fill(command, &|name| Placeholder::parse(name).map(|_| String::new()))
                    .map_err(|message| ParameterError::at(key, message))?;
            }
        }
        for (key, variable) in (self.environment.keys().map(|name| ("environment", name)))
            .chain(self.pass_environment.iter().map(|name| ("pass_environment", name)))
        {
            if variable.is_empty() || variable.contains(|c: char| c == '=' || c.is_control()) {
                return Err(ParameterError::at(
                    key,
                    format!("`{variable}` is not a valid name of a variable"),
                ));
            }
        }
        if let Some(both) = self.pass_environment.iter().find(|name| self.environment.contains_key(*name)) {
            let message = format!("`{both}` has a value in `environment` already");
            return Err(ParameterError::at("pass_environment", message));
        }
        for value in self.environment.values() {
            if value.contains('\0') {
                return Err(ParameterError::at("environment", "values must have no NUL character"));
            }
            self.fill(value, &|name| Placeholder::parse(name).map(|_| String::new()))
                .map_err(|message| ParameterError::at("environment", message))?;
        }
        // `start` and `stop` apply to the initiating end, so it needs a program.
        let begins = match self.initiator() {
            Initiator::From => (&self.at_from, "at_from"),
            Initiator::To => (&self.at_to, "at_to"),
        };
        if begins.0.is_none() {
            let message = format!("requires a program at that end: `{}` is missing", begins.1);
            return Err(ParameterError::at("begins", message));
        }
        if let Some(ready) = &self.ready {
            let ways =
                [ready.port.is_some(), ready.output.is_some(), ready.file.is_some(), ready.delay.is_some()];
            if ways.iter().filter(|way| **way).count() != 1 {
                let message = "requires exactly one of `port`, `output`, `file` and `delay`";
                return Err(ParameterError::at("ready", message));
            }
            if self.at_from.is_none() || self.at_to.is_none() {
                return Err(ParameterError::at(
                    "ready",
                    "requires programs at both ends: only the program that starts first has to be ready",
                ));
            }
        }
        Ok(())
    }

    /// Replaces the placeholders in `text` by `value` of their names.
    pub fn fill(&self, text: &str, value: &dyn Fn(&str) -> Result<String, String>) -> Result<String, String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, from) = rest.split_at(at);
            filled.push_str(before);
            if from.starts_with("{{") || from.starts_with("}}") {
                filled.push_str(&from[..1]);
                rest = &from[2..];
                continue;
            }
            let end = from.find('}').filter(|end| *end > 0);
            let Some(end) = end else {
                return Err(format!("`{from}` has an unmatched brace; write a literal brace twice"));
            };
            filled.push_str(&value(&from[1..end])?);
            rest = &from[end + 1..];
        }
        filled.push_str(rest);
        Ok(filled)
    }
}

/// A placeholder in braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placeholder {
    /// Address of the flow's `from`.
    From,
    /// Address of the flow's `to`.
    To,
    /// Address of the other end.
    Peer,
    /// The flow's port.
    Port,
    /// From the flow's start to its stop, in whole seconds, rounded up.
    Seconds,
    /// The scenario file's folder.
    Folder,
    /// The program's own folder.
    Work,
    /// The file for the program's own measures.
    Results,
}

impl Placeholder {
    /// All placeholders with their names.
    pub const ALL: [(&'static str, Placeholder); 8] = [
        ("from", Placeholder::From),
        ("to", Placeholder::To),
        ("peer", Placeholder::Peer),
        ("port", Placeholder::Port),
        ("seconds", Placeholder::Seconds),
        ("folder", Placeholder::Folder),
        ("work", Placeholder::Work),
        ("results", Placeholder::Results),
    ];

    /// The placeholder of that name; the error lists the known ones.
    pub fn parse(name: &str) -> Result<Placeholder, String> {
        let found = Placeholder::ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, placeholder)| *placeholder).ok_or_else(|| {
            let names: Vec<String> = Placeholder::ALL.iter().map(|(name, _)| format!("{{{name}}}")).collect();
            format!(
                "unknown placeholder {{{name}}}; known: {} (write a literal brace twice)",
                names.join(" ")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(at_to: &str) -> CommandParameters {
        CommandParameters { at_to: Some(at_to.to_owned()), ..CommandParameters::default() }
    }

    #[test]
    fn placeholders_are_filled_in_and_doubled_braces_stay() {
        let own = command("x");
        let value = |name: &str| Placeholder::parse(name).map(|_| format!("<{name}>"));
        assert_eq!(own.fill("a {from} {{b}} {to}", &value), Ok("a <from> {b} <to>".to_owned()));
        assert!(own.fill("{form}", &value).is_err_and(|e| e.contains("unknown placeholder {form}")));
        assert!(own.fill("open {from", &value).is_err_and(|e| e.contains("unmatched brace")));
        assert!(own.fill("shut }", &value).is_err_and(|e| e.contains("unmatched brace")));
    }

    #[test]
    fn bad_values_are_refused_with_their_key() {
        let refuse = |own: CommandParameters, key: &str| {
            let error = own.validate().expect_err("the values are wrong");
            assert_eq!(error.path.first().map_or("", |key| key), key, "{error}");
        };
        refuse(CommandParameters::default(), "");
        refuse(command(" "), "at_to");
        refuse(command("iperf3 'open"), "at_to");
        refuse(command("iperf3 {server}"), "at_to");
        refuse(CommandParameters { begins: Some(Begins::From), ..command("x") }, "begins");
        let passed = |name: &str| CommandParameters { pass_environment: vec![name.into()], ..command("x") };
        refuse(passed("A=b"), "pass_environment");
        refuse(passed("A\n"), "pass_environment");
        let both = BTreeMap::from([("A".to_owned(), "b".to_owned())]);
        refuse(CommandParameters { environment: both, ..passed("A") }, "pass_environment");
        assert_eq!(passed("DISPLAY").validate(), Ok(()));
        let ready = Ready {
            port: Some(1),
            protocol: PortProtocol::Tcp,
            output: Some("x".into()),
            file: None,
            delay: None,
        };
        let both = CommandParameters { at_from: Some("y".into()), ready: Some(ready), ..command("x") };
        refuse(both, "ready");
        assert_eq!(command("iperf3 -c {from}").validate(), Ok(()));
    }

    #[test]
    fn the_end_with_the_only_program_begins() {
        assert_eq!(command("x").initiator(), Initiator::To);
        let from = CommandParameters { at_from: Some("x".into()), ..CommandParameters::default() };
        assert_eq!(from.initiator(), Initiator::From);
        let both = CommandParameters { at_from: Some("x".into()), ..command("y") };
        assert_eq!(both.initiator(), Initiator::To);
    }
}
