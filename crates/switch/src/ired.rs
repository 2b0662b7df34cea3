//! `ired`: ingress Random Early Detection; the decision is made at egress and carried out at ingress.
//!
//! Reference: de Almeida, Matos, Pasquini, Papagianni, Verdi: *iRED: Improving the DASH QoS by dropping packets in
//! programmable data planes* (CNSM 2022), Algorithms 1 and 2.
//!
//! Egress averages the queue depth that departing packets found on arrival, compares the average with two thresholds and may
//! clone the packet (Algorithm 1). The clone returns to ingress by recirculation, sets the drop flag of the port and ends.
//! The next packet for that port is dropped at ingress (Algorithm 2), before it uses a buffer or a pass through egress.
//!
//! Units: depths and thresholds in packets. Internally the average and the thresholds are scaled by ten, as in the authors'
//! program, because P4 has no fractions. Choices that the paper leaves open, or that its program makes differently, are
//! parameters; the chapter on iRED in `docs/` explains them.

use jettison_core::{DropReason, Duration, Gauge, Gauges, RandomStream, Time};
use jettison_queue::entry::BuildContext;
use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use jettison_queue::{InLinux, Limit};
use jettison_registry::style::{Line::Solid, VERMILION};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::backlogs::FlowBacklogs;
use crate::entry::HookedQueue;
use crate::{Feedback, FeedbackPath, Packets, PortHooks, PortQueue, QueueReading, Verdict};

mod backlogs;

/// Saturation value of the probability register: 2^16 − 1, the paper's 16 bits.
const REGISTER_FULL: u32 = 65_535;

/// Parameters of iRED. Defaults are those of the published program, for a reference buffer of 64 packets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct IredParameters {
    /// Reference buffer from which the thresholds are derived (the paper's maxLenQueue).
    pub buffer: Packets,
    /// N: the lower threshold is `buffer` / 2 − N packets, the upper one twice as much.
    pub n: u64,
    /// Upper threshold. Unset: twice the lower one. Table I and the published program have 832 packets for a buffer of 1024,
    /// where the formula gives 896.
    pub max_threshold: Option<Packets>,
    /// Actual limit of the queue. Unset: `buffer`.
    pub limit: Option<Limit>,
    /// Averaging of the depth with weight one half: with the previous packet's depth (the program), or with the average so
    /// far (the paper's text).
    pub average: Average,
    /// Coin between the thresholds: a packet is cloned if a register exceeds a random number in [0, `range`]. The register is
    /// constant (the program), or squared after each such packet, up to 65,535, and reset when the average falls below the
    /// lower threshold (the reset is our assumption); or Algorithm 1 by its text, which squares first, then clones if the
    /// register is at least a random number in [0, N].
    pub probability: Probability,
    /// Initial value of the register. Unset: 2, the program's; with `probability = "algorithm-1"` 1, the only positive value
    /// that squaring keeps, because the text gives none.
    pub numerator: Option<u32>,
    /// Maximum of the random number. Unset: 511, the program's for 64 packets; with `probability = "algorithm-1"` N.
    pub range: Option<u32>,
    /// Path of the clone to ingress: through the tail of the port's own queue, at the cost of a buffer slot and a service
    /// time, or directly through the recirculation port.
    pub clone_path: ClonePath,
    /// Delay from the recirculation port to ingress. Unset: the recirculation delay of the switch.
    pub recirculation_delay: Option<Duration>,
    /// Whether clones set a drop flag of the flow with the largest backlog, so that only a packet of this flow is dropped. Not
    /// in the paper, which names it as future work.
    pub culprit: bool,
    /// Number of slots for the backlog per flow, selected by a hash of the five-tuple. Flows that share a slot count as one.
    pub flow_slots: u32,
}

/// Averaging of the depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Average {
    /// Mean of the depths of this and the previous packet.
    TwoSample,
    /// Exponentially weighted moving average with weight one half.
    Ewma,
}

/// Clone probability between the thresholds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Probability {
    /// Constant: `numerator` / (`range` + 1).
    Constant,
    /// The register is squared after each packet between the thresholds.
    Squared,
    /// Lines 9 to 14 of Algorithm 1: the register is squared, then a packet is cloned if it is >= a random number in
    /// [0, `range`].
    #[serde(rename = "algorithm-1")]
    Algorithm1,
}

/// Path of a clone to ingress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum ClonePath {
    /// The tail of the port's queue, then the recirculation port.
    ThroughQueue,
    /// The recirculation port only.
    Direct,
}

impl Default for IredParameters {
    fn default() -> IredParameters {
        IredParameters {
            buffer: Packets(64),
            n: 4,
            max_threshold: None,
            limit: None,
            average: Average::TwoSample,
            probability: Probability::Constant,
            numerator: None,
            range: None,
            clone_path: ClonePath::ThroughQueue,
            recirculation_delay: None,
            culprit: false,
            flow_slots: 1024,
        }
    }
}

