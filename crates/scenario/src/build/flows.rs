//! Flows: transports, applications and start times.

use std::sync::Arc;

use jettison_core::{Duration, RandomStream, Time};
use jettison_registry::ParameterError;
use jettison_sockets::command::CommandParameters;
use jettison_sockets::{Application, FlowContext, FlowTransport, Initiator, TransportContext};
use jettison_tcp::{Endpoint, TcpParameters};

use super::{BuildFailure, Builder, Plan, content, part};
use crate::registries::ReadFile;
use crate::schema::Kinded;

/// A flow with its programs: built-in ones are built, external ones are read.
pub(super) struct BuiltFlow<'s> {
    pub name: String,
    pub from: &'s str,
    pub to: &'s str,
    /// Port of the listening end.
    pub port: u16,
    /// The transport's id.
    pub transport: String,
    /// TCP parameters, for built-in programs over TCP.
    pub tcp: Option<Arc<TcpParameters>>,
    /// Start and stop of the initiating end.
    pub span: (Time, Time),
    pub programs: FlowPrograms,
}

/// Programs at the ends of a flow.
pub(super) enum FlowPrograms {
    /// Built-in: whether at the flow's `from`, the application, start and stop.
    BuiltIn(Vec<(bool, Box<dyn Application>, Time, Time)>),
    /// External, given as commands.
    Commands(Box<CommandParameters>),
}

impl Builder {
    /// The flows of the entry `name`: one, or as many as its `count`.
    pub(super) fn flows<'s>(&self, name: &str, plan: &Plan<'s>) -> Result<Vec<BuiltFlow<'s>>, BuildFailure> {
        let Plan { settings, contents, addresses, seed, .. } = plan;
        let flow = &settings.flows[name];
        let kind = flow.app.0.kind.as_str();
        let entry = self.applications.known(kind).map_err(|error| part(&["flows", name, "app"], error))?;
        let usual = Kinded::plain(entry.facts.transports.first().copied().unwrap_or("udp"));
        let transport = flow.transport.as_ref().map_or(&usual, |choice| &choice.0);
        let first_port = flow.port.unwrap_or_else(|| settings.default_port(name, &transport.kind));
        let mut built = Vec::new();
        for (number, flow_name) in flow.names(name).into_iter().enumerate() {
            // Streams are keyed by the flow's name, so flows draw independently of each other's presence.
            let random = |stream: &str| seed.stream(&["flows", &flow_name, stream]);
            let port = first_port.wrapping_add(number as u16).max(1);
            let start = flow.start + flow.start_spacing * number as u64 + jitter(flow.start_jitter, &random);
            let stop = flow.stop.unwrap_or(Time::MAX);
            let wrong = |error: ParameterError| part(&["flows", name, "app"], error);
            let mut tcp = None;
            let programs = match entry.facts.programs {
                Some(read) => FlowPrograms::Commands(Box::new(read(&flow.app.0.parameters).map_err(wrong)?)),
                None => {
                    let files = |file: &str| content(contents, file).map_err(|failure| failure.to_string());
                    let transport = self.flow_transport(name, transport, &random, ReadFile(&files))?;
                    if let FlowTransport::Tcp(options) = &transport {
                        tcp = Some(Arc::clone(&options.parameters));
                    }
                    let remote = Endpoint { address: addresses[flow.to.as_str()], port };
                    let server = Endpoint { address: addresses[flow.from.as_str()], port };
                    let hardware = super::hosts::hardware_address(settings, addresses, flow.to.as_str());
                    let context = FlowContext {
                        remote,
                        server,
                        hardware,
                        transport: &transport,
                        random: &random,
                        files: &files,
                    };
                    let own = entry.build(&flow.app.0.parameters, &context).map_err(wrong)?;
                    // The listening end runs from the start to the end, so that no packet in flight misses it.
                    let span = |begins: Initiator| match begins == entry.facts.initiator {
                        true => (start, stop),
                        false => (Time::ZERO, Time::MAX),
                    };
                    let (starts, stops) = span(Initiator::From);
                    let mut parts = vec![(true, own.from, starts, stops)];
                    if let Some(application) = own.to {
                        let (starts, stops) = span(Initiator::To);
                        parts.push((false, application, starts, stops));
                    }
                    FlowPrograms::BuiltIn(parts)
                }
            };
            let (from, to) = (flow.from.as_str(), flow.to.as_str());
            let (transport, span) = (transport.kind.clone(), (start, stop));
            built.push(BuiltFlow { name: flow_name, from, to, port, transport, tcp, span, programs });
        }
        Ok(built)
    }

    /// Builds the transport of a flow.
    pub(super) fn flow_transport(
        &self,
        flow: &str,
        transport: &Kinded,
        random: &dyn Fn(&str) -> RandomStream,
        files: ReadFile<'_>,
    ) -> Result<FlowTransport, BuildFailure> {
        let context = TransportContext { random, files: files.0 };
        let built = self.transports.build_from(&transport.kind, &transport.parameters, &context);
        built.map_err(|error| part(&["flows", flow, "transport"], error))
    }
}

fn jitter(most: Duration, random: &dyn Fn(&str) -> RandomStream) -> Duration {
    match most.as_nanos() {
        0 => Duration::ZERO,
        most => Duration::from_nanos(random("start").uniform(0, most)),
    }
}
