//! Bulk transfer over TCP as `iperf`: all data at once, at the speed of the transport.

use jettison_core::{Bytes, Time};
use jettison_measure::{FlowMeter, metrics};
use jettison_registry::style::{GREY, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use jettison_tcp::{Endpoint, Payload};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::message_bulk::{MessageBulk, MessageSink};
use super::sink::TcpSink;
use jettison_sockets::{
    Application, FlowApplication, FlowApplications, FlowContext, FlowFacts, FlowTransport, SocketEvent,
    SocketId, Sockets, TcpOptions,
};

/// Its entry in the list of applications.
pub fn entry() -> Entry<FlowApplication> {
    Entry::<FlowApplication>::new("bulk", "bulk transfer", build)
        .style(GREY, Solid)
        .summary("a bulk transfer: all data at once, as fast as the transport goes")
        .source("as iperf")
        .page("applications.md")
        .facts(FlowFacts::over(&["tcp", "octopus"]))
}

fn build(parameters: BulkParameters, context: &FlowContext<'_>) -> Result<FlowApplications, ParameterError> {
    if parameters.bytes == Some(Bytes::ZERO) {
        return Err(ParameterError::must(
            "bytes",
            "be > 0 (leave it out for a transfer without end)",
            Bytes::ZERO,
        ));
    }
    if let FlowTransport::Octopus(options) = context.transport {
        return Ok(FlowApplications {
            from: Box::new(MessageBulk::new(&parameters, context.remote, options)),
            to: Some(Box::new(MessageSink::new(context.remote.port, options))),
        });
    }
    let options = context.tcp()?;
    Ok(FlowApplications {
        from: Box::new(Bulk::new(&parameters, context.remote, options.clone())),
        to: Some(Box::new(TcpSink::new(context.remote.port, options))),
    })
}

/// Parameters of `bulk`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BulkParameters {
    /// Bytes to send; unset: send until the end of the flow.
    pub bytes: Option<Bytes>,
}

/// The sender: writes without end, or `bytes` and then closes.
#[derive(Debug, Clone)]
pub struct Bulk {
    // Parameters.
    remote: Endpoint,
    options: TcpOptions,
    bytes: Option<u64>,
    // State.
    socket: Option<SocketId>,
    started: Time,
    done: bool,
}

impl Bulk {
    /// Creates a transfer to `remote`.
    pub fn new(parameters: &BulkParameters, remote: Endpoint, options: TcpOptions) -> Bulk {
        let bytes = parameters.bytes.map(Bytes::get);
        Bulk { remote, options, bytes, socket: None, started: Time::ZERO, done: false }
    }
}

impl Application for Bulk {
    fn start(&mut self, now: Time, host: &mut dyn Sockets) {
        let socket = host.tcp_connect(self.remote, &self.options);
        host.observe(socket);
        self.socket = Some(socket);
        self.started = now;
        // Virtual zeros cost no memory: an endless transfer is one write that outlasts any run.
        host.write(socket, Payload::Zeros(self.bytes.unwrap_or(u64::MAX / 2)));
        if self.bytes.is_some() {
            host.close(socket);
        }
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        if let SocketEvent::Acknowledged(socket) = event
            && self.bytes.is_some()
            && !self.done
            && host.unacknowledged(socket) == 0
        {
            self.done = true;
            host.meter().completed(now.since(self.started));
        }
    }

    fn stop(&mut self, _: Time, host: &mut dyn Sockets) {
        // As `iperf` at the end of its time, discard unsent data.
        if let Some(socket) = self.socket {
            host.abort(socket);
        }
    }

    fn finish(&mut self, _: Time, meter: &mut FlowMeter) {
        let has_started = self.socket.is_some();
        if self.bytes.is_some() && has_started && !self.done {
            meter.count(metrics::UNFINISHED, 1);
        }
    }
}
