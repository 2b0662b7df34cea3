//! CoDel's estimator and control loop (RFC 8289 §5.2, §5.5, §5.6), independent of the queue.
//!
//! CoDel signals congestion once the sojourn time has stayed at or above `target` for `interval`, then again after
//! decreasing times, interval / √count, until the sojourn time falls below `target`. The RFC writes this as one loop
//! around a queue. Here the decision is made per packet ([`CodelState::judge`]), because a switch's egress sees single
//! departing packets and has no access to the queue. [`CodelState::dequeue`] wraps it into the RFC's loop; a property
//! test compares both with the RFC's pseudocode. [`ControlLaw::P4Codel`] selects P4-CoDel's loop (`p4_codel.rs`) instead.

mod p4_codel;

use jettison_core::{DropReason, Duration, MarkReason, Time};
use jettison_measure::Outcomes;
use jettison_wire::Packet;

use crate::ControlLaw;

/// CoDel's constants (RFC 8289 §5.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodelSettings {
    /// Acceptable standing delay (TARGET).
    pub target: Duration,
    /// Window of the sliding minimum, about the longest expected RTT (INTERVAL).
    pub interval: Duration,
    /// A backlog of at most this many bytes is never a standing queue (MAXPACKET, the interface's MTU). P4-CoDel's law does
    /// not use it.
    pub maxpacket: u64,
    /// Resolution of the clock, > 0: timestamps are truncated to multiples of it, and a sojourn time is the difference of
    /// two truncated timestamps. `None` for exact time.
    pub clock: Option<Duration>,
    /// Computation of the time to the next signal.
    pub control_law: ControlLaw,
}

impl CodelSettings {
    /// Quantises a sojourn time that ends now, and the current time, to the resolution of the clock.
    #[inline]
    pub(crate) fn quantise(&self, sojourn: Duration, now: Time) -> (Duration, Time) {
        let Some(tick) = self.clock.map(Duration::as_nanos) else { return (sojourn, now) };
        let truncate = |nanos: u64| Time::from_nanos(nanos - nanos % tick);
        let enqueued_at = now.as_nanos().saturating_sub(sojourn.as_nanos());
        let now = truncate(now.as_nanos());
        (now.since(truncate(enqueued_at)), now)
    }

    /// The control law (RFC 8289 §5.6): t + INTERVAL / √count. TCP's rate is proportional to 1/√p, so this schedule makes it
    /// fall linearly in time (§3.3).
    #[inline]
    fn next(&self, t: Time, count: u32) -> Time {
        let tick = self.clock.unwrap_or(Duration::from_nanos(1));
        t.saturating_add(self.control_law.step(self.interval, count, tick))
    }
}

/// CoDel's state of one queue (RFC 8289 §5.2).
#[derive(Debug, Clone, Copy, Default)]
pub struct CodelState {
    /// Time at which the sojourn time will have been at or above target for an interval; `None` while it is below.
    first_above_time: Option<Time>,
    /// Time of the next signal in dropping state; outside it, the last such time of the previous cycle.
    drop_next: Time,
    /// Signals since dropping state was entered.
    count: u32,
    /// `count` when dropping state was last entered.
    last_count: u32,
    /// Whether it is in dropping state.
    dropping: bool,
    /// A signal was given in dropping state. Whether the next one is scheduled depends on the next packet.
    unscheduled: bool,
}

/// A queue under CoDel's control.
pub trait CodelStore {
    /// Removes the oldest packet.
    fn pop(&mut self) -> Option<Packet>;
    /// Backlog in bytes (IP length).
    fn bytes(&self) -> u64;
}

