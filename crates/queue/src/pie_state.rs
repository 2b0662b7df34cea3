//! PIE's controller (RFC 8033 §4, §5), independent of the queue.
//!
//! Principle: every `t_update`, a proportional-integral controller updates the drop probability from the queueing delay;
//! each arrival is dropped or marked with this probability. The owner of the queue provides delay and backlog, keeps the
//! packets, and calls [`PieState::update`] on time.
//!
//! Units: probabilities in [0, 1]; gains in Hz (probability per second of delay, per update); delays are times.

use jettison_core::{Duration, Gauge, Gauges, RandomStream, Time};
use jettison_registry::ParameterError;
use jettison_wire::Packet;

use crate::pi2::DelayFrom;
use crate::{Backlog, DepartureRate, Hertz};

/// Gauges of the controller.
pub(crate) const GAUGES: &[Gauge] = &[PROBABILITY, DELAY, BURST_ALLOWANCE];

const PROBABILITY: Gauge =
    Gauge::new("pie_probability", "1", "Drop probability; 0 while PIE is off (`on_off`).");
const DELAY: Gauge = Gauge::new("pie_delay", "ms", "Queueing delay at the last update.");
const BURST_ALLOWANCE: Gauge = Gauge::new("pie_burst_allowance", "ms", "Remaining burst allowance.");

/// PIE's constants, with RFC 8033's names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PieSettings {
    /// Target queueing delay (QDELAY_REF, §4.2).
    pub target: Duration,
    /// Time between two updates (T_UPDATE, §4.2).
    pub t_update: Duration,
    /// Integral gain (§4.2).
    pub alpha: Hertz,
    /// Proportional gain (§4.2).
    pub beta: Hertz,
    /// Burst allowance (MAX_BURST, §4.4).
    pub max_burst: Duration,
    /// A backlog of at most twice this many bytes is not dropped from (MEAN_PKTSIZE, §4.1).
    pub mean_pktsize: u64,
    /// Estimate of the queueing delay (§4.3, §5.2).
    pub delay: DelayFrom,
    /// Derandomisation (§5.4).
    pub derandomise: bool,
    /// Limits the rise of a high probability (§5.5).
    pub cap_adjustment: bool,
    /// Marks ECN-capable packets (§5.1).
    pub ecn: bool,
    /// Highest probability at which packets are marked (§5.1).
    pub mark_ecnth: f64,
}

impl PieSettings {
    /// Checks the ranges.
    ///
    /// # Errors
    /// With the key that is out of range.
    pub fn check(&self) -> Result<(), ParameterError> {
        ParameterError::require(!self.t_update.is_zero(), "t_update", "be > 0", self.t_update)?;
        let in_range = (0.0..=1.0).contains(&self.mark_ecnth);
        ParameterError::require(in_range, "mark_ecnth", "be in [0, 1]", self.mark_ecnth)
    }
}

/// What becomes of an arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieDecision {
    /// It is queued.
    Queue,
    /// It now carries CE, and is queued.
    Mark,
    /// It is dropped.
    Drop,
}

/// PIE's state of one queue.
#[derive(Debug, Clone)]
pub struct PieState {
    pub(crate) drop_prob: f64,
    /// Sum of the probabilities since the last drop (RFC 8033 §5.4).
    pub(crate) accu_prob: f64,
    pub(crate) burst_allowance: Duration,
    /// Queueing delay at the last update.
    pub(crate) qdelay_old: Duration,
    departures: DepartureRate,
}

impl PieState {
    /// Creates the state of an empty queue without congestion.
    pub fn new(settings: &PieSettings) -> PieState {
        PieState {
            drop_prob: 0.0,
            accu_prob: 0.0,
            burst_allowance: settings.max_burst,
            qdelay_old: Duration::ZERO,
            departures: DepartureRate::default(),
        }
    }

    /// The drop probability, 0 to 1.
    #[inline]
    pub fn drop_prob(&self) -> f64 {
        self.drop_prob
    }

    /// The remaining burst allowance.
    pub fn burst_allowance(&self) -> Duration {
        self.burst_allowance
    }

    /// The queueing delay at the last update.
    pub fn delay(&self) -> Duration {
        self.qdelay_old
    }

    /// Whether the state of an empty queue is as good as new: the next arrival restores all of the burst allowance, and an
    /// update without delay has no further effect.
    #[inline]
    pub fn is_at_rest(&self) -> bool {
        self.drop_prob == 0.0 && self.qdelay_old.is_zero()
    }

    /// The queueing delay by either estimate: `head` is the oldest packet, `backlog` what waits (RFC 8033 §4.3, §5.2).
    #[inline]
    pub fn queueing_delay(
        &self,
        settings: &PieSettings,
        head: Option<&Packet>,
        backlog: Backlog,
        now: Time,
    ) -> Duration {
        match settings.delay {
            DelayFrom::Sojourn => head.map_or(Duration::ZERO, |head| now.since(head.meta.enqueued_at)),
            DelayFrom::Rate => self.departures.delay_of(backlog.bytes),
        }
    }

    /// Whether the estimate of the delay has a value yet: a departure rate must have been measured.
    pub fn knows_delay(&self, settings: &PieSettings) -> bool {
        settings.delay == DelayFrom::Sojourn || self.departures.is_measured()
    }

