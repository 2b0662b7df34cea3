//! When packets leave, as GCC is told.
//!
//! WebRTC dates a sent packet in whole milliseconds (`rtc_base/network/sent_packet.h`, `rtp/transport_feedback_adapter.cc`; read for
//! facts alone). Packets with one date are one group of GCC's arrival filter, even where they are of a frame that another group
//! has begun to take. The packets of a burst leave one after the other, so that some bursts have two dates: each burst begins at
//! a random part of a millisecond, as captures know nothing of that clock.
//!
//! In the simulated network a burst leaves at one instant; only the dates differ.

use jettison_core::{Duration, RandomStream, Time};

const MILLISECOND: u64 = 1_000_000;

/// Dates of sent packets.
#[derive(Debug, Clone)]
pub(super) struct SendClock {
    /// Time that a packet takes to leave.
    packet: Duration,
    random: RandomStream,
    /// When the burst left, and the part of a millisecond that has passed in it.
    burst: Time,
    passed: u64,
}

impl SendClock {
    /// Creates it with the time that a packet takes to leave.
    pub(super) fn new(packet: Duration, random: RandomStream) -> SendClock {
        SendClock { packet, random, burst: Time::MAX, passed: 0 }
    }

    /// The date of the next packet, which leaves now.
    pub(super) fn date(&mut self, now: Time) -> Time {
        if self.burst == now {
            self.passed += self.packet.as_nanos();
        } else {
            self.burst = now;
            self.passed = self.random.uniform(0, MILLISECOND - 1);
        }
        Time::from_millis(now.as_nanos() / MILLISECOND + self.passed / MILLISECOND)
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Seed;

    use super::*;

    /// The dates of bursts of ten packets, in milliseconds from the burst's.
    fn dates(packet: Duration) -> Vec<[u64; 10]> {
        let mut clock = SendClock::new(packet, Seed(1).stream(&["clock"]));
        let burst = |at: Time| {
            [(); 10].map(|()| clock.date(at).as_nanos() / MILLISECOND - at.as_nanos() / MILLISECOND)
        };
        (0..1000).map(|n| Time::from_micros(33_333 * n)).map(burst).collect()
    }

    #[test]
    fn packets_that_leave_in_no_time_have_one_date() {
        assert!(dates(Duration::ZERO).iter().all(|dates| *dates == [0; 10]));
    }

    #[test]
    fn as_many_bursts_have_two_dates_as_cross_a_millisecond() {
        // Nine times 20 µs of 1 ms.
        let dates = dates(Duration::from_micros(20));
        let crossing = dates.iter().filter(|dates| dates[9] == 1).count();
        assert!((140..220).contains(&crossing), "{crossing}");
        assert!(dates.iter().all(|dates| dates[0] == 0 && dates.is_sorted()));
    }
}
