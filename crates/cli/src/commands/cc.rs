//! `jettison cc`.

use std::process::ExitCode;

use crate::options::CcCommand;
use crate::output::Failure;

/// Loads newCWV into the kernel, unloads it, or prints its status; the loader does the printing.
pub fn cc(command: &CcCommand) -> Result<ExitCode, Failure> {
    let validity = match command {
        CcCommand::Load { validity: Some(validity) } => {
            Some(format!("{}ms", validity.as_nanos() / 1_000_000))
        }
        _ => None,
    };
    let mut arguments = vec![match command {
        CcCommand::Load { .. } => "load",
        CcCommand::Unload => "unload",
        CcCommand::Status => "status",
    }];
    if let Some(validity) = &validity {
        arguments.extend(["--validity", validity]);
    }
    let status = jettison_cc::run(&arguments).map_err(Failure::of)?;
    // A loader killed by a signal has no exit status.
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}
