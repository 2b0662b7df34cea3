//! pipeACK (RFC 7661 §4.2, §4.5.1): the most data that was acknowledged in one RTT, lately.
//!
//! A sample is what was delivered from when a segment left until it was acknowledged: a measured RTT, and for a sender
//! that fills its window exactly that window. There is one with each ACK; the highest of each measurement period is kept
//! in a bin, and the highest of the bins is the variable. Units: bytes.

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
    /// Samples are of segments that left when so much had been delivered, or more; `None` until an ACK says how much.
    counts_from: Option<u64>,
}

impl PipeAck {
    /// Undefined, with so many bins in a sampling period of at least `floor`.
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

    /// An ACK outside recovery; returns whether it gave a sample.
    #[inline]
    pub fn on_ack(&mut self, ack: &AckSample) -> bool {
        self.period = (ack.smoothed_rtt * SAMPLING_RTTS).max(self.floor);
        if ack.acked == 0 || ack.acked != ack.delivered {
            // RFC 7661 §4.2 leaves it open whether selective acknowledgements count. Here they do not, since a hole is
            // the first sign of a loss, which is to find what was measured before it.
            return false;
        }
        let Some(from) = self.counts_from else {
            // The flight that this ACK is of left before, or in recovery: its first segments would tell of a part of
            // an RTT.
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

    /// No samples from here on, until something that leaves later is acknowledged.
    #[inline]
    pub fn suspend(&mut self) {
        self.counts_from = None;
    }

    /// Undefined, as at the start.
    pub fn reset(&mut self) {
        self.is_defined = false;
        self.bins.fill(Bin::default());
        self.suspend();
    }

    /// Nothing was sent for so long that there is nothing to measure: a sample of nothing.
    pub fn define_as_nothing(&mut self) {
        self.is_defined = true;
    }

    /// The pipeACK Sampling Period.
    pub fn period(&self) -> Duration {
        self.period
    }

    /// The variable; 0 if nothing was acknowledged in the sampling period, `None` where undefined.
    pub fn value(&self, now: Time) -> Option<u64> {
        let highest = self.fresh(now).map(|bin| bin.highest).max().unwrap_or(0);
        self.is_defined.then_some(highest)
    }

    /// Until when the variable is at least `bytes` if nothing is added; `None` if it is less now.
    #[inline]
    pub fn lasts_until(&self, bytes: u64, now: Time) -> Option<Time> {
        let latest = self.fresh(now).filter(|bin| bin.highest >= bytes).map(|bin| bin.start).max();
        latest.map(|start| start.saturating_add(self.period))
    }

    /// Bins of the sampling period. Their starts count, so that no sample is older than it.
    fn fresh(&self, now: Time) -> impl Iterator<Item = &Bin> {
        self.bins.iter().filter(move |bin| bin.start.saturating_add(self.period) > now)
    }
}
