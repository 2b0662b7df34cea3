//! Builder of worlds: hosts, routers, links, flows.

use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;

use jettison_core::{Seed, Time};
use jettison_link::{Impairments, Loss, Propagation};
use jettison_measure::{Recorder, RecorderSettings};
use jettison_queue::QueueDiscipline;
use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use jettison_sockets::Application;
use jettison_switch::{Port, PortHooks, Switch, SwitchCounters};
use jettison_wire::{Address, FlowId};
use thiserror::Error;

use crate::agenda::Agenda;
use crate::cellular::Cellular;
use crate::direction::{Carrier, Direction, End};
use crate::host::{Ethernet, Host};
use crate::routing::Graph;
use crate::way::Way;
use crate::world::{Node, Router, Slots, World};

/// Identifier of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) usize);

impl NodeId {
    /// Index in the order of addition.
    pub fn index(self) -> usize {
        self.0
    }
}

/// Settings of the whole world.
#[derive(Debug, Clone)]
pub struct WorldSettings {
    /// The run's seed.
    pub seed: Seed,
    /// Settings of the recorder.
    pub recorder: RecorderSettings,
}

/// One direction of a link.
pub struct DirectionSpec {
    /// Name in results (`bottleneck.forward`).
    pub name: String,
    /// The link model.
    pub carrier: Carrier,
    /// Propagation delay.
    pub propagation: Propagation,
    /// Loss on the link.
    pub loss: Option<Loss>,
    /// Jitter, reordering, duplication and corruption on the link.
    pub impairments: Option<Impairments>,
    /// The queue of the sender.
    pub queue: Box<dyn QueueDiscipline>,
    /// Hooks in the switch pipeline on this port; routers only.
    pub hooks: Option<Box<dyn PortHooks>>,
    /// Whether the tap observes its packets.
    pub tapped: bool,
}

/// A link between two nodes.
pub struct LinkSpec {
    /// Its ends; forward is from the first to the second.
    pub ends: [NodeId; 2],
    /// First to second.
    pub forward: DirectionSpec,
    /// Second to first.
    pub reverse: DirectionSpec,
}

/// A program of a flow.
pub struct FlowProgram {
    /// Its host.
    pub host: NodeId,
    /// The program.
    pub application: Box<dyn Application>,
    /// Start time.
    pub start: Time,
    /// Stop time; [`Time::MAX`] for never.
    pub stop: Time,
}

/// Inputs for building a router's switch, known once the topology is complete.
pub struct RouterPlan {
    /// Its ports by number. Numbers that no link has are ports without a link ([`RouterPort::connected`]).
    pub ports: Vec<RouterPort>,
    /// Address of each host and the port towards it.
    pub routes: Vec<(Address, Port)>,
    /// The port towards all other addresses ([`WorldBuilder::gateway`]).
    pub elsewhere: Option<Port>,
}

/// A port of a router.
pub struct RouterPort {
    /// The queue of its link.
    pub queue: Box<dyn QueueDiscipline>,
    /// Hooks in the switch pipeline.
    pub hooks: Option<Box<dyn PortHooks>>,
    /// Name of the outgoing direction; empty without a link.
    pub direction: String,
    /// Whether a link has this number. The queue of a port without a link is a placeholder that must stay unused.
    pub connected: bool,
}

/// The recorder's queue, and the direction, of a port without a link.
pub(crate) const UNCONNECTED: u32 = u32::MAX;

/// Error in a topology.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TopologyError {
    /// No path through routers between the ends of a flow.
    #[error("flow `{flow}`: no path of links and routers from `{from}` to `{to}`")]
    Unreachable {
        /// The flow.
        flow: String,
        /// Its `from`.
        from: String,
        /// Its `to`.
        to: String,
    },
    /// A pipeline hook on a port of a host.
    #[error(
        "link direction `{direction}`: the queue needs a native router as the sender, got the host `{node}`"
    )]
    HooksAtHost {
        /// The direction.
        direction: String,
        /// The host.
        node: String,
    },
    /// Failure to build a router's switch.
    #[error("router `{node}`: {message}")]
    Switch {
        /// The router.
        node: String,
        /// The reason.
        message: String,
    },
}

