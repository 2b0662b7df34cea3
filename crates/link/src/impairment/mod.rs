//! What happens to packets on the way, beside loss: jitter, reordering, duplication, corruption.
//!
//! Each impairment draws from a stream of its own, and copies of packets from streams of theirs, so adding one changes
//! no other's draws.

mod jitter;
mod occurrence;

pub use jitter::{Distribution, DistributionTable, JitterChoice, JitterParameters, TableError};
pub(crate) use occurrence::{Occurrence, correlation_of};
pub use occurrence::{OccurrenceChoice, OccurrenceParameters};

use jettison_core::{Duration, RandomStream, Time};
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::{Propagation, Share};
use jitter::Jitter;

/// Reordering: the share of the packets that overtake, or a table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(title = "reorder")]
pub enum ReorderChoice {
    /// A share of the packets, each independently of the others.
    Share(Share),
    /// A share, its correlation, a gap or a delay.
    Table(ReorderParameters),
}

/// Packets that overtake those before them by a shorter delay.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReorderParameters {
    /// Share of the packets that overtake.
    pub probability: Share,
    /// Correlation with the packet before, below 1. It makes runs longer and keeps the share.
    pub correlation: Share,
    /// Distance in packets: after one that overtakes, the next `gap` - 1 do not.
    pub gap: u32,
    /// Delay of a packet that overtakes, shorter than that of the link.
    pub delay: Duration,
}

impl Default for ReorderParameters {
    fn default() -> ReorderParameters {
        ReorderParameters {
            probability: Share::ZERO,
            correlation: Share::ZERO,
            gap: 1,
            delay: Duration::ZERO,
        }
    }
}

impl ReorderChoice {
    /// As a table.
    pub fn parameters(self) -> ReorderParameters {
        match self {
            ReorderChoice::Share(probability) => {
                ReorderParameters { probability, ..ReorderParameters::default() }
            }
            ReorderChoice::Table(parameters) => parameters,
        }
    }
}

impl<'de> Deserialize<'de> for ReorderChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ReorderChoice, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        let read = match value.is_object() {
            true => serde_json::from_value(value).map(ReorderChoice::Table),
            false => serde_json::from_value(value).map(ReorderChoice::Share),
        };
        read.map_err(D::Error::custom)
    }
}

impl ReorderParameters {
    /// Checks the parameters against the least delay of the link.
    pub fn validate(&self, least_delay: Duration) -> Result<(), ParameterError> {
        if self.gap == 0 {
            return Err(ParameterError::at("gap", "must be > 0, got 0"));
        }
        if self.probability > Share::ZERO && self.delay >= least_delay {
            let message = format!(
                "must be < the link's delay of {least_delay}, got {}: a packet overtakes by a shorter delay",
                self.delay
            );
            return Err(ParameterError::at("delay", message));
        }
        correlation_of(self.probability > Share::ZERO, self.correlation)
    }
}

/// Impairments of one direction of a link.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ImpairmentParameters {
    /// Random additions to the delay.
    pub jitter: Option<JitterParameters>,
    /// Packets that overtake.
    pub reorder: Option<ReorderParameters>,
    /// Packets that arrive twice.
    pub duplicate: Option<OccurrenceParameters>,
    /// Packets that arrive with a wrong bit.
    pub corrupt: Option<OccurrenceParameters>,
}

impl ImpairmentParameters {
    /// Whether these parameters change nothing.
    pub fn is_none(&self) -> bool {
        *self == ImpairmentParameters::default()
    }

    /// Checks constraints between fields, and against the least delay of the link.
    pub fn validate(&self, least_delay: Duration) -> Result<(), ParameterError> {
        let under = |key: &'static str| move |error: ParameterError| error.under(key);
        self.jitter
            .as_ref()
            .map_or(Ok(()), |jitter| jitter.validate(least_delay))
            .map_err(under("jitter"))?;
        self.reorder.map_or(Ok(()), |reorder| reorder.validate(least_delay)).map_err(under("reorder"))?;
        self.duplicate.map_or(Ok(()), |duplicate| duplicate.validate()).map_err(under("duplicate"))?;
        self.corrupt.map_or(Ok(()), |corrupt| corrupt.validate()).map_err(under("corrupt"))
    }
}

/// Decides what happens to each packet on the way.
#[derive(Debug, Clone)]
pub struct Impairments {
    own: Fates,
    copies: Option<(Event, Fates)>,
    overtakes: bool,
}

