//! `jettison cc`.

use std::process::ExitCode;

use crate::options::CcCommand;
use crate::output::Failure;

/// Loads newCWV into the kernel, unloads it, or prints its status; the loader does the printing.
pub fn cc(command: &CcCommand) -> Result<ExitCode, Failure> {
    let mut arguments = Vec::new();
    match command {
        CcCommand::Load { validity, burst } => {
            arguments.push("load".to_owned());
            if let Some(validity) = validity {
                arguments.extend(["--validity".to_owned(), format!("{}ms", validity.as_nanos() / 1_000_000)]);
            }
            if let Some(burst) = burst {
                arguments.extend(["--burst".to_owned(), burst.to_string()]);
            }
        }
        CcCommand::Unload => arguments.push("unload".to_owned()),
        CcCommand::Status => arguments.push("status".to_owned()),
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let status = jettison_cc::run(&arguments).map_err(Failure::of)?;
    // A loader killed by a signal has no exit status.
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}