type MakeSwitch = Box<dyn FnOnce(RouterPlan) -> Result<Box<dyn Switch>, String>>;

enum NodeSpec {
    Host { name: String, address: Address, outside: bool, ethernet: Option<Ethernet> },
    Router { name: String, make: MakeSwitch },
}

impl NodeSpec {
    fn name(&self) -> &str {
        match self {
            NodeSpec::Host { name, .. } | NodeSpec::Router { name, .. } => name,
        }
    }
}

struct FlowSpec {
    name: String,
    ends: [NodeId; 2],
    programs: Vec<FlowProgram>,
}

/// Collects the parts of a world.
pub struct WorldBuilder {
    settings: WorldSettings,
    nodes: Vec<NodeSpec>,
    links: Vec<(LinkSpec, [Option<u16>; 2])>,
    flows: Vec<FlowSpec>,
    gateway: Option<NodeId>,
    masquerades: Vec<(NodeId, Address)>,
}

impl WorldBuilder {
    /// An empty world.
    pub fn new(settings: WorldSettings) -> WorldBuilder {
        WorldBuilder {
            settings,
            nodes: Vec::new(),
            links: Vec::new(),
            flows: Vec::new(),
            gateway: None,
            masquerades: Vec::new(),
        }
    }

    /// The default address of the `index`th node, from 198.18.0.0/15, which RFC 2544 §C.2.2 reserves for benchmarks.
    pub fn default_address(index: usize) -> Address {
        let base = u32::from(Ipv4Addr::new(198, 18, 0, 0));
        Address::from(Ipv4Addr::from(base + 1 + index as u32))
    }

    /// Adds a host.
    pub fn host(&mut self, name: impl Into<String>, address: Address) -> NodeId {
        self.nodes.push(NodeSpec::Host { name: name.into(), address, outside: false, ethernet: None });
        NodeId(self.nodes.len() - 1)
    }

    /// Adds a host outside the world: [`World::inject`] takes its packets, and [`World::take_delivered`] returns those for it.
    /// The queues of its interfaces and its links are modelled as for any host.
    pub fn outside_host(&mut self, name: impl Into<String>, address: Address) -> NodeId {
        self.nodes.push(NodeSpec::Host { name: name.into(), address, outside: true, ethernet: None });
        NodeId(self.nodes.len() - 1)
    }

    /// Gives a host an Ethernet interface: it sends and receives whole frames. It must have one link. The programs of an outside
    /// host exchange frames with the world anyway.
    pub fn ethernet(&mut self, NodeId(node): NodeId, settings: Ethernet) {
        if let Some(NodeSpec::Host { ethernet, .. }) = self.nodes.get_mut(node) {
            *ethernet = Some(settings);
        }
    }

    /// Makes a host the gateway: routers send packets without another route to it.
    pub fn gateway(&mut self, host: NodeId) {
        self.gateway = Some(host);
    }

    /// Adds a router; `make` builds its switch once the topology is known.
    pub fn router(
        &mut self,
        name: impl Into<String>,
        make: impl FnOnce(RouterPlan) -> Box<dyn Switch> + 'static,
    ) -> NodeId {
        self.try_router(name, |plan| Ok(make(plan)))
    }

    /// Adds a router whose switch may fail to build; the error is the reason.
    pub fn try_router(
        &mut self,
        name: impl Into<String>,
        make: impl FnOnce(RouterPlan) -> Result<Box<dyn Switch>, String> + 'static,
    ) -> NodeId {
        self.nodes.push(NodeSpec::Router { name: name.into(), make: Box::new(make) });
        NodeId(self.nodes.len() - 1)
    }

