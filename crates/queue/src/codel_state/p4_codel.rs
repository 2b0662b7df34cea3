//! CoDel's loop as P4-CoDel has it, for data planes whose egress sees one packet at a time.
//!
//! Reference: Kundel, Blendin, Viernickel, Koldehofe, Steinmetz: *P4-CoDel: Active Queue Management in Programmable Data
//! Planes* (NFV-SDN 2018), and its program (`ralfkundel/p4-codel`, `srcP4/codel.p4`). It differs from RFC 8289 §5.5 and §5.6:
//!
//! - The next signal is due one step after the time of this one, not after the time at which this one was due. A packet that
//!   comes late therefore delays all later signals, and at most one packet is dropped at one time.
//! - The step is that of the highest power of two which the count has reached.
//! - From a count of 1,024 on, a signal sets no new time: each packet is dropped until the delay falls below target.
//! - Neither a backlog of at most MAXPACKET nor an empty queue resets the estimator or ends dropping state; only a packet with
//!   a delay below target does.
//!
//! Estimator, exit, and the count at entry (`count - last_count` within 16 intervals) are those of the RFC. The program subtracts
//! the time of the next signal without a sign there; this has no effect, since that time is always past at re-entry: a packet
//! below target ended dropping state, and an interval has passed since, which is the longest step.

use jettison_core::{Duration, Time};

use super::{CodelSettings, CodelState};

