//! `codel++`: slices, strict priorities, Controlled Delay at egress, and what egress tells ingress.
//!
//! Doan, Scheinert, Nguyen, Fitzek et al.: *Interplay between priority queues and controlled delay in programmable data
//! planes*. Ingress finds a packet's slice by its source prefix and the slice's priority, which is its queue (0 is
//! served first). Egress runs CoDel on what leaves a queue, and writes the queue's depth and delay to registers.
//! Ingress drops an arriving packet of a slice while the depth last reported for its queue is over the slice's
//! threshold: the registers hold what the last departure saw, not what is true now.
//!
//! The third table of the paper, slice and ingress port to egress port, is a policy route of the switch. What the paper
//! leaves open is a parameter; the chapter on CoDel++ in `docs/` explains each.

use std::collections::BTreeMap;

use jettison_core::{Bytes, DropReason, Duration, Gauge, Gauges, Time};
use jettison_queue::codel::CodelParameters;
use jettison_queue::entry::BuildContext;
use jettison_queue::packet_rate::PacketRate;
use jettison_queue::priority::Priority;
use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use jettison_queue::{CodelSettings, CodelState, ControlLaw, Limit, PacketsPerSecond, QueueDiscipline};
use jettison_registry::style::{Line::Solid, WINE};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::HookedQueue;
use crate::{
    Feedback, FeedbackPath, Packets, PortHooks, PortQueue, Prefix, PrefixTable, QueueReading, Verdict,
};

/// Parameters of CoDel++. Without slices there is one queue, and what remains is CoDel at a switch's egress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CodelPlusPlusParameters {
    /// Slice by source prefix, such as `{ "10.0.1.0/24" = 1 }`; the longest prefix decides.
    pub slices: BTreeMap<String, u16>,
    /// Priority by slice, such as `{ 1 = 0 }`: 0 is served first. A slice that is not listed has the lowest, and so has
    /// a packet of no slice.
    pub priorities: BTreeMap<u16, u8>,
    /// How many queues there are; unset: as many as `priorities` name.
    pub queues: Option<u8>,
    /// What each queue holds.
    pub limit: Limit,
    /// Packets a second that a queue serves; unset: as fast as the link takes them.
    pub rate: Option<PacketsPerSecond>,
    /// Whether each queue has that rate for itself, as in BMv2, or all queues of the port share it.
    pub rate_scope: RateScope,
    /// Whether egress runs CoDel.
    pub codel: bool,
    /// CoDel's acceptable standing delay (RFC 8289 §4.3).
    pub target: Duration,
    /// CoDel's window (RFC 8289 §4.2).
    pub interval: Duration,
    /// Of at most this size, what a departing packet leaves behind in its queue is no standing queue (RFC 8289 §5.3).
    pub maxpacket: Bytes,
    /// Unit of CoDel's clock, such as "1 us" for a P4 switch's. Unset: exact.
    pub clock: Option<Duration>,
    /// How CoDel's interval / √count is computed: exactly, or by the table of the P4 program.
    pub control_law: ControlLaw,
    /// Whether CoDel keeps a state for each queue, or one for the port.
    pub state: CodelScope,
    /// The delay that CoDel goes by begins when the packet is queued, or when it is at the parser.
    pub delay_from: DelayFrom,
    /// Whether ingress drops by what egress reports.
    pub feedback: bool,
    /// Depth of its queue, as last reported, over which an arriving packet is dropped. The paper does not give it; the
    /// default is the depth at which a BMv2 queue that nobody configures is full.
    pub threshold: Packets,
    /// Thresholds of single slices, in place of `threshold`, such as `{ 3 = "16 packets" }`.
    pub thresholds: BTreeMap<u16, Packets>,
}

/// What a packet rate limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum RateScope {
    /// Each queue.
    Queue,
    /// All queues of the port together.
    Port,
}

/// What a CoDel state is kept for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum CodelScope {
    /// Each queue.
    Queue,
    /// The port.
    Port,
}

/// Where the delay begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum DelayFrom {
    /// When the packet is queued.
    Enqueue,
    /// When it reaches the parser: ingress counts too (`ingress_delay` of the router).
    Parser,
}

impl Default for CodelPlusPlusParameters {
    fn default() -> CodelPlusPlusParameters {
        let codel = CodelParameters::default();
        CodelPlusPlusParameters {
            slices: BTreeMap::new(),
            priorities: BTreeMap::new(),
            queues: None,
            limit: Limit::default(),
            rate: None,
            rate_scope: RateScope::Queue,
            codel: true,
            target: codel.target,
            interval: codel.interval,
            maxpacket: codel.maxpacket,
            clock: codel.clock,
            control_law: codel.control_law,
            state: CodelScope::Queue,
            delay_from: DelayFrom::Enqueue,
            feedback: true,
            threshold: Packets(64),
            thresholds: BTreeMap::new(),
        }
    }
}

