//! Pacing, common to all transports.

use jettison_core::{Bytes, Rate, Time};

/// Computes when the next segment may leave.
///
/// A quantum of bytes leaves back to back; the next one may begin after the time that the quantum takes at the pacing
/// rate. Only payload bytes count, as in windows and delivery rates.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pacer {
    next_at: Time,
    /// Bytes left of the current quantum.
    quantum_left: u64,
}

impl Pacer {
    /// The start time of the next quantum.
    #[inline]
    pub fn next_at(&self) -> Time {
        self.next_at
    }

    /// Whether a segment may leave now.
    #[inline]
    pub fn may_send(&self, now: Time) -> bool {
        self.quantum_left > 0 || now >= self.next_at
    }

    /// Records the departure of `bytes` at `now`.
    #[inline]
    pub fn on_sent(&mut self, bytes: u64, rate: Rate, quantum: u64, now: Time) {
        if self.quantum_left == 0 {
            self.quantum_left = quantum;
        }
        self.quantum_left = self.quantum_left.saturating_sub(bytes);
        self.next_at = self.next_at.max(now).saturating_add(rate.time_for(Bytes::new(bytes)));
    }

    /// Ends the quantum, because the sender has no data.
    #[inline]
    pub fn on_idle(&mut self) {
        self.quantum_left = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_segments_by_the_rate() {
        let (mut pacer, rate) = (Pacer::default(), Rate::from_mbit(8));
        let mut now = Time::ZERO;
        for i in 0..5 {
            assert!(pacer.may_send(now));
            pacer.on_sent(1000, rate, 1000, now);
            assert!(!pacer.may_send(now));
            assert_eq!(pacer.next_at(), Time::from_millis(i + 1));
            now = pacer.next_at();
        }
    }

    #[test]
    fn a_quantum_leaves_back_to_back_at_the_same_average() {
        let (mut pacer, rate) = (Pacer::default(), Rate::from_mbit(8));
        pacer.on_sent(1000, rate, 3000, Time::ZERO);
        pacer.on_sent(1000, rate, 3000, Time::ZERO);
        assert!(pacer.may_send(Time::ZERO));
        pacer.on_sent(1000, rate, 3000, Time::ZERO);
        assert!(!pacer.may_send(Time::from_micros(2999)));
        assert!(pacer.may_send(Time::from_millis(3)));
    }
}
