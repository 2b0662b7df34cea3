//! A cellular link: one user's queue, served in the grants of a base station.
//!
//! In each transmission time interval (TTI) of 1 ms the base station grants the user so many bytes ([`Grants`]). What
//! waits when the interval begins fills its grant, and has left when the interval ends. That is the radio link control
//! (RLC) of LTE in unacknowledged mode (3GPP TS 36.322): its PDU has the size of the grant, whatever the packets' sizes.
//!
//! - **Segmentation.** A packet larger than what is left of a grant spans as many grants as it needs, and has left at the
//!   end of the last one's interval.
//! - **Concatenation.** What a packet leaves of a grant serves the next one, if that waits when the interval ends.
//! - A grant that finds the queue empty is lost, and so is the rest of one.
//! - Each piece of a packet costs the bytes of a segment header. A grant, or the rest of one, that holds no more than that
//!   carries nothing.
//! - The trace repeats from its end.
//!
//! Nothing is lost on the air and nothing sent again: a trace's grants are what came of it.

use std::sync::Arc;

use jettison_core::{Bytes, Duration, Rate, Time};
use thiserror::Error;

use crate::LinkModel;
use crate::trace::Grants;

/// Bytes that the packet data convergence protocol (PDCP) puts before a packet: a sequence number of 12 bits (3GPP TS
/// 36.323 §6.2.3).
pub(crate) const PDCP_HEADER: u32 = 2;
/// Bytes of RLC's header in unacknowledged mode with a sequence number of 10 bits (3GPP TS 36.322 §6.2.1.3).
pub(crate) const RLC_HEADER: u32 = 2;
const TTI_NANOS: u64 = 1_000_000;
/// The span over which [`LinkModel::rate`] averages.
const RATE_WINDOW: Duration = Duration::from_millis(100);

/// A link that serves packets in the grants of a trace.
///
/// Its [`rate`](LinkModel::rate) is the mean of what is granted over the 100 ms, counted from zero, that the instant
/// lies in, as that of a [`TraceLink`](crate::TraceLink). Segment headers count as capacity that is not used.
#[derive(Debug, Clone)]
pub struct CellLink {
    // Parameters.
    grants: Arc<Grants>,
    overhead: u32,
    segment_header: u32,
    // State.
    /// The next interval that nothing has used: its round's first one, its number in the round, and the stretch that it
    /// lies in. What it is granted may be too little to be of use.
    round: u64,
    tti: u32,
    stretch: usize,
    /// When the interval used last ends, and the bytes left in it.
    open_until: Time,
    left: u64,
}

/// Grants that carry nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "the largest grant in a millisecond is {largest} bytes, and a segment header takes {header}: nothing is ever carried"
)]
pub struct GrantsTooSmall {
    /// Bytes of the largest grant.
    pub largest: u64,
    /// Bytes of a segment header.
    pub header: u32,
}

impl CellLink {
    /// A link that is served by `grants` from the first one on, with LTE's headers: 2 bytes a segment and 2 bytes a packet.
    pub fn new(grants: Arc<Grants>) -> Result<CellLink, GrantsTooSmall> {
        CellLink::with_headers(grants, RLC_HEADER)
    }

    /// The same with other headers, in bytes a segment.
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

    /// The same with another overhead, in bytes a packet.
    pub fn with_overhead(self, overhead: u32) -> CellLink {
        CellLink { overhead, ..self }
    }

    /// When the next unused interval begins.
    fn next(&self) -> Time {
        Time::from_nanos(self.round.saturating_add(u64::from(self.tti)).saturating_mul(TTI_NANOS))
    }

    /// Lets the intervals go by unused that begin before `now`.
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

    /// Lets the intervals go by whose grants hold no more than a segment header.
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

    /// Goes on with the first interval of that stretch, which may be the next round's first.
    fn enter(&mut self, stretch: usize) {
        self.stretch = stretch;
        if stretch == self.grants.len() {
            self.stretch = 0;
            self.round = self.round.saturating_add(self.grants.period());
        }
        self.tti = self.grants.start(self.stretch);
    }

    /// Opens the next interval whose grant is of use.
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

    /// Whether more than a header's worth is left of the interval used last.
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
