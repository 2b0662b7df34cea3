//! P4Runtime of a live run's switches.
//!
//! Controllers arrive at sockets of this machine, which exist before the run's process leaves the machine's network. A thread
//! per switch speaks gRPC with them and sends jobs to the router, which executes them between the events of its world, in
//! parts that do not hold packets up.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use jettison_core::{Duration, Time};
use jettison_live::LiveError;
use jettison_live::router::Control;
use jettison_p4_runtime::Translations;
use jettison_p4_runtime::device::Lent;
use jettison_p4_runtime::info;
use jettison_p4_runtime::node::Node;
use jettison_p4_runtime::proto::runtime::ForwardingPipelineConfig;
use jettison_p4_runtime::server::{self, Job, Owner, Streams};
use jettison_scenario::Scenario;
use jettison_scenario::build::ControlledNetwork;
use jettison_scenario::schema::{Node as ScenarioNode, P4RuntimeServer, Settings};
use jettison_sim::{Absent, Injection, SwitchController, SwitchControllerSpec, World};
use jettison_switch::Switch;

use super::Controllable;

/// Jobs in one call of the controller.
const JOBS: usize = 8;
/// Time until the next call if there are more.
const PAUSE: Duration = Duration::from_micros(50);

/// Sockets of all switches of all variants, by the switch's name and where it is to listen.
#[derive(Default)]
pub struct Listeners(BTreeMap<(String, String), (TcpListener, Controllable)>);

/// The switches of a variant that listen.
fn servers(settings: &Settings) -> impl Iterator<Item = (&str, &P4RuntimeServer)> {
    settings.nodes.iter().filter_map(|(name, node)| match node {
        ScenarioNode::P4(router) => Some((name.as_str(), router.p4runtime.as_ref()?)),
        _ => None,
    })
}

impl Listeners {
    /// Binds all sockets.
    ///
    /// # Errors
    /// If an address is in use, or not one of this machine.
    pub fn bind(scenario: &Scenario) -> Result<Listeners, LiveError> {
        let mut listeners = Listeners::default();
        for (name, server) in scenario.variants.iter().flat_map(|variant| servers(&variant.settings)) {
            let key = (name.to_owned(), server.listen.clone());
            if listeners.0.contains_key(&key) {
                continue;
            }
            let failed = LiveError::system(format!("switch `{name}` cannot listen on {}", server.listen));
            let bound = TcpListener::bind(&server.listen).and_then(|bound| Ok((bound.local_addr()?, bound)));
            let (address, bound): (SocketAddr, TcpListener) = bound.map_err(failed)?;
            let device_id = server.device_id;
            listeners.0.insert(key, (bound, Controllable { switch: name.to_owned(), address, device_id }));
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
        let wanted: Vec<(&str, &P4RuntimeServer)> = servers(settings).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let network = ControlledNetwork::of(settings);
        let (sender, jobs) = channel();
        let (mut nodes, mut names) = (Vec::new(), Vec::new());
        for (name, server) in wanted {
            let at = nodes.len();
            let switch = network.switches.iter().find(|switch| switch.name == name);
            let program = switch.map(|switch| Arc::clone(&switch.program));
            let program = program.ok_or_else(|| format!("`{name}` was not compiled"))?;
            let config =
                ForwardingPipelineConfig { p4info: Some(info::describe(&program)?), ..Default::default() };
            let node = Node::new(server.device_id, Lent::default(), program, config);
            let streams = Streams::default();
            let translations = Translations::given(&server.translation)?;
            let node = node.map_err(|fault| fault.to_string())?.with_translations(translations);
            nodes.push((node, streams.clone()));
            names.push(name.to_owned());
            let key = (name.to_owned(), server.listen.clone());
            let (listener, _) = self.0.get(&key).ok_or_else(|| format!("`{name}` has no socket"))?;
            let listener = listener.try_clone().map_err(|error| format!("`{name}`: {error}"))?;
            let owner = Arc::new(Remote { at, jobs: sender.clone(), router: router.clone() });
            let serve = move || {
                // Ends with the process. If the socket fails, the switch forwards on without controllers.
                let _ = server::serve(listener, owner, streams, std::future::pending());
            };
            let spawned = std::thread::Builder::new().name("p4runtime".to_owned()).spawn(serve);
            spawned.map_err(|error| format!("cannot start a thread: {error}"))?;
        }
        let controller = LiveControl(Arc::new(Mutex::new(Inside { nodes, jobs, again: None })));
        let spec = SwitchControllerSpec {
            name: "p4runtime".to_owned(),
            switches: names,
            controller: Box::new(controller),
        };
        world.set_switch_controller(spec).map_err(|error| error.to_string())
    }
}

/// A node in the router's thread.
struct Remote {
    /// Number of the switch.
    at: usize,
    jobs: Sender<(usize, Job)>,
    router: Control,
}

impl Owner for Remote {
    fn execute(&self, job: Job) {
        // A router that has ended drops the job, and with it the request.
        if self.jobs.send((self.at, job)).is_ok() {
            self.router.nudge();
        }
    }
}

/// The nodes of all controlled switches, in the router's thread.
#[derive(Clone)]
struct LiveControl(Arc<Mutex<Inside>>);

struct Inside {
    nodes: Vec<(Node<Lent>, Streams)>,
    jobs: Receiver<(usize, Job)>,
    /// When to go on with jobs.
    again: Option<Time>,
}

impl SwitchController for LiveControl {
    fn next_wakeup(&self) -> Option<Time> {
        let inside = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inside.nodes.iter().filter_map(|(node, _)| node.next_due()).chain(inside.again).min()
    }

    fn handle(&mut self, switches: &mut [Box<dyn Switch>], now: Time, out: &mut Vec<Injection>) {
        let mut inside = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Inside { nodes, jobs, again } = &mut *inside;
        for ((node, _), switch) in nodes.iter_mut().zip(switches.iter_mut()) {
            node.device_mut().lend(std::mem::replace(switch, Box::new(Absent)));
        }
        *again = None;
        for done in 0.. {
            if done == JOBS {
                *again = Some(now.saturating_add(PAUSE));
                break;
            }
            let Ok((at, job)) = jobs.try_recv() else { break };
            if let Some((node, _)) = nodes.get_mut(at) {
                job(node, now);
            }
        }
        for (at, ((node, streams), switch)) in nodes.iter_mut().zip(switches.iter_mut()).enumerate() {
            // Only a standalone switch can fail here; this switch's time passes with the world's.
            let _ = node.advance(now);
            streams.deliver(node.take_messages());
            if let Some((returned, entering)) = node.device_mut().give_back() {
                *switch = returned;
                let entering = entering.into_iter();
                out.extend(entering.map(|(port, packet)| Injection { switch: at, port, packet }));
            }
        }
    }
}
