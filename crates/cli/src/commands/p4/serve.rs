//! `jettison p4 serve`.

use std::net::TcpListener;

use jettison_p4_runtime::node::Node;
use jettison_p4_runtime::proto::runtime::ForwardingPipelineConfig;
use jettison_p4_runtime::server;

use super::compile::described;
use crate::options::P4ServeArguments;
use crate::output::{Failure, print};

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
    let failed =
        |error: std::io::Error| Failure::of(format!("cannot listen on {}: {error}", arguments.listen));
    let listener = TcpListener::bind(arguments.listen).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    print(format_args!("device {device}, P4Runtime on {address}; Ctrl-C ends\n"))?;
    server::serve_standalone(listener, node, std::future::pending())
        .map_err(|error| Failure::of(format!("P4Runtime server: {error}")))
}
