//! Slow start, and its end before loss: HyStart++ (RFC 9406).
//!
//! HyStart++ compares the lowest RTT of each round with that of the previous one. If it rises by an eighth, slow start
//! becomes conservative (a quarter of the growth) for five rounds, and then ends, unless the RTT falls again.

use jettison_core::Duration;

use super::{AckSample, ControllerContext, Growth};

/// RFC 9406 §4.3: the range of the RTT rise that ends slow start.
const MIN_RTT_THRESH: Duration = Duration::from_millis(4);
const MAX_RTT_THRESH: Duration = Duration::from_millis(16);
/// The rise is an eighth of the last round's lowest RTT.
const MIN_RTT_DIVISOR: u64 = 8;
/// Number of samples in a round before it is evaluated.
const N_RTT_SAMPLE: u32 = 8;
/// Growth in conservative slow start.
const CSS_GROWTH_DIVISOR: u64 = 4;
/// Rounds of conservative slow start.
const CSS_ROUNDS: u32 = 5;
/// Segments of growth per ACK if the sender does not pace.
const L: u64 = 8;

/// Slow start, common to all window-based controllers of this crate.
#[derive(Debug, Clone)]
pub struct SlowStart {
    mss: u64,
    growth: Growth,
    paced: bool,
    hystart: Option<HyStart>,
}

impl SlowStart {
    /// Creates slow start for a context; `habit` is the controller's default for HyStart++.
    pub fn new(context: &ControllerContext, habit: bool) -> SlowStart {
        SlowStart {
            mss: context.mss,
            growth: context.growth,
            paced: context.paced,
            hystart: context.hystart.unwrap_or(habit).then(HyStart::default),
        }
    }

    /// Sets the segment size, which may shrink when the connection is established.
    pub fn set_mss(&mut self, mss: u64) {
        self.mss = mss;
    }

    /// Grows `window` by up to `newly` acknowledged bytes, at most to `ssthresh`, which HyStart++ may lower to the
    /// window. Returns the remaining bytes, for congestion avoidance.
    pub fn on_ack(&mut self, ack: &AckSample, newly: u64, window: &mut u64, ssthresh: &mut u64) -> u64 {
        let mut increase = match self.growth {
            // RFC 5681 eq. 2.
            Growth::PerAck => newly.min(self.mss),
            Growth::PerByte => newly,
        };
        // RFC 9406 §4.3: only the initial slow start, while ssthresh is still arbitrarily high.
        if *ssthresh == u64::MAX
            && let Some(hystart) = &mut self.hystart
        {
            if !self.paced {
                increase = increase.min(L * self.mss);
            }
            match hystart.on_ack(ack) {
                Advice::Standard => {}
                Advice::Conservative => increase /= CSS_GROWTH_DIVISOR,
                Advice::Leave => {
                    *ssthresh = *window;
                    return newly;
                }
            }
        }
        let grown = window.saturating_add(increase);
        if grown <= *ssthresh {
            *window = grown;
            return 0;
        }
        *window = *ssthresh;
        match self.growth {
            Growth::PerByte => grown - *ssthresh,
            Growth::PerAck => 0,
        }
    }
}

