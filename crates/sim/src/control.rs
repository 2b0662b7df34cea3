//! Controllers: programs that observe links and probes in a run, and set the rates of shapers.
//!
//! A controller is sans-IO like any component: it says when it wants to be asked, gets what was observed since the last
//! time, and returns new rates. It has one slot of the agenda, after all other components of that instant.

use dyn_clone::DynClone;
use jettison_core::{Bytes, Duration, Rate, Time};
use jettison_queue::{Backlog, QueueChange, QueueSetting};
use jettison_registry::suggestion;
use jettison_switch::Port;
use jettison_wire::FlowId;
use thiserror::Error;

use crate::direction::End;
use crate::world::{Node, World};

/// A program that sets the rates of shapers in a run.
pub trait Controller: DynClone + Send {
    /// The next time at which it is asked; `None` for never. Constant between two calls of [`Controller::observe`].
    fn next_wakeup(&self) -> Option<Time>;

    /// Takes what was observed since the last call, and adds its changes to `out`.
    fn observe(&mut self, seen: &Observation<'_>, now: Time, out: &mut Vec<RateChange>);

    /// Called when a change was refused. The run ends.
    fn refused(&mut self, _error: &ControlError) {}
}

dyn_clone::clone_trait_object!(Controller);

/// What a controller observed.
#[derive(Debug, Clone, Copy)]
pub struct Observation<'a> {
    /// Time of the previous observation, or the start of the run.
    pub since: Time,
    /// Its links, in the order of [`ControllerSpec::links`].
    pub links: &'a [LinkSeen],
    /// Echo replies that its probes got, in the order of arrival.
    pub probes: &'a [ProbeSeen],
}

/// One direction of a link, as a controller sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinkSeen {
    /// Bytes that the link carried since the previous observation, its overhead included.
    pub carried: Bytes,
    /// What waits in its queue now.
    pub backlog: Backlog,
}

/// A reply to an echo request (`ping`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbeSeen {
    /// The probe: an index of [`ControllerSpec::probes`].
    pub probe: usize,
    /// Time of the reply's arrival.
    pub at: Time,
    /// One-way delay of the request.
    pub out: Duration,
    /// One-way delay of the reply.
    pub back: Duration,
}

/// A new rate for the shaper of a link's queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateChange {
    /// An index of [`ControllerSpec::links`].
    pub link: usize,
    /// The rate.
    pub rate: Rate,
}

/// A controller, and what it observes.
pub struct ControllerSpec {
    /// Its name in messages.
    pub name: String,
    /// Directions of links that it observes and whose shapers it may set: `access.forward`.
    pub links: Vec<String>,
    /// Flows of `ping` whose replies it observes.
    pub probes: Vec<String>,
    /// The program.
    pub controller: Box<dyn Controller>,
}

/// A controller that cannot do what it is meant to.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ControlError {
    /// A link direction that does not exist.
    #[error("controller `{controller}`: unknown link direction `{link}`; {help}")]
    UnknownLink {
        /// The controller.
        controller: String,
        /// The name.
        link: String,
        /// The nearest or all names.
        help: String,
    },
    /// A flow that does not exist.
    #[error("controller `{controller}`: unknown probe `{probe}`; {help}")]
    UnknownProbe {
        /// The controller.
        controller: String,
        /// The name.
        probe: String,
        /// The nearest or all names.
        help: String,
    },
    /// A router that does not exist.
    #[error("controller `{controller}`: unknown switch `{switch}`; {help}")]
    UnknownSwitch {
        /// The controller.
        controller: String,
        /// The name.
        switch: String,
        /// The nearest or all names.
        help: String,
    },
    /// A controller and a switch that answer each other without delay.
    #[error(
        "controller `{controller}` at {at}: its packets and the switches' notices cause each other without end; give the \
         control channel a latency, or do not answer every packet-in by a packet-out that returns"
    )]
    EndlessCalls {
        /// The controller.
        controller: String,
        /// The instant.
        at: Time,
    },
    /// A rate of zero.
    #[error("controller `{controller}` at {at}: the rate of `{link}` must be > 0, got 0 bit/s")]
    ZeroRate {
        /// The controller.
        controller: String,
        /// The link direction.
        link: String,
        /// The instant.
        at: Time,
    },
    /// A queue without a shaper.
    #[error(
        "controller `{controller}` at {at}: the queue of `{link}` has no shaper whose rate could be set; use `tbf`, or another \
         discipline with a rate"
    )]
    NoShaper {
        /// The controller.
        controller: String,
        /// The link direction.
        link: String,
        /// The instant.
        at: Time,
    },
}

/// A controller in a world.
#[derive(Clone)]
pub(crate) struct Controlled {
    name: String,
    controller: Box<dyn Controller>,
    /// Directions, with the bytes carried up to the previous observation.
    links: Vec<(usize, u64)>,
    /// Bytes carried since then and before the warm-up's end, when counters start again.
    pending: Vec<u64>,
    probes: Vec<FlowId>,
    since: Time,
    // Reused buffers.
    seen: Vec<LinkSeen>,
    replies: Vec<ProbeSeen>,
    changes: Vec<RateChange>,
}

/// An echo reply that a host received.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reply {
    pub(crate) flow: FlowId,
    pub(crate) at: Time,
    pub(crate) out: Duration,
    pub(crate) back: Duration,
}

