//! Ticks of the receiver's clock, and the evidence of each.
//!
//! The paper's sender marks packets with the time until the next one, so that the receiver does not mistake an idle
//! sender for an outage (§3.4). Here the sender itself infers, and knows the departure of each packet. A packet is
//! *due* when it would arrive without a queue: its departure plus the recent minimum of one-way delays. While a packet
//! is due and has not arrived, the bottleneck had something to send. A tick through which this held counts the packets
//! that arrived in it; any other tick gives at most a lower bound.

use super::belief::Evidence;

/// Maximum number of ticks processed after a silence; by then the belief has forgotten everything.
const MOST_TICKS: i64 = 250;
/// A tick is complete if at most this fraction of it was idle.
const IDLE_PART: i64 = 20;

/// Ticks, in nanoseconds of the receiver's clock.
#[derive(Debug, Clone)]
pub(super) struct Observer {
    // Parameters.
    tick: i64,
    packet: f64,
    is_idle_counted: bool,
    // State.
    /// End of the current tick; `None` before the first arrival.
    ends_at: Option<i64>,
    /// Time until which it is known whether the link was busy.
    known_until: i64,
    /// Nanoseconds of the current tick without a due packet.
    idle: i64,
    /// Bytes that arrived in the current tick.
    bytes: u64,
}

impl Observer {
    /// Creates an observer; `tick` in nanoseconds, `packet` in bytes; `is_idle_counted`: partly idle ticks give a
    /// lower bound.
    pub(super) fn new(tick: i64, packet: u64, is_idle_counted: bool) -> Observer {
        Observer {
            tick,
            packet: packet as f64,
            is_idle_counted,
            ends_at: None,
            known_until: 0,
            idle: 0,
            bytes: 0,
        }
    }

    /// End of the current tick.
    pub(super) fn tick_ends_at(&self) -> Option<i64> {
        self.ends_at
    }

    /// Records the arrival of `bytes` that were due at `due`. Calls `each` for each tick that ended before.
    pub(super) fn arrived(&mut self, due: i64, at: i64, bytes: u64, each: &mut impl FnMut(Evidence)) {
        if self.ends_at.is_none() {
            self.ends_at = Some(at.saturating_add(self.tick));
            self.known_until = at;
            return;
        }
        self.advance(due.min(at), true, each);
        self.advance(at, false, each);
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Records the arrival of `bytes` at an unknown time.
    pub(super) fn arrived_some_time(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Records that nothing else arrived until `at`; `oldest_due` is the due time of the oldest packet in flight.
    pub(super) fn passed(&mut self, at: i64, oldest_due: Option<i64>, each: &mut impl FnMut(Evidence)) {
        self.advance(oldest_due.unwrap_or(at).min(at), true, each);
        self.advance(at, false, each);
    }

    fn advance(&mut self, to: i64, is_idle: bool, each: &mut impl FnMut(Evidence)) {
        let Some(mut ends_at) = self.ends_at else { return };
        if to <= self.known_until {
            return;
        }
        let mut ticks = 0;
        while ends_at <= to {
            if is_idle {
                self.idle += ends_at - self.known_until;
            }
            each(self.evidence());
            (self.idle, self.bytes, self.known_until) = (0, 0, ends_at);
            ticks += 1;
            if ticks == MOST_TICKS {
                // Far behind: continue with the tick that contains `to`.
                let behind = (to - ends_at) / self.tick * self.tick;
                ends_at = ends_at.saturating_add(behind);
                self.known_until = ends_at;
            }
            ends_at = ends_at.saturating_add(self.tick);
            if ends_at == i64::MAX {
                break;
            }
        }
        if is_idle {
            self.idle += to - self.known_until;
        }
        self.known_until = to;
        self.ends_at = Some(ends_at);
    }

    fn evidence(&self) -> Evidence {
        let packets = self.bytes as f64 / self.packet;
        if self.idle <= self.tick / IDLE_PART {
            Evidence::Exactly(packets)
        } else if self.is_idle_counted {
            Evidence::AtLeast(packets as u64)
        } else {
            Evidence::Nothing
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: i64 = 20;

    fn observer() -> Observer {
        let mut observer = Observer::new(TICK, 1000, true);
        observer.arrived(0, 0, 1000, &mut |_| panic!("the first arrival only starts the clock"));
        observer
    }

    fn ticks(run: impl FnOnce(&mut dyn FnMut(Evidence))) -> Vec<Evidence> {
        let mut seen = Vec::new();
        run(&mut |evidence| seen.push(evidence));
        seen
    }

    #[test]
    fn a_tick_with_packets_waiting_counts_arrivals() {
        let mut observer = observer();
        let seen = ticks(|mut each| {
            for at in [5, 10, 15, 20] {
                observer.arrived(1, at, 1000, &mut each);
            }
        });
        // The packet at 20 belongs to the next tick.
        assert_eq!(seen, [Evidence::Exactly(3.0)]);
    }

    #[test]
    fn sprout_3_4_a_tick_without_packets_in_flight_gives_no_evidence() {
        let mut observer = observer();
        let seen = ticks(|mut each| observer.passed(60, None, &mut each));
        assert_eq!(seen, [Evidence::AtLeast(0); 3]);
    }

    #[test]
    fn silence_while_a_packet_is_due_is_evidence() {
        let mut observer = observer();
        let seen = ticks(|mut each| observer.passed(60, Some(20), &mut each));
        assert_eq!(seen, [Evidence::AtLeast(0), Evidence::Exactly(0.0), Evidence::Exactly(0.0)]);
    }

    #[test]
    fn a_partly_idle_tick_gives_a_bound() {
        let mut observer = observer();
        let seen = ticks(|mut each| {
            observer.arrived(0, 4, 2500, &mut each);
            observer.arrived(12, 25, 1000, &mut each);
        });
        assert_eq!(seen, [Evidence::AtLeast(2)]);
    }

    #[test]
    fn such_ticks_may_be_left_out() {
        let mut observer = Observer::new(TICK, 1000, false);
        observer.arrived(0, 0, 1000, &mut |_| ());
        let seen = ticks(|mut each| {
            observer.arrived(12, 13, 2500, &mut each);
            observer.passed(40, Some(14), &mut each);
        });
        assert_eq!(seen, [Evidence::Nothing, Evidence::Exactly(0.0)]);
    }

    #[test]
    fn a_long_silence_is_cut_short() {
        let mut observer = observer();
        let seen = ticks(|mut each| observer.passed(TICK * 1_000_000 + 7, None, &mut each));
        assert_eq!(seen.len(), MOST_TICKS as usize);
        assert_eq!(observer.tick_ends_at(), Some(TICK * 1_000_001));
        observer.passed(i64::MAX, Some(i64::MIN), &mut |_| ());
    }
}
