//! Flows: transports, applications and when they start.

use std::collections::BTreeMap;
use std::sync::Arc;

use jettison_core::{BuildError, Duration, RandomStream, Time, parameters};
use jettison_messages::OctopusParameters;
use jettison_sockets::OctopusOptions;
use jettison_sockets::UdpParameters;
use jettison_sockets::command::CommandParameters;
use jettison_sockets::{Application, ControllerFactory, TcpOptions};
use jettison_sockets::{FlowContext, FlowTransport, Initiator};
use jettison_tcp::Endpoint;
use jettison_tcp::TcpParameters;

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
        let entry = self.applications.entry(kind);
        let entry = entry.ok_or_else(|| part(&["flows", name, "app"], self.applications.unknown(kind)))?;
        let usual = Kinded::plain(entry.transports.first().copied().unwrap_or("udp"));
        let transport = flow.transport.as_ref().map_or(&usual, |choice| &choice.0);
        let first_port = flow.port.unwrap_or_else(|| settings.default_port(name, &transport.kind));
        let mut built = Vec::new();
        for (number, own_name) in flow.names(name).into_iter().enumerate() {
            let random = |what: &str| seed.stream(&["flows", &own_name, what]);
            let port = first_port.wrapping_add(number as u16).max(1);
            let start = flow.start + flow.start_spacing * number as u64 + jitter(flow.start_jitter, &random);
            let stop = flow.stop.unwrap_or(Time::MAX);
            let wrong = |error: BuildError| part(&["flows", name, "app"], error);
            let programs = match entry.programs {
                Some(read) => FlowPrograms::Commands(Box::new(read(&flow.app.0.parameters).map_err(wrong)?)),
                None => {
                    let files = |file: &str| content(contents, file).map_err(|failure| failure.to_string());
                    let transport = flow_transport(name, transport, &random, ReadFile(&files))?;
                    let remote = Endpoint { address: addresses[flow.to.as_str()], port };
                    let server = Endpoint { address: addresses[flow.from.as_str()], port };
                    let context =
                        FlowContext { remote, server, transport: &transport, random: &random, files: &files };
                    let own = (entry.build)(&flow.app.0.parameters, &context).map_err(wrong)?;
                    // Who listens is there before anything comes, and stays for what is still under way.
                    let span = |begins: Initiator| match begins == entry.initiator {
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
            built.push(BuiltFlow { name: own_name, from, to, port, transport, span, programs });
        }
        Ok(built)
    }
}

fn jitter(most: Duration, random: &dyn Fn(&str) -> RandomStream) -> Duration {
    match most.as_nanos() {
        0 => Duration::ZERO,
        most => Duration::from_nanos(random("start").uniform(0, most)),
    }
}

pub(super) fn flow_transport(
    flow: &str,
    transport: &Kinded,
    random: &dyn Fn(&str) -> RandomStream,
    files: ReadFile<'_>,
) -> Result<FlowTransport, BuildFailure> {
    let wrong = |error: String| part(&["flows", flow, "transport"], error);
    match transport.kind.as_str() {
        "udp" => {
            let own: UdpParameters =
                parameters(&transport.parameters).map_err(|error| wrong(error.to_string()))?;
            own.validate().map_err(wrong)?;
            Ok(FlowTransport::Udp { traffic_class: own.traffic_class() })
        }
        "tcp" => {
            let own: TcpParameters =
                parameters(&transport.parameters).map_err(|error| wrong(error.to_string()))?;
            own.validate().map_err(wrong)?;
            let own = Arc::new(own);
            let stream = random("congestion");
            own.controller(Some(stream.clone())).map_err(wrong)?;
            let shared = Arc::clone(&own);
            let controller = ControllerFactory::new(move || {
                shared.controller(Some(stream.clone())).expect("the same parameters built a controller above")
            });
            Ok(FlowTransport::Tcp(TcpOptions { parameters: own, controller }))
        }
        "octopus" => {
            let own: OctopusParameters =
                parameters(&transport.parameters).map_err(|error| wrong(error.to_string()))?;
            octopus_options(own, Some(random("congestion")), files).map(FlowTransport::Octopus).map_err(wrong)
        }
        other => Err(wrong(format!("unknown transport `{other}`"))),
    }
}

/// Checked parameters of the Octopus transport with what makes their controller.
pub(super) fn octopus_options(
    own: OctopusParameters,
    random: Option<RandomStream>,
    files: ReadFile<'_>,
) -> Result<OctopusOptions, String> {
    own.validate()?;
    // What the controller reads, it reads once, here.
    let named = own.trace.iter().map(|name| Ok((name.clone(), (files.0)(name)?)));
    let read: BTreeMap<String, Arc<[u8]>> = named.collect::<Result<_, String>>()?;
    let own = Arc::new(own);
    let shared = Arc::clone(&own);
    let make = move || {
        let files = |name: &str| {
            read.get(name).cloned().ok_or_else(|| format!("`{name}` is not among the scenario's inputs"))
        };
        shared.controller(&shared.path_context(random.clone(), &files))
    };
    make()?;
    let controller = Arc::new(move || make().expect("the same parameters built a controller above"));
    Ok(OctopusOptions { parameters: own, controller })
}
