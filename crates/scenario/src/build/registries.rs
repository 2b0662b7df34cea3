//! Registries for the checker: a check builds the component and discards it.

use jettison_core::{RandomStream, Seed};
use jettison_link::trace::{ConvertError, Recording};
use jettison_queue::entry::BuildContext;
use jettison_sockets::{FlowContext, Initiator, TransportContext};
use jettison_tcp::Endpoint;
use jettison_wire::Address;
use serde_json::Value;

use super::Builder;
use crate::gauges::GaugesOf;
use crate::registries::{Fits, InitiatorOf, Kinds, Registries, TraceCheck, TraceProblem, UsualTransport};

impl Builder {
    /// The components that scenarios may name, for [`crate::Scenario::load`].
    pub fn registries(&self) -> Registries {
        let registry = self.disciplines.clone();
        let disciplines = Kinds::of(&self.disciplines, move |entry, value, _| {
            let context = BuildContext { random: &any_stream, registry: &registry };
            entry.build(value, &context).map(drop)
        });
        let registry = self.disciplines.clone();
        let port_queues = Kinds::of(&self.port_queues, move |entry, value, _| {
            let context = BuildContext { random: &any_stream, registry: &registry };
            entry.build(value, &context).map(drop)
        });
        let transports = Kinds::of(&self.transports, |entry, value, files| {
            let context = TransportContext { random: &any_stream, files: files.0 };
            entry.build(value, &context).map(drop)
        });
        let known = self.transports.clone();
        let applications = Kinds::of(&self.applications, move |entry, value, files| {
            if let Some(read) = entry.facts.programs {
                return read(value).map(drop);
            }
            let usual = entry.facts.transports.first().copied().unwrap_or("udp");
            let context = TransportContext { random: &any_stream, files: files.0 };
            let transport = known.build_from(usual, &Value::Null, &context)?;
            // The check knows no flow: a placeholder address and the default transport stand in.
            let remote = Endpoint { address: Address::v4(198, 18, 0, 1), port: 1 };
            let (server, random, files) = (remote, &any_stream, files.0);
            let context =
                FlowContext { remote, hardware: None, server, transport: &transport, random, files };
            entry.build(value, &context).map(drop)
        });
        let entries = self.applications.clone();
        let fits = move |application: &str, transport: Option<&str>| {
            let Some(entry) = entries.entry(application) else { return Ok(()) };
            match transport {
                Some(transport) if entry.facts.transports.is_empty() => {
                    Err(format!("`{application}` has its own protocol: remove `transport = \"{transport}\"`"))
                }
                Some(transport) if !entry.facts.transports.contains(&transport) => Err(format!(
                    "the transport of `{application}` must be {}, got `{transport}`",
                    entry.facts.transports.join(" or ")
                )),
                _ => Ok(()),
            }
        };
        let entries = self.applications.clone();
        let usual = move |application: &str| {
            entries.entry(application)?.facts.transports.first().map(|transport| (*transport).to_owned())
        };
        let gauge_builder = Builder {
            disciplines: self.disciplines.clone(),
            port_queues: self.port_queues.clone(),
            transports: self.transports.clone(),
            applications: self.applications.clone(),
            controllers: Vec::new(),
            switch_controller: None,
            traces: Default::default(),
        };
        let entries = self.applications.clone();
        let initiator = move |application: &str| {
            entries.entry(application).map_or(Initiator::From, |entry| entry.facts.initiator)
        };
        Registries {
            disciplines,
            port_queues,
            transports,
            applications,
            fits: Fits(Box::new(fits)),
            usual_transport: UsualTransport(Box::new(usual)),
            initiator: InitiatorOf(Box::new(initiator)),
            trace: TraceCheck(Box::new(check_trace)),
            gauges: GaugesOf(Box::new(move |settings, contents| gauge_builder.gauges(settings, contents))),
        }
    }
}

fn any_stream(name: &str) -> RandomStream {
    Seed(0).stream(&["check", name])
}

fn check_trace(text: &str) -> Result<(), TraceProblem> {
    let recording = Recording::read(text.as_bytes(), None)
        .map_err(|error| TraceProblem { line: error.line(), message: error.to_string() })?;
    let converted = recording.into_shared_trace();
    converted.map(drop).map_err(|error: ConvertError| TraceProblem { line: None, message: error.to_string() })
}
