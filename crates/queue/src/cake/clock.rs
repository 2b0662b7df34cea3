//! The virtual clock of a shaper in deficit mode.

use jettison_core::{Rate, Time};

/// Fractional bits of a nanosecond.
const FRACTION: u32 = 32;

/// A schedule of departures at a rate. Each packet moves it by the packet's time on the wire; the next one may leave once it is
/// reached. There is no bucket: after an idle time nothing has accumulated, and a late packet is made up for.
#[derive(Debug, Clone)]
pub struct VirtualClock {
    /// Nanoseconds per byte, in units of 2^-32.
    per_byte: u128,
    due: Time,
    /// Part of a nanosecond that `due` lacks, in units of 2^-32.
    fraction: u32,
}

impl VirtualClock {
    /// A clock at `rate`, which must be above zero, with the next packet due at once.
    pub fn new(rate: Rate) -> VirtualClock {
        VirtualClock { per_byte: per_byte(rate), due: Time::ZERO, fraction: 0 }
    }

    /// Changes the rate from the next packet on.
    pub fn set_rate(&mut self, rate: Rate) {
        self.per_byte = per_byte(rate);
    }

    /// Time at which the next packet may leave.
    #[inline]
    pub fn due(&self) -> Time {
        self.due
    }

    /// Starts the schedule anew if it lies in the past: there was nothing to send.
    #[inline]
    pub fn wake(&mut self, now: Time) {
        if self.due < now {
            (self.due, self.fraction) = (now, 0);
        }
    }

    /// Moves the schedule by a packet of `bytes` on the wire that leaves `now`. Service before its time counts from `now`, so that
    /// it puts a schedule ahead by one packet at most.
    #[inline]
    pub fn sent(&mut self, bytes: u32, now: Time) {
        let start = if self.due <= now { (self.due, self.fraction) } else { (now, 0) };
        let end = self.after(start.0, start.1, bytes);
        (self.due, self.fraction) = end.max((self.due, self.fraction));
    }

    /// Moves the schedule by `bytes` that have used the link already, wherever it is.
    #[inline]
    pub fn charge(&mut self, bytes: u32) {
        (self.due, self.fraction) = self.after(self.due, self.fraction, bytes);
    }

    #[inline]
    fn after(&self, from: Time, fraction: u32, bytes: u32) -> (Time, u32) {
        let moved = self.per_byte.saturating_mul(u128::from(bytes)).saturating_add(u128::from(fraction));
        let nanos = u64::try_from(moved >> FRACTION).unwrap_or(u64::MAX);
        (Time::from_nanos(from.as_nanos().saturating_add(nanos)), moved as u32)
    }
}

fn per_byte(rate: Rate) -> u128 {
    (8_000_000_000 << FRACTION) / u128::from(rate.as_bits().max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_due_one_transmission_time_apart_exactly_in_the_long_run() {
        // 1,000 bytes at 3 Mbit/s take 2,666,666 2/3 ns.
        let mut clock = VirtualClock::new(Rate::from_mbit(3));
        for _ in 0..3_000 {
            clock.sent(1_000, clock.due());
        }
        assert!(Time::from_secs(8).since(clock.due()).as_nanos() <= 1, "{:?}", clock.due());
    }

    #[test]
    fn a_late_packet_is_made_up_for_and_an_idle_time_is_not() {
        let mut clock = VirtualClock::new(Rate::from_mbit(8));
        clock.sent(1_000, Time::from_millis(0));
        clock.sent(1_000, Time::from_millis(5));
        assert_eq!(clock.due(), Time::from_millis(2));
        clock.wake(Time::from_millis(10));
        clock.sent(1_000, Time::from_millis(10));
        assert_eq!(clock.due(), Time::from_millis(11));
        clock.wake(Time::from_millis(10));
        assert_eq!(clock.due(), Time::from_millis(11));
    }

    #[test]
    fn service_before_its_time_puts_it_one_packet_ahead_at_most() {
        let mut clock = VirtualClock::new(Rate::from_mbit(8));
        clock.sent(4_000, Time::ZERO);
        clock.sent(1_000, Time::from_millis(1));
        assert_eq!(clock.due(), Time::from_millis(4));
        clock.sent(4_000, Time::from_millis(2));
        assert_eq!(clock.due(), Time::from_millis(6));
        clock.charge(1_000);
        assert_eq!(clock.due(), Time::from_millis(7));
    }

    #[test]
    fn the_slowest_and_the_fastest_rate_do_not_overflow() {
        let mut slow = VirtualClock::new(Rate::from_bits(1));
        slow.sent(u32::MAX, Time::ZERO);
        slow.sent(u32::MAX, Time::ZERO);
        assert!(slow.due() > Time::from_secs(4_000_000_000));
        let mut fast = VirtualClock::new(Rate::from_bits(u64::MAX));
        fast.sent(1, Time::ZERO);
        assert_eq!(fast.due(), Time::ZERO);
    }
}
