//! RACK: time-based loss detection (RFC 8985 §6).

use jettison_core::{Duration, Time};

/// RFC 8985 §6.2 step 4: number of recoveries without a DSACK after which the window is reset.
const PERSIST: u32 = 16;
/// RFC 8985 §6.2: number of SACKed segments that end the wait if reordering was never observed.
const DUP_THRESH: u32 = 3;

/// RACK's per-connection state (RFC 8985 §5.3).
#[derive(Debug, Clone)]
pub(super) struct Rack {
    /// Number of the last transmission known to be delivered (for RACK.xmit_ts and RACK.end_seq).
    pub newest: u64,
    /// RACK.rtt: the RTT of that transmission; zero before the first.
    pub rtt: Duration,
    /// RACK.fack: the highest offset delivered.
    pub highest: u64,
    pub reordering_seen: bool,
    window_multiplier: u64,
    persist: u32,
    /// RACK.dsack_round: until this offset is acknowledged, further DSACKs belong to the same round.
    dsack_round: Option<u64>,
}

impl Default for Rack {
    fn default() -> Rack {
        Rack {
            newest: 0,
            rtt: Duration::ZERO,
            highest: 0,
            reordering_seen: false,
            window_multiplier: 1,
            persist: 0,
            dsack_round: None,
        }
    }
}

impl Rack {
    /// Records the delivery of transmission number `order`, sent at `sent_at` (step 2).
    #[inline]
    pub fn on_delivered(&mut self, sent_at: Time, order: u64, now: Time) {
        self.rtt = now.since(sent_at);
        self.newest = self.newest.max(order);
    }

    /// Processes a report of a duplicate (step 4): the window grows at most once per round.
    pub fn on_dsack(&mut self, una: u64, next: u64) {
        if self.dsack_round.is_some_and(|end| una >= end) {
            self.dsack_round = None;
        }
        if self.dsack_round.is_none() {
            self.dsack_round = Some(next);
            self.window_multiplier += 1;
            self.persist = PERSIST;
        }
    }

    /// Processes the end of a recovery (step 4).
    pub fn on_recovery_end(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.window_multiplier = 1;
        }
    }

    /// RACK_update_reo_wnd: the time that a segment may be late before it counts as lost.
    pub fn reordering_window(
        &self,
        min_rtt: Duration,
        smoothed_rtt: Duration,
        in_recovery: bool,
        sacked_segments: u32,
    ) -> Duration {
        if !self.reordering_seen && (in_recovery || sacked_segments >= DUP_THRESH) {
            return Duration::ZERO;
        }
        if min_rtt == Duration::MAX {
            return Duration::ZERO;
        }
        (min_rtt.saturating_mul(self.window_multiplier) / 4).min(smoothed_rtt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(40);

    fn window(rack: &Rack, in_recovery: bool, sacked: u32) -> Duration {
        rack.reordering_window(RTT, RTT, in_recovery, sacked)
    }

    #[test]
    fn rfc8985_6_2_the_window_is_zero_in_recovery_until_reordering_is_seen() {
        let mut rack = Rack::default();
        assert_eq!(window(&rack, false, 2), RTT / 4);
        assert_eq!(window(&rack, false, 3), Duration::ZERO);
        assert_eq!(window(&rack, true, 0), Duration::ZERO);
        rack.reordering_seen = true;
        assert_eq!(window(&rack, true, 3), RTT / 4);
    }

    #[test]
    fn rfc8985_6_2_the_window_grows_once_per_round_of_dsacks_and_shrinks_after_16_recoveries() {
        let mut rack = Rack { reordering_seen: true, ..Rack::default() };
        rack.on_dsack(0, 100);
        rack.on_dsack(50, 150);
        assert_eq!(window(&rack, true, 0), RTT / 2);
        rack.on_dsack(100, 200);
        rack.on_dsack(200, 300);
        assert_eq!(window(&rack, true, 0), RTT);
        rack.on_dsack(300, 400);
        assert_eq!(window(&rack, true, 0), RTT, "at most SRTT");
        for _ in 0..16 {
            rack.on_recovery_end();
        }
        assert_eq!(window(&rack, true, 0), RTT / 4);
    }
}
