//! `jettison cc`.

use std::process::ExitCode;

use jettison_cc::{CONTROLS, Control};
use jettison_registry::suggestion;

use crate::options::CcCommand;
use crate::output::Failure;

/// Loads a congestion control into the kernel, unloads it, or prints the status; the loader does the printing.
pub fn cc(command: &CcCommand) -> Result<ExitCode, Failure> {
    let mut arguments = Vec::new();
    let mut option = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            arguments.extend([name.to_owned(), value]);
        }
    };
    let (verb, name) = match command {
        CcCommand::Load { name, validity, burst, codepoint, device } => {
            option("--validity", validity.map(|validity| format!("{}ms", validity.as_nanos() / 1_000_000)));
            option("--burst", burst.map(|burst| burst.to_string()));
            option("--codepoint", codepoint.clone());
            for device in device {
                option("--device", Some(device.clone()));
            }
            ("load", Some(name))
        }
        CcCommand::Unload { name } => ("unload", name.as_ref()),
        CcCommand::Status { name } => ("status", name.as_ref()),
    };
    let mut all = vec![verb];
    if let Some(name) = name {
        all.push(known(name)?);
    }
    all.extend(arguments.iter().map(String::as_str));
    let status = jettison_cc::run(&all).map_err(Failure::of)?;
    // A loader killed by a signal has no exit status.
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}

/// The control of that name, or of that name in the kernel.
fn known(name: &str) -> Result<&'static str, Failure> {
    let control = Control::find(name).ok_or_else(|| {
        let help = suggestion(name, CONTROLS.iter().map(|control| control.id));
        Failure::of(format!("unknown congestion control `{name}`; {help}"))
    })?;
    Ok(control.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_list_or_of_the_kernel() {
        assert_eq!(known("prague").ok(), Some("prague"));
        assert_eq!(known("newcwv_paced").ok(), Some("newcwv"));
        let message = |name: &str| format!("{:?}", known(name).err());
        assert!(message("pragu").contains("unknown congestion control `pragu`; did you mean `prague`?"));
        assert!(message("vegas").contains("known: newcwv, dctcp, prague"));
    }
}
