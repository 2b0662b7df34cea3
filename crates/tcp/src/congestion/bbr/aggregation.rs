//! Aggregation of ACKs: data acknowledged faster than BtlBw. Octopus's authors make room for it in the window, Linux does too (from
//! memory), the draft does not.
//!
//! Principle: links that collect ACKs let the sender wait, with a full window, for an ACK that covers much at once. So
//! the window has room for the most data that was acknowledged beyond what BtlBw explains. A bucket that ACKs fill and BtlBw
//! drains holds that surplus. Theirs counts from when there was none last, which is the same while BtlBw is constant.

use jettison_core::{Duration, Rate, Time};

/// Rounds whose highest surplus is kept together.
const ROUNDS: u32 = 5;
/// The most that the allowance may be, as a time at BtlBw.
const LONGEST: Duration = Duration::from_millis(100);

/// The data acknowledged beyond BtlBw, as a maximum over the last five to ten rounds.
#[derive(Debug, Clone, Default)]
pub(super) struct ExtraAcked {
    surplus: u64,
    drained_until: Time,
    /// Rounds of the present span.
    rounds: u32,
    /// Highest surplus in the present span of rounds, and in the one before.
    highest: u64,
    highest_before: u64,
}

impl ExtraAcked {
    /// Records `delivered` bytes; `window` is the most that can be extra.
    pub fn on_ack(&mut self, now: Time, delivered: u64, bandwidth: Rate, window: u64, is_round_start: bool) {
        if delivered == 0 {
            return;
        }
        self.rounds += u32::from(is_round_start);
        if self.rounds == ROUNDS {
            self.rounds = 0;
            self.highest_before = std::mem::take(&mut self.highest);
        }
        let drained = bandwidth.bytes_in(now.since(self.drained_until)).get();
        self.surplus = self.surplus.saturating_sub(drained) + delivered;
        self.drained_until = now;
        self.highest = self.highest.max(self.surplus.min(window));
    }

    /// The allowance in bytes.
    pub fn bytes(&self, bandwidth: Rate) -> u64 {
        self.highest.max(self.highest_before).min(bandwidth.bytes_in(LONGEST).get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate::from_mbit(8); // 1,000 bytes a millisecond

    #[test]
    fn acks_at_btlbw_need_no_allowance_beyond_their_own_bytes() {
        let mut extra = ExtraAcked::default();
        for ms in 1..100 {
            extra.on_ack(Time::from_millis(ms), 1000, RATE, u64::MAX, false);
        }
        assert_eq!(extra.bytes(RATE), 1000);
    }

    #[test]
    fn data_acknowledged_at_once_counts_up_to_the_window_and_to_100_ms() {
        let mut extra = ExtraAcked::default();
        extra.on_ack(Time::from_millis(20), 20_000, RATE, u64::MAX, false);
        assert_eq!(extra.bytes(RATE), 20_000);
        extra.on_ack(Time::from_millis(25), 20_000, RATE, u64::MAX, false);
        assert_eq!(extra.bytes(RATE), 35_000, "5,000 of them were due");
        extra.on_ack(Time::from_millis(26), 500_000, RATE, 60_000, false);
        assert_eq!(extra.bytes(RATE), 60_000);
        extra.on_ack(Time::from_millis(27), 500_000, RATE, u64::MAX, false);
        assert_eq!(extra.bytes(RATE), 100_000);
    }

    #[test]
    fn a_maximum_is_forgotten_after_five_to_ten_rounds() {
        let mut extra = ExtraAcked::default();
        extra.on_ack(Time::from_millis(1), 50_000, RATE, u64::MAX, false);
        let mut left = Vec::new();
        for round in 1..=10u64 {
            extra.on_ack(Time::from_millis(1000 * round), 1000, RATE, u64::MAX, true);
            left.push(extra.bytes(RATE));
        }
        assert_eq!(left[..9], [50_000; 9]);
        assert_eq!(left[9], 1000);
    }
}
