//! Application-limited regions (ALR): the encoder sends much less than the target, so the estimate is not tested.
//!
//! WebRTC's documented detector: a budget that fills at 65 % of the target over 500 ms and that packets empty. The region begins
//! when the budget is 80 % full, and ends when it is below 50 %.

use jettison_core::{Duration, Time};

/// Share of the target at which the budget fills.
const USAGE: f64 = 0.65;
/// Span of the budget.
const WINDOW: Duration = Duration::from_millis(500);
/// Levels at which the region begins and ends.
const BEGIN: f64 = 0.8;
const END: f64 = 0.5;

/// The detector.
#[derive(Debug, Clone, Default)]
pub struct AlrDetector {
    /// Bits of the budget, from minus to plus one window.
    level: f64,
    rate: f64,
    at: Option<Time>,
    since: Option<Time>,
    ended_at: Option<Time>,
}

impl AlrDetector {
    /// Sets the target bitrate in bit/s.
    pub fn set_target(&mut self, target: f64) {
        self.rate = USAGE * target;
    }

    /// Records bytes sent.
    pub fn sent(&mut self, bytes: u64, now: Time) {
        let elapsed = self.at.replace(now).map_or(Duration::ZERO, |at| now.since(at)).as_secs_f64();
        let full = self.rate * WINDOW.as_secs_f64();
        self.level = (self.level + self.rate * elapsed).min(full);
        self.level = (self.level - bytes as f64 * 8.0).max(-full);
        let share = if full > 0.0 { self.level / full } else { 0.0 };
        if share > BEGIN && self.since.is_none() {
            self.since = Some(now);
        } else if share < END && self.since.is_some() {
            (self.since, self.ended_at) = (None, Some(now));
        }
    }

    /// Since when the sender is limited by the application, if it is.
    pub fn since(&self) -> Option<Time> {
        self.since
    }

    /// When the last region ended.
    pub fn ended_at(&self) -> Option<Time> {
        self.ended_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends 1,250 bytes every `gap` ms from `from` to `to` ms; the target is 1 Mbit/s.
    fn send(alr: &mut AlrDetector, from: u64, to: u64, gap: usize) {
        alr.set_target(1e6);
        (from..to).step_by(gap).for_each(|ms| alr.sent(1250, Time::from_millis(ms)));
    }

    #[test]
    fn a_sender_at_its_target_is_not_limited() {
        let mut alr = AlrDetector::default();
        send(&mut alr, 0, 5000, 10);
        assert_eq!(alr.since(), None);
        // 67 % of the target is more than 65 %.
        send(&mut alr, 5000, 20_000, 15);
        assert_eq!(alr.since(), None);
    }

    #[test]
    fn a_sender_far_below_is_limited_until_it_sends_more() {
        let mut alr = AlrDetector::default();
        send(&mut alr, 0, 2000, 10);
        send(&mut alr, 2000, 6000, 50);
        let since = alr.since().expect("20 % of the target");
        // From -100 % to 80 % of 325 kbit at 450 kbit/s: 1.3 s.
        assert!((3200..3500).contains(&(since.as_nanos() / 1_000_000)), "{since:?}");
        send(&mut alr, 6000, 7000, 10);
        assert_eq!(alr.since(), None);
        let ended = alr.ended_at().expect("it ended");
        assert!((6000..6800).contains(&(ended.as_nanos() / 1_000_000)), "{ended:?}");
    }
}
