//! A cellular link: one user's queue, served by the grants of a base station.
//!
//! In each transmission time interval (TTI) of 1 ms the base station grants the user a number of bytes ([`Grants`]).
//! Packets that wait at the start of the interval fill its grant and have left at its end. This models radio link
//! control (RLC) of LTE in unacknowledged mode (3GPP TS 36.322): a PDU has the size of the grant, independent of
//! packet sizes.
//!
//! - **Segmentation.** A packet larger than the rest of a grant spans as many grants as it needs, and has left at the
//!   end of the last one's interval.
//! - **Concatenation.** The rest of a grant serves the next packet, if that waits when the interval ends.
//! - A grant that finds the queue empty is lost, and so is the rest of a grant.
//! - Each segment costs the bytes of a segment header. A grant, or the rest of one, no larger than that carries
//!   nothing.
//! - The trace repeats from its end.
//!
//! There is no loss on the air and no retransmission: a trace's grants already include their effect.

use std::sync::Arc;

use jettison_core::{Bytes, Duration, Rate, Time};
use jettison_registry::style::{Line::Solid, VERMILION};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use thiserror::Error;

use crate::entry::{Link, LinkContext, overhead};
use crate::trace::Grants;
use crate::{CellFile, LinkModel};

/// Its entry in the list of link models.
pub(crate) fn entry() -> Entry<Link> {
    Entry::<Link>::new("cell", "cell", build)
        .style(VERMILION, Solid)
        .summary("a user's queue in a cell, served in grants of 1 ms by a trace, with segmentation")
        .source("3GPP TS 36.322 (RLC, unacknowledged mode); a base station's grants as in the Octopus paper's traces")
        .page("links.md")
        .example(|| json!({ "cell": { "file": "cell.trace" } }))
}

/// Parameters of `cell`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellParameters {
    /// What is granted.
    pub cell: CellFile,
    /// Bytes that count with a packet's IP length: PDCP's header.
    #[serde(default = "pdcp")]
    pub overhead: Bytes,
}

fn pdcp() -> Bytes {
    Bytes::new(u64::from(PDCP_HEADER))
}

impl CellParameters {
    /// The link.
    ///
    /// # Errors
    /// If the grants cannot be read, or carry nothing.
    pub fn build(&self, context: &LinkContext<'_>) -> Result<CellLink, ParameterError> {
        self.cell.validate().map_err(|error| error.under("cell"))?;
        let grants = (context.grants)(&self.cell)
            .map_err(|message| ParameterError::at("file", message).under("cell"))?;
        let link = self.cell.link(grants).map_err(|error| error.under("cell"))?;
        Ok(link.with_overhead(overhead(self.overhead)?))
    }
}

fn build(
    parameters: CellParameters,
    context: &LinkContext<'_>,
) -> Result<Box<dyn LinkModel>, ParameterError> {
    Ok(Box::new(parameters.build(context)?))
}

/// Length in bytes of the header that the packet data convergence protocol (PDCP) adds to a packet, with a sequence
/// number of 12 bits (3GPP TS 36.323 §6.2.3).
pub(crate) const PDCP_HEADER: u32 = 2;
/// Length in bytes of the RLC header in unacknowledged mode with a sequence number of 10 bits (3GPP TS 36.322
/// §6.2.1.3).
pub(crate) const RLC_HEADER: u32 = 2;
const TTI_NANOS: u64 = 1_000_000;
/// The window over which [`LinkModel::rate`] averages.
const RATE_WINDOW: Duration = Duration::from_millis(100);

/// A link that serves packets in the grants of a trace.
///
/// Its [`rate`](LinkModel::rate) is the mean grant over the current 100 ms, counted from zero, as for a
/// [`TraceLink`](crate::TraceLink). Segment headers count as unused capacity.
#[derive(Debug, Clone)]
pub struct CellLink {
    // Parameters.
    grants: Arc<Grants>,
    overhead: u32,
    segment_header: u32,
    // State.
    /// The next unused interval: the first interval of its round, its index in the round, and the index of its
    /// stretch. Its grant may be too small to carry anything.
    round: u64,
    tti: u32,
    stretch: usize,
    /// The end of the interval used last, and the bytes left in it.
    open_until: Time,
    left: u64,
}

/// Grants too small to carry anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "a segment header must be smaller than the largest grant in a millisecond ({largest} bytes), got {header} bytes"
)]
pub struct GrantsTooSmall {
    /// The largest grant in bytes.
    pub largest: u64,
    /// Length of a segment header in bytes.
    pub header: u32,
}

