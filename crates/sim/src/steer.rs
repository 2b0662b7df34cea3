//! Steering from outside, step by step: decisions of programs, windows and rates of connections, settings of queues.
//!
//! Whoever steers runs the world to an instant, or to a question ([`RunOutcome::Waiting`]), looks at it, sets what it wants to set,
//! and runs it on. What it does not change goes on as in a run that nobody interrupts, bit by bit.
//!
//! [`RunOutcome::Waiting`]: crate::RunOutcome::Waiting

use jettison_core::{Bytes, Rate, Time, fork};
use jettison_queue::{Backlog, QueueChange, QueueSetting};
use jettison_registry::suggestion;
use jettison_sockets::Question;
use jettison_switch::Port;
use jettison_tcp::congestion::Seen;
use jettison_wire::FlowId;
use thiserror::Error;

use crate::direction::End;
use crate::world::{Node, World};

/// Where a world stopped for a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Suspended {
    /// The host of the program that waits.
    pub(crate) node: usize,
    /// The packet that the host was handling; `None` if it was handling timers.
    pub(crate) packet: Option<u32>,
}

/// Something that cannot be steered.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SteerError {
    /// A flow that does not exist.
    #[error("unknown flow `{flow}`; {help}")]
    UnknownFlow {
        /// The name.
        flow: String,
        /// The nearest or all names.
        help: String,
    },
    /// A flow whose application leaves no decision to others.
    #[error("the application of flow `{flow}` has no decision that could be made from outside; use `dash`")]
    NoDecision {
        /// The flow.
        flow: String,
    },
    /// A link direction that does not exist.
    #[error("unknown link direction `{link}`; {help}")]
    UnknownLink {
        /// The name.
        link: String,
        /// The nearest or all names.
        help: String,
    },
}

/// A queue and its link, as counted since the end of the warm-up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueSeen {
    /// Packets that left for the link.
    pub departed: u64,
    /// Their bytes on the wire.
    pub departed_bytes: u64,
    /// Sum of their sojourn times in nanoseconds.
    pub sojourn_nanos: u128,
    /// Packets dropped.
    pub drops: u64,
    /// Packets marked.
    pub marks: u64,
    /// What waits now.
    pub backlog: Backlog,
}

impl World {
    /// The flow of a name.
    ///
    /// # Errors
    /// If there is none.
    pub fn flow_named(&self, flow: &str) -> Result<FlowId, SteerError> {
        let ids = || (0..self.recorder.flow_count()).map(|index| FlowId(index as u32));
        ids().find(|id| self.recorder.flow_name(*id) == flow).ok_or_else(|| {
            let help = suggestion(flow, ids().map(|id| self.recorder.flow_name(id)));
            SteerError::UnknownFlow { flow: flow.to_owned(), help }
        })
    }

    /// The direction of a link by its name, such as `access.forward`.
    ///
    /// # Errors
    /// If there is none.
    pub fn direction_named(&self, link: &str) -> Result<usize, SteerError> {
        self.directions.iter().position(|direction| direction.name == link).ok_or_else(|| {
            let help = suggestion(link, self.direction_names());
            SteerError::UnknownLink { link: link.to_owned(), help }
        })
    }

    // ---- decisions of programs -------------------------------------------------------------------------------

    /// Leaves the decisions of a flow's program to the caller; before the run. [`World::run`] then stops at each of them, and
    /// [`World::decide`] continues.
    ///
    /// # Errors
    /// If no program of the flow has a decision that could be left.
    pub fn steer(&mut self, flow: FlowId) -> Result<(), SteerError> {
        let mut steers = false;
        for node in &mut self.nodes {
            if let Node::Host(host) = node {
                steers |= host.steer(flow);
            }
        }
        let name = self.recorder.flow_name(flow).to_owned();
        if steers { Ok(()) } else { Err(SteerError::NoDecision { flow: name }) }
    }

