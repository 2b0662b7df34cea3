//! Scripts: changes of decisions of queues, made from outside.
//!
//! A script acts *around* a queue discipline or a switch, at its port. The discipline decides as if the script were not
//! there, and its own state moves as if its decision stood: a CoDel that drops a packet counts it as dropped. Only the
//! packet's fate changes:
//!
//! - A packet that is *kept* is put aside at its port and leaves in its place: right before the first packet of its
//!   five-tuple that came after it, or as soon as all packets that came before it have gone, or at once if the queue is empty
//!   or dropped it when its turn had come. It waits outside the discipline, so it takes none of its room. Where a queue ends
//!   inside a switch (a service model), it takes no CPU time.
//! - A packet that is *dropped* occupies the queue until its turn comes, and is then removed, unless it is dropped on arrival.
//! - A *mark* is set, or taken back, when the packet leaves.
//! - A packet that *bypasses* the queue goes out next; what the discipline handles in its place is removed when its turn comes.
//!
//! A world without a script tests one option per packet.

mod intervention;
mod line;
mod port;
mod run;

use std::collections::BTreeSet;

use jettison_core::{DropReason, MarkReason, Time};
use jettison_wire::{FlowId, Packet, PacketMeta};
use rustc_hash::FxHashMap;

pub use intervention::{Intervention, Replaced, Replacement, Window};
pub use line::Waiting;
use port::ScriptedPort;
pub use run::can_revert;
pub(crate) use run::take_scripted;

/// Interventions, and the state that they need at each port.
///
/// A script that is set while packets wait does not know the order of these, nor their ECN fields before their marks. So a
/// world that is to be forked has a [`Script::watching`] from its start, and the fork adds interventions to it.
#[derive(Debug, Clone, Default)]
pub struct Script {
    // Interventions that are looked for at a drop or a mark.
    flips: BTreeSet<u64>,
    keeps: Vec<(u32, u32)>,
    unmarks: Vec<(u32, u32)>,
    spares: Vec<(u32, FlowId, Window)>,
    rules: Vec<Rule>,
    /// Packets to drop before they reach a queue, by number.
    arrivals: FxHashMap<u32, u32>,
    /// Exchanges of disciplines that are to come, in the order of time.
    replacements: Vec<(Time, u32, Replacement)>,
    /// The queues to watch, and at which interventions without a queue act; `None` for all.
    queues: Option<Vec<u32>>,
    /// Whether to watch even if there is nothing to do.
    is_watching: bool,
    // State.
    /// By queue; `None` where the script does nothing.
    ports: Vec<Option<Box<ScriptedPort>>>,
    /// The queue whose discipline is being asked for a packet.
    asked: Option<u32>,
    /// Queues with a packet put aside since the world looked.
    touched: Vec<u32>,
    effects: Effects,
    reverted: Vec<Reverted>,
}

/// What a script has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effects {
    /// Drops that were reverted.
    pub kept: u64,
    /// Marks that were reverted.
    pub unmarked: u64,
    /// Packets dropped by the script.
    pub dropped: u64,
    /// Packets marked by the script.
    pub marked: u64,
    /// Packets that went past a queue.
    pub bypassed: u64,
    /// Disciplines exchanged.
    pub replaced: u64,
}

/// A decision that a script has reverted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reverted {
    /// Its number in the run.
    pub decision: u64,
    /// When it was made.
    pub at: Time,
    /// The queue.
    pub queue: u32,
    /// The flow of the packet.
    pub flow: FlowId,
    /// The packet.
    pub packet: u32,
    /// The packet's IP length in bytes.
    pub length: u16,
    /// What was decided.
    pub what: Decided,
}

/// What a queue decides about a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decided {
    /// To drop it.
    Drop(DropReason),
    /// To mark it.
    Mark(MarkReason),
}

impl Decided {
    /// The name of the rule.
    pub const fn rule(self) -> &'static str {
        match self {
            Decided::Drop(reason) => reason.name(),
            Decided::Mark(reason) => reason.name(),
        }
    }
}

/// Most reverted decisions that a script lists.
const LISTED: usize = 1_000;

#[derive(Debug, Clone)]
struct Rule {
    queue: Option<u32>,
    drops: Vec<DropReason>,
    marks: Vec<MarkReason>,
    window: Window,
}

impl Script {
    /// A script without interventions.
    pub fn new() -> Script {
        Script::default()
    }

    /// A script that only watches, at some queues or at all: interventions at these may be added at any time.
    pub fn watching(queues: Option<Vec<u32>>) -> Script {
        Script { queues, is_watching: true, ..Script::default() }
    }

    /// Adds an intervention, before the script is set.
    #[must_use]
    pub fn with(mut self, intervention: Intervention) -> Script {
        self.add(intervention);
        self
    }