impl CodelState {
    /// Returns the next packet to send from `store`. Packets that CoDel signals are dropped or, with `ecn` and if they are
    /// ECN-capable, CE-marked and sent.
    #[inline]
    pub fn dequeue<S: CodelStore>(
        &mut self,
        settings: &CodelSettings,
        ecn: bool,
        store: &mut S,
        now: Time,
        out: &mut dyn Outcomes,
    ) -> Option<Packet> {
        while let Some(mut packet) = store.pop() {
            let sojourn = now.since(packet.meta.enqueued_at);
            if !self.judge(settings, sojourn, store.bytes(), now) {
                return Some(packet);
            }
            if ecn && packet.mark_ce() {
                out.marked(&packet, MarkReason::CoDel, now);
                return Some(packet);
            }
            out.dropped(packet, DropReason::CoDel, now);
        }
        if settings.control_law != ControlLaw::P4Codel {
            self.emptied();
        }
        None
    }

    /// Decides whether the packet that departs now signals congestion. It has waited for `sojourn` and leaves a backlog of
    /// `backlog` bytes behind.
    #[inline]
    pub fn judge(&mut self, settings: &CodelSettings, sojourn: Duration, backlog: u64, now: Time) -> bool {
        let (sojourn, now) = settings.quantise(sojourn, now);
        if settings.control_law == ControlLaw::P4Codel {
            return self.judge_as_p4_codel(settings, sojourn, now);
        }
        let ok_to_drop = self.ok_to_drop(settings, sojourn, backlog, now);
        // The RFC's loop looks at the packet behind a dropped one at once; here that packet is this call's.
        // RFC 8289 §5.5: "If the dequeue doesn't take us out of dropping state, schedule the next drop."
        if std::mem::take(&mut self.unscheduled) && ok_to_drop {
            self.drop_next = settings.next(self.drop_next, self.count);
        }
        if self.dropping {
            if !ok_to_drop {
                // RFC 8289 §5.5: the sojourn time fell below target, leave dropping state.
                self.dropping = false;
                return false;
            }
            if now < self.drop_next {
                return false;
            }
            self.count = self.count.saturating_add(1);
            self.unscheduled = true;
            return true;
        }
        if ok_to_drop {
            self.enter_dropping(settings, now);
        }
        ok_to_drop
    }

    /// Records that a dequeue found the queue empty: it cannot be above target (RFC 8289 §5.6).
    #[inline]
    pub fn emptied(&mut self) {
        self.first_above_time = None;
        self.dropping = false;
        self.unscheduled = false;
    }

    /// Whether it is in dropping state.
    pub fn is_dropping(&self) -> bool {
        self.dropping
    }

    /// The `count` of the control law: signals since dropping state was entered.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Whether the sojourn time has been at or above target for an interval (RFC 8289 §5.6, `dodequeue`).
    #[inline]
    fn ok_to_drop(&mut self, settings: &CodelSettings, sojourn: Duration, backlog: u64, now: Time) -> bool {
        if backlog <= settings.maxpacket {
            self.first_above_time = None;
            return false;
        }
        self.stands(settings, sojourn, now)
    }

    /// The same for a queue of any backlog.
    #[inline]
    fn stands(&mut self, settings: &CodelSettings, sojourn: Duration, now: Time) -> bool {
        if sojourn < settings.target {
            self.first_above_time = None;
            return false;
        }
        match self.first_above_time {
            None => {
                self.first_above_time = Some(now.saturating_add(settings.interval));
                false
            }
            Some(first_above_time) => now >= first_above_time,
        }
    }

