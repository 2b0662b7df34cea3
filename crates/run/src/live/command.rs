//! Turns a flow's command into programs: fills in placeholders, and sets each program's host and times.

use std::collections::BTreeMap;
use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use jettison_core::Time;
use jettison_scenario::build::{LiveCommand, LivePlan};
use jettison_sockets::Initiator;
use jettison_sockets::command::{CommandParameters, Placeholder, Ready};
use jettison_wire::FlowId;

/// Folders of a run's files.
#[derive(Debug, Clone)]
pub struct Place {
    /// The scenario file's folder.
    pub folder: PathBuf,
    /// Parent of the programs' own folders.
    pub scratch: PathBuf,
}

impl Place {
    /// The folders of a run. Programs of other users may traverse `scratch`.
    pub fn new(folder: &Path, scratch: &Path) -> Result<Place, String> {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(scratch, fs::Permissions::from_mode(0o755))
            .map_err(|error| format!("{}: {error}", scratch.display()))?;
        Ok(Place { folder: folder.to_path_buf(), scratch: scratch.to_path_buf() })
    }
}

/// A program of a live run, ready to start.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// Name in messages and of the log file.
    pub name: String,
    /// The flow.
    pub flow: FlowId,
    /// Index of its host.
    pub host: usize,
    /// The command line, with placeholders filled in.
    pub run: String,
    /// Whether this end initiates the traffic.
    pub begins: bool,
    /// Start time. The passive end starts before the clock does.
    pub start: Time,
    /// Stop time.
    pub stop: Time,
    /// Environment variables in addition to ours.
    pub environment: Vec<(String, String)>,
    /// Working directory at the start.
    pub directory: PathBuf,
    /// Its own folder.
    pub work: PathBuf,
    /// File to which it may write its own measurements.
    pub results: PathBuf,
    /// Condition for readiness; for the passive end.
    pub ready: Option<Ready>,
}

/// Splits a command into words.
pub fn words(text: &str) -> Result<Vec<String>, String> {
    shell_words::split(text).map_err(|_| format!("`{text}` has an unclosed quote"))
}

/// Plans the programs of a command, the passive end first, and creates their folders.
pub fn programs(
    plan: &LivePlan,
    command: &LiveCommand,
    place: &Place,
    end: Time,
) -> Result<Vec<Planned>, String> {
    let flow = &plan.flows[command.flow.0 as usize];
    let own = &command.parameters;
    let stop = command.stop.min(end);
    let addresses = [flow.from, flow.to].map(|host| IpAddr::from(plan.hosts[host].address));
    let mut planned = Vec::new();
    for (at, text, host) in [("from", &own.at_from, flow.from), ("to", &own.at_to, flow.to)] {
        let Some(text) = text else { continue };
        let begins = match own.initiator() {
            Initiator::From => at == "from",
            Initiator::To => at == "to",
        };
        let names = program_names(plan, command);
        let Some((_, name)) = names.into_iter().find(|(end, _)| *end == at) else { continue };
        let work = place.scratch.join(&name);
        // A program that runs as another user must be able to write there.
        let made = fs::create_dir_all(&work).and_then(|()| open_to_all(&work));
        made.map_err(|error| format!("{}: cannot create: {error}", work.display()))?;
        let results = place.scratch.join(results_name(&name));
        let made = fs::write(&results, "").and_then(|()| open_to_all(&results));
        made.map_err(|error| format!("{}: cannot create: {error}", results.display()))?;
        let peer = addresses[usize::from(at == "from")];
        // Round up: a program that ends early would leave its link idle; a late one is stopped.
        let seconds = stop.since(command.start).as_nanos().div_ceil(1_000_000_000);
        let value = |name: &str| {
            Ok(match Placeholder::parse(name)? {
                Placeholder::From => addresses[0].to_string(),
                Placeholder::To => addresses[1].to_string(),
                Placeholder::Peer => peer.to_string(),
                Placeholder::Port => command.port.to_string(),
                Placeholder::Seconds => seconds.to_string(),
                Placeholder::Folder => place.folder.display().to_string(),
                Placeholder::Work => work.display().to_string(),
                Placeholder::Results => results.display().to_string(),
            })
        };
        let mut environment: BTreeMap<String, String> = BTreeMap::new();
        for (placeholder, _) in Placeholder::ALL {
            environment.insert(format!("JETTISON_{}", placeholder.to_uppercase()), value(placeholder)?);
        }
        for (variable, text) in &own.environment {
            environment.insert(variable.clone(), own.fill(text, &value)?);
        }
        let ready = own.ready.as_ref().filter(|_| !begins).map(|ready| filled(ready, own, &value));
        planned.push(Planned {
            name,
            flow: command.flow,
            host,
            run: shell_words::join(filled_words(text, own, &value)?),
            begins,
            start: if begins { command.start } else { Time::ZERO },
            stop: if begins { stop } else { end },
            environment: environment.into_iter().collect(),
            directory: own.directory.as_ref().map_or_else(|| place.folder.clone(), |d| place.folder.join(d)),
            work: work.clone(),
            results,
            ready: ready.transpose()?,
        });
    }
    planned.sort_by_key(|program| program.begins);
    Ok(planned)
}

/// The ends of a command that have programs, with the programs' names.
pub fn program_names(plan: &LivePlan, command: &LiveCommand) -> Vec<(&'static str, String)> {
    let (flow, own) = (&plan.flows[command.flow.0 as usize].name, &command.parameters);
    match (&own.at_from, &own.at_to) {
        (Some(_), Some(_)) => vec![("from", format!("{flow}.from")), ("to", format!("{flow}.to"))],
        (Some(_), None) => vec![("from", flow.clone())],
        (None, Some(_)) => vec![("to", flow.clone())],
        (None, None) => Vec::new(),
    }
}

/// Name of the file for a program's own measurements, in the run's folder.
pub fn results_name(program: &str) -> String {
    format!("{program}.results")
}

/// The words of a command with placeholders filled in; a value with blanks stays one word.
fn filled_words(
    text: &str,
    own: &CommandParameters,
    value: &dyn Fn(&str) -> Result<String, String>,
) -> Result<Vec<String>, String> {
    words(text)?.iter().map(|word| own.fill(word, value)).collect()
}

fn filled(
    ready: &Ready,
    own: &CommandParameters,
    value: &dyn Fn(&str) -> Result<String, String>,
) -> Result<Ready, String> {
    let file = ready.file.as_ref().map(|file| own.fill(file, value)).transpose()?;
    Ok(Ready { file, ..ready.clone() })
}

fn open_to_all(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o777))
}