    /// Restores the burst allowance if congestion is over (RFC 8033 §4.4; appendix A: at each arrival). The delay is computed
    /// only if the probability is zero.
    #[inline]
    pub fn restore_allowance(&mut self, settings: &PieSettings, qdelay: impl FnOnce(&PieState) -> Duration) {
        if self.drop_prob == 0.0 && self.congestion_is_over(settings, qdelay(self)) {
            self.burst_allowance = settings.max_burst;
        }
    }

    /// Decides on an arrival at a queue of `bytes` bytes, and marks it if it is to be marked (RFC 8033 §4.1, §5.1).
    #[inline]
    pub fn judge(
        &mut self,
        settings: &PieSettings,
        packet: &mut Packet,
        bytes: u64,
        random: &mut RandomStream,
    ) -> PieDecision {
        if !self.drop_early(settings, bytes, random) {
            return PieDecision::Queue;
        }
        // RFC 8033 §5.1: above `mark_ecnth` packets are dropped, in case senders ignore marks.
        let marks = settings.ecn && self.drop_prob <= settings.mark_ecnth;
        if marks && packet.mark_ce() { PieDecision::Mark } else { PieDecision::Drop }
    }

    /// Records a drop for another reason, such as a full buffer (RFC 8033 §5.4, appendix B: reset after any drop).
    #[inline]
    pub fn dropped(&mut self) {
        self.accu_prob = 0.0;
    }

    /// Records a departure of `length` bytes that leaves `backlog`.
    #[inline]
    pub fn departed(&mut self, settings: &PieSettings, length: u16, backlog: Backlog, now: Time) {
        if settings.delay == DelayFrom::Rate {
            self.departures.departed(length, backlog.bytes, now);
        }
    }

    /// Updates the drop probability from the delays now and at the last update (RFC 8033 §4.2). Returns whether congestion is
    /// over (§5.3).
    pub fn update(&mut self, settings: &PieSettings, qdelay: Duration) -> bool {
        let (target, seconds) = (settings.target, qdelay.as_secs_f64());
        let mut p = settings.alpha.get() * (seconds - target.as_secs_f64())
            + settings.beta.get() * (seconds - self.qdelay_old.as_secs_f64());
        p *= tuning(self.drop_prob);
        if settings.cap_adjustment && self.drop_prob >= 0.1 {
            p = p.min(0.02); // RFC 8033 §5.5
        }
        self.drop_prob += p;
        if qdelay.is_zero() && self.qdelay_old.is_zero() {
            self.drop_prob *= 0.98; // 1 - 1/64, RFC 8033 §4.2
        }
        self.drop_prob = self.drop_prob.clamp(0.0, 1.0);

        // RFC 8033 §4.4
        self.burst_allowance = self.burst_allowance.saturating_sub(settings.t_update);
        let is_over = self.congestion_is_over(settings, qdelay);
        self.qdelay_old = qdelay;
        is_over
    }

    /// Reports the gauges; `active` is false while PIE is off.
    pub(crate) fn report(&self, active: bool, out: &mut dyn Gauges) {
        out.set(&PROBABILITY, if active { self.drop_prob } else { 0.0 });
        out.set(&DELAY, self.qdelay_old.as_millis_f64());
        out.set(&BURST_ALLOWANCE, self.burst_allowance.as_millis_f64());
    }

    /// Whether congestion has ended (RFC 8033 §4.4, §5.3): the probability is zero, and the delay is below half the target
    /// both at `qdelay` and at the last update.
    #[inline]
    fn congestion_is_over(&self, settings: &PieSettings, qdelay: Duration) -> bool {
        let half = half(settings.target);
        self.drop_prob == 0.0 && self.qdelay_old < half && qdelay < half
    }

    /// Whether an arrival at a queue of `bytes` bytes is dropped or marked (RFC 8033 §4.1, §4.4).
    #[inline]
    pub(crate) fn drop_early(
        &mut self,
        settings: &PieSettings,
        bytes: u64,
        random: &mut RandomStream,
    ) -> bool {
        let congested = self.qdelay_old >= half(settings.target) || self.drop_prob >= 0.2;
        let few = bytes <= settings.mean_pktsize.saturating_mul(2);
        if !self.burst_allowance.is_zero() || !congested || few {
            return false;
        }
        if !settings.derandomise {
            return random.chance(self.drop_prob);
        }
        // Derandomisation (RFC 8033 §5.4)
        if self.drop_prob == 0.0 {
            self.accu_prob = 0.0;
        }
        self.accu_prob += self.drop_prob;
        if self.accu_prob < 0.85 {
            return false;
        }
        let drops = self.accu_prob >= 8.5 || random.chance(self.drop_prob);
        if drops {
            self.accu_prob = 0.0;
        }
        drops
    }
}

/// Auto-tuning: scales the step with the magnitude of the probability (RFC 8033 §4.2).
fn tuning(drop_prob: f64) -> f64 {
    match drop_prob {
        p if p < 0.000_001 => 1.0 / 2048.0,
        p if p < 0.000_01 => 1.0 / 512.0,
        p if p < 0.000_1 => 1.0 / 128.0,
        p if p < 0.001 => 1.0 / 32.0,
        p if p < 0.01 => 1.0 / 8.0,
        p if p < 0.1 => 1.0 / 2.0,
        _ => 1.0,
    }
}

fn half(span: Duration) -> Duration {
    Duration::from_nanos(span.as_nanos() / 2)
}
