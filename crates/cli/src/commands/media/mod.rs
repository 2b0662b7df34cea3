//! `jettison media`.

mod inspect;

use clap::Subcommand;

use crate::output::Failure;

#[derive(Debug, Subcommand)]
pub enum MediaCommand {
    /// Print the RTP streams of a capture, the header extensions found, and what their labels say of each frame
    Inspect(inspect::InspectArguments),
}

/// Runs a command on media.
pub fn media(command: MediaCommand) -> Result<(), Failure> {
    match command {
        MediaCommand::Inspect(arguments) => inspect::inspect(&arguments),
    }
}
