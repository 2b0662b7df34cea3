//! Proportional rate reduction (RFC 9937): the amount of data sent for each ACK in recovery.
//!
//! While more than ssthresh is in flight, sending is reduced in proportion: ssthresh/RecoverFS bytes for each byte
//! delivered. Below it, at most the delivered bytes are sent (CRB), plus one segment if the ACK shows that recovery
//! makes good progress (SSRB).

/// The state of one recovery, in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Prr {
    ssthresh: u64,
    /// RecoverFS: the flight at the start of recovery.
    recover_fs: u64,
    /// prr_delivered.
    delivered: u64,
    /// prr_out.
    out: u64,
    window: u64,
}

impl Prr {
    /// Starts recovery (RFC 9937 §6): `recover_fs` is the flight minus the bytes SACKed before this ACK, plus those
    /// that this ACK acknowledges.
    pub fn begin(recover_fs: u64, ssthresh: u64) -> Prr {
        Prr { ssthresh, recover_fs: recover_fs.max(1), delivered: 0, out: 0, window: ssthresh }
    }

    /// Processes an ACK in recovery that delivers `delivered` bytes. `is_safe`: it advanced SND.UNA and indicated no
    /// further loss (SafeACK).
    pub fn on_ack(&mut self, delivered: u64, in_flight: u64, is_safe: bool, mss: u64) {
        if delivered == 0 {
            // No progress: permit nothing more, except a first retransmission.
            if self.out == 0 {
                self.window = in_flight + mss;
            }
            return;
        }
        self.delivered += delivered;
        let mut count = if in_flight > self.ssthresh {
            // Proportional rate reduction, rounded up.
            let share = u128::from(self.delivered) * u128::from(self.ssthresh);
            let share = share.div_ceil(u128::from(self.recover_fs)) as u64;
            share.saturating_sub(self.out)
        } else {
            // PRR-CRB by default, PRR-SSRB when recovery is in good progress; catch up as permitted.
            let limit =
                self.delivered.saturating_sub(self.out).max(delivered) + if is_safe { mss } else { 0 };
            limit.min(self.ssthresh - in_flight)
        };
        if self.out == 0 && count < mss {
            // Force a fast retransmit upon entering recovery.
            count = mss;
        }
        self.window = in_flight + count;
    }

    #[inline]
    pub fn on_sent(&mut self, bytes: u64) {
        self.out += bytes;
    }

    /// The window until the next ACK.
    #[inline]
    pub fn window(&self) -> u64 {
        self.window
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    #[test]
    fn rfc9937_spreads_the_reduction_over_the_recovery() {
        // 20 segments in flight, one lost, ssthresh 10: after the first, every other ACK permits a segment.
        let mut prr = Prr::begin(20 * MSS, 10 * MSS);
        let mut in_flight = 19 * MSS;
        let mut sent = Vec::new();
        for ack in 1..=19 {
            in_flight -= MSS;
            prr.on_ack(MSS, in_flight, false, MSS);
            if prr.window() >= in_flight + MSS {
                prr.on_sent(MSS);
                in_flight += MSS;
                sent.push(ack);
            }
        }
        // From ACK 16 on the flight stays at ssthresh.
        assert_eq!(sent, [1, 4, 6, 8, 10, 12, 14, 17, 18, 19]);
        assert_eq!(in_flight, 10 * MSS);
    }

    #[test]
    fn rfc9937_conserves_packets_under_heavy_loss_and_catches_up_on_safe_acks() {
        // 20 in flight, 15 lost: the flight is 4 and ssthresh 10.
        let mut prr = Prr::begin(20 * MSS, 10 * MSS);
        prr.on_ack(MSS, 4 * MSS, false, MSS);
        assert_eq!(prr.window(), 5 * MSS, "CRB: one out for one delivered");
        prr.on_sent(MSS);
        prr.on_ack(MSS, 4 * MSS, true, MSS);
        assert_eq!(prr.window(), 6 * MSS, "SSRB: one more on a safe ACK");
    }

    #[test]
    fn rfc9937_the_first_ack_always_permits_a_retransmission() {
        let mut prr = Prr::begin(100 * MSS, 50 * MSS);
        prr.on_ack(MSS / 2, 98 * MSS, false, MSS);
        assert_eq!(prr.window(), 99 * MSS);
    }
}
