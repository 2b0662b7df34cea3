//! `jettison media`.

mod encode;
mod generate;
mod inspect;
mod options;
mod quality;

use crate::output::Failure;

pub use options::MediaCommand;

/// Runs a command on media.
pub fn media(command: MediaCommand) -> Result<(), Failure> {
    match command {
        MediaCommand::Inspect(arguments) => inspect::inspect(&arguments),
        MediaCommand::Encode(arguments) => encode::encode(&arguments),
        MediaCommand::Generate(arguments) => generate::generate(&arguments),
        MediaCommand::Quality { files, json } => quality::quality(&files, json),
    }
}

/// Converts an error of the encoders.
fn failure(error: jettison_media::Error) -> Failure {
    match error {
        jettison_media::Error::Cancelled => Failure::Interrupted("jettison: interrupted".to_owned()),
        error => Failure::of(error),
    }
}
