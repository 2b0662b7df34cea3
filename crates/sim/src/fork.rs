//! Forks: a copy of a world at an instant, which continues on its own.
//!
//! A fork owns copies of all that changes; what never changes after a world was built (content, traces, compiled programs)
//! is shared. So a fork without a change produces the record of its parent byte by byte, and neither can
//! disturb the other, in whichever threads they run.

use std::sync::atomic::AtomicBool;

use jettison_core::Time;
use jettison_core::fork::{Refusal, forking, further};
use thiserror::Error;

use crate::world::{Node, RunOutcome, World};

/// A world that cannot be forked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ForkError {
    /// The world has hosts outside of it, such as those of a live run: they cannot be copied.
    #[error("cannot fork: host `{host}` is outside of the world")]
    Outside {
        /// The host.
        host: String,
    },
    /// A part that cannot be copied.
    #[error("cannot fork: {place}: {reason}")]
    Refused {
        /// Where: a queue, a program or a controller.
        place: String,
        /// What cannot be copied, and why.
        reason: String,
    },
}

impl World {
    /// Copies the world at this instant. The copy continues as this world does, and has no tap.
    ///
    /// # Errors
    /// If a part cannot be copied.
    pub fn fork(&self) -> Result<World, ForkError> {
        self.fork_with_fresh_draws(0)
    }

    /// Copies the world at this instant, and lets every random stream of the copy continue with draws of its own, keyed by the
    /// stream's key and `draw`. Two forks of a run with the same number share their draws, whenever they were made. 0 leaves the
    /// draws as they are.
    ///
    /// What was drawn before the fork stays: sizes of content, start times of flows, perturbations of flow hashes.
    ///
    /// # Errors
    /// If a part cannot be copied.
    pub fn fork_with_fresh_draws(&self, draw: u64) -> Result<World, ForkError> {
        let node = |node: &Node| {
            if let Node::Host(host) = node
                && host.outside
            {
                return Err(ForkError::Outside { host: host.name.clone() });
            }
            forking(draw, || node.clone()).map_err(|refusal| self.refused(node, refusal))
        };
        let nodes = self.nodes.iter().map(node).collect::<Result<_, _>>()?;
        let controller = |controller: &crate::control::Controlled| {
            forking(draw, || controller.clone()).map_err(|refusal| {
                let place = format!("controller `{}`", controller.name());
                ForkError::Refused { place, reason: refusal.reason }
            })
        };
        let controllers = self.controllers.iter().map(controller).collect::<Result<_, _>>()?;
        let switch_controller = forking(draw, || self.switch_controller.clone()).map_err(|refusal| {
            let name = self.switch_controller.as_ref().map_or("", |held| held.name.as_str());
            ForkError::Refused { place: format!("controller `{name}`"), reason: refusal.reason }
        })?;
        let directions = forking(draw, || self.directions.clone()).map_err(|refusal| {
            let Refusal { reason, .. } = refusal;
            ForkError::Refused { place: "links".to_owned(), reason }
        })?;
        // Named one by one, so that a new field does not compile until its copy is decided.
        Ok(World {
            now: self.now,
            nodes,
            directions,
            slots: self.slots,
            agenda: self.agenda.clone(),
            recorder: self.recorder.clone(),
            tap: None,
            next_id: self.next_id,
            events: self.events,
            next_sample: self.next_sample,
            measuring: self.measuring,
            draw: further(self.draw, draw),
            pending: self.pending.clone(),
            outbox: self.outbox.clone(),
            delivered: Vec::new(),
            scheduled: self.scheduled.clone(),
            controllers,
            switch_controller,
            control_error: self.control_error.clone(),
            script: self.script.clone(),
            suspended: self.suspended,
        })
    }

    /// Runs all events before `instant`, so that its own are still to come, and leaves the world as a run that is not interrupted
    /// passes through. A fork here, and a change to it, come before everything that happens at `instant`. An instant in the
    /// past has no effect.
    pub fn run_before(&mut self, instant: Time, cancel: &AtomicBool) -> RunOutcome {
        if instant <= self.now {
            return RunOutcome::Complete;
        }
        self.run(Time::from_nanos(instant.as_nanos() - 1), cancel)
    }

    /// The error of a node that refused to be copied.
    fn refused(&self, node: &Node, Refusal { port, reason }: Refusal) -> ForkError {
        let (name, queue) = match node {
            Node::Router(router) => {
                let port = port.map(usize::from);
                (&router.name, port.and_then(|port| router.directions.get(port)))
            }
            Node::Host(host) => {
                let port = host.ports.iter().position(|queue| forking(0, || queue.clone()).is_err());
                (&host.name, port.and_then(|port| host.directions.get(port)))
            }
        };
        let place = match queue {
            Some(direction) => format!("queue `{}`", self.directions[*direction].name),
            None => format!("node `{name}`"),
        };
        ForkError::Refused { place, reason }
    }
}