impl Controlled {
    /// Its name in messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

impl World {
    /// Adds a controller; call it before the run.
    ///
    /// # Errors
    /// If a link direction or a flow does not exist.
    pub fn add_controller(&mut self, spec: ControllerSpec) -> Result<(), ControlError> {
        let ControllerSpec { name, links, probes, controller } = spec;
        let mut places = Vec::with_capacity(links.len());
        for link in links {
            let Some(at) = self.directions.iter().position(|direction| direction.name == link) else {
                let help = suggestion(&link, self.directions.iter().map(|direction| direction.name.as_str()));
                return Err(ControlError::UnknownLink { controller: name, link, help });
            };
            places.push((at, 0));
        }
        let flows: Vec<FlowId> = (0..self.recorder.flow_count()).map(|index| FlowId(index as u32)).collect();
        let mut watched = Vec::with_capacity(probes.len());
        for probe in probes {
            let Some(flow) = flows.iter().find(|flow| self.recorder.flow_name(**flow) == probe) else {
                let help = suggestion(&probe, flows.iter().map(|flow| self.recorder.flow_name(*flow)));
                return Err(ControlError::UnknownProbe { controller: name, probe, help });
            };
            watched.push(*flow);
        }
        for node in &mut self.nodes {
            if let Node::Host(host) = node {
                host.stack.replies.get_or_insert_default();
            }
        }
        let slot = self.slots.end;
        self.slots.end += 1;
        self.agenda.grow(self.slots.end);
        self.agenda.set(slot, controller.next_wakeup().unwrap_or(Time::MAX));
        self.controllers.push(Controlled {
            name,
            controller,
            pending: vec![0; places.len()],
            links: places,
            probes: watched,
            since: self.now,
            seen: Vec::new(),
            replies: Vec::new(),
            changes: Vec::new(),
        });
        Ok(())
    }

    /// The error that ended the run.
    pub fn control_error(&self) -> Option<&ControlError> {
        self.control_error.as_ref()
    }

    /// Asks a controller, and sets the rates that it returns.
    pub(crate) fn control(&mut self, number: usize, now: Time) {
        self.collect_replies();
        // Taken out, so that its changes can use the world.
        let Some(held) = self.controllers.get_mut(number) else { return };
        let mut changes = std::mem::take(&mut held.changes);
        held.seen.clear();
        for place in 0..held.links.len() {
            let (at, before) = held.links[place];
            let total = self.recorder.queue(self.directions[at].queue).departed_bytes();
            let carried = held.pending[place] + (total - before);
            held.links[place].1 = total;
            held.pending[place] = 0;
            let End { node, port } = self.directions[at].from;
            let backlog = match &self.nodes[node] {
                Node::Host(host) => host.ports[usize::from(port)].backlog(),
                Node::Router(router) => router.switch.backlog(Port(port)),
            };
            held.seen.push(LinkSeen { carried: Bytes::new(carried), backlog });
        }
        let seen = Observation { since: held.since, links: &held.seen, probes: &held.replies };
        held.controller.observe(&seen, now, &mut changes);
        held.since = now;
        held.replies.clear();
        let mut refused = None;
        for change in changes.drain(..) {
            let Some((at, _)) = self.controllers[number].links.get(change.link).copied() else { continue };
            if !self.set_rate(at, change.rate, now) {
                let (controller, link) =
                    (self.controllers[number].name.clone(), self.directions[at].name.clone());
                refused = Some(match change.rate.is_zero() {
                    true => ControlError::ZeroRate { controller, link, at: now },
                    false => ControlError::NoShaper { controller, link, at: now },
                });
                break;
            }
        }
        let held = &mut self.controllers[number];
        held.changes = changes;
        let next = match refused {
            None => held.controller.next_wakeup().filter(|next| *next > now).unwrap_or(Time::MAX),
            Some(error) => {
                held.controller.refused(&error);
                self.control_error.get_or_insert(error);
                Time::MAX
            }
        };
        self.agenda.set(self.slots.controllers + number, next);
    }

    /// Keeps what was carried before the counters start again.
    pub(crate) fn keep_carried(&mut self) {
        for held in &mut self.controllers {
            for (place, (at, before)) in held.links.iter_mut().enumerate() {
                let total = self.recorder.queue(self.directions[*at].queue).departed_bytes();
                held.pending[place] += total - *before;
                *before = 0;
            }
        }
    }

    /// Distributes the replies that hosts have received, in the order of arrival.
    fn collect_replies(&mut self) {
        let mut all: Vec<Reply> = Vec::new();
        for node in &mut self.nodes {
            if let Node::Host(host) = node
                && let Some(replies) = &mut host.stack.replies
            {
                all.append(replies);
            }
        }
        all.sort_by_key(|reply| reply.at);
        for held in &mut self.controllers {
            let of = |flow| held.probes.iter().position(|probe| *probe == flow);
            let own = all.iter().filter_map(|reply| {
                let Reply { flow, at, out, back } = *reply;
                Some(ProbeSeen { probe: of(flow)?, at, out, back })
            });
            held.replies.extend(own);
        }
    }

    /// Sets the rate of the shaper of a direction's queue; `false` if it has none, or the rate is zero.
    fn set_rate(&mut self, at: usize, rate: Rate, now: Time) -> bool {
        let change = QueueChange { class: None, setting: QueueSetting::Bandwidth(rate) };
        self.reconfigure(at, &change, now)
    }

    /// Changes a setting of a direction's queue; `false` if it has no such setting, or the value is out of its range.
    pub(crate) fn reconfigure(&mut self, at: usize, change: &QueueChange, now: Time) -> bool {
        let End { node, port } = self.directions[at].from;
        let (changed, waiting) = match &mut self.nodes[node] {
            Node::Host(host) => {
                let queue = &mut host.ports[usize::from(port)];
                (queue.reconfigure(change), queue.backlog().packets > 0)
            }
            Node::Router(router) => {
                (router.switch.reconfigure(Port(port), change), router.switch.has_departure(Port(port)))
            }
        };
        // A packet that was not due at the old rate may be at the new one.
        if changed && waiting {
            self.serve(at, now);
            self.after_router(node, now);
        }
        changed
    }
}
