//! Acknowledgement of each segment where Linux does so: at the start, after idle, and while its receive window grows.
//!
//! Linux acknowledges each of the first segments of a connection, and of those after an idle time, to let slow start
//! begin fast. Besides, its receive window begins small and grows by two segments with each that arrives, up to a limit
//! that follows what the application read in an RTT; as long as it grows, each segment is acknowledged. The
//! window that [`super::receiver`] advertises is fixed; here it is only followed for the sake of these ACKs.
//! Constants and rules are as measured with Linux 6.1, and as its documentation of `tcp_rmem` describes them.

use jettison_core::{Duration, Time};

/// Segments acknowledged each, at the start and after idle.
const QUICK: u32 = 16;
/// The receive window at the start and its first limit, with the `tcp_rmem` of a current host.
const FIRST_WINDOW: u64 = 64 << 10;
const FIRST_LIMIT: u64 = 80 << 10;
/// The first estimate of what the application reads in an RTT, in segments: an initial window.
const FIRST_READ: u64 = 10;
/// Segments that the limit leaves beyond twice what is read in an RTT.
const SPARE: u64 = 16;

/// The state of one receiving half.
#[derive(Debug, Clone)]
pub(super) struct QuickAcks {
    // Parameters.
    mss: u64,
    buffer: u64,
    rtt: Duration,
    /// Silence of the peer after which segments are again acknowledged each: the timeout after the handshake.
    idle: Duration,
    // State.
    left: u32,
    last_at: Time,
    /// The window that Linux would advertise, and its limit.
    window: u64,
    limit: u64,
    /// Bytes read in the busiest RTT so far; the present RTT's end, and the bytes received at its start.
    read: u64,
    round_ends: Time,
    round_start: u64,
}

impl QuickAcks {
    pub fn new(mss: u64, buffer: u64, rtt: Duration, idle: Duration, now: Time) -> QuickAcks {
        QuickAcks {
            mss,
            buffer,
            rtt,
            idle,
            left: QUICK,
            last_at: now,
            window: FIRST_WINDOW,
            limit: FIRST_LIMIT,
            read: FIRST_READ * mss,
            round_ends: now.saturating_add(rtt),
            round_start: 0,
        }
    }

    /// Whether the segment in order that just arrived is acknowledged at once; `received` is the end of the stream so
    /// far.
    #[inline]
    pub fn on_segment(&mut self, received: u64, now: Time) -> bool {
        if now >= self.round_ends {
            self.end_round(received, now);
        }
        if now.since(self.last_at) > self.idle {
            self.left = QUICK;
        }
        self.last_at = now;
        let grows = self.window < self.limit;
        if grows {
            self.window += 2 * self.mss;
        }
        let is_quick = self.left > 0;
        self.left -= u32::from(is_quick);
        grows || is_quick
    }

    fn end_round(&mut self, received: u64, now: Time) {
        let read = received - self.round_start;
        if read > self.read {
            let window = 2 * read + SPARE * self.mss;
            // If the next round brings as much more as this one did, it fits too.
            let growth = u128::from(window) * u128::from(read - self.read) / u128::from(self.read.max(1));
            let limit = window.saturating_add(u64::try_from(2 * growth).unwrap_or(u64::MAX));
            self.limit = self.limit.max(limit.min(self.buffer));
            self.read = read;
        }
        self.round_start = received;
        self.round_ends = now.saturating_add(self.rtt);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1448;

    /// Rounds of so many segments at each RTT of 40 ms: for each the number of segments acknowledged at once.
    fn rounds(quick: &mut QuickAcks, from: u64, received: &mut u64, sizes: &[u64]) -> Vec<u64> {
        let mut all = Vec::new();
        for (round, size) in sizes.iter().enumerate() {
            let mut at_once = 0;
            for number in 0..*size {
                let now =
                    Time::from_millis(from + 40 * (round as u64 + 1)) + Duration::from_micros(number * 10);
                *received += MSS;
                at_once += u64::from(quick.on_segment(*received, now));
            }
            all.push(at_once);
        }
        all
    }

    fn quick_acks() -> QuickAcks {
        QuickAcks::new(MSS, 6 << 20, Duration::from_millis(40), Duration::from_millis(240), Time::ZERO)
    }

    #[test]
    fn the_first_16_segments_and_those_after_idle_are_acknowledged_each() {
        let (mut quick, mut received) = (quick_acks(), 0);
        assert_eq!(rounds(&mut quick, 0, &mut received, &[10, 10, 10]), [10, 6, 0]);
        assert_eq!(rounds(&mut quick, 300, &mut received, &[10]), [0], "a silence of 220 ms");
        assert_eq!(rounds(&mut quick, 600, &mut received, &[10, 10, 10]), [10, 6, 0]);
    }

    #[test]
    fn in_slow_start_the_window_grows_and_each_segment_is_acknowledged() {
        let (mut quick, mut received) = (quick_acks(), 0);
        let at_once = rounds(&mut quick, 0, &mut received, &[10, 20, 40, 60, 60, 60, 60]);
        // The limit knows of the growth once a whole round was larger than the one before.
        assert_eq!(at_once[..2], [10, 6]);
        assert!(at_once[2] >= 38 && at_once[3] == 60, "{at_once:?}");
        assert_eq!(at_once[6], 0, "the window has grown to its limit");
    }
}