impl IredParameters {
    /// minThsld and maxThsld in packets: `maxLenQueue / 2 - N`, and `max_threshold` or twice as much.
    ///
    /// The paper's Table I prints 832 as the maximum of 1024/64, but its formula gives 896.
    ///
    /// # Errors
    /// If N is not below half the buffer, or the upper threshold is below the lower one.
    pub fn thresholds(&self) -> Result<(u64, u64), ParameterError> {
        let min = (self.buffer.0 / 2).checked_sub(self.n).filter(|min| *min > 0);
        let Some(min) = min else {
            let requirement = format!("be < {} (half of `buffer`)", self.buffer.0 / 2);
            return Err(ParameterError::must("n", &requirement, self.n));
        };
        let max = self.max_threshold.unwrap_or(Packets(2 * min));
        if max.0 < min {
            let requirement = format!("be >= {} (the lower threshold)", Packets(min));
            return Err(ParameterError::must("max_threshold", &requirement, max));
        }
        Ok((min, max.0))
    }

    /// Initial value of the register, and maximum of the random number.
    fn coin(&self) -> (u32, u32) {
        let (numerator, range) = match self.probability {
            Probability::Constant | Probability::Squared => (2, 511),
            // N is below half of a buffer of at most `u32::MAX` packets.
            Probability::Algorithm1 => (1, u32::try_from(self.n).unwrap_or(u32::MAX)),
        };
        (self.numerator.unwrap_or(numerator), self.range.unwrap_or(range))
    }

    fn check(&self) -> Result<(), ParameterError> {
        // Bounds the thresholds, which are below `buffer`, such that ten times their value cannot overflow.
        let in_range = self.buffer.0 <= u64::from(u32::MAX);
        ParameterError::require(in_range, "buffer", "be <= 4294967295 packets", self.buffer)?;
        if let Some(max) = self.max_threshold {
            let in_range = max.0 <= u64::from(u32::MAX);
            ParameterError::require(in_range, "max_threshold", "be <= 4294967295 packets", max)?;
        }
        let (numerator, range) = self.coin();
        for (key, value) in [("numerator", numerator), ("range", range)] {
            ParameterError::require(value <= REGISTER_FULL, key, "be <= 65535 (16 bits)", value)?;
        }
        let in_range = (1..=1 << 20).contains(&self.flow_slots);
        ParameterError::require(in_range, "flow_slots", "be in [1, 1048576]", self.flow_slots)?;
        self.thresholds().map(drop)
    }
}

/// Gauges of the internal state.
const GAUGES: &[Gauge] = &[AVERAGE, PROBABILITY];

const AVERAGE: Gauge = Gauge::new(
    "ired_average",
    "packets",
    "Average queue depth at the last departure, compared with the thresholds.",
);
const PROBABILITY: Gauge = Gauge::new(
    "ired_probability",
    "1",
    "Clone probability at this average: 0 below the thresholds, 1 above, the register's in between.",
);

/// Registry entry of the discipline.
pub(crate) fn entry() -> Entry<HookedQueue> {
    Entry::<HookedQueue>::new("ired", "iRED", build)
        .style(VERMILION, Solid)
        .summary("Ingress RED: egress decides, and clones make ingress drop the port's next packet")
        .source("de Almeida et al. 2022, Algorithms 1 and 2")
        .page("ired.md")
        .gauges(GAUGES)
        .facts(InLinux::lacks(
            "drops at ingress what egress has decided",
            "`red`, which decides when a packet is enqueued",
        ))
}

fn build(parameters: IredParameters, context: &BuildContext<'_>) -> Result<PortQueue, ParameterError> {
    let limit = parameters.limit.unwrap_or(Limit::packets(parameters.buffer.0));
    let hooks = Ired::new(&parameters, (context.random)("ired"))?;
    Ok(PortQueue {
        discipline: Box::new(TailDrop::new(TailDropParameters { limit })),
        hooks: Box::new(hooks),
    })
}

/// iRED at one port.
#[derive(Clone)]
pub struct Ired {
    // Parameters.
    /// Lower and upper threshold, times ten.
    min: u64,
    max: u64,
    average: Average,
    probability: Probability,
    numerator: u32,
    range: u64,
    clone_path: ClonePath,
    recirculation_delay: Option<Duration>,
    /// Backlog and drop flag per flow, with `culprit`.
    backlogs: Option<FlowBacklogs>,
    // State at egress.
    random: RandomStream,
    /// With `Average::TwoSample`: the previous packet's depth. With `Average::Ewma`: the average so far, times ten.
    old: u64,
    /// The last average, times ten.
    last: u64,
    register: u32,
    // State at ingress.
    /// The port's drop flag, unless flags are per flow (`culprit`).
    drop_next: bool,
}

