//! Approval of a live scenario's commands: they are shown before they run the first time.

use std::io::{self, BufRead, IsTerminal, Write};

use jettison_run::live::{Approvals, Approved, Commands, own_name};
use jettison_scenario::Scenario;
use jettison_scenario::build::Builder;

use crate::output::{Failure, print_error};

/// Returns the approval of the scenario's commands: by `--yes`, from an earlier answer, or by asking on the terminal. A scenario
/// with built-in applications alone needs none.
///
/// # Errors
/// If the user declines, or there is no terminal to ask on.
pub fn approve(scenario: &Scenario, builder: &Builder, yes: bool) -> Result<Approved, Failure> {
    let commands = Commands::of(scenario, builder);
    if commands.is_empty() || yes {
        return Ok(commands.approve());
    }
    let approvals = Approvals::of_user();
    if let Some(approved) = approvals.as_ref().ok().and_then(|approvals| approvals.find(&commands)) {
        return Ok(approved);
    }
    print_error(format_args!("{}", listing(scenario, &commands, "runs")));
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Err(Failure::of(format!(
            "{}: these commands have not been approved, and there is no terminal to ask on; pass --yes to run them",
            scenario.file
        )));
    }
    if !asked()? {
        return Err(Failure::of("the commands were not approved; nothing was run"));
    }
    let remembered = approvals.and_then(|approvals| {
        let kept = approvals.remember(&commands, &scenario.file);
        kept.map_err(|error| format!("{}: {error}", approvals.folder().display()))
    });
    if let Err(error) = remembered {
        print_error(format_args!("warning: the approval cannot be remembered: {error}"));
    }
    Ok(commands.approve())
}

/// The scenario's commands with a heading: `<file> runs these 2 commands as root:`. `verb` is what it does with them.
pub fn listing(scenario: &Scenario, commands: &Commands, verb: &str) -> String {
    let count = match commands.iter().count() {
        1 => "this command".to_owned(),
        count => format!("these {count} commands"),
    };
    format!("{} {verb} {count} as user {}, unless another is named:\n{commands}", scenario.file, own_name())
        .trim_end()
        .to_owned()
}

/// Asks on the terminal. Everything but a clear yes is a no.
fn asked() -> Result<bool, Failure> {
    let mut answer = String::new();
    let read = write!(io::stderr(), "Run these commands? [y/N] ")
        .and_then(|()| io::stderr().flush())
        .and_then(|()| io::stdin().lock().read_line(&mut answer));
    read.map_err(|error| Failure::of(format!("cannot ask on the terminal: {error}")))?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}
