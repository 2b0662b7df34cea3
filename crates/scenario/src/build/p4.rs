//! Routers that run a P4 program.

use std::collections::BTreeMap;
use std::sync::Arc;

use jettison_core::{Duration, Seed};
use jettison_p4_exec::compiled::Compiled;
use jettison_p4_v1model::{Frames, SwitchPlan};
use jettison_sim::RouterPlan;
use jettison_switch::{Port, Switch};
use jettison_wire::Address;

use super::{BuildFailure, part};
use crate::p4_control::{CommandNames, plan, ports};
use crate::schema::{P4Router, Settings};

/// Returns the constructor of a P4 router's switch, which needs ports and routes.
#[allow(clippy::type_complexity)] // the one closure type that the world's builder takes
pub(super) fn p4(
    name: &str,
    router: &P4Router,
    settings: &Settings,
    addresses: &BTreeMap<&str, Address>,
    seed: Seed,
) -> Result<impl FnOnce(RouterPlan) -> Result<Box<dyn Switch>, String> + 'static, BuildFailure> {
    let Some(read) = router.read.clone() else {
        let message = "was not compiled when the scenario was checked".to_owned();
        return Err(BuildFailure::File { file: router.program.clone(), message });
    };
    let recirculation = router.recirculation.clone().unwrap_or_default();
    recirculation.check().map_err(|error| part(&["nodes", name, "recirculation"], error))?;
    let service = super::routers::service(name, router.service.as_ref(), seed)?;
    // The constructor runs when the topology is complete, so it owns its data.
    let owned = |(name, value): (&&str, &Address)| ((*name).to_owned(), *value);
    let addresses: BTreeMap<String, Address> = addresses.iter().map(owned).collect();
    let frames = if super::hosts::has_frames(settings) { Frames::Raw } else { Frames::Modelled };
    let own_ports: Vec<(String, u16)> =
        ports(settings, name).into_iter().map(|(link, port)| (link.to_owned(), port)).collect();
    let (name, router) = (name.to_owned(), router.clone());
    Ok(move |made: RouterPlan| -> Result<Box<dyn Switch>, String> {
        let routes: Vec<(Address, u16)> = made.routes.iter().map(|(to, port)| (*to, port.0)).collect();
        let names = CommandNames {
            addresses: &addresses.iter().map(|(node, address)| (node.as_str(), *address)).collect(),
            ports: own_ports.iter().map(|(link, port)| (link.as_str(), *port)).collect(),
            routes: &routes,
        };
        let planned = plan(&router, &read, &names).map_err(|refused| refused[0].message.clone())?;
        let stream = |direction: &str| {
            // A direction is named `link.forward` or `link.reverse`; the key is that of a native discipline there.
            let (link, which) = direction.rsplit_once('.').unwrap_or((direction, ""));
            seed.stream(&["links", link, which, &format!("queue-{}", router.stream())])
        };
        let port_random = made.ports.iter().map(|port| stream(&port.direction)).collect();
        let chosen = router.ingress_stream.as_ref().and_then(|link| names.ports.get(link.as_str()));
        let chosen = chosen.and_then(|port| made.ports.get(usize::from(*port)));
        let ingress_random = match chosen {
            Some(port) => stream(&port.direction),
            None => seed.stream(&["nodes", &name, "ingress"]),
        };
        let gaps = (0u16..).zip(&made.ports).filter(|(_, port)| !port.connected);
        let unconnected: Vec<Port> = gaps.map(|(number, _)| Port(number)).collect();
        let queues = made.ports.into_iter().map(|port| port.queue).collect();
        let mut switch = SwitchPlan::new(Arc::clone(&read.program), queues, ingress_random, port_random);
        switch.unconnected = unconnected;
        switch.frames = frames;
        switch.recirculation = recirculation;
        switch.ingress_delay = router.ingress_delay.unwrap_or(Duration::ZERO);
        switch.service = service;
        switch.commands = planned.commands;
        switch.cpu_port = router.cpu_port.map(|port| (port, seed.stream(&["nodes", &name, "cpu"])));
        let machine = Compiled::new(Arc::clone(&read.program));
        let switch = switch.build(machine).map_err(|failed| failed.to_string())?;
        Ok(Box::new(switch))
    })
}
