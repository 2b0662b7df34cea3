//! `codel++`: network slices in strict priority, CoDel at egress, and feedback of queue depths to ingress.
//!
//! Reference: Doan, Scheinert, Nguyen, Fitzek et al.: *Interplay between priority queues and controlled delay in programmable
//! data planes*; CoDel: RFC 8289.
//!
//! Ingress maps a packet's source prefix to a slice, and the slice to a priority, which selects the queue (0 is served
//! first). Egress runs CoDel on departing packets and writes the depth and delay of the queue to registers. Ingress drops an
//! arrival while the depth last reported for its queue exceeds the slice's threshold. The registers hold the state at the
//! last departure, not the current one.
//!
//! The paper's third table, which maps slice and ingress port to egress port, is a policy route of the switch. Choices that
//! the paper leaves open are parameters; the chapter on CoDel++ in `docs/` explains them.
//!
//! Units: depths and thresholds in packets; `maxpacket` in bytes of IP length; delays are times (gauge in ms).

use std::collections::BTreeMap;

use jettison_core::{Bytes, DropReason, Duration, Gauge, Gauges, Time};
use jettison_queue::codel::CodelParameters;
use jettison_queue::entry::BuildContext;
use jettison_queue::packet_rate::PacketRate;
use jettison_queue::priority::Priority;
use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use jettison_queue::{
    CodelSettings, CodelState, ControlLaw, InLinux, Limit, PacketsPerSecond, QueueDiscipline,
};
use jettison_registry::style::{Line::Solid, WINE};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::HookedQueue;
use crate::{
    Feedback, FeedbackPath, Packets, PortHooks, PortQueue, Prefix, PrefixTable, QueueReading, Verdict,
};

/// Parameters of CoDel++. Without slices there is one queue under CoDel at a switch's egress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CodelPlusPlusParameters {
    /// Slice by source prefix, such as `{ "10.0.1.0/24" = 1 }`; the longest matching prefix wins.
    pub slices: BTreeMap<String, u16>,
    /// Priority by slice, such as `{ 1 = 0 }`: 0 is served first. Slices that are not listed, and packets without a slice, have
    /// the lowest priority.
    pub priorities: BTreeMap<u16, u8>,
    /// Number of queues. Unset: the highest priority in `priorities` plus one.
    pub queues: Option<u8>,
    /// Limit of each queue in packets, bytes (IP length) or both.
    pub limit: Limit,
    /// Service rate in packets/s. Unset: limited by the link alone.
    pub rate: Option<PacketsPerSecond>,
    /// Scope of `rate`: each queue, as in BMv2, or all queues of the port together.
    pub rate_scope: RateScope,
    /// Whether egress runs CoDel.
    pub codel: bool,
    /// CoDel's acceptable standing delay (RFC 8289 §4.3).
    pub target: Duration,
    /// CoDel's window (RFC 8289 §4.2).
    pub interval: Duration,
    /// A queue with a backlog of at most this size after a departure is not a standing queue (MAXPACKET, RFC 8289 §5.3).
    pub maxpacket: Bytes,
    /// Resolution of CoDel's clock, such as "1 us" in a P4 switch. Unset: exact.
    pub clock: Option<Duration>,
    /// CoDel's control law: RFC 8289's, exact or by the lookup table of the P4 program, or P4-CoDel's, which does not use
    /// `maxpacket`.
    pub control_law: ControlLaw,
    /// Scope of CoDel's state: each queue or the port.
    pub state: CodelScope,
    /// Start of the delay that CoDel measures: enqueueing, or arrival at the parser.
    pub delay_from: DelayFrom,
    /// Whether ingress drops by the reported depth.
    pub feedback: bool,
    /// Depth that ingress compares with the threshold: the one last reported for the packet's own queue, or the sum of those of
    /// all queues of the port.
    pub depth: CodelScope,
    /// Reported depth above which arrivals are dropped. Not given in the paper; the default is the default capacity of a BMv2
    /// queue.
    pub threshold: Packets,
    /// Thresholds of individual slices, which override `threshold`, such as `{ 3 = "16 packets" }`.
    pub thresholds: BTreeMap<u16, Packets>,
}

/// Scope of a packet rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum RateScope {
    /// Each queue.
    Queue,
    /// All queues of the port together.
    Port,
}

/// Scope of CoDel's state, or of a depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum CodelScope {
    /// Each queue.
    Queue,
    /// The port.
    Port,
}

/// Start of the measured delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum DelayFrom {
    /// Enqueueing.
    Enqueue,
    /// Arrival at the parser: includes the `ingress_delay` of the router.
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
            depth: CodelScope::Queue,
            threshold: Packets(64),
            thresholds: BTreeMap::new(),
        }
    }
}

impl CodelPlusPlusParameters {
    /// Number of queues, at least one.
    ///
    /// # Errors
    /// If `queues` is 0, or a priority is not below it.
    pub fn queue_count(&self) -> Result<usize, ParameterError> {
        let named = self.priorities.values().max().map_or(1, |highest| usize::from(*highest) + 1);
        let Some(count) = self.queues.map(usize::from) else { return Ok(named) };
        ParameterError::require(count > 0, "queues", "be >= 1", count)?;
        for (slice, priority) in &self.priorities {
            if usize::from(*priority) >= count {
                let requirement = format!("be in [0, {}] with {count} queues", count - 1);
                let error = ParameterError::must(&slice.to_string(), &requirement, priority);
                return Err(error.under("priorities"));
            }
        }
        Ok(count)
    }

    fn codel_settings(&self) -> Result<CodelSettings, ParameterError> {
        let Self { target, interval, maxpacket, clock, control_law, .. } = *self;
        CodelParameters { target, interval, maxpacket, clock, control_law, ..CodelParameters::default() }
            .settings()
    }

