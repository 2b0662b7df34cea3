//! pipeACK (RFC 7661 §4.2, §4.5.1): the maximum data recently acknowledged in one RTT.
//!
//! A sample is the data delivered between departure and acknowledgement of a segment: one measured RTT. For a sender
//! that fills its window it equals the window. Each ACK gives one; a bin keeps the maximum of each measurement period,
//! and the maximum of the bins is the variable. Units: bytes.

use jettison_core::{Duration, Time};

use crate::congestion::AckSample;

/// RTTs in the pipeACK Sampling Period (RFC 7661 §4.2).
const SAMPLING_RTTS: u64 = 3;

/// A measurement period.
#[derive(Debug, Clone, Copy, Default)]
struct Bin {
    start: Time,
    /// The highest sample; 0 for none.
    highest: u64,
}

/// The variable and its filter.
#[derive(Debug, Clone)]
pub(super) struct PipeAck {
    // Parameters.
    floor: Duration,
    // State.
    /// The pipeACK Sampling Period.
    period: Duration,
    bins: Box<[Bin]>,
    newest: usize,
    is_defined: bool,
    /// Delivered count from which departures of segments give samples; `None` until the next ACK sets it.
    counts_from: Option<u64>,
}

impl PipeAck {
    /// Creates the undefined variable, with `bins` bins in a sampling period of at least `floor`.
    pub fn new(bins: u32, floor: Duration) -> PipeAck {
        PipeAck {
            floor,
            period: floor,
            bins: vec![Bin::default(); bins as usize].into_boxed_slice(),
            newest: 0,
            is_defined: false,
            counts_from: None,
        }
    }

    /// Processes an ACK outside recovery; returns whether it gave a sample.
    #[inline]
    pub fn on_ack(&mut self, ack: &AckSample) -> bool {
        self.period = (ack.smoothed_rtt * SAMPLING_RTTS).max(self.floor);
        if ack.acked == 0 || ack.acked != ack.delivered {
            // RFC 7661 §4.2: duplicate ACKs of new data MAY count. Here they do not: a hole is the first sign of a loss, and
            // the response to it must use the value measured before.
            return false;
        }
        let Some(from) = self.counts_from else {
            // The flight of this ACK left before or in recovery: its first segments would cover only a part of an RTT.
            self.counts_from = Some(ack.delivered_total);
            return false;
        };
        if ack.rate.delivered == 0 || ack.rate.prior_delivered < from {
            return false;
        }
        self.put(ack.rate.delivered, ack.now);
        true
    }

    fn put(&mut self, sample: u64, now: Time) {
        let length = self.period / self.bins.len() as u64;
        let newest = self.bins[self.newest];
        if !self.is_defined || now >= newest.start.saturating_add(length) {
            self.newest = (self.newest + 1) % self.bins.len();
            self.bins[self.newest] = Bin { start: now, highest: 0 };
        }
        self.is_defined = true;
        let newest = &mut self.bins[self.newest];
        newest.highest = newest.highest.max(sample);
    }

    /// Suspends sampling until data sent after the next ACK is acknowledged.
    #[inline]
    pub fn suspend(&mut self) {
        self.counts_from = None;
    }

    /// Makes the variable undefined, as at the start.
    pub fn reset(&mut self) {
        self.is_defined = false;
        self.bins.fill(Bin::default());
        self.suspend();
    }

    /// Sets the variable to zero: nothing was sent for a whole sampling period.
    pub fn define_as_nothing(&mut self) {
        self.is_defined = true;
    }

    /// The pipeACK Sampling Period.
    pub fn period(&self) -> Duration {
        self.period
    }

    /// The value; 0 if nothing was acknowledged in the sampling period, `None` if undefined.
    pub fn value(&self, now: Time) -> Option<u64> {
        let highest = self.fresh(now).map(|bin| bin.highest).max().unwrap_or(0);
        self.is_defined.then_some(highest)
    }

    /// The time until which the variable is at least `bytes` without new samples; `None` if it is less now.
    #[inline]
    pub fn lasts_until(&self, bytes: u64, now: Time) -> Option<Time> {
        let latest = self.fresh(now).filter(|bin| bin.highest >= bytes).map(|bin| bin.start).max();
        latest.map(|start| start.saturating_add(self.period))
    }

    /// Bins of the sampling period. Their start times count, so no sample is older than the period.
    fn fresh(&self, now: Time) -> impl Iterator<Item = &Bin> {
        self.bins.iter().filter(move |bin| bin.start.saturating_add(self.period) > now)
    }
}
