//! The registries as the checker needs them: each check builds the thing and throws it away.

use jettison_core::{BuildError, RandomStream, Seed, parameters};
use jettison_link::trace::{ConvertError, Recording};
use jettison_messages::OctopusParameters;
use jettison_queue::registry::BuildContext;
use jettison_sockets::OctopusOptions;
use jettison_sockets::{ControllerFactory, TcpOptions};
use jettison_sockets::{FlowContext, FlowTransport, Initiator};
use jettison_sockets::{UdpParameters, transports};
use jettison_tcp::Endpoint;
use jettison_tcp::TcpParameters;
use jettison_wire::Address;
use serde_json::Value;

use super::Builder;
use super::flows::octopus_options;
use crate::gauges::GaugesOf;
use crate::registries::{
    Fits, InitiatorOf, Kinds, ReadFile, Registries, TraceCheck, TraceProblem, UsualTransport,
};

impl Builder {
    /// What scenarios may name, for [`crate::Scenario::load`].
    pub fn registries(&self) -> Registries {
        let registry = self.disciplines.clone();
        let disciplines = Kinds::of("queue discipline", &self.disciplines, move |entry, value, _| {
            let context = BuildContext { random: &any_stream, registry: &registry };
            (entry.build)(value, &context).map(drop)
        });
        let registry = self.disciplines.clone();
        let port_queues = Kinds::of("queue discipline", &self.port_queues, move |entry, value, _| {
            let context = BuildContext { random: &any_stream, registry: &registry };
            (entry.build)(value, &context).map(drop)
        });
        let applications = Kinds::of("application", &self.applications, |entry, value, files| {
            if let Some(read) = entry.programs {
                return read(value).map(drop);
            }
            let transport = match entry.transports.first() {
                Some(&"tcp") => FlowTransport::Tcp(any_tcp()),
                Some(&"octopus") => FlowTransport::Octopus(any_octopus()),
                _ => FlowTransport::Udp { traffic_class: 0 },
            };
            let remote = Endpoint { address: Address::v4(198, 18, 0, 1), port: 1 };
            let context = FlowContext {
                remote,
                server: remote,
                transport: &transport,
                random: &any_stream,
                files: files.0,
            };
            (entry.build)(value, &context).map(drop)
        });
        let entries = self.applications.clone();
        let fits = move |application: &str, transport: Option<&str>| {
            let Some(entry) = entries.entry(application) else { return Ok(()) };
            match transport {
                Some(transport) if entry.transports.is_empty() => Err(format!(
                    "`{application}` brings its own protocol: leave out `transport = \"{transport}\"`"
                )),
                Some(transport) if !entry.transports.contains(&transport) => Err(format!(
                    "`{application}` runs over {}, not over `{transport}`",
                    entry.transports.join(" or ")
                )),
                _ => Ok(()),
            }
        };
        let entries = self.applications.clone();
        let usual = move |application: &str| {
            entries.entry(application)?.transports.first().map(|transport| (*transport).to_owned())
        };
        let own = Builder {
            disciplines: self.disciplines.clone(),
            port_queues: self.port_queues.clone(),
            applications: self.applications.clone(),
            traces: Default::default(),
        };
        let entries = self.applications.clone();
        let initiator = move |application: &str| {
            entries.entry(application).map_or(Initiator::From, |entry| entry.initiator)
        };
        Registries {
            disciplines,
            port_queues,
            transports: Kinds::of("transport", &transports(), |entry, value, files| {
                check_transport(entry_id(entry), value, files)
            }),
            applications,
            fits: Fits(Box::new(fits)),
            usual_transport: UsualTransport(Box::new(usual)),
            initiator: InitiatorOf(Box::new(initiator)),
            trace: TraceCheck(Box::new(check_trace)),
            gauges: GaugesOf(Box::new(move |settings, contents| own.gauges(settings, contents))),
        }
    }
}

fn entry_id(entry: &impl jettison_core::Catalogue) -> &'static str {
    entry.id()
}

fn any_stream(name: &str) -> RandomStream {
    Seed(0).stream(&["check", name])
}

fn any_tcp() -> TcpOptions {
    let parameters = std::sync::Arc::new(TcpParameters::default());
    let shared = std::sync::Arc::clone(&parameters);
    let controller = ControllerFactory::new(move || {
        shared.controller(None).expect("the default parameters build their own default controller")
    });
    TcpOptions { parameters, controller }
}

fn any_octopus() -> OctopusOptions {
    let none = |name: &str| Err(format!("`{name}` cannot be read here"));
    octopus_options(OctopusParameters::default(), None, ReadFile(&none))
        .expect("the default parameters build their own default controller")
}

fn check_transport(id: &str, value: &Value, files: ReadFile<'_>) -> Result<(), BuildError> {
    match id {
        "tcp" => {
            let own: TcpParameters = parameters(value)?;
            own.validate().map_err(BuildError::whole)?;
            own.controller(None).map(drop).map_err(|message| {
                let key =
                    if own.congestion_parameters.is_empty() { "congestion" } else { "congestion_parameters" };
                BuildError::at(key, message)
            })
        }
        "octopus" => {
            let own: OctopusParameters = parameters(value)?;
            octopus_options(own, None, files).map(drop).map_err(BuildError::whole)
        }
        _ => {
            let own: UdpParameters = parameters(value)?;
            own.validate().map_err(BuildError::whole)
        }
    }
}

fn check_trace(text: &str) -> Result<(), TraceProblem> {
    let recording = Recording::read(text.as_bytes(), None)
        .map_err(|error| TraceProblem { line: error.line(), message: error.to_string() })?;
    let converted = recording.into_shared_trace();
    converted.map(drop).map_err(|error: ConvertError| TraceProblem { line: None, message: error.to_string() })
}
