//! `egress-red`: RED at egress of a switch, which drops the departing packet itself.
//!
//! Reference: the RED programs that the authors of iRED published (`red*.p4` in `leandrocalmeida/P4-AQM`), the predecessor of
//! iRED's Algorithm 1: the same thresholds, inclusive, and the same coin, but no average and no clones. A dropped packet has
//! used its place in the queue and its pass through egress.
//!
//! Unlike `red` (Floyd and Jacobson 1993), it decides behind the queue, by the depth that the departing packet found, and its
//! probability does not depend on the depth.
//!
//! Units: depths and thresholds in packets.

use jettison_core::{DropReason, Gauge, Gauges, RandomStream, Time};
use jettison_queue::entry::BuildContext;
use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use jettison_queue::{InLinux, Limit};
use jettison_registry::style::{Line::DashDot, SALMON};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::HookedQueue;
use crate::{Feedback, FeedbackPath, Packets, PortHooks, PortQueue, QueueReading, Verdict};

/// Parameters of RED at egress. Defaults are those of the published program for a buffer of 64 packets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EgressRedParameters {
    /// Lower threshold: packets that found fewer are never dropped.
    pub min_threshold: Packets,
    /// Upper threshold: packets that found more are always dropped.
    pub max_threshold: Packets,
    /// Between the thresholds, a packet is dropped if `numerator` exceeds a random number in [0, `range`].
    pub numerator: u32,
    /// Maximum of the random number. The published programs have 1023, 511, 255, 127, 63 and 31 for buffers of 32 to 1024
    /// packets.
    pub range: u32,
    /// Limit of the queue.
    pub limit: Limit,
}

impl Default for EgressRedParameters {
    fn default() -> EgressRedParameters {
        EgressRedParameters {
            min_threshold: Packets(28),
            max_threshold: Packets(56),
            numerator: 2,
            range: 511,
            limit: Limit::packets(64),
        }
    }
}

impl EgressRedParameters {
    fn check(&self) -> Result<(), ParameterError> {
        let requirement = format!("be >= {} (`min_threshold`)", self.min_threshold);
        let ordered = self.max_threshold.0 >= self.min_threshold.0;
        ParameterError::require(ordered, "max_threshold", &requirement, self.max_threshold)?;
        for (key, value) in [("numerator", self.numerator), ("range", self.range)] {
            ParameterError::require(value <= 65_535, key, "be <= 65535 (16 bits)", value)?;
        }
        Ok(())
    }
}

/// Gauges of the internal state.
const GAUGES: &[Gauge] = &[PROBABILITY];

const PROBABILITY: Gauge = Gauge::new(
    "egress_red_probability",
    "1",
    "Drop probability at the depth that the last departing packet found: 0 below the thresholds, 1 above.",
);

/// Registry entry of the discipline.
pub(crate) fn entry() -> Entry<HookedQueue> {
    Entry::<HookedQueue>::new("egress-red", "RED at egress", build)
        .style(SALMON, DashDot)
        .summary("RED at a switch's egress: the departing packet itself is dropped, behind the queue")
        .source("`red*.p4` of leandrocalmeida/P4-AQM")
        .page("ired.md")
        .gauges(GAUGES)
        .facts(InLinux::lacks(
            "RED that drops after the queue",
            "`red`, which drops when a packet is enqueued",
        ))
}

fn build(parameters: EgressRedParameters, context: &BuildContext<'_>) -> Result<PortQueue, ParameterError> {
    parameters.check()?;
    Ok(PortQueue {
        discipline: Box::new(TailDrop::new(TailDropParameters { limit: parameters.limit })),
        hooks: Box::new(EgressRed { parameters, random: (context.random)("egress-red"), last: 0 }),
    })
}

/// RED at one port's egress.
#[derive(Clone)]
struct EgressRed {
    parameters: EgressRedParameters,
    random: RandomStream,
    /// Depth that the last departing packet found.
    last: u64,
}

impl PortHooks for EgressRed {
    #[inline]
    fn admit(&mut self, _: &mut Packet, _: Time) -> Result<u8, DropReason> {
        Ok(0)
    }

    fn handle_departure(&mut self, _: &mut Packet, queue: &QueueReading, _: Time) -> Verdict {
        let EgressRedParameters { min_threshold, max_threshold, numerator, range, .. } = self.parameters;
        self.last = u64::from(queue.enq_qdepth);
        let dropped = if self.last < min_threshold.0 {
            false
        } else if self.last <= max_threshold.0 {
            // One number per packet between the thresholds and none elsewhere, as the P4 programs draw them.
            u64::from(numerator) > self.random.uniform(0, u64::from(range))
        } else {
            true
        };
        Verdict { drop: dropped.then_some(DropReason::EgressRed), feedback: None }
    }

    fn handle_feedback(&mut self, _: Feedback, _: Time) {}

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        let EgressRedParameters { min_threshold, max_threshold, numerator, range, .. } = self.parameters;
        let probability = match self.last {
            depth if depth < min_threshold.0 => 0.0,
            depth if depth <= max_threshold.0 => (f64::from(numerator) / (f64::from(range) + 1.0)).min(1.0),
            _ => 1.0,
        };
        out.set(&PROBABILITY, probability);
    }

    fn feedback_path(&self) -> FeedbackPath {
        FeedbackPath::Register
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Seed;
    use jettison_wire::{Body, PacketMeta};

    use super::*;

    fn random() -> RandomStream {
        Seed(1).stream(&["queues", "bottleneck", "egress-red"])
    }

    fn discipline(numerator: u32) -> EgressRed {
        let parameters = EgressRedParameters { numerator, ..Default::default() };
        parameters.check().unwrap();
        EgressRed { parameters, random: random(), last: 0 }
    }

    fn is_dropped(red: &mut EgressRed, depth: u32) -> bool {
        let reading = QueueReading { enq_qdepth: depth, ..Default::default() };
        let mut packet = Packet { meta: PacketMeta::default(), body: Body::Buffer(Box::default()) };
        let verdict = red.handle_departure(&mut packet, &reading, Time::ZERO);
        assert_eq!(verdict.feedback, None);
        assert!(matches!(verdict.drop, None | Some(DropReason::EgressRed)));
        verdict.drop.is_some()
    }

    #[test]
    fn thresholds_are_inclusive_and_hold_for_the_depth_of_this_packet() {
        let (mut never, mut always) = (discipline(0), discipline(512));
        for depth in [0, 27] {
            assert!(!is_dropped(&mut never, depth) && !is_dropped(&mut always, depth), "{depth}");
        }
        for depth in [28, 56] {
            assert!(!is_dropped(&mut never, depth) && is_dropped(&mut always, depth), "{depth}");
        }
        assert!(is_dropped(&mut never, 57));
        assert!(!is_dropped(&mut never, 56), "nothing is averaged");
    }

    #[test]
    fn the_coin_drops_2_of_512_and_draws_between_the_thresholds_only() {
        let (mut red, mut twin) = (discipline(2), random());
        let mut drops = 0;
        for _ in 0..100_000 {
            is_dropped(&mut red, 20);
            is_dropped(&mut red, 60);
            let expected = 2 > twin.uniform(0, 511);
            assert_eq!(is_dropped(&mut red, 40), expected);
            drops += u32::from(expected);
        }
        assert!((320..470).contains(&drops), "{drops}");
    }

    #[test]
    fn thresholds_in_the_wrong_order_are_refused() {
        let parameters = EgressRedParameters { max_threshold: Packets(27), ..Default::default() };
        assert_eq!(parameters.check().unwrap_err().path, ["max_threshold"]);
    }
}
