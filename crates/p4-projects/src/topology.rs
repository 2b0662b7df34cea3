//! The `topology.json` of p4-utils: what its Python controllers read of a running network.
//!
//! A graph in the node-link format of networkx. The keys are those that p4-utils' `NetworkGraph` asks for.

use serde_json::{Map, Value, json};

use crate::network::{Host, Network, Switch};

/// The text of a network's `topology.json`.
pub(crate) fn text(network: &Network) -> String {
    let nodes = network.hosts.iter().map(host).chain(network.switches.iter().enumerate().map(switch));
    let links: Vec<Value> = network.links.iter().map(|link| Value::Object(edge(network, link))).collect();
    // Newer versions of networkx call the links edges.
    let graph = json!({
        "directed": false,
        "multigraph": false,
        "graph": {},
        "nodes": nodes.collect::<Vec<_>>(),
        "links": links,
        "edges": links,
    });
    format!("{graph:#}\n")
}

fn host(host: &Host) -> Value {
    json!({
        "id": host.name,
        "isHost": true,
        "ip": format!("{}/{}", host.address, host.prefix),
        "mac": shown(host.mac),
        "defaultRoute": host.gateway.map(|gateway| format!("via {gateway}")),
    })
}

fn switch((at, switch): (usize, &Switch)) -> Value {
    let device = switch.controller.as_ref().map_or(at as u64 + 1, |controller| controller.device_id);
    let mut node = json!({
        "id": switch.name,
        "isSwitch": true,
        "isP4Switch": true,
        "device_id": device,
        "p4_src": switch.program,
        "thrift_ip": "127.0.0.1",
        "thrift_port": switch.thrift,
    });
    if let Some(controller) = &switch.controller {
        node["isP4RuntimeSwitch"] = true.into();
        node["grpc_ip"] = "127.0.0.1".into();
        node["grpc_port"] = controller.port.into();
        // The switch itself has both descriptions; controllers ask it first.
        node["p4rt_path"] = "".into();
        node["json_path"] = "".into();
    }
    node
}

fn edge(network: &Network, link: &crate::network::Link) -> Map<String, Value> {
    let mut edge = Map::new();
    edge.insert("source".into(), link.ends[0].as_str().into());
    edge.insert("target".into(), link.ends[1].as_str().into());
    for (at, suffix) in [(0, "1"), (1, "2")] {
        let (end, other) = (&link.ends[at], &link.ends[1 - at]);
        // A host has one interface, which Mininet numbers 0.
        let port = link.ports[at].unwrap_or(0);
        edge.insert(format!("node{suffix}"), end.as_str().into());
        edge.insert(format!("port{suffix}"), port.into());
        edge.insert(format!("intfName{suffix}"), format!("{end}-eth{port}").into());
        let host = |name: &String| network.hosts.iter().find(|host| host.name == *name);
        let (address, mac) = match (host(end), host(other)) {
            (Some(own), _) => (Some(format!("{}/{}", own.address, own.prefix)), Some(own.mac)),
            // The end of a switch is the gateway of its host.
            (None, Some(of)) => {
                let gateway = of.gateway.map(|gateway| format!("{gateway}/{}", of.prefix));
                let known = of.neighbours.iter().find(|(address, _)| Some(*address) == of.gateway);
                (gateway, known.map(|(_, mac)| *mac))
            }
            // Nobody has these addresses. The hardware's only tell the ends of switches apart; the others are p4-utils', with the
            // ids of both switches.
            (None, None) => {
                let number = |name: &String| network.switches.iter().position(|switch| switch.name == *name);
                let [first, second] = [&link.ends[0], &link.ends[1]].map(|end| number(end).unwrap_or(0) + 1);
                let address = network
                    .addresses_between_switches
                    .then(|| format!("20.{}.{}.{suffix}/24", first & 0xff, second & 0xff));
                let [high, low] = port.to_be_bytes();
                (address, Some([2, 0, 0, number(end).unwrap_or_default() as u8, high, low]))
            }
        };
        edge.insert(format!("ip{suffix}"), address.into());
        edge.insert(format!("addr{suffix}"), mac.map(shown).into());
    }
    if let Some(rate) = link.rate {
        // In Mbit/s.
        edge.insert("bw".into(), json!(rate as f64 / 1e6));
    }
    edge
}

fn shown(mac: [u8; 6]) -> String {
    mac.map(|byte| format!("{byte:02x}")).join(":")
}
