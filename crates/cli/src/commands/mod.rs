//! Commands, one file each.

mod approve;
mod cc;
mod check;
mod compare;
mod declared;
mod explain;
mod export;
mod figures;
mod host_shell;
mod list;
mod live;
mod live_shell;
pub mod media;
mod new;
mod output_file;
mod p4;
mod project;
mod python;
mod report;
mod reproduce;
mod run;
mod shell;
mod sweep;
mod trace;
mod verify;
mod whatif;

use std::process::ExitCode;

use jettison_scenario::Changes;

use crate::options::{Command, P4Command, TraceCommand};
use crate::output::Failure;

/// Runs a command; returns the exit status.
pub fn dispatch(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Run { file, options, project } => run::run(&file, &options, &project),
        Command::Live { file, options, project, live } => live::live(&file, &options, &project, &live),
        Command::Shell(arguments) => live_shell::shell(&arguments),
        Command::List { what, id, all, json } => {
            list::list(what, id.as_deref(), all, json).map(|()| ExitCode::SUCCESS)
        }
        Command::Check { files, set, quick, json, all, project, data } => {
            let changes = Changes { set, quick };
            check::check(&files, &project, data.folder.as_deref(), &changes, json, all)
        }
        Command::New { situation, file, force } => {
            new::new(situation.as_deref(), file.as_deref(), force).map(|()| ExitCode::SUCCESS)
        }
        Command::Export { command } => export::export(command).map(|()| ExitCode::SUCCESS),
        Command::Schema => check::schema().map(|()| ExitCode::SUCCESS),
        Command::Cc { command } => cc::cc(&command),
        Command::Trace { command } => {
            let done = match command {
                TraceCommand::Info { file, read, json } => trace::info(&file, &read, json),
                TraceCommand::Convert(arguments) => trace::convert(&arguments),
                TraceCommand::Synthesize(arguments) => trace::synthesize(&arguments),
            };
            done.map(|()| ExitCode::SUCCESS)
        }
        Command::Media { command } => media::media(command).map(|()| ExitCode::SUCCESS),
        Command::P4 { command } => match command {
            P4Command::Check { files, commands, dump, preprocessor } => {
                p4::check::check(&files, commands.as_deref(), dump, &preprocessor)
            }
            P4Command::Test { files, junit, preprocessor } => {
                p4::test::test(&files, junit.as_deref(), &preprocessor)
            }
            P4Command::Compile(arguments) => p4::compile::run(&arguments).map(|()| ExitCode::SUCCESS),
            #[cfg(feature = "p4runtime")]
            P4Command::Serve(arguments) => p4::serve::run(&arguments).map(|()| ExitCode::SUCCESS),
            P4Command::Run(arguments) => p4::run::run(&arguments).map(|()| ExitCode::SUCCESS),
        },
        Command::Reproduce { name, scenarios, figures, ledger, options } => {
            let (name, folder) = (name.as_deref(), scenarios.as_deref());
            reproduce::reproduce(reproduce::Request { name, folder, figures, ledger }, &options)
        }
        Command::Sweep(arguments) => sweep::sweep(&arguments),
        Command::Verify { dir, json } => verify::verify(&dir, json),
        Command::Report { dir, json, show } => report::report(&dir, json, &show).map(|()| ExitCode::SUCCESS),
        Command::Compare { a, b, out, json, all } => {
            compare::compare(&a, &b, out.as_deref(), json, all).map(|()| ExitCode::SUCCESS)
        }
        Command::WhatIf(arguments) => whatif::whatif(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Explain { target, options, explain } => explain::explain(&target, &options, &explain),
        Command::Completions { shell } => shell::completions(shell).map(|()| ExitCode::SUCCESS),
        Command::Man { out } => shell::man(&out).map(|()| ExitCode::SUCCESS),
    }
}
