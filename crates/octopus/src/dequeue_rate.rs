//! The bandwidth of the link that serves a queue, in two readings.

use jettison_core::{Duration, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bandwidth, BandwidthSettings, BusyRate};

/// What becomes of the measured bandwidth when the queue is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IdleTime {
    /// Idle time is left out of the window: the paper (Chen, Tahir, Mittal, §5).
    #[default]
    Discounted,
    /// The measurement begins anew: the authors' code for srsRAN.
    Restarted,
}

impl IdleTime {
    /// The minimum number of departures in the window if none is set.
    pub fn default_samples(self) -> u64 {
        match self {
            IdleTime::Discounted => 1,
            IdleTime::Restarted => 5,
        }
    }
}

/// Measurement of a queue's dequeue rate.
#[derive(Debug, Clone)]
pub enum DequeueRate {
    /// [`IdleTime::Discounted`].
    Discounted(BusyRate),
    /// [`IdleTime::Restarted`].
    Restarted(Bandwidth),
}

impl DequeueRate {
    /// The measurement of the paper: a window of 50 ms with idle time discounted.
    pub fn paper() -> DequeueRate {
        DequeueRate::Discounted(BusyRate::new(
            Duration::from_millis(50),
            IdleTime::Discounted.default_samples(),
        ))
    }

    /// Creates a measurement. `settings.stretch` has an effect only on a measurement that begins anew.
    pub fn new(idle: IdleTime, settings: BandwidthSettings) -> DequeueRate {
        match idle {
            IdleTime::Discounted => DequeueRate::Discounted(BusyRate::new(settings.window, settings.samples)),
            IdleTime::Restarted => DequeueRate::Restarted(Bandwidth::new(settings)),
        }
    }

    /// Records a packet that joins the queue.
    #[inline]
    pub fn arrived(&mut self, now: Time) {
        if let DequeueRate::Discounted(rate) = self {
            rate.arrived(now);
        }
    }

    /// Records the departure of a packet of `length` bytes.
    #[inline]
    pub fn departed(&mut self, length: u16, now: Time) {
        match self {
            DequeueRate::Discounted(rate) => rate.departed(length, now),
            DequeueRate::Restarted(rate) => rate.departed(length, now),
        }
    }

    /// Records an opportunity that finds the queue empty.
    #[inline]
    pub fn found_empty(&mut self, now: Time) {
        match self {
            DequeueRate::Discounted(rate) => rate.found_empty(now),
            DequeueRate::Restarted(rate) => rate.clear(),
        }
    }

    /// Records that a packet found queue and link free.
    #[inline]
    pub fn found_free(&mut self) {
        if let DequeueRate::Restarted(rate) = self {
            rate.clear();
        }
    }

    /// The rate at an opportunity; `None` while it is unknown, which counts as unlimited.
    #[inline]
    pub fn rate(&mut self, now: Time) -> Option<Rate> {
        match self {
            DequeueRate::Discounted(rate) => rate.rate(now),
            DequeueRate::Restarted(rate) => rate.rate(now),
        }
    }

    /// The same, with nothing forgotten: for samples, which must change nothing.
    pub fn peek(&self, now: Time) -> Option<Rate> {
        match self {
            DequeueRate::Discounted(rate) => rate.peek(now),
            DequeueRate::Restarted(rate) => rate.peek(now),
        }
    }
}