    /// Gives a router an address of its own, behind which its NAT hides hosts: all nodes have a route to it.
    pub fn masquerade(&mut self, router: NodeId, address: Address) {
        self.masquerades.push((router, address));
    }

    /// Adds a link. The ports of a node are numbered in the order of its links.
    pub fn link(&mut self, link: LinkSpec) {
        self.link_at(link, [None, None]);
    }

    /// Adds a link with the numbers of its ports at either end. An end without a number gets the lowest one that is free, in
    /// the order of links. Numbers must be unique at a node; a router's may leave gaps.
    pub fn link_at(&mut self, link: LinkSpec, numbers: [Option<u16>; 2]) {
        self.links.push((link, numbers));
    }

    /// Adds a flow between two hosts, with its programs. Flows are numbered in the order of addition.
    pub fn flow(
        &mut self,
        name: impl Into<String>,
        from: NodeId,
        to: NodeId,
        programs: Vec<FlowProgram>,
    ) -> FlowId {
        self.flows.push(FlowSpec { name: name.into(), ends: [from, to], programs });
        FlowId((self.flows.len() - 1) as u32)
    }

    /// Builds the world.
    pub fn build(self) -> Result<World, TopologyError> {
        let WorldBuilder { settings, nodes: specs, links, flows, gateway, masquerades } = self;
        let (interval, warm_up) = (settings.recorder.interval, settings.recorder.warm_up);
        let mut recorder = Recorder::new(settings.recorder);
        let mut ports: Vec<BTreeMap<u16, PortParts>> = specs.iter().map(|_| BTreeMap::new()).collect();
        let numbers = port_numbers(
            specs.len(),
            links.iter().map(|(link, given)| (link.ends.map(|NodeId(node)| node), *given)),
        );
        let mut graph = Graph {
            edges: specs.iter().map(|_| Vec::new()).collect(),
            forwards: specs.iter().map(|spec| matches!(spec, NodeSpec::Router { .. })).collect(),
        };
        // Links: two directions each, and a port at either end.
        let mut directions = Vec::new();
        for ((link, _), [a_port, b_port]) in links.into_iter().zip(numbers) {
            // Both ends are distinct nodes: scenarios refuse links from a node to itself.
            let [a, b] = link.ends.map(|NodeId(node)| node);
            let ends = [End { node: a, port: a_port }, End { node: b, port: b_port }];
            graph.edges[a].push((b, ends[0].port));
            graph.edges[b].push((a, ends[1].port));
            for (spec, from, to) in [(link.forward, ends[0], ends[1]), (link.reverse, ends[1], ends[0])] {
                let queue = recorder.add_queue(spec.name.as_str());
                recorder.set_ends(queue, specs[from.node].name(), specs[to.node].name());
                let queue = queue.index;
                let parts = PortParts {
                    queue: spec.queue,
                    hooks: spec.hooks,
                    recorder_queue: queue,
                    direction: directions.len(),
                    name: spec.name.clone(),
                };
                ports[from.node].insert(from.port, parts);
                // A cellular user plane takes packets from the queue alone: to all others the transmitter is busy.
                let (mut carrier, cellular) = match spec.carrier {
                    Carrier::Cellular(link, plane) => {
                        (Carrier::Other(link), Some(Box::new(Cellular::new(plane))))
                    }
                    other => (other, None),
                };
                let free_at = if cellular.is_some() { Time::MAX } else { Time::ZERO };
                directions.push(Direction {
                    name: spec.name,
                    from,
                    to,
                    overhead: carrier.model().overhead(),
                    queue,
                    tapped: spec.tapped,
                    wants_idle_polls: false,
                    carrier,
                    propagation: spec.propagation,
                    way: Way::of(spec.loss, spec.impairments),
                    cellular,
                    free_at,
                    idle_poll_pending: false,
                    in_flight: Default::default(),
                });
            }
        }
        // Routes: the shortest paths to each host, which also tell whether flows can reach their ends.
        let addresses: Vec<Option<Address>> = specs
            .iter()
            .enumerate()
            .map(|(index, spec)| match spec {
                NodeSpec::Host { address, .. } => Some(*address),
                NodeSpec::Router { .. } => masquerades
                    .iter()
                    .find(|(NodeId(router), _)| *router == index)
                    .map(|(_, address)| *address),
            })
            .collect();
        let names: Vec<String> = specs
            .iter()
            .map(|spec| match spec {
                NodeSpec::Host { name, .. } | NodeSpec::Router { name, .. } => name.clone(),
            })
            .collect();
        // towards[host][node] = the port at `node` towards `host`.
        let towards: Vec<Option<Vec<Option<u16>>>> = addresses
            .iter()
            .enumerate()
            .map(|(node, address)| address.map(|_| graph.ports_towards(node)))
            .collect();
        for flow in &flows {
            let [from, to] = flow.ends.map(|NodeId(node)| node);
            for (a, b) in [(from, to), (to, from)] {
                if a != b && towards[b].as_ref().is_none_or(|ports| ports[a].is_none()) {
                    let (flow, from, to) = (flow.name.clone(), names[a].clone(), names[b].clone());
                    return Err(TopologyError::Unreachable { flow, from, to });
                }
            }
        }
        // Nodes, now that ports and routes are known.
        let mut nodes = Vec::new();
        for (index, (spec, parts)) in specs.into_iter().zip(ports).enumerate() {
            let routes: Vec<(Address, Port)> = (0..addresses.len())
                .filter_map(|host| Some((addresses[host]?, Port(towards[host].as_ref()?[index]?))))
                .collect();
            let elsewhere = gateway.and_then(|NodeId(host)| towards.get(host)?.as_ref()?[index]).map(Port);
            nodes.push(build_node(spec, parts, routes, elsewhere)?);
        }
        for (index, flow) in flows.into_iter().enumerate() {
            recorder.add_flow(flow.name.as_str());
            // Flows of outside hosts have no programs here; of the others, only a ping has one.
            if flow.programs.len() == 1 {
                recorder.carries_no_data(FlowId(index as u32));
            }
            for (number, program) in flow.programs.into_iter().enumerate() {
                let numbers =
                    settings.seed.stream(&["flows", &flow.name, ["isn-from", "isn-to"][number.min(1)]]);
                let Some(Node::Host(host)) = nodes.get_mut(program.host.0) else { continue };
                host.add_program(
                    program.application,
                    FlowId(index as u32),
                    program.start,
                    program.stop,
                    numbers,
                );
            }
        }
        // A queue that needs idle polls is served once more when it is empty, which costs an event; most do not.
        for direction in &mut directions {
            let End { node, port } = direction.from;
            direction.wants_idle_polls = match &nodes[node] {
                Node::Host(host) => host.ports[usize::from(port)].wants_idle_polls(),
                Node::Router(router) => router.switch.wants_idle_polls(Port(port)),
            };
        }
        let scheduled: Vec<usize> = (0..directions.len())
            .filter(|index| directions[*index].carrier.model().next_change(Time::ZERO).is_some())
            .collect();
        // The agenda starts with scheduled changes and the first wakeup of each node; links are idle.
        let slots = Slots::new(directions.len(), nodes.len(), scheduled.len());
        let mut agenda = Agenda::new(slots.end);
        for (number, index) in scheduled.iter().enumerate() {
            let next = directions[*index].carrier.model().next_change(Time::ZERO);
            agenda.set(slots.changes + number, next.unwrap_or(Time::MAX));
        }
        for (index, node) in nodes.iter_mut().enumerate() {
            let next = match node {
                Node::Host(host) => {
                    host.armed = host.next_instant();
                    host.armed
                }
                Node::Router(router) => {
                    router.armed = router.switch.next_wakeup().unwrap_or(Time::MAX);
                    router.armed
                }
            };
            agenda.set(slots.nodes + index, next);
        }
        let mut world = World {
            now: Time::ZERO,
            nodes,
            directions,
            slots,
            agenda,
            recorder,
            tap: None,
            next_id: 0,
            events: 0,
            next_sample: Time::ZERO + interval,
            measuring: warm_up == Time::ZERO,
            draw: 0,
            pending: Vec::new(),
            outbox: Vec::new(),
            delivered: Vec::new(),
            scheduled,
            controllers: Vec::new(),
            switch_controller: None,
            control_error: None,
            script: None,
            suspended: None,
        };
        // Every queue gets the rate of its link at the start, and again at each scheduled change.
        for at in 0..world.directions.len() {
            world.tell_rate(at, Time::ZERO);
        }
        Ok(world)
    }
}

