//! `ired`: ingress Random Early Detection, decided at egress and carried out at ingress.
//!
//! De Almeida, Matos, Pasquini, Papagianni, Verdi: *iRED: Improving the DASH QoS by dropping packets in programmable
//! data planes* (CNSM 2022). Egress compares an average of the depth that departing packets found when they were queued
//! with two thresholds (Algorithm 1) and may clone the packet. The clone comes back to ingress, sets the port's drop
//! flag and ends; the next packet that ingress would send to that port is dropped in the packet's place (Algorithm 2),
//! before it has cost the switch a buffer or a pass through egress.
//!
//! Depths are in packets. The average is kept times ten, as in the authors' program, which has no fractions. What the
//! paper leaves open, and where that program does otherwise, is a parameter: the chapter on iRED in `docs/` explains
//! each.

use jettison_core::{DropReason, Duration, Gauge, Gauges, RandomStream, Time};
use jettison_queue::Limit;
use jettison_queue::entry::BuildContext;
use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use jettison_registry::style::{Line::Solid, VERMILION};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::backlogs::FlowBacklogs;
use crate::entry::HookedQueue;
use crate::{Feedback, FeedbackPath, Packets, PortHooks, PortQueue, QueueReading, Verdict};

mod backlogs;

/// Where the squared probability's register saturates: 2^16 - 1, the paper's 16 bits.
const REGISTER_FULL: u32 = 65_535;

/// Parameters of iRED. Defaults are the published program's, for a buffer reference of 64 packets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct IredParameters {
    /// The buffer that the thresholds are derived from (the paper's maxLenQueue).
    pub buffer: Packets,
    /// N: the lower threshold is buffer / 2 - N packets, the upper one twice that.
    pub n: u64,
    /// What the queue really holds; `buffer` where it is not given.
    pub limit: Option<Limit>,
    /// What the depth is averaged with, half and half: the previous packet's depth (the program), or the average so
    /// far (the paper's text).
    pub average: Average,
    /// Between the thresholds, a packet is cloned if a register exceeds a random number in 0..=range. The register is
    /// constant (the program), or is squared at each such packet, up to 65,535, and starts again when the average falls
    /// below the lower threshold (the text; when it starts again is our assumption).
    pub probability: Probability,
    /// The register's (first) value.
    pub numerator: u32,
    /// The largest random number drawn.
    pub range: u32,
    /// How the clone gets to ingress: through the tail of the port's own queue, at the cost of a slot and of a service
    /// time, or straight to the recirculation port.
    pub clone_path: ClonePath,
    /// From the recirculation port to ingress; the switch's own recirculation delay where it is not given.
    pub recirculation_delay: Option<Duration>,
    /// Whether a clone names the flow that holds most of the backlog, and sets that flow's own drop flag, so that only a
    /// packet of it is dropped. Not in the paper, which leaves it as future work.
    pub culprit: bool,
    /// How many flows the switch counts the backlog of, by a hash of their five-tuples: flows that share a place count as
    /// one.
    pub flow_slots: u32,
}

/// What the depth is averaged with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Average {
    /// The previous packet's raw depth.
    TwoSample,
    /// The average so far: an exponentially weighted moving average of weight one half.
    Ewma,
}

/// How likely a clone is between the thresholds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Probability {
    /// Always `numerator` in `range + 1`.
    Constant,
    /// The register is squared at each packet between the thresholds.
    Squared,
}

/// How a clone gets to ingress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum ClonePath {
    /// Through the tail of the port's queue, and then through the recirculation port.
    ThroughQueue,
    /// Through the recirculation port alone.
    Direct,
}

impl Default for IredParameters {
    fn default() -> IredParameters {
        IredParameters {
            buffer: Packets(64),
            n: 4,
            limit: None,
            average: Average::TwoSample,
            probability: Probability::Constant,
            numerator: 2,
            range: 511,
            clone_path: ClonePath::ThroughQueue,
            recirculation_delay: None,
            culprit: false,
            flow_slots: 1024,
        }
    }
}

impl IredParameters {
    /// minThsld and maxThsld in packets: `maxLenQueue / 2 - N`, and twice that.
    ///
    /// The paper's Table I prints 832 as the maximum of 1024/64, where its formula gives 896.
    ///
    /// # Errors
    /// If N leaves nothing of half the buffer.
    pub fn thresholds(&self) -> Result<(u64, u64), ParameterError> {
        match (self.buffer.0 / 2).checked_sub(self.n) {
            Some(min) if min > 0 => Ok((min, 2 * min)),
            _ => Err(ParameterError::at(
                "n",
                format!(
                    "N = {} leaves no lower threshold of a buffer of {}: it must be below {}",
                    self.n,
                    self.buffer,
                    self.buffer.0 / 2
                ),
            )),
        }
    }