/// An arrival at the far end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// Instant of the arrival.
    pub at: Time,
    /// Position of the wrong bit, as a random number; `None` if the packet is as it was sent.
    pub wrong_bit: Option<u64>,
}

/// An event with its share and its stream.
#[derive(Debug, Clone)]
struct Event {
    probability: f64,
    occurrence: Occurrence,
    stream: RandomStream,
}

/// Draws for packets, or for copies of packets.
#[derive(Debug, Clone)]
struct Fates {
    jitter: Option<Jitter>,
    in_order: bool,
    reorder: Option<Reorder>,
    corrupt: Option<Event>,
}

#[derive(Debug, Clone)]
struct Reorder {
    event: Event,
    gap: u32,
    delay: Duration,
    /// Packets since the last one that overtook.
    since: u32,
}

impl Event {
    fn new(parameters: OccurrenceParameters, stream: RandomStream) -> Event {
        let occurrence = Occurrence::new(parameters.correlation);
        Event { probability: parameters.probability.value(), occurrence, stream }
    }

    fn happens(&mut self) -> bool {
        self.occurrence.happens(self.probability, &mut self.stream)
    }
}

impl Fates {
    fn new(
        parameters: &ImpairmentParameters,
        random: &dyn Fn(&str) -> RandomStream,
        of: &str,
    ) -> Result<Fates, ParameterError> {
        let stream = |name: &str| random(&format!("{of}{name}"));
        let jitter = parameters.jitter.as_ref().map(|jitter| Jitter::new(jitter, stream("jitter")));
        let reorder = parameters.reorder.map(|reorder| {
            let ReorderParameters { probability, correlation, gap, delay } = reorder;
            let event = Event::new(OccurrenceParameters { probability, correlation }, stream("reorder"));
            Reorder { event, gap, delay, since: 0 }
        });
        Ok(Fates {
            jitter: jitter.transpose().map_err(|error| error.under("jitter"))?,
            in_order: parameters.jitter.as_ref().is_none_or(|jitter| !jitter.reorder),
            reorder,
            corrupt: parameters.corrupt.map(|corrupt| Event::new(corrupt, stream("corrupt"))),
        })
    }

    fn arrival(&mut self, left_at: Time, propagation: &mut Propagation) -> Arrival {
        // Every impairment draws for every packet, so none shifts another.
        let addition = self.jitter.as_mut().map_or(0, Jitter::draw);
        let at = match self.reorder.as_mut().and_then(Reorder::overtakes) {
            Some(delay) => left_at.saturating_add(delay),
            None => {
                let at = propagation.delayed(left_at, addition);
                if self.in_order { propagation.in_order(at) } else { at }
            }
        };
        let wrong_bit = self
            .corrupt
            .as_mut()
            .and_then(|corrupt| corrupt.happens().then(|| corrupt.stream.uniform(0, u64::MAX)));
        Arrival { at, wrong_bit }
    }
}

impl Reorder {
    /// The delay of the next packet if it overtakes.
    fn overtakes(&mut self) -> Option<Duration> {
        self.since += 1;
        if self.since < self.gap || !self.event.happens() {
            return None;
        }
        self.since = 0;
        Some(self.delay)
    }
}

impl Impairments {
    /// Builds the impairments of a direction whose delay is at least `least_delay`; `random` returns this direction's stream
    /// of the given name.
    pub fn new(
        parameters: &ImpairmentParameters,
        least_delay: Duration,
        random: &dyn Fn(&str) -> RandomStream,
    ) -> Result<Impairments, ParameterError> {
        parameters.validate(least_delay)?;
        let copies = match parameters.duplicate {
            None => None,
            Some(duplicate) => {
                let event = Event::new(duplicate, random("duplicate"));
                Some((event, Fates::new(parameters, random, "copy-")?))
            }
        };
        Ok(Impairments {
            own: Fates::new(parameters, random, "")?,
            copies,
            overtakes: parameters.reorder.is_some()
                || parameters.jitter.as_ref().is_some_and(|jitter| jitter.reorder),
        })
    }

    /// Whether packets may overtake each other.
    pub fn overtakes(&self) -> bool {
        self.overtakes
    }

    /// The arrival of a packet whose last bit left at `left_at`, and that of its copy, if there is one. Call in the order in
    /// which packets leave.
    pub fn pass(&mut self, left_at: Time, propagation: &mut Propagation) -> (Arrival, Option<Arrival>) {
        let own = self.own.arrival(left_at, propagation);
        let copy = self
            .copies
            .as_mut()
            .and_then(|(event, fates)| event.happens().then(|| fates.arrival(left_at, propagation)));
        (own, copy)
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