/// The numbers of the ports at both ends of each link, from its ends and the numbers given.
fn port_numbers(
    nodes: usize,
    links: impl Iterator<Item = ([usize; 2], [Option<u16>; 2])> + Clone,
) -> Vec<[u16; 2]> {
    let mut taken: Vec<BTreeSet<u16>> = vec![BTreeSet::new(); nodes];
    let ends = links.clone().flat_map(|(ends, given)| ends.into_iter().zip(given));
    for (node, number) in ends {
        taken[node].extend(number);
    }
    // The lowest number that may be free, by node.
    let mut next = vec![0; nodes];
    let mut number = |node: usize, given: Option<u16>| {
        given.unwrap_or_else(|| {
            while !taken[node].insert(next[node]) {
                next[node] += 1;
            }
            next[node]
        })
    };
    links.map(|([a, b], [first, second])| [number(a, first), number(b, second)]).collect()
}

struct PortParts {
    queue: Box<dyn QueueDiscipline>,
    hooks: Option<Box<dyn PortHooks>>,
    recorder_queue: u32,
    direction: usize,
    name: String,
}

impl PortParts {
    /// A port without a link.
    fn unconnected() -> PortParts {
        PortParts {
            queue: Box::new(TailDrop::new(TailDropParameters::default())),
            hooks: None,
            recorder_queue: UNCONNECTED,
            direction: usize::MAX,
            name: String::new(),
        }
    }
}

