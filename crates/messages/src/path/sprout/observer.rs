//! Ticks of the receiver's clock, and what each told of the link.
//!
//! The paper's sender marks packets with the time until the next one, so that the receiver takes no silence for an outage
//! when nothing was sent (§3.4). Here the sender itself infers, and knows when each packet left. A packet is *due* when it
//! would arrive without a queue: when it left, plus the lowest one-way delay of late. While a packet is due and not there,
//! the bottleneck had something to send. A tick through which this held counts for what arrived in it; any other tick says
//! at most that the link can do as much.

use super::belief::Evidence;

/// Ticks that are worked through after a silence; the belief has forgotten all by then.
const MOST_TICKS: i64 = 250;
/// A tick is whole if at most this part of it was idle.
const IDLE_PART: i64 = 20;

/// Ticks, in nanoseconds of the receiver's clock.
#[derive(Debug, Clone)]
pub(super) struct Observer {
    // Parameters.
    tick: i64,
    packet: f64,
    is_idle_counted: bool,
    // State.
    /// When the open tick ends; `None` before the first arrival.
    ends_at: Option<i64>,
    /// Until when it is known whether the link was busy.
    known_until: i64,
    /// Nanoseconds of the open tick in which nothing was due.
    idle: i64,
    /// Bytes that arrived in the open tick.
    bytes: u64,
}

impl Observer {
    /// `tick` in nanoseconds, `packet` in bytes; `is_idle_counted` is whether ticks that were idle in part tell a bound.
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

    /// When the open tick ends.
    pub(super) fn tick_ends_at(&self) -> Option<i64> {
        self.ends_at
    }

    /// `bytes` arrived that had been due at `due`. `each` is told of each tick that ended before.
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

    /// `bytes` arrived, it is not known when.
    pub(super) fn arrived_some_time(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Nothing else arrived until `at`; `oldest_due` is when the oldest packet under way was due.
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
                // Far behind: go on with the tick that `to` is in.
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
    fn a_tick_with_packets_waiting_counts_what_arrived() {
        let mut observer = observer();
        let seen = ticks(|mut each| {
            for at in [5, 10, 15, 20] {
                observer.arrived(1, at, 1000, &mut each);
            }
        });
        // The one at 20 is the next tick's.
        assert_eq!(seen, [Evidence::Exactly(3.0)]);
    }

    #[test]
    fn sprout_3_4_a_tick_without_anything_under_way_says_nothing() {
        let mut observer = observer();
        let seen = ticks(|mut each| observer.passed(60, None, &mut each));
        assert_eq!(seen, [Evidence::AtLeast(0); 3]);
    }

    #[test]
    fn silence_while_a_packet_is_due_is_seen_as_such() {
        let mut observer = observer();
        let seen = ticks(|mut each| observer.passed(60, Some(20), &mut each));
        assert_eq!(seen, [Evidence::AtLeast(0), Evidence::Exactly(0.0), Evidence::Exactly(0.0)]);
    }

    #[test]
    fn a_tick_that_was_idle_in_part_gives_a_bound() {
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
