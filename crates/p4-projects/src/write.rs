//! A network as a scenario in TOML.

use std::fmt::Write;

use crate::network::{Controller, Host, Link, Mac, Network, Switch};

/// Rate of links without one: that of a veth pair is only limited by the machine.
const UNLIMITED: &str = "10 Gbit/s";
/// Time between the starts of two pings, in milliseconds: one after the other, as `pingall` does.
const SPACING: u64 = 20;
/// What the last ping may take, in milliseconds: three ARP requests, and the round trip.
const LAST: u64 = 4_000;

/// The scenario of a network in which these flows (name, from, to) ping.
pub(crate) fn scenario(network: &Network, pings: &[(String, String, String)]) -> String {
    let mut text = String::new();
    let duration = pings.len() as u64 * SPACING + LAST;
    line(&mut text, format_args!("name = {}", quoted(&network.name)));
    line(&mut text, format_args!("duration = \"{duration} ms\""));
    for host in &network.hosts {
        write_host(&mut text, host);
    }
    for switch in &network.switches {
        write_switch(&mut text, switch);
    }
    let mut names: Vec<String> = Vec::new();
    for link in &network.links {
        let name = link_name(link, &names);
        write_link(&mut text, &name, link);
        names.push(name);
    }
    for (number, (name, from, to)) in pings.iter().enumerate() {
        line(&mut text, format_args!("[flows.{}]", quoted(name)));
        line(&mut text, format_args!("from = {}", quoted(from)));
        line(&mut text, format_args!("to = {}", quoted(to)));
        line(&mut text, format_args!("start = \"{} ms\"", number as u64 * SPACING));
        line(&mut text, format_args!("app = {{ kind = \"ping\", count = 1 }}"));
    }
    text
}

fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    writeln!(text, "{arguments}").expect("a string takes all text");
}

fn write_host(text: &mut String, host: &Host) {
    line(text, format_args!("[nodes.{}]", quoted(&host.name)));
    line(text, format_args!("kind = \"host\"\nlayer = 2"));
    line(text, format_args!("address = \"{}\"\nprefix = {}", host.address, host.prefix));
    line(text, format_args!("mac = \"{}\"", shown(host.mac)));
    if let Some(gateway) = host.gateway {
        line(text, format_args!("gateway = \"{gateway}\""));
    }
    if !host.neighbours.is_empty() {
        let entries = host.neighbours.iter().map(|(ip, mac)| format!("\"{ip}\" = \"{}\"", shown(*mac)));
        line(text, format_args!("neighbours = {{ {} }}", entries.collect::<Vec<_>>().join(", ")));
    }
    if !host.commands.is_empty() {
        let commands: Vec<String> = host.commands.iter().map(|command| quoted(command)).collect();
        line(text, format_args!("commands = [{}]", commands.join(", ")));
    }
}

fn write_switch(text: &mut String, switch: &Switch) {
    line(text, format_args!("[nodes.{}]", quoted(&switch.name)));
    line(text, format_args!("kind = \"p4\"\nprogram = {}", quoted(&switch.program)));
    for (key, file) in [("commands", &switch.commands), ("entities", &switch.entities)] {
        if let Some(file) = file {
            line(text, format_args!("{key} = {}", quoted(file)));
        }
    }
    if let Some(Controller { port, device_id, cpu_port }) = &switch.controller {
        if let Some(cpu_port) = cpu_port {
            line(text, format_args!("cpu_port = {cpu_port}"));
        }
        line(text, format_args!("p4runtime = {{ listen = \"127.0.0.1:{port}\", device_id = {device_id} }}"));
    }
    line(text, format_args!("thrift = {{ listen = \"127.0.0.1:{}\", or_free = true }}", switch.thrift));
    if let Some(priorities) = switch.priorities {
        line(text, format_args!("queue = {{ kind = \"bmv2\", priorities = {priorities} }}"));
    }
}

fn write_link(text: &mut String, name: &str, link: &Link) {
    line(text, format_args!("[links.{}]", quoted(name)));
    line(text, format_args!("between = [{}, {}]", quoted(&link.ends[0]), quoted(&link.ends[1])));
    let ports = link.ends.iter().zip(link.ports);
    let ports: Vec<String> =
        ports.filter_map(|(end, port)| Some(format!("{} = {}", quoted(end), port?))).collect();
    if !ports.is_empty() {
        line(text, format_args!("ports = {{ {} }}", ports.join(", ")));
    }
    match link.rate {
        Some(rate) => line(text, format_args!("rate = \"{rate} bit/s\"")),
        None => line(text, format_args!("rate = \"{UNLIMITED}\"")),
    }
    if link.delay > 0 {
        line(text, format_args!("delay = \"{} ns\"", link.delay));
    }
    if link.loss > 0.0 {
        line(text, format_args!("loss = {:?}", link.loss));
    }
    if let Some(packets) = link.queue {
        line(text, format_args!("queue = {{ kind = \"tail-drop\", limit = \"{packets} packets\" }}"));
    }
}

/// `h1-s1`, with a number if there are several links between two nodes.
fn link_name(link: &Link, taken: &[String]) -> String {
    let plain = format!("{}-{}", link.ends[0], link.ends[1]);
    let mut number = 1;
    let mut name = plain.clone();
    while taken.contains(&name) {
        number += 1;
        name = format!("{plain}-{number}");
    }
    name
}

fn shown(mac: Mac) -> String {
    mac.map(|byte| format!("{byte:02x}")).join(":")
}

/// A TOML string: JSON's escapes are a part of TOML's.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
