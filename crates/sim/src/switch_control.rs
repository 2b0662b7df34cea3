//! A controller of switches: a program that reads and writes the tables of switches in a run, and exchanges packets with them.
//!
//! It is sans-IO like any component. It is called when it asks for it, and at the instant at which a switch has something for
//! its control plane; a control channel's latency is its own matter. It has one slot of the agenda, after all other components of that instant but the
//! controllers of rates.

use dyn_clone::DynClone;
use jettison_core::{Gauges, Rate, Time};
use jettison_measure::Place;
use jettison_queue::Backlog;
use jettison_registry::suggestion;
use jettison_switch::{Departure, Port, Switch, SwitchCounters, SwitchOutcomes};
use jettison_wire::Packet;

use crate::control::ControlError;
use crate::sink::Sink;
use crate::world::{Node, World};

/// Calls at one instant after which a controller and a switch that answer each other without delay are refused.
const MAX_CALLS: u32 = 100_000;

/// A program that controls switches.
pub trait SwitchController: DynClone + Send {
    /// The next time at which it is called; `None` for never. Constant between two calls.
    fn next_wakeup(&self) -> Option<Time>;

    /// Does what is due. `switches` are those of [`SwitchControllerSpec::switches`], in that order. Packets that it sends into
    /// switches are added to `out`, and enter after the call.
    fn handle(&mut self, switches: &mut [Box<dyn Switch>], now: Time, out: &mut Vec<Injection>);

    /// Called when its calls do not end. The run ends.
    fn refused(&mut self, _error: &ControlError) {}
}

dyn_clone::clone_trait_object!(SwitchController);

/// A packet that a controller sends into a switch.
#[derive(Debug, Clone)]
pub struct Injection {
    /// An index of [`SwitchControllerSpec::switches`].
    pub switch: usize,
    /// The port at which it arrives.
    pub port: Port,
    /// The packet.
    pub packet: Packet,
}

/// A controller, and the routers that it controls.
pub struct SwitchControllerSpec {
    /// Its name in messages.
    pub name: String,
    /// Names of routers.
    pub switches: Vec<String>,
    /// The program.
    pub controller: Box<dyn SwitchController>,
}

/// A controller of switches in a world.
#[derive(Clone)]
pub(crate) struct SwitchControlled {
    pub(crate) name: String,
    controller: Box<dyn SwitchController>,
    /// Nodes of the switches.
    nodes: Vec<usize>,
    /// Calls at the instant of the last one.
    calls: (Time, u32),
    // Reused buffers.
    switches: Vec<Box<dyn Switch>>,
    injections: Vec<Injection>,
}

impl World {
    /// Sets the controller of switches, and calls it at once; call it before the run.
    ///
    /// # Errors
    /// If a router does not exist.
    pub fn set_switch_controller(&mut self, spec: SwitchControllerSpec) -> Result<(), ControlError> {
        let SwitchControllerSpec { name, switches, controller } = spec;
        let mut nodes = Vec::with_capacity(switches.len());
        for switch in switches {
            let routers =
                || self.nodes.iter().enumerate().filter_map(|(at, node)| Some((at, node.router()?)));
            let Some((at, _)) = routers().find(|(_, router)| router.name == switch) else {
                let help = suggestion(&switch, routers().map(|(_, router)| router.name.as_str()));
                return Err(ControlError::UnknownSwitch { controller: name, switch, help });
            };
            nodes.push(at);
        }
        for at in &nodes {
            if let Node::Router(router) = &mut self.nodes[*at] {
                router.controlled = true;
            }
        }
        let (switches, injections) = (Vec::new(), Vec::new());
        let calls = (Time::ZERO, 0);
        self.switch_controller =
            Some(Box::new(SwitchControlled { name, controller, nodes, calls, switches, injections }));
        // It begins before the first packet.
        self.control_switches(self.now);
        Ok(())
    }

    /// Has the controller of switches called at an instant, because of something outside of the world.
    pub fn call_switch_controller(&mut self, at: Time) {
        if self.switch_controller.is_some() {
            self.agenda.set(self.slots.switch_controller, at.max(self.now));
        }
    }

