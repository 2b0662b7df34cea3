//! Gauges of a variant's components, found by building the components once.

use std::collections::BTreeSet;

use jettison_core::{Gauge, RandomStream, Seed, Time};
use jettison_sockets::FlowTransport;
use jettison_switch::{Port, Service};

use super::{Builder, content};
use crate::inputs::Contents;
use crate::registries::ReadFile;
use crate::schema::{Kinded, Settings};

impl Builder {
    /// The gauges of all queues and controllers of a variant. Components that cannot be built are skipped: the checks report
    /// them.
    pub fn gauges(&self, settings: &Settings, contents: &Contents) -> BTreeSet<Gauge> {
        let random = |name: &str| -> RandomStream { Seed(0).stream(&["gauges", name]) };
        let mut reported: Vec<(Gauge, String, f64)> = Vec::new();
        for (name, link) in &settings.links {
            for forward in [true, false] {
                let direction = settings.direction(link, forward);
                let Ok((discipline, hooks)) = self.queue(name, &direction, &random) else { continue };
                discipline.gauges(Time::ZERO, &mut reported);
                if let Some(hooks) = hooks {
                    hooks.gauges(Time::ZERO, &mut reported);
                }
            }
        }
        for node in settings.nodes.values() {
            if let Some(service) = node.service() {
                Service::new(service.clone(), random("service")).gauges(Port(0), &mut reported);
            }
        }
        for (name, flow) in &settings.flows {
            let Some(entry) = self.applications.entry(flow.app.0.kind.as_str()) else { continue };
            let Some(usual) = entry.facts.transports.first() else { continue };
            let usual = Kinded::plain(usual);
            let transport = flow.transport.as_ref().map_or(&usual, |choice| &choice.0);
            let files = |file: &str| content(contents, file).map_err(|failure| failure.to_string());
            match self.flow_transport(name, transport, &random, ReadFile(&files)) {
                Ok(FlowTransport::Tcp(options)) => {
                    options.controller.make().gauges(Time::ZERO, &mut reported)
                }
                Ok(FlowTransport::Octopus(options)) => {
                    (options.controller)().gauges(Time::ZERO, &mut reported)
                }
                Ok(FlowTransport::Udp { .. }) | Err(_) => {}
            }
        }
        reported.into_iter().map(|(gauge, ..)| gauge).collect()
    }
}
