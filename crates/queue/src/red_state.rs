//! RED's average queue length and decision (Floyd & Jacobson 1993), shared by all disciplines that contain a RED test.

use jettison_core::{Duration, Gauge, Gauges, RandomStream, Time};

use crate::{Backlog, Threshold};

/// RED's constants, with the paper's names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RedSettings {
    /// Average queue length below which nothing is signalled. Its unit selects the unit of the average.
    pub min_th: Threshold,
    /// Average queue length from which on every arrival is signalled, in the unit of `min_th`.
    pub max_th: Threshold,
    /// Weight of a new sample in the average, in (0, 1].
    pub w_q: f64,
    /// Probability as the average reaches `max_th`, in (0, 1].
    pub max_p: f64,
    /// Raises the probability linearly from `max_p` at `max_th` to 1 at twice `max_th` (Floyd 2000).
    pub gentle: bool,
    /// Packet size in bytes that is signalled with the full probability, if the thresholds are in bytes.
    pub maximum_packet_size: u64,
}

/// RED's decision on an arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedDecision {
    /// No signal.
    Pass,
    /// Signal between the thresholds.
    Early,
    /// Signal above the upper threshold.
    Forced,
}

impl RedSettings {
    /// The average from which on every arrival is signalled.
    #[inline]
    fn upper(&self) -> f64 {
        let max = self.max_th.value() as f64;
        if self.gentle { 2.0 * max } else { max }
    }

    /// The signalling probability p_b at an average queue length: 0 below the thresholds, 1 above (§4).
    #[inline]
    pub fn probability(&self, average: f64) -> f64 {
        let min = self.min_th.value() as f64;
        let max = self.max_th.value() as f64;
        if average < min {
            0.0
        } else if average < max {
            self.max_p * (average - min) / (max - min)
        } else if average < self.upper() {
            // Floyd 2000: from max_p at max_th to 1 at twice max_th.
            self.max_p + (1.0 - self.max_p) * (average - max) / max
        } else {
            1.0
        }
    }
}

/// RED's state of one queue.
#[derive(Debug, Clone, Default)]
pub struct RedState {
    /// Average queue length, in the unit of the thresholds.
    pub(crate) average: f64,
    /// Unsignalled arrivals since the last signal, while the average is between the thresholds.
    pub(crate) count: u32,
    /// Start of the idle period (the paper's q_time).
    pub(crate) q_time: Time,
}

impl RedState {
    /// The average queue length, in the unit of the thresholds.
    #[inline]
    pub fn average(&self) -> f64 {
        self.average
    }

    /// Reports three gauges: the average in packets, the average in bytes (the one in the other unit is NaN), and the
    /// probability at this average.
    pub(crate) fn gauges(&self, settings: &RedSettings, gauges: [&Gauge; 3], out: &mut dyn Gauges) {
        let is_bytes = settings.min_th.is_bytes();
        out.set(gauges[0], if is_bytes { f64::NAN } else { self.average });
        out.set(gauges[1], if is_bytes { self.average } else { f64::NAN });
        out.set(gauges[2], settings.probability(self.average));
    }

    /// Updates the average on an arrival that finds `backlog` (§4, figure 2: "calculate new average queue size"). `s` is the
    /// typical transmission time of a small packet.
    #[inline]
    pub fn arrival(&mut self, settings: &RedSettings, backlog: Backlog, s: Option<Duration>, now: Time) {
        if backlog.packets > 0 {
            self.sample(settings.w_q, settings.min_th.measure(backlog));
        } else {
            self.idle(settings.w_q, s, now);
        }
    }

    /// Adds one sample: avg ← (1 − w_q) avg + w_q q.
    #[inline]
    pub(crate) fn sample(&mut self, w_q: f64, queue: u64) {
        self.average += w_q * (queue as f64 - self.average);
    }

    /// Decays the average over an idle period, as if m small packets had arrived at an empty queue (§4). If `s` is unknown,
    /// only the current arrival counts.
    pub(crate) fn idle(&mut self, w_q: f64, s: Option<Duration>, now: Time) {
        self.average = self.idle_average(w_q, s, now);
        // If this arrival is dropped, the idle time up to now must not count twice.
        self.q_time = now;
    }

    /// The average that an arrival at the empty queue would find.
    #[inline]
    pub(crate) fn idle_average(&self, w_q: f64, s: Option<Duration>, now: Time) -> f64 {
        let m = s.map_or(1.0, |s| now.since(self.q_time).as_secs_f64() / s.as_secs_f64());
        self.average * libm::pow(1.0 - w_q, m)
    }

    /// Records that the queue has become empty.
    #[inline]
    pub fn emptied(&mut self, now: Time) {
        self.q_time = now;
    }

    /// Decides on an arrival of `length` bytes (§4, figure 2, with the count of §7).
    #[inline]
    pub fn decide(&mut self, settings: &RedSettings, length: u16, random: &mut RandomStream) -> RedDecision {
        if self.average < settings.min_th.value() as f64 {
            self.count = 0;
            return RedDecision::Pass;
        }
        if self.average >= settings.upper() {
            self.count = 0;
            return RedDecision::Forced;
        }
        let mut p_b = settings.probability(self.average);
        if settings.min_th.is_bytes() {
            p_b *= f64::from(length) / settings.maximum_packet_size as f64;
        }
        // §7, method 2: p_b / (1 - count · p_b) makes the number of arrivals to the next signal uniform on 1..=1/p_b.
        let unsignalled = 1.0 - f64::from(self.count) * p_b;
        if unsignalled <= p_b || random.chance(p_b / unsignalled) {
            self.count = 0;
            RedDecision::Early
        } else {
            self.count = self.count.saturating_add(1);
            RedDecision::Pass
        }
    }
}
