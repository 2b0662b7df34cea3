//! A link that follows a recorded trace of delivery opportunities, with the rules of Mahimahi's `mm-link`.
//!
//! Each line of the trace is the millisecond of an opportunity of up to 1,504 bytes: one packet of 1,500 bytes and the
//! 4-byte header that Mahimahi counts with every packet (LinkShell of Netravali et al., *Mahimahi: accurate
//! record-and-replay for HTTP*, USENIX ATC 2015; the format goes back to Winstein et al., *Sprout*, NSDI 2013).
//!
//! - Several packets may share an opportunity: the rest of it serves the next packet, if one waits at that instant.
//! - A packet larger than the rest spans as many opportunities as it needs, and has left at the last of them.
//! - An opportunity at which no packet waits is lost, and so is the rest of an opportunity.
//! - The trace repeats: its last timestamp is its period and the origin of the next round.

use std::sync::Arc;

use jettison_core::{Bytes, Duration, Rate, Time};
use jettison_registry::style::{BLUE, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::LinkModel;
use crate::entry::{Link, LinkContext, overhead};
use crate::trace::{OPPORTUNITY_BYTES, Trace};

/// Its entry in the list of link models.
pub(crate) fn entry() -> Entry<Link> {
    Entry::<Link>::new("mahimahi", "Mahimahi trace", build)
        .style(BLUE, Solid)
        .summary("delivery opportunities of a recorded trace, which repeats")
        .source("Netravali et al., Mahimahi (LinkShell), USENIX ATC 2015")
        .page("links.md")
        .example(|| json!({ "trace": "verizon.down" }))
}

/// Parameters of `mahimahi`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MahimahiParameters {
    /// File of the trace: each line a millisecond at which up to 1,504 bytes may leave. Grants of a base station and drive
    /// tests are read too, and turned into that.
    pub trace: String,
    /// Bytes that count with a packet's IP length: Mahimahi's own header.
    #[serde(default = "packet_information")]
    pub overhead: Bytes,
}

fn packet_information() -> Bytes {
    Bytes::new(u64::from(PACKET_HEADER))
}

impl MahimahiParameters {
    /// The link.
    ///
    /// # Errors
    /// If the trace cannot be read.
    pub fn build(&self, context: &LinkContext<'_>) -> Result<TraceLink, ParameterError> {
        let trace = (context.trace)(&self.trace).map_err(|message| ParameterError::at("trace", message))?;
        Ok(TraceLink::new(trace).with_overhead(overhead(self.overhead)?))
    }
}

fn build(
    parameters: MahimahiParameters,
    context: &LinkContext<'_>,
) -> Result<Box<dyn LinkModel>, ParameterError> {
    Ok(Box::new(parameters.build(context)?))
}

/// Bytes that Mahimahi counts with each packet: the packet-information header of its TUN device.
const PACKET_HEADER: u32 = 4;
/// The window over which [`LinkModel::rate`] averages.
const RATE_WINDOW: Duration = Duration::from_millis(100);

/// A link with the delivery opportunities of a [`Trace`].
///
/// Its [`rate`](LinkModel::rate) is the mean over the current 100 ms, counted from zero, because a trace has no
/// instantaneous rate; disciplines that use the link's capacity receive this value.
#[derive(Debug, Clone)]
pub struct TraceLink {
    // Parameters.
    trace: Arc<Trace>,
    overhead: u32,
    // State.
    /// The next unused opportunity: the origin of its round, and its index in the trace.
    round: u64,
    index: usize,
    /// The instant of the opportunity used last, and the bytes left in it.
    open_at: Time,
    left: u32,
}

impl TraceLink {
    /// A link that follows `trace` from its first line, with Mahimahi's overhead of 4 bytes per packet.
    pub fn new(trace: Arc<Trace>) -> TraceLink {
        TraceLink { trace, overhead: PACKET_HEADER, round: 0, index: 0, open_at: Time::ZERO, left: 0 }
    }

    /// Replaces the overhead per packet, in bytes.
    pub fn with_overhead(self, overhead: u32) -> TraceLink {
        TraceLink { overhead, ..self }
    }

    /// The instant of the next unused opportunity.
    fn next(&self) -> Time {
        let millis = self.round.saturating_add(u64::from(self.trace.opportunities()[self.index]));
        Time::from_nanos(millis.saturating_mul(1_000_000))
    }

    /// Skips the opportunities before `now`.
    fn skip_to(&mut self, now: Time) {
        if self.next() >= now {
            return;
        }
        let period = self.trace.period_millis();
        let millis = now.as_nanos().div_ceil(1_000_000);
        // The first round, from the current one on, whose last opportunity is not over.
        let rounds = millis.saturating_sub(self.round + 1) / period;
        if rounds > 0 {
            self.round += rounds * period;
            self.index = 0;
        }
        let in_round = millis - self.round; // at most the period, by the choice of the round
        let rest = &self.trace.opportunities()[self.index..];
        self.index += rest.partition_point(|at| u64::from(*at) < in_round);
    }

    /// Opens the next unused opportunity.
    fn open(&mut self) {
        self.open_at = self.next();
        self.left = OPPORTUNITY_BYTES;
        self.index += 1;
        if self.index == self.trace.opportunities().len() {
            self.index = 0;
            self.round = self.round.saturating_add(self.trace.period_millis());
        }
    }
}

impl LinkModel for TraceLink {
    fn ready_at(&mut self, now: Time) -> Time {
        if now <= self.open_at && self.left > 0 {
            return self.open_at;
        }
        self.skip_to(now.max(self.open_at));
        self.next()
    }

    fn begin(&mut self, wire_bytes: u32, now: Time) -> Time {
        if now > self.open_at || self.left == 0 {
            self.skip_to(now.max(self.open_at));
            self.open();
        }
        let mut rest = wire_bytes;
        while rest > self.left {
            rest -= self.left;
            self.open();
        }
        self.left -= rest;
        self.open_at
    }

    fn rate(&self, now: Time) -> Rate {
        let window = RATE_WINDOW.as_nanos();
        let from = now.as_nanos() / window * window;
        let span = (Time::from_nanos(from), Time::from_nanos(from.saturating_add(window)));
        Rate::of(self.capacity(span.0, span.1), RATE_WINDOW)
    }

    fn next_change(&self, now: Time) -> Option<Time> {
        let window = RATE_WINDOW.as_nanos();
        (now.as_nanos() / window + 1).checked_mul(window).map(Time::from_nanos)
    }

    fn overhead(&self) -> u32 {
        self.overhead
    }

    fn capacity(&self, from: Time, to: Time) -> Bytes {
        let opportunities = self.trace.count_before(to).saturating_sub(self.trace.count_before(from));
        Bytes::new(opportunities.saturating_mul(u64::from(OPPORTUNITY_BYTES)))
    }
}

#[cfg(test)]
#[path = "mahimahi_tests.rs"]
mod tests;
