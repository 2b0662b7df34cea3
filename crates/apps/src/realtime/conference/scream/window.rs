//! The reference window (*Reference Window Update*), and the average share of marks (*Receiving ECN-CE for L4S*).

use jettison_core::{Duration, Time};

use super::Marking;
use super::delay::QueueDelay;

/// VIRTUAL_RTT.
pub(super) const VIRTUAL_RTT: Duration = Duration::from_millis(25);
/// QDELAY_TARGET_LO, in seconds.
const TARGET_DELAY: f64 = 0.06;
/// MIN_REF_WND, in bytes.
const MIN_WINDOW: f64 = 3000.0;
/// BYTES_IN_FLIGHT_HEAD_ROOM.
const HEAD_ROOM: f64 = 1.5;
/// BETA_LOSS and BETA_ECN.
const BETA_LOSS: f64 = 0.7;
const BETA_ECN: f64 = 0.8;
/// POST_CONGESTION_DELAY_RTT.
const CAUTIOUS_ROUNDS: f64 = 100.0;
/// MUL_INCREASE_FACTOR.
const MULTIPLICATIVE: f64 = 0.02;
/// L4S_AVG_G_UP and L4S_AVG_G_DOWN: weights of the newest share of marks.
const WEIGHT_UP: f64 = 1.0 / 8.0;
const WEIGHT_DOWN: f64 = 1.0 / 128.0;
/// The longest time between two updates of l4s_alpha.
const ALPHA_INTERVAL: Duration = Duration::from_millis(10);

/// What feedback says.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Round {
    pub now: Time,
    /// Packets that arrived, and those with CE.
    pub units: u64,
    pub marked_units: u64,
    /// Bytes newly acknowledged, lost ones included, and those with CE (bytes_newly_acked, bytes_newly_acked_ce).
    pub bytes: u64,
    pub marked_bytes: u64,
    pub is_lost: bool,
}

/// ref_wnd.
#[derive(Debug, Clone)]
pub(super) struct ReferenceWindow {
    mss: f64,
    marking: Marking,
    bytes: f64,
    /// ref_wnd_i, the window when congestion came last, and whether it may be set again.
    inflection: f64,
    may_inflect: bool,
    /// l4s_alpha, and what was delivered and marked since it was updated.
    alpha: f64,
    alpha_at: Time,
    delivered: u64,
    marked: u64,
    /// Congestion since the last reaction (loss_detected, data_units_marked).
    has_loss: bool,
    has_mark: bool,
    detected_at: Time,
    reacted_at: Time,
}

impl ReferenceWindow {
    pub(super) fn new(mss: u64, marking: Marking) -> ReferenceWindow {
        ReferenceWindow {
            mss: mss as f64,
            marking,
            bytes: MIN_WINDOW,
            inflection: 1.0,
            may_inflect: true,
            alpha: 0.0,
            alpha_at: Time::ZERO,
            delivered: 0,
            marked: 0,
            has_loss: false,
            has_mark: false,
            detected_at: Time::ZERO,
            reacted_at: Time::ZERO,
        }
    }

    /// The window in bytes.
    pub(super) fn bytes(&self) -> f64 {
        self.bytes
    }

    /// l4s_alpha.
    #[cfg(test)]
    pub(super) fn alpha(&self) -> f64 {
        self.alpha
    }

    /// Takes feedback into account. `most` are the most bytes in flight in this round trip and in the one before; `is_full` says
    /// that the encoder has its highest rate.
    pub(super) fn update(
        &mut self,
        round: &Round,
        rtt: Duration,
        delay: &QueueDelay,
        most: (u64, u64),
        is_full: bool,
    ) {
        self.average_marks(round, rtt);
        self.has_loss |= round.is_lost;
        self.has_mark |= round.marked_units > 0 && self.marking != Marking::None;
        if self.has_loss || self.has_mark {
            self.detected_at = round.now;
        }
        let distance = 8.0 * (self.bytes - self.inflection) / self.inflection;
        let nearness = (distance * distance).clamp(0.1, 1.0);
        if round.now.since(self.reacted_at) >= rtt.min(VIRTUAL_RTT) {
            self.reduce(round.now, rtt, delay, most.1, nearness);
        }
        self.increase(round, rtt, most, is_full, nearness);
    }

