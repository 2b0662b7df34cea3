//! Checks of P4 routers: commands are parsed against the program and tried on an idle switch.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use jettison_core::{RandomStream, Seed, Time};
use jettison_p4_exec::compiled::Compiled;
use jettison_p4_v1model::{DROP_PORT, SwitchPlan};
use jettison_queue::QueueDiscipline;
use jettison_queue::bmv2::{Bmv2, Bmv2Parameters};
use jettison_switch::Port;
use jettison_wire::Address;

use super::Checker;
use crate::build::addresses;
use crate::error::{Place, ScenarioError};
use crate::p4_control::{CommandNames, CommandPlace, RefusedCommand, plan, ports};
use crate::p4_program::P4Program;
use crate::schema::{Node, P4Router, P4RuntimeServer};
use crate::validate::Finding;
use jettison_registry::KeyPath;

impl Checker<'_> {
    /// Checks everything but the program, which has been compiled before.
    pub(super) fn p4_router(&mut self, name: &str, router: &P4Router, at: &KeyPath) {
        if let Some(at_wrong) = (1..router.later.len()).find(|i| router.later[*i].at < router.later[i - 1].at)
        {
            let [before, after] =
                [&router.later[at_wrong - 1], &router.later[at_wrong]].map(|later| later.at);
            let message = format!("`later` must be in order of time, got {after} after {before}");
            self.find(&at.key("later").index(at_wrong).key("at"), message, "sort `later` by `at`");
        }
        if let Some(link) = &router.ingress_stream {
            let at = at.key("ingress_stream");
            if self.link_name(link, &at) && !self.broken_links() {
                let own = ports(self.settings, name);
                if !own.is_empty() && !own.contains_key(link.as_str()) {
                    let own: Vec<&str> = own.into_keys().collect();
                    let help = format!("links of `{name}`: {}", own.join(", "));
                    self.find(&at, format!("link `{link}` does not join `{name}`"), help);
                }
            }
        }
        self.cpu_port(name, router, at);
        let p4runtime = router.p4runtime.as_ref().map(|server| ("p4runtime", &server.listen, 9559));
        let thrift = router.thrift.as_ref().map(|server| ("thrift", &server.listen, 9090));
        for (key, listen, usual) in p4runtime.into_iter().chain(thrift) {
            if listen.parse::<SocketAddr>().is_err() {
                let message = format!("`listen` must be an IP address and a port, got `{listen}`");
                let help = format!("for example \"127.0.0.1:{usual}\"");
                self.find(&at.key(key).key("listen"), message, help);
            }
        }
        if let Some(server) = &router.p4runtime {
            self.translation(server, at);
        }
        let Some(read) = &router.read else { return };
        for refused in self.refused_commands(name, router, read) {
            match self.place_of(&refused, at) {
                Ok(path) => {
                    let message = format!("`{path}`: {}", refused.message);
                    self.findings.push(Finding { help: refused.hint, ..Finding::complete(&path, message) });
                }
                Err((line, column)) => {
                    let of_entities =
                        matches!(refused.place, CommandPlace::Entity(_) | CommandPlace::EntityFile(..));
                    let file = if of_entities { &read.entities } else { &read.commands };
                    let file = file.as_ref().map_or(String::new(), |(file, _)| file.to_string());
                    let place = Place::Line { file, line, column };
                    self.file_errors.push(ScenarioError {
                        place,
                        message: refused.message,
                        help: refused.hint,
                    });
                }
            }
        }
    }

    fn cpu_port(&mut self, name: &str, router: &P4Router, at: &KeyPath) {
        let Some(port) = router.cpu_port else { return };
        if is_psa(router) {
            let help = "remove it: a program for PSA in a scenario has no port of the controller";
            self.find(&at.key("cpu_port"), "`cpu_port` requires a program for v1model".to_owned(), help);
            return;
        }
        let links = ports(self.settings, name).len();
        if usize::from(port) < links || u64::from(port) >= DROP_PORT {
            let last = DROP_PORT - 1;
            let message = format!("`cpu_port` must be from {links} to {last}, got {port}");
            let help =
                format!("0 to {} are the ports of `{name}`'s links; {DROP_PORT} drops", links.max(1) - 1);
            self.find(&at.key("cpu_port"), message, help);
        }
    }

    /// Two values of a type must not stand for one number.
    fn translation(&mut self, server: &P4RuntimeServer, at: &KeyPath) {
        for (uri, values) in &server.translation {
            let mut known: BTreeMap<u64, &str> = BTreeMap::new();
            for (value, number) in values {
                if let Some(other) = known.insert(*number, value) {
                    let at = at.key("p4runtime").key("translation").key(uri).key(value);
                    let help = "give each value a number of its own";
                    self.find(&at, format!("both `{other}` and `{value}` are {number}"), help);
                }
            }
        }
    }

    fn place_of(&self, refused: &RefusedCommand, at: &KeyPath) -> Result<KeyPath, (usize, usize)> {
        match refused.place {
            CommandPlace::File(line, column) | CommandPlace::EntityFile(line, column) => Err((line, column)),
            CommandPlace::Entity(_) => Err((1, 1)),
            CommandPlace::Control(index) => Ok(at.key("control").index(index)),
            CommandPlace::Route => Ok(at.key("route")),
            CommandPlace::Later(later, index) => Ok(at.key("later").index(later).key("control").index(index)),
        }
    }

    fn refused_commands(&self, name: &str, router: &P4Router, read: &P4Program) -> Vec<RefusedCommand> {
        let addresses = addresses(self.settings);
        let ports = ports(self.settings, name);
        // The port towards a host is known only once the world is built; for the check any port serves.
        let hosts = self.settings.nodes.iter().filter(|(_, node)| Node::is_host(node));
        let hosts = hosts.filter_map(|(host, _)| addresses.get(host.as_str()));
        let routes: Vec<(Address, u16)> = hosts.map(|address| (*address, 0)).collect();
        let count = ports.values().max().map_or(0, |last| usize::from(*last) + 1);
        let taken: Vec<u16> = ports.values().copied().collect();
        let names = CommandNames { addresses: &addresses, ports, routes: &routes };
        let planned = match plan(router, read, &names) {
            Ok(planned) => planned,
            Err(refused) => return refused,
        };
        // With the maximum number of priorities: the real queues are known only once the world is built.
        let parameters = Bmv2Parameters { priorities: 8, ..Bmv2Parameters::default() };
        let queue = || -> Box<dyn QueueDiscipline> { Box::new(Bmv2::new(&parameters)) };
        let queues = (0..count).map(|_| queue()).collect();
        let stream = || -> RandomStream { Seed(0).stream(&["check"]) };
        let port_random = (0..count).map(|_| stream()).collect();
        let mut switch = SwitchPlan::new(Arc::clone(&read.program), queues, stream(), port_random);
        switch.cpu_port = router.cpu_port.filter(|_| !is_psa(router)).map(|port| (port, stream()));
        // Later commands are tried too, in order: without packets, time changes no state of the control plane.
        switch.commands = planned.commands.into_iter().map(|(_, command)| (Time::ZERO, command)).collect();
        switch.unconnected = (0..count as u16).map(Port).filter(|port| !taken.contains(&port.0)).collect();
        match switch.build(Compiled::new(Arc::clone(&read.program))) {
            Ok(_) => Vec::new(),
            Err(failed) => {
                let place = planned.places[failed.command];
                let message = match place {
                    CommandPlace::Entity(at) => format!("`{}`: {}", planned.entities[at], failed.error),
                    _ => failed.error.to_string(),
                };
                vec![RefusedCommand { place, message, hint: None }]
            }
        }
    }
}

/// Whether a router's program is for PSA.
fn is_psa(router: &P4Router) -> bool {
    router.read.as_ref().is_some_and(|read| read.program.pipeline.psa.is_some())
}
