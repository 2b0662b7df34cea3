//! Routers that forward natively.

use std::collections::BTreeMap;
use std::net::IpAddr;

use jettison_core::{Duration, Seed};
use jettison_sim::RouterPlan;
use jettison_switch::{
    Nat, Pipeline, Port, PortConfig, Prefix, Routes, Selector, Service, ServiceSettings, Switch,
};
use jettison_wire::Address;

use super::{BuildFailure, part};
use crate::schema::{PolicyRoute, Router, Settings};

/// Returns the constructor of a router's switch, which needs ports and routes.
#[allow(clippy::type_complexity)] // the one closure type that the world's builder takes
pub(super) fn native(
    name: &str,
    router: &Router,
    settings: &Settings,
    addresses: &BTreeMap<&str, Address>,
    seed: Seed,
) -> Result<impl FnOnce(RouterPlan) -> Box<dyn Switch> + 'static, BuildFailure> {
    let recirculation = router.recirculation.clone().unwrap_or_default();
    recirculation.check().map_err(|error| part(&["nodes", name, "recirculation"], error))?;
    let service = service(name, router.service.as_ref(), seed)?;
    let ingress_delay = router.ingress_delay.unwrap_or(Duration::ZERO);
    let policies = router
        .routes
        .iter()
        .map(|route| policy(name, route, settings, addresses))
        .collect::<Result<Vec<_>, _>>()?;
    let inside: Option<Vec<Port>> = match &router.nat {
        None => None,
        Some(nat) => {
            let port = |link: &String| {
                port_of(settings, name, link).ok_or_else(|| {
                    part(&["nodes", name, "nat", "inside"], format!("`{name}` has no link `{link}`"))
                })
            };
            Some(nat.inside.iter().map(port).collect::<Result<_, _>>()?)
        }
    };
    let outside = addresses.get(name).copied();
    Ok(move |plan: RouterPlan| -> Box<dyn Switch> {
        let mut routes = Routes::new();
        for (address, port) in &plan.routes {
            routes.add_host(*address, *port);
        }
        if let Some(port) = plan.elsewhere {
            let everything = [[0, 0, 0, 0].into(), IpAddr::from([0_u16; 8])];
            for prefix in everything.into_iter().filter_map(|address: IpAddr| Prefix::new(address.into(), 0))
            {
                routes.add_prefix(prefix, port);
            }
        }
        for (selector, port) in policies {
            routes.add_policy(selector, port);
        }
        let nat = inside.zip(outside).map(|(inside, outside)| {
            let count = plan.ports.len() as u16;
            Nat::new(outside, (0..count).map(|port| inside.contains(&Port(port))).collect())
        });
        let ports = plan
            .ports
            .into_iter()
            .map(|port| PortConfig { discipline: port.queue, hooks: port.hooks })
            .collect();
        let pipeline =
            Pipeline::native(routes, ports, recirculation).with_nat(nat).with_ingress_delay(ingress_delay);
        Box::new(match service {
            Some(service) => pipeline.with_service(service),
            None => pipeline,
        })
    })
}

/// The service model of a router, native or P4, with its own random stream.
pub(super) fn service(
    name: &str,
    settings: Option<&ServiceSettings>,
    seed: Seed,
) -> Result<Option<Service>, BuildFailure> {
    let Some(settings) = settings else { return Ok(None) };
    settings.check().map_err(|error| part(&["nodes", name, "service"], error))?;
    Ok(Some(Service::new(settings.clone(), seed.stream(&["nodes", name, "service"]))))
}

fn policy(
    name: &str,
    route: &PolicyRoute,
    settings: &Settings,
    addresses: &BTreeMap<&str, Address>,
) -> Result<(Selector, Port), BuildFailure> {
    let here = |key: &str, message: String| part(&["nodes", name, "routes", key], message);
    let address = |key: &str, node: &Option<String>| match node {
        None => Ok(None),
        Some(node) => match addresses.get(node.as_str()) {
            Some(address) => Ok(Some(Prefix::host(*address))),
            None => Err(here(key, format!("unknown node `{node}`"))),
        },
    };
    let port = |key: &str, link: &str| {
        port_of(settings, name, link).ok_or_else(|| here(key, format!("`{name}` has no link `{link}`")))
    };
    let selector = Selector {
        source: address("from", &route.from)?,
        destination: address("to", &route.to)?,
        ingress: route.arriving.as_deref().map(|link| port("arriving", link)).transpose()?,
        dscp: route.dscp,
        ..Selector::default()
    };
    Ok((selector, port("via", &route.via)?))
}

/// The port of a node on a link. Ports are numbered in the order of the links in the scenario.
fn port_of(settings: &Settings, node: &str, link: &str) -> Option<Port> {
    let at_node = |ends: &[String; 2]| ends.iter().any(|end| end == node);
    settings
        .links
        .iter()
        .filter(|(_, candidate)| at_node(&candidate.between))
        .position(|(name, _)| name == link)
        .map(|position| Port(position as u16))
}