    /// Enters dropping state. If it was left less than 16 intervals ago, it resumes near the rate of signals that controlled
    /// the queue then (RFC 8289 §5.5).
    fn enter_dropping(&mut self, settings: &CodelSettings, now: Time) {
        let delta = self.count.saturating_sub(self.last_count);
        let recent = now.since(self.drop_next) < settings.interval.saturating_mul(16);
        self.count = if delta > 1 && recent { delta } else { 1 };
        self.last_count = self.count;
        self.drop_next = settings.next(now, self.count);
        self.dropping = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fifo;
    use crate::testing::packet;
    use jettison_measure::Tally;
    use proptest::prelude::*;

    const SETTINGS: CodelSettings = CodelSettings {
        target: Duration::from_millis(5),
        interval: Duration::from_millis(100),
        maxpacket: 1500,
        clock: None,
        control_law: ControlLaw::Exact,
    };

    /// The RFC's pseudocode, transcribed literally: time 0 means "unset" there.
    #[derive(Default)]
    struct Pseudocode {
        queue: Fifo,
        first_above_time: u64,
        drop_next: u64,
        count: u32,
        last_count: u32,
        dropping: bool,
        dropped: Vec<u32>,
    }

    impl Pseudocode {
        fn law(t: u64, count: u32) -> u64 {
            t + (SETTINGS.interval.as_nanos() as f64 / f64::from(count).sqrt()) as u64
        }
        fn dodequeue(&mut self, now: u64) -> (Option<Packet>, bool) {
            let Some(packet) = self.queue.pop() else {
                self.first_above_time = 0;
                return (None, false);
            };
            let sojourn = now - packet.meta.enqueued_at.as_nanos();
            let mut ok_to_drop = false;
            if sojourn < SETTINGS.target.as_nanos() || self.queue.backlog().bytes <= SETTINGS.maxpacket {
                self.first_above_time = 0;
            } else if self.first_above_time == 0 {
                self.first_above_time = now + SETTINGS.interval.as_nanos();
            } else if now >= self.first_above_time {
                ok_to_drop = true;
            }
            (Some(packet), ok_to_drop)
        }
        fn drop(&mut self, packet: Option<Packet>) {
            self.dropped.push(packet.expect("only a packet is dropped").meta.id);
        }
        fn deque(&mut self, now: u64) -> Option<u32> {
            let (mut packet, mut ok_to_drop) = self.dodequeue(now);
            if self.dropping {
                if !ok_to_drop {
                    self.dropping = false;
                }
                while now >= self.drop_next && self.dropping {
                    self.drop(packet);
                    self.count += 1;
                    (packet, ok_to_drop) = self.dodequeue(now);
                    if !ok_to_drop {
                        self.dropping = false;
                    } else {
                        self.drop_next = Self::law(self.drop_next, self.count);
                    }
                }
            } else if ok_to_drop {
                self.drop(packet);
                (packet, _) = self.dodequeue(now);
                self.dropping = true;
                let delta = self.count - self.last_count;
                self.count = 1;
                if delta > 1
                    && (now as i64 - self.drop_next as i64) < 16 * SETTINGS.interval.as_nanos() as i64
                {
                    self.count = delta;
                }
                self.drop_next = Self::law(now, self.count);
                self.last_count = self.count;
            }
            packet.map(|p| p.meta.id)
        }
    }

    #[derive(Default)]
    struct Store(Fifo);
    impl CodelStore for Store {
        fn pop(&mut self) -> Option<Packet> {
            self.0.pop()
        }
        fn bytes(&self) -> u64 {
            self.0.backlog().bytes
        }
    }

    proptest! {
        /// Bursts of arrivals and departures, far enough apart to enter, leave and re-enter dropping state.
        #[test]
        fn matches_the_pseudocode_of_sections_5_5_and_5_6(
            steps in prop::collection::vec((1u64..40_000_000, 0usize..14, 0usize..12), 1..400)
        ) {
            let (mut store, mut state, mut tally) = (Store::default(), CodelState::default(), Tally::default());
            let mut rfc = Pseudocode::default();
            let (mut now, mut id) = (0, 0);
            for (gap, arrivals, departures) in steps {
                now += gap;
                for _ in 0..arrivals {
                    id += 1;
                    store.0.push(packet(id, 1000), Time::from_nanos(now));
                    rfc.queue.push(packet(id, 1000), Time::from_nanos(now));
                }
                for _ in 0..departures {
                    now += 500_000;
                    let ours = state.dequeue(&SETTINGS, false, &mut store, Time::from_nanos(now), &mut tally);
                    prop_assert_eq!(ours.map(|p| p.meta.id), rfc.deque(now));
                }
            }
            let dropped: Vec<u32> = tally.drops.iter().map(|drop| drop.0).collect();
            prop_assert_eq!(dropped, rfc.dropped);
            prop_assert_eq!((state.count, state.last_count), (rfc.count, rfc.last_count));
        }
    }

    #[test]
    fn control_law_divides_the_interval_by_the_root_of_count() {
        // RFC 8289 §5.6
        let from = Time::from_secs(1);
        let step = |count| SETTINGS.next(from, count).since(from);
        assert_eq!(step(1), Duration::from_millis(100));
        assert_eq!(step(4), Duration::from_millis(50));
        assert_eq!(step(100), Duration::from_millis(10));
        assert_eq!(step(2), Duration::from_nanos(70_710_678));
    }

    const NEVER: [u64; 0] = [];

    /// Judges a packet every millisecond from `from`, each having waited `sojourn`; gives the times of the signals.
    fn run(state: &mut CodelState, from: u64, millis: u64, sojourn: Duration) -> Vec<u64> {
        (from..from + millis)
            .filter(|&t| state.judge(&SETTINGS, sojourn, 100_000, Time::from_millis(t)))
            .collect()
    }

    #[test]
    fn signals_first_after_one_interval_at_target_or_above() {
        // RFC 8289 §5.6: "sojourn_time < TARGET" is below; at TARGET is above.
        assert_eq!(run(&mut CodelState::default(), 1000, 101, SETTINGS.target), [1100]);
        let just_below = SETTINGS.target - Duration::from_nanos(1);
        assert_eq!(run(&mut CodelState::default(), 1000, 1000, just_below), NEVER);
    }

    #[test]
    fn one_packet_below_target_starts_the_interval_anew() {
        // RFC 8289 §5.6: "went below - stay below for at least INTERVAL"
        let mut state = CodelState::default();
        assert_eq!(run(&mut state, 1000, 99, Duration::from_millis(20)), NEVER);
        assert_eq!(run(&mut state, 1099, 1, Duration::from_millis(1)), NEVER);
        assert_eq!(run(&mut state, 1100, 101, Duration::from_millis(20)), [1200]);
    }

    #[test]
    fn signals_come_closer_by_the_control_law() {
        // RFC 8289 §5.5: 1100, then + 100/√1 + 100/√2 + 100/√3 + 100/√4
        let mut state = CodelState::default();
        assert_eq!(
            run(&mut state, 1000, 440, Duration::from_millis(20)),
            [1100, 1200, 1271, 1329, 1379, 1424]
        );
        assert_eq!(state.count(), 6);
    }

    #[test]
    fn several_signals_fall_due_at_once_after_a_long_silence() {
        // RFC 8289 §5.5: "A large backlog might result in drop rates so high that the next drop should happen now,
        // hence the 'while' loop."
        let mut state = CodelState::default();
        let (sojourn, later) = (Duration::from_secs(1), Time::from_millis(1600));
        assert_eq!(run(&mut state, 1000, 101, sojourn), [1100]);
        let at_once = (0..100).take_while(|_| state.judge(&SETTINGS, sojourn, 100_000, later)).count();
        // 1200, 1270, 1328, 1378, 1423, 1463, 1501, 1537, 1570, 1602
        assert_eq!(at_once, 9);
    }

    #[test]
    fn re_entry_within_16_intervals_takes_up_the_last_rate() {
        // RFC 8289 §5.5: count = count - lastcount, if that is above 1 and drop_next is less than 16 intervals past.
        let entered_again = |pause: u64| {
            let mut state = CodelState::default();
            run(&mut state, 1000, 440, Duration::from_millis(20));
            run(&mut state, 1440, pause, Duration::ZERO);
            assert!(!state.is_dropping());
            run(&mut state, 1440 + pause, 101, Duration::from_millis(20));
            assert!(state.is_dropping());
            state.count()
        };
        // It left with count 6, lastcount 1.
        assert_eq!(entered_again(10), 5);
        assert_eq!(entered_again(1450), 5);
        assert_eq!(entered_again(1650), 1);
    }

    #[test]
    fn a_signal_that_ends_dropping_state_schedules_no_next_one() {
        // RFC 8289 §5.5: drop_next moves only if the packet behind the dropped one is still above target. It shows in
        // the 16 intervals: from 1423 they are over at 3040, from the signal that would follow, at 1464, they are not.
        let count_at_3040 = |above_until: u64| {
            let mut state = CodelState::default();
            run(&mut state, 1000, above_until - 1000, Duration::from_millis(20));
            run(&mut state, above_until, 2940 - above_until, Duration::ZERO);
            assert_eq!(run(&mut state, 2940, 101, Duration::from_millis(20)), [3040]);
            state.count()
        };
        assert_eq!(count_at_3040(1425), 1);
        assert_eq!(count_at_3040(1426), 5);
    }

    #[test]
    fn never_signals_when_at_most_a_maximum_packet_waits() {
        // RFC 8289 §5.6: bytes() <= MAXPACKET, so that the link is never starved (§4.1).
        let mut state = CodelState::default();
        for t in 0..1000 {
            assert!(!state.judge(
                &SETTINGS,
                Duration::from_secs(1),
                SETTINGS.maxpacket,
                Time::from_millis(t)
            ));
        }
        assert!((1000..1200).any(|t| state.judge(
            &SETTINGS,
            Duration::from_secs(1),
            1501,
            Time::from_millis(t)
        )));
    }

    #[test]
    fn an_empty_queue_leaves_dropping_state() {
        // RFC 8289 §5.6: "queue is empty - we can't be above TARGET"
        let mut state = CodelState::default();
        run(&mut state, 1000, 110, Duration::from_millis(20));
        assert!(state.is_dropping());
        assert!(
            state
                .dequeue(&SETTINGS, false, &mut Store::default(), Time::from_secs(2), &mut Tally::default())
                .is_none()
        );
        assert!(!state.is_dropping());
        assert_eq!(run(&mut state, 2000, 100, Duration::from_millis(20)), NEVER);
    }

    #[test]
    fn a_clock_of_one_microsecond_truncates_timestamps_before_subtraction() {
        let settings = CodelSettings { clock: Some(Duration::from_micros(1)), ..SETTINGS };
        let seen = |sojourn, now| settings.quantise(Duration::from_nanos(sojourn), Time::from_nanos(now));
        // Queued at 1.1 µs and at 1.9 µs, out at 3.0 µs.
        assert_eq!(seen(1_900, 3_000), (Duration::from_micros(2), Time::from_micros(3)));
        assert_eq!(seen(1_100, 3_000), (Duration::from_micros(2), Time::from_micros(3)));
        assert_eq!(seen(1_100, 2_999), (Duration::from_micros(1), Time::from_micros(2)));
        let exact = (Duration::from_nanos(1_100), Time::from_nanos(2_999));
        assert_eq!(SETTINGS.quantise(exact.0, exact.1), exact);
    }

    #[test]
    fn the_control_law_can_use_the_table_in_units_of_the_clock() {
        let settings = CodelSettings {
            clock: Some(Duration::from_micros(1)),
            control_law: ControlLaw::Table,
            ..SETTINGS
        };
        // 65,536 / √2 is 46,340.9; 100,000 · 46,340 / 65,536 is 70,709.2.
        assert_eq!(settings.next(Time::ZERO, 2), Time::from_micros(70_709));
        let signals = |settings: &CodelSettings| {
            let mut state = CodelState::default();
            let times = (1000..1440)
                .filter(|&t| state.judge(settings, Duration::from_millis(20), 100_000, Time::from_millis(t)));
            times.collect::<Vec<_>>()
        };
        assert_eq!(signals(&settings), signals(&SETTINGS), "a packet each millisecond shows no difference");
    }
}