    /// Plans a call of the controller at this instant, because a switch has something for it.
    #[cold]
    pub(crate) fn notice(&mut self, now: Time) {
        if self.switch_controller.is_some() {
            self.agenda.set(self.slots.switch_controller, now);
        }
    }

    /// Calls the controller of switches, and lets its packets enter.
    pub(crate) fn control_switches(&mut self, now: Time) {
        // Taken out, so that its packets can use the world.
        let Some(mut held) = self.switch_controller.take() else { return };
        held.calls = if held.calls.0 == now { (now, held.calls.1 + 1) } else { (now, 1) };
        if held.calls.1 > MAX_CALLS {
            let error = ControlError::EndlessCalls { controller: held.name.clone(), at: now };
            held.controller.refused(&error);
            self.control_error.get_or_insert(error);
            self.agenda.set(self.slots.switch_controller, Time::MAX);
            self.switch_controller = Some(held);
            return;
        }
        let mut switches = std::mem::take(&mut held.switches);
        for at in &held.nodes {
            if let Node::Router(router) = &mut self.nodes[*at] {
                switches.push(std::mem::replace(&mut router.switch, Box::new(Absent)));
            }
        }
        held.controller.handle(&mut switches, now, &mut held.injections);
        for (at, switch) in held.nodes.iter().zip(switches.drain(..)) {
            if let Node::Router(router) = &mut self.nodes[*at] {
                // The controller may have loaded another program.
                for (port, direction) in (0..).zip(&router.directions) {
                    // A number without a link has no direction.
                    if let Some(direction) = self.directions.get_mut(*direction) {
                        direction.wants_idle_polls = switch.wants_idle_polls(Port(port));
                    }
                }
                router.switch = switch;
            }
        }
        held.switches = switches;
        self.agenda.set(self.slots.switch_controller, held.controller.next_wakeup().unwrap_or(Time::MAX));
        let (nodes, mut injections) = (held.nodes.clone(), std::mem::take(&mut held.injections));
        self.switch_controller = Some(held);
        for Injection { switch, port, packet } in injections.drain(..) {
            let Some(node) = nodes.get(switch).copied() else { continue };
            self.enter(node, port, packet, now);
        }
        if let Some(held) = &mut self.switch_controller {
            held.injections = injections;
        }
        // A change of the control plane may have changed when a switch must be called, or what it may send.
        for node in nodes {
            self.after_router(node, now);
        }
    }

    /// A packet enters a switch at a port without a link.
    fn enter(&mut self, node: usize, port: Port, packet: Packet, now: Time) {
        let Node::Router(router) = &mut self.nodes[node] else { return };
        let mut sink = Sink {
            recorder: &mut self.recorder,
            queues: &router.queues,
            at: Place::Node,
            script: self.script.as_deref_mut(),
        };
        let mut out = SwitchOutcomes { pending: &mut self.pending, sink: &mut sink };
        router.switch.handle_packet(port, packet, now, &mut out);
        if self.recorder.ends_call() {
            self.complete(now);
        }
        self.after_router(node, now);
    }
}

/// Stands for a switch while its controller has it.
#[derive(Debug, Clone)]
pub struct Absent;

impl Switch for Absent {
    fn handle_packet(&mut self, _: Port, _: Packet, _: Time, _: &mut SwitchOutcomes<'_>) {}
    fn poll_transmit(&mut self, _: Port, _: Time, _: &mut SwitchOutcomes<'_>) -> Option<Departure> {
        None
    }
    fn handle_wakeup(&mut self, _: Time, _: &mut SwitchOutcomes<'_>) {}
    fn next_wakeup(&self) -> Option<Time> {
        None
    }
    fn capacity_changed(&mut self, _: Port, _: Rate, _: Time) {}
    fn backlog(&self, _: Port) -> Backlog {
        Backlog::default()
    }
    fn gauges(&self, _: Port, _: Time, _: &mut dyn Gauges) {}
    fn counters(&self) -> SwitchCounters {
        SwitchCounters::default()
    }
}
