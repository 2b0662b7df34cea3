//! `jettison p4 serve`.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::Path;

use jettison_p4_runtime::Translations;
use jettison_p4_runtime::node::Node;
use jettison_p4_runtime::proto::runtime::ForwardingPipelineConfig;
use jettison_p4_runtime::server;

use super::compile::described;
use crate::options::P4ServeArguments;
use crate::output::{Failure, INTERRUPTED, print, print_error};

/// Serves a program to P4Runtime controllers until interrupted.
pub fn run(arguments: &P4ServeArguments) -> Result<(), Failure> {
    let compiled = described(&arguments.file, &arguments.preprocessor)?;
    let config = ForwardingPipelineConfig {
        p4info: Some(compiled.info),
        p4_device_config: compiled.config.to_bytes(),
        cookie: None,
    };
    let (device, cpu_port) = (arguments.device_id, arguments.cpu_port);
    let node = Node::standalone(device, cpu_port, compiled.program, config)
        .map_err(|fault| Failure::of(format!("{}: {fault}", arguments.file.display())))?;
    let node = match &arguments.translation {
        Some(file) => node.with_translations(translations(file)?),
        None => node,
    };
    let failed = |error: std::io::Error| {
        let help = match error.kind() {
            ErrorKind::AddrInUse | ErrorKind::PermissionDenied => "; choose another address with --listen",
            _ => "",
        };
        Failure::of(format!("cannot listen on {}: {error}{help}", arguments.listen))
    };
    let listener = TcpListener::bind(arguments.listen).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    // Also where a script has started it with SIGINT ignored.
    if let Err(error) = ctrlc::set_handler(|| std::process::exit(i32::from(INTERRUPTED))) {
        print_error(format_args!("jettison: cannot handle Ctrl-C: {error}"));
    }
    print(format_args!("device {device}, P4Runtime on {address}; Ctrl-C ends\n"))?;
    server::serve_standalone(listener, node, std::future::pending())
        .map_err(|error| Failure::of(format!("P4Runtime server: {error}")))
}

/// Maximum size of a file of translations, in bytes.
const MAX_TRANSLATIONS: u64 = 16 << 20;

/// Reads translations: a table of values and their numbers for each URI.
fn translations(file: &Path) -> Result<Translations, Failure> {
    let failed = |why: String| Failure::of(format!("{}: {why}", file.display()));
    let text =
        jettison_input::file::read_text(file, MAX_TRANSLATIONS).map_err(|error| failed(error.to_string()))?;
    let given: BTreeMap<String, BTreeMap<String, u64>> =
        toml::from_str(&text).map_err(|error| failed(error.to_string()))?;
    Translations::given(&given).map_err(failed)
}
