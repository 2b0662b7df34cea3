//! `jettison shell`: a command behind a bottleneck.
//!
//! The flags are turned into a scenario: a host `near`, a router, a host `far`, and one flow whose program at `far`
//! is the command.

use std::path::Path;
use std::process::ExitCode;

use jettison_build_info::COMMIT;
use jettison_core::Rate;
use jettison_report::{Claim, ClaimedFolder, Failure as Failed};
use jettison_run::live::{Commands, LiveExperiment, LiveOptions};
use jettison_scenario::build::Builder;
use jettison_scenario::{Changes, CheckError, Scenario};

use super::run;
use crate::options::ShellArguments;
use crate::output::{Failure, INTERRUPTED, print_error};

/// Name of the flow whose program is the command.
const FLOW: &str = "command";

/// Runs the command; returns its exit status.
pub fn shell(arguments: &ShellArguments) -> Result<ExitCode, Failure> {
    let builder = Builder::standard();
    let text = scenario(arguments)?;
    let registries = builder.registries();
    let here = jettison_scenario::Folder(std::env::current_dir().map_err(Failure::of)?);
    let scenario = Scenario::parse(&text, "shell", &here, &Changes::default(), &registries)
        .map_err(|error| Failure::Message(as_flags(&text, &error)))?;
    // Without --out, results go to a temporary folder.
    let scratch = ClaimedFolder::create(&std::env::temp_dir(), "jettison-shell-", "", Claim::Shared)
        .map_err(Failure::of)?;
    let out = arguments.out.clone().unwrap_or_else(|| scratch.path().join("results"));
    let options = LiveOptions {
        out,
        force: arguments.force,
        pcap: false,
        figures: Vec::new(),
        commit: COMMIT.map(str::to_owned),
        real_time: true,
        watch: false,
        terminal: Some(FLOW.to_owned()),
        whole_environment: true,
        // They are from the command line, so its author has approved them.
        approved: Commands::of(&scenario, &builder).approve(),
        uplink: arguments.nat,
    };
    let experiment = LiveExperiment::prepare(scenario, builder, options)
        .map_err(|error| Failure::Message(format!("jettison: {}", of_flow(&error.to_string()))))?;
    for warning in experiment.warnings() {
        print_error(format_args!("jettison: {warning}"));
    }
    for each in experiment.controllable() {
        print_error(format_args!("jettison: {each}"));
    }
    run::cancel_on_interrupt_saying("\nEnding the command. Press Ctrl-C again to leave at once.");
    let results = experiment.run(run::cancelled(), &|_| {}, None).map_err(Failure::of)?;
    if arguments.out.is_some() {
        print_error(format_args!(
            "Results: {}\nReport:  {}",
            results.folder.display(),
            results.report().display()
        ));
        // Those on seeds and intervals are of no use for one run.
        for warning in results.warnings.iter().filter(|warning| warning.kind == "late-run") {
            print_error(format_args!("jettison: warning: {}", warning.text()));
        }
    }
    let failures = results.manifest.failures.iter().map(|entry| &entry.failure);
    // The command has printed its own errors. Report those of other programs, and a command without an exit status.
    for Failed { what, status, .. } in failures.clone() {
        if status.is_none() || !what.starts_with("program ") {
            print_error(format_args!("jettison: {}", of_flow(what)));
        }
    }
    // Without a run there is no exit status of the command.
    let without_run = if results.manifest.runs.is_empty() { 1 } else { 0 };
    Ok(match failures.clone().find_map(|failure| failure.status) {
        _ if run::interrupted() => ExitCode::from(INTERRUPTED),
        Some(status) => ExitCode::from(status),
        None => ExitCode::from(without_run),
    })
}

/// Reports errors of the generated scenario as errors of the flags. An error of a queue used in both directions
/// appears once.
fn as_flags(text: &str, error: &CheckError) -> String {
    let mut messages: Vec<(&str, String)> = Vec::new();
    for error in &error.errors {
        let line = error.position().and_then(|(line, _)| text.lines().nth(line - 1)).unwrap_or_default();
        let flag = FLAGS.iter().find(|(start, _)| line.starts_with(start)).map_or("--down", |flag| flag.1);
        let help = error.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        let mut message = format!("{}{help}", error.message);
        for (path, name) in PATHS {
            message = message.replace(path, name);
        }
        if !messages.iter().any(|(_, other)| *other == message) {
            messages.push((flag, message));
        }
    }
    messages.iter().map(|(flag, message)| format!("{flag}: {message}")).collect::<Vec<_>>().join("\n")
}