impl CodelPlusPlusParameters {
    /// How many queues there are: at least one.
    ///
    /// # Errors
    /// If a priority names a queue that there is not.
    pub fn queue_count(&self) -> Result<usize, ParameterError> {
        let named = self.priorities.values().max().map_or(1, |highest| usize::from(*highest) + 1);
        let Some(count) = self.queues.map(usize::from) else { return Ok(named) };
        ParameterError::unless(count > 0, "queues", || "a port has at least one queue".to_owned())?;
        for (slice, priority) in &self.priorities {
            if usize::from(*priority) >= count {
                let message =
                    format!("`{priority}` is not a priority: {count} queues have 0 to {}", count - 1);
                return Err(ParameterError::at(&slice.to_string(), message).under("priorities"));
            }
        }
        Ok(count)
    }

    fn codel_settings(&self) -> Result<CodelSettings, ParameterError> {
        let Self { target, interval, maxpacket, clock, control_law, .. } = *self;
        CodelParameters { target, interval, maxpacket, clock, control_law, ..CodelParameters::default() }
            .settings()
    }

    fn known(&self, slice: u16, key: &str) -> Result<(), ParameterError> {
        if self.slices.values().any(|known| *known == slice) {
            return Ok(());
        }
        let message = format!("no prefix of `slices` is of slice {slice}");
        Err(ParameterError::at(&slice.to_string(), message).under(key))
    }

    /// The tables of ingress: source prefix to slice to priority, in one.
    fn table(&self, queues: usize) -> Result<PrefixTable<Slice>, ParameterError> {
        let mut table = PrefixTable::default();
        for (prefix, slice) in &self.slices {
            let wrong = |message: String| ParameterError::at(prefix, message).under("slices");
            let read: Prefix =
                prefix.parse().map_err(|error: crate::PrefixError| wrong(error.to_string()))?;
            let lowest = queues as u8 - 1;
            let entry = Slice {
                queue: self.priorities.get(slice).copied().unwrap_or(lowest),
                threshold: self.thresholds.get(slice).unwrap_or(&self.threshold).0,
            };
            if table.insert(read, entry).is_some() {
                return Err(wrong(format!("`{prefix}` stands here twice")));
            }
        }
        self.priorities.keys().try_for_each(|slice| self.known(*slice, "priorities"))?;
        self.thresholds.keys().try_for_each(|slice| self.known(*slice, "thresholds"))?;
        Ok(table)
    }
}

/// What it reports of its state. Each queue is a part: `band.0` is the one of priority 0.
const GAUGES: &[Gauge] = &[DEPTH, DELAY, COUNT, DROPPING];

const DEPTH: Gauge =
    Gauge::new("codel_pp_depth", "packets", "Queue depth last reported by egress, which ingress compares with the threshold.");
const DELAY: Gauge = Gauge::new("codel_pp_delay", "ms", "Delay last reported by egress.");
const COUNT: Gauge = Gauge::new(
    "codel_pp_count",
    "count",
    "`count` of the control law: signals since CoDel entered dropping state. No part if one CoDel serves the port.",
);
const DROPPING: Gauge =
    Gauge::new("codel_pp_dropping", "1", "1 in dropping state, 0 outside.");

/// Registry entry of the discipline.
pub(crate) fn entry() -> Entry<HookedQueue> {
    Entry::<HookedQueue>::new("codel++", "CoDel++", build)
        .style(WINE, Solid)
        .summary("Strict priorities by slice, CoDel at egress, and its depths fed back to ingress")
        .source("Doan et al., CoDel++; RFC 8289")
        .page("codelpp.md")
        .gauges(GAUGES)
}

fn build(parameters: CodelPlusPlusParameters, _: &BuildContext<'_>) -> Result<PortQueue, ParameterError> {
    let hooks = CodelPlusPlus::new(&parameters)?;
    let queues = parameters.queue_count()?;
    let at_rate = |queue: Box<dyn QueueDiscipline>, scope: RateScope| -> Box<dyn QueueDiscipline> {
        match parameters.rate {
            Some(rate) if parameters.rate_scope == scope => Box::new(PacketRate::new(queue, rate)),
            _ => queue,
        }
    };
    let fifo = || Box::new(TailDrop::new(TailDropParameters { limit: parameters.limit }));
    let bands = (0..queues).map(|_| at_rate(fifo(), RateScope::Queue)).collect();
    let discipline = at_rate(Box::new(Priority::by_class(bands)), RateScope::Port);
    Ok(PortQueue { discipline, hooks: Box::new(hooks) })
}