    /// Adds an intervention. Decisions that are in the past stay as they are.
    pub(crate) fn add(&mut self, intervention: Intervention) {
        if let (Some(queues), Some(queue)) = (&mut self.queues, intervention.queue())
            && !queues.contains(&queue)
        {
            queues.push(queue);
        }
        match intervention {
            Intervention::Flip { decision } => drop(self.flips.insert(decision)),
            Intervention::Keep { queue, packet } => self.keeps.push((queue, packet)),
            Intervention::Unmark { queue, packet } => self.unmarks.push((queue, packet)),
            Intervention::Spare { queue, flow, window } => self.spares.push((queue, flow, window)),
            Intervention::Rule { queue, drops, marks, window } => {
                self.rules.push(Rule { queue, drops, marks, window });
            }
            Intervention::Drop { queue, packet, on_arrival: true } => {
                self.arrivals.insert(packet, queue);
            }
            Intervention::Drop { queue, packet, on_arrival: false } => {
                self.port_of(queue).drops.insert(packet);
            }
            Intervention::Mark { queue, packet } => drop(self.port_of(queue).marks.insert(packet)),
            Intervention::Bypass { queue, flow, window } => {
                self.port_of(queue).bypasses.push((flow, window));
            }
            Intervention::Carry { queue, flow, window } => {
                self.port_of(queue).carries.push((flow, window));
            }
            Intervention::Replace { queue, at, discipline } => {
                self.replacements.push((at, queue, discipline));
                self.replacements.sort_by_key(|(at, ..)| *at);
            }
        }
    }

    /// The instant of the next exchange of a discipline.
    pub(crate) fn next_replacement(&self) -> Time {
        self.replacements.first().map_or(Time::MAX, |(at, ..)| *at)
    }

    /// What the script has done so far.
    pub fn effects(&self) -> Effects {
        self.effects
    }

    /// The first decisions that were reverted, in their order.
    pub fn reverted(&self) -> &[Reverted] {
        &self.reverted
    }

    /// Lists a reverted decision.
    fn note(&mut self, decision: u64, what: Decided, queue: u32, packet: &Packet, at: Time) {
        let PacketMeta { flow, id, length, .. } = packet.meta;
        if self.reverted.len() < LISTED {
            self.reverted.push(Reverted { decision, at, queue, flow, packet: id, length, what });
        }
    }

    /// The packets that wait in a watched queue with their numbers, in the order of their arrival. Those that came before the
    /// script are not among them.
    pub fn waiting(&self, queue: u32) -> impl Iterator<Item = (u32, &Waiting)> {
        self.port(queue).into_iter().flat_map(|port| port.line.iter())
    }

    /// Stops watching once no intervention is left to make.
    pub fn stop_watching(&mut self) {
        self.is_watching = false;
    }

    #[inline]
    fn port(&self, queue: u32) -> Option<&ScriptedPort> {
        self.ports.get(queue as usize)?.as_deref()
    }

    #[inline]
    fn port_mut(&mut self, queue: u32) -> Option<&mut ScriptedPort> {
        self.ports.get_mut(queue as usize)?.as_deref_mut()
    }

    /// The state at a queue, made if there is none.
    fn port_of(&mut self, queue: u32) -> &mut ScriptedPort {
        let place = queue as usize;
        if self.ports.len() <= place {
            self.ports.resize_with(place + 1, || None);
        }
        self.ports[place].get_or_insert_default()
    }

    /// Whether the script has to see what happens at a queue.
    fn concerns(&self, queue: u32) -> bool {
        let named = |queues: &Option<Vec<u32>>| queues.as_ref().is_none_or(|queues| queues.contains(&queue));
        let anywhere =
            self.is_watching || !self.flips.is_empty() || self.rules.iter().any(|rule| rule.queue.is_none());
        (anywhere && named(&self.queues))
            || self.rules.iter().any(|rule| rule.queue == Some(queue))
            || self.keeps.iter().chain(&self.unmarks).any(|(own, _)| *own == queue)
            || self.spares.iter().any(|(own, ..)| *own == queue)
            || self.replacements.iter().any(|(_, own, _)| *own == queue)
            || self.arrivals.values().any(|own| *own == queue)
    }

    /// Whether nothing is left to do: no intervention can act at `now` or later, from decision `next` on.
    fn is_done(&self, next: u64, now: Time) -> bool {
        let over = |window: &Window| window.to <= now;
        !self.is_watching
            && self.flips.range(next..).next().is_none()
            && self.keeps.is_empty()
            && self.unmarks.is_empty()
            && self.arrivals.is_empty()
            && self.replacements.is_empty()
            && self.spares.iter().all(|(.., window)| over(window))
            && self.rules.iter().all(|rule| over(&rule.window))
            && self.ports.iter().flatten().all(|port| port.is_idle(now))
    }
}
