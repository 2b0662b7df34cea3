//! A link with a fixed serialisation rate and optional scheduled changes.
//!
//! The arithmetic is exact in integers. A link of R bit/s carries R *nanobits* (10⁻⁹ bit) per nanosecond, and a packet
//! of n bytes has 8n·10⁹ of them. The reported instant is the first whole nanosecond at which the last bit has left;
//! the capacity between the exact instant and that one is kept as a credit for the next packet of the same busy
//! period, so rounding errors never accumulate: the k-th packet of a busy period ends at the ceiling of the exact sum.

use jettison_core::{Bytes, Rate, Time};
use jettison_registry::style::{Line::Solid, WINE};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::entry::{Link, LinkContext, overhead};
use crate::{LinkModel, Schedule};

/// Its entry in the list of link models.
pub(crate) fn entry() -> Entry<Link> {
    Entry::<Link>::new("fixed", "fixed rate", build)
        .style(WINE, Solid)
        .summary("a fixed rate, with scheduled changes")
        .source("RFC 2544 §26 (throughput of a link of fixed rate); exact in integer nanoseconds")
        .page("links.md")
        .example(|| json!({ "rate": "10 Mbit/s" }))
}

/// Parameters of `fixed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FixedParameters {
    /// Bits per second that the link carries, overhead included.
    pub rate: Rate,
    /// Other rates from given times on, in order; zero is an outage.
    #[serde(default)]
    pub rate_changes: Vec<RateChange>,
    /// Bytes that the link adds to a packet's IP length: an Ethernet header.
    #[serde(default = "ethernet")]
    pub overhead: Bytes,
}

/// A scheduled change of rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateChange {
    /// When, from the start of the run.
    pub at: Time,
    /// The rate from then on; zero is an outage.
    pub rate: Rate,
}

fn ethernet() -> Bytes {
    Bytes::new(u64::from(ETHERNET_HEADER))
}

impl FixedParameters {
    /// The link.
    ///
    /// # Errors
    /// If it never carries anything, or changes are out of order.
    pub fn build(&self) -> Result<FixedRate, ParameterError> {
        if self.rate.is_zero() {
            return Err(ParameterError::at(
                "rate",
                "a link of rate zero carries nothing: write a rate such as \"10 Mbit/s\", or an outage as a change to \"0 bit/s\" and back",
            ));
        }
        let changes = self.rate_changes.iter().map(|change| (change.at, change.rate)).collect();
        let in_changes =
            |error: ParameterError, index: usize| error.under(&index.to_string()).under("rate_changes");
        let schedule = Schedule::new(self.rate, changes)
            .map_err(|error| in_changes(ParameterError::at("at", error.to_string()), error.index))?;
        if schedule.last().is_zero() {
            let last = self.rate_changes.len().saturating_sub(1);
            let message = "the last change is to rate zero, after which nothing is ever carried: add a change that ends the outage";
            return Err(in_changes(ParameterError::at("rate", message), last));
        }
        Ok(FixedRate::scheduled(schedule).with_overhead(overhead(self.overhead)?))
    }
}

fn build(parameters: FixedParameters, _: &LinkContext<'_>) -> Result<Box<dyn LinkModel>, ParameterError> {
    Ok(Box::new(parameters.build()?))
}

/// Bytes that Ethernet II adds to the IP length: two addresses and the EtherType (the default overhead of a link).
const ETHERNET_HEADER: u32 = 14;
/// Nanobits per byte.
const NANOBITS: u64 = 8_000_000_000;

/// A fixed rate with scheduled changes.
///
/// A packet in serialisation when the rate changes continues at the new rate. Rate zero is an outage: serialisation
/// pauses, and no packet begins.
#[derive(Debug, Clone)]
pub struct FixedRate {
    // Parameters.
    schedule: Schedule<Rate>,
    overhead: u32,
    // State.
    /// Bit/s until `steady_until`.
    rate: u64,
    /// The first scheduled change that `rate` does not reflect; [`Time::MAX`] for none.
    steady_until: Time,
    /// The instant at which the last packet has left, rounded up to a nanosecond.
    busy_until: Time,
    /// Unused nanobits between the exact end of the last packet and `busy_until`.
    credit: u64,
    /// Cached divisions at this rate by packet size: traffic has few sizes, and a division dominates the cost.
    known: [Serialisation; 4],
}

/// Serialisation time of one packet size: `whole` nanoseconds and `rest` nanobits.
#[derive(Debug, Clone, Copy, Default)]
struct Serialisation {
    wire_bytes: u32,
    whole: u64,
    rest: u64,
}

impl FixedRate {
    /// A link with a constant `rate` and the overhead of an Ethernet header (14 bytes).
    pub fn new(rate: Rate) -> FixedRate {
        FixedRate::scheduled(Schedule::constant(rate))
    }