impl CellLink {
    /// A link served by `grants` from the first one on, with LTE's headers: 2 bytes per segment and 2 bytes per packet.
    pub fn new(grants: Arc<Grants>) -> Result<CellLink, GrantsTooSmall> {
        CellLink::with_headers(grants, RLC_HEADER)
    }

    /// As [`new`](CellLink::new), with another segment header, in bytes.
    pub fn with_headers(grants: Arc<Grants>, segment_header: u32) -> Result<CellLink, GrantsTooSmall> {
        let largest = grants.largest();
        if largest <= u64::from(segment_header) {
            return Err(GrantsTooSmall { largest, header: segment_header });
        }
        Ok(CellLink {
            grants,
            overhead: PDCP_HEADER,
            segment_header,
            round: 0,
            tti: 0,
            stretch: 0,
            open_until: Time::ZERO,
            left: 0,
        })
    }

    /// Replaces the overhead per packet, in bytes.
    pub fn with_overhead(self, overhead: u32) -> CellLink {
        CellLink { overhead, ..self }
    }

    /// The start of the next unused interval.
    fn next(&self) -> Time {
        Time::from_nanos(self.round.saturating_add(u64::from(self.tti)).saturating_mul(TTI_NANOS))
    }

    /// Skips the intervals that begin before `now`.
    fn skip_to(&mut self, now: Time) {
        if self.next() >= now {
            return;
        }
        let tti = now.as_nanos().div_ceil(TTI_NANOS);
        let in_round = tti % self.grants.period();
        self.round = tti - in_round;
        self.tti = in_round as u32; // below the period, which 32 bits hold
        self.stretch = self.grants.stretch_at(self.tti);
    }

    /// Skips intervals whose grants do not exceed a segment header.
    fn skip_useless(&mut self) {
        let least = u64::from(self.segment_header);
        loop {
            let start = self.grants.start(self.stretch);
            let spread = self.grants.spread(self.stretch);
            if let Some(tti) = spread.next_above(u64::from(self.tti - start), least) {
                self.tti = start + tti as u32; // within the stretch
                return;
            }
            self.enter(self.stretch + 1);
        }
    }

    /// Moves to the first interval of a stretch, which may be the next round's first.
    fn enter(&mut self, stretch: usize) {
        self.stretch = stretch;
        if stretch == self.grants.len() {
            self.stretch = 0;
            self.round = self.round.saturating_add(self.grants.period());
        }
        self.tti = self.grants.start(self.stretch);
    }

    /// Opens the next interval with a usable grant.
    fn open(&mut self) {
        self.skip_useless();
        let start = self.grants.start(self.stretch);
        let spread = self.grants.spread(self.stretch);
        self.left = spread.grant(u64::from(self.tti - start));
        self.open_until = self.next().saturating_add(Duration::from_nanos(TTI_NANOS));
        self.tti += 1;
        if u64::from(self.tti - start) == spread.ttis {
            self.enter(self.stretch + 1);
        }
    }

    /// Whether the interval used last has more bytes left than a segment header.
    fn has_rest(&self) -> bool {
        self.left > u64::from(self.segment_header)
    }
}

impl LinkModel for CellLink {
    fn ready_at(&mut self, now: Time) -> Time {
        if now <= self.open_until && self.has_rest() {
            return self.open_until;
        }
        self.skip_to(now.max(self.open_until));
        self.skip_useless();
        self.next()
    }

    fn begin(&mut self, wire_bytes: u32, now: Time) -> Time {
        if now > self.open_until {
            self.skip_to(now);
            self.left = 0;
        }
        let header = u64::from(self.segment_header);
        let mut rest = u64::from(wire_bytes);
        loop {
            if !self.has_rest() {
                self.open();
            }
            let piece = rest.min(self.left - header);
            self.left -= header + piece;
            rest -= piece;
            if rest == 0 {
                return self.open_until;
            }
        }
    }

    fn rate(&self, now: Time) -> Rate {
        let window = RATE_WINDOW.as_nanos();
        let from = now.as_nanos() / window * window;
        let to = from.saturating_add(window);
        Rate::of(self.capacity(Time::from_nanos(from), Time::from_nanos(to)), RATE_WINDOW)
    }

    fn next_change(&self, now: Time) -> Option<Time> {
        let window = RATE_WINDOW.as_nanos();
        (now.as_nanos() / window + 1).checked_mul(window).map(Time::from_nanos)
    }

    fn overhead(&self) -> u32 {
        self.overhead
    }

    fn capacity(&self, from: Time, to: Time) -> Bytes {
        self.grants.between(from, to)
    }
}

#[cfg(test)]
#[path = "cell_tests.rs"]
mod tests;
