//! HyStart++ (RFC 9406): the end of slow start by a rise of the RTT.
//!
//! It compares the lowest RTT of each round with that of the previous one. If it rises by an eighth, slow start
//! becomes conservative (a quarter of the growth) for five rounds, and then ends, unless the RTT falls again.

use jettison_core::Duration;

use super::AckSample;

/// RFC 9406 §4.3: the range of the RTT rise that ends slow start.
const MIN_RTT_THRESH: Duration = Duration::from_millis(4);
const MAX_RTT_THRESH: Duration = Duration::from_millis(16);
/// The rise is an eighth of the last round's lowest RTT.
const MIN_RTT_DIVISOR: u64 = 8;
/// Number of samples in a round before it is evaluated.
const N_RTT_SAMPLE: u32 = 8;
/// Growth in conservative slow start.
pub(super) const CSS_GROWTH_DIVISOR: u64 = 4;
/// Rounds of conservative slow start.
const CSS_ROUNDS: u32 = 5;
/// Segments of growth per ACK if the sender does not pace.
pub(super) const L: u64 = 8;

/// The state of HyStart++ (RFC 9406 §4.2).
#[derive(Debug, Clone)]
pub(super) struct HyStartPlusPlus {
    window_end: u64,
    last_round_min_rtt: Duration,
    current_round_min_rtt: Duration,
    samples: u32,
    /// Lowest RTT at the start of conservative slow start; `MAX` in standard slow start.
    css_baseline: Duration,
    css_rounds: u32,
}

/// What slow start should do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Advice {
    /// Grow as slow start does.
    Standard,
    /// Grow by a quarter.
    Conservative,
    /// End slow start.
    Leave,
}

impl Default for HyStartPlusPlus {
    fn default() -> HyStartPlusPlus {
        HyStartPlusPlus {
            window_end: 0,
            last_round_min_rtt: Duration::MAX,
            current_round_min_rtt: Duration::MAX,
            samples: 0,
            css_baseline: Duration::MAX,
            css_rounds: 0,
        }
    }
}

impl HyStartPlusPlus {
    /// Processes an ACK in slow start.
    pub fn on_ack(&mut self, ack: &AckSample) -> Advice {
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