    /// Checks that a prefix maps to `slice`, which `key` refers to.
    fn check_slice(&self, slice: u16, key: &str) -> Result<(), ParameterError> {
        if self.slices.values().any(|known| *known == slice) {
            return Ok(());
        }
        let message = format!("`slices` has no prefix of slice {slice}");
        Err(ParameterError::at(&slice.to_string(), message).under(key))
    }

    /// The combined tables of ingress: source prefix to slice to queue and threshold.
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
                return Err(wrong(format!("duplicate prefix `{prefix}`")));
            }
        }
        self.priorities.keys().try_for_each(|slice| self.check_slice(*slice, "priorities"))?;
        self.thresholds.keys().try_for_each(|slice| self.check_slice(*slice, "thresholds"))?;
        Ok(table)
    }
}

/// Gauges of the internal state. Each queue is a part: `band.0` is the one of priority 0.
const GAUGES: &[Gauge] = &[DEPTH, DELAY, COUNT, DROPPING];

const DEPTH: Gauge = Gauge::new(
    "codel_pp_depth",
    "packets",
    "Queue depth last reported by egress, which ingress compares with the threshold.",
);
const DELAY: Gauge = Gauge::new("codel_pp_delay", "ms", "Delay last reported by egress.");
const COUNT: Gauge = Gauge::new(
    "codel_pp_count",
    "count",
    "`count` of the control law: signals since CoDel entered dropping state. No part if one CoDel serves the port.",
);
const DROPPING: Gauge = Gauge::new("codel_pp_dropping", "1", "1 in dropping state, 0 outside.");

/// Registry entry of the discipline.
pub(crate) fn entry() -> Entry<HookedQueue> {
    Entry::<HookedQueue>::new("codel++", "CoDel++", build)
        .style(WINE, Solid)
        .summary("Strict priority by slice, CoDel at egress, and feedback of queue depths to ingress")
        .source("Doan et al., CoDel++; RFC 8289")
        .page("codelpp.md")
        .gauges(GAUGES)
        .facts(InLinux::lacks("it acts at ingress and egress of a switch", "`codel`"))
}

fn build(parameters: CodelPlusPlusParameters, _: &BuildContext<'_>) -> Result<PortQueue, ParameterError> {
    let hooks = CodelPlusPlus::new(&parameters)?;
    let queues = parameters.queue_count()?;
    // Wraps `queue` in the packet rate if the rate has this scope.
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
#[derive(Clone)]
pub struct CodelPlusPlus {
    // Parameters.
    slices: PrefixTable<Slice>,
    /// Queue and threshold of packets without a slice.
    other: Slice,
    codel: Option<CodelSettings>,
    state: CodelScope,
    delay_from: DelayFrom,
    feedback: bool,
    depth: CodelScope,
    // State.
    /// CoDel's state of each queue; with `CodelScope::Port` the first one serves all queues.
    states: Vec<CodelState>,
    /// Registers of each queue, written by egress and read by ingress.
    registers: Vec<QueueRegisters>,
}

/// Ingress table entry of a slice.
#[derive(Debug, Clone, Copy)]
struct Slice {
    queue: u8,
    threshold: u64,
}

/// Registers of a queue, as of its last departure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueRegisters {
    /// Queue depth in packets after the departure.
    pub depth: u32,
    /// Delay of the departing packet.
    pub delay: Duration,
}

impl CodelPlusPlus {
    /// Creates CoDel++ with its initial state.
    ///
    /// # Errors
    /// If a parameter is out of range, or a table refers to an unknown slice or queue.
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
            depth: parameters.depth,
            states: vec![CodelState::default(); queues],
            registers: vec![QueueRegisters::default(); queues],
        })
    }

    /// The registers of the queue with this priority.
    pub fn registers(&self, priority: u8) -> Option<QueueRegisters> {
        self.registers.get(usize::from(priority)).copied()
    }
}

impl PortHooks for CodelPlusPlus {
    fn admit(&mut self, packet: &mut Packet, _: Time) -> Result<u8, DropReason> {
        let source = packet.five_tuple().map(|tuple| tuple.src);
        let slice = source.and_then(|source| self.slices.lookup(source)).unwrap_or(self.other);
        let depth = match self.depth {
            CodelScope::Queue => u64::from(self.registers[usize::from(slice.queue)].depth),
            CodelScope::Port => self.registers.iter().map(|queue| u64::from(queue.depth)).sum(),
        };
        if self.feedback && depth > slice.threshold {
            return Err(DropReason::SliceDepth);
        }
        Ok(slice.queue)
    }

    fn handle_departure(&mut self, _: &mut Packet, queue: &QueueReading, now: Time) -> Verdict {
        let number = usize::from(queue.class).min(self.registers.len() - 1);
        let delay = match self.delay_from {
            DelayFrom::Enqueue => queue.sojourn,
            DelayFrom::Parser => queue.in_switch,
        };
        // The registers are written before CoDel decides: a dropped packet has left the queue as well.
        self.registers[number] = QueueRegisters { depth: queue.deq_qdepth, delay };
        let Some(settings) = &self.codel else { return Verdict::default() };
        let state = match self.state {
            CodelScope::Queue => &mut self.states[number],
            CodelScope::Port => &mut self.states[0],
        };
        let signal = state.judge(settings, delay, queue.deq_bytes, now);
        Verdict { drop: signal.then_some(DropReason::CoDel), feedback: None }
    }

    /// Does nothing: ingress reads the registers directly.
    fn handle_feedback(&mut self, _: Feedback, _: Time) {}

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