impl CodelState {
    /// Decides about one packet, with `sojourn` and `now` in the resolution of the clock.
    pub(super) fn judge_as_p4_codel(
        &mut self,
        settings: &CodelSettings,
        sojourn: Duration,
        now: Time,
    ) -> bool {
        if !self.stands(settings, sojourn, now) {
            self.dropping = false;
            return false;
        }
        if self.dropping {
            if now < self.drop_next {
                return false;
            }
            self.count = self.count.wrapping_add(1);
        } else {
            let due_before = self.drop_next;
            self.enter_dropping(settings, now);
            // `enter_dropping` schedules the next signal for every count.
            if !settings.control_law.steps(self.count) {
                self.drop_next = due_before;
            }
            return true;
        }
        if settings.control_law.steps(self.count) {
            self.drop_next = settings.next(now, self.count);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ControlLaw;
    use proptest::prelude::*;

    const SETTINGS: CodelSettings = CodelSettings {
        target: Duration::from_millis(5),
        interval: Duration::from_millis(100),
        maxpacket: 1500,
        clock: Some(Duration::from_micros(1)),
        control_law: ControlLaw::P4Codel,
    };

    /// Judges a packet every `gap` from `from` ms to `to` ms, each having waited `sojourn` ms; returns the times of the
    /// signals in ms.
    fn run(state: &mut CodelState, from: u64, to: u64, gap: u64, sojourn: u64) -> Vec<u64> {
        let sojourn = Duration::from_millis(sojourn);
        let times = (from..to).step_by(gap as usize);
        times.filter(|&t| state.judge(&SETTINGS, sojourn, 100_000, Time::from_millis(t))).collect()
    }

    #[test]
    fn steps_are_halved_by_four_times_the_count_and_start_at_the_signal() {
        // 100 ms for count 1, 70.71 ms for 2 and 3, 50 ms for 4 to 7, each rounded up to the next packet.
        let mut state = CodelState::default();
        let signals = run(&mut state, 1000, 1600, 1, 20);
        assert_eq!(signals, [1100, 1200, 1271, 1342, 1392, 1442, 1492, 1542, 1578]);
        // Packets every 30 ms: each signal waits for a packet, and the next step starts there. The RFC's law would signal at
        // 1120, 1240, 1300 (1290.7 is due), 1360 (1348.4), ….
        let signals = run(&mut CodelState::default(), 1000, 1500, 30, 20);
        assert_eq!(signals, [1120, 1240, 1330, 1420, 1480]);
    }

    #[test]
    fn a_small_backlog_is_no_exception() {
        let judge = |control_law| {
            let settings = CodelSettings { control_law, ..SETTINGS };
            let mut state = CodelState::default();
            (0..200)
                .filter(|t| state.judge(&settings, settings.target, 0, Time::from_millis(1000 + t)))
                .count()
        };
        assert_eq!((judge(ControlLaw::P4Codel), judge(ControlLaw::Table)), (1, 0));
    }

    #[test]
    fn a_count_of_1024_drops_every_packet_until_the_delay_is_below_target() {
        let mut state = CodelState::default();
        let signals = run(&mut state, 1000, 12_000, 1, 20);
        let last = *signals.last().expect("it signals");
        assert_eq!(last, 11_999);
        let first = signals.iter().position(|at| signals.contains(&(at + 1))).expect("it comes to that");
        assert_eq!(first + 1, 1024, "signals before every packet is one");
        assert_eq!(signals.len() as u64, first as u64 + (last - signals[first]) + 1);
        assert!(run(&mut state, 12_000, 12_001, 1, 4).is_empty());
        assert!(!state.is_dropping());
    }

    #[test]
    fn re_entry_resumes_with_the_difference_of_counts_within_16_intervals() {
        let entered_again = |pause: u64| {
            let mut state = CodelState::default();
            run(&mut state, 1000, 1600, 1, 20);
            assert_eq!(state.count(), 9);
            run(&mut state, 1600, 1600 + pause, 1, 0);
            assert!(!state.is_dropping());
            assert_eq!(run(&mut state, 1600 + pause, 1701 + pause, 1, 20), [1700 + pause]);
            state.count()
        };
        // The last signal was due at 1578 + 35.4 ms; 16 intervals later is 3213.4 ms.
        assert_eq!(entered_again(10), 8);
        assert_eq!(entered_again(1513), 8);
        assert_eq!(entered_again(1514), 1);
    }

    /// The rules of the program, with its registers: 0 is "unset", and subtraction of times has no sign.
    #[derive(Default)]
    struct Registers {
        above: u64,
        next: u64,
        count: u32,
        last: u32,
        dropping: bool,
    }

    impl Registers {
        fn step(count: u32) -> Option<u64> {
            let steps = [100_000, 70_710, 50_000, 35_355, 25_000, 17_677, 12_500, 8_838, 6_250, 4_419];
            steps.get(count.max(1).ilog2() as usize).copied()
        }
        fn packet(&mut self, sojourn: u64, now: u64) -> bool {
            let mut stands = false;
            if sojourn < 5_000 {
                self.above = 0;
            } else if self.above == 0 {
                self.above = now + 100_000;
            } else {
                stands = now >= self.above;
            }
            let drops = match (self.dropping, stands) {
                (_, false) => {
                    self.dropping = false;
                    false
                }
                (true, true) if now < self.next => false,
                (true, true) => {
                    self.count += 1;
                    true
                }
                (false, true) => {
                    let more = self.count - self.last;
                    let since = now.wrapping_sub(self.next) & ((1 << 48) - 1);
                    self.count = if more > 1 && since < 1_600_000 { more } else { 1 };
                    self.last = self.count;
                    self.dropping = true;
                    true
                }
            };
            if drops && let Some(step) = Registers::step(self.count) {
                self.next = now + step;
            }
            drops
        }
    }

    proptest! {
        /// Long spells above target and shorter ones below it.
        #[test]
        fn matches_the_registers_of_the_program(
            spells in prop::collection::vec((1u64..400, 0u64..40, 200u64..20_000, any::<bool>()), 1..60)
        ) {
            let (mut state, mut registers, mut now) = (CodelState::default(), Registers::default(), 1_000_000);
            for (packets, below, gap, above) in spells {
                let (packets, sojourn) = if above { (packets * 4, 20_000) } else { (below, 1_000) };
                for _ in 0..packets {
                    now += gap;
                    let ours = state.judge(&SETTINGS, Duration::from_micros(sojourn), 0, Time::from_micros(now));
                    prop_assert_eq!(ours, registers.packet(sojourn, now));
                }
            }
            prop_assert_eq!((state.count, state.last_count), (registers.count, registers.last));
        }
    }
}