    fn check(&self) -> Result<(), ParameterError> {
        // Ten times the upper threshold is below ten times the buffer.
        if self.buffer.0 > u64::from(u32::MAX) {
            return Err(ParameterError::at("buffer", "a buffer reference is at most 4294967295 packets"));
        }
        for (key, value) in [("numerator", self.numerator), ("range", self.range)] {
            if value > REGISTER_FULL {
                return Err(ParameterError::at(
                    key,
                    format!("{key} is a number of 16 bits: at most {REGISTER_FULL}"),
                ));
            }
        }
        ParameterError::unless((1..=1 << 20).contains(&self.flow_slots), "flow_slots", || {
            "flows are counted in 1 to 1048576 places".to_owned()
        })?;
        self.thresholds().map(drop)
    }
}

/// Gauges of the internal state.
const GAUGES: &[Gauge] = &[AVERAGE, PROBABILITY];

const AVERAGE: Gauge =
    Gauge::new("ired_average", "packets", "Average queue depth at the last departure, compared with the thresholds.");
const PROBABILITY: Gauge = Gauge::new(
    "ired_probability",
    "1",
    "Clone probability at this average: 0 below the thresholds, 1 above, the register's in between.",
);

/// Registry entry of the discipline.
pub(crate) fn entry() -> Entry<HookedQueue> {
    Entry::<HookedQueue>::new("ired", "iRED", build)
        .style(VERMILION, Solid)
        .summary("Ingress RED: decided at egress, clones tell ingress to drop the port's next packet")
        .source("de Almeida et al. 2022, Algorithms 1 and 2")
        .page("ired.md")
        .gauges(GAUGES)
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
pub struct Ired {
    // Parameters. Thresholds are times ten.
    min: u64,
    max: u64,
    average: Average,
    probability: Probability,
    numerator: u32,
    range: u64,
    clone_path: ClonePath,
    recirculation_delay: Option<Duration>,
    /// Who holds how much of the queue, where clones name the culprit.
    backlogs: Option<FlowBacklogs>,
    // State at egress.
    random: RandomStream,
    /// Two-sample: the previous packet's depth. Ewma: the average so far, times ten.
    old: u64,
    /// The last average, times ten.
    last: u64,
    register: u32,
    // State at ingress: the drop flag, where it is not one for each flow.
    drop_next: bool,
}

impl Ired {
    /// iRED with its own random stream.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(parameters: &IredParameters, random: RandomStream) -> Result<Ired, ParameterError> {
        parameters.check()?;
        let (min, max) = parameters.thresholds()?;
        Ok(Ired {
            min: 10 * min,
            max: 10 * max,
            average: parameters.average,
            probability: parameters.probability,
            numerator: parameters.numerator,
            range: u64::from(parameters.range),
            clone_path: parameters.clone_path,
            recirculation_delay: parameters.recirculation_delay,
            random,
            backlogs: parameters.culprit.then(|| FlowBacklogs::new(parameters.flow_slots)),
            old: 0,
            last: 0,
            register: parameters.numerator,
            drop_next: false,
        })
    }

    /// Ten times qAvg after a packet that found `depth` packets in the queue.
    fn update_average(&mut self, depth: u64) -> u64 {
        match self.average {
            Average::TwoSample => {
                let average = self.old * 5 + depth * 5;
                self.old = depth;
                average
            }
            Average::Ewma => {
                // `old` is times ten already: old / 10 * 5. A half of a tenth of a packet is rounded down.
                self.old = self.old / 2 + depth * 5;
                self.old
            }
        }
    }

    /// Whether the register exceeds a random number. Draws always, however certain the result, so that the P4 program
    /// draws alike.
    fn flip(&mut self) -> bool {
        let heads = u64::from(self.register) > self.random.uniform(0, self.range);
        if self.probability == Probability::Squared {
            self.register = self.register.saturating_mul(self.register).min(REGISTER_FULL);
        }
        heads
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

    fn departing(&mut self, packet: &mut Packet, queue: &QueueReading, _: Time) -> Verdict {
        if let Some(backlogs) = &mut self.backlogs {
            let slot = backlogs.slot_of(packet);
            backlogs.left(slot);
        }
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
            Some(backlogs) => backlogs.accuse().map(u64::from),
        };
        Verdict { drop: None, feedback: value.map(|value| Feedback { value }) }
    }

    fn fed_back(&mut self, feedback: Feedback, _: Time) {
        match &mut self.backlogs {
            None => self.drop_next = true,
            Some(backlogs) => backlogs.raise(feedback.value.into()),
        }
    }

    fn feedback_lost(&mut self, feedback: Feedback) {
        if let Some(backlogs) = &mut self.backlogs {
            backlogs.acquit(feedback.value.into());
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
        let between = (f64::from(self.register) / (self.range + 1) as f64).min(1.0);
        let probability = match self.last {
            average if average < self.min => 0.0,
            average if average <= self.max => between,
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