    /// l4s_alpha: fast attack, slow decay.
    fn average_marks(&mut self, round: &Round, rtt: Duration) {
        self.delivered += round.units;
        self.marked += round.marked_units;
        if round.now.since(self.alpha_at) < rtt.min(ALPHA_INTERVAL) || self.delivered == 0 {
            return;
        }
        let share = self.marked as f64 / self.delivered as f64;
        if share >= self.alpha {
            self.alpha += WEIGHT_UP * (share - self.alpha);
        } else {
            self.alpha *= 1.0 - WEIGHT_DOWN;
        }
        self.alpha_at = round.now;
        (self.delivered, self.marked) = (0, 0);
    }

    /// *Reference Window Reduction*.
    fn reduce(&mut self, now: Time, rtt: Duration, delay: &QueueDelay, most_before: u64, nearness: f64) {
        let (is_loss, is_mark) = (self.has_loss, self.has_mark && !self.has_loss);
        // A delay above half of the target counts as marks, from none there to all at the target.
        let averaged = delay.averaged().as_secs_f64();
        let excess = ((averaged - TARGET_DELAY / 2.0) / (TARGET_DELAY / 2.0)).clamp(0.0, 1.0);
        let is_delayed = !is_loss && !is_mark && excess > 0.0;
        if !(is_loss || is_mark || is_delayed) {
            return;
        }
        if std::mem::replace(&mut self.may_inflect, false) {
            self.inflection = self.bytes;
        }
        // Reactions are as frequent as virtual RTTs where the RTT is longer.
        let per_reaction = (rtt.as_secs_f64() / VIRTUAL_RTT.as_secs_f64()).max(1.0);
        if is_loss {
            self.bytes *= BETA_LOSS;
        } else if is_mark && self.marking == Marking::L4s {
            let mut less = self.alpha / 2.0 / per_reaction;
            if delay.latest().as_secs_f64() < TARGET_DELAY / 4.0 {
                less *= nearness.max(0.25);
            }
            if now.since(self.reacted_at) > VIRTUAL_RTT.max(rtt).saturating_mul(100) {
                // Long without congestion: the encoder's highest rate was the limit, and the window may be far above it.
                self.bytes = self.bytes.min(most_before as f64);
            }
            self.bytes *= 1.0 - less;
        } else if is_mark {
            self.bytes *= BETA_ECN;
        } else {
            self.bytes *= 1.0 - excess / 2.0 / per_reaction;
        }
        self.bytes = self.bytes.max(MIN_WINDOW);
        self.reacted_at = now;
        (self.has_loss, self.has_mark) = (false, false);
    }

    /// *Reference Window Increase*.
    fn increase(&mut self, round: &Round, rtt: Duration, most: (u64, u64), is_full: bool, nearness: f64) {
        let longest = rtt.max(VIRTUAL_RTT).as_secs_f64();
        let since = round.now.since(self.detected_at).as_secs_f64();
        let calm = (since / (CAUTIOUS_ROUNDS * longest)).clamp(0.0, 1.0);
        let unmarked = round.bytes.saturating_sub(round.marked_bytes) as f64;
        let mut increment = unmarked * (self.mss / self.bytes).min(1.0);
        increment *= (rtt.as_secs_f64() / VIRTUAL_RTT.as_secs_f64()).min(1.0);
        increment *= nearness.max(0.25);
        increment *= 1.0 + MULTIPLICATIVE * self.bytes / self.mss * calm * nearness;
        let limit = self.mss + most.0.max(most.1) as f64 * HEAD_ROOM;
        if increment > 0.0 && self.bytes + increment <= limit && !is_full {
            self.bytes += increment;
            self.may_inflect = true;
        }
    }
}