/// Start of a line in the scenario, and the flag that the line comes from.
const FLAGS: [(&str, &str); 9] = [
    ("duration", "--duration"),
    ("delay", "--delay"),
    ("queue", "--queue"),
    ("loss", "--loss"),
    ("reverse", "--up"),
    ("at_from", "--server"),
    ("ready", "--ready"),
    ("at_to", "the command"),
    ("[flows", "--duration"),
];

/// Scenario paths, and their names in messages about flags.
const PATHS: [(&str, &str); 7] = [
    ("links.bottleneck.reverse.queue", "the queue"),
    ("links.bottleneck.queue", "the queue"),
    ("links.bottleneck.reverse.", ""),
    ("links.bottleneck.reverse", "the link"),
    ("links.bottleneck.", ""),
    ("links.bottleneck", "the link"),
    ("flows.command.app.", ""),
];

/// Removes from a message the name of the flow, which the user did not choose.
fn of_flow(message: &str) -> String {
    message
        .replace("flows.command.app.at_from: ", "--server: ")
        .replace("flows.command.app.at_to: ", "")
        .replace("flow \"command.from\"", "--server")
        .replace("program `command.from`", "--server")
        .replace("flow \"command.to\": ", "")
        .replace("flow \"command\": ", "")
}

/// The scenario that the flags describe.
fn scenario(arguments: &ShellArguments) -> Result<String, Failure> {
    let mut command = arguments.command.clone();
    if command.is_empty() {
        command.push(std::env::var("SHELL").unwrap_or_else(|_| "/bin/sh".to_owned()));
    }
    let command = command.iter().map(|word| word.replace('{', "{{").replace('}', "}}")).collect::<Vec<_>>();
    let words = shell_words::join(&command);
    let mut app = format!("kind = \"command\"\nat_to = {}\nbegins = \"to\"\n", quoted(&words));
    if let Some(server) = &arguments.server {
        app.push_str(&format!("at_from = {}\n", quoted(server)));
    }
    if let Some(port) = arguments.ready {
        app.push_str(&format!("ready = {{ port = {port} }}\n"));
    }
    let (down, up) = (carrier("--down", &arguments.down)?, carrier("--up", &arguments.up)?);
    let up_queue = arguments.up_queue.as_ref().unwrap_or(&arguments.queue);
    let loss = match arguments.loss {
        0.0 => String::new(),
        loss => format!("loss = {loss}\n"),
    };
    Ok(format!(
        "name = \"shell\"\nduration = \"{duration}\"\nsample_interval = \"1 s\"\n\
         [nodes]\nnear = {{ kind = \"host\" }}\nr = {{ kind = \"router\" }}\nfar = {{ kind = \"host\" }}\n\
         [links.core]\nbetween = [\"near\", \"r\"]\nrate = \"40 Gbit/s\"\ndelay = \"0 ms\"\n\
         [links.bottleneck]\nbetween = [\"r\", \"far\"]\n{down}\ndelay = \"{delay}\"\nqueue = {queue}\n{loss}\
         reverse = {{ {up}, queue = {up_queue} }}\n\
         [flows.{FLOW}]\nfrom = \"near\"\nto = \"far\"\n[flows.{FLOW}.app]\n{app}",
        duration = arguments.duration,
        delay = arguments.delay,
        queue = queue(&arguments.queue),
        up_queue = queue(up_queue),
    ))
}

/// TOML for a link's capacity: `rate = …` or `trace = …`.
fn carrier(flag: &str, value: &str) -> Result<String, Failure> {
    match value.parse::<Rate>() {
        Ok(_) => Ok(format!("rate = {}", quoted(value))),
        Err(_) if Path::new(value).is_file() => {
            let path = std::path::absolute(value).map_err(Failure::of)?;
            Ok(format!("trace = {}", quoted(&path.display().to_string())))
        }
        Err(error) => Err(Failure::of(format!(
            "{flag} {value}: must be a rate or a trace file: no such file, and {error}"
        ))),
    }
}

/// TOML for a queue: an id is quoted, a table stays as written.
fn queue(value: &str) -> String {
    if value.trim_start().starts_with('{') { value.to_owned() } else { quoted(value) }
}

/// Quotes text as a TOML string.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}