    /// Fills in what a steered program of a flow knows now; false if it does not run (yet, or any more).
    pub fn question(&self, flow: FlowId, out: &mut Question) -> bool {
        self.nodes.iter().any(|node| match node {
            Node::Host(host) => host.question(flow, out),
            Node::Router(_) => false,
        })
    }

    /// Continues with the decision that a program waits for, at the instant at which it asked. No effect if none waits.
    pub fn decide(&mut self, answer: usize) {
        let Some(Suspended { node, packet }) = self.suspended.take() else { return };
        let now = self.now;
        fork::drawing(self.draw, || {
            let Node::Host(host) = &mut self.nodes[node] else { return };
            host.stack.next_id = self.next_id;
            host.decide(answer, now, &mut self.recorder);
            if packet.is_none() && !host.is_suspended() {
                // Other programs and sockets whose timers are due.
                host.wake(now, &mut self.recorder);
            }
            self.next_id = host.stack.next_id;
            if host.is_suspended() {
                self.suspended = Some(Suspended { node, packet });
                return;
            }
            match packet {
                Some(packet) => {
                    if let Some(provenance) = self.recorder.provenance() {
                        provenance.handled(packet, now);
                    }
                    self.after_host(node, now);
                }
                None => self.after_host_timer(node, now),
            }
            if self.recorder.ends_call() {
                self.complete(now);
            }
        });
    }

    // ---- connections -----------------------------------------------------------------------------------------

    /// Sets the window in bytes and the pacing rate of a flow's connections whose controller is `constant`. Returns what they saw
    /// since the last call; `None` if the flow has no such connection now.
    pub fn steer_connections(&mut self, flow: FlowId, window: u64, rate: Option<Rate>) -> Option<Seen> {
        let now = self.now;
        let mut sum: Option<Seen> = None;
        for node in 0..self.nodes.len() {
            let Node::Host(host) = &mut self.nodes[node] else { continue };
            host.stack.next_id = self.next_id;
            let (seen, changed) = fork::drawing(self.draw, || {
                host.steer_connections(flow, window, rate, now, &mut self.recorder)
            });
            self.next_id = host.stack.next_id;
            if let Some(seen) = seen {
                sum.get_or_insert_default().add(&seen);
            }
            if changed {
                fork::drawing(self.draw, || self.after_host(node, now));
            }
        }
        sum
    }

    // ---- queues ----------------------------------------------------------------------------------------------

    /// The queue of a direction.
    pub fn queue_seen(&mut self, direction: usize) -> QueueSeen {
        let backlog = self.backlog_before(&self.directions[direction]);
        let meter = self.recorder.queue(self.directions[direction].queue);
        QueueSeen {
            departed: meter.departed_packets(),
            departed_bytes: meter.departed_bytes(),
            sojourn_nanos: meter.sojourn().sum_nanos(),
            drops: meter.total_drops(),
            marks: meter.total_marks(),
            backlog,
        }
    }

    /// What a direction can carry from one instant to another.
    pub fn capacity(&mut self, direction: usize, from: Time, to: Time) -> Bytes {
        self.directions[direction].carrier.model().capacity(from, to)
    }

    /// The parameters of a direction's discipline that can be set, with their present values.
    pub fn queue_settings(&self, direction: usize) -> Vec<QueueSetting> {
        let End { node, port } = self.directions[direction].from;
        match &self.nodes[node] {
            Node::Host(host) => host.ports[usize::from(port)].settings(),
            Node::Router(router) => router.switch.settings(Port(port)),
        }
    }

    /// Changes a parameter of a direction's discipline; false if it has no such parameter, or the value is out of its range.
    pub fn set_queue(&mut self, direction: usize, setting: QueueSetting) -> bool {
        let change = QueueChange { class: None, setting };
        let now = self.now;
        fork::drawing(self.draw, || self.reconfigure(direction, &change, now))
    }
}
