//! When a decoded frame is rendered: late enough that most of the frames are there in time.
//!
//! The playout delay is what 95 % of the last frames needed beyond the fastest of them, and follows it at 100 ms per second as
//! WebRTC's does. (WebRTC estimates jitter by a Kalman filter over frame sizes; the quantile is ours.) Only frames without
//! retransmissions count, also as in WebRTC, and only differences of the two clocks.

use std::collections::VecDeque;

use jettison_core::{Duration, Time};

/// Frames that count, 10 s at 30 per second, and the share that should be in time.
const FRAMES: usize = 300;
const SHARE: f64 = 0.95;
/// Change of the delay per second.
const SLEW: f64 = 0.1;
/// Time for rendering (WebRTC's).
const RENDER: Duration = Duration::from_millis(10);

/// The playout of a call.
#[derive(Debug, Clone, Default)]
pub(super) struct Playout {
    /// Transit times in nanoseconds up to the clocks' offset, in order of arrival, and sorted.
    recent: VecDeque<i64>,
    sorted: Vec<i64>,
    /// The delay now, in nanoseconds.
    delay: f64,
    updated_at: Option<Time>,
    last: Time,
}

impl Playout {
    /// The time at which a frame that can be decoded now is rendered.
    pub(super) fn render_at(&mut self, captured_at: Time, is_repaired: bool, now: Time) -> Time {
        let transit = now.as_nanos() as i64 - captured_at.as_nanos() as i64;
        if !is_repaired || self.recent.is_empty() {
            self.add(transit);
        }
        let base = self.sorted[0];
        let place = (SHARE * (self.sorted.len() - 1) as f64) as usize;
        let target = (self.sorted[place] - base) as f64;
        let elapsed = self.updated_at.replace(now).map_or(0.0, |at| now.since(at).as_secs_f64());
        let most = SLEW * elapsed * 1e9;
        self.delay += (target - self.delay).clamp(-most, most);
        let by = captured_at.as_nanos() as i64 + base + self.delay as i64;
        let at = Time::from_nanos(by.max(0) as u64).max(now).saturating_add(RENDER);
        self.last = self.last.max(at);
        self.last
    }

    /// The playout delay.
    #[cfg(test)]
    pub(super) fn delay(&self) -> Duration {
        Duration::from_nanos(self.delay as u64)
    }

    fn add(&mut self, transit: i64) {
        if self.recent.len() == FRAMES
            && let Some(oldest) = self.recent.pop_front()
        {
            let place = self.sorted.partition_point(|other| *other < oldest);
            self.sorted.remove(place);
        }
        self.recent.push_back(transit);
        let place = self.sorted.partition_point(|other| *other < transit);
        self.sorted.insert(place, transit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Renders frames captured every 33 ms that need `transit(n)` ms; returns the times from capture to rendering in ms.
    fn run(playout: &mut Playout, from: u64, to: u64, transit: impl Fn(u64) -> u64) -> Vec<u64> {
        let render = |n: u64| {
            let captured = Time::from_millis(33 * n);
            let now = Time::from_millis(33 * n + transit(n));
            playout.render_at(captured, false, now).since(captured).as_millis()
        };
        (from..to).map(render).collect()
    }

    #[test]
    fn without_jitter_a_frame_waits_for_rendering_alone() {
        let mut playout = Playout::default();
        assert!(run(&mut playout, 0, 100, |_| 50).iter().all(|delay| *delay == 60));
    }

    #[test]
    fn with_jitter_frames_are_evenly_spaced_but_for_a_twentieth() {
        let mut playout = Playout::default();
        // Between 50 and 80 ms, and one in a hundred 200 ms, which holds up the frames behind it too.
        let transit = |n: u64| if n % 100 == 7 { 200 } else { 50 + n * 7 % 31 };
        let delays = run(&mut playout, 0, 900, transit);
        let even = delays[300..].iter().filter(|delay| (86..=91).contains(*delay)).count();
        assert!(even > 570, "{even} of 600");
        assert!((28..32).contains(&playout.delay().as_millis()));
    }

    #[test]
    fn the_delay_changes_slowly_and_order_is_kept() {
        let mut playout = Playout::default();
        run(&mut playout, 0, 300, |n| 50 + n % 2 * 100);
        let before = playout.delay();
        assert!(before.as_millis() > 90);
        run(&mut playout, 300, 320, |_| 50);
        assert!(before.saturating_sub(playout.delay()).as_millis() < 70);
        let captured = Time::from_secs(60);
        let late = playout.render_at(captured, true, Time::from_secs(61));
        assert!(playout.render_at(captured, true, Time::from_millis(60_050)) >= late);
    }
}