/// The state of HyStart++ (RFC 9406 §4.2).
#[derive(Debug, Clone)]
pub struct HyStart {
    window_end: u64,
    last_round_min_rtt: Duration,
    current_round_min_rtt: Duration,
    samples: u32,
    /// Lowest RTT at the start of conservative slow start; `MAX` in standard slow start.
    css_baseline: Duration,
    css_rounds: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Advice {
    Standard,
    Conservative,
    Leave,
}

impl Default for HyStart {
    fn default() -> HyStart {
        HyStart {
            window_end: 0,
            last_round_min_rtt: Duration::MAX,
            current_round_min_rtt: Duration::MAX,
            samples: 0,
            css_baseline: Duration::MAX,
            css_rounds: 0,
        }
    }
}

impl HyStart {
    fn on_ack(&mut self, ack: &AckSample) -> Advice {
        if ack.acknowledged >= self.window_end {
            // A round ends; in conservative slow start a partial round counts too (RFC 9406 §4.2).
            if self.css_baseline != Duration::MAX {
                self.css_rounds += 1;
                if self.css_rounds >= CSS_ROUNDS {
                    return Advice::Leave;
                }
            }
            self.last_round_min_rtt = self.current_round_min_rtt;
            self.current_round_min_rtt = Duration::MAX;
            self.samples = 0;
            self.window_end = ack.next_offset;
        }
        if let Some(rtt) = ack.rtt {
            self.current_round_min_rtt = self.current_round_min_rtt.min(rtt);
            self.samples += 1;
        }
        let current = self.current_round_min_rtt;
        if self.samples >= N_RTT_SAMPLE && current != Duration::MAX {
            if self.css_baseline != Duration::MAX {
                if current < self.css_baseline {
                    // The rise was spurious: resume standard slow start.
                    self.css_baseline = Duration::MAX;
                }
            } else if self.last_round_min_rtt != Duration::MAX {
                let last = self.last_round_min_rtt;
                let threshold = (last / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH, MAX_RTT_THRESH);
                if current >= last + threshold {
                    self.css_baseline = current;
                    self.css_rounds = 0;
                }
            }
        }
        if self.css_baseline == Duration::MAX { Advice::Standard } else { Advice::Conservative }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{MSS, ack, context};
    use super::*;

    /// Runs rounds of `samples` ACKs with the given RTTs in ms; returns the window after each round.
    fn rounds(slow_start: &mut SlowStart, rtts: &[u64], samples: u64) -> (Vec<u64>, u64) {
        let (mut window, mut ssthresh) = (10 * MSS, u64::MAX);
        let (mut acknowledged, mut windows) = (0, Vec::new());
        for &rtt in rtts {
            let next = acknowledged + samples * MSS;
            for _ in 0..samples {
                acknowledged += MSS;
                let mut sample = ack(MSS);
                sample.acknowledged = acknowledged;
                // All but the last ACK of a round arrive while the round's own data is in flight.
                sample.next_offset = next + samples * MSS;
                sample.rtt = Some(Duration::from_millis(rtt));
                slow_start.on_ack(&sample, MSS, &mut window, &mut ssthresh);
            }
            windows.push(window);
        }
        (windows, ssthresh)
    }

    #[test]
    fn rfc9406_4_2_a_steady_rtt_never_leaves_slow_start() {
        let mut slow_start = SlowStart::new(&context(), true);
        let (windows, ssthresh) = rounds(&mut slow_start, &[20; 10], 10);
        assert_eq!(windows[9], 110 * MSS);
        assert_eq!(ssthresh, u64::MAX);
    }

    #[test]
    fn rfc9406_4_2_a_rise_quarters_growth_for_five_rounds_and_then_ends_slow_start() {
        let mut slow_start = SlowStart::new(&context(), true);
        let rtts: Vec<u64> = [20, 20].into_iter().chain([30; 16]).collect();
        let (windows, ssthresh) = rounds(&mut slow_start, &rtts, 10);
        assert!(ssthresh < u64::MAX, "left slow start");
        assert_eq!(*windows.last().unwrap(), ssthresh);
        let css: Vec<u64> =
            windows.windows(2).map(|w| w[1] - w[0]).filter(|grown| *grown == 10 * MSS / 4).collect();
        assert!(css.len() >= 3, "conservative rounds grow by a quarter: {windows:?}");
    }

    #[test]
    fn rfc9406_4_2_a_falling_rtt_resumes_slow_start() {
        let mut slow_start = SlowStart::new(&context(), true);
        let rtts: Vec<u64> = [20, 20, 30, 30].into_iter().chain([20; 12]).collect();
        let (windows, ssthresh) = rounds(&mut slow_start, &rtts, 10);
        assert_eq!(ssthresh, u64::MAX);
        assert_eq!(windows[15] - windows[14], 10 * MSS, "full growth again");
    }

    #[test]
    fn rfc9406_4_3_growth_per_ack_is_limited_unless_paced() {
        for (paced, expected) in [(false, 8 * MSS), (true, 20 * MSS)] {
            let mut slow_start = SlowStart::new(&ControllerContext { paced, ..context() }, true);
            let (mut window, mut ssthresh) = (10 * MSS, u64::MAX);
            slow_start.on_ack(&ack(20 * MSS), 20 * MSS, &mut window, &mut ssthresh);
            assert_eq!(window - 10 * MSS, expected);
        }
    }
}