impl Ired {
    /// Creates iRED, which draws from `random`.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(parameters: &IredParameters, random: RandomStream) -> Result<Ired, ParameterError> {
        parameters.check()?;
        let (min, max) = parameters.thresholds()?;
        let (numerator, range) = parameters.coin();
        Ok(Ired {
            min: 10 * min,
            max: 10 * max,
            average: parameters.average,
            probability: parameters.probability,
            numerator,
            range: u64::from(range),
            clone_path: parameters.clone_path,
            recirculation_delay: parameters.recirculation_delay,
            random,
            backlogs: parameters.culprit.then(|| FlowBacklogs::new(parameters.flow_slots)),
            old: 0,
            last: 0,
            register: numerator,
            drop_next: false,
        })
    }

    /// Updates the average with the depth that a departing packet found; returns qAvg times ten.
    fn update_average(&mut self, depth: u64) -> u64 {
        match self.average {
            Average::TwoSample => {
                let average = self.old * 5 + depth * 5;
                self.old = depth;
                average
            }
            Average::Ewma => {
                // `old` is scaled by ten already: old / 10 * 5. Half of a tenth of a packet is rounded down.
                self.old = self.old / 2 + depth * 5;
                self.old
            }
        }
    }

    /// Result of the coin. Always draws, even if the result is certain, to consume random numbers exactly like the P4 program.
    fn flip(&mut self) -> bool {
        if self.probability == Probability::Algorithm1 {
            self.square();
            return u64::from(self.register) >= self.random.uniform(0, self.range);
        }
        let heads = u64::from(self.register) > self.random.uniform(0, self.range);
        if self.probability == Probability::Squared {
            self.square();
        }
        heads
    }

    fn square(&mut self) {
        self.register = self.register.saturating_mul(self.register).min(REGISTER_FULL);
    }

    /// Chance of a clone of the next packet between the thresholds.
    fn chance(&self) -> f64 {
        let winning = match self.probability {
            Probability::Constant | Probability::Squared => u64::from(self.register),
            Probability::Algorithm1 => {
                u64::from(self.register.saturating_mul(self.register).min(REGISTER_FULL)) + 1
            }
        };
        (winning as f64 / (self.range + 1) as f64).min(1.0)
    }
}

impl PortHooks for Ired {
    #[inline]
    fn admit(&mut self, packet: &mut Packet, _: Time) -> Result<u8, DropReason> {
        let dropped = match &mut self.backlogs {
            None => std::mem::take(&mut self.drop_next),
            Some(backlogs) => {
                let slot = backlogs.slot_of(packet);
                let flagged = backlogs.take_flag(slot);
                if !flagged {
                    backlogs.joined(slot);
                }
                flagged
            }
        };
        if dropped { Err(DropReason::IredFlag) } else { Ok(0) }
    }

    fn handle_departure(&mut self, packet: &mut Packet, queue: &QueueReading, _: Time) -> Verdict {
        if let Some(backlogs) = &mut self.backlogs {
            let slot = backlogs.slot_of(packet);
            backlogs.left(slot);
        }
        // Algorithm 1: below the lower threshold no clone, between the thresholds by chance, above them always.
        let average = self.update_average(u64::from(queue.enq_qdepth));
        self.last = average;
        let clone = if average < self.min {
            self.register = self.numerator;
            false
        } else if average <= self.max {
            self.flip()
        } else {
            true
        };
        let value = match &mut self.backlogs {
            _ if !clone => None,
            None => Some(1),
            Some(backlogs) => backlogs.select_culprit().map(u64::from),
        };
        Verdict { drop: None, feedback: value.map(|value| Feedback { value }) }
    }

    fn handle_feedback(&mut self, feedback: Feedback, _: Time) {
        match &mut self.backlogs {
            None => self.drop_next = true,
            Some(backlogs) => backlogs.raise_flag(feedback.value.into()),
        }
    }

    fn feedback_lost(&mut self, feedback: Feedback) {
        if let Some(backlogs) = &mut self.backlogs {
            backlogs.cancel_flag(feedback.value.into());
        }
    }

    fn watches_queue(&self) -> bool {
        self.backlogs.is_some()
    }

    fn discarded(&mut self, packet: &Packet) {
        if let Some(backlogs) = &mut self.backlogs {
            let slot = backlogs.slot_of(packet);
            backlogs.left(slot);
        }
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        let probability = match self.last {
            average if average < self.min => 0.0,
            average if average <= self.max => self.chance(),
            _ => 1.0,
        };
        out.set(&AVERAGE, self.last as f64 / 10.0);
        out.set(&PROBABILITY, probability);
    }

    fn feedback_path(&self) -> FeedbackPath {
        match self.clone_path {
            ClonePath::ThroughQueue => FeedbackPath::CloneThroughQueue,
            ClonePath::Direct => FeedbackPath::Recirculate,
        }
    }

    fn recirculation_delay(&self) -> Option<Duration> {
        self.recirculation_delay
    }
}

#[cfg(test)]
mod culprit_tests;
#[cfg(test)]
mod tests;