/// CoDel++ at one port.
pub struct CodelPlusPlus {
    // Parameters.
    slices: PrefixTable<Slice>,
    /// Of packets that are of no slice.
    other: Slice,
    codel: Option<CodelSettings>,
    state: CodelScope,
    delay_from: DelayFrom,
    feedback: bool,
    // State of egress: one for each queue, or the first for all.
    states: Vec<CodelState>,
    /// What egress writes and ingress reads, for each queue.
    registers: Vec<QueueRegisters>,
}

/// What ingress knows of a slice.
#[derive(Debug, Clone, Copy)]
struct Slice {
    queue: u8,
    threshold: u64,
}

/// What the last departure from a queue reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueRegisters {
    /// Packets that it left behind.
    pub depth: u32,
    /// How long it had waited.
    pub delay: Duration,
}

impl CodelPlusPlus {
    /// CoDel++ before its first packet.
    ///
    /// # Errors
    /// If a parameter is out of range, or a table names what there is not.
    pub fn new(parameters: &CodelPlusPlusParameters) -> Result<CodelPlusPlus, ParameterError> {
        let settings = parameters.codel_settings()?;
        let queues = parameters.queue_count()?;
        Ok(CodelPlusPlus {
            slices: parameters.table(queues)?,
            other: Slice { queue: queues as u8 - 1, threshold: parameters.threshold.0 },
            codel: parameters.codel.then_some(settings),
            state: parameters.state,
            delay_from: parameters.delay_from,
            feedback: parameters.feedback,
            states: vec![CodelState::default(); queues],
            registers: vec![QueueRegisters::default(); queues],
        })
    }

    /// What egress reported last of the queue of that priority.
    pub fn registers(&self, priority: u8) -> Option<QueueRegisters> {
        self.registers.get(usize::from(priority)).copied()
    }
}

impl PortHooks for CodelPlusPlus {
    fn admit(&mut self, packet: &mut Packet, _: Time) -> Result<u8, DropReason> {
        let source = packet.five_tuple().map(|tuple| tuple.src);
        let slice = source.and_then(|source| self.slices.lookup(source)).unwrap_or(self.other);
        let depth = self.registers[usize::from(slice.queue)].depth;
        if self.feedback && u64::from(depth) > slice.threshold {
            return Err(DropReason::SliceDepth);
        }
        Ok(slice.queue)
    }

    fn departing(&mut self, _: &mut Packet, queue: &QueueReading, now: Time) -> Verdict {
        let number = usize::from(queue.class).min(self.registers.len() - 1);
        let delay = match self.delay_from {
            DelayFrom::Enqueue => queue.sojourn,
            DelayFrom::Parser => queue.in_switch,
        };
        self.registers[number] = QueueRegisters { depth: queue.deq_qdepth, delay };
        let Some(settings) = &self.codel else { return Verdict::default() };
        let state = match self.state {
            CodelScope::Queue => &mut self.states[number],
            CodelScope::Port => &mut self.states[0],
        };
        let signal = state.judge(settings, delay, queue.deq_bytes, now);
        Verdict { drop: signal.then_some(DropReason::CoDel), feedback: None }
    }

    /// The registers are the way: nothing travels.
    fn fed_back(&mut self, _: Feedback, _: Time) {}

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        for (number, registers) in self.registers.iter().enumerate() {
            let band = format!("band.{number}");
            out.set_part(&DEPTH, &band, f64::from(registers.depth));
            out.set_part(&DELAY, &band, registers.delay.as_millis_f64());
        }
        let is_used =
            |number: usize| self.codel.is_some() && (self.state == CodelScope::Queue || number == 0);
        for (number, state) in self.states.iter().enumerate().filter(|(number, _)| is_used(*number)) {
            let band = match self.state {
                CodelScope::Queue => format!("band.{number}"),
                CodelScope::Port => String::new(),
            };
            out.set_part(&COUNT, &band, f64::from(state.count()));
            out.set_part(&DROPPING, &band, f64::from(u8::from(state.is_dropping())));
        }
    }

    fn feedback_path(&self) -> FeedbackPath {
        FeedbackPath::Register
    }
}

#[cfg(test)]
mod tests;
