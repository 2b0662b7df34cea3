//! The gains, and their cycle in ProbeBW (draft §4.3.4).

use jettison_core::{Duration, RandomStream, Time};

/// 2/ln 2, the smallest gain with which the sending rate doubles each round (draft §4.3.2.1).
pub(super) const HIGH_GAIN: f64 = 2.885_390_081_777_926_8;

/// Pacing gains of ProbeBW (draft §4.3.4.1): probe, drain the resulting queue, cruise.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];

/// The current phase of ProbeBW.
#[derive(Debug, Clone, Copy)]
pub(super) struct GainCycle {
    index: usize,
    /// `cycle_stamp`.
    began: Time,
}

/// Inputs that determine the end of a phase.
#[derive(Debug, Clone, Copy)]
pub(super) struct PhaseInput {
    pub now: Time,
    pub rtprop: Duration,
    /// Whether segments were newly marked lost.
    pub has_lost: bool,
    /// Bytes in flight before the ACK.
    pub prior_in_flight: u64,
}

impl GainCycle {
    /// Starts in a random phase other than the draining one (draft §4.3.4.2); without `random`, in the probing one.
    pub fn start(random: Option<&mut RandomStream>, now: Time) -> GainCycle {
        let drawn = random.map_or(0, |random| random.uniform(0, 6)) as usize;
        let mut cycle = GainCycle { index: CYCLE.len() - 1 - drawn, began: now };
        cycle.advance(now);
        cycle
    }

    /// Draft §4.3.4.3, BBRAdvanceCyclePhase.
    pub fn advance(&mut self, now: Time) {
        self.index = (self.index + 1) % CYCLE.len();
        self.began = now;
    }

    #[inline]
    pub fn gain(&self) -> f64 {
        CYCLE[self.index]
    }

    /// Draft §4.3.4.3, BBRIsNextCyclePhase; `in_flight(gain)` is BBRInflight.
    pub fn is_over(&self, input: &PhaseInput, in_flight: impl Fn(f64) -> u64) -> bool {
        let is_full_length = input.now.since(self.began) > input.rtprop;
        let gain = self.gain();
        if gain > 1.0 {
            is_full_length && (input.has_lost || input.prior_in_flight >= in_flight(gain))
        } else if gain < 1.0 {
            is_full_length || input.prior_in_flight <= in_flight(1.0)
        } else {
            is_full_length
        }
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Seed;

    use super::*;

    const RTPROP: Duration = Duration::from_millis(20);

    fn input(ms: u64, prior_in_flight: u64) -> PhaseInput {
        PhaseInput { now: Time::from_millis(ms), rtprop: RTPROP, has_lost: false, prior_in_flight }
    }

    /// BBRInflight over a path of 100,000 bytes.
    fn in_flight(gain: f64) -> u64 {
        (gain * 100_000.0) as u64
    }

    #[test]
    fn draft_4_3_4_1_the_gains_average_one_and_follow_each_other() {
        let mut cycle = GainCycle::start(None, Time::ZERO);
        let mut gains = Vec::new();
        for _ in 0..9 {
            gains.push(cycle.gain());
            cycle.advance(Time::ZERO);
        }
        assert_eq!(gains, [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.25]);
        assert_eq!(gains[..8].iter().sum::<f64>(), 8.0);
    }

    #[test]
    fn draft_4_3_4_2_starts_in_any_phase_but_the_draining_one() {
        let mut random = Seed(1).stream(&["flows", "bulk", "congestion"]);
        let mut started = [0; 8];
        for _ in 0..7000 {
            started[GainCycle::start(Some(&mut random), Time::ZERO).index] += 1;
        }
        assert_eq!(started[1], 0);
        for index in [0, 2, 3, 4, 5, 6, 7] {
            assert!((850..1150).contains(&started[index]), "{started:?}");
        }
    }

    #[test]
    fn draft_4_3_4_3_cruising_lasts_for_an_rtprop() {
        let cycle = GainCycle { index: 2, began: Time::ZERO };
        assert!(!cycle.is_over(&input(20, 200_000), in_flight));
        assert!(cycle.is_over(&input(21, 0), in_flight));
    }

    #[test]
    fn draft_4_3_4_3_probing_lasts_until_the_flight_is_reached_or_data_is_lost() {
        let cycle = GainCycle { index: 0, began: Time::ZERO };
        assert!(!cycle.is_over(&input(20, 125_000), in_flight), "an RTprop at least");
        assert!(!cycle.is_over(&input(100, 124_999), in_flight));
        assert!(cycle.is_over(&input(21, 125_000), in_flight));
        assert!(cycle.is_over(&PhaseInput { has_lost: true, ..input(21, 0) }, in_flight));
        assert!(!cycle.is_over(&PhaseInput { has_lost: true, ..input(20, 0) }, in_flight));
    }

    #[test]
    fn draft_4_3_4_3_draining_ends_early_once_the_flight_fits_the_path() {
        let cycle = GainCycle { index: 1, began: Time::ZERO };
        assert!(!cycle.is_over(&input(5, 100_001), in_flight));
        assert!(cycle.is_over(&input(5, 100_000), in_flight));
        assert!(cycle.is_over(&input(21, 125_000), in_flight), "an RTprop at most");
    }
}