    /// A link whose rate follows `schedule`.
    pub fn scheduled(schedule: Schedule<Rate>) -> FixedRate {
        FixedRate {
            rate: schedule.at(Time::ZERO).as_bits(),
            steady_until: schedule.next_change(Time::ZERO).unwrap_or(Time::MAX),
            schedule,
            overhead: ETHERNET_HEADER,
            busy_until: Time::ZERO,
            credit: 0,
            known: [Serialisation::default(); 4],
        }
    }

    /// Replaces the overhead per packet, in bytes.
    pub fn with_overhead(self, overhead: u32) -> FixedRate {
        FixedRate { overhead, ..self }
    }

    /// Adopts the scheduled rate at `at`.
    #[cold]
    fn follow(&mut self, at: Time) {
        self.rate = self.schedule.at(at).as_bits();
        self.steady_until = self.schedule.next_change(at).unwrap_or(Time::MAX);
        self.known = [Serialisation::default(); 4];
    }

    /// Serialisation time of `wire_bytes` at the current rate, which must not be zero.
    #[inline]
    fn serialisation(&mut self, wire_bytes: u32) -> Serialisation {
        let place = (wire_bytes >> 8) as usize % self.known.len();
        if self.known[place].wire_bytes != wire_bytes {
            let work = u128::from(wire_bytes) * u128::from(NANOBITS);
            let (whole, rest) = match u64::try_from(work) {
                Ok(work) => (work / self.rate, work % self.rate),
                // A "packet" of over 2 GB takes up to 2³² · 8·10⁹ / 1 nanoseconds, which exceeds 64 bits.
                Err(_) => {
                    let rate = u128::from(self.rate);
                    (u64::try_from(work / rate).unwrap_or(u64::MAX), (work % rate) as u64)
                }
            };
            self.known[place] = Serialisation { wire_bytes, whole, rest };
        }
        self.known[place]
    }

    /// Serialises a packet across rate changes.
    #[cold]
    fn begin_across_changes(&mut self, wire_bytes: u32, now: Time) -> Time {
        let mut at = now;
        let work = u128::from(wire_bytes) * u128::from(NANOBITS);
        // The credit was earned at an earlier rate, but nanobits do not depend on the rate.
        let mut left = work.saturating_sub(u128::from(self.credit));
        if left == 0 {
            self.credit -= work as u64; // work <= credit, so it fits
            self.busy_until = at;
            return at;
        }
        self.credit = 0;
        loop {
            if self.rate > 0 {
                let rate = u128::from(self.rate);
                let nanos = left.div_ceil(rate);
                let room = self.steady_until.since(at).as_nanos();
                if nanos <= u128::from(room) {
                    self.credit = (nanos * rate - left) as u64; // below the rate
                    self.busy_until = Time::from_nanos(at.as_nanos() + nanos as u64);
                    return self.busy_until;
                }
                left -= u128::from(room) * rate;
            }
            if self.steady_until == Time::MAX {
                self.busy_until = Time::MAX;
                return Time::MAX;
            }
            at = self.steady_until;
            self.follow(at);
        }
    }
}

impl LinkModel for FixedRate {
    #[inline]
    fn ready_at(&mut self, now: Time) -> Time {
        let free = now.max(self.busy_until);
        if self.rate > 0 && free < self.steady_until {
            return free;
        }
        self.schedule.first(free, |rate| !rate.is_zero()).unwrap_or(Time::MAX)
    }

    #[inline]
    fn begin(&mut self, wire_bytes: u32, now: Time) -> Time {
        if now > self.busy_until {
            self.credit = 0; // the link has been idle
        }
        let now = now.max(self.busy_until);
        if now >= self.steady_until {
            self.follow(now);
        }
        if self.rate == 0 || self.credit >= self.rate {
            return self.begin_across_changes(wire_bytes, now);
        }
        let Serialisation { whole, rest, .. } = self.serialisation(wire_bytes);
        let (nanos, credit) = if rest > self.credit {
            (whole.saturating_add(1), self.rate - (rest - self.credit))
        } else {
            (whole, self.credit - rest)
        };
        let left_at = Time::from_nanos(now.as_nanos().saturating_add(nanos));
        if left_at > self.steady_until {
            return self.begin_across_changes(wire_bytes, now);
        }
        self.credit = credit;
        self.busy_until = left_at;
        left_at
    }

    fn rate(&self, now: Time) -> Rate {
        self.schedule.at(now)
    }

    fn next_change(&self, now: Time) -> Option<Time> {
        self.schedule.next_change(now)
    }

    fn overhead(&self) -> u32 {
        self.overhead
    }

    fn capacity(&self, from: Time, to: Time) -> Bytes {
        let mut nanobits = 0u128;
        let mut at = from;
        while at < to {
            let until = self.schedule.next_change(at).unwrap_or(Time::MAX).min(to);
            nanobits += u128::from(self.schedule.at(at).as_bits()) * u128::from(until.since(at).as_nanos());
            at = until;
        }
        Bytes::new(u64::try_from(nanobits / u128::from(NANOBITS)).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
#[path = "fixed_tests.rs"]
mod tests;
