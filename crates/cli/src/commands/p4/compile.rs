//! `jettison p4 compile`.

use std::path::Path;
use std::sync::Arc;

use jettison_p4_front::ir::Program;
use jettison_p4_front::source::Sources;
use jettison_p4_runtime::config::DeviceConfig;
use jettison_p4_runtime::info;
use jettison_p4_runtime::proto::info::P4Info;
use prost::Message;

use super::{add, compile, failure, options, rendered};
use crate::options::{P4CompileArguments, PreprocessorArguments};
use crate::output::{Failure, print, print_styled};

/// A compiled program with its descriptions.
pub(super) struct Compiled {
    pub program: Arc<Program>,
    pub info: P4Info,
    pub config: DeviceConfig,
}

/// Writes P4Info and the device configuration of a program; P4Info as text to the output if no file is named.
pub fn run(arguments: &P4CompileArguments) -> Result<(), Failure> {
    let compiled = described(&arguments.file, &arguments.preprocessor)?;
    if let Some(file) = &arguments.p4info {
        let binary = file.extension().is_some_and(|extension| extension == "bin" || extension == "pb");
        let bytes = match binary {
            true => compiled.info.encode_to_vec(),
            false => info::to_text(&compiled.info).into_bytes(),
        };
        write(file, &bytes)?;
    }
    if let Some(file) = &arguments.config {
        write(file, &compiled.config.to_bytes())?;
    }
    if arguments.p4info.is_none() && arguments.config.is_none() {
        print(format_args!("{}", info::to_text(&compiled.info)))?;
    }
    Ok(())
}

/// Compiles a program and describes it, printing its warnings.
pub(super) fn described(file: &Path, preprocessor: &PreprocessorArguments) -> Result<Compiled, Failure> {
    let options = options(preprocessor)?;
    let mut sources = Sources::default();
    let main = add(&mut sources, file, "a program")?;
    let compiled = compile(&mut sources, main, &options);
    let (program, warnings) = compiled.map_err(|errors| failure(&errors, &sources))?;
    print_styled(&rendered(&warnings, &sources));
    let info =
        info::describe(&program).map_err(|error| Failure::of(format!("{}: {error}", file.display())))?;
    let config = DeviceConfig::new(&sources, main, &options);
    Ok(Compiled { program, info, config })
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(file, bytes)
        .map_err(|error| Failure::of(format!("{}: cannot write: {error}", file.display())))
}
