//! Flows: transports, applications and when they start.

use std::sync::Arc;

use jettison_core::{Duration, RandomStream, Time};
use jettison_registry::ParameterError;
use jettison_sockets::command::CommandParameters;
use jettison_sockets::{Application, FlowContext, FlowTransport, Initiator, TransportContext};
use jettison_tcp::{Endpoint, TcpParameters};

use super::{BuildFailure, Builder, Plan, content, part};
use crate::registries::ReadFile;
use crate::schema::Kinded;

/// A flow whose programs have been made, or read.
pub(super) struct BuiltFlow<'s> {
    pub name: String,
    pub from: &'s str,
    pub to: &'s str,
    /// Where the end that does not begin listens.
    pub port: u16,
    /// The transport's id.
    pub transport: String,
    /// The parameters of TCP, if that is the transport of programs of ours.
    pub tcp: Option<Arc<TcpParameters>>,
    /// When the end that begins does so, and when it is stopped.
    pub span: (Time, Time),
    pub programs: FlowPrograms,
}

/// What runs at the ends of a flow.
pub(super) enum FlowPrograms {
    /// Ours: at the flow's `from` (true) or `to`, with when they start and are stopped.
    BuiltIn(Vec<(bool, Box<dyn Application>, Time, Time)>),
    /// The user's.
    Commands(Box<CommandParameters>),
}

impl Builder {
    /// The flow of that name, or the several flows that its `count` makes.
    pub(super) fn flows<'s>(&self, name: &str, plan: &Plan<'s>) -> Result<Vec<BuiltFlow<'s>>, BuildFailure> {
        let Plan { settings, contents, addresses, seed, .. } = plan;
        let flow = &settings.flows[name];
        let kind = flow.app.0.kind.as_str();
        let entry = self.applications.known(kind).map_err(|error| part(&["flows", name, "app"], error))?;
        let usual = Kinded::plain(entry.facts.transports.first().copied().unwrap_or("udp"));
        let transport = flow.transport.as_ref().map_or(&usual, |choice| &choice.0);
        let first_port = flow.port.unwrap_or_else(|| settings.default_port(name, &transport.kind));
        let mut built = Vec::new();
        for (number, own_name) in flow.names(name).into_iter().enumerate() {
            let random = |what: &str| seed.stream(&["flows", &own_name, what]);
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
                    let context =
                        FlowContext { remote, server, transport: &transport, random: &random, files: &files };
                    let own = entry.build(&flow.app.0.parameters, &context).map_err(wrong)?;
                    // Who listens is there before anything comes, and stays for what is still under way.
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
            built.push(BuiltFlow { name: own_name, from, to, port, transport, tcp, span, programs });
        }
        Ok(built)
    }

    /// The transport of the flow of that name.
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
