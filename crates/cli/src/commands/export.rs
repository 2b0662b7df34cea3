//! `jettison export`: a scenario's queues as commands or configurations of other programs.

use std::path::Path;

use jettison_scenario::build::Builder;
use jettison_scenario::export::{SqmOptions, TcOptions};
use jettison_scenario::{Changes, Scenario};

use crate::options::{ExportCommand, ScenarioArguments};
use crate::output::{Failure, print, warn};

/// Prints a scenario's queues in another program's language.
pub fn export(command: ExportCommand) -> Result<(), Failure> {
    let builder = Builder::standard();
    let text = match command {
        ExportCommand::Tc { file, scenario, link, node, device, with_netem } => {
            let loaded = load(&file, &scenario, &builder)?;
            let options = TcOptions { variant: scenario.variant, link, node, device, with_netem };
            builder.export_tc(&loaded, &options)
        }
        ExportCommand::Sqm { file, scenario, link, router, interface } => {
            let loaded = load(&file, &scenario, &builder)?;
            let options = SqmOptions { variant: scenario.variant, link, router, interface };
            builder.export_sqm(&loaded, &options)
        }
    };
    print(text.map_err(Failure::of)?)
}

fn load(file: &Path, arguments: &ScenarioArguments, builder: &Builder) -> Result<Scenario, Failure> {
    let changes = Changes { set: arguments.set.clone(), quick: arguments.quick };
    let data = arguments.data.folder.as_deref();
    let loaded = jettison_run::load(file, data, &changes, &builder.registries()).map_err(Failure::of)?;
    warn(&loaded);
    Ok(loaded)
}