fn build_node(
    spec: NodeSpec,
    mut parts: BTreeMap<u16, PortParts>,
    routes: Vec<(Address, Port)>,
    elsewhere: Option<Port>,
) -> Result<Node, TopologyError> {
    let end = parts.keys().next_back().map_or(0, |last| last + 1);
    let parts: Vec<PortParts> =
        (0..end).map(|port| parts.remove(&port).unwrap_or_else(PortParts::unconnected)).collect();
    let queues = parts.iter().map(|part| part.recorder_queue).collect();
    let directions = parts.iter().map(|part| part.direction).collect();
    match spec {
        NodeSpec::Host { name, address, outside, ethernet } => {
            let mut host = Host::new(name, address);
            host.outside = outside;
            if let Some(settings) = ethernet {
                host.set_ethernet(settings);
            }
            host.queues = queues;
            host.directions = directions;
            host.set_routes(routes);
            for part in parts {
                if part.hooks.is_some() {
                    return Err(TopologyError::HooksAtHost { direction: part.name, node: host.name });
                }
                host.queues_keep_time |= part.queue.uses_wakeups();
                host.ports.push(part.queue);
            }
            Ok(Node::Host(Box::new(host)))
        }
        NodeSpec::Router { name, make } => {
            let ports = parts
                .into_iter()
                .map(|part| RouterPort {
                    queue: part.queue,
                    hooks: part.hooks,
                    direction: part.name,
                    connected: part.recorder_queue != UNCONNECTED,
                })
                .collect();
            let switch = make(RouterPlan { ports, routes, elsewhere })
                .map_err(|message| TopologyError::Switch { node: name.clone(), message })?;
            Ok(Node::Router(Box::new(Router {
                name,
                switch,
                controlled: false,
                directions,
                queues,
                armed: Time::MAX,
                before: SwitchCounters::default(),
                threads_before: Vec::new(),
            })))
        }
    }
}
