//! Control of a live run's switches from other programs of this machine, over P4Runtime and over BMv2's Thrift interface.
//!
//! Controllers arrive at sockets of this machine, which exist before the run's process leaves the machine's network. Threads
//! speak with them and send jobs to the router, which executes them between the events of its world, in parts that do not
//! hold packets up.

mod switches;

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::mpsc::channel;

use jettison_live::LiveError;
use jettison_live::router::Control;
use jettison_p4_runtime::Translations;
use jettison_p4_runtime::device::Lent;
use jettison_p4_runtime::info;
use jettison_p4_runtime::node::Node;
use jettison_p4_runtime::proto::runtime::ForwardingPipelineConfig;
use jettison_p4_runtime::server::{self, Streams};
use jettison_p4_thrift::Device;
use jettison_scenario::Scenario;
use jettison_scenario::build::{ControlledNetwork, ControlledSwitch};
use jettison_scenario::schema::{Node as ScenarioNode, P4Router, P4RuntimeServer, Settings, ThriftServer};
use jettison_sim::{SwitchControllerSpec, World};

use super::{Controllable, Interface};
use switches::{Held, LiveControl, Remote};

/// Sockets of all switches of all variants, by the switch's name, the key of the interface and where it is to listen.
#[derive(Default)]
pub struct Listeners(BTreeMap<(String, &'static str, String), (TcpListener, Controllable)>);

/// The P4 routers of a variant.
fn routers(settings: &Settings) -> impl Iterator<Item = (&str, &P4Router)> {
    settings.nodes.iter().filter_map(|(name, node)| match node {
        ScenarioNode::P4(router) => Some((name.as_str(), &**router)),
        _ => None,
    })
}

/// Where a router is to listen, and what it speaks there.
fn wanted(router: &P4Router) -> impl Iterator<Item = (&str, Interface)> {
    let p4runtime = router.p4runtime.as_ref();
    let p4runtime =
        p4runtime.map(|server| (&*server.listen, Interface::P4Runtime { device_id: server.device_id }));
    let thrift = router.thrift.as_ref().map(|server| (&*server.listen, Interface::Thrift));
    p4runtime.into_iter().chain(thrift)
}

impl Listeners {
    /// Binds all sockets.
    ///
    /// # Errors
    /// If an address is in use, or not one of this machine.
    pub fn bind(scenario: &Scenario) -> Result<Listeners, LiveError> {
        let mut listeners = Listeners::default();
        for (name, router) in scenario.variants.iter().flat_map(|variant| routers(&variant.settings)) {
            for (listen, interface) in wanted(router) {
                let key = (name.to_owned(), interface.key(), listen.to_owned());
                if listeners.0.contains_key(&key) {
                    continue;
                }
                let what = format!(
                    "switch `{name}` cannot listen on {listen} for {} (`nodes.{name}.{}.listen` sets another \
                     address)",
                    interface.name(),
                    interface.key()
                );
                let or_free = match interface {
                    Interface::Thrift => router.thrift.as_ref().is_some_and(|server| server.or_free),
                    Interface::P4Runtime { .. } => false,
                };
                let bound = bind(listen, or_free).and_then(|bound| Ok((bound.local_addr()?, bound)));
                let (address, bound): (SocketAddr, TcpListener) = bound.map_err(LiveError::system(what))?;
                let controllable = Controllable { switch: name.to_owned(), address, interface };
                listeners.0.insert(key, (bound, controllable));
            }
        }
        Ok(listeners)
    }

    /// Where the switches listen.
    pub fn addresses(&self) -> Vec<Controllable> {
        self.0.values().map(|(_, controllable)| controllable.clone()).collect()
    }

    /// Starts the servers of a run's switches. They end with the run's process.
    ///
    /// # Errors
    /// If a program has no P4Info, or a thread cannot be started.
    pub fn serve(&self, settings: &Settings, world: &mut World, router: &Control) -> Result<(), String> {
        let wanted: Vec<(&str, &P4Router)> =
            routers(settings).filter(|(_, router)| wanted(router).next().is_some()).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let network = ControlledNetwork::of(settings);
        let (sender, jobs) = channel();
        let (mut held, mut names) = (Vec::new(), Vec::new());
        for (at, (name, node)) in wanted.into_iter().enumerate() {
            let switch = network.switches.iter().find(|switch| switch.name == name);
            let switch = switch.ok_or_else(|| format!("`{name}` was not compiled"))?;
            let owner = Arc::new(Remote { at, jobs: sender.clone(), router: router.clone() });
            held.push(match &node.p4runtime {
                Some(server) => self.serve_p4runtime(switch, server, Arc::clone(&owner))?,
                None => Held::Plain(Lent::default()),
            });
            if let Some(server) = &node.thrift {
                self.serve_thrift(switch, node, server, owner)?;
            }
            names.push(name.to_owned());
        }
        let spec = SwitchControllerSpec {
            name: "remote".to_owned(),
            switches: names,
            controller: Box::new(LiveControl::new(held, jobs)),
        };
        world.set_switch_controller(spec).map_err(|error| error.to_string())
    }

    fn serve_p4runtime(
        &self,
        switch: &ControlledSwitch,
        server: &P4RuntimeServer,
        owner: Arc<Remote>,
    ) -> Result<Held, String> {
        let program = Arc::clone(&switch.program);
        let config =
            ForwardingPipelineConfig { p4info: Some(info::describe(&program)?), ..Default::default() };
        let node = Node::new(server.device_id, Lent::default(), program, config);
        let streams = Streams::default();
        let translations = Translations::given(&server.translation)?;
        let node = node.map_err(|fault| fault.to_string())?.with_translations(translations);
        let (listener, _) = self.socket(&switch.name, "p4runtime", &server.listen)?;
        let of_server = streams.clone();
        start("p4runtime", move || {
            // Ends with the process. If the socket fails, the switch forwards on without controllers.
            let _ = server::serve(listener, owner, of_server, std::future::pending());
        })?;
        Ok(Held::Node(Box::new(node), streams))
    }

    fn serve_thrift(
        &self,
        switch: &ControlledSwitch,
        node: &P4Router,
        server: &ThriftServer,
        owner: Arc<Remote>,
    ) -> Result<(), String> {
        let (listener, address) = self.socket(&switch.name, "thrift", &server.listen)?;
        let mut ports: Vec<(u16, String)> =
            switch.ports.values().map(|port| (*port, format!("{}-eth{port}", switch.name))).collect();
        ports.sort_unstable();
        let id = node.p4runtime.as_ref().map_or(0, |server| server.device_id);
        let device = Device { id, port: address.port(), ports };
        start("thrift", move || {
            // As above.
            let _ = jettison_p4_thrift::server::serve(&listener, owner, device);
        })
    }

    /// A descriptor of a switch's socket for an interface, and its address.
    fn socket(
        &self,
        switch: &str,
        interface: &'static str,
        listen: &str,
    ) -> Result<(TcpListener, SocketAddr), String> {
        let key = (switch.to_owned(), interface, listen.to_owned());
        let (listener, known) = self.0.get(&key).ok_or_else(|| format!("`{switch}` has no socket"))?;
        let listener = listener.try_clone().map_err(|error| format!("`{switch}`: {error}"))?;
        Ok((listener, known.address))
    }
}

/// Binds a socket; with `or_free` to any free port of the address if its own is in use.
fn bind(listen: &str, or_free: bool) -> io::Result<TcpListener> {
    TcpListener::bind(listen).or_else(|error| {
        let address = listen.parse::<SocketAddr>().ok();
        let address = address.filter(|_| or_free && error.kind() == io::ErrorKind::AddrInUse).ok_or(error)?;
        TcpListener::bind(SocketAddr::new(address.ip(), 0))
    })
}

fn start(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), String> {
    let spawned: io::Result<_> = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    spawned.map(drop).map_err(|error| format!("cannot start a thread: {error}"))
}
